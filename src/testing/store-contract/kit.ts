/**
 * Helpers of the store contract: calls with defaults, and assertions with messages. They know the store only through
 * the port and read no clock.
 */
import assert from 'node:assert/strict';
import { routedId } from '../../core/ids.js';
import type * as port from '../../stores/port.js';
import type { Claim, Erase, NewEntry, Output, Returned, Save, Saved, Store, Take, Taken } from './texts.js';

/** A store, and a way to let its time pass. */
export interface StoreWorld {
  /** The store to prove. */
  readonly store: port.Store;
  /** Lets this many ms pass for the store. */
  pass(ms: number): Promise<void>;
}

/** The same as stories tell of it. */
export interface StoryWorld {
  readonly store: Store;
  pass(ms: number): Promise<void>;
}

export type StoreStory = readonly [name: string, story: (world: StoryWorld) => Promise<void>];

/** Longer than any test. */
export const long = 600_000;
/** Short enough that `later` is after it, even in real time. */
export const short = 40;
export const later = 90;

let made = 0;
/** A string that is unique in this process. */
export function fresh(what: string): string {
  made += 1;
  return `${what}-${made}`;
}

/** The id of an ask or of a parked entry. It leads to its conversation, and a store may rely on that. */
export function askId(conversationId: string, name: string): string {
  return routedId(conversationId, name);
}

export function entry(id: string, more: Partial<NewEntry> = {}): NewEntry {
  return { id, data: `data of ${id}`, room: 100, ...more };
}

export function taking(conversationId: string, more: Partial<Take> = {}): Take {
  return { conversationId, token: fresh('token'), turn: fresh('turn'), lease: long, ...more };
}

/** Records an entry without claiming the conversation. */
export async function record(
  store: Store,
  conversationId: string,
  id: string,
  more?: Partial<NewEntry>,
): Promise<Taken> {
  return store.take(taking(conversationId, { lease: 0, entry: entry(id, more) }));
}

/** Claims a conversation that must be free and have work. */
export async function claim(store: Store, conversationId: string, more: Partial<Take> = {}): Promise<Claim> {
  const taken = await store.take(taking(conversationId, more));
  assert.ok(taken.claim, `${JSON.stringify(conversationId)} should have been claimed`);
  return taken.claim;
}

/** Records an entry and claims the conversation with it. */
export async function begin(store: Store, conversationId: string, id = fresh('entry'), lease = long): Promise<Claim> {
  return claim(store, conversationId, { lease, entry: entry(id) });
}

/** An output for the saver to send over the channel `web`. */
export function out(key: string, more: Partial<Output> = {}): Output {
  return { key, channel: 'web', data: `data of ${key}`, to: 'saver', ...more };
}

type Then = Save['then'];
export type SaveChanges = Partial<Omit<Save, 'then' | 'asks'>> & { readonly asks?: Partial<Save['asks']> };

export const hold: Then = { type: 'hold' };

export function next(lease = long, turn = fresh('turn')): Then {
  return { type: 'next', turn, lease };
}

export function release(wait = 0, returns: Returned = 'nothing'): Then {
  return { type: 'release', wait, returns };
}

/** A save by the holder of `by` that closes and changes nothing, and claims the next entry. */
export function saving(
  conversationId: string,
  by: Pick<Claim, 'token' | 'revision'>,
  changes: SaveChanges = {},
  then: Then = next(),
): Save {
  return {
    conversationId,
    token: by.token,
    call: fresh('call'),
    revision: by.revision,
    outputs: [],
    withdraw: [],
    history: [],
    historyLimit: 100_000,
    parked: { added: [], removed: [] },
    people: [],
    then,
    sendLease: long,
    retention: long,
    dedupeWindow: long,
    ...changes,
    asks: { opened: [], changed: [], settled: [], ...changes.asks },
  };
}

export function closing(
  entryId: string,
  outcome = `outcome of ${entryId}`,
  keepMemo = false,
): NonNullable<Save['closes']> {
  return { entryId, outcome, keepMemo };
}

/** Closes the entry of a claim, with everything else as given. */
export function finishing(conversationId: string, by: Claim, changes: SaveChanges = {}, then: Then = next()): Save {
  assert.ok(by.entry, 'the claim should have come with an entry');
  return saving(conversationId, by, { closes: closing(by.entry.id), ...changes }, then);
}

type SaveDone = Extract<Saved, { type: 'saved' }>;

/** Saves; fails the test if the save is refused. */
export async function saved(store: Store, call: Save): Promise<SaveDone> {
  const result = await store.save(call);
  assert.equal(result.type, 'saved', 'the save should not have been refused');
  return result as SaveDone;
}

/** One whole turn: an entry is recorded, claimed and closed. The conversation is free afterwards. */
export async function turn(store: Store, conversationId: string, changes: SaveChanges = {}): Promise<Claim> {
  const by = await begin(store, conversationId);
  await saved(store, finishing(conversationId, by, changes, release()));
  return by;
}

/** Works on a conversation until nothing is next. Returns the ids of its entries in order. */
export async function workedOff(store: Store, conversationId: string, first: Claim): Promise<string[]> {
  const ids: string[] = [];
  for (let by: Claim | undefined = first; by !== undefined; ) {
    ids.push(by.entry?.id ?? 'none');
    assert.ok(ids.length < 100, 'a line of entries should come to its end');
    by = (await saved(store, finishing(conversationId, by))).next;
  }
  return ids;
}

/** A claim without its time. */
export function timeless<T extends { readonly now: number }>(said: T | undefined): Omit<T, 'now'> | undefined {
  if (said === undefined) return undefined;
  const { now: _, ...rest } = said;
  return rest;
}

export async function read(store: Store, conversationId: string) {
  const state = await store.conversation(conversationId);
  assert.ok(state, `${JSON.stringify(conversationId)} should be there`);
  return state;
}

export async function waiting(store: Store, conversationId: string): Promise<string[]> {
  return (await store.conversation(conversationId))?.queue.map(({ id }) => id) ?? [];
}

/** The keys that `unsent` lends for one channel. */
export async function lentKeys(
  store: Store,
  channel: string,
  conversationId?: string,
  sendLease = long,
): Promise<string[]> {
  const call = { channels: [channel], limit: 100, sendLease, ...(conversationId !== undefined && { conversationId }) };
  return (await store.unsent(call)).map(({ key }) => key);
}

/** Rolls a number from 0 up to before `sides`: the same row of numbers in every run. */
export function dice(): (sides: number) => number {
  let state = 12_345;
  return (sides) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor(state / 65_536) % sides;
  };
}

/** Erases a conversation as it is. */
export async function erase(store: Store, conversationId: string, more: Partial<Erase> = {}): Promise<void> {
  const { incarnation, revision } = await read(store, conversationId);
  const call = { conversationId, incarnation, revision, asks: [], parked: [], retention: long, ...more };
  assert.equal(await store.erase(call), true, `${JSON.stringify(conversationId)} should have been erased`);
}

/** Everything of the conversation `c` that a repeat could change. */
async function everything(store: Store) {
  const page = { limit: 1_000 };
  return {
    state: timeless(await read(store, 'c')),
    history: await store.history('c', page),
    lists: await Promise.all((['open', 'deadline', 'parked'] as const).map((what) => store.list(what, page))),
    settled: await store.settled(page),
    people: await store.conversationsOf('p'),
    unsent: await lentKeys(store, 'web', 'c', 0),
  };
}

/** Repeats a step, and asserts that nothing in the conversation `c` has changed. */
export async function unchanged<T>(store: Store, step: () => Promise<T>): Promise<T> {
  const before = await everything(store);
  const said = await step();
  assert.deepEqual(await everything(store), before);
  return said;
}

/**
 * Checks the invariant of `due` through the port: all in `wanted` are found, none in `idle`. A conversation that is
 * held or backing off is idle now, and wanted after that.
 */
export async function checkDue(
  store: Store,
  expected: { readonly wanted?: readonly string[]; readonly idle?: readonly string[] },
): Promise<void> {
  const { conversations } = await store.due(10_000);
  assert.equal(new Set(conversations).size, conversations.length, 'no conversation is due twice');
  for (const id of expected.wanted ?? []) {
    assert.ok(conversations.includes(id), `${JSON.stringify(id)} wants a holder and should be due`);
  }
  for (const id of expected.idle ?? []) {
    assert.ok(!conversations.includes(id), `${JSON.stringify(id)} wants no holder now and should not be due`);
  }
}
