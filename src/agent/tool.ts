/**
 * The tools of an agent, which `run()` offers to its model. Types and their check only.
 */

import type { Question } from '../core/ask/answer-type.js';
import type { PendingAsk } from '../core/ask/ask.js';
import { AgentError } from '../core/errors.js';
import { describe } from '../core/ids.js';
import type { Json } from '../core/json.js';

/** What a tool is given beside its input. */
export interface RunCall {
  /** The model's own id of the call. */
  readonly callId: string;
  /** The same for every repeat of this call: pass it to whatever has an effect outside. */
  readonly effectKey: string;
  readonly signal: AbortSignal;
}

interface Described {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema, as plain data. */
  readonly inputSchema: Json;
}

/** A tool that does something. What it returns goes to the model; what it throws is told to the model as a failure. */
export interface DoingTool extends Described {
  execute(input: Json, call: RunCall): unknown;
}

/** A tool whose call is a question to the person in the conversation. `askHumanTool()` of askback/tools makes one. */
export interface AskingTool extends Described {
  /** What a model sent, as a question; or what is wrong with it, for the model to mend. */
  question(input: Json): HumanQuestion | { readonly problem: string };
  /** The end of the ask as text for the model. */
  result(ask: PendingAsk<unknown>): string;
  /** Instead of asking: it was asked before in this run, the limit of questions is reached, or a trigger began the turn. */
  refusal(why: 'repeated' | 'limit' | 'nobody'): string;
  /** So many questions in one run; none: no limit. */
  readonly limit?: number;
  /** Where it is asked in a turn that a trigger began; none: nobody is asked there. */
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
