/**
 * The outbox: what has to go out, by channel, in the order of saving, and what is lent until when.
 * It never sends anything and never looks into what it keeps.
 */
import type { Borrow, Lent, Mark, Output } from '../port.js';
import { Conversation } from './conversation.js';
import type { Database } from './database.js';
import { rows } from './reading.js';

interface Item {
  readonly n: number;
  readonly key: string;
  readonly channel: string;
  readonly data: string;
}

/** Adds an output, lent for `loan` if it is the saver's. One that is there already stays as it is. */
export function add(db: Database, { control }: Conversation, output: Output, now: number, loan: number): void {
  const { key, channel, data, to } = output;
  const pull = to === 'puller' ? 1 : 0;
  const free = to === 'saver' ? now + loan : pull ? 0 : now;
  const sql = `INSERT INTO output (c, key, channel, pull, free, data) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (c, key) DO NOTHING`;
  const added = db.insert(sql, control.n, key, channel, pull, free, data) !== undefined;
  if (added && !pull) control.pushes += 1;
}

export function withdraw(db: Database, { control }: Conversation, key: string): void {
  const item = db.get<{ n: number; pull: number }>(
    'SELECT n, pull FROM output WHERE c = ? AND key = ?',
    control.n,
    key,
  );
  if (item !== undefined) take(db, { control }, item);
}

function take(db: Database, { control }: Pick<Conversation, 'control'>, item: { n: number; pull: number }): void {
  db.run('DELETE FROM output WHERE n = ?', item.n);
  if (!item.pull) control.pushes -= 1;
}

export function mark(db: Database, { conversationId, key, channel, again, sentAs }: Mark, now: number): void {
  const conversation = Conversation.find(db, conversationId, now);
  if (conversation === undefined) return;
  const { n } = conversation.control;
  if (sentAs !== undefined) db.run('INSERT OR REPLACE INTO sent VALUES (?, ?, ?)', n, sentAs.name, sentAs.id);
  const sql = 'SELECT n, pull FROM output WHERE c = ? AND key = ? AND channel = ?';
  const item = db.get<{ n: number; pull: number }>(sql, n, key, channel);
  if (item === undefined) return;
  if (again !== undefined) {
    db.run('UPDATE output SET data = ?, free = ? WHERE n = ?', again.data, now + again.in, item.n);
    return;
  }
  take(db, conversation, item);
  conversation.write(now);
}

/** Whether `lend` would find something; so that looking in vain writes nothing. */
export function canLend(db: Database, { channels, conversationId }: Borrow, now: number): boolean {
  if (conversationId !== undefined) {
    const n = Conversation.find(db, conversationId, now)?.control.n;
    return n !== undefined && db.get('SELECT n FROM output WHERE c = ? AND free <= ? LIMIT 1', n, now) !== undefined;
  }
  const sql = 'SELECT n FROM output WHERE pull = 0 AND channel = ? AND free <= ? LIMIT 1';
  return channels.some((channel) => db.get(sql, channel, now) !== undefined);
}

export function lend(db: Database, call: Borrow, now: number): Lent[] {
  return call.conversationId === undefined ? lendAny(db, call, now) : lendOf(db, call.conversationId, call, now);
}

/** Lends what one conversation has for these channels, also what waits to be pulled. */
function lendOf(db: Database, conversationId: string, { channels, limit, loan }: Borrow, now: number): Lent[] {
  const n = Conversation.find(db, conversationId, now)?.control.n;
  if (n === undefined) return [];
  const sql = 'SELECT n, key, channel, data FROM output WHERE c = ? AND free <= ? ORDER BY n';
  return db
    .all<Item>(sql, n, now)
    .filter(({ channel }) => channels.includes(channel))
    .slice(0, limit)
    .map((item) => lent(db, conversationId, item, now, loan));
}

/** So many at once that the order holds in practice, and not so many that the process stands still. */
const settle = `UPDATE output SET free = 0 WHERE n IN
  (SELECT n FROM output WHERE pull = 0 AND channel = ? AND free > 0 AND free <= ? ORDER BY free, n LIMIT 1000)`;

/** Lends what any conversation has for these channels. */
function lendAny(db: Database, { channels, limit, loan }: Borrow, now: number): Lent[] {
  const found: (Item & { readonly id: string })[] = [];
  for (const channel of new Set(channels)) {
    // what is free again gets its old place in the order of saving
    db.run(settle, channel, now);
    const sql = `SELECT output.n, key, channel, data, conversation.id FROM output JOIN conversation ON conversation.n = c
      WHERE pull = 0 AND channel = ? AND free = 0 ORDER BY output.n LIMIT ?`;
    found.push(...db.all<Item & { readonly id: string }>(sql, channel, rows(limit)));
  }
  const first = found.sort((one, other) => one.n - other.n).slice(0, limit);
  return first.map((item) => lent(db, item.id, item, now, loan));
}

function lent(db: Database, conversationId: string, { n, key, channel, data }: Item, now: number, loan: number): Lent {
  db.run('UPDATE output SET free = ? WHERE n = ?', now + loan, n);
  return { conversationId, key, channel, data, now };
}
