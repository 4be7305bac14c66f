/**
 * Dedupe marks: how a repeated entry or save is known. The last few are in the record, the others beside it.
 */
import type { Reads, Writes } from './ports.js';
import {
  type ConversationRecord,
  type DedupeMark,
  fewMarks,
  marksInside,
  type QueuedEntry,
  without,
} from './record.js';

/** The mark of an entry, wherever it is. Its time may be over. */
export function markOf(record: ConversationRecord | undefined, entryId: string, reads: Reads): DedupeMark | undefined {
  if (record === undefined) return reads.marksLeft() > 0 ? reads.mark(entryId) : undefined;
  for (const [id, mark] of record.recentMarks) if (id === entryId) return mark;
  return record.marksBeside > 0 || record.hasQueue ? reads.mark(entryId) : undefined;
}

/** Drops a mark from the record, so that it does not hide a newer one. True if there was one. */
export function dropRecentMark(record: ConversationRecord, entryId: string): boolean {
  const at = record.recentMarks.findIndex(([id]) => id === entryId);
  if (at >= 0) record.recentMarks = without(record.recentMarks, at);
  return at >= 0;
}

/** Marks an entry as closed. `closed` is the entry, if it was in the queue. */
export function markClosed(
  record: ConversationRecord,
  entryId: string,
  mark: DedupeMark,
  closed: QueuedEntry | undefined,
  now: number,
  reads: Reads,
  writes: Writes,
): void {
  record.marksUntil = Math.max(record.marksUntil, mark.endsAt);
  if (closed?.isMarked) {
    putMarkBeside(record, entryId, mark, now, reads, writes); // in the place of the one that it had in the queue
    return;
  }
  dropRecentMark(record, entryId);
  record.recentMarks = [...record.recentMarks, [entryId, mark]];
  if (record.recentMarks.length <= marksInside) return;
  const [id, oldest] = record.recentMarks[0] as readonly [string, DedupeMark];
  record.recentMarks = without(record.recentMarks, 0);
  if (oldest.endsAt > now) putMarkBeside(record, id, oldest, now, reads, writes);
}

/** Moves every mark out of a record that ends before they do. */
export function moveMarksOut(record: ConversationRecord, writes: Writes): void {
  if (record.recentMarks.every(([, { endsAt }]) => endsAt <= record.endsAt)) return;
  for (const [id, mark] of record.recentMarks) writes.putMark(id, mark);
  record.marksBeside += record.recentMarks.length;
  record.recentMarks = [];
}

function putMarkBeside(
  record: ConversationRecord,
  entryId: string,
  mark: DedupeMark,
  now: number,
  reads: Reads,
  writes: Writes,
): void {
  writes.putMark(entryId, mark);
  record.marksBeside += 1;
  if (record.marksBeside < record.sweepMarksAt) return;
  const { expired, left } = reads.expiredMarks(now);
  if (expired.length > 0) writes.deleteMarks(expired);
  record.marksBeside = left + 1;
  record.sweepMarksAt = Math.max(fewMarks, 2 * record.marksBeside); // so that a sweep costs a constant per mark on average
}
