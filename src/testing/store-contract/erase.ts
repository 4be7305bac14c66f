/**
 * The stories of `erase`: one life of a conversation goes, tombstones stay, and no zombie writes into the next life.
 */
import assert from 'node:assert/strict';
import type { Erase } from '../../stores/port.js';
import {
  askId,
  begin,
  checkDue,
  claim,
  finishing,
  later,
  lentKeys,
  long,
  out,
  read,
  record,
  type StoreStory,
  saved,
  short,
  taking,
  turn,
  waiting,
} from './kit.js';

function erasing(life: { incarnation: string; revision: number }, more: Partial<Erase> = {}): Erase {
  const { incarnation, revision } = life;
  return { conversationId: 'c', incarnation, revision, asks: [], parked: [], people: [], retention: long, ...more };
}

export const eraseStories: readonly StoreStory[] = [
  [
    'erasing leaves nothing of a conversation but the tombstones of its asks',
    async ({ store }) => {
      const [open, settled, parked] = ['open', 'settled', 'parked'].map((name) => askId('c', name)) as [
        string,
        string,
        string,
      ];
      await turn(store, 'c', {
        document: 'secret',
        open: true,
        due: 1,
        history: ['secret'],
        outputs: [out('k', { data: 'secret' }), out('p', { data: 'secret', to: 'puller' })],
        loan: 0,
        asks: { opened: [{ id: open, at: 1 }], settled: [{ id: settled, record: 'secret' }] },
        parked: { added: [{ id: parked, at: 1 }], removed: [] },
        people: ['ann', 'bob'],
      });
      await store.sent([{ conversationId: 'c', key: 'x', channel: 'web', sentAs: { name: 'n', id: 'ts' } }]);
      const closed = await begin(store, 'c', 'closed');
      await saved(store, finishing('c', closed));
      await store.remember({ conversationId: 'c', turn: closed.turn, key: 'k', value: 'secret' });
      await record(store, 'c', 'waits');
      await turn(store, 'd', { people: ['ann'] });

      const asks = [open, settled].map((id) => ({ id, tombstone: `tombstone of ${id}` }));
      const call = erasing(await read(store, 'c'), { asks, parked: [parked], people: ['ann', 'bob'] });
      assert.equal(await store.erase(call), true);

      assert.equal(await store.conversation('c'), null);
      assert.deepEqual(await store.history('c', { limit: 10 }), { items: [] });
      assert.deepEqual(await lentKeys(store, 'web'), []);
      assert.deepEqual(await lentKeys(store, 'web', 'c'), []);
      assert.deepEqual(await store.list('open', { limit: 10 }), { items: [] });
      assert.deepEqual(await store.list('parked', { limit: 10 }), { items: [] });
      assert.deepEqual(await store.conversationsOf('ann'), ['d']);
      assert.deepEqual(await store.conversationsOf('bob'), []);
      assert.equal(await store.outcome('c', 'closed'), null);
      assert.equal(await store.sentAs('c', 'n'), null);
      assert.equal(await store.find(parked), null);
      for (const id of [open, settled]) assert.deepEqual(await store.find(id), { record: `tombstone of ${id}` });
      await checkDue(store, { idle: ['c'] });
      const [renewed] = await store.renew([{ conversationId: 'c', token: closed.token }], long);
      assert.deepEqual([renewed?.held, renewed?.queue], [false, 0]);
      assert.equal((await store.take(taking('c'))).claim, undefined);
    },
  ],
  [
    'tombstones are gone after the retention',
    async ({ store, pass }) => {
      const id = askId('c', 'a');
      await turn(store, 'c', { open: true, asks: { opened: [{ id, at: 1 }], settled: [] } });
      const asks = [{ id, tombstone: 't' }];
      assert.equal(await store.erase(erasing(await read(store, 'c'), { asks, retention: short })), true);
      await pass(later);
      assert.equal(await store.find(id), null);
    },
  ],
  [
    'only the life and the revision that were read are erased',
    async ({ store }) => {
      const by = await turn(store, 'c', { document: 'v1', people: ['ann'] });
      const call = erasing({ incarnation: by.incarnation, revision: 0 }, { people: ['ann'] });
      assert.equal(await store.erase(call), false, 'something changed since it was read');
      assert.equal(await store.erase({ ...call, incarnation: 'another', revision: 1 }), false);
      assert.equal(await store.erase({ ...call, conversationId: 'nobody', revision: 1 }), false);
      assert.equal((await read(store, 'c')).document, 'v1');
      assert.deepEqual(await store.conversationsOf('ann'), ['c']);
      assert.equal(await store.erase({ ...call, revision: 1 }), true);
    },
  ],
  [
    'a zombie from before an erase writes nothing into the next life of the same id',
    async ({ store }) => {
      const zombie = await begin(store, 'c', 'e');
      assert.equal(await store.erase(erasing(zombie)), true);
      const late = finishing('c', zombie, { document: 'from the grave', history: ['late'] });
      assert.deepEqual(await store.save(late), { type: 'refused' });
      assert.equal(await store.conversation('c'), null);

      const living = await begin(store, 'c', 'e');
      assert.notEqual(living.incarnation, zombie.incarnation);
      assert.deepEqual([living.revision, living.attempt, living.document], [0, 1, null]);
      assert.deepEqual(await store.save(late), { type: 'refused' });
      const [renewed] = await store.renew([{ conversationId: 'c', token: zombie.token }], long);
      assert.equal(renewed?.held, false);
      assert.equal(await store.erase(erasing(zombie)), false);
      assert.deepEqual(await waiting(store, 'c'), ['e']);
      await saved(store, finishing('c', living, { document: 'alive' }));
      const state = await read(store, 'c');
      assert.deepEqual([state.document, state.revision], ['alive', 1]);
      assert.deepEqual((await store.history('c', { limit: 10 })).items, []);
    },
  ],
  [
    'a repeat of the last save of an erased life is refused in the next life',
    async ({ store }) => {
      const by = await begin(store, 'c', 'e');
      const call = finishing('c', by, { document: 'old' });
      await saved(store, call);
      assert.equal(await store.erase(erasing({ ...by, revision: 1 })), true);
      assert.deepEqual(await store.save(call), { type: 'refused' });
      await record(store, 'c', 'e');
      assert.deepEqual(await store.save(call), { type: 'refused' });
      const living = await claim(store, 'c');
      assert.deepEqual([living.document, living.entry?.id, living.revision], [null, 'e', 0]);
    },
  ],
  [
    'an entry of an erased life can be recorded again in the next',
    async ({ store }) => {
      const by = await turn(store, 'c');
      assert.ok(by.entry);
      assert.equal(await store.erase(erasing({ ...by, revision: 1 })), true);
      const taken = await record(store, 'c', by.entry.id);
      assert.deepEqual([taken.entry, taken.outcome], ['recorded', undefined]);
    },
  ],
];
