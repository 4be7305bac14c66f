/**
 * The SQLite store: conversations for the processes of one machine, in one file. Each step is part of one transaction.
 * It applies the rules of ../rules to its tables; no rule lives here.
 */
import { StoredRecord } from '../../core/format/stored.js';
import {
  historyPage,
  historyRange,
  historyRangeFrom,
  itemNumberOf,
  limitOf,
  listPage,
  numberIn,
  positionOf,
  settledStart,
} from '../pages.js';
import type * as port from '../port.js';
import * as rules from '../rules/index.js';
import { Connection } from './connection.js';
import type { Database } from './database.js';
import { KnownDocuments } from './documents.js';
import { rank } from './file.js';
import { longestLock } from './lock-wait.js';
import { checkedOptions, type SqliteStoreOptions } from './options.js';
import {
  deleteExpired,
  dropOutput,
  hasExpired,
  keptValue,
  putValue,
  readChanges,
  StoredConversation,
} from './tables.js';

/** How many of each kind a sweep deletes. */
const sweepSize = 500;

const isLiving = '(conversation.ends IS NULL OR conversation.ends > ?)';

/**
 * Keeps conversations in a file, for one process or several on the same machine. What was acknowledged survives a killed
 * process and a machine that loses power. Needs `npm install libsql` where Node is older than 22.13.
 *
 * @example
 * import { AgentRegistry } from 'askback';
 * import { SqliteStore } from 'askback/stores/sqlite';
 *
 * const registry = new AgentRegistry({ store: new SqliteStore({ path: 'askback.db' }) });
 */
export class SqliteStore implements port.Store {
  private readonly connection: Connection;
  private readonly documents = new KnownDocuments();
  readonly settlesWithin: number = 2 * longestLock;

  constructor(options: SqliteStoreOptions) {
    this.connection = new Connection(checkedOptions(options));
  }

  open(): Promise<void> {
    return this.connection.open();
  }

  async take(call: port.Take): Promise<port.Taken> {
    return this.step(call.conversationId, rules.take, call, 'take');
  }

  async save(call: port.Save): Promise<port.Saved> {
    return this.step(call.conversationId, rules.save, call);
  }

  async remember(call: port.Remember): Promise<port.Remembered> {
    return this.step(call.conversationId, rules.remember, call);
  }

  async renew(holds: readonly port.Hold[], lease: number): Promise<readonly port.Renewed[]> {
    if (holds.length === 0) return [];
    return this.connection.batches.write('step', (db, now) =>
      holds.map((hold) =>
        rules.applyLocked(this.at(db, now, hold.conversationId), rules.renew, { ...hold, lease }, now),
      ),
    );
  }

  async due(limit: number): Promise<{ conversations: readonly string[]; now: number }> {
    const most = limitOf(limit);
    const sql = 'SELECT id FROM conversation WHERE due <= ? ORDER BY due LIMIT ?';
    const found = await this.connection.batches.read((db, now) => ({
      conversations: db.all<{ id: string }>(sql, now, most).map(({ id }) => id),
      now,
      isSweepDue: hasExpired(db, now),
    }));
    // a file in which nothing else happens is swept here; if that fails, the next call does it
    if (found.isSweepDue)
      this.connection.batches.write('step', (db, now) => deleteExpired(db, now, sweepSize)).catch(() => {});
    this.connection.tidy(); // every sweep calls due(): a sensitive answer stays in the -wal file no longer than that
    return { conversations: found.conversations, now: found.now };
  }

  async unsent(call: port.Borrow): Promise<readonly port.Lent[]> {
    const limit = limitOf(call.limit);
    if (call.channels.length === 0 || limit === 0) return [];
    // looked for first, so that looking in vain writes nothing
    if ((await this.connection.batches.read((db, now) => conversationsToSend(db, call, 1, now))).length === 0)
      return [];
    return this.connection.batches.write('step', (db, now) => {
      const found: OutputRow[] = [];
      for (const id of conversationsToSend(db, call, limit, now))
        found.push(...freeOutputs(db, id, call.channels, limit - found.length, now));
      for (const { n } of found) db.run('UPDATE output SET free = ? WHERE n = ?', now + call.sendLease, n);
      return found.map(({ data, n: _, ...lent }) => ({ ...lent, data: StoredRecord.ofText(data), now }));
    });
  }

  async sent(marks: readonly port.Mark[]): Promise<void> {
    if (marks.length === 0) return;
    await this.connection.batches.write('step', (db, now) => {
      for (const mark of marks) markSent(db, mark, now);
    });
  }

  async conversation(conversationId: string, skip = 0): Promise<port.ConversationState | null> {
    return this.connection.batches.read((db, now) => {
      const conversation = this.at(db, now, conversationId);
      if (conversation.record === undefined) return null;
      return rules.stateOf(conversation.record, conversation.queue(rules.queueStart(skip)), now, skip);
    });
  }

  async outcome(conversationId: string, entryId: string): Promise<port.Stored | null> {
    return this.connection.batches.read((db, now) => {
      const conversation = this.at(db, now, conversationId);
      return rules.outcomeOf(conversation.record, entryId, now, { mark: conversation.mark(entryId) });
    });
  }

  async find(id: string): Promise<{ conversationId: string } | { record: port.Stored } | null> {
    const sql = `SELECT c FROM listed JOIN conversation ON conversation.id = c
      WHERE what IN ('open', 'parked') AND listed.id = ? AND ${isLiving}`;
    return this.connection.batches.read((db, now) => {
      const listed = db.get<{ c: string }>(sql, id, now);
      if (listed !== undefined) return { conversationId: listed.c };
      const settled = db.get<{ record: string }>('SELECT record FROM settled WHERE id = ? AND until > ?', id, now);
      return settled === undefined ? null : { record: StoredRecord.ofText(settled.record) };
    });
  }

  async list(what: port.ListName, page: port.Page): Promise<{ items: readonly port.Listed[]; cursor?: string }> {
    const limit = limitOf(page.limit);
    const after = positionOf(page) ?? { at: -1, id: '' };
    const [table, place] = what === 'deadline' ? ['open', rank] : [what, 'at'];
    const sql = `SELECT listed.id, c AS conversationId, ${place} AS at FROM listed JOIN conversation ON conversation.id = c
      WHERE what = ? AND ${isLiving} AND ${place} >= ? AND (${place}, listed.id) > (?, ?)
      ORDER BY ${place}, listed.id LIMIT ?`; // by the pair alone SQLite does not seek in an index of an expression
    return this.connection.batches.read((db, now) =>
      listPage(db.all<port.Listed>(sql, table, now, after.at, after.at, after.id, limit + 1), limit),
    );
  }

  async changes(page: port.Page): Promise<port.ChangePage> {
    const limit = limitOf(page.limit);
    const after = numberIn(page);
    return this.connection.batches.read((db) => readChanges(db, after, limit));
  }

  async swap(call: port.Swap): Promise<port.Swapped> {
    const { key, expected, value, ttl } = call;
    return this.connection.batches.write('step', (db, now) => {
      const found = keptValue(db, key, now);
      if (found === expected) putValue(db, key, value, now + Math.max(1, ttl));
      const current = found === expected ? value : found;
      return { swapped: current === value, current };
    });
  }

  async settled(page: port.SettledPage): Promise<{ items: readonly port.ListedRecord[]; cursor?: string }> {
    const limit = limitOf(page.limit);
    const before = settledStart(page) ?? { at: Number.MAX_VALUE, id: '' };
    const { since = 0, conversationId } = page;
    const sql = `SELECT id, decided AS at, record FROM settled
      WHERE ${conversationId === undefined ? '' : 'c = ? AND '}decided >= ? AND (decided, id) < (?, ?) AND until > ?
      ORDER BY decided DESC, id DESC LIMIT ?`;
    const whose = conversationId === undefined ? [] : [conversationId];
    return this.connection.batches.read((db, now) => {
      const found = db.all<SettledRow>(sql, ...whose, since, before.at, before.id, now, limit + 1);
      const { items, ...more } = listPage(found, limit);
      return { items: items.map(({ id, at, record }) => ({ id, at, record: StoredRecord.ofText(record) })), ...more };
    });
  }

  async settledAsks(conversationId: string): Promise<readonly string[]> {
    const sql = 'SELECT id FROM settled WHERE c = ? AND until > ?';
    return this.connection.batches.read((db, now) =>
      db.all<{ id: string }>(sql, conversationId, now).map(({ id }) => id),
    );
  }

  async history(conversationId: string, page: port.Page): Promise<{ items: readonly port.Stored[]; cursor?: string }> {
    const limit = limitOf(page.limit);
    const before = numberIn(page);
    return this.connection.batches.read((db, now) => {
      const { record } = this.at(db, now, conversationId);
      const first = record?.historyStart ?? 0;
      const { start, end } = historyRange(limit, before, first, record?.historyEnd ?? 0);
      return historyPage(historyItems(db, conversationId, start, end), start, first);
    });
  }

  async historyFrom(conversationId: string, from: number, limit: number): Promise<port.HistoryPart> {
    const [wanted, most] = [itemNumberOf(from), limitOf(limit)];
    return this.connection.batches.read((db, now) => {
      const { record } = this.at(db, now, conversationId);
      const { start, end } = historyRangeFrom(wanted, most, record?.historyStart ?? 0, record?.historyEnd ?? 0);
      return { items: historyItems(db, conversationId, start, end), first: start };
    });
  }

  async conversationsOf(participantId: string): Promise<readonly string[]> {
    const sql = `SELECT c FROM person JOIN conversation ON conversation.id = c WHERE person.id = ? AND ${isLiving}`;
    return this.connection.batches.read((db, now) => db.all<{ c: string }>(sql, participantId, now).map(({ c }) => c));
  }

  async sentAs(conversationId: string, name: string): Promise<string | null> {
    const sql = `SELECT sent.id FROM sent JOIN conversation ON conversation.id = c
      WHERE c = ? AND name = ? AND ${isLiving}`;
    return this.connection.batches.read(
      (db, now) => db.get<{ id: string }>(sql, conversationId, name, now)?.id ?? null,
    );
  }

  async erase(call: port.Erase): Promise<boolean> {
    return this.step(call.conversationId, rules.erase, call);
  }

  hint(hint: port.Hint): void {
    this.connection.hints.give(hint);
  }

  async watch(listener: (hint: port.Hint) => void): Promise<() => Promise<void>> {
    const stop = this.connection.hints.add(listener);
    return async () => stop();
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  private step<C, A>(id: string, rule: rules.Rule<C, A>, call: C, kind: 'take' | 'step' = 'step'): Promise<A> {
    return this.connection.batches.write(kind, (db, now) => rules.applyLocked(this.at(db, now, id), rule, call, now));
  }

  private at(db: Database, now: number, id: string): StoredConversation {
    return new StoredConversation(db, id, now, this.documents);
  }
}

interface SettledRow extends Omit<port.ListedRecord, 'record'> {
  readonly record: string;
}

interface OutputRow extends Omit<port.Lent, 'now' | 'data'> {
  readonly n: number;
  readonly data: string;
}

/** Conversations with outputs that may be lent now, those of the longest free ones first. */
function conversationsToSend(db: Database, call: port.Borrow, limit: number, now: number): readonly string[] {
  const { channels, conversationId } = call;
  const [isIn, whose] = conversationId === undefined ? ['', []] : ['c = ? AND ', [conversationId]];
  const sql = `SELECT c FROM output WHERE ${isIn}channel = ? AND free <= ? ORDER BY free, n LIMIT ?`;
  const found = channels.flatMap((channel) => db.all<{ c: string }>(sql, ...whose, channel, now, limit));
  return [...new Set(found.map(({ c }) => c))];
}

/** Outputs of a conversation that may be lent now, in the order of saving. */
function freeOutputs(
  db: Database,
  id: string,
  channels: readonly string[],
  limit: number,
  now: number,
): readonly OutputRow[] {
  const sql = `SELECT n, c AS conversationId, key, channel, data FROM output
    WHERE c = ? AND free <= ? AND channel IN (${channels.map(() => '?').join()}) ORDER BY n LIMIT ?`;
  return db.all<OutputRow>(sql, id, now, ...channels, limit);
}

/** Writes down what became of an output. */
function markSent(db: Database, { conversationId, key, channel, again, sentAs, kept }: port.Mark, now: number): void {
  if (kept !== undefined) putValue(db, kept.key, kept.value, now + Math.max(1, kept.ttl));
  if (sentAs !== undefined) {
    const sql = `INSERT OR REPLACE INTO sent (c, name, id) SELECT id, ?, ? FROM conversation WHERE id = ? AND ${isLiving}`;
    db.run(sql, sentAs.name, sentAs.id, conversationId, now);
  }
  const sql = 'SELECT n FROM output WHERE c = ? AND key = ? AND channel = ?';
  const output = db.get<{ n: number }>(sql, conversationId, key, channel);
  if (output === undefined) return;
  if (again === undefined) dropOutput(db, output.n, conversationId, now);
  else db.run('UPDATE output SET data = ?, free = ? WHERE n = ?', again.data.text, now + again.in, output.n);
}

function historyItems(db: Database, conversationId: string, start: number, end: number): readonly port.Stored[] {
  const sql = 'SELECT item FROM history WHERE c = ? AND n >= ? AND n < ? ORDER BY n';
  return db.all<{ item: string }>(sql, conversationId, start, end).map(({ item }) => StoredRecord.ofText(item));
}
