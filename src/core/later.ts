/** Whether a value is still to come: what is there already needs no waiting, which costs a turn more than its work. */
export function isLater<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as Partial<PromiseLike<T>> | null | undefined)?.then === 'function';
}
