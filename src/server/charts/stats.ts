/**
 * Computes the numbers of the operator's view: how much waited, how it ended and how long that took, over time. Pure functions of records;
 * nothing is read here. Impossible times, after a clock was set, are moved to the nearest possible ones.
 */
import type { AskStatus } from '../../core/ask/ask.js';
import { definedFields } from '../../core/defined-fields.js';
import type { InboxStats, StatsBucket, StatsStep } from './schema.js';

/** An ask as it is counted: when it was asked and, if it is over, when and how it ended. */
export interface CountedAsk {
  readonly askedAt: number;
  readonly status: AskStatus;
  readonly decidedAt?: number;
}

export interface StatsRecords {
  /** Asks that ended in the period. */
  readonly decided: readonly CountedAsk[];
  /** Asks that are open now. */
  readonly open: readonly CountedAsk[];
  /** When the work that is parked now was parked. */
  readonly parkedAt: readonly number[];
  /** From when on all decided asks are among them, if there are too many to read all. */
  readonly coveredFrom?: number;
  /** Open asks that were asked later are not all among them, if there are too many to read all. */
  readonly openUntil?: number;
  /** The same for parked work. */
  readonly parkedUntil?: number;
}

export interface StatsWindow {
  readonly step: StatsStep;
  /** When the steps begin; the last one is not over yet. */
  readonly starts: readonly number[];
  readonly now: number;
}

const hour = 60 * 60_000;
const day = 24 * hour;
const hoursShown = 24;
const mostDays = 31;

/** The steps up to now: full hours or days of UTC. */
export function windowOf(step: StatsStep, now: number, retention: number): StatsWindow {
  const length = step === 'hour' ? hour : day;
  const count = step === 'hour' ? hoursShown : Math.min(mostDays, Math.max(1, Math.ceil(retention / day)));
  const last = Math.floor(now / length) * length;
  return { step, now, starts: Array.from({ length: count }, (_, i) => last - (count - 1 - i) * length) };
}

/** The value that `part` of all values, from 0 to 1, do not exceed. Undefined without values. */
export function percentile(values: readonly number[], part: number): number | undefined {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)];
}

export function statsOf({ step, starts, now }: StatsWindow, records: StatsRecords): InboxStats {
  const { coveredFrom = Number.NEGATIVE_INFINITY, openUntil, parkedUntil } = records;
  const decided = records.decided.map((ask) => settledWithin(ask, now));
  const openedAt = records.open.map(({ askedAt }) => Math.min(askedAt, now));
  const buckets = starts.map((start, i): StatsBucket => {
    const end = starts[i + 1] ?? Number.POSITIVE_INFINITY;
    const parked = isKnown(end, parkedUntil)
      ? records.parkedAt.filter((at) => Math.min(at, now) < end).length
      : undefined;
    const known = { at: new Date(start).toISOString(), ...definedFields({ parked }) };
    if (start < coveredFrom) return known;
    const within = decided.filter(({ decidedAt }) => decidedAt >= start && decidedAt < end);
    const count = (...statuses: readonly AskStatus[]) =>
      within.filter(({ status }) => statuses.includes(status)).length;
    const unsettled = decided.filter(({ askedAt, decidedAt }) => askedAt < end && decidedAt >= end).length;
    const waiting = openedAt.filter((time) => time < end).length + unsettled;
    return {
      ...known,
      ...definedFields({ waiting: isKnown(end, openUntil) ? waiting : undefined }),
      answered: count('answered'),
      declined: count('declined'),
      expired: count('expired'),
      other: count('cancelled', 'exhausted'),
      ...timesToAnswer(within),
    };
  });
  const oldest = records.open.length === 0 ? undefined : openedAt.reduce((one, other) => Math.min(one, other));
  return {
    step,
    at: new Date(now).toISOString(),
    buckets,
    waiting: records.open.length,
    parked: records.parkedAt.length,
    ...(openUntil !== undefined && { waitingIsMore: true }),
    ...(parkedUntil !== undefined && { parkedIsMore: true }),
    ...timesToAnswer(decided.filter(({ decidedAt }) => decidedAt >= (starts[0] ?? 0))),
    ...definedFields({ oldest: isoOf(oldest), coveredFrom: isoOf(records.coveredFrom) }),
  };
}

/** Whether all records before `end` were read. */
function isKnown(end: number, until: number | undefined): boolean {
  return until === undefined || end <= until;
}

type SettledTimes = Required<CountedAsk>;

function settledWithin({ askedAt, status, decidedAt = askedAt }: CountedAsk, now: number): SettledTimes {
  const end = Math.min(decidedAt, now);
  return { status, decidedAt: end, askedAt: Math.min(askedAt, end) };
}

function timesToAnswer(asks: readonly SettledTimes[]): Pick<StatsBucket, 'p50' | 'p90'> {
  const times = asks.flatMap(({ status, askedAt, decidedAt }) => (status === 'answered' ? [decidedAt - askedAt] : []));
  return definedFields({ p50: percentile(times, 0.5), p90: percentile(times, 0.9) });
}

const isoOf = (at: number | undefined): string | undefined =>
  at === undefined ? undefined : new Date(at).toISOString();
