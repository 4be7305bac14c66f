/**
 * What leaves a conversation: something said, a question, the redraw of a settled one, or an entry for another conversation.
 */

import type { Shape } from '../ask/answer-type.js';
import { currentField, isNumbered } from '../ask/answer-type.js';
import type { Ask, Place, PublicAsk, ShownAsk } from '../ask/ask.js';
import { shapeOf, shownAsk } from '../ask/ask.js';
import { overNotice } from '../ask/decision.js';
import { copiesOf } from '../ask/places.js';
import { definedFields, type Mutable } from '../defined-fields.js';
import { digest } from '../ids.js';
import type { Json } from '../json.js';
import { copyOf } from '../json.js';
import type { Language } from '../wording/language.js';
import type { Wording } from '../wording/wording.js';
import type { Entry } from './entry.js';

interface OutgoingBase {
  /** The idempotency key: the same for every try, so that a channel can recognise repeats. */
  readonly key: string;
  readonly tries?: number;
}

export interface OutgoingText extends OutgoingBase {
  readonly type: 'say';
  readonly place: Place;
  readonly text: string;
  /** It goes to another place than the one that the turn is about. */
  readonly aside?: true;
  /** The id of the only participant whom it concerns. */
  readonly only?: string;
  /** The language of whoever it is said to, if known. */
  readonly locale?: string;
  /** Of the agent's result, where this is its output. */
  readonly metadata?: { readonly [key: string]: Json };
}

export interface OutgoingQuestion extends OutgoingBase {
  /** A copy of the question, or the redraw of one. */
  readonly type: 'question' | 'redraw';
  readonly place: Place;
  readonly text: string;
  /**
   * Of a copy: it is remembered that it was sent, because whoever gets it may have to be told the end of the ask. Of a redraw: where the
   * channel cannot draw again, a short message says that the ask is over.
   */
  readonly told?: true;
  /** Of a redraw: how often its copy was looked for in vain. Of a copy: how often the platform could not be asked whether it was sent. */
  readonly looks?: number;
  /** What a channel may know of it. */
  readonly ask: PublicAsk;
}

export interface Forwarded extends OutgoingBase {
  readonly type: 'forward';
  readonly conversationId: string;
  readonly entryId: string;
  readonly entry: Entry;
}

export type Outgoing = OutgoingText | OutgoingQuestion | Forwarded;

/** The channel name in the outbox of entries for another conversation. Every process can deliver these. */
export const forwardChannel = '@forward';

export function channelOf(outgoing: Outgoing): string {
  return outgoing.type === 'forward' ? forwardChannel : outgoing.place.channel;
}

/** The key of a copy of the question. */
export function questionKey(askId: string, copy: number): string {
  return `ask:${askId}:${copy}`;
}

/** The keys of the copies that are kept track of, the oldest first. */
export function copyKeys(ask: Ask): readonly string[] {
  return copiesOf(ask).map(([copy]) => questionKey(ask.id, copy));
}

/** The number of the copy of a question that has this key; NaN for other outputs. */
export function copyIn(key: string): number {
  return key.startsWith('ask:') ? Number(key.slice(key.lastIndexOf(':') + 1)) : Number.NaN;
}

const redrawPrefix = 'redraw:';

/** The key of the redraw of a copy. */
export function redrawKey(copyKey: string): string {
  return redrawPrefix + copyKey;
}

/** The key of the copy that this redraws. */
export function redrawnCopy({ key }: Pick<OutgoingQuestion, 'key'>): string {
  return key.slice(redrawPrefix.length);
}

/**
 * Whether an output that is lent at `now` may be a question that was sent before: a try of it has failed, or somebody may have let a
 * lease to send pass. One that was asked less than half a lease ago was lent to nobody else; half, because clocks differ.
 */
export function mayBeSent(outgoing: Outgoing, now: number, sendLease: number): boolean {
  if (outgoing.type !== 'question') return false;
  return outgoing.tries !== undefined || now - outgoing.ask.timing.askedAt >= sendLease / 2;
}

/** The id of the ask whose question has this key; undefined for other outputs. */
export function askIdIn(key: string): string | undefined {
  return key.startsWith('ask:') ? key.slice(4, key.lastIndexOf(':')) : undefined;
}

/** The key under which it is kept which ask the message with this id on the platform asks: nobody reads the id from the store. */
export function sentIdKey(channel: string, sentId: string): string {
  return `sent:${digest('sent', channel, sentId)}`;
}

/** A question without a deadline is known by the id of its message for this long, and for the time that settled asks are kept. */
const longestOpen = 365 * 86_400_000;

/** How long it is kept which ask a message asks, in ms: while the ask may be open, and as long again as a settled one is readable. */
export function sentIdKeptFor({ timing: { askedAt, expiresAt } }: PublicAsk, retention: number): number {
  const open = expiresAt === undefined ? longestOpen : Math.max(0, expiresAt - askedAt);
  return open + retention;
}

/**
 * What a channel is given to send. `key` is stable over repeats, `shape` says how the answer can be given.
 *
 * @example
 * import type { Channel, OutgoingMessage } from 'askback';
 *
 * const print = async ({ text }: OutgoingMessage) => console.log(text);
 * const screen: Channel = { name: 'screen', start: () => {}, send: print };
 */
export interface OutgoingMessage {
  /** The same for every repeat of this message: a channel that has sent it need not send it again. */
  readonly key: string;
  /** The conversation in which it is said. */
  readonly conversationId: string;
  /** Where it goes: the address of the message that it answers, or `to` of whoever asked. */
  readonly address: Json;
  /** `thread` of the message that it answers. */
  readonly thread?: Json;
  /** The key of the question that it is about, where it says that the question is over. */
  readonly follows?: string;
  /** The text to show. */
  readonly text: string;
  /** How the answer can be given: draw buttons, a list or a form by it. */
  readonly shape: Shape;
  /** One line that says how to answer, for where there are no controls. */
  readonly hint?: string;
  /** The ask whose question it is, or what became of it: what a browser may know of it, and no more. */
  readonly ask?: ShownAsk;
  /**
   * The language of whoever it is for, where that is known: a tag such as `de` or `pt-BR`. `Desk.wording` gives the library's sentences in
   * it, for words of the channel's own; `text`, `hint` and the labels in `shape` are in it already.
   */
  readonly locale?: string;
  /** Of the result whose output it is. */
  readonly metadata?: { readonly [key: string]: Json };
  /**
   * For the eyes of this participant, by the id that the channel gave them: "You cannot answer this", "This was already answered". Send it
   * to them alone where the platform can, as an ephemeral message; else send it like any other.
   */
  readonly only?: string;
  /** Said by `progress()`: it is kept nowhere, and is worth showing only until something else is said. */
  readonly transient?: true;
}

export function messageFor(
  outgoing: OutgoingText | OutgoingQuestion,
  conversationId: string,
  language: (locale: string | undefined) => Language,
): OutgoingMessage {
  const message = wordsTo(outgoing.place, outgoing.key, conversationId, outgoing.text);
  if (outgoing.type === 'say') {
    const { metadata, only, locale } = outgoing;
    return Object.assign(message, definedFields({ metadata: metadata && copyOf(metadata), only, locale }));
  }
  const { ask } = outgoing;
  const { locale } = ask.question;
  const shape = shapeOf(ask);
  const hint = ask.status === 'pending' ? hintFor(shape, language(locale).wording) : undefined;
  message.shape = copyOf(shape);
  message.ask = shownAsk(ask, conversationId);
  if (hint !== undefined) message.hint = hint;
  if (locale !== undefined) message.locale = locale;
  return message;
}

function wordsTo(
  { address, thread }: Place,
  key: string,
  conversationId: string,
  text: string,
): Mutable<OutgoingMessage> {
  const message: Mutable<OutgoingMessage> = {
    key,
    conversationId,
    address: copyOf(address),
    text,
    shape: { type: 'text' },
  };
  if (thread !== undefined) message.thread = copyOf(thread);
  return message;
}

const longestQuestion = 120;

/**
 * What is said instead of a redraw where the channel cannot draw again: which question is over, and by whom. It quotes no answer.
 */
export function overMessageFor(
  redraw: OutgoingQuestion,
  conversationId: string,
  language: (locale: string | undefined) => Language,
): OutgoingMessage {
  const { ask, key, place } = redraw;
  const { text: question, locale } = ask.question;
  const { wording } = language(locale);
  const notice = overNotice(ask) ?? 'already';
  const over = notice === 'already' ? wording.already(ask.decision?.by) : wording[notice]();
  const asked = question.length > longestQuestion ? `${question.slice(0, longestQuestion - 1)}…` : question;
  const text = `${asked}\n${over}`;
  const follows = redrawnCopy(redraw);
  return Object.assign(wordsTo(place, key, conversationId, text), { follows, ...definedFields({ locale }) });
}

/** One line that says how a question of this shape is answered in words; undefined where no hint is needed. */
function hintFor(shape: Shape, wording: Wording): string | undefined {
  const field = currentField(shape);
  const drawn = field?.shape ?? shape;
  const isSeveral = drawn.type === 'choices' && drawn.many && (drawn.max ?? drawn.choices.length) > 1;
  const one = drawn.type === 'choices' && (isNumbered(drawn) ? wording.pickHint() : wording.labelHint());
  const hints = [isSeveral ? wording.pickSeveralHint() : one, field?.optional && wording.skipHint()];
  return hints.filter((hint) => typeof hint === 'string').join(' ') || undefined;
}
