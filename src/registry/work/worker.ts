/**
 * The worker: works on one conversation until nothing is left or the lease is lost. Reads each entry by the rules of core/,
 * runs the agent where there is something to run, and sees to it that every ending is saved.
 */
import { AsyncResource } from 'node:async_hooks';
import type { Ask } from '../../core/ask/ask.js';
import type { Move } from '../../core/conversation/apply-turn.js';
import { withAskOpened } from '../../core/conversation/conversation.js';
import { cancelledBeforeAsked, isGivenUp } from '../../core/conversation/entry.js';
import { hidesWords } from '../../core/conversation/hidden-words.js';
import type { Reading } from '../../core/conversation/match-reply.js';
import { closingVerdict } from '../../core/conversation/match-reply.js';
import { definedFields } from '../../core/defined-fields.js';
import type { Failure } from '../../core/errors.js';
import {
  AgentError,
  failureOf,
  failureWithoutMessage,
  isLeftToOthers,
  isMisuse,
  mayHaveHappened,
} from '../../core/errors.js';
import { readEntry } from '../../core/format/document.js';
import { isPromiseLike } from '../../core/promise.js';
import type { Claim, Returned } from '../../stores/port.js';
import type { RegistryContext } from '../context.js';
import { waitingAgent, warnOnce } from '../context.js';
import type { Lease } from '../lease/lease.js';
import type { StopSignal } from '../lease/stop-signal.js';
import { roomRefusal } from '../turn/new-ask.js';
import { withTimeLimit } from '../turn/time-limit.js';
import type { Turn } from '../turn/turn.js';
import type { Commit, Ending } from './commit.js';
import { intercepted, isIntercepted } from './intercept.js';
import { noticeMoves } from './notice.js';
import { isOwnReading, ownMoves } from './own-moves.js';
import type { AgentRunner } from './run-agent.js';
import { endingOf, HandBack } from './run-agent.js';
import type { ReadWorkItem, WorkItem } from './work-item.js';
import { openWorkItem, readWorkItem } from './work-item.js';

/** Why the worker let go of a conversation. */
export type Release =
  /** Nothing is left to do, or the process stops. */
  | { readonly type: 'finished' }
  /** The work failed, and is due again after `wait` ms. */
  | { readonly type: 'failed'; readonly wait: number }
  /** This process cannot do the work: others should. */
  | { readonly type: 'handed-back' }
  /** Nothing could be saved. The work is due again when the lease has run out. */
  | { readonly type: 'lost' };

type WorkerStep = { readonly type: 'next'; readonly claim: Claim } | Release;

/** How far the work came: what is saved of it if it fails. */
interface Progress {
  read?: ReadWorkItem;
  turn?: Turn;
  ending?: Ending;
}

export class Worker {
  readonly #context: RegistryContext;
  readonly #agents: AgentRunner;
  readonly #commit: Commit;
  readonly #own = new AsyncResource('askback.turn');

  constructor(context: RegistryContext, agents: AgentRunner, commit: Commit) {
    this.#context = context;
    this.#agents = agents;
    this.#commit = commit;
  }

  /** Works on the conversation until nothing is left. Never rejects: what goes wrong is recorded, or left to the lease. */
  async work(lease: Lease, first: Claim): Promise<Release> {
    let claim = first;
    try {
      for (;;) {
        const step = await this.#worked(lease, claim);
        if (step.type !== 'next') return step;
        claim = step.claim;
      }
    } catch (error) {
      return this.#lost(lease, claim, error);
    }
  }

  /** From now on the worker lets go after the work at hand. */
  drain(): void {
    this.#commit.drain();
  }

  /** One piece of work: read, run, committed. */
  async #worked(lease: Lease, claim: Claim): Promise<WorkerStep> {
    let item: WorkItem;
    try {
      const opened = openWorkItem(lease, claim, this.#context.documents);
      if (opened.work === undefined) return followedBy(await this.#commit.nothing(lease, opened.document));
      item = opened;
    } catch (error) {
      return this.#handBack(lease, claim.entry?.id ?? '', failureOf(error).message, error, 'claim');
    }
    const hopeless = this.#hopeless(item);
    if (hopeless !== undefined)
      return followedBy(await this.#commit.park(item, { written: item.document }, hopeless, this.#sorry(item)));
    const progress: Progress = {};
    try {
      const { read, ending } = await withTimeLimit(this.#context, lease, (stop) =>
        this.#inItsContext(item, () => this.#run(item, stop, progress)),
      );
      progress.ending = ending;
      return followedBy(await this.#commit.done(read, ending));
    } catch (error) {
      progress.turn?.end();
      return this.#failed(item, progress, error);
    }
  }

  /** Why the work must not run again: it may have had its effect, or it has killed too many processes. */
  #hopeless({ claim, document, parked, work, subject }: WorkItem): Failure | undefined {
    if (subject.entry.type === 'unpark') return undefined; // it runs nothing that could have killed them
    const decided = parked?.ask ?? document.asks.find((ask) => ask.decision?.entry === work.id);
    if (claim.attempt > 1 && decided?.onCrash === 'park') return failureOf(mayHaveHappened(decided.id));
    if (claim.strikes > this.#context.settings.maxAttempts)
      return { code: 'crashed', message: `The process handling this entry died ${claim.strikes - 1} times.` };
    return undefined;
  }

  /** A message runs in the async context of the call that brought it. That context must not leak into any other work. */
  #inItsContext<T>(item: WorkItem, work: () => T): T {
    return item.work.id === item.lease.arrival?.entryId ? work() : this.#own.runInAsyncScope(work);
  }

  /** Reads the entry and runs the agent, unless the ending needs none. */
  async #run(item: WorkItem, stop: StopSignal, progress: Progress): Promise<{ read: ReadWorkItem; ending: Ending }> {
    const reading = readWorkItem(this.#context, item, stop);
    const found = isPromiseLike(reading) ? await reading : reading;
    const read = found.reading.type === 'open' ? await this.#openable(found, found.reading.ask) : found;
    progress.read = read;
    const dropped = isIntercepted(this.#context, read) ? await intercepted(this.#context, read) : undefined;
    const ending = dropped ?? this.#ownEnding(read);
    if (ending !== undefined) return { read, ending };
    const route = this.#agents.route(read);
    const { agentName, intent } = isPromiseLike(route) ? await route : route;
    const turn = this.#agents.turnOf(read, intent, stop);
    progress.turn = turn;
    // the decision needs no agent, only what follows it
    if (read.reading.type === 'close') await turn.decide(read.reading.ask.id, closingVerdict(read.reading));
    const result = await this.#agents.run(turn, read, agentName);
    turn.end();
    return { read, ending: endingOf(turn, result) };
  }

  /**
   * The reading of an ask that is to be opened here. Nobody is asked if whoever asked has given up. One of another
   * conversation's turn that finds no room ends as undeliverable.
   */
  async #openable(item: ReadWorkItem, ask: Ask): Promise<ReadWorkItem> {
    if (await this.#isGivenUp(item, ask)) return { ...item, reading: givenUp };
    if (ask.awaited || this.#refusal(item, ask) === undefined) return item;
    const document = withAskOpened(item.document, ask);
    return { ...item, document, reading: { type: 'close', ask, as: 'undeliverable' } };
  }

  /** Whether a cancel stands behind the entry. Nothing can where the entry was claimed in the step that recorded it. */
  async #isGivenUp({ lease, claim, work, subject }: WorkItem, ask: Ask): Promise<boolean> {
    if (lease.arrival?.entryId === work.id && claim.revision === subject.revision) return false;
    const state = await this.#context.store.conversation(lease.conversationId, 1);
    return isGivenUp(ask.id, state?.queue.map(readEntry) ?? []);
  }

  #refusal({ lease, document: written }: ReadWorkItem, ask: Ask): AgentError | undefined {
    return roomRefusal({ context: this.#context, conversationId: lease.conversationId, written, moves: [] }, ask);
  }

  /** The ending of what needs no agent. */
  #ownEnding(item: ReadWorkItem): Ending | undefined {
    const { reading, document } = item;
    if (reading.type === 'notice') return this.#notice(item, reading);
    if (reading.type === 'say') return { written: document, moves: [reading], disposition: { type: 'control' } };
    if (isOwnReading(reading)) {
      const { lease } = item;
      const moves = ownMoves(this.#context, reading, { now: lease.now(), conversationId: lease.conversationId });
      return { written: document, moves, disposition: { type: 'control', askId: reading.ask.id } };
    }
    if (reading.type !== 'open') return undefined;
    const { ask } = reading;
    const refusal = this.#refusal(item, ask);
    if (refusal !== undefined)
      return { written: document, moves: [], disposition: { type: 'failed', failure: failureOf(refusal) } };
    return { written: document, moves: [{ type: 'open', ask }], disposition: { type: 'control', askId: ask.id } };
  }

  #notice(item: ReadWorkItem, reading: ReadWorkItem['reading'] & { type: 'notice' }): Ending {
    const { lease, subject, place, who } = item;
    const about = { conversationId: lease.conversationId, entry: subject.entry, place, who };
    const moves = noticeMoves(this.#context, about, reading);
    return { written: item.document, moves, disposition: reading.disposition };
  }

  async #failed(item: WorkItem, { read, turn, ending }: Progress, error: unknown): Promise<WorkerStep> {
    const { settings } = this.#context;
    const { lease, work, claim } = item;
    const last = ending ?? turn;
    const written = last?.written ?? item.document;
    if (error instanceof HandBack) return this.#handBack(lease, work.id, error.message, error, 'claim');
    if (error instanceof AgentError && ['lease-lost', 'store-unavailable'].includes(error.code)) throw error;
    if (error instanceof AgentError && error.code === 'stopped')
      return this.#handBack(lease, work.id, 'stopped', error, turn?.agentName === undefined ? 'claim' : 'strike');
    if (error instanceof AgentError && isLeftToOthers(error) && this.#agents.mayOthersCome(item)) {
      this.#warnOfMissing(turn, error);
      return this.#handBack(lease, work.id, error.message, error, turn?.hasBegun ? 'strike' : 'claim');
    }
    const hasSecret = hidesWords(read ?? item) || turn?.hasSensitiveAnswer === true;
    const failure = hasSecret ? failureWithoutMessage(error) : failureOf(error);
    const decided = written.asks.find((ask) => ask.decision?.entry === work.id);
    const isParked =
      isMisuse(error) ||
      claim.strikes >= settings.maxAttempts ||
      decided?.onCrash === 'park' ||
      turn?.mustNotRepeat ||
      failure.code === 'may-have-happened' ||
      failure.code === 'unknown-agent';
    const stack = hasSecret ? undefined : stackOf(error); // it begins with the message
    const trace = definedFields({ agentName: last?.agentName, question: turn?.reply?.name, stack });
    if (isParked) {
      const state = { written, awaited: turn?.awaited, agentName: last?.agentName };
      return followedBy(await this.#commit.park(read ?? item, state, failure, this.#sorry(item), trace));
    }
    const wait = settings.backOff[Math.min(claim.strikes, settings.backOff.length) - 1] ?? 1_000;
    await this.#commit.fail(item, failure, wait, trace);
    return { type: 'failed', wait };
  }

  /**
   * The agent is here and lacks what a stored ask needs: in a rolling deploy another release has it, after a rename nobody does.
   * An ask of no agent is not told of: the process that asked reads its reply.
   */
  #warnOfMissing(turn: Turn | undefined, error: AgentError): void {
    if (turn?.agentName === undefined || turn.agentName === waitingAgent) return;
    const { agentName, conversationId, parts } = turn;
    const ask = 'ask' in parts.reading ? parts.reading.ask : undefined;
    warnOnce(
      this.#context,
      `missing: ${agentName} ${[ask?.name, ask?.then, ask?.kind].join(' ')}`,
      'An agent of this process cannot read an ask that is stored. Its work is left to other processes for leftFor ms (settings.unknownAgent) and is parked then. If the failure names something that was renamed, declare it under its old name, too',
      { conversationId, agentName, failure: failureOf(error), leftFor: this.#context.settings.unknownAgent },
    );
  }

  /** Where nothing of the author's has run, the next attempt is the same one: no effect can have happened. */
  async #handBack(lease: Lease, entryId: string, why: string, error: unknown, returns: Returned): Promise<WorkerStep> {
    const { conversationId } = lease;
    const isDamaged = error instanceof AgentError && error.code === 'bad-record';
    await this.#commit.handBack(lease, isDamaged ? 60_000 : 0, returns);
    this.#context.emit('handedBack', { conversationId, entryId, why });
    if (isDamaged)
      this.#context.logger.error('A conversation cannot be read and was left as it is', { conversationId, why });
    return { type: 'handed-back' };
  }

  /** The human is told once that something went wrong, if a human is there. */
  #sorry(item: WorkItem): Move[] {
    const { entry } = item.subject;
    if (entry.type !== 'message' || entry.automated || entry.place.trigger || item.parked !== undefined) return [];
    const locale = entry.participant?.locale;
    const text = this.#context.language(locale).wording.failed();
    return [{ type: 'say', place: entry.place, text, ...definedFields({ locale }) }];
  }

  #lost(lease: Lease, claim: Claim, error: unknown): Release {
    const about = { conversationId: lease.conversationId, entryId: claim.entry?.id ?? '' };
    if (error instanceof AgentError && error.code === 'lease-lost') this.#context.emit('fenced', about);
    const failure = failureOf(error);
    this.#context.logger.warn('A turn was given up and will be taken over when its lease is over', {
      ...about,
      failure,
    });
    return { type: 'lost' };
  }
}

const givenUp: Reading = { type: 'notice', disposition: { type: 'ignored', why: cancelledBeforeAsked } };

function stackOf(error: unknown): string | undefined {
  return error instanceof Error && typeof error.stack === 'string' ? error.stack : undefined;
}

function followedBy(claim: Claim | undefined): WorkerStep {
  return claim === undefined ? { type: 'finished' } : { type: 'next', claim };
}
