/**
 * A control record as this process knows it.
 */
import type { ControlRecord, Held, Mark } from './record.js';

const none: readonly never[] = [];
const noCall = '.'.repeat(16);

/**
 * A record as it is known. A class, as all of what outlives a step: of objects that are written down as such V8 decides by the
 * first of them whether all are made among what lives for long, where each keeps what it names until a full collection.
 */
export class Seen implements ControlRecord {
  /** The conversation's key, which is not put together and taken apart with every step, and its id as part of it. */
  readonly key: string;
  readonly id: string;
  readonly incarnation: string;
  readonly last: number;
  revision = 0;
  call = noCall;
  text = 0;
  open = false;
  idle = false;
  named = false;
  tick = 0;
  due = -1;
  retention = 1;
  repeat = 1;
  seq = 0;
  people: readonly string[] = none;
  marks: readonly Mark[] = none;
  held: Held | undefined = undefined;
  /** Outputs that were put in, each with its channel behind it. Some may be gone. */
  outputs: readonly string[] = none;

  /** The first record of a conversation. */
  constructor(key: string, id: string, incarnation: string, last: number) {
    this.key = key;
    this.id = id;
    this.incarnation = incarnation;
    this.last = last;
  }

  /** What every step makes of it. */
  next(last: number, held: Held | undefined): Seen {
    const next = new Seen(this.key, this.id, this.incarnation, last);
    next.revision = this.revision + 1;
    next.call = this.call;
    next.text = this.text;
    next.open = this.open;
    next.idle = this.idle;
    next.named = this.named;
    next.tick = (this.tick + 1) % 256;
    next.due = this.due;
    next.retention = this.retention;
    next.repeat = this.repeat;
    next.seq = this.seq;
    next.people = this.people;
    next.marks = this.marks;
    next.held = held;
    next.outputs = this.outputs;
    return next;
  }
}
