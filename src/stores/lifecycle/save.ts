/**
 * save: the holder's one write behind fence and revision, and what becomes of the lease afterwards.
 */
import type { Mutable } from '../../core/defined-fields.js';
import { deadlineRank } from '../pages.js';
import type { Save, Saved } from '../port.js';
import { keepDocument } from './effects.js';
import { claim, claimOf, endWork, isClaimable, letGo, reindex, timeOf } from './lease.js';
import { markClosed, markOf } from './marks.js';
import { changeOutbox } from './outbox.js';
import type { Applied, Reads, Writes } from './ports.js';
import { brief, type ConversationRecord, type QueuedEntry } from './record.js';
import { addPerson, relistPeople, retireOrRevive } from './retention.js';

type SavedResult = Extract<Saved, { type: 'saved' }>;

export function applySave(
  found: ConversationRecord | undefined,
  call: Save,
  clock: number,
  reads: Reads,
  writes: Writes,
): Applied<Saved> {
  const now = timeOf(found, clock);
  const isLast = found !== undefined && found.lastCall === brief(call.call);
  if (isLast || found === undefined || found.token !== call.token || found.revision !== call.revision) {
    return { record: found, isChanged: false, answer: repeated(found, call, now, reads) };
  }
  const record = found.copy();
  const hasClosedFront = call.closes !== undefined && record.front?.id === call.closes.entryId;
  if (call.closes !== undefined) closeEntry(record, call, call.closes, now, reads, writes);
  // the next entry may have been recorded by a process that knew a later time
  record.lastTime = Math.max(now, record.front?.at ?? 0);
  writeDown(record, call, reads, writes);
  relistPeople(record, record.lastTime, reads, writes);
  for (const person of call.people) addPerson(record, person, record.lastTime, writes);
  const next = proceed(record, call, hasClosedFront, writes);
  reindex(record, record.lastTime, writes);
  retireOrRevive(record, record.lastTime, writes);
  const answer: Mutable<SavedResult> = { type: 'saved', now: record.lastTime, revision: record.revision };
  if (next) answer.next = claimOf(record, record.lastTime);
  return { record, isChanged: true, answer };
}

/** The answer to a save that may not write: it was done before, or somebody else holds the conversation. */
function repeated(record: ConversationRecord | undefined, call: Save, now: number, reads: Reads): Saved {
  const done: Mutable<SavedResult> = { type: 'saved', now, revision: call.revision + 1 };
  if (record?.lastCall === brief(call.call)) {
    if (record.handedOver && record.token === call.token) done.next = claimOf(record, now);
    return done;
  }
  const mark = call.closes && markOf(record, call.closes.entryId, reads);
  return mark !== undefined && mark.endsAt > 0 && mark.closedBy === brief(call.call) ? done : { type: 'refused' };
}

/** Takes an entry out of the queue, wherever it stands, and leaves its mark. */
function closeEntry(
  record: ConversationRecord,
  { call, dedupeWindow }: Save,
  { entryId, outcome }: NonNullable<Save['closes']>,
  now: number,
  reads: Reads,
  writes: Writes,
): void {
  let closed: QueuedEntry | undefined;
  if (record.front?.id === entryId) {
    closed = record.front;
    record.front = record.hasQueue ? reads.second() : undefined;
    record.isLeasedForFront = false;
    if (record.front === undefined) record.hasQueue = false;
    else writes.dequeue();
  } else if (record.hasQueue && reads.mark(entryId)?.endsAt === 0) {
    closed = reads.queued(entryId);
    if (closed !== undefined) writes.removeQueued(closed);
  }
  const endsAt = now + Math.max(1, dedupeWindow);
  const mark = { endsAt, closedBy: brief(call), outcome, recordedBy: closed?.recordedBy ?? '', rest: '' };
  markClosed(record, entryId, mark, closed, now, reads, writes);
}

/** All that a save writes, but for the lease. */
function writeDown(record: ConversationRecord, call: Save, reads: Reads, writes: Writes): void {
  record.revision += 1;
  record.lastCall = brief(call.call);
  record.handedOver = false;
  record.retention = Math.max(1, call.retention);
  record.dedupeFor = Math.max(1, call.dedupeWindow);
  if (call.due !== undefined) record.dueAt = call.due;
  if (call.open !== undefined) record.isOpen = call.open;
  if (call.document !== undefined) keepDocument(record, call.document, writes);
  if (call.withdraw.length > 0 || call.outputs.length > 0) changeOutbox(record, call, reads, writes);
  if (call.history.length > 0) addHistory(record, call, writes);
  listAsks(record, call.asks, writes);
  for (const { id, at } of call.parked.added) writes.listParked(id, at);
  for (const id of call.parked.removed) writes.unlistParked(id);
}

/** Lists asks that were opened, replaces those that were settled, and tells readers of the changes. */
function listAsks(record: ConversationRecord, { opened, changed, settled }: Save['asks'], writes: Writes): void {
  const now = record.lastTime;
  for (const { id, at, deadline } of opened) writes.listAsk(id, at, deadlineRank(deadline, at), now);
  for (const id of changed) writes.putChange(id, now);
  for (const { id, record: text, at } of settled) writes.settleAsk(id, text, at, now + record.retention, now);
}

/** Adds to the history and drops its oldest items beyond the limit. Settled asks are listed apart and are not dropped with it. */
function addHistory(record: ConversationRecord, { history, historyLimit }: Save, writes: Writes): void {
  writes.appendHistory(history, record.historyEnd);
  record.historyEnd += history.length;
  const start = record.historyEnd - Math.floor(historyLimit);
  if (start <= record.historyStart) return;
  record.historyStart = start;
  writes.dropHistory(start, record.historyEnd);
  writes.forgetSettled(record.lastTime); // before the first drop there are no more of them than history items
}

/** Goes on, hands over, or lets go. True if the next work was claimed. */
function proceed(record: ConversationRecord, call: Save, hasClosedFront: boolean, writes: Writes): boolean {
  const { then, closes } = call;
  if (then.type === 'hold') return false;
  // closing an entry from within the queue leaves a turn that goes on as it is; every other close ends the work
  if (then.type === 'next' || closes !== undefined) {
    endWork(record, closes?.keepMemo ?? false, hasClosedFront, writes);
  } else {
    if (then.returns !== 'nothing') record.strikes -= 1;
    if (then.returns === 'claim') record.attempt -= 1;
  }
  letGo(record);
  if (then.type === 'release') {
    record.notBefore = record.lastTime + then.wait;
    return false;
  }
  if (then.lease <= 0 || !isClaimable(record, record.lastTime)) return false;
  claim(record, call.token, then.turn, then.lease, record.lastTime);
  record.handedOver = true;
  return true;
}
