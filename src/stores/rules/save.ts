/**
 * save: the holder's one write behind fence and revision, and what becomes of the lease afterwards.
 */
import type { Mutable } from '../../core/defined-fields.js';
import type { Save, Saved } from '../port.js';
import { Changes, type Facts, type Needs, noNeeds } from './changes.js';
import { claim, claimOf, endWork, isClaimable, keepsMemo, letGo, timeOf } from './lease.js';
import { isMarkBeside, isSweepDue, markClosed, markOf } from './marks.js';
import { brief, type ConversationRecord, type QueuedEntry } from './record.js';
import { addPerson, isRelistDue, relistPeople, retireOrRevive } from './retention.js';
import type { Applied, Rule } from './rule.js';

/** Writes what a turn did, if it holds the conversation, and hands over, goes on or lets go. */
export const save: Rule<Save, Saved> = {
  name: ({ then }) => `save ${then.type}`,
  needs: needsOfSave,
  apply: applySave,
};

type SavedResult = Extract<Saved, { type: 'saved' }>;

/** It follows what is there, and was not done before. */
function mayWrite(record: ConversationRecord, call: Save): boolean {
  return record.token === call.token && record.revision === call.revision && record.lastCall !== brief(call.call);
}

function needsOfSave(record: ConversationRecord | undefined, call: Save, clock: number): Needs {
  const entryId = call.closes?.entryId;
  if (record === undefined) return entryId === undefined ? noNeeds : { mark: entryId };
  const { hasQueue, hasMemo, hasPeopleBeside, keptMemos, marksBeside } = record;
  if (!hasQueue && !hasMemo && !hasPeopleBeside && keptMemos.length === 0 && marksBeside === 0) return noNeeds;
  const needs: Mutable<Needs> = {};
  const closesFront = record.front !== undefined && record.front.id === entryId;
  if (entryId !== undefined && !closesFront) {
    if (isMarkBeside(record, entryId)) needs.mark = entryId;
    if (hasQueue) needs.queued = entryId;
  }
  if (!mayWrite(record, call)) {
    if (hasMemo && record.handedOver) needs.memos = [record.turn];
    return needs;
  }
  if (closesFront && hasQueue) needs.second = true;
  if (entryId !== undefined && isSweepDue(record)) needs.allMarks = true;
  if (isRelistDue(record, Math.max(1, call.retention), timeOf(record, clock))) needs.people = true;
  if (call.then.type === 'next') {
    const isMemoKept = keepsMemo(record, call.closes?.keepMemo ?? false, closesFront);
    if (isMemoKept || keptMemos.length > 0) needs.memos = isMemoKept ? [...keptMemos, record.turn] : keptMemos;
  }
  return needs;
}

function applySave(found: ConversationRecord | undefined, call: Save, clock: number, facts: Facts): Applied<Saved> {
  const now = timeOf(found, clock);
  if (found === undefined || !mayWrite(found, call))
    return { record: found, changes: undefined, answer: repeated(found, call, now, facts) };
  const record = found.copy();
  const changes = new Changes(now);
  changes.isRecordChanged = true;
  const hasClosedFront = call.closes !== undefined && record.front?.id === call.closes.entryId;
  if (call.closes !== undefined) closeEntry(record, call, call.closes, facts, changes);
  // the next entry may have been recorded by a process that knew a later time
  record.lastTime = Math.max(now, record.front?.at ?? 0);
  changes.now = record.lastTime;
  writeDown(record, call, changes);
  relistPeople(record, facts, changes);
  for (const person of call.people) addPerson(record, person, changes);
  const next = proceed(record, call, hasClosedFront, changes);
  retireOrRevive(record, changes);
  const answer: Mutable<SavedResult> = { type: 'saved', now: record.lastTime, revision: record.revision };
  if (next) answer.next = claimOf(record, record.lastTime, facts);
  return { record, changes, answer };
}

/** The answer to a save that may not write: it was done before, or somebody else holds the conversation. */
function repeated(record: ConversationRecord | undefined, call: Save, now: number, facts: Facts): Saved {
  const done: Mutable<SavedResult> = { type: 'saved', now, revision: call.revision + 1 };
  if (record?.lastCall === brief(call.call)) {
    if (record.handedOver && record.token === call.token) done.next = claimOf(record, now, facts);
    return done;
  }
  const mark = call.closes && markOf(record, call.closes.entryId, facts);
  return mark !== undefined && mark.endsAt > 0 && mark.closedBy === brief(call.call) ? done : { type: 'refused' };
}

/** Takes an entry out of the queue, wherever it stands, and leaves its mark. */
function closeEntry(
  record: ConversationRecord,
  { call, dedupeWindow }: Save,
  { entryId, outcome }: NonNullable<Save['closes']>,
  facts: Facts,
  changes: Changes,
): void {
  let closed: QueuedEntry | undefined;
  if (record.front?.id === entryId) {
    closed = record.front;
    record.front = record.hasQueue ? facts.second : undefined;
    record.isLeasedForFront = false;
    if (record.front === undefined) record.hasQueue = false;
    changes.dequeued = record.front;
  } else if (record.hasQueue && facts.mark?.endsAt === 0) {
    closed = facts.queued;
    changes.unqueued = closed;
  }
  const endsAt = changes.now + Math.max(1, dedupeWindow);
  const mark = { endsAt, closedBy: brief(call), outcome, recordedBy: closed?.recordedBy ?? '', rest: '' };
  markClosed(record, entryId, mark, closed, facts, changes);
}

/** All that a save writes, but for the lease. */
function writeDown(record: ConversationRecord, call: Save, changes: Changes): void {
  const { outputs, asks, parked } = call;
  record.revision += 1;
  record.lastCall = brief(call.call);
  record.handedOver = false;
  record.retention = Math.max(1, call.retention);
  record.dedupeFor = Math.max(1, call.dedupeWindow);
  if (call.due !== undefined) record.dueAt = call.due;
  if (call.open !== undefined) record.isOpen = call.open;
  if (call.document !== undefined) {
    record.document = call.document;
    changes.document = call.document;
  }
  changes.withdrawn = call.withdraw;
  if (outputs.length > 0) {
    changes.outputs = outputs.map(({ key, channel, data, to }, i) => {
      const freeAt = to === 'saver' ? record.lastTime + call.sendLease : record.lastTime;
      return { key, channel, data, seq: record.nextSeq + i, freeAt };
    });
    record.nextSeq += outputs.length;
  }
  if (call.history.length > 0) addHistory(record, call, changes);
  changes.opened = asks.opened;
  changes.changed = asks.changed;
  changes.settled = asks.settled;
  changes.settledUntil = record.lastTime + record.retention;
  changes.parked = parked.added;
  changes.unparked = parked.removed;
}

/** Adds to the history and drops its oldest items beyond the limit. Settled asks are listed apart and are not dropped with it. */
function addHistory(record: ConversationRecord, { history, historyLimit }: Save, changes: Changes): void {
  changes.history = history;
  record.historyEnd += history.length;
  const start = record.historyEnd - Math.floor(historyLimit);
  if (start <= record.historyStart) return;
  record.historyStart = start;
  changes.isHistoryDropped = true;
}

/** Goes on, hands over, or lets go. True if the next work was claimed. */
function proceed(record: ConversationRecord, call: Save, hasClosedFront: boolean, changes: Changes): boolean {
  const { then, closes } = call;
  if (then.type === 'hold') return false;
  // closing an entry from within the queue leaves a turn that goes on as it is; every other close ends the work
  if (then.type === 'next' || closes !== undefined) {
    endWork(record, keepsMemo(record, closes?.keepMemo ?? false, hasClosedFront), changes);
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
