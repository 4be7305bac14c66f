/**
 * The control record as the client writes it, in its usual forms: byte for byte what scripts/record.ts makes, where its
 * fields are explained. Nothing here decides what is in it.
 */
import type { QueuedText } from '../port.js';
import { beginning } from './scripts/record.js';
import { write, writeTime, writeWhole } from './transport/args.js';

/** What a record says, if that is nothing unusual. */
export interface ControlRecord {
  readonly last: number;
  readonly revision: number;
  /** The save that made it, by its end. */
  readonly call: string;
  /** How many bytes its document has, or 0. */
  readonly text: number;
  readonly open: boolean;
  /** True if its keys have a time to live. */
  readonly idle: boolean;
  readonly named: boolean;
  /** One more with every record. */
  readonly tick: number;
  readonly due: number;
  readonly retention: number;
  readonly repeat: number;
  /** Of outputs. */
  readonly seq: number;
  readonly incarnation: string;
  readonly people: readonly string[];
  readonly marks: readonly Mark[];
  /** Who works on it, and on what. */
  readonly held: Held | undefined;
}

/** That an entry was closed, until `ends`. */
export class Mark {
  readonly entryId: string;
  readonly ends: number;
  readonly call: string;
  readonly outcome: string;
  /** The token that recorded it, by its end. */
  readonly by: string;

  constructor(entryId: string, ends: number, call: string, outcome: string, by: string) {
    this.entryId = entryId;
    this.ends = ends;
    this.call = call;
    this.outcome = outcome;
    this.by = by;
  }
}

/** The entry that is worked on. */
export class Front implements QueuedText {
  readonly id: string;
  readonly at: number;
  readonly data: string;

  constructor(id: string, at: number, data: string) {
    this.id = id;
    this.at = at;
    this.data = data;
  }
}

export class Held {
  readonly token: string;
  readonly turn: string;
  readonly until: number;
  readonly entry: QueuedText;

  constructor(token: string, turn: string, until: number, entry: QueuedText) {
    this.token = token;
    this.turn = turn;
    this.until = until;
    this.entry = entry;
  }
}

/** How a token or a call is kept that is only compared: by its end, which is random. That of a call has a fixed length. */
export const brief = (text: string): string => text.slice(-16);
export const briefCall = (call: string): string => brief(call).padStart(16, '.');

/** So many bytes a record has if each sign of its texts is one. It may have three times as many. */
export function sizeOf({ incarnation, people, marks, held }: ControlRecord, document: string): number {
  let size = 104 + incarnation.length + document.length; // what is not a text has a fixed length
  for (const each of people) size += 4 + each.length;
  for (const { entryId, call, outcome, by } of marks) {
    size += 23 + entryId.length + call.length + outcome.length + by.length;
  }
  if (held === undefined) return size;
  const { token, turn, entry } = held;
  return size + 65 + token.length + turn.length + entry.id.length + entry.data.length;
}

/** Writes a record, and says where it ends. */
export function writeRecord(bytes: Buffer, from: number, record: ControlRecord, document: string): number {
  const { marks, held } = record;
  let at = writeWaiting(bytes, from, record);
  const size = at; // of the marks, which stand behind what has a fixed length
  at += 4;
  if (held === undefined) {
    at = writeMarks(bytes, at, size, marks);
  } else {
    const { token, turn, until, entry } = held;
    at = writeTime(bytes, at, until);
    at = writeTime(bytes, at, until); // its place in due
    at = writeTime(bytes, at, entry.at);
    at = writeWhole(bytes, at, 4, 1); // the first attempt
    at = writeWhole(bytes, at, 4, 1); // and no strike but its own
    at = writeWhole(bytes, at, 4, 1); // one entry
    at = writeText(bytes, at, 4, turn);
    at = writeText(bytes, at, 4, entry.id);
    at = writeText(bytes, at, 1, brief(token));
    const data = at;
    at = writeMarks(bytes, at + 4, size, marks);
    const length = write(bytes, at, entry.data);
    writeWhole(bytes, data, 4, length);
    at += length;
  }
  return at + write(bytes, at, document);
}

/** Writes what a record begins with, as far as that is compared. */
export function writeBeginning(bytes: Buffer, from: number, record: ControlRecord): number {
  const at = writeStart(bytes, from, record);
  if (at < from + beginning) writeMore(bytes, at, record); // which is longer
  return from + beginning;
}

/** Writes what every record has, but for the marks. */
function writeWaiting(bytes: Buffer, from: number, record: ControlRecord): number {
  const people = writeMore(bytes, writeStart(bytes, from, record), record);
  let at = people + 4;
  for (const each of record.people) at = writeText(bytes, at, 4, each);
  writeWhole(bytes, people, 4, at - people - 4);
  return at;
}

/** Up to the token of the holder. */
function writeStart(bytes: Buffer, from: number, record: ControlRecord): number {
  const { text, held } = record;
  let at = writeTime(bytes, from, record.last);
  at = writeWhole(bytes, at, 4, record.revision);
  at += write(bytes, at, record.call);
  at = writeWhole(bytes, at, 4, text);
  bytes[at] = record.open ? 1 : 0;
  bytes[at + 1] = text > 0 ? 1 : 0;
  bytes[at + 2] = 0; // no memo
  bytes[at + 3] = 0; // nothing handed over
  bytes[at + 4] = record.idle ? 1 : 0;
  bytes[at + 5] = 0; // nothing to pull
  bytes[at + 6] = 0; // the front entry did not queue
  bytes[at + 7] = record.marks.length;
  bytes[at + 8] = record.named ? 1 : 0;
  bytes[at + 9] = record.tick;
  bytes[at + 10] = held === undefined ? 0 : 1; // the form
  return writeText(bytes, at + 11, 4, held === undefined ? '' : held.token);
}

/** From there on up to the life of the conversation. */
function writeMore(bytes: Buffer, from: number, record: ControlRecord): number {
  let at = writeTime(bytes, from, record.due);
  at = writeTime(bytes, at, record.retention);
  at = writeTime(bytes, at, record.repeat);
  at = writeWhole(bytes, at, 4, record.seq);
  return writeText(bytes, at, 1, record.incarnation);
}

function writeMarks(bytes: Buffer, from: number, size: number, marks: readonly Mark[]): number {
  let at = from;
  for (const { entryId, ends, call, outcome, by } of marks) {
    at = writeText(bytes, at, 4, entryId);
    const mark = at;
    bytes[at + 4] = 1; // it is closed
    at = writeTime(bytes, at + 5, ends);
    at = writeText(bytes, at, 1, call);
    at = writeText(bytes, at, 4, outcome);
    at = writeText(bytes, at, 1, by);
    writeWhole(bytes, mark, 4, at - mark - 4);
  }
  writeWhole(bytes, size, 4, at - from);
  return at;
}

/** Writes the record of a settled ask as it is kept, and says where it ends. */
export function writeSettled(bytes: Buffer, from: number, record: string): number {
  bytes[from] = 61; // =
  return from + 1 + write(bytes, from + 1, record);
}

/** Writes an output as it is kept, and says where it ends. */
export function writeOutput(
  bytes: Buffer,
  from: number,
  seq: number,
  free: number,
  channel: string,
  data: string,
): number {
  let at = writeWhole(bytes, from, 4, seq);
  at = writeTime(bytes, at, free);
  at = writeText(bytes, at, 4, channel);
  return at + write(bytes, at, data);
}

function writeText(bytes: Buffer, at: number, width: number, text: string): number {
  const size = write(bytes, at + width, text);
  writeWhole(bytes, at, width, size);
  return at + width + size;
}
