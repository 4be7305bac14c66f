/**
 * Sweeps up what is over: conversations past their retention, records of settled asks, repeat marks. Nobody sees them any
 * more by then; this only makes room, a little at a time, so that no step waits for it.
 */
import { Conversation } from './conversation.js';
import type { Database } from './database.js';

/** Whether there is something to sweep up. */
export function anythingOver(db: Database, now: number): boolean {
  const over = `SELECT 1 AS found WHERE EXISTS (SELECT 1 FROM conversation WHERE forget <= ?)
    OR EXISTS (SELECT 1 FROM settled WHERE until <= ?) OR EXISTS (SELECT 1 FROM mark WHERE until <= ?)`;
  return db.get(over, now, now, now) !== undefined;
}

/** Takes away at most `limit` of each kind. */
export function sweepUp(db: Database, now: number, limit: number): void {
  const over = db.all<{ n: number }>('SELECT n FROM conversation WHERE forget <= ? LIMIT ?', now, limit);
  for (const { n } of over) Conversation.drop(db, n);
  db.run('DELETE FROM settled WHERE id IN (SELECT id FROM settled WHERE until <= ? LIMIT ?)', now, limit);
  db.run(
    `DELETE FROM mark WHERE (conversation, entry) IN
      (SELECT conversation, entry FROM mark WHERE until <= ? LIMIT ?)`,
    now,
    limit,
  );
}
