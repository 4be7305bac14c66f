/** Two builds of askback beside each other, in short. */
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { againstTable, measureAgainst } from '../../../bench/measure/against.js';
import { Stage } from '../../../bench/stage.js';
import { entryOf } from './made.js';

const dist = pathToFileURL(`${fileURLToPath(new URL('../../../dist', import.meta.url))}/`).href;

test('both builds run in turn, and a build that cannot be opened is named', async () => {
  const stage = new Stage();
  try {
    const plan = { lanes: [1, 8], rounds: 1, ms: 20, warmUp: 20, dist, noRedis: undefined, print: () => {} };
    const { pairs, missing } = await measureAgainst(stage, [entryOf('askback-memory')], plan, dist);
    expect(missing).toEqual([]);
    expect(pairs.map(({ lanes }) => lanes)).toEqual([1, 8]);
    for (const { ours, theirs, ratio, quartiles } of pairs) {
      expect(Math.min(ours, theirs, ratio)).toBeGreaterThan(0);
      expect(quartiles[0]).toBeLessThanOrEqual(quartiles[1]);
    }
    const table = againstTable({ pairs, missing, revision: 'abc', command: 'npm run bench', node: '24.0.0' });
    expect(table).toMatch(/\| askback, memory \| 8 \| [\d ]+ \| [\d ]+ \| [\d.]+ \([\d.]+ to [\d.]+\) \| {2}\|/);

    const nowhere = new URL('nowhere/', dist).href;
    const other = await measureAgainst(stage, [entryOf('askback-memory')], plan, nowhere);
    expect(other.pairs).toEqual([]);
    expect(other.missing).toMatchObject([{ name: 'askback, memory' }]);
  } finally {
    await stage.close();
  }
}, 60_000);
