/**
 * A refund by mail, from the question to the receipt, in processes that are killed at every step, and in two at once. The servers are in
 * the test: they see how far a process has come, and kill it there.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer as connectionServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFailed, onTestFinished, test } from 'vitest';
import { type Dovecot, startDovecot } from '../../support/mail/dovecot.js';
import { type ImapServer, rawMail } from '../../support/mail/imap-server.js';
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

/** A mailbox on some IMAP server. */
interface TestedMailbox {
  readonly port: number;
  /** Returns the UID. */
  deliver(raw: string): number | Promise<number>;
  /** A mark is only set if `may` says so for the UIDs; otherwise the connection ends. */
  onMark(may: (uids: readonly string[]) => boolean): void;
  readonly said: () => unknown;
}

const uidsIn = (line: string) => /UID STORE ([\d,:]+)/.exec(line)?.[1]?.split(/[,:]/) ?? [];

function onServer(imap: ImapServer): TestedMailbox {
  return {
    port: imap.port,
    deliver: (raw) => imap.deliver(raw),
    onMark: (may) => imap.refuse('UID STORE', (line) => (may(uidsIn(line)) ? undefined : 'close')),
    said: () => [imap.mails().map(({ uid, flags }) => `${uid} ${flags.join(' ')}`), imap.commands.slice(-60)],
  };
}

/** Dovecot behind a proxy that looks at each command. A mail's UID is its number. */
async function onDovecot(dovecot: Dovecot): Promise<TestedMailbox> {
  let may: (uids: readonly string[]) => boolean = () => true;
  let delivered = 0;
  const sockets = new Set<Socket>();
  const proxy = connectionServer((client) => {
    const server = connect(dovecot.port, '127.0.0.1');
    const end = () => {
      client.destroy();
      server.destroy();
    };
    for (const each of [client, server]) {
      sockets.add(each);
      each.on('error', end).on('close', end);
    }
    server.pipe(client);
    client.on('data', (chunk: Buffer) => {
      const uids = uidsIn(chunk.toString('latin1'));
      if (uids.length > 0 && !may(uids)) end();
      else server.write(chunk);
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  return {
    port: (proxy.address() as AddressInfo).port,
    deliver: async (raw) => {
      await dovecot.deliver(raw);
      delivered += 1;
      return delivered;
    },
    onMark: (given) => {
      may = given;
    },
    said: () => `${delivered} mails`,
  };
}

/** A mail server and a payment provider, and the processes that use them and the mailbox. */
async function shop(mailbox: TestedMailbox, more: { readonly approver?: string; readonly settings: object }) {
  const folder = mkdtempSync(join(tmpdir(), 'askback-mail-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true })); // registered first, so the last to run
  const smtp = await SmtpServer.begin();
  onTestFinished(() => smtp.stop());
  const payments: string[] = [];
  const killed: { at?: Step | undefined; process?: NodeProcess } = {};
  const started: NodeProcess[] = [];
  let reply = 0;

  onTestFailed(() => {
    for (const { pid, output } of started) console.log(`Process ${pid} wrote:\n${output()}`);
    console.log(
      'The mailbox:',
      mailbox.said(),
      '\nMails sent to:',
      smtp.mails.map(({ to }) => to.join(' ')),
    );
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

  mailbox.onMark((uids) => reached(uids.includes(String(reply)) ? steps[3] : steps[0]) === 'go');
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
    const options = { path, smtp: smtp.port, imap: mailbox.port, pay, secret: mailSecret, ...more };
    const process = spawnNode(file, [JSON.stringify(options)]);
    started.push(process);
    onTestFinished(() => process.kill());
    return { process, call: callerOf(process) };
  };
  return {
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
      await mailbox.deliver(await arrived({ from, to: 'refunds@shop.example', text: order, headers }));
    },
    replies: async (question: FoundMail, from: string) => {
      reply = await mailbox.deliver(await arrived(answerTo(question, 'yes', { from })));
      return reply;
    },
  };
}

const idsOf = (mails: readonly FoundMail[]) => [...new Set(mails.map(({ messageId }) => messageId))];

/** Kills a process at each step of one refund. `recorded` is called with the reply, `marked` looks for the marks at the end. */
async function killedAtEveryStep(
  mailbox: TestedMailbox,
  { recorded, marked }: { recorded?: (reply: number) => void; marked: () => Promise<void> },
): Promise<void> {
  const lease = { lease: 1_500, renewal: 500, sweep: 200 };
  const settings = { ...lease, sendLimit: 1_500, sendLease: 2_000, backOff: [100], deliveryBackOff: [100] };
  const { smtp, payments, start, diesWhen, writes, replies } = await shop(mailbox, { approver: dora, settings });
  await writes(`Anna <${anna}>`, 'order 12345');
  for (const step of steps.slice(0, 3)) await diesWhen(step);
  const [question] = await mailsTo(smtp, dora);
  if (question === undefined) throw new Error('Dora was not asked.');
  const reply = await replies(question, dora);
  await diesWhen(steps[3]);
  recorded?.(reply);
  for (const step of steps.slice(4)) await diesWhen(step);

  const { call, process } = await start();
  await process.next(({ ready }) => ready === true);
  await until(() => smtp.mails.filter(({ to }) => to.includes(anna)).length === 2, 'the receipt once more');
  await marked();
  expect(await call('open')).toBe(0);
  await call('stop');
  expect(new Set(payments).size).toBe(1);
  expect(idsOf(await mailsTo(smtp, dora))).toEqual([question.messageId]);
  const receipts = await mailsTo(smtp, anna);
  expect(idsOf(receipts)).toHaveLength(1);
  for (const { text: said } of receipts) expect(said).toContain('Refunded: order 12345');
}

test('a process is killed at every step from the mail to the receipt: one question, one refund, one receipt', async () => {
  const imap = await imapServer();
  await killedAtEveryStep(onServer(imap), {
    recorded: (reply) => imap.expunge(reply), // what is recorded needs the mailbox no more
    marked: () => until(() => imap.flagged(keyword).length === 1, 'the mark of the mail'),
  });
});

test('a process on a mailbox of Dovecot is killed at every step: one question, one refund, one receipt, two marks', async () => {
  const dovecot = await startDovecot();
  onTestFinished(() => dovecot.stop());
  await killedAtEveryStep(await onDovecot(dovecot), {
    marked: () => expect.poll(() => dovecot.marked()).toBe(2),
  });
}, 240_000);

test('two processes read one mailbox: each mail is a question once, each reply a refund once', async () => {
  const imap = await imapServer();
  const { smtp, payments, start, writes, replies } = await shop(onServer(imap), { settings: { sweep: 500 } });
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
    expect(receipts.map(({ text: said }) => said.split('\n').at(-1))).toEqual([`Refunded: ${order}`]);
  }
});

test('a reply among 10 000 mails that wait is found; old ones are not read, and neither memory nor the event loop pays', async () => {
  const imap = await imapServer();
  const more = { approver: dora, settings: { sweep: 500 } };
  const { smtp, payments, start, writes, replies } = await shop(onServer(imap), more);
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
