/**
 * askback on Redis beside the bare loops in short turns, one after the other. On a machine that others use as well, what
 * was measured a minute ago says little about now: so each turn is compared with its neighbour only.
 */
import type { Entry } from '../contenders.js';
import type { Measured } from '../crew.js';
import { fine, median, quartile, whole } from '../page/numbers.js';
import type { Duel, NotMeasured } from '../page/result.js';
import type { Stage } from '../stage.js';
import { type Opened, openedOf, type Plan, ran, roomFor } from './rounds.js';

const ours = 'askback-redis';
const limits = ['bare-auto', 'bare-corked'] as const;
/** Long enough to have its share of garbage collection, short enough to be over before the machine changes. */
const longest = 1_000;
/** For each round of the contest; a single one is a quick look. */
const turnsInRound = 5;
const turnsAtLeast = 2;

/** Whether they take part, all of them. */
export const canDuel = (chosen: readonly Entry[]): boolean =>
  [ours, ...limits].every((name) => chosen.some((entry) => entry.name === name));

export async function measureDuels(
  stage: Stage,
  chosen: readonly Entry[],
  plan: Plan,
): Promise<{ duels: readonly Duel[]; missing: readonly NotMeasured[] }> {
  const crew: Opened[] = [];
  const missing: NotMeasured[] = [];
  for (const entry of chosen.filter(({ name }) => name === ours || (limits as readonly string[]).includes(name))) {
    const opened = await openedOf(stage, entry, plan);
    if ('why' in opened) missing.push({ name: `turns side by side: ${entry.label}`, why: opened.why });
    else crew.push(opened);
  }
  const duels: Duel[] = [];
  const ms = Math.min(longest, plan.ms);
  if (missing.length === 0) {
    for (const each of crew) await ran(each, 64, plan.warmUp);
    for (const lanes of plan.lanes) {
      const turns = await turnsAt(crew, lanes, ms, plan.rounds);
      for (const theirs of limits) duels.push({ ...duelOf(theirs, lanes, turns), ms });
      const told = duels.slice(-limits.length).map(({ theirs, ratio }) => `${fine(ratio)} of ${theirs}`);
      plan.print(`side by side, ${whole(turns.length)} turns  ${String(lanes).padStart(3)}  ${told.join(', ')}`);
    }
  }
  await stage.end(...crew.flatMap(({ contender, server }) => (server ? [contender, server] : [contender])));
  return { duels, missing };
}

type Turn = ReadonlyMap<string, Measured>;

async function turnsAt(crew: readonly Opened[], lanes: number, ms: number, rounds: number): Promise<readonly Turn[]> {
  const count = rounds === 1 ? turnsAtLeast : turnsInRound * rounds;
  for (const each of crew) await roomFor(each, 1.5 * ms * count);
  const turns: Turn[] = [];
  for (let i = 0; i < count; i += 1) {
    const turn = new Map<string, Measured>();
    for (const each of crew) {
      await ran(each, Math.max(lanes, 64), ms / 4); // it was idle while the others ran
      turn.set(each.entry.name, await ran(each, lanes, ms));
    }
    turns.push(turn);
  }
  return turns;
}

/** The median of the ratios of all turns. */
export function duelOf(theirs: string, lanes: number, turns: readonly Turn[]): Omit<Duel, 'ms'> {
  const ratios = (of: (measured: Measured) => number) =>
    turns.map((turn) => of(turn.get(ours) as Measured) / of(turn.get(theirs) as Measured));
  const speed = ratios(({ perSecond }) => perSecond);
  const quartiles = [quartile(speed, 1), quartile(speed, 3)] as const;
  return { theirs, lanes, turns: turns.length, ratio: median(speed), quartiles, p99: median(ratios(({ p99 }) => p99)) };
}
