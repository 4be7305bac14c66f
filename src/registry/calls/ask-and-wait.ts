/**
 * Asking and waiting for the outcome, for code that is no agent. The ask is one like any other; only its continuation is
 * a promise in this process instead of a handler.
 */
import { checkedQuestion } from '../../answers/question.js';
import { text } from '../../answers/text.js';
import type { Question } from '../../core/ask/answer-type.js';
import type { Ask } from '../../core/ask/ask.js';
import { withoutSensitiveAnswer } from '../../core/ask/ask.js';
import { checkedAskOptions } from '../../core/ask/options.js';
import type { Outcome } from '../../core/ask/outcome.js';
import { erasedOutcome, neverAskedOutcome, outcomeOf } from '../../core/ask/outcome.js';
import { assertObject, readable, string } from '../../core/check-options.js';
import { definedFields } from '../../core/defined-fields.js';
import { AgentError, badOption, refusedElsewhere } from '../../core/errors.js';
import { describe } from '../../core/ids.js';
import type { RegistryContext } from '../context.js';
import { waitInTurn } from '../turn/asking.js';
import { assertOutsideTurnOf, runningTurn } from '../turn/current-turn.js';
import { tellsOutcome } from '../turn/remembering.js';
import { judgedByWords } from '../turn/reply.js';
import type { Turn } from '../turn/turn.js';
import type { CheckedWait, WaitOptions } from '../turn/wait-options.js';
import { checkedWait } from '../turn/wait-options.js';
import type { KnownAsk, QueuedAsk } from '../waiters.js';
import type { AskedFromOutside } from './ask-owner.js';
import { isDeclared, ownerOf } from './ask-owner.js';
import type { FoundAsk } from './lookup.js';
import type { AskOpener, AskThereOptions, Opening } from './open-ask.js';
import { givenAsker, waitingThere, whereTo } from './open-ask.js';
import type { CallParts } from './parts.js';
import { settle } from './settle/settle.js';

/** The options of `askAndWait()` of the registry: where and how to ask, and how long to wait. */
export interface AskAndWaitOptions extends AskThereOptions, WaitOptions {}

const nothing = (): void => {};

export class AskAndWait {
  readonly #context: RegistryContext;
  readonly #parts: CallParts;
  readonly #opener: AskOpener;

  /** One for all calls: very many may wait at once. */
  readonly #letsProcessGo = (): void => this.#context.hold.ends();

  constructor(parts: CallParts, opener: AskOpener) {
    [this.#context, this.#parts, this.#opener] = [parts.context, parts, opener];
  }

  /** `about`: what it is found by among the questions of its place. */
  async askAndWait<T>(
    question: string | Question<T>,
    options: AskAndWaitOptions,
    about?: readonly string[],
  ): Promise<Outcome<T>> {
    const { timeout, keep, signal, keepAlive, ...rest } = assertObject(options, 'askAndWait(): the options', whereTo);
    if ('key' in rest)
      throw badOption(
        'askAndWait(): the option key is for registry.ask(). Ask with it, and wait for what it returns: const { askId } = await registry.ask(question, { key, … }); await registry.wait(askId).',
      );
    if (readable('A question', 'bad-option', () => isDeclared(question)))
      throw badOption(
        'askAndWait() takes no declared question: its handlers get the answer. Ask with registry.ask() and wait with registry.wait(askId), or pass the question that was declared, such as confirm(…).',
      );
    const wait = checkedWait({ ...definedFields({ timeout, keep, signal, keepAlive }) });
    const givenUp = wait.keep || !Number.isFinite(wait.timeout) ? undefined : wait.timeout;
    const inside = runningTurn(this.#context);
    if (inside !== undefined && inside.conversationId === rest.conversationId)
      return this.#inTurn<T>(inside, question, rest, wait);
    const owner = ownerOf([], question as AskedFromOutside, undefined, 'askAndWait()');
    const opening = this.#opener.opening('askAndWait()', owner, rest, { inside, about, timeout: givenUp });
    wait.signal?.throwIfAborted();
    if (inside?.conversationId === opening.conversationId) return this.#inTurn<T>(inside, question, rest, wait);
    const earlier = inside === undefined ? undefined : await this.#earlier(inside, opening.id);
    if (earlier !== undefined) return outcomeOf<T>(earlier, opening.conversationId);
    return this.#outcome<T>({ ask: opening.entry.ask, conversationId: opening.conversationId }, wait, opening);
  }

  /** The decided ask that an earlier attempt of the turn waited for, kept with the parked work or by itself. */
  async #earlier(turn: Turn, askId: string): Promise<Ask | undefined> {
    if (turn.attempt === 1) return undefined;
    const ask = turn.waitedFor(askId) ?? (await this.#parts.asks.find(askId))?.ask;
    if (ask === undefined || ask.status === 'pending') return undefined;
    turn.waited.awaited.push(ask);
    await tellsOutcome(turn, ask.id, ask.own.onCrash);
    return ask;
  }

  /** The conversation is the turn's own: it must read the reply itself, because no other turn of the conversation can before it ends. */
  #inTurn<T>(
    turn: Turn,
    question: string | Question<T>,
    options: AskThereOptions,
    wait: CheckedWait,
  ): Promise<Outcome<T>> {
    givenAsker(this.#context, options, 'askAndWait()');
    const { channel: _, to: __, conversationId: ___, ...rest } = options;
    const asked = (typeof question === 'string' ? text(question) : checkedQuestion(question)) as Question<unknown>;
    const checked = checkedAskOptions(rest, this.#context.settings, asked.type.kind, 'askAndWait()', waitingThere);
    return waitInTurn<T>(turn, asked, checked, wait, { judge: judgedByWords });
  }

  /** Waits for an ask that was opened before: by this process before a restart, or by another one. */
  async wait<T>(askId: string, options: WaitOptions): Promise<Outcome<T>> {
    const given = assertObject(options, 'wait(): the options', 'an object such as { timeout: 5000 }');
    const wait = checkedWait({ keep: true, ...given }, 'wait()');
    string()(askId, 'wait(): askId');
    const found = await this.#parts.asks.find(askId);
    if (found === null)
      throw new AgentError('unknown-ask', `wait(): there is no ask ${describe(askId)}, or it is forgotten.`);
    if (found.ask.status === 'pending' && found.ask.progress.waitsIn === undefined)
      assertOutsideTurnOf(
        this.#context,
        found.conversationId,
        'wait()',
        "Ask with the turn's own askAndWait(), or let the answer be handled by a turn of its own.",
      );
    return this.#outcome<T>(found, wait);
  }

  /**
   * What becomes of the ask, which `opening` opens if it is given. `known` is all that is left to say of one that is erased meanwhile. While it
   * waits there is one async frame, because very many may wait at once.
   */
  async #outcome<T>(known: FoundAsk, wait: CheckedWait, opening?: Opening): Promise<Outcome<T>> {
    const { dispatcher, waiters } = this.#parts;
    const { timeout, keep, signal } = wait;
    const { conversationId } = known;
    const { id: askId, own } = known.ask;
    if (own.awaited) dispatcher.waitBegins(conversationId); // what an agent asked is left to processes that have it
    let ends = nothing;
    try {
      const queued = opening && (await this.#opener.record(opening));
      if (opening === undefined) dispatcher.lookIn(conversationId);
      const inside = runningTurn(this.#context);
      if (inside !== undefined) ends = waiters.turnWaits(inside, askId);
      else if (wait.keepAlive) {
        this.#context.hold.begins();
        ends = this.#letsProcessGo;
      }
      let looked: KnownAsk | undefined;
      try {
        looked = await waiters.end(askId, timeout, [signal, inside?.stop.signal], queued);
      } catch (error) {
        // a turn that has to stop runs again and finds its ask
        if (signal?.aborted && !keep && inside?.stop.isStopped !== true) await this.#nobodyWaits(askId, queued);
        throw error;
      }
      return await this.#ended<T>(known, looked ?? null, wait, queued, inside);
    } finally {
      ends();
      if (own.awaited) dispatcher.waitEnds(conversationId);
    }
  }

  /** The outcome by what is known at the end of the wait. */
  async #ended<T>(
    { ask, conversationId }: FoundAsk,
    looked: KnownAsk,
    { keep }: CheckedWait,
    queued: QueuedAsk | undefined,
    inside: Turn | undefined,
  ): Promise<Outcome<T>> {
    let found = looked;
    if (found !== null && typeof found === 'object' && 'failure' in found) throw refusedElsewhere(found.failure);
    if (found !== null && typeof found === 'object' && found.ask.status === 'pending' && !keep) {
      await this.#nobodyWaits(ask.id, queued, 'timeout');
      found = (await this.#parts.asks.find(ask.id)) ?? 'erased';
    }
    if (found === 'erased') return erasedOutcome<T>(ask, conversationId);
    if (found === null) await this.#opener.giveUp(ask.id, conversationId, 'timeout');
    if (found === null || found === 'never-asked') return neverAskedOutcome<T>(ask, conversationId);
    if (found.ask.status !== 'pending' && inside !== undefined) {
      inside.waited.awaited.push(found.ask);
      await tellsOutcome(inside, ask.id, found.ask.own.onCrash);
    }
    // the caller gets a sensitive answer only if the ask was made to be waited for
    return outcomeOf<T>(found.ask.own.awaited ? found.ask : withoutSensitiveAnswer(found.ask), found.conversationId);
  }

  async #nobodyWaits(askId: string, queued: QueuedAsk | undefined, reason?: 'timeout'): Promise<void> {
    const { type } = await settle(this.#parts, askId, { type: 'cancel', askId, ...definedFields({ reason }) });
    if (type === 'unknown' && queued !== undefined) await this.#opener.giveUp(askId, queued.conversationId, reason);
  }
}
