/**
 * Plain data: what may be stored, and a check that says where a value is not plain data.
 * Nothing here is converted silently except what JSON itself drops (undefined properties).
 */
import { Buffer } from 'node:buffer';
import { readable } from './check-options.js';
import { AgentError } from './errors.js';

/**
 * Plain data: what JSON can hold.
 *
 * @example
 * import type { Json } from 'askback';
 *
 * const address: Json = { chat: 42, thread: null };
 */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** How much data is stored at once: two of the settings. */
export interface JsonLimits {
  readonly textBytes: number;
  readonly depth: number;
}

/** A copy of `value` as plain data, or an error that names the path of what cannot be stored. */
export function plainData(value: unknown, name: string, limits: JsonLimits): Json {
  const copy = readable(name, 'bad-data', () => copied(value, name, limits.depth, []));
  const bytes = jsonBytesAtMost(copy) > limits.textBytes ? Buffer.byteLength(JSON.stringify(copy)) : 0;
  if (bytes > limits.textBytes) {
    throw new AgentError(
      'bad-data',
      `${name} is ${bytes} bytes as JSON, at most ${limits.textBytes} are stored. Store the large part elsewhere and keep its id here.`,
    );
  }
  return copy;
}

/** An upper bound of the value's size as JSON, in bytes. It is cheap, and spares small values the exact count. */
export function jsonBytesAtMost(value: unknown): number {
  if (typeof value === 'string') return 6 * value.length + 2; // every character escaped
  if (typeof value !== 'object' || value === null) return 25;
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') return Number.POSITIVE_INFINITY; // its JSON can have any size
  let bytes = 2;
  if (Array.isArray(value)) for (const item of value) bytes += jsonBytesAtMost(item) + 1;
  else
    for (const key of Object.keys(value))
      bytes += 6 * key.length + 4 + jsonBytesAtMost((value as Record<string, unknown>)[key]);
  return bytes;
}

function copied(value: unknown, path: string, depth: number, above: readonly object[]): Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return value;
    throw notPlain(path, String(value), 'JSON has no such number');
  }
  if (typeof value !== 'object') throw notPlain(path, typeof value, 'only plain data can be stored');
  if (above.includes(value)) throw notPlain(path, 'a cycle', 'the value contains itself');
  if (above.length >= depth) throw notPlain(path, 'deeper nesting', `at most ${depth} levels are stored`);
  const inside = [...above, value];
  if (Array.isArray(value)) return value.map((item, i) => copied(item ?? null, `${path}[${i}]`, depth, inside));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw notPlain(
      path,
      `a ${value.constructor?.name ?? 'class instance'}`,
      'convert it to a string or a plain object',
    );
  }
  const copy: Record<string, Json> = {};
  for (const [key, item] of Object.entries(value)) {
    if (item !== undefined) put(copy, key, copied(item, `${path}.${key}`, depth, inside));
  }
  return copy;
}

function put(record: Record<string, Json>, key: string, value: Json): void {
  if (key !== '__proto__') record[key] = value;
  // assigning would change the prototype instead of keeping the data
  else Object.defineProperty(record, key, { value, enumerable: true, configurable: true, writable: true });
}

/** A deep copy of plain data, for callers who may change it. */
export function copyOf<T>(value: T): T {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item: unknown) => copyOf(item)) as T;
  const copy: Record<string, Json> = {};
  for (const key of Object.keys(value)) put(copy, key, copyOf(value[key as never]));
  return copy as T;
}

/** What JSON keeps of a value: what everybody reads who did not make it. */
export function asJson<T>(value: T): T {
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined ? value : (JSON.parse(text) as T);
}

function notPlain(path: string, what: string, why: string): AgentError {
  return new AgentError('bad-data', `${path} is ${what}: ${why}. Expected plain JSON data.`);
}

/** The same string for equal data, whatever the order of its keys, so that a digest of it is stable. */
export function canonical(value: Json): string {
  return JSON.stringify(sorted(value));
}

/** The data with its keys sorted; the same object if they are. */
function sorted(value: Json): Json {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) {
    const items: Json[] = value.map(sorted);
    return items.some((item, i) => item !== value[i]) ? items : value;
  }
  const object = value as { readonly [key: string]: Json };
  let isSame = true;
  let last = '';
  for (const key of Object.keys(object)) {
    isSame &&= last <= key && sorted(object[key] as Json) === object[key];
    last = key;
  }
  if (isSame) return value;
  const copy: Record<string, Json> = {};
  for (const key of Object.keys(object).sort()) put(copy, key, sorted(object[key] as Json));
  return copy;
}
