/**
 * Retention: a conversation in which nothing is left to do is forgotten after a while, unless there is work again.
 */
import { moveMarksOut } from './marks.js';
import type { Reads, Writes } from './ports.js';
import { type ConversationRecord, peopleInside } from './record.js';

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

/** Lists the conversation under a participant. False if the record did not change. */
export function addPerson(record: ConversationRecord, person: string, now: number, writes: Writes): boolean {
  if (record.people.includes(person)) return false;
  if (record.people.length < peopleInside) {
    record.people = [...record.people, person];
    writes.putPerson(person, undefined);
    return true;
  }
  const isFirst = !record.hasPeopleBeside;
  if (isFirst) {
    record.hasPeopleBeside = true;
    record.peopleUntil = now + (record.revision === 0 ? beforeAnySave : listedFor * record.retention);
  }
  writes.putPersonBeside(person);
  writes.putPerson(person, record.peopleUntil);
  return isFirst;
}

/**
 * Participants beside the record may be many, so they are listed for some retentions ahead, and all of them anew once in each, instead
 * of each time that the conversation is retired and revived.
 */
const listedFor = 3;
/** The first save says what the retention is, and lists them by that. */
const beforeAnySave = 365 * 86_400_000;

/** When participants beside the record are to be listed anew; null if nobody is there, or the conversation is finished. */
export function relistAt(record: ConversationRecord, now: number): number | null {
  return record.hasPeopleBeside && !isFinished(record, now) ? relistTime(record) : null;
}

/** Lists the participants beside the record anew, if it is time. */
export function relistPeople(record: ConversationRecord, now: number, reads: Reads, writes: Writes): void {
  if (!record.hasPeopleBeside) return;
  const isListedTooLong = record.peopleUntil > now + listedFor * record.retention; // the retention is a shorter one now
  if (now < relistTime(record) && !isListedTooLong) return;
  record.peopleUntil = now + listedFor * record.retention;
  for (const person of reads.peopleBeside()) writes.putPerson(person, record.peopleUntil);
}

const relistTime = ({ peopleUntil, retention }: ConversationRecord): number =>
  peopleUntil - (listedFor - 1) * retention;

/** After a change of the record: one of the two, or nothing. */
export function retireOrRevive(record: ConversationRecord, now: number, writes: Writes): void {
  if (isFinished(record, now)) retire(record, now, writes);
  else revive(record, writes);
}
