/**
 * The worker: works on one conversation until nothing is left or the lease is lost. Reads each entry by the rules of core/,
 * runs the agent where there is something to run, and sees to it that every ending is saved.
 */
import { AsyncResource } from 'node:async_hooks';
import type { Ask } from '../../core/ask/ask.js';
import type { Move } from '../../core/conversation/apply-turn.js';
import type { Conversation } from '../../core/conversation/conversation.js';
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
import { StopSignal } from '../lease/stop-signal.js';
import { decide } from '../turn/deciding.js';
import { roomRefusal } from '../turn/new-ask.js';
import { Turn } from '../turn/turn.js';
import type { Commit } from './commit.js';
import { isDropped, isIntercepted } from './intercept.js';
import { endsByItself } from './own-endings.js';
import { openTurn, readTurn } from './read-turn.js';
import type { AgentRunner } from './run-agent.js';
import { concluded, HandBack } from './run-agent.js';

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
        let next: Claim | undefined;
        const turn = this.#opened(lease, claim);
        if (turn instanceof Turn) {
          try {
            const hopeless = this.#hopeless(turn);
            if (hopeless === undefined) {
              turn.stop = new StopSignal(this.#context);
              await lease.run(turn.stop, () => this.#inItsContext(turn, () => this.#run(turn)));
              const closing = this.#commit.closing(turn);
              ({ next } = await lease.save(closing.end, closing.changes));
              this.#commit.closed(closing);
            } else next = await this.#commit.park(turn, hopeless, this.#sorry(turn));
          } catch (error) {
            turn.end();
            const failed = await this.#failed(turn, error);
            if (failed.type !== 'parked') return failed;
            next = failed.next;
          }
        } else if ('unreadable' in turn) {
          return await this.#handBack(lease, claim.entry?.id ?? '', turn.unreadable, 'claim');
        } else next = await this.#commit.nothing(lease, turn);
        if (next === undefined) return { type: 'finished' };
        claim = next;
      }
    } catch (error) {
      return this.#lost(lease, claim, error);
    }
  }

  /** The turn of a claim; the document if nothing is due any more; or why the record cannot be read. */
  #opened(lease: Lease, claim: Claim): Turn | Conversation | { readonly unreadable: unknown } {
    try {
      return openTurn(this.#context, lease, claim);
    } catch (error) {
      return { unreadable: error };
    }
  }

  /** From now on the worker lets go after the work at hand. */
  drain(): void {
    this.#commit.drain();
  }

  /** Why the work must not run again: it may have had its effect, or it has killed too many processes. */
  #hopeless({ claim, document, parked, work, subject }: Turn): Failure | undefined {
    if (subject.entry.type === 'unpark') return undefined; // it runs nothing that could have killed them
    const decided = parked?.ask ?? document.asks.find((ask) => ask.decision?.entry === work.id);
    if (claim.attempt > 1 && decided?.own.onCrash === 'park') return failureOf(mayHaveHappened(decided.id));
    if (claim.strikes > this.#context.settings.maxAttempts)
      return { code: 'crashed', message: `The process handling this entry died ${claim.strikes - 1} times.` };
    return undefined;
  }

  /** A message runs in the async context of the call that brought it. That context must not leak into any other work. */
  #inItsContext<T>({ workId, lease }: Turn, work: () => T): T {
    return workId === lease.arrival ? work() : this.#own.runInAsyncScope(work);
  }

  /** Reads the entry and runs the agent, unless it ends without one. */
  async #run(turn: Turn): Promise<void> {
    const reading = readTurn(turn);
    if (reading !== undefined) await reading;
    if (turn.reading.type === 'open') await this.#open(turn, turn.reading.ask);
    if (isIntercepted(turn) && (await isDropped(turn))) return;
    if (endsByItself(turn)) return;
    const route = this.#agents.route(turn);
    const agentName = isPromiseLike(route) ? await route : route;
    // the decision needs no agent, only what follows it
    if (turn.reading.type === 'close') await decide(turn, turn.reading.ask.id, closingVerdict(turn.reading));
    const result = await this.#agents.run(turn, agentName);
    turn.end();
    if (turn.waits !== undefined) await turn.waits.last; // one that was not awaited may be writing
    concluded(turn, result);
  }

  /**
   * An ask that is to be opened here. It is not asked if its caller has given it up. One of another conversation's turn that finds
   * no room ends as undeliverable.
   */
  async #open(turn: Turn, ask: Ask): Promise<void> {
    if (await this.#isGivenUp(turn, ask)) turn.reading = givenUp;
    else if (!ask.own.awaited && roomRefusal(turn, ask) !== undefined) {
      turn.document = withAskOpened(turn.document, ask);
      turn.written = turn.document;
      turn.reading = { type: 'close', ask, as: 'undeliverable' };
    }
  }

  /** Whether a cancel stands behind the entry. Nothing can where the entry was claimed in the step that recorded it. */
  async #isGivenUp({ lease, claim, work, subject, conversationId }: Turn, ask: Ask): Promise<boolean> {
    if (lease.arrival === work.id && claim.revision === subject.revision) return false;
    const state = await this.#context.store.conversation(conversationId, 1);
    return isGivenUp(ask.id, state?.queue.map(readEntry) ?? []);
  }

  async #failed(
    turn: Turn,
    error: unknown,
  ): Promise<Release | { readonly type: 'parked'; readonly next: Claim | undefined }> {
    const { settings } = this.#context;
    const { lease, work, claim, written, agentName } = turn;
    if (error instanceof HandBack) return this.#handBack(lease, work.id, error, 'claim');
    if (error instanceof AgentError && ['lease-lost', 'store-unavailable'].includes(error.code)) throw error;
    if (error instanceof AgentError && error.code === 'stopped')
      return this.#handBack(lease, work.id, error, agentName === undefined ? 'claim' : 'strike', 'stopped');
    if (error instanceof AgentError && isLeftToOthers(error) && this.#agents.mayOthersCome(turn)) {
      this.#warnOfMissing(turn, error);
      return this.#handBack(lease, work.id, error, turn.hasBegun ? 'strike' : 'claim');
    }
    const hasSecret = hidesWords(turn) || turn.hasSensitiveAnswer;
    const failure = hasSecret ? failureWithoutMessage(error) : failureOf(error);
    const decided = written.asks.find((ask) => ask.decision?.entry === work.id);
    const isParked =
      isMisuse(error) ||
      claim.strikes >= settings.maxAttempts ||
      decided?.own.onCrash === 'park' ||
      turn.mustNotRepeat ||
      failure.code === 'may-have-happened' ||
      failure.code === 'unknown-agent';
    const stack = hasSecret ? undefined : stackOf(error); // it begins with the message
    const trace = definedFields({ agentName, question: turn.reply?.question.name, stack });
    if (isParked) return { type: 'parked', next: await this.#commit.park(turn, failure, this.#sorry(turn), trace) };
    const wait = settings.backOff[Math.min(claim.strikes, settings.backOff.length) - 1] ?? 1_000;
    await this.#commit.fail(turn, failure, wait, trace);
    return { type: 'failed', wait };
  }

  /**
   * The agent is here and lacks what a stored ask needs: in a rolling deploy another release has it, after a rename no process has.
   * An ask of no agent is not told of: the process that asked reads its reply.
   */
  #warnOfMissing({ agentName, conversationId, reading }: Turn, error: AgentError): void {
    if (agentName === undefined || agentName === waitingAgent) return;
    const ask = 'ask' in reading ? reading.ask : undefined;
    warnOnce(
      this.#context,
      `missing: ${agentName} ${[ask?.question.name, ask?.own.then, ask?.question.kind].join(' ')}`,
      'An agent of this process cannot read an ask that is stored. Its work is left to other processes for leftFor ms (settings.unknownAgent) and is parked then. If the failure names something that was renamed, declare it under its old name, too',
      { conversationId, agentName, failure: failureOf(error), leftFor: this.#context.settings.unknownAgent },
    );
  }

  /** Where nothing of the author's has run, the next attempt is the same one: no effect can have happened. */
  async #handBack(
    lease: Lease,
    entryId: string,
    error: unknown,
    returns: Returned,
    why = failureOf(error).message,
  ): Promise<Release> {
    const { conversationId } = lease;
    const isDamaged = error instanceof AgentError && error.code === 'bad-record';
    await this.#commit.handBack(lease, isDamaged ? 60_000 : 0, returns);
    this.#context.emit('handedBack', { conversationId, entryId, why });
    if (isDamaged)
      this.#context.logger.error('A conversation cannot be read and was left as it is', { conversationId, why });
    return { type: 'handed-back' };
  }

  /** The human is told once that something went wrong, if a human is there. */
  #sorry({ subject: { entry }, parked }: Turn): Move[] {
    if (entry.type !== 'message' || entry.automated || entry.place.trigger || parked !== undefined) return [];
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
