/**
 * Whole mails that machines write about a question, through the channel: none answers, only a bounce of the question itself says that it
 * reached nobody, and a mail that only looks like one does not.
 */
import { describe, expect, onTestFinished, test } from 'vitest';
import { AgentRegistry, agent, confirm } from '../../../src/index.js';
import { until } from '../../support/mail/mailbox.js';
import { received, signed } from '../../support/mail/receiving-server.js';
import { answerTo, mailChannel, mailServer, mailsTo } from '../../support/mail/world.js';
import { Mail } from '../../support/places.js';
import { linesLogged } from '../../support/slack/world.js';
import { type AnsweredQuestion, automaticMails, rawOf } from './mails/automatic.js';
import { bounces, notices } from './mails/bounces.js';

const dora = 'dora@example.com';

/** Dora is asked by mail, and what becomes of the ask is written down. */
async function asked() {
  const mail = await mailChannel();
  const web = new Mail('web');
  const ends: string[] = [];
  const made = agent('refunds');
  const sure = made.question('sure', confirm('Refund 48 EUR?'), {
    via: { channel: 'email', to: dora },
    answerableBy: [`mail:${dora}`],
    mail: 'decide',
    onAnswer: (yes) => void ends.push(`answered ${yes}`),
    onClosed: (_, why) => void ends.push(why),
  });
  made.onMessage(({ ask }) => ask(sure));
  const { logger } = linesLogged();
  const registry = new AgentRegistry({ agents: [made], channels: [web, mail.channel], logger });
  onTestFinished(() => registry.stop());
  await registry.start();
  await web.desk?.receive({ id: 'w1', conversationId: 'web:ann', text: 'refund', participant: { id: 'web:ann' } });
  await mail.smtp.taken(1);
  const [found] = await mailsTo(mail.smtp, dora);
  if (found === undefined) throw new Error('Dora was not asked.');
  const question: AnsweredQuestion = { to: found.replyTo, id: found.messageId ?? '', subject: found.subject };
  const sentFrom: AnsweredQuestion = { ...question, to: found.returnPath }; // where servers send what comes back
  /** Dora is not told anything by mail, and her answer still decides. */
  const isOpen = async () => {
    expect([mail.smtp.mails.length, ends]).toEqual([1, []]);
    await mail.writes(answerTo(found, 'Yes', { from: dora }));
    await until(() => ends.length > 0, 'the answer');
    expect(ends).toEqual(['answered true']);
  };
  return { ...mail, question, sentFrom, ends, isOpen };
}

const arrival = { mta: mailServer, sender: '' };

describe('what a person’s mail program answers by itself', () => {
  test('answers nothing, though its author is proved', async () => {
    const { question, posts, lines, isOpen } = await asked();
    for (const [name, [why, written]] of Object.entries(automaticMails)) {
      const raw = await signed(rawOf(written(question)), 'example.com');
      lines.length = 0;
      const response = await posts(await received(raw, { ...arrival, sender: dora }));
      expect([name, response.status, lines]).toEqual([
        name,
        200,
        [`A mail to a question was ignored ${JSON.stringify({ channel: 'email', kind: 'automatic', why })}`],
      ]);
    }
    await isOpen();
  });

  test('is told from a person who sends a meeting along with their answer', async () => {
    const { question, posts, ends } = await asked();
    const lines = [
      `From: ${dora}`,
      `To: ${question.to}`,
      `Subject: Re: ${question.subject}`,
      `In-Reply-To: ${question.id}`,
      'Content-Type: multipart/mixed; boundary="b"',
      '',
      '--b',
      'Content-Type: text/plain',
      '',
      'Yes',
      '--b',
      'Content-Type: text/calendar; method=REPLY; name="old.ics"',
      'Content-Disposition: attachment; filename="old.ics"',
      '',
      'BEGIN:VCALENDAR',
      '--b--',
    ];
    await posts(await received(await signed(rawOf(lines), 'example.com'), { ...arrival, sender: dora }));
    await until(() => ends.length > 0, 'the answer');
    expect(ends).toEqual(['answered true']);
  });
});

describe('what a mail server sends back', () => {
  test.each(Object.entries(bounces))('for good makes the question undeliverable: %s', async (_, written) => {
    const { sentFrom: question, posts, ends } = await asked();
    await posts(await received(rawOf(written(question)), arrival));
    await until(() => ends.length > 0, 'the end of the ask');
    expect(ends).toEqual(['undeliverable']);
  });

  test('while it is still trying, or with success, changes nothing', async () => {
    const { sentFrom: question, posts, lines, isOpen } = await asked();
    for (const written of Object.values(notices)) await posts(await received(rawOf(written(question)), arrival));
    expect(lines).toEqual(
      Object.keys(notices).map(
        () => `A mail was ignored ${JSON.stringify({ channel: 'email', kind: 'bounce', why: 'not-for-good' })}`,
      ),
    );
    await isOpen();
  });

  test('to an address that is not that of the question changes nothing, whatever it quotes', async () => {
    const { sentFrom: question, posts, lines, isOpen } = await asked();
    const [, token = ''] = /\+([a-z2-7]{48})@/.exec(question.to) ?? [];
    const guessed = `${token.startsWith('a') ? 'b' : 'a'}${token.slice(1)}`;
    const others = ['refunds@shop.example', question.to.replace(token, guessed), 'postmaster@shop.example'];
    for (const to of others)
      for (const written of Object.values(bounces)) {
        const forged = rawOf(written({ ...question, to })).replace(/^Subject/m, `X-Note: ${question.id}\r\nSubject`);
        await posts(await received(forged, { ...arrival, sender: 'eve@example.org' }));
      }
    expect(lines).toHaveLength(others.length * Object.keys(bounces).length);
    await isOpen();
  });
});
