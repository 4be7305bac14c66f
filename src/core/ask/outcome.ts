/**
 * What a caller that waited for an answer gets. Silence is never an answer: every way an ask can end has its own status.
 */

import type { Participant } from '../participant.js';
import type { Ask, PendingAsk } from './ask.js';
import { askView, withoutAnswer } from './ask.js';

/**
 * How a wait ended. `waiting`: the timeout is over and the ask is still open, which happens with `keep`, or while
 * a busy turn of its conversation holds up the cancel.
 *
 * @example
 * import { AgentRegistry, confirm, TerminalChannel } from 'askback';
 *
 * const registry = new AgentRegistry({ channels: [new TerminalChannel()] });
 * const outcome = await registry.askAndWait(confirm('Deploy?'), { channel: 'terminal' });
 * if (outcome.status === 'answered' && outcome.value) console.log('Deploying.');
 */
export type Outcome<T> = AnsweredOutcome<T> | UnansweredOutcome<T>;

/** The ask was answered. */
export interface AnsweredOutcome<T> {
  /** Look at it first: only an answered ask has a value. */
  readonly status: 'answered';
  /** The answer, as the question's type read it. */
  readonly value: T;
  /** Who answered, if known. */
  readonly by?: Participant;
  /** The ask, with its decision. */
  readonly ask: PendingAsk<T>;
}

/** The ask ended without an answer, or is still open. */
export interface UnansweredOutcome<T> {
  /** How it ended; `waiting` where it is still open. */
  readonly status: 'declined' | 'exhausted' | 'expired' | 'cancelled' | 'waiting';
  /**
   * Why it was cancelled or declined. `'timeout'`: whoever waited for it gave up. `'undeliverable'`: it reached nobody. `'erased'`: its
   * conversation was erased. Any other string is what the person said who cancelled or declined it.
   */
  readonly reason?: 'timeout' | 'undeliverable' | 'erased' | (string & {});
  /** The ask. */
  readonly ask: PendingAsk<T>;
}

export function outcomeOf<T>(ask: Ask, conversationId: string): Outcome<T> {
  const view = askView<T>(ask, conversationId);
  if (ask.status !== 'answered') {
    const status = ask.status === 'pending' ? 'waiting' : ask.status;
    return view.reason === undefined ? { status, ask: view } : { status, reason: view.reason, ask: view };
  }
  const answered = { status: 'answered', value: view.value as T, ask: view } as const; // it was answered
  return view.decidedBy === undefined ? answered : { ...answered, by: view.decidedBy };
}

/** The outcome of an ask that nobody waited for any more before it was put to anybody. */
export function neverAskedOutcome<T>(ask: Ask, conversationId: string): Outcome<T> {
  const view = { ...askView<T>({ ...ask, status: 'cancelled' }, conversationId), reason: 'timeout' };
  return { status: 'cancelled', reason: view.reason, ask: view };
}

/** The outcome of an ask that was erased while somebody waited for it: what they asked, and nothing that came of it. */
export function erasedOutcome<T>(ask: Ask, conversationId: string): Outcome<T> {
  const { progress, ...asked } = withoutAnswer(ask);
  const open: Ask = { ...asked, progress: { ...progress, votes: undefined }, decision: undefined };
  const view = { ...askView<T>({ ...open, status: 'cancelled' }, conversationId), reason: 'erased' };
  return { status: 'cancelled', reason: view.reason, ask: view };
}
