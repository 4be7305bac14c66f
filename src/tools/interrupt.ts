/**
 * A tool call that waits for a person while no process does: plain data to store beside the messages. Its content is
 * not trusted: the stored ask says whether it belongs to a call.
 */
import type { Question } from '../core/ask/answer-type.js';
import type { PendingAsk } from '../core/ask/ask.js';
import { checkedAskOptions } from '../core/ask/options.js';
import type { Outcome } from '../core/ask/outcome.js';
import { assertObject } from '../core/check-options.js';
import { definedFields } from '../core/defined-fields.js';
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

/** An interrupt as the author's loop gave it. Its content is compared with the stored ask. */
export function checkedInterrupt(interrupt: Interrupt, name: string): Interrupt {
  return assertObject(interrupt, name, 'an object that open() gave');
}

/** The context that is stored with the ask to find its call again. `waits`: a caller waits for the result, so it cannot be resumed. */
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

function isAskOf(ask: PendingAsk<unknown>, tool: string, callId: string | undefined): boolean {
  const call = callOf(ask);
  return call?.tool === tool && call.id === (callId ?? null) && call.waits !== true;
}

/** The key of the call that asked, if it had one. */
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
  await registry.cancel(id); // an answer that arrives first counts
  return registry.getAsk(id);
}

/** A call whose question is to be opened. */
export interface CallToOpen extends Pick<OpenInterrupt, 'kind' | 'tool' | 'payload' | 'key'> {
  readonly callId: string | undefined;
  readonly question: Question<unknown>;
  readonly options: AskThereOptions;
  /** Whether an ask is about the same. Some models reuse call ids. */
  readonly isSame: (ask: PendingAsk<unknown>) => boolean;
  /** What the ask is found by among the questions of its place, beside its call. */
  readonly about?: readonly string[];
}

/** Asks without waiting, unless this call has asked before a crash and its ask is open, or decided and not settled yet. */
export async function openedInterrupt(registry: AgentRegistry, call: CallToOpen): Promise<OpenInterrupt> {
  const { kind, tool, callId, payload, key } = call;
  await registry.start();
  const { askId: id, conversationId } = (await earlierAsk(registry, call)) ?? (await openedAsk(registry, call));
  return { kind, id, tool, ...definedFields({ callId }), conversationId, payload, key };
}

/** The result of a call for which nothing is asked. */
export function closedInterrupt(tool: string, callId: string | undefined, text: string): ClosedInterrupt {
  return { kind: 'closed', tool, ...definedFields({ callId }), text };
}

async function earlierAsk(
  registry: AgentRegistry,
  { tool, callId, options, isSame }: CallToOpen,
): Promise<OpenedAsk | undefined> {
  if (callId === undefined) return undefined;
  const asks = await registry[uses].asksAt(options, aboutCall(tool, callId));
  const found = asks.find((ask) => isAskOf(ask, tool, callId) && isSame(ask));
  return found && { askId: found.id, conversationId: found.conversationId };
}

/** In the conversation of the current turn the question is put when the turn ends. */
async function openedAsk(
  registry: AgentRegistry,
  { tool, callId, question, options, about = [] }: CallToOpen,
): Promise<OpenedAsk> {
  const conversationId = registry[uses].conversationOf(options);
  const turn = registry[uses].turnIn(conversationId);
  if (turn === undefined) return registry[uses].asking.ask(question, options, [...about, aboutCall(tool, callId)]);
  const { channel: _, to: __, conversationId: ___, ...rest } = options;
  const checked = checkedAskOptions(rest, turn.context.settings, question.type.kind, 'open()');
  const id = await askInTurn(turn, { ...newAsk(waitingAgent, undefined, question, checked), awaited: true });
  return { askId: id, conversationId };
}

/** What the ask of a call is found by among the questions of its place. */
function aboutCall(tool: string, callId: string | undefined): string {
  return digest('call', tool, callId ?? '');
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
