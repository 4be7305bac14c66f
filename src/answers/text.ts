/**
 * Free text, optionally with a pattern, a length and an example. Without a pattern any text parses, and a check, a
 * model or the letter rule decides whether it answers the question.
 */

import type { AnswerType, Parsed, Question, ReplyContext } from '../core/ask/answer-type.js';
import { checkOptions, integer, oneOf, optional, string } from '../core/check-options.js';
import { badOption } from '../core/errors.js';
import type { Json } from '../core/json.js';
import { isBlank } from '../core/text.js';
import type { Pattern } from './pattern/pattern.js';
import { matches, storedPattern } from './pattern/pattern.js';
import { checkedQuestion } from './question.js';
import { refusal, textsOf } from './reading/reply.js';

type TextData = Omit<TextOptions, 'pattern' | 'match'> & { readonly pattern?: Pattern; readonly match?: 'part' };

export const textType: AnswerType<string, TextData> = {
  kind: 'text',
  shape: () => ({ type: 'text' }),
  isOpen: (data) => data.pattern === undefined && data.minLength !== 0,
  accept: (value, data, context) =>
    typeof value === 'string'
      ? fitting([value.trim()], data, context)
      : refusal('not-valid', (wording) => wording.wrongPattern(data.example)),
  parse: (reply, data, _locale, context) => {
    const isWhole = data.pattern !== undefined && data.match === undefined;
    return fitting(isWhole ? textsOf(reply, context) : [reply.trim()], data, context);
  },
};

/** The first of these texts that fits; the problem is that of the first. */
function fitting(
  texts: readonly [string, ...string[]],
  data: TextData,
  context: ReplyContext | undefined,
): Parsed<string> | Promise<Parsed<string>> {
  const [first, ...others] = texts;
  const { minLength = 1, maxLength = Number.POSITIVE_INFINITY, pattern, match, example } = data;
  if (isBlank(first) && minLength > 0) return refusal('not-understood', (wording) => wording.needText());
  if (first.length < minLength) return refusal('not-valid', (wording) => wording.tooShort(minLength));
  const tooLong = () => refusal('not-valid', (wording) => wording.tooLongText(maxLength));
  if (pattern === undefined) return first.length > maxLength ? tooLong() : { ok: true, value: first };
  const about = { match, conversationId: context?.conversationId };
  const read = ([text, ...rest]: readonly string[]): Parsed<string> | Promise<Parsed<string>> => {
    if (text === undefined)
      return first.length > maxLength ? tooLong() : refusal('not-valid', (wording) => wording.wrongPattern(example));
    if (text.length < minLength || text.length > maxLength) return read(rest);
    const verdict = (fits: boolean) => (fits ? ({ ok: true, value: text } as const) : read(rest));
    const fits = matches(pattern, text, about);
    return typeof fits === 'boolean' ? verdict(fits) : fits.then(verdict);
  };
  return read([first, ...others]);
}

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
   * The trimmed reply must match it, from its first to its last character; courtesy around it ("12345, please") is left out.
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
    throw badOption(`text(): minLength ${minLength} is more than maxLength ${maxLength}, so nothing could ever fit.`);
  }
  const stored = match === 'part' ? { ...data, match } : data;
  return checkedQuestion({ text: question, type: textType, data: stored as Json });
}
