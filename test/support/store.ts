/** What the tests of all stores share. */
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { inspect } from 'node:util';
import { StoredRecord } from '../../src/core/format/stored.js';
import type { Clock } from '../../src/machine/clock.js';
import { Tables } from '../../src/stores/memory/tables.js';

/** A store's logger that says nothing. */
export const silent = { warn: () => {}, debug: () => {} };

/** Where files are quickest, because no commit waits for a disk: for tests that are not about files. */
export const quickest = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** JSON in which each record stands as its value, where that is known, and as its text. */
export const jsonOf = (value: unknown): string =>
  JSON.stringify(value, function (this: Readonly<Record<string, unknown>>, name, inJson: unknown) {
    const record = this[name];
    return record instanceof StoredRecord ? [record.value, record.text] : inJson;
  });

/** Everything that a memory store holds. */
export function heldBy(store: object): string {
  const tables: unknown = Reflect.get(store, 'tables');
  if (!(tables instanceof Tables)) throw new Error('This is no memory store.');
  return inspect(tables, { depth: 30, maxArrayLength: null, maxStringLength: null });
}

/** A clock that stands still until it is moved. */
export function standing(start = 1_700_000_000_000): Clock & { time: number } {
  const clock = { time: start, now: () => clock.time, elapsed: () => clock.time, after: () => () => {} };
  return clock;
}
