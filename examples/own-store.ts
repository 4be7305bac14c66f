/**
 * A store of your own: conversations in one JSON file, for one process. It is a toy that shows what a store is: it reads what a rule
 * needs, writes what the rule returns, and decides nothing. At its end it proves itself.
 *   npx tsx --test own-store.ts   (from Node 22.18 on: node --test own-store.ts)
 */
import { mkdtempSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type * as port from 'askback/stores';
import * as rules from 'askback/stores/rules';
import { FakeClock, storeContract } from 'askback/testing';

interface Conversation {
  record: rules.ConversationRecord;
  queue: rules.QueuedEntry[];
  memos: Map<string, Record<string, string>>;
  people: Set<string>;
  outputs: rules.NewOutput[];
  history: port.Stored[];
  names: Map<string, string>;
  /** When it is forgotten; undefined for never. */
  ends?: number | undefined;
}

interface Ask extends port.Listed {
  deadline?: number | undefined;
}

interface Settled {
  id: string;
  conversationId: string;
  record: port.Stored;
  at: number;
  until: number;
}

/** Everything that is in the file. */
class State {
  last = 0;
  conversations = new Map<string, Conversation>();
  /** Dedupe marks outlive their conversation. */
  marks = new Map<string, { until: number | null; entries: Map<string, rules.DedupeMark> }>();
  open = new Map<string, Ask>();
  parked = new Map<string, Ask>();
  settled = new Map<string, Settled>();
  changes: (port.Listed & { number: number })[] = [];
  changesMade = 0;
  values = new Map<string, { value: string; until: number }>();
}

/** Of a document, an entry or an output the file keeps the text: in JSON each is `{ text }`, which is all that a reader needs. */
const toText = (state: State): string =>
  JSON.stringify(state, (_, value) => {
    if (value instanceof Map) return { map: [...value] };
    if (value instanceof Set) return { set: [...value] };
    if (!(value instanceof rules.ConversationRecord)) return value;
    return { record: rules.encodeRecord(value), document: value.document };
  });

const fromText = (text: string): State =>
  JSON.parse(text, (_, value) => {
    if (Array.isArray(value?.map)) return new Map(value.map);
    if (Array.isArray(value?.set)) return new Set(value.set);
    if (typeof value?.record !== 'string' || !('document' in value)) return value;
    return Object.assign(rules.decodeRecord(value.record), { document: value.document });
  });

export class JsonFileStore implements port.Store {
  private state = new State();
  private readonly path: string;
  private readonly clock: () => number;
  private readonly watchers = new Set<{ tell: (hint: port.Hint) => void }>();

  constructor(path: string, clock: () => number = Date.now) {
    this.path = path;
    this.clock = clock;
  }

  async open(): Promise<void> {
    try {
      this.state = Object.assign(new State(), fromText(readFileSync(this.path, 'utf8')));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }

  async close(): Promise<void> {
    this.watchers.clear();
  }

  // Steps: each is a rule, applied whole and written before anybody is told.

  async take(call: port.Take): Promise<port.Taken> {
    return this.step(call.conversationId, rules.take, call);
  }
  async save(call: port.Save): Promise<port.Saved> {
    return this.step(call.conversationId, rules.save, call);
  }
  async remember(call: port.Remember): Promise<port.Remembered> {
    return this.step(call.conversationId, rules.remember, call);
  }
  async renew(holds: readonly port.Hold[], lease: number): Promise<readonly port.Renewed[]> {
    return holds.map((hold) => this.step(hold.conversationId, rules.renew, { ...hold, lease }));
  }
  async erase(call: port.Erase): Promise<boolean> {
    return this.step(call.conversationId, rules.erase, call);
  }

  private step<C, A>(id: string, rule: rules.Rule<C, A>, call: C): A {
    const now = this.now();
    const facts = (needs: rules.Needs) => this.facts(id, needs);
    const write = (record: rules.ConversationRecord | undefined, changes: rules.Changes) => {
      this.write(id, record, changes);
      this.flush();
    };
    const { record } = this.state.conversations.get(id) ?? {};
    return rules.applyLocked({ record, facts, write }, rule, call, now);
  }

  /** What a rule needs to know. More than it asked for does no harm. */
  private facts(id: string, { mark, queued, memo, memos }: rules.Needs): rules.Facts {
    const { queue = [], memos: kept = new Map(), people = [] } = this.state.conversations.get(id) ?? {};
    const marks = this.state.marks.get(id)?.entries ?? new Map<string, rules.DedupeMark>();
    const own = memo && kept.get(memo.turn);
    return {
      mark: mark === undefined ? undefined : marks.get(mark),
      marksLeft: marks.size,
      waiting: queue.length,
      second: queue[0],
      queued: queue.find((entry) => entry.id === queued),
      memo: own && Object.hasOwn(own, memo.key) ? own[memo.key] : undefined,
      memos: new Map((memos ?? []).map((turn) => [turn, kept.get(turn) ?? {}])),
      allMarks: [...marks],
      people: [...people],
    };
  }

  private write(id: string, record: rules.ConversationRecord | undefined, changes: rules.Changes): void {
    const { conversations, marks, open, parked, settled } = this.state;
    const { now, erased } = changes;
    const told = (ask: string, conversationId = id) => this.tellChange({ id: ask, conversationId, at: now });
    if (erased !== undefined) {
      this.forget(id);
      marks.delete(id);
      for (const ask of [...settled.values()]) if (ask.conversationId === id) settled.delete(ask.id);
      for (const { id: ask, tombstone } of erased.asks) {
        settled.set(ask, { id: ask, conversationId: '', record: tombstone, at: -1, until: erased.until });
        told(ask, '');
      }
    }
    if (record === undefined) return;
    const found = conversations.get(id);
    const nothing = {
      queue: [],
      memos: new Map(),
      people: new Set<string>(),
      outputs: [],
      history: [],
      names: new Map(),
    };
    const one: Conversation = found ?? { record, ...nothing };
    conversations.set(id, one);
    one.record = record;
    for (const { id: person } of changes.people) one.people.add(person);
    one.outputs = one.outputs.filter(({ key }) => !changes.withdrawn.includes(key));
    for (const output of changes.outputs)
      if (!one.outputs.some(({ key }) => key === output.key)) one.outputs.push(output);
    for (const ask of changes.opened) {
      open.set(ask.id, { ...ask, conversationId: id });
      settled.delete(ask.id);
      told(ask.id);
    }
    for (const ask of changes.changed) told(ask);
    for (const ask of changes.settled) {
      open.delete(ask.id);
      settled.set(ask.id, { ...ask, conversationId: id, until: changes.settledUntil });
      told(ask.id);
    }
    for (const work of changes.parked) parked.set(work.id, { ...work, conversationId: id });
    for (const work of changes.unparked) parked.delete(work);
    const { enqueued, dequeued, unqueued, memo } = changes;
    if (enqueued !== undefined) one.queue.push(enqueued);
    if (dequeued !== undefined) one.queue.shift();
    one.queue = one.queue.filter((entry) => entry.id !== unqueued?.id);
    const own = marks.get(id) ?? { until: null, entries: new Map<string, rules.DedupeMark>() };
    if (enqueued !== undefined) own.entries.set(enqueued.id, rules.queuedMark(enqueued));
    for (const [entry, mark] of changes.marks) own.entries.set(entry, mark);
    for (const entry of changes.droppedMarks) own.entries.delete(entry);
    if (changes.marksUntil !== undefined) own.until = changes.marksUntil;
    if (own.entries.size > 0) marks.set(id, own);
    if (memo !== undefined) one.memos.set(memo.turn, { ...one.memos.get(memo.turn), [memo.key]: memo.value });
    for (const turn of changes.droppedMemos) one.memos.delete(turn);
    one.history.push(...changes.history);
    if (changes.isHistoryDropped) one.history = one.history.slice(-(record.historyEnd - record.historyStart));
    if (changes.ends !== undefined) one.ends = changes.ends && one.outputs.length === 0 ? record.endsAt : undefined;
  }

  // The outbox: rows that are lent and marked.

  async unsent({ channels, conversationId, limit, sendLease }: port.Borrow): Promise<readonly port.Lent[]> {
    const now = this.now();
    const lent: port.Lent[] = [];
    for (const [id, one] of this.state.conversations) {
      if (conversationId !== undefined && id !== conversationId) continue;
      one.outputs = one.outputs.map((output) => {
        const { key, channel, data, freeAt } = output;
        if (lent.length >= limit || freeAt > now || !channels.includes(channel)) return output;
        lent.push({ conversationId: id, key, channel, data, now });
        return { ...output, freeAt: now + sendLease };
      });
    }
    if (lent.length > 0) this.flush();
    return lent;
  }

  async sent(marks: readonly port.Mark[]): Promise<void> {
    const now = this.now();
    for (const { conversationId, key, channel, again, sentAs, kept } of marks) {
      if (kept !== undefined)
        this.state.values.set(kept.key, { value: kept.value, until: now + Math.max(1, kept.ttl) });
      const one = this.state.conversations.get(conversationId);
      if (one === undefined) continue;
      if (sentAs !== undefined) one.names.set(sentAs.name, sentAs.id);
      one.outputs = one.outputs.flatMap((output) => {
        if (output.key !== key || output.channel !== channel) return [output];
        return again === undefined ? [] : [{ ...output, data: again.data, freeAt: now + again.in }];
      });
      const isOver = one.record.isRetired && one.outputs.length === 0;
      if (isOver) one.ends ??= now + one.record.retention; // it had to wait for its outputs
    }
    this.flush();
  }

  // Reads.

  async due(limit: number): Promise<{ conversations: readonly string[]; now: number }> {
    const now = this.now();
    const wanted = [...this.state.conversations]
      .map(([id, { record }]) => ({ id, at: rules.wantedAt(record) ?? Number.POSITIVE_INFINITY }))
      .filter(({ at }) => at <= now)
      .sort((one, other) => one.at - other.at);
    return { conversations: wanted.slice(0, limit).map(({ id }) => id), now };
  }

  async conversation(id: string, skip = 0): Promise<port.ConversationState | null> {
    const now = this.now();
    const one = this.state.conversations.get(id);
    return one === undefined ? null : rules.stateOf(one.record, one.queue.slice(rules.queueStart(skip)), now, skip);
  }

  async outcome(id: string, entryId: string): Promise<port.Stored | null> {
    const now = this.now();
    return rules.outcomeOf(this.state.conversations.get(id)?.record, entryId, now, this.facts(id, { mark: entryId }));
  }

  async find(id: string): Promise<{ conversationId: string } | { record: port.Stored } | null> {
    this.now();
    const listed = this.state.open.get(id) ?? this.state.parked.get(id);
    if (listed !== undefined) return { conversationId: listed.conversationId };
    const ask = this.state.settled.get(id);
    return ask === undefined ? null : { record: ask.record };
  }

  async list(what: port.ListName, page: port.Page): Promise<{ items: readonly port.Listed[]; cursor?: string }> {
    this.now();
    const all = [...(what === 'parked' ? this.state.parked : this.state.open).values()];
    const never = 1e15; // asks without a deadline come last
    const ranked = all.map(({ id, conversationId, at, deadline }) => {
      return { id, conversationId, at: what === 'deadline' ? (deadline ?? never + at) : at };
    });
    return pageOf(ranked.sort(inOrder), page);
  }

  async settled(page: port.SettledPage): Promise<{ items: readonly port.ListedRecord[]; cursor?: string }> {
    this.now();
    const { since = 0, until = Number.POSITIVE_INFINITY, conversationId } = page;
    const isWanted = (ask: Settled) =>
      ask.at >= since && ask.at < until && (conversationId ?? ask.conversationId) === ask.conversationId;
    const found = [...this.state.settled.values()].filter(isWanted).sort((one, other) => inOrder(other, one));
    return pageOf(
      found.map(({ id, at, record }) => ({ id, at, record })),
      page,
    );
  }

  async settledAsks(id: string): Promise<readonly string[]> {
    this.now();
    return [...this.state.settled.values()].filter((ask) => ask.conversationId === id).map((ask) => ask.id);
  }

  async changes({ limit, cursor }: port.Page): Promise<port.ChangePage> {
    const now = this.now();
    this.state.changes = this.state.changes.filter(({ at }) => at >= now - rules.changesKept);
    const after = cursor === undefined ? this.state.changesMade : Number(cursor);
    const found = this.state.changes.filter(({ number }) => number > after).slice(0, limit);
    const items = found.map(({ id, conversationId, at }) => ({ id, conversationId, at }));
    return { items, cursor: String(found.at(-1)?.number ?? after) };
  }

  async history(id: string, { limit, cursor }: port.Page): Promise<{ items: readonly port.Stored[]; cursor?: string }> {
    this.now();
    const { record, history = [] } = this.state.conversations.get(id) ?? {};
    const first = record?.historyStart ?? 0;
    const end = Math.max(0, Math.min(cursor === undefined ? history.length : Number(cursor) - first, history.length));
    const start = Math.max(0, end - limit);
    return { items: history.slice(start, end), ...(start > 0 && end > start && { cursor: String(first + start) }) };
  }

  async historyFrom(id: string, from: number, limit: number): Promise<port.HistoryPart> {
    this.now();
    const { record, history = [] } = this.state.conversations.get(id) ?? {};
    const first = record?.historyStart ?? 0;
    const start = Math.min(Math.max(0, from - first), history.length);
    return { items: history.slice(start, start + limit), first: first + start };
  }

  async conversationsOf(person: string): Promise<readonly string[]> {
    this.now();
    return [...this.state.conversations].filter(([, { people }]) => people.has(person)).map(([id]) => id);
  }

  async sentAs(id: string, name: string): Promise<string | null> {
    this.now();
    return this.state.conversations.get(id)?.names.get(name) ?? null;
  }

  async swap({ key, expected, value, ttl }: port.Swap): Promise<port.Swapped> {
    const now = this.now();
    const found = this.state.values.get(key)?.value ?? null;
    if (found !== expected) return { swapped: found === value, current: found };
    if (value === null) this.state.values.delete(key);
    else this.state.values.set(key, { value, until: now + Math.max(1, ttl) });
    this.flush();
    return { swapped: true, current: value };
  }

  // Hints reach this process only: the file has no other one.

  hint(hint: port.Hint): void {
    for (const watcher of this.watchers)
      queueMicrotask(() => {
        try {
          if (this.watchers.has(watcher)) watcher.tell(hint);
        } catch {
          // one watcher's fault is not another's
        }
      });
  }

  async watch(tell: (hint: port.Hint) => void): Promise<() => Promise<void>> {
    const watcher = { tell };
    this.watchers.add(watcher);
    return async () => void this.watchers.delete(watcher);
  }

  /** The store's time, which never goes back. What is over by then is gone. */
  private now(): number {
    const { state } = this;
    state.last = Math.max(state.last, this.clock());
    const isOver = (until: number | null | undefined) => until != null && until <= state.last;
    for (const [id, { ends }] of state.conversations) if (isOver(ends)) this.forget(id);
    for (const [id, { until }] of state.marks) if (isOver(until)) state.marks.delete(id);
    for (const [id, { until }] of state.settled) if (isOver(until)) state.settled.delete(id);
    for (const [key, { until }] of state.values) if (isOver(until)) state.values.delete(key);
    return state.last;
  }

  private forget(id: string): void {
    this.state.conversations.delete(id);
    for (const asks of [this.state.open, this.state.parked])
      for (const ask of asks.values()) if (ask.conversationId === id) asks.delete(ask.id);
  }

  private tellChange(change: port.Listed): void {
    this.state.changesMade += 1;
    this.state.changes = this.state.changes.filter(({ id }) => id !== change.id);
    this.state.changes.push({ ...change, number: this.state.changesMade });
  }

  /** The file is replaced whole: a process that dies leaves the old one or the new one. */
  private flush(): void {
    writeFileSync(`${this.path}.new`, toText(this.state), { flush: true });
    renameSync(`${this.path}.new`, this.path);
  }
}

const inOrder = (one: { at: number; id: string }, other: { at: number; id: string }): number =>
  one.at - other.at || (one.id < other.id ? -1 : 1);

/** A page of items in their order. A cursor is the last item of the page before: that one may be gone by then. */
function pageOf<T extends { at: number; id: string }>(all: readonly T[], { limit, cursor }: port.Page) {
  const after: { at: number; id: string } | undefined = cursor === undefined ? undefined : JSON.parse(cursor);
  const isDown = all.length > 1 && inOrder(all[0] as T, all.at(-1) as T) > 0;
  const comesAfter = (item: T) => after === undefined || (isDown ? inOrder(item, after) < 0 : inOrder(item, after) > 0);
  const rest = all.filter((item) => comesAfter(item) && !(item.at === after?.at && item.id === after.id));
  const items = rest.slice(0, limit);
  const last = items.at(-1);
  return { items, ...(last && rest.length > items.length && { cursor: JSON.stringify({ at: last.at, id: last.id }) }) };
}

const folder = mkdtempSync(join(tmpdir(), 'own-store-'));
let files = 0;
storeContract({
  test,
  open: async () => {
    const clock = new FakeClock();
    const store = new JsonFileStore(join(folder, `${++files}.json`), () => clock.now());
    return { store, pass: (ms) => clock.advance(ms) };
  },
  skip: [
    {
      reason: 'a toy trusts its caller: it does not look at cursors and limits',
      tests: ['a limit that is none and a cursor that no page gave are refused'],
    },
  ],
});
