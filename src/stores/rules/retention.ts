/**
 * Retention: a conversation in which nothing is left to do is forgotten after a while, unless there is work again.
 */
import type { Changes, Facts } from './changes.js';
import { moveMarksOut } from './marks.js';
import { type ConversationRecord, peopleInside } from './record.js';

/** Nothing is open, nothing waits and nobody holds it. Unsent outputs put its end off: a store knows of those. */
export function isFinished(record: ConversationRecord, now: number): boolean {
  if (record.isOpen || record.front !== undefined || record.dueAt !== null) return false;
  return record.token === '' || record.leasedUntil <= now;
}

/** Everything gets a time to live, which each change of the record starts anew. */
export function retire(record: ConversationRecord, changes: Changes): void {
  record.isRetired = true;
  record.endsAt = changes.now + record.retention;
  changes.ends = true;
  moveMarksOut(record, changes);
  // those of an earlier life are not in `marksUntil`; they end before a mark that was made now
  if (record.marksBeside > 0) changes.marksUntil = Math.max(record.marksUntil, changes.now + record.dedupeFor);
}

/** There is work again: nothing may run out. */
export function revive(record: ConversationRecord, changes: Changes): void {
  if (!record.isRetired) return;
  record.isRetired = false;
  changes.ends = false;
  if (record.marksBeside > 0) changes.marksUntil = null;
}

/** Lists the conversation under a participant. False if the record did not change. */
export function addPerson(record: ConversationRecord, id: string, changes: Changes): boolean {
  if (record.people.includes(id)) return false;
  if (record.people.length < peopleInside) {
    record.people = [...record.people, id];
    changes.people = [...changes.people, { id, until: undefined, isBeside: false }];
    return true;
  }
  const isFirst = !record.hasPeopleBeside;
  if (isFirst) {
    record.hasPeopleBeside = true;
    record.peopleUntil = changes.now + (record.revision === 0 ? beforeAnySave : listedFor * record.retention);
  }
  changes.people = [...changes.people, { id, until: record.peopleUntil, isBeside: true }];
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

/** Whether it is time to list the participants beside the record anew, with the retention as it is now. */
export function isRelistDue(record: ConversationRecord, retention: number, now: number): boolean {
  if (!record.hasPeopleBeside) return false;
  return now >= record.peopleUntil - (listedFor - 1) * retention || record.peopleUntil > now + listedFor * retention;
}

export function relistPeople(record: ConversationRecord, facts: Facts, changes: Changes): void {
  if (!isRelistDue(record, record.retention, changes.now)) return;
  const until = changes.now + listedFor * record.retention;
  record.peopleUntil = until;
  changes.people = [...changes.people, ...(facts.people ?? []).map((id) => ({ id, until, isBeside: false }))];
}

const relistTime = ({ peopleUntil, retention }: ConversationRecord): number =>
  peopleUntil - (listedFor - 1) * retention;

/** After a change of the record: one of the two, or nothing. */
export function retireOrRevive(record: ConversationRecord, changes: Changes): void {
  if (isFinished(record, changes.now)) retire(record, changes);
  else revive(record, changes);
}
