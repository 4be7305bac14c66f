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
import type { Move } from '../../core/conversation/apply-turn.js';
import { applyTurn, redrawsOf } from '../../core/conversation/apply-turn.js';
import type { Conversation, EarlyOutcome } from '../../core/conversation/conversation.js';
import {
  changedAsks,
  earlyOutcomeOf,
  finalEarlyOutcomeOf,
  findAsk,
  withAskFirst,
  withEarlyOutcome,
} from '../../core/conversation/conversation.js';
import type { Disposition, Entry, EntryOutcome, ItemRange, Queued } from '../../core/conversation/entry.js';
import { cancelsAll, isCancelOfAll } from '../../core/conversation/entry.js';
import { hidesWords } from '../../core/conversation/hidden-words.js';
import type { Reading } from '../../core/conversation/match-reply.js';
import { closingVerdict } from '../../core/conversation/match-reply.js';
import { copyKeys } from '../../core/conversation/outgoing.js';
import { replyText } from '../../core/conversation/reply-text.js';
import { readEntry, writeConversation, writeItem } from '../../core/format/document.js';
import { digest } from '../../core/ids.js';
import { onAbort } from '../../machine/on-abort.js';
import type { RegistryContext } from '../context.js';
import type { SleepingTurns } from '../lease/sleeping-turns.js';
import type { OutboxWriter } from '../outbox/outbox.js';
import type { OutcomeWaiters } from '../outcome-waiters.js';
import type { NewAsk } from '../turn/new-ask.js';
import {
  askRecord,
  assertAnswerable,
  assertPolicyKnown,
  assertRoom,
  furtherPlaces,
  tenantCheck,
  warnOfDoubtfulOptions,
} from '../turn/new-ask.js';
import { handleReply, tellAnswered } from '../turn/reply.js';
import { Turn } from '../turn/turn.js';
import type { CheckedWait, InTurnWait, ReplyReader } from '../turn/wait-options.js';
import { openedAsk } from './commit.js';
import { dispositionOf } from './disposition.js';
import { noticeMoves } from './notice.js';
import { isOwnReading, ownMoves, tellOfMoves } from './own-moves.js';
import { UnreadEntries } from './unread-entries.js';
import { placeOf, readingFor, settledAsk } from './work-item.js';

/** How often a waiting turn looks into its queue although nobody woke it. */
const look = 1_000;

/** What the waits of all turns share. */
export interface InTurnWaitParts {
  readonly writer: TurnWriter;
  readonly sleeping: SleepingTurns;
}

export class WaitInTurn implements InTurnWait {
  readonly #context: RegistryContext;
  readonly #writer: TurnWriter;
  readonly #sleeping: SleepingTurns;
  readonly #turn: Turn;
  /** One question at a time: a second wait of the same turn begins when the first is over. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(context: RegistryContext, { writer, sleeping }: InTurnWaitParts, turn: Turn) {
    this.#context = context;
    this.#writer = writer;
    this.#sleeping = sleeping;
    this.#turn = turn;
  }

  wait<T>(request: NewAsk, wait: CheckedWait, reader: ReplyReader): Promise<Outcome<T>> {
    const here = { conversationId: this.#turn.conversationId, isApart: false };
    const { id } = this.#turn.identityOf(request, here); // counted in the order asked
    const outcome = this.#last.then(() => this.#told<T>(id, request, wait, reader));
    this.#last = outcome.catch(() => undefined);
    return outcome;
  }

  async #told<T>(id: string, request: NewAsk, wait: CheckedWait, reader: ReplyReader): Promise<Outcome<T>> {
    const outcome = await this.#waited<T>(id, request, wait, reader);
    if (outcome.status !== 'waiting') await this.#turn.tells(id, request.options.onCrash);
    return outcome;
  }

  async #waited<T>(id: string, request: NewAsk, wait: CheckedWait, reader: ReplyReader): Promise<Outcome<T>> {
    const turn = this.#turn;
    turn.assertOpen('askAndWait()');
    wait.signal?.throwIfAborted();
    const { conversationId } = turn;
    const earlier = turn.waitedFor(id);
    if (earlier !== undefined) return outcomeOf<T>(earlier, conversationId);
    const known = findAsk(turn.written, id);
    const settled = known === undefined ? await this.#settledBefore(id) : undefined;
    if (settled !== undefined) return outcomeOf<T>(settled, conversationId);
    const check = known === undefined ? tenantCheck(this.#context, turn.asker.tenant, request.options) : undefined;
    if (check !== undefined) {
      await check;
      turn.assertOpen('askAndWait()');
      wait.signal?.throwIfAborted();
    }
    const until = this.#context.clock.elapsed() + wait.timeout; // after both: a slow store or channel takes none of the person's time
    if (known === undefined) await this.#open(id, request, wait);
    // an earlier attempt stopped waiting and left it open: the turn is told the same again
    else if (known.waitsIn === undefined) return outcomeOf<T>(known, conversationId);
    const unread = new UnreadEntries(this.#context.store, turn.parts.lease);
    turn.parts.stop.waits(true);
    const ends = this.#writer.waits(turn, id);
    let wake: () => void = () => {};
    const place = this.#sleeping.add(conversationId, () => wake());
    try {
      for (;;) {
        const ask = findAsk(turn.written, id) as Ask; // opened above, and only this turn takes it out
        if (ask.status !== 'pending') return await this.#ended<T>(ask);
        const left = until - this.#context.clock.elapsed();
        const due = Math.min(
          nextReminder(ask) ?? Number.POSITIVE_INFINITY,
          nextEscalation(ask) ?? Number.POSITIVE_INFINITY,
        );
        const woken = this.#woken(Math.min(look, left, due - turn.parts.lease.now()), wait.signal, (called) => {
          wake(); // that of the round before, where the queue had something to read
          wake = called;
        });
        if ((await this.#readQueue(id, unread, reader)) === 'erased') return erasedOutcome<T>(ask, conversationId);
        const now = findAsk(turn.written, id) as Ask;
        if (now.status === 'pending' && left <= 0) {
          if (wait.keep) return outcomeOf<T>(await this.#kept(now, reader), conversationId);
          await this.#close(now, 'cancelled', takeBackId('patience', id), 'timeout');
        } else if (now.status === 'pending') {
          await this.#showWhatIsDue(now);
          place.sleeps(true);
          await woken;
          place.sleeps(false);
        }
      }
    } catch (error) {
      const ask = findAsk(turn.written, id);
      const hasGivenUp = wait.signal?.aborted && !turn.parts.stop.isStopped; // a turn that has to stop runs again
      if (hasGivenUp && ask?.status === 'pending') {
        if (wait.keep) await this.#kept(ask, reader);
        else await this.#close(ask, 'cancelled', takeBackId('abort', id));
      }
      throw error;
    } finally {
      wake();
      place.ends();
      ends();
      turn.parts.stop.waits(false);
    }
  }

  /** An ask that an earlier attempt left open, with `keep`, and that was decided since: it has its one decision. */
  async #settledBefore(id: string): Promise<Ask | undefined> {
    const turn = this.#turn;
    if (turn.parts.attempt === 1) return undefined;
    const ask = await settledAsk(this.#context, id, turn.conversationId);
    if (ask !== undefined) turn.awaited.push(ask);
    return ask;
  }

  /** The outcome. A cancel of all asks leaves alone what the turn asks after it. */
  async #ended<T>(ask: Ask): Promise<Outcome<T>> {
    const turn = this.#turn;
    await this.#writer.redraw(turn, ask);
    const early = ask.decision && earlyOutcomeOf(turn.written, ask.decision.entry);
    if (early !== undefined && isCancelOfAll(early.disposition)) turn.cause = ask.decision?.entry;
    return outcomeOf<T>(ask, turn.conversationId);
  }

  /** Settles when somebody wakes the turn, after `ms`, or (rejecting) when the turn or its caller has to stop. */
  #woken(ms: number, signal: AbortSignal | undefined, waker: (wake: () => void) => void): Promise<void> {
    const { signal: stopped } = this.#turn.parts.stop;
    const woken = new Promise<void>((resolve, reject) => {
      const end = (): void => {
        cancel();
        ignoreAbort();
      };
      const finish = (): void => {
        end();
        resolve();
      };
      const abort = (): void => {
        end();
        reject((stopped.aborted ? stopped.reason : signal?.reason) as Error);
      };
      const ignoreAbort = onAbort(abort, stopped, signal);
      const cancel = this.#context.clock.after(Math.max(0, ms), finish);
      if (stopped.aborted || signal?.aborted) abort();
      waker(finish);
    });
    woken.catch(() => undefined); // looked at only if the queue had no answer
    return woken;
  }

  async #open(id: string, request: NewAsk, { keep, timeout }: CheckedWait): Promise<void> {
    const turn = this.#turn;
    const { place, lease, workId } = turn.parts;
    assertAnswerable(place);
    assertPolicyKnown(this.#context, request.options.answerableBy);
    warnOfDoubtfulOptions(this.#context, request, keep ? undefined : timeout);
    const { asker, cause } = turn;
    const { language } = this.#context;
    const further = furtherPlaces(this.#context, request.options, place, 'askAndWait()');
    const now = lease.now();
    const made = askRecord(request, { id, place, asker, elsewhere: false, further, cause, now, language });
    const ask: Ask = { ...made, awaited: true, waitsIn: workId, waitsFrom: lease.historyBegan };
    assertRoom(turn, ask);
    turn.written = await this.#writer.write(turn, withAskFirst(turn.written, ask), [{ type: 'show', askId: id }], {
      opened: ask,
    });
  }

  /** The entries behind this turn's own that concern the ask, in the order they came. Erased: nothing is left to wait for. */
  async #readQueue(id: string, unread: UnreadEntries, reader: ReplyReader): Promise<'erased' | undefined> {
    const turn = this.#turn;
    const read = await unread.read();
    if (read === null) return 'erased';
    for (const recorded of read.entries) {
      const { id: entryId, at } = recorded;
      const ask = findAsk(turn.written, id);
      if (ask?.status !== 'pending') return undefined;
      if (entryId !== turn.parts.workId && earlyOutcomeOf(turn.written, entryId) === undefined) {
        if (isExpiredAt(ask, at)) break;
        await this.#readEntry(ask, readEntry(recorded), reader);
      }
      unread.looked(recorded);
    }
    const ask = findAsk(turn.written, id);
    // by the time of the read: what came since then may be an answer in time
    if (ask?.status === 'pending' && isExpiredAt(ask, read.now)) {
      await this.#close(ask, 'expired', `expiry:${id}`);
    }
    return undefined;
  }

  async #readEntry(ask: Ask, queued: Queued, reader: ReplyReader): Promise<void> {
    const { reading, who } = await readingFor(this.#context, this.#turn.written, queued, {
      conversationId: this.#turn.conversationId,
      stop: this.#turn.parts.stop,
    });
    const { entry } = queued;
    const isCancelled = cancelsAll(entry);
    if (!isCancelled && reading.type !== 'say' && !isAbout(reading, ask.id)) return;
    const aside = this.#aside(queued.id, entry, reading, who);
    if (isCancelled)
      await aside.decide(ask.id, { status: 'cancelled', reason: entry.reason }); // the others, when the entry is at the front
    else if (reading.type === 'say') aside.moves.push(reading);
    else if (reading.type === 'notice') {
      const about = { conversationId: aside.conversationId, entry, place: placeOf(queued, reading), who };
      aside.moves.push(...noticeMoves(this.#context, about, reading));
    } else if (isOwnReading(reading)) {
      const { conversationId } = aside;
      const now = aside.parts.lease.now();
      aside.moves.push(...ownMoves(this.#context, reading, { now, conversationId }));
    } else if (reading.type === 'close') {
      await aside.decide(ask.id, closingVerdict(reading));
    } else {
      await handleReply<unknown>(aside, ask.id, aside.parts.message, {
        type: reader.type,
        judge: reader.judge,
        check: reader.check,
        onSufficient: (value) => tellAnswered(aside, value, reader.type),
        onExhausted: async () => undefined,
      });
    }
    await this.#conclude(aside, queued);
  }

  /** Shows the question again, or to whoever is next, when that is due. The queue has been read before: nobody has answered. */
  async #showWhatIsDue(ask: Ask): Promise<void> {
    const turn = this.#turn;
    const now = turn.parts.lease.now();
    const { conversationId } = turn;
    const reminder = nextReminder(ask);
    if (reminder !== undefined && reminder <= now) {
      const moves = ownMoves(this.#context, { type: 'remind', ask }, { now, conversationId });
      turn.written = await this.#writer.write(turn, turn.written, moves);
    }
    const step = nextEscalation(ask);
    if (step === undefined || step > now) return;
    const moves = ownMoves(this.#context, { type: 'escalate', ask }, { now, conversationId });
    turn.written = await this.#writer.write(turn, turn.written, moves);
    await this.#showWhatIsDue(findAsk(turn.written, ask.id) as Ask); // several may have come due
  }

  async #close(ask: Ask, status: 'expired' | 'cancelled', entryId: string, reason?: string): Promise<void> {
    const aside = this.#aside(
      entryId,
      { type: 'cancel', askId: ask.id },
      { type: 'close', ask, as: status },
      undefined,
    );
    await aside.decide(ask.id, { status, reason });
    this.#turn.written = await this.#writer.write(aside, aside.written, []);
  }

  /** With `keep`: the ask stays, and its reply is read by whoever holds the conversation then. */
  async #kept(ask: Ask, { type }: ReplyReader): Promise<Ask> {
    this.#context.answerTypes.set(type.kind, type);
    const { waitsIn: _, waitsFrom: __, ...free } = ask;
    const asks = this.#turn.written.asks.map((each) => (each.id === ask.id ? free : each));
    const written: Conversation = { ...this.#turn.written, asks };
    this.#turn.written = await this.#writer.write(this.#turn, written, []);
    return free;
  }

  /** A turn beside this one, for one entry that is handled early. It shares the lease. */
  #aside(workId: string, entry: Entry, reading: Reading, who: Turn['parts']['who']): Turn {
    const { parts } = this.#turn;
    const message = replyText(entry) ?? '';
    const from = entry.type === 'message' ? entry.place : undefined;
    const place = from ?? parts.place;
    return new Turn(
      this.#context,
      { ...parts, workId, reading, message, who, place, from, isAside: true },
      this.#turn.written,
    );
  }

  async #conclude(aside: Turn, queued: Queued): Promise<void> {
    const { reading, who } = aside.parts;
    const disposition: Disposition = reading.type === 'notice' ? reading.disposition : dispositionOf(aside);
    if (aside.moves.length === 0 && earlyOutcomeOf(aside.written, queued.id) !== undefined) {
      this.#turn.written = await this.#writer.write(aside, aside.written, []); // the decision has the mark with it
      const done = finalEarlyOutcomeOf(aside.written, queued.id);
      if (done !== undefined) this.#writer.heard(aside.conversationId, queued, done);
      return;
    }
    const heard = { document: aside.written, subject: queued, parked: undefined, reading, who };
    const outcome: EarlyOutcome = hidesWords(heard) ? { disposition, hidden: true } : { disposition };
    this.#turn.written = await this.#writer.write(aside, aside.written, aside.moves, { heard: { queued, outcome } });
  }
}

/** Whether an entry concerns the ask: a reply, its end, a new copy, a copy that was lost, a hand-over, or a notice to somebody who may not answer it, or has voted. */
function isAbout(reading: Reading, askId: string): reading is Extract<Reading, { type: (typeof abouts)[number] }> {
  return abouts.some((type) => reading.type === type) && 'ask' in reading && reading.ask?.id === askId;
}

const abouts = ['reply', 'close', 'copy', 'escalate', 'lose', 'hand-over', 'notice'] as const;

/** What a waiting turn writes before its end: its question, and the replies it handled early. Each in one step that keeps the lease. */
export class TurnWriter {
  readonly #context: RegistryContext;
  readonly #outbox: OutboxWriter;
  readonly #waiters: OutcomeWaiters;

  constructor(context: RegistryContext, outbox: OutboxWriter, waiters: OutcomeWaiters) {
    this.#context = context;
    this.#outbox = outbox;
    this.#waiters = waiters;
  }

  /** The document as it is written: decided asks stay in it until the turn that waits for them is over. */
  async write(turn: Turn, before: Conversation, moves: readonly Move[], learned: Learned = {}): Promise<Conversation> {
    const { lease, workId, id } = turn.parts;
    const { conversationId } = turn;
    const { opened, heard } = learned;
    const after = applyTurn(before, moves, lease.now(), digest(`${id}:${workId}`), {
      isKept: () => true,
      revision: lease.revision + 1,
    });
    const outputs = after.outputs.filter((output) => this.#outbox.goesOut(output));
    const said: ItemRange = [lease.historyEnd, lease.historyEnd + after.history.length];
    const early = heard && (heard.queued.waiter === undefined ? heard.outcome : { ...heard.outcome, said });
    const conversation =
      heard === undefined || early === undefined
        ? after.conversation
        : withEarlyOutcome(after.conversation, heard.queued.id, early);
    await lease.save(
      { type: 'hold' },
      {
        document: writeConversation(conversation),
        outputs: outputs.map((output) => this.#outbox.stored(output)),
        withdraw: after.withdraw,
        history: after.history.map(writeItem),
        asks: {
          opened: opened === undefined ? [] : [openedAsk(opened)],
          changed: changedAsks(turn.stored, conversation),
          settled: [],
        },
      },
    );
    if (opened !== undefined) this.#opened(opened, turn);
    tellOfMoves(this.#context, conversationId, { before, after: conversation, at: lease.now() }, moves);
    if (heard !== undefined && early !== undefined) this.heard(conversationId, heard.queued, early);
    const shownOn = heard?.queued.entry.type === 'message' ? [heard.queued.entry.place.channel] : [];
    this.#outbox.send(conversationId, outputs, { withdrawn: after.withdraw, shownOn }); // events come first
    return conversation;
  }

  /** Has the copies of an ask drawn again as soon as it is decided: what its turn does with the answer may take long. */
  async redraw(turn: Turn, ask: Ask): Promise<void> {
    const outputs = redrawsOf(ask).filter((output) => this.#outbox.goesOut(output));
    if (outputs.length === 0 || turn.redrawn.has(ask.id)) return;
    const withdraw = copyKeys(ask);
    const stored = outputs.map((output) => this.#outbox.stored(output));
    await turn.parts.lease.save({ type: 'hold' }, { outputs: stored, withdraw });
    turn.redrawn.add(ask.id);
    this.#outbox.send(turn.conversationId, outputs, { withdrawn: withdraw });
  }

  /** Tells whoever waits for an entry that was handled early, in whichever process. */
  heard(conversationId: string, { id: entryId, waiter }: Queued, outcome: EntryOutcome): void {
    this.#waiters.wake(conversationId, entryId, outcome);
    if (waiter !== undefined && waiter !== this.#context.id) this.#context.store.hint({ conversationId, entryId });
  }

  /** Whoever handed the message in need not wait for a person. */
  waits({ conversationId, parts, isAwaitedElsewhere }: Turn, askId: string): () => void {
    const waits = { waitsFor: askId, saidFrom: parts.lease.historyBegan };
    return this.#waiters.turnWaits(conversationId, parts.workId, waits, isAwaitedElsewhere);
  }

  #opened({ id: askId, agentName, askedAt, place }: Ask, { conversationId }: Turn): void {
    const { channel } = place;
    this.#context.emit('asked', { conversationId, askId, agentName, askedAt, at: askedAt, channel });
  }
}

interface Learned {
  readonly opened?: Ask;
  /** An entry that was handled early. */
  readonly heard?: { readonly queued: Queued; readonly outcome: EarlyOutcome };
}
