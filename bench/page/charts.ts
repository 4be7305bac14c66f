/** The charts, as SVG texts made from what a run measured. Pure. */
import { kib, whole } from './numbers.js';
import { charts } from './report.js';
import type { GrowthPoint, Result } from './result.js';
import { box, dot, drawing, path, rule, ticks, words } from './svg.js';

interface Bar {
  readonly label: string;
  readonly value: number;
  readonly side: 'limit' | 'askback' | 'peer';
}

/** Narrow enough for a phone, where a picture is scaled down until its words cannot be read. */
const width = 420;
const lanes = 64;
const groups = [
  ['limit', 'the limit: a bare loop'],
  ['askback', 'askback'],
  ['peer', 'others'],
] as const;

/** File names and texts; a chart with nothing in it is left out. */
export function drawn(result: Result): readonly { readonly file: string; readonly text: string }[] {
  const bars = (memory: boolean): Bar[] =>
    result.rows.flatMap(({ entry, points }) => {
      const point = points.find((each) => each.lanes === lanes);
      if (point === undefined || (entry.store === 'memory') !== memory) return [];
      return [{ label: entry.label, value: point.perSecond, side: entry.side }];
    });
  const durable = bars(false);
  const memory = bars(true);
  return [
    ...(durable.length === 0
      ? []
      : [
          {
            file: charts.durable,
            text: barChart(`Pairs per second at ${lanes} conversations`, 'state kept outside the process', durable),
          },
        ]),
    ...(memory.length === 0
      ? []
      : [
          {
            file: charts.memory,
            text: barChart(`Pairs per second at ${lanes} conversations`, 'state in memory', memory),
          },
        ]),
    ...(result.growth.length < 2 ? [] : [{ file: charts.growth, text: growthChart(result.growth) }]),
  ];
}

/** Each bar stands below its label, with its value behind it. */
export function barChart(title: string, subtitle: string, bars: readonly Bar[]): string {
  const left = 20;
  const right = width - 76;
  const most = Math.max(...bars.map((bar) => bar.value));
  const parts: string[] = [words(left, 53, `${subtitle}; more is better`, { size: 12, kind: 'soft' })];
  let y = 68;
  for (const [side, heading] of groups) {
    const members = bars.filter((bar) => bar.side === side).sort((a, b) => b.value - a.value);
    if (members.length === 0) continue;
    parts.push(words(left, y + 14, heading, { size: 12, kind: 'soft' }));
    y += 22;
    for (const { label, value } of members) {
      const long = Math.max(1, ((right - left) * value) / most);
      parts.push(words(left, y + 13, label, { bold: side === 'askback' }));
      parts.push(box(side, left, y + 18, long, 10));
      parts.push(words(left + long + 6, y + 28, whole(value), { kind: 'value', bold: side === 'askback' }));
      y += 36;
    }
    y += 6;
  }
  const said = bars.map(({ label, value }) => `${label}: ${whole(value)}`).join('; ');
  return drawing(width, y + 6, title, `Bars, ${subtitle}. ${said}.`, parts);
}

interface Series {
  readonly kind: 'line' | 'other';
  readonly name: string;
  readonly values: readonly number[];
  /** Where its values are written: above its line or below it. */
  readonly above: boolean;
}

export function growthChart(points: readonly GrowthPoint[]): string {
  const held = points.map((point) => point.held);
  const fewest = whole(held[0] as number);
  const inKib = (bytes: number) => bytes / 1_024;
  const throughput: Series = {
    kind: 'line',
    name: 'askback on Redis',
    values: points.map((point) => point.relative),
    above: true,
  };
  const memory: Series[] = [
    {
      kind: 'other',
      name: 'with its history',
      values: points.map((point) => inKib(point.bytes)),
      above: true,
    },
  ];
  if (points.every((point) => point.historyBytes !== undefined)) {
    memory.push({
      kind: 'line',
      name: 'without',
      values: points.map((point) => inKib(point.bytes - (point.historyBytes as number))),
      above: false,
    });
  }
  const high = 330;
  const said = points.map((point) => {
    return `${whole(point.held)} held: ${point.relative.toFixed(2)} of the throughput, ${kib(point.bytes)} for each ask`;
  });
  return drawing(width, 60 + 2 * high, 'Many asks held, askback on Redis', `Two line charts. ${said.join('; ')}.`, [
    ...panel(0, `throughput, with ${fewest} held = 1`, held, [throughput]),
    ...panel(high, 'Redis memory for each ask, KiB', held, memory),
  ]);
}

/** One chart of lines, `down` pixels below the title of the drawing. */
function panel(down: number, title: string, held: readonly number[], series: readonly Series[]): string[] {
  const [left, right, top, bottom] = [56, width - 40, down + 108, down + 330];
  const steps = ticks(Math.max(...series.flatMap((each) => each.values)) * 1.1);
  const most = steps.at(-1) as number;
  const logs = held.map((each) => Math.log10(each));
  const [low, high] = [logs[0] as number, logs.at(-1) as number];
  const x = (i: number) => left + 24 + ((right - left - 48) * ((logs[i] as number) - low)) / (high - low);
  const y = (value: number) => bottom - ((bottom - top) * value) / most;
  const fill = (kind: Series['kind']) => (kind === 'line' ? 'askback' : 'peer');
  return [
    words(20, down + 62, title, { size: 13, kind: 'soft' }),
    ...legend(
      20,
      down + 84,
      series.map(({ kind, name }) => ({ fill: fill(kind), name })),
    ),
    ...steps.flatMap((step) => [
      rule(step === 0 ? 'axis' : 'grid', left, y(step), right, y(step)),
      words(left - 8, y(step) + 4, String(step), { size: 11, anchor: 'end', kind: 'soft' }),
    ]),
    ...held.map((each, i) => words(x(i), bottom + 18, whole(each), { size: 11, anchor: 'middle', kind: 'soft' })),
    words((left + right) / 2, bottom + 40, 'asks held (logarithmic)', { size: 12, anchor: 'middle', kind: 'soft' }),
    ...series.map(({ kind, values }) =>
      path(
        kind,
        values.map((value, i) => [x(i), y(value)] as const),
      ),
    ),
    ...series.flatMap(({ kind, values, above }) =>
      values.flatMap((value, i) => [
        dot(fill(kind), x(i), y(value)),
        words(x(i), y(value) + (above ? -10 : 19), value.toFixed(2), { size: 11, anchor: 'middle', kind: 'value' }),
      ]),
    ),
  ];
}

/** What the colours mean. */
function legend(x: number, y: number, items: readonly { readonly fill: string; readonly name: string }[]): string[] {
  let at = x;
  return items.flatMap(({ fill, name }) => {
    const from = at;
    at += 36 + name.length * 6.5;
    return [dot(fill, from + 6, y - 4), words(from + 20, y, name, { size: 11, kind: 'soft' })];
  });
}
