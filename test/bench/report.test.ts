/** The ratios and the page, from made-up measurements. */
import { expect, test } from 'vitest';
import { duelOf } from '../../bench/measure/duels.js';
import { summed } from '../../bench/measure/rounds.js';
import { atLeast, atMost, fine, kib, median, whole, why } from '../../bench/page/numbers.js';
import { checksOf } from '../../bench/page/ratios.js';
import { page } from '../../bench/page/report.js';
import { loaded, type Result } from '../../bench/page/result.js';
import { good, heldOf, resultOf, rowOf } from './made.js';

const verdictOf = (result: Result, what: string) => checksOf(result).find((check) => check.what.startsWith(what));
const swapped = (name: string, rates: [number, number, number], p99?: number): Result => {
  const result = good();
  return { ...result, rows: result.rows.map((row) => (row.entry.name === name ? rowOf(name, rates, p99) : row)) };
};

test('where every demand is met, none is called unmet', () => {
  const verdicts = checksOf(good()).map((check) => check.verdict);
  expect(verdicts).toContain('met');
  expect(verdicts).not.toContain('not met');
});

test('each demand can be missed, by a little', () => {
  const slow = swapped('askback-redis', [1_000, 4_499, 4_900], 51);
  expect(verdictOf(slow, 'Redis over auto-pipelined, at 64')).toMatchObject({ verdict: 'not met', reached: '0.44' });
  expect(verdictOf(slow, 'Redis over auto-pipelined, at 512')).toMatchObject({ verdict: 'not met' });
  expect(verdictOf(slow, 'Redis over corked, at 1 ')).toMatchObject({ verdict: 'not met', demanded: '≥ 0.35' });
  expect(verdictOf(slow, 'Redis: p99 over corked')).toMatchObject({ verdict: 'not met', reached: '5.10' });
  const behind = swapped('grammy-redis', [500, 5_201, 3_500]);
  expect(verdictOf(behind, 'Redis over grammY')).toMatchObject({ verdict: 'not met', reached: '2.40 / 0.99 / 1.51' });
  const quicker = swapped('botframework-memory', [1, 1, 9_000]);
  expect(verdictOf(quicker, 'memory over Bot Framework')).toMatchObject({ verdict: 'not met' });
});

test('what was measured side by side counts, and is shown with how far it spreads', () => {
  const turn = (ours: number, theirs: number, p99: number) => {
    const one = (perSecond: number, late: number) => ({ pairs: 1, perSecond, p50: 1, p99: late, cpu: 5 });
    return new Map([
      ['askback-redis', one(ours, p99)],
      ['bare-auto', one(theirs, 10)],
    ]);
  };
  const turns = [turn(50, 100, 20), turn(4, 10, 40), turn(900, 2_000, 30), turn(46, 100, 90), turn(44, 100, 10)];
  const duel = { ...duelOf('bare-auto', 64, turns), ms: 1_000 };
  expect(duel).toMatchObject({
    theirs: 'bare-auto',
    lanes: 64,
    turns: 5,
    ratio: 0.45,
    quartiles: [0.44, 0.46],
    p99: 3,
  });
  const slowInRounds = { ...swapped('askback-redis', [1_000, 4_000, 4_000]), duels: [duel] };
  const met = { verdict: 'met', reached: '0.45 (0.44 to 0.46)' };
  expect(verdictOf(slowInRounds, 'Redis over auto-pipelined, at 64')).toMatchObject(met);
  expect(verdictOf(slowInRounds, 'Redis over auto-pipelined, at 512')).toMatchObject({ verdict: 'not met' });
  const slow = {
    ...good(),
    duels: [
      { ...duel, ratio: 0.449 },
      { ...duel, theirs: 'bare-corked', p99: 5.1 },
    ],
  };
  expect(verdictOf(slow, 'Redis over auto-pipelined, at 64')).toMatchObject({ verdict: 'not met' });
  expect(verdictOf(slow, 'Redis: p99 over corked')).toMatchObject({ verdict: 'not met', reached: '5.10' });
  expect(page(slow)).toContain('the median of 5 turns of 1 000 ms');
});

test('the moonshot is shown, and so is a file beside a file', () => {
  const moon = checksOf(good()).filter((check) => check.demanded === 'moonshot 0.5' && check.verdict === 'shown');
  expect(moon.map((check) => check.reached)).toEqual(['0.40', '0.32', '0.26']);
  expect(verdictOf(good(), 'SQLite over LangGraph')).toMatchObject({ verdict: 'shown' });
});

test('SQLite must reach a thousand, or what the disk allows', () => {
  const at700 = swapped('askback-sqlite', [100, 700, 700]);
  expect(verdictOf(at700, 'SQLite with full sync')).toMatchObject({ verdict: 'not met' });
  expect(verdictOf({ ...at700, syncs: 650 }, 'SQLite with full sync')).toMatchObject({ verdict: 'met' });
});

test('what was not measured has no number and no verdict', () => {
  const checks = checksOf(resultOf({ rows: [rowOf('askback-redis', [1, 2, 3])] }));
  expect(checks.length).toBeGreaterThan(3);
  expect(checks.every((check) => check.verdict === 'not measured' && check.reached === '–')).toBe(true);
});

test('the demand about a million is not judged by fewer', () => {
  const heavy = [heldOf(1_000), heldOf(1_000_000, 0.9, 2_400)];
  const many = checksOf(resultOf({ growth: heavy })).filter((check) => /held|history/.test(check.what));
  expect(many.map(({ verdict, reached }) => [verdict, reached])).toEqual([
    ['not met', '1.12'],
    ['not met', '1.86 KiB'],
    ['not met', '2.35 KiB'],
  ]);
  const few = checksOf(resultOf({ growth: [heldOf(1_000), heldOf(100_000, 0.5)] }));
  expect(few.filter((check) => /held|history/.test(check.what)).map((check) => check.verdict)).toEqual(
    Array(3).fill('shown'),
  );
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
