/**
 * The decision of an ask: what was decided, by whom, when, where and by which entry.
 */

import type { Json } from '../json.js';
import type { Participant } from '../participant.js';
import type { Ask, AskStatus, Decision, Place, PublicAsk } from './ask.js';
import { effectKeyOf } from './ask.js';
import { isSamePlace, placeNumber } from './places.js';

export interface Verdict {
  readonly status: Exclude<AskStatus, 'pending'>;
  readonly answer?: string | undefined;
  readonly value?: Json | undefined;
  readonly decision: Decision;
}

/** The ask with its decision. A decided ask comes back unchanged: the first decision is final. */
export function decided(ask: Ask, { status, answer, value, decision }: Verdict): Ask {
  if (ask.status !== 'pending') return ask;
  return { ...ask, status, progress: { ...ask.progress, answer, value }, decision };
}

export interface NewVerdict extends Omit<Verdict, 'decision'> {
  readonly effectKey?: string;
  readonly why?: 'undeliverable';
  readonly reason?: string | undefined;
}

/** The entry that decides, and its author. */
export interface DecidedBy {
  readonly entry: string;
  readonly at: number;
  readonly channel: string;
  readonly who: Participant | undefined;
  /** The digest of what they were shown. */
  readonly drawn?: string | undefined;
  /** Where they wrote, if they did. */
  readonly from?: Place | undefined;
}

/** The ask with its decision. */
export function decidedBy(ask: Ask, verdict: NewVerdict, { entry, at, channel, who, drawn, from }: DecidedBy): Ask {
  const { status, answer, value, why, reason } = verdict;
  const effectKey = verdict.effectKey === effectKeyOf(ask) ? undefined : verdict.effectKey;
  const place = from === undefined || ask.places.further === undefined ? undefined : placeNumber(ask.places, from);
  const elsewhere = (who !== undefined && isFromElsewhere(ask, from)) || undefined;
  const decision = { at, entry, channel, by: who, why, reason, effectKey, drawn, from: place, elsewhere };
  return decided(ask, { status, answer, value, decision });
}

/** Where people are known by the address alone, another address is another place, though it is on the same channel. */
function isFromElsewhere({ audience, places: { own, further } }: Ask, from: Place | undefined): boolean {
  if (audience.asker !== undefined || further !== undefined) return false;
  return from?.channel !== own.channel || (from.proof === 'address' && !isSamePlace(own, from));
}

/** Why a turn takes back an ask that it waits for: its time is over, its caller gave up, or it ended without asking again. */
export type TakenBack = 'patience' | 'abort' | 'left';

const takenBack: readonly TakenBack[] = ['patience', 'abort', 'left'];

/** The id under which a turn decides an ask that it takes back. No entry has it. */
export function takeBackId(why: TakenBack, askId: string): string {
  return `${why}:${askId}`;
}

/** Whether nobody called it off: it never reached the person, or its turn has taken it back. */
export function isWithdrawn({ id, status, progress, decision }: PublicAsk): boolean {
  if (status !== 'cancelled') return false;
  if (!progress.shown || decision?.why === 'undeliverable') return true;
  return takenBack.some((why) => decision?.entry === takeBackId(why, id));
}

/** What is said of an ask that has ended, by the name of the sentence. */
export type OverNotice =
  | 'already'
  | 'late'
  | 'alreadyDeclined'
  | 'alreadyExhausted'
  | 'alreadyCancelled'
  | 'alreadyWithdrawn';

/** What is said of an ask that has ended; undefined while it is open. */
export function overNotice(ask: PublicAsk): OverNotice | undefined {
  if (ask.status === 'pending') return undefined;
  if (ask.status === 'cancelled') return isWithdrawn(ask) ? 'alreadyWithdrawn' : 'alreadyCancelled';
  return overNotices[ask.status];
}

const overNotices = {
  answered: 'already',
  declined: 'alreadyDeclined',
  exhausted: 'alreadyExhausted',
  expired: 'late',
} as const;
