/**
 * Repeat marks: which entries were closed, by whom, with what outcome. They outlive a conversation that is forgotten before their time.
 */
import type { Database } from './database.js';

export interface ClosedMark {
  readonly outcome: string;
  /** The token that recorded the entry; none for work that was never in the queue. */
  readonly recordedBy: string | null;
  /** The save that closed it. */
  readonly closedBy: string;
}

export function markOf(db: Database, conversationId: string, entryId: string, now: number): ClosedMark | undefined {
  return db.get<ClosedMark>(
    'SELECT outcome, recordedBy, closedBy FROM mark WHERE conversation = ? AND entry = ? AND until > ?',
    conversationId,
    entryId,
    now,
  );
}

export function addMark(db: Database, conversationId: string, entryId: string, mark: ClosedMark, until: number): void {
  const { outcome, recordedBy, closedBy } = mark;
  db.run(
    'INSERT OR REPLACE INTO mark VALUES (?, ?, ?, ?, ?, ?)',
    conversationId,
    entryId,
    outcome,
    recordedBy,
    closedBy,
    until,
  );
}

export function dropMarks(db: Database, conversationId: string): void {
  db.run('DELETE FROM mark WHERE conversation = ?', conversationId);
}
