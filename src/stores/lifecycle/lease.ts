/**
 * The lease: who works on a conversation, from when to when, and where workers find the conversation.
 */
import type { Mutable } from '../../core/defined-fields.js';
import type { Claim } from '../port.js';
import type { Applied, Writes } from './ports.js';
import { type ConversationRecord, without } from './record.js';
import { relistAt, retireOrRevive } from './retention.js';

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

/**
 * The claim as its holder has it, with the document that this step has `written`, if it did. The store adds a document and
 * a memo that are beside the record.
 */
export function claimOf(record: ConversationRecord, now: number, written?: string): Claim {
  const { token, turn, attempt, strikes, revision, incarnation, front, historyEnd } = record;
  const document = record.document ?? written ?? null;
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
    memo: noMemo,
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

/**
 * The work is over: what comes next counts anew. `hasClosedFront`: the front entry is another than the one that the
 * lease was given with.
 */
export function endWork(record: ConversationRecord, keepMemo: boolean, hasClosedFront: boolean, writes: Writes): void {
  if (record.hasMemo) {
    // work done before the front entry is read goes under that entry's turn id, and must not spend its memo
    const isBorrowed = !hasClosedFront && record.isLeasedForFront && record.front?.turn === record.turn;
    if (keepMemo || isBorrowed) record.keptMemos = [...record.keptMemos, record.turn];
    else writes.deleteMemo(record.turn);
  }
  record.turn = '';
  record.hasMemo = false;
  record.attempt = 0;
  record.strikes = 0;
}

/** Puts the conversation where workers look for it. True if that is another place. */
export function reindex(record: ConversationRecord, now: number, writes: Writes): boolean {
  const place = wantedAt(record, now);
  if (place === record.indexedAt) return false;
  record.indexedAt = place;
  writes.indexDue(place ?? undefined);
  return true;
}

/** When it wants a holder; of one that is held, when the lease runs out. */
function wantedAt(record: ConversationRecord, now: number): number | null {
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

/** Extends the lease of `token`, also after its time as long as nobody else has claimed. The store adds the queue's length. */
export function applyRenew(
  found: ConversationRecord | undefined,
  token: string,
  lease: number,
  clock: number,
  writes: Writes,
): Applied<{ readonly held: boolean; readonly now: number }> {
  const now = timeOf(found, clock);
  if (found === undefined || token === '' || found.token !== token) {
    return { record: found, isChanged: false, answer: { held: false, now } };
  }
  const record = found.copy();
  record.lastTime = now;
  record.leasedUntil = now + lease;
  reindex(record, now, writes);
  retireOrRevive(record, now, writes);
  return { record, isChanged: true, answer: { held: true, now } };
}
