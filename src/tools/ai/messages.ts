/**
 * Finds tool calls without a result in messages of the AI SDK, and adds results. Pure functions: nothing is asked,
 * and the rest of a message stays unchanged.
 */
import type { ModelMessage, ToolResultPart } from 'ai';

/** A tool call without a result. */
export interface PendingCall {
  /** The model's id of the call. */
  readonly callId: string;
  /** The arguments of the call. */
  readonly input: unknown;
}

/** The result of generateText(), its `response`, or stored messages. */
export type MessageSource =
  | readonly ModelMessage[]
  | { readonly messages: readonly ModelMessage[] }
  | { readonly responseMessages: readonly ModelMessage[] }
  | { readonly response: { readonly messages: readonly ModelMessage[] } };

/** Version 7 has all messages of a result in `responseMessages`, and in `response.messages` only those of its last step. */
export function messagesOf(source: MessageSource): readonly ModelMessage[] {
  if ('responseMessages' in source) return source.responseMessages;
  if ('response' in source) return source.response.messages;
  return 'messages' in source ? source.messages : source;
}

/** The calls of this tool without a result, except those that the provider executes itself. */
export function pendingCalls(messages: readonly ModelMessage[], tool: string): readonly PendingCall[] {
  const results = new Set(messages.flatMap(resultIds));
  const found = new Map<string, PendingCall>();
  for (const message of messages) {
    for (const { callId, toolName, input } of callsOf(message)) {
      if (toolName === tool && !results.has(callId)) found.set(callId, { callId, input });
    }
  }
  return [...found.values()];
}

/** The messages with these results, each right after its call and beside the results that are already there. */
export function withResults(
  messages: readonly ModelMessage[],
  tool: string,
  results: ReadonlyMap<string, string>,
): ModelMessage[] {
  const left = new Map(results);
  const all: ModelMessage[] = [];
  let owed: readonly ToolResultPart[] = [];
  for (const message of messages) {
    if (message.role === 'tool') all.push({ ...message, content: [...message.content, ...owed] });
    else all.push(...resultMessage(owed), message);
    owed = callsOf(message).flatMap(({ callId }) => {
      const value = left.get(callId);
      return value !== undefined && left.delete(callId) ? [resultPart(callId, tool, value)] : [];
    });
  }
  return [...all, ...resultMessage(owed)];
}

function resultPart(toolCallId: string, toolName: string, value: string): ToolResultPart {
  return { type: 'tool-result', toolCallId, toolName, output: { type: 'text', value } };
}

function resultMessage(content: readonly ToolResultPart[]): readonly ModelMessage[] {
  return content.length === 0 ? [] : [{ role: 'tool', content: [...content] }];
}

function callsOf(message: ModelMessage) {
  if (message.role !== 'assistant' || typeof message.content === 'string') return [];
  return message.content.flatMap((part) =>
    part.type === 'tool-call' && part.providerExecuted !== true
      ? [{ callId: part.toolCallId, toolName: part.toolName, input: part.input }]
      : [],
  );
}

function resultIds(message: ModelMessage): readonly string[] {
  if (typeof message.content === 'string' || (message.role !== 'tool' && message.role !== 'assistant')) return [];
  return message.content.flatMap((part) => (part.type === 'tool-result' ? [part.toolCallId] : []));
}
