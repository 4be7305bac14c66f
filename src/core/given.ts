/**
 * Objects without the fields that were not given, so that "absent" and "undefined" never differ in a record.
 */

type Given<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

export function given<T extends object>(fields: T): Given<T> {
  const result: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) result[name] = value;
  return result as Given<T>;
}
