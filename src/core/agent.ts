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
 * import { type AgentInput, BaseAgent } from 'askback';
 *
 * class Echo extends BaseAgent {
 *   name = 'echo';
 *   async invokeAgent(input: AgentInput) {
 *     return { output: `You said ${input.message}` };
 *   }
 * }
 */
export interface AgentInput<I extends string = string> {
  /** The text of the message. Absent where a trigger without a text started the turn. */
  readonly message?: string;
  /** The intent that the channel, or `classify` of the registry, gave the message. */
  readonly intent?: I;
  /** The conversation that the message belongs to. */
  readonly conversationId: string;
  /** The author of the message, as its channel has verified them. Absent where the channel does not know. */
  readonly participant?: Participant;
  /** The channel that the message came by; `'handle'` for `registry.handle()`. */
  readonly channelName: string;
  /** Data that the channel sent with the message. */
  readonly data?: Json;
  /** 1 for the first attempt; one more for each re-run of the same turn. */
  readonly attempt: number;
  /** Aborted when the turn's time is over, the conversation was lost to another process, or the registry stops. */
  readonly signal: AbortSignal;
  /** The ask this message would have answered, had it come in time. */
  readonly lateFor?: PendingAsk;
}

/**
 * An agent, as a registry takes it: made by `agent()`, or an instance of a class that extends `BaseAgent`. Nothing else is
 * one: the registry refuses an object that only has these members.
 *
 * @example
 * import { type Agent, agent, AgentRegistry } from 'askback';
 *
 * const agents: Agent[] = [agent('support'), agent('billing')];
 * const registry = new AgentRegistry({ agents });
 */
export interface Agent {
  /** Asks are stored under this name: do not change it while asks are open. */
  readonly name: string;
  /** Handles a message that is no reply to a declared question. */
  invokeAgent(input: AgentInput): Promise<AgentResult>;
}

/**
 * The result of a turn. `output` is sent to the author of the message; `metadata` is for the caller of the agent.
 *
 * @example
 * import type { AgentResult } from 'askback';
 *
 * const result: AgentResult = { output: 'Done.', metadata: { order: '12345' } };
 */
export interface AgentResult {
  /** The text that is sent to the author of the message. */
  readonly output?: string;
  /** Data for the caller of the agent: `handle()` gives it back. It must be plain JSON. */
  readonly metadata?: Record<string, unknown>;
}

/** What a model has seen so far. A tool's message is the result of one of its own calls, under that call's id. */
export type ModelMessage =
  | { readonly role: 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string; readonly calls?: readonly ModelCall[] }
  | { readonly role: 'tool'; readonly content: string; readonly callId: string; readonly name: string };

/** A tool, as a model is told of it. */
export interface ModelTool {
  /** The name by which the model calls it. */
  readonly name: string;
  /** What it does. */
  readonly description?: string;
  /** The arguments, as JSON Schema. */
  readonly inputSchema: Json;
}

/** A model's call of a tool. */
export interface ModelCall {
  /** The model's own id of the call. Its result is given back under it. */
  readonly id: string;
  /** The name of the tool. */
  readonly name: string;
  /** The arguments. */
  readonly input: Json;
  /** Why the call cannot be executed, from an adapter that could not read it. The model is told; no tool runs. */
  readonly problem?: string;
}

/**
 * The port to a language model: a request in, text or tool calls out. `askback/models/ai` adapts the AI SDK.
 *
 * @example
 * import type { Model } from 'askback';
 *
 * const echo: Model = async ({ messages }) => `You said: ${messages.at(-1)?.content}`;
 */
export type Model = (request: ModelRequest) => Promise<ModelReply>;

/** What a model is asked. */
export interface ModelRequest {
  /** The agent's instructions. */
  readonly system?: string;
  /** The conversation so far, oldest first. */
  readonly messages: readonly ModelMessage[];
  /** The tools it may call. */
  readonly tools?: readonly ModelTool[];
  /** Aborted when nobody waits for the reply any more. */
  readonly signal: AbortSignal;
}

/** What a model replies: text, or an object with text, tool calls or both. */
export type ModelReply = string | { readonly text?: string; readonly calls?: readonly ModelCall[] };
