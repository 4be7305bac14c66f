/**
 * The lease: who works on a conversation, from when to when, and where workers find the conversation.
 */
import type { Mutable } from '../../core/defined-fields.js';
import type { Claim } from '../port.js';
import type { Changes, Facts } from './changes.js';
import { type ConversationRecord, without } from './record.js';
import { relistAt } from './retention.js';

export const isHeld = (record: ConversationRecord, now: number): boolean =>
  record.token !== '' && record.leasedUntil > now;

/** The conversation's time when the store's clock shows `clock`: it never goes back. */
export const timeOf = (record: ConversationRecord | undefined, clock: number): number =>
  record !== undefined && record.lastTime > clock ? record.lastTime : clock;

/** Nobody holds it, its back-off is over, and there is work. */
export function isClaimable(record: ConversationRecord, now: number): boolean {
  if (isHeld(record, now) || record.notBefore > now) return false;
  return record.front !== undefined || (dueAt(record, now) ?? Number.POSITIVE_INFINITY) <= now;
}

/** A new lease: one attempt and one strike more, of the unfinished work or of new work. */
export function claim(record: ConversationRecord, token: string, turn: string, lease: number, now: number): void {
  record.token = token;
  record.leasedUntil = now + lease;
  record.isLeasedForFront = record.front !== undefined;
  if (record.turn === '') {
    record.turn = record.front?.turn || turn;
    record.attempt = 0;
    record.strikes = 0;
    const kept = record.keptMemos.indexOf(record.turn);
    if (kept >= 0) {
      record.keptMemos = without(record.keptMemos, kept);
      record.hasMemo = true;
    }
  }
  record.attempt += 1;
  record.strikes += 1;
}

const noMemo = {};

/** The claim as its holder has it. */
export function claimOf(record: ConversationRecord, now: number, facts: Facts): Claim {
  const { token, turn, attempt, strikes, revision, incarnation, front, historyEnd, document } = record;
  const claim: Mutable<Claim> = {
    token,
    turn,
    attempt,
    strikes,
    revision,
    incarnation,
    now,
    document,
    historyEnd,
    memo: (record.hasMemo ? facts.memos?.get(turn) : undefined) ?? noMemo,
  };
  if (record.isLeasedForFront && front !== undefined) {
    const { id, at, data, revision: recordedAt } = front;
    claim.entry = { id, at, data, revision: recordedAt };
  }
  return claim;
}

/** Nobody holds it any more. */
export function letGo(record: ConversationRecord): void {
  record.token = '';
  record.leasedUntil = 0;
  record.isLeasedForFront = false;
}

/** Whether what the work has remembered outlives it. `hasClosedFront`: the front entry is another than the one that the lease was given with. */
export function keepsMemo(record: ConversationRecord, keepMemo: boolean, hasClosedFront: boolean): boolean {
  // work done before the front entry is read goes under that entry's turn id, and must not spend its memo
  const isBorrowed = !hasClosedFront && record.isLeasedForFront && record.front?.turn === record.turn;
  return record.hasMemo && (keepMemo || isBorrowed);
}

/** The work is over: what comes next counts anew. */
export function endWork(record: ConversationRecord, isMemoKept: boolean, changes: Changes): void {
  if (isMemoKept) record.keptMemos = [...record.keptMemos, record.turn];
  else if (record.hasMemo) changes.droppedMemos = [record.turn];
  record.turn = '';
  record.hasMemo = false;
  record.attempt = 0;
  record.strikes = 0;
}

/** When a record that is written wants a holder; of one that is held, when the lease runs out. */
export function wantedAt(record: ConversationRecord): number | null {
  const { lastTime: now } = record;
  if (isHeld(record, now)) return record.leasedUntil;
  if (record.front !== undefined) return Math.max(record.front.at, record.notBefore);
  const due = dueAt(record, now);
  return due === null ? null : Math.max(due, record.notBefore);
}

/** When somebody has to look at it although no entry waits: for its holder's reasons, or because its participants are to be listed anew. */
function dueAt(record: ConversationRecord, now: number): number | null {
  const relist = relistAt(record, now);
  return record.dueAt === null || relist === null ? (record.dueAt ?? relist) : Math.min(record.dueAt, relist);
}
