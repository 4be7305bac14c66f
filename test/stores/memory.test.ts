/**
 * The memory store keeps the store contract, and a few promises that only it makes.
 */
import assert from 'node:assert/strict';
import { describe, expect, test } from 'vitest';
import { Heap } from '../../src/stores/memory/heap.js';
import { MemoryStore } from '../../src/stores/memory/store.js';
import { storeContract } from '../../src/testing/store-contract/index.js';
import {
  askId,
  begin,
  checkDue,
  claim,
  entry,
  out,
  record,
  saved,
  saving,
  taking,
  turn,
} from '../../src/testing/store-contract/kit.js';
import { textStore } from '../../src/testing/store-contract/texts.js';
import { standing } from '../support/store.js';

function open() {
  const clock = standing();
  return {
    clock,
    store: new MemoryStore({ clock }),
    pass: async (ms: number) => {
      clock.time += ms;
      await Promise.resolve();
    },
  };
}

/** The same with strings as records. */
function opened() {
  const { clock, store } = open();
  return { clock, store: textStore(store) };
}

describe('the store contract', () => storeContract({ test, open: async () => open() }));

describe('the contract suite itself', () => {
  test('a skip of a test that does not exist is an error', () => {
    const skip = [{ reason: 'a typing error', tests: ['no such test'] }];
    expect(() => storeContract({ test: () => {}, open: async () => open(), skip })).toThrow(/no test "no such test"/);
  });

  test('a skip without a reason is an error', () => {
    const skip = [{ reason: ' ', tests: ['hostile memo keys are isolated from each other'] }];
    expect(() => storeContract({ test: () => {}, open: async () => open(), skip })).toThrow(
      'storeContract(): skip[0].reason must be a string that says why this store cannot do it, got " ".',
    );
  });

  test('a skip that is misspelt is told with the test that may have been meant', () => {
    const skip = [{ reason: 'a typing error', tests: ['hostile memo key are isolated from each other'] }];
    expect(() => storeContract({ test: () => {}, open: async () => open(), skip })).toThrow(
      'Did you mean "hostile memo keys are isolated from each other"?',
    );
  });

  test('an unknown option, and one that is missing, is told at the call', () => {
    const misspelt = { test: () => {}, open: async () => open(), skipp: [] };
    expect(() => storeContract(misspelt)).toThrow('storeContract(): the option skipp is unknown. Did you mean skip?');
    expect(() => storeContract({ test: () => {} } as never)).toThrow(
      'storeContract(): open must be a function, got nothing.',
    );
  });

  test('a skipped test is shown as skipped with its reason and not run; every other is registered once', () => {
    const all: string[] = [];
    storeContract({ test: (name) => all.push(name), open: async () => open() });
    expect(new Set(all).size).toBe(all.length);
    const run: string[] = [];
    const shown: string[] = [];
    const test = Object.assign((name: string) => run.push(name), { skip: (name: string) => shown.push(name) });
    const [first = '', ...rest] = all;
    storeContract({ test, open: async () => open(), skip: [{ reason: 'too hard', tests: [first] }] });
    expect(run).toEqual(rest);
    expect(shown).toEqual([`${first} (skipped: too hard)`]);
  });
});

describe('the memory store', () => {
  test('time within a conversation never goes back, even if the clock does', async () => {
    const { store, clock } = opened();
    const { now } = await record(store, 'c', 'e1');
    clock.time -= 60_000;
    expect((await record(store, 'c', 'e2')).now).toBe(now);
    expect((await claim(store, 'c')).now).toBe(now);
    expect((await store.conversation('c'))?.queue.map(({ at }) => at)).toEqual([now, now]);
  });

  test('the clock is set back: time goes on from where it was, and a lease still runs out', async () => {
    const clock = {
      wall: 1_700_000_000_000,
      ran: 0,
      now: () => clock.wall,
      elapsed: () => clock.ran,
      after: () => () => {},
    };
    const store = textStore(new MemoryStore({ clock }));
    const by = await begin(store, 'c', 'e', 30_000);
    clock.wall -= 3_600_000;
    expect((await record(store, 'd', 'e2')).now).toBe(by.now);
    clock.ran += 29_999;
    expect((await store.due(9)).conversations).not.toContain('c');
    clock.ran += 1;
    expect((await store.due(9)).conversations).toContain('c');
  });

  test('repeat marks outlive a conversation that is forgotten before their time', async () => {
    const { store, clock } = opened();
    const by = await turn(store, 'c', { retention: 10, dedupeWindow: 1000 });
    clock.time += 20;
    expect(await store.conversation('c')).toBeNull();
    const again = await record(store, 'c', by.entry?.id ?? '');
    expect([again.entry, again.outcome]).toEqual(['repeat', `outcome of ${by.entry?.id}`]);
    expect(await store.conversation('c')).toBeNull();
  });

  test('a lease that ran out with nothing left to do is due until somebody looks, then the conversation is forgotten', async () => {
    const { store, clock } = opened();
    const by = await begin(store, 'c', 'e', 10);
    const closes = { entryId: 'e', outcome: '', keepMemo: false };
    await saved(store, saving('c', by, { closes, retention: 50 }, { type: 'hold' }));
    clock.time += 20;
    await checkDue(store, { wanted: ['c'] });
    expect((await store.take(taking('c'))).claim).toBeUndefined();
    await checkDue(store, { idle: ['c'] });
    clock.time += 60;
    expect(await store.conversation('c')).toBeNull();
  });

  test('the outputs of a conversation go out in the order of saving, also after a second try', async () => {
    const { store, clock } = opened();
    await turn(store, 'c', { outputs: [out('1'), out('2', { channel: 'mail' })], sendLease: 10 });
    await turn(store, 'c', { outputs: [out('3'), out('4', { channel: 'mail' })], sendLease: 0 });
    await store.sent([{ conversationId: 'c', key: '1', channel: 'web', again: { in: 50, data: '' } }]);
    clock.time += 60;
    const lent = await store.unsent({ channels: ['mail', 'web'], limit: 3, sendLease: 10 });
    expect(lent.map(({ key }) => key)).toEqual(['1', '2', '3']);
  });

  test('an erase takes the records of settled asks with it, also those that it does not name', async () => {
    const { store } = opened();
    const id = askId('c', 'a');
    const by = await turn(store, 'c', { asks: { opened: [], settled: [{ id, record: 'secret', at: 1 }] } });
    const life = { conversationId: 'c', incarnation: by.incarnation, revision: 1, retention: 1000 };
    expect(await store.erase({ ...life, asks: [], parked: [] })).toBe(true);
    expect(await store.find(id)).toBeNull();
  });

  test('a cursor that is none is refused', async () => {
    const { store } = opened();
    await expect(store.list('open', { limit: 1, cursor: 'x' })).rejects.toThrow(/cursor "x"/);
    await expect(store.history('c', { limit: 1, cursor: '' })).rejects.toThrow(/cursor ""/);
  });

  test('ten thousand turns leave nothing that grows but what is asked to be kept', async () => {
    const { store, clock } = opened();
    for (let i = 0; i < 10_000; i++) {
      clock.time += 1;
      await turn(store, `c${i % 10}`, {
        outputs: [out(`k${i}`)],
        sendLease: 0,
        dedupeWindow: 50,
        retention: 50,
      });
      for (const { conversationId, key, channel } of await store.unsent({
        channels: ['web'],
        limit: 10,
        sendLease: 10,
      })) {
        await store.sent([{ conversationId, key, channel }]);
      }
    }
    clock.time += 100;
    await store.due(1);
    const tables = (store as unknown as { tables: Record<string, { size: number }> }).tables;
    for (const name of ['rows', 'marks', 'dueIndex', 'expiry']) expect([name, tables[name]?.size]).toEqual([name, 0]);
  });
});

test('a program that lives on nothing but this store hears its timers, and its entries keep their order', async () => {
  const store = textStore(new MemoryStore());
  let heard = false;
  setTimeout(() => {
    heard = true;
  }, 1);
  const taken: string[] = [];
  const start = performance.now();
  for (let i = 0; !heard && performance.now() - start < 30_000; i += 1) {
    const takes = [`${i}-a`, `${i}-b`, `${i}-c`].map(async (id) => {
      await store.take(taking('c', { entry: { ...entry(id), room: 1_000_000 } }));
      taken.push(id);
    });
    await Promise.all(takes);
  }
  expect(heard).toBe(true);
  const { queue } = (await store.conversation('c')) ?? { queue: [] };
  expect(queue.map(({ id }) => id)).toEqual(taken);
  expect(taken).toEqual(taken.map((_, i) => `${Math.floor(i / 3)}-${'abc'[i % 3]}`));
});

describe('the heap', () => {
  test('gives its members in order, whatever was moved and taken out meanwhile', () => {
    const nodes = Array.from({ length: 500 }, (_, item) => ({ item, at: 0, slot: -1 }));
    const heap = new Heap<(typeof nodes)[number]>();
    const set = (node: (typeof nodes)[number], at: number) => {
      node.at = at;
      heap.set(node, at);
    };
    for (const node of nodes) set(node, (node.item * 7919) % 1009);
    for (const node of nodes) if (node.item % 3 === 0) set(node, (node.item * 104_729) % 997);
    for (const node of nodes) if (node.item % 5 === 0) heap.remove(node);
    const left = nodes.filter(({ item }) => item % 5 !== 0);
    expect(heap.size).toBe(left.length);
    expect(heap.upTo(300, 10_000).length).toBe(left.filter(({ at }) => at <= 300).length);
    expect(heap.size).toBe(left.length);
    const out: number[] = [];
    for (let first = heap.first(); first; first = heap.first()) {
      expect(heap.firstAt()).toBe(first.at);
      out.push(first.at);
      heap.remove(first);
    }
    assert.deepEqual(
      out,
      left.map(({ at }) => at).sort((a, b) => a - b),
    );
  });
});
