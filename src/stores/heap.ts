/**
 * A binary heap whose members know their place, so that one can be moved or taken out without a search.
 * It orders by a number and never looks at what its members mean.
 */

/** A place in one heap at a time. */
export class HeapNode<T> {
  readonly item: T;
  at = 0;
  /** The index in the heap; -1 while it is in none. */
  slot = -1;

  constructor(item: T) {
    this.item = item;
  }
}

export class Heap<T> {
  private readonly nodes: HeapNode<T>[] = [];

  get size(): number {
    return this.nodes.length;
  }

  first(): HeapNode<T> | undefined {
    return this.nodes[0];
  }

  /** Puts the node in at `at`, or moves it there. */
  set(node: HeapNode<T>, at: number): void {
    const before = node.at;
    node.at = at;
    if (node.slot < 0) {
      node.slot = this.nodes.length;
      this.nodes.push(node);
      this.rise(node);
    } else if (at < before) this.rise(node);
    else if (at > before) this.sink(node);
  }

  /** Takes the node out; does nothing if it is not in. */
  remove(node: HeapNode<T>): void {
    if (node.slot < 0) return;
    const last = this.nodes.pop() as HeapNode<T>;
    if (last !== node) {
      last.slot = node.slot;
      this.nodes[last.slot] = last;
      this.rise(last);
      this.sink(last);
    }
    node.slot = -1;
  }

  /** The members at or before `at`, earliest first, at most `limit`. They stay where they are. */
  upTo(at: number, limit: number): T[] {
    const found: HeapNode<T>[] = [];
    while (found.length < limit) {
      const node = this.nodes[0];
      if (node === undefined || node.at > at) break;
      this.remove(node);
      found.push(node);
    }
    for (const node of found) this.set(node, node.at);
    return found.map((node) => node.item);
  }

  private rise(node: HeapNode<T>): void {
    while (node.slot > 0) {
      const parent = this.nodes[(node.slot - 1) >> 1] as HeapNode<T>;
      if (parent.at <= node.at) return;
      this.swap(parent, node);
    }
  }

  private sink(node: HeapNode<T>): void {
    for (;;) {
      const left = this.nodes[2 * node.slot + 1];
      if (left === undefined) return;
      const right = this.nodes[2 * node.slot + 2];
      const child = right !== undefined && right.at < left.at ? right : left;
      if (child.at >= node.at) return;
      this.swap(node, child);
    }
  }

  private swap(upper: HeapNode<T>, lower: HeapNode<T>): void {
    const slot = upper.slot;
    upper.slot = lower.slot;
    lower.slot = slot;
    this.nodes[upper.slot] = upper;
    this.nodes[lower.slot] = lower;
  }
}
