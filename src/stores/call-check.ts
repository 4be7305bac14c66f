/**
 * Looks at a call before anything of it happens, so that a wrong one leaves nothing half done.
 * It checks that times are times and lists are lists; what the texts mean is nobody's business here.
 */

import { AgentError } from '../core/errors.js';
import { describe } from '../core/ids.js';
import type { Claim, Predecided, Save, Take } from './port.js';

export function checkTake(call: Take): void {
  time('lease', call.lease);
  if (call.claimBefore !== undefined) time('claimBefore', call.claimBefore);
  if (call.entry !== undefined && Number.isNaN(call.entry.room)) throw wrong('entry.room', 'a number', call.entry.room);
}

/** What the caller foresaw, if it has come true: `claim` is what this call got together with recording its entry. */
export function comeTrue({ predecided, turn, entry }: Take, claim: Claim, due: number | null): Predecided | undefined {
  if (predecided === undefined || claim.attempt !== 1 || claim.turn !== turn) return undefined;
  if (claim.entry?.id !== entry?.id) return undefined; // others stand before it
  const isAsKnown = claim.revision === predecided.revision && claim.incarnation === predecided.incarnation;
  return isAsKnown && (due === null || due > claim.now) ? predecided : undefined;
}

export function checkSave(call: Save): void {
  time('loan', call.loan);
  time('retention', call.retention);
  time('repeatMarks', call.repeatMarks);
  if (typeof call.due === 'number') time('due', call.due);
  if (call.then.type === 'next') time('then.lease', call.then.lease);
  if (call.then.type === 'release') time('then.wait', call.then.wait);
  list('outputs', call.outputs);
  list('withdraw', call.withdraw);
  list('history', call.history);
  list('asks.opened', call.asks.opened);
  list('asks.settled', call.asks.settled);
  list('parked.added', call.parked.added);
  list('parked.removed', call.parked.removed);
  list('people', call.people);
  for (const { at } of call.asks.opened) time('asks.opened[].at', at);
  for (const { at } of call.parked.added) time('parked.added[].at', at);
}

export function time(name: string, value: number): void {
  if (!Number.isFinite(value) || value < 0) throw wrong(name, 'a number of milliseconds from 0 up', value);
}

function list(name: string, value: readonly unknown[]): void {
  if (!Array.isArray(value)) throw wrong(name, 'a list', value);
}

function wrong(name: string, expected: string, got: unknown): AgentError {
  return new AgentError('bad-option', `${name} must be ${expected}, got ${describe(got)}. Nothing was written.`);
}

/** A cursor that none of our pages gave. */
export function badCursor(cursor: unknown): AgentError {
  const what = typeof cursor === 'string' ? JSON.stringify(cursor) : describe(cursor);
  return new AgentError('bad-option', `cursor ${what} is none. Give the one of the page before, or none.`);
}
