/**
 * What the memory store finds across conversations: open asks, parked entries, settled asks, and who takes part where.
 * It never decides when something is over; it is told, or its time passes.
 */

import { flat } from '../../core/flat.js';
import { badCursor } from '../call-check.js';
import type { Listed, Page, Save } from '../port.js';
import type { Conversation } from './conversation.js';
import { each, type Few, withOne, without } from './few.js';
import type { Heap, Placed } from './heap.js';

/** Items by time and id. Kept sorted; what is removed stays as a gap until half of it is gaps. */
export class Listing {
  private readonly known = new Map<string, Listed>();
  private sorted: Listed[] = [];

  get(id: string): Listed | undefined {
    return this.known.get(id);
  }

  add(item: Listed): void {
    this.known.set(item.id, item);
    const last = this.sorted.at(-1);
    if (last === undefined || before(last, item)) this.sorted.push(item);
    else this.sorted.splice(this.placeAfter(item), 0, item);
  }

  remove(id: string): void {
    if (!this.known.delete(id) || this.sorted.length <= 2 * this.known.size + 32) return;
    this.sorted = this.sorted.filter((item) => this.known.get(item.id) === item);
  }

  page({ limit, cursor }: Page): { items: Listed[]; cursor?: string } {
    const items: Listed[] = [];
    for (let i = cursor === undefined ? 0 : this.placeAfter(position(cursor)); i < this.sorted.length; i++) {
      const item = this.sorted[i] as Listed;
      if (this.known.get(item.id) !== item) continue;
      if (items.length >= limit) return { items, ...nextCursor(items.at(-1)) };
      items.push(item);
    }
    return { items };
  }

  /** The index of the first item that comes after `point`. */
  private placeAfter(point: Pick<Listed, 'at' | 'id'>): number {
    let low = 0;
    let high = this.sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (before(point, this.sorted[middle] as Listed)) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

function before(one: Pick<Listed, 'at' | 'id'>, other: Pick<Listed, 'at' | 'id'>): boolean {
  return one.at < other.at || (one.at === other.at && one.id < other.id);
}

function nextCursor(last: Listed | undefined): { cursor?: string } {
  return last === undefined ? {} : { cursor: `${last.at}:${last.id}` };
}

function position(cursor: string): Pick<Listed, 'at' | 'id'> {
  const colon = cursor.indexOf(':');
  const at = Number(cursor.slice(0, Math.max(colon, 0)) || Number.NaN);
  if (Number.isNaN(at)) throw badCursor(cursor);
  return { at, id: cursor.slice(colon + 1) };
}

/** The record of a settled ask, until its time. */
export class Settled implements Placed {
  slot = -1;
  readonly id: string;
  readonly record: string;
  /** Where it was asked, while that is known. */
  readonly conversation: Conversation | undefined;

  constructor(id: string, record: string, conversation: Conversation | undefined) {
    this.id = id;
    this.record = record;
    this.conversation = conversation;
  }
}

export class Directory {
  readonly open = new Listing();
  readonly parked = new Listing();
  private readonly settled = new Map<string, Settled>();
  /** The conversations of a participant. */
  private readonly people = new Map<string, Few>();
  private readonly expiry: Heap<Placed>;

  constructor(expiry: Heap<Placed>) {
    this.expiry = expiry;
  }

  find(id: string): { conversationId: string } | { record: string } | null {
    const listed = this.open.get(id) ?? this.parked.get(id);
    if (listed !== undefined) return { conversationId: listed.conversationId };
    const settled = this.settled.get(id);
    return settled === undefined ? null : { record: settled.record };
  }

  conversationsOf(participantId: string): string[] {
    return [...each(this.people.get(participantId))];
  }

  /** The part of a save that others can find. */
  apply(conversation: Conversation, call: Save, now: number): void {
    for (const { id, at } of call.asks.opened) {
      conversation.asks = withOne(conversation.asks, id);
      this.open.add({ id, conversationId: conversation.id, at });
    }
    for (const { id, record } of call.asks.settled) {
      this.open.remove(id);
      conversation.asks = withOne(conversation.asks, id);
      const known = conversation.asks === id ? conversation.asks : id; // the same text, and not kept twice
      this.settle(known, record, now + call.retention, conversation);
    }
    for (const { id, at } of call.parked.added) {
      conversation.parked = withOne(conversation.parked, id);
      this.parked.add({ id, conversationId: conversation.id, at });
    }
    for (const id of call.parked.removed) {
      conversation.parked = without(conversation.parked, id);
      this.parked.remove(id);
    }
    for (const person of call.people) {
      conversation.people = withOne(conversation.people, person);
      this.people.set(person, withOne(this.people.get(person), conversation.id));
    }
  }

  /** Keeps the record of a settled ask, or what is left of one, until its time. */
  settle(id: string, record: string, until: number, conversation?: Conversation): void {
    this.unsettle(id);
    const settled = new Settled(id, flat(record), conversation);
    this.settled.set(id, settled);
    this.expiry.set(settled, until);
  }

  /** The time of a settled ask is over. */
  expire({ id, conversation }: Settled): void {
    this.settled.delete(id);
    if (conversation !== undefined) conversation.asks = without(conversation.asks, id);
  }

  /** Forgets that there was this conversation. Settled asks stay for their own time unless `everything` goes. */
  drop(conversation: Conversation, everything: boolean): void {
    for (const id of each(conversation.asks)) {
      this.open.remove(id);
      if (everything) this.unsettle(id);
    }
    for (const id of each(conversation.parked)) this.parked.remove(id);
    for (const person of each(conversation.people)) {
      const left = without(this.people.get(person), conversation.id);
      if (left === undefined) this.people.delete(person);
      else this.people.set(person, left);
    }
  }

  private unsettle(id: string): void {
    const settled = this.settled.get(id);
    if (settled === undefined) return;
    this.settled.delete(id);
    this.expiry.remove(settled);
  }
}
