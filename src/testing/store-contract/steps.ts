/**
 * The stories of steps: each is written whole or not at all, in the order in which it was asked for, fenced by what is stored, timed by
 * the store, and safe to repeat. What a step decides is a rule of stores/rules, and is tested there.
 */
import assert from 'node:assert/strict';
import {
  askId,
  begin,
  checkDue,
  claim,
  closing,
  entry,
  finishing,
  hold,
  later,
  lentKeys,
  long,
  next,
  out,
  read,
  record,
  release,
  type SaveChanges,
  type StoreStory,
  saved,
  saving,
  short,
  taking,
  timeless,
  turn,
  unchanged,
  waiting,
  workedOff,
} from './kit.js';
import type { Claim, Store } from './texts.js';

/** A save that writes everything that a save can write. */
const full: SaveChanges = {
  document: 'written once',
  open: true,
  outputs: [out('k')],
  sendLease: 0,
  history: ['h'],
  asks: { opened: [{ id: askId('c', 'a'), at: 1 }], settled: [{ id: askId('c', 'b'), record: 'settled', at: 1 }] },
  parked: { added: [{ id: askId('c', 'q'), at: 2 }], removed: [] },
  people: ['p'],
};

const keep = (store: Store, by: Pick<Claim, 'turn'>, key: string, value: string) =>
  store.remember({ conversationId: 'c', turn: by.turn, key, value });

/** Asks for steps of other conversations, so that a store has much to send together. */
const busy = (store: Store, others: readonly Claim[]): Promise<unknown>[] =>
  others.flatMap(({ token }, i) => [
    record(store, `busy ${i}`, `entry of ${token}`),
    store.renew([{ conversationId: `busy ${i}`, token }], long),
  ]);

export const stepStories: readonly StoreStory[] = [
  [
    'the first entry of a conversation is recorded and claimed in one step, and opening the store again changes nothing',
    async ({ store }) => {
      const call = taking('c', { entry: entry('e', { data: 'hello' }) });
      const { now, entry: said, claim: got } = await store.take(call);
      assert.ok(Number.isSafeInteger(now) && now > 0, 'the store says what time it is');
      assert.ok(got);
      const { incarnation, memo, ...rest } = got;
      const front = { id: 'e', at: now, data: 'hello', revision: 0 };
      const counts = { attempt: 1, strikes: 1, revision: 0, historyEnd: 0 };
      assert.deepEqual(rest, { token: call.token, turn: call.turn, ...counts, now, document: null, entry: front });
      assert.deepEqual([said, Object.entries(memo)], ['recorded', []]);
      await store.open();
      const state = { incarnation, revision: 0, document: null, queue: [front], held: true, begun: true };
      assert.deepEqual(timeless(await read(store, 'c')), state);
      await checkDue(store, { idle: ['c'] });
    },
  ],
  [
    'a save writes all that it names; one of a former holder, or of another revision, writes nothing',
    async ({ store, pass }) => {
      const former = await begin(store, 'c', 'e', short);
      await pass(later);
      const by = await claim(store, 'c');
      const late = finishing('c', former, full);
      const ahead = finishing('c', { ...by, revision: 1 }, full);
      for (const call of [late, ahead])
        assert.deepEqual(await unchanged(store, () => store.save(call)), { type: 'refused' });
      assert.deepEqual(await store.save(saving('nobody', former, full)), { type: 'refused' });
      assert.deepEqual([await store.outcome('c', 'e'), await store.conversation('nobody', 3)], [null, null]);
      await store.renew([{ conversationId: 'c', token: by.token }], short); // its end leaves no place among the due
      const { now, revision } = await saved(store, finishing('c', by, full, release()));
      assert.ok(now >= by.now);
      const { incarnation, ...state } = timeless(await read(store, 'c')) ?? {};
      const freed = { queue: [], held: false, begun: false };
      assert.deepEqual(state, { revision, document: 'written once', ...freed });
      assert.deepEqual(await store.history('c', { limit: 9 }), { items: ['h'] });
      assert.deepEqual(await store.find(askId('c', 'a')), { conversationId: 'c' });
      assert.deepEqual(await store.find(askId('c', 'b')), { record: 'settled' });
      assert.deepEqual(await store.find(askId('c', 'q')), { conversationId: 'c' });
      assert.deepEqual(await store.conversationsOf('p'), ['c']);
      assert.equal(await store.outcome('c', 'e'), 'outcome of e');
      assert.equal(await store.outcome('c', 'another'), null);
      assert.deepEqual(await lentKeys(store, 'web'), ['k']);
      await pass(later);
      await checkDue(store, { idle: ['c'] });
    },
  ],
  [
    'entries wait in the order in which they came, each with its time and revision, also when one of them is closed early',
    async ({ store, pass }) => {
      const by = await begin(store, 'c', 'z');
      await record(store, 'c', 'a');
      await record(store, 'c', '10');
      const { revision } = await saved(store, saving('c', by, {}, hold));
      await pass(short);
      const last = await record(store, 'c', '9', { room: 4 });
      assert.equal((await record(store, 'c', 'm', { room: 4 })).entry, 'full');
      await record(store, 'c', 'm', { room: 5 });
      const { queue, now } = await read(store, 'c');
      const whole = ['z', 'a', '10', '9', 'm'];
      assert.deepEqual(
        queue.map((each) => [each.id, each.revision]),
        whole.map((id, i) => [id, i < 3 ? 0 : 1]),
      );
      const times = queue.map(({ at }) => at);
      assert.deepEqual([times[0], times[3]], [by.now, last.now]);
      assert.ok(last.now > by.now && now >= last.now);
      assert.deepEqual(times, [...times].sort());
      for (const skip of [0, 1, 2, 4, 5, 1_000])
        assert.deepEqual((await store.conversation('c', skip))?.queue, queue.slice(skip));
      assert.equal((await store.renew([{ conversationId: 'c', token: by.token }], long))[0]?.queue, 5);

      const early = saving('c', { ...by, revision }, { closes: closing('10') }, hold);
      const after = await saved(store, early);
      assert.deepEqual(await waiting(store, 'c'), ['z', 'a', '9', 'm']);
      for (const id of whole) assert.equal((await record(store, 'c', id)).entry, 'repeat');
      assert.equal(await store.outcome('c', '10'), 'outcome of 10');
      assert.deepEqual(await workedOff(store, 'c', { ...by, revision: after.revision }), ['z', 'a', '9', 'm']);
    },
  ],
  [
    'leases, back-offs and due times run out by the time of the store',
    async ({ store, pass }) => {
      const lost = await begin(store, 'lost', 'e', short);
      const renewed = await begin(store, 'renewed', 'e', short);
      await begin(store, 'held');
      for (const [id, wait] of [['backed off', short] as const, ['backed off for long', long] as const])
        await saved(store, saving(id, await begin(store, id), {}, release(wait)));
      for (const [id, wait] of [['due', short] as const, ['due much later', long] as const]) {
        const by = await begin(store, id);
        await saved(store, finishing(id, by, { due: by.now + wait }, release()));
        await turn(store, id); // which does not mention it
      }
      await record(store, 'waits', 'e');
      const holds = [renewed, { token: 'not the holder' }].map(({ token }) => ({ conversationId: 'renewed', token }));
      assert.deepEqual(
        (await store.renew(holds, long)).map(({ held, queue }) => [held, queue]),
        [
          [true, 1],
          [false, 1],
        ],
      );
      await pass(later);
      const [wanted, idle] = [
        ['lost', 'backed off', 'due', 'waits'],
        ['renewed', 'held', 'backed off for long', 'due much later'],
      ];
      await checkDue(store, { wanted, idle });
      assert.equal((await store.due(2)).conversations.length, 2);
      for (const id of idle) assert.equal((await store.take(taking(id))).claim, undefined);
      for (const id of wanted) {
        const by = await claim(store, id);
        assert.equal(by.entry === undefined, id === 'due');
        assert.equal(by.attempt, id === 'lost' || id === 'backed off' ? 2 : 1);
      }
      await checkDue(store, { idle: [...wanted, ...idle] });
      assert.equal((await store.renew([{ conversationId: 'lost', token: lost.token }], long))[0]?.held, false);
    },
  ],
  [
    'holders and messages at the same moment: one claim, every entry once, in one order',
    async ({ store }) => {
      const ids = Array.from({ length: 20 }, (_, i) => `e${i}`);
      const taken = await Promise.all(ids.map((id) => store.take(taking('c', { entry: entry(id) }))));
      const [by, ...more] = taken.flatMap((one) => one.claim ?? []);
      assert.ok(by && more.length === 0, 'exactly one of them is given the conversation');
      const order = await waiting(store, 'c');
      assert.deepEqual(await workedOff(store, 'c', by), order);
      assert.deepEqual([...order].sort(), [...ids].sort());
    },
  ],
  [
    'steps of one conversation that are asked for in one tick are done in that order, and a refused one holds back none',
    async ({ store }) => {
      const others = await Promise.all(Array.from({ length: 5 }, (_, i) => begin(store, `busy ${i}`)));
      for (const id of ['c1', 'c2', 'c3', 'c4', 'c5']) {
        const [first, second] = await Promise.all([
          store.take(taking(id, { entry: entry('a') })),
          store.take(taking(id, { entry: entry('b') })),
          ...busy(store, others),
        ]);
        const by = first.claim;
        assert.ok(by?.entry?.id === 'a' && second.claim === undefined);
        const at = (revision: number) => ({ ...by, revision });
        const [one, never, two, third, fourth] = await Promise.all([
          store.save(saving(id, by, { document: 'v1', history: ['1'] }, hold)),
          store.save(saving(id, at(7), { document: 'never', history: ['never'] }, hold)),
          store.save(saving(id, at(1), { document: 'v2', history: ['2'] }, hold)),
          record(store, id, 'c'),
          record(store, id, 'd'),
          ...busy(store, others),
        ]);
        const did = [one.type, never.type, two.type, third.entry, fourth.entry];
        assert.deepEqual(did, ['saved', 'refused', 'saved', 'recorded', 'recorded']);
        assert.deepEqual((await store.history(id, { limit: 9 })).items, ['1', '2']);
        assert.deepEqual(await waiting(store, id), ['a', 'b', 'c', 'd']);
        const [released, taken] = await Promise.all([
          store.save(saving(id, at(2), { document: 'v3' }, release())),
          store.take(taking(id)),
          ...busy(store, others),
        ]);
        assert.deepEqual([released.type, taken.claim?.document, taken.claim?.revision], ['saved', 'v3', 3]);
        assert.deepEqual(await workedOff(store, id, taken.claim as Claim), ['a', 'b', 'c', 'd']);
      }
    },
  ],
  [
    'a step that is sent again after a lost reply has the same answer, and changes nothing',
    async ({ store }) => {
      /** Does a step twice. A claim in the answer is the same but for its time. */
      const twice = async <T extends object>(step: () => Promise<T>): Promise<T> => {
        const first = await step();
        const again = await unchanged(store, step);
        const bare = (said: T) => ({
          ...said,
          now: 0,
          claim: timeless(Reflect.get(said, 'claim') as Claim | undefined),
        });
        const handed = (said: T) => timeless(Reflect.get(said, 'next') as Claim | undefined);
        assert.deepEqual({ ...bare(again), next: handed(again) }, { ...bare(first), next: handed(first) });
        return first;
      };
      const take = taking('c', { entry: entry('e1') });
      const { claim: by } = await twice(() => store.take(take));
      assert.ok(by);
      await twice(() => keep(store, by, 'k', 'v'));
      const queued = taking('c', { lease: 0, entry: entry('e2') });
      await twice(() => store.take(queued));
      assert.deepEqual(await waiting(store, 'c'), ['e1', 'e2']);
      const inside = saving('c', by, full, hold);
      const { revision } = await twice(() => saved(store, inside));
      assert.deepEqual(
        await lentKeys(store, 'web', 'c', 0),
        ['k'],
        'what is saved inside a turn goes out before its end',
      );
      const closes = finishing('c', { ...by, revision }, { history: ['h2'] });
      const { next: second } = await twice(() => saved(store, closes));
      assert.equal(second?.entry?.id, 'e2');
      const other = { ...closes, call: 'another save of the same revision' };
      assert.deepEqual(await unchanged(store, () => store.save(other)), { type: 'refused' });
      const back = saving('c', second, {}, release(0, 'claim'));
      await twice(() => saved(store, back));
      await saved(store, finishing('c', await claim(store, 'c'), {}, release()));
      await turn(store, 'c');
      await record(store, 'c', 'waits for another process');
      const late = await unchanged(store, () => store.take(take));
      assert.deepEqual([late.entry, late.outcome, late.claim], ['recorded', 'outcome of e1', undefined]);
      const done = await unchanged(store, () => saved(store, closes));
      assert.deepEqual([done.revision, done.next], [revision + 1, undefined]);
      for (const call of [inside, back]) await unchanged(store, () => store.save(call));
      await checkDue(store, { wanted: ['c'] });
    },
  ],
  [
    'a reply that is decided with its claim is written whole, whatever the length of the document',
    async ({ store }) => {
      const ask = askId('c', 'a');
      for (const [i, document] of ['short', 'x'.repeat(70_000), 'y'.repeat(5_000), '', 'é😀'].entries()) {
        await turn(store, 'c', { document: 'open é😀 \0 "', open: true });
        const { cursor } = await store.changes({ limit: 1 });
        const asked: unknown[] = [];
        const predecide = (found: string, now: number) => {
          asked.push([found, now]);
          return { document, changed: [ask] };
        };
        const call = taking('c', { entry: entry(`reply ${i}`), predecide });
        const [{ claim: by }, message] = await Promise.all([
          store.take(call),
          store.take(taking('c', { entry: entry(`message ${i}`), predecide: () => ({ document: 'no', changed: [] }) })),
        ]);
        assert.ok(by);
        assert.deepEqual(asked.at(-1), ['open é😀 \0 "', by.entry?.at]);
        assert.deepEqual([by.entry?.id, by.document, message.claim], [`reply ${i}`, document, undefined]);
        assert.deepEqual(
          [(await read(store, 'c')).document, (await read(store, 'c')).revision],
          [document, by.revision],
        );
        assert.deepEqual(timeless((await unchanged(store, () => store.take(call))).claim), timeless(by));
        const { items } = await store.changes({ limit: 9, cursor });
        assert.deepEqual([items.map(({ id }) => id), items[0]?.conversationId], [[ask], 'c']);
        assert.deepEqual(await workedOff(store, 'c', by), [`reply ${i}`, `message ${i}`]);
      }
    },
  ],
  [
    'a reply to a long document is decided whole or not at all',
    async ({ store }) => {
      const open = 'z'.repeat(70_000);
      const { revision: before } = await turn(store, 'c', { document: open, open: true });
      const predecide = (found: string) => ({ document: found === open ? 'decided' : 'cut off', changed: [] });
      const { revision, document } = await claim(store, 'c', { entry: entry('e'), predecide });
      const isDecided = revision === before + 2;
      assert.deepEqual([revision, document], isDecided ? [before + 2, 'decided'] : [before + 1, open]);
      assert.equal((await read(store, 'c')).document, document);
    },
  ],
  [
    'what a turn remembered is given to its re-runs, and what a parked one did to the retry that has its turn id',
    async ({ store, pass }) => {
      const memoOf = ({ memo }: Claim) => Object.fromEntries(Object.entries(memo).sort());
      const by = await begin(store, 'c', 'e1', short);
      for (const value of ['first', 'second'])
        assert.deepEqual(await keep(store, by, 'a', value), { type: 'kept', value: 'first' });
      await keep(store, by, 'empty', '');
      assert.deepEqual(await keep(store, by, 'empty', 'not empty'), { type: 'kept', value: '' });
      await pass(later);
      await keep(store, by, 'b', 'finished after the lease');
      const again = await claim(store, 'c');
      const all = { a: 'first', b: 'finished after the lease', empty: '' };
      assert.deepEqual(memoOf(again), all);
      for (const id of ['retry', 'retry again']) {
        await record(store, 'c', `before ${id}`);
        await record(store, 'c', id, { turn: by.turn });
      }
      const parked = finishing('c', again, { closes: closing('e1', 'failed', true), open: true });
      const { next: between } = await saved(store, parked);
      assert.ok(between);
      assert.deepEqual(memoOf(between), {});
      assert.deepEqual(await keep(store, by, 'late', 'x'), { type: 'ended' });
      await keep(store, between, 'a', 'of another turn');
      const { next: retry } = await saved(store, finishing('c', between));
      assert.ok(retry);
      assert.deepEqual([retry.turn, memoOf(retry)], [by.turn, all]);
      assert.deepEqual(await keep(store, retry, 'a', 'twice'), { type: 'kept', value: 'first' });
      await saved(store, finishing('c', retry, {}, release()));
      await saved(store, finishing('c', await claim(store, 'c'), {}, release()));
      const last = await claim(store, 'c');
      await keep(store, last, 'new', 'v');
      assert.equal(last.turn, by.turn);
      const memo = memoOf(await claim(store, 'c', { token: last.token }));
      assert.deepEqual([memoOf(last), memo], [{}, { new: 'v' }], 'a retry that ended well leaves nothing');
    },
  ],
  [
    'however many entries were closed, a repeat of each is known until its mark is over, and its id is free after that',
    async ({ store, pass }) => {
      const ids = Array.from({ length: 100 }, (_, i) => `e${i}`);
      const isBrief = (id: string) => Number(id.slice(1)) % 3 === 0;
      for (const id of ids) await record(store, 'c', id, { room: 1_000 });
      let by: Claim | undefined = await claim(store, 'c');
      for (const id of ids) {
        const call = finishing('c', by as Claim, { dedupeWindow: isBrief(id) ? short : long }, next());
        assert.equal(by?.entry?.id, id);
        by = (await saved(store, call)).next;
      }
      await pass(later);
      for (const id of ids) {
        assert.equal(await store.outcome('c', id), isBrief(id) ? null : `outcome of ${id}`);
        if (!isBrief(id)) assert.equal((await record(store, 'c', id)).entry, 'repeat');
      }
      for (const id of ['e0', 'e99']) assert.equal((await record(store, 'c', id)).entry, 'recorded');
      assert.deepEqual(await waiting(store, 'c'), ['e0', 'e99']);
    },
  ],
];
