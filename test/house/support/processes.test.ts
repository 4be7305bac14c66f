/** The child processes that other tests stand on. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { isAlive, patience, spawnNode } from '../../support/processes.js';

let dir: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'askback-processes-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

async function script(name: string, text: string): Promise<string> {
  const path = join(dir, name);
  await writeFile(path, text);
  return path;
}

test('messages go both ways, and a message is found whatever came before it', async () => {
  const file = await script(
    'echo.mjs',
    `process.on('message', (message) => {
      process.send({ type: 'noise' });
      process.send({ type: 'echo', message, args: process.argv.slice(2), colour: process.env.COLOUR });
    });
    console.log('here');`,
  );
  const child = spawnNode(file, ['one', 'two'], { COLOUR: 'blue' });
  child.send({ hello: 'world' });
  expect(await child.next((message) => message.type === 'echo')).toEqual({
    type: 'echo',
    message: { hello: 'world' },
    args: ['one', 'two'],
    colour: 'blue',
  });
  expect(await child.next()).toEqual({ type: 'noise' });
  expect(child.output()).toBe('here\n');

  child.kill('SIGKILL');
  expect(await child.exited).toEqual({ code: null, signal: 'SIGKILL' });
  expect(isAlive(child.pid)).toBe(false);
});

test('waiting for a message fails when the child ends or the time is up', async () => {
  const ending = spawnNode(await script('ends.mjs', `console.error('out of luck'); process.exitCode = 3;`));
  await expect(ending.next()).rejects.toThrow(/ended \(3\)[\s\S]*out of luck/);
  expect(await ending.exited).toEqual({ code: 3, signal: null });
  await expect(ending.next()).rejects.toThrow(/ended/);
  ending.send({ anyone: 'there' });

  const silent = spawnNode(await script('silent.mjs', `process.on('message', () => {});`));
  await expect(silent.next(() => true, 50)).rejects.toThrow(/no such message in 50 ms/);
  silent.kill();
  await silent.exited;
});

test('a child dies with the process that started it, even when that is killed', async () => {
  const source = await readFile(new URL('../../support/processes.ts', import.meta.url), 'utf8');
  const options = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ES2022 };
  await script('processes.mjs', ts.transpile(source, options));
  const sleeper = await script(
    'sleeper.mjs',
    `process.on('message', () => {}); process.send('up'); setInterval(() => {}, 1e6);`,
  );
  const parent = spawnNode(
    await script(
      'parent.mjs',
      `import { spawnNode } from './processes.mjs';
      const child = spawnNode(${JSON.stringify(sleeper)});
      await child.next();
      process.send({ pid: child.pid });`,
    ),
  );
  const { pid } = await parent.next<{ pid: number }>();
  expect(isAlive(pid)).toBe(true);
  parent.kill('SIGKILL');
  await parent.exited;
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: patience, interval: 10 });
});
