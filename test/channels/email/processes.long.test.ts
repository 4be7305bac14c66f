/**
 * A refund by mail, from the question to the receipt, in processes that are killed at every step, and in two at once. The servers are in
 * the test: they see how far a process has come, and kill it there.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFailed, onTestFinished, test } from 'vitest';
import { rawMail } from '../../support/mail/imap-server.js';
import { imapServer, keyword, until } from '../../support/mail/mailbox.js';
import { SmtpServer } from '../../support/mail/smtp-server.js';
import { answerTo, arrived, type FoundMail, mailSecret, mailsTo } from '../../support/mail/world.js';
import { callerOf, type NodeProcess, spawnNode } from '../../support/processes.js';

const dora = 'dora@example.com';
const anna = 'anna@example.com';
const file = new URL('replica.mjs', import.meta.url).pathname;

/** The steps of a refund that the servers see, in their order. */
const steps = [
  'the mail is recorded, not flagged',
  'the question is recorded, not mailed',
  'the question is mailed, not marked',
  'the reply is recorded, not flagged',
  'it is decided, not paid',
  'it is paid, nothing is saved',
  'the receipt is recorded, not mailed',
  'the receipt is mailed, not marked',
] as const;
type Step = (typeof steps)[number];

/** A mailbox, a mail server and a payment provider, and the processes that use them. */
async function shop(more: { readonly approver?: string; readonly settings: object }) {
  const folder = mkdtempSync(join(tmpdir(), 'askback-mail-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true })); // registered first, so the last to run
  const imap = await imapServer();
  const smtp = await SmtpServer.begin();
  onTestFinished(() => smtp.stop());
  const payments: string[] = [];
  const killed: { at?: Step | undefined; process?: NodeProcess } = {};
  const started: NodeProcess[] = [];
  let reply = 0;

  onTestFailed(() => {
    for (const { pid, output } of started) console.log(`Process ${pid} wrote:\n${output()}`);
    const mails = imap.mails().map(({ uid, flags }) => `${uid} ${flags.join(' ')}`);
    const sent = smtp.mails.map(({ to }) => to.join(' '));
    console.log('The mailbox:', mails, '\nIts last commands:', imap.commands.slice(-60), '\nMails sent to:', sent);
    console.log('Payments:', payments);
  });

  /** What happens at a step: nothing goes further than to the one at which the process is killed. */
  const reached = (step: Step): 'go' | 'killed' | 'hold' => {
    const { at, process } = killed;
    const ahead = at === undefined ? -1 : steps.indexOf(step) - steps.indexOf(at);
    if (ahead !== 0) return ahead < 0 ? 'go' : 'hold';
    process?.kill('SIGKILL');
    return 'killed';
  };

  imap.refuse('UID STORE', (line) => {
    const uids = /^UID STORE ([\d,:]+)/.exec(line)?.[1]?.split(/[,:]/) ?? [];
    const step = uids.includes(String(reply)) ? steps[3] : steps[0];
    return reached(step) === 'go' ? undefined : 'close';
  });
  smtp.faults = (step, about) => {
    if (step !== 'rcpt' && step !== 'data') return undefined;
    const [recorded, mailed] = about === dora ? [steps[1], steps[2]] : [steps[6], steps[7]];
    const becomes = reached(step === 'rcpt' ? recorded : mailed);
    if (becomes === 'killed') return step === 'rcpt' ? 'close' : 'taken then close';
    return becomes === 'hold' ? 'hang' : undefined;
  };
  const provider = createServer((request, response: ServerResponse) => {
    void text(request).then((key) => {
      if (reached('it is decided, not paid') !== 'go') return;
      payments.push(key);
      if (reached('it is paid, nothing is saved') === 'go') response.end();
    });
  });
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    provider.closeAllConnections();
    provider.close();
  });

  const start = async () => {
    const pay = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/`;
    const path = join(folder, 'store.db');
    const options = { path, smtp: smtp.port, imap: imap.port, pay, secret: mailSecret, ...more };
    const process = spawnNode(file, [JSON.stringify(options)]);
    started.push(process);
    onTestFinished(() => process.kill());
    return { process, call: callerOf(process) };
  };
  return {
    imap,
    smtp,
    payments,
    start,
    /** A process that works until it comes to the step, and dies there. */
    diesWhen: async (step: Step) => {
      killed.at = step;
      const { process } = await start();
      killed.process = process;
      expect(await process.exited, process.output()).toMatchObject({ signal: 'SIGKILL' });
      killed.at = undefined;
    },
    writes: async (from: string, order: string) => {
      const headers = { 'Message-ID': `<${order}@example.com>` };
      imap.deliver(await arrived({ from, to: 'refunds@shop.example', text: order, headers }));
    },
    replies: async (question: FoundMail, from: string) => {
      reply = imap.deliver(await arrived(answerTo(question, 'yes', { from })));
      return reply;
    },
  };
}

const idsOf = (mails: readonly FoundMail[]) => [...new Set(mails.map(({ messageId }) => messageId))];

test('a process is killed at every step from the mail to the receipt: one question, one refund, one receipt', async () => {
  const lease = { lease: 1_500, renewal: 500, sweep: 200 };
  const settings = { ...lease, sendLimit: 1_500, sendLease: 2_000, backOff: [100], deliveryBackOff: [100] };
  const { imap, smtp, payments, start, diesWhen, writes, replies } = await shop({ approver: dora, settings });
  await writes(`Anna <${anna}>`, 'order 12345');
  for (const step of steps.slice(0, 3)) await diesWhen(step);
  const [question] = await mailsTo(smtp, dora);
  if (question === undefined) throw new Error('Dora was not asked.');
  const reply = await replies(question, dora);
  await diesWhen(steps[3]);
  imap.expunge(reply); // what is recorded needs the mailbox no more
  for (const step of steps.slice(4)) await diesWhen(step);

  const { call, process } = await start();
  await process.next(({ ready }) => ready === true);
  await until(() => smtp.mails.filter(({ to }) => to.includes(anna)).length === 2, 'the receipt once more');
  await until(() => imap.flagged(keyword).length === 1, 'the mark of the mail');
  expect(await call('open')).toBe(0);
  await call('stop');
  expect(new Set(payments).size).toBe(1);
  expect(idsOf(await mailsTo(smtp, dora))).toEqual([question.messageId]);
  const receipts = await mailsTo(smtp, anna);
  expect(idsOf(receipts)).toHaveLength(1);
  for (const { text: said } of receipts) expect(said).toContain('Refunded: order 12345');
});

test('two processes read one mailbox: each mail is a question once, each reply a refund once', async () => {
  const { imap, smtp, payments, start, writes, replies } = await shop({ settings: { sweep: 500 } });
  const people = [1, 2, 3, 4, 5, 6].map((n) => ({ address: `anna${n}@example.com`, order: `order 1234${n}` }));
  await writes(people[0]?.address ?? '', people[0]?.order ?? ''); // one was there before them
  const both = await Promise.all([start(), start()]);
  await Promise.all(both.map(({ process }) => process.next(({ ready }) => ready === true)));
  await Promise.all(people.slice(1).map(({ address, order }) => writes(address, order)));
  await smtp.taken(people.length);
  for (const { address } of people) {
    const [question] = await mailsTo(smtp, address);
    if (question === undefined) throw new Error(`${address} was not asked.`);
    await replies(question, address);
  }
  await smtp.taken(2 * people.length);
  await until(() => imap.flagged(keyword).length === 2 * people.length, 'the marks of all mails');
  expect(await both[0]?.call('open')).toBe(0);
  await Promise.all(both.map(({ call }) => call('stop')));
  expect(smtp.mails).toHaveLength(2 * people.length);
  expect([payments.length, new Set(payments).size]).toEqual([people.length, people.length]);
  for (const { address, order } of people) {
    const [, ...receipts] = await mailsTo(smtp, address);
    expect(receipts.map(({ text: said }) => said.trim())).toEqual([`Refunded: ${order}`]);
  }
});

test('a reply among 10 000 mails that wait is found; old ones are not read, and neither memory nor the event loop pays', async () => {
  const { imap, smtp, payments, start, writes, replies } = await shop({ approver: dora, settings: { sweep: 500 } });
  const [old, young, bytes] = [9_000, 1_000, 100_000];
  const first = await start();
  await writes(anna, 'order 12345');
  await smtp.taken(1);
  const [question] = await mailsTo(smtp, dora);
  if (question === undefined) throw new Error('Dora was not asked.');
  const before = await first.call<{ memory: number }>('load');
  await first.call('stop');

  const month = new Date(Date.now() - 30 * 24 * 60 * 60_000);
  const wanted = await arrived({ from: 'bob@example.com', to: 'refunds@shop.example', text: 'order 67890' });
  for (let n = 0; n < old; n += 1) imap.deliver(wanted, { date: month });
  const newsletter = rawMail(
    { To: 'somebody@shop.example' },
    'x'
      .repeat(79)
      .concat('\r\n')
      .repeat(bytes / 80),
  );
  for (let n = 1; n < young; n += 1) {
    imap.deliver(newsletter);
    if (n === young / 2) await replies(question, dora);
  }
  const { call } = await start();
  const marked = () => imap.flagged(keyword).length;
  await expect.poll(marked, { timeout: 240_000, interval: 500 }).toBe(1 + young);
  await until(() => smtp.mails.length >= 2, 'the receipt');
  const after = await call<{ memory: number; held: number }>('load');
  await call('stop');
  expect(smtp.mails.map(({ to }) => to)).toEqual([[dora], [anna]]);
  expect(payments).toHaveLength(1);
  expect(after.memory - before.memory).toBeLessThan(0.8 * young * bytes);
  expect(after.held).toBeLessThan(2_000);
}, 300_000);
