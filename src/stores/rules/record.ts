/**
 * The record of a conversation in a store: all that the rules need to know most of the time, and nothing that grows with
 * its use. What grows (the queue behind the front entry, older dedupe marks, participants beyond the first few, outputs, history) is
 * beside the record; changes.ts says how a rule learns of it and changes it. No rule lives here, and no layout: that is record-text.ts.
 */
import type { Stored } from '../../core/format/stored.js';
import { packed } from '../../core/ids.js';
import type { QueuedRecord } from '../port.js';

/** An entry that waits for work. */
export interface QueuedEntry extends QueuedRecord {
  /** The turn id that its work must have, or ''. */
  readonly turn: string;
  /** The token that recorded it, as `brief` has it. */
  readonly recordedBy: string;
  /** It had to queue behind the front entry, so it has a dedupe mark beside the record. */
  readonly isMarked: boolean;
  /** Fields of a newer release, carried and written back. */
  readonly rest: string;
}

/** Remembers an entry so that its repeat is known. */
export interface DedupeMark {
  /** Until when a closed entry is remembered. 0 means that the entry still waits in the queue. */
  readonly endsAt: number;
  /** The save's `call` that closed it, as `brief` has it. */
  readonly closedBy: string;
  /** What a repeat of the entry is told. */
  readonly outcome: Stored;
  /** The token that recorded it, as `brief` has it; '' for work that was never in the queue. */
  readonly recordedBy: string;
  /** Fields of a newer release, carried and written back. */
  readonly rest: string;
}

/** This many participants stay in the record. */
export const peopleInside = 8;
/** This many dedupe marks stay in the record. */
export const marksInside = 6;
/** In characters: a longer document is kept apart from the record where records are text, so that a step which leaves it as it is does not write it. */
export const longestInside = 4_096;
/** This many marks beside the record are not worth a sweep. */
export const fewMarks = 64;

const none: readonly never[] = [];

/** One life of a conversation. Rules change a copy and return it; the record they were given stays as it was. */
export class ConversationRecord {
  /** Unique to each write. Only a store that compares records sets it, and keeps it before the record's text. */
  stamp = '';
  /** Another for each life of a conversation. */
  incarnation: string;
  /** The latest time that was told to a caller: time never goes back within a conversation. */
  lastTime: number;
  /** How often it was saved. */
  revision = 0;
  /** The last save's `call`, as `brief` has it. */
  lastCall = '';
  /** That save handed over to the next work. */
  handedOver = false;
  /** Something waits for a person. */
  isOpen = false;
  /** When it wants a holder although no entry waits. */
  dueAt: number | null = null;
  /** The back-off: nobody may claim it before. */
  notBefore = 0;
  /** The fencing token of the lease, or ''. */
  token = '';
  /** The end of the lease. */
  leasedUntil = 0;
  /** The lease was given with the front entry. */
  isLeasedForFront = false;
  /** The turn that was begun and not closed, or ''. */
  turn = '';
  /** How often it was begun. */
  attempt = 0;
  /** How often it was begun and not given back. */
  strikes = 0;
  /** It remembered effects. */
  hasMemo = false;
  /** Turns that are over and whose memo was kept. */
  keptMemos: readonly string[] = none;
  /** The entry that waits, or is worked on, first. */
  front: QueuedEntry | undefined = undefined;
  /** Whether entries may wait behind the front one. They come without a change of the record. */
  hasQueue = false;
  /** Null: none. Kept apart from the rest: a step that does not change it does not write it. */
  document: Stored | null = null;
  /** The `seq` of the next output. */
  nextSeq = 0;
  /** The first participants. */
  people: readonly string[] = none;
  /** Further ones are beside the record. */
  hasPeopleBeside = false;
  /** Until when those are found under their ids. */
  peopleUntil = 0;
  /** The last marks by entry id. */
  recentMarks: readonly (readonly [entryId: string, mark: DedupeMark])[] = none;
  /** About so many others are beside the record. */
  marksBeside = 0;
  /** With so many of them those that are over are dropped. */
  sweepMarksAt = fewMarks;
  /** When the last mark of this life ends. */
  marksUntil = 0;
  /** The number of the oldest history item that is kept. Items are numbered from 0 and keep their number. */
  historyStart = 0;
  /** The number of the next one. */
  historyEnd = 0;
  /** Nothing is left to do: it is forgotten when all outputs have gone out. */
  isRetired = false;
  /** When it is forgotten if none is unsent. */
  endsAt = 0;
  /** How long it is kept once retired; as the last save gave it. */
  retention = 1;
  /** How long marks are kept; as the last save gave it. */
  dedupeFor = 1;
  /** Fields of a newer release, carried and written back. */
  rest = '';

  constructor(incarnation: string, lastTime: number) {
    this.incarnation = incarnation;
    this.lastTime = lastTime;
  }

  /** A record to change. Field by field: every step copies, and `Object.assign` takes ten times as long. */
  copy(): ConversationRecord {
    const copy = new ConversationRecord(this.incarnation, this.lastTime);
    copy.stamp = this.stamp;
    copy.revision = this.revision;
    copy.lastCall = this.lastCall;
    copy.handedOver = this.handedOver;
    copy.isOpen = this.isOpen;
    copy.dueAt = this.dueAt;
    copy.notBefore = this.notBefore;
    copy.token = this.token;
    copy.leasedUntil = this.leasedUntil;
    copy.isLeasedForFront = this.isLeasedForFront;
    copy.turn = this.turn;
    copy.attempt = this.attempt;
    copy.strikes = this.strikes;
    copy.hasMemo = this.hasMemo;
    copy.keptMemos = this.keptMemos;
    copy.front = this.front;
    copy.hasQueue = this.hasQueue;
    copy.document = this.document;
    copy.nextSeq = this.nextSeq;
    copy.people = this.people;
    copy.hasPeopleBeside = this.hasPeopleBeside;
    copy.peopleUntil = this.peopleUntil;
    copy.recentMarks = this.recentMarks;
    copy.marksBeside = this.marksBeside;
    copy.sweepMarksAt = this.sweepMarksAt;
    copy.marksUntil = this.marksUntil;
    copy.historyStart = this.historyStart;
    copy.historyEnd = this.historyEnd;
    copy.isRetired = this.isRetired;
    copy.endsAt = this.endsAt;
    copy.retention = this.retention;
    copy.dedupeFor = this.dedupeFor;
    copy.rest = this.rest;
    return copy;
  }
}

/** A token or call where it is only compared: shorter if it looks like one of our ids, and different for different ones. */
export const brief = (token: string): string => packed(token) ?? `~${token}`;

/** The list without one item. */
export const without = <T>(list: readonly T[], at: number): readonly T[] =>
  list.length === 1 ? none : list.filter((_, i) => i !== at);

const noOutcome: Stored = { text: '' };

/** The mark that an entry has while it waits in the queue. */
export const queuedMark = ({ recordedBy }: QueuedEntry): DedupeMark => ({
  endsAt: 0,
  closedBy: '',
  outcome: noOutcome,
  recordedBy,
  rest: '',
});
