/**
 * What the rules ask a store for and tell it to write, beside the record. A store answers and obeys, and decides nothing.
 * All of it is synchronous: a store that cannot answer at once guesses, and runs the rule again when it guessed wrong.
 */
import type { ConversationRecord, DedupeMark, QueuedEntry, UnsentOutput } from './record.js';

/** Questions about what is beside the record, as it was before the step. */
export interface Reads {
  /** The dedupe mark of an entry, of this life of the conversation or an earlier one. */
  mark(entryId: string): DedupeMark | undefined;
  /** How many marks an earlier life left. Asked only where there is no record. */
  marksLeft(): number;
  /** Whether fewer than `count` entries wait behind the front one. */
  hasQueueRoom(count: number): boolean;
  /** The entry behind the front one. */
  second(): QueuedEntry | undefined;
  /** An entry behind the front one, by its id. */
  queued(entryId: string): QueuedEntry | undefined;
  /** The value that a turn remembered under a key. */
  memo(turn: string, key: string): string | undefined;
  /** The marks of closed entries whose time is over at `now`, and how many marks remain without them. */
  expiredMarks(now: number): { readonly expired: readonly string[]; readonly left: number };
  /** An unsent output whose bookkeeping is beside the record, by its key. */
  outputBeside(key: string): UnsentOutput | undefined;
  /** All of them, in the order of `seq`. */
  outputsBeside(): readonly UnsentOutput[];
  /** The participants that are beside the record. A store may add those inside. */
  peopleBeside(): readonly string[];
}

/** How long changes of asks are kept for readers, in ms. */
export const changesKept = 600_000;

/** Writes beside the record. A time that is undefined means never. */
export interface Writes {
  /** Adds an entry at the end of the queue, with its mark (`queuedMark`). */
  enqueue(entry: QueuedEntry): void;
  /** Removes the first entry behind the front one: it became the front. */
  dequeue(): void;
  /** Removes an entry from within the queue. */
  removeQueued(entry: QueuedEntry): void;
  putMark(entryId: string, mark: DedupeMark): void;
  deleteMarks(entryIds: readonly string[]): void;
  /** Keeps a document beside the record; undefined deletes it. */
  putDocument(text: string | undefined): void;
  /** The data of an unsent output, new or replaced. */
  putOutput(key: string, data: string): void;
  /** The bookkeeping of an output beside the record, new or replaced. */
  putOutputBeside(output: UnsentOutput): void;
  /** Deletes an output's data, and its bookkeeping if that is beside the record. */
  deleteOutput(key: string, isBeside: boolean): void;
  /** Puts the conversation into the index of those that have outputs for a channel. */
  indexUnsent(channel: string, at: number | undefined): void;
  /** Puts the conversation into the index of those that want a holder. */
  indexDue(at: number | undefined): void;
  /** Adds items to the history; the first of them gets this number. */
  appendHistory(items: readonly string[], number: number): void;
  /** Deletes the history items with a number below `start`. The next one will get the number `end`. */
  dropHistory(start: number, end: number): void;
  /** Lists an open ask, by the time it was asked and by `rank`, its place among the deadlines. It is among the changes. */
  listAsk(id: string, at: number, rank: number, now: number): void;
  /** Puts an ask at the end of the changes, at the store's time; those that are older than `changesKept` may go. */
  putChange(id: string, now: number): void;
  /**
   * Replaces an open ask, decided at `at`, by its record. Until then that is kept, and listed under the conversation and among all
   * settled asks, whatever becomes of the history. It is among the changes.
   */
  settleAsk(id: string, record: string, at: number, until: number, now: number): void;
  /** Forgets listings of settled asks whose record is gone at `now`. A store in which they go with the record does nothing. */
  forgetSettled(now: number): void;
  /**
   * Replaces an ask of an erased conversation, open or settled, by what is kept of it until then. It belongs to no conversation. It is
   * among the changes, which name its conversation no more.
   */
  putTombstone(id: string, tombstone: string, until: number, now: number): void;
  listParked(id: string, at: number): void;
  unlistParked(id: string): void;
  /** Lists the conversation under a participant until then. */
  putPerson(id: string, until: number | undefined): void;
  deletePerson(id: string): void;
  /** Keeps a participant beside the record. */
  putPersonBeside(id: string): void;
  putMemo(turn: string, key: string, value: string): void;
  deleteMemo(turn: string): void;
  /** The channel's own id of what was sent, under a name. */
  putName(name: string, id: string): void;
  /** Everything that lives as long as the record is kept until then. */
  keepUntil(record: ConversationRecord, until: number | undefined): void;
  keepMarksUntil(until: number | undefined): void;
  /** Deletes everything of the conversation: the record, what is beside it, its marks, its settled asks. */
  clear(record: ConversationRecord): void;
}

/**
 * What a rule decided. The store writes `record` if `isChanged`; undefined then means that there is none any more.
 * A claim in the answer is still without what is beside the record: a long document, and the memo.
 */
export interface Applied<A> {
  readonly record: ConversationRecord | undefined;
  readonly isChanged: boolean;
  readonly answer: A;
}

/** The mark that an entry has while it waits in the queue. */
export const queuedMark = ({ recordedBy }: QueuedEntry): DedupeMark => ({
  endsAt: 0,
  closedBy: '',
  outcome: '',
  recordedBy,
  rest: '',
});
