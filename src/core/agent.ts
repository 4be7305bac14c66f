/**
 * What an agent is given and gives back, and the port to a language model. Types only.
 */
import type { PendingAsk } from './ask/ask.js';
import type { Json } from './json.js';
import type { Participant } from './participant.js';

/**
 * One entry to be handled by an agent. `attempt` rises when the same entry is run again after a crash or an error.
 *
 * @example
 * async invokeAgent(input: AgentInput) { return { output: `You said ${input.message}` }; }
 */
export interface AgentInput<I extends string = string> {
  readonly message?: string;
  readonly intent?: I;
  readonly conversationId: string;
  readonly participant?: Participant;
  readonly channelName: string;
  readonly data?: Json;
  readonly attempt: number;
  /** Aborted when the turn's time is over, the conversation was lost to another process, or the registry stops. */
  readonly signal: AbortSignal;
  /** The ask this message would have answered, had it come in time. */
  readonly lateFor?: PendingAsk;
}

/**
 * The result of a turn. `output` is sent to the author of the message; `metadata` is for the caller of the agent.
 *
 * @example
 * const result: AgentResult = { output: 'Done.', metadata: { order: '12345' } };
 */
export interface AgentResult {
  readonly output?: string;
  readonly metadata?: Record<string, unknown>;
}

/** What a model has seen so far. A tool's message is the result of one of its own calls, under that call's id. */
export type ModelMessage =
  | { readonly role: 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string; readonly calls?: readonly ModelCall[] }
  | { readonly role: 'tool'; readonly content: string; readonly callId: string; readonly name: string };

export interface ModelTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: Json;
}

export interface ModelCall {
  readonly id: string;
  readonly name: string;
  readonly input: Json;
  /** Why the call cannot be executed, from an adapter that could not read it. The model is told; no tool runs. */
  readonly problem?: string;
}

/**
 * The port to a language model: a request in, text or tool calls out. `askback/models/ai` adapts the AI SDK.
 *
 * @example
 * const echo: Model = async ({ messages }) => `You said: ${messages.at(-1)?.content}`;
 */
export type Model = (request: {
  readonly system?: string;
  readonly messages: readonly ModelMessage[];
  readonly tools?: readonly ModelTool[];
  readonly signal: AbortSignal;
}) => Promise<string | { readonly text?: string; readonly calls?: readonly ModelCall[] }>;
