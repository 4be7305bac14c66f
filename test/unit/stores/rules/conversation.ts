/**
 * One conversation by its rules alone, for their tests: each call runs the pure functions of a rule on data that is in plain sight, at a
 * time that the test sets. A rule is given the facts that it asked for and no others. It is no store: nothing is listed, and nothing ends
 * by itself.
 */
import { expect } from 'vitest';
import type * as port from '../../../../src/stores/port.js';
import * as rules from '../../../../src/stores/rules/index.js';

/** Longer than any test. */
export const long = 600_000;

export const stored = (text: string): port.Stored => ({ text });

let made = 0;
export function fresh(what: string): string {
  made += 1;
  return `${what}-${made}`;
}

export function entry(id: string, more: Partial<port.NewEntry> = {}): port.NewEntry {
  return { id, data: stored(`data of ${id}`), room: 100, ...more };
}

export function taking(more: Partial<port.Take> = {}): port.Take {
  return { conversationId: 'c', token: fresh('token'), turn: fresh('turn'), lease: long, ...more };
}

export const hold: port.Save['then'] = { type: 'hold' };
export const next = (lease = long, turn = fresh('turn')): port.Save['then'] => ({ type: 'next', turn, lease });
export const release = (wait = 0, returns: port.Returned = 'nothing'): port.Save['then'] => ({
  type: 'release',
  wait,
  returns,
});

export function out(key: string, more: Partial<port.Output> = {}): port.Output {
  return { key, channel: 'web', data: stored(`data of ${key}`), to: 'saver', ...more };
}

export type SaveChanges = Partial<Omit<port.Save, 'then' | 'asks'>> & { readonly asks?: Partial<port.Save['asks']> };
type Holder = Pick<port.Claim, 'token' | 'revision'>;

/** A save that closes and changes nothing. */
export function saving(by: Holder, changes: SaveChanges = {}, then: port.Save['then'] = next()): port.Save {
  return {
    ...{ conversationId: 'c', token: by.token, call: fresh('call'), revision: by.revision, then },
    ...{ outputs: [], withdraw: [], history: [], historyLimit: 1_000, parked: { added: [], removed: [] }, people: [] },
    ...{ sendLease: long, retention: long, dedupeWindow: long },
    ...changes,
    asks: { opened: [], changed: [], settled: [], ...changes.asks },
  };
}

export function closing(entryId: string, outcome = `outcome of ${entryId}`, keepMemo = false) {
  return { closes: { entryId, outcome: stored(outcome), keepMemo } };
}

/** A save that closes the entry of a claim. */
export function finishing(by: port.Claim, changes: SaveChanges = {}, then?: port.Save['then']): port.Save {
  return saving(by, { ...closing(by.entry?.id ?? 'no entry'), ...changes }, then);
}

type SaveDone = Extract<port.Saved, { type: 'saved' }>;

export class Conversation {
  now = 1_000;
  record: rules.ConversationRecord | undefined;
  /** What the last call wrote; undefined for nothing. */
  changes: rules.Changes | undefined;
  /** What is beside the record. */
  queue: rules.QueuedEntry[] = [];
  readonly marks = new Map<string, rules.DedupeMark>();
  readonly memos = new Map<string, Record<string, string>>();
  readonly people = new Set<string>();

  take(more: Partial<port.Take> = {}): port.Taken {
    return this.run(rules.take, taking(more));
  }

  /** Records an entry without claiming. */
  add(id: string, more: Partial<port.NewEntry> = {}): port.Taken {
    return this.take({ lease: 0, entry: entry(id, more) });
  }

  /** Claims the conversation, which must be free and have work. */
  claim(more: Partial<port.Take> = {}): port.Claim {
    const { claim } = this.take(more);
    expect(claim).toBeDefined();
    return claim as port.Claim;
  }

  /** Records an entry and claims the conversation with it. */
  begin(id = fresh('entry'), lease = long): port.Claim {
    return this.claim({ lease, entry: entry(id) });
  }

  save(call: port.Save): port.Saved {
    return this.run(rules.save, call);
  }

  /** Saves; the save must not be refused. */
  saved(call: port.Save): SaveDone {
    const answer = this.save(call);
    expect(answer.type).toBe('saved');
    return answer as SaveDone;
  }

  /** A whole turn. The conversation is free afterwards. */
  turn(changes: SaveChanges = {}): port.Claim {
    const by = this.begin();
    this.saved(finishing(by, changes, release()));
    return by;
  }

  remember(turn: string, key: string, value: string): port.Remembered {
    return this.run(rules.remember, { conversationId: 'c', turn, key, value });
  }

  renew(token: string, lease = long): port.Renewed {
    return this.run<rules.Renew, port.Renewed>(rules.renew, { conversationId: 'c', token, lease });
  }

  erase(more: Partial<port.Erase> = {}): boolean {
    const { incarnation = '', revision = 0 } = this.record ?? {};
    const call = { conversationId: 'c', incarnation, revision, asks: [], parked: [], retention: long, ...more };
    return this.run(rules.erase, call);
  }

  /** The record ends, as it may once it is retired. Marks beside it stay. */
  forget(): void {
    this.record = undefined;
    this.queue = [];
    this.memos.clear();
    this.people.clear();
  }

  state(skip = 0): port.ConversationState | undefined {
    const behind = this.queue.slice(rules.queueStart(skip));
    return this.record && rules.stateOf(this.record, behind, this.now, skip);
  }

  /** The ids of the entries that wait. */
  waiting(): string[] {
    return this.state()?.queue.map(({ id }) => id) ?? [];
  }

  outcome(entryId: string): string | undefined {
    return rules.outcomeOf(this.record, entryId, this.now, { mark: this.marks.get(entryId) })?.text;
  }

  /** When it wants a holder. */
  wanted(): number | null {
    return this.record === undefined ? null : rules.wantedAt(this.record);
  }

  /** Runs a step, which must write nothing. */
  unchanged<T>(step: () => T): T {
    const answer = step();
    expect(this.changes).toBeUndefined();
    return answer;
  }

  private run<C, A>(rule: rules.Rule<C, A>, call: C): A {
    this.changes = undefined;
    const facts = (needs: rules.Needs) => this.facts(needs);
    const write = (record: rules.ConversationRecord | undefined, changes: rules.Changes) => this.write(record, changes);
    return rules.applyLocked({ record: this.record, facts, write }, rule, call, this.now);
  }

  private facts({
    mark,
    marksLeft,
    room,
    waiting,
    second,
    queued,
    memo,
    memos,
    allMarks,
    people,
  }: rules.Needs): rules.Facts {
    return {
      ...(mark !== undefined && { mark: this.marks.get(mark) }),
      ...(marksLeft && { marksLeft: this.marks.size }),
      ...((room !== undefined || waiting) && { waiting: this.queue.length }),
      ...(second && { second: this.queue[0] }),
      ...(queued !== undefined && { queued: this.queue.find(({ id }) => id === queued) }),
      ...(memo && { memo: this.memos.get(memo.turn)?.[memo.key] }),
      ...(memos && { memos: new Map(memos.map((turn) => [turn, this.memos.get(turn) ?? {}])) }),
      ...(allMarks && { allMarks: [...this.marks] }),
      ...(people && { people: [...this.people] }),
    };
  }

  private write(record: rules.ConversationRecord | undefined, changes: rules.Changes): void {
    this.changes = changes;
    if (changes.erased !== undefined) {
      this.forget();
      this.marks.clear();
    }
    if (record !== undefined && changes.isRecordChanged) this.record = record;
    const { enqueued, dequeued, unqueued, memo } = changes;
    if (enqueued !== undefined) {
      this.queue.push(enqueued);
      this.marks.set(enqueued.id, rules.queuedMark(enqueued));
    }
    if (dequeued !== undefined) expect(this.queue.shift()).toBe(dequeued);
    if (unqueued !== undefined) this.queue = this.queue.filter((each) => each !== unqueued);
    for (const [id, mark] of changes.marks) this.marks.set(id, mark);
    for (const id of changes.droppedMarks) this.marks.delete(id);
    for (const { id, isBeside } of changes.people) if (isBeside) this.people.add(id);
    if (memo !== undefined) this.memos.set(memo.turn, { ...this.memos.get(memo.turn), [memo.key]: memo.value });
    for (const turn of changes.droppedMemos) this.memos.delete(turn);
  }
}
