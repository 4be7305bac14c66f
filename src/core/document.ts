/**
 * Documents, settled asks, outputs and entries as text, and back. Parsed loosely: fields of a newer release are kept and
 * written back. What cannot be read is an error, never an empty conversation.
 */
import type { Ask, AskStatus } from './ask.js';
import type { Fields } from './compact.js';
import { compactAsk, compactConversation, compactShown, isFields, wholeAsk, wholeConversation } from './compact.js';
import type { Conversation } from './conversation.js';
import { emptyConversation } from './conversation.js';
import type { Entry, Queued } from './entry.js';
import { AgentError } from './errors.js';
import { extended } from './given.js';
import { describe } from './ids.js';
import type { Asked, Outgoing } from './outgoing.js';

type Kind = 'text' | 'number' | 'list' | 'record';

/** What a record must have to be worked on; written out, because every turn reads records. */
const askFields: readonly (readonly [string, Kind])[] = [
  ['id', 'text'],
  ['agentName', 'text'],
  ['question', 'text'],
  ['kind', 'text'],
  ['retries', 'number'],
  ['maxRetries', 'number'],
  ['askedAt', 'number'],
  ['place', 'record'],
];
const conversationFields: readonly (readonly [string, Kind])[] = [
  ['asks', 'list'],
  ['parked', 'list'],
  ['people', 'list'],
];
const statuses: ReadonlySet<unknown> = new Set<AskStatus>([
  'pending',
  'answered',
  'declined',
  'exhausted',
  'expired',
  'cancelled',
]);

const entryTypes: ReadonlySet<unknown> = new Set<Entry['type']>([
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
]);

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

function kindOf(value: unknown): string {
  if (typeof value === 'string') return 'text';
  if (Array.isArray(value)) return 'list';
  return isFields(value) ? 'record' : typeof value;
}

/** What is wrong with the fields of a record, or nothing. */
function damage(value: Fields, fields: readonly (readonly [string, Kind])[], at = ''): string | undefined {
  for (const [field, kind] of fields) {
    const got = kindOf(value[field]);
    if (got !== kind) return `${at}${field} must be a ${kind}, got ${got}`;
  }
  return undefined;
}

function askDamage(ask: unknown, at = ''): string | undefined {
  if (!isFields(ask)) return `${at}ask must be a record, got ${kindOf(ask)}`;
  const wrong = damage(ask, askFields, at) ?? damage(ask['place'] as Fields, [['channel', 'text']], `${at}place.`);
  if (wrong !== undefined || statuses.has(ask['status'])) return wrong;
  return `${at}status must be one of ${[...statuses].join(', ')}, got ${describe(ask['status'])}`;
}

function conversationDamage(value: Fields): string | undefined {
  const wrong = damage(value, conversationFields);
  if (wrong !== undefined) return wrong;
  if (value['v'] !== 1) return `v must be 1, got ${describe(value['v'])}`;
  for (const [i, ask] of (value['asks'] as unknown[]).entries()) {
    const inAsk = askDamage(ask, `asks.${i}.`);
    if (inAsk !== undefined) return inAsk;
  }
  const parked = value['parked'] as unknown[];
  const odd = parked.findIndex((each) => !isFields(each) || typeof each['id'] !== 'string');
  if (odd >= 0) return `parked.${odd} must be a record with an id`;
  const stranger = (value['people'] as unknown[]).find((each) => typeof each !== 'string');
  return stranger === undefined ? undefined : `people must be texts, got ${describe(stranger)}`;
}

function assertSound(wrong: string | undefined, what: () => string): void {
  if (wrong === undefined) return;
  throw new AgentError('bad-record', `${what()} is damaged: ${wrong}. It is left as it is.`);
}

function assertNotNewer(value: Fields, what: () => string): void {
  if (typeof value['v'] !== 'number' || value['v'] <= 1) return;
  throw new AgentError(
    'newer-record',
    `${what()} has format ${value['v']}, this release reads up to 1. Finish the roll-out of the newer release.`,
  );
}

export function writeConversation(conversation: Conversation): string {
  return JSON.stringify(compactConversation(conversation));
}

export function readConversation(text: string | null, conversationId: string): Conversation {
  if (text === null) return emptyConversation;
  const what = (): string => `The document of conversation ${JSON.stringify(conversationId)}`;
  const whole = wholeConversation(parsed(text, what));
  assertNotNewer(whole, what);
  assertSound(conversationDamage(whole), what);
  return whole as unknown as Conversation; // its fields were looked at
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
  const whole = wholeAsk(ask);
  assertSound(askDamage(whole), what);
  return { conversationId, ask: whole as unknown as Ask }; // its fields were looked at
}

/** An output without its key, which the store keeps, and a question without what its ask says already. */
export function writeOutgoing(outgoing: Outgoing): string {
  const { key: _, ...rest } = outgoing;
  if (rest.type !== 'question' && rest.type !== 'redraw') return JSON.stringify(rest);
  const { ask, text, place, ...more } = rest;
  const stored: Fields = { ...more, ask: compactShown(ask) };
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
  if (askDamage(ask) !== undefined) return undefined;
  return { text: ask['question'], place: ask['place'], ...value, ask, key } as Asked;
}

/** An entry as the queue keeps it; its id and time belong to the store. */
export function writeEntry(entry: Entry, waiter?: string): string {
  return JSON.stringify(waiter === undefined ? { entry } : { entry, waiter });
}

export function readEntry(id: string, at: number, data: string): Queued {
  const what = (): string => `The entry ${JSON.stringify(id)}`;
  const value = parsed(data, what);
  const { entry, waiter } = value;
  if (!isFields(entry) || typeof entry['type'] !== 'string' || !['string', 'undefined'].includes(typeof waiter)) {
    assertSound('entry must be a record with a type, and a waiter a text', what);
  } else if (!entryTypes.has(entry['type'])) {
    throw new AgentError(
      'newer-record',
      `${what()} has type ${JSON.stringify(entry['type'])}, which this release does not know. Finish the roll-out of the newer release.`,
    );
  }
  return extended({ id, at }, value as unknown as { entry: Entry; waiter?: string });
}
