/**
 * The stories of erasing and of retention, of hints, and of one long random history.
 */
import assert from 'node:assert/strict';
import {
  askId,
  begin,
  checkDue,
  claim,
  dice,
  entry,
  finishing,
  later,
  lentKeys,
  long,
  next,
  out,
  read,
  record,
  release,
  type StoreStory,
  saved,
  saving,
  short,
  taking,
  turn,
  waiting,
} from './kit.js';
import type { Claim, Erase, Hint } from './texts.js';

function erasing(life: { incarnation: string; revision: number }, more: Partial<Erase> = {}): Erase {
  const { incarnation, revision } = life;
  return { conversationId: 'c', incarnation, revision, asks: [], parked: [], retention: long, ...more };
}

export const retentionStories: readonly StoreStory[] = [
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
        outputs: [out('k', { data: 'secret' }), out('p', { data: 'secret', to: 'anyone' })],
        sendLease: 0,
        asks: { opened: [{ id: open, at: 1 }], settled: [{ id: settled, record: 'secret', at: 1 }] },
        parked: { added: [{ id: parked, at: 1 }], removed: [] },
        people: ['ann', 'bob'],
      });
      await store.sent([{ conversationId: 'c', key: 'x', channel: 'web', sentAs: { name: 'n', id: 'ts' } }]);
      const closed = await begin(store, 'c', 'closed');
      await saved(store, finishing('c', closed));
      await store.remember({ conversationId: 'c', turn: closed.turn, key: 'k', value: 'secret' });
      await record(store, 'c', 'waits');
      await turn(store, 'd', { people: ['ann'] });

      assert.deepEqual(await store.settledAsks('c'), [settled]);
      const asks = [open, settled].map((id) => ({ id, tombstone: `tombstone of ${id}` }));
      const call = erasing(await read(store, 'c'), { asks, parked: [parked] });
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
      assert.deepEqual(await store.settledAsks('c'), [], 'a tombstone belongs to no conversation');
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
    'only the incarnation and the revision that were read are erased',
    async ({ store }) => {
      const by = await turn(store, 'c', { document: 'v1', people: ['ann'] });
      const call = erasing({ incarnation: by.incarnation, revision: 0 });
      assert.equal(await store.erase(call), false, 'something changed since it was read');
      assert.equal(await store.erase({ ...call, incarnation: 'another', revision: 1 }), false);
      assert.equal(await store.erase({ ...call, conversationId: 'nobody', revision: 1 }), false);
      assert.equal((await read(store, 'c')).document, 'v1');
      assert.deepEqual(await store.conversationsOf('ann'), ['c']);
      assert.equal(await store.erase({ ...call, revision: 1 }), true);
    },
  ],
  [
    'a holder from before an erase writes nothing into the next incarnation of the same id',
    async ({ store }) => {
      const stale = await begin(store, 'c', 'e');
      assert.equal(await store.erase(erasing(stale)), true);
      const late = finishing('c', stale, { document: 'from the grave', history: ['late'] });
      assert.deepEqual(await store.save(late), { type: 'refused' });
      assert.equal(await store.conversation('c'), null);

      const living = await begin(store, 'c', 'e');
      assert.notEqual(living.incarnation, stale.incarnation);
      assert.deepEqual([living.revision, living.attempt, living.document], [0, 1, null]);
      assert.deepEqual(await store.save(late), { type: 'refused' });
      const [renewed] = await store.renew([{ conversationId: 'c', token: stale.token }], long);
      assert.equal(renewed?.held, false);
      assert.equal(await store.erase(erasing(stale)), false);
      assert.deepEqual(await waiting(store, 'c'), ['e']);
      await saved(store, finishing('c', living, { document: 'alive' }));
      const state = await read(store, 'c');
      assert.deepEqual([state.document, state.revision], ['alive', 1]);
      assert.deepEqual((await store.history('c', { limit: 10 })).items, []);
    },
  ],
  [
    'a repeat of the last save of an erased incarnation is refused in the next one',
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
    'an entry of an erased incarnation can be recorded again in the next one',
    async ({ store }) => {
      const by = await turn(store, 'c');
      assert.ok(by.entry);
      assert.equal(await store.erase(erasing({ ...by, revision: 1 })), true);
      const taken = await record(store, 'c', by.entry.id);
      assert.deepEqual([taken.entry, taken.outcome], ['recorded', undefined]);
    },
  ],
  [
    'a conversation with nothing left to do is forgotten after its retention, and lives anew if someone writes',
    async ({ store, pass }) => {
      const by = await turn(store, 'c', {
        document: 'v1',
        history: ['h'],
        people: ['p'],
        open: false,
        retention: short,
      });
      await store.sent([{ conversationId: 'c', key: 'x', channel: 'web', sentAs: { name: 'n', id: 'ts' } }]);
      await pass(later);
      assert.equal(await store.conversation('c'), null);
      assert.deepEqual(await store.history('c', { limit: 10 }), { items: [] });
      assert.deepEqual(await store.conversationsOf('p'), []);
      assert.equal(await store.sentAs('c', 'n'), null);
      const anew = await begin(store, 'c', 'another');
      assert.notEqual(anew.incarnation, by.incarnation);
      assert.deepEqual([anew.document, anew.revision], [null, 0]);
    },
  ],
  [
    'nothing is forgotten while something is open, due, waiting, held, or has to go out',
    async ({ store, pass }) => {
      const retention = short;
      await turn(store, 'open', { open: true, retention });
      await turn(store, 'still open', { open: true, retention });
      await turn(store, 'still open', { retention });
      const due = await begin(store, 'due', 'e');
      await saved(store, finishing('due', due, { due: due.now + long, retention }));
      await turn(store, 'waiting', { retention });
      await record(store, 'waiting', 'e2');
      await turn(store, 'held', { retention });
      await begin(store, 'held', 'e2');
      await turn(store, 'outputs', { outputs: [out('k')], retention });
      await pass(later);
      await pass(later);
      for (const id of ['open', 'still open', 'due', 'waiting', 'held', 'outputs']) await read(store, id);
      assert.deepEqual(await waiting(store, 'waiting'), ['e2']);
    },
  ],
  [
    'when its last output has gone out a conversation may be forgotten',
    async ({ store, pass }) => {
      await turn(store, 'c', { outputs: [out('k')], retention: short });
      await store.sent([{ conversationId: 'c', key: 'k', channel: 'web' }]);
      await pass(later);
      assert.equal(await store.conversation('c'), null);
    },
  ],
  [
    'a message that comes in time brings a conversation back for good, with everything it had',
    async ({ store, pass }) => {
      const by = await turn(store, 'c', { document: 'v1', history: ['h'], people: ['p'], retention: 1000 });
      const again = await begin(store, 'c', 'e2');
      assert.deepEqual([again.incarnation, again.document], [by.incarnation, 'v1']);
      await saved(store, finishing('c', again, { open: true, retention: 1000 }));
      await pass(1200);
      assert.equal((await read(store, 'c')).document, 'v1');
      assert.deepEqual((await store.history('c', { limit: 10 })).items, ['h']);
      assert.deepEqual(await store.conversationsOf('p'), ['c']);
    },
  ],
  [
    'the record of a settled ask is gone after its retention, whatever becomes of its conversation',
    async ({ store, pass }) => {
      const [early, late] = [askId('c', 'early'), askId('c', 'late')];
      const settled = (id: string) => ({ opened: [], settled: [{ id, record: 'r', at: 1 }] });
      await turn(store, 'c', { open: true, asks: settled(early), retention: short });
      await turn(store, 'c', { asks: settled(late), retention: long });
      await pass(later);
      assert.equal(await store.find(early), null);
      assert.deepEqual(await store.find(late), { record: 'r' });
      await read(store, 'c');
    },
  ],
  [
    'a repeat is known until its mark is over, and is a new entry after that',
    async ({ store, pass }) => {
      const one = await begin(store, 'c', 'short');
      await saved(store, finishing('c', one, { dedupeWindow: short }, release()));
      const two = await begin(store, 'c', 'long');
      await saved(store, finishing('c', two, { dedupeWindow: long }, release()));
      await pass(later);
      assert.equal(await store.outcome('c', 'short'), null);
      assert.equal((await record(store, 'c', 'short')).entry, 'recorded');
      assert.equal(await store.outcome('c', 'long'), 'outcome of long');
      assert.equal((await record(store, 'c', 'long')).entry, 'repeat');
      assert.deepEqual(await waiting(store, 'c'), ['short']);
    },
  ],
  [
    'an entry that waits is known as a repeat however long it waits',
    async ({ store, pass }) => {
      await turn(store, 'c', { dedupeWindow: short, retention: short });
      await record(store, 'c', 'e');
      await pass(later);
      await pass(later);
      assert.equal((await record(store, 'c', 'e')).entry, 'repeat');
      assert.deepEqual(await waiting(store, 'c'), ['e']);
    },
  ],
  [
    'hints reach every watcher, as they were given, until it stops watching',
    async ({ store, pass }) => {
      const seen: Hint[] = [];
      const other: Hint[] = [];
      const stop = await store.watch((hint) => seen.push(hint));
      await store.watch((hint) => other.push(hint));
      const hints: Hint[] = [{ conversationId: 'c\n*' }, { conversationId: 'd', entryId: '{"e"}' }];
      for (const hint of hints) store.hint(hint);
      for (let i = 0; i < 50 && (seen.length < 2 || other.length < 2); i++) await pass(short);
      assert.deepEqual(seen, hints);
      assert.deepEqual(other, hints);
      await stop();
      store.hint({ conversationId: 'e' });
      for (let i = 0; i < 50 && other.length < 3; i++) await pass(short);
      assert.deepEqual([seen.length, other.length], [2, 3]);
    },
  ],
  [
    'a watcher that throws does not keep a hint from the others, nor does it disturb who gave it',
    async ({ store, pass }) => {
      const seen: Hint[] = [];
      await store.watch(() => {
        throw new Error('a watcher of the contract suite fails on purpose');
      });
      await store.watch((hint) => seen.push(hint));
      store.hint({ conversationId: 'c' });
      assert.equal(seen.length, 0, 'hints are not delivered within the call');
      for (let i = 0; i < 50 && seen.length < 1; i++) await pass(short);
      assert.deepEqual(seen, [{ conversationId: 'c' }]);
    },
  ],
  [
    'a long random history: whatever happens in which order, due returns exactly what has work and no lease',
    async ({ store }) => {
      const holders = new Map<string, Claim>();
      const lines = new Map<string, string[]>(['a', 'b', 'c', 'd', 'e'].map((id) => [id, []]));
      const roll = dice();
      for (let step = 0; step < 250; step++) {
        const id = [...lines.keys()][roll(lines.size)] as string;
        const line = lines.get(id) as string[];
        const by = holders.get(id);
        const throwOf = roll(6);
        if (throwOf < 2 || (by === undefined && line.length === 0)) {
          const taken = await store.take(taking(id, { lease: throwOf === 0 ? 0 : long, entry: entry(`e${step}`) }));
          line.push(`e${step}`);
          assert.equal(taken.claim !== undefined, throwOf !== 0 && by === undefined);
          if (taken.claim) holders.set(id, taken.claim);
        } else if (by === undefined) {
          const { claim } = await store.take(taking(id));
          assert.equal(claim?.entry?.id, line[0]);
          if (claim) holders.set(id, claim);
        } else if (throwOf === 5) {
          await saved(store, saving(id, by, {}, release(0, roll(2) === 0 ? 'claim' : 'nothing')));
          holders.delete(id);
        } else {
          const { next: after } = await saved(store, finishing(id, by, {}, throwOf === 4 ? release() : next()));
          line.shift();
          assert.equal(after?.entry?.id, throwOf === 4 ? undefined : line[0]);
          if (after) holders.set(id, after);
          else holders.delete(id);
        }
        const wanted = [...lines].filter(([one, queue]) => queue.length > 0 && !holders.has(one)).map(([one]) => one);
        await checkDue(store, { wanted, idle: [...lines.keys()].filter((one) => !wanted.includes(one)) });
      }
      for (const [id, line] of lines) assert.deepEqual(await waiting(store, id), line);
    },
  ],
];
