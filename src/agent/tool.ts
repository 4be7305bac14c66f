/**
 * The tools that `run()` offers to an agent's model: types and their check only.
 */

import type { Question } from '../core/ask/answer-type.js';
import type { PendingAsk } from '../core/ask/ask.js';
import { expecting, list, optional } from '../core/check-options.js';
import { badOption } from '../core/errors.js';
import type { Json } from '../core/json.js';

/** What a tool gets beside its input. */
export interface RunCall {
  /** The model's own id of the call. */
  readonly callId: string;
  /** The same when its turn runs again, and another for each call that the model makes: pass it on as the idempotency key of any external effect. */
  readonly effectKey: string;
  /** Aborted when the turn is over: its time has run out, or the registry stops. */
  readonly signal: AbortSignal;
}

/** What a model is told of a tool. */
export interface ToolDescription {
  /** The name by which the model calls it. */
  readonly name: string;
  /** What it does, for the model. */
  readonly description?: string;
  /** JSON Schema, as plain data. */
  readonly inputSchema: Json;
}

/** A tool that does something. Its result goes to the model; so does the message of an error that it throws. */
export interface DoingTool extends ToolDescription {
  /** Does it, with the arguments of the model's call. */
  execute(input: Json, call: RunCall): unknown;
}

/** A tool whose call asks the person in the conversation. `askHumanTool()` of askback/tools makes one. */
export interface AskingTool extends ToolDescription {
  /** The question in the arguments of a call, or the problem with them, for the model to correct. */
  question(input: Json): HumanQuestion | { readonly problem: string };
  /** The outcome of the ask as a string for the model. */
  result(ask: PendingAsk<unknown>): string;
  /** The result of a call that asks the same again in one run: nothing is asked. `result` is that of the first call. */
  repeated(result: string): string;
  /** The result where nothing is asked because the limit is reached, or a trigger started the turn. */
  refusal(why: 'limit' | 'nobody'): string;
  /**
   * The most questions in one run.
   *
   * @default no limit
   */
  readonly limit?: number;
  /** Where to ask in a turn that a trigger started. Without it nobody is asked there. */
  readonly elsewhere?: { readonly channel: string; readonly to?: Json; readonly conversationId?: string };
}

/** The question that a model's call stands for. */
export interface HumanQuestion {
  /** What is asked, and how the answer is read. */
  readonly question: Question<unknown>;
  /** What the person sees beside the question. */
  readonly details: Readonly<Record<string, string>>;
}

/** A tool that an agent's model may call in `run()`: one that does something, or one that asks the person. */
export type AgentTool = DoingTool | AskingTool;

const toolList = optional(
  list(
    expecting<AgentTool>('a tool with a name, an inputSchema and execute()', isTool, {
      hint: 'askHumanTool() makes the one that asks.',
    }),
    { expected: 'a list of tools' },
  ),
  [],
);

/** The tools by name. `agentName` is for the error. */
export function checkedTools(tools: unknown, agentName: string): ReadonlyMap<string, AgentTool> {
  const named = new Map<string, AgentTool>();
  for (const tool of toolList(tools, `Agent ${agentName}: tools`)) {
    if (named.has(tool.name))
      throw badOption(`Agent ${agentName}: two tools are named ${JSON.stringify(tool.name)}. Give each its own name.`);
    named.set(tool.name, tool);
  }
  return named;
}

function isTool(value: unknown): boolean {
  const { name, execute, question } = (value ?? {}) as Partial<DoingTool & AskingTool>; // whatever it is, its fields may be looked at
  return typeof name === 'string' && (typeof execute === 'function' || typeof question === 'function');
}
