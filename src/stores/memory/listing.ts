/**
 * A list of open asks, parked entries or settled asks, ordered by time and id, for paging. It never decides what is in it.
 */
import { comesBefore, limitOf, listPage, type PagePosition, positionOf, settledStart } from '../pages.js';
import type { Listed, Page, SettledPage } from '../port.js';

/** Kept sorted; a removed item stays as a gap until half of the list is gaps. */
export class Listing<T extends PagePosition = Listed> {
  private readonly items = new Map<string, T>();
  private sorted: T[] = [];

  get(id: string): T | undefined {
    return this.items.get(id);
  }

  add(item: T): void {
    this.items.set(item.id, item);
    const last = this.sorted.at(-1);
    if (last === undefined || comesBefore(last, item)) this.sorted.push(item);
    else this.sorted.splice(this.indexAfter(item), 0, item);
  }

  remove(id: string): void {
    if (!this.items.delete(id) || this.sorted.length <= 2 * this.items.size + 32) return;
    this.sorted = this.sorted.filter((item) => this.items.get(item.id) === item);
  }

  page(page: Page): { items: readonly T[]; cursor?: string } {
    const limit = limitOf(page.limit);
    const after = positionOf(page);
    const found: T[] = [];
    for (let i = after === undefined ? 0 : this.indexAfter(after); i < this.sorted.length; i += 1) {
      const item = this.sorted[i] as T;
      if (this.items.get(item.id) === item) found.push(item);
      if (found.length > limit) break;
    }
    return listPage(found, limit);
  }

  /** A page from the last item down. */
  pageDown(page: SettledPage): { items: readonly T[]; cursor?: string } {
    const limit = limitOf(page.limit);
    const before = settledStart(page);
    const found: T[] = [];
    for (
      let i = before === undefined ? this.sorted.length : this.indexAfter(before);
      i > 0 && found.length <= limit;
    ) {
      i -= 1;
      const item = this.sorted[i] as T;
      if (page.since !== undefined && item.at < page.since) break;
      const isBefore = before === undefined || comesBefore(item, before); // not the one that the cursor stands on
      if (isBefore && this.items.get(item.id) === item) found.push(item);
    }
    return listPage(found, limit);
  }

  /** The index of the first item that comes after `position`. */
  private indexAfter(position: PagePosition): number {
    return firstIndex(this.sorted, (item) => comesBefore(position, item));
  }
}

/** The index of the first item behind a place in a sorted list. `isBehind` holds for it, and for all that follow. */
export function firstIndex<T>(sorted: readonly T[], isBehind: (item: T) => boolean): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBehind(sorted[middle] as T)) high = middle;
    else low = middle + 1;
  }
  return low;
}
