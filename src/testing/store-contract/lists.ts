/**
 * The stories of what is found: by id, in lists over all conversations, in changes, in histories, and by participant.
 */
import assert from 'node:assert/strict';
import {
  askId,
  begin,
  dice,
  erase,
  hold,
  later,
  record,
  type SaveChanges,
  type StoreStory,
  saved,
  saving,
  short,
  turn,
} from './kit.js';
import type { SettledPage, Store } from './texts.js';

type List = 'open' | 'deadline' | 'parked' | 'settled';

/** Ids of all pages of a list, with `between` done after each. */
async function pages(
  store: Store,
  what: List,
  page: Partial<SettledPage>,
  between = async () => {},
): Promise<readonly string[]> {
  const ids: string[] = [];
  const limit = page.limit ?? 100;
  for (let cursor = page.cursor, read = 0; read < 1_000; read += 1) {
    const call = { ...page, limit, ...(cursor !== undefined && { cursor }) };
    const got = await (what === 'settled' ? store.settled(call) : store.list(what, call));
    assert.ok(got.items.length <= limit);
    ids.push(...got.items.map(({ id }) => id));
    cursor = got.cursor;
    if (cursor === undefined) return ids;
    await between();
  }
  throw new Error('the pages of a list never end');
}

/** Opens an ask in a conversation of its own. Returns its id. */
async function opened(store: Store, conversationId: string, at: number, deadline?: number): Promise<string> {
  const id = askId(conversationId, 'a');
  const ask = { id, at, ...(deadline !== undefined && { deadline }) };
  await turn(store, conversationId, { open: true, asks: { opened: [ask] } });
  return id;
}

/** Settles the ask of a conversation. Returns its id. */
async function settled(store: Store, conversationId: string, at: number, more: SaveChanges = {}): Promise<string> {
  const id = askId(conversationId, 'a');
  await turn(store, conversationId, { asks: { settled: [{ id, record: `record of ${at}`, at }] }, ...more });
  return id;
}

/** Ids of what changed after a cursor, in order, and the cursor of the end. */
async function changesAfter(store: Store, from: string, limit = 10): Promise<{ ids: string[]; cursor: string }> {
  const ids: string[] = [];
  for (let cursor = from, page = 0; page < 1_000; page += 1) {
    const got = await store.changes({ limit, cursor });
    assert.ok(got.items.length <= limit && got.gap === undefined);
    ids.push(...got.items.map(({ id }) => id));
    cursor = got.cursor;
    if (got.items.length === 0) return { ids, cursor };
  }
  throw new Error('the changes never end');
}

const leavesInOrder = (what: 'open' | 'deadline'): StoreStory => [
  `pages of the list "${what}" stay in order while asks come and go between them`,
  async ({ store }) => {
    const ids: string[] = [];
    for (let i = 0; i < 12; i += 1) ids.push(await opened(store, `c${i}`, i * 10, 1_000 + i * 10));
    let page = 0;
    const read = await pages(store, what, { limit: 4 }, async () => {
      page += 1;
      if (page !== 1) return;
      for (const i of [1, 3, 6]) await settled(store, `c${i}`, 1); // read already, under the cursor, still to come
      await opened(store, 'early', 5, 1_005);
      ids.push(await opened(store, 'late', 500, 1_500));
    });
    const left = ids.filter((_, i) => i !== 6);
    assert.deepEqual(read, left);
  },
];

export const listStories: readonly StoreStory[] = [
  [
    'an ask is found and listed while it is open, then by its record; parked work until it is no longer parked',
    async ({ store }) => {
      const id = askId('c', 'a');
      const lists = async () =>
        Promise.all((['open', 'deadline', 'parked'] as const).map((what) => store.list(what, { limit: 9 })));
      const none = { items: [] };
      await turn(store, 'c', { open: true, asks: { opened: [{ id, at: 17, deadline: 99 }] } });
      assert.deepEqual(await store.find(id), { conversationId: 'c' });
      const listed = (at: number) => ({ items: [{ id, conversationId: 'c', at }] });
      assert.deepEqual(await lists(), [listed(17), listed(99), none]);
      await settled(store, 'c', 1);
      assert.deepEqual([await store.find(id), await lists()], [{ record: 'record of 1' }, [none, none, none]]);
      await opened(store, 'c', 2);
      assert.deepEqual(await store.find(id), { conversationId: 'c' }, 'opened under the id of one that is over');
      const asks = { opened: [{ id, at: 3 }], settled: [{ id, record: 'both in one save', at: 1 }] };
      await turn(store, 'c', { asks });
      assert.deepEqual([await store.find(id), await lists()], [{ record: 'both in one save' }, [none, none, none]]);
      const work = askId('c', 'work');
      await turn(store, 'c', { open: true, parked: { added: [{ id: work, at: 5 }], removed: [] } });
      assert.deepEqual(await store.find(work), { conversationId: 'c' });
      assert.deepEqual(await lists(), [none, none, { items: [{ id: work, conversationId: 'c', at: 5 }] }]);
      await turn(store, 'c', { parked: { added: [], removed: [work] } });
      assert.deepEqual([await store.find(work), await lists()], [null, [none, none, none]]);
    },
  ],
  [
    'lists over many conversations are ordered by time and id, on pages that neither repeat nor leave out',
    async ({ store }) => {
      const never = 1e15; // asks without a deadline come last, the oldest first
      const all: Record<List, { id: string; at: number }[]> = { open: [], deadline: [], parked: [], settled: [] };
      for (let i = 0; i < 40; i += 1) {
        const [id, over, work] = ['a', 'b', 'c'].map((name) => askId(`c${i % 30}`, name + i)) as [
          string,
          string,
          string,
        ];
        const at = 1_000 + ((i * 7) % 10) * 100; // equal for some, and not in the order of saving
        const deadline = i % 3 === 0 ? undefined : 5_000 + ((i * 3) % 5) * 10;
        await turn(store, `c${i % 30}`, {
          open: true,
          asks: {
            opened: [{ id, at, ...(deadline !== undefined && { deadline }) }],
            settled: [{ id: over, record: 'r', at }],
          },
          parked: { added: [{ id: work, at }], removed: [] },
        });
        all.open.push({ id, at });
        all.deadline.push({ id, at: deadline ?? never + at });
        all.parked.push({ id: work, at });
        all.settled.push({ id: over, at });
      }
      for (const [what, items] of Object.entries(all) as [List, { id: string; at: number }[]][]) {
        const expected = items.sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1)).map(({ id }) => id);
        if (what === 'settled') expected.reverse(); // the last decision first
        for (const limit of [1, 7, 40, 1_000]) assert.deepEqual(await pages(store, what, { limit }), expected, what);
      }
    },
  ],
  leavesInOrder('open'),
  leavesInOrder('deadline'),
  [
    'settled asks are listed from a time on, before a time, and of one conversation, each once and for its own retention',
    async ({ store, pass }) => {
      const ids: string[] = [];
      for (let i = 0; i < 5; i += 1) {
        const id = askId(`c${i % 2}`, `${i}`);
        ids.push(id);
        const asks = { settled: [{ id, record: 'r', at: 10 * (i + 1) }] };
        await turn(store, `c${i % 2}`, { open: true, asks, history: ['x', 'y'], historyLimit: 1 });
      }
      const check = async (page: Partial<SettledPage>, expected: readonly number[]) =>
        assert.deepEqual(
          await pages(store, 'settled', page),
          expected.map((i) => ids[i]),
          JSON.stringify(page),
        );
      for (const limit of [1, 2, 9]) {
        await check({ limit, since: 30 }, [4, 3, 2]);
        await check({ limit, until: 30 }, [1, 0]);
        await check({ limit, since: 20, until: 50 }, [3, 2, 1]);
        await check({ limit, conversationId: 'c0' }, [4, 2, 0]);
        await check({ limit, conversationId: 'c0', since: 11, until: 50 }, [2]);
        await check({ limit, conversationId: 'nobody' }, []);
      }
      const { cursor = '' } = await store.settled({ limit: 3 });
      await settled(store, 'later', 99);
      ids.push(await settled(store, 'between', 15));
      await check({ cursor }, [1, 5, 0]);
      const again = { id: ids[0] as string, record: 'again', at: 10 };
      await turn(store, 'c0', { asks: { settled: [again] } });
      await check({ until: 15 }, [0]);
      assert.deepEqual((await store.settled({ limit: 1, until: 15 })).items, [again]);
      await settled(store, 'gone', 60, { retention: short });
      const stays = await settled(store, 'stays', 60);
      await turn(store, 'c0', { asks: { settled: [{ id: ids[2] as string, record: 'r', at: 30 }] }, retention: short });
      await pass(later);
      const [, ...left] = await pages(store, 'settled', { since: 50 });
      assert.deepEqual(left, [stays, ids[4]]);
      await check({ conversationId: 'c0' }, [4, 0]);
      assert.deepEqual([...(await store.settledAsks('c0'))].sort(), [ids[4], ids[0]].sort());
      assert.deepEqual([await store.find(ids[2] as string), await store.settledAsks('nobody')], [null, []]);
    },
  ],
  [
    'a reader of changes finds each ask once, at its last change, whatever happened to it',
    async ({ store }) => {
      const [id, other] = [askId('c', 'a'), askId('c', 'other')];
      const { items, cursor: start, gap } = await store.changes({ limit: 10 });
      assert.deepEqual([items, gap], [[], undefined], 'without a cursor there is only the cursor of now');
      let cursor = start;
      const changed = async () => {
        const read = await changesAfter(store, cursor);
        cursor = read.cursor;
        return read.ids;
      };
      assert.deepEqual(await changed(), []);
      await opened(store, 'c', 1);
      const [first] = (await store.changes({ limit: 1, cursor })).items;
      assert.deepEqual([first?.id, first?.conversationId, Number.isSafeInteger(first?.at)], [id, 'c', true]);
      assert.deepEqual(await changed(), [id]);
      const by = await begin(store, 'c', 'e');
      const call = saving('c', by, { asks: { opened: [{ id: other, at: 1 }], changed: [id] } }, hold);
      for (let i = 0; i < 2; i += 1) await saved(store, call);
      assert.deepEqual((await changed()).sort(), [id, other].sort());
      const at = (revision: number) => ({ ...by, revision });
      await saved(store, saving('c', at(by.revision + 1), { history: ['nothing of an ask'] }, hold));
      assert.deepEqual(await changed(), []);
      await saved(store, saving('c', at(by.revision + 2), { asks: { changed: [id] } }, hold));
      await saved(store, saving('c', at(by.revision + 3), { asks: { changed: [other] } }, hold));
      await saved(store, saving('c', at(by.revision + 4), { asks: { settled: [{ id, record: 'r', at: 1 }] } }, hold));
      assert.deepEqual((await changesAfter(store, start)).ids, [other, id]);
      assert.deepEqual(await changed(), [other, id]);
      await erase(store, 'c', { asks: [other, id].map((each) => ({ id: each, tombstone: 't' })) });
      const [earliest] = (await store.changes({ limit: 1, cursor: start })).items;
      assert.equal(earliest?.conversationId ?? '', '', 'earlier changes do not name it either');
      for (const from of [start, cursor]) {
        const erased = (await store.changes({ limit: 10, cursor: from })).items;
        assert.deepEqual(
          erased.map((each) => [each.id, each.conversationId]),
          [
            [other, ''],
            [id, ''],
          ],
        );
      }
    },
  ],
  [
    'pages of changes lose nothing while several writers save at once',
    async ({ store }) => {
      let { cursor } = await store.changes({ limit: 5 });
      const names = Array.from({ length: 8 }, (_, i) => `w${i}`);
      const writers = await Promise.all(names.map((name) => begin(store, name)));
      const read: string[] = [];
      for (let round = 0; round < 6; round += 1) {
        const saves = names.map((name, i) => {
          const { token = '' } = writers[i] ?? {};
          const asks = { opened: [{ id: askId(name, `a${round}`), at: 1 }] };
          return saved(store, saving(name, { token, revision: round }, { open: true, asks }, hold));
        });
        const page = await store.changes({ limit: 5, cursor }); // in the same tick
        read.push(...page.items.map(({ id }) => id));
        cursor = page.cursor;
        await Promise.all(saves);
      }
      read.push(...(await changesAfter(store, cursor, 5)).ids);
      for (const name of names) {
        const own = Array.from({ length: 6 }, (_, round) => askId(name, `a${round}`));
        assert.deepEqual(
          read.filter((id) => own.includes(id)),
          own,
        );
      }
    },
  ],
  [
    'whatever is added to a history under whatever limit, its pages are the last items, and every cursor and number leads where it did',
    async ({ store }) => {
      const roll = dice();
      const all: string[] = [];
      const cursors = new Map<string, number>();
      await turn(store, 'd', { history: ['of another conversation'] });
      for (let step = 0, first = 0; step < 40; step += 1) {
        const history = Array.from({ length: roll(5) }, (_, i) => `${step}.${i}`);
        const historyLimit = 1 + roll(8);
        const { historyEnd } = await turn(store, 'c', { history, historyLimit });
        assert.equal(historyEnd, all.length);
        all.push(...history);
        if (history.length > 0) first = Math.max(first, all.length - historyLimit);
        const limit = 1 + roll(3);
        const seen: string[] = [];
        for (let cursor: string | undefined, isMore = true; isMore; isMore = cursor !== undefined) {
          const page = await store.history('c', { limit, ...(cursor !== undefined && { cursor }) });
          assert.ok(page.items.length <= limit);
          seen.unshift(...page.items);
          cursor = page.cursor;
          if (cursor !== undefined) cursors.set(cursor, all.indexOf(page.items[0] ?? ''));
        }
        assert.deepEqual(seen, all.slice(first));
        for (const [cursor, before] of cursors)
          assert.deepEqual((await store.history('c', { limit: 99, cursor })).items, all.slice(first, before));
        const from = roll(all.length + 3);
        const start = Math.min(Math.max(from, first), all.length);
        const part = { items: all.slice(start, start + limit), first: start };
        assert.deepEqual(await store.historyFrom('c', from, limit), part);
      }
      assert.deepEqual(await store.history('d', { limit: 9 }), { items: ['of another conversation'] });
      assert.deepEqual(await store.history('nobody', { limit: 9 }), { items: [] });
      assert.deepEqual(await store.historyFrom('nobody', 2, 9), { items: [], first: 0 });
    },
  ],
  [
    'participants are found in each conversation once, however many they are and however they came, as long as it is kept',
    async ({ store, pass }) => {
      const crowd = Array.from({ length: 40 }, (_, i) => `person ${i}`);
      const check = async (people: readonly string[], expected: readonly string[]) => {
        for (const person of people)
          assert.deepEqual([person, [...(await store.conversationsOf(person))].sort()], [person, expected]);
      };
      for (const [i, person] of crowd.entries()) await record(store, 'authors', `e${i}`, { person });
      await record(store, 'authors', 'again', { person: 'person 39' });
      await turn(store, 'c', { people: crowd, open: true });
      await turn(store, 'brief', { people: crowd, open: true, retention: short, dedupeWindow: short });
      await turn(store, 'gone', { people: crowd.slice(0, 20), retention: short });
      await turn(store, 'd', { people: ['person 1', 'person 39'] });
      await pass(4 * later);
      assert.ok((await store.due(9)).conversations.includes('brief'), 'its participants are to be listed anew');
      await turn(store, 'brief');
      await check(crowd.slice(2, 39), ['authors', 'brief', 'c']);
      await check(['person 1', 'person 39'], ['authors', 'brief', 'c', 'd']);
      await check(['nobody'], []);
      for (const id of ['authors', 'brief']) await erase(store, id);
      await check(crowd.slice(2, 39), ['c']);
      await erase(store, 'c');
      await check(['person 0', 'person 20'], []);
      await check(['person 1', 'person 39'], ['d']);
    },
  ],
  [
    'ids that lead nowhere find nothing, and a limit of 0 gives nothing',
    async ({ store }) => {
      for (const id of ['', 'x', '*', askId('c', 'never asked'), 'ffffffff-ffff-8fff-8fff-ffffffffffff'])
        assert.equal(await store.find(id), null);
      assert.deepEqual([await store.outcome('c', 'e'), await store.sentAs('c', 'n')], [null, null]);
      const asks = { opened: [{ id: askId('c', 'a'), at: 1 }] };
      await turn(store, 'c', { history: ['1'], asks });
      assert.deepEqual((await store.due(0)).conversations, []);
      assert.deepEqual(await store.unsent({ channels: ['web'], limit: 0, sendLease: 1 }), []);
      assert.deepEqual(await store.list('open', { limit: 0 }), { items: [] });
      assert.deepEqual(await store.settled({ limit: 0 }), { items: [] });
      assert.deepEqual((await store.history('c', { limit: 0 })).items, []);
      assert.deepEqual(await store.historyFrom('c', 0, 0), { items: [], first: 0 });
      assert.equal((await store.list('open', { limit: Number.POSITIVE_INFINITY })).items.length, 1);
    },
  ],
  [
    'a limit that is none and a cursor that no page gave are refused',
    async ({ store }) => {
      const refused = { code: 'bad-option' };
      const pagesOf = (page: { limit: number; cursor?: string }) => [
        () => store.list('open', page),
        () => store.settled(page),
        () => store.history('c', page),
        () => store.changes(page),
      ];
      for (const limit of [-1, Number.NaN]) {
        for (const read of pagesOf({ limit })) await assert.rejects(read, refused);
        await assert.rejects(store.due(limit), refused);
        await assert.rejects(store.unsent({ channels: ['web'], limit, sendLease: 1 }), refused);
        await assert.rejects(store.historyFrom('c', 0, limit), refused);
      }
      for (const from of [-1, 1.5, Number.NaN, '1' as unknown as number])
        await assert.rejects(store.historyFrom('c', from, 9), refused);
      const { cursor: now } = await store.changes({ limit: 1 });
      const strings = ['', 'x', 'x:1', '-1', '-1:x', 'NaN:x', '1e9', ' 1', '0x1', '1.5', `${now}x`];
      const others = [null, 5, 10n, {}, ['c']] as unknown as readonly string[];
      for (const cursor of [...strings, ...others])
        for (const read of pagesOf({ limit: 1, cursor })) await assert.rejects(read, refused, String(cursor));
    },
  ],
];
