/** Files that are torn, foreign, newer, read-only or on a full disk: a clear error, nothing lost, and on it goes after. */
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { findDriver } from '../../../src/stores/sqlite/driver.js';
import { SqliteStore, type SqliteStoreOptions } from '../../../src/stores/sqlite/index.js';
import {
  begin,
  entry,
  finishing,
  read,
  record,
  release,
  saved,
  taking,
} from '../../../src/testing/store-contract/kit.js';
import { textStore } from '../../../src/testing/store-contract/texts.js';
import { spawnNode } from '../../support/processes.js';
import { beside, freshFolder, freshPath, opened } from '../../support/sqlite-store.js';
import { silent } from '../../support/store.js';
import { checkFile } from './look.js';

const opening = async (path: string) => {
  const store = new SqliteStore({ path, logger: silent });
  onTestFinished(() => store.close());
  await store.open();
};

/** What a process of its own says after it did something with the file. */
async function inChild(path: string, role: string, user = '') {
  const file = fileURLToPath(new URL('child.mjs', import.meta.url));
  const child = spawnNode(file, [path, 'child', role, user]);
  const said = await child.next<{ open?: boolean; code?: string; failed?: string }>();
  await child.exited;
  return said;
}

/** Root may write anywhere, so there the child becomes somebody else first. */
const asSomebody = (path: string, role: string) => inChild(path, role, process.getuid?.() === 0 ? '65534' : '');

test.each([
  ['a text', 'once upon a time '.repeat(1000)],
  ['a few bytes', 'hello'],
  ['a page of nothing', '\0'.repeat(4096)],
])('%s is no database: refused, and left as it is', async (_, content) => {
  const path = freshPath();
  writeFileSync(path, content);
  await expect(opening(path)).rejects.toMatchObject({
    code: 'bad-record',
    message: expect.stringMatching(/askback\.db is damaged or no SQLite database .* give the store another path\.$/),
  });
  expect(readFileSync(path, 'latin1')).toBe(content);
});

test('somebody else’s database is refused by its tables, and left as it is', async () => {
  const path = freshPath();
  const theirs = (await findDriver())(path);
  theirs.exec('CREATE TABLE invoice (id INTEGER); INSERT INTO invoice VALUES (17)');
  theirs.close();
  const before = readFileSync(path);
  await expect(opening(path)).rejects.toMatchObject({
    code: 'bad-record',
    message: expect.stringMatching(/something else \(tables invoice\).* give the store a path of its own\.$/),
  });
  expect(readFileSync(path)).toEqual(before);
});

test('a file of an older format is refused with what to do, and not a byte of it is written', async () => {
  const path = freshPath();
  const first = textStore(new SqliteStore({ path, logger: silent }));
  await first.open();
  await record(first, 'c', 'e');
  await first.close();
  const old = (await findDriver())(path);
  old.exec('UPDATE askback SET format = 2');
  old.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  old.close();
  const before = readFileSync(path);
  await expect(opening(path)).rejects.toMatchObject({
    code: 'store-unfit',
    message: expect.stringMatching(/has format 2, this release reads format 3 only\..*path of its own/),
  });
  expect(readFileSync(path)).toEqual(before);
});

test.each(["format = 'three'", "last = 'noon'"])(
  'a file whose own row is damaged (%s) is refused by name',
  async (damage) => {
    const path = freshPath();
    const first = new SqliteStore({ path, logger: silent });
    await first.open();
    await first.close();
    const file = (await findDriver())(path);
    file.exec(`UPDATE askback SET ${damage}`);
    file.close();
    await expect(opening(path)).rejects.toMatchObject({
      code: 'bad-record',
      message: expect.stringMatching(/it has no format|its latest time is "noon"/),
    });
  },
);

test('a torn file is refused, and left as it is; put together again it opens with everything', async () => {
  const path = freshPath();
  await inChild(path, 'fill'); // libsql keeps a file in use until its objects are collected
  const whole = readFileSync(path);
  truncateSync(path, Math.floor(whole.length / 2) + 100);
  const torn = readFileSync(path);
  await expect(opening(path)).rejects.toMatchObject({ code: 'bad-record' });
  expect(readFileSync(path)).toEqual(torn);
  writeFileSync(path, whole);
  const { store: again } = await opened({ path });
  expect((await again.due(100)).conversations).toHaveLength(40);
});

test('a file of a newer format is refused until this release is newer too', async () => {
  const { store, path } = await opened();
  await record(store, 'c', 'e');
  const file = await beside(path);
  file.exec('UPDATE askback SET format = 4');
  await expect(opening(path)).rejects.toMatchObject({
    code: 'newer-record',
    message: expect.stringMatching(/has format 4, this release reads up to 3\..*finish the roll-out/),
  });
  file.exec('UPDATE askback SET format = 3');
  await opening(path);
  file.exec('DELETE FROM askback');
  await expect(opening(path)).rejects.toMatchObject({ code: 'bad-record' });
});

test('a path that is a folder, or in a folder that is not there, is named with what to do', async () => {
  const folder = freshFolder();
  await expect(opening(folder)).rejects.toThrow(`${folder} is a folder, expected a file.`);
  const missing = join(folder, 'not', 'there.db');
  await expect(opening(missing)).rejects.toThrow(/no folder: .*not is not there\. Run: mkdir -p/);
  mkdirSync(dirname(missing));
  await opening(missing);
});

test.each([undefined, '', ' ', 17, ':memory:', 'file:x.db', 'libsql://host', 'a\0b'])(
  'the path %j is refused at the call',
  (path) => {
    const options = { path } as SqliteStoreOptions;
    expect(() => new SqliteStore(options)).toThrow(/SqliteStore: path must be a file's path, such as/);
  },
);

test('a folder or a file that may not be written: said clearly, and it works once it may', async () => {
  const folder = join(freshFolder(), 'db');
  mkdirSync(folder);
  chmodSync(dirname(folder), 0o755);
  const path = join(folder, 'askback.db');
  const mayWrite = () => {
    chmodSync(folder, 0o777);
    for (const more of ['-wal', '-shm']) rmSync(path + more, { force: true }); // empty after a close
  };
  mayWrite();
  expect(await asSomebody(path, 'fill')).toEqual({ open: true });
  const refused = [
    [0o444, path],
    [0o000, path],
    [0o555, folder],
  ] as const;
  for (const [mode, of] of refused) {
    mayWrite();
    chmodSync(path, 0o666);
    chmodSync(of, mode);
    const said = await asSomebody(path, 'open');
    expect([mode, said.code]).toEqual([mode, 'store-unavailable']);
    expect(said.failed).toMatch(/askback\.db could not be used: .* may be written by this user\.$/);
  }
  mayWrite();
  expect(await asSomebody(path, 'open')).toEqual({ open: true });
  const { store } = await opened({ path });
  expect((await store.due(100)).conversations).toHaveLength(40);
});

test('a full disk: takes are told "store-full", saves "try again", nothing is half written, and on it goes after', async () => {
  const { store, path } = await opened();
  const by = await begin(store, 'c', 'e');
  const file = await beside(path);
  const limited = (store as unknown as { connection: { current: { db: typeof file } } }).connection.current.db;
  const pages = limited.get<{ page_count: number }>('PRAGMA page_count')?.page_count ?? 0;
  limited.exec(`PRAGMA max_page_count = ${pages}`);
  const big = 'x'.repeat(200_000);

  await expect(store.take(taking('d', { lease: 0, entry: entry('e', { data: big }) }))).rejects.toMatchObject({
    code: 'store-full',
    message: expect.stringMatching(/The disk of .*askback\.db is full .* nothing was written\. Make room/),
  });
  const call = finishing('c', by, { document: big, history: ['h'] }, release());
  await expect(store.save(call)).rejects.toMatchObject({ code: 'store-unavailable', message: /full/ });
  // together: what fits is written, what does not fails alone
  const [huge, small] = await Promise.allSettled([
    store.take(taking('d', { lease: 0, entry: entry('e', { data: big }) })),
    store.renew([{ conversationId: 'c', token: by.token }], 1_000),
  ]);
  expect([huge.status, small.status]).toEqual(['rejected', 'fulfilled']);
  checkFile(file);
  expect(await store.conversation('d')).toBeNull();
  expect((await read(store, 'c')).document).toBeNull();

  limited.exec('PRAGMA max_page_count = 1000000');
  await saved(store, call);
  expect((await read(store, 'c')).document).toBe(big);
  expect((await record(store, 'd', 'e', { data: big })).entry).toBe('recorded');
});

test.each(['removed', 'replaced'] as const)(
  'a file that was %s under the process is noticed: nothing is acknowledged, and it is logged once',
  async (how) => {
    const warned: string[] = [];
    const { store, path } = await opened({ logger: { ...silent, warn: (text) => warned.push(text) } });
    await begin(store, 'c1');
    renameSync(path, `${path}.away`);
    if (how === 'replaced') writeFileSync(path, '');
    for (let i = 0; i < 3; i += 1) {
      await expect(record(store, 'c1', `m${i}`)).rejects.toMatchObject({
        code: 'store-unavailable',
        message: expect.stringMatching(/askback\.db was (removed|replaced).*nothing was written\. Put it back/),
      });
    }
    expect(warned).toHaveLength(1);
    renameSync(`${path}.away`, path);
    await record(store, 'c1', 'm9'); // put back, it goes on
  },
);
