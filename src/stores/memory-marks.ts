/**
 * The repeat marks of one conversation in memory: which entries were closed, by whom, with what outcome.
 * They outlive the conversation if it is forgotten before their time. Nothing waiting is ever marked.
 */
import type { Placed } from './heap.js';

export interface ClosedMark {
  readonly entryId: string;
  readonly outcome: string;
  /** The token that recorded the entry; none for work that was never in the queue. */
  readonly recordedBy: string | undefined;
  /** The save that closed it. */
  readonly closedBy: string;
  readonly until: number;
}

/** So many are found by looking at each: a list of them is a fraction of a Map, and most conversations stay below. */
const few = 8;

export class Marks implements Placed {
  readonly conversationId: string;
  slot = -1;
  /** In the order of closing. */
  private closed: readonly ClosedMark[] | Map<string, ClosedMark> = [];

  constructor(conversationId: string) {
    this.conversationId = conversationId;
  }

  get(entryId: string, now: number): ClosedMark | undefined {
    const { closed } = this;
    const mark = closed instanceof Map ? closed.get(entryId) : closed.find((each) => each.entryId === entryId);
    return mark !== undefined && mark.until > now ? mark : undefined;
  }

  add(mark: ClosedMark): void {
    const { closed } = this;
    if (closed instanceof Map) {
      closed.delete(mark.entryId); // so that the order stays that of closing
      closed.set(mark.entryId, mark);
    } else {
      const marks = [...closed.filter((each) => each.entryId !== mark.entryId), mark];
      this.closed = marks.length <= few ? marks : new Map(marks.map((each) => [each.entryId, each]));
    }
  }

  /** Drops what is over at `now`; the time at which to come again, or undefined if none is left. */
  prune(now: number): number | undefined {
    const { closed } = this;
    if (!(closed instanceof Map)) {
      const first = closed.findIndex((mark) => mark.until > now);
      this.closed = first < 0 ? [] : closed.slice(first);
      return closed[first]?.until;
    }
    for (const [entryId, mark] of closed) {
      if (mark.until > now) return mark.until;
      closed.delete(entryId);
    }
    return undefined;
  }
}
