/**
 * A tool call that waits for a person while no process does: plain data to store beside the messages. Its content is
 * not trusted: the stored ask tells whether it belongs to a call.
 */

import type { Question } from '../core/ask/answer-type.js';
import type { PendingAsk } from '../core/ask/ask.js';
import { checkedAskOptions } from '../core/ask/options.js';
import type { Outcome } from '../core/ask/outcome.js';
import { assertObject } from '../core/check-options.js';
import { AgentError } from '../core/errors.js';
import { digest } from '../core/ids.js';
import type { Json } from '../core/json.js';
import type { AskAndWaitOptions } from '../registry/calls/ask-and-wait.js';
import type { AskThereOptions, OpenedAsk } from '../registry/calls/open-ask.js';
import { uses } from '../registry/calls/single-use.js';
import { waitingAgent } from '../registry/context.js';
import type { AgentRegistry } from '../registry/registry.js';
import { askInTurn } from '../registry/turn/asking.js';
import { newAsk } from '../registry/turn/new-ask.js';
import type { AskPlace } from './ask-place.js';

/**
 * An open question of a model's call, as plain JSON. `closed`: nothing was asked, and `text` is the call's result.
 *
 * @example
 * import { AgentRegistry } from 'askback';
 * import { askHuman, type Interrupt } from 'askback/tools';
 *
 * const human = askHuman(new AgentRegistry(), { where: { channel: 'handle', conversationId: 'web-anna' } });
 * const interrupt: Interrupt = await human.open({ question: 'Which size?' }, { callId: 'call_1' });
 * const stored = JSON.stringify(interrupt); // days later, perhaps in another process:
 * const result = await human.resume(JSON.parse(stored));
 */
export type Interrupt = OpenInterrupt | ClosedInterrupt;

/** A question of a model's call that is open. */
export interface OpenInterrupt {
  /** Whether a question or an approval is open. */
  readonly kind: 'question' | 'approval';
  /** The id of the ask. The model never sees it. */
  readonly id: string;
  /** The name of the tool that was called. */
  readonly tool: string;
  /** The model's id of its call. The person never sees it. */
  readonly callId?: string;
  /** The conversation in which it is asked. */
  readonly conversationId: string;
  /** The question, for a page of your own that shows it. */
  readonly payload: Json;
  /** Equal for equal questions of one run. */
  readonly key: string;
}

/** A model's call for which nothing was asked. */
export interface ClosedInterrupt {
  /** Always `'closed'`: nothing was asked. */
  readonly kind: 'closed';
  /** The name of the tool that was called. */
  readonly tool: string;
  /** The model's id of its call. */
  readonly callId?: string;
  /** The result of the call. */
  readonly text: string;
}

/** An interrupt as the author's loop gave it. What is in it is compared with the stored ask. */
export function checkedInterrupt(interrupt: Interrupt, name: string): Interrupt {
  return assertObject(interrupt, name, 'an object that open() gave');
}

/**
 * The context that is stored with the ask to find its call again. `waits`: a caller waits for the result, so it
 * cannot be resumed.
 */
export function callContext(
  tool: string,
  callId: string | undefined,
  more: { readonly waits?: true; readonly key?: string } = {},
): { readonly [key: string]: Json } {
  return { tool, id: callId ?? null, ...more };
}

interface CallContext {
  readonly tool?: unknown;
  readonly id?: unknown;
  readonly waits?: unknown;
  readonly key?: unknown;
}

function callOf({ context }: PendingAsk<unknown>): CallContext | undefined {
  return context['call'] as CallContext | undefined; // written by callContext(), or foreign
}

export function isAskOf(ask: PendingAsk<unknown>, tool: string, callId: string | undefined): boolean {
  const call = callOf(ask);
  return call?.tool === tool && call.id === (callId ?? null) && call.waits !== true;
}

/** The key of the call that asked; undefined if it had none. */
export function callKeyOf(ask: PendingAsk<unknown>): unknown {
  return callOf(ask)?.key;
}

/**
 * The ended ask of an interrupt, or null if it is not this call's. An unanswered ask is cancelled: its call gets its
 * one result now, so a later answer would reach nobody.
 */
export async function endedAsk(
  registry: AgentRegistry,
  tool: string,
  { id, callId }: OpenInterrupt,
): Promise<PendingAsk<unknown> | null> {
  const ask = typeof id === 'string' ? await registry.getAsk(id) : null;
  if (ask === null || !isAskOf(ask, tool, callId)) return null;
  if (ask.status !== 'pending') return ask;
  await registry.cancel(id); // unless somebody answers first: then that counts
  return registry.getAsk(id);
}

/**
 * The ask that this call opened before a crash, if it is still open, or decided and not settled yet. Some models reuse call ids, so it must also be
 * `same`.
 */
export async function openedAsk(
  registry: AgentRegistry,
  place: AskPlace,
  tool: string,
  callId: string | undefined,
  same: (ask: PendingAsk<unknown>) => boolean,
): Promise<OpenedAsk | undefined> {
  if (callId === undefined) return undefined;
  await registry.start();
  const asks = await registry[uses].asksAt(place, aboutCall(tool, callId));
  const found = asks.find((ask) => isAskOf(ask, tool, callId) && same(ask));
  return found && { askId: found.id, conversationId: found.conversationId };
}

/** What the ask of a call is found by among the questions of its place. */
export function aboutCall(tool: string, callId: string | undefined): string {
  return digest('call', tool, callId ?? '');
}

/** Asks and does not wait. In the conversation of the current turn the question is put when the turn ends. */
export async function openAsk(
  registry: AgentRegistry,
  question: Question<unknown>,
  options: AskThereOptions,
  about: readonly string[],
): Promise<OpenedAsk> {
  const { channel: _, to: __, conversationId: ___, ...rest } = options;
  const conversationId = registry[uses].conversationOf(options);
  const turn = registry[uses].turnIn(conversationId);
  if (turn === undefined) {
    await registry.start();
    return registry[uses].asking.ask(question, options, about);
  }
  const checked = checkedAskOptions(rest, turn.context.settings, question.type.kind, 'open()');
  const id = await askInTurn(turn, { ...newAsk(waitingAgent, undefined, question, checked), awaited: true });
  return { askId: id, conversationId };
}

/** Asks and waits; undefined if the timeout passed before the conversation had room for the ask. */
export async function askedAndWaited(
  registry: AgentRegistry,
  question: Question<unknown>,
  options: AskAndWaitOptions,
  about: readonly string[],
): Promise<Outcome<unknown> | undefined> {
  await registry.start();
  try {
    return await registry[uses].waiting.askAndWait(question, options, about);
  } catch (error) {
    if (error instanceof AgentError && error.code === 'unknown-ask') return undefined;
    throw error;
  }
}
