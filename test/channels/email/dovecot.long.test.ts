/** The mailbox on a real Dovecot: what two readers see of many mails, over connections that are cut. */
import { expect, onTestFinished, test } from 'vitest';
import { FaultProxy } from '../../support/fault-proxy.js';
import { startDovecot } from '../../support/mail/dovecot.js';
import { rawMail } from '../../support/mail/imap-server.js';
import { readMailbox } from '../../support/mail/mailbox.js';

test('two readers of one mailbox hand on 300 mails, also over connections that are cut, each under one id', async () => {
  const dovecot = await startDovecot();
  onTestFinished(() => dovecot.stop());
  const proxy = await FaultProxy.begin(dovecot.port, { isRedis: false });
  onTestFinished(() => proxy.close());
  const readers = [await readMailbox(proxy.port), await readMailbox(dovecot.port)];
  for (let n = 1; n <= 300; n += 1) {
    await dovecot.deliver(rawMail({ 'Message-ID': '<the-same@example.com>' }, `Number ${n}.`));
    if (n % 100 === 0) proxy.cut();
  }
  await expect.poll(() => dovecot.marked(), { timeout: 100_000, interval: 200 }).toBe(300);
  const idsOf = new Map<string, Set<string>>();
  for (const { raw, id } of readers.flatMap(({ mails }) => mails)) {
    const number = /Number (\d+)\./.exec(raw)?.[1] ?? '';
    idsOf.set(number, (idsOf.get(number) ?? new Set()).add(id));
  }
  expect(idsOf.size).toBe(300);
  expect([...idsOf.values()].every((ids) => ids.size === 1)).toBe(true);
  expect(new Set([...idsOf.values()].flatMap((ids) => [...ids])).size).toBe(300);
});

test('a recorded mail is moved into a mailbox that Dovecot makes', async () => {
  const dovecot = await startDovecot();
  onTestFinished(() => dovecot.stop());
  for (let n = 1; n <= 25; n += 1) await dovecot.deliver(rawMail({}, `Number ${n}.`));
  const { mails, lines } = await readMailbox(dovecot.port, { done: { moveTo: 'Done' } });
  await expect.poll(() => mails.length, { timeout: 100_000 }).toBe(25);
  const other = await readMailbox(dovecot.port, { mailbox: 'Done' });
  await expect.poll(() => other.mails.length, { timeout: 100_000 }).toBe(25);
  expect(mails).toHaveLength(25);
  expect(lines).toEqual([]);
});
