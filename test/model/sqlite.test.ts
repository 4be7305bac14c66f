/** Random histories in a file, each process with a connection of its own: what comes of them is what the model says. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Clock, systemClock } from '../../src/machine/clock.js';
import { SqliteStore } from '../../src/stores/sqlite/index.js';
import { FakeClock } from '../../src/testing/index.js';
import { silent } from '../stores/sqlite-kit.js';
import { type Ground, standing } from './grounds.js';
import { kept } from './kept.js';
import { factor, firstFailure, missing, played, type Seen } from './playing.js';

/** Where files are quickest: what a disk survives is tested elsewhere. */
const quickest = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

function inFile(): Ground {
  const clock = new FakeClock();
  // the store's own looking about goes by the machine's clock: in ours it would look every 50 ms of ten minutes
  const time: Clock = { ...systemClock, now: () => clock.now(), elapsed: () => clock.elapsed() };
  const folder = mkdtempSync(join(quickest, 'askback-model-'));
  return standing('sqlite', clock, {
    store: () => new SqliteStore({ path: join(folder, 'askback.db'), clock: time, logger: silent }),
    close: async () => rmSync(folder, { recursive: true, force: true }),
  });
}

test(
  'any history in a file ends as the model says',
  async () => {
    const seen: Seen = new Map();
    const within = 10_000;
    expect(await firstFailure({ ground: inFile, runs: 80, length: 30, seen, within })).toBeUndefined();
    expect(missing(seen, ['accepted', 'insufficient', 'ordinary', 'ask answered', 'ask expired'])).toEqual([]);
  },
  60_000 * factor + 60_000,
);

test.each(kept)('kept: $name', async ({ history }) => {
  expect(await played(history, inFile())).toEqual([]);
});
