/**
 * What a rule reads beside a record, and what it writes there, as commands for the script. A read is answered by a guess,
 * most often that nothing is there; the script checks it, and if it was wrong the rule runs again with what was found.
 * It decides nothing.
 */

import { queuedMark, type Reads, type Writes } from '../lifecycle/ports.js';
import type { ConversationRecord, DedupeMark, QueuedEntry, UnsentOutput } from '../lifecycle/record.js';
import {
  decodeEntry,
  decodeMark,
  decodeOutput,
  encodeEntry,
  encodeMark,
  encodeOutput,
} from '../lifecycle/record-text.js';
import { encoded, shortened } from './keys.js';
import { absent, below, openAsk, pushEntry, putChange, setPerson, settleAsk, unlistSettled, wanted } from './script.js';

/** What reads found while a record had this stamp. */
export interface FoundReads {
  readonly stamp: string;
  readonly found: Map<string, unknown>;
}

/** Where a conversation is in Redis. */
export interface KeyPlace {
  /** Of the record. */
  readonly key: string;
  /** What all keys of the bucket begin with. */
  readonly root: string;
  /** The conversation's id as part of a key. */
  readonly id: string;
}

export interface Read {
  /** Under which name its answer is kept. */
  readonly name: string;
  readonly expected: number;
  readonly limit: number;
  /** A command, a key as the script continues it, arguments. */
  readonly command: readonly string[];
}

/** A rule needs to know what cannot be guessed: it has to be read first. */
export class MustRead extends Error {}

/** Items of one command: Lua takes no more arguments than some thousand. */
const mostAtOnce = 200;

const inText = (time: number): string => String(Math.ceil(time));

const expiring = (suffix: string, until: number | undefined): readonly string[] =>
  until === undefined ? ['PERSIST', suffix] : ['PEXPIREAT', suffix, inText(until)];

/** The reads and writes of one run of a rule. */
export class StepPlan implements Reads, Writes {
  place: KeyPlace = { key: '', root: '', id: '' };
  reads: Read[] = [];
  writes: (readonly string[])[] = [];
  /** Writes to lists, which cannot be repeated. */
  lists: (readonly string[])[] = [];
  /** The script puts its time into something. */
  isTimed = false;
  /** The queue behind the front entry changes. */
  isShifted = false;
  /** Which read tells the second entry after this step, or -1. */
  nextSecond = -1;
  /** Completes the answer with what the wanted reads found. */
  finish: ((found: readonly unknown[]) => unknown) | undefined = undefined;
  private duePlace: { readonly at: number | undefined } | undefined = undefined;
  private facts: Map<string, unknown> | undefined = undefined;
  /** The second in the queue if it is known, or null if there is none. */
  private knownSecond: QueuedEntry | null | undefined = undefined;

  begin(place: KeyPlace, facts: Map<string, unknown> | undefined, second: QueuedEntry | null | undefined): void {
    this.place = place;
    this.facts = facts;
    this.knownSecond = second;
    this.reads = [];
    this.writes = [];
    this.lists = [];
    this.duePlace = undefined;
    this.isTimed = false;
    this.isShifted = false;
    this.nextSecond = -1;
    this.finish = undefined;
  }

  /** The rule is through. A place in due is taken first and given up last: it leads to what a failing command left. */
  end(): void {
    if (this.duePlace === undefined) return;
    const { at } = this.duePlace;
    const { id } = this.place;
    if (at === undefined) this.writes.push(['ZREM', 'due', id]);
    else this.writes.unshift(['ZADD', 'due', inText(at), id]);
  }

  /** Whether anything beside the record is written. */
  get isWriting(): boolean {
    return this.writes.length > 0 || this.lists.length > 0;
  }

  // --- reads ---

  mark(entryId: string): DedupeMark | undefined {
    const found = this.guess(`mark ${entryId}`, ['HGET', ':r', entryId]) as string | undefined;
    return found === undefined ? undefined : decodeMark(found);
  }

  marksLeft(): number {
    return (this.guess('marks', ['HLEN', ':r']) as number | undefined) ?? 0;
  }

  hasQueueRoom(count: number): boolean {
    const waiting = this.facts?.get('waiting') as number | undefined;
    if (waiting !== undefined && waiting >= count) return false;
    this.read('waiting', below, ['LLEN', ':q'], Math.min(count, 2 ** 31));
    return true;
  }

  /** Most often the save before has read which one comes next. */
  second(): QueuedEntry | undefined {
    const found = this.facts?.get('second') as string | null | undefined;
    if (found === undefined && this.knownSecond === undefined) this.must('second', ['LINDEX', ':q', '0']);
    const second = this.knownSecond ?? (found ? decodeQueued(found) : undefined);
    if (second === undefined) this.read('second', absent, ['LINDEX', ':q', '0']);
    else this.nextSecond = this.want('third', ['LINDEX', ':q', '1']);
    return second;
  }

  queued(entryId: string): QueuedEntry | undefined {
    const queue = this.must('queue', ['LRANGE', ':q', '0', '-1']) as string[];
    return queue.map(decodeQueued).find(({ id }) => id === entryId);
  }

  memo(turn: string, key: string): string | undefined {
    return this.guess(`memo ${turn} ${key}`, ['HGET', `:m:${turn}`, key]) as string | undefined;
  }

  expiredMarks(now: number): { expired: readonly string[]; left: number } {
    const all = this.must('all marks', ['HGETALL', ':r']) as string[];
    const expired: string[] = [];
    for (let i = 0; i < all.length; i += 2) {
      const { endsAt } = decodeMark(all[i + 1] as string);
      if (endsAt > 0 && endsAt <= now) expired.push(all[i] as string);
    }
    return { expired, left: all.length / 2 - expired.length };
  }

  outputBeside(key: string): UnsentOutput | undefined {
    const found = this.guess(`output ${key}`, ['HGET', ':b', key]) as string | undefined;
    return found === undefined ? undefined : decodeOutput(found);
  }

  outputsBeside(): readonly UnsentOutput[] {
    const all = this.must('outputs beside', ['HVALS', ':b']) as string[];
    return all.map(decodeOutput).sort((one, other) => one.seq - other.seq);
  }

  peopleBeside(): readonly string[] {
    return this.must('people', ['SMEMBERS', ':p']) as string[];
  }

  /** Reads something that no rule depends on; says its place among the answers. */
  want(name: string, command: readonly string[]): number {
    return this.read(name, wanted, command);
  }

  /** What was found before, or the guess that nothing is there. */
  private guess(name: string, command: readonly string[]): unknown {
    const found = this.facts?.get(name);
    if (found !== undefined && found !== null && found !== 0) return found;
    if (!this.reads.some((read) => read.name === name)) this.read(name, absent, command);
    return undefined;
  }

  private must(name: string, command: readonly string[]): unknown {
    const found = this.facts?.get(name);
    if (found !== undefined) return found;
    this.want(name, command);
    throw new MustRead();
  }

  private read(name: string, expected: number, command: readonly string[], limit = 0): number {
    return this.reads.push({ name, expected, limit, command }) - 1;
  }

  // --- writes ---

  enqueue(entry: QueuedEntry): void {
    this.isTimed = true;
    this.lists.push([pushEntry, ':q', encodeEntry(entry)]);
    this.putMark(entry.id, queuedMark(entry));
  }

  dequeue(): void {
    this.isShifted = true;
    this.lists.push(['LPOP', ':q']);
  }

  removeQueued(entry: QueuedEntry): void {
    this.isShifted = true;
    this.lists.push(['LREM', ':q', '1', encodeQueued(entry)]);
  }

  putMark(entryId: string, mark: DedupeMark): void {
    this.writes.push(['HSET', ':r', entryId, encodeMark(mark)]);
  }

  deleteMarks(entryIds: readonly string[]): void {
    this.many(this.writes, 'HDEL', ':r', entryIds);
  }

  putDocument(text: string | undefined): void {
    this.writes.push(text === undefined ? ['UNLINK', ':d'] : ['SET', ':d', text]);
  }

  putOutput(key: string, data: string): void {
    this.writes.push(['HSET', ':o', key, data]);
  }

  putOutputBeside(output: UnsentOutput): void {
    this.writes.push(['HSET', ':b', output.key, encodeOutput(output)]);
  }

  deleteOutput(key: string, isBeside: boolean): void {
    this.writes.push(['HDEL', ':o', key]);
    if (isBeside) this.writes.push(['HDEL', ':b', key]);
  }

  indexUnsent(channel: string, at: number | undefined): void {
    this.index(`unsent:${encoded(channel)}`, this.place.id, at);
  }

  indexDue(at: number | undefined): void {
    this.duePlace = { at };
  }

  appendHistory(items: readonly string[]): void {
    this.many(this.lists, 'RPUSH', ':h', items);
  }

  dropHistory(start: number, end: number): void {
    this.lists.push(['LTRIM', ':h', String(start - end), '-1']);
    this.writes.push(['SET', ':n', String(start)]);
  }

  listAsk(id: string, at: number, rank: number): void {
    this.writes.push([openAsk, shortened(id), inText(at), inText(rank)]);
  }

  putChange(id: string): void {
    this.writes.push([putChange, shortened(id)]);
  }

  settleAsk(id: string, record: string, at: number, until: number): void {
    this.writes.push([settleAsk, shortened(id), `=${record}`, inText(until), inText(at)]);
  }

  forgetSettled(now: number): void {
    this.writes.push(['ZREMRANGEBYSCORE', ':a', '-inf', inText(now)]);
  }

  putTombstone(id: string, tombstone: string, until: number): void {
    const short = shortened(id);
    this.writes.push(['SET', `a:${short}`, `=${tombstone}`, 'PXAT', inText(until)]);
    this.writes.push([putChange, short, '']); // before the old one goes: the new one gets a place behind it
    for (const list of ['open', 'deadline', 'changes']) this.index(list, `${short}:${this.place.id}`, undefined);
  }

  listParked(id: string, at: number): void {
    const [short, { id: conversation }] = [shortened(id), this.place];
    this.writes.push(['SET', `a:${short}`, `>${conversation}`]);
    this.index('parked', `${short}:${conversation}`, at);
  }

  unlistParked(id: string): void {
    const short = shortened(id);
    this.writes.push(['DEL', `a:${short}`]);
    this.index('parked', `${short}:${this.place.id}`, undefined);
  }

  putPerson(id: string, until: number | undefined): void {
    this.writes.push([setPerson, encoded(id), this.place.id, until === undefined ? '' : inText(until)]);
  }

  deletePerson(id: string): void {
    this.writes.push([setPerson, encoded(id), this.place.id, '0']);
  }

  putPersonBeside(id: string): void {
    this.writes.push(['SADD', ':p', id]);
  }

  putMemo(turn: string, key: string, value: string): void {
    this.writes.push(['HSET', `:m:${turn}`, key, value]);
  }

  deleteMemo(turn: string): void {
    this.writes.push(['UNLINK', `:m:${turn}`]);
  }

  putName(name: string, id: string): void {
    this.writes.push(['HSET', ':s', name, id]);
  }

  keepUntil(record: ConversationRecord, until: number | undefined): void {
    if (record.historyEnd > 0) this.lists.push(expiring(':h', until)); // behind the write that may create it
    if (record.historyStart > 0) this.expire(':n', until);
    if (record.document === undefined) this.expire(':d', until);
    if (record.hasNames) this.expire(':s', until);
    if (record.hasPeopleBeside) this.expire(':p', until);
    if (record.outputs.length > 0 || record.outputsBeside > 0) this.expire(':o', until);
    if (record.outputsBeside > 0) this.expire(':b', until);
    if (record.hasMemo) this.expire(`:m:${record.turn}`, until);
    for (const turn of record.keptMemos) this.expire(`:m:${turn}`, until);
  }

  keepMarksUntil(until: number | undefined): void {
    this.expire(':r', until);
  }

  clear(): void {
    this.writes.push([unlistSettled, '']);
    for (const suffix of ['', ':d', ':q', ':h', ':n', ':a', ':o', ':b', ':s', ':p', ':r'])
      this.writes.push(['UNLINK', suffix]);
  }

  private expire(suffix: string, until: number | undefined): void {
    this.writes.push(expiring(suffix, until));
  }

  private index(name: string, member: string, at: number | undefined): void {
    this.writes.push(at === undefined ? ['ZREM', name, member] : ['ZADD', name, inText(at), member]);
  }

  private many(to: (readonly string[])[], command: string, key: string, items: readonly string[]): void {
    for (let i = 0; i < items.length; i += mostAtOnce) to.push([command, key, ...items.slice(i, i + mostAtOnce)]);
  }
}

/** An entry in the queue: the time that the script put before it, and the entry. */
export function decodeQueued(text: string): QueuedEntry {
  const comma = text.indexOf(',');
  return decodeEntry(text.slice(comma + 1), Number(text.slice(0, comma)));
}

const encodeQueued = (entry: QueuedEntry): string => `${entry.at},${encodeEntry(entry)}`;

/** Every key that a plan touches, for a Cluster. */
export function keysOf({ place, reads, writes, lists }: StepPlan): string[] {
  const keys: string[] = [];
  const add = (part: string) => keys.push((part === '' || part.startsWith(':') ? place.key : place.root) + part);
  for (const { command } of reads) add(command[1] as string);
  for (const [command, part = ''] of [...writes, ...lists]) {
    const touched = {
      [setPerson]: [`p:${part}`, `also:${part}`],
      [openAsk]: [`a:${part}`, 'open', 'deadline', 'changes'],
      [settleAsk]: [`a:${part}`, 'open', 'deadline', ':a', 'settled', 'changes'],
      [putChange]: ['changes'],
      [unlistSettled]: [':a', 'settled'],
    }[command as string];
    for (const each of touched ?? [part]) add(each);
  }
  return keys;
}
