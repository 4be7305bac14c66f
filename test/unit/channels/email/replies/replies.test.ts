/** Replies as mail programs write them: none is taken for an answer that it is not, and few clear ones are asked again. */
import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { confirmType } from '../../../../../src/answers/confirm.js';
import { drawnMail } from '../../../../../src/channels/email/drawing/mail.js';
import { newText } from '../../../../../src/channels/email/incoming/new-text.js';
import type { OutgoingMessage } from '../../../../../src/core/conversation/outgoing.js';
import { languageFor, languagesByTag } from '../../../../../src/core/wording/language.js';
import { builtInLanguages } from '../../../../../src/core/wording/languages.js';
import { reader, readMail } from '../../../../support/mail/read.js';
import { type Language, programs } from './programs.js';
import { type MailReply, mailReplies } from './table.js';

const questions: Readonly<Record<Language, string>> = {
  en: 'Refund order 12345?',
  de: 'Bestellung 12345 erstatten?',
  fr: 'Rembourser la commande 12345 ?',
  es: '¿Reembolsar el pedido 12345?',
};
const from = { name: 'Refunds', address: 'refunds@shop.example' };
const people = {
  author: { address: 'anna@example.com', name: 'Anna Smith' },
  ourName: from.name,
  isOurs: (address: string) => /^refunds(?:\+[a-z2-7]+)?@shop\.example$/.test(address),
};
const languages = languagesByTag(builtInLanguages, builtInLanguages[0] as (typeof builtInLanguages)[number]);

/** The question as it was mailed; the page of another person has another address. */
function sentIn(locale: Language, link: string) {
  const language = languageFor(languages, locale);
  if (language === undefined) throw new Error(`There is no language ${locale}.`);
  const { wording } = language;
  const question = questions[locale];
  const labels = { yes: wording.yes(), no: wording.no() };
  const shape = confirmType.shape(labels);
  const ask = {
    id: 'a1',
    conversationId: 'c1',
    agentName: 'refunds',
    effectKey: 'e',
    kind: 'confirm',
    retries: 0,
    maxRetries: 3,
    askedAt: new Date(0),
    channelName: 'email',
    answerableBy: 'asker',
    question,
    status: 'pending',
    mail: 'decide',
    details: { Customer: 'Ada Byron' },
  } as const;
  const message: OutgoingMessage = {
    key: 'ask:a1:0',
    conversationId: 'c1',
    address: 'anna@example.com',
    text: question,
    shape,
    ask,
    locale,
    hint: wording.labelHint(),
  };
  return { language, labels, shape, question, ...drawnMail(message, { wording, canReply: true, link }) };
}

async function readAs({ program, language: locale, typed }: MailReply): Promise<{ got: string; text: string }> {
  const mailed = sentIn(locale, 'https://agents.example.com/inbox/asks/1?t=abc');
  const { headers, body } = programs[program](typed, { ...mailed, from }, locale);
  const head = Object.entries({ From: 'Anna Smith <anna@example.com>', 'MIME-Version': '1.0', ...headers });
  const raw = [...head.map(([name, value]) => `${name}: ${value}`), '', body].join('\n').replace(/\r?\n/g, '\r\n');
  const mail = await readMail(Buffer.from(raw));
  const { subject, text: plain, html, language, labels, shape, question } = sentIn(locale, 'https://page.invalid/');
  const at = new Date('2026-11-17T08:12:00Z');
  const sent = [{ subject, texts: [plain, reader.htmlText(html)], at }];
  const text = newText(mail.text, { sent, ...people, subject: mail.subject });
  const parsed = await confirmType.parse(text, labels, locale, { language, shape, question });
  return { got: parsed.ok ? (parsed.value ? 'yes' : 'no') : 'again', text };
}

const read = await Promise.all(mailReplies.map(async (row) => ({ ...row, ...(await readAs(row)) })));
const told = ({ program, language, about, want, got, text }: (typeof read)[number]): string =>
  `${language} ${program}, ${about}: ${got}, not ${want}: ${JSON.stringify(text)}`;
const wrong = read.filter(({ got, want }) => got !== 'again' && got !== want);
const clear = read.filter(({ want, rating }) => want !== 'again' && rating === 'must');
const repeated = clear.filter(({ got }) => got === 'again');

test('the table has 200 replies at the least, of each program and in four languages', () => {
  expect(mailReplies.length).toBeGreaterThanOrEqual(200);
  expect(new Set(mailReplies.map(({ program }) => program))).toEqual(new Set(Object.keys(programs)));
  expect(new Set(mailReplies.map(({ language }) => language)).size).toBe(4);
});

test('no reply that limits the answer, or takes it back, is accepted', () => {
  expect(wrong.map(told)).toEqual([]);
});

test('of the clear replies at most 12 % are asked again, and docs/email.md says how many', () => {
  const page = readFileSync(new URL('../../../../../docs/email.md', import.meta.url), 'utf8');
  const share = repeated.length / clear.length;
  expect(share, repeated.map(told).join('\n')).toBeLessThanOrEqual(0.12);
  expect(page).toContain(`has ${mailReplies.length} replies`);
  expect(page).toContain(`| replies accepted wrongly | ${wrong.length} |`);
  expect(page).toContain(`| clear *must* replies asked again | ${(100 * share).toFixed(0)} % |`);
});
