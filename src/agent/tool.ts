/**
 * The tools that `run()` offers to an agent's model: types and their check only.
 */

import type { Question } from '../core/ask/answer-type.js';
import type { PendingAsk } from '../core/ask/ask.js';
import { expecting, list, optional } from '../core/check-options.js';
import { AgentError } from '../core/errors.js';
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

const toolList = optional(
  list(
    expecting<AgentTool>(
      'a tool with a name, an inputSchema and execute()',
      isTool,
      'askHumanTool() makes the one that asks.',
    ),
    { expected: 'a list of tools' },
  ),
  [],
);

/** The tools by name. `agentName` is for the error. */
export function checkedTools(tools: unknown, agentName: string): ReadonlyMap<string, AgentTool> {
  const named = new Map<string, AgentTool>();
  for (const tool of toolList(tools, `Agent ${agentName}: tools`)) {
    if (named.has(tool.name))
      throw new AgentError(
        'bad-option',
        `Agent ${agentName}: two tools are named ${JSON.stringify(tool.name)}. Give each its own name.`,
      );
    named.set(tool.name, tool);
  }
  return named;
}

function isTool(value: unknown): boolean {
  const { name, execute, question } = (value ?? {}) as Partial<DoingTool & AskingTool>; // whatever it is, its fields may be looked at
  return typeof name === 'string' && (typeof execute === 'function' || typeof question === 'function');
}
