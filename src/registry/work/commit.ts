/**
 * The last save of a piece of work, however it ended: done, failed for now, parked, or given back untouched.
 * What was decided stays decided in every case.
 */
import type { Ask } from '../../core/ask/ask.js';
import { closedAs, discreet } from '../../core/ask/ask.js';
import type { AppliedTurn, Move } from '../../core/conversation/apply-turn.js';
import { concluded } from '../../core/conversation/apply-turn.js';
import type { Conversation } from '../../core/conversation/conversation.js';
import {
  findAsk,
  parkedAside,
  unparked,
  withoutHeard,
  withoutLate,
  withoutWaiting,
  withPerson,
} from '../../core/conversation/conversation.js';
import type { Disposition } from '../../core/conversation/entry.js';
import { authorOf } from '../../core/conversation/entry.js';
import type { HistoryItem } from '../../core/conversation/history.js';
import { decisionOf, heardItem } from '../../core/conversation/history.js';
import type { Outgoing } from '../../core/conversation/outgoing.js';
import type { Mutable } from '../../core/defined-fields.js';
import type { Failure } from '../../core/errors.js';
import type { RegistryEvents } from '../../core/events.js';
import { writeConversation, writeItem, writeOutcome, writeSettled } from '../../core/format/document.js';
import { digest, routedId } from '../../core/ids.js';
import type { Claim, Output, Save } from '../../stores/port.js';
import type { RegistryContext } from '../context.js';
import type { Changes } from '../lease/lease.js';
import type { OutboxWriter } from '../outbox/outbox.js';
import type { OutcomeWaiters } from '../outcome-waiters.js';
import { askHint } from '../outcome-waiters.js';
import type { RegisteredAgent } from '../turn/agent-port.js';
import { Predecider } from './predecide.js';
import type { ReadWorkItem, WorkItem } from './work-item.js';

export interface Ending {
  /** The document as it is stored now, decisions of this turn included. */
  readonly written: Conversation;
  readonly moves: readonly Move[];
  readonly disposition: Disposition;
  /** The agent that ran, where one did. */
  readonly agentName?: string | undefined;
}

export class Commit {
  readonly predecider: Predecider;
  readonly #context: RegistryContext;
  readonly #outbox: OutboxWriter;
  readonly #waiters: OutcomeWaiters;
  /** Set by stop(): let go after the work at hand instead of taking the next. */
  draining = false;

  constructor(
    context: RegistryContext,
    agents: ReadonlyMap<string, RegisteredAgent>,
    outbox: OutboxWriter,
    waiters: OutcomeWaiters,
  ) {
    this.predecider = new Predecider(context, agents);
    this.#context = context;
    this.#outbox = outbox;
    this.#waiters = waiters;
  }

  /** Closes the work with its disposition and hands over the next, if there is any. */
  done(item: ReadWorkItem, ending: Ending): Promise<Claim | undefined> {
    let before = ending.written;
    if (item.who !== undefined) before = withPerson(before, item.who.id);
    before = withAuthor(before, item);
    if (item.reading.type === 'ordinary' && item.reading.lateFor !== undefined) before = withoutLate(before);
    if (item.parked !== undefined) before = unparked(before, item.parked.id);
    const unparkedIds = item.parked === undefined ? [] : [item.parked.id];
    return this.#close(item, before, ending, { added: [], removed: unparkedIds }, false);
  }

  /** Sets the work aside for a person, keeping what it had decided and remembered. */
  async park(
    item: WorkItem,
    written: Conversation,
    failure: Failure,
    told: readonly Move[],
    agentName?: string,
  ): Promise<Claim | undefined> {
    const { lease, work, subject, claim } = item;
    const at = lease.now();
    const id = item.parked?.id ?? routedId(lease.conversationId, claim.turn, 'parked', work.id);
    const ask = item.parked?.ask ?? written.asks.find((each) => each.decision?.entry === work.id);
    const parked = {
      id,
      at,
      queued: subject,
      turn: claim.turn,
      attempts: item.attempt,
      failure,
      ...(ask === undefined ? {} : { ask }),
    };
    const index = { added: [{ id, at }], removed: [] };
    const settledNow = item.parked?.ask === undefined && ask !== undefined ? [ask] : [];
    const next = await this.#close(
      item,
      withAuthor(parkedAside(written, parked), item),
      { written, moves: told, disposition: { type: 'failed', failure }, agentName },
      index,
      true,
      settledNow,
    );
    const about = { conversationId: lease.conversationId, id, entryId: work.id, attempts: item.attempt, failure };
    this.#context.emit('parked', about);
    this.#context.logger.error('A turn failed for good and is parked; registry.retry(id) tries it again', about);
    return next;
  }

  /** Lets go after a failed attempt, to be tried again after `wait` ms. */
  async fail(item: WorkItem, failure: Failure, wait: number): Promise<undefined> {
    await item.lease.save({ type: 'release', wait, returnStrike: false }, {});
    const about = { conversationId: item.lease.conversationId, entryId: item.work.id, attempt: item.attempt, failure };
    this.#context.emit('failed', about);
    this.#context.logger.warn('A turn failed and will be tried again', { ...about, wait });
    return undefined;
  }

  #close(
    item: WorkItem,
    before: Conversation,
    ending: Ending,
    parked: Save['parked'],
    keepMemo: boolean,
    alsoSettled: AppliedTurn['settled'] = [],
  ): Promise<Claim | undefined> {
    const { lease, work, claim } = item;
    const now = lease.now();
    const cause = work.type === 'settle' ? work.cause : undefined;
    const doomed = cause === undefined ? undefined : (ask: Ask) => ask.cause !== cause;
    const keys = ending.moves.some(({ type }) => type === 'say' || type === 'forward') ? digest(claim.turn) : '';
    const outcome = concluded(
      withoutHeard(withoutWaiting(before, work.id, now), work.id),
      ending.moves,
      now,
      keys,
      doomed,
    );
    // only handle() gives back what was said; what follows an answer by id waits for the next message
    const handled = work.type === 'entry' && work.queued.waiter !== undefined && work.queued.entry.type === 'message';
    const awaitedBy = handled ? work.id : undefined;
    const document = writeConversation(outcome.conversation);
    const outputs: Outgoing[] = [];
    const stored: Output[] = [];
    for (const output of outcome.outputs) {
      if (!this.#outbox.goesOut(output)) continue;
      outputs.push(output);
      stored.push(this.#outbox.stored(output, awaitedBy));
    }
    const settled = alsoSettled.length === 0 ? outcome.settled : [...outcome.settled, ...alsoSettled];
    const then: Save['then'] = this.draining
      ? { type: 'release', wait: 0, returnStrike: false }
      : { type: 'next', turn: this.#context.newId(), lease: this.#context.settings.lease };
    const changes: Mutable<Changes> = {
      due: outcome.due,
      open: outcome.open,
      closes: { entryId: work.id, outcome: writeOutcome(ending.disposition), keepMemo },
      outputs: stored,
      withdraw: outcome.withdraw,
      history: historyOf(item, ending.disposition, settled, outcome.history),
      asks: indexed(lease.conversationId, outcome.opened, settled),
      parked,
      people: newPeople(outcome.conversation, item.document),
    };
    if (document !== claim.document) changes.document = document;
    const { begun } = lease; // the save may begin the next work
    const { opened, withdraw } = outcome; // the rest is not kept while the save is under way
    const foreseeable = this.predecider.isPredecidable(outcome.conversation) ? outcome.conversation : undefined;
    return lease.save(then, changes, (saved) => {
      if (foreseeable !== undefined) {
        const { incarnation } = claim;
        const life = { incarnation, revision: saved.revision, conversation: foreseeable };
        this.#context.documents.keep(lease.conversationId, life, document.length);
      }
      try {
        if (this.draining) this.#context.store.hint({ conversationId: lease.conversationId }); // what is left need not wait for the sweep
        this.#tellOfAsks(item, opened, settled);
        this.#tellOfMoves(item, before, ending.moves);
        this.#tell(item, ending, begun);
      } finally {
        this.#outbox.send(lease.conversationId, outputs, withdraw); // whoever has saved says so first; it is sent whatever they make of it
      }
      return saved.next;
    });
  }

  #tellOfAsks(item: WorkItem, opened: readonly Ask[], settled: readonly Ask[]): void {
    const { conversationId } = item.lease;
    for (const { id: askId, agentName, askedAt, place } of opened) {
      if (!this.#context.hears('asked')) break;
      const { channel } = place;
      this.#context.emit('asked', { conversationId, askId, agentName, askedAt, at: item.lease.now(), channel });
    }
    for (const ask of settled) {
      if (ask.awaited) {
        this.#waiters.wakeAsk(ask.id);
        this.#context.store.hint({ conversationId, entryId: askHint(ask.id) });
      }
      const event = closedAs(ask) ?? 'answered';
      if (ask.decision === undefined || !this.#context.hears(event)) continue;
      const { id: askId, agentName, askedAt, retries } = ask;
      const decidedAt = ask.decision.at;
      const about = { conversationId, askId, agentName, askedAt, decidedAt, at: item.lease.now(), retries };
      const { entry } = item.subject;
      if (event === 'undeliverable') {
        const failure = entry.type === 'undeliverable' ? entry.failure : { code: 'Error', message: 'undeliverable' };
        this.#context.emit('undeliverable', { ...about, failure });
      } else this.#context.emit(event, about);
    }
  }

  #tellOfMoves(item: WorkItem, before: Conversation, moves: readonly Move[]): void {
    for (const move of moves) {
      const ask = move.type === 'vote' || move.type === 'remind' ? findAsk(before, move.askId) : undefined;
      if (ask === undefined) continue;
      const { id: askId, agentName, askedAt } = ask;
      const about = { conversationId: item.lease.conversationId, askId, agentName, askedAt, at: item.lease.now() };
      if (move.type === 'remind') this.#context.emit('reminded', about);
      if (move.type === 'vote') this.#context.emit('voted', { ...about, participantId: move.vote.by.id });
    }
  }

  #tell(item: WorkItem, { disposition, agentName }: Ending, begun: number): void {
    const { conversationId } = item.lease;
    if (this.#context.hears('handled')) {
      const { work, claim, attempt } = item;
      const recorded = work.type === 'entry' ? work.queued.at : work.at;
      const about: Mutable<RegistryEvents['handled']> = {
        conversationId,
        entryId: work.id,
        disposition,
        attempt,
        waited: Math.max(0, claim.now - recorded),
        took: item.lease.heard - begun, // the save was answered just now
      };
      if (agentName !== undefined) about.agentName = agentName;
      this.#context.emit('handled', about);
    }
    this.#waiters.wake(conversationId, item.work.id, disposition);
    const waiter = item.work.type === 'entry' ? item.work.queued.waiter : undefined;
    if (waiter !== undefined && waiter !== this.#context.id)
      this.#context.store.hint({ conversationId, entryId: item.work.id });
  }
}

/** Whoever wrote it, by the channel's own id too: erasing by either finds the conversation. */
function withAuthor(conversation: Conversation, item: WorkItem): Conversation {
  const author = authorOf(item.subject.entry);
  return author === undefined ? conversation : withPerson(conversation, author.id);
}

/** Whoever may have written the answer to a sensitive question: what they wrote is not remembered. */
function hidesWords(item: WorkItem | ReadWorkItem): boolean {
  if (!('reading' in item)) return item.document.asks.some((ask) => ask.sensitive);
  const { reading } = item;
  if (reading.type === 'notice' && reading.hidden) return true;
  const ask = reading.type === 'ordinary' ? reading.lateFor : 'ask' in reading ? reading.ask : undefined;
  return ask?.sensitive === true;
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
    const decision = decisionOf(ask);
    if (decision !== undefined) history.push(writeItem(decision));
  }
  if (item.work.type === 'entry') {
    const { entry, at } = item.subject;
    history.push(writeItem(heardItem({ id: item.work.id, at, entry }, disposition, hidesWords(item))));
  }
  for (const each of out) history.push(writeItem(each));
  return history;
}

/** How the asks of a save are found from outside. */
function indexed(conversationId: string, opened: readonly Ask[], settled: readonly Ask[]): Save['asks'] {
  return {
    opened: opened.map((ask) => ({ id: ask.id, at: ask.askedAt })),
    settled: settled.map((ask) => ({
      id: ask.id,
      record: writeSettled({ conversationId, ask: ask.awaited ? ask : discreet(ask) }),
    })),
  };
}

function newPeople(after: Conversation, before: Conversation): readonly string[] {
  return after.people.filter((id) => !before.people.includes(id));
}
