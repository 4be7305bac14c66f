/**
 * One conversation in memory: who holds it, what waits in it, and the work that has been begun.
 * It never asks for the time and never knows another conversation.
 */

import type { Mutable } from '../../core/defined-fields.js';
import { flat } from '../../core/flat.js';
import type { Claim, NewEntry, Output, Predecided, QueuedText, Save, Saved } from '../port.js';
import type { Few } from './few.js';
import type { Placed } from './heap.js';
import type { Marks } from './marks.js';
import { packed, unpacked } from './packed.js';

interface Waiting {
  readonly text: QueuedText;
  readonly turn: string | undefined;
  /** The token of the call that recorded it. */
  readonly by: string;
}

const none: never[] = []; // never written to

/** So many items of the history are one text, which is copied for each save that adds to it. */
const itemsPerPage = 8;

/** The work that was begun and not closed: it keeps its id, and counts its tries. */
interface Work {
  readonly turn: string;
  attempt: number;
  strikes: number;
}

interface Hold {
  readonly token: string;
  /** The entry the claim was given for. */
  readonly entryId: string | undefined;
  until: number;
}

/** One output that has not gone out. */
export class OutboxItem implements Placed {
  slot = -1;
  readonly conversation: Conversation;
  readonly key: string;
  readonly channel: string;
  readonly to: Output['to'];
  /** Its place in the order of saving. */
  readonly order: number;
  data: string;
  freeAt = 0;
  /** Free to be lent, and known to be. */
  ready = false;

  constructor(conversation: Conversation, output: Output, order: number) {
    this.conversation = conversation;
    this.key = output.key;
    this.channel = output.channel;
    this.to = output.to;
    this.order = order;
    this.data = output.data;
  }
}

/** What a conversation has not sent: nothing, one output, or several by key. */
export type Unsent = OutboxItem | Map<string, OutboxItem> | undefined;

/** A conversation's place among those that want a holder; most of them, idle, want none and have no place. */
export class Want implements Placed {
  slot = -1;
  readonly conversation: Conversation;

  constructor(conversation: Conversation) {
    this.conversation = conversation;
  }
}

/** Its own place is among what vanishes by itself. */
export class Conversation implements Placed {
  slot = -1;
  readonly id: string;
  readonly incarnation: string;
  revision = 0;
  document: string | null = null;
  due: number | null = null;
  open = false;
  /** What the last save gave. */
  retention = 0;
  /** In the order they came. Like what follows, most often empty or one: a list or nothing is a fraction of a Map. */
  private queue: Waiting[] = none;
  outbox: Unsent;
  /** How many of the outbox somebody has to push. */
  pushes = 0;
  /** How many items the history has. */
  told = 0;
  /** The history, so many items a page: those that are full, and the one being filled. */
  private fullPages: string[] | undefined;
  private page = '';
  /** Made when a channel first says under which id it sent something. */
  sentAs: Map<string, string> | undefined;
  /** Open and settled ones. */
  asks: Few;
  parked: Few;
  people: Few;
  marks: Marks | undefined;
  hold: Hold | undefined;
  work: Work | undefined;
  want: Want | undefined;
  notBefore = 0;
  /** The last save, to answer its repeat. */
  lastCall: string | undefined;
  private time = 0;
  /** By turn; few turns remember anything. */
  private memos: Map<string, Map<string, string>> | undefined;

  constructor(id: string, incarnation: string, marks: Marks | undefined) {
    this.id = id;
    this.incarnation = incarnation;
    this.marks = marks;
  }

  /** The conversation's time when the clock shows `now`: it never goes back. */
  timeAt(now: number): number {
    if (now > this.time) this.time = now;
    return this.time;
  }

  record(entry: NewEntry, by: string, at: number): void {
    const waiting: Waiting = { text: { id: entry.id, at, data: entry.data }, turn: entry.turn, by };
    if (this.queue.length === 0)
      this.queue = [waiting]; // a list that is pushed to keeps room for sixteen more
    else this.queue.push(waiting);
  }

  /** Adds to the history. */
  tell(items: readonly string[]): void {
    for (const item of items) {
      if (this.told > 0 && this.told % itemsPerPage === 0) {
        this.fullPages ??= [];
        this.fullPages.push(flat(this.page));
        this.page = '';
      }
      this.page += packed(item);
      this.told += 1;
    }
    this.page = flat(this.page);
  }

  /** The items of the history from `start` to before `end`. */
  history(start: number, end: number): string[] {
    const first = Math.floor(start / itemsPerPage);
    const items: string[] = [];
    for (let i = first; i * itemsPerPage < Math.min(end, this.told); i += 1) {
      for (const item of unpacked(this.fullPages?.[i] ?? this.page)) items.push(item);
    }
    return items.slice(start - first * itemsPerPage, end - first * itemsPerPage);
  }

  /** How many entries wait. */
  get waiting(): number {
    return this.queue.length;
  }

  /** The entries that wait, in their order. */
  line(): QueuedText[] {
    return this.queue.map(({ text }) => text);
  }

  /** The token of the call that recorded an entry which waits. */
  recordedBy(entryId: string): string | undefined {
    return this.find(entryId)?.by;
  }

  /** Takes an entry out of the line, wherever it stands. */
  remove(entryId: string): void {
    const left = this.queue.filter(({ text }) => text.id !== entryId);
    this.queue = left.length === 0 ? none : left;
  }

  held(now: number): boolean {
    return this.hold !== undefined && now < this.hold.until;
  }

  /** When it will want a holder, as things are; Infinity for never. */
  wantedAt(): number {
    const work = this.queue.length > 0 ? 0 : (this.due ?? Number.POSITIVE_INFINITY);
    return Math.max(work, this.notBefore, this.hold?.until ?? 0);
  }

  /** Whether nothing is left to do in it, so that it may be forgotten. */
  idle(): boolean {
    return !this.open && this.due === null && this.queue.length === 0 && this.pushes === 0;
  }

  /** A new hold: one attempt and one strike more, of the unfinished work or of new work. */
  claim(token: string, turn: string, until: number, now: number): Claim {
    const front = this.queue[0];
    this.work ??= { turn: front?.turn ?? turn, attempt: 0, strikes: 0 };
    this.work.attempt += 1;
    this.work.strikes += 1;
    this.hold = { token, entryId: front?.text.id, until };
    return this.claimed(now) as Claim;
  }

  /** The claim as its holder has it, for giving it again. */
  claimed(now: number): Claim | undefined {
    if (this.hold === undefined || this.work === undefined) return undefined;
    const { token, entryId } = this.hold;
    const entry = entryId === undefined ? undefined : this.find(entryId)?.text;
    const claim: Mutable<Claim> = {
      token,
      turn: this.work.turn,
      attempt: this.work.attempt,
      strikes: this.work.strikes,
      revision: this.revision,
      incarnation: this.incarnation,
      now,
      document: this.document,
      memo: this.memos === undefined ? {} : Object.fromEntries(this.memos.get(this.work.turn) ?? []),
    };
    if (entry !== undefined) claim.entry = entry;
    return claim;
  }

  /** What the holder's own claim came with is written; the claim with it. */
  foresaw({ document }: Predecided, now: number): Claim | undefined {
    this.revision += 1;
    this.document = flat(document);
    return this.claimed(now);
  }

  remember(turn: string, key: string, value: string): string | undefined {
    if (this.work?.turn !== turn) return undefined;
    this.memos ??= new Map();
    const memo = this.memos.get(turn) ?? new Map<string, string>();
    this.memos.set(turn, memo);
    const first = memo.get(key);
    if (first !== undefined) return first;
    memo.set(key, value);
    return value;
  }

  /** The last part of a save: go on, hand over, or let go. */
  proceed(call: Save, now: number): Saved {
    const { then } = call;
    if (then.type !== 'hold') {
      // closing an entry out of line leaves a turn that goes on as it is; every other close ends the work
      if (then.type === 'next' || call.closes !== undefined) this.endWork(call.closes?.keepMemo ?? false);
      else if (this.work !== undefined && then.returnStrike) this.work.strikes -= 1;
      this.hold = undefined;
    }
    if (then.type === 'release') this.notBefore = now + then.wait;
    const { revision } = this;
    if (then.type !== 'next' || then.lease <= 0 || this.wantedAt() > now) return { type: 'saved', now, revision };
    return { type: 'saved', now, revision, next: this.claim(call.token, then.turn, now + then.lease, now) };
  }

  private endWork(keepMemo: boolean): void {
    const { work, hold } = this;
    if (work === undefined) return;
    const front = this.queue[0];
    // work done before the front entry is read goes under that entry's turn id, and must not spend its memo
    const lent = front?.turn === work.turn && front.text.id === hold?.entryId;
    if (!keepMemo && !lent) this.memos?.delete(work.turn);
    this.work = undefined;
  }

  private find(entryId: string): Waiting | undefined {
    return this.queue.find(({ text }) => text.id === entryId);
  }
}
