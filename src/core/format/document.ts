/**
 * Documents, settled asks, outputs and entries as text, and back. Parsed loosely: fields of a newer release are kept and
 * written back. What cannot be read is an error, never an empty conversation.
 */
import type { Ask, AskStatus } from '../ask/ask.js';
import type { Conversation } from '../conversation/conversation.js';
import { emptyConversation } from '../conversation/conversation.js';
import type { Entry, MessageEntry, Queued } from '../conversation/entry.js';
import type { Outgoing, OutgoingQuestion } from '../conversation/outgoing.js';
import { AgentError } from '../errors.js';
import { describe } from '../ids.js';
import { inQuotes } from '../json.js';
import type { Fields } from './compact.js';
import {
  isFields,
  wholeAsk,
  wholeConversation,
  wholePlace,
  writeAsk,
  writeOthers,
  writePlace,
  writeShown,
} from './compact.js';

type Kind = 'text' | 'number' | 'list' | 'record';

const statuses: readonly unknown[] = [
  'pending',
  'answered',
  'declined',
  'exhausted',
  'expired',
  'cancelled',
] satisfies AskStatus[];

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

/** What is wrong with a field, or nothing. */
function wrong(field: string, value: unknown, kind: Kind): string | undefined {
  const got = kindOf(value);
  return got === kind ? undefined : `${field} must be a ${kind}, got ${got}`;
}

/** What an ask must have to be worked on; written out, because every turn reads some. */
function askDamage(ask: unknown): string | undefined {
  if (!isFields(ask)) return `ask must be a record, got ${kindOf(ask)}`;
  const place = ask['place'] as Fields;
  const { decision, expiresAt } = ask;
  const odd =
    wrong('id', ask['id'], 'text') ??
    wrong('agentName', ask['agentName'], 'text') ??
    wrong('question', ask['question'], 'text') ??
    wrong('kind', ask['kind'], 'text') ??
    wrong('retries', ask['retries'], 'number') ??
    wrong('maxRetries', ask['maxRetries'], 'number') ??
    wrong('askedAt', ask['askedAt'], 'number') ??
    wrong('place', place, 'record') ??
    wrong('place.channel', place['channel'], 'text') ??
    (expiresAt === undefined ? undefined : wrong('expiresAt', expiresAt, 'number')) ??
    (decision === undefined ? undefined : decisionDamage(decision));
  if (odd !== undefined || statuses.includes(ask['status'])) return odd;
  return `status must be one of ${statuses.join(', ')}, got ${describe(ask['status'])}`;
}

function decisionDamage(decision: unknown): string | undefined {
  if (!isFields(decision)) return wrong('decision', decision, 'record');
  return wrong('decision.at', decision['at'], 'number') ?? wrong('decision.entry', decision['entry'], 'text');
}

function conversationDamage(value: Fields): string | undefined {
  const { v, asks, parked, people } = value;
  if (!Array.isArray(asks) || !Array.isArray(parked) || !Array.isArray(people))
    return wrong('asks', asks, 'list') ?? wrong('parked', parked, 'list') ?? wrong('people', people, 'list');
  if (v !== 1) return `v must be 1, got ${describe(v)}`;
  for (let i = 0; i < asks.length; i += 1) {
    const inAsk = askDamage(asks[i]);
    if (inAsk !== undefined) return `asks.${i}.${inAsk}`;
  }
  for (let i = 0; i < parked.length; i += 1) {
    const each: unknown = parked[i];
    if (!isFields(each) || typeof each['id'] !== 'string') return `parked.${i} must be a record with an id`;
  }
  for (const each of people) if (typeof each !== 'string') return `people must be texts, got ${describe(each)}`;
  return undefined;
}

function assertSound(damage: string | undefined, what: () => string): void {
  if (damage === undefined) return;
  throw new AgentError('bad-record', `${what()} is damaged: ${damage}. It is left as it is.`);
}

function assertNotNewer(value: Fields, what: () => string): void {
  if (typeof value['v'] !== 'number' || value['v'] <= 1) return;
  throw new AgentError(
    'newer-record',
    `${what()} has format ${value['v']}, this release reads up to 1. Finish the roll-out of the newer release.`,
  );
}

export { writeConversation } from './compact.js';

export function readConversation(text: string | null, conversationId: string): Conversation {
  if (text === null) return emptyConversation;
  const what = (): string => `The document of conversation ${JSON.stringify(conversationId)}`;
  const whole = wholeConversation(parsed(text, what), text);
  assertNotNewer(whole, what);
  assertSound(conversationDamage(whole), what);
  return whole as unknown as Conversation; // its fields were looked at
}

/** What is kept of an ask that is settled. */
export interface SettledRecord {
  readonly conversationId: string;
  readonly ask: Ask;
}

export function writeSettled({ conversationId, ask }: SettledRecord): string {
  return `{"conversationId":"${inQuotes(conversationId)}","ask":${writeAsk(ask)}}`;
}

/** The record of a settled ask; undefined for what an erased one has left. */
export function readSettled(text: string): SettledRecord | undefined {
  const what = (): string => 'A stored ask';
  const { conversationId, ask } = parsed(text, what);
  if (typeof conversationId !== 'string' || !isFields(ask)) return undefined;
  const whole = wholeAsk(ask);
  assertSound(askDamage(whole), what);
  return { conversationId, ask: whole as unknown as Ask }; // its fields were looked at
}

/** An output without its key, which the store keeps, and a question without what its ask says already. */
export function writeOutgoing(outgoing: Outgoing): string {
  if (outgoing.type !== 'question' && outgoing.type !== 'redraw') {
    const { key: _, ...rest } = outgoing;
    return JSON.stringify(rest);
  }
  const { ask, text, place } = outgoing;
  let stored = `{"type":"${outgoing.type}","ask":${writeShown(ask)}`;
  if (text !== ask.question) stored += `,"text":"${inQuotes(text)}"`;
  if (place !== ask.place) stored += `,"place":${JSON.stringify(place)}`;
  return `${stored}${writeOthers(outgoing, inAsked)}}`;
}

const inAsked: ReadonlySet<string> = new Set<keyof OutgoingQuestion>(['type', 'key', 'ask', 'text', 'place']);

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
  return { text: ask['question'], place: ask['place'], ...value, ask, key } as OutgoingQuestion;
}

/** An entry as the queue keeps it; its id and time belong to the store. */
export function writeEntry(entry: Entry, waiter?: string): string {
  const text = entry.type === 'message' ? writeMessage(entry) : JSON.stringify(entry);
  return waiter === undefined ? `{"entry":${text}}` : `{"entry":${text},"waiter":"${inQuotes(waiter)}"}`;
}

const inMessage: ReadonlySet<string> = new Set<keyof MessageEntry>(['type', 'text', 'place']);

function writeMessage(entry: MessageEntry): string {
  const said = `"type":"message","text":"${inQuotes(entry.text)}","place":${writePlace(entry.place)}`;
  return `{${said}${writeOthers(entry, inMessage)}}`;
}

export function readEntry(id: string, at: number, data: string): Queued {
  const what = (): string => `The entry ${JSON.stringify(id)}`;
  const value = parsed(data, what);
  const { entry, waiter } = value;
  if (!isFields(entry) || typeof entry['type'] !== 'string' || (waiter !== undefined && typeof waiter !== 'string')) {
    assertSound('entry must be a record with a type, and a waiter a text', what);
  } else if (!entryTypes.has(entry['type'])) {
    throw new AgentError(
      'newer-record',
      `${what()} has type ${JSON.stringify(entry['type'])}, which this release does not know. Finish the roll-out of the newer release.`,
    );
  }
  if (isFields(entry) && typeof entry['place'] === 'string') entry['place'] = wholePlace(entry['place']);
  const queued: Fields = { id, at };
  for (const field in value) queued[field] = value[field];
  return queued as unknown as Queued; // its fields were looked at
}
