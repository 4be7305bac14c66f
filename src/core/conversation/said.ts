/**
 * What was said in a conversation, as whoever fetches it is given it: by `handle()`, by `outputs()` and by the desk of a channel.
 * Types only; what they hold is read in registry/outbox/said-outputs.ts.
 */
import type { Json } from '../json.js';
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
