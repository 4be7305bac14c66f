/**
 * The record of a conversation in a store: all that the rules of its lifecycle need to know, and nothing that grows with
 * its use. What grows (the queue behind the front entry, older dedupe marks, outputs and participants beyond the first few, history) is
 * beside the record; ports.ts says how the rules reach it. No rule lives here, and no layout: that is record-text.ts.
 */

/** An entry that waits for work. */
export interface QueuedEntry {
  readonly id: string;
  readonly at: number;
  readonly data: string;
  /** The turn id that its work must have, or ''. */
  readonly turn: string;
  /** The end of the token that recorded it. */
  readonly recordedBy: string;
  /** The revision of the conversation when it was recorded. */
  readonly revision: number;
  /** It had to queue behind the front entry, so it has a dedupe mark beside the record. */
  readonly isMarked: boolean;
  /** Fields of a newer release, carried and written back. */
  readonly rest: string;
}

/** Remembers an entry so that its repeat is known. */
export interface DedupeMark {
  /** Until when a closed entry is remembered. 0 means that the entry still waits in the queue. */
  readonly endsAt: number;
  /** The end of the save's `call` that closed it. */
  readonly closedBy: string;
  readonly outcome: string;
  /** The end of the token that recorded it; '' for work that was never in the queue. */
  readonly recordedBy: string;
  /** Fields of a newer release, carried and written back. */
  readonly rest: string;
}

/** The bookkeeping of an output that has not gone out. Its data is beside the record. */
export interface UnsentOutput {
  readonly key: string;
  readonly channel: string;
  /** Its place in the order of saving. */
  readonly seq: number;
  /** From when on it may be lent. */
  readonly freeAt: number;
  /** Fields of a newer release, carried and written back. */
  readonly rest: string;
}

/** The outputs of one channel that somebody has to push and whose bookkeeping is beside the record. */
export interface Backlog {
  readonly channel: string;
  readonly count: number;
  /** No output of it is free before; a lower bound, which the next lending corrects. */
  readonly freeAt: number;
}

/** This many unsent outputs have their bookkeeping in the record. */
export const outputsInside = 4;
/** This many participants stay in the record. */
export const peopleInside = 8;
/** This many dedupe marks stay in the record. */
export const marksInside = 6;
/** A document of more characters is kept beside the record, and replies to its asks are not predecided. */
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
  revision = 0;
  /** The end of the last save's `call`, and whether that save handed over to the next work. */
  lastCall = '';
  handedOver = false;
  /** Something waits for a person. */
  isOpen = false;
  /** When it wants a holder although no entry waits. */
  dueAt: number | null = null;
  /** Its place in the index of conversations that want a holder. */
  indexedAt: number | null = null;
  /** The back-off: nobody may claim it before. */
  notBefore = 0;
  /** The lease: its fencing token ('' for none), its end, and whether it was given with the front entry. */
  token = '';
  leasedUntil = 0;
  isLeasedForFront = false;
  /** The turn that was begun and not closed ('' for none), with its counts and whether it remembered effects. */
  turn = '';
  attempt = 0;
  strikes = 0;
  hasMemo = false;
  /** Turns that are over and whose memo was kept. */
  keptMemos: readonly string[] = none;
  front: QueuedEntry | undefined = undefined;
  /** Whether entries may wait behind the front one. They come without a change of the record. */
  hasQueue = false;
  /** Null: none. Undefined: beside the record. */
  document: string | null | undefined = null;
  /** The first unsent outputs, in the order of saving. Every one beside the record comes after them. */
  outputs: readonly UnsentOutput[] = none;
  outputsBeside = 0;
  backlogs: readonly Backlog[] = none;
  /** The `seq` of the next output. */
  nextSeq = 0;
  /** The first participants. Further ones are beside the record, and are listed under their ids until `peopleUntil`. */
  people: readonly string[] = none;
  hasPeopleBeside = false;
  peopleUntil = 0;
  /** The last marks by entry id. Others are beside the record: about this many, and at `sweepMarksAt` they are swept. */
  recentMarks: readonly (readonly [entryId: string, mark: DedupeMark])[] = none;
  marksBeside = 0;
  sweepMarksAt = fewMarks;
  /** When the last mark of this life ends. */
  marksUntil = 0;
  /** Whether channels gave ids for what was sent. */
  hasNames = false;
  /** The number of the oldest history item that is kept, and of the next one. Items are numbered from 0 and keep their number. */
  historyStart = 0;
  historyEnd = 0;
  /** Nothing is left to do: it is forgotten at `endsAt`. */
  isRetired = false;
  endsAt = 0;
  /** How long it is kept once retired, and how long marks are; as the last save gave them. */
  retention = 1;
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
    copy.indexedAt = this.indexedAt;
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
    copy.outputs = this.outputs;
    copy.outputsBeside = this.outputsBeside;
    copy.backlogs = this.backlogs;
    copy.nextSeq = this.nextSeq;
    copy.people = this.people;
    copy.hasPeopleBeside = this.hasPeopleBeside;
    copy.peopleUntil = this.peopleUntil;
    copy.recentMarks = this.recentMarks;
    copy.marksBeside = this.marksBeside;
    copy.sweepMarksAt = this.sweepMarksAt;
    copy.marksUntil = this.marksUntil;
    copy.hasNames = this.hasNames;
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

/** The end of a token or call, which is random: enough where it is only compared. */
export const brief = (token: string): string => token.slice(-16);

/** The list without one item. */
export const without = <T>(list: readonly T[], at: number): readonly T[] =>
  list.length === 1 ? none : list.filter((_, i) => i !== at);
