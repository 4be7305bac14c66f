/**
 * What the memory store finds across conversations: open asks, parked entries, settled asks, and who takes part where.
 * It never decides when something is over; it is told, or its time passes.
 */
import { badCursor } from './call-check.js';
import { flat } from './flat.js';
import { type Heap, HeapNode } from './heap.js';
import type { Conversation } from './memory-conversation.js';
import type { Listed, Page, Save } from './port.js';

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

function asksOf(conversation: Conversation): Set<string> {
  conversation.asks ??= new Set();
  return conversation.asks;
}

interface Settled {
  readonly record: string;
  readonly expiry: HeapNode<() => void>;
}

export class Directory {
  readonly open = new Listing();
  readonly parked = new Listing();
  private readonly settled = new Map<string, Settled>();
  /** The conversations of a participant; most have one. */
  private readonly people = new Map<string, string | Set<string>>();
  private readonly expiry: Heap<() => void>;

  constructor(expiry: Heap<() => void>) {
    this.expiry = expiry;
  }

  find(id: string): { conversationId: string } | { record: string } | null {
    const listed = this.open.get(id) ?? this.parked.get(id);
    if (listed !== undefined) return { conversationId: listed.conversationId };
    const settled = this.settled.get(id);
    return settled === undefined ? null : { record: settled.record };
  }

  conversationsOf(participantId: string): string[] {
    const known = this.people.get(participantId) ?? [];
    return typeof known === 'string' ? [known] : [...known];
  }

  /** The part of a save that others can find. */
  apply(conversation: Conversation, call: Save, now: number): void {
    for (const { id, at } of call.asks.opened) {
      asksOf(conversation).add(id);
      this.open.add({ id, conversationId: conversation.id, at });
    }
    for (const { id, record } of call.asks.settled) {
      this.open.remove(id);
      asksOf(conversation).add(id);
      this.settle(id, record, now + call.retention, conversation);
    }
    for (const { id, at } of call.parked.added) {
      if (!conversation.parked.includes(id)) conversation.parked.push(id);
      this.parked.add({ id, conversationId: conversation.id, at });
    }
    for (const id of call.parked.removed) {
      const at = conversation.parked.indexOf(id);
      if (at >= 0) conversation.parked.splice(at, 1);
      this.parked.remove(id);
    }
    for (const person of call.people) {
      if (!conversation.people.includes(person)) conversation.people.push(person);
      const known = this.people.get(person);
      if (known === undefined) this.people.set(person, conversation.id);
      else if (typeof known !== 'string') known.add(conversation.id);
      else if (known !== conversation.id) this.people.set(person, new Set([known, conversation.id]));
    }
  }

  /** Keeps the record of a settled ask, or what is left of one, until its time. */
  settle(id: string, record: string, until: number, conversation?: Conversation): void {
    this.unsettle(id);
    const expiry = new HeapNode(() => {
      this.settled.delete(id);
      conversation?.asks?.delete(id);
    });
    this.settled.set(id, { record: flat(record), expiry });
    this.expiry.set(expiry, until);
  }

  /** Forgets that there was this conversation. Settled asks stay for their own time unless `everything` goes. */
  drop(conversation: Conversation, everything: boolean): void {
    for (const id of conversation.asks ?? []) {
      this.open.remove(id);
      if (everything) this.unsettle(id);
    }
    for (const id of conversation.parked) this.parked.remove(id);
    for (const person of conversation.people) {
      const known = this.people.get(person);
      if (typeof known === 'string') this.people.delete(person);
      else known?.delete(conversation.id);
      if (typeof known === 'object' && known.size === 0) this.people.delete(person);
    }
  }

  private unsettle(id: string): void {
    const settled = this.settled.get(id);
    if (settled === undefined) return;
    this.settled.delete(id);
    this.expiry.remove(settled.expiry);
  }
}
