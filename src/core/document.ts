/**
 * Documents, settled asks, outputs and entries as text, and back. Parsed loosely: fields of a newer release are kept and
 * written back. What cannot be read is an error, never an empty conversation.
 */
import { z } from 'zod';
import type { Ask } from './ask.js';
import type { Fields } from './compact.js';
import { compactAsk, compactConversation, isFields, wholeAsk, wholeConversation } from './compact.js';
import type { Conversation } from './conversation.js';
import { emptyConversation } from './conversation.js';
import type { Entry, Queued } from './entry.js';
import { AgentError } from './errors.js';
import { extended } from './given.js';
import type { Asked, Outgoing } from './outgoing.js';

const askRecord = z.looseObject({
  id: z.string(),
  agentName: z.string(),
  question: z.string(),
  kind: z.string(),
  status: z.enum(['pending', 'answered', 'declined', 'exhausted', 'expired', 'cancelled']),
  retries: z.number(),
  maxRetries: z.number(),
  askedAt: z.number(),
  place: z.looseObject({ channel: z.string() }),
});

const conversationRecord = z.looseObject({
  v: z.literal(1),
  asks: z.array(askRecord),
  parked: z.array(z.looseObject({ id: z.string() })),
  people: z.array(z.string()),
});

const entryTypes = [
  'message',
  'answer',
  'decline',
  'cancel',
  'expire',
  'open',
  'undeliverable',
  'remind',
  'use',
  'retry',
];
const entryRecord = z.looseObject({
  entry: z.looseObject({ type: z.enum(entryTypes) }),
  waiter: z.string().optional(),
});

function parsed(text: string, what: () => string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new AgentError(
      'bad-record',
      `${what()} is not JSON: it is damaged or was not written by askback. It is left as it is.`,
      { cause },
    );
  }
  if (!isFields(value)) {
    throw new AgentError('bad-record', `${what()} is JSON, but not a record of askback. It is left as it is.`);
  }
  return value;
}

function checked<T>(schema: z.ZodType, value: Fields, what: () => string): T {
  if (typeof value['v'] === 'number' && value['v'] > 1) {
    throw new AgentError(
      'newer-record',
      `${what()} has format ${value['v']}, this release reads up to 1. Finish the roll-out of the newer release.`,
    );
  }
  const result = schema.safeParse(value);
  if (result.success) return value as T;
  const issue = result.error.issues[0];
  throw new AgentError(
    'bad-record',
    `${what()} is damaged at ${issue?.path.join('.') ?? 'its root'}: ${issue?.message ?? 'unknown'}. It is left as it is.`,
  );
}

export function writeConversation(conversation: Conversation): string {
  return JSON.stringify(compactConversation(conversation));
}

export function readConversation(text: string | null, conversationId: string): Conversation {
  if (text === null) return emptyConversation;
  const what = (): string => `The document of conversation ${JSON.stringify(conversationId)}`;
  return checked<Conversation>(conversationRecord, wholeConversation(parsed(text, what)), what);
}

/** What is kept of an ask that is settled. */
export interface Settled {
  readonly conversationId: string;
  readonly ask: Ask;
}

export function writeSettled({ conversationId, ask }: Settled): string {
  return JSON.stringify({ conversationId, ask: compactAsk(ask) });
}

/** The record of a settled ask; undefined for what an erased one has left. */
export function readSettled(text: string): Settled | undefined {
  const what = (): string => 'A stored ask';
  const { conversationId, ask } = parsed(text, what);
  if (typeof conversationId !== 'string' || !isFields(ask)) return undefined;
  return { conversationId, ask: checked<Ask>(askRecord, wholeAsk(ask), what) };
}

/** An output without its key, which the store keeps, and a question without what its ask says already. */
export function writeOutgoing(outgoing: Outgoing): string {
  const { key: _, ...rest } = outgoing;
  if (rest.type !== 'question' && rest.type !== 'redraw') return JSON.stringify(rest);
  const { ask, text, place, ...more } = rest;
  const stored: Fields = { ...more, ask: compactAsk(ask) };
  if (text !== ask.question) stored['text'] = text;
  if (place !== ask.place) stored['place'] = place;
  return JSON.stringify(stored);
}

/** The output again; undefined if it cannot be read. */
export function readOutgoing(key: string, data: string): Outgoing | undefined {
  let value: Fields;
  try {
    value = parsed(data, () => 'An output');
  } catch {
    return undefined;
  }
  if (value['type'] === 'forward') return value['entry'] === undefined ? undefined : ({ ...value, key } as Outgoing);
  if (value['type'] === 'say') return value['place'] === undefined ? undefined : ({ ...value, key } as Outgoing);
  const ask = isFields(value['ask']) ? wholeAsk(value['ask']) : {};
  if (!askRecord.safeParse(ask).success) return undefined;
  return { text: ask['question'], place: ask['place'], ...value, ask, key } as Asked;
}

/** An entry as the queue keeps it; its id and time belong to the store. */
export function writeEntry(entry: Entry, waiter?: string): string {
  return JSON.stringify(waiter === undefined ? { entry } : { entry, waiter });
}

export function readEntry(id: string, at: number, data: string): Queued {
  const what = (): string => `The entry ${JSON.stringify(id)}`;
  const value = parsed(data, what);
  const type = (value['entry'] as { type?: unknown } | undefined)?.type;
  if (typeof type === 'string' && !entryTypes.includes(type)) {
    throw new AgentError(
      'newer-record',
      `${what()} has type ${JSON.stringify(type)}, which this release does not know. Finish the roll-out of the newer release.`,
    );
  }
  const record = checked<{ entry: Entry; waiter?: string }>(entryRecord, value, what);
  return extended({ id, at }, record);
}
