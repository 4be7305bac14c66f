/**
 * The tables of the memory store: each conversation with what is beside its record, and the indexes in which
 * conversations are looked for. It writes what rules decided; no rule lives here.
 */

import { deadlineRank } from '../pages.js';
import type { Mark, Stored } from '../port.js';
import type { Changes, Erased, Facts, Needs, NewOutput } from '../rules/changes.js';
import { wantedAt } from '../rules/lease.js';
import { type ConversationRecord, type DedupeMark, type QueuedEntry, queuedMark } from '../rules/record.js';
import { ChangeLog } from './change-log.js';
import { Heap, type Placed } from './heap.js';
import { Listing } from './listing.js';

/** A member of an index of conversations. */
interface IndexEntry extends Placed {
  readonly row: ConversationRow;
}

/** The dedupe marks of a conversation that are beside its record. They may outlive it. */
interface MarkTable extends Placed {
  readonly what: 'marks';
  readonly conversationId: string;
  readonly marks: Map<string, DedupeMark>;
}

/** The record of a settled ask, until its time. */
interface SettledAsk extends Placed {
  readonly what: 'settled';
  readonly id: string;
  readonly record: Stored;
  /** When it was decided; 0 for a tombstone. */
  readonly at: number;
  /** Its conversation; undefined for a tombstone. */
  readonly row: ConversationRow | undefined;
}

/** A value of `swap`, until its time. */
interface KeptValue extends Placed {
  readonly what: 'value';
  readonly key: string;
  readonly value: string;
}

/** A conversation. Its own place is in the heap of what expires; most of them have little beside the record. */
export class ConversationRow implements Placed {
  slot = -1;
  readonly what = 'conversation';
  record: ConversationRecord | undefined;
  /** The entries behind the front one. */
  queue: QueuedEntry[] | undefined;
  /** Unsent outputs by key, in the order of saving. */
  outputs: Map<string, NewOutput> | undefined;
  history: Stored[] | undefined;
  names: Map<string, string> | undefined;
  /** By turn, then by key. */
  memos: Map<string, Map<string, string>> | undefined;
  /** Ids of its asks, open and settled, and of its parked entries. */
  asks: Set<string> | undefined;
  /** Participants beside the record. */
  people: Set<string> | undefined;
  due: IndexEntry | undefined;
  unsent: Map<string, IndexEntry> | undefined;

  constructor(readonly id: string) {}
}

export class Tables {
  readonly rows = new Map<string, ConversationRow>();
  readonly open = new Listing();
  readonly parked = new Listing();
  /** Open asks by `deadlineRank`. */
  readonly deadline = new Listing();
  readonly changes: ChangeLog;
  readonly values = new Map<string, KeptValue>();
  /** Records of settled asks, and tombstones. */
  readonly settled = new Map<string, SettledAsk>();
  /** The records alone, by the time of the decision. */
  readonly decided = new Listing<SettledAsk>();
  /** The conversations of a participant. */
  readonly people = new Map<string, Set<string>>();
  private readonly marks = new Map<string, MarkTable>();
  private readonly dueIndex = new Heap<IndexEntry>();
  private readonly unsentIndex = new Map<string, Heap<IndexEntry>>();
  private readonly expiry = new Heap<ConversationRow | MarkTable | SettledAsk | KeptValue>();

  constructor(now: number) {
    this.changes = new ChangeLog(now);
  }

  /** A row that is new gets its place in the table when something is written. */
  row(id: string): ConversationRow {
    return this.rows.get(id) ?? new ConversationRow(id);
  }

  /** Deletes what expired by `now`. */
  expire(now: number): void {
    while (this.expiry.firstAt() <= now) {
      const first = this.expiry.first() as ConversationRow | MarkTable | SettledAsk | KeptValue;
      this.expiry.remove(first);
      if (first.what === 'settled') this.forget(first);
      else if (first.what === 'value') this.values.delete(first.key);
      else if (first.what === 'marks') this.marks.delete(first.conversationId);
      else {
        for (const person of [...(first.record?.people ?? []), ...(first.people ?? [])])
          this.deletePerson(first, person);
        this.deleteRow(first);
      }
    }
  }

  /** Conversations that want a holder at `now`, the longest waiting first. */
  dueAt(now: number, limit: number): readonly string[] {
    return this.dueIndex.upTo(now, limit).map(({ row }) => row.id);
  }

  /** Conversations that have outputs for a channel at `now`. */
  unsentAt(channel: string, now: number, limit: number): readonly string[] {
    return (this.unsentIndex.get(channel)?.upTo(now, limit) ?? []).map(({ row }) => row.id);
  }

  /** The settled asks of one conversation. */
  decidedIn(conversationId: string): Listing<SettledAsk> {
    const own = new Listing<SettledAsk>();
    for (const id of this.rows.get(conversationId)?.asks ?? []) {
      const settled = this.decided.get(id);
      if (settled !== undefined) own.add(settled);
    }
    return own;
  }

  /** Keeps a value under a key until then; null deletes it. */
  putValue(key: string, value: string | null, until: number): void {
    const found = this.values.get(key);
    if (found !== undefined) this.expiry.remove(found);
    if (value === null) this.values.delete(key);
    else {
      const kept: KeptValue = { what: 'value', slot: -1, key, value };
      this.values.set(key, kept);
      this.expiry.set(kept, until);
    }
  }

  /** What a rule needs to know. */
  facts(row: ConversationRow, needs: Needs): Facts {
    const marks = this.marks.get(row.id)?.marks;
    const { mark, second, queued, memo, memos, allMarks, people } = needs;
    return {
      mark: mark === undefined ? undefined : marks?.get(mark),
      marksLeft: marks?.size ?? 0,
      waiting: row.queue?.length ?? 0,
      second: second && row.queue?.[0],
      queued: queued === undefined ? undefined : row.queue?.find(({ id }) => id === queued),
      memo: memo && row.memos?.get(memo.turn)?.get(memo.key),
      memos: memos && new Map(memos.map((turn) => [turn, Object.fromEntries(row.memos?.get(turn) ?? [])])),
      allMarks: allMarks && [...(marks ?? [])],
      people: people && [...(row.people ?? [])],
    };
  }

  /** Writes what a rule decided, all at once. */
  write(row: ConversationRow, record: ConversationRecord | undefined, changes: Changes): void {
    const { now } = changes;
    if (changes.erased !== undefined) this.erase(row, changes.erased, now);
    else if (record === undefined) this.indexDue(row, undefined);
    else this.writeRows(row, record, changes);
  }

  private writeRows(row: ConversationRow, record: ConversationRecord, changes: Changes): void {
    const { now } = changes;
    if (row.record === undefined) this.rows.set(row.id, row);
    row.record = record;
    for (const key of changes.withdrawn) this.removeOutput(row, key);
    for (const output of changes.outputs) this.addOutput(row, output);
    for (const { id, at, deadline } of changes.opened) this.listAsk(row, id, at, deadline, now);
    for (const id of changes.changed) this.changes.add({ id, conversationId: row.id, at: now });
    for (const { id, record: left, at } of changes.settled) {
      const settled: SettledAsk = { what: 'settled', slot: -1, id, record: left, at, row };
      this.putSettled(settled, changes.settledUntil);
      this.decided.add(settled);
      this.addAsk(row, id);
      this.changes.add({ id, conversationId: row.id, at: now });
    }
    for (const { id, at } of changes.parked) {
      this.addAsk(row, id);
      this.parked.add({ id, conversationId: row.id, at });
    }
    for (const id of changes.unparked) {
      row.asks?.delete(id);
      this.parked.remove(id);
    }
    for (const { id, isBeside } of changes.people) this.listPerson(row, id, isBeside);
    if (changes.enqueued !== undefined) this.enqueue(row, changes.enqueued);
    if (changes.dequeued !== undefined) row.queue?.shift();
    if (changes.unqueued !== undefined) row.queue = row.queue?.filter(({ id }) => id !== changes.unqueued?.id);
    if (row.queue?.length === 0) row.queue = undefined;
    for (const [id, mark] of changes.marks) this.putMark(row, id, mark);
    for (const id of changes.droppedMarks) this.marks.get(row.id)?.marks.delete(id);
    if (changes.memo !== undefined) {
      const { turn, key, value } = changes.memo;
      row.memos ??= new Map();
      valueAt(row.memos, turn, () => new Map()).set(key, value);
    }
    for (const turn of changes.droppedMemos) row.memos?.delete(turn);
    if (changes.history.length > 0) {
      row.history ??= [];
      for (const item of changes.history) row.history.push(item);
    }
    if (changes.isHistoryDropped)
      row.history?.splice(0, row.history.length - (record.historyEnd - record.historyStart));
    if (changes.isRecordChanged) this.indexDue(row, wantedAt(record) ?? undefined);
    if (changes.ends === true && row.outputs === undefined) this.expiry.set(row, record.endsAt);
    else if (changes.ends === false) this.expiry.remove(row);
    if (changes.marksUntil !== undefined) this.keepMarks(row, changes.marksUntil);
  }

  /** Outputs of a conversation for these channels that are free, which are lent until then. */
  lend(row: ConversationRow, channels: readonly string[], limit: number, now: number, until: number): NewOutput[] {
    const lent: NewOutput[] = [];
    for (const output of row.outputs?.values() ?? []) {
      if (lent.length >= limit) break;
      if (output.freeAt > now || !channels.includes(output.channel)) continue;
      lent.push(output);
    }
    for (const output of lent) row.outputs?.set(output.key, { ...output, freeAt: until });
    for (const channel of channels) this.indexUnsent(row, channel);
    return lent;
  }

  /** What became of an output. */
  mark(row: ConversationRow, { key, channel, again, sentAs, kept }: Mark, now: number): void {
    if (kept !== undefined) this.putValue(kept.key, kept.value, now + Math.max(1, kept.ttl));
    if (sentAs !== undefined && row.record !== undefined) {
      row.names ??= new Map();
      row.names.set(sentAs.name, sentAs.id);
    }
    const output = row.outputs?.get(key);
    if (output === undefined || output.channel !== channel) return;
    if (again === undefined) {
      this.removeOutput(row, key);
      if (row.outputs === undefined && row.record?.isRetired) this.expiry.set(row, now + row.record.retention);
      return;
    }
    row.outputs?.set(key, { ...output, data: again.data, freeAt: now + again.in });
    this.indexUnsent(row, channel);
  }

  private addOutput(row: ConversationRow, output: NewOutput): void {
    row.outputs ??= new Map();
    if (row.outputs.has(output.key)) return;
    row.outputs.set(output.key, output);
    this.indexUnsent(row, output.channel);
  }

  private removeOutput(row: ConversationRow, key: string): void {
    const output = row.outputs?.get(key);
    if (output === undefined) return;
    row.outputs?.delete(key);
    if (row.outputs?.size === 0) row.outputs = undefined;
    this.indexUnsent(row, output.channel);
  }

  /** Puts a conversation where the outputs of a channel are looked for: by when the first is free. */
  private indexUnsent(row: ConversationRow, channel: string): void {
    let at = Number.POSITIVE_INFINITY;
    for (const output of row.outputs?.values() ?? [])
      if (output.channel === channel && output.freeAt < at) at = output.freeAt;
    const known = row.unsent?.get(channel);
    if (at === Number.POSITIVE_INFINITY) {
      if (known === undefined) return;
      this.unsentIndex.get(channel)?.remove(known);
      row.unsent?.delete(channel);
      return;
    }
    row.unsent ??= new Map();
    const entry = valueAt<string, IndexEntry>(row.unsent, channel, () => ({ slot: -1, row }));
    valueAt(this.unsentIndex, channel, () => new Heap<IndexEntry>()).set(entry, at);
  }

  private indexDue(row: ConversationRow, at: number | undefined): void {
    if (at !== undefined) {
      row.due ??= { slot: -1, row };
      this.dueIndex.set(row.due, at);
    } else if (row.due !== undefined) {
      this.dueIndex.remove(row.due);
      row.due = undefined;
    }
  }

  private enqueue(row: ConversationRow, entry: QueuedEntry): void {
    row.queue ??= [];
    row.queue.push(entry);
    this.putMark(row, entry.id, queuedMark(entry));
  }

  private putMark(row: ConversationRow, entryId: string, mark: DedupeMark): void {
    const made = (): MarkTable => ({ what: 'marks', slot: -1, conversationId: row.id, marks: new Map() });
    valueAt(this.marks, row.id, made).marks.set(entryId, mark);
  }

  private keepMarks(row: ConversationRow, until: number | null): void {
    const table = this.marks.get(row.id);
    if (table === undefined) return;
    if (until === null) this.expiry.remove(table);
    else this.expiry.set(table, until);
  }

  private listAsk(row: ConversationRow, id: string, at: number, deadline: number | undefined, now: number): void {
    const conversationId = row.id;
    this.addAsk(row, id);
    this.open.add({ id, conversationId, at });
    this.deadline.add({ id, conversationId, at: deadlineRank(deadline, at) });
    this.changes.add({ id, conversationId, at: now });
  }

  /** How long does not matter here: a conversation that expires leaves the table. */
  private listPerson(row: ConversationRow, id: string, isBeside: boolean): void {
    valueAt(this.people, id, () => new Set()).add(row.id);
    if (!isBeside) return;
    row.people ??= new Set();
    row.people.add(id);
  }

  private deletePerson(row: ConversationRow, id: string): void {
    const conversations = this.people.get(id);
    conversations?.delete(row.id);
    if (conversations?.size === 0) this.people.delete(id);
  }

  private erase(row: ConversationRow, { people, asks, until }: Erased, now: number): void {
    for (const person of people) this.deletePerson(row, person);
    for (const id of row.asks ?? []) this.deleteSettled(id);
    for (const key of [...(row.outputs?.keys() ?? [])]) this.removeOutput(row, key);
    this.deleteRow(row);
    const table = this.marks.get(row.id);
    if (table !== undefined) this.expiry.remove(table);
    this.marks.delete(row.id);
    for (const { id, tombstone } of asks) {
      this.putSettled({ what: 'settled', slot: -1, id, record: tombstone, at: 0, row: undefined }, until);
      this.changes.add({ id, conversationId: '', at: now });
    }
  }

  /** Marks and records of settled asks have a time of their own. */
  private deleteRow(row: ConversationRow): void {
    this.rows.delete(row.id);
    this.expiry.remove(row);
    this.indexDue(row, undefined);
    for (const id of row.asks ?? []) {
      this.unlistOpen(id);
      this.parked.remove(id);
    }
    row.record = undefined;
  }

  private unlistOpen(id: string): void {
    this.open.remove(id);
    this.deadline.remove(id);
  }

  private addAsk(row: ConversationRow, id: string): void {
    row.asks ??= new Set();
    row.asks.add(id);
  }

  private putSettled(settled: SettledAsk, until: number): void {
    const { id } = settled;
    this.unlistOpen(id);
    this.deleteSettled(id);
    this.settled.set(id, settled);
    this.expiry.set(settled, until);
  }

  private deleteSettled(id: string): void {
    const settled = this.settled.get(id);
    if (settled !== undefined) this.forget(settled);
  }

  private forget(settled: SettledAsk): void {
    this.settled.delete(settled.id);
    this.decided.remove(settled.id);
    this.expiry.remove(settled);
    settled.row?.asks?.delete(settled.id);
  }
}

/** The value under a key, which is made if there is none. */
function valueAt<K, V>(map: Map<K, V>, key: K, made: () => V): V {
  const found = map.get(key);
  if (found !== undefined) return found;
  const value = made();
  map.set(key, value);
  return value;
}
