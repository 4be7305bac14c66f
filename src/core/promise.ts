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
