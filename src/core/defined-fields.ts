/**
 * Objects without undefined fields, so that a record never distinguishes "absent" from "undefined".
 */

type DefinedFields<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** A record while it is built: its optional fields are set one by one, where there is a value. */
export type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export function definedFields<T extends object>(fields: T): DefinedFields<T> {
  const result: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) result[name] = value;
  return result as DefinedFields<T>;
}
