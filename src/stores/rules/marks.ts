/**
 * Dedupe marks: how a repeated entry or save is known. The last few are in the record, the others beside it.
 */
import type { Changes, Facts } from './changes.js';
import {
  type ConversationRecord,
  type DedupeMark,
  fewMarks,
  marksInside,
  type QueuedEntry,
  without,
} from './record.js';

/** Whether the mark of an entry must be looked for beside the record. */
export function isMarkBeside(record: ConversationRecord, entryId: string): boolean {
  return (record.marksBeside > 0 || record.hasQueue) && !record.recentMarks.some(([id]) => id === entryId);
}

/** The mark of an entry, wherever it is. Its time may be over. */
export function markOf(record: ConversationRecord | undefined, entryId: string, facts: Facts): DedupeMark | undefined {
  if (record === undefined) return facts.mark;
  for (const [id, mark] of record.recentMarks) if (id === entryId) return mark;
  return record.marksBeside > 0 || record.hasQueue ? facts.mark : undefined;
}

/** Drops a mark from the record, so that it does not hide a newer one. True if there was one. */
export function dropRecentMark(record: ConversationRecord, entryId: string): boolean {
  const at = record.recentMarks.findIndex(([id]) => id === entryId);
  if (at >= 0) record.recentMarks = without(record.recentMarks, at);
  return at >= 0;
}

/** A close may put one mark beside the record: then it is time to sweep those there. */
export const isSweepDue = (record: ConversationRecord): boolean => record.marksBeside + 1 >= record.sweepMarksAt;

/** Marks an entry as closed. `closed` is the entry, if it was in the queue. */
export function markClosed(
  record: ConversationRecord,
  entryId: string,
  mark: DedupeMark,
  closed: QueuedEntry | undefined,
  facts: Facts,
  changes: Changes,
): void {
  record.marksUntil = Math.max(record.marksUntil, mark.endsAt);
  if (closed?.isMarked) {
    putMarkBeside(record, entryId, mark, facts, changes); // in the place of the one that it had in the queue
    return;
  }
  dropRecentMark(record, entryId);
  record.recentMarks = [...record.recentMarks, [entryId, mark]];
  if (record.recentMarks.length <= marksInside) return;
  const [id, oldest] = record.recentMarks[0] as readonly [string, DedupeMark];
  record.recentMarks = without(record.recentMarks, 0);
  if (oldest.endsAt > changes.now) putMarkBeside(record, id, oldest, facts, changes);
}

/** Moves every mark out of a record that ends before they do. */
export function moveMarksOut(record: ConversationRecord, changes: Changes): void {
  if (record.recentMarks.every(([, { endsAt }]) => endsAt <= record.endsAt)) return;
  changes.marks = [...changes.marks, ...record.recentMarks];
  record.marksBeside += record.recentMarks.length;
  record.recentMarks = [];
}

function putMarkBeside(
  record: ConversationRecord,
  entryId: string,
  mark: DedupeMark,
  facts: Facts,
  changes: Changes,
): void {
  changes.marks = [...changes.marks, [entryId, mark]];
  record.marksBeside += 1;
  if (record.marksBeside < record.sweepMarksAt) return;
  const all = (facts.allMarks ?? []).filter(([id]) => id !== entryId);
  const expired = all.filter(([, { endsAt }]) => endsAt > 0 && endsAt <= changes.now).map(([id]) => id);
  changes.droppedMarks = expired;
  record.marksBeside = all.length - expired.length + 1;
  record.sweepMarksAt = Math.max(fewMarks, 2 * record.marksBeside); // so that a sweep costs a constant per mark on average
}
