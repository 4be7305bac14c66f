/**
 * The stories of the changes of asks: whoever goes from cursor to cursor misses no save.
 */
import assert from 'node:assert/strict';
import { askId, begin, hold, long, type StoreStory, saved, saving, turn } from '../kit.js';
import type { Store } from '../texts.js';

const id = askId('c', 'a');
const settled = [{ id, record: 'r', at: 1 }];

async function now(store: Store): Promise<string> {
  const { items, cursor, gap } = await store.changes({ limit: 10 });
  assert.deepEqual([items, gap], [[], undefined], 'without a cursor there is only the cursor of now');
  return cursor;
}

/** Reads until nothing is new; says the ids in order, and the cursor. */
async function since(store: Store, from: string, limit = 10): Promise<{ ids: string[]; cursor: string }> {
  const ids: string[] = [];
  for (let cursor = from, page = 0; page < 1000; page += 1) {
    const read = await store.changes({ limit, cursor });
    assert.equal(read.gap, undefined);
    assert.ok(read.items.length <= limit);
    ids.push(...read.items.map((item) => item.id));
    cursor = read.cursor;
    if (read.items.length === 0) return { ids, cursor };
  }
  throw new Error('the changes never end');
}

interface Writer {
  readonly name: string;
  readonly token: string;
  readonly revision: number;
}

/** The writer after a save that opens an ask. */
async function opening(store: Store, writer: Writer, ask: string): Promise<Writer> {
  const asks = { opened: [{ id: ask, at: 1 }] };
  const { revision } = await saved(store, saving(writer.name, writer, { open: true, asks }, hold));
  return { ...writer, revision };
}

export const changeStories: readonly StoreStory[] = [
  [
    'an ask that is opened, changed or settled is told to whoever reads the changes, each time once',
    async ({ store }) => {
      let cursor = await now(store);
      const told = async (): Promise<readonly string[]> => {
        const read = await since(store, cursor);
        cursor = read.cursor;
        return read.ids;
      };
      assert.deepEqual(await told(), []);
      await turn(store, 'c', { open: true, asks: { opened: [{ id, at: 1 }] } });
      const { items } = await store.changes({ limit: 10, cursor });
      assert.deepEqual(
        items.map((item) => [item.id, item.conversationId]),
        [[id, 'c']],
      );
      assert.deepEqual(await told(), [id]);
      await turn(store, 'c', { history: ['nothing of the ask'] });
      assert.deepEqual(await told(), []);
      await turn(store, 'c', { asks: { changed: [id] } });
      assert.deepEqual(await told(), [id]);
      await turn(store, 'c', { open: false, asks: { settled } });
      assert.deepEqual(await told(), [id]);
      assert.deepEqual(await told(), []);
    },
  ],
  [
    'an ask that changed several times since the cursor is told once, at its last change',
    async ({ store }) => {
      const cursor = await now(store);
      const other = askId('c', 'other');
      const opened = [id, other].map((each) => ({ id: each, at: 1 }));
      await turn(store, 'c', { open: true, asks: { opened } });
      await turn(store, 'c', { asks: { changed: [id] } });
      await turn(store, 'c', { asks: { changed: [other] } });
      await turn(store, 'c', { asks: { settled } });
      assert.deepEqual((await since(store, cursor)).ids, [other, id]);
    },
  ],
  [
    'a repeated save is told once',
    async ({ store }) => {
      const by = await begin(store, 'c');
      const call = saving('c', by, { open: true, asks: { opened: [{ id, at: 1 }] } }, hold);
      await saved(store, call);
      const cursor = await now(store);
      await saved(store, call);
      assert.deepEqual((await since(store, cursor)).ids, []);
    },
  ],
  [
    'pages of changes lose nothing while several writers save at once',
    async ({ store }) => {
      let cursor = await now(store);
      const names = Array.from({ length: 8 }, (_, i) => `w${i}`);
      let writers: Writer[] = [];
      for (const name of names) {
        const { token, revision } = await begin(store, name);
        writers.push({ name, token, revision });
      }
      const read: string[] = [];
      const readPage = async (): Promise<void> => {
        const page = await store.changes({ limit: 5, cursor });
        assert.equal(page.gap, undefined);
        read.push(...page.items.map((item) => item.id));
        cursor = page.cursor;
      };
      const rounds = 6;
      for (let round = 0; round < rounds; round += 1) {
        const saves = writers.map((writer) => opening(store, writer, askId(writer.name, `a${round}`)));
        const reading = readPage(); // sent in the same tick
        writers = await Promise.all(saves);
        await reading;
      }
      read.push(...(await since(store, cursor, 5)).ids);
      for (const name of names) {
        const own = Array.from({ length: rounds }, (_, round) => askId(name, `a${round}`));
        assert.deepEqual(
          read.filter((id) => own.includes(id)),
          own,
        );
      }
    },
  ],
  [
    'an erased ask is told once more, without its conversation, open or settled',
    async ({ store }) => {
      const [open, decided] = [askId('c', 'open'), askId('c', 'decided')];
      const cursor = await now(store);
      await turn(store, 'c', { open: true, asks: { opened: [open, decided].map((each) => ({ id: each, at: 1 })) } });
      await turn(store, 'c', { asks: { settled: [{ id: decided, record: 'r', at: 1 }] } });
      const before = await since(store, cursor);
      const state = await store.conversation('c');
      assert.ok(state);
      const { incarnation, revision } = state;
      const asks = [open, decided].map((each) => ({ id: each, tombstone: 't' }));
      const call = { conversationId: 'c', incarnation, revision, asks, parked: [], retention: long };
      assert.equal(await store.erase(call), true);
      assert.equal(await store.erase(call), false);
      for (const each of [cursor, before.cursor]) {
        const { items, gap } = await store.changes({ limit: 10, cursor: each });
        assert.equal(gap, undefined);
        assert.deepEqual(
          items.map((item) => [item.id, item.conversationId]),
          [
            [open, ''],
            [decided, ''],
          ],
        );
      }
    },
  ],
  [
    'a cursor of changes that no page gave is refused',
    async ({ store }) => {
      for (const cursor of ['', 'x', '-1', '1.5', `${await now(store)}x`, 7 as unknown as string]) {
        await assert.rejects(store.changes({ limit: 1, cursor }), { code: 'bad-option' }, JSON.stringify(cursor));
      }
    },
  ],
];
