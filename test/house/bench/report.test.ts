/** The ratios and the page, from made-up measurements. */
import { expect, test } from 'vitest';
import { againstTable, comparedOf } from '../../../bench/measure/against.js';
import { duelOf } from '../../../bench/measure/duels.js';
import { summed } from '../../../bench/measure/rounds.js';
import { atLeast, atMost, fine, kib, median, whole, why } from '../../../bench/page/numbers.js';
import { ratiosOf } from '../../../bench/page/ratios.js';
import { page } from '../../../bench/page/report.js';
import { loaded, type Result } from '../../../bench/page/result.js';
import { good, heldOf, resultOf, rowOf } from './made.js';

const ratioOf = (result: Result, what: string) => ratiosOf(result).find((each) => each.what.startsWith(what))?.value;
const swapped = (name: string, rates: [number, number, number], p99?: number): Result => {
  const result = good();
  return { ...result, rows: result.rows.map((row) => (row.entry.name === name ? rowOf(name, rates, p99) : row)) };
};

test('ratios are those of the rounds, rounded down, latencies rounded up', () => {
  const slow = swapped('askback-redis', [1_000, 4_499, 4_900], 51);
  expect(ratioOf(slow, 'Redis over auto-pipelined, at 64')).toBe('0.44');
  expect(ratioOf(slow, 'Redis over auto-pipelined, at 512')).toBe('0.44');
  expect(ratioOf(slow, 'Redis over corked, at 1 ')).toBe('0.33');
  expect(ratioOf(slow, 'Redis: p99 over corked')).toBe('5.10');
  expect(ratioOf(swapped('grammy-redis', [500, 5_201, 3_500]), 'Redis over grammY')).toBe('2.40 / 0.99 / 1.51');
  expect(ratioOf(good(), 'SQLite over LangGraph')).toBe('2.00 / 7.50 / 7.27');
  expect(ratioOf(good(), 'memory over Bot Framework')).toBe('5.00 / 4.50 / 4.73');
});

test('what was measured side by side counts, and is shown with how far it spreads', () => {
  const one = (perSecond: number, p99: number) => ({ perSecond, p99, redisCpu: undefined });
  const block = (ours: number, theirs: number, p99: number) => [one(ours, p99), one(theirs, 10), one(theirs, 10)];
  const blocks = [block(50, 100, 20), block(4, 10, 40), block(900, 2_000, 30), block(46, 100, 90), block(44, 100, 10)];
  const duel = { ...duelOf('bare-auto', 64, blocks), ms: 1_000 };
  expect(duel).toMatchObject({
    theirs: 'bare-auto',
    lanes: 64,
    blocks: 5,
    ratio: 0.45,
    quartiles: [0.44, 0.46],
    p99: 3,
  });
  const slowInRounds = { ...swapped('askback-redis', [1_000, 4_000, 4_000]), duels: [duel] };
  expect(ratioOf(slowInRounds, 'Redis over auto-pipelined, at 64')).toBe('0.45 (0.44 to 0.46)');
  expect(ratioOf(slowInRounds, 'Redis over auto-pipelined, at 512')).toBe('0.36');
  const late = { ...good(), duels: [{ ...duel, theirs: 'bare-corked', p99: 5.1 }] };
  expect(ratioOf(late, 'Redis: p99 over corked')).toBe('5.10');
  expect(page(late)).toContain('the median of 5 blocks, in each of which all run twice for 1 000 ms');
});

test('two builds: pairs a second, and the CPU of Redis where there is one', () => {
  const one = (perSecond: number, redisCpu?: number) => ({ perSecond, p99: 1, redisCpu });
  const compared = comparedOf('askback, Redis', 64, [
    [one(150, 90), one(100, 100)],
    [one(140, 80), one(100, 100)],
    [one(900, 70), one(600, 101)],
  ]);
  expect(compared).toMatchObject({ ratio: 1.5, quartiles: [1.5, 1.5], blocks: 3, redisCpu: [80, 100] });
  const memory = comparedOf('askback, memory', 1, [[one(5), one(5)]]);
  const found = { pairs: [compared, memory], missing: [], revision: 'abc', command: 'npm run bench', node: '20.0.0' };
  expect(againstTable(found)).toContain(
    '| askback, Redis | 64 | 150 | 100 | 1.50 (1.50 to 1.50) | 80.0 / 100 = 0.80 |',
  );
  expect(againstTable(found)).toContain('| askback, memory | 1 | 5 | 5 | 1.00 (1.00 to 1.00) |  |');
});

test('what was not measured has no number and no row', () => {
  const result = resultOf({ rows: [rowOf('askback-redis', [1, 2, 3])] });
  expect(ratiosOf(result).length).toBeGreaterThan(3);
  expect(ratiosOf(result).every(({ value }) => value === undefined)).toBe(true);
  expect(page(result)).not.toContain('## Ratios');
});

test('with many asks held, the last point is compared with the first', () => {
  const heavy = ratiosOf(resultOf({ growth: [heldOf(1_000), heldOf(1_000_000, 0.9, 2_400)] }));
  const many = heavy.filter(({ what }) => /held|history/.test(what));
  expect(many.map(({ value }) => value)).toEqual(['1.12', '1.86 KiB', '2.35 KiB']);
});

test('the page has the command, the versions, and a line for every contender', () => {
  const text = page(good(), ['bench-durable.svg']);
  expect(text).toContain('Made by `npm run bench` on 2026-01-02: Node 20.0.0, Redis 7.0.15 on loopback');
  expect(text).toContain('Medians of 5 rounds of 2 000 ms');
  expect(text).toContain('| **askback, Redis** | 1 200 | 5 200 | 5 300 | 2.50 / 40.0 |');
  expect(text).toContain('grammy-redis 1.2.3');
  expect(text).toContain('](bench-durable.svg)');
  expect(text).not.toContain('bench-memory.svg');
  expect(text).toContain('| 1 000 000 | 1.96 KiB | 0.49 KiB | 4 750 | 0.95 | 2.50 | 1 500 |');
  expect(text).toContain('| 2 | 7 000 | 1.40 | 99 % |');
  expect(text).toContain('syncs 4 000 times a second');
  expect(text).not.toMatch(/undefined|NaN|Infinity|was loaded|Not measured/);
});

test('a page of nothing is a page without tables', () => {
  expect(page(resultOf())).not.toContain('|');
});

test('a loaded machine is said to be one', () => {
  const machine = { ...good().machine, load: 3 };
  expect(page({ ...good(), machine })).toContain('**The machine was loaded** (the load was 3.0 on 4 CPUs before');
  const [first, ...others] = rowOf('bare-corked', [1, 1, 1]).points;
  const uneven = { ...rowOf('bare-corked', [1, 1, 1]), points: [{ ...first, rounds: [10, 15] }, ...others] };
  expect(loaded({ ...good(), rows: [uneven as Result['rows'][number]] })).toMatch(/differ by more than 40 %/);
  expect(loaded(good())).toBeUndefined();
});

test('peers that are not installed are named once, with what brings them; other reasons one by one', () => {
  const text = page(
    resultOf({
      missing: [
        { name: 'grammY, Redis', why: 'not installed', peer: true },
        { name: 'BullMQ, Redis', why: 'not installed', peer: true },
        { name: 'LangGraph.js, SQLite', why: 'no driver', peer: true },
        { name: 'many asks held', why: 'no redis-server' },
      ],
    }),
  );
  expect(text.match(/npm install --prefix bench/g)).toHaveLength(1);
  expect(text).toContain('brings them: grammY, Redis; BullMQ, Redis\n');
  expect(text).toContain('- not measured: LangGraph.js, SQLite: no driver\n');
  expect(text).toContain('- not measured: many asks held: no redis-server\n');
});

test('a reason is one line without paths, addresses and stacks', () => {
  const error = new Error(
    "Cannot read '/home/anna/work/bench/x.mjs' of https://npm.example.org/x\n    at /usr/lib/a.js:3",
  );
  expect(why(error)).toBe("Cannot read '…' of …");
  expect(why('TypeError: a | b\n    at file:///tmp/x.js')).toBe('a / b');
  expect(why('')).toBe('it did not say');
});

test('medians are taken over the rounds, each value for itself', () => {
  const one = (perSecond: number, p99: number, redisCpu?: number) => {
    return { pairs: 1, perSecond, p50: 1, p99, cpu: 5, redisCpu };
  };
  expect(summed(64, [one(30, 1, 7), one(10, 3, 9), one(20, 2, 8)])).toEqual({
    lanes: 64,
    perSecond: 20,
    p50: 1,
    p99: 2,
    cpu: 5,
    redisCpu: 8,
    rounds: [30, 10, 20],
  });
  expect(summed(1, [one(1, 1)])).not.toHaveProperty('redisCpu');
  expect(median([4, 1])).toBe(2.5);
  expect(() => median([])).toThrow(/nothing/);
});

test('numbers are rounded so that none looks better than it is', () => {
  expect([atLeast(0.4499), atLeast(0.45), atMost(5.001), atMost(5)]).toEqual(['0.44', '0.45', '5.01', '5.00']);
  expect([whole(999), whole(1_000), whole(1_234_567.8)]).toEqual(['999', '1 000', '1 234 568']);
  expect([fine(0.123), fine(12.34), fine(1_234)]).toEqual(['0.12', '12.3', '1 234']);
  expect(kib(1_536)).toBe('1.50 KiB');
});
