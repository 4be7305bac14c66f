/**
 * A small line chart as SVG, with its legend and the last values written out. Colours are classes of the style sheet; lines differ by
 * their strokes, too. It counts nothing.
 */
import { html } from '../packages.js';
import type { Html } from '../page/markup.js';

export interface ChartLine {
  readonly name: string;
  /** One for each step; undefined where nothing is known. */
  readonly values: readonly (number | undefined)[];
  /** The value that is written out: the last one, or one of the whole time. */
  readonly last: string;
}

export interface Chart {
  /** Unique on the page. */
  readonly id: string;
  readonly title: string;
  /** What a person who cannot see it is told. */
  readonly description: string;
  readonly lines: readonly ChartLine[];
  /** Where a few values are far above all others, a logarithmic one keeps the others apart. */
  readonly scale: 'linear' | 'logarithmic';
  /** What is written below its left and its right end. */
  readonly ends: readonly [string, string];
  /** The value of the upper edge, as it is written. */
  readonly top: (highest: number) => string;
}

const [width, height, margin] = [300, 80, 4];

export function lineChart({ id, title, description, lines, scale, ends, top }: Chart): Html {
  const known = lines.flatMap(({ values }) => values.filter((value) => value !== undefined));
  const highest = known.reduce((one, other) => Math.max(one, other), 0);
  const place = scale === 'linear' ? (value: number) => value : (value: number) => Math.log1p(value / 1_000);
  const drawn = lines.map(({ values }, i) => {
    const { path, dots } = lineOf(
      values.map((value) => (value === undefined ? undefined : place(value))),
      place(highest),
    );
    const points = dots.map(({ x, y }) => html`<circle cx="${x}" cy="${y}" r="2.5"/>`);
    return html`<g class="line line-${i + 1}"><path d="${path}"/>${points}</g>`;
  });
  const legend = lines.map(
    ({ name, last }, i) =>
      html`<li><svg class="swatch" viewBox="0 0 24 8" aria-hidden="true" focusable="false"><g class="line line-${i + 1}"><path d="M0 4H24"/></g></svg> ${name} <b>${last}</b></li>`,
  );
  return html`<figure class="chart"><figcaption id="${id}-caption">${title}</figcaption>
<svg viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="${id}-title" aria-describedby="${id}-desc"><title id="${id}-title">${title}</title><desc id="${id}-desc">${description}</desc><path class="axis" d="M0 ${height - margin}H${width}M0 ${margin}H${width}"/>${drawn}</svg>
<p class="ends" aria-hidden="true"><span>${ends[0]}</span><span>${ends[1]}</span></p><p class="top-value" aria-hidden="true">${known.length === 0 ? '' : top(highest)}</p>
<ul class="legend">${legend}</ul></figure>`;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** A line through the values, with a gap where nothing is known; a value between two gaps is a dot. */
export function lineOf(
  values: readonly (number | undefined)[],
  highest: number,
): { readonly path: string; readonly dots: readonly Point[] } {
  const runs: Point[][] = [[]];
  for (const [i, value] of values.entries()) {
    if (value === undefined) runs.push([]);
    else runs.at(-1)?.push({ x: across(i, values.length), y: up(value, highest) });
  }
  const path = runs.filter((run) => run.length > 1).map((run) => `M${run.map(({ x, y }) => `${x} ${y}`).join('L')}`);
  return { path: path.join(''), dots: runs.filter((run) => run.length === 1).flat() };
}

function across(i: number, count: number): number {
  return count < 2 ? width / 2 : rounded(margin + (i * (width - 2 * margin)) / (count - 1));
}

function up(value: number, highest: number): number {
  const part = highest <= 0 ? 0 : Math.min(1, Math.max(0, value / highest));
  return rounded(height - margin - part * (height - 2 * margin));
}

const rounded = (value: number): number => Math.round(value * 10) / 10;

/** For the style sheet of the page, whose variables it uses. */
export const chartStyle = `
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: 16px; margin: 16px 0; }
.chart { margin: 0; padding: 16px; background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius); position: relative; }
.chart figcaption { font-weight: 600; margin-bottom: 8px; }
.chart > svg { display: block; width: 100%; height: auto; }
.chart .line path { fill: none; stroke: var(--accent); stroke-width: 2; stroke-linejoin: round; }
.chart .line circle { fill: var(--accent); }
.chart .line-2 path { stroke: var(--danger); stroke-dasharray: 6 3; }
.chart .line-2 circle { fill: var(--danger); }
.chart .line-3 path { stroke: var(--muted); stroke-dasharray: 2 3; }
.chart .line-3 circle { fill: var(--muted); }
.chart .axis { stroke: var(--line); stroke-width: 1; }
.chart .top-value { position: absolute; top: 16px; right: 16px; color: var(--muted); font-size: .875rem; font-variant-numeric: tabular-nums; }
.chart .ends { display: flex; justify-content: space-between; color: var(--muted); font-size: .8125rem; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 16px; margin-top: 8px; font-size: .875rem; }
.legend b { font-variant-numeric: tabular-nums; }
.swatch { width: 24px; height: 8px; }
.figures { display: flex; flex-wrap: wrap; gap: 8px 32px; margin: 16px 0; }
.figures dt { color: var(--muted); font-size: .875rem; }
.figures dd { font-size: 1.5rem; font-weight: 600; font-variant-numeric: tabular-nums; }
@media (forced-colors: active) { .chart .line path { stroke: CanvasText; } .chart .line circle { fill: CanvasText; } }
`;
