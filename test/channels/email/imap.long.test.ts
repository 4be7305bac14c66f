/** The mailbox over minutes of back-off: what fails again and again is tried ever less often, and keeps nothing back. */
import { expect, onTestFinished, test } from 'vitest';
import { FakeClock } from '../../../src/testing/index.js';
import { FaultProxy } from '../../support/fault-proxy.js';
import { advanceUntil, imapServer, keyword, numbersIn, readMailbox, said, until } from '../../support/mail/mailbox.js';

test('a connection that is dead without an end is noticed, and made again', async () => {
  const server = await imapServer();
  const proxy = await FaultProxy.begin(server.port, { isRedis: false });
  onTestFinished(() => proxy.close());
  const clock = new FakeClock(Date.now());
  const { mails } = await readMailbox(proxy.port, { clock });
  await until(() => server.commands.includes('IDLE'), 'everything is read');
  proxy.stall();
  server.deliver(said(1));
  await advanceUntil(clock, () => mails.length === 1, 'the mail is handed on');
  expect(proxy.accepted).toBe(2);
  expect(clock.elapsed()).toBeGreaterThan(60_000);
});

test('while the store takes nothing, no mail is left for long: all are recorded soon after it works again', async () => {
  const server = await imapServer();
  const clock = new FakeClock(Date.now());
  let isDown = true;
  let tries = 0;
  const before = () => {
    tries += 1;
    if (isDown) throw new Error('the store is down');
  };
  for (let n = 1; n <= 5; n += 1) server.deliver(said(n));
  const { mails } = await readMailbox(server.port, { clock, before });
  await advanceUntil(clock, () => tries >= 12, 'each was tried several times');
  isDown = false;
  const up = clock.elapsed();
  await advanceUntil(clock, () => mails.length === 5, 'all are recorded');
  expect(clock.elapsed() - up).toBeLessThanOrEqual(5 * 60_000);
});

test('a mail that cannot be marked is not read again and again; marking is tried again', async () => {
  const server = await imapServer();
  const clock = new FakeClock(Date.now());
  server.refuse('UID STORE', () => ({ no: '[OVERQUOTA] Quota exceeded' }));
  server.deliver(said(1));
  const { mails, lines } = await readMailbox(server.port, { clock });
  const stores = () => server.commands.filter((line) => line.startsWith('UID STORE')).length;
  await advanceUntil(clock, () => stores() >= 2, 'marking was tried again');
  expect(mails).toHaveLength(1);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('Check that the mailbox is not full');
  server.allow('UID STORE');
  await advanceUntil(clock, () => server.flagged(keyword).length === 1, 'the mail is marked');
  expect(mails).toHaveLength(1);
});

test('a mail that cannot be recorded does not keep back the others, is tried again, and is left in the mailbox', async () => {
  const server = await imapServer();
  const clock = new FakeClock(Date.now());
  let tries = 0;
  const before = ({ raw }: { readonly raw: string }) => {
    if (!raw.includes('Number 1')) return;
    tries += 1;
    throw new Error('cannot be recorded');
  };
  server.deliver(said(1));
  server.deliver(said(2));
  const { mails, lines } = await readMailbox(server.port, { clock, before });
  await until(() => mails.length === 1, 'the other is handed on');
  expect(numbersIn(mails)).toEqual([2]);
  await advanceUntil(clock, () => tries === 6, 'it was tried six times');
  expect(lines.filter((line) => line.includes('A mail could not be recorded'))).toHaveLength(2);
  expect(lines.at(-1)).toContain('3600000 ms');
  expect(server.flagged(keyword)).toHaveLength(1);
});

test('a wrong password is told once, with what to do, is not in the log, and is tried ever less often', async () => {
  const server = await imapServer();
  const clock = new FakeClock(Date.now());
  const { lines } = await readMailbox(server.port, { clock, auth: { user: 'testuser', pass: 'wrong-horse' } });
  await advanceUntil(clock, () => server.commands.length === 5, 'it was tried five times');
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('Check imap.auth');
  expect(lines.join()).not.toContain('wrong-horse');
  expect(clock.elapsed()).toBeGreaterThanOrEqual(1_000 + 2_000 + 4_000 + 8_000);
});

test('a mail that ends the connection whenever it is fetched does not keep back the others', async () => {
  const server = await imapServer();
  const clock = new FakeClock(Date.now());
  const poison = server.deliver(said(1));
  server.deliver(said(2));
  server.refuse('UID FETCH', (line) => (line.startsWith(`UID FETCH ${poison} `) ? 'close' : undefined));
  const { mails } = await readMailbox(server.port, { clock });
  await advanceUntil(clock, () => mails.length === 1, 'the other is handed on');
  server.allow('UID FETCH');
  await advanceUntil(clock, () => mails.length === 2, 'it is handed on once it can be');
  expect(numbersIn(mails)).toEqual([2, 1]);
});
