/**
 * A decision as it is recorded with its ask: what was decided, by whom, when, where and by which entry.
 */

import type { Mutable } from '../defined-fields.js';
import type { Json } from '../json.js';
import type { Participant } from '../participant.js';
import type { Ask, AskStatus, Decision } from './ask.js';
import { withMore } from './with-more.js';

export interface Verdict {
  readonly status: Exclude<AskStatus, 'pending'>;
  readonly answer?: string;
  readonly value?: Json;
  readonly decision: Decision;
}

/** The ask with its final decision. A second decision is refused by giving the ask back unchanged. */
export function decided(ask: Ask, verdict: Verdict): Ask {
  if (ask.status !== 'pending') return ask;
  return withMore(ask, verdict);
}

export interface NewVerdict {
  readonly status: Exclude<AskStatus, 'pending'>;
  readonly answer?: string;
  readonly value?: Json;
  readonly effectKey?: string;
  readonly why?: 'undeliverable';
}

/** The entry that decides, and whoever is behind it. */
export interface DecidedBy {
  readonly entry: string;
  readonly at: number;
  readonly channel: string;
  readonly who: Participant | undefined;
}

/** The ask with its decision. */
export function decidedBy(ask: Ask, verdict: NewVerdict, { entry, at, channel, who }: DecidedBy): Ask {
  const { status, answer, value, why } = verdict;
  const effectKey = verdict.effectKey ?? ask.effectKey ?? ask.id;
  const decision: Mutable<Decision> = { at, entry, channel, effectKey };
  if (who !== undefined) decision.by = who;
  if (why !== undefined) decision.why = why;
  const final: Mutable<Verdict> = { status, decision };
  if (answer !== undefined) final.answer = answer;
  if (value !== undefined) final.value = value;
  return decided(ask, final);
}
