/**
 * The repeat marks of one conversation in memory: which entries were closed, by whom, with what outcome.
 * They outlive the conversation if it is forgotten before their time. Nothing waiting is ever marked.
 */
import { HeapNode } from './heap.js';

export interface ClosedMark {
  readonly outcome: string;
  /** The token that recorded the entry; none for work that was never in the queue. */
  readonly recordedBy: string | undefined;
  /** The save that closed it. */
  readonly closedBy: string;
  readonly until: number;
}

export class Marks {
  readonly expiry: HeapNode<() => void>;
  private readonly closed = new Map<string, ClosedMark>();

  constructor(expire: () => void) {
    this.expiry = new HeapNode(expire);
  }

  get(entryId: string, now: number): ClosedMark | undefined {
    const mark = this.closed.get(entryId);
    return mark !== undefined && mark.until > now ? mark : undefined;
  }

  add(entryId: string, mark: ClosedMark): void {
    this.closed.delete(entryId); // so that the order stays that of closing
    this.closed.set(entryId, mark);
  }

  /** Drops what is over at `now`; the time at which to come again, or undefined if none is left. */
  prune(now: number): number | undefined {
    for (const [entryId, mark] of this.closed) {
      if (mark.until > now) return mark.until;
      this.closed.delete(entryId);
    }
    return undefined;
  }
}
