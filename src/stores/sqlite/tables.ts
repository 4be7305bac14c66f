/**
 * The tables of the file, one conversation at a time: its record, and what is beside it. It reads what a rule needs and writes
 * what it decided; no rule lives here. Which tables there are, and why, is in file.ts.
 */
import type { Stored } from '../../core/format/stored.js';
import { afterDeadlines } from '../pages.js';
import type { ChangePage, Listed } from '../port.js';
import { type Changes, changesKept, type Erased, type Facts, type Needs, type NewOutput } from '../rules/changes.js';
import { wantedAt } from '../rules/lease.js';
import {
  type ConversationRecord,
  type DedupeMark,
  longestInside,
  type QueuedEntry,
  queuedMark,
} from '../rules/record.js';
import { decodeEntry, decodeMark, decodeRecord, encodeEntry, encodeMark, encodeRecord } from '../rules/record-text.js';
import type { LockedConversation } from '../rules/rule.js';
import type { Database } from './database.js';
import type { KnownDocuments } from './documents.js';

/** Tables whose rows go with their conversation. Marks and records of settled asks have a time of their own. */
const parts = ['document', 'queue', 'output', 'history', 'listed', 'person', 'memo', 'sent'];

const isLong = (document: Stored | null): boolean => document !== null && document.text.length > longestInside;

/** One conversation for one step. */
export class StoredConversation implements LockedConversation {
  readonly id: string;
  /** Undefined also when its time is over. */
  readonly record: ConversationRecord | undefined;
  private readonly db: Database;
  private readonly documents: KnownDocuments;
  /** The number of the conversation's row, if it has one. */
  private row: number | undefined;

  constructor(db: Database, id: string, now: number, documents: KnownDocuments) {
    this.db = db;
    this.documents = documents;
    this.id = id;
    const sql = 'SELECT n, record, document, ends FROM conversation WHERE id = ?';
    const row = db.get<ConversationRow>(sql, id);
    this.row = row?.n;
    if (row === undefined || (row.ends !== null && row.ends <= now)) return;
    this.record = decodeRecord(row.record);
    if (this.record.document === null) return;
    const text = row.document ?? db.get<{ text: string }>('SELECT text FROM document WHERE c = ?', id)?.text;
    this.record.document = documents.at(id, text ?? '');
  }

  facts({ mark, marksLeft, room, waiting, second, queued, memo, memos, allMarks, people }: Needs): Facts {
    const marks = allMarks || marksLeft ? this.marks() : [];
    return {
      mark: mark === undefined ? undefined : this.mark(mark),
      marksLeft: marks.length,
      waiting: room !== undefined || waiting ? this.queueLength() : 0,
      second: second && this.queue(0, 1)[0],
      queued: queued === undefined ? undefined : this.queue().find(({ id }) => id === queued),
      memo: memo && this.remembered(memo),
      memos: memos && new Map(memos.map((turn) => [turn, this.memos(turn)])),
      allMarks: marks,
      people: people && this.people(),
    };
  }

  write(record: ConversationRecord | undefined, changes: Changes): void {
    if (this.record === undefined && this.row !== undefined) this.forget();
    if (changes.erased !== undefined) this.erase(changes.erased, changes.now);
    else if (record !== undefined) this.writeRows(record, changes);
  }

  private writeRows(record: ConversationRecord, changes: Changes): void {
    const { db, id } = this;
    for (const key of changes.withdrawn) db.run('DELETE FROM output WHERE c = ? AND key = ?', id, key);
    for (const output of changes.outputs) this.putOutput(output);
    this.writeRecord(record, changes);
    for (const { id: ask, at, deadline } of changes.opened) {
      this.list('open', ask, at, deadline === undefined ? null : Math.min(deadline, afterDeadlines));
      this.putChange(ask, changes.now);
    }
    for (const ask of changes.changed) this.putChange(ask, changes.now);
    for (const { id: ask, record: text, at } of changes.settled) {
      this.putSettled(ask, text, changes.settledUntil, id, at);
      this.putChange(ask, changes.now);
    }
    for (const { id: work, at } of changes.parked) this.list('parked', work, at, null);
    for (const work of changes.unparked) this.unlist('parked', work);
    for (const { id: person } of changes.people)
      db.run('INSERT OR IGNORE INTO person (id, c) VALUES (?, ?)', person, id);
    if (changes.enqueued !== undefined) this.enqueue(changes.enqueued);
    if (changes.dequeued !== undefined)
      db.run('DELETE FROM queue WHERE n = (SELECT min(n) FROM queue WHERE c = ?)', id);
    if (changes.unqueued !== undefined) db.run('DELETE FROM queue WHERE c = ? AND id = ?', id, changes.unqueued.id);
    for (const [entryId, mark] of changes.marks) this.putMark(entryId, mark);
    for (const entryId of changes.droppedMarks) db.run('DELETE FROM mark WHERE c = ? AND entry = ?', id, entryId);
    if (changes.memo !== undefined) {
      const { turn, key, value } = changes.memo;
      db.run('INSERT INTO memo (c, turn, key, value) VALUES (?, ?, ?, ?)', id, turn, key, value);
    }
    for (const turn of changes.droppedMemos) db.run('DELETE FROM memo WHERE c = ? AND turn = ?', id, turn);
    const first = record.historyEnd - changes.history.length;
    for (const [i, item] of changes.history.entries())
      db.run('INSERT INTO history (c, n, item) VALUES (?, ?, ?)', id, first + i, item.text);
    if (changes.isHistoryDropped) db.run('DELETE FROM history WHERE c = ? AND n < ?', id, record.historyStart);
  }

  /** The entries behind the front one, without the first `skip` of them; at most `limit` unless it is negative. */
  queue(skip = 0, limit = -1): readonly QueuedEntry[] {
    const sql = 'SELECT at, entry FROM queue WHERE c = ? ORDER BY n LIMIT ? OFFSET ?';
    const rows = this.db.all<{ at: number; entry: string }>(sql, this.id, limit, skip);
    return rows.map(({ at, entry }) => decodeEntry(entry, at));
  }

  mark(entryId: string): DedupeMark | undefined {
    const sql = 'SELECT mark FROM mark WHERE c = ? AND entry = ?';
    const row = this.db.get<{ mark: string }>(sql, this.id, entryId);
    return row && decodeMark(row.mark);
  }

  private writeRecord(record: ConversationRecord, { isRecordChanged, document }: Changes): void {
    if (!isRecordChanged) return;
    const { db, id } = this;
    const hasUnsent = () => db.get('SELECT 1 AS found FROM output WHERE c = ? LIMIT 1', id) !== undefined;
    const end = record.isRetired && !hasUnsent() ? record.endsAt : null;
    const values = [encodeRecord(record), wantedAt(record), end, record.isRetired ? record.retention : null];
    const inside = isLong(record.document) ? null : (record.document?.text ?? null);
    if (this.row === undefined) {
      const sql = 'INSERT INTO conversation (record, due, ends, kept, document, id) VALUES (?, ?, ?, ?, ?, ?)';
      db.run(sql, ...values, inside, id);
    } else if (document === undefined) {
      db.run('UPDATE conversation SET record = ?, due = ?, ends = ?, kept = ? WHERE n = ?', ...values, this.row);
    } else {
      const sql = 'UPDATE conversation SET record = ?, due = ?, ends = ?, kept = ?, document = ? WHERE n = ?';
      db.run(sql, ...values, inside, this.row);
    }
    if (document === undefined) return;
    this.documents.set(id, document);
    if (isLong(document)) db.run('INSERT OR REPLACE INTO document (c, text) VALUES (?, ?)', id, document.text);
    else if (isLong(this.record?.document ?? null)) db.run('DELETE FROM document WHERE c = ?', id);
  }

  private queueLength(): number {
    return this.db.get<{ count: number }>('SELECT count(*) AS count FROM queue WHERE c = ?', this.id)?.count ?? 0;
  }

  private marks(): readonly (readonly [string, DedupeMark])[] {
    const all = this.db.all<{ entry: string; mark: string }>('SELECT entry, mark FROM mark WHERE c = ?', this.id);
    return all.map(({ entry, mark }) => [entry, decodeMark(mark)]);
  }

  private remembered({ turn, key }: NonNullable<Needs['memo']>): string | undefined {
    const sql = 'SELECT value FROM memo WHERE c = ? AND turn = ? AND key = ?';
    return this.db.get<{ value: string }>(sql, this.id, turn, key)?.value;
  }

  private memos(turn: string): Readonly<Record<string, string>> {
    const sql = 'SELECT key, value FROM memo WHERE c = ? AND turn = ?';
    const memo = this.db.all<{ key: string; value: string }>(sql, this.id, turn);
    return Object.fromEntries(memo.map(({ key, value }) => [key, value]));
  }

  private people(): readonly string[] {
    return this.db.all<{ id: string }>('SELECT id FROM person WHERE c = ?', this.id).map(({ id }) => id);
  }

  private enqueue(entry: QueuedEntry): void {
    const sql = 'INSERT INTO queue (c, id, at, entry) VALUES (?, ?, ?, ?)';
    this.db.run(sql, this.id, entry.id, entry.at, encodeEntry(entry));
    this.putMark(entry.id, queuedMark(entry));
  }

  private putMark(entryId: string, mark: DedupeMark): void {
    const sql = 'INSERT OR REPLACE INTO mark (c, entry, ends, mark) VALUES (?, ?, ?, ?)';
    this.db.run(sql, this.id, entryId, mark.endsAt, encodeMark(mark));
  }

  private putOutput({ key, channel, data, freeAt }: NewOutput): void {
    const sql = 'INSERT OR IGNORE INTO output (c, key, channel, data, free) VALUES (?, ?, ?, ?, ?)';
    this.db.run(sql, this.id, key, channel, data.text, freeAt);
  }

  /** Adds one change and drops up to two old ones. */
  private putChange(id: string, now: number, conversationId = this.id): void {
    this.db.run('INSERT OR REPLACE INTO change (id, c, at) VALUES (?, ?, ?)', id, conversationId, now);
    dropChanges(this.db, now, 2);
  }

  private erase({ asks, until }: Erased, now: number): void {
    this.forget();
    this.db.run('DELETE FROM mark WHERE c = ?', this.id);
    this.db.run('DELETE FROM settled WHERE c = ?', this.id);
    this.db.run('DELETE FROM change WHERE c = ?', this.id);
    // blanked, not deleted: watchers go by the numbers of the rows
    this.db.run("UPDATE hint SET conversation = '', entry = NULL WHERE conversation = ?", this.id);
    for (const { id, tombstone } of asks) {
      this.putSettled(id, tombstone, until, null, null);
      this.putChange(id, now, '');
    }
  }

  private forget(): void {
    deleteConversation(this.db, this.id);
    this.documents.forget(this.id);
    this.row = undefined;
  }

  private putSettled(id: string, record: Stored, until: number, c: string | null, decided: number | null): void {
    this.unlist('open', id);
    const sql = 'INSERT OR REPLACE INTO settled (id, record, until, c, decided) VALUES (?, ?, ?, ?, ?)';
    this.db.run(sql, id, record.text, until, c, decided);
  }

  private list(what: string, id: string, at: number, rank: number | null): void {
    const sql = 'INSERT OR REPLACE INTO listed (what, id, at, c, rank) VALUES (?, ?, ?, ?, ?)';
    this.db.run(sql, what, id, at, this.id, rank);
  }

  private unlist(what: string, id: string): void {
    this.db.run('DELETE FROM listed WHERE what = ? AND id = ?', what, id);
  }
}

interface ConversationRow {
  readonly n: number;
  readonly record: string;
  /** Null if there is none, or it is long. */
  readonly document: string | null;
  readonly ends: number | null;
}

function deleteConversation(db: Database, id: string): void {
  for (const table of parts) db.run(`DELETE FROM ${table} WHERE c = ?`, id);
  db.run('DELETE FROM conversation WHERE id = ?', id);
}

/** An output was sent or given up: a retired conversation whose last one that was gets its end. */
export function dropOutput(db: Database, n: number, id: string, now: number): void {
  db.run('DELETE FROM output WHERE n = ?', n);
  const sql = `UPDATE conversation SET ends = ? + kept
    WHERE id = ? AND kept IS NOT NULL AND NOT EXISTS (SELECT 1 FROM output WHERE c = conversation.id)`;
  db.run(sql, now, id);
}

/** Rows with a time of their own, beside conversations and changes: where they are, their key, and when their time is over. */
const timed = [
  ['settled', 'id', 'until <= ?'],
  ['kept', 'key', 'until <= ?'],
  ['mark', 'c, entry', 'ends > 0 AND ends <= ?'],
].map(([table, key, isOver]) => ({
  isAny: `EXISTS (SELECT 1 FROM ${table} WHERE ${isOver})`,
  drop: `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${isOver} LIMIT ?)`,
}));

/** True if the file contains expired rows. */
export function hasExpired(db: Database, now: number): boolean {
  const sql = `SELECT 1 AS found WHERE EXISTS (SELECT 1 FROM conversation WHERE ends <= ?)
    OR EXISTS (SELECT 1 FROM (SELECT at FROM change ORDER BY n LIMIT 1) WHERE at < ?)
    OR ${timed.map(({ isAny }) => isAny).join(' OR ')}`;
  return db.get(sql, now, now - changesKept, ...timed.map(() => now)) !== undefined;
}

/** Deletes expired rows, at most `limit` of each kind. Reads ignore them already: this only frees space, in small steps. */
export function deleteExpired(db: Database, now: number, limit: number): void {
  const sql = 'SELECT id FROM conversation WHERE ends <= ? LIMIT ?';
  for (const { id } of db.all<{ id: string }>(sql, now, limit)) deleteConversation(db, id);
  dropChanges(db, now, limit);
  for (const { drop } of timed) db.run(drop, now, limit);
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
