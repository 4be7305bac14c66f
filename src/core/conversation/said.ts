/**
 * What was said and what happened in a conversation, as it is fetched: by `handle()`, by `outputs()` and by the desk of a channel. Types, and
 * what an answer reads like; what they hold is read in registry/outbox/said-outputs.ts and follow.ts.
 */
import type { Ask, AskedPart, AskedQuestion, AskProgress, AskStatus } from '../ask/ask.js';
import { readableValue } from '../ask/drawn.js';
import type { Json } from '../json.js';
import type { Participant } from '../participant.js';
import type { Disposition } from './entry.js';
import type { OutgoingMessage } from './outgoing.js';

/**
 * What was said, as it is fetched. `address` is null: whoever fetches knows where to show it.
 *
 * @example
 * import { AgentRegistry } from 'askback';
 *
 * const registry = new AgentRegistry();
 * const { outputs } = await registry.outputs('web-anna');
 * for (const { key, channel, text } of outputs) console.log(key, channel, text);
 */
export interface FetchedOutput extends OutgoingMessage {
  /** The channel that it was said on. */
  readonly channel: string;
}

/**
 * What was said since a place in a conversation.
 *
 * @example
 * import { AgentRegistry, type Outputs } from 'askback';
 *
 * const registry = new AgentRegistry();
 * const { outputs, cursor, gap }: Outputs = await registry.outputs('web-anna');
 */
export interface Outputs {
  /** What was said, in order. */
  readonly outputs: readonly FetchedOutput[];
  /** The place behind the last of them: give it as `after` to go on. */
  readonly cursor: string;
  /** Something that was said after the cursor given is not kept any more, or its conversation was erased. */
  readonly gap?: true;
}

/**
 * From where on `outputs()` reads, and how long it waits.
 *
 * @example
 * import { AgentRegistry, type OutputsOptions } from 'askback';
 *
 * const registry = new AgentRegistry();
 * const poll: OutputsOptions = { wait: 25_000, limit: 20 };
 * await registry.outputs('web-anna', poll);
 */
export interface OutputsOptions {
  /** The cursor of an earlier call. */
  readonly after?: string;
  /**
   * How long to wait for something to be said, in ms, at most 60 000.
   *
   * @default 0
   */
  readonly wait?: number;
  /**
   * At most this many outputs are given.
   *
   * @default 100
   */
  readonly limit?: number;
}

/**
 * What became of a handled message, and what was said.
 *
 * @example
 * import { AgentRegistry, type Handled } from 'askback';
 *
 * const registry = new AgentRegistry();
 * const handled: Handled = await registry.handle({ id: 'm1', conversationId: 'web-anna', text: 'Hello' });
 * for (const { text } of handled.outputs) console.log(text);
 */
export interface Handled extends Outputs {
  /** What became of the message. `received`: it is stored, and its turn was not over within `timeout`. */
  readonly disposition: Disposition | { readonly type: 'received' };
  /** Of the turn's result: `waitingForHuman` and `askId` where it asks, and `askIds` where it asks several. */
  readonly metadata?: { readonly [key: string]: Json };
}

/**
 * How much `handle()` gives.
 *
 * @example
 * import { AgentRegistry } from 'askback';
 *
 * const registry = new AgentRegistry();
 * const { cursor } = await registry.outputs('web-anna');
 * const all = await registry.handle({ id: 'm1', conversationId: 'web-anna', text: 'Hello' }, { after: cursor });
 */
export interface HandleOptions {
  /** The cursor of an earlier call: everything since then is given, and not only what the message's own turn said. */
  readonly after?: string;
  /**
   * How long to wait for the outcome, in ms. Then the disposition is `received`.
   *
   * @default settings.callTimeout
   */
  readonly timeout?: number;
}

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
type ReadableAsk = Pick<Ask, 'status'> & Pick<AskedPart, 'shape'> & Partial<Readable>;
type Readable = Pick<AskProgress, 'answer' | 'value'> & Pick<AskedQuestion, 'sensitive'>;

/** The answer as the person reads it: labels instead of ids, a form as one line for each field. Undefined for a sensitive one. */
export function readableAnswer(ask: ReadableAsk): string | undefined {
  if (ask.status !== 'answered' || ask.sensitive === true) return undefined;
  return readableValue(ask.value ?? ask.answer ?? '', ask.shape);
}
