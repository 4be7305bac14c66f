/**
 * The tools that `run()` offers to an agent's model: types and their check only.
 */

import type { Question } from '../core/ask/answer-type.js';
import type { PendingAsk } from '../core/ask/ask.js';
import { AgentError } from '../core/errors.js';
import { describe } from '../core/ids.js';
import type { Json } from '../core/json.js';

/** What a tool gets beside its input. */
export interface RunCall {
  /** The model's own id of the call. */
  readonly callId: string;
  /** The same for every repeat of this call: pass it on as the idempotency key of any external effect. */
  readonly effectKey: string;
  readonly signal: AbortSignal;
}

interface Described {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema, as plain data. */
  readonly inputSchema: Json;
}

/** A tool that does something. Its result goes to the model; so does the message of an error that it throws. */
export interface DoingTool extends Described {
  execute(input: Json, call: RunCall): unknown;
}

/** A tool whose call asks the person in the conversation. `askHumanTool()` of askback/tools makes one. */
export interface AskingTool extends Described {
  /** The question in the arguments of a call, or the problem with them, for the model to correct. */
  question(input: Json): HumanQuestion | { readonly problem: string };
  /** The outcome of the ask as a string for the model. */
  result(ask: PendingAsk<unknown>): string;
  /**
   * The result where nothing is asked: the question is a repeat, the limit is reached, or a trigger started the turn.
   */
  refusal(why: 'repeated' | 'limit' | 'nobody'): string;
  /** The most questions in one run. Default: no limit. */
  readonly limit?: number;
  /** Where to ask in a turn that a trigger started. Without it nobody is asked there. */
  readonly elsewhere?: { readonly channel: string; readonly to?: Json; readonly conversationId?: string };
}

export interface HumanQuestion {
  readonly question: Question<unknown>;
  readonly details: Readonly<Record<string, string>>;
}

export type AgentTool = DoingTool | AskingTool;

export function checkedTools(tools: unknown, agentName: string): ReadonlyMap<string, AgentTool> {
  const named = new Map<string, AgentTool>();
  if (tools === undefined) return named;
  if (!Array.isArray(tools))
    throw new AgentError('bad-option', `Agent ${agentName}: tools must be a list of tools, got ${describe(tools)}.`);
  for (const [i, tool] of (tools as readonly Partial<DoingTool & AskingTool>[]).entries()) {
    const { name } = tool ?? {};
    if (typeof name !== 'string' || (typeof tool.execute !== 'function' && typeof tool.question !== 'function'))
      throw new AgentError(
        'bad-option',
        `Agent ${agentName}: tools[${i}] must have a name, an inputSchema and execute(). askHumanTool() makes the one that asks.`,
      );
    if (named.has(name))
      throw new AgentError('bad-option', `Agent ${agentName}: two tools are named ${JSON.stringify(name)}.`);
    named.set(name, tool as AgentTool);
  }
  return named;
}
