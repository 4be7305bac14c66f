/**
 * What a rule needs to know, and what it decides, as data. A store reads what is needed, runs the rule, and writes the changes
 * in one step. It decides nothing.
 */
import type { Stored } from '../../core/format/stored.js';
import type { ListedRecord, Output } from '../port.js';
import type { DedupeMark, QueuedEntry } from './record.js';

/** What a call has to know beside the record. */
export interface Needs {
  /** The dedupe mark of this entry. */
  readonly mark?: string;
  /** How many marks an earlier life left. */
  readonly marksLeft?: true;
  /** Whether fewer entries than this wait behind the front one. */
  readonly room?: number;
  /** How many entries wait behind the front one. */
  readonly waiting?: true;
  /** The entry behind the front one. */
  readonly second?: true;
  /** The entry of this id behind the front one. */
  readonly queued?: string;
  /** What a turn remembered under a key. */
  readonly memo?: { readonly turn: string; readonly key: string };
  /** All that these turns remembered. */
  readonly memos?: readonly string[];
  /** All marks beside the record. */
  readonly allMarks?: true;
  /** All participants beside the record. */
  readonly people?: true;
}

/**
 * What was found of it; what is not needed may be left out. An optimistic store may assume that there is no mark, no memo, no mark of an
 * earlier life, and room, if its writing step checks that.
 */
export interface Facts {
  /** The dedupe mark, if there is one. */
  readonly mark?: DedupeMark | undefined;
  /** How many marks there are beside the record. */
  readonly marksLeft?: number | undefined;
  /** How many entries wait behind the front one; at least whether they are fewer than `room`. */
  readonly waiting?: number | undefined;
  /** The entry behind the front one, if there is one. */
  readonly second?: QueuedEntry | undefined;
  /** The entry that was asked for, if it waits behind the front one. */
  readonly queued?: QueuedEntry | undefined;
  /** The value, if the turn remembered one. */
  readonly memo?: string | undefined;
  /** By turn, then by key. */
  readonly memos?: ReadonlyMap<string, Readonly<Record<string, string>>> | undefined;
  /** Every mark by its entry. */
  readonly allMarks?: readonly (readonly [entryId: string, mark: DedupeMark])[] | undefined;
  /** The ids of participants. */
  readonly people?: readonly string[] | undefined;
}

/** Most calls need nothing. */
export const noNeeds: Needs = {};
/** What is found of that. */
export const noFacts: Facts = {};

const none: readonly never[] = [];

/** Everything that one step writes. What is left as it was made here does not change. */
export class Changes {
  /** The store's time of the step. */
  now: number;
  /** The record is another one: it is written, with its place among the due (`wantedAt`). */
  isRecordChanged = false;
  /** The new document. */
  document: Stored | undefined = undefined;
  /** Added at the end of the queue, with the store's time and its mark. */
  enqueued: QueuedEntry | undefined = undefined;
  /** The first entry of the queue, which leaves it: it is in the record now. */
  dequeued: QueuedEntry | undefined = undefined;
  /** Removed from within the queue. */
  unqueued: QueuedEntry | undefined = undefined;
  /** Marks to keep beside the record. */
  marks: readonly (readonly [entryId: string, mark: DedupeMark])[] = none;
  /** Entries whose mark beside the record goes. */
  droppedMarks: readonly string[] = none;
  /** Until when the marks beside the record are kept: null for as long as there is a record. */
  marksUntil: number | null | undefined = undefined;
  /** Added at the end of the history. */
  history: readonly Stored[] = none;
  /** Items before the record's `historyStart` go. */
  isHistoryDropped = false;
  /** Added to the outbox; one whose key is there already stays as it is. */
  outputs: readonly NewOutput[] = none;
  /** Keys of outputs that go. */
  withdrawn: readonly string[] = none;
  /** Asks that are open now: each leads to its conversation, is listed, and has changed. */
  opened: readonly OpenedAsk[] = none;
  /** Open asks that changed. */
  changed: readonly string[] = none;
  /** Asks that are settled: each leads to its record, is listed no more among the open ones, and has changed. */
  settled: readonly SettledRecord[] = none;
  /** Until when the records of `settled` are kept. */
  settledUntil = 0;
  /** Work that was parked. */
  parked: readonly { readonly id: string; readonly at: number }[] = none;
  /** Ids of work that is parked no more. */
  unparked: readonly string[] = none;
  /** Participants under whom the conversation is found from now on. */
  people: readonly ListedPerson[] = none;
  /** What a turn remembered: there is nothing under its key. */
  memo: { readonly turn: string; readonly key: string; readonly value: string } | undefined = undefined;
  /** Turns of which nothing is remembered any more. */
  droppedMemos: readonly string[] = none;
  /**
   * True: the record and what lives as long as it end at its `endsAt`; but as long as an output is unsent they do not end, and
   * when the last one is gone, they are kept for the record's `retention`. False: they do not end.
   */
  ends: boolean | undefined = undefined;
  /** This life ends, and with it everything but what this names. */
  erased: Erased | undefined = undefined;

  constructor(now: number) {
    this.now = now;
  }
}

/** An output to store. */
export interface NewOutput extends Omit<Output, 'to'> {
  /** Its place in the order of saving, within the conversation. */
  readonly seq: number;
  /** From when on it is lent to anyone. */
  readonly freeAt: number;
}

/** An ask that was opened. */
export interface OpenedAsk {
  /** The id of the ask. */
  readonly id: string;
  /** When it was asked. */
  readonly at: number;
  /** When it expires, if it does. */
  readonly deadline?: number;
}

/** The record that an ask leaves. */
export type SettledRecord = ListedRecord;

/** A participant under whom the conversation is found. */
export interface ListedPerson {
  /** The id of the participant. */
  readonly id: string;
  /** Until when; undefined for as long as there is a record. */
  readonly until: number | undefined;
  /** The record has no room for the id: it is kept beside it. */
  readonly isBeside: boolean;
}

/** A life that ends: everything of it goes, and tombstones stay. */
export interface Erased {
  /** All its participants. */
  readonly people: readonly string[];
  /** Turns of which something is remembered. */
  readonly memos: readonly string[];
  /** Ids of its parked work. */
  readonly parked: readonly string[];
  /** Its asks, which have changed. */
  readonly asks: readonly { readonly id: string; readonly tombstone: Stored }[];
  /** Until when the tombstones are kept. */
  readonly until: number;
}

/** How long changes of asks are kept for readers, in ms. */
export const changesKept = 600_000;
