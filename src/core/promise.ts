/** Returns the value unchanged. A promise that nobody awaits must not become an unhandled rejection. */
export function ignoreRejection<T>(value: T): T {
  try {
    if (isPromiseLike(value)) Promise.resolve(value).catch(() => {});
  } catch {
    // its `then` cannot be read: no promise
  }
  return value;
}

/** True for a promise. A plain value is used at once, because an `await` can cost a turn more than its work. */
export function isPromiseLike<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as Partial<PromiseLike<T>> | null | undefined)?.then === 'function';
}

/** Runs the work for all items, for at most `count` at a time. Resolves with the results in the order of the items. */
export async function inBatches<T, R>(items: readonly T[], count: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += count) {
    const batch = items.slice(start, start + count).map((item) => work(item));
    results.push(...(await Promise.all(batch)));
  }
  return results;
}
