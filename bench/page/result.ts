/** What a run of the bench has found out. Nothing in it is computed from anything but measurements of this run. */
import type { Entry } from '../contenders.js';

/** One contender at one number of lanes: medians over the rounds. Times in ms, CPU in µs for each pair. */
export interface Point {
  readonly lanes: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly cpu: number;
  /** Of its Redis' main thread. */
  readonly redisCpu?: number;
  /** Pairs a second of each round. */
  readonly rounds: readonly number[];
}

export interface Row {
  readonly entry: Entry;
  readonly version: string;
  readonly points: readonly Point[];
}

export interface NotMeasured {
  readonly name: string;
  readonly why: string;
  /** A peer that `npm install --prefix bench` would bring. */
  readonly peer?: true;
}

export interface GrowthPoint {
  readonly held: number;
  /** Of Redis' memory for each held ask. */
  readonly bytes: number;
  /** How much of that is its history; undefined if its keys were not found. */
  readonly historyBytes: number | undefined;
  /** At 64 lanes. */
  readonly perSecond: number;
  /** Beside the server with the fewest held: the median of the ratios of each round. */
  readonly relative: number;
  /** One sweep with nothing due: ms, and µs of Redis. */
  readonly sweep: number;
  readonly sweepCpu: number | undefined;
}

export interface ReplicaPoint {
  readonly processes: number;
  /** All together. */
  readonly perSecond: number;
  /** The share of one CPU that Redis' main thread took. */
  readonly redisBusy: number | undefined;
}

/** askback on Redis beside a bare loop, block by block. */
export interface Duel {
  readonly theirs: string;
  readonly lanes: number;
  readonly blocks: number;
  /** How long a turn of one of them was. */
  readonly ms: number;
  /** Of pairs a second: the median over the blocks, and between which two values half of them are. */
  readonly ratio: number;
  readonly quartiles: readonly [number, number];
  /** The median of the ratios of the 99th percentiles. */
  readonly p99: number;
}

export interface Machine {
  readonly node: string;
  readonly redis: string | undefined;
  readonly platform: string;
  readonly cpus: number;
  /** Before the start: how many wanted to run, over the last minute. */
  readonly load: number;
}

export interface Result {
  readonly machine: Machine;
  readonly command: string;
  readonly day: string;
  readonly lanes: readonly number[];
  readonly rounds: number;
  readonly ms: number;
  readonly rows: readonly Row[];
  /** Writes of 4 KiB with an fsync, a second, one after another. */
  readonly syncs: number | undefined;
  readonly growth: readonly GrowthPoint[];
  readonly replicas: readonly ReplicaPoint[];
  /** Empty if not all that it takes took part. */
  readonly duels: readonly Duel[];
  readonly missing: readonly NotMeasured[];
}

export function pointOf(result: Pick<Result, 'rows'>, name: string, lanes: number): Point | undefined {
  return result.rows.find((row) => row.entry.name === name)?.points.find((point) => point.lanes === lanes);
}

/** Why the ratios of this run are rough; undefined: they are not. */
export function loaded(result: Pick<Result, 'machine' | 'rows'>): string | undefined {
  const { load, cpus } = result.machine;
  if (load > cpus * 0.7) return `the load was ${load.toFixed(1)} on ${cpus} CPUs before the start`;
  const corked = result.rows.find((row) => row.entry.name === 'bare-corked');
  const uneven = corked?.points.find(({ rounds }) => Math.max(...rounds) > Math.min(...rounds) * 1.4);
  if (uneven) return `the rounds of the corked loop differ by more than 40 % at ${uneven.lanes}`;
  return undefined;
}
