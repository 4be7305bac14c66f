/**
 * The memory store: conversations for one process, gone when it ends. For tests, scripts and trying things out.
 * No rules live here; and nothing is awaited inside a step, which is what makes each of them one.
 */
import { namedOptions } from '../../core/checked.js';
import type { Mutable } from '../../core/defined-fields.js';
import { breathe, type Clock, systemClock } from '../../machine/clock.js';
import { badCursor, checkSave, checkTake, comeTrue, time } from '../call-check.js';
import type * as port from '../port.js';
import type { Conversation } from './conversation.js';
import { Shelves } from './shelves.js';

/** So many ms at most the event loop waits for its turn. */
const mostWithoutTurn = 10;

const known: ReadonlySet<string> = new Set(['clock']);

export interface MemoryStoreOptions {
  /** Where the store's time comes from; a fake one in tests. */
  readonly clock?: Clock;
}

/**
 * Keeps conversations in this process's memory. It behaves as the Redis store does, but nothing survives the process.
 *
 * @example
 * import { AgentRegistry, MemoryStore } from 'askback';
 * const registry = new AgentRegistry({ agents: [support], store: new MemoryStore() });
 */
export class MemoryStore implements port.Store {
  private readonly clock: Clock;
  private readonly shelves = new Shelves();
  private readonly watchers = new Set<{ readonly listener: (hint: port.Hint) => void }>();

  /** When the event loop last had its turn on our account, and the turn that is awaited now. */
  private turned = systemClock.elapsed();
  private turning: Promise<void> | undefined;

  constructor(options: MemoryStoreOptions = {}) {
    this.clock = namedOptions(options, 'MemoryStore', '{ clock }', known).clock ?? systemClock;
  }

  async open(): Promise<void> {}

  async take(call: port.Take): Promise<port.Taken> {
    checkTake(call);
    const turn = this.loopTurn();
    if (turn !== undefined) await turn;
    const clock = this.tick();
    const { entry, token } = call;
    let conversation = this.shelves.conversations.get(call.conversationId);
    const marks = conversation === undefined ? this.shelves.marksOf(call.conversationId) : conversation.marks;
    const closed = entry && marks?.get(entry.id, clock);
    let said: port.Taken['entry'];
    let isNew = false;
    if (entry !== undefined) {
      const known = closed?.recordedBy ?? conversation?.recordedBy(entry.id);
      if (closed !== undefined || known !== undefined) said = known === token ? 'recorded' : 'repeat';
      else if ((conversation?.waiting ?? 0) >= entry.room) said = 'full';
      else {
        conversation ??= this.shelves.create(call.conversationId);
        conversation.record(entry, token, conversation.timeAt(clock));
        said = 'recorded';
        isNew = true;
      }
    }
    const now = conversation?.timeAt(clock) ?? clock;
    let claim = closed === undefined && conversation ? claimFor(conversation, call, now) : undefined;
    const predecided = isNew && conversation && claim ? comeTrue(call, claim, conversation.due) : undefined;
    if (predecided !== undefined) claim = conversation?.foresaw(predecided, now);
    if (conversation && (said === 'recorded' || claim)) this.shelves.arrange(conversation, now);
    const taken: Mutable<port.Taken> = { now };
    if (said !== undefined) taken.entry = said;
    if (closed !== undefined) taken.outcome = closed.outcome;
    if (claim !== undefined) taken.claim = claim;
    return taken;
  }

  /**
   * No step here waits for anything, so a program that lives on nothing else would never hear its timers: now and then
   * everybody who takes waits for a turn of the event loop, and goes on in the same order. Not by a clock of somebody's own:
   * what a rehearsal does must not depend on how fast the machine is.
   */
  private loopTurn(): Promise<void> | undefined {
    if (this.clock !== systemClock) return undefined;
    if (this.turning !== undefined || systemClock.elapsed() - this.turned < mostWithoutTurn) return this.turning;
    this.turning = breathe().then(() => {
      this.turning = undefined;
      this.turned = systemClock.elapsed();
    });
    return this.turning;
  }

  async save(call: port.Save): Promise<port.Saved> {
    checkSave(call);
    const clock = this.tick();
    const conversation = this.shelves.conversations.get(call.conversationId);
    if (conversation === undefined) return { type: 'refused' };
    const now = conversation.timeAt(clock);
    const holds = conversation.hold?.token === call.token;
    if (conversation.lastCall === call.call) {
      const next = holds && call.then.type === 'next' ? conversation.claimed(now) : undefined;
      return { type: 'saved', now, revision: call.revision + 1, ...(next && { next }) };
    }
    if (!holds || conversation.revision !== call.revision) {
      const done = call.closes && conversation.marks?.get(call.closes.entryId, now)?.closedBy === call.call;
      return done ? { type: 'saved', now, revision: call.revision + 1 } : { type: 'refused' };
    }
    this.shelves.apply(conversation, call, now);
    const saved = conversation.proceed(call, now);
    this.shelves.arrange(conversation, now);
    return saved;
  }

  async remember(call: port.Remember): Promise<port.Remembered> {
    this.tick();
    const value = this.shelves.conversations.get(call.conversationId)?.remember(call.turn, call.key, call.value);
    return value === undefined ? { type: 'ended' } : { type: 'kept', value };
  }

  async renew(holds: readonly port.Hold[], lease: number): Promise<readonly port.Renewed[]> {
    time('lease', lease);
    const clock = this.tick();
    return holds.map(({ conversationId, token }) => {
      const conversation = this.shelves.conversations.get(conversationId);
      const now = conversation?.timeAt(clock) ?? clock;
      const held = conversation?.hold?.token === token;
      if (held && conversation?.hold) {
        conversation.hold.until = now + lease;
        this.shelves.arrange(conversation, now);
      }
      return { conversationId, token, held, queue: conversation?.waiting ?? 0, now };
    });
  }

  async due(limit: number): Promise<{ conversations: readonly string[]; now: number }> {
    const now = this.tick();
    return { conversations: this.shelves.wantingAt(now, limit).map(({ id }) => id), now };
  }

  async unsent(call: port.Borrow): Promise<readonly port.Lent[]> {
    time('loan', call.loan);
    const now = this.tick();
    if (call.conversationId === undefined) return this.shelves.outbox.lendAny(call, now);
    const conversation = this.shelves.conversations.get(call.conversationId);
    return conversation ? this.shelves.outbox.lendOf(conversation, call, conversation.timeAt(now)) : [];
  }

  async sent(marks: readonly port.Mark[]): Promise<void> {
    for (const { again } of marks) if (again) time('again.in', again.in);
    const clock = this.tick();
    for (const mark of marks) {
      const conversation = this.shelves.conversations.get(mark.conversationId);
      if (conversation === undefined) continue;
      this.shelves.outbox.mark(conversation, mark, conversation.timeAt(clock));
      this.shelves.arrange(conversation, conversation.timeAt(clock));
    }
  }

  async conversation(conversationId: string): Promise<port.ConversationState | null> {
    const clock = this.tick();
    const found = this.shelves.conversations.get(conversationId);
    if (found === undefined) return null;
    const now = found.timeAt(clock);
    const { incarnation, revision, document } = found;
    const queue = found.line();
    return { incarnation, revision, document, queue, held: found.held(now), begun: found.work !== undefined, now };
  }

  async outcome(conversationId: string, entryId: string): Promise<string | null> {
    return this.shelves.marksOf(conversationId)?.get(entryId, this.tick())?.outcome ?? null;
  }

  async find(id: string): Promise<{ conversationId: string } | { record: string } | null> {
    this.tick();
    return this.shelves.directory.find(id);
  }

  async list(what: 'open' | 'parked', page: port.Page): Promise<{ items: readonly port.Listed[]; cursor?: string }> {
    this.tick();
    return this.shelves.directory[what].page(page);
  }

  async history(conversationId: string, page: port.Page): Promise<{ items: readonly string[]; cursor?: string }> {
    this.tick();
    const conversation = this.shelves.conversations.get(conversationId);
    const end = page.cursor === undefined ? (conversation?.told ?? 0) : Number(page.cursor || Number.NaN);
    if (!Number.isSafeInteger(end)) throw badCursor(String(page.cursor));
    const start = Math.max(0, end - page.limit);
    return { items: conversation?.history(start, end) ?? [], ...(start > 0 && { cursor: String(start) }) };
  }

  async conversationsOf(participantId: string): Promise<readonly string[]> {
    this.tick();
    return this.shelves.directory.conversationsOf(participantId);
  }

  async sentAs(conversationId: string, name: string): Promise<string | null> {
    this.tick();
    return this.shelves.conversations.get(conversationId)?.sentAs?.get(name) ?? null;
  }

  async erase(call: port.Erase): Promise<boolean> {
    time('retention', call.retention);
    const clock = this.tick();
    const conversation = this.shelves.conversations.get(call.conversationId);
    if (conversation?.incarnation !== call.incarnation || conversation.revision !== call.revision) return false;
    const until = conversation.timeAt(clock) + call.retention;
    this.shelves.drop(conversation, true);
    for (const { id, tombstone } of call.asks) this.shelves.directory.settle(id, tombstone, until);
    return true;
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

  /** The clock's time, after everything whose time is over has vanished. */
  private tick(): number {
    const now = this.clock.now();
    this.shelves.clean(now);
    return now;
  }
}

/** The claim that a `take` gets: the one it has, a new one, or none. */
function claimFor(conversation: Conversation, call: port.Take, now: number): port.Claim | undefined {
  if (call.lease <= 0) return undefined;
  if (conversation.held(now)) return conversation.hold?.token === call.token ? conversation.claimed(now) : undefined;
  if (call.claimBefore !== undefined && now > call.claimBefore) return undefined;
  if (conversation.wantedAt() > now) return undefined;
  return conversation.claim(call.token, call.turn, now + call.lease, now);
}
