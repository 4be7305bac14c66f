/** A value of which nothing is awaited: should it be a promise that fails, that harms nobody. */
export function ignoreRejection<T>(value: T): T {
  if (isPromiseLike(value)) Promise.resolve(value).catch(() => {});
  return value;
}

/** Whether a value is still to come: what is there already needs no waiting, which costs a turn more than its work. */
export function isPromiseLike<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as Partial<PromiseLike<T>> | null | undefined)?.then === 'function';
}
