/**
 * The soak run: round after round on each ground until the time is up, with what happens on the screen, and a verdict.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seed as firstSeed, type Random, randomOf } from '../../../support/seed.js';
import type { Ground } from './grounds.js';
import { onCluster, onFile, onRedis, onSentinel } from './grounds.js';
import { places, Round } from './round.js';

export interface SoakOptions {
  readonly seconds: number;
  /** The same seed is the same people and faults, though not at the same moments. */
  readonly seed?: number;
  /** Which grounds, in turn; by default all that there is time for. */
  readonly grounds?: readonly string[];
  readonly lanes?: number;
  /** The least number of accepted answers a second; fewer are a failure. */
  readonly rate?: number;
  readonly sabotage?: boolean;
  /** How long people wait for what they were promised, in ms. */
  readonly patience?: number;
  readonly print?: (text: string) => void;
  readonly signal?: AbortSignal;
}

export interface Verdict {
  readonly rounds: number;
  readonly messages: number;
  readonly accepted: number;
  readonly effects: number;
  /** Conversations that a fail-over met, in which Redis may have lost what it had acknowledged. */
  readonly doubtful: number;
  readonly faults: ReadonlyMap<string, number>;
  readonly wrong: readonly string[];
}

const makers: Readonly<Record<string, (dir: string, random: Random) => Promise<Ground>>> = {
  redis: (dir, random) => onRedis(dir, places, random),
  sqlite: (dir, random) => onFile(dir, random),
  sentinel: (dir) => onSentinel(dir),
  cluster: () => onCluster(),
};

const roundSeconds = 25;
const clock = (seconds: number) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;
const list = (faults: ReadonlyMap<string, number>) => [...faults].map(([name, n]) => `${name} ${n}`).join(', ');
const sum = (one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>) => {
  const all = new Map(one);
  for (const [name, n] of other) all.set(name, (all.get(name) ?? 0) + n);
  return all;
};

export async function soak(options: SoakOptions): Promise<Verdict> {
  const { seconds, lanes = 8, rate = 0.5, sabotage = false, patience = 30_000, print = () => {}, signal } = options;
  const { seed = firstSeed } = options;
  // a short run has no time to wait for a Sentinel or a Cluster
  const grounds = options.grounds ?? (seconds < 90 ? ['redis', 'sqlite'] : Object.keys(makers));
  const each = Math.min(roundSeconds, Math.max(3, seconds / grounds.length - 5));
  const dir = mkdtempSync(join(tmpdir(), 'askback-soak-'));
  print(`soak: ${seconds} s on ${grounds.join(', ')} with seed ${seed}; files in ${dir}`);
  let faults: ReadonlyMap<string, number> = new Map();
  const total = { messages: 0, accepted: 0, effects: 0, doubtful: 0 };
  const wrong: string[] = [];
  const begin = performance.now();
  const passed = () => (performance.now() - begin) / 1_000;
  let rounds = 0;
  const line = (round: Round, name: string) => {
    const { messages, accepted, effects, refused } = round.figures;
    print(
      `${clock(passed())} / ${clock(seconds)}  ${name.padEnd(8)} messages ${total.messages + messages}, accepted ${total.accepted + accepted}, ` +
        `effects ${total.effects + effects}, sent again ${refused} | ${list(sum(faults, round.faults))}`,
    );
  };
  while (!signal?.aborted && (rounds < grounds.length || passed() + each < seconds)) {
    const name = grounds[rounds % grounds.length] as string;
    rounds += 1;
    const folder = join(dir, `${rounds}-${name}`);
    mkdirSync(folder);
    const place = `round ${rounds}`;
    const ground = await (makers[name] as (typeof makers)[string])(folder, randomOf(`${place} ground`, seed));
    const least = ground.forgets === undefined ? each * rate : 5; // where much is in doubt, little can be asked for
    const draws = (what: string) => randomOf(`${place} ${what}`, seed);
    const round = new Round({ ground, dir: folder, seconds: each, lanes, least, sabotage, patience, randomOf: draws });
    const ticking = setInterval(() => line(round, name), 3_000);
    const stop = () => void round.end();
    signal?.addEventListener('abort', stop);
    const found = await round
      .run()
      .catch((error: unknown) => (signal?.aborted ? [] : [`stopped by ${(error as Error).stack}`]));
    clearInterval(ticking);
    signal?.removeEventListener('abort', stop);
    if (!signal?.aborted) line(round, name);
    await round.end();
    await ground.close();
    const { messages, accepted, effects } = round.figures;
    total.messages += messages;
    total.accepted += accepted;
    total.effects += effects;
    total.doubtful += round.doubtful;
    faults = sum(faults, round.faults);
    for (const complaint of found) print(`  wrong: ${complaint}`);
    wrong.push(...found.map((complaint) => `${place} (${name}, seed ${seed}): ${complaint}`));
    if (found.length === 0) rmSync(folder, { recursive: true, force: true });
    else print(`  the history of round ${rounds} is kept: ${join(folder, 'history.jsonl')}`);
  }
  if (wrong.length === 0) rmSync(dir, { recursive: true, force: true });
  return { rounds, ...total, faults, wrong };
}

/** The command line. Returns the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const option = (name: string) => (args.includes(`--${name}`) ? args[args.indexOf(`--${name}`) + 1] : undefined);
  const seconds = Number(option('seconds') ?? Number(option('minutes') ?? 5) * 60);
  const names = option('grounds')?.split(',');
  const seed = Number(option('seed') ?? Date.now() % 2 ** 31); // another run finds something else
  const unknown = names?.filter((name) => !(name in makers)) ?? [];
  if (!(seconds > 0) || !Number.isInteger(seed) || unknown.length > 0) {
    const grounds = Object.keys(makers).join(',');
    console.error(`Usage: npm run soak -- [--minutes 5 | --seconds 60] [--grounds ${grounds}] [--seed 1]`);
    return 2;
  }
  const stopped = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopped.abort());
  const verdict = await soak({
    seconds,
    seed,
    ...(names === undefined ? {} : { grounds: names }),
    print: (text) => console.log(text),
    signal: stopped.signal,
  });
  const { rounds, messages, accepted, effects, doubtful, faults, wrong } = verdict;
  console.log(`\n${rounds} rounds, ${messages} messages, ${accepted} accepted, ${effects} effects`);
  console.log(`faults: ${list(faults)}`);
  if (doubtful > 0)
    console.log(
      `${doubtful} conversations met a fail-over, which may lose what Redis had acknowledged; only what is kept of them was judged.`,
    );
  if (stopped.signal.aborted) {
    console.log('STOPPED by hand: no verdict.');
    return 130;
  }
  console.log(
    wrong.length === 0 ? 'PASSED: nothing was lost, nothing happened twice.' : `FAILED:\n- ${wrong.join('\n- ')}`,
  );
  return wrong.length === 0 ? 0 : 1;
}
