/** The soak run in short: it passes, it can fail, and it leaves nothing behind. */
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { isAlive, spawnNode } from '../../support/processes.js';
import { seed } from '../../support/seed.js';
import { soak } from './soak/main.js';

const dist = process.env['ASKBACK_DIST'] ?? fileURLToPath(new URL('../../../dist', import.meta.url));

test('a few seconds on Redis and on a file: processes and servers die, and nothing is lost or done twice', async () => {
  const verdict = await soak({ seconds: 16, rate: 0.3 });
  expect(verdict.wrong).toEqual([]);
  expect(verdict.rounds).toBe(2);
  expect(verdict.accepted).toBeGreaterThan(3);
  expect(verdict.faults.size).toBeGreaterThan(3);
}, 180_000);

test('a replica that acknowledges what it does not record is found out, and so is a run that accepts too little', async () => {
  const printed: string[] = [];
  const print = (text: string) => void printed.push(text);
  const verdict = await soak({ seconds: 8, grounds: ['sqlite'], sabotage: true, rate: 1_000, patience: 3_000, print });
  expect(verdict.wrong.join('\n')).toMatch(/was acknowledged and has 0 dispositions/);
  expect(verdict.wrong.join('\n')).toMatch(/answers were accepted, expected at least/);
  const history = /the history of round 1 is kept: (\S+)/.exec(printed.join('\n'))?.[1] ?? '';
  expect(existsSync(history)).toBe(true);
  rmSync(dirname(dirname(history)), { recursive: true });
}, 120_000);

test('stopped by Ctrl-C it says so, and every process it had started is gone', async () => {
  const script = fileURLToPath(new URL('../../../scripts/soak.mjs', import.meta.url));
  const run = spawnNode(script, ['--seconds', '60', '--grounds', 'redis', '--seed', `${seed}`], { ASKBACK_DIST: dist });
  await expect.poll(() => run.output()).toMatch(/messages [1-9]/);
  const folder = /files in (\S+)/.exec(run.output())?.[1] ?? 'nowhere';
  const started = startedBy(run.pid); // the world, the server, and the replicas that are up just now
  expect(started.length).toBeGreaterThan(3);
  run.kill('SIGINT');
  expect(await run.exited).toMatchObject({ code: 130 });
  expect(run.output()).toContain('STOPPED by hand');
  await expect.poll(() => started.filter(isAlive)).toEqual([]);
  expect(existsSync(folder)).toBe(false);
}, 120_000);

/** Everything that a process has started, and what those have started. */
function startedBy(pid: number): number[] {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  const rows = table
    .trim()
    .split('\n')
    .map((row) => row.trim().split(/\s+/).map(Number));
  const children = (of: number): number[] => rows.flatMap(([id = 0, by]) => (by === of ? [id, ...children(id)] : []));
  return children(pid);
}
