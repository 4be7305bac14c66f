/** Several open questions to one mailbox: each is a mail of its own at once, and each reply reaches its question, whatever the order. */
import { expect, onTestFinished, test } from 'vitest';
import { AgentRegistry, type AskOptions, agent, confirm, type Store } from '../../../src/index.js';
import { approve } from '../../../src/tools/index.js';
import { ledger } from '../../support/engine.js';
import { until } from '../../support/mail/mailbox.js';
import { answerTo, type FoundMail, mailChannel, mailsTo } from '../../support/mail/world.js';
import { Mail } from '../../support/places.js';
import { linesLogged } from '../../support/slack/world.js';

const dora = 'dora@example.com';

/** A shop on the web, whose refunds Dora approves by mail. */
async function shop(more: Omit<AskOptions, 'effectKey'> = {}, store: { readonly store?: Store } = {}) {
  const mail = await mailChannel();
  const web = new Mail('web');
  const book = ledger();
  const made = agent('refunds');
  const sure = made.question('sure', confirm('Refund it?'), {
    via: { channel: 'email', to: 'Dora@Example.com' },
    answerableBy: [`mail:${dora}`, 'staff:ben'],
    mail: 'decide',
    ...more,
    onAnswer: (yes, { pending, effectKey, attempt }) =>
      yes ? book.pay(effectKey, String(pending.context['order']), attempt) : 'Left as it is.',
  });
  made.onMessage(({ message, ask }) => ask(sure, { context: { order: message }, details: { Order: message } }));
  const { logger } = linesLogged();
  const registry = new AgentRegistry({ agents: [made], channels: [web, mail.channel], logger, ...store });
  onTestFinished(() => registry.stop());
  await registry.start();
  const wants = (order: string) =>
    web.desk?.receive({ id: order, conversationId: `web:${order}`, text: order, participant: { id: `web:${order}` } });
  /** The mails to Dora, once there are so many. */
  const mails = async (count: number) => {
    await until(() => mail.smtp.mails.length >= count, `${count} mails`);
    return mailsTo(mail.smtp, dora);
  };
  return { ...mail, registry, book, wants, mails };
}

const about = (mails: readonly FoundMail[], order: string): FoundMail => {
  const found = mails.find(({ text }) => text.includes(`Order: ${order}`));
  if (found === undefined) throw new Error(`There is no mail about order ${order}.`);
  return found;
};

test('three refunds are mailed at once; the third and then the second is answered, each in its thread, and the first stays open', async () => {
  const { wants, mails, writes, book, registry } = await shop();
  for (const order of ['101', '102', '103']) await wants(order);
  const questions = await mails(3);
  expect(new Set(questions.map(({ replyTo }) => replyTo)).size).toBe(3);
  expect(questions.map((question) => question.header('in-reply-to'))).toEqual([undefined, undefined, undefined]);
  for (const [i, order] of ['103', '102'].entries()) {
    const question = about(questions, order);
    await writes(answerTo(question, 'Yes', { from: dora, headers: { 'Message-ID': `<reply-${order}@example.com>` } }));
    const receipt = (await mails(4 + i))[3 + i];
    expect(receipt?.text).toContain(`Refunded ${order}`);
    expect(receipt?.header('in-reply-to')).toBe(`<reply-${order}@example.com>`);
    expect(receipt?.references).toContain(question.messageId);
  }
  expect([...book.paid.values()]).toEqual(['103', '102']);
  const { asks } = await registry.listAsks({ for: { id: `mail:${dora}` } });
  expect(asks).toMatchObject([{ context: { order: '101' }, status: 'pending' }]);
});

test('a question that somebody else settles is told so in its own thread, and the others stay open', async () => {
  const { wants, mails, writes, book, registry } = await shop();
  for (const order of ['101', '102']) await wants(order);
  const questions = await mails(2);
  const [first] = (await registry.listAsks()).asks.filter(({ context }) => context['order'] === '101');
  await registry.answer(first?.id ?? '', { value: true }, { by: { id: 'staff:ben', name: 'Ben' } });
  const over = (await mails(4)).find(({ text }) => text.includes('already answered by Ben')); // beside the receipt
  expect(over?.header('in-reply-to')).toBe(about(questions, '101').messageId);
  await writes(answerTo(about(questions, '101'), 'No', { from: dora }));
  expect((await mails(5))[4]?.text).toContain('already answered');
  await writes(answerTo(about(questions, '102'), 'Yes', { from: dora }));
  await mails(6);
  expect([...book.paid.values()]).toEqual(['101', '102']);
});

test('two replies that are posted at the same moment, and one of them twice, make one refund each', async () => {
  const { wants, mails, writes, book } = await shop();
  for (const order of ['101', '102']) await wants(order);
  const questions = await mails(2);
  const yes = (order: string) =>
    writes(
      answerTo(about(questions, order), 'Yes', { from: dora, headers: { 'Message-ID': `<${order}@example.com>` } }),
    );
  await Promise.all([yes('102'), yes('101'), yes('102')]);
  await until(() => book.paid.size === 2, 'both refunds');
  expect([...book.paid.values()].sort()).toEqual(['101', '102']);
});

test('one mail to two questions answers neither, and its author is told; each can still be answered', async () => {
  const { wants, mails, writes, registry, book, lines } = await shop();
  for (const order of ['101', '102']) await wants(order);
  const questions = await mails(2);
  const [first, second] = [about(questions, '101'), about(questions, '102')];
  await writes(answerTo(first, 'Yes', { from: dora, to: `${first.replyTo}, ${second.replyTo}` }));
  expect((await mails(3))[2]?.text).toMatch(/more than one question, so nothing was decided/);
  expect(lines).toEqual([expect.stringMatching(/^A mail was ignored.*two-asks/)]);
  const { asks } = await registry.listAsks();
  expect(asks.map(({ status, retries }) => `${status} ${retries}`)).toEqual(['pending 0', 'pending 0']);
  await writes(answerTo(second, 'Yes', { from: dora }));
  await until(() => book.paid.size > 0, 'the refund');
  expect([...book.paid.values()]).toEqual(['102']);
});

test('a bounce ends the question that came back, and no other', async () => {
  const { wants, mails, writes, registry, book } = await shop();
  for (const order of ['101', '102']) await wants(order);
  const questions = await mails(2);
  const { returnPath } = about(questions, '101');
  const report = [
    'Reporting-MTA: dns; mx.example.com',
    '',
    `Final-Recipient: rfc822; ${dora}`,
    'Action: failed',
    'Status: 5.1.1',
  ];
  await writes({
    from: 'MAILER-DAEMON@mx.example.com',
    to: returnPath,
    signedBy: false,
    arrival: { sender: '' },
    headers: {
      'Auto-Submitted': 'auto-replied',
      'Content-Type': 'multipart/report; report-type=delivery-status; boundary="b"',
    },
    text: [
      '--b',
      'Content-Type: text/plain',
      '',
      'It came back.',
      '--b',
      'Content-Type: message/delivery-status',
      '',
      ...report,
      '',
      '--b--',
    ].join('\n'),
  });
  await expect.poll(async () => (await registry.listAsks()).asks).toMatchObject([{ context: { order: '102' } }]);
  await writes(answerTo(about(questions, '102'), 'Yes', { from: dora }));
  await until(() => book.paid.size === 1, 'the refund');
});

test('approvals of tools are mailed at once, and each reply approves its own action', async () => {
  const { registry, mails, writes } = await shop();
  const where = { channel: 'email', to: dora };
  const approvals = approve(registry, { where, answerableBy: [`mail:${dora}`], mail: 'decide' });
  const [first, second] = ['201', '202'].map((order) => approvals.request({ tool: 'refund', input: { order } }));
  const questions = await mails(2);
  const mailAbout = (order: string) => questions.find(({ text }) => text.includes(`order: ${order}`)) as FoundMail; // both were sent
  await writes(answerTo(mailAbout('202'), 'for this session', { from: dora }));
  expect(await second).toMatchObject({ approved: true, input: { order: '202' } });
  await writes(answerTo(mailAbout('201'), 'deny', { from: dora }));
  expect(await first).toMatchObject({ approved: false });
  expect(await approvals.grants()).toMatchObject([{ input: { order: '202' } }]);
});
