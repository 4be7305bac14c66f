/**
 * The memory store: conversations for one process, gone when it ends. For tests, scripts and trying things out.
 * It applies the rules of ../rules to its tables; nothing is awaited inside a step, which makes each of them atomic.
 */
import { checkOptions, optional } from '../../core/check-options.js';
import { type Clock, clockOption, systemClock, yieldToEventLoop } from '../../machine/clock.js';
import { historyPage, historyRange, historyRangeFrom, itemNumberOf, limitOf, numberIn } from '../pages.js';
import type * as port from '../port.js';
import { noFacts, noNeeds } from '../rules/changes.js';
import * as rules from '../rules/index.js';
import { Time } from '../time.js';
import { Tables } from './tables.js';

/** The event loop waits for its turn at most this long, in ms. */
const longestWithoutTurn = 10;

/** The options of a `MemoryStore`. */
export interface MemoryStoreOptions {
  /** Where the store's time comes from; a fake one in tests. */
  readonly clock?: Clock;
}

/**
 * Keeps conversations in this process's memory. It behaves as the Redis store does, but nothing survives the process.
 *
 * @example
 * import { AgentRegistry, MemoryStore } from 'askback';
 *
 * const registry = new AgentRegistry({ store: new MemoryStore() });
 */
export class MemoryStore implements port.Store {
  private readonly clock: Clock;
  private readonly time: Time;
  private readonly tables: Tables;
  private readonly watchers = new Set<{ readonly listener: (hint: port.Hint) => void }>();

  /** When the event loop last had its turn because of this store, and the turn that is awaited now. */
  private lastLoopTurn = systemClock.elapsed();
  private loopTurn: Promise<void> | undefined;

  readonly settlesWithin: number = 0;

  constructor(options: MemoryStoreOptions = {}) {
    this.clock = checkOptions('MemoryStore', options, { clock: optional(clockOption, systemClock) }, '{ clock }').clock;
    this.time = new Time(this.clock);
    this.tables = new Tables(this.time.now());
  }

  async open(): Promise<void> {}

  async take(call: port.Take): Promise<port.Taken> {
    this.startLoopTurn();
    if (this.loopTurn !== undefined) await this.loopTurn;
    return this.step(call.conversationId, rules.take, call, this.now());
  }

  async save(call: port.Save): Promise<port.Saved> {
    if (this.loopTurn !== undefined) await this.loopTurn;
    return this.step(call.conversationId, rules.save, call, this.now());
  }

  async remember(call: port.Remember): Promise<port.Remembered> {
    if (this.loopTurn !== undefined) await this.loopTurn;
    return this.step(call.conversationId, rules.remember, call, this.now());
  }

  async renew(holds: readonly port.Hold[], lease: number): Promise<readonly port.Renewed[]> {
    if (this.loopTurn !== undefined) await this.loopTurn;
    const now = this.now();
    return holds.map((hold) => this.step(hold.conversationId, rules.renew, { ...hold, lease }, now));
  }

  async due(limit: number): Promise<{ conversations: readonly string[]; now: number }> {
    const most = limitOf(limit);
    const now = this.now();
    return { conversations: this.tables.dueAt(now, most), now };
  }

  async unsent(call: port.Borrow): Promise<readonly port.Lent[]> {
    const limit = limitOf(call.limit);
    if (this.loopTurn !== undefined) await this.loopTurn;
    const now = this.now();
    if (call.conversationId !== undefined) return this.lend(call.conversationId, call, limit, now);
    const lent: port.Lent[] = [];
    for (const channel of new Set(call.channels)) {
      for (const conversationId of this.tables.unsentAt(channel, now, limit)) {
        if (lent.length >= limit) return lent;
        lent.push(...this.lend(conversationId, call, limit - lent.length, now));
      }
    }
    return lent;
  }

  private lend(conversationId: string, { channels, sendLease }: port.Borrow, limit: number, now: number): port.Lent[] {
    const lent = this.tables.lend(this.tables.row(conversationId), channels, limit, now, now + sendLease);
    return lent.map(({ key, channel, data }) => ({ conversationId, key, channel, data, now }));
  }

  async sent(marks: readonly port.Mark[]): Promise<void> {
    if (this.loopTurn !== undefined) await this.loopTurn;
    const now = this.now();
    for (const mark of marks) this.tables.mark(this.tables.row(mark.conversationId), mark, now);
  }

  async conversation(conversationId: string, skip = 0): Promise<port.ConversationState | null> {
    const now = this.now();
    const row = this.tables.rows.get(conversationId);
    if (row?.record === undefined) return null;
    const queue = row.queue?.slice(rules.queueStart(skip)) ?? [];
    return rules.stateOf(row.record, queue, now, skip);
  }

  async outcome(conversationId: string, entryId: string): Promise<port.Stored | null> {
    const now = this.now();
    const row = this.tables.row(conversationId);
    return rules.outcomeOf(row.record, entryId, now, this.tables.facts(row, { mark: entryId }));
  }

  async find(id: string): Promise<{ conversationId: string } | { record: port.Stored } | null> {
    this.now();
    const { open, parked, settled } = this.tables;
    const listed = open.get(id) ?? parked.get(id);
    if (listed !== undefined) return { conversationId: listed.conversationId };
    const ask = settled.get(id);
    return ask === undefined ? null : { record: ask.record };
  }

  async list(what: port.ListName, page: port.Page): Promise<{ items: readonly port.Listed[]; cursor?: string }> {
    this.now();
    return this.tables[what].page(page);
  }

  async changes(page: port.Page): Promise<port.ChangePage> {
    return this.tables.changes.page(page);
  }

  async swap(call: port.Swap): Promise<port.Swapped> {
    const now = this.now();
    const { key, expected, value, ttl } = call;
    const found = this.tables.values.get(key)?.value ?? null;
    if (found === expected) this.tables.putValue(key, value, now + Math.max(1, ttl));
    const current = found === expected ? value : found;
    return { swapped: current === value, current };
  }

  async settled(page: port.SettledPage): Promise<{ items: readonly port.ListedRecord[]; cursor?: string }> {
    this.now();
    const { conversationId } = page;
    const listing = conversationId === undefined ? this.tables.decided : this.tables.decidedIn(conversationId);
    const { items, ...more } = listing.pageDown(page);
    return { items: items.map(({ id, at, record }) => ({ id, at, record })), ...more };
  }

  async settledAsks(conversationId: string): Promise<readonly string[]> {
    this.now();
    const { rows, settled } = this.tables;
    return [...(rows.get(conversationId)?.asks ?? [])].filter((id) => settled.has(id));
  }

  async history(conversationId: string, page: port.Page): Promise<{ items: readonly port.Stored[]; cursor?: string }> {
    const limit = limitOf(page.limit);
    const before = numberIn(page);
    this.now();
    const { record, history = [] } = this.tables.rows.get(conversationId) ?? {};
    const first = record?.historyStart ?? 0;
    const { start, end } = historyRange(limit, before, first, record?.historyEnd ?? 0);
    return historyPage(history.slice(start - first, end - first), start, first);
  }

  async historyFrom(conversationId: string, from: number, limit: number): Promise<port.HistoryPart> {
    const [wanted, most] = [itemNumberOf(from), limitOf(limit)];
    this.now();
    const { record, history = [] } = this.tables.rows.get(conversationId) ?? {};
    const first = record?.historyStart ?? 0;
    const { start, end } = historyRangeFrom(wanted, most, first, record?.historyEnd ?? 0);
    return { items: history.slice(start - first, end - first), first: start };
  }

  async conversationsOf(participantId: string): Promise<readonly string[]> {
    this.now();
    return [...(this.tables.people.get(participantId) ?? [])];
  }

  async sentAs(conversationId: string, name: string): Promise<string | null> {
    this.now();
    return this.tables.rows.get(conversationId)?.names?.get(name) ?? null;
  }

  async erase(call: port.Erase): Promise<boolean> {
    if (this.loopTurn !== undefined) await this.loopTurn;
    return this.step(call.conversationId, rules.erase, call, this.now());
  }

  hint(hint: port.Hint): void {
    for (const watcher of this.watchers) {
      queueMicrotask(() => {
        try {
          if (this.watchers.has(watcher)) watcher.listener(hint);
        } catch {
          // a hint is best effort, and one listener's fault is not another's
        }
      });
    }
  }

  async watch(listener: (hint: port.Hint) => void): Promise<() => Promise<void>> {
    const watcher = { listener };
    this.watchers.add(watcher);
    return async () => {
      this.watchers.delete(watcher);
    };
  }

  async close(): Promise<void> {
    this.watchers.clear();
  }

  /** Runs a rule and writes what it decided. A record that other stores would not write is kept too: it knows the latest time. */
  private step<C, A>(conversationId: string, rule: rules.Rule<C, A>, call: C, now: number): A {
    const row = this.tables.row(conversationId);
    const needs = rule.needs(row.record, call, now);
    const facts = needs === noNeeds ? noFacts : this.tables.facts(row, needs);
    const { record, changes, answer } = rule.apply(row.record, call, now, facts);
    if (changes !== undefined) this.tables.write(row, record, changes);
    else if (row.record !== undefined) row.record = record;
    return answer;
  }

  /**
   * No step here waits for anything, so a program that uses nothing else would starve the event loop's timers. Every
   * `longestWithoutTurn` ms a take starts a turn of the loop, and every step waits for it. With a clock that was given
   * none does: a test must not depend on how fast the machine is.
   */
  private startLoopTurn(): void {
    if (this.clock !== systemClock || this.loopTurn !== undefined) return;
    if (systemClock.elapsed() - this.lastLoopTurn < longestWithoutTurn) return;
    this.loopTurn = yieldToEventLoop();
    void this.loopTurn.then(() => {
      this.lastLoopTurn = systemClock.elapsed();
      // after every step that waits has gone on, so that none which comes now overtakes them
      queueMicrotask(() => {
        this.loopTurn = undefined;
      });
    });
  }

  /** The time, after everything that expired by then was deleted. */
  private now(): number {
    const now = this.time.now();
    this.tables.expire(now);
    return now;
  }
}
