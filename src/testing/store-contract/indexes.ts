/**
 * The stories of what can be found across conversations, and of what a conversation keeps: asks, parked work, people, history.
 */
import assert from 'node:assert/strict';
import type { AgentError } from '../../core/errors.js';
import type { Store } from '../../stores/port.js';
import {
  askId,
  begin,
  dice,
  finishing,
  hold,
  later,
  long,
  out,
  record,
  type StoreStory,
  saved,
  saving,
  short,
  taking,
  turn,
} from './kit.js';

const nothing = { opened: [], settled: [] };

/** All pages of a list, with `between` done after each. */
async function pages(
  store: Store,
  what: 'open' | 'parked',
  limit: number,
  between = async () => {},
): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | undefined, page = 0; page < 1000; page++) {
    const got = await store.list(what, { limit, ...(cursor !== undefined && { cursor }) });
    assert.ok(got.items.length <= limit);
    ids.push(...got.items.map(({ id }) => id));
    cursor = got.cursor;
    if (cursor === undefined) return ids;
    await between();
  }
  throw new Error('the pages of a list never end');
}

export const indexStories: readonly StoreStory[] = [
  [
    'an open ask is found and listed with its conversation until it is settled, then its record is found',
    async ({ store }) => {
      const id = askId('c', 'a');
      assert.equal(await store.find(id), null);
      await turn(store, 'c', { open: true, asks: { opened: [{ id, at: 17 }], settled: [] } });
      assert.deepEqual(await store.find(id), { conversationId: 'c' });
      assert.deepEqual((await store.list('open', { limit: 10 })).items, [{ id, conversationId: 'c', at: 17 }]);
      assert.deepEqual((await store.list('parked', { limit: 10 })).items, []);

      await turn(store, 'c', { asks: { opened: [], settled: [{ id, record: '{"answer":"yes"}' }] } });
      assert.deepEqual(await store.find(id), { record: '{"answer":"yes"}' });
      assert.deepEqual(await store.list('open', { limit: 10 }), { items: [] });
    },
  ],
  [
    'an ask that is opened under the id of one that is over is the open one',
    async ({ store }) => {
      const id = askId('c', 'again');
      await turn(store, 'c', { asks: { opened: [{ id, at: 1 }], settled: [{ id, record: 'over' }] } });
      assert.deepEqual(await store.find(id), { record: 'over' });
      await turn(store, 'c', { open: true, asks: { opened: [{ id, at: 2 }], settled: [] } });
      assert.deepEqual(await store.find(id), { conversationId: 'c' });
    },
  ],
  [
    'an ask that is opened and settled in one save is settled',
    async ({ store }) => {
      const id = askId('c', 'a');
      await turn(store, 'c', { asks: { opened: [{ id, at: 1 }], settled: [{ id, record: 'r' }] } });
      assert.deepEqual(await store.find(id), { record: 'r' });
      assert.deepEqual((await store.list('open', { limit: 10 })).items, []);
    },
  ],
  [
    'asks of a save inside the turn are found before the turn is over',
    async ({ store }) => {
      const id = askId('c', 'a');
      const by = await begin(store, 'c');
      await saved(store, saving('c', by, { asks: { opened: [{ id, at: 1 }], settled: [] } }, hold));
      assert.deepEqual(await store.find(id), { conversationId: 'c' });
    },
  ],
  [
    'parked work is found and listed until it is taken off the list',
    async ({ store }) => {
      const id = askId('c', 'parked');
      await turn(store, 'c', { open: true, parked: { added: [{ id, at: 5 }], removed: [] } });
      assert.deepEqual(await store.find(id), { conversationId: 'c' });
      assert.deepEqual((await store.list('parked', { limit: 10 })).items, [{ id, conversationId: 'c', at: 5 }]);
      assert.deepEqual((await store.list('open', { limit: 10 })).items, []);
      await turn(store, 'c', { parked: { added: [], removed: [id] } });
      assert.equal(await store.find(id), null);
      assert.deepEqual((await store.list('parked', { limit: 10 })).items, []);
    },
  ],
  [
    'open asks of many conversations come by time and id, on pages that neither repeat nor leave out',
    async ({ store }) => {
      const expected: { id: string; at: number }[] = [];
      for (let i = 0; i < 40; i++) {
        const conversationId = `conversation ${i}`;
        // times that are equal for some, and do not rise with the order of saving
        const opened = [0, 1].map((n) => ({ id: askId(conversationId, `${n}`), at: 1000 + ((i * 7) % 10) * 100 + n }));
        await turn(store, conversationId, { open: true, asks: { opened, settled: [] } });
        expected.push(...opened);
      }
      const order = expected.sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1)).map(({ id }) => id);
      for (const limit of [1, 7, 80, 1000]) assert.deepEqual(await pages(store, 'open', limit), order);
    },
  ],
  [
    'pages of a list stay in order while asks are settled and opened around them',
    async ({ store }) => {
      const ids: string[] = [];
      for (let i = 0; i < 12; i++) {
        const id = askId(`c${i}`, 'a');
        ids.push(id);
        await turn(store, `c${i}`, { open: true, asks: { opened: [{ id, at: i * 10 }], settled: [] } });
      }
      let page = 0;
      const seen = await pages(store, 'open', 4, async () => {
        page += 1;
        if (page !== 1) return;
        const settle = (i: number) => ({ ...nothing, settled: [{ id: ids[i] as string, record: 'r' }] });
        await turn(store, 'c1', { asks: settle(1) }); // seen already
        await turn(store, 'c3', { asks: settle(3) }); // the one the cursor stands on
        await turn(store, 'c6', { asks: settle(6) }); // still to come
        await turn(store, 'c0', { asks: { opened: [{ id: askId('c0', 'early'), at: 5 }], settled: [] } });
      });
      assert.deepEqual(
        seen,
        ids.filter((_, i) => i !== 6),
      );
    },
  ],
  [
    'history comes back oldest first, page by page from the end, and is never mixed up between conversations',
    async ({ store }) => {
      await turn(store, 'c', { history: ['1', '2', '3'] });
      await turn(store, 'd', { history: ['other'] });
      await turn(store, 'c', { history: ['4', '5'] });
      assert.deepEqual(await store.history('c', { limit: 10 }), { items: ['1', '2', '3', '4', '5'] });
      const last = await store.history('c', { limit: 2 });
      assert.deepEqual(last.items, ['4', '5']);
      assert.ok(last.cursor !== undefined);
      await turn(store, 'c', { history: ['6'] });
      const before = await store.history('c', { limit: 2, cursor: last.cursor });
      assert.deepEqual(before.items, ['2', '3']);
      assert.ok(before.cursor !== undefined);
      assert.deepEqual(await store.history('c', { limit: 2, cursor: before.cursor }), { items: ['1'] });
      assert.deepEqual(await store.history('nobody', { limit: 2 }), { items: [] });
      assert.deepEqual(await store.history('c', { limit: 6 }), { items: ['1', '2', '3', '4', '5', '6'] });
    },
  ],
  [
    'a history keeps its limit of items, the oldest are dropped first, and pages end at the oldest that is kept',
    async ({ store }) => {
      for (let i = 0; i < 10; i += 1) await turn(store, 'c', { history: [`in ${i}`, `out ${i}`], historyLimit: 5 });
      await turn(store, 'd', { history: ['other'], historyLimit: 5 });
      assert.deepEqual(await store.history('c', { limit: 99 }), {
        items: ['out 7', 'in 8', 'out 8', 'in 9', 'out 9'],
      });
      const last = await store.history('c', { limit: 3 });
      assert.deepEqual(last.items, ['out 8', 'in 9', 'out 9']);
      assert.deepEqual(await store.history('c', { limit: 3, ...last }), { items: ['out 7', 'in 8'] });
      assert.deepEqual(await store.history('c', { limit: 2, ...last }), { items: ['out 7', 'in 8'] });
      assert.deepEqual(await store.history('d', { limit: 99 }), { items: ['other'] });
    },
  ],
  [
    'a cursor of a history stays true while items are added and dropped, and is at the end when all before it are gone',
    async ({ store }) => {
      const add = (...history: string[]) => turn(store, 'c', { history, historyLimit: 6 });
      await add('1', '2', '3', '4', '5', '6');
      const { cursor = '' } = await store.history('c', { limit: 2 });
      assert.deepEqual((await store.history('c', { limit: 2, cursor })).items, ['3', '4']);
      await add('7', '8', '9');
      assert.deepEqual(await store.history('c', { limit: 2, cursor }), { items: ['4'] });
      await add('10');
      assert.deepEqual(await store.history('c', { limit: 2, cursor }), { items: [] });
      await add('11', '12', '13', '14');
      assert.deepEqual(await store.history('c', { limit: 2, cursor }), { items: [] });
      assert.deepEqual(await store.history('c', { limit: 9 }), { items: ['9', '10', '11', '12', '13', '14'] });
    },
  ],
  [
    'a save that adds more than the limit of a history leaves the last of it, and a limit that is changed counts from then on',
    async ({ store }) => {
      const add = (historyLimit: number, ...history: string[]) => turn(store, 'c', { history, historyLimit });
      const all = async () => (await store.history('c', { limit: 99 })).items;
      await add(2, '1', '2', '3', '4');
      assert.deepEqual(await all(), ['3', '4']);
      await add(4, '5');
      assert.deepEqual(await all(), ['3', '4', '5'], 'what was dropped does not come back');
      await add(4, '6', '7');
      assert.deepEqual(await all(), ['4', '5', '6', '7']);
      await add(1);
      assert.deepEqual(await all(), ['4', '5', '6', '7'], 'nothing is added, nothing is dropped');
      await add(1, '8');
      assert.deepEqual(await store.history('c', { limit: 99 }), { items: ['8'] });
      await add(3, '9');
      const { cursor = '' } = await store.history('c', { limit: 1 });
      assert.deepEqual(await store.history('c', { limit: 9, cursor }), { items: ['8'] });
    },
  ],
  [
    'whatever is added to a history under whatever limit, its pages are the last items and every cursor leads where it did',
    async ({ store }) => {
      const roll = dice();
      const all: string[] = [];
      const cursors = new Map<string, number>();
      for (let step = 0, first = 0; step < 40; step += 1) {
        const history = Array.from({ length: roll(5) }, (_, i) => `${step}.${i}`);
        const historyLimit = 1 + roll(8);
        await turn(store, 'c', { history, historyLimit });
        all.push(...history);
        if (history.length > 0) first = Math.max(first, all.length - historyLimit);
        const limit = 1 + roll(3);
        const seen: string[] = [];
        let page = await store.history('c', { limit });
        for (;;) {
          assert.ok(page.items.length <= limit);
          seen.unshift(...page.items);
          const { cursor } = page;
          if (cursor === undefined) break;
          cursors.set(cursor, all.indexOf(page.items[0] ?? ''));
          page = await store.history('c', { limit, cursor });
        }
        assert.deepEqual(seen, all.slice(first));
        for (const [cursor, before] of cursors) {
          const { items } = await store.history('c', { limit: 99, cursor });
          assert.deepEqual(items, all.slice(first, before));
        }
      }
    },
  ],
  [
    'a history of which the oldest were dropped goes with its conversation, and the next one of the same id counts anew',
    async ({ store, pass }) => {
      const add = (retention: number, ...history: string[]) =>
        turn(store, 'c', { history, historyLimit: 2, retention });
      await add(short, '1', '2', '3', '4');
      await pass(later);
      assert.deepEqual(await store.history('c', { limit: 9 }), { items: [] });
      await add(long, '5', '6');
      assert.deepEqual(await store.history('c', { limit: 9 }), { items: ['5', '6'] });
      const { cursor = '' } = await store.history('c', { limit: 1 });
      assert.deepEqual(await store.history('c', { limit: 9, cursor }), { items: ['5'] });
    },
  ],
  [
    'a history is read on from any number, up to a limit, and tells which of it is gone',
    async ({ store }) => {
      await turn(store, 'c', { history: ['0', '1', '2'] });
      await turn(store, 'd', { history: ['other'] });
      await turn(store, 'c', { history: ['3', '4'] });
      assert.deepEqual(await store.historyFrom('c', 0, 9), { items: ['0', '1', '2', '3', '4'], first: 0 });
      assert.deepEqual(await store.historyFrom('c', 3, 1), { items: ['3'], first: 3 });
      assert.deepEqual(await store.historyFrom('c', 5, 9), { items: [], first: 5 });
      assert.deepEqual(await store.historyFrom('c', 99, 9), { items: [], first: 5 }, 'so many never were');
      assert.deepEqual(await store.historyFrom('c', 1, 0), { items: [], first: 1 });
      await turn(store, 'c', { history: ['5', '6'], historyLimit: 3 });
      assert.deepEqual(await store.historyFrom('c', 2, 9), { items: ['4', '5', '6'], first: 4 }, 'older ones are gone');
      assert.deepEqual(await store.historyFrom('nobody', 2, 9), { items: [], first: 0 });
      for (const from of [-1, 1.5, Number.NaN, '1' as unknown as number])
        await assert.rejects(store.historyFrom('c', from, 9), { code: 'bad-option' });
    },
  ],
  [
    'whoever holds a conversation is told the number that its next history item will have',
    async ({ store }) => {
      const first = await begin(store, 'c');
      assert.equal(first.historyEnd, 0);
      await record(store, 'c', 'behind');
      const { next: second } = await saved(store, finishing('c', first, { history: ['0', '1', '2'], historyLimit: 2 }));
      assert.equal(second?.historyEnd, 3, 'items keep their numbers when older ones are dropped');
    },
  ],
  [
    'settled asks are found and listed for their retention, however much of the history is dropped',
    async ({ store, pass }) => {
      const ids = ['a', 'b', 'c', 'd'].map((name) => askId('c', name));
      for (const id of ids) {
        const settled = [{ id, record: `record of ${id}` }];
        await turn(store, 'c', { asks: { opened: [], settled }, history: ['x', 'y'], historyLimit: 1, open: true });
      }
      assert.deepEqual([...(await store.settledAsks('c'))].sort(), [...ids].sort());
      for (const id of ids) assert.deepEqual(await store.find(id), { record: `record of ${id}` });
      assert.deepEqual(await store.settledAsks('d'), []);

      const brief = askId('e', 'brief');
      const kept = askId('e', 'kept');
      for (const [id, retention] of [
        [kept, long],
        [brief, short],
      ] as const) {
        const settled = [{ id, record: 'r' }];
        await turn(store, 'e', {
          asks: { opened: [], settled },
          history: ['x'],
          historyLimit: 1,
          retention,
          open: true,
        });
      }
      await pass(later);
      assert.deepEqual(await store.settledAsks('e'), [kept], 'a shorter retention of another ask changes nothing');
      await turn(store, 'e', { history: ['y'], historyLimit: 1, open: true });
      assert.deepEqual(await store.settledAsks('e'), [kept]);
      assert.deepEqual(await store.find(kept), { record: 'r' });
    },
  ],
  [
    'a person is found in every conversation they take part in, once each',
    async ({ store }) => {
      await turn(store, 'c', { people: ['ann', 'bob'] });
      await turn(store, 'd', { people: ['ann'] });
      await turn(store, 'c', { people: ['ann'] });
      assert.deepEqual([...(await store.conversationsOf('ann'))].sort(), ['c', 'd']);
      assert.deepEqual(await store.conversationsOf('bob'), ['c']);
      assert.deepEqual(await store.conversationsOf('nobody'), []);
    },
  ],
  [
    'the author of an entry that nobody has worked on is found, and not any more after an erase',
    async ({ store }) => {
      await record(store, 'c', 'first', { person: 'ann' });
      await record(store, 'c', 'second', { person: 'bob' });
      await record(store, 'c', 'third', { person: 'ann' });
      for (const person of ['ann', 'bob']) assert.deepEqual(await store.conversationsOf(person), ['c']);
      const state = await store.conversation('c');
      assert.ok(state);
      const { incarnation, revision } = state;
      const gone = { conversationId: 'c', incarnation, revision, asks: [], parked: [], people: [], retention: 1_000 };
      assert.equal(await store.erase(gone), true);
      for (const person of ['ann', 'bob']) assert.deepEqual(await store.conversationsOf(person), []);
    },
  ],
  [
    'ids that lead nowhere find nothing',
    async ({ store }) => {
      for (const id of ['', 'x', '*', askId('c', 'never asked'), 'ffffffff-ffff-8fff-8fff-ffffffffffff']) {
        assert.equal(await store.find(id), null);
      }
      assert.equal(await store.outcome('c', 'e'), null);
      await finishingTurnLeavesOthersAlone(store);
    },
  ],
  [
    'an id that is no string is refused by its name, wherever it is given, and nothing is read or written',
    async ({ store }) => {
      await turn(store, 'c', { history: ['1'] });
      for (const wrong of [undefined, null, 5, 10n, {}, ['c']] as unknown as readonly string[]) {
        const page = { limit: 1 };
        const calls: readonly (readonly [string, () => Promise<unknown>])[] = [
          ['conversationId', () => store.conversation(wrong)],
          ['conversationId', () => store.outcome(wrong, 'e')],
          ['entryId', () => store.outcome('c', wrong)],
          ['id', () => store.find(wrong)],
          ['conversationId', () => store.settledAsks(wrong)],
          ['conversationId', () => store.history(wrong, page)],
          ['participantId', () => store.conversationsOf(wrong)],
          ['conversationId', () => store.sentAs(wrong, 'a')],
          ['name', () => store.sentAs('c', wrong)],
          ['what', () => store.list(wrong as 'open', page)],
          ['holds[].conversationId', () => store.renew([{ conversationId: wrong, token: 't' }], 1)],
          ['holds[].token', () => store.renew([{ conversationId: 'c', token: wrong }], 1)],
          ['conversationId', () => store.take(taking(wrong))],
        ];
        for (const [name, call] of calls) {
          await assert.rejects(call(), (error: AgentError) => {
            assert.equal(error.code, 'bad-option');
            assert.ok(error.message.startsWith(`${name} must be `), `${name}: ${error.message}`);
            return true;
          });
        }
        if (wrong === undefined) continue; // no cursor: the first page
        const refused = { code: 'bad-option', message: /^cursor .* is none\./ };
        await assert.rejects(store.list('open', { limit: 1, cursor: wrong }), refused);
        await assert.rejects(store.history('c', { limit: 1, cursor: wrong }), refused);
      }
    },
  ],
  [
    'a limit that is none and a cursor that no page gave are refused; a limit of 0 gives nothing',
    async ({ store }) => {
      await turn(store, 'c', {
        history: ['1'],
        asks: { opened: [{ id: askId('c', 'a'), at: 1 }], settled: [] },
        outputs: [out('k')],
        loan: 0,
      });
      const refused = { code: 'bad-option' };
      for (const limit of [-1, Number.NaN]) {
        await assert.rejects(store.due(limit), refused);
        await assert.rejects(store.unsent({ channels: ['web'], limit, loan: 1 }), refused);
        await assert.rejects(store.list('open', { limit }), refused);
        await assert.rejects(store.history('c', { limit }), refused);
      }
      for (const cursor of ['', 'x', 'x:1', '-1', '-1:x', 'NaN:x', '1e9', ' 1', '0x1']) {
        await assert.rejects(store.list('open', { limit: 1, cursor }), refused);
        await assert.rejects(store.history('c', { limit: 1, cursor }), refused);
      }
      assert.deepEqual((await store.due(0)).conversations, []);
      assert.deepEqual(await store.unsent({ channels: ['web'], limit: 0, loan: 1 }), []);
      assert.deepEqual(await store.list('open', { limit: 0 }), { items: [] });
      assert.deepEqual((await store.history('c', { limit: 0 })).items, []);
      assert.equal((await store.list('open', { limit: Number.POSITIVE_INFINITY })).items.length, 1);
    },
  ],
];

async function finishingTurnLeavesOthersAlone(store: Store): Promise<void> {
  const by = await begin(store, 'c', 'e');
  await saved(store, finishing('c', by));
  assert.equal(await store.outcome('d', 'e'), null);
  assert.equal(await store.outcome('c', 'f'), null);
}
