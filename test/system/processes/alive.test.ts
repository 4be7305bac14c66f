/** What keeps a process alive, and what does not: a program that has nothing to do but wait must be able to end. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { patience } from '../../support/processes.js';
import { startRedis } from '../../support/redis-server.js';

const dist = new URL('../../../dist/', import.meta.url);
const script = (body: string) => `
  import { AgentRegistry, agent } from ${JSON.stringify(new URL('index.js', dist).href)};
  const silent = { name: 'silent', start() {}, async send() { console.log('asked'); }, conversationFor: String };
  const there = { channel: 'silent', to: 'anna' };
  ${body}`;

/** Runs it to its end; one that does not end by itself is killed. Most of the time it waits, so the tests of this file run side by side. */
async function run(body: string, program = script(body)) {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: fileURLToPath(dist),
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: patience,
  });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  const [status, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { status, signal, stdout };
}

/** A program as people write it: one function, and what it says or throws at the end. */
const gate = (body: string) => `
  async function main() {
    const registry = new AgentRegistry({ channels: [silent] });
    ${body}
  }
  main().then((said) => console.log(said), (error) => { console.log(error.name); process.exitCode = 1; });`;

test.concurrent('askAndWait() keeps the process alive until its timeout, so a gate does not end as if it had passed', async () => {
  const refused = await run(
    gate(`
    const outcome = await registry.askAndWait('Deploy?', { ...there, timeout: 300 });
    process.exitCode = outcome.status === 'answered' ? 0 : 1;
    return outcome.status + ' ' + outcome.reason;`),
  );
  expect(refused).toEqual({ status: 1, signal: null, stdout: 'asked\ncancelled timeout\n' });
});

test.concurrent.each([
  ['its answer', "setTimeout(() => registry.answer(id, { text: 'yes' }), 300).unref();", 'answered'],
  ['the end of its signal', 'setTimeout(() => ended.abort(), 300).unref();', 'AbortError'],
  ['stop()', 'setTimeout(() => registry.stop(), 300).unref();', 'AgentError'],
])('wait() keeps the process alive until %s', async (_, ends, said) => {
  const waited = await run(
    gate(`
    const ended = new AbortController();
    const { askId: id } = await registry.ask('Deploy?', { ...there, answerableBy: 'anyone' });
    ${ends}
    return (await registry.wait(id, { timeout: Infinity, signal: ended.signal })).status;`),
  );
  expect(waited).toEqual({ status: said === 'answered' ? 0 : 1, signal: null, stdout: `asked\n${said}\n` });
});

test.concurrent.each([
  ['askHuman()', "askHuman(registry, { where: there, timeout: 300 }).execute({ question: 'Deploy?' })"],
  [
    'approve()',
    "approve(registry, { where: there, answerableBy: 'anyone', timeout: 300 }).request({ tool: 'deploy', input: {} })",
  ],
])('%s outside of a turn keeps the process alive until its timeout', async (_, call) => {
  const asked = await run(`
    import { approve, askHuman } from ${JSON.stringify(new URL('tools/index.js', dist).href)};
    ${gate(`await ${call}; return 'over';`)}`);
  expect(asked).toEqual({ status: 0, signal: null, stdout: 'asked\nover\n' });
});

test.concurrent.each([
  ['askAndWait()', "await registry.askAndWait('Deploy?', { ...there, keepAlive: false });"],
  ['wait()', "await registry.wait((await registry.ask('Deploy?', there)).askId, { keepAlive: false });"],
])('with keepAlive: false %s lets the process end', async (_, call) => {
  expect(await run(gate(call))).toEqual({ status: 0, signal: null, stdout: 'asked\n' });
});

test.concurrent('a turn that waits keeps no process alive: its message is stored, and another process goes on', async () => {
  const turn = await run(`
    const desk = agent('desk').onMessage(async ({ askAndWait }) => (await askAndWait('Which row?')).status);
    const registry = new AgentRegistry({ agents: [desk], channels: [silent] });
    const heard = registry.handle({ id: '1', conversationId: 'anna', text: 'go' });
    console.log((await heard).outputs.map(({ text }) => text).join());`);
  expect(turn).toMatchObject({ status: 0, signal: null });
  expect(turn.stdout).toContain('Which row?');
});

test.concurrent('a call that ends by itself keeps the process alive until then', async () => {
  const retried = await run(`
    let runs = 0;
    const desk = agent('desk').onMessage(() => { if (runs++ === 0) throw new Error('once'); return 'Done.'; });
    const registry = new AgentRegistry({ agents: [desk], logger: { debug() {}, info() {}, warn() {}, error() {} } });
    await registry.start();
    console.log((await registry.handle({ id: '1', conversationId: 'c', text: 'go' })).outputs.map(({ text }) => text).join());`);
  expect(retried).toEqual({ status: 0, signal: null, stdout: 'Done.\n' });
  const fetched = await run(`
    const registry = new AgentRegistry({ agents: [agent('desk').onMessage(() => 'Hello.')] });
    console.log((await registry.outputs('c', { wait: 50 })).outputs.length);`);
  expect(fetched).toEqual({ status: 0, signal: null, stdout: '0\n' });
});

test.concurrent('what follows stop() runs although a channel never stops', async () => {
  const ended = await run(`
    const hangs = { ...silent, stop: () => new Promise(() => {}) };
    const logger = { debug() {}, info() {}, warn() {}, error() {} };
    const registry = new AgentRegistry({ agents: [agent('desk').onMessage(() => 'Hello.')], channels: [hangs], logger });
    await registry.start();
    await registry.stop();
    console.log('stopped');`);
  expect(ended).toEqual({ status: 0, signal: null, stdout: 'stopped\n' });
});

test.concurrent('a call that waits for a file that is locked rejects; Node does not end before', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'askback-locked-'));
  try {
    const ended = await run(`
      import { SqliteStore } from ${JSON.stringify(new URL('stores/sqlite/index.js', dist).href)};
      import Database from ${JSON.stringify(import.meta.resolve('libsql'))};
      const path = ${JSON.stringify(join(folder, 'a.db'))};
      const logger = { debug() {}, info() {}, warn() {}, error() {} };
      const registry = new AgentRegistry({ agents: [agent('desk').onMessage(() => 'Hello.')], store: new SqliteStore({ path, logger }), logger });
      await registry.handle({ id: '0', conversationId: 'c', text: 'go' });
      const other = new Database(path);
      other.exec('begin immediate');
      try {
        await registry.handle({ id: '1', conversationId: 'c', text: 'go' });
      } catch (error) {
        console.log(error.code);
      }
      other.exec('rollback');
      await registry.stop();`);
    expect(ended).toEqual({ status: 0, signal: null, stdout: 'store-unavailable\n' });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test.concurrent('after stop() a Redis that stands still keeps no process alive, although a call was under way', async () => {
  const redis = await startRedis();
  try {
    const ended = await run(`
      import { RedisStore } from ${JSON.stringify(new URL('stores/redis/index.js', dist).href)};
      const logger = { debug() {}, info() {}, warn() {}, error() {} };
      const store = new RedisStore({ url: ${JSON.stringify(redis.url)}, logger });
      const registry = new AgentRegistry({ agents: [agent('desk').onMessage(() => 'Hello.')], store, logger, settings: { grace: 500 } });
      await registry.start();
      await registry.handle({ id: '0', conversationId: 'c', text: 'go' });
      process.kill(${redis.pid}, 'SIGSTOP');
      registry.handle({ id: '1', conversationId: 'c', text: 'go' }).catch(() => {});
      await registry.stop();
      console.log('stopped');`);
    expect(ended).toEqual({ status: 0, signal: null, stdout: 'stopped\n' });
  } finally {
    process.kill(redis.pid, 'SIGCONT');
    await redis.stop();
  }
});

test.concurrent('a property that something put on Object.prototype neither breaks the import nor counts as an option', async () => {
  const program = `
    Object.prototype.polluted = 1;
    const { AgentRegistry, agent } = await import(${JSON.stringify(new URL('index.js', dist).href)});
    const registry = new AgentRegistry({ agents: [agent('desk').onMessage(() => 'Hello.')] });
    console.log((await registry.handle({ id: '1', conversationId: 'c', text: 'go' })).outputs[0].text);
    await registry.stop();`;
  expect(await run('', program)).toEqual({ status: 0, signal: null, stdout: 'Hello.\n' });
});
