/**
 * How a reply is read by the type of its question. Nothing is decided and nobody is asked.
 */
import { builtInType } from '../../answers/built-in-types.js';
import { refusal } from '../../answers/reading/reply.js';
import type { AnswerType, Parsed, ReplyContext } from '../../core/ask/answer-type.js';
import { choicesOf } from '../../core/ask/answer-type.js';
import type { Ask } from '../../core/ask/ask.js';
import { shapeOf } from '../../core/ask/ask.js';
import type { Entry } from '../../core/conversation/entry.js';
import { givenValue, isOffered, isUnchanged } from '../../core/conversation/reply-text.js';
import { definedFields, type Mutable } from '../../core/defined-fields.js';
import type { Json } from '../../core/json.js';
import { copyOf, plainData } from '../../core/json.js';
import type { Settings } from '../../core/settings.js';
import type { Language } from '../../core/wording/language.js';

/** A reply, and what its reading depends on. */
export interface Reply {
  readonly text: string;
  /** The entry that says exactly this; none if the agent has made something else of it. */
  readonly entry: Entry | undefined;
  readonly language: Language;
  readonly locale: string | undefined;
  readonly conversationId?: string;
}

/** What reading a reply to this ask depends on, beside its data. */
export function replyContextOf(ask: Ask, about: Pick<ReplyContext, 'language' | 'conversationId'>): ReplyContext {
  const { agentName, question, progress } = ask;
  const { partial } = progress.part ?? {};
  return definedFields({ ...about, shape: shapeOf(ask), question: question.text, agentName, partial });
}

/** Typed text is read as people write; what a control or a program gave must be exactly what the question offers. */
export function parsedAs<T>(
  type: AnswerType<T>,
  ask: Ask,
  { text, entry, language, locale, conversationId }: Reply,
  settings: Settings,
): Parsed<T> | Promise<Parsed<T>> {
  // a type from elsewhere gets copies: what it does to them must not be stored
  const own = <D>(value: D): D => (builtInType(ask.question.kind) === (type as unknown) ? value : copyOf(value));
  const data = own(ask.question.data);
  const heard: Mutable<ReplyContext> = own(replyContextOf(ask, definedFields({ conversationId })));
  heard.language = language;
  const value = entry === undefined ? undefined : givenValue(entry);
  if (entry === undefined || value === undefined) return type.parse(text, data, locale, heard);
  if (!isOffered(type.shape(data), entry)) return notOffered(ask);
  if (type.accept !== undefined) return type.accept(value, data, heard);
  const unchanged = (parsed: Parsed<T>): Parsed<T> =>
    !parsed.ok || isUnchanged(entry, plainValue(parsed.value, settings)) ? parsed : notOffered(ask);
  return Promise.resolve(type.parse(text, data, locale, heard)).then(unchanged);
}

function notOffered(ask: Ask): Parsed<never> {
  const labels = choicesOf(shapeOf(ask)).map(({ label }) => label);
  return refusal('not-valid', (wording) =>
    labels.length > 0 ? wording.pickOne(labels) : wording.wrongPattern(undefined),
  );
}

/** The value as it is stored. A text was measured when it came in. */
export function plainValue(value: unknown, settings: Settings): Json {
  return typeof value === 'string' ? value : plainData(value, 'The answer value', settings);
}

/** An accepted answer as it is recorded: the text, and the value where that is something else. */
export function answerOf(
  value: unknown,
  reply: string,
  settings: Settings,
): { readonly answer: string; readonly value?: Json } {
  const plain = plainValue(value, settings);
  const answer = isRecord(plain) ? JSON.stringify(plain) : reply.trim();
  return plain === answer ? { answer } : { answer, value: plain };
}

function isRecord(value: Json): boolean {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
