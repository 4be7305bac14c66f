/**
 * The last save of a piece of work, however it ended: done, failed for now, parked, or given back untouched.
 * What was decided stays decided in every case.
 */
import type { Ask } from '../../core/ask/ask.js';
import { closedAs, withoutSensitiveAnswer } from '../../core/ask/ask.js';
import type { Move } from '../../core/conversation/apply-turn.js';
import { applyTurn } from '../../core/conversation/apply-turn.js';
import type { Conversation, Parked } from '../../core/conversation/conversation.js';
import {
  changedAsks,
  dueAt,
  earlyOutcomeOf,
  isOpen,
  withAwaitedAsksCancelled,
  withoutEarlyOutcome,
  withoutLate,
  withoutParked,
  withParked,
} from '../../core/conversation/conversation.js';
import type { Disposition, EntryOutcome, ItemRange, Queued } from '../../core/conversation/entry.js';
import { authorOf } from '../../core/conversation/entry.js';
import { hidesWords, withoutOldTraces } from '../../core/conversation/hidden-words.js';
import type { HistoryItem } from '../../core/conversation/history.js';
import { decisionItem, entryItem } from '../../core/conversation/history.js';
import { parkedEndedBy } from '../../core/conversation/match-reply.js';
import { definedFields } from '../../core/defined-fields.js';
import type { Failure } from '../../core/errors.js';
import { failureOf } from '../../core/errors.js';
import { writeConversation, writeItem, writeOutcome, writeSettled } from '../../core/format/document.js';
import { askedForKey, digest, routedId } from '../../core/ids.js';
import type { Claim, Returned, Save } from '../../stores/port.js';
import type { RegistryContext } from '../context.js';
import type { Changes, Lease, SaveEnd } from '../lease/lease.js';
import type { OutboxWriter } from '../outbox/outbox.js';
import type { OutcomeWaiters } from '../outcome-waiters.js';
import { askHint } from '../outcome-waiters.js';
import { roomRefusal } from '../turn/new-ask.js';
import type { Turn } from '../turn/turn.js';
import { tellOfMoves } from './own-moves.js';
import type { Predecider } from './predecide.js';

/** Where a turn failed, for the log only. */
export interface FailureTrace {
  readonly agentName?: string;
  /** The name of the declared question whose answer was handled. */
  readonly question?: string;
  readonly stack?: string;
}

export class Commit {
  readonly #context: RegistryContext;
  readonly #predecider: Predecider;
  readonly #outbox: OutboxWriter;
  readonly #waiters: OutcomeWaiters;
  #isDraining = false;

  constructor(context: RegistryContext, predecider: Predecider, outbox: OutboxWriter, waiters: OutcomeWaiters) {
    this.#context = context;
    this.#predecider = predecider;
    this.#outbox = outbox;
    this.#waiters = waiters;
  }

  /** From now on a save releases the conversation instead of claiming its next work: the process stops. */
  drain(): void {
    this.#isDraining = true;
  }

  /** Closes the work with its disposition and hands over the next, if there is any. */
  done(turn: Turn): Promise<Claim | undefined> {
    let before = withoutOldTraces(turn.written, turn.subject, turn.who);
    if (isForLate(turn)) before = withoutLate(before);
    const over = turn.parked ?? parkedEndedBy(before, turn.subject.entry);
    if (over === undefined) return this.#close(turn, before, nothingParked);
    return this.#close(turn, withoutParked(before, over.id), { added: [], removed: [over.id] });
  }

  /** Sets the work aside for a person, keeping what it had decided, waited for and remembered. */
  async park(
    turn: Turn,
    failure: Failure,
    told: readonly Move[],
    trace: FailureTrace = {},
  ): Promise<Claim | undefined> {
    const { lease, work, claim, scope, written, conversationId } = turn;
    const at = lease.now();
    const id = turn.parked?.id ?? routedId(conversationId, claim.turn, 'parked', work.id);
    const ask = turn.parked?.ask ?? written.asks.find((each) => each.decision?.entry === work.id);
    const ended = withAwaitedAsksCancelled(written, work.id, at);
    const asks = awaitedBy(turn, ended);
    const agentName = turn.parked?.agentName ?? turn.agentName;
    const parked: Parked = {
      id,
      at,
      queued: parkedEntry(turn),
      turn: claim.turn,
      attempts: turn.attempt,
      failure,
      ...definedFields({ ask, scope, tenant: tenantOf(turn, ask), agentName }),
      ...(asks.length === 0 ? {} : { awaited: asks }),
      ...(isOrdinary(turn, ask, asks) ? { ordinary: true as const } : {}),
      ...(hidesWords(turn) ? { hidden: true as const } : {}),
    };
    const settledNow = turn.parked?.ask === undefined && ask !== undefined ? [ask] : [];
    turn.giveUp({ type: 'failed', failure }, told);
    const before = withParked(ended, parked, lease.revision + 1);
    const next = await this.#close(turn, before, { added: [{ id, at }], removed: [] }, settledNow);
    const about = { conversationId, id, entryId: work.id, attempts: turn.attempt, failure };
    this.#context.emit('parked', about);
    this.#context.logger.error('A turn failed for good and is parked; registry.retry(id) tries it again', {
      ...about,
      ...trace,
    });
    return next;
  }

  /** Lets go after a failed attempt, to be tried again after `wait` ms. */
  async fail(
    { lease, conversationId, work, attempt }: Turn,
    failure: Failure,
    wait: number,
    trace: FailureTrace,
  ): Promise<void> {
    await lease.save({ type: 'release', wait, returns: 'nothing' }, {});
    const about = { conversationId, entryId: work.id, attempt, failure };
    this.#context.emit('failed', about);
    this.#context.logger.warn('A turn failed and will be tried again', { ...about, ...trace, wait });
  }

  /** Gives the work back, and what its claim counted. Others may take it after `wait` ms. */
  async handBack(lease: Lease, wait: number, returns: Returned): Promise<void> {
    await lease.save({ type: 'release', wait, returns }, {});
  }

  /** Nothing was due any more when the conversation was claimed. */
  async nothing(lease: Lease, document: Conversation): Promise<Claim | undefined> {
    const saved = await lease.save(this.#then('claim'), { due: dueAt(document) ?? null, open: isOpen(document) });
    return saved.next;
  }

  #then(returns: Returned): SaveEnd {
    if (this.#isDraining) return { type: 'release', wait: 0, returns };
    return { type: 'next', lease: this.#context.settings.lease };
  }

  async #close(
    turn: Turn,
    before: Conversation,
    parked: NonNullable<Changes['parked']>,
    alsoSettled: readonly Ask[] = [],
  ): Promise<Claim | undefined> {
    const { lease, work, claim, conversationId, moves, disposition } = turn;
    const now = lease.now();
    const cause = work.type === 'settle' ? work.cause : turn.cause;
    const isCancelledNext = cause === undefined ? undefined : (ask: Ask) => ask.cause !== cause;
    // a retry of parked work has the same turn id, and what it says is not what was said when it was parked
    const turnKey = parked.added.length > 0 ? `${turn.id}:parked` : turn.id;
    const keys = moves.some(({ type }) => type === 'say' || type === 'forward') ? digest(turnKey) : '';
    const started = withoutEarlyOutcome(withAwaitedAsksCancelled(before, work.id, now), work.id);
    const redrawn = turn.waits?.redrawn;
    const rules = { isCancelledNext, setAside: alsoSettled, redrawn, revision: lease.revision + 1 };
    const after = applyTurn(started, moves, now, keys, rules);
    const document = writeConversation(after.conversation);
    const isWritten = turn.written !== turn.document; // the turn has saved another document since the claim
    const keepMemo = after.conversation.parked.some(({ turn: id }) => id === claim.turn); // this work, or other work ahead of its retry
    const outputs = after.outputs.filter((output) => this.#outbox.goesOut(output));
    const settled = [...after.settled, ...alsoSettled];
    const history = historyOf(turn, settled, after.history);
    const outcome = this.#outcome(turn, history.length);
    const { begun } = lease; // the save may begin the next work
    const isDraining = this.#isDraining;
    const saved = await lease.save(this.#then('nothing'), {
      document: document === claim.document && !isWritten ? undefined : document,
      due: after.due,
      open: after.open,
      closes: { entryId: work.id, outcome: writeOutcome(outcome), keepMemo },
      outputs: outputs.map((output) => this.#outbox.stored(output)),
      withdraw: after.withdraw,
      history,
      asks: indexed(conversationId, changedAsks(turn.written, after.conversation), after.opened, settled),
      parked,
      people: [...peopleOf(turn), ...saidAbout(turn), ...listedFor(after.opened), ...handedToIn(moves)],
    });
    this.#predecider.saved(conversationId, document, after.conversation);
    try {
      if (isDraining) this.#context.store.hint({ conversationId }); // what is left need not wait for the sweep
      this.#tellOfAsks(turn, after.opened, settled);
      if (moves.length > 0)
        tellOfMoves(this.#context, conversationId, { before, after: after.conversation, at: lease.now() }, moves);
      this.#tell(turn, disposition, outcome, begun);
    } finally {
      // events come first; the outputs go out whatever listeners do
      this.#outbox.send(conversationId, outputs, { withdrawn: after.withdraw, shownOn: shownOn(turn, settled) });
    }
    return saved.next;
  }

  #tellOfAsks(turn: Turn, opened: readonly Ask[], settled: readonly Ask[]): void {
    const { conversationId } = turn;
    for (const { id: askId, agentName, askedAt, place } of opened) {
      if (!this.#context.hears('asked')) break;
      const { channel } = place;
      this.#context.emit('asked', { conversationId, askId, agentName, askedAt, at: turn.lease.now(), channel });
    }
    for (const ask of settled) {
      if (ask.awaited) this.#wakeAsk(conversationId, ask.id);
      const event = closedAs(ask) ?? 'answered';
      if (ask.decision === undefined || !this.#context.hears(event)) continue;
      const { id: askId, agentName, askedAt, retries } = ask;
      const decidedAt = ask.decision.at;
      const about = { conversationId, askId, agentName, askedAt, decidedAt, at: turn.lease.now(), retries };
      const { entry } = turn.subject;
      if (event === 'undeliverable') {
        const failure = entry.type === 'undeliverable' ? entry.failure : this.#noRoom(turn, ask);
        this.#context.emit('undeliverable', { ...about, failure });
      } else if (event === 'cancelled') {
        const { by, reason } = ask.decision;
        this.#context.emit('cancelled', { ...about, ...definedFields({ participantId: by?.id, reason }) });
      } else this.#context.emit(event, about);
    }
  }

  /** Tells whoever waits for the ask, in any process, that it is over. */
  #wakeAsk(conversationId: string, askId: string): void {
    this.#waiters.wakeAsk(askId);
    this.#context.store.hint({ conversationId, entryId: askHint(askId) });
  }

  /** Why an ask of another conversation was not opened here. */
  #noRoom({ context, conversationId, document: written }: Turn, ask: Ask): Failure {
    const refusal = roomRefusal({ context, conversationId, written, moves: [] }, ask);
    return refusal === undefined ? { code: 'Error', message: 'undeliverable' } : failureOf(refusal);
  }

  /** What is kept of the work for repeats of its entry. What was said, and metadata, are for callers of handle(): others have no use for it. */
  #outcome({ lease, work, document, disposition, metadata }: Turn, items: number): EntryOutcome {
    const isHandled = work.type === 'entry' && work.queued.waiter !== undefined && work.queued.entry.type === 'message';
    if (!isHandled) return { disposition };
    const early = earlyOutcomeOf(document, work.id)?.said;
    const said: ItemRange = early ?? [lease.historyBegan, lease.historyEnd + items];
    return metadata === undefined ? { disposition, said } : { disposition, said, metadata };
  }

  #tell(turn: Turn, disposition: Disposition, outcome: EntryOutcome, begun: number): void {
    const { conversationId, work, claim, attempt, agentName, waiter, subject, lease } = turn;
    if (this.#context.hears('handled')) {
      const recorded = work.type === 'entry' ? work.queued.at : work.at;
      this.#context.emit('handled', {
        conversationId,
        entryId: work.id,
        disposition,
        attempt,
        waited: Math.max(0, claim.now - recorded),
        took: lease.heard - begun, // the save was answered just now
        ...(agentName === undefined ? {} : { agentName }),
      });
    }
    this.#waiters.wake(conversationId, work.id, outcome);
    if (subject.entry.type === 'open' && disposition.type === 'failed')
      this.#wakeAsk(conversationId, subject.entry.ask.id);
    if (waiter !== undefined && waiter !== this.#context.id)
      this.#context.store.hint({ conversationId, entryId: work.id });
  }
}

const nothingParked: NonNullable<Changes['parked']> = { added: [], removed: [] };

/** The channels of the message, and of the questions that are over. */
function shownOn({ subject: { entry } }: Turn, settled: readonly Ask[]): readonly string[] {
  const from = entry.type === 'message' ? [entry.place.channel] : [];
  return [...from, ...settled.map(({ place }) => place.channel)];
}

/** The asks that the turn, in all of its attempts, waited for and that are decided. */
function awaitedBy({ parked, work, waited }: Turn, written: Conversation): readonly Ask[] {
  const here = written.asks.filter((ask) => ask.waitsIn === work.id && ask.decision !== undefined);
  const all = [...(parked?.awaited ?? []), ...here, ...(waited?.awaited ?? [])];
  return [...new Map(all.map((ask) => [ask.id, ask])).values()];
}

/** Whether it was read as an ordinary message. Where this attempt did not read it, one that has waited and decided nothing was. */
function isOrdinary({ parked, reading, subject }: Turn, ask: Ask | undefined, awaited: readonly Ask[]): boolean {
  if (parked?.ordinary) return true;
  if (reading.type !== 'unread') return reading.type === 'ordinary';
  return subject.entry.type === 'message' && ask === undefined && awaited.length > 0;
}

/** The entry as a retry reads it: the reply to a sensitive ask stays one, and never becomes an ordinary message. */
function parkedEntry({ subject, reading }: Turn): Queued {
  if (subject.entry.type !== 'message' || reading.type !== 'reply' || !reading.ask.sensitive) return subject;
  return { ...subject, entry: { ...subject.entry, askId: reading.ask.id } };
}

/** Somebody who might have answered the ask that expired last has written, without naming it. */
function isForLate({ reading, subject, document }: Turn): boolean {
  if (reading.type === 'ordinary') return reading.lateFor !== undefined;
  const isPlain = subject.entry.type === 'message' && subject.entry.askId === undefined;
  return isPlain && reading.type === 'notice' && reading.notice === 'late' && reading.ask?.id === document.late?.id;
}

/** The tenant that work is parked in: that of its ask, or of whoever wrote. */
function tenantOf({ reading, parked, subject, who: read }: Turn, ask: Ask | undefined): string | undefined {
  const who = reading.type === 'unread' ? authorOf(subject.entry) : read;
  return parked?.tenant ?? ask?.tenant ?? who?.tenant;
}

/** Whoever wrote it, as `identify` named them. By the channel's own id they were listed when the entry was recorded: erasing by either finds the conversation. */
function peopleOf({ who, subject }: Turn): readonly string[] {
  return who === undefined || who.id === authorOf(subject.entry)?.id ? [] : [who.id];
}

/** Under which the conversation is listed for the participants about whom a turn of another conversation says something here. */
function saidAbout({ subject: { entry } }: Turn): readonly string[] {
  return entry.type === 'say' ? (entry.about ?? []).map(askedForKey) : [];
}

/** By whom and by what the conversation of new asks is found beside who writes in it: whom something was asked for, and as the ask says. */
function listedFor(opened: readonly Ask[]): readonly string[] {
  return opened.flatMap(({ origin, listed = [] }) =>
    origin?.asker === undefined ? listed : [askedForKey(origin.asker), ...listed],
  );
}

/** The same for whom an ask is handed to. */
function handedToIn(moves: readonly Move[]): readonly string[] {
  return moves.flatMap((move) => (move.type === 'hand-over' ? [askedForKey(move.request.to.id)] : []));
}

/** What is remembered of the work, in its order: what was decided, the entry itself, what is said about it. */
function historyOf(turn: Turn, settled: readonly Ask[], out: readonly HistoryItem[]): string[] {
  const history: string[] = [];
  for (const ask of settled) {
    const decision = decisionItem(ask);
    if (decision !== undefined) history.push(writeItem(decision));
  }
  const { work, subject } = turn;
  if (work.type === 'entry') {
    const { entry, at } = subject;
    history.push(writeItem(entryItem({ id: work.id, at, entry }, turn.disposition, hidesWords(turn))));
  }
  for (const each of out) history.push(writeItem(each));
  return history;
}

/** Its answer is fetched by whoever waits for it. A turn that waits in the conversation itself has it already. */
function isFetched({ awaited, waitsIn }: Ask): boolean {
  return awaited === true && waitsIn === undefined;
}

/** How an ask that a save opens is listed. */
export function openedAsk({ id, askedAt: at, expiresAt: deadline }: Ask): Save['asks']['opened'][number] {
  return deadline === undefined ? { id, at } : { id, at, deadline };
}

/** How the asks of a save are found from outside. */
function indexed(
  conversationId: string,
  changed: readonly string[],
  opened: readonly Ask[],
  settled: readonly Ask[],
): Save['asks'] {
  return {
    opened: opened.map(openedAsk),
    changed,
    settled: settled.map((ask) => ({
      id: ask.id,
      record: writeSettled({ conversationId, ask: isFetched(ask) ? ask : withoutSensitiveAnswer(ask) }),
      at: Math.floor(ask.decision?.at ?? 0),
    })),
  };
}
