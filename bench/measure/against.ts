/**
 * Two builds of askback side by side: the same agents on the same stores; and of this build a reply at another replica
 * beside one at the same replica. neighbours.ts says how they take turns.
 */
import type { Entry } from '../contenders.js';
import { fine, median, quartile, whole, why } from '../page/numbers.js';
import type { NotMeasured } from '../page/result.js';
import type { Stage } from '../stage.js';
import { type Block, blocksAt, medianOf } from './neighbours.js';
import { type Opened, openedOf, type Plan, ran } from './rounds.js';

/** One of the two that are compared, and the build that it runs. */
interface Side {
  readonly entry: Entry;
  readonly dist: string;
}

interface Match {
  readonly label: string;
  readonly sides: readonly [Side, Side];
}

/** What both sides did at one number of conversations. */
export interface ComparedPair {
  readonly label: string;
  readonly lanes: number;
  readonly ours: number;
  readonly theirs: number;
  readonly ratio: number;
  readonly quartiles: readonly [number, number];
  readonly blocks: number;
  /** Redis' CPU in µs for each pair of both; undefined without Redis. */
  readonly redisCpu: readonly [ours: number, theirs: number] | undefined;
}

export async function measureAgainst(
  stage: Stage,
  entries: readonly Entry[],
  plan: Plan,
  theirs: string,
): Promise<{ pairs: readonly ComparedPair[]; missing: readonly NotMeasured[] }> {
  const pairs: ComparedPair[] = [];
  const missing: NotMeasured[] = [];
  for (const match of matchesOf(entries, plan.dist, theirs)) {
    const crews: [Opened, Opened][] = [];
    const opened: Opened[] = [];
    try {
      // the second crew opens in the other order
      for (const [n, sides] of [match.sides, match.sides.toReversed()].entries()) {
        const crew: Opened[] = [];
        for (const { entry, dist } of sides) {
          const name = `${entry.name}-${n}-${opened.length}`;
          const one = await openedOf(stage, { ...entry, name }, { ...plan, dist });
          if ('why' in one) throw new Error(one.why);
          opened.push(one);
          crew.push(one);
        }
        crews.push((n === 0 ? crew : crew.toReversed()) as [Opened, Opened]);
      }
      for (const each of opened) await ran(each, 64, plan.warmUp);
      for (const lanes of plan.lanes) {
        const pair = comparedOf(match.label, lanes, await blocksAt(crews, lanes, plan));
        pairs.push(pair);
        plan.print(`${match.label.padEnd(48)} ${String(lanes).padStart(3)}  ${ratioText(pair)}`);
      }
    } catch (error) {
      const reason = stage.unlessClosed(why)(error);
      plan.print(`not measured: ${match.label}: ${reason}`);
      missing.push({ name: match.label, why: reason });
    }
    await stage.end(...opened.flatMap(({ contender, server }) => (server ? [contender, server] : [contender])));
  }
  return { pairs, missing };
}

/** Every entry of this build beside the other build, and the replies at another replica beside those at the same one. */
function matchesOf(entries: readonly Entry[], ours: string, theirs: string): readonly Match[] {
  const ofBuilds = entries.map(
    (entry): Match => ({
      label: entry.label,
      sides: [
        { entry, dist: ours },
        { entry, dist: theirs },
      ],
    }),
  );
  const elsewhere = entries.find(({ config }) => config['replies'] === 'elsewhere');
  const here = entries.find(({ config, store }) => store === elsewhere?.store && Object.keys(config).length === 1);
  if (elsewhere === undefined || here === undefined) return ofBuilds;
  const label = `${elsewhere.label}, over the same replica; both of this build`;
  return [
    ...ofBuilds,
    {
      label,
      sides: [
        { entry: elsewhere, dist: ours },
        { entry: here, dist: ours },
      ],
    },
  ];
}

export function comparedOf(label: string, lanes: number, blocks: readonly Block[]): ComparedPair {
  const rate = (side: 0 | 1) => (block: Block) => block[side]?.perSecond ?? 0;
  const ratios = blocks.map((block) => rate(0)(block) / rate(1)(block));
  const cpu = ([0, 1] as const).map((side) => medianOf(blocks, (block) => block[side]?.redisCpu));
  const [ours, theirs] = cpu;
  return {
    label,
    lanes,
    ours: median(blocks.map(rate(0))),
    theirs: median(blocks.map(rate(1))),
    ratio: median(ratios),
    quartiles: [quartile(ratios, 1), quartile(ratios, 3)],
    blocks: blocks.length,
    redisCpu: ours === undefined || theirs === undefined ? undefined : [ours, theirs],
  };
}

const ratioText = ({ ratio, quartiles: [low, high] }: ComparedPair): string =>
  `${fine(ratio)} (${fine(low)} to ${fine(high)})`;

const cpuText = (cpu: ComparedPair['redisCpu']): string =>
  cpu === undefined ? '' : `${fine(cpu[0])} / ${fine(cpu[1])} = ${fine(cpu[0] / cpu[1])}`;

/** The page of a comparison. Pure. */
export function againstTable(found: {
  readonly pairs: readonly ComparedPair[];
  readonly missing: readonly NotMeasured[];
  readonly revision: string;
  readonly command: string;
  readonly node: string;
}): string {
  const blocks = Math.max(0, ...found.pairs.map((pair) => pair.blocks));
  const rows = found.pairs.map(
    (pair) =>
      `| ${pair.label} | ${pair.lanes} | ${whole(pair.ours)} | ${whole(pair.theirs)} | ${ratioText(pair)} | ${cpuText(pair.redisCpu)} |`,
  );
  return [
    `This build beside the build of ${found.revision}, on Node ${found.node}: \`${found.command}\`. Pairs a second, and the median of the`,
    `ratios of ${blocks} blocks of neighbouring turns, with the values that half of them are between. Redis' CPU is that of its main`,
    'thread, in µs for each pair.',
    '',
    `| agent and store | conversations | this build | ${found.revision} | ratio | Redis' CPU |`,
    '|---|--:|--:|--:|---|---|',
    ...rows,
    ...found.missing.map(({ name, why: reason }) => `\nNot measured: ${name}: ${reason}`),
    '',
  ].join('\n');
}
