/** Programs that answer our mails without saying that they are programs: they are heard a few times, and not for ever. */
import { expect, onTestFinished, test } from 'vitest';
import { ReplyAddresses } from '../../../src/channels/email/reply-address.js';
import { AgentRegistry, agent, confirm } from '../../../src/index.js';
import { FakeClock } from '../../../src/testing/index.js';
import { answerTo, arrived, mailChannel, mailSecret, mailsTo } from '../../support/mail/world.js';
import { Mail } from '../../support/places.js';
import { linesLogged } from '../../support/slack/world.js';

const us = 'refunds@shop.example';
const replies = new ReplyAddresses({ base: us, secrets: mailSecret, channel: 'email' });
const askIds = ['0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b', '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5c'] as const;
const addressOf = (askId: string) => replies.of({ askId, copy: 0 });
const numbered = (n: number) => ({ 'Message-ID': `<away-${n}@example.com>` });

/** A channel whose mails are handed to a desk that keeps their texts, or fails. */
async function desk({ isAway = () => false }: { readonly isAway?: () => boolean } = {}) {
  const clock = new FakeClock();
  const mail = await mailChannel({ clock });
  const taken: string[] = [];
  await mail.channel.start({
    receive: async ({ text }) => {
      await Promise.resolve();
      if (isAway()) throw new Error('The store is away.');
      taken.push(text);
      return 'recorded';
    },
  });
  onTestFinished(() => mail.channel.stop());
  const loops = () => mail.lines.filter((line) => line.includes('"loop"'));
  return { ...mail, clock, taken, loops };
}

test('an automatic reply that does not say so is handed on twenty times in an hour, not for ever; others are handed on', async () => {
  const { writes, taken, loops, clock } = await desk();
  const write = (n: number, text: string) => writes({ to: us, text, headers: numbered(n) });
  for (let n = 0; n < 23; n += 1) expect((await write(n, 'I am away.')).status).toBe(200);
  await write(23, 'Back again');
  expect([taken.length, taken.at(-1)]).toEqual([21, 'Back again']);
  expect(loops()).toHaveLength(1);
  await clock.advance(3_600_001);
  await write(24, 'I am away.');
  expect([taken.length, taken.at(-1)]).toEqual([22, 'I am away.']);
});

test('an automatic reply to a question that is closed is told so twenty times in an hour, not for ever', async () => {
  const mail = await mailChannel();
  const dora = 'dora@example.com';
  const web = new Mail('web');
  const made = agent('refunds');
  const sure = made.question('sure', confirm('Refund?'), {
    via: { channel: 'email', to: dora },
    answerableBy: [`mail:${dora}`, 'staff:ben'],
    mail: 'decide',
    onAnswer: () => {},
  });
  made.onMessage(({ ask }) => ask(sure));
  const { logger } = linesLogged();
  const registry = new AgentRegistry({ agents: [made], channels: [web, mail.channel], logger });
  onTestFinished(() => registry.stop());
  await registry.start();
  await web.desk?.receive({ id: 'w1', conversationId: 'web:ann', text: 'refund', participant: { id: 'web:ann' } });
  await mail.smtp.taken(1);
  const [question] = await mailsTo(mail.smtp, dora);
  if (question === undefined) throw new Error('Dora was not asked.');
  const [{ id = '' } = {}] = (await registry.listAsks()).asks;
  await registry.answer(id, { value: true }, { by: { id: 'staff:ben', name: 'Ben' } });
  await mail.smtp.taken(2); // it is told that the question is over
  for (let n = 1; n <= 22; n += 1)
    await mail.writes(answerTo(question, 'I am away.', { from: dora, headers: numbered(n) }));
  await mail.writes(answerTo(question, 'What now?', { from: dora, headers: numbered(23) }));
  await mail.smtp.taken(23);
  expect(mail.smtp.mails).toHaveLength(23);
  expect(mail.lines.filter((line) => line.includes('"loop"'))).toHaveLength(1);
});

test('mails that arrive at once are counted as they arrive', async () => {
  const { posts, taken, loops } = await desk();
  const to = addressOf(askIds[0]);
  const mails = await Promise.all(
    Array.from({ length: 40 }, (_, n) => arrived({ to, text: 'I am away.', headers: numbered(n) })),
  );
  await Promise.all(mails.map(posts));
  expect(taken).toHaveLength(20);
  expect(loops()).toHaveLength(1);
});

test('a mail that could not be recorded is taken when it comes again, however often that is', async () => {
  let isAway = true;
  const { posts, taken, loops } = await desk({ isAway: () => isAway });
  const to = addressOf(askIds[0]);
  const mail = await arrived({ to, text: 'Yes', headers: numbered(0) });
  for (let n = 0; n < 30; n += 1) expect((await posts(mail)).status).toBe(503);
  isAway = false;
  expect((await posts(mail)).status).toBe(200);
  expect(taken).toEqual(['Yes']);
  expect(loops()).toEqual([]);
});

test('the same words to another question are no loop: whoever says yes to many is heard each time, and when they write to us', async () => {
  const { writes, taken, loops } = await desk();
  const places = [...askIds.map(addressOf), us];
  for (const [place, to] of places.entries())
    for (let n = 0; n < 8; n += 1) await writes({ to, text: 'Yes', headers: numbered(100 * place + n) });
  expect(taken).toHaveLength(24);
  expect(loops()).toEqual([]);
});
