/** The charts, from made-up measurements. */
import { expect, test } from 'vitest';
import { barChart, drawn, growthChart } from '../../../bench/page/charts.js';
import { ticks } from '../../../bench/page/svg.js';
import { good, heldOf, resultOf, rowOf } from './made.js';

/** The tags that are not closed in the right order; a drawing that a browser refuses has some. */
function unclosed(svg: string): string[] {
  const open: string[] = [];
  for (const [, slash, name = '', rest = ''] of svg.matchAll(/<(\/?)([a-z]+)([^>]*)>/g)) {
    if (slash === '/') {
      if (open.pop() !== name) return [`</${name}>`];
    } else if (!rest.endsWith('/')) open.push(name);
  }
  return open;
}

/** The width of the bar that follows a label. */
const widthOf = (svg: string, label: string) =>
  Number(new RegExp(`>${label}</text>\\n<rect class="\\w+"[^>]* width="([\\d.]+)"`).exec(svg)?.[1]);

test('a full run gives three charts, each with a title and words for those who cannot see it', () => {
  const charts = drawn(good());
  expect(charts.map(({ file }) => file)).toEqual(['bench-durable.svg', 'bench-memory.svg', 'bench-growth.svg']);
  for (const { text } of charts) {
    expect(text).toMatch(/<svg [^>]*role="img" aria-labelledby="title desc"/);
    expect(text).toMatch(/<title id="title">.+<\/title>/);
    expect(text).toMatch(/<desc id="desc">.+<\/desc>/);
    expect(text).toContain('prefers-color-scheme: dark');
    expect(unclosed(text)).toEqual([]);
    expect(text).not.toMatch(/NaN|Infinity|undefined|="-/);
  }
});

test('what was not measured is not drawn', () => {
  expect(drawn(resultOf())).toEqual([]);
  expect(drawn(resultOf({ growth: [heldOf(1_000)] }))).toEqual([]);
  const memory = drawn(resultOf({ rows: [rowOf('askback-memory', [1, 2, 3])] }));
  expect(memory.map(({ file }) => file)).toEqual(['bench-memory.svg']);
});

test('bars are as long as their values, which stand beside them', () => {
  const svg = barChart('Speed', 'pairs per second', [
    { label: 'fast', value: 12_000, side: 'limit' },
    { label: 'half', value: 6_000, side: 'askback' },
    { label: 'a <peer> & co', value: 1, side: 'peer' },
  ]);
  expect(widthOf(svg, 'fast')).toBeCloseTo(2 * widthOf(svg, 'half'), 0);
  for (const value of ['12 000', '6 000', '1']) expect(svg).toContain(`>${value}</text>`);
  expect(svg).toContain('a &lt;peer&gt; &amp; co');
  expect(svg).toContain('pairs per second');
  expect(unclosed(svg)).toEqual([]);
});

test('growth has its values and its axes, with and without the history', () => {
  const points = [heldOf(1_000), heldOf(1_000_000, 0.93, 2_048)];
  const svg = growthChart(points);
  for (const text of ['0.93', '2.00', '1.51', 'without', '1 000 000', 'asks held (logarithmic)'])
    expect(svg).toContain(`>${text}</text>`);
  const unknown = growthChart(points.map((point) => ({ ...point, historyBytes: undefined })));
  expect(unknown).not.toContain('>without<');
  expect(unclosed(svg)).toEqual([]);
});

test('ticks are round numbers that reach above the greatest value', () => {
  expect(ticks(13_355)).toEqual([0, 2_000, 4_000, 6_000, 8_000, 10_000, 12_000, 14_000]);
  expect(ticks(1.1).at(-1)).toBe(1.2);
  expect(ticks(0)).toEqual([0, 1]);
});
