/**
 * A page of open asks costs about the same with 100 000 of them as with 100: both are measured beside each other, page by page.
 */
import { expect, onTestFinished, test } from 'vitest';
import { MemoryStore } from '../../src/index.js';
import { systemClock } from '../../src/machine/clock.js';
import type { Store } from '../../src/stores/port.js';
import { SqliteStore } from '../../src/stores/sqlite/index.js';
import { askId, turn } from '../../src/testing/store-contract/kit.js';
import { textStore } from '../../src/testing/store-contract/texts.js';
import { redisForFile } from '../support/for-file.js';
import { freshPrefix, storeOn } from '../support/redis-store.js';
import { freshPath } from '../support/sqlite-store.js';
import { silent } from '../support/store.js';

const { client } = await redisForFile();

const makers: Readonly<Record<string, () => Store>> = {
  memory: () => new MemoryStore(),
  SQLite: () => new SqliteStore({ path: freshPath(), logger: silent }),
  Redis: () => storeOn(client, { prefix: freshPrefix() }),
};

const many = 100_000;
const inOne = 100;

/** Opens so many asks, with deadlines that are in no order; every third has none. */
async function filled(store: Store, count: number): Promise<Store> {
  await store.open();
  onTestFinished(() => store.close());
  const fill = async (name: string, first: number, size: number) => {
    const opened = Array.from({ length: size }, (_, i) => {
      const number = first + i;
      const id = askId(name, `${number}`);
      return number % 3 === 0 ? { id, at: number } : { id, at: number, deadline: (number * 7919) % 1_000_003 };
    });
    await turn(textStore(store), name, { open: true, asks: { opened } });
  };
  const size = count > 1_000 ? inOne : 1;
  for (let i = 0; i < count; i += 20 * size) {
    const parts = Array.from({ length: 20 }, (_, k) => i + k * size).filter((first) => first < count);
    await Promise.all(parts.map((first) => fill(`c${first}`, first, size)));
  }
  return store;
}

/** The time that a page of 50 takes, and where the next one begins. */
async function page(store: Store, cursor: string | undefined): Promise<{ ms: number; cursor: string | undefined }> {
  const since = systemClock.elapsed();
  const { items, cursor: next } = await store.list('deadline', {
    limit: 50,
    ...(cursor === undefined ? {} : { cursor }),
  });
  const ms = systemClock.elapsed() - since;
  expect(items).toHaveLength(50);
  return { ms, cursor: next };
}

const median = (times: number[]): number => times.sort((a, b) => a - b)[times.length >> 1] as number;

test.each(Object.keys(makers))(
  '%s: a page by deadline of 100 000 open asks costs no more than one of 100',
  async (name) => {
    const make = makers[name] as () => Store;
    const [few, crowd] = [await filled(make(), 100), await filled(make(), many)];
    const times: { few: number[]; many: number[] } = { few: [], many: [] };
    let cursor: string | undefined;
    for (let i = 0; i < 300; i += 1) {
      times.few.push((await page(few, undefined)).ms);
      const read = await page(crowd, cursor);
      times.many.push(read.ms);
      cursor = read.cursor; // from page to page
    }
    const [one, other] = [median(times.few), median(times.many)];
    const [ratio, added] = [other / one, other - one];
    const told = `${name}: ${one.toFixed(3)} ms of 100, ${other.toFixed(3)} ms of 100 000`;
    console.info(told);
    expect(ratio < 3 || added < 0.1, told).toBe(true); // a page of the memory store takes some microseconds
  },
);
