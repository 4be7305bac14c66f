/**
 * A list of open asks or parked entries, ordered by time and id, for paging. It never decides what is in it.
 */
import { comesBefore, limitOf, listPage, type PagePosition, positionOf } from '../pages.js';
import type { Listed, Page } from '../port.js';

/** Kept sorted; a removed item stays as a gap until half of the list is gaps. */
export class Listing {
  private readonly items = new Map<string, Listed>();
  private sorted: Listed[] = [];

  get(id: string): Listed | undefined {
    return this.items.get(id);
  }

  add(item: Listed): void {
    this.items.set(item.id, item);
    const last = this.sorted.at(-1);
    if (last === undefined || comesBefore(last, item)) this.sorted.push(item);
    else this.sorted.splice(this.indexAfter(item), 0, item);
  }

  remove(id: string): void {
    if (!this.items.delete(id) || this.sorted.length <= 2 * this.items.size + 32) return;
    this.sorted = this.sorted.filter((item) => this.items.get(item.id) === item);
  }

  page(page: Page): { items: readonly Listed[]; cursor?: string } {
    const limit = limitOf(page.limit);
    const after = positionOf(page);
    const found: Listed[] = [];
    for (let i = after === undefined ? 0 : this.indexAfter(after); i < this.sorted.length; i += 1) {
      const item = this.sorted[i] as Listed;
      if (this.items.get(item.id) === item) found.push(item);
      if (found.length > limit) break;
    }
    return listPage(found, limit);
  }

  /** The index of the first item that comes after `position`. */
  private indexAfter(position: PagePosition): number {
    let low = 0;
    let high = this.sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (comesBefore(position, this.sorted[middle] as Listed)) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
