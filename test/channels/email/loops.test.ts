/** Programs that answer our mails without saying that they are programs: what is mailed back to them comes to an end. */
import { expect, onTestFinished, test } from 'vitest';
import { AgentRegistry, type AskOptions, agent, confirm } from '../../../src/index.js';
import { FakeClock } from '../../../src/testing/index.js';
import { until } from '../../support/mail/mailbox.js';
import { answerTo, type FoundMail, mailChannel, mailsTo } from '../../support/mail/world.js';
import { Mail } from '../../support/places.js';
import { linesLogged } from '../../support/slack/world.js';

const us = 'refunds@shop.example';
const dora = 'dora@example.com';
const numbered = (n: number) => ({ 'Message-ID': `<away-${n}@example.com>` });
const held = (lines: readonly string[]) => lines.filter((line) => line.startsWith('A mail was not sent'));

/** An agent that answers each mail, and asks Dora by mail whenever somebody writes on the web. */
async function shop(options: Omit<AskOptions, 'effectKey'> = {}) {
  const clock = new FakeClock(Date.now());
  const mail = await mailChannel({ clock });
  const web = new Mail('web');
  const answers: boolean[] = [];
  const made = agent('refunds');
  const sure = made.question('sure', confirm('Refund?'), {
    via: { channel: 'email', to: dora },
    answerableBy: [`mail:${dora}`, 'staff:ben'],
    mail: 'decide',
    ...options,
    onAnswer: (yes) => void answers.push(yes),
  });
  made.onMessage(({ ask, channelName, message }) => (channelName === 'web' ? ask(sure) : `You wrote: ${message}`));
  const { logger } = linesLogged();
  const registry = new AgentRegistry({ agents: [made], channels: [web, mail.channel], logger });
  onTestFinished(() => registry.stop());
  await registry.start();
  const asked = async (): Promise<FoundMail> => {
    await web.desk?.receive({ id: 'w1', conversationId: 'web:ann', text: 'refund', participant: { id: 'web:ann' } });
    await mail.smtp.taken(1);
    const [question] = await mailsTo(mail.smtp, dora);
    if (question === undefined) throw new Error('Dora was not asked.');
    return question;
  };
  const askOf = async () => (await registry.listAsks({ status: 'all' as never })).asks[0];
  return { ...mail, clock, registry, answers, asked, askOf };
}

test('twenty mails go back to one author in an hour; what they write is taken all the same', async () => {
  const { writes, smtp, lines, clock, registry } = await shop();
  for (let n = 0; n < 23; n += 1) await writes({ from: dora, to: us, text: `I am away (${n})`, headers: numbered(n) });
  await until(() => held(lines).length === 3, 'three are held back');
  expect(smtp.mails).toHaveLength(20);
  const { items } = await registry.history(`email:${dora}`);
  expect(items.filter((item) => item.type === 'in')).toHaveLength(23);
  await writes({ from: 'ann@example.com', to: us, text: 'Hello' });
  await smtp.taken(21);
  await clock.advance(3_600_001);
  await writes({ from: dora, to: us, text: 'Back again', headers: numbered(99) });
  await smtp.taken(22);
});

test('the same text again to an open ask is told so and costs no further attempt; an answer counts', async () => {
  const { asked, writes, smtp, registry, answers } = await shop({ maxRetries: 1 });
  const question = await asked();
  const [ask] = (await registry.listAsks()).asks;
  const says = (text: string, n: number) => writes(answerTo(question, text, { from: dora, headers: numbered(n) }));
  for (let n = 0; n < 5; n += 1) {
    await says('I am away until Monday.', n);
    await smtp.taken(n + 2);
  }
  expect(await registry.getAsk(ask?.id ?? '')).toMatchObject({ status: 'pending', retries: 1 });
  await says('Yes', 9);
  await until(() => answers.length === 1, 'the answer');
  expect(answers).toEqual([true]);
});

test('the same text of another author is an attempt of theirs', async () => {
  const { asked, writes, smtp, registry } = await shop({ answerableBy: [`mail:${dora}`, 'mail:eve@example.com'] });
  const question = await asked();
  const [ask] = (await registry.listAsks()).asks;
  await writes(answerTo(question, 'Perhaps', { from: dora, headers: numbered(1) }));
  await smtp.taken(2);
  await writes(answerTo(question, 'Perhaps', { from: 'eve@example.com', headers: numbered(2) }));
  await smtp.taken(3);
  expect(await registry.getAsk(ask?.id ?? '')).toMatchObject({ retries: 2 });
});

test('a stranger with the reply address is told once a day that they may not answer; each try is recorded', async () => {
  const { asked, writes, smtp, clock, lines, registry } = await shop();
  const question = await asked();
  const tries = (n: number) =>
    writes(answerTo(question, `Yes ${n}`, { from: 'eve@example.com', headers: numbered(n) }));
  for (let n = 0; n < 4; n += 1) await tries(n);
  await until(() => held(lines).length === 3, 'three are held back');
  expect(smtp.mails).toHaveLength(2);
  await clock.advance(86_400_001);
  await tries(5);
  await smtp.taken(3);
  expect(await registry.getAsk((await registry.listAsks()).asks[0]?.id ?? '')).toMatchObject({
    status: 'pending',
    retries: 0,
  });
});

test('an automatic reply to a question that is over is told so twenty times in an hour, not for ever', async () => {
  const { asked, writes, smtp, lines, registry } = await shop();
  const question = await asked();
  const [{ id = '' } = {}] = (await registry.listAsks()).asks;
  await registry.answer(id, { value: true }, { by: { id: 'staff:ben', name: 'Ben' } });
  await smtp.taken(2); // it is told that the question is over
  for (let n = 1; n <= 22; n += 1) await writes(answerTo(question, 'I am away.', { from: dora, headers: numbered(n) }));
  await until(() => held(lines).length === 2, 'two are held back');
  expect(smtp.mails).toHaveLength(22);
});
