/**
 * Objects without undefined fields, so that a record never distinguishes "absent" from "undefined".
 */

type DefinedFields<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/**
 * A record while it is made: first the fields that are always there, then those that were given, one by one. Where a
 * record is made for every message this is several times cheaper than to spread it together or to filter it: in Node 20
 * an object that gets a field after a spread has a shape of its own, and everything that reads it is slow.
 */
export type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export function definedFields<T extends object>(fields: T): DefinedFields<T> {
  const result: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) result[name] = value;
  return result as DefinedFields<T>;
}
