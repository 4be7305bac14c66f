/**
 * What many held asks cost: a server for each number of them, all at once, so that one round measures them side by side.
 */
import { cpus, freemem } from 'node:os';
import type { Contender } from '../crew.js';
import { median, whole } from '../page/numbers.js';
import type { GrowthPoint, NotMeasured } from '../page/result.js';
import { ofAllRounds, type Server, type Stage } from '../stage.js';
import { atATime, type Plan } from './rounds.js';

const run = 'growth';
const lanes = 64;
const chunk = 10_000;
const sweeps = 20;
/** What a held ask may need, generously: only to ask whether there is room for a million of them. */
const room = 4_096;

interface Held {
  readonly held: number;
  readonly server: Server;
  readonly bytes: number;
  readonly historyBytes: number | undefined;
  readonly sweep: number;
  readonly sweepCpu: number | undefined;
  readonly contender: Contender;
  readonly rates: number[];
}

export async function measureGrowth(
  stage: Stage,
  sizes: readonly number[],
  plan: Plan,
): Promise<{ points: readonly GrowthPoint[]; missing: readonly NotMeasured[] }> {
  const all: Held[] = [];
  const missing: NotMeasured[] = [];
  for (const size of sizes) {
    const wanted = size * room;
    if (freemem() < wanted) {
      const gigabytes = `about ${Math.ceil(wanted / 1e9)} GB of free memory are wanted for it`;
      missing.push({ name: `${whole(size)} asks held`, why: gigabytes });
    } else all.push(await heldOf(stage, size, plan));
  }
  await atATime(cpus().length, all, ({ contender }) => contender.run(lanes, plan.warmUp));
  for (const { server } of all) await server.enlarge(ofAllRounds);
  for (let round = 0; round < plan.rounds; round++) {
    for (const { held, contender, rates } of all) {
      const { perSecond } = await contender.run(lanes, plan.ms);
      rates.push(perSecond);
      plan.print(`round ${round + 1}/${plan.rounds}  ${whole(held)} held: ${whole(perSecond)} pairs/s`);
    }
  }
  for (const { contender, server } of all) await stage.end(contender, server);
  const fewest = all[0]?.rates ?? [];
  const points = all.map(({ held, bytes, historyBytes, sweep, sweepCpu, rates }) => ({
    held,
    bytes,
    historyBytes,
    sweep,
    sweepCpu,
    perSecond: median(rates),
    relative: median(rates.map((rate, i) => rate / (fewest[i] as number))),
  }));
  return { points, missing };
}

/** A server that holds so many asks, or as many as there was time for, weighed and swept before anything else happens on it. */
async function heldOf(stage: Stage, wanted: number, plan: Plan): Promise<Held> {
  const server = await stage.server();
  const config = { url: server.url, run, dist: plan.dist };
  const empty = await server.memory();
  const filler = await stage.contender('../fill', config);
  const start = performance.now();
  let held = 0;
  while (held < wanted && !(held > 0 && plan.late?.())) {
    const to = Math.min(wanted, held + chunk);
    await filler.call('fill', held, to);
    held = to;
    const rate = whole(held / ((performance.now() - start) / 1_000));
    if (held === wanted || held % (5 * chunk) === 0)
      plan.print(`filling: ${whole(held)} of ${whole(wanted)} asks, ${rate} a second`);
  }
  const bytes = ((await server.memory()) - empty) / held;
  const historyBytes = await server.usage(`${run}:*:h`, 200);

  const before = await server.cpu();
  const { ms, taken } = await filler.call<{ ms: number; taken: number }>('sweeps', sweeps);
  const after = await server.cpu();
  if (taken > 0) throw new Error(`The sweep found ${taken} conversations to work on where nothing is due.`);
  // what was filled in must be what the registry would have left
  const settled = await filler.call<string>('answer', held - 1);
  if (settled !== 'accepted') throw new Error(`A held ask could not be answered: ${settled}`);
  await stage.end(filler);

  const contender = await stage.contender('askback', { ...config, store: 'redis' });
  return {
    held,
    server,
    bytes,
    historyBytes,
    sweep: ms,
    sweepCpu: before === undefined || after === undefined ? undefined : (after - before) / sweeps,
    contender,
    rates: [],
  };
}
