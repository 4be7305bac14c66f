/**
 * The outbox: what has to go out, in the order of saving, and what is lent until when. The bookkeeping of the first few
 * outputs is in the record; that of the others is beside it, and the record only counts them per channel. So the record
 * stays small however much is unsent, and adding, marking or withdrawing one output costs the same in a long backlog.
 */
import type { Borrow, Mark, Save } from '../port.js';
import { reindex, timeOf } from './lease.js';
import type { Applied, Reads, Writes } from './ports.js';
import { type ConversationRecord, outputsInside, type UnsentOutput, without } from './record.js';
import { isFinished, retire } from './retention.js';

/** The part of a save that withdraws and adds outputs. */
export function changeOutbox(record: ConversationRecord, call: Save, reads: Reads, writes: Writes): void {
  const outbox = new Outbox(record, reads, writes);
  for (const key of call.withdraw) {
    const output = outbox.find(key);
    if (output !== undefined) outbox.remove(output);
  }
  for (const { key, channel, data, to } of call.outputs) {
    if (outbox.find(key) !== undefined) continue;
    const freeAt = to === 'saver' ? record.lastTime + call.sendLease : record.lastTime;
    outbox.add({ key, channel, seq: record.nextSeq, freeAt, rest: '' }, data);
    record.nextSeq += 1;
  }
  outbox.reindex();
}

/** What was lent, still without its data, and when the lease to send began. */
export interface Lending {
  readonly items: readonly { readonly key: string; readonly channel: string }[];
  readonly now: number;
}

/** Lends what is free for these channels, in the order of saving. */
export function applyLend(
  found: ConversationRecord | undefined,
  call: Pick<Borrow, 'channels' | 'limit' | 'sendLease'>,
  clock: number,
  reads: Reads,
  writes: Writes,
): Applied<Lending> {
  const now = timeOf(found, clock);
  if (found === undefined) {
    for (const channel of call.channels) writes.indexUnsent(channel, undefined);
    return { record: undefined, isChanged: false, answer: { items: [], now } };
  }
  const record = found.copy();
  record.lastTime = now;
  const outbox = new Outbox(record, reads, writes);
  const items: UnsentOutput[] = [];
  const lend = (output: UnsentOutput): void => {
    if (items.length >= call.limit || output.freeAt > now) return;
    if (!call.channels.includes(output.channel)) return;
    outbox.replace(output, { ...output, freeAt: now + call.sendLease });
    items.push(output);
  };
  for (const output of record.outputs) lend(output);
  let isCorrected = false;
  if (items.length < call.limit && mayLendBeside(record, call.channels, now)) {
    const beside = reads.outputsBeside();
    for (const output of beside) lend(output);
    isCorrected = outbox.recount(beside, call.channels);
  }
  outbox.reindex();
  const answer = { items: items.map(({ key, channel }) => ({ key, channel })), now };
  return { record, isChanged: items.length > 0 || isCorrected, answer };
}

function mayLendBeside(record: ConversationRecord, channels: readonly string[], now: number): boolean {
  return record.backlogs.some(({ channel, freeAt }) => freeAt <= now && channels.includes(channel));
}

/** What became of outputs of one conversation: gone for good, or to be tried again. */
export function applySent(
  found: ConversationRecord | undefined,
  marks: readonly Mark[],
  clock: number,
  reads: Reads,
  writes: Writes,
): Applied<undefined> {
  if (found === undefined) return { record: found, isChanged: false, answer: undefined };
  const record = found.copy();
  const now = timeOf(found, clock);
  record.lastTime = now;
  const outbox = new Outbox(record, reads, writes);
  let isChanged = false;
  for (const { key, channel, again, sentAs } of marks) {
    if (sentAs !== undefined) {
      writes.putName(sentAs.name, sentAs.id);
      isChanged ||= !record.hasNames;
      record.hasNames = true;
      if (record.isRetired) writes.keepUntil(record, record.endsAt); // the name too
    }
    const output = outbox.find(key);
    if (output === undefined || output.channel !== channel) continue;
    isChanged = true;
    if (again === undefined) outbox.remove(output);
    else {
      outbox.replace(output, { ...output, freeAt: now + again.in });
      writes.putOutput(key, again.data);
    }
  }
  outbox.reindex();
  if (isChanged && !record.isRetired && isFinished(record, now)) {
    reindex(record, now, writes);
    retire(record, now, writes);
  }
  return { record, isChanged, answer: undefined };
}

/** The outputs of a record during one step, in the record and beside it. */
class Outbox {
  private readonly record: ConversationRecord;
  private readonly reads: Reads;
  private readonly writes: Writes;
  /** What this step wrote beside the record, because reads tell what was there before. */
  private readonly written = new Map<string, UnsentOutput | undefined>();
  /** The channels whose place in the index may be another. */
  private readonly touched = new Set<string>();

  constructor(record: ConversationRecord, reads: Reads, writes: Writes) {
    this.record = record;
    this.reads = reads;
    this.writes = writes;
  }

  find(key: string): UnsentOutput | undefined {
    const inside = this.record.outputs.find((each) => each.key === key);
    if (inside !== undefined || this.record.outputsBeside === 0) return inside;
    return this.written.has(key) ? this.written.get(key) : this.reads.outputBeside(key);
  }

  add(output: UnsentOutput, data: string): void {
    const { record } = this;
    this.writes.putOutput(output.key, data);
    if (record.outputsBeside === 0 && record.outputs.length < outputsInside) {
      record.outputs = [...record.outputs, output];
    } else {
      this.putBeside(output);
      record.outputsBeside += 1;
      this.count(output.channel, 1, output.freeAt);
    }
    this.touch(output);
  }

  remove(output: UnsentOutput): void {
    const { record } = this;
    const at = record.outputs.indexOf(output);
    if (at >= 0) record.outputs = without(record.outputs, at);
    else {
      this.written.set(output.key, undefined);
      record.outputsBeside -= 1;
      this.count(output.channel, -1, output.freeAt);
    }
    this.writes.deleteOutput(output.key, at < 0);
    this.touch(output);
  }

  /** Changes the bookkeeping of an output. */
  replace(output: UnsentOutput, changed: UnsentOutput): void {
    const { record } = this;
    if (record.outputs.includes(output)) {
      record.outputs = record.outputs.map((each) => (each === output ? changed : each));
    } else {
      this.putBeside(changed);
      this.count(changed.channel, 0, changed.freeAt);
    }
    this.touch(output);
  }

  /** Corrects when the backlogs of these channels are free. True if one was another. */
  recount(beside: readonly UnsentOutput[], channels: readonly string[]): boolean {
    const { record } = this;
    const freeAt = new Map<string, number>();
    for (const { key, channel, freeAt: before } of beside) {
      const at = this.written.get(key)?.freeAt ?? before;
      freeAt.set(channel, Math.min(at, freeAt.get(channel) ?? at));
    }
    let isCorrected = false;
    record.backlogs = record.backlogs.map((each) => {
      const at = freeAt.get(each.channel) ?? each.freeAt;
      if (at === each.freeAt || !channels.includes(each.channel)) return each;
      isCorrected = true;
      this.touched.add(each.channel);
      return { ...each, freeAt: at };
    });
    return isCorrected;
  }

  /** Puts the conversation where the outputs of the channels that changed are looked for. */
  reindex(): void {
    for (const channel of this.touched) this.writes.indexUnsent(channel, freeAt(this.record, channel));
  }

  private putBeside(output: UnsentOutput): void {
    this.written.set(output.key, output);
    this.writes.putOutputBeside(output);
  }

  private touch({ channel }: UnsentOutput): void {
    this.touched.add(channel);
  }

  private count(channel: string, more: number, freeAt: number): void {
    const { record } = this;
    const at = record.backlogs.findIndex((each) => each.channel === channel);
    const old = record.backlogs[at];
    if (old === undefined) record.backlogs = [...record.backlogs, { channel, count: more, freeAt }];
    else if (old.count + more <= 0) record.backlogs = without(record.backlogs, at);
    else {
      const changed = { channel, count: old.count + more, freeAt: Math.min(old.freeAt, freeAt) };
      record.backlogs = record.backlogs.map((each) => (each === old ? changed : each));
    }
  }
}

/** When the first output of a channel that somebody has to push is free; undefined if there is none. */
function freeAt(record: ConversationRecord, channel: string): number | undefined {
  let first: number | undefined;
  const earlier = (at: number): void => {
    if (first === undefined || at < first) first = at;
  };
  for (const each of record.outputs) if (each.channel === channel) earlier(each.freeAt);
  for (const each of record.backlogs) if (each.channel === channel) earlier(each.freeAt);
  return first;
}
