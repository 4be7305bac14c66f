/**
 * Control records that this process knows, because it made them or saw them made: so it knows what a step makes of them,
 * and Redis has only to compare and write (scripts/swap.ts). A record may have changed meanwhile; then it differs, and the
 * step is left to take or save. Known are only records that say what is usual, and only the steps of a usual turn.
 *
 * The time in such a record is the server's as this process knows it from its last words. The server does not accept one
 * that is far off, nor a record that anybody wrote to since: so what is written in a conversation never goes back in time.
 */
import { Buffer } from 'node:buffer';
import { OptimisticBackoff } from '../../core/optimistic-backoff.js';
import { systemClock } from '../../machine/clock.js';
import type { Save, Take, Taken } from '../port.js';
import { encoded } from './keys.js';
import { brief, briefCall, Front, Held, Mark } from './record.js';
import { longestInside } from './scripts/record.js';
import { recents } from './scripts/save.js';
import { Seen } from './seen.js';
import { time } from './transport/args.js';

/** So many conversations are known; older ones are forgotten first. */
const most = 2_048;
/** By how much the guess of the server's time may be wrong at most, in ms: a lease or a loan is that much shorter. */
const mostOff = 1_000;
/** More items of history are not handed over at once. */
const mostHistory = 1_000;

/** A step that makes the first record of a conversation. */
export interface Begin {
  readonly to: Seen;
  /** By how much the guess of the time, which is that of `to`, may be wrong. */
  readonly off: number;
}
/** A step that makes one record of another. */
export interface Swap extends Begin {
  readonly from: Seen;
  readonly document: string;
}
export interface SwapSave extends Swap {
  readonly call: Save;
  /** Somebody who takes part from now on. */
  readonly joined: string | undefined;
  /** The channel of what is withdrawn, and of all that was not sent before. */
  readonly withdrawn: string | undefined;
  /** True if nothing is left to do, so that all of it runs out. */
  readonly ends: boolean;
  /** The place in `due`: undefined if it stays where it is, -1 for none. */
  readonly place: number | undefined;
}

/**
 * Where a record stands. It is emptied when the record is not known any more: a Map that is filled and emptied all the time
 * leaves tables behind that keep what was in it until a full collection.
 */
class Slot {
  seen: Seen | undefined;

  constructor(seen: Seen) {
    this.seen = seen;
  }
}

export class KnownRecords {
  /** By conversation. One stays while that goes on, empty while a step is under way; the first that was made is the first to go. */
  readonly #slots = new Map<string, Slot>();
  /** The server's time at its last word, and when that was heard. */
  #told = 0;
  #heard = 0;
  /** Whether what is not known here is new: so it is for as long as it was. */
  readonly #newcomers = new OptimisticBackoff();

  /** A take was answered by the script. It may have begun a conversation, whose record is then known. */
  taken(key: string, { conversationId, token, turn, lease }: Take, { claim, now }: Taken): void {
    this.#hear(now);
    if (claim?.revision !== 0 || claim.attempt !== 1 || claim.entry?.at !== now || !isUsualToken(token)) return;
    const { incarnation, entry } = claim;
    const seen = new Seen(key, idIn(key), incarnation, now);
    seen.held = new Held(token, turn, now + time(lease), entry);
    this.#keep(conversationId, seen);
  }

  /**
   * What a take makes of a conversation that nobody has written in so far, as one of which this process knows nothing may be;
   * undefined if it is to be taken for an old one.
   */
  begin(key: string, { conversationId, token, turn, lease: ms, entry, predecided }: Take): Begin | undefined {
    if (this.#told === 0 || this.#slots.has(conversationId) || entry === undefined || predecided !== undefined)
      return undefined;
    const lease = time(ms);
    const off = mostOffFor(lease);
    if (off === 0 || entry.turn !== undefined || entry.room <= 0 || !isUsualToken(token)) return undefined;
    if (!this.#newcomers.shouldTry()) return undefined;
    const now = this.#now(0);
    const to = new Seen(key, idIn(key), `${Math.floor(now / 1_000)}${token.slice(-12)}`, now);
    to.held = new Held(token, turn, now + lease, new Front(entry.id, now, entry.data));
    return { to, off };
  }

  /** What became of it: true if it was done, false if the conversation was not new, or may not have been. */
  began(conversationId: string, to: Seen, now: number): boolean {
    const isDone = this.done(conversationId, to, now);
    this.#newcomers.record(isDone);
    return isDone;
  }

  /** What a take will make of the record; undefined if that has to be found out. */
  take(call: Take): Swap | undefined {
    const from = this.#let(call.conversationId);
    const { token, turn, entry, predecided, claimBefore } = call;
    if (from === undefined || entry === undefined || predecided === undefined || entry.turn !== undefined)
      return undefined;
    const { revision, incarnation, due, marks } = from;
    if (predecided.revision !== revision || predecided.incarnation !== incarnation) return undefined;
    if (from.held !== undefined || from.idle || entry.room <= 0 || !isUsualToken(token)) return undefined;
    for (const { entryId } of marks) if (entryId === entry.id) return undefined;
    const lease = time(call.lease);
    const off = mostOffFor(lease);
    const now = this.#now(from.last);
    if (off === 0 || (due >= 0 && due <= now + off) || (claimBefore !== undefined && now + off > claimBefore)) {
      return undefined;
    }
    const { document } = predecided;
    const text = sizeInside(document);
    if (text === 0) return undefined;
    const to = from.next(now, new Held(token, turn, now + lease, new Front(entry.id, now, entry.data)));
    to.text = text;
    return { from, to, document, off };
  }

  /** What a save will make of the record; undefined if that has to be found out. */
  save(call: Save): SwapSave | undefined {
    const from = this.#let(call.conversationId);
    const { closes, document, then, people, withdraw } = call;
    if (from === undefined || closes === undefined || document === undefined || then.type !== 'next') return undefined;
    const { held, revision, marks, outputs } = from;
    if (held?.token !== call.token || revision !== call.revision || held.entry.id !== closes.entryId) return undefined;
    if (!isUsual(call) || marks.length >= recents) return undefined;
    const now = this.#now(from.last);
    const due = call.due === undefined ? from.due : call.due === null ? -1 : time(call.due);
    if (due >= 0 && due <= now + mostOff) return undefined;
    const open = call.open ?? from.open;
    const ends = !open && due < 0 && call.outputs.length === 0;
    const retention = time(Math.max(1, call.retention));
    const repeat = time(Math.max(1, call.repeatMarks));
    const joined = people.length === 0 ? undefined : encoded(people[0] as string);
    if (ends && (joined !== undefined || repeat > retention)) return undefined;
    if (joined !== undefined && from.people.includes(joined)) return undefined;
    const withdrawn = withdraw.length === 0 ? undefined : channelOf(outputs, withdraw[0] as string);
    if (withdraw.length > 0 && withdrawn === undefined) return undefined;
    const text = sizeInside(document);
    if (text === 0) return undefined;
    const by = briefCall(call.call);
    if (!isPlain(by)) return undefined;
    const to = from.next(now, undefined);
    to.call = by;
    to.text = text;
    to.open = open;
    to.idle = ends;
    to.due = due;
    to.retention = retention;
    to.repeat = repeat;
    to.seq += call.outputs.length;
    if (joined !== undefined) to.people = [...from.people, joined];
    to.marks = [...marks, new Mark(closes.entryId, now + repeat, by, closes.outcome, brief(held.token))];
    to.outputs = withOutputs(outputs, call);
    const place = due === held.until ? undefined : due;
    return { call, from, to, document, off: mostOff, joined, withdrawn, ends, place };
  }

  /** What became of a step: true if it was done, false if it was not for its script. */
  done(conversationId: string, to: Seen, now: number): boolean {
    if (now === 0) return false;
    this.#hear(now);
    if (!to.idle) this.#keep(conversationId, to);
    else this.forget(conversationId); // one that is revived has more to it
    return true;
  }

  /** Something changes the record that is no swap. */
  forget(conversationId: string): void {
    const slot = this.#slots.get(conversationId);
    if (slot === undefined) return;
    slot.seen = undefined;
    this.#slots.delete(conversationId);
  }

  /** Something was sent and got an id of the channel's own, of which a flag tells. */
  named(conversationId: string): void {
    const slot = this.#slots.get(conversationId);
    if (slot?.seen !== undefined && !slot.seen.named) slot.seen.named = true;
  }

  #hear(now: number): void {
    if (now === this.#told) return; // as all who share a call are told
    this.#told = now;
    this.#heard = systemClock.elapsed();
  }

  /** The server's time, as well as this process knows it; within a conversation it never goes back. */
  #now(last: number): number {
    return Math.max(last, Math.floor(this.#told + systemClock.elapsed() - this.#heard));
  }

  /** What is known of a conversation, for a step that will change it. */
  #let(conversationId: string): Seen | undefined {
    const slot = this.#slots.get(conversationId);
    const seen = slot?.seen;
    if (slot !== undefined) slot.seen = undefined;
    return seen;
  }

  #keep(conversationId: string, seen: Seen): void {
    const slot = this.#slots.get(conversationId);
    if (slot !== undefined) {
      slot.seen = seen;
      return;
    }
    this.#slots.set(conversationId, new Slot(seen));
    if (this.#slots.size <= most) return;
    for (const oldest of this.#slots.keys()) {
      this.forget(oldest);
      break;
    }
  }
}

/** True if a save has only what a turn usually brings about. */
function isUsual({ parked, people, withdraw, history, outputs }: Save): boolean {
  if (parked.added.length > 0 || parked.removed.length > 0 || people.length > 1 || withdraw.length > 1) return false;
  for (const { to } of outputs) if (to === 'puller') return false;
  return history.length <= mostHistory;
}

const mostOffFor = (lease: number): number => Math.min(mostOff, Math.floor(lease / 10));

/** The conversation's id as part of its key. */
const idIn = (key: string): string => key.slice(key.indexOf('}:c:') + 4);

/** True if a token has its place in what is compared, and an end that is the same in signs and in bytes. */
const isUsualToken = (token: string): boolean => token.length <= 64 && isPlain(brief(token));

/** True if each sign is one byte. */
function isPlain(text: string): boolean {
  for (let i = 0; i < text.length; i += 1) if (text.charCodeAt(i) > 127) return false;
  return true;
}

/** How many bytes a document has in its place in the record; 0 if that is not its place. */
function sizeInside(document: string): number {
  if (document.length > longestInside) return 0;
  const size = Buffer.byteLength(document);
  return size > longestInside ? 0 : size;
}

/** The channel of an output that is known, if all that are known have the same: others that are left have it too then. */
function channelOf(outputs: readonly string[], key: string): string | undefined {
  const channel = outputs[1];
  let isKnown = false;
  for (let i = 0; i < outputs.length; i += 2) {
    if (outputs[i + 1] !== channel) return undefined;
    if (outputs[i] === key) isKnown = true;
  }
  return isKnown ? channel : undefined;
}

function withOutputs(known: readonly string[], { outputs }: Save): readonly string[] {
  if (outputs.length === 0) return known;
  const all = [...known];
  for (const { key, channel } of outputs) all.push(key, encoded(channel));
  return all;
}
