/** askback on Redis beside the bare loops, block by block; neighbours.ts says how they take turns. */
import type { Entry } from '../contenders.js';
import { fine, median, quartile, whole } from '../page/numbers.js';
import type { Duel, NotMeasured } from '../page/result.js';
import type { Stage } from '../stage.js';
import { type Block, blocksAt, turnOf } from './neighbours.js';
import { type Opened, openedOf, type Plan, ran } from './rounds.js';

const limits = ['bare-auto', 'bare-corked'] as const;
const everyone = ['askback-redis', ...limits];

/** Whether they take part, all of them. */
export const canDuel = (chosen: readonly Entry[]): boolean =>
  everyone.every((name) => chosen.some((entry) => entry.name === name));

export async function measureDuels(
  stage: Stage,
  chosen: readonly Entry[],
  plan: Plan,
): Promise<{ duels: readonly Duel[]; missing: readonly NotMeasured[] }> {
  const crew: Opened[] = [];
  const missing: NotMeasured[] = [];
  for (const entry of everyone.flatMap((name) => chosen.filter((entry) => entry.name === name))) {
    const opened = await openedOf(stage, entry, plan);
    if ('why' in opened) missing.push({ name: `turns side by side: ${entry.label}`, why: opened.why });
    else crew.push(opened);
  }
  const duels: Duel[] = [];
  const ms = turnOf(plan);
  if (missing.length === 0) {
    for (const each of crew) await ran(each, 64, plan.warmUp);
    for (const lanes of plan.lanes) {
      const blocks = await blocksAt([crew], lanes, plan);
      for (const theirs of limits) duels.push({ ...duelOf(theirs, lanes, blocks), ms });
      const told = duels.slice(-limits.length).map(({ theirs, ratio }) => `${fine(ratio)} of ${theirs}`);
      plan.print(`side by side, ${whole(blocks.length)} blocks  ${String(lanes).padStart(3)}  ${told.join(', ')}`);
    }
  }
  await stage.end(...crew.flatMap(({ contender, server }) => (server ? [contender, server] : [contender])));
  return { duels, missing };
}

/** The medians of the ratios of all blocks. */
export function duelOf(theirs: (typeof limits)[number], lanes: number, blocks: readonly Block[]): Omit<Duel, 'ms'> {
  const at = everyone.indexOf(theirs);
  const ratios = (of: (turn: Block[number]) => number) =>
    blocks.map((block) => of(block[0] as Block[number]) / of(block[at] as Block[number]));
  const speed = ratios(({ perSecond }) => perSecond);
  const quartiles = [quartile(speed, 1), quartile(speed, 3)] as const;
  return {
    theirs,
    lanes,
    blocks: blocks.length,
    ratio: median(speed),
    quartiles,
    p99: median(ratios(({ p99 }) => p99)),
  };
}
