/**
 * Retention: a conversation in which nothing is left to do is forgotten after a while, unless there is work again.
 */
import { moveMarksOut } from './marks.js';
import type { Writes } from './ports.js';
import type { ConversationRecord } from './record.js';

/** Nothing is open, nothing waits, nobody holds it, and nothing has to be pushed. */
export function isFinished(record: ConversationRecord, now: number): boolean {
  if (record.isOpen || record.front !== undefined || record.dueAt !== null) return false;
  if (record.token !== '' && record.leasedUntil > now) return false;
  return record.backlogs.length === 0 && record.outputs.length === 0;
}

/** Everything gets a time to live. Each save starts it anew. */
export function retire(record: ConversationRecord, now: number, writes: Writes): void {
  record.isRetired = true;
  record.endsAt = now + record.retention;
  writes.keepUntil(record, record.endsAt);
  moveMarksOut(record, writes);
  // those of an earlier life are not in `marksUntil`; they end before a mark that was made now
  if (record.marksBeside > 0) writes.keepMarksUntil(Math.max(record.marksUntil, now + record.dedupeFor));
  for (const person of record.people) writes.putPerson(person, record.endsAt);
}

/** There is work again: nothing may run out. */
export function revive(record: ConversationRecord, writes: Writes): void {
  if (!record.isRetired) return;
  record.isRetired = false;
  writes.keepUntil(record, undefined);
  if (record.marksBeside > 0) writes.keepMarksUntil(undefined);
  for (const person of record.people) writes.putPerson(person, undefined);
}

/** Lists the conversation under a participant. False if it is already. */
export function addPerson(record: ConversationRecord, person: string, writes: Writes): boolean {
  if (record.people.includes(person)) return false;
  record.people = [...record.people, person];
  writes.putPerson(person, undefined);
  return true;
}

/** After a change of the record: one of the two, or nothing. */
export function retireOrRevive(record: ConversationRecord, now: number, writes: Writes): void {
  if (isFinished(record, now)) retire(record, now, writes);
  else revive(record, writes);
}
