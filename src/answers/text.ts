/**
 * Free text, optionally with a pattern, a length and an example. Without a pattern any text parses, and a check, a
 * model or the letter rule decides whether it answers the question.
 */

import type { AnswerType, Parsed, Question } from '../core/ask/answer-type.js';
import { checkOptions, integer, oneOf, optional, string } from '../core/check-options.js';
import { AgentError } from '../core/errors.js';
import type { Json } from '../core/json.js';
import { isBlank } from '../core/text.js';
import type { Pattern } from './pattern/pattern.js';
import { matches, storedPattern } from './pattern/pattern.js';
import { checkedQuestion } from './question.js';
import { refusal } from './reading/reply.js';

interface TextData {
  readonly pattern?: Pattern;
  readonly match?: 'part';
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly example?: string;
}

export const textType: AnswerType<string, TextData> = {
  kind: 'text',
  shape: () => ({ type: 'text' }),
  isOpen: (data) => data.pattern === undefined && data.minLength !== 0,
  accept: (value, data, context) =>
    typeof value === 'string'
      ? textType.parse(value, data, undefined, context)
      : refusal('not-valid', (wording) => wording.wrongPattern(data.example)),
  parse: (reply, data, _locale, context) => {
    const value = reply.trim();
    const { minLength = 1, maxLength = Number.POSITIVE_INFINITY, pattern, match, example } = data;
    if (isBlank(value) && minLength > 0) return refusal('not-understood', (wording) => wording.needText());
    if (value.length < minLength) return refusal('not-valid', (wording) => wording.tooShort(minLength));
    if (value.length > maxLength) return refusal('not-valid', (wording) => wording.tooLongText(maxLength));
    const verdict = (fits: boolean): Parsed<string> =>
      fits ? { ok: true, value } : refusal('not-valid', (wording) => wording.wrongPattern(example));
    const about = { match, conversationId: context?.conversationId };
    const fits = pattern === undefined || matches(pattern, value, about);
    return typeof fits === 'boolean' ? verdict(fits) : fits.then(verdict);
  },
};

const rules = {
  pattern: optional(storedPattern),
  match: optional(oneOf('whole', 'part')),
  minLength: optional(integer({ min: 0 })),
  maxLength: optional(integer({ min: 0 })),
  example: optional(string()),
};

/** What a reply to `text()` must be. */
export interface TextOptions {
  /**
   * The trimmed reply must match it.
   *
   * @default every text fits
   */
  readonly pattern?: RegExp;
  /**
   * How much of the reply `pattern` must match. With `'part'` a match anywhere is enough, and "don't refund 12345!" fits `/\d{5}/`.
   *
   * @default 'whole'
   */
  readonly match?: 'whole' | 'part';
  /**
   * The fewest characters, counted as `length` counts them. With 0 an empty reply is an answer too.
   *
   * @default 1
   */
  readonly minLength?: number;
  /**
   * The most characters.
   *
   * @default no limit but the one for every message, `settings.textBytes`
   */
  readonly maxLength?: number;
  /**
   * Shown to whoever wrote something that does not match `pattern`.
   *
   * @default none is shown
   */
  readonly example?: string;
}

/**
 * A question answered in words. The handler gets the trimmed string. With `minLength: 0` an empty reply is an answer
 * too.
 *
 * @example
 * import { agent, text } from 'askback';
 *
 * const order = text('What is your order number?', { pattern: /^\d{5}$/, example: '12345' });
 * agent('support').question('order', order, { onAnswer: (number) => `Looking at ${number}.` });
 */
export function text(question: string, options: TextOptions = {}): Question<string> {
  const { match, ...data } = checkOptions('text()', options, rules, '{ pattern: /^[0-9]+$/ }');
  const { minLength, maxLength } = data;
  if ((minLength ?? 0) > (maxLength ?? Number.POSITIVE_INFINITY)) {
    throw new AgentError(
      'bad-option',
      `text(): minLength ${minLength} is more than maxLength ${maxLength}, so nothing could ever fit.`,
    );
  }
  const stored = match === 'part' ? { ...data, match } : data;
  return checkedQuestion({ text: question, type: textType, data: stored as Json });
}
