/**
 * What every chart is drawn with: a card that follows the reader's light or dark scheme, text, ticks. Pure.
 * A viewer that knows no schemes shows the light card, which is readable on a dark page too.
 */

const style = `
  .card { fill: #ffffff; stroke: #d0d7de; }
  .text { fill: #1f2328; }
  .value { fill: #1f2328; stroke: #ffffff; stroke-width: 4px; paint-order: stroke; }
  .soft { fill: #59636e; }
  .grid { stroke: #d8dee4; }
  .axis { stroke: #8c959f; }
  .limit { fill: #8c959f; }
  .askback { fill: #0969da; }
  .peer { fill: #bf8700; }
  .line { stroke: #0969da; fill: none; stroke-width: 2.5; }
  .other { stroke: #bf8700; fill: none; stroke-width: 2.5; }
  @media (prefers-color-scheme: dark) {
    .card { fill: #0d1117; stroke: #3d444d; }
    .text { fill: #f0f6fc; }
    .value { fill: #f0f6fc; stroke: #0d1117; }
    .soft { fill: #9198a1; }
    .grid { stroke: #2a313c; }
    .axis { stroke: #656c76; }
    .limit { fill: #7d8590; }
    .askback { fill: #4493f8; }
    .peer { fill: #d29922; }
    .line { stroke: #4493f8; }
    .other { stroke: #d29922; }
  }`;

export const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] as string);

interface Placed {
  readonly size?: number;
  readonly anchor?: 'start' | 'middle' | 'end';
  readonly kind?: string;
  readonly bold?: boolean;
  /** Degrees around its own place. */
  readonly turned?: number;
}

const place = (value: number): string => String(Math.round(value * 10) / 10);

export function words(x: number, y: number, text: string, placed: Placed = {}): string {
  const { size = 13, anchor = 'start', kind = 'text', bold = false, turned } = placed;
  const more = [
    anchor === 'start' ? '' : ` text-anchor="${anchor}"`,
    bold ? ' font-weight="600"' : '',
    turned === undefined ? '' : ` transform="rotate(${turned} ${place(x)} ${place(y)})"`,
  ].join('');
  return `<text class="${kind}" x="${place(x)}" y="${place(y)}" font-size="${size}"${more}>${escaped(text)}</text>`;
}

export const rule = (kind: string, x1: number, y1: number, x2: number, y2: number): string =>
  `<line class="${kind}" x1="${place(x1)}" y1="${place(y1)}" x2="${place(x2)}" y2="${place(y2)}"/>`;

export const box = (kind: string, x: number, y: number, width: number, height: number): string =>
  `<rect class="${kind}" x="${place(x)}" y="${place(y)}" width="${place(width)}" height="${place(height)}" rx="2"/>`;

export const path = (kind: string, points: readonly (readonly [number, number])[]): string =>
  `<polyline class="${kind}" points="${points.map(([x, y]) => `${place(x)},${place(y)}`).join(' ')}"/>`;

export const dot = (kind: string, x: number, y: number): string =>
  `<circle class="${kind}" cx="${place(x)}" cy="${place(y)}" r="4"/>`;

export function drawing(
  width: number,
  height: number,
  title: string,
  description: string,
  parts: readonly string[],
): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title desc" font-family="system-ui, 'Segoe UI', Helvetica, Arial, sans-serif">`,
    `<title id="title">${escaped(title)}</title>`,
    `<desc id="desc">${escaped(description)}</desc>`,
    `<style>${style}\n</style>`,
    `<rect class="card" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>`,
    words(20, 32, title, { size: 16, bold: true }),
    ...parts,
    '</svg>',
    '',
  ].join('\n');
}

/** Round numbers from 0 to just above `most`, four to eight of them. */
export function ticks(most: number): readonly number[] {
  if (!(most > 0)) return [0, 1];
  const power = 10 ** Math.floor(Math.log10(most));
  const step = [0.2, 0.25, 0.5, 1, 2].map((part) => part * power).find((each) => most / each <= 7) ?? power;
  const count = Math.ceil(most / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, i) => Number((i * step).toPrecision(12)));
}
