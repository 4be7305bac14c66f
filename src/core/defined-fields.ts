/**
 * Objects without undefined fields, so that a record never distinguishes "absent" from "undefined".
 */

type DefinedFields<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** A record while it is built: its optional fields are set one by one, where there is a value. */
export type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** The same object where all of its fields have a value. */
export function definedFields<T extends object>(fields: T): DefinedFields<T> {
  for (const name in fields) if (fields[name] === undefined) return withoutUndefined(fields);
  return fields as unknown as DefinedFields<T>;
}

function withoutUndefined<T extends object>(fields: T): DefinedFields<T> {
  const result: Partial<T> = {};
  for (const name in fields) if (fields[name] !== undefined) result[name] = fields[name];
  return result as unknown as DefinedFields<T>;
}
