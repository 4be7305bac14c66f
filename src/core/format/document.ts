/**
 * Every record as the store has it, and back: the document of a conversation, a settled ask, an output, an entry, an outcome.
 * Fields of a newer release are kept and written back. A record that cannot be read is an error, never an empty one.
 */
import type { Ask, AskStatus } from '../ask/ask.js';
import type { Conversation, Parked } from '../conversation/conversation.js';
import { emptyConversation } from '../conversation/conversation.js';
import type { Disposition, Entry, EntryOutcome, Queued } from '../conversation/entry.js';
import type { HistoryItem } from '../conversation/history.js';
import type { Outgoing, OutgoingQuestion } from '../conversation/outgoing.js';
import { askIdIn } from '../conversation/outgoing.js';
import { describe } from '../ids.js';
import { askDamage, askOf, askRow, publicRow } from './ask-row.js';
import type { StoredFields } from './parse.js';
import { assertSound, isFields, mismatch, newerRecord, parsedFields } from './parse.js';
import { type Stored, StoredRecord, valueIn } from './stored.js';

export const writeConversation = (conversation: Conversation): Stored =>
  StoredRecord.of(conversation, conversationText);

function conversationText(conversation: Conversation): string {
  const { v, asks, late, sensitiveTraces, parked } = conversation;
  const stored: StoredFields = {
    v,
    asks: unlessEmpty(asks.map(askRow)),
    late: late === undefined ? undefined : askRow(late),
    sensitiveTraces: sensitiveTraces?.map((trace) => ({ ...trace, ask: askRow(trace.ask) })),
    parked: unlessEmpty(parked.map(storedParked)),
  };
  for (const field of Object.keys(conversation))
    if (!(field in stored)) stored[field] = conversation[field as keyof Conversation];
  return JSON.stringify(stored);
}

const unlessEmpty = <T>(list: readonly T[]): readonly T[] | undefined => (list.length === 0 ? undefined : list);

function storedParked(parked: Parked): object {
  const { queued, ask, awaited } = parked;
  return {
    ...parked,
    queued: { ...queued, entry: storedEntry(queued.entry) },
    ask: ask === undefined ? undefined : askRow(ask),
    awaited: awaited?.map(askRow),
  };
}

export function readConversation(document: Stored | null, conversationId: string): Conversation {
  return document === null ? emptyConversation : valueIn(document, (text) => conversationIn(text, conversationId));
}

function conversationIn(text: string, conversationId: string): Conversation {
  const what = (): string => `The document of conversation ${JSON.stringify(conversationId)}`;
  const stored = parsedFields(text, what);
  const { v, asks = [], late, sensitiveTraces, parked = [] } = stored;
  if (typeof v === 'number' && v > 1) throw newerRecord(`${what()} has format ${v}, this release reads up to 1`);
  const conversation: StoredFields = { v, asks: eachOf(asks, askOf), parked: eachOf(parked, parkedOf) };
  for (const field of Object.keys(stored)) if (!(field in conversation)) conversation[field] = stored[field];
  if (late !== undefined) conversation['late'] = askOf(late);
  if (sensitiveTraces !== undefined) conversation['sensitiveTraces'] = eachOf(sensitiveTraces, traceOf);
  assertSound(conversationDamage(conversation), what);
  return conversation as unknown as Conversation; // its fields were looked at
}

const eachOf = (list: unknown, of: (item: unknown) => unknown): unknown => (Array.isArray(list) ? list.map(of) : list);

function traceOf(stored: unknown): unknown {
  return isFields(stored) ? { ...stored, ask: askOf(stored['ask']) } : stored;
}

function parkedOf(stored: unknown): unknown {
  if (!isFields(stored)) return stored;
  const { queued, ask, awaited } = stored;
  const parked: StoredFields = {
    ...stored,
    queued: isFields(queued) ? { ...queued, entry: entryOf(queued['entry']) } : undefined,
  };
  if (ask !== undefined) parked['ask'] = askOf(ask);
  if (awaited !== undefined) parked['awaited'] = eachOf(awaited, askOf);
  return parked;
}

function conversationDamage(conversation: StoredFields): string | undefined {
  const { v, asks, late, sensitiveTraces = [], parked } = conversation;
  if (v !== 1) return `v must be 1, got ${describe(v)}`;
  if (!Array.isArray(asks) || !Array.isArray(parked))
    return mismatch('asks', asks, 'list') ?? mismatch('parked', parked, 'list');
  const traced = eachOf(sensitiveTraces, (trace) => (isFields(trace) ? trace['ask'] : trace));
  const damaged = damageOfAsks('asks', asks) ?? damageOfAsks('sensitiveTraces', traced);
  if (damaged !== undefined) return damaged;
  if ('late' in conversation) {
    const damage = askDamage(late);
    if (damage !== undefined) return `late.${damage}`;
  }
  for (const [i, each] of parked.entries()) {
    if (!isFields(each) || typeof each['id'] !== 'string') return `parked.${i} must be a record with an id`;
    const damage = parkedDamage(each);
    if (damage !== undefined) return `parked.${i}.${damage}`;
  }
  return undefined;
}

function damageOfAsks(name: string, asks: unknown): string | undefined {
  if (!Array.isArray(asks)) return mismatch(name, asks, 'list');
  for (const [i, ask] of asks.entries()) {
    const damage = askDamage(ask);
    if (damage !== undefined) return `${name}.${i}.${damage}`;
  }
  return undefined;
}

function parkedDamage(parked: StoredFields): string | undefined {
  const { queued, awaited = [] } = parked;
  const damaged = damageOfAsks('awaited', awaited);
  if (damaged !== undefined) return damaged;
  if (!isFields(queued) || queued['entry'] === undefined) return 'queued must be a record with an entry';
  return 'ask' in parked ? askDamage(parked['ask']) : undefined;
}

/** What is kept of an ask that is settled. */
export interface SettledRecord {
  readonly conversationId: string;
  readonly ask: Ask;
}

export const writeSettled = (settled: SettledRecord): Stored => StoredRecord.of(settled, settledText);

const settledText = ({ conversationId, ask }: SettledRecord): string =>
  JSON.stringify({ conversationId, ask: askRow(ask) });

/** The record of a settled ask; undefined for what an erased one has left. */
export function readSettled(stored: Stored): SettledRecord | undefined {
  const left = valueIn(stored, leftIn);
  return 'ask' in left ? left : undefined;
}

/** What is left of an ask that is over. */
function leftIn(text: string): SettledRecord | Tombstone {
  const what = (): string => 'A stored ask';
  const stored = parsedFields(text, what);
  if (stored['erased'] === true) return stored as unknown as Tombstone; // written by writeTombstone()
  const { conversationId } = stored;
  const ask = askOf(stored['ask']);
  assertSound(
    typeof conversationId === 'string' ? askDamage(ask) : mismatch('conversationId', conversationId, 'string'),
    what,
  );
  return { conversationId, ask } as unknown as SettledRecord; // its fields were looked at
}

/** What is kept of an ask whose conversation was erased: nothing that anybody said. The status is missing if its record could not be read. */
export interface Tombstone {
  readonly erased: true;
  readonly id: string;
  readonly status: AskStatus | undefined;
  /** Whose people may be told that it is gone. */
  readonly tenant?: string | undefined;
  /** When it was erased. */
  readonly at: number;
}

export const writeTombstone = ({ id, status, tenant, at }: Omit<Tombstone, 'erased'>): Stored =>
  StoredRecord.of({ erased: true, id, status, tenant, at }, JSON.stringify);

/** The tombstone of an erased ask; undefined for the record of a settled one. */
export function readTombstone(stored: Stored): Tombstone | undefined {
  const left = valueIn(stored, leftIn);
  return 'ask' in left ? undefined : left;
}

export const writeOutgoing = (outgoing: Outgoing): Stored => StoredRecord.of(outgoing, outgoingText);

/** An output without its key, which the store keeps, and a question without what its ask says already. */
function outgoingText(outgoing: Outgoing): string {
  if (outgoing.type === 'say') return JSON.stringify({ ...outgoing, key: undefined });
  if (outgoing.type === 'forward')
    return JSON.stringify({ ...outgoing, key: undefined, entry: storedEntry(outgoing.entry) });
  const { ask, text, place } = outgoing;
  return JSON.stringify({
    ...outgoing,
    key: undefined,
    text: text === ask.question.text ? undefined : text,
    place: place === ask.places.own ? undefined : place,
    ask: publicRow(ask),
  });
}

/** The output again; undefined if it cannot be read. */
export function readOutgoing(key: string, data: Stored): Outgoing | undefined {
  try {
    return valueIn(data, (text) => outgoingIn(key, text));
  } catch {
    return undefined;
  }
}

function outgoingIn(key: string, text: string): Outgoing | undefined {
  const stored = parsedFields(text, () => 'An output');
  if (stored['type'] === 'forward') {
    const entry = entryOf(stored['entry']);
    return entry === undefined ? undefined : ({ ...stored, entry, key } as unknown as Outgoing);
  }
  if (stored['type'] === 'say') return stored['place'] === undefined ? undefined : ({ ...stored, key } as Outgoing);
  const ask = askOf(stored['ask']);
  if (ask === undefined || askDamage(ask) !== undefined) return undefined;
  return { text: ask.question.text, place: ask.places.own, ...stored, ask, key } as unknown as OutgoingQuestion;
}

/** An entry as the queue keeps it; its id and time belong to the store. */
export const writeEntry = (entry: Entry, waiter?: string): Stored =>
  StoredRecord.of(waiter === undefined ? { entry } : { entry, waiter }, entryText);

const entryText = ({ entry, waiter }: Waited): string => JSON.stringify({ entry: storedEntry(entry), waiter });

const storedEntry = (entry: Entry): object => (entry.type === 'open' ? { ...entry, ask: askRow(entry.ask) } : entry);

/** The entry again; undefined if it is not one. Its type may be one of a newer release. */
function entryOf(stored: unknown): StoredFields | undefined {
  if (!isFields(stored) || typeof stored['type'] !== 'string') return undefined;
  if (stored['type'] !== 'open') return stored;
  const ask = askOf(stored['ask']);
  return askDamage(ask) === undefined ? { ...stored, ask } : undefined;
}

const entryTypes: ReadonlySet<unknown> = new Set<Entry['type']>([
  'message',
  'answer',
  'decline',
  'cancel',
  'expire',
  'open',
  'say',
  'undeliverable',
  'remind',
  'escalate',
  'hand-over',
  'show',
  'use',
  'retry',
  'unpark',
]);

/** An entry, and who waits for what becomes of it. */
type Waited = Pick<Queued, 'entry' | 'waiter'>;

/** An entry as the store keeps it. */
interface RecordedEntry {
  readonly id: string;
  readonly at: number;
  readonly data: Stored;
  readonly revision: number;
}

export function readEntry({ id, at, data, revision }: RecordedEntry): Queued {
  return { id, at, revision, ...valueIn(data, (text) => waitedIn(text, id)) };
}

function waitedIn(data: string, id: string): Waited {
  const what = (): string => `The entry ${JSON.stringify(id)}`;
  const stored = parsedFields(data, what);
  const { waiter } = stored;
  const entry = entryOf(stored['entry']);
  if (entry === undefined || (waiter !== undefined && typeof waiter !== 'string'))
    assertSound('entry must be a record with a type, and waiter a string', what);
  else if (!entryTypes.has(entry['type']))
    throw newerRecord(`${what()} has type ${JSON.stringify(entry['type'])}, which this release does not know`);
  return { ...stored, entry } as unknown as Waited; // its fields were looked at
}

/** A disposition as it is kept: where it is only a type, its name. */
type ShortDisposition = Disposition | Disposition['type'];

/** What became of an entry, as the store keeps it. */
export const writeOutcome = (outcome: EntryOutcome): Stored => StoredRecord.of(outcome, outcomeText);

function outcomeText({ disposition, said, metadata }: EntryOutcome): string {
  const short: ShortDisposition = Object.keys(disposition).length === 1 ? disposition.type : disposition;
  if (said === undefined) return JSON.stringify(short);
  return JSON.stringify(metadata === undefined ? [short, ...said] : [short, ...said, metadata]);
}

export const readOutcome = (outcome: Stored): EntryOutcome => valueIn(outcome, outcomeIn);

function outcomeIn(outcome: string): EntryOutcome {
  // it was written by writeOutcome()
  const read = JSON.parse(outcome) as ShortDisposition | [ShortDisposition, number, number, EntryOutcome['metadata']?];
  const [short, from, to, metadata] = Array.isArray(read) ? read : [read];
  const disposition = typeof short === 'string' ? ({ type: short } as Disposition) : short; // this type needs nothing more
  if (from === undefined || to === undefined) return { disposition };
  return metadata === undefined ? { disposition, said: [from, to] } : { disposition, said: [from, to], metadata };
}

export const writeItem = (item: HistoryItem): Stored => StoredRecord.of(item, itemText);

/** The id of the ask is left out where the key of its question has it. */
function itemText(item: HistoryItem): string {
  if (item.type !== 'out' || item.askId === undefined || item.askId !== askIdIn(item.key)) return JSON.stringify(item);
  const { askId: _, ...rest } = item;
  return JSON.stringify(rest);
}

export const readItem = (item: Stored, conversationId: string): HistoryItem =>
  valueIn(item, (text) => itemIn(text, conversationId));

function itemIn(text: string, conversationId: string): HistoryItem {
  const what = (): string => `An item of the history of conversation ${JSON.stringify(conversationId)}`;
  const item = parsedFields(text, what) as unknown as HistoryItem; // it was written by writeItem()
  if (item.type !== 'out' || item.askId !== undefined) return item;
  const askId = askIdIn(item.key);
  return askId === undefined ? item : { ...item, askId };
}
