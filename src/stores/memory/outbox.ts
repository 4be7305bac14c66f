/**
 * The outbox of the memory store: what has to go out, by channel, in the order of saving, and what is lent until when.
 * It never sends anything and never looks into what it keeps.
 */

import type { Borrow, Lent, Mark, Output } from '../port.js';
import { type Conversation, OutboxItem, type Unsent } from './conversation.js';
import { Heap } from './heap.js';

interface Lane {
  /** Free to be lent, by order of saving. */
  readonly ready: Heap<OutboxItem>;
  /** Lent or put off, by the time at which they are free again. */
  readonly waiting: Heap<OutboxItem>;
}

export class Outbox {
  private readonly lanes = new Map<string, Lane>();
  private saved = 0;

  /** Adds an output, lent for `loan` if it is the saver's. One that is there already stays as it is. */
  add(conversation: Conversation, output: Output, now: number, loan: number): void {
    const { outbox } = conversation;
    if (find(outbox, output.key) !== undefined) return;
    const item = new OutboxItem(conversation, output, this.saved++);
    if (outbox instanceof Map) outbox.set(item.key, item);
    else conversation.outbox = outbox === undefined ? item : new Map([outbox, item].map((each) => [each.key, each]));
    if (item.to === 'puller') return;
    conversation.pushes += 1;
    this.putOff(item, item.to === 'saver' ? now + loan : now);
  }

  remove(conversation: Conversation, key: string): void {
    const { outbox } = conversation;
    const item = find(outbox, key);
    if (item === undefined) return;
    if (outbox instanceof Map) outbox.delete(key);
    if (outbox === item || (outbox instanceof Map && outbox.size === 0)) conversation.outbox = undefined;
    if (item.to === 'puller') return;
    conversation.pushes -= 1;
    const lane = this.lane(item.channel);
    (item.ready ? lane.ready : lane.waiting).remove(item);
    if (lane.ready.size + lane.waiting.size === 0) this.lanes.delete(item.channel);
  }

  clear(conversation: Conversation): void {
    for (const { key } of [...each(conversation.outbox)]) this.remove(conversation, key);
  }

  mark(conversation: Conversation, mark: Mark, now: number): void {
    if (mark.sentAs !== undefined) {
      conversation.sentAs ??= new Map();
      conversation.sentAs.set(mark.sentAs.name, mark.sentAs.id);
    }
    const item = find(conversation.outbox, mark.key);
    if (item === undefined || item.channel !== mark.channel) return;
    if (mark.again === undefined) this.remove(conversation, mark.key);
    else {
      item.data = mark.again.data;
      this.putOff(item, now + mark.again.in);
    }
  }

  /** Lends what one conversation has for these channels, also what waits to be pulled. */
  lendOf(conversation: Conversation, call: Borrow, now: number): Lent[] {
    const lent: Lent[] = [];
    for (const item of each(conversation.outbox)) {
      if (lent.length >= call.limit) break;
      if (item.freeAt <= now && call.channels.includes(item.channel)) lent.push(this.lend(item, now, call.loan));
    }
    return lent;
  }

  /** Lends what any conversation has for these channels. */
  lendAny(call: Borrow, now: number): Lent[] {
    const lanes: Lane[] = [];
    for (const channel of new Set(call.channels)) {
      const lane = this.lanes.get(channel);
      if (lane === undefined) continue;
      settle(lane, now);
      lanes.push(lane);
    }
    const lent: Lent[] = [];
    while (lent.length < call.limit) {
      let oldest: OutboxItem | undefined;
      for (const lane of lanes) {
        const item = lane.ready.first();
        if (item !== undefined && (oldest === undefined || item.order < oldest.order)) oldest = item;
      }
      if (oldest === undefined) break;
      lent.push(this.lend(oldest, now, call.loan));
    }
    return lent;
  }

  private lend(item: OutboxItem, clock: number, loan: number): Lent {
    const now = item.conversation.timeAt(clock);
    this.putOff(item, now + loan);
    return { conversationId: item.conversation.id, key: item.key, channel: item.channel, data: item.data, now };
  }

  private putOff(item: OutboxItem, until: number): void {
    item.freeAt = until;
    if (item.to === 'puller') return;
    const lane = this.lane(item.channel);
    if (item.ready) lane.ready.remove(item);
    item.ready = false;
    lane.waiting.set(item, until);
  }

  private lane(channel: string): Lane {
    const known = this.lanes.get(channel);
    if (known !== undefined) return known;
    const lane: Lane = { ready: new Heap(), waiting: new Heap() };
    this.lanes.set(channel, lane);
    return lane;
  }
}

function find(unsent: Unsent, key: string): OutboxItem | undefined {
  if (unsent instanceof Map) return unsent.get(key);
  return unsent?.key === key ? unsent : undefined;
}

function each(unsent: Unsent): Iterable<OutboxItem> {
  if (unsent instanceof Map) return unsent.values();
  return unsent === undefined ? [] : [unsent];
}

/** Makes ready what is free again. */
function settle(lane: Lane, now: number): void {
  for (;;) {
    const item = lane.waiting.first();
    if (item === undefined || lane.waiting.firstAt() > now) return;
    lane.waiting.remove(item);
    item.ready = true;
    lane.ready.set(item, item.order);
  }
}
