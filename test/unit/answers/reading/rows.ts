/** Tables of real-looking replies: how they are written down, and how a row is read as the registry would read it. */
import { typeOf } from '../../../../src/answers/question.js';
import type { Parsed, Question, ReplyContext } from '../../../../src/core/ask/answer-type.js';
import type { Json } from '../../../../src/core/json.js';
import { english } from '../../../../src/core/wording/english.js';
import { languageFor, languagesByTag } from '../../../../src/core/wording/language.js';
import { builtInLanguages } from '../../../../src/core/wording/languages.js';

export interface Row<T> {
  readonly reply: string;
  readonly locale: string | undefined;
  readonly expected: T | 'ask-again';
}

export function rows<T>(locale: string | undefined, list: readonly (readonly [string, T])[]): readonly Row<T>[] {
  return list.map(([reply, expected]) => ({ reply, locale, expected }));
}

export function askedAgain(locale: string | undefined, replies: readonly string[]): readonly Row<never>[] {
  return replies.map((reply) => ({ reply, locale, expected: 'ask-again' }));
}

const languages = languagesByTag(builtInLanguages, english);

export function replyContext(locale: string | undefined): ReplyContext {
  return { language: languageFor(languages, locale) ?? english };
}

/** Typed by somebody of that locale. */
export async function typedTo<T>(question: Question<T>, reply: string, locale?: string): Promise<Parsed<T>> {
  return typeOf(question).parse(reply, question.data, locale, replyContext(locale));
}

/** Given by a program. */
export async function givenTo<T>(question: Question<T>, value: Json): Promise<Parsed<T>> {
  const parsed = await typeOf(question).accept?.(value, question.data);
  if (parsed === undefined) throw new Error('this type accepts no values');
  return parsed;
}

/** The rows that are not read as expected, each with what it was read as. */
export async function misread<T>(question: Question<T>, table: readonly Row<T>[]): Promise<readonly string[]> {
  const complaints: string[] = [];
  for (const row of table) {
    const parsed = await typedTo(question, row.reply, row.locale);
    const got = parsed.ok ? parsed.value : 'ask-again';
    if (got !== row.expected) {
      const [reply, read, right] = [row.reply, got, row.expected].map((each) => JSON.stringify(each));
      complaints.push(`${row.locale ?? 'no locale'}: ${reply} was read as ${read}, not ${right}`);
    }
  }
  return complaints;
}

/** The problem as somebody of that locale is told it. */
export function toldIn(parsed: Parsed<unknown>, locale: string | undefined): string {
  const wording = (replyContext(locale).language ?? english).wording;
  if (parsed.ok) return 'accepted';
  return parsed.say?.(wording) ?? (parsed.why === 'more' ? parsed.prompt : parsed.problem);
}

/** What `parse` may return, whatever was typed. */
export function isWellFormed(parsed: Parsed<unknown>): boolean {
  if (parsed.ok) return parsed.value !== undefined;
  return parsed.why !== 'more' && parsed.problem.trim() !== '' && typeof parsed.say?.(english.wording) === 'string';
}
