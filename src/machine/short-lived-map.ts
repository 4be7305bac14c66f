/**
 * A Map for values that come and go all the time. V8 replaces the table of a busy Map again and again, and a replaced table
 * that has grown old keeps its successors, with all that was in them, until the next full collection. Here each value is in
 * a cell that is emptied when it is deleted, so only empty cells are kept (docs/performance.md).
 */
export class ShortLivedMap<K, V> {
  readonly #cells = new Map<K, { value: V | undefined }>();

  get size(): number {
    return this.#cells.size;
  }

  get(key: K): V | undefined {
    return this.#cells.get(key)?.value;
  }

  has(key: K): boolean {
    return this.#cells.has(key);
  }

  /** A new key comes last; one that is there keeps its place. */
  set(key: K, value: V): void {
    const cell = this.#cells.get(key);
    if (cell === undefined) this.#cells.set(key, { value });
    else cell.value = value;
  }

  /** Makes the key the newest. Of more than `most`, the oldest is deleted. */
  setNewest(key: K, value: V, most: number): void {
    this.delete(key);
    this.set(key, value);
    if (this.#cells.size > most) this.delete(this.#cells.keys().next().value as K); // there is one
  }

  delete(key: K): void {
    const cell = this.#cells.get(key);
    if (cell === undefined) return;
    cell.value = undefined;
    this.#cells.delete(key);
  }

  *values(): Generator<V> {
    for (const { value } of this.#cells.values()) yield value as V; // a cell that is not deleted has its value
  }
}
