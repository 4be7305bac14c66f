/**
 * take: records an entry unless its id is known, and claims the conversation if somebody should work on it.
 */
import type { Mutable } from '../../core/defined-fields.js';
import type { NewEntry, Predecided, Stored, Take, Taken } from '../port.js';
import { Changes, type Facts, type Needs, noNeeds } from './changes.js';
import { claim, claimOf, isClaimable, isHeld, timeOf } from './lease.js';
import { dropRecentMark, isMarkBeside, markOf } from './marks.js';
import { brief, ConversationRecord, type QueuedEntry } from './record.js';
import { addPerson, retireOrRevive, revive } from './retention.js';
import type { Applied, Rule } from './rule.js';

/** Records an entry, and claims the conversation if there is work and nobody holds it. */
export const take: Rule<Take, Taken> = { name: () => 'take', needs: needsOfTake, apply: applyTake };

function needsOfTake(record: ConversationRecord | undefined, { entry, lease, token }: Take, clock: number): Needs {
  if (record === undefined) return entry === undefined ? noNeeds : { marksLeft: true, mark: entry.id };
  const { hasQueue, hasMemo, keptMemos, marksBeside, front } = record;
  if (!hasQueue && !hasMemo && keptMemos.length === 0 && marksBeside === 0) return noNeeds;
  const needs: Mutable<Needs> = {};
  if (entry !== undefined && front?.id !== entry.id) {
    if (isMarkBeside(record, entry.id)) needs.mark = entry.id;
    if (front !== undefined && hasQueue) needs.room = entry.room - 1;
  }
  if (lease > 0 && (record.token === token || !isHeld(record, timeOf(record, clock)))) {
    if (hasMemo) needs.memos = [record.turn];
    else if (keptMemos.length > 0 && record.turn === '') needs.memos = keptMemos;
  }
  return needs;
}

function applyTake(found: ConversationRecord | undefined, call: Take, clock: number, facts: Facts): Applied<Taken> {
  const now = timeOf(found, clock);
  const answer: Mutable<Taken> = { now };
  const known = call.entry === undefined ? undefined : knownEntry(found, call.entry, call.token, now, facts);
  if (known !== undefined) {
    answer.entry = known.entry;
    if (known.outcome !== undefined) answer.outcome = known.outcome;
  }
  const isNew = call.entry !== undefined && known === undefined;
  // one that ran out while a dead holder kept it among the due is taken off there: a record that is not there is not due
  if (found === undefined && !isNew) {
    const changes = call.entry === undefined ? new Changes(now) : undefined;
    return { record: undefined, changes, answer };
  }
  const changes = new Changes(now);
  const record = found?.copy() ?? created(call.token, now, facts, changes);
  record.lastTime = now;
  let isChanged = false;
  if (call.entry !== undefined && isNew) {
    answer.entry = 'recorded';
    isChanged = addEntry(record, call.entry, call.token, now, changes);
    if (call.entry.person !== undefined && addPerson(record, call.entry.person, changes)) isChanged = true;
  }
  const isClosed = known?.outcome !== undefined;
  const isMine = call.lease > 0 && !isClosed && record.token === call.token && record.leasedUntil > now;
  let isClaimed = false;
  if (call.lease > 0 && !isClosed && !isMine && now <= (call.claimBefore ?? now) && isClaimable(record, now)) {
    claim(record, call.token, call.turn, call.lease, now);
    isClaimed = true;
    isChanged = true;
  }
  const predecided = isNew && isClaimed ? predecidedOf(record, call, now) : undefined;
  if (predecided !== undefined) {
    record.revision += 1;
    record.document = predecided.document;
    changes.document = predecided.document;
    changes.changed = predecided.changed;
  }
  if (isChanged) revive(record, changes);
  else if (record.token !== '' && record.leasedUntil !== 0 && record.leasedUntil <= now) {
    record.leasedUntil = 0; // a lease ran out, and its place among the due is another
    isChanged = true;
    retireOrRevive(record, changes);
  }
  changes.isRecordChanged = isChanged;
  if (isMine || isClaimed) answer.claim = claimOf(record, now, facts);
  return { record, changes: isChanged || changes.enqueued !== undefined ? changes : undefined, answer };
}

/** What the caller is told of an entry that is not recorded now: it is known, or there is no room for it. */
function knownEntry(
  record: ConversationRecord | undefined,
  entry: NewEntry,
  token: string,
  now: number,
  facts: Facts,
): { readonly entry: 'recorded' | 'repeat' | 'full'; readonly outcome?: Stored } | undefined {
  const told = (recordedBy: string) => (recordedBy === brief(token) ? 'recorded' : 'repeat');
  if (record?.front?.id === entry.id) return { entry: told(record.front.recordedBy) };
  const mark = markOf(record, entry.id, facts);
  if (mark?.endsAt === 0) return { entry: told(mark.recordedBy) };
  if (mark !== undefined && mark.endsAt > now) return { entry: told(mark.recordedBy), outcome: mark.outcome };
  return hasRoom(record, entry.room, facts) ? undefined : { entry: 'full' };
}

function hasRoom(record: ConversationRecord | undefined, room: number, facts: Facts): boolean {
  if (record?.front === undefined) return room > 0;
  return record.hasQueue ? (facts.waiting ?? 0) < room - 1 : room > 1;
}

/** A new life. Marks of an earlier one go on with it. */
function created(token: string, now: number, facts: Facts, changes: Changes): ConversationRecord {
  const record = new ConversationRecord(`${Math.floor(now / 1_000).toString(36)}${brief(token)}`, now);
  record.marksBeside = facts.marksLeft ?? 0;
  if (record.marksBeside > 0) changes.marksUntil = null;
  return record;
}

/** True if the record changed: an entry that joins a queue leaves it as it is, so that arrivals do not collide. */
function addEntry(record: ConversationRecord, entry: NewEntry, token: string, now: number, changes: Changes): boolean {
  if (record.front === undefined) {
    record.front = queuedEntry(entry, token, now, record.revision, false);
    return true;
  }
  const hadMark = dropRecentMark(record, entry.id); // of an earlier entry of this id; its time is over
  changes.enqueued = queuedEntry(entry, token, now, record.revision, true);
  if (record.hasQueue) return hadMark;
  record.hasQueue = true;
  return true;
}

function queuedEntry(
  { id, data, turn }: NewEntry,
  token: string,
  at: number,
  revision: number,
  isMarked: boolean,
): QueuedEntry {
  return { id, at, data, turn: turn ?? '', recordedBy: brief(token), revision, isMarked, rest: '' };
}

/** What the new entry makes of the document that its work begins with, where the caller can say it without doing that work. */
function predecidedOf(record: ConversationRecord, call: Take, now: number): Predecided | undefined {
  const { predecide, entry, turn } = call;
  const { document } = record;
  if (predecide === undefined || document === null) return undefined;
  if (record.front?.id !== entry?.id || record.turn !== turn || record.attempt !== 1) return undefined;
  if (record.dueAt !== null && record.dueAt <= now) return undefined;
  return predecide(document, now);
}
