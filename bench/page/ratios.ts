/** How contenders of one run compare. Only ratios inside one run count. Pure. */
import { atLeast, atMost, kib, whole } from './numbers.js';
import { type GrowthPoint, type Point, pointOf, type Result, type Row } from './result.js';

export interface Ratio {
  readonly what: string;
  /** Undefined where it was not measured. */
  readonly value: string | undefined;
}

const at = (lanes: number) => (lanes === 1 ? 'at 1 conversation' : `at ${lanes} conversations`);

export function ratiosOf(result: Result): readonly Ratio[] {
  return [...limitRatios(result), ...peerRatios(result), ...growthRatios(result.growth)];
}

function limitRatios(result: Result): Ratio[] {
  const point = (name: string, lanes: number) => pointOf(result, name, lanes);
  const duel = (theirs: string, lanes: number) =>
    result.duels.find((each) => each.theirs === theirs && each.lanes === lanes);
  const share = (lanes: number, fsync: string, how: 'auto' | 'corked'): Ratio => {
    const suffix = fsync && `-${fsync}`;
    const title = `Redis${fsync && `, AOF ${fsync},`} over ${how === 'auto' ? 'auto-pipelined' : 'corked'}`;
    const what = `${title}, ${at(lanes)}`;
    const beside = duel(`bare-${how}${suffix}`, lanes);
    const ratio =
      beside?.ratio ?? quotient(point(`askback-redis${suffix}`, lanes), point(`bare-${how}${suffix}`, lanes));
    if (ratio === undefined) return { what, value: undefined };
    const spread = beside === undefined ? '' : ` (${beside.quartiles.map(atLeast).join(' to ')})`;
    return { what, value: `${atLeast(ratio)}${spread}` };
  };
  const slower = duel('bare-corked', 64)?.p99 ?? slowerOf(point('askback-redis', 64), point('bare-corked', 64));
  return [
    share(64, '', 'auto'),
    share(512, '', 'auto'),
    ...result.lanes.map((lanes) => share(lanes, '', 'corked')),
    share(64, 'everysec', 'corked'),
    share(64, 'always', 'corked'),
    { what: `Redis: p99 over corked, ${at(64)}`, value: slower === undefined ? undefined : atMost(slower) },
  ];
}

const slowerOf = (ours: Point | undefined, theirs: Point | undefined): number | undefined =>
  ours === undefined || theirs === undefined ? undefined : ours.p99 / theirs.p99;

/** Redis beside every peer that keeps its state, a file beside a file, memory beside every peer's memory. */
function peerRatios(result: Result): Ratio[] {
  const rowOf = (name: string) => result.rows.find((row) => row.entry.name === name);
  const peers = result.rows.filter((row) => row.entry.side === 'peer');
  const compared = (name: string, ours: string, theirs: readonly Row[]): Ratio[] => {
    const row = rowOf(name);
    return theirs.map((peer) => {
      const what = `${ours} over ${peer.entry.label}, at ${result.lanes.join(' / ')}`;
      const ratios = result.lanes.map((lanes) =>
        quotient(
          row?.points.find((each) => each.lanes === lanes),
          peer.points.find((each) => each.lanes === lanes),
        ),
      );
      const known = ratios.filter((ratio) => ratio !== undefined);
      return { what, value: known.length < ratios.length ? undefined : known.map(atLeast).join(' / ') };
    });
  };
  const kept = (store: string) => peers.filter((row) => row.entry.store === store);
  return [
    ...compared('askback-redis', 'Redis', [...kept('redis'), ...kept('sqlite')]),
    ...compared('askback-sqlite', 'SQLite', kept('sqlite')),
    ...compared('askback-memory', 'memory', kept('memory')),
  ];
}

function growthRatios(points: readonly GrowthPoint[]): Ratio[] {
  const most = points.at(-1);
  if (most === undefined) return [];
  const fewest = points[0] as GrowthPoint;
  const held = `with ${whole(most.held)} asks held`;
  const without = most.historyBytes === undefined ? undefined : most.bytes - most.historyBytes;
  return [
    { what: `times slower ${held} than with ${whole(fewest.held)}`, value: atMost(1 / most.relative) },
    {
      what: `Redis memory for each ask ${held}, without its history`,
      value: without === undefined ? undefined : kib(without),
    },
    { what: 'the same with its history', value: kib(most.bytes) },
  ];
}

function quotient(ours: Point | undefined, theirs: Point | undefined): number | undefined {
  return ours === undefined || theirs === undefined ? undefined : ours.perSecond / theirs.perSecond;
}
