/**
 * One e-mail address. Only polite words may surround it; a second address or a sentence is asked again. Nothing
 * checks that the mailbox exists: confirm an address that matters by a mail to it.
 */

import type { AnswerType, Parsed, Question } from '../core/ask/answer-type.js';
import { checkOptions, matching, optional } from '../core/check-options.js';
import type { Wording } from '../core/wording/wording.js';
import { checkedQuestion } from './question.js';
import { answersOf, deniedAnswer, readableReply, readExactly, refusal } from './reading/reply.js';

type EmailData = Required<EmailOptions>;

const longest = 254;
const longestLocal = 64;
const longestLabel = 63;

/** The address with its domain in lower case, or undefined if it is not one. */
function checkedAddress(text: string): string | undefined {
  const [local = '', domain = '', ...more] = text.split('@');
  if (more.length > 0 || text.length > longest || !isLocal(local)) return undefined;
  const lower = domain.toLowerCase();
  const parts = lower.split('.');
  // a top-level domain of digits is an IP address; letters that only look Latin belong to another domain
  if (parts.length < 2 || !/^\D.+$/u.test(parts.at(-1) ?? '') || lower.normalize('NFKC') !== lower) return undefined;
  return parts.every(isDomainPart) ? `${local}@${lower}` : undefined;
}

function isLocal(local: string): boolean {
  if (local.length > longestLocal || !/^[\p{L}\p{M}\p{N}!#$%&'*+/=^_`{|}~.-]+$/u.test(local)) return false;
  return !local.startsWith('.') && !local.endsWith('.') && !local.includes('..');
}

function isDomainPart(label: string): boolean {
  if (/\p{Script=Latin}/u.test(label) && /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(label)) return false; // a homograph
  if (label.length > longestLabel || !/^[\p{L}\p{M}\p{Nd}-]+$/u.test(label)) return false;
  return !label.startsWith('-') && !label.endsWith('-');
}

/**
 * Pairs that people and mail programs put around an address. Only both together: alone, some of these may begin an
 * address.
 */
const pairs = ['<>', '()', '[]', '""', "''", '``', '“”', '„“', '«»'];

function unwrapped(word: string): string {
  const inner = word.replace(/[.!:]+$/, '');
  if (/^mailto:/i.test(inner)) return inner.slice('mailto:'.length);
  const isWrapped = pairs.some((pair) => inner.startsWith(pair.charAt(0)) && inner.endsWith(pair.charAt(1)));
  return isWrapped ? unwrapped(inner.slice(1, -1)) : inner;
}

/** Stricter than what a program may send: in typed text, "email=anna@" and "|anna@" are typing errors. */
const ordinary = /^[\p{L}\p{M}\p{N}._+'&%#~-]+@/u;

/** What people write before their address, in any language: "my e-mail is", "meine Adresse ist". */
const labels = new Set(
  `my is e-mail email mail e-mail-address address e-mail-adresse emailadresse mailadresse adresse meine mein ist lautet
  mon est courriel mél mi es correo electrónico electronico dirección direccion`.split(/\s+/),
);

export const emailType: AnswerType<string, EmailData> = {
  kind: 'email',
  shape: () => ({ type: 'text', input: 'email' }),
  parse: (reply, data, _locale, context) =>
    readExactly<string>(reply, context, needs(data), (_, text) => {
      const words = text.split(/[\s,;]+/u).filter((word) => word !== '');
      const found = words.find((word) => word.includes('@')) ?? '';
      if (text.split('@').length > 2) return refusal('not-valid', (wording) => wording.onlyOne());
      const address = checkedAddress(unwrapped(found));
      if (address === undefined || !ordinary.test(address)) return undefined;
      // with a digit in place of the address, only polite words may be left
      const rest = words
        .filter((word) => !labels.has(word.toLowerCase().replace(/:$/, '')))
        .map((word) => (word === found ? '1' : word));
      const left = readableReply(rest.join(' '), context);
      const isAlone = [...answersOf(left, left.vocabulary.beforeNumber)].includes('1');
      return isAlone ? { ok: true, value: address } : deniedAnswer(left);
    }),
  accept: (value, data): Parsed<string> => {
    const address = typeof value === 'string' ? checkedAddress(value) : undefined;
    return address === undefined ? refusal('not-understood', needs(data)) : { ok: true, value: address };
  },
};

const needs = (data: EmailData) => (wording: Wording) => wording.needEmail(data.example);

const address = matching('an e-mail address', (text) => checkedAddress(text) !== undefined);
const rules = { example: optional(address, 'anna@example.org') };

/** What `email()` shows. */
export interface EmailOptions {
  /**
   * The address shown when a reply was not understood.
   *
   * @default 'anna@example.org'
   */
  readonly example?: string;
}

/**
 * A question answered with an e-mail address. The handler gets it with the domain in lower case and the local part as
 * typed.
 *
 * @example
 * import { agent, email } from 'askback';
 *
 * agent('shop').question('email', email('Where do we send it?'), { onAnswer: (address) => `It goes to ${address}.` });
 */
export function email(question: string, options: EmailOptions = {}): Question<string> {
  const data: EmailData = checkOptions('email()', options, rules, "{ example: 'me@example.org' }");
  return checkedQuestion({ text: question, type: emailType, data });
}
