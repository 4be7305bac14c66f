/**
 * Reads the records of one person's tenant from a list of all tenants, page by page, and looks at a bounded number: another tenant may
 * have any number of them. It says where it did not get to the end.
 */
import { definedFields } from '../../core/defined-fields.js';

export interface ReadBounds {
  /** So many of the person's own are enough. */
  readonly own: number;
  /** So many are looked at, whoever they belong to. */
  readonly looked: number;
}

export interface BoundedRead<T> {
  /** The person's own. */
  readonly own: readonly T[];
  /** The last one that was looked at, where there are more. */
  readonly end?: T | undefined;
  readonly isCut: boolean;
}

interface ReadPage<T> {
  readonly rows: readonly T[];
  readonly cursor: string | undefined;
}

const pageSize = 500;

export async function boundedRead<T>(
  bounds: ReadBounds,
  isOwn: (row: T) => boolean,
  read: (page: { readonly limit: number; readonly cursor?: string }) => Promise<ReadPage<T>>,
): Promise<BoundedRead<T>> {
  const own: T[] = [];
  let [cursor, end]: [string | undefined, T | undefined] = [undefined, undefined];
  for (let looked = 0; looked < bounds.looked && own.length < bounds.own; looked += pageSize) {
    const page: ReadPage<T> = await read({ limit: pageSize, ...definedFields({ cursor }) });
    own.push(...page.rows.filter(isOwn));
    end = page.rows.at(-1) ?? end;
    cursor = page.cursor;
    if (cursor === undefined) return { own, isCut: false };
  }
  return { own, end, isCut: true };
}
