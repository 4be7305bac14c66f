/**
 * The repeat marks of one conversation in memory: which entries were closed, by whom, with what outcome.
 * They outlive the conversation if it is forgotten before their time. Nothing waiting is ever marked.
 */
import { flat } from '../../core/flat.js';
import type { Placed } from './heap.js';
import { packed, unpacked } from './packed.js';

export interface ClosedMark {
  readonly entryId: string;
  readonly outcome: string;
  /** The token that recorded the entry; empty for work that was never in the queue. */
  readonly recordedBy: string;
  /** The save that closed it. */
  readonly closedBy: string;
  readonly until: number;
}

/** So long is a text of marks that is searched and copied for a new one; most conversations stay below. */
const short = 2048;

export class Marks implements Placed {
  readonly conversationId: string;
  slot = -1;
  /** In the order of closing: all in one text, or when that gets long, each in its own by entry. */
  private closed: string | Map<string, string> = '';

  constructor(conversationId: string) {
    this.conversationId = conversationId;
  }

  get(entryId: string, now: number): ClosedMark | undefined {
    const mark = this.find(entryId);
    return mark !== undefined && mark.until > now ? mark : undefined;
  }

  add(mark: ClosedMark): void {
    const { closed } = this;
    if (typeof closed !== 'string') {
      closed.delete(mark.entryId); // so that the order stays that of closing
      closed.set(mark.entryId, flat(written(mark)));
      return;
    }
    const known = this.find(mark.entryId);
    const others =
      known === undefined ? closed : allWritten(read(closed).filter((each) => each.entryId !== mark.entryId));
    const all = others + written(mark);
    this.closed =
      all.length <= short ? flat(all) : new Map(read(all).map((each) => [each.entryId, flat(written(each))]));
  }

  /** Drops what is over at `now`; the time at which to come again, or undefined if none is left. */
  prune(now: number): number | undefined {
    const { closed } = this;
    if (typeof closed === 'string') {
      const marks = read(closed);
      const first = marks.findIndex((mark) => mark.until > now);
      this.closed = first < 0 ? '' : allWritten(marks.slice(first));
      return marks[first]?.until;
    }
    for (const [entryId, text] of closed) {
      const until = read(text)[0]?.until ?? 0;
      if (until > now) return until;
      closed.delete(entryId);
    }
    return undefined;
  }

  private find(entryId: string): ClosedMark | undefined {
    const { closed } = this;
    const text = typeof closed === 'string' ? closed : (closed.get(entryId) ?? '');
    if (!text.includes(packed(entryId))) return undefined;
    return read(text).find((mark) => mark.entryId === entryId);
  }
}

function written({ entryId, outcome, recordedBy, closedBy, until }: ClosedMark): string {
  return packed(entryId) + packed(outcome) + packed(recordedBy) + packed(closedBy) + packed(String(until));
}

function allWritten(marks: readonly ClosedMark[]): string {
  return marks.map(written).join('');
}

function read(text: string): ClosedMark[] {
  const marks: ClosedMark[] = [];
  const parts = unpacked(text);
  for (let i = 0; i < parts.length; i += 5) {
    const [entryId, outcome, recordedBy, closedBy, until] = parts.slice(i, i + 5) as [
      string,
      string,
      string,
      string,
      string,
    ];
    marks.push({ entryId, outcome, recordedBy, closedBy, until: Number(until) });
  }
  return marks;
}
