/**
 * A turn that waits for an answer in its own conversation. It keeps its lease and reads its own queue: a reply to its ask is
 * handled early, everything else stays queued. What it learns is written at once, so a re-run finds it.
 */
import type { Ask } from '../../core/ask/ask.js';
import { isExpiredAt } from '../../core/ask/ask.js';
import { takeBackId } from '../../core/ask/decision.js';
import type { Outcome } from '../../core/ask/outcome.js';
import { erasedOutcome, outcomeOf } from '../../core/ask/outcome.js';
import { nextReminder } from '../../core/ask/reminders.js';
import { nextEscalation } from '../../core/ask/steps.js';
import { longestTimer } from '../../core/check-options.js';
import { earlyOutcomeOf, findAsk, withAskFirst } from '../../core/conversation/conversation.js';
import type { Queued } from '../../core/conversation/entry.js';
import { cancelsAll, isCancelOfAll } from '../../core/conversation/entry.js';
import { closingVerdict } from '../../core/conversation/match-reply.js';
import { AgentError } from '../../core/errors.js';
import { readEntry } from '../../core/format/document.js';
import type { QueuedRecord } from '../../stores/port.js';
import type { RegistryContext } from '../context.js';
import type { SleepingTurns } from '../lease/sleeping-turns.js';
import { identityOf } from '../turn/asking.js';
import { decide } from '../turn/deciding.js';
import type { NewAsk } from '../turn/new-ask.js';
import { assertRoom, preparedAsk, tenantCheck, warnOfDoubtfulOptions } from '../turn/new-ask.js';
import { tellsOutcome } from '../turn/remembering.js';
import { handleAwaited } from '../turn/reply.js';
import type { InTurnWait, Turn } from '../turn/turn.js';
import type { CheckedWait, ReplyReader } from '../turn/wait-options.js';
import type { Waiters } from '../waiters.js';
import { Watch } from '../watch.js';
import type { Commit, Learned } from './commit.js';
import { dispositionOf, endsByItself } from './own-endings.js';
import { ownMoves } from './own-moves.js';
import { readTurn, settledAsk } from './read-turn.js';

/** What the waits of all turns share. */
interface WaitParts {
  readonly context: RegistryContext;
  readonly commit: Commit;
  readonly waiters: Waiters;
  readonly sleeping: SleepingTurns;
}

export class WaitInTurn implements InTurnWait {
  readonly #parts: WaitParts;
  /** By conversation. It only wakes the turn, at least once a second: the turn looks into its queue itself. */
  readonly #watch: Watch<true>;

  constructor(parts: WaitParts) {
    this.#parts = parts;
    this.#watch = new Watch(parts.context, { every: 1_000, each: 0 });
  }

  /** One question at a time: a second wait of the same turn begins when the first is over. */
  wait<T>(turn: Turn, request: NewAsk, wait: CheckedWait, reader: ReplyReader): Promise<Outcome<T>> {
    const { id } = identityOf(turn, request, { conversationId: turn.conversationId, isApart: false }); // counted in the order asked
    const outcome = turn.waited.last.then(async () => {
      const known = await new OneWait(this.#parts, this.#watch, turn, id, reader).outcome<T>(request, wait);
      if (known.status !== 'waiting') await tellsOutcome(turn, id, request.options.onCrash);
      return known;
    });
    turn.waited.last = outcome.catch(() => undefined);
    return outcome;
  }
}

/** The wait for one ask. */
class OneWait {
  readonly #context: RegistryContext;
  readonly #parts: WaitParts;
  readonly #watch: Watch<true>;
  readonly #turn: Turn;
  readonly #id: string;
  readonly #reader: ReplyReader;
  /** How many entries of the queue were looked at, from the front, and the id of the last of them. */
  #looked = 0;
  #last: string | undefined;

  constructor(parts: WaitParts, watch: Watch<true>, turn: Turn, id: string, reader: ReplyReader) {
    [this.#context, this.#parts, this.#watch] = [parts.context, parts, watch];
    [this.#turn, this.#id, this.#reader] = [turn, id, reader];
  }

  /** The ask, as it stands now: undefined before it is opened, and only its turn takes it out again. */
  get #ask(): Ask | undefined {
    return findAsk(this.#turn.written, this.#id);
  }

  async outcome<T>(request: NewAsk, wait: CheckedWait): Promise<Outcome<T>> {
    const turn = this.#turn;
    const { conversationId } = turn;
    const assertWaits = (): void => {
      turn.assertOpen('askAndWait()');
      wait.signal?.throwIfAborted();
    };
    assertWaits();
    const known = this.#ask;
    const earlier = turn.waitedFor(this.#id) ?? (known === undefined ? await this.#settledBefore() : undefined);
    if (earlier !== undefined) return outcomeOf<T>(earlier, conversationId);
    const check = known === undefined ? tenantCheck(this.#context, turn.asker.tenant, request.options) : undefined;
    if (check !== undefined) {
      await check;
      assertWaits();
    }
    const until = this.#context.clock.elapsed() + wait.timeout; // after both: a slow store or channel takes none of the person's time
    if (known === undefined) await this.#open(request, wait);
    // an earlier attempt stopped waiting and left it open: the turn is told the same again
    else if (known.progress.waitsIn === undefined) return outcomeOf<T>(known, conversationId);
    const ends = this.#parts.waiters.turnWaits(turn, this.#id);
    const wake = (): void => this.#watch.wake(conversationId, true);
    turn.waited.wake = wake;
    const place = this.#parts.sleeping.add(conversationId, wake);
    try {
      for (;;) {
        if (turn.ended) throw this.#left();
        const ask = this.#ask as Ask; // opened above
        if (ask.status !== 'pending') return await this.#ended<T>(ask);
        const left = until - this.#context.clock.elapsed();
        wake(); // ends the wait of the round before, where the queue had something to read
        const timeout = Math.max(0, Math.min(longestTimer, left, dueAt(ask) - turn.lease.now()));
        const signals = [turn.stop.signal, wait.signal];
        const woken = this.#watch.until(conversationId, { look: wakes, timeout, signals, isLater: true });
        woken.catch(() => undefined); // looked at only if the queue had no answer
        if ((await this.#readQueue()) === 'erased') return erasedOutcome<T>(ask, conversationId);
        const now = this.#ask as Ask;
        if (now.status !== 'pending') continue;
        if (left <= 0) {
          if (wait.keep) return outcomeOf<T>(await this.#kept(now), conversationId);
          await this.#close(now, 'cancelled', takeBackId('patience', this.#id), 'timeout');
        } else {
          await this.#showWhatIsDue(now);
          place.sleeps(true);
          await woken;
          place.sleeps(false);
        }
      }
    } catch (error) {
      const ask = this.#ask;
      const hasGivenUp = wait.signal?.aborted && !turn.stop.isStopped; // a turn that has to stop runs again
      if (hasGivenUp && ask?.status === 'pending') {
        if (wait.keep) await this.#kept(ask);
        else await this.#close(ask, 'cancelled', takeBackId('abort', this.#id));
      }
      throw error;
    } finally {
      wake();
      place.ends();
      ends();
    }
  }

  /** The agent has returned without it: nothing may be written beside the save that closes the turn, which cancels the ask. */
  #left(): AgentError {
    const { conversationId, agentName } = this.#turn;
    this.#context.logger.warn(
      'A turn ended while its askAndWait() waited, so the question was withdrawn. Await it before you return',
      { conversationId, agentName, askId: this.#id },
    );
    return new AgentError(
      'turn-ended',
      `askAndWait() waited when its turn in conversation ${JSON.stringify(conversationId)} was over, so its ask was cancelled. Await it before you return.`,
    );
  }

  /** An ask that an earlier attempt left open, with `keep`, and that was decided since: it has its one decision. */
  async #settledBefore(): Promise<Ask | undefined> {
    const turn = this.#turn;
    if (turn.attempt === 1) return undefined;
    const ask = await settledAsk(this.#context, this.#id, turn.conversationId);
    if (ask !== undefined) turn.waited.awaited.push(ask);
    return ask;
  }

  /** The outcome. A cancel of all asks leaves alone what the turn asks after it. */
  async #ended<T>(ask: Ask): Promise<Outcome<T>> {
    const turn = this.#turn;
    await this.#parts.commit.redraw(turn, ask);
    const early = ask.decision && earlyOutcomeOf(turn.written, ask.decision.entry);
    if (early !== undefined && isCancelOfAll(early.disposition)) turn.cause = ask.decision?.entry;
    return outcomeOf<T>(ask, turn.conversationId);
  }

  async #open(request: NewAsk, { keep, timeout }: CheckedWait): Promise<void> {
    const turn = this.#turn;
    const { place, lease, workId, asker, cause, conversationId } = turn;
    const made = preparedAsk(
      this.#context,
      { ...request, awaited: true },
      { conversationId, isApart: false, place },
      { call: 'askAndWait()' },
    );
    warnOfDoubtfulOptions(this.#context, request, keep ? undefined : timeout);
    const id = this.#id;
    const record = made({ id, asker, elsewhere: false, cause, now: lease.now() });
    const progress = { ...record.progress, waitsIn: workId, waitsFrom: lease.historyBegan };
    const ask: Ask = { ...record, progress };
    assertRoom(turn, ask);
    await this.#learned({ before: withAskFirst(turn.written, ask), moves: [{ type: 'show', askId: id }], opened: ask });
  }

  /** Handles the new entries that concern the ask, in the order they came. Erased: nothing is left to wait for. */
  async #readQueue(): Promise<'erased' | undefined> {
    const turn = this.#turn;
    const read = await this.#unread();
    if (read === null) return 'erased';
    for (const recorded of read.entries) {
      const { id: entryId, at } = recorded;
      const ask = this.#ask;
      if (ask?.status !== 'pending') return undefined;
      if (entryId !== turn.workId && earlyOutcomeOf(turn.written, entryId) === undefined) {
        if (isExpiredAt(ask, at)) break;
        await this.#readEntry(ask, readEntry(recorded));
      }
      this.#looked += 1;
      this.#last = entryId;
    }
    const ask = this.#ask;
    // by the time of the read: what came since then may be an answer in time
    if (ask?.status === 'pending' && isExpiredAt(ask, read.now)) await this.#close(ask, 'expired', `expiry:${ask.id}`);
    return undefined;
  }

  /**
   * The entries behind those that were looked at, and the time of this look; null if the conversation was erased. While the turn holds its
   * conversation, entries only join the queue at its end, so each of them is read once, however many come. The last one that was looked at is
   * read again: if it is not where it was, the store has lost entries in a fail-over, and the queue is read from its front.
   */
  async #unread(): Promise<{ readonly entries: readonly QueuedRecord[]; readonly now: number } | null> {
    const { conversationId, lease } = this.#turn;
    const state = await this.#context.store.conversation(conversationId, Math.max(0, this.#looked - 1));
    if (state === null || state.incarnation !== lease.incarnation) return null;
    const { queue, now } = state;
    if (this.#looked === 0) return { entries: queue, now };
    const [last, ...entries] = queue;
    if (last?.id === this.#last) return { entries, now };
    this.#looked = 0;
    return this.#unread();
  }

  async #readEntry(ask: Ask, queued: Queued): Promise<void> {
    const aside = this.#turn.aside(queued);
    await readTurn(aside);
    const { reading, subject } = aside;
    // the others, when the entry is at the front
    if (cancelsAll(subject.entry)) await decide(aside, ask.id, { status: 'cancelled', reason: subject.entry.reason });
    else if (reading.type !== 'say' && !isAbout(aside, ask.id)) return;
    else if (endsByItself(aside)) return this.#learned({ moves: aside.moves }, aside);
    else if (reading.type === 'close') await decide(aside, ask.id, closingVerdict(reading));
    else await handleAwaited(aside, ask, this.#reader);
    aside.endsWith(reading.type === 'notice' ? reading.disposition : dispositionOf(aside));
    await this.#learned({ moves: aside.moves }, aside);
  }

  /** Shows the question again, or to the next level of its escalation, when that is due. The queue has been read before: there is no answer. */
  async #showWhatIsDue(ask: Ask): Promise<void> {
    const turn = this.#turn;
    const now = turn.lease.now();
    const reminder = nextReminder(ask);
    if (reminder !== undefined && reminder <= now)
      await this.#learned({ moves: ownMoves(turn, { type: 'remind', ask }) });
    const step = nextEscalation(ask);
    if (step === undefined || step > now) return;
    await this.#learned({ moves: ownMoves(turn, { type: 'escalate', ask }) });
    await this.#showWhatIsDue(this.#ask as Ask); // several may have come due
  }

  async #close(ask: Ask, status: 'expired' | 'cancelled', entryId: string, reason?: string): Promise<void> {
    const aside = this.#turn.aside({
      id: entryId,
      at: this.#turn.lease.now(),
      entry: { type: 'cancel', askId: ask.id },
    });
    aside.isRead({ type: 'close', ask, as: status }, undefined);
    await decide(aside, ask.id, { status, reason });
    await this.#learned({}, aside);
  }

  /** With `keep`: the ask stays, and its reply is read by the turn that holds the conversation then. */
  async #kept(ask: Ask): Promise<Ask> {
    const turn = this.#turn;
    const { type } = this.#reader;
    this.#context.answerTypes.set(type.kind, type);
    const free: Ask = { ...ask, progress: { ...ask.progress, waitsIn: undefined, waitsFrom: undefined } };
    const asks = turn.written.asks.map((each) => (each.id === ask.id ? free : each));
    await this.#learned({ before: { ...turn.written, asks } });
    return free;
  }

  /** Writes what is known now: by the turn itself, or by its aside. */
  async #learned(what: Learned, from = this.#turn): Promise<void> {
    this.#turn.written = await this.#parts.commit.hold(from, what);
  }
}

const wakes = async (): Promise<true> => true;

/** When the ask has something to show without a new entry. */
function dueAt(ask: Ask): number {
  return Math.min(nextReminder(ask) ?? Number.POSITIVE_INFINITY, nextEscalation(ask) ?? Number.POSITIVE_INFINITY);
}

/** Whether an entry concerns the ask: a reply, its end, a new copy, a copy that was lost, a hand-over, or a notice to a person who may not answer it, or has voted. */
function isAbout({ reading }: Turn, askId: string): boolean {
  return abouts.has(reading.type) && 'ask' in reading && reading.ask?.id === askId;
}

const abouts: ReadonlySet<Turn['reading']['type']> = new Set([
  'reply',
  'close',
  'copy',
  'escalate',
  'lose',
  'hand-over',
  'notice',
]);
