/** Made-up measurements, for what is computed from them. */
import { type Entry, entries } from '../../../bench/contenders.js';
import type { GrowthPoint, Result, Row } from '../../../bench/page/result.js';

export const entryOf = (name: string): Entry => {
  const found = entries.find((each) => each.name === name);
  if (found === undefined) throw new Error(`No contender is named ${name}.`);
  return found;
};

/** Pairs a second at 1, 64 and 512. */
export function rowOf(name: string, rates: readonly [number, number, number], p99 = 10): Row {
  const points = [1, 64, 512].map((lanes, i) => {
    const perSecond = rates[i] as number;
    return { lanes, perSecond, p50: 2.5, p99, cpu: 120, redisCpu: 40, rounds: [perSecond, perSecond * 1.1] };
  });
  return { entry: entryOf(name), version: `${name} 1.2.3`, points };
}

export function heldOf(held: number, relative = 1, bytes = 2_000): GrowthPoint {
  return { held, bytes, historyBytes: 500, perSecond: 5_000 * relative, relative, sweep: 2.5, sweepCpu: 1_500 };
}

export function resultOf(changes: Partial<Result> = {}): Result {
  return {
    machine: { node: '20.0.0', redis: '7.0.15', platform: 'linux x64', cpus: 4, load: 0.2 },
    command: 'npm run bench',
    day: '2026-01-02',
    lanes: [1, 64, 512],
    rounds: 5,
    ms: 2_000,
    rows: [],
    syncs: undefined,
    growth: [],
    replicas: [],
    duels: [],
    missing: [],
    ...changes,
  };
}

/** A run of everything. */
export const good = (): Result =>
  resultOf({
    rows: [
      rowOf('bare-auto', [2_000, 10_000, 11_000]),
      rowOf('bare-corked', [3_000, 16_000, 20_000]),
      rowOf('askback-redis', [1_200, 5_200, 5_300], 40),
      rowOf('askback-sqlite', [300, 1_500, 1_600]),
      rowOf('askback-memory', [9_000, 9_000, 9_000]),
      rowOf('grammy-redis', [500, 4_000, 3_500]),
      rowOf('botframework-memory', [1_800, 2_000, 1_900]),
      rowOf('langgraph-sqlite', [150, 200, 220]),
    ],
    syncs: 4_000,
    growth: [heldOf(1_000), heldOf(100_000, 0.98), heldOf(1_000_000, 0.95)],
    replicas: [
      { processes: 1, perSecond: 5_000, redisBusy: 0.8 },
      { processes: 2, perSecond: 7_000, redisBusy: 0.99 },
    ],
  });
