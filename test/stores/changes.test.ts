/**
 * Changes that are too old for a reader: it is told so, and never left to believe that nothing happened.
 */
import { rmSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { buckets } from '../../src/core/ids.js';
import { MemoryStore } from '../../src/index.js';
import { changesCursor, changesPage, type GroupChanges } from '../../src/stores/redis/changes.js';
import { SqliteStore } from '../../src/stores/sqlite/index.js';
import { FakeClock } from '../../src/testing/index.js';
import { askId, turn } from '../../src/testing/store-contract/kit.js';
import { textStore } from '../../src/testing/store-contract/texts.js';
import { freshPath } from '../support/sqlite-store.js';

const minutes = (count: number) => count * 60_000;

test.each(['memory', 'SQLite'])(
  '%s keeps changes for ten minutes; a reader that comes later is told of the gap, and goes on',
  async (name) => {
    const clock = new FakeClock();
    const path = freshPath();
    const store = textStore(name === 'memory' ? new MemoryStore({ clock }) : new SqliteStore({ path, clock }));
    onTestFinished(async () => {
      await store.close();
      rmSync(path, { force: true });
    });
    await store.open();
    const ask = (i: number) =>
      turn(store, `c${i}`, { open: true, asks: { opened: [{ id: askId(`c${i}`, 'a'), at: i }] } });
    const { cursor: start } = await store.changes({ limit: 9 });
    for (let i = 0; i < 40; i += 1) await ask(i);
    await clock.advance(minutes(9));
    expect((await store.changes({ limit: 99, cursor: start })).items).toHaveLength(40);
    const { cursor: read } = await store.changes({ limit: 10, cursor: start });
    await clock.advance(minutes(2));
    for (let i = 40; i < 140; i += 1) await ask(i);
    const late = await store.changes({ limit: 999, cursor: read });
    expect([late.items, late.gap]).toEqual([[], true]);
    await ask(140);
    const next = await store.changes({ limit: 999, cursor: late.cursor });
    expect([next.items.map(({ conversationId }) => conversationId), next.gap]).toEqual([['c140'], undefined]);
  },
);

test('a cursor of an earlier process is a gap in a new memory store', async () => {
  const clock = new FakeClock();
  const before = textStore(new MemoryStore({ clock }));
  await turn(before, 'c', { open: true, asks: { opened: [{ id: askId('c', 'a'), at: 1 }] } });
  const { cursor } = await before.changes({ limit: 1 });
  await clock.advance(1);
  expect(await new MemoryStore({ clock }).changes({ limit: 1, cursor })).toMatchObject({ items: [], gap: true });
});

/** What Redis answers: changes in the first bucket, or none. */
function answered(now: number, last = 0, found: readonly string[] = []): GroupChanges {
  const none = Array.from({ length: buckets - 1 }, () => [0, 0, []] as const);
  return [now, [Math.max(0, last - found.length), last, found], ...none];
}

test('in Redis a reader that was away for longer than changes are kept is told of the gap, others are not', () => {
  const now = Date.UTC(2030, 0, 1);
  const start = changesCursor(changesPage([answered(now)], undefined, 10));
  const soon = changesPage([answered(now + minutes(10), (now + 1) * 1000, [`${now + 1},~a:c`])], start, 10);
  expect([soon.items.length, soon.gap]).toEqual([1, undefined]);
  const quiet = changesPage([answered(now + minutes(20))], changesCursor(soon), 10); // the key has run out, nothing came
  expect([quiet.items.length, quiet.gap]).toEqual([0, undefined]);
  const late = changesPage([answered(now + minutes(10) + 1)], start, 10);
  expect([late.items, late.gap]).toEqual([[], true]);
  const back = changesPage([answered(now + minutes(11), now * 1000)], changesCursor(soon), 10);
  expect(back.gap, 'a server that has lost its last writes').toBe(true);
});
