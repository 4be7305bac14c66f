/** Several processes on one file: one claim each, hints between them, and nothing acknowledged is lost by kill -9. */
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import type { Hint } from '../../../src/stores/port.js';
import { begin, finishing, record, release, saved, taking } from '../../../src/testing/store-contract/kit.js';
import { type NodeProcess, spawnNode } from '../../support/processes.js';
import { beside, freshPath, opened } from '../../support/sqlite-store.js';
import { checkFile } from './look.js';

function child(path: string, name: string, role: string): NodeProcess {
  const file = fileURLToPath(new URL('child.mjs', import.meta.url));
  const process = spawnNode(file, [path, name, role]);
  onTestFinished(async () => {
    process.kill();
    await process.exited;
  });
  return process;
}

test('five processes open a file that is not there yet, at the same moment', async () => {
  const path = freshPath();
  const children = Array.from({ length: 5 }, (_, i) => child(path, `p${i}`, 'race'));
  for (const each of children) expect(await each.next()).toEqual({ open: true });
});

test('many processes want the same conversations: each has one holder', async () => {
  const { store, path } = await opened();
  const conversations = Array.from({ length: 60 }, (_, i) => `c${i}`);
  await Promise.all(conversations.map((id) => record(store, id, 'e')));
  const children = Array.from({ length: 4 }, (_, i) => child(path, `p${i}`, 'race'));
  for (const each of children) await each.next();
  for (const each of children) each.send({ conversations });
  const won = await Promise.all(children.map(async (each) => (await each.next<{ won: string[] }>()).won));
  expect(won.flat().sort()).toEqual(conversations.sort());
  expect((await store.due(100)).conversations).toEqual([]);
});

test('killed in the middle of a burst: every acknowledged step is in the file, and others go on', async () => {
  const { store, path } = await opened();
  const children = Array.from({ length: 3 }, (_, i) => child(path, `p${i}`, 'burst'));
  for (const each of children) await each.next<{ open?: boolean }>(({ open }) => open === true);
  const steps: { took?: string; saved?: string; conversationId: string }[] = [];
  const collect = async (from: NodeProcess) => {
    for (;;) {
      const step = await from.next<(typeof steps)[number]>().catch(() => undefined);
      if (step === undefined) return;
      steps.push(step);
    }
  };
  const collected = children.map(collect);
  for (const each of children) {
    const before = steps.length;
    while (steps.length < before + 150) await sleep(5);
    each.kill('SIGKILL');
    await each.exited;
    const by = await begin(store, `after ${each.pid}`, 'e'); // a killed process leaves no lock
    await saved(store, finishing(`after ${each.pid}`, by, {}, release()));
  }
  await Promise.all(collected);

  const file = await beside(path);
  checkFile(file);
  for (const { took, saved: done, conversationId } of steps) {
    const id = (took ?? done) as string;
    const outcome = await store.outcome(conversationId, id);
    if (done !== undefined) expect(outcome).toBe(`outcome of ${id}`);
    else if (outcome === null) {
      const state = await store.conversation(conversationId);
      expect(state?.queue.map((entry) => entry.id)).toEqual([id]);
    }
  }
  const histories = new Map<string, readonly string[]>();
  for (const { conversationId } of steps) {
    histories.set(conversationId, (await store.history(conversationId, { limit: 10_000 })).items);
  }
  for (const { saved: done, conversationId } of steps) {
    if (done !== undefined) expect(histories.get(conversationId)?.filter((item) => item === done)).toEqual([done]);
  }
});

test('a hint reaches another process soon, and its own at once; an erased one is not told', async () => {
  const { store: one, path } = await opened();
  const { store: two } = await opened({ path });
  const told: Hint[] = [];
  const own: Hint[] = [];
  await one.watch((hint) => own.push(hint));
  const stop = await two.watch((hint) => told.push(hint));
  one.hint({ conversationId: 'c\0', entryId: 'e' });
  await Promise.resolve();
  expect(own).toEqual([{ conversationId: 'c\0', entryId: 'e' }]);
  one.hint({ conversationId: 'd', unsent: true });
  await expect
    .poll(() => told)
    .toEqual([
      { conversationId: 'c\0', entryId: 'e' },
      { conversationId: 'd', unsent: true },
    ]);
  expect(own).toHaveLength(2);
  await stop();
  one.hint({ conversationId: 'nobody hears it' });
  await sleep(150);
  expect(told).toHaveLength(2);

  await two.watch((hint) => told.push(hint));
  const by = await begin(one, 'e');
  one.hint({ conversationId: 'e' });
  const life = { conversationId: 'e', incarnation: by.incarnation, revision: 0, retention: 1000 };
  await one.erase({ ...life, asks: [], parked: [] });
  one.hint({ conversationId: 'after' });
  await expect.poll(() => told.at(-1)).toEqual({ conversationId: 'after' });
  expect(told.map(({ conversationId }) => conversationId)).not.toContain('nobody hears it');
});

test('a file that another process keeps locked: steps wait, fail clearly when it takes too long, and go on after it', async () => {
  const { store, path } = await opened();
  const by = await begin(store, 'c', 'e');
  const sitter = child(path, 'sitter', 'sit');
  await sitter.next();
  let turns = 0;
  const loop = setInterval(() => {
    turns += 1;
  }, 1);
  await expect(store.take(taking('d', { lease: 0 }))).rejects.toMatchObject({
    code: 'store-unavailable',
    message: expect.stringMatching(/askback\.db is locked by another process .* nothing was written\. Try again/),
  });
  clearInterval(loop);
  expect(turns, 'the process is not blocked meanwhile').toBeGreaterThan(10);
  expect((await store.conversation('c'))?.queue, 'reading goes on').toHaveLength(1);

  const waiting = store.save(finishing('c', by, { document: 'kept' }));
  sitter.send('let go');
  expect(await waiting).toMatchObject({ type: 'saved' });
  expect((await store.conversation('c'))?.document).toBe('kept');
});
