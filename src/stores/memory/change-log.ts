/**
 * The last changes of asks, numbered in the order of the saves: one for each ask. It never says what changed.
 */

import { limitOf, numberIn } from '../pages.js';
import type { ChangePage, Listed, Page } from '../port.js';
import { changesKept } from '../rules/changes.js';
import { firstIndex } from './listing.js';

/** A change and its number. */
interface NumberedChange extends Listed {
  readonly number: number;
}

/** Ordered by number; an ask that changed again leaves a gap until half of the list is gaps. */
export class ChangeLog {
  private readonly last = new Map<string, NumberedChange>();
  private ordered: NumberedChange[] = [];
  private end: number;
  /** Changes up to this number may have been dropped for their age. */
  private dropped: number;

  /** The numbers begin at the time in microseconds, so that a cursor of an earlier process is older than all of them. */
  constructor(now: number) {
    this.end = Math.floor(now) * 1000;
    this.dropped = this.end;
  }

  add({ id, conversationId, at }: Listed): void {
    this.end += 1;
    const change = { id, conversationId, at, number: this.end };
    this.last.set(id, change);
    this.ordered.push(change);
    this.tidy(at - changesKept);
  }

  page(page: Page): ChangePage {
    const limit = limitOf(page.limit);
    const after = numberIn(page);
    if (after === undefined || after < this.dropped || after > this.end) {
      return { items: [], cursor: String(this.end), ...(after !== undefined && { gap: true as const }) };
    }
    const items: Listed[] = [];
    let cursor = after;
    for (
      let i = firstIndex(this.ordered, ({ number }) => number > after);
      i < this.ordered.length && items.length < limit;
      i += 1
    ) {
      const change = this.ordered[i] as NumberedChange;
      cursor = change.number;
      const { id, conversationId, at } = change;
      if (this.last.get(id) === change) items.push({ id, conversationId, at });
    }
    return { items, cursor: String(cursor) };
  }

  /** Drops gaps, and changes before `oldest`, once there are as many as others. */
  private tidy(oldest: number): void {
    const isOld = (this.ordered[this.ordered.length >> 1]?.at ?? 0) < oldest;
    if (this.ordered.length < 64 || !(isOld || this.ordered.length > 2 * this.last.size)) return;
    for (const change of this.ordered) {
      if (change.at >= oldest) break;
      this.dropped = change.number;
      if (this.last.get(change.id) === change) this.last.delete(change.id);
    }
    this.ordered = this.ordered.filter((change) => this.last.get(change.id) === change);
  }
}
