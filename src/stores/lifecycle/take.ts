/**
 * take: records an entry unless its id is known, and claims the conversation if somebody should work on it.
 */
import type { Mutable } from '../../core/defined-fields.js';
import type { NewEntry, Predecided, Take, Taken } from '../port.js';
import { keepDocument } from './effects.js';
import { claim, claimOf, isClaimable, reindex, timeOf } from './lease.js';
import { dropRecentMark, markOf } from './marks.js';
import type { Applied, Reads, Writes } from './ports.js';
import { brief, ConversationRecord, type QueuedEntry } from './record.js';
import { addPerson, isFinished, retire, revive } from './retention.js';

export function applyTake(
  found: ConversationRecord | undefined,
  call: Take,
  clock: number,
  reads: Reads,
  writes: Writes,
): Applied<Taken> {
  const now = timeOf(found, clock);
  const answer: Mutable<Taken> = { now };
  const known = call.entry === undefined ? undefined : knownEntry(found, call.entry, call.token, now, reads);
  if (known !== undefined) {
    answer.entry = known.entry;
    if (known.outcome !== undefined) answer.outcome = known.outcome;
  }
  const isNew = call.entry !== undefined && known === undefined;
  if (found === undefined && !isNew) {
    if (call.entry === undefined) writes.indexDue(undefined); // it ran out while a dead holder kept it in the index
    return { record: undefined, isChanged: false, answer };
  }
  const record = found?.copy() ?? created(call.token, now, reads, writes);
  record.lastTime = now;
  let isChanged = false;
  if (call.entry !== undefined && isNew) {
    answer.entry = 'recorded';
    isChanged = addEntry(record, call.entry, call.token, now, writes);
    if (call.entry.person !== undefined && addPerson(record, call.entry.person, now, writes)) isChanged = true;
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
    keepDocument(record, predecided.document, writes);
    for (const id of predecided.changed) writes.putChange(id, now);
  }
  const isMoved = reindex(record, now, writes);
  if (isChanged) revive(record, writes);
  else if (isMoved && !record.isRetired && isFinished(record, now)) retire(record, now, writes); // a lease ran out and left nothing to do
  if (isMine || isClaimed) answer.claim = claimOf(record, now, predecided?.document);
  return { record, isChanged: isChanged || isMoved, answer };
}

/** What the caller is told of an entry that is not recorded now: it is known, or there is no room for it. */
function knownEntry(
  record: ConversationRecord | undefined,
  entry: NewEntry,
  token: string,
  now: number,
  reads: Reads,
): { readonly entry: 'recorded' | 'repeat' | 'full'; readonly outcome?: string } | undefined {
  const told = (recordedBy: string) => (recordedBy === brief(token) ? 'recorded' : 'repeat');
  if (record?.front?.id === entry.id) return { entry: told(record.front.recordedBy) };
  const mark = markOf(record, entry.id, reads);
  if (mark?.endsAt === 0) return { entry: told(mark.recordedBy) };
  if (mark !== undefined && mark.endsAt > now) return { entry: told(mark.recordedBy), outcome: mark.outcome };
  return hasRoom(record, entry.room, reads) ? undefined : { entry: 'full' };
}

function hasRoom(record: ConversationRecord | undefined, room: number, reads: Reads): boolean {
  if (record?.front === undefined) return room > 0;
  return record.hasQueue ? reads.hasQueueRoom(room - 1) : room > 1;
}

/** A new life. Marks of an earlier one go on with it. */
function created(token: string, now: number, reads: Reads, writes: Writes): ConversationRecord {
  const record = new ConversationRecord(`${Math.floor(now / 1_000).toString(36)}${token.slice(-12)}`, now);
  record.marksBeside = reads.marksLeft();
  if (record.marksBeside > 0) writes.keepMarksUntil(undefined);
  return record;
}

/** True if the record changed: an entry that joins a queue leaves it as it is, so that arrivals do not collide. */
function addEntry(record: ConversationRecord, entry: NewEntry, token: string, now: number, writes: Writes): boolean {
  if (record.front === undefined) {
    record.front = queuedEntry(entry, token, now, record.revision, false);
    return true;
  }
  const hadMark = dropRecentMark(record, entry.id); // of an earlier entry of this id; its time is over
  writes.enqueue(queuedEntry(entry, token, now, record.revision, true));
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
  if (predecide === undefined || typeof record.document !== 'string') return undefined;
  if (record.front?.id !== entry?.id || record.turn !== turn || record.attempt !== 1) return undefined;
  if (record.dueAt !== null && record.dueAt <= now) return undefined;
  return predecide(record.document, now);
}
