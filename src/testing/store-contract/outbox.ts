/**
 * The stories of the outbox: `unsent` lends, `sent` marks, `save` adds and withdraws.
 */
import assert from 'node:assert/strict';
import {
  begin,
  checkDue,
  claim,
  finishing,
  hold,
  later,
  lentKeys,
  long,
  out,
  record,
  release,
  type StoreStory,
  saved,
  saving,
  short,
  turn,
} from './kit.js';

export const outboxStories: readonly StoreStory[] = [
  [
    'outputs are lent in the order of saving, once, with all they came with',
    async ({ store }) => {
      await turn(store, 'c', { outputs: [out('z'), out('a')], sendLease: 0 });
      await turn(store, 'c', { outputs: [out('m')], sendLease: 0 });
      const lent = await store.unsent({ channels: ['web'], limit: 10, sendLease: long });
      assert.deepEqual(
        lent.map(({ now: _, ...rest }) => rest),
        ['z', 'a', 'm'].map((key) => ({ conversationId: 'c', key, channel: 'web', data: `data of ${key}` })),
      );
      assert.ok(lent.every(({ now }) => Number.isSafeInteger(now) && now > 0));
      assert.deepEqual(await lentKeys(store, 'web'), []);
    },
  ],
  [
    'a mark keeps a small value, whatever was there, also where its output is gone',
    async ({ store, pass }) => {
      await turn(store, 'c', { outputs: [out('a')], sendLease: 0 });
      const mark = { conversationId: 'c', key: 'a', channel: 'web' };
      const read = async () => (await store.swap({ key: 'quoted', expected: null, value: null, ttl: 0 })).current;
      await store.sent([{ ...mark, kept: { key: 'quoted', value: 'first', ttl: long } }]);
      assert.equal(await read(), 'first');
      await store.sent([{ ...mark, kept: { key: 'quoted', value: 'second', ttl: short } }]);
      assert.equal(await read(), 'second');
      await pass(later);
      assert.equal(await read(), null);
    },
  ],
  [
    'a save lends its outputs to the saver for the time of sendLease',
    async ({ store, pass }) => {
      await turn(store, 'c', { outputs: [out('kept')], sendLease: long });
      await turn(store, 'd', { outputs: [out('over')], sendLease: short });
      await pass(later);
      assert.deepEqual(await lentKeys(store, 'web'), ['over']);
      assert.deepEqual(await lentKeys(store, 'web', 'c'), [], 'not even by name');
    },
  ],
  [
    'outputs for anyone can be borrowed at once, whatever the sendLease of the saver’s own',
    async ({ store }) => {
      await turn(store, 'c', { outputs: [out('mine'), out('anyone’s', { to: 'anyone' })], sendLease: long });
      assert.deepEqual(await lentKeys(store, 'web'), ['anyone’s']);
      assert.deepEqual(await lentKeys(store, 'web'), [], 'once');
      await turn(store, 'd', { outputs: [out('anyone’s', { to: 'anyone' })], sendLease: long });
      assert.deepEqual(await lentKeys(store, 'web', 'd'), ['anyone’s'], 'also by name');
    },
  ],
  [
    'outputs saved inside a turn go out although the turn is not over',
    async ({ store }) => {
      const by = await begin(store, 'c', 'e');
      await saved(store, saving('c', by, { outputs: [out('question')], sendLease: 0 }, hold));
      assert.deepEqual(await lentKeys(store, 'web'), ['question']);
    },
  ],
  [
    'what was lent and never marked is lent again when its lease to send is over',
    async ({ store, pass }) => {
      await turn(store, 'c', { outputs: [out('k')], sendLease: 0 });
      assert.deepEqual(await lentKeys(store, 'web', undefined, short), ['k']);
      await pass(later);
      assert.deepEqual(await lentKeys(store, 'web', undefined, long), ['k']);
      assert.deepEqual(await lentKeys(store, 'web'), []);
    },
  ],
  [
    'each process gets the outputs of its own channels only, and no more than it asked for',
    async ({ store }) => {
      await turn(store, 'c', {
        outputs: [out('s1', { channel: 'slack' }), out('w1'), out('m1', { channel: 'mail' }), out('w2')],
        sendLease: 0,
      });
      const some = await store.unsent({ channels: ['web', 'slack'], limit: 2, sendLease: long });
      assert.equal(some.length, 2);
      assert.deepEqual(await store.unsent({ channels: [], limit: 10, sendLease: long }), []);
      const rest = await store.unsent({ channels: ['slack', 'web'], limit: 10, sendLease: long });
      const both = [...some, ...rest].map(({ key, channel }) => `${channel} ${key}`);
      assert.deepEqual(both.sort(), ['slack s1', 'web w1', 'web w2']);
      assert.deepEqual(await lentKeys(store, 'mail'), ['m1']);
    },
  ],
  [
    'two processes asking at the same moment never get the same output',
    async ({ store }) => {
      const keys = Array.from({ length: 30 }, (_, i) => `k${i}`);
      for (let i = 0; i < 30; i += 3) {
        await turn(store, `c${i}`, { outputs: keys.slice(i, i + 3).map((key) => out(key)), sendLease: 0 });
      }
      const ask = async () =>
        (await store.unsent({ channels: ['web'], limit: 7, sendLease: long })).map(({ key }) => key);
      const got = (await Promise.all(Array.from({ length: 6 }, ask))).flat();
      for (let i = 0; i < keys.length; i++) got.push(...(await ask()));
      assert.deepEqual([...got].sort(), [...keys].sort());
    },
  ],
  [
    'what is marked as sent is gone for good, and its id at the channel is known by name',
    async ({ store, pass }) => {
      await turn(store, 'c', { outputs: [out('k1'), out('k2')], sendLease: short });
      assert.equal(await store.sentAs('c', 'ask-1'), null);
      await store.sent([{ conversationId: 'c', key: 'k1', channel: 'web', sentAs: { name: 'ask-1', id: '17.04' } }]);
      await pass(later);
      assert.deepEqual(await lentKeys(store, 'web'), ['k2']);
      assert.equal(await store.sentAs('c', 'ask-1'), '17.04');
      assert.equal(await store.sentAs('d', 'ask-1'), null);
    },
  ],
  [
    'one batch of marks speaks of many conversations',
    async ({ store }) => {
      for (const id of ['a', 'b', 'c']) await turn(store, id, { outputs: [out('k')], sendLease: 0 });
      await store.sent([]);
      await store.sent(['a', 'c', 'nobody'].map((conversationId) => ({ conversationId, key: 'k', channel: 'web' })));
      const left = await store.unsent({ channels: ['web'], limit: 10, sendLease: long });
      assert.deepEqual(
        left.map(({ conversationId }) => conversationId),
        ['b'],
      );
      assert.equal(await store.conversation('nobody'), null);
    },
  ],
  [
    'what could not be sent is tried again after its wait, with its new data',
    async ({ store, pass }) => {
      await turn(store, 'c', { outputs: [out('k1'), out('k2'), out('k3')], sendLease: 0 });
      assert.equal((await lentKeys(store, 'web', undefined, short)).length, 3);
      const again = (key: string, ms: number) => ({
        conversationId: 'c',
        key,
        channel: 'web',
        again: { in: ms, data: 'try 2' },
      });
      await store.sent([again('k1', short), again('k2', long)]);
      await pass(later);
      const lent = await store.unsent({ channels: ['web'], limit: 10, sendLease: long });
      assert.deepEqual(lent.map(({ key, data }) => `${key}: ${data}`).sort(), ['k1: try 2', 'k3: data of k3']);
    },
  ],
  [
    'a withdrawn output does not go out any more, and marking it changes nothing',
    async ({ store, pass }) => {
      await turn(store, 'c', { outputs: [out('question'), out('other')], sendLease: 0 });
      assert.deepEqual(await lentKeys(store, 'web', undefined, short), ['question', 'other']);
      await turn(store, 'c', { withdraw: ['question', 'never there'] });
      await store.sent([{ conversationId: 'c', key: 'question', channel: 'web', again: { in: 0, data: 'again' } }]);
      await pass(later);
      assert.deepEqual(await lentKeys(store, 'web'), ['other']);
    },
  ],
  [
    'naming a conversation gives its outputs and nobody else’s',
    async ({ store }) => {
      await turn(store, 'c', { outputs: [out('k1')], sendLease: 0 });
      await turn(store, 'd', { outputs: [out('k2')], sendLease: 0 });
      assert.deepEqual(await lentKeys(store, 'web', 'd'), ['k2']);
      assert.deepEqual(await lentKeys(store, 'web', 'nobody'), []);
      assert.deepEqual(await lentKeys(store, 'web'), ['k1']);
    },
  ],
  [
    'a mark of sent that arrives after the next claim leaves the conversation findable',
    async ({ store, pass }) => {
      const by = await begin(store, 'c', 'e1');
      await saved(store, finishing('c', by, { outputs: [out('k')] }, release()));
      await begin(store, 'c', 'e2', short);
      await store.sent([{ conversationId: 'c', key: 'k', channel: 'web' }]);
      await pass(later);
      await checkDue(store, { wanted: ['c'] });
      assert.equal((await claim(store, 'c')).entry?.id, 'e2');

      await turn(store, 'd', { outputs: [out('k')] });
      await record(store, 'd', 'e');
      await store.sent([{ conversationId: 'd', key: 'k', channel: 'web' }]);
      await checkDue(store, { wanted: ['d'] });
    },
  ],
  [
    'a mark of sent for one output leaves the others of its conversation to be found',
    async ({ store, pass }) => {
      await turn(store, 'c', { outputs: [out('k1')], sendLease: 0 });
      assert.deepEqual(await lentKeys(store, 'web'), ['k1']);
      await turn(store, 'c', { outputs: [out('k2'), out('m', { channel: 'mail' })], sendLease: short });
      await store.sent([{ conversationId: 'c', key: 'k1', channel: 'web' }]);
      await pass(later);
      assert.deepEqual(await lentKeys(store, 'web'), ['k2']);
      assert.deepEqual(await lentKeys(store, 'mail'), ['m']);
    },
  ],
  [
    'hundreds of unsent outputs are lent in the order of saving, each once, by those who name the conversation or not',
    async ({ store }) => {
      const keys = Array.from({ length: 300 }, (_, i) => `k${i}`);
      for (let i = 0; i < 300; i += 60) {
        await turn(store, 'c', { outputs: keys.slice(i, i + 60).map((key) => out(key)), sendLease: 0 });
      }
      const lent: string[] = [];
      for (let i = 0; i < 6; i += 1) {
        const more = i % 2 === 0 ? {} : { conversationId: 'c' };
        const got = await store.unsent({ channels: ['web'], limit: 55, sendLease: long, ...more });
        assert.ok(got.every(({ key, data }) => data === `data of ${key}`));
        lent.push(...got.map(({ key }) => key));
      }
      assert.deepEqual(lent, keys);
      assert.deepEqual(await lentKeys(store, 'web'), []);
    },
  ],
  [
    'among hundreds of unsent outputs each is marked, withdrawn and tried again as if it were alone',
    async ({ store, pass }) => {
      const keys = Array.from({ length: 120 }, (_, i) => `k${i}`);
      const outputs = keys.map((key, i) => out(key, { channel: i % 3 === 2 ? 'mail' : 'web' }));
      await turn(store, 'c', { outputs, sendLease: 0, retention: short });
      const known = out('k112', { data: 'another' }); // an output that exists stays as it is
      const withdraw = ['k1', 'k60', 'k119', 'never there'];
      await turn(store, 'c', { withdraw, outputs: [known, out('last')], sendLease: 0, retention: short });
      const web = keys.filter((key, i) => i % 3 !== 2 && !withdraw.includes(key));
      assert.deepEqual(await lentKeys(store, 'web', undefined, short), [...web, 'last'].slice(0, 100));

      const mark = (key: string) => ({ conversationId: 'c', key, channel: 'web' });
      await store.sent(web.slice(0, 70).map(mark));
      await store.sent([{ ...mark('k106'), again: { in: long, data: 'try 2' } }, { ...mark('k2') }]); // k2 is for mail
      await pass(later);
      const left = web.slice(70).filter((key) => key !== 'k106');
      const lent = await store.unsent({ channels: ['web'], limit: 200, sendLease: short });
      assert.deepEqual(
        lent.map(({ key }) => key),
        [...left, 'last'],
      );
      assert.equal(lent.find(({ key }) => key === 'k112')?.data, 'data of k112');
      await pass(later);
      assert.deepEqual(await lentKeys(store, 'web', 'c', 0), [...left, 'last']);

      await store.sent([...left, 'last', 'k106'].map(mark));
      assert.deepEqual(await lentKeys(store, 'web'), []);
      const mail = keys.filter((key, i) => i % 3 === 2 && !withdraw.includes(key));
      assert.deepEqual(await lentKeys(store, 'mail'), mail);
      await pass(later);
      assert.ok(await store.conversation('c'), 'what has to be pushed keeps its conversation');
      await store.sent(mail.map((key) => ({ conversationId: 'c', key, channel: 'mail' })));
      await pass(later);
      assert.equal(await store.conversation('c'), null, 'nothing else does');
    },
  ],
];
