/** Numbers as people read them, and the median. Pure. */

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle];
  if (upper === undefined) throw new Error('The median of nothing was asked for.');
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] as number)) / 2;
}

/** The value that a quarter of them, or three, are below. */
export function quartile(values: readonly number[], quarters: 1 | 3): number {
  const sorted = [...values].sort((a, b) => a - b);
  const found = sorted[Math.floor(((sorted.length - 1) * quarters) / 4 + 0.5)];
  if (found === undefined) throw new Error('A quartile of nothing was asked for.');
  return found;
}

/** 5213.4 is '5 213'. */
export function whole(value: number): string {
  return Math.round(value)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ' ');
}

/** A time in ms or a share, with as many places as matter. */
export function fine(value: number): string {
  if (value >= 100) return whole(value);
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/** Two places, never better than it is: what must be at least something is rounded down, what must be at most, up. */
export const atLeast = (value: number): string => (Math.floor(value * 100 + 1e-9) / 100).toFixed(2);
export const atMost = (value: number): string => (Math.ceil(value * 100 - 1e-9) / 100).toFixed(2);

/** 1536 is '1.50 KiB'. */
export const kib = (bytes: number): string => `${atMost(bytes / 1_024)} KiB`;

/** The first line of what went wrong, without the machine's paths, names and addresses. */
export function why(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const line = text.split('\n').find((each) => each.trim() !== '') ?? 'it did not say';
  return line
    .replace(/\b(?:https?|file):\/\/\S+/g, '…')
    .replace(/(?<![\w.])(?:[A-Za-z]:)?(?:[\\/][\w.@+~-]+){2,}[\\/]?/g, '…')
    .replace(/^(?:\w*Error: )+/, '')
    .replaceAll('|', '/')
    .trim()
    .slice(0, 200);
}
