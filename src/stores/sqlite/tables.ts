/**
 * The tables of the file, one conversation at a time: its record, and what is beside it. It reads and writes what the
 * lifecycle's rules say; no rule lives here. Which tables there are, and why, is in file.ts.
 */

import type { Mutable } from '../../core/defined-fields.js';
import { type Applied, changesKept, queuedMark, type Reads, type Writes } from '../lifecycle/ports.js';
import type { ConversationRecord, DedupeMark, QueuedEntry, UnsentOutput } from '../lifecycle/record.js';
import {
  decodeEntry,
  decodeMark,
  decodeOutput,
  decodeRecord,
  encodeEntry,
  encodeMark,
  encodeOutput,
  encodeRecord,
} from '../lifecycle/record-text.js';
import type { ChangePage, Claim, Listed } from '../port.js';
import type { Database } from './database.js';

/**
 * Tables whose rows go with their conversation. Marks and records of settled asks have a time of their own; a conversation
 * that is in `unsent` does not expire, and the rules take it out before it is erased.
 */
const parts = ['document', 'queue', 'output', 'history', 'listed', 'person', 'memo', 'sent'];

/** One conversation for one step. */
export class ConversationTables implements Reads, Writes {
  readonly id: string;
  private readonly db: Database;
  private readonly now: number;
  /** The number of the conversation's row, if it has one. */
  private row: number | undefined;
  private left: number | undefined;

  constructor(db: Database, id: string, now: number) {
    this.db = db;
    this.id = id;
    this.now = now;
  }

  /** The record, unless its time is over. */
  find(): ConversationRecord | undefined {
    const sql = 'SELECT n, record, ends FROM conversation WHERE id = ?';
    const row = this.db.get<{ n: number; record: string; ends: number | null }>(sql, this.id);
    this.row = row?.n;
    return row === undefined || (row.ends !== null && row.ends <= this.now) ? undefined : decodeRecord(row.record);
  }

  /** The record for a step that may write. Deletes what is left of an expired conversation first. */
  findOrDelete(): ConversationRecord | undefined {
    const record = this.find();
    if (record !== undefined || this.row === undefined) return record;
    deleteConversation(this.db, this.id);
    this.row = undefined;
    return undefined;
  }

  /** Writes what a rule decided, and returns its answer. */
  store<A>({ record, isChanged, answer }: Applied<A>): A {
    if (!isChanged || record === undefined) return answer;
    const ends = record.isRetired ? record.endsAt : null;
    const sql =
      this.row === undefined
        ? 'INSERT INTO conversation (record, due, ends, id) VALUES (?, ?, ?, ?)'
        : 'UPDATE conversation SET record = ?, due = ?, ends = ? WHERE n = ?';
    this.db.run(sql, encodeRecord(record), record.indexedAt, ends, this.row ?? this.id);
    return answer;
  }

  /** Adds the parts of a claim that are stored beside the record. */
  complete(claim: Mutable<Claim>, record: ConversationRecord | undefined): void {
    if (record?.document === undefined) claim.document = this.document();
    if (!record?.hasMemo) return;
    const sql = 'SELECT key, value FROM memo WHERE c = ? AND turn = ?';
    const memo = this.db.all<{ key: string; value: string }>(sql, this.id, claim.turn);
    claim.memo = Object.fromEntries(memo.map(({ key, value }) => [key, value]));
  }

  document(): string | null {
    return this.db.get<{ text: string }>('SELECT text FROM document WHERE c = ?', this.id)?.text ?? null;
  }

  /** The entries behind the front one, without the first `skip` of them. */
  queue(skip = 0): readonly QueuedEntry[] {
    const sql = 'SELECT at, entry FROM queue WHERE c = ? ORDER BY n LIMIT -1 OFFSET ?';
    return this.db.all<QueueRow>(sql, this.id, skip).map(({ at, entry }) => decodeEntry(entry, at));
  }

  queueLength(): number {
    return this.db.get<Count>('SELECT count(*) AS count FROM queue WHERE c = ?', this.id)?.count ?? 0;
  }

  outputData(key: string): string {
    return this.db.get<{ data: string }>('SELECT data FROM output WHERE c = ? AND key = ?', this.id, key)?.data ?? '';
  }

  mark(entryId: string): DedupeMark | undefined {
    const sql = 'SELECT mark FROM mark WHERE c = ? AND entry = ?';
    const row = this.db.get<{ mark: string }>(sql, this.id, entryId);
    return row && decodeMark(row.mark);
  }

  marksLeft(): number {
    this.left ??= this.db.get<Count>('SELECT count(*) AS count FROM mark WHERE c = ?', this.id)?.count ?? 0;
    return this.left;
  }

  hasQueueRoom(count: number): boolean {
    return this.queueLength() < count;
  }

  second(): QueuedEntry | undefined {
    const row = this.db.get<QueueRow>('SELECT at, entry FROM queue WHERE c = ? ORDER BY n LIMIT 1', this.id);
    return row && decodeEntry(row.entry, row.at);
  }

  queued(entryId: string): QueuedEntry | undefined {
    return this.queue().find(({ id }) => id === entryId);
  }

  memo(turn: string, key: string): string | undefined {
    const sql = 'SELECT value FROM memo WHERE c = ? AND turn = ? AND key = ?';
    return this.db.get<{ value: string }>(sql, this.id, turn, key)?.value;
  }

  expiredMarks(now: number): { expired: readonly string[]; left: number } {
    const sql = 'SELECT entry FROM mark WHERE c = ? AND ends > 0 AND ends <= ?';
    const expired = this.db.all<{ entry: string }>(sql, this.id, now).map(({ entry }) => entry);
    const count = this.db.get<Count>('SELECT count(*) AS count FROM mark WHERE c = ?', this.id)?.count ?? 0;
    return { expired, left: count - expired.length };
  }

  outputBeside(key: string): UnsentOutput | undefined {
    const sql = 'SELECT beside FROM output WHERE c = ? AND key = ? AND beside IS NOT NULL';
    const row = this.db.get<{ beside: string }>(sql, this.id, key);
    return row && decodeOutput(row.beside);
  }

  outputsBeside(): readonly UnsentOutput[] {
    const sql = 'SELECT beside FROM output WHERE c = ? AND beside IS NOT NULL ORDER BY seq';
    return this.db.all<{ beside: string }>(sql, this.id).map(({ beside }) => decodeOutput(beside));
  }

  peopleBeside(): readonly string[] {
    return this.db.all<{ id: string }>('SELECT id FROM person WHERE c = ?', this.id).map(({ id }) => id);
  }

  enqueue(entry: QueuedEntry): void {
    const sql = 'INSERT INTO queue (c, id, at, entry) VALUES (?, ?, ?, ?)';
    this.db.run(sql, this.id, entry.id, entry.at, encodeEntry(entry));
    this.putMark(entry.id, queuedMark(entry));
  }

  dequeue(): void {
    this.db.run('DELETE FROM queue WHERE n = (SELECT min(n) FROM queue WHERE c = ?)', this.id);
  }

  removeQueued({ id }: QueuedEntry): void {
    this.db.run('DELETE FROM queue WHERE c = ? AND id = ?', this.id, id);
  }

  putMark(entryId: string, mark: DedupeMark): void {
    const sql = 'INSERT OR REPLACE INTO mark (c, entry, ends, mark) VALUES (?, ?, ?, ?)';
    this.db.run(sql, this.id, entryId, mark.endsAt, encodeMark(mark));
  }

  deleteMarks(entryIds: readonly string[]): void {
    for (const id of entryIds) this.db.run('DELETE FROM mark WHERE c = ? AND entry = ?', this.id, id);
  }

  putDocument(text: string | undefined): void {
    if (text === undefined) this.db.run('DELETE FROM document WHERE c = ?', this.id);
    else this.db.run('INSERT OR REPLACE INTO document (c, text) VALUES (?, ?)', this.id, text);
  }

  putOutput(key: string, data: string): void {
    const sql = `INSERT INTO output (c, key, data) VALUES (?, ?, ?) ON CONFLICT (c, key) DO UPDATE SET data = excluded.data`;
    this.db.run(sql, this.id, key, data);
  }

  putOutputBeside(output: UnsentOutput): void {
    const sql = 'UPDATE output SET seq = ?, beside = ? WHERE c = ? AND key = ?';
    this.db.run(sql, output.seq, encodeOutput(output), this.id, output.key);
  }

  deleteOutput(key: string): void {
    this.db.run('DELETE FROM output WHERE c = ? AND key = ?', this.id, key);
  }

  indexUnsent(channel: string, at: number | undefined): void {
    if (at === undefined) this.db.run('DELETE FROM unsent WHERE channel = ? AND c = ?', channel, this.id);
    else this.db.run('INSERT OR REPLACE INTO unsent (channel, c, at) VALUES (?, ?, ?)', channel, this.id, at);
  }

  /** Nothing to do: the index is a column that is written with the record. */
  indexDue(): void {}

  appendHistory(items: readonly string[], number: number): void {
    const sql = 'INSERT INTO history (c, n, item) VALUES (?, ?, ?)';
    for (const [i, item] of items.entries()) this.db.run(sql, this.id, number + i, item);
  }

  dropHistory(start: number): void {
    this.db.run('DELETE FROM history WHERE c = ? AND n < ?', this.id, start);
  }

  listAsk(id: string, at: number, rank: number, now: number): void {
    this.list('open', id, at, rank);
    this.putChange(id, now);
  }

  /** Adds one change and drops up to two old ones. */
  putChange(id: string, now: number, conversationId = this.id): void {
    this.db.run('INSERT OR REPLACE INTO change (id, c, at) VALUES (?, ?, ?)', id, conversationId, now);
    dropChanges(this.db, now, 2);
  }

  settleAsk(id: string, record: string, at: number, until: number, now: number): void {
    this.putSettled(id, record, until, { conversation: this.id, at });
    this.putChange(id, now);
  }

  /** Nothing to do: the listing is a column of the record's row. */
  forgetSettled(): void {}

  putTombstone(id: string, tombstone: string, until: number, now: number): void {
    this.putSettled(id, tombstone, until, undefined);
    this.putChange(id, now, '');
  }

  listParked(id: string, at: number): void {
    this.list('parked', id, at, null);
  }

  unlistParked(id: string): void {
    this.unlist('parked', id);
  }

  /** A time limit needs no row of its own: the row is deleted with its conversation. */
  putPerson(id: string, until: number | undefined): void {
    if (until !== undefined) return;
    this.db.run('INSERT OR IGNORE INTO person (id, c) VALUES (?, ?)', id, this.id);
  }

  deletePerson(id: string): void {
    this.db.run('DELETE FROM person WHERE id = ? AND c = ?', id, this.id);
  }

  /** Those inside the record have the same rows. */
  putPersonBeside(id: string): void {
    this.putPerson(id, undefined);
  }

  putMemo(turn: string, key: string, value: string): void {
    this.db.run('INSERT OR IGNORE INTO memo (c, turn, key, value) VALUES (?, ?, ?, ?)', this.id, turn, key, value);
  }

  deleteMemo(turn: string): void {
    this.db.run('DELETE FROM memo WHERE c = ? AND turn = ?', this.id, turn);
  }

  putName(name: string, id: string): void {
    this.db.run('INSERT OR REPLACE INTO sent (c, name, id) VALUES (?, ?, ?)', this.id, name, id);
  }

  /** Nothing to do: when it ends is a column that is written with the record. */
  keepUntil(): void {}

  /** Nothing to do: each mark has its own time. */
  keepMarksUntil(): void {}

  clear(): void {
    deleteConversation(this.db, this.id);
    this.db.run('DELETE FROM mark WHERE c = ?', this.id);
    this.db.run('DELETE FROM settled WHERE c = ?', this.id);
    this.db.run('DELETE FROM change WHERE c = ?', this.id);
    // blanked, not deleted: watchers go by the numbers of the rows
    this.db.run("UPDATE hint SET conversation = '', entry = NULL WHERE conversation = ?", this.id);
  }

  private putSettled(
    id: string,
    record: string,
    until: number,
    listed: { readonly conversation: string; readonly at: number } | undefined,
  ): void {
    this.unlist('open', id);
    const sql = 'INSERT OR REPLACE INTO settled (id, record, until, c, decided) VALUES (?, ?, ?, ?, ?)';
    this.db.run(sql, id, record, until, listed?.conversation ?? null, listed?.at ?? null);
  }

  private list(what: string, id: string, at: number, rank: number | null): void {
    const sql = 'INSERT OR REPLACE INTO listed (what, id, at, c, rank) VALUES (?, ?, ?, ?, ?)';
    this.db.run(sql, what, id, at, this.id, rank);
  }

  private unlist(what: string, id: string): void {
    this.db.run('DELETE FROM listed WHERE what = ? AND id = ?', what, id);
  }
}

interface QueueRow {
  readonly at: number;
  readonly entry: string;
}

interface Count {
  readonly count: number;
}

function deleteConversation(db: Database, id: string): void {
  for (const table of parts) db.run(`DELETE FROM ${table} WHERE c = ?`, id);
  db.run('DELETE FROM conversation WHERE id = ?', id);
}

/** True if the file contains expired rows. */
export function hasExpired(db: Database, now: number): boolean {
  const sql = `SELECT 1 AS found WHERE EXISTS (SELECT 1 FROM conversation WHERE ends <= ?)
    OR EXISTS (SELECT 1 FROM settled WHERE until <= ?) OR EXISTS (SELECT 1 FROM mark WHERE ends > 0 AND ends <= ?)
    OR EXISTS (SELECT 1 FROM kept WHERE until <= ?)
    OR EXISTS (SELECT 1 FROM (SELECT at FROM change ORDER BY n LIMIT 1) WHERE at < ?)`;
  return db.get(sql, now, now, now, now, now - changesKept) !== undefined;
}

/** Deletes expired rows, at most `limit` of each kind. Reads ignore them already: this only frees space, in small steps. */
export function deleteExpired(db: Database, now: number, limit: number): void {
  const sql = 'SELECT id FROM conversation WHERE ends <= ? LIMIT ?';
  for (const { id } of db.all<{ id: string }>(sql, now, limit)) deleteConversation(db, id);
  db.run('DELETE FROM settled WHERE id IN (SELECT id FROM settled WHERE until <= ? LIMIT ?)', now, limit);
  dropChanges(db, now, limit);
  db.run('DELETE FROM kept WHERE key IN (SELECT key FROM kept WHERE until <= ? LIMIT ?)', now, limit);
  db.run(
    'DELETE FROM mark WHERE (c, entry) IN (SELECT c, entry FROM mark WHERE ends > 0 AND ends <= ? LIMIT ?)',
    now,
    limit,
  );
}

/** Drops the oldest changes that no reader relies on any more, at most `limit`. */
function dropChanges(db: Database, now: number, limit: number): void {
  const oldest = db.all<{ n: number; at: number }>('SELECT n, at FROM change ORDER BY n LIMIT ?', limit);
  const last = oldest.filter(({ at }) => at < now - changesKept).at(-1)?.n;
  if (last === undefined) return;
  db.run('DELETE FROM change WHERE n <= ?', last);
  db.run('UPDATE askback SET dropped = ?', last);
}

/** The changes of asks after a number, at most `limit`; without one, only the end. */
export function readChanges(db: Database, after: number | undefined, limit: number): ChangePage {
  const sql = 'SELECT n, id, c AS conversationId, at FROM change WHERE n > ? ORDER BY n LIMIT ?';
  const found = after === undefined ? [] : db.all<Listed & { readonly n: number }>(sql, after, limit);
  const end = db.get<{ seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = 'change'")?.seq ?? 0;
  if (after === undefined) return { items: [], cursor: String(end) };
  // after the rows: another process may have dropped some in between
  const dropped = db.get<{ dropped: number }>('SELECT dropped FROM askback')?.dropped ?? 0;
  if (after < dropped || after > end) return { items: [], cursor: String(end), gap: true };
  const items = found.map(({ id, conversationId, at }) => ({ id, conversationId, at }));
  return { items, cursor: String(found.at(-1)?.n ?? after) };
}

/** Keeps a value under a key until then; null deletes it. */
export function putValue(db: Database, key: string, value: string | null, until: number): void {
  if (value === null) db.run('DELETE FROM kept WHERE key = ?', key);
  else db.run('INSERT OR REPLACE INTO kept (key, value, until) VALUES (?, ?, ?)', key, value, until);
}

export function keptValue(db: Database, key: string, now: number): string | null {
  return db.get<{ value: string }>('SELECT value FROM kept WHERE key = ? AND until > ?', key, now)?.value ?? null;
}
