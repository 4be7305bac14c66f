/**
 * A conversation as the person in it follows it: what came in, what was said, and what became of questions, in order.
 * Types and what an answer reads like; the items are read in registry/outbox/follow.ts.
 */
import type { AskStatus, PublicAsk } from '../ask/ask.js';
import { readableValue } from '../ask/drawn.js';
import type { Json } from '../json.js';
import type { Participant } from '../participant.js';
import type { OutgoingMessage } from './outgoing.js';

/**
 * One thing that happened in a conversation, as a channel that is fetched from draws it.
 *
 * @example
 * import type { FollowedItem } from 'askback';
 *
 * const line = (item: FollowedItem) => {
 *   if (item.type === 'received') return `> ${item.text}`;
 *   return item.type === 'said' ? item.message.text : `(${item.status}${item.answer === undefined ? '' : `: ${item.answer}`})`;
 * };
 */
export type FollowedItem =
  | {
      readonly type: 'received';
      /** The id that the channel gave the message. */
      readonly id: string;
      readonly at: Date;
      readonly text: string;
      /** A control gave it, a button or a form: what became of its question says the same in words. */
      readonly control?: true;
    }
  | {
      readonly type: 'said';
      readonly at: Date;
      /** With `ask`, if it is a question: open, or as it ended. */
      readonly message: OutgoingMessage;
      /** Of an open question: this person may answer it. */
      readonly mayAnswer?: true;
      /** Of a question that was answered: the answer as people read it. Absent where the answer is sensitive. */
      readonly answer?: string;
    }
  | {
      readonly type: 'decided';
      readonly at: Date;
      readonly askId: string;
      readonly status: AskStatus;
      readonly answer?: string;
    };

/**
 * What happened in a conversation since a place in it.
 *
 * @example
 * import type { Desk, Followed } from 'askback';
 *
 * const all = (desk: Desk): Promise<Followed> | undefined => desk.follow?.('chat-42', { for: { id: 'chat:anna' } });
 */
export interface Followed {
  /** What happened, in order. */
  readonly items: readonly FollowedItem[];
  /** The place behind the last of them: give it as `after` to go on. */
  readonly cursor: string;
  /** Something after the cursor given is not kept any more, or the conversation was erased: draw it anew from these items on. */
  readonly gap?: true;
  /** The registry has stopped: nothing more comes here. */
  readonly stopped?: true;
}

/**
 * Who follows a conversation, from where on, and how long they wait.
 *
 * @example
 * import type { FollowOptions } from 'askback';
 *
 * const poll: FollowOptions = { for: { id: 'chat:anna' }, wait: 15_000 };
 */
export interface FollowOptions {
  /** Who looks. What was said for the eyes of somebody else is left out. */
  readonly for: Participant;
  /** The cursor of an earlier call. Without it everything that is kept is given. */
  readonly after?: string;
  /**
   * How long to wait for something to happen, in ms, at most an hour. Waiting costs no reads.
   *
   * @default 0
   */
  readonly wait?: number;
  /**
   * At most this many items are given.
   *
   * @default 100
   */
  readonly limit?: number;
  /** Ends the wait early. */
  readonly signal?: AbortSignal;
}

/** What is needed of an ask to read its answer. */
interface ReadableAsk extends Pick<PublicAsk, 'status' | 'shape'> {
  readonly sensitive?: boolean | undefined;
  readonly value?: Json | undefined;
  readonly answer?: string | undefined;
}

/** The answer as the person reads it: labels instead of ids, a form as one line for each field. Undefined for a sensitive one. */
export function readableAnswer(ask: ReadableAsk): string | undefined {
  if (ask.status !== 'answered' || ask.sensitive === true) return undefined;
  return readableValue(ask.value ?? ask.answer ?? '', ask.shape);
}
