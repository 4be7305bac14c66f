/**
 * The layout of a record, an entry, a mark and an output as text: the one place that knows it, for every store that keeps
 * text. An item is a row of netstrings (`length:string`, lengths in UTF-16 units). A newer release adds fields at the end of
 * an item only; what this release does not know it carries as `rest` and writes back. Nothing here decides anything.
 */
import { AgentError } from '../../core/errors.js';
import { type Stored, StoredRecord } from '../../core/format/stored.js';
import { ConversationRecord, type DedupeMark, fewMarks, type QueuedEntry } from './record.js';

/** Raised when a release could not read what another wrote. */
export const recordFormat = 1;

const flag = {
  handedOver: 1,
  isOpen: 2,
  isLeasedForFront: 4,
  hasMemo: 8,
  hasQueue: 16,
  isRetired: 64,
  hasFront: 128,
  hasDocument: 512,
  hasPeopleBeside: 1_024,
};

/** Stands for a usual value: another field's, or the initial one. */
const same = '=';

const put = (text: string): string => `${text.length}:${text}`;
const number = (value: number | null): string => (value === null ? '' : String(value));

/** A record without its stamp. */
export function encodeRecord(record: ConversationRecord): string {
  const { front } = record;
  const flags =
    (record.handedOver ? flag.handedOver : 0) |
    (record.isOpen ? flag.isOpen : 0) |
    (record.isLeasedForFront ? flag.isLeasedForFront : 0) |
    (record.hasMemo ? flag.hasMemo : 0) |
    (record.hasQueue ? flag.hasQueue : 0) |
    (record.isRetired ? flag.isRetired : 0) |
    (front === undefined ? 0 : flag.hasFront) |
    (record.document === null ? 0 : flag.hasDocument) |
    (record.hasPeopleBeside ? flag.hasPeopleBeside : 0);
  let text = put(
    `${recordFormat},${flags},${record.lastTime},${record.revision},${number(record.dueAt)},${record.notBefore},${record.leasedUntil},${record.attempt},${record.strikes},${record.nextSeq},${record.historyStart},${record.historyEnd},${record.marksBeside},${record.sweepMarksAt === fewMarks ? same : record.sweepMarksAt},${record.marksUntil},${record.endsAt},${record.retention},${record.dedupeFor},${record.keptMemos.length},${record.people.length},${record.recentMarks.length}${record.hasPeopleBeside ? `,${record.peopleUntil}` : ''}`,
  );
  text += put(record.incarnation) + put(record.lastCall) + put(record.token) + put(record.turn);
  for (const turn of record.keptMemos) text += put(turn);
  for (const person of record.people) text += put(person);
  for (const [id, mark] of record.recentMarks) {
    const closedBy = mark.closedBy === record.lastCall ? same : mark.closedBy;
    text += put(id) + put(encodeMark({ ...mark, closedBy }));
  }
  if (front !== undefined) text += put(encodeEntry(front)) + put(`${front.at},${front.isMarked ? 1 : 0}`);
  return text + record.rest;
}

const unknownDocument: Stored = { text: '' };

/** Reads a record. One that has a document gets an empty one: the document is kept apart. */
export function decodeRecord(text: string): ConversationRecord {
  const from = new Netstrings(text, 'a conversation’s record');
  const numbers = from.next().split(',');
  const format = Number(numbers[0]);
  if (!(format >= 1)) throw from.damaged();
  if (format > recordFormat) {
    throw new AgentError(
      'newer-record',
      `A conversation’s record has format ${format}, this release reads up to ${recordFormat}. It was left as it is: finish the roll-out of the newer release.`,
    );
  }
  let at = 0;
  const whole = (): number => Number(numbers[++at]);
  const time = (other: number | null = null): number | null => {
    at += 1;
    return numbers[at] === '' ? null : numbers[at] === same ? other : Number(numbers[at]);
  };
  const flags = whole();
  const is = (bit: number): boolean => (flags & bit) !== 0;
  const record = new ConversationRecord('', whole());
  record.revision = whole();
  record.dueAt = time();
  record.notBefore = whole();
  record.leasedUntil = whole();
  record.attempt = whole();
  record.strikes = whole();
  record.nextSeq = whole();
  record.historyStart = whole();
  record.historyEnd = whole();
  record.marksBeside = whole();
  record.sweepMarksAt = time(fewMarks) ?? fewMarks;
  record.marksUntil = whole();
  record.endsAt = whole();
  record.retention = whole();
  record.dedupeFor = whole();
  const [memos, people, marks] = [whole(), whole(), whole()];
  if (Number.isNaN(marks)) throw from.damaged();
  record.hasPeopleBeside = is(flag.hasPeopleBeside);
  if (record.hasPeopleBeside) record.peopleUntil = whole();
  record.handedOver = is(flag.handedOver);
  record.isOpen = is(flag.isOpen);
  record.isLeasedForFront = is(flag.isLeasedForFront);
  record.hasMemo = is(flag.hasMemo);
  record.hasQueue = is(flag.hasQueue);
  record.isRetired = is(flag.isRetired);
  record.document = is(flag.hasDocument) ? unknownDocument : null;
  record.incarnation = from.next();
  record.lastCall = from.next();
  record.token = from.next();
  record.turn = from.next();
  record.keptMemos = from.many(memos, () => from.next());
  record.people = from.many(people, () => from.next());
  record.recentMarks = from.many(marks, () => {
    const id = from.next();
    const mark = decodeMark(from.next());
    return [id, mark.closedBy === same ? { ...mark, closedBy: record.lastCall } : mark];
  });
  if (is(flag.hasFront)) {
    const entry = from.next();
    const [when, isMarked] = from.next().split(',');
    record.front = decodeEntry(entry, Number(when), isMarked === '1');
  }
  record.rest = from.rest();
  return record;
}

/** An entry without its time and place, which a store may keep apart. */
export function encodeEntry({ id, data, turn, recordedBy, revision, rest }: QueuedEntry): string {
  return put(id) + put(data.text) + put(turn) + put(recordedBy) + put(String(revision)) + rest;
}

/** An entry of the queue behind the front one is marked; the front one need not be. */
export function decodeEntry(text: string, at: number, isMarked = true): QueuedEntry {
  const from = new Netstrings(text, 'an entry of a queue');
  return {
    id: from.next(),
    at,
    data: StoredRecord.ofText(from.next()),
    turn: from.next(),
    recordedBy: from.next(),
    revision: Number(from.next()),
    isMarked,
    rest: from.rest(),
  };
}

/** Writes a mark. */
export function encodeMark({ endsAt, closedBy, outcome, recordedBy, rest }: DedupeMark): string {
  return put(String(endsAt)) + put(closedBy) + put(outcome.text) + put(recordedBy) + rest;
}

/** Reads a mark. */
export function decodeMark(text: string): DedupeMark {
  const from = new Netstrings(text, 'a dedupe mark');
  return {
    endsAt: Number(from.next()),
    closedBy: from.next(),
    outcome: { text: from.next() },
    recordedBy: from.next(),
    rest: from.rest(),
  };
}

/** Reads netstrings one after the other. */
class Netstrings {
  private readonly text: string;
  private readonly what: string;
  private at = 0;

  constructor(text: string, what: string) {
    this.text = text;
    this.what = what;
  }

  next(): string {
    const start = this.text.indexOf(':', this.at) + 1;
    const end = start + Number(this.text.slice(this.at, start - 1));
    if (start === 0 || !(end <= this.text.length)) throw this.damaged();
    this.at = end;
    return this.text.slice(start, end);
  }

  many<T>(count: number, one: () => T): readonly T[] {
    const items: T[] = [];
    for (let i = 0; i < count; i += 1) items.push(one());
    return items;
  }

  rest(): string {
    return this.text.slice(this.at);
  }

  damaged(): AgentError {
    const start = JSON.stringify(this.text.slice(0, 40));
    return new AgentError(
      'bad-record',
      `The text of ${this.what} is damaged, it begins ${start}. It was left as it is.`,
    );
  }
}
