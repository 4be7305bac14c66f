/** What only the SQLite store promises: one disk write for many steps, a time that goes on, little by little sweeping. */
import { expect, test, vi } from 'vitest';
import type { AgentError } from '../../../src/core/errors.js';
import { systemClock } from '../../../src/machine/clock.js';
import { findDriver } from '../../../src/stores/sqlite/driver.js';
import { SqliteStore } from '../../../src/stores/sqlite/index.js';
import { Time } from '../../../src/stores/time.js';
import {
  askId,
  begin,
  claim,
  entry,
  finishing,
  out,
  read,
  record,
  release,
  saved,
  taking,
  turn,
} from '../../../src/testing/store-contract/kit.js';
import { type Store, textStore } from '../../../src/testing/store-contract/texts.js';
import { beside, freshPath, opened } from '../../support/sqlite-store.js';
import { silent, standing } from '../../support/store.js';
import { checkFile } from './look.js';

test('steps of one moment share one transaction, and each is answered for itself', async () => {
  const { store, path } = await opened();
  const file = await beside(path);
  const version = () => file.get<{ data_version: number }>('PRAGMA data_version')?.data_version ?? 0;
  let commits = 0;
  let before = version();
  const watch = setInterval(() => {
    if (version() !== before) commits += 1;
    before = version();
  }, 0);
  const ids = Array.from({ length: 60 }, (_, i) => `c${i}`);
  const taken = await Promise.all(ids.map((id) => store.take(taking(id, { entry: entry('e') }))));
  clearInterval(watch);
  expect(taken.map(({ claim: by }) => by?.entry?.id)).toEqual(ids.map(() => 'e'));
  expect(commits).toBeLessThan(5);
  checkFile(file);
});

test('a step that fails undoes nothing of those that share its transaction', async () => {
  const { store, path } = await opened();
  const file = await beside(path);
  const by = await begin(store, 'c', 'e');
  const broken = {
    conversationId: 'd',
    token: 't',
    turn: 'u',
    lease: 0,
    entry: { id: 'e', data: true as never, room: 9 },
  };
  const [one, two, three] = await Promise.allSettled([
    record(store, 'before', 'e'),
    store.take(broken),
    store.save(finishing('c', by, { document: 'kept' }, release())),
  ]);
  expect([one.status, two.status, three.status]).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect((await read(store, 'c')).document).toBe('kept');
  expect((await read(store, 'before')).queue).toHaveLength(1);
  expect(await store.conversation('d')).toBeNull();
  checkFile(file);
});

test('the clock is set back: time within the file never goes back, and goes on', async () => {
  const clock = {
    wall: 1_700_000_000_000,
    ran: 0,
    now: () => clock.wall,
    elapsed: () => clock.ran,
    after: () => () => {},
  };
  const { store, path } = await opened({ clock });
  const by = await begin(store, 'c', 'e', 30_000);
  clock.wall -= 3_600_000;
  expect((await record(store, 'c', 'e2')).now).toBe(by.now);
  clock.ran += 20_000;
  expect((await record(store, 'c', 'e3')).now).toBe(by.now + 20_000);
  expect((await store.due(9)).conversations).toEqual([]);
  clock.ran += 10_000;
  expect((await store.due(9)).conversations).toEqual(['c']); // a lease still runs out

  const warnings: string[] = [];
  const logger = { ...silent, warn: (text: string) => warnings.push(text) };
  const { store: other } = await opened({ path, clock, logger });
  expect((await record(other, 'c', 'e4')).now, 'also for a process that starts now').toBeGreaterThanOrEqual(
    by.now + 20_000,
  );
  expect(warnings.join()).toMatch(
    /askback\.db was written \d+ s after the time that this machine shows.*check the machine's clock/,
  );
});

test('two processes whose clocks differ see one time', async () => {
  const ahead = { ...systemClock, now: () => systemClock.now() + 600_000 };
  const { store: late, path } = await opened();
  const { store: early } = await opened({ path, clock: ahead });
  const by = await begin(early, 'c', 'e', 50);
  expect((await store(late)).held).toBe(true);
  await vi.waitFor(async () => expect((await late.due(9)).conversations).toEqual(['c']), {
    timeout: 60_000,
    interval: 20,
  });
  expect((await claim(late, 'c')).now).toBeGreaterThan(by.now);
  function store(one: Store) {
    return read(one, 'c');
  }
});

test('time is shown in whole milliseconds that add up', () => {
  const clock = { wall: 1_000, ran: 0, now: () => clock.wall, elapsed: () => clock.ran, after: () => () => {} };
  const time = new Time(clock);
  expect(time.now(5_000)).toBe(5_000);
  for (let i = 0; i < 10; i++) {
    clock.ran += 0.4;
    time.now(0);
  }
  expect(time.now(0)).toBe(5_004);
});

test('what is over is gone at once for everybody, and swept up little by little', async () => {
  const clock = standing();
  const { store, path } = await opened({ clock });
  const file = await beside(path);
  const asks = (id: string) => ({ opened: [], settled: [{ id: askId(id, 'a'), record: 'r', at: 1 }] });
  for (let i = 0; i < 30; i++) {
    const by = await begin(store, `c${i}`, 'e');
    const changes = {
      document: 'd',
      history: ['h'],
      people: ['p'],
      asks: asks(`c${i}`),
    };
    await saved(store, finishing(`c${i}`, by, { ...changes, retention: 100, dedupeWindow: 100 }, release()));
  }
  clock.time += 200;
  expect(await store.conversationsOf('p')).toEqual([]);
  expect(await store.find(askId('c7', 'a'))).toBeNull();
  expect((await begin(store, 'c7', 'e')).document).toBeNull();
  const left = () =>
    file.get<{ k: number }>(
      'SELECT (SELECT count(*) FROM conversation) + (SELECT count(*) FROM mark) + (SELECT count(*) FROM settled) AS k',
    )?.k;
  expect(left()).toBeGreaterThan(30); // no step waits for all of it
  await store.due(1);
  await vi.waitFor(() => expect(left()).toBe(1), { timeout: 60_000, interval: 5 });
  checkFile(file);
});

test('the outputs of a conversation go out in the order of saving, also after a second try', async () => {
  const clock = standing();
  const { store } = await opened({ clock });
  await turn(store, 'c', { outputs: [out('1'), out('2', { channel: 'mail' })], sendLease: 10 });
  await turn(store, 'c', { outputs: [out('3'), out('4', { channel: 'mail' })], sendLease: 0 });
  await store.sent([{ conversationId: 'c', key: '1', channel: 'web', again: { in: 50, data: '' } }]);
  clock.time += 60;
  const lent = await store.unsent({ channels: ['mail', 'web'], limit: 3, sendLease: 10 });
  expect(lent.map(({ key }) => key)).toEqual(['1', '2', '3']);
});

test('erased texts are not left in the file', async () => {
  const { store, path } = await opened();
  const by = await turn(store, 'c', { document: 'secret '.repeat(3_000), history: ['secret'], open: true });
  const life = { conversationId: 'c', incarnation: by.incarnation, revision: 1, retention: 1_000 };
  expect(await store.erase({ ...life, asks: [], parked: [] })).toBe(true);
  await store.close();
  const { readFileSync } = await import('node:fs');
  expect(readFileSync(path).includes('secret')).toBe(false);
});

test('a store that is not open, or closed, says so; it can be opened again', async () => {
  const store = textStore(new SqliteStore({ path: freshPath(), logger: silent }));
  await expect(store.due(1)).rejects.toThrow(/askback\.db is not open yet\. Call open\(\) first\./);
  await store.open();
  const last = record(store, 'c', 'e');
  await store.close();
  expect((await last).entry).toBe('recorded'); // what was begun is finished first
  await expect(store.due(1)).rejects.toThrow(/is closed/);
  await store.open();
  expect((await store.due(1)).conversations).toEqual(['c']);
  await store.close();
});

test('a driver that is there and cannot be loaded is told with its cause, and not as missing', async () => {
  const bundled = {
    builtIn: () => undefined,
    libsql: () => Promise.reject(new Error('Dynamic require of "path" is not supported')),
  };
  await expect(findDriver(bundled)).rejects.toThrow(/Dynamic require of "path" is not supported.*keep libsql external/);
});

test('without any driver the error has the line that installs one', async () => {
  const none = {
    builtIn: () => undefined,
    libsql: () =>
      Promise.reject(Object.assign(new Error("Cannot find package 'libsql'"), { code: 'ERR_MODULE_NOT_FOUND' })),
  };
  await expect(findDriver(none)).rejects.toThrow(/SqliteStore needs a driver.*Run: npm install libsql$/);
  await expect(findDriver(none)).rejects.toMatchObject({ code: 'missing-package' } satisfies Partial<AgentError>);
});

test('looking for the driver leaves warnings as they were', async () => {
  const { emitWarning } = process;
  await findDriver();
  expect(process.emitWarning).toBe(emitWarning);
});
