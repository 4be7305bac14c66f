/**
 * A step as the script takes it: keys and arguments, in the order that script.ts documents. It decides nothing.
 */
import { Buffer } from 'node:buffer';
import type { Mutable } from '../../core/defined-fields.js';
import { type Stored, StoredRecord } from '../../core/format/stored.js';
import { deadlineRank } from '../pages.js';
import type { Changes, Facts, Needs } from '../rules/changes.js';
import { wantedAt } from '../rules/lease.js';
import { type ConversationRecord, longestInside, type QueuedEntry, queuedMark } from '../rules/record.js';
import { decodeEntry, decodeMark, decodeRecord, encodeEntry, encodeMark, encodeRecord } from '../rules/record-text.js';
import { type BucketKeys, encoded, type KeyPlace, shortened } from './keys.js';
import { documentBeside, documentInside, headSize, stampSize } from './script.js';

/** Something beside the record that is read in a step. */
export interface Read {
  readonly name: keyof Needs | 'third';
  /** Continues the key of the record. */
  readonly suffix: string;
  readonly command: string;
  /** Behind a =; '' for none. */
  readonly argument: string;
  /** '' if what is found is wanted; else it must find nothing, or count less than this. */
  readonly limit: string;
}

const noReads: readonly Read[] = [];

const inText = (time: number): string => String(Math.ceil(time));

/**
 * The reads of what a rule needs. `isAssumed`: the step is written on the assumption that there is nothing, and the reads check that. What
 * cannot be assumed is not among them then: it was found before.
 */
export function readsOf(needs: Needs, facts: Facts, isAssumed: boolean): readonly Read[] {
  let reads: Read[] | undefined;
  const add = (name: Read['name'], suffix: string, command: string, argument: string, limit: string): void => {
    reads ??= [];
    reads.push({ name, suffix, command, argument, limit: isAssumed ? limit : '' });
  };
  const { mark, marksLeft, room, second, queued, memo, memos } = needs;
  if (marksLeft && !(isAssumed && facts.marksLeft)) add('marksLeft', ':r', 'HLEN', '', '1');
  if (mark !== undefined && !(isAssumed && (facts.mark || (marksLeft && !facts.marksLeft))))
    add('mark', ':r', 'HGET', `=${mark}`, '1');
  if (room !== undefined && !(isAssumed && (facts.waiting ?? 0) >= room))
    add('room', ':q', 'LLEN', '', String(Math.min(room, 2 ** 31)));
  if (memo !== undefined && !(isAssumed && facts.memo !== undefined))
    add('memo', `:m:${memo.turn}`, 'HGET', `=${memo.key}`, '1');
  if (second && !(isAssumed && facts.second)) add('second', ':q', 'LINDEX', '=0', '1');
  if (isAssumed) return reads ?? noReads;
  if (needs.waiting) add('waiting', ':q', 'LLEN', '', '');
  if (queued !== undefined) add('queued', ':q', 'LRANGE', '=0', '');
  for (const turn of memos ?? []) add('memos', `:m:${turn}`, 'HGETALL', '', '');
  if (needs.allMarks) add('allMarks', ':r', 'HGETALL', '', '');
  if (needs.people) add('people', ':p', 'SMEMBERS', '', '');
  return reads ?? noReads;
}

/** Whether something is needed that cannot be assumed, and was not looked for. */
export function mustLook({ second, waiting, queued, memos, allMarks, people }: Needs, facts: Facts): boolean {
  if (second && !('second' in facts)) return true;
  if (waiting && facts.waiting === undefined) return true;
  if (queued !== undefined && !('queued' in facts)) return true;
  if (memos?.some((turn) => !facts.memos?.has(turn))) return true;
  return (allMarks && facts.allMarks === undefined) || (people && facts.people === undefined) || false;
}

/** What reads have found, as a rule knows it: what was not looked for is not there. */
export function factsOf(needs: Needs, reads: readonly Read[], values: readonly unknown[]): Facts {
  const facts: Mutable<Facts> = {};
  for (const [i, { name, suffix }] of reads.entries()) {
    const value = values[i] as string | number | readonly string[] | null;
    const text = typeof value === 'string' ? value : undefined;
    const list = Array.isArray(value) ? (value as readonly string[]) : [];
    if (name === 'mark') facts.mark = text === undefined ? undefined : decodeMark(text);
    else if (name === 'marksLeft') facts.marksLeft = Number(value);
    else if (name === 'room' || name === 'waiting') facts.waiting = Number(value);
    else if (name === 'second') facts.second = text === undefined ? undefined : decodeQueued(text);
    else if (name === 'queued') facts.queued = list.map(decodeQueued).find(({ id }) => id === needs.queued);
    else if (name === 'memo') facts.memo = text;
    else if (name === 'memos')
      facts.memos = new Map([...(facts.memos ?? []), [suffix.slice(':m:'.length), Object.fromEntries(pairs(list))]]);
    else if (name === 'allMarks') facts.allMarks = pairs(list).map(([id, mark]) => [id, decodeMark(mark)] as const);
    else if (name === 'people') facts.people = list;
  }
  return facts;
}

/** A flat list of names and values as pairs. */
export function pairs(flat: readonly string[]): [string, string][] {
  const found: [string, string][] = [];
  for (let i = 0; i + 1 < flat.length; i += 2) found.push([flat[i] as string, flat[i + 1] as string]);
  return found;
}

const isLong = (document: Stored | null | undefined): boolean => (document?.text.length ?? 0) > longestInside;

/** A record as Redis has it: its stamp, where its document is, the length of what is before that, that. */
export function encodeHead(record: ConversationRecord): string {
  const head = encodeRecord(record);
  const size = head.length.toString(36).padStart(headSize - stampSize - 1, '0');
  return record.stamp + (isLong(record.document) ? documentBeside : documentInside) + size + head;
}

/** Reads a record with its document behind it. */
export function decodeValue(text: string): ConversationRecord {
  const end = headSize + Number.parseInt(text.slice(stampSize + 1, headSize), 36);
  const record = decodeRecord(text.slice(headSize, end));
  record.stamp = text.slice(0, stampSize);
  if (record.document !== null) record.document = StoredRecord.ofText(text.slice(end));
  return record;
}

/** The strings of a step, and the keys among them where a Cluster has to be told. */
export class StepText {
  readonly keys: string[];
  readonly parts: string[] = [];
  private readonly hasKeys: boolean;
  private readonly clientPrefix: string;

  /** `clientPrefix`: what the client puts before keys, but not before arguments. */
  constructor(keys: string[], hasKeys: boolean, clientPrefix: string) {
    this.keys = keys;
    this.hasKeys = hasKeys;
    this.clientPrefix = clientPrefix;
  }

  key(key: string): void {
    this.parts.push(this.clientPrefix + key);
    if (this.hasKeys) this.keys.push(key);
  }

  /** What keys begin with that the script makes itself, in the bucket of the others. */
  root(root: string): void {
    this.parts.push(this.clientPrefix + root);
  }

  /** Keys that the script makes itself. */
  also(...keys: readonly string[]): void {
    if (this.hasKeys) this.keys.push(...keys);
  }

  /** Forgets the strings of a step that could not be packed. */
  clear(): void {
    this.parts.length = 0;
  }

  /** As struct.unpack reads it: how, and what. An empty string ends with a zero, because c0 means something else. */
  end(args: string[]): void {
    const { parts } = this;
    for (let from = 0; from < parts.length; from += mostResults) {
      if (from > 0) args.push('+');
      textOf(parts.length > mostResults ? parts.slice(from, from + mostResults) : parts, args);
    }
    parts.length = 0;
  }
}

/** Lua takes no more than some thousand results of a function. */
const mostResults = 4_000;

/** How a string of each length is read. To write these anew cost 8 µs of a question and its answer. */
const formats = Array.from({ length: 256 }, (_, length) => (length > 0 ? `c${length}` : 's'));

function textOf(parts: readonly string[], args: string[]): void {
  let how = '';
  let all = '';
  for (const part of parts) {
    how += formats[part.length] ?? `c${part.length}`;
    all += part === '' ? '\0' : part;
  }
  if (Buffer.byteLength(all) !== all.length)
    how = parts.map((part) => (part === '' ? 's' : `c${Buffer.byteLength(part)}`)).join('');
  args.push(how, all);
}

/** What a step is, for the script. */
export interface Packed {
  readonly name: string;
  /** The stamp that the record must have. */
  readonly stamp: string;
  /** The document that is there. */
  readonly document: Stored | null;
}

/** Adds a step to a call. `keys` collects the keys where they have to be told. */
export function packStep(
  to: StepText,
  place: KeyPlace,
  step: Packed,
  reads: readonly Read[],
  record: ConversationRecord | undefined,
  changes: Changes | undefined,
): void {
  const { bucket, key, id } = place;
  const isWritten = changes?.isRecordChanged === true && record !== undefined;
  const due = isWritten ? wantedAt(record) : null;
  const isBeside = isLong(record?.document);
  const stays = isWritten && changes.document === undefined && !isBeside ? record.document?.text : undefined;
  to.parts.push(reads.length > 0 ? `${step.name}?` : step.name);
  to.key(key);
  to.also(`${key}:d`);
  to.key(bucket.due);
  to.parts.push(
    id,
    step.stamp,
    isWritten ? encodeHead(record) + (stays !== undefined || isBeside ? '' : (record.document?.text ?? '')) : '',
    due === null ? '' : inText(due),
  );
  if (reads.length > 0) {
    for (const { suffix, command, argument, limit } of reads) {
      to.parts.push(command);
      to.key(key + suffix);
      to.parts.push(argument, limit);
    }
    to.parts.push('');
  }
  if (stays) to.parts.push('append', String(Buffer.byteLength(stays)));
  if (changes !== undefined) {
    if (record === undefined && changes.erased === undefined) write(to, bucket.due, 'ZREM', id);
    if (changes.document !== undefined && isBeside) write(to, `${key}:d`, 'SET', changes.document.text);
    else if (changes.document !== undefined && isLong(step.document)) write(to, `${key}:d`, 'UNLINK');
    packRows(to, place, record, changes);
  }
}

function write(to: StepText, key: string, ...words: readonly string[]): void {
  to.parts.push('write');
  to.key(key);
  to.parts.push(String(words.length), ...words);
}

/** Items of one command: Lua takes no more arguments than some thousand. */
const mostAtOnce = 200;

function writeMany(to: StepText, key: string, command: string, items: readonly string[]): void {
  for (let i = 0; i < items.length; i += mostAtOnce) write(to, key, command, ...items.slice(i, i + mostAtOnce));
}

/** The place of an output in the order of saving, as text that sorts like it. */
const placeOf = (seq: number): string => seq.toString(36).padStart(8, '0');

function packRows(to: StepText, place: KeyPlace, record: ConversationRecord | undefined, changes: Changes): void {
  const { bucket, key, id } = place;
  const { root } = bucket;
  const { enqueued, dequeued, unqueued } = changes;
  if (changes.history.length > 0 && (enqueued ?? dequeued ?? unqueued) !== undefined) {
    to.parts.push('list');
    to.key(`${key}:h`);
  }
  for (const output of changes.withdrawn) {
    to.parts.push('withdraw');
    to.key(`${key}:o`);
    to.parts.push(output);
    to.root(root);
  }
  for (const output of changes.outputs) {
    const at = placeOf(output.seq);
    const channel = encoded(output.channel);
    to.parts.push('output');
    to.key(`${key}:o`);
    to.key(`${root}unsent:${channel}`);
    to.parts.push(
      output.key,
      `${at}:${channel}:${output.data.text}`,
      inText(output.freeAt),
      `${id}:${at}:${output.key}`,
    );
  }
  for (const { id: ask, at, deadline } of changes.opened) {
    const short = shortened(ask);
    const member = `${short}:${id}`;
    to.parts.push('open');
    to.key(`${root}a:${short}`);
    to.key(deadline === undefined ? bucket.undated : bucket.open);
    to.key(bucket.changes);
    to.also(`${bucket.changes}:dropped`);
    to.parts.push(`>${id}`, member, inText(at));
    if (deadline === undefined) continue;
    to.parts.push('deadline');
    to.key(bucket.deadline);
    to.parts.push(member, inText(deadlineRank(deadline, at)));
  }
  for (const ask of changes.changed) {
    packChange(to, bucket, `${shortened(ask)}:${id}`);
  }
  if (changes.settled.length > 0) {
    const until = inText(changes.settledUntil);
    for (const { id: ask, record: text, at } of changes.settled) {
      const short = shortened(ask);
      to.parts.push('settle');
      to.key(`${root}a:${short}`);
      to.key(bucket.undated);
      to.key(bucket.changes);
      to.key(`${key}:a`);
      to.key(bucket.settled);
      to.parts.push(`=${text.text}`, until, inText(at), `${short}:${id}`, short);
      to.root(root);
      to.also(bucket.open, bucket.deadline, `${bucket.changes}:dropped`);
    }
  }
  for (const { id: ask, at } of changes.parked) {
    const short = shortened(ask);
    write(to, `${root}a:${short}`, 'SET', `>${id}`);
    write(to, bucket.parked, 'ZADD', inText(at), `${short}:${id}`);
  }
  for (const ask of changes.unparked) {
    const short = shortened(ask);
    write(to, `${root}a:${short}`, 'DEL');
    write(to, bucket.parked, 'ZREM', `${short}:${id}`);
  }
  for (const { id: person, until, isBeside } of changes.people) {
    if (isBeside) write(to, `${key}:p`, 'SADD', person);
    to.parts.push('person');
    personKey(to, place, person);
    to.parts.push(until === undefined ? '' : inText(until));
  }
  for (const [entry, mark] of changes.marks) write(to, `${key}:r`, 'HSET', entry, encodeMark(mark));
  if (changes.droppedMarks.length > 0) writeMany(to, `${key}:r`, 'HDEL', changes.droppedMarks);
  if (changes.memo !== undefined)
    write(to, `${key}:m:${changes.memo.turn}`, 'HSET', changes.memo.key, changes.memo.value);
  for (const turn of changes.droppedMemos) write(to, `${key}:m:${turn}`, 'UNLINK');
  if (changes.erased !== undefined) packErased(to, place, changes);
  if (enqueued !== undefined) {
    write(to, `${key}:r`, 'HSET', enqueued.id, encodeMark(queuedMark(enqueued)));
    to.parts.push('enqueue');
    to.key(`${key}:q`);
    to.parts.push(encodeEntry(enqueued));
  }
  if (dequeued !== undefined) write(to, `${key}:q`, 'LPOP');
  if (unqueued !== undefined) write(to, `${key}:q`, 'LREM', '1', `${unqueued.at},${encodeEntry(unqueued)}`);
  if (changes.history.length > 0) {
    if (changes.history.length <= mostAtOnce) {
      to.parts.push('history');
      to.key(`${key}:h`);
      to.parts.push(String(changes.history.length), ...changes.history.map(({ text }) => text));
    } else
      writeMany(
        to,
        `${key}:h`,
        'RPUSH',
        changes.history.map(({ text }) => text),
      );
  }
  if (changes.isHistoryDropped && record !== undefined) {
    write(to, `${key}:h`, 'LTRIM', String(record.historyStart - record.historyEnd), '-1');
    write(to, `${key}:n`, 'SET', String(record.historyStart));
    write(to, `${key}:a`, 'ZREMRANGEBYSCORE', '-inf', inText(changes.now));
  }
  if (changes.ends !== undefined && record !== undefined) packEnds(to, place, record, changes.ends);
  if (changes.marksUntil !== undefined) {
    if (changes.marksUntil === null) write(to, `${key}:r`, 'PERSIST');
    else write(to, `${key}:r`, 'PEXPIREAT', inText(changes.marksUntil));
  }
}

/** What lives as long as the record: all that is there beside it, and where its first participants are found. */
function packEnds(to: StepText, place: KeyPlace, record: ConversationRecord, ends: boolean): void {
  const { key } = place;
  const suffixes = [':s'];
  if (isLong(record.document)) suffixes.push(':d');
  if (record.historyEnd > 0) suffixes.push(':h');
  if (record.historyStart > 0) suffixes.push(':n');
  if (record.hasPeopleBeside) suffixes.push(':p');
  if (record.hasMemo) suffixes.push(`:m:${record.turn}`);
  for (const turn of record.keptMemos) suffixes.push(`:m:${turn}`);
  to.also(`${key}:o`, `${key}:e`);
  to.parts.push('ends');
  to.parts.push(
    ends ? inText(record.endsAt) : '',
    String(record.retention),
    String(suffixes.length + record.people.length),
  );
  for (const suffix of suffixes) to.key(key + suffix);
  for (const person of record.people) personKey(to, place, person);
}

function personKey(to: StepText, { bucket }: KeyPlace, person: string): void {
  const part = encoded(person);
  to.key(`${bucket.root}p:${part}`);
  to.also(`${bucket.root}also:${part}`);
}

function packChange(to: StepText, bucket: BucketKeys, member: string): void {
  to.parts.push('change');
  to.key(bucket.changes);
  to.also(`${bucket.changes}:dropped`);
  to.parts.push(member);
}

function packErased(to: StepText, place: KeyPlace, changes: Changes): void {
  const { bucket, key, id } = place;
  const { erased } = changes;
  if (erased === undefined) return;
  write(to, bucket.due, 'ZREM', id);
  for (const ask of erased.parked) {
    const short = shortened(ask);
    write(to, `${bucket.root}a:${short}`, 'DEL');
    write(to, bucket.parked, 'ZREM', `${short}:${id}`);
  }
  for (const person of erased.people) {
    to.parts.push('person');
    personKey(to, place, person);
    to.parts.push('0');
  }
  for (const turn of erased.memos) write(to, `${key}:m:${turn}`, 'UNLINK');
  to.parts.push('clear');
  to.key(`${key}:a`);
  to.key(bucket.settled);
  to.key(`${key}:o`);
  to.key(bucket.changes);
  to.root(bucket.root);
  for (const suffix of ['', ':d', ':q', ':h', ':n', ':s', ':p', ':r', ':e']) write(to, key + suffix, 'UNLINK');
  for (const { id: ask, tombstone } of erased.asks) {
    const short = shortened(ask);
    write(to, `${bucket.root}a:${short}`, 'SET', `=${tombstone.text}`, 'PXAT', inText(erased.until));
    for (const list of [bucket.open, bucket.undated, bucket.deadline]) write(to, list, 'ZREM', `${short}:${id}`);
    packChange(to, bucket, `${short}:`);
  }
}

/** An entry in the queue: the time that the script put before it, and the entry. */
export function decodeQueued(text: string): QueuedEntry {
  const comma = text.indexOf(',');
  return decodeEntry(text.slice(comma + 1), Number(text.slice(0, comma)));
}
