/**
 * The tables of the memory store: each conversation with what is beside its record, and the indexes in which
 * conversations are looked for. It reads and writes what the lifecycle's rules say; no rule lives here.
 */
import { queuedMark, type Reads, type Writes } from '../lifecycle/ports.js';
import type { ConversationRecord, DedupeMark, QueuedEntry, UnsentOutput } from '../lifecycle/record.js';
import { ChangeLog } from './change-log.js';
import { Heap, type Placed } from './heap.js';
import { Listing } from './listing.js';

/** A member of an index of conversations. */
class IndexEntry implements Placed {
  slot = -1;
  readonly row: ConversationRow;

  constructor(row: ConversationRow) {
    this.row = row;
  }
}

/** The dedupe marks of a conversation that are beside its record. They may outlive it. */
class MarkTable implements Placed {
  slot = -1;
  readonly conversationId: string;
  readonly marks = new Map<string, DedupeMark>();

  constructor(conversationId: string) {
    this.conversationId = conversationId;
  }
}

/** The record of a settled ask, until its time. */
class SettledAsk implements Placed {
  slot = -1;
  readonly id: string;
  readonly record: string;
  /** When it was decided; 0 for a tombstone. */
  readonly at: number;
  /** Its conversation; undefined for a tombstone. */
  readonly row: ConversationRow | undefined;

  constructor(id: string, record: string, at: number, row: ConversationRow | undefined) {
    this.id = id;
    this.record = record;
    this.at = at;
    this.row = row;
  }
}

/** A value of `swap`, until its time. */
class KeptValue implements Placed {
  slot = -1;
  readonly key: string;
  readonly value: string;

  constructor(key: string, value: string) {
    this.key = key;
    this.value = value;
  }
}

/** A conversation. Its own place is in the heap of what expires; most of them have little beside the record. */
export class ConversationRow implements Placed {
  slot = -1;
  readonly id: string;
  record: ConversationRecord | undefined;
  /** The entries behind the front one. */
  queue: QueuedEntry[] | undefined;
  document: string | undefined;
  /** The data of unsent outputs by key. */
  outputs: Map<string, string> | undefined;
  /** The bookkeeping of unsent outputs beside the record, in the order of saving. */
  outputsBeside: Map<string, UnsentOutput> | undefined;
  history: string[] | undefined;
  names: Map<string, string> | undefined;
  /** By turn, then by key. */
  memos: Map<string, Map<string, string>> | undefined;
  /** Ids of its asks, open and settled, and of its parked entries. */
  asks: Set<string> | undefined;
  /** Participants beside the record. */
  people: Set<string> | undefined;
  due: IndexEntry | undefined;
  unsent: Map<string, IndexEntry> | undefined;

  constructor(id: string) {
    this.id = id;
  }
}

export class Tables implements Reads, Writes {
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
  /** The conversation that the running step is about. */
  private row = new ConversationRow('');

  constructor(now: number) {
    this.changes = new ChangeLog(now);
  }

  /** Begins a step of one conversation. A row that is new gets its place in the table when the step ends. */
  select(id: string): ConversationRow {
    this.row = this.rows.get(id) ?? new ConversationRow(id);
    return this.row;
  }

  /** Ends a step: the conversation has this record now. */
  store(row: ConversationRow, record: ConversationRecord | undefined): void {
    if (row.record === undefined && record !== undefined) this.rows.set(row.id, row);
    row.record = record;
  }

  /** Deletes what expired by `now`. */
  expire(now: number): void {
    while (this.expiry.firstAt() <= now) {
      const first = this.expiry.first() as ConversationRow | MarkTable | SettledAsk | KeptValue;
      this.expiry.remove(first);
      if (first instanceof SettledAsk) this.forget(first);
      else if (first instanceof KeptValue) this.values.delete(first.key);
      else if (first instanceof MarkTable) this.marks.delete(first.conversationId);
      else {
        this.row = first;
        for (const person of [...(first.record?.people ?? []), ...(first.people ?? [])]) this.deletePerson(person);
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
      const kept = new KeptValue(key, value);
      this.values.set(key, kept);
      this.expiry.set(kept, until);
    }
  }

  mark(entryId: string): DedupeMark | undefined {
    return this.marks.get(this.row.id)?.marks.get(entryId);
  }

  marksLeft(): number {
    return this.marks.get(this.row.id)?.marks.size ?? 0;
  }

  hasQueueRoom(count: number): boolean {
    return (this.row.queue?.length ?? 0) < count;
  }

  second(): QueuedEntry | undefined {
    return this.row.queue?.[0];
  }

  queued(entryId: string): QueuedEntry | undefined {
    return this.row.queue?.find(({ id }) => id === entryId);
  }

  memo(turn: string, key: string): string | undefined {
    return this.row.memos?.get(turn)?.get(key);
  }

  expiredMarks(now: number): { expired: readonly string[]; left: number } {
    const all = [...(this.marks.get(this.row.id)?.marks ?? [])];
    const expired = all.filter(([, { endsAt }]) => endsAt > 0 && endsAt <= now).map(([id]) => id);
    return { expired, left: all.length - expired.length };
  }

  outputBeside(key: string): UnsentOutput | undefined {
    return this.row.outputsBeside?.get(key);
  }

  outputsBeside(): readonly UnsentOutput[] {
    return [...(this.row.outputsBeside?.values() ?? [])];
  }

  peopleBeside(): readonly string[] {
    return [...(this.row.people ?? [])];
  }

  enqueue(entry: QueuedEntry): void {
    this.row.queue ??= [];
    this.row.queue.push(entry);
    this.putMark(entry.id, queuedMark(entry));
  }

  dequeue(): void {
    this.row.queue?.shift();
    if (this.row.queue?.length === 0) this.row.queue = undefined;
  }

  removeQueued(entry: QueuedEntry): void {
    this.row.queue = this.row.queue?.filter((each) => each !== entry);
  }

  putMark(entryId: string, mark: DedupeMark): void {
    let table = this.marks.get(this.row.id);
    if (table === undefined) {
      table = new MarkTable(this.row.id);
      this.marks.set(this.row.id, table);
    }
    table.marks.set(entryId, mark);
  }

  deleteMarks(entryIds: readonly string[]): void {
    for (const id of entryIds) this.marks.get(this.row.id)?.marks.delete(id);
  }

  putDocument(text: string | undefined): void {
    this.row.document = text;
  }

  putOutput(key: string, data: string): void {
    this.row.outputs ??= new Map();
    this.row.outputs.set(key, data);
  }

  putOutputBeside(output: UnsentOutput): void {
    this.row.outputsBeside ??= new Map();
    this.row.outputsBeside.set(output.key, output);
  }

  deleteOutput(key: string, isBeside: boolean): void {
    const { row } = this;
    row.outputs?.delete(key);
    if (row.outputs?.size === 0) row.outputs = undefined;
    if (!isBeside) return;
    row.outputsBeside?.delete(key);
    if (row.outputsBeside?.size === 0) row.outputsBeside = undefined;
  }

  indexUnsent(channel: string, at: number | undefined): void {
    const { row } = this;
    const known = row.unsent?.get(channel);
    if (at === undefined) {
      if (known === undefined) return;
      this.unsentIndex.get(channel)?.remove(known);
      row.unsent?.delete(channel);
      return;
    }
    let index = this.unsentIndex.get(channel);
    if (index === undefined) {
      index = new Heap();
      this.unsentIndex.set(channel, index);
    }
    const entry = known ?? new IndexEntry(row);
    if (known === undefined) {
      row.unsent ??= new Map();
      row.unsent.set(channel, entry);
    }
    index.set(entry, at);
  }

  indexDue(at: number | undefined): void {
    const { row } = this;
    if (at !== undefined) {
      row.due ??= new IndexEntry(row);
      this.dueIndex.set(row.due, at);
    } else if (row.due !== undefined) {
      this.dueIndex.remove(row.due);
      row.due = undefined;
    }
  }

  appendHistory(items: readonly string[]): void {
    this.row.history ??= [];
    for (const item of items) this.row.history.push(item);
  }

  dropHistory(start: number, end: number): void {
    const history = this.row.history ?? [];
    history.splice(0, history.length - (end - start));
  }

  listAsk(id: string, at: number, rank: number, now: number): void {
    const conversationId = this.row.id;
    this.addAsk(id);
    this.open.add({ id, conversationId, at });
    this.deadline.add({ id, conversationId, at: rank });
    this.putChange(id, now);
  }

  putChange(id: string, now: number): void {
    this.changes.add({ id, conversationId: this.row.id, at: now });
  }

  settleAsk(id: string, record: string, at: number, until: number, now: number): void {
    this.decided.add(this.putSettled(new SettledAsk(id, record, at, this.row), until));
    this.addAsk(id);
    this.putChange(id, now);
  }

  /** Nothing to do: the listing goes with the record. */
  forgetSettled(): void {}

  putTombstone(id: string, tombstone: string, until: number, now: number): void {
    this.putSettled(new SettledAsk(id, tombstone, 0, undefined), until);
    this.changes.add({ id, conversationId: '', at: now });
  }

  listParked(id: string, at: number): void {
    this.addAsk(id);
    this.parked.add({ id, conversationId: this.row.id, at });
  }

  unlistParked(id: string): void {
    this.row.asks?.delete(id);
    this.parked.remove(id);
  }

  /** How long does not matter here: whoever expires leaves the table. */
  putPerson(id: string): void {
    const conversations = this.people.get(id);
    if (conversations === undefined) this.people.set(id, new Set([this.row.id]));
    else conversations.add(this.row.id);
  }

  deletePerson(id: string): void {
    const conversations = this.people.get(id);
    conversations?.delete(this.row.id);
    if (conversations?.size === 0) this.people.delete(id);
  }

  putPersonBeside(id: string): void {
    this.row.people ??= new Set();
    this.row.people.add(id);
  }

  putMemo(turn: string, key: string, value: string): void {
    this.row.memos ??= new Map();
    const memo = this.row.memos.get(turn);
    if (memo === undefined) this.row.memos.set(turn, new Map([[key, value]]));
    else memo.set(key, value);
  }

  deleteMemo(turn: string): void {
    this.row.memos?.delete(turn);
  }

  putName(name: string, id: string): void {
    this.row.names ??= new Map();
    this.row.names.set(name, id);
  }

  keepUntil(_record: ConversationRecord, until: number | undefined): void {
    if (until === undefined) this.expiry.remove(this.row);
    else this.expiry.set(this.row, until);
  }

  keepMarksUntil(until: number | undefined): void {
    const table = this.marks.get(this.row.id);
    if (table === undefined) return;
    if (until === undefined) this.expiry.remove(table);
    else this.expiry.set(table, until);
  }

  clear(): void {
    const { row } = this;
    for (const id of row.asks ?? []) this.deleteSettled(id);
    this.deleteRow(row);
    const table = this.marks.get(row.id);
    if (table !== undefined) this.expiry.remove(table);
    this.marks.delete(row.id);
  }

  /** Marks and records of settled asks have a time of their own. */
  private deleteRow(row: ConversationRow): void {
    this.row = row;
    this.rows.delete(row.id);
    this.expiry.remove(row);
    this.indexDue(undefined);
    for (const channel of [...(row.unsent?.keys() ?? [])]) this.indexUnsent(channel, undefined);
    for (const id of row.asks ?? []) {
      this.unlistOpen(id);
      this.parked.remove(id);
    }
  }

  private unlistOpen(id: string): void {
    this.open.remove(id);
    this.deadline.remove(id);
  }

  private addAsk(id: string): void {
    this.row.asks ??= new Set();
    this.row.asks.add(id);
  }

  private putSettled(settled: SettledAsk, until: number): SettledAsk {
    const { id } = settled;
    this.unlistOpen(id);
    this.deleteSettled(id);
    this.settled.set(id, settled);
    this.expiry.set(settled, until);
    return settled;
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
