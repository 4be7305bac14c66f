/**
 * Contenders side by side in short turns. On a machine that others use as well, what was measured a minute ago says little
 * about now: so each is compared with its neighbours of one block only, in which everyone runs twice, there and back again.
 * What drifts within a block falls on all of them alike.
 */
import { median } from '../page/numbers.js';
import { type Opened, type Plan, ran, roomFor, type Taken } from './rounds.js';

/** Long enough to have its share of garbage collection, short enough to be over before the machine changes. */
const longest = 1_000;
/** For each round of the contest. */
const blocksInRound = 2;

/** What each of them did in one block, in the order of the crew: the means of its two turns. */
export type Block = readonly Pick<Taken, 'perSecond' | 'p99' | 'redisCpu'>[];

export const turnOf = ({ ms }: Plan): number => Math.min(longest, ms);

/** Another crew has the next block, so that what one process has by chance (its place in memory, its start) is not the result. */
export async function blocksAt(
  crews: readonly (readonly Opened[])[],
  lanes: number,
  plan: Plan,
): Promise<readonly Block[]> {
  const ms = turnOf(plan);
  const count = blocksInRound * plan.rounds * crews.length;
  for (const each of crews.flat()) await roomFor(each, 3 * ms * blocksInRound * plan.rounds);
  const blocks: Block[] = [];
  for (let i = 0; i < count; i += 1) {
    const crew = crews[i % crews.length] as readonly Opened[];
    const isBackFirst = Math.floor(i / crews.length) % 2 === 1;
    const order = isBackFirst ? crew.toReversed() : crew;
    const taken = new Map<Opened, Taken[]>(crew.map((each) => [each, []]));
    for (const each of [...order, ...order.toReversed()]) {
      await ran(each, Math.max(lanes, 64), ms / 2); // it was idle while the others ran
      taken.get(each)?.push(await ran(each, lanes, ms));
    }
    blocks.push(crew.map((each) => meanOf(taken.get(each) as Taken[])));
  }
  return blocks;
}

function meanOf(turns: readonly Taken[]): Block[number] {
  const of = (value: (turn: Taken) => number) => turns.reduce((sum, turn) => sum + value(turn), 0) / turns.length;
  const redisCpu = turns.every((turn) => turn.redisCpu !== undefined) ? of((turn) => turn.redisCpu ?? 0) : undefined;
  return { perSecond: of((turn) => turn.perSecond), p99: of((turn) => turn.p99), redisCpu };
}

/** The median over the blocks of what one of them did; undefined where it was not measured. */
export function medianOf(blocks: readonly Block[], value: (block: Block) => number | undefined): number | undefined {
  const values = blocks.map(value).filter((each) => each !== undefined);
  return values.length === 0 ? undefined : median(values);
}
