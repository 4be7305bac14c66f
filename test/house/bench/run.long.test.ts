/** The bench itself, in short: it measures, it says what it cannot, and it leaves nothing behind. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { measureGrowth } from '../../../bench/measure/growth.js';
import { measureRounds, type Plan } from '../../../bench/measure/rounds.js';
import { page } from '../../../bench/page/report.js';
import { Stage } from '../../../bench/stage.js';
import { spawnNode } from '../../support/processes.js';
import { entryOf, heldOf, resultOf } from './made.js';

const script = fileURLToPath(new URL('../../../scripts/bench.mjs', import.meta.url));
const ASKBACK_DIST = process.env['ASKBACK_DIST'] ?? fileURLToPath(new URL('../../../dist', import.meta.url));
const plan: Plan = {
  lanes: [1, 8],
  rounds: 2,
  ms: 20,
  warmUp: 20,
  dist: pathToFileURL(`${ASKBACK_DIST}/`).href,
  noRedis: undefined,
  print: () => {},
};

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'askback-bench-test-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** The command, with a folder of its own for all that it keeps meanwhile. */
const started = (...args: string[]) => spawnNode(script, args, { ASKBACK_DIST, TMPDIR: dir });

test('a short run on memory and on Redis shows and writes its table, and leaves nothing else', async () => {
  const out = join(dir, 'docs');
  const only = ['--only', 'askback-memory,bare-corked'];
  const run = started(...only, '--rounds', '1', '--ms', '30', '--write', '--out', out);
  expect(await run.exited, run.output()).toMatchObject({ code: 0 });
  expect(run.output()).toMatch(/\| \*\*askback, memory\*\* \| [\d ]+ \| [\d ]+ \| [\d ]+ \|/);
  expect(readdirSync(dir)).toEqual(['docs']);
  expect(readdirSync(out).sort()).toEqual(['bench-durable.svg', 'bench-memory.svg', 'bench.md']);
  const written = readFileSync(join(out, 'bench.md'), 'utf8');
  expect(written).toMatch(/\| bare ioredis, corked \| [\d ]+ \| [\d ]+ \| [\d ]+ \|.*ioredis \d/);
  expect(written).not.toContain(dir);
}, 60_000);

test('without redis-server it says so and measures the rest', async () => {
  const names = 'askback-memory,askback-redis,growth';
  const run = spawnNode(script, ['--only', names, '--rounds', '1', '--ms', '20'], {
    ASKBACK_DIST,
    TMPDIR: dir,
    REDIS_SERVER: join(dir, 'redis-server'),
  });
  expect(await run.exited, run.output()).toMatchObject({ code: 0 });
  expect(run.output()).toContain('No Redis: only memory and SQLite are measured.');
  expect(run.output()).toMatch(/\| \*\*askback, memory\*\* \| [\d ]+ \|/);
  expect(run.output()).toMatch(/- not measured: askback, Redis: no redis-server/);
  expect(run.output()).toMatch(/- not measured: many asks held: no redis-server/);
  expect(run.output()).not.toContain(dir);
}, 60_000);

test('Ctrl-C ends it at once, and its folder is gone', async () => {
  const run = started('--only', 'bare-corked,askback-memory', '--ms', '60000');
  await expect.poll(() => run.output(), { timeout: 30_000, interval: 50 }).toContain('warming up');
  expect(readdirSync(dir)).not.toEqual([]);
  run.kill('SIGINT');
  expect(await run.exited).toMatchObject({ code: 130 });
  expect(run.output()).toMatch(/STOPPED by hand/);
  expect(run.output()).not.toContain('not measured');
  expect(readdirSync(dir)).toEqual([]);
}, 60_000);

test('a contender that is not there is named, and the others run', async () => {
  const stage = new Stage();
  try {
    const nobody = { ...entryOf('grammy-memory'), module: 'nobody', label: 'nobody at all' };
    const { rows, missing } = await measureRounds(stage, [nobody, entryOf('askback-memory')], plan);
    expect(missing).toEqual([{ name: 'nobody at all', why: 'not installed', peer: true }]);
    expect(rows.map((row) => [row.entry.name, row.points.map((point) => point.rounds.length)])).toEqual([
      ['askback-memory', [2, 2]],
    ]);
    expect(page(resultOf({ rows, missing }))).toMatch(/npm install --prefix bench` brings them: nobody at all/);
  } finally {
    await stage.close();
  }
}, 60_000);

test('when the time is over, what is left out is named and has no numbers', async () => {
  const stage = new Stage();
  try {
    let looks = 0;
    const late = () => ++looks > 1;
    const { rows, missing } = await measureRounds(stage, [entryOf('askback-memory')], { ...plan, rounds: 1, late });
    expect(missing).toEqual([{ name: 'everybody, at 8', why: 'the two minutes of --quick were over' }]);
    expect(rows[0]?.points.map((point) => point.lanes)).toEqual([1]);
    expect(page(resultOf({ rows, missing, lanes: [1, 8] }))).toMatch(/\| \*\*askback, memory\*\* \| [\d ]+ \| – \|/);
  } finally {
    await stage.close();
  }
}, 60_000);

test('asks that were filled in weigh something, are swept over, and can be answered', async () => {
  const stage = new Stage();
  try {
    const { points, missing } = await measureGrowth(stage, [200], { ...plan, rounds: 1 });
    expect(missing).toEqual([]);
    expect(points).toMatchObject([{ held: 200, relative: 1 }]);
    const [{ bytes, historyBytes, perSecond, sweep } = heldOf(0)] = points;
    expect(historyBytes).toBeGreaterThan(100);
    expect(bytes).toBeGreaterThan((historyBytes ?? 0) + 500);
    expect(bytes).toBeLessThan(10_000);
    expect(Math.min(perSecond, sweep)).toBeGreaterThan(0);
  } finally {
    await stage.close();
  }
}, 60_000);
