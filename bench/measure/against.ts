/**
 * Two builds of askback side by side: the same agents on the same stores in short turns, each turn compared with its
 * neighbour only, so that what disturbs the machine disturbs both.
 */
import type { Entry } from '../contenders.js';
import { fine, median, quartile, whole, why } from '../page/numbers.js';
import type { NotMeasured } from '../page/result.js';
import type { Stage } from '../stage.js';
import { type Opened, openedOf, type Plan, ran, roomFor } from './rounds.js';

/** Long enough to have its share of garbage collection, short enough to be over before the machine changes. */
const longest = 1_000;
const turnsInRound = 5;

/** What both builds did with one agent, store and number of conversations. */
export interface ComparedPair {
  readonly label: string;
  readonly lanes: number;
  readonly ours: number;
  readonly theirs: number;
  readonly ratio: number;
  readonly quartiles: readonly [number, number];
  readonly turns: number;
}

export async function measureAgainst(
  stage: Stage,
  entries: readonly Entry[],
  plan: Plan,
  theirs: string,
): Promise<{ pairs: readonly ComparedPair[]; missing: readonly NotMeasured[] }> {
  const pairs: ComparedPair[] = [];
  const missing: NotMeasured[] = [];
  for (const entry of entries) {
    const opened: Opened[] = [];
    try {
      for (const [name, dist] of [
        ['ours', plan.dist],
        ['theirs', theirs],
      ] as const) {
        const one = await openedOf(stage, { ...entry, name: `${entry.name}-${name}` }, { ...plan, dist });
        if ('why' in one) throw new Error(one.why);
        opened.push(one);
      }
      for (const each of opened) await ran(each, 64, plan.warmUp);
      for (const lanes of plan.lanes) {
        const pair = await comparedAt(entry.label, opened, lanes, plan);
        pairs.push(pair);
        plan.print(`${entry.label.padEnd(48)} ${String(lanes).padStart(3)}  ${ratioText(pair)}`);
      }
    } catch (error) {
      const reason = stage.unlessClosed(why)(error);
      plan.print(`not measured: ${entry.label}: ${reason}`);
      missing.push({ name: entry.label, why: reason });
    }
    await stage.end(...opened.flatMap(({ contender, server }) => (server ? [contender, server] : [contender])));
  }
  return { pairs, missing };
}

async function comparedAt(label: string, opened: readonly Opened[], lanes: number, plan: Plan): Promise<ComparedPair> {
  const ms = Math.min(longest, plan.ms);
  const turns = turnsInRound * plan.rounds;
  for (const each of opened) await roomFor(each, 1.5 * ms * turns);
  const rates: [ours: number, theirs: number][] = [];
  for (let i = 0; i < turns; i += 1) {
    const rate = new Map<Opened, number>();
    // the other one begins each time
    for (const each of i % 2 === 0 ? opened : opened.toReversed()) {
      await ran(each, Math.max(lanes, 64), ms / 4); // it was idle while the other ran
      rate.set(each, (await ran(each, lanes, ms)).perSecond);
    }
    const [ours = 0, theirs = 0] = opened.map((each) => rate.get(each));
    rates.push([ours, theirs]);
  }
  const ratios = rates.map(([ours, theirs]) => ours / theirs);
  return {
    label,
    lanes,
    ours: median(rates.map(([ours]) => ours)),
    theirs: median(rates.map(([, theirs]) => theirs)),
    ratio: median(ratios),
    quartiles: [quartile(ratios, 1), quartile(ratios, 3)],
    turns,
  };
}

const ratioText = ({ ratio, quartiles: [low, high] }: ComparedPair): string =>
  `${fine(ratio)} (${fine(low)} to ${fine(high)})`;

/** The page of a comparison. Pure. */
export function againstTable(found: {
  readonly pairs: readonly ComparedPair[];
  readonly missing: readonly NotMeasured[];
  readonly revision: string;
  readonly command: string;
  readonly node: string;
}): string {
  const turns = Math.max(0, ...found.pairs.map((pair) => pair.turns));
  const rows = found.pairs.map(
    (pair) => `| ${pair.label} | ${pair.lanes} | ${whole(pair.ours)} | ${whole(pair.theirs)} | ${ratioText(pair)} |`,
  );
  return [
    `This build beside the build of ${found.revision}, on Node ${found.node}: \`${found.command}\`. Pairs a second, and the median of the`,
    `ratios of ${turns} neighbouring turns, with the values that half of them are between.`,
    '',
    `| agent and store | conversations | this build | ${found.revision} | ratio |`,
    '|---|--:|--:|--:|---|',
    ...rows,
    ...found.missing.map(({ name, why: reason }) => `\nNot measured: ${name}: ${reason}`),
    '',
  ].join('\n');
}
