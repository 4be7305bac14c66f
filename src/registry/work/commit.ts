/**
 * The last save of a piece of work, however it ended: done, failed for now, parked, or given back untouched.
 * What was decided stays decided in every case.
 */
import type { Ask } from '../../core/ask/ask.js';
import { closedAs, withoutSensitiveAnswer } from '../../core/ask/ask.js';
import type { AppliedTurn, Move } from '../../core/conversation/apply-turn.js';
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
import type { Lease, SaveEnd } from '../lease/lease.js';
import type { OutboxWriter } from '../outbox/outbox.js';
import type { OutcomeWaiters } from '../outcome-waiters.js';
import { askHint } from '../outcome-waiters.js';
import { roomRefusal } from '../turn/new-ask.js';
import { tellOfMoves } from './own-moves.js';
import type { Predecider } from './predecide.js';
import type { ReadWorkItem, WorkItem } from './work-item.js';
import { turnIdOf } from './work-item.js';

export interface Ending {
  /** The document as it is stored now, decisions of this turn included. */
  readonly written: Conversation;
  readonly moves: readonly Move[];
  readonly disposition: Disposition;
  /** The agent that ran, where one did. */
  readonly agentName?: string | undefined;
  /** The cancel of all asks that it follows. */
  readonly cause?: string | undefined;
  /** Of the agent's result. */
  readonly metadata?: EntryOutcome['metadata'] | undefined;
  /** Ids of asks whose copies were drawn again while the turn went on. */
  readonly redrawn?: ReadonlySet<string> | undefined;
}

/** How far work came that failed: what is stored of it, and what it has learned from elsewhere. */
export interface LastState {
  readonly written: Conversation;
  /** The decided asks of other conversations that its turn waited for. */
  readonly awaited?: readonly Ask[] | undefined;
  readonly agentName?: string | undefined;
}

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
  done(item: ReadWorkItem, ending: Ending): Promise<Claim | undefined> {
    let before = withoutOldTraces(ending.written, item.subject, item.who);
    if (isForLate(item)) before = withoutLate(before);
    const over = item.parked ?? parkedEndedBy(before, item.subject.entry);
    if (over !== undefined) before = withoutParked(before, over.id);
    const unparkedIds = over === undefined ? [] : [over.id];
    return this.#close(item, before, ending, { added: [], removed: unparkedIds }, false);
  }

  /** Sets the work aside for a person, keeping what it had decided, waited for and remembered. */
  async park(
    item: WorkItem | ReadWorkItem,
    { written, awaited, agentName }: LastState,
    failure: Failure,
    told: readonly Move[],
    trace: FailureTrace = {},
  ): Promise<Claim | undefined> {
    const { lease, work, claim, scope } = item;
    const at = lease.now();
    const id = item.parked?.id ?? routedId(lease.conversationId, claim.turn, 'parked', work.id);
    const ask = item.parked?.ask ?? written.asks.find((each) => each.decision?.entry === work.id);
    const ended = withAwaitedAsksCancelled(written, work.id, at);
    const asks = awaitedBy(item, ended, awaited);
    const parked: Parked = {
      id,
      at,
      queued: parkedEntry(item),
      turn: claim.turn,
      attempts: item.attempt,
      failure,
      ...definedFields({ ask, scope, tenant: tenantOf(item, ask), agentName: item.parked?.agentName ?? agentName }),
      ...(asks.length === 0 ? {} : { awaited: asks }),
      ...(isOrdinary(item, ask, asks) ? { ordinary: true as const } : {}),
      ...(hidesWords(item) ? { hidden: true as const } : {}),
    };
    const index = { added: [{ id, at }], removed: [] };
    const settledNow = item.parked?.ask === undefined && ask !== undefined ? [ask] : [];
    const next = await this.#close(
      item,
      withParked(ended, parked, lease.revision + 1),
      { written, moves: told, disposition: { type: 'failed', failure }, agentName },
      index,
      true,
      settledNow,
    );
    const about = { conversationId: lease.conversationId, id, entryId: work.id, attempts: item.attempt, failure };
    this.#context.emit('parked', about);
    this.#context.logger.error('A turn failed for good and is parked; registry.retry(id) tries it again', {
      ...about,
      ...trace,
    });
    return next;
  }

  /** Lets go after a failed attempt, to be tried again after `wait` ms. */
  async fail(item: WorkItem, failure: Failure, wait: number, trace: FailureTrace): Promise<void> {
    await item.lease.save({ type: 'release', wait, returns: 'nothing' }, {});
    const about = { conversationId: item.lease.conversationId, entryId: item.work.id, attempt: item.attempt, failure };
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
    item: WorkItem,
    before: Conversation,
    ending: Ending,
    parked: Save['parked'],
    isParking: boolean,
    alsoSettled: AppliedTurn['settled'] = [],
  ): Promise<Claim | undefined> {
    const { lease, work, claim } = item;
    const { conversationId } = lease;
    const now = lease.now();
    const cause = work.type === 'settle' ? work.cause : ending.cause;
    const isCancelledNext = cause === undefined ? undefined : (ask: Ask) => ask.cause !== cause;
    // a retry of parked work has the same turn id, and what it says is not what was said when it was parked
    const turnId = turnIdOf(item);
    const turnKey = isParking ? `${turnId}:parked` : turnId;
    const keys = ending.moves.some(({ type }) => type === 'say' || type === 'forward') ? digest(turnKey) : '';
    const started = withoutEarlyOutcome(withAwaitedAsksCancelled(before, work.id, now), work.id);
    const { redrawn } = ending;
    const rules = { isCancelledNext, setAside: alsoSettled, redrawn, revision: lease.revision + 1 };
    const after = applyTurn(started, ending.moves, now, keys, rules);
    const document = writeConversation(after.conversation);
    const isWritten = ending.written !== item.document; // the turn has saved another document since the claim
    const keepMemo = after.conversation.parked.some(({ turn }) => turn === claim.turn); // this work, or other work ahead of its retry
    const outputs = after.outputs.filter((output) => this.#outbox.goesOut(output));
    const settled = [...after.settled, ...alsoSettled];
    const history = historyOf(item, ending.disposition, settled, after.history);
    const outcome = this.#outcome(item, ending, history.length);
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
      asks: indexed(conversationId, changedAsks(ending.written, after.conversation), after.opened, settled),
      parked,
      people: [...peopleOf(item), ...saidAbout(item), ...listedFor(after.opened), ...handedToIn(ending.moves)],
    });
    this.#predecider.saved(conversationId, document, after.conversation);
    try {
      if (isDraining) this.#context.store.hint({ conversationId }); // what is left need not wait for the sweep
      this.#tellOfAsks(item, after.opened, settled);
      if (ending.moves.length > 0) {
        const change = { before, after: after.conversation, at: lease.now() };
        tellOfMoves(this.#context, conversationId, change, ending.moves);
      }
      this.#tell(item, ending, outcome, begun);
    } finally {
      // events come first; the outputs go out whatever listeners do
      this.#outbox.send(conversationId, outputs, { withdrawn: after.withdraw, shownOn: shownOn(item, settled) });
    }
    return saved.next;
  }

  #tellOfAsks(item: WorkItem, opened: readonly Ask[], settled: readonly Ask[]): void {
    const { conversationId } = item.lease;
    for (const { id: askId, agentName, askedAt, place } of opened) {
      if (!this.#context.hears('asked')) break;
      const { channel } = place;
      this.#context.emit('asked', { conversationId, askId, agentName, askedAt, at: item.lease.now(), channel });
    }
    for (const ask of settled) {
      if (ask.awaited) this.#wakeAsk(conversationId, ask.id);
      const event = closedAs(ask) ?? 'answered';
      if (ask.decision === undefined || !this.#context.hears(event)) continue;
      const { id: askId, agentName, askedAt, retries } = ask;
      const decidedAt = ask.decision.at;
      const about = { conversationId, askId, agentName, askedAt, decidedAt, at: item.lease.now(), retries };
      const { entry } = item.subject;
      if (event === 'undeliverable') {
        const failure = entry.type === 'undeliverable' ? entry.failure : this.#noRoom(item, ask);
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
  #noRoom({ lease, document: written }: WorkItem, ask: Ask): Failure {
    const room = { context: this.#context, conversationId: lease.conversationId, written, moves: [] };
    const refusal = roomRefusal(room, ask);
    return refusal === undefined ? { code: 'Error', message: 'undeliverable' } : failureOf(refusal);
  }

  /** What is kept of the work for repeats of its entry. What was said, and metadata, are for callers of handle(): others have no use for it. */
  #outcome({ lease, work, document }: WorkItem, { disposition, metadata }: Ending, items: number): EntryOutcome {
    const isHandled = work.type === 'entry' && work.queued.waiter !== undefined && work.queued.entry.type === 'message';
    if (!isHandled) return { disposition };
    const early = earlyOutcomeOf(document, work.id)?.said;
    const said: ItemRange = early ?? [lease.historyBegan, lease.historyEnd + items];
    return metadata === undefined ? { disposition, said } : { disposition, said, metadata };
  }

  #tell(item: WorkItem, { disposition, agentName }: Ending, outcome: EntryOutcome, begun: number): void {
    const { conversationId } = item.lease;
    if (this.#context.hears('handled')) {
      const { work, claim, attempt } = item;
      const recorded = work.type === 'entry' ? work.queued.at : work.at;
      this.#context.emit('handled', {
        conversationId,
        entryId: work.id,
        disposition,
        attempt,
        waited: Math.max(0, claim.now - recorded),
        took: item.lease.heard - begun, // the save was answered just now
        ...(agentName === undefined ? {} : { agentName }),
      });
    }
    this.#waiters.wake(conversationId, item.work.id, outcome);
    const { entry } = item.subject;
    if (entry.type === 'open' && disposition.type === 'failed') this.#wakeAsk(conversationId, entry.ask.id);
    const waiter = item.work.type === 'entry' ? item.work.queued.waiter : undefined;
    if (waiter !== undefined && waiter !== this.#context.id)
      this.#context.store.hint({ conversationId, entryId: item.work.id });
  }
}

/** The channels of the message, and of the questions that are over. */
function shownOn({ subject: { entry } }: WorkItem, settled: readonly Ask[]): readonly string[] {
  const from = entry.type === 'message' ? [entry.place.channel] : [];
  return [...from, ...settled.map(({ place }) => place.channel)];
}

/** The asks that the turn, in all of its attempts, waited for and that are decided. */
function awaitedBy({ parked, work }: WorkItem, written: Conversation, elsewhere: readonly Ask[] = []): readonly Ask[] {
  const here = written.asks.filter((ask) => ask.waitsIn === work.id && ask.decision !== undefined);
  const all = [...(parked?.awaited ?? []), ...here, ...elsewhere];
  return [...new Map(all.map((ask) => [ask.id, ask])).values()];
}

/** Whether it was read as an ordinary message. Where this attempt did not read it, one that has waited and decided nothing was. */
function isOrdinary(item: WorkItem | ReadWorkItem, ask: Ask | undefined, awaited: readonly Ask[]): boolean {
  if (item.parked?.ordinary) return true;
  if ('reading' in item) return item.reading.type === 'ordinary';
  return item.subject.entry.type === 'message' && ask === undefined && awaited.length > 0;
}

/** The entry as a retry reads it: the reply to a sensitive ask stays one, and never becomes an ordinary message. */
function parkedEntry(item: WorkItem | ReadWorkItem): Queued {
  const { subject } = item;
  const reading = 'reading' in item ? item.reading : undefined;
  if (subject.entry.type !== 'message' || reading?.type !== 'reply' || !reading.ask.sensitive) return subject;
  return { ...subject, entry: { ...subject.entry, askId: reading.ask.id } };
}

/** Somebody who might have answered the ask that expired last has written, without naming it. */
function isForLate({ reading, subject, document }: ReadWorkItem): boolean {
  if (reading.type === 'ordinary') return reading.lateFor !== undefined;
  const isPlain = subject.entry.type === 'message' && subject.entry.askId === undefined;
  return isPlain && reading.type === 'notice' && reading.notice === 'late' && reading.ask?.id === document.late?.id;
}

/** The tenant that work is parked in: that of its ask, or of whoever wrote. */
function tenantOf(item: WorkItem | ReadWorkItem, ask: Ask | undefined): string | undefined {
  const who = 'who' in item ? item.who : authorOf(item.subject.entry);
  return item.parked?.tenant ?? ask?.tenant ?? who?.tenant;
}

/** Whoever wrote it, as `identify` named them. By the channel's own id they were listed when the entry was recorded: erasing by either finds the conversation. */
function peopleOf(item: WorkItem | ReadWorkItem): readonly string[] {
  const who = 'who' in item ? item.who : undefined;
  return who === undefined || who.id === authorOf(item.subject.entry)?.id ? [] : [who.id];
}

/** Under which the conversation is listed for the participants about whom a turn of another conversation says something here. */
function saidAbout({ subject: { entry } }: WorkItem | ReadWorkItem): readonly string[] {
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
function historyOf(
  item: WorkItem | ReadWorkItem,
  disposition: Disposition,
  settled: readonly Ask[],
  out: readonly HistoryItem[],
): string[] {
  const history: string[] = [];
  for (const ask of settled) {
    const decision = decisionItem(ask);
    if (decision !== undefined) history.push(writeItem(decision));
  }
  if (item.work.type === 'entry') {
    const { entry, at } = item.subject;
    history.push(writeItem(entryItem({ id: item.work.id, at, entry }, disposition, hidesWords(item))));
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
