/**
 * What is saved of a turn, and who is told of it: how it ended (done, failed for now, parked, or given back untouched), and what one that
 * waits has learned before its end. A save is made without I/O and told once it is written. What was decided stays decided in every case.
 */
import type { Ask } from '../../core/ask/ask.js';
import { withoutSensitiveAnswer } from '../../core/ask/ask.js';
import type { AppliedTurn, Move } from '../../core/conversation/apply-turn.js';
import { applyTurn, redrawsOf } from '../../core/conversation/apply-turn.js';
import type { Conversation } from '../../core/conversation/conversation.js';
import {
  changedAsks,
  dueAt,
  earlyOutcomeOf,
  finalEarlyOutcomeOf,
  isOpen,
  isSameDocument,
  withAwaitedAsksCancelled,
  withEarlyOutcome,
  withoutEarlyOutcome,
  withoutLate,
  withoutParked,
  withParked,
} from '../../core/conversation/conversation.js';
import type { EntryOutcome, ItemRange } from '../../core/conversation/entry.js';
import { authorOf } from '../../core/conversation/entry.js';
import { hidesWords, withoutOldTraces } from '../../core/conversation/hidden-words.js';
import type { HistoryItem } from '../../core/conversation/history.js';
import { decisionItem, entryItem } from '../../core/conversation/history.js';
import { parkedEndedBy } from '../../core/conversation/match-reply.js';
import type { Outgoing } from '../../core/conversation/outgoing.js';
import { copyKeys } from '../../core/conversation/outgoing.js';
import type { Mutable } from '../../core/defined-fields.js';
import { definedFields } from '../../core/defined-fields.js';
import type { Failure } from '../../core/errors.js';
import {
  readConversation,
  writeConversation,
  writeItem,
  writeOutcome,
  writeSettled,
} from '../../core/format/document.js';
import { askedForKey, digest } from '../../core/ids.js';
import { copyOf } from '../../core/json.js';
import type { Claim, Returned, Save, Stored } from '../../stores/port.js';
import type { RegistryContext } from '../context.js';
import type { Changes, Lease, SaveEnd } from '../lease/lease.js';
import type { Delivery } from '../outbox/delivery.js';
import type { Turn } from '../turn/turn.js';
import type { Waiters } from '../waiters.js';
import { askHint } from '../waiters.js';
import { parkedWork } from './parked-work.js';
import { tellOfAsks, tellOfEnd, tellOfMoves } from './telling.js';

/** Where a turn failed, for the log only. */
export interface FailureTrace {
  readonly agentName?: string;
  /** The name of the declared question whose answer was handled. */
  readonly question?: string;
  readonly stack?: string;
}

/** What a save writes of a turn, and what is told and sent after it. */
export interface Closing {
  readonly turn: Turn;
  readonly before: Conversation;
  readonly moves: readonly Move[];
  readonly after: AppliedTurn;
  readonly outputs: readonly Outgoing[];
  readonly settled: readonly Ask[];
  /** What the callers that wait for its entry are told. */
  readonly outcome: EntryOutcome | undefined;
  /** When its work began: the save may begin the next. */
  readonly begun: number;
  readonly end: SaveEnd;
  readonly changes: Changes;
}

/** What a waiting turn has learned: its question, what it shows of it, what became of an entry that it handled early. */
export interface Learned {
  readonly before?: Conversation;
  readonly moves?: readonly Move[];
  /** The ask that it waits for, which stands in `before`. */
  readonly opened?: Ask;
}

export class Commit {
  readonly #context: RegistryContext;
  readonly #delivery: Delivery;
  readonly #waiters: Waiters;
  #isDraining = false;

  constructor(context: RegistryContext, delivery: Delivery, waiters: Waiters) {
    this.#context = context;
    this.#delivery = delivery;
    this.#waiters = waiters;
  }

  /** From now on a save releases the conversation instead of claiming its next work: the process stops. */
  drain(): void {
    this.#isDraining = true;
  }

  /** What closes the work with its disposition, and hands over the next if there is any. */
  closing(turn: Turn): Closing {
    let before = withoutOldTraces(turn.written, turn.subject, turn.who);
    if (isForLate(turn)) before = withoutLate(before);
    const over = turn.parked ?? parkedEndedBy(before, turn.subject.entry);
    if (over === undefined) return this.#closing(turn, before);
    return this.#closing(turn, withoutParked(before, over.id), { added: [], removed: [over.id] });
  }

  /** Sets the work aside for a person, keeping what it had decided, waited for and remembered. */
  async park(
    turn: Turn,
    failure: Failure,
    told: readonly Move[],
    trace: FailureTrace = {},
  ): Promise<Claim | undefined> {
    const { lease, workId, conversationId } = turn;
    const { parked, settled } = parkedWork(turn, copyOf(failure)); // listeners are given the other one
    const { id, at } = parked;
    const before = withParked(withAwaitedAsksCancelled(turn.written, workId, at), parked, lease.revision + 1);
    turn.giveUp({ type: 'failed', failure: parked.failure }, told);
    const closing = this.#closing(turn, before, { added: [{ id, at }], removed: [] }, settled);
    const { next } = await lease.save(closing.end, closing.changes);
    this.closed(closing);
    const about = { conversationId, id, entryId: workId, attempts: turn.attempt, failure };
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

  #closing(turn: Turn, started: Conversation, parked = nothingParked, alsoSettled: readonly Ask[] = []): Closing {
    const { lease, work, claim, moves } = turn;
    const now = lease.now();
    const cause = work.type === 'settle' ? work.cause : turn.cause;
    const isCancelledNext = cause === undefined ? undefined : (ask: Ask) => ask.own.cause !== cause;
    // a retry of parked work has the same turn id, and what it says is not what was said when it was parked
    const turnKey = parked.added.length === 0 ? turn.id : `${turn.id}:parked`;
    const keys = moves.some(({ type }) => type === 'say' || type === 'forward') ? digest(turnKey) : '';
    const before = withoutEarlyOutcome(withAwaitedAsksCancelled(started, work.id, now), work.id);
    const rules = {
      isCancelledNext,
      setAside: alsoSettled,
      redrawn: turn.waits?.redrawn,
      revision: lease.revision + 1,
    };
    const after = applyTurn(before, moves, now, keys, rules);
    const isWritten = turn.written !== turn.document; // the turn has saved another document since the claim
    const keepMemo = after.conversation.parked.some(({ turn: id }) => id === claim.turn); // this work, or other work ahead of its retry
    const settled = [...after.settled, ...alsoSettled];
    const history = historyOf(turn, settled, after.history);
    const outcome = outcomeOf(turn, history.length);
    const { outputs, changes } = this.#saving(turn, after, settled);
    const closes = { entryId: work.id, outcome: writeOutcome(outcome), keepMemo };
    const isFound =
      !isWritten && isSameDocument(readConversation(claim.document, turn.conversationId), after.conversation);
    if (isFound) changes.document = undefined;
    changes.due = after.due;
    changes.open = after.open;
    changes.closes = closes;
    changes.history = history;
    changes.parked = parked;
    changes.people = peopleOf(turn, after.opened);
    const [end, { begun }] = [this.#then('nothing'), lease];
    return { turn, before, moves, after, outputs, settled, outcome, begun, end, changes };
  }

  /** What every save of a turn writes: the document, what goes out, how its asks are found. */
  #saving(
    turn: Turn,
    after: AppliedTurn,
    settled: readonly Ask[],
  ): Pick<Closing, 'outputs'> & { changes: Mutable<Changes> } {
    const document = writeConversation(after.conversation);
    const outputs = after.outputs.filter((output) => this.#delivery.goesOut(output));
    const stored = outputs.map((output) => this.#delivery.stored(output));
    const asks = indexed(turn, after, settled);
    return { outputs, changes: { document, outputs: stored, withdraw: after.withdraw, asks } };
  }

  /** Writes what a waiting turn has learned, and keeps its lease: a re-run finds it. */
  async hold(turn: Turn, learned: Learned): Promise<Conversation> {
    const holding = this.#holding(turn, learned);
    await turn.lease.save(holding.end, holding.changes);
    this.closed(holding);
    return holding.after.conversation;
  }

  /** Decided asks stay in the document until the turn that waits for them is over, and so do entries that it handled early. */
  #holding(turn: Turn, { before = turn.written, moves = [], opened }: Learned): Closing {
    const { lease, id, workId } = turn;
    const rules = { isKept: () => true, revision: lease.revision + 1 };
    const applied = applyTurn(before, moves, lease.now(), digest(`${id}:${workId}`), rules);
    const isMarked = moves.length === 0 && earlyOutcomeOf(before, workId) !== undefined; // with its decision
    const conversation = turn.isAside && !isMarked ? heardEarly(turn, applied) : applied.conversation;
    const after = { ...applied, conversation, opened: opened === undefined ? [] : [opened] };
    const { outputs, changes } = this.#saving(turn, after, []);
    changes.history = after.history.map(writeItem);
    const outcome = turn.isAside ? finalEarlyOutcomeOf(conversation, workId) : undefined;
    const [end, { begun }] = [{ type: 'hold' } as const, lease];
    return { turn, before, moves, after, outputs, settled: [], outcome, begun, end, changes };
  }

  /** Has the copies of an ask drawn again as soon as it is decided: what its turn does with the answer may take long. */
  async redraw(turn: Turn, ask: Ask): Promise<void> {
    const outputs = redrawsOf(ask).filter((output) => this.#delivery.goesOut(output));
    if (outputs.length === 0 || turn.waits?.redrawn.has(ask.id)) return;
    const withdraw = copyKeys(ask);
    const stored = outputs.map((output) => this.#delivery.stored(output));
    await turn.lease.save({ type: 'hold' }, { outputs: stored, withdraw });
    turn.waited.redrawn.add(ask.id);
    this.#delivery.saved(turn.conversationId, outputs, withdraw);
  }

  /** It is saved: tells those who listen or wait, and sends the outputs that the save has lent. */
  closed({ turn, before, moves, after, outputs, settled, outcome, begun, end }: Closing): void {
    const { conversationId, disposition, subject, from } = turn;
    const isEnd = end.type !== 'hold';
    if (isEnd) this.#context.askedHere.saved(conversationId, after.conversation.asks.length > 0);
    try {
      if (end.type === 'release') this.#context.store.hint({ conversationId }); // what is left need not wait for the sweep
      for (const { id, own } of settled) if (own.awaited) this.#wakeAsk(conversationId, id);
      tellOfAsks(turn, after.opened, settled);
      if (moves.length > 0) tellOfMoves(turn, before, after.conversation, moves);
      if (isEnd) tellOfEnd(turn, begun);
      if (outcome !== undefined) this.#tell(turn, outcome);
      if (isEnd && subject.entry.type === 'open' && disposition.type === 'failed')
        this.#wakeAsk(conversationId, subject.entry.ask.id);
    } finally {
      // events come first; the outputs go out whatever listeners do
      const written = from === undefined || (!isEnd && !turn.isAside) ? [] : [from.channel];
      const shownOn = [...written, ...settled.map(({ places }) => places.own.channel)];
      this.#delivery.saved(conversationId, outputs, after.withdraw, shownOn);
    }
  }

  /** Tells the callers that wait for the entry, in whichever process. */
  #tell({ conversationId, workId, isAwaitedElsewhere }: Turn, outcome: EntryOutcome): void {
    this.#waiters.wake(conversationId, workId, outcome);
    if (isAwaitedElsewhere) this.#context.store.hint({ conversationId, entryId: workId });
  }

  /** Tells the callers that wait for the ask, in any process, that it is over. */
  #wakeAsk(conversationId: string, askId: string): void {
    this.#waiters.wakeAsk(askId);
    this.#context.store.hint({ conversationId, entryId: askHint(askId) });
  }
}

const nothingParked: Save['parked'] = { added: [], removed: [] };

/** What is kept of the work for repeats of its entry. What was said, and metadata, are for callers of handle(): others have no use for it. */
function outcomeOf({ lease, work, document, disposition, metadata }: Turn, items: number): EntryOutcome {
  const isHandled = work.type === 'entry' && work.queued.waiter !== undefined && work.queued.entry.type === 'message';
  if (!isHandled) return { disposition };
  const early = earlyOutcomeOf(document, work.id)?.said;
  const said: ItemRange = early ?? [lease.historyBegan, lease.historyEnd + items];
  return metadata === undefined ? { disposition, said } : { disposition, said, metadata };
}

/** The document with what became of the entry that a waiting turn handled early. */
function heardEarly(aside: Turn, { conversation, history }: AppliedTurn): Conversation {
  const { disposition, lease, waiter, workId } = aside;
  const said: ItemRange | undefined =
    waiter === undefined ? undefined : [lease.historyEnd, lease.historyEnd + history.length];
  const hidden = hidesWords(aside) || undefined;
  return withEarlyOutcome(conversation, workId, { disposition, ...definedFields({ said, hidden }) });
}

/** Somebody who might have answered the ask that expired last has written, without naming it. */
function isForLate({ reading, subject, document }: Turn): boolean {
  if (reading.type === 'ordinary') return reading.lateFor !== undefined;
  const isPlain = subject.entry.type === 'message' && subject.entry.askId === undefined;
  return isPlain && reading.type === 'notice' && reading.notice === 'late' && reading.ask?.id === document.late?.id;
}

/**
 * Under which ids the conversation is found from now on: whoever wrote, as `identify` named them (by the channel's own id they were listed
 * when the entry was recorded: erasing by either finds the conversation); about whom a turn of another conversation says something
 * here; for whom something was asked, and as the ask says; to whom one is handed.
 */
function peopleOf({ who, subject: { entry }, moves }: Turn, opened: readonly Ask[]): readonly string[] {
  const people: string[] = [];
  if (who !== undefined && who.id !== authorOf(entry)?.id) people.push(who.id);
  if (entry.type === 'say') people.push(...(entry.about ?? []).map(askedForKey));
  for (const { audience, own } of opened) {
    if (audience.origin?.asker !== undefined) people.push(askedForKey(audience.origin.asker));
    if (own.listed !== undefined) people.push(...own.listed);
  }
  for (const move of moves) if (move.type === 'hand-over') people.push(askedForKey(move.request.to.id));
  return people;
}

/** What is remembered of the work, in its order: what was decided, the entry itself, what is said about it. */
function historyOf(turn: Turn, settled: readonly Ask[], out: readonly HistoryItem[]): Stored[] {
  const history: Stored[] = [];
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

/** Its answer is fetched by the caller that waits for it. A turn that waits in the conversation itself has it already. */
function isFetched({ own, progress }: Ask): boolean {
  return own.awaited === true && progress.waitsIn === undefined;
}

/** How the asks of a save are found from outside. */
function indexed(turn: Turn, { opened, conversation }: AppliedTurn, settled: readonly Ask[]): Save['asks'] {
  const { conversationId } = turn;
  return {
    opened: opened.map(({ id, timing: { askedAt: at, expiresAt: deadline } }) =>
      deadline === undefined ? { id, at } : { id, at, deadline },
    ),
    changed: changedAsks(turn.stored, conversation),
    settled: settled.map((ask) => ({
      id: ask.id,
      record: writeSettled({ conversationId, ask: isFetched(ask) ? ask : withoutSensitiveAnswer(ask) }),
      at: Math.floor(ask.decision?.at ?? 0),
    })),
  };
}
