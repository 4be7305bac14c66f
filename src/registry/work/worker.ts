/**
 * The holder: works on one conversation until nothing is left or the hold is lost. Reads each entry by the rules of
 * core/, lets the agent run where there is something to run, and sees to it that every ending is saved.
 */
import { AsyncResource } from 'node:async_hooks';
import type { Move } from '../../core/conversation/apply-turn.js';
import type { Conversation } from '../../core/conversation/conversation.js';
import { dueAt, isOpen } from '../../core/conversation/conversation.js';
import type { Notice } from '../../core/conversation/match-reply.js';
import { definedFields } from '../../core/defined-fields.js';
import type { Failure } from '../../core/errors.js';
import { AgentError, failureOf, isMisuse } from '../../core/errors.js';
import type { Participant } from '../../core/participant.js';
import type { Wording } from '../../core/wording/wording.js';
import type { Claim } from '../../stores/port.js';
import type { RegistryContext } from '../context.js';
import type { Lease } from '../lease/lease.js';
import type { StopSignal } from '../lease/stop-signal.js';
import type { RegisteredAgent, Served } from '../turn/agent-port.js';
import { remindingMove } from '../turn/author-hooks.js';
import { outsideTurn } from '../turn/current-turn.js';
import { withTimeLimit } from '../turn/time-limit.js';
import type { Turn } from '../turn/turn.js';
import type { Commit, Ending } from './commit.js';
import { AgentTurn, HandBack } from './run-agent.js';
import type { WaitingDesk } from './wait-in-turn.js';
import type { ReadWorkItem, WorkItem } from './work-item.js';
import { openWorkItem, readWorkItem } from './work-item.js';
import type { Within } from './write-in-turn.js';

/** What the holder asks of the desk when it lets go of unfinished work. */
export interface Takes extends WaitingDesk {
  /** Leave it to others for a while. */
  avoid(conversationId: string): void;
  /** Look again after `ms`. */
  again(conversationId: string, ms: number): void;
}

/** What is known of a piece of work once it runs. */
interface Run {
  turn: Turn | undefined;
  read: ReadWorkItem | undefined;
  ending: Ending | undefined;
}

export class Worker {
  readonly #context: RegistryContext;
  readonly #agentTurn: AgentTurn;
  readonly #commit: Commit;
  readonly #dispatcher: Takes;
  readonly #own = new AsyncResource('askback.turn');

  constructor(
    context: RegistryContext,
    agents: ReadonlyMap<string, RegisteredAgent>,
    parts: { readonly commit: Commit; readonly within: Within },
    dispatcher: Takes,
  ) {
    const { commit, within } = parts;
    this.#context = context;
    this.#agentTurn = new AgentTurn(context, agents, within, dispatcher);
    this.#commit = commit;
    this.#dispatcher = dispatcher;
  }

  /**
   * Works on the conversation until nothing is left, then calls `over`. What goes wrong is recorded or left to the lease.
   * Each step calls the next: the promises of a loop that awaits would cost more than the loop.
   */
  work(lease: Lease, claim: Claim, over: () => void): void {
    const next = (following: Claim | undefined): void => {
      if (following === undefined) over();
      else this.work(lease, following, over);
    };
    const lost = (error: unknown): void => {
      try {
        this.#lost(lease, claim, error);
      } finally {
        over();
      }
    };
    try {
      const item = this.#opened(lease, claim);
      if (item instanceof Promise) item.then(next, lost);
      else this.#work(item, next, lost);
    } catch (error) {
      lost(error);
    }
  }

  #work(item: WorkItem, next: (claim: Claim | undefined) => void, lost: (error: unknown) => void): void {
    const run: Run = { turn: undefined, read: undefined, ending: undefined };
    const failed = (error: unknown): void => {
      run.turn?.end();
      this.#failed(item, run.turn ?? run.ending, error).then(next, lost);
    };
    const done = (result: Served): void => {
      try {
        run.ending ??= this.#agentTurn.ending(run.turn as Turn, result); // no ending of ours: a turn ran
        run.turn = undefined; // nothing of it is kept while the save is under way
        this.#commit.done(run.read as ReadWorkItem, run.ending).then(next, failed); // read before there could be an ending
      } catch (error) {
        failed(error);
      }
    };
    const begun = async (stop: StopSignal): Promise<Served> => this.#begun(item, stop, run);
    // the AsyncLocalStorage of another message's caller must not leak into this turn, nor the turn that a call was made in
    const isTheirs = item.work.id === item.lease.brought;
    const work = (stop: StopSignal): Promise<Served> =>
      isTheirs ? outsideTurn(() => begun(stop)) : this.#own.runInAsyncScope(begun, undefined, stop);
    withTimeLimit(this.#context, item.lease, work).then(done, failed);
  }

  /** The work at hand; or, if nothing is to be run for it, the claim that follows. */
  #opened(lease: Lease, claim: Claim): WorkItem | Promise<Claim | undefined> {
    const back = (error: unknown) => this.#handBack(lease, claim.entry?.id ?? '', failureOf(error).message, error);
    let item: WorkItem;
    try {
      const opened = openWorkItem(lease, claim, this.#context.documents);
      if (opened.work === undefined) return this.#nothing(lease, opened.document).catch(back);
      item = opened;
    } catch (error) {
      return back(error);
    }
    const begun = item.parked?.ask ?? item.document.asks.find((ask) => ask.decision?.entry === item.work.id);
    if (claim.attempt > 1 && begun?.onCrash === 'park') {
      const failure = {
        code: 'may-have-happened',
        message: `The process stopped after ask ${begun.id} was decided; its effect may have happened. Check, then retry or erase.`,
      };
      return this.#commit.park(item, item.document, failure, this.#sorry(item));
    }
    if (claim.strikes > this.#context.settings.strikes) {
      const failure = { code: 'crashed', message: `The process handling this entry died ${claim.strikes - 1} times.` };
      return this.#commit.park(item, item.document, failure, this.#sorry(item));
    }
    return item;
  }

  /** Reads the entry and lets the agent run, unless the ending is ours to say. */
  #begun(item: WorkItem, stop: StopSignal, run: Run): Served | Promise<Served> {
    const made = (turn: Turn): void => {
      run.turn = turn;
    };
    const go = (known: ReadWorkItem): Served | Promise<Served> => {
      run.read = known;
      run.ending = this.#ownEnding(known);
      return run.ending === undefined ? this.#agentTurn.run(known, stop, made) : undefined;
    };
    const known = readWorkItem(this.#context, item, stop);
    return known instanceof Promise ? known.then(go) : go(known);
  }

  /** The ending of what needs no agent. */
  #ownEnding(item: ReadWorkItem): Ending | undefined {
    const { reading, document } = item;
    if (reading.type === 'notice') return this.#notice(item, reading);
    if (reading.type !== 'open' && reading.type !== 'remind') return undefined;
    const { ask } = reading;
    const move: Move =
      reading.type === 'open'
        ? { type: 'open', ask }
        : remindingMove(this.#context, ask, item.lease.now(), item.lease.conversationId);
    return { written: document, moves: [move], disposition: { type: 'control', askId: ask.id } };
  }

  #notice(item: ReadWorkItem, reading: ReadWorkItem['reading'] & { type: 'notice' }): Ending {
    const { disposition, notice, ask } = reading;
    const { conversationId } = item.lease;
    if (disposition.type === 'not-authorised') {
      const about = {
        conversationId,
        askId: disposition.askId,
        channel: item.place.channel,
        ...definedFields({ participantId: item.who?.id }),
      };
      this.#context.emit('refused', about);
      this.#context.logger.warn('Somebody who may not answer an ask tried to', about);
    }
    const told = notice !== undefined && item.subject.entry.type === 'message';
    const moves: Move[] = told
      ? [
          {
            type: 'say',
            place: item.place,
            text: noticed(this.#context.language(item.who?.locale).wording, notice, ask?.decision?.by),
          },
        ]
      : [];
    return { written: item.document, moves, disposition };
  }

  /** `last` is how far it came: the turn, or its ending. */
  async #failed(
    item: WorkItem,
    last: Pick<Ending, 'written' | 'agentName'> | undefined,
    error: unknown,
  ): Promise<Claim | undefined> {
    const { settings } = this.#context;
    const written = last?.written ?? item.document;
    if (error instanceof HandBack) return this.#handBack(item.lease, item.work.id, error.message, error);
    if (error instanceof AgentError && ['lease-lost', 'store-unavailable'].includes(error.code)) throw error;
    if (error instanceof AgentError && error.code === 'stopped')
      return this.#handBack(item.lease, item.work.id, 'stopped', error);
    const failure = failureOf(error);
    const decidedNow = written.asks.find((ask) => ask.decision?.entry === item.work.id);
    if (
      isMisuse(error) ||
      item.claim.strikes >= settings.strikes ||
      decidedNow?.onCrash === 'park' ||
      failure.code === 'unknown-agent'
    ) {
      return this.#commit.park(item, written, failure, this.#sorry(item), last?.agentName);
    }
    const wait = settings.backOff[Math.min(item.claim.strikes, settings.backOff.length) - 1] ?? 1_000;
    await this.#commit.fail(item, failure, wait);
    this.#dispatcher.again(item.lease.conversationId, wait);
    return undefined;
  }

  async #handBack(lease: Lease, entryId: string, why: string, error: unknown): Promise<undefined> {
    const damaged = error instanceof AgentError && error.code === 'bad-record';
    await lease.save({ type: 'release', wait: damaged ? 60_000 : 0, returnStrike: true }, {});
    this.#dispatcher.avoid(lease.conversationId);
    this.#context.emit('handedBack', { conversationId: lease.conversationId, entryId, why });
    this.#context.store.hint({ conversationId: lease.conversationId });
    if (damaged)
      this.#context.logger.error('A conversation cannot be read and was left as it is', {
        conversationId: lease.conversationId,
        why,
      });
    return undefined;
  }

  /** Claimed because something was due, and by now nothing is. */
  async #nothing(lease: Lease, document: Conversation): Promise<Claim | undefined> {
    const then = { type: 'next', turn: this.#context.newId(), lease: this.#context.settings.lease } as const;
    const saved = await lease.save(this.#commit.draining ? { type: 'release', wait: 0, returnStrike: true } : then, {
      due: dueAt(document) ?? null,
      open: isOpen(document),
    });
    return saved.next;
  }

  /** The human is told once that something went wrong, if a human is there. */
  #sorry(item: WorkItem): Move[] {
    const { entry } = item.subject;
    if (entry.type !== 'message' || entry.automated || entry.place.trigger || item.parked !== undefined) return [];
    return [
      { type: 'say', place: entry.place, text: this.#context.language(entry.participant?.locale).wording.failed() },
    ];
  }

  #lost(lease: Lease, claim: Claim, error: unknown): void {
    const about = { conversationId: lease.conversationId, entryId: claim.entry?.id ?? '' };
    const failure: Failure = failureOf(error);
    if (error instanceof AgentError && error.code === 'lease-lost') this.#context.emit('fenced', about);
    this.#context.logger.warn('A turn was given up and will be taken over when its lease is over', {
      ...about,
      failure,
    });
  }
}

function noticed(wording: Wording, notice: Notice, by: Participant | undefined): string {
  return notice === 'already' ? wording.already(by) : wording[notice]();
}
