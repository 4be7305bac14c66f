/** Contenders in turn, round after round, so that what disturbs the machine disturbs all of them alike. */
import { cpus } from 'node:os';
import { join } from 'node:path';
import type { Entry } from '../contenders.js';
import type { Contender, Measured } from '../crew.js';
import { fine, median, whole, why } from '../page/numbers.js';
import type { NotMeasured, Point, Row } from '../page/result.js';
import type { Server, Stage } from '../stage.js';

export interface Plan {
  readonly lanes: readonly number[];
  readonly rounds: number;
  readonly ms: number;
  readonly warmUp: number;
  /** The build of askback to measure, as a file: URL that ends in a slash. */
  readonly dist: string;
  /** Why no Redis can be started; undefined: it can. */
  readonly noRedis: string | undefined;
  readonly print: (text: string) => void;
  /** Called before each round and after the last. */
  readonly between?: () => void;
  /** True: what has not been run by now is left out. */
  readonly late?: () => boolean;
}

/** Room for so many keys is made in no time; what a cold program does next in a short run is hard to foresee. */
const least = 50_000;

export interface Opened {
  readonly entry: Entry;
  readonly contender: Contender;
  /** Its own, so that its CPU is nobody else's. */
  readonly server: Server | undefined;
  /** How many keys a millisecond it has left there, at most so far. */
  pace: number;
}

/** `redisCpu` is that of its server's main thread, in µs for each pair. */
export type Taken = Measured & { readonly redisCpu: number | undefined };

export async function measureRounds(
  stage: Stage,
  entries: readonly Entry[],
  plan: Plan,
): Promise<{ rows: readonly Row[]; missing: readonly NotMeasured[] }> {
  const missing: NotMeasured[] = [];
  const crew: Opened[] = [];
  const taken = new Map<Opened, Map<number, Taken[]>>();
  const leave = async (opened: Opened, error: unknown) => {
    missing.push(absent(opened.entry, stage.unlessClosed(why)(error), plan));
    crew.splice(crew.indexOf(opened), 1);
    await stage.end(opened.contender);
  };

  const tried = new Map<Entry, Opened | { readonly why: string }>();
  await atATime(cpus().length, entries, async (entry) => tried.set(entry, await openedOf(stage, entry, plan)));
  for (const entry of entries) {
    const opened = tried.get(entry) as Opened | { readonly why: string };
    if ('why' in opened) missing.push(absent(entry, opened.why, plan));
    else {
      crew.push(opened);
      taken.set(opened, new Map());
    }
  }
  await atATime(cpus().length, [...crew], async (opened) => {
    plan.print(`warming up: ${opened.entry.label}`);
    await ran(opened, 64, plan.warmUp).catch((error: unknown) => leave(opened, error));
    opened.pace *= 2; // it was cold, and ran beside another
  });
  for (let round = 0; round < plan.rounds; round++) {
    plan.between?.();
    for (const lanes of plan.lanes) {
      // another one begins each time, so that nobody always runs behind the same neighbour
      const first = round % Math.max(1, crew.length);
      const skipped: string[] = [];
      for (const opened of [...crew.slice(first), ...crew.slice(0, first)]) {
        if (plan.late?.()) {
          skipped.push(opened.entry.label);
          continue;
        }
        try {
          const one = await run(opened, lanes, plan.ms);
          const kept = taken.get(opened) as Map<number, Taken[]>;
          kept.set(lanes, [...(kept.get(lanes) ?? []), one]);
          plan.print(line(`${round + 1}/${plan.rounds}`, lanes, opened.entry, one));
        } catch (error) {
          await leave(opened, error);
        }
      }
      if (skipped.length > 0) {
        const names = skipped.length === crew.length ? 'everybody' : skipped.join('; ');
        missing.push({ name: `${names}, at ${lanes}`, why: 'the two minutes of --quick were over' });
      }
    }
  }
  plan.between?.();
  const rows = crew.map((opened) => ({
    entry: opened.entry,
    version: opened.contender.version,
    points: [...(taken.get(opened) as Map<number, Taken[]>)].map(([lanes, all]) => summed(lanes, all)),
  }));
  await stage.end(
    ...[...taken.keys()].flatMap(({ contender, server }) => (server ? [contender, server] : [contender])),
  );
  return { rows, missing };
}

/** Nobody is measured while others start or warm up, so they may do it side by side. */
export async function atATime<T>(
  most: number,
  items: readonly T[],
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const waiting = items.values();
  const lane = async () => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: most }, lane));
}

/** The medians over the rounds. */
export function summed(lanes: number, rounds: readonly Taken[]): Point {
  const of = (value: (one: Taken) => number) => median(rounds.map(value));
  const redis = rounds.map((one) => one.redisCpu).filter((cpu) => cpu !== undefined);
  return {
    lanes,
    perSecond: of((one) => one.perSecond),
    p50: of((one) => one.p50),
    p99: of((one) => one.p99),
    cpu: of((one) => one.cpu),
    ...(redis.length === 0 ? {} : { redisCpu: median(redis) }),
    rounds: rounds.map((one) => one.perSecond),
  };
}

export async function openedOf(stage: Stage, entry: Entry, plan: Plan): Promise<Opened | { readonly why: string }> {
  if (entry.store === 'redis' && plan.noRedis !== undefined) return { why: plan.noRedis };
  const server = entry.store === 'redis' ? await stage.server(entry.fsync) : undefined;
  const where = { url: server?.url, path: join(stage.dir, `${entry.name}.db`), run: entry.name, dist: plan.dist };
  try {
    const contender = await stage.contender(entry.module, { ...where, ...entry.config });
    plan.print(`ready: ${entry.label} (${contender.version})`);
    return { entry, contender, server, pace: 0 };
  } catch (error) {
    const reason = stage.unlessClosed(why)(error);
    if (server) await stage.end(server);
    return { why: reason };
  }
}

async function run(opened: Opened, lanes: number, ms: number): Promise<Taken> {
  await roomFor(opened, 3 * ms); // it warms up for twice as long as is measured
  // while others had their turn, Node has thrown away what it had compiled and made its heap small again; one conversation
  // at a time, or for as long as is measured, would not bring it back
  await ran(opened, Math.max(lanes, 64), 2 * ms);
  return ran(opened, lanes, ms);
}

/**
 * Redis doubles its table of keys when it is full, which takes seconds: it would fall into one contender's measurement and
 * not into another's. The table gets room for twice what is expected.
 */
export async function roomFor({ server, pace }: Opened, ms: number): Promise<void> {
  await server?.enlarge(Math.max(least, 2 * pace * ms));
}

/** Lets it run, and keeps in mind how many keys it left behind. */
export async function ran(opened: Opened, lanes: number, ms: number): Promise<Taken> {
  const { contender, server } = opened;
  const keys = await server?.entries();
  const before = await server?.cpu();
  const measured = await contender.run(lanes, ms);
  const after = await server?.cpu();
  const left = await server?.entries();
  if (keys && left) opened.pace = Math.max(opened.pace, (left.keys - keys.keys) / ms);
  const used = before === undefined || after === undefined ? undefined : (after - before) / measured.pairs;
  return { ...measured, redisCpu: used };
}

function absent(entry: Entry, reason: string, { print }: Plan): NotMeasured {
  print(`not measured: ${entry.label}: ${reason}`);
  return { name: entry.label, why: reason, ...(entry.side === 'peer' && { peer: true as const }) };
}

function line(round: string, lanes: number, { label }: Entry, { perSecond, p50, p99 }: Taken): string {
  const figures = `${whole(perSecond).padStart(7)} pairs/s  p50 ${fine(p50)}  p99 ${fine(p99)} ms`;
  return `round ${round}  ${String(lanes).padStart(3)}  ${label.padEnd(36)} ${figures}`;
}
