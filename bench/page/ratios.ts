/** The demands, and whether this run meets them. Only ratios inside one run count. Pure. */
import { atLeast, atMost, kib, whole } from './numbers.js';
import { type GrowthPoint, type Point, pointOf, type Result, type Row } from './result.js';

export interface Check {
  readonly what: string;
  readonly reached: string;
  readonly demanded: string;
  /** `shown`: nobody demands it. */
  readonly verdict: 'met' | 'not met' | 'shown' | 'not measured';
}

export const demands = {
  overAuto: 0.45,
  overCorkedAtOne: 0.35,
  moonshot: 0.5,
  p99: 5,
  sqlite: 1_000,
  held: 1_000_000,
  slower: 1.1,
  bytes: 1.5 * 1_024,
  bytesWithHistory: 2.25 * 1_024,
} as const;

const judged = (met: boolean): Check['verdict'] => (met ? 'met' : 'not met');
const at = (lanes: number) => (lanes === 1 ? 'at 1 conversation' : `at ${lanes} conversations`);

export function checksOf(result: Result): readonly Check[] {
  return [...limitChecks(result), ...sqliteChecks(result), ...peerChecks(result), ...growthChecks(result.growth)];
}

function limitChecks(result: Result): Check[] {
  const point = (name: string, lanes: number) => pointOf(result, name, lanes);
  const duel = (theirs: string, lanes: number) =>
    result.duels.find((each) => each.theirs === theirs && each.lanes === lanes);
  const share = (lanes: number, fsync: string, how: 'auto' | 'corked', least: number, demanded: boolean): Check => {
    const suffix = fsync && `-${fsync}`;
    const title = `Redis${fsync && `, AOF ${fsync},`} over ${how === 'auto' ? 'auto-pipelined' : 'corked'}`;
    const what = `${title}, ${at(lanes)}`;
    const beside = duel(`bare-${how}${suffix}`, lanes);
    const ratio =
      beside?.ratio ?? quotient(point(`askback-redis${suffix}`, lanes), point(`bare-${how}${suffix}`, lanes));
    const wanted = demanded ? `≥ ${least}` : `moonshot ${least}`;
    if (ratio === undefined) return { what, reached: '–', demanded: wanted, verdict: 'not measured' };
    const spread = beside === undefined ? '' : ` (${beside.quartiles.map(atLeast).join(' to ')})`;
    const verdict = demanded ? judged(ratio >= least) : 'shown';
    return { what, reached: `${atLeast(ratio)}${spread}`, demanded: wanted, verdict };
  };
  const slower = duel('bare-corked', 64)?.p99 ?? slowerOf(point('askback-redis', 64), point('bare-corked', 64));
  return [
    share(64, '', 'auto', demands.overAuto, true),
    share(512, '', 'auto', demands.overAuto, true),
    share(1, '', 'corked', demands.overCorkedAtOne, true),
    {
      what: `Redis: p99 over corked, ${at(64)}`,
      reached: slower === undefined ? '–' : atMost(slower),
      demanded: `≤ ${demands.p99}`,
      verdict: slower === undefined ? 'not measured' : judged(slower <= demands.p99),
    },
    ...result.lanes.map((lanes) => share(lanes, '', 'corked', demands.moonshot, false)),
    share(64, 'everysec', 'corked', demands.moonshot, false),
    share(64, 'always', 'corked', demands.moonshot, false),
  ];
}

const slowerOf = (ours: Point | undefined, theirs: Point | undefined): number | undefined =>
  ours === undefined || theirs === undefined ? undefined : ours.p99 / theirs.p99;

function sqliteChecks(result: Result): Check[] {
  const reached = pointOf(result, 'askback-sqlite', 64)?.perSecond;
  const { syncs } = result;
  const what = `SQLite with full sync, pairs/s ${at(64)}`;
  const demanded = `≥ ${whole(demands.sqlite)}, or the disk's syncs/s${syncs === undefined ? '' : `: ${whole(syncs)}`}`;
  if (reached === undefined) return [{ what, reached: '–', demanded, verdict: 'not measured' }];
  const least = Math.min(demands.sqlite, syncs ?? demands.sqlite);
  return [{ what, reached: whole(reached), demanded, verdict: judged(reached >= least) }];
}

/** Redis beside every peer that keeps its state, memory beside every peer's memory; a file beside a file for the eye. */
function peerChecks(result: Result): Check[] {
  const rowOf = (name: string) => result.rows.find((row) => row.entry.name === name);
  const peers = result.rows.filter((row) => row.entry.side === 'peer');
  const compared = (name: string, ours: string, theirs: readonly Row[], demanded: boolean): Check[] => {
    const row = rowOf(name);
    return theirs.map((peer) => {
      const what = `${ours} over ${peer.entry.label}, at ${result.lanes.join(' / ')}`;
      const wanted = demanded ? '> 1' : 'a file beside a file';
      const ratios = result.lanes.map((lanes) =>
        quotient(
          row?.points.find((each) => each.lanes === lanes),
          peer.points.find((each) => each.lanes === lanes),
        ),
      );
      const known = ratios.filter((ratio) => ratio !== undefined);
      if (known.length < ratios.length) return { what, reached: '–', demanded: wanted, verdict: 'not measured' };
      const verdict = demanded ? judged(known.every((ratio) => ratio > 1)) : 'shown';
      return { what, reached: known.map(atLeast).join(' / '), demanded: wanted, verdict };
    });
  };
  const kept = (store: string) => peers.filter((row) => row.entry.store === store);
  return [
    ...compared('askback-redis', 'Redis', [...kept('redis'), ...kept('sqlite')], true),
    ...compared('askback-sqlite', 'SQLite', kept('sqlite'), false),
    ...compared('askback-memory', 'memory', kept('memory'), true),
  ];
}

function growthChecks(points: readonly GrowthPoint[]): Check[] {
  const most = points.at(-1);
  if (most === undefined) return [];
  const fewest = points[0] as GrowthPoint;
  const enough = most.held >= demands.held; // the demand is about a million; with fewer it is only shown
  const verdict = (met: boolean) => (enough ? judged(met) : 'shown');
  const held = `with ${whole(most.held)} asks held`;
  const without = most.historyBytes === undefined ? undefined : most.bytes - most.historyBytes;
  return [
    {
      what: `times slower ${held} than with ${whole(fewest.held)}`,
      reached: atMost(1 / most.relative),
      demanded: `≤ ${demands.slower}`,
      verdict: verdict(1 / most.relative <= demands.slower),
    },
    {
      what: `Redis memory for each ask ${held}, without its history`,
      reached: without === undefined ? '–' : kib(without),
      demanded: `≤ ${kib(demands.bytes)}`,
      verdict: without === undefined ? 'not measured' : verdict(without <= demands.bytes),
    },
    {
      what: 'the same with its history',
      reached: kib(most.bytes),
      demanded: `≤ ${kib(demands.bytesWithHistory)}`,
      verdict: verdict(most.bytes <= demands.bytesWithHistory),
    },
  ];
}

function quotient(ours: Point | undefined, theirs: Point | undefined): number | undefined {
  return ours === undefined || theirs === undefined ? undefined : ours.perSecond / theirs.perSecond;
}
