/**
 * npm run bench: askback beside the limit and beside its peers, in one run, on this machine. It measures what it can and
 * says what it could not; every number on the page is one of this run.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { findRedis } from '../test/support/redis-server.js';
import { compared as comparable, entries, named } from './contenders.js';
import { againstTable, measureAgainst } from './measure/against.js';
import { syncRate } from './measure/disk.js';
import { canDuel, measureDuels } from './measure/duels.js';
import { measureGrowth } from './measure/growth.js';
import { measureReplicas } from './measure/replicas.js';
import { measureRounds, type Plan } from './measure/rounds.js';
import { type Options, readOptions, usage } from './options.js';
import { drawn } from './page/charts.js';
import { median, why } from './page/numbers.js';
import { charts, page } from './page/report.js';
import type { Duel, GrowthPoint, NotMeasured, ReplicaPoint, Result } from './page/result.js';
import { Stage } from './stage.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const lanes = [1, 64, 512];
const sizes = [1_000, 100_000, 1_000_000];

/** --quick has two minutes, the build included; what would not fit any more is left out and named. */
const quickMs = 120_000;

type Print = (text: string) => void;

interface Start {
  /** The folder of the library to measure. */
  readonly built: string;
  /** The machine's load before anything was begun. */
  readonly load: number;
  readonly print: Print;
}

export async function bench(stage: Stage, options: Options, { built, load, print }: Start): Promise<Result> {
  const chosen = options.only === undefined ? entries : named(entries, options.only);
  const needsRedis = options.growth || options.replicas || chosen.some((entry) => entry.store === 'redis');
  const noRedis = needsRedis ? await findRedis().then(() => undefined, noServer) : undefined;
  if (noRedis !== undefined) print(`No Redis: only memory and SQLite are measured. ${noRedis}`);
  const redis = needsRedis && noRedis === undefined ? await redisVersion(stage) : undefined;
  const dist = pathToFileURL(`${resolve(built)}/`).href;
  const { rounds, ms, warmUp } = options;
  const plan: Plan = { lanes, rounds, ms, warmUp, dist, noRedis, print };
  const left = () => (options.quick ? quickMs - performance.now() : Number.POSITIVE_INFINITY);
  const missing: NotMeasured[] = [];

  const disk: number[] = [];
  const between = () => {
    if (chosen.some((entry) => entry.store === 'sqlite')) disk.push(syncRate(stage.dir, Math.min(ms, 500)));
  };
  const later = options.growth || options.replicas ? 30_000 : 5_000;
  const late = () => left() < later;
  const contest = await measureRounds(stage, chosen, { ...plan, between, late });
  const syncs = disk.length === 0 ? undefined : median(disk);
  missing.push(...contest.missing);
  /** A part besides the contenders: without Redis, in need of time, or in trouble it is named instead. */
  const part = async (name: string, wanted: boolean, needs: number, measure: () => Promise<void>) => {
    if (!wanted) return;
    const reason = noRedis ?? (left() < needs ? 'the two minutes of --quick were over' : undefined);
    const failed = reason ?? (await measure().then(() => undefined, stage.unlessClosed(why)));
    if (failed === undefined) return;
    print(`not measured: ${name}: ${failed}`);
    missing.push({ name, why: failed });
  };
  let growth: readonly GrowthPoint[] = [];
  let replicas: readonly ReplicaPoint[] = [];
  let duels: readonly Duel[] = [];
  await part('turns side by side', canDuel(chosen), 40_000, async () => {
    const fought = await measureDuels(stage, chosen, plan);
    duels = fought.duels;
    missing.push(...fought.missing);
  });
  await part('processes on one Redis', options.replicas, 15_000, async () => {
    replicas = await measureReplicas(stage, plan);
  });
  await part('many asks held', options.growth, 15_000, async () => {
    const fit = options.quick ? sizes.slice(0, 2) : sizes;
    const grown = await measureGrowth(stage, fit, { ...plan, late: () => left() < 12_000 });
    growth = grown.points;
    missing.push(...grown.missing);
  });
  const machine = {
    node: process.version.slice(1),
    redis,
    platform: `${process.platform} ${process.arch}`,
    cpus: cpus().length,
    load,
  };
  const day = new Date().toISOString().slice(0, 10);
  const { command } = options;
  return { machine, command, day, lanes, rounds, ms, rows: contest.rows, syncs, growth, replicas, duels, missing };
}

/**
 * The command line. `build` is called once it is clear that there is something to measure: with a revision, or without for
 * what is here. Returns the exit code.
 */
export async function main(
  args: readonly string[],
  build: (revision?: string) => string,
  print: Print = console.log,
): Promise<number> {
  const read = readOptions(args, entries);
  if (read.type === 'help') {
    print(usage(entries));
    return 0;
  }
  if (read.type === 'problem') {
    console.error(read.problem);
    return 2;
  }
  const load = loadavg()[0] as number; // the build is not to blame for itself
  const built = build();
  const stage = new Stage();
  let stopped = false;
  const stop = () => {
    stopped = true;
    void stage.close();
  };
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, stop);
  try {
    const timed: Print = (text) => print(`${clock(performance.now() / 1_000)}  ${text}`);
    if (read.options.against !== undefined) {
      const builds = { ours: built, theirs: build(read.options.against) };
      const table = await comparison(stage, read.options, read.options.against, builds, timed);
      if (!stopped) compared(table, read.options, print);
      return stopped ? 130 : 0;
    }
    const result = await bench(stage, read.options, { built, load, print: timed });
    if (!stopped) report(result, read.options, print);
  } catch (error) {
    if (!stopped) throw error;
  } finally {
    await stage.close();
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, stop);
  }
  if (stopped) print('STOPPED by hand: nothing was written.');
  return stopped ? 130 : 0;
}

async function comparison(
  stage: Stage,
  { only, rounds, ms, warmUp, command }: Options,
  revision: string,
  builds: { readonly ours: string; readonly theirs: string },
  print: Print,
): Promise<string> {
  const chosen = only === undefined ? comparable : named(comparable, only);
  const noRedis = await findRedis().then(() => undefined, noServer);
  const url = (folder: string) => pathToFileURL(`${resolve(folder)}/`).href;
  const plan: Plan = { lanes, rounds, ms, warmUp, dist: url(builds.ours), noRedis, print };
  const { pairs, missing } = await measureAgainst(stage, chosen, plan, url(builds.theirs));
  return againstTable({ pairs, missing, revision, command, node: process.version.slice(1) });
}

function compared(table: string, { out }: Options, print: Print): void {
  print(`\n${table}`);
  if (out === undefined) return;
  mkdirSync(resolve(out), { recursive: true });
  writeFileSync(join(resolve(out), 'against.md'), table);
  print(`Written: against.md in ${out}/`);
}

function report(result: Result, options: Options, print: Print): void {
  print(`\n${page(result)}`);
  if (!options.write) {
    print('Nothing was written; --write writes the page and the charts.');
    return;
  }
  const folder = options.out === undefined ? join(root, 'docs') : resolve(options.out);
  mkdirSync(folder, { recursive: true });
  const pictures = drawn(result);
  for (const file of Object.values(charts)) rmSync(join(folder, file), { force: true }); // of an earlier run
  for (const { file, text } of pictures) writeFileSync(join(folder, file), text);
  writeFileSync(
    join(folder, 'bench.md'),
    page(
      result,
      pictures.map(({ file }) => file),
    ),
  );
  print(`Written: bench.md and ${pictures.map(({ file }) => file).join(', ')} in ${options.out ?? 'docs'}/`);
}

const clock = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;

const noServer = (error: unknown): string => `no redis-server (${why(error)})`;

async function redisVersion(stage: Stage): Promise<string> {
  const server = await stage.server();
  const version = await server.version();
  await stage.end(server);
  return version;
}
