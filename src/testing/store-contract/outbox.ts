/**
 * The stories of the outbox: `save` adds and withdraws, `unsent` lends, `sent` marks. No rule knows of it after the save.
 */
import assert from 'node:assert/strict';
import { later, lentKeys, long, out, type StoreStory, short, turn } from './kit.js';
import type { Mark, Store } from './texts.js';

const current = async (store: Store, key: string) =>
  (await store.swap({ key, expected: null, value: null, ttl: 0 })).current;

export const outboxStories: readonly StoreStory[] = [
  [
    'outputs are lent in the order of saving, each once, to processes that have their channel',
    async ({ store }) => {
      const outputs = [out('s1', { channel: 'slack' }), out('w9'), out('m1', { channel: 'mail' }), out('w1')];
      await turn(store, 'c', { outputs, sendLease: 0 });
      await turn(store, 'c', { outputs: [out('w9', { data: 'another' }), out('a')], sendLease: 0 });
      await turn(store, 'd', { outputs: [out('w9', { data: 'of d' })], sendLease: 0 });
      const borrow = async (channels: string[], limit: number, conversationId?: string) => {
        const named = conversationId !== undefined && { conversationId };
        const lent = await store.unsent({ channels, limit, sendLease: long, ...named });
        assert.ok(lent.every(({ now }) => Number.isSafeInteger(now) && now > 0));
        return lent.map(({ now: _, ...rest }) => rest);
      };
      const lent = (key: string, channel: string) => ({ conversationId: 'c', key, channel, data: `data of ${key}` });
      assert.deepEqual(await borrow([], 10), []);
      assert.deepEqual(await borrow(['web'], 10, 'nobody'), []);
      assert.deepEqual(await borrow(['web', 'slack'], 2, 'c'), [lent('s1', 'slack'), lent('w9', 'web')]);
      assert.deepEqual(await borrow(['web'], 10, 'd'), [{ ...lent('w9', 'web'), conversationId: 'd', data: 'of d' }]);
      assert.deepEqual(await borrow(['slack', 'web'], 10), [lent('w1', 'web'), lent('a', 'web')]);
      assert.deepEqual(await borrow(['web', 'slack'], 10), []);
      assert.deepEqual(await borrow(['mail'], 10), [lent('m1', 'mail')]);
    },
  ],
  [
    'two processes asking at the same moment never get the same output',
    async ({ store }) => {
      const keys = Array.from({ length: 30 }, (_, i) => `k${i}`);
      for (let i = 0; i < 30; i += 3)
        await turn(store, `c${i}`, { outputs: keys.slice(i, i + 3).map((key) => out(key)), sendLease: 0 });
      const ask = async () => {
        const lent = await store.unsent({ channels: ['web'], limit: 7, sendLease: long });
        assert.ok(lent.length <= 7);
        return lent.map(({ key }) => key);
      };
      const got = (await Promise.all(Array.from({ length: 6 }, ask))).flat();
      for (let i = 0; i < keys.length; i += 1) got.push(...(await ask()));
      assert.deepEqual([...got].sort(), [...keys].sort());
    },
  ],
  [
    'an output is lent for as long as the call says, by a save to the saver, and then to any process again',
    async ({ store, pass }) => {
      await turn(store, 'kept', { outputs: [out('mine'), out('free', { to: 'anyone' })], sendLease: long });
      assert.deepEqual(await lentKeys(store, 'web'), ['free']);
      await turn(store, 'c', { outputs: [out('over')], sendLease: short });
      for (let i = 0; i < 2; i += 1) {
        await pass(later);
        assert.deepEqual(await lentKeys(store, 'web', undefined, short), ['over']);
      }
      assert.deepEqual(await lentKeys(store, 'web', 'kept'), [], 'nor by name');
    },
  ],
  [
    'marks: what was sent is gone and its id known by name, what was not is tried again after its wait, with its new data',
    async ({ store, pass }) => {
      const mark = (key: string, more: Partial<Mark> = {}): Mark => ({
        ...{ conversationId: 'c', key, channel: 'web' },
        ...more,
      });
      const again = (wait: number) => ({ again: { in: wait, data: `again in ${wait}` } });
      const sentAs = { name: 'ask-1', id: '17.04' };
      const keys = ['sent', 'soon', 'withdrawn', 'much later', 'other channel'];
      await turn(store, 'c', { outputs: keys.map((key) => out(key)), sendLease: short });
      await turn(store, 'd', { outputs: [out('sent'), out('withdrawn')], sendLease: 0 });
      await turn(store, 'c', { withdraw: ['withdrawn', 'never there'] });
      await store.sent([]);
      const kept = { key: 'quoted', value: 'first', ttl: long };
      const marks = [
        ...[mark('sent', { sentAs, kept }), mark('soon', again(short)), mark('withdrawn', again(0))],
        ...[mark('much later', again(long)), mark('other channel', { channel: 'mail' })],
        { ...mark('sent', { sentAs }), conversationId: 'nobody' },
      ];
      await store.sent(marks);
      await pass(later);
      const lent = async () =>
        (await store.unsent({ channels: ['web', 'mail'], limit: 9, sendLease: 0 })).map(({ data }) => data);
      const left = [`again in ${short}`, ...['other channel', 'sent', 'withdrawn'].map((key) => `data of ${key}`)];
      assert.deepEqual((await lent()).sort(), left);
      assert.equal(await current(store, 'quoted'), 'first');
      await store.sent([
        mark('sent', { sentAs: { name: 'ask-2', id: '18' }, kept: { ...kept, value: 'next', ttl: later } }),
      ]);
      assert.equal(await current(store, 'quoted'), 'next', 'whatever was there, also where the output is gone');
      await pass(2 * later);
      assert.equal(await current(store, 'quoted'), null);
      assert.deepEqual((await lent()).sort(), left, 'a repeated mark takes nothing else away');
      assert.deepEqual([await store.sentAs('c', 'ask-1'), await store.sentAs('c', 'ask-2')], ['17.04', '18']);
      for (const id of ['d', 'nobody']) assert.equal(await store.sentAs(id, 'ask-1'), null);
      assert.equal(await store.conversation('nobody'), null);
    },
  ],
  [
    'among hundreds of unsent outputs each is lent, marked and withdrawn as if it were alone, and all of them keep their conversation',
    async ({ store, pass }) => {
      const keys = Array.from({ length: 300 }, (_, i) => `k${i}`);
      for (let i = 0; i < 300; i += 60)
        await turn(store, 'c', {
          outputs: keys.slice(i, i + 60).map((key) => out(key)),
          sendLease: 0,
          retention: short,
        });
      const withdraw = ['k1', 'k120', 'k299', 'never there'];
      await turn(store, 'c', { withdraw, outputs: [out('last')], sendLease: 0, retention: short });
      const expected = [...keys.filter((key) => !withdraw.includes(key)), 'last'];
      const lent: string[] = [];
      for (let i = 0; i < 6; i += 1) {
        const named = i % 2 === 1 && { conversationId: 'c' };
        const got = await store.unsent({ channels: ['web'], limit: 55, sendLease: long, ...named });
        lent.push(...got.map(({ key }) => key));
      }
      assert.deepEqual(lent, expected);
      const mark = (key: string) => ({ conversationId: 'c', key, channel: 'web' });
      await store.sent(expected.slice(0, 290).map(mark));
      await store.sent([{ ...mark('last'), again: { in: 0, data: 'again' } }]);
      await pass(later);
      assert.ok(await store.conversation('c'), 'what has to go out keeps its conversation');
      assert.deepEqual(await lentKeys(store, 'web'), ['last']);
      await store.sent(expected.slice(290).map(mark));
      await pass(later);
      assert.equal(await store.conversation('c'), null, 'nothing else does');
    },
  ],
];
