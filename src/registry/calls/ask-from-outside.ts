/**
 * Asking from outside of turns without waiting: the ask goes on without its caller, who is told its id once it is open.
 */
import type { Ask } from '../../core/ask/ask.js';
import { alsoTaken } from '../../core/ask/options.js';
import { assertObject, checkOptions, optional, string } from '../../core/check-options.js';
import type { Disposition } from '../../core/conversation/entry.js';
import { cancelledBeforeAsked } from '../../core/conversation/entry.js';
import { definedFields } from '../../core/defined-fields.js';
import { AgentError, refusedElsewhere } from '../../core/errors.js';
import type { Json } from '../../core/json.js';
import { canonical } from '../../core/json.js';
import type { RegistryContext } from '../context.js';
import { stoppedError } from '../context.js';
import type { Dispatcher } from '../intake/dispatcher.js';
import type { OutcomeWaiters } from '../outcome-waiters.js';
import { dispositionIn } from '../outcome-waiters.js';
import type { RegisteredAgent } from '../turn/agent-port.js';
import { assertOutsideTurnOf, runningTurn } from '../turn/current-turn.js';
import type { OutcomeHandler } from '../turn/question-handlers.js';
import type { AskedFromOutside } from './ask-owner.js';
import { ownerOf } from './ask-owner.js';
import type { QueuedAsk } from './ask-waiters.js';
import { KeySecret } from './key-secret.js';
import type { AskLookup } from './lookup.js';
import type { AskOpener, AskThereOptions, Opening } from './open-ask.js';

/**
 * Where and how to ask, and who goes on with the outcome.
 *
 * @example
 * import { AgentRegistry, type AskFromOutsideOptions } from 'askback';
 *
 * const registry = new AgentRegistry();
 * const options: AskFromOutsideOptions = { channel: 'handle', conversationId: 'web-anna', key: 'size:42' };
 * await registry.ask('Which size?', options);
 */
export interface AskFromOutsideOptions extends AskThereOptions {
  /** The same key is the same ask: a caller that starts again does not ask twice. */
  readonly key?: string;
  /** What `onOutcome()` of an agent returned: the handler that is told the outcome, in any process. */
  readonly then?: OutcomeHandler;
}

/**
 * An ask that is open.
 *
 * @example
 * import { AgentRegistry, confirm, type OpenedAsk } from 'askback';
 *
 * const registry = new AgentRegistry();
 * const { askId }: OpenedAsk = await registry.ask(confirm('Refund it?'), { channel: 'handle', conversationId: 'web-anna' });
 */
export interface OpenedAsk {
  /** The id of the ask, for `wait()`, `getAsk()` and `cancel()`. */
  readonly askId: string;
  /** The conversation in which replies arrive. */
  readonly conversationId: string;
}

const whereTo = "an object such as { channel: 'terminal' }";
const outside = [...alsoTaken.there, ...alsoTaken.outside];
const outsideRules = { key: optional(string()) };

/** An ask was cancelled by its caller before it was open. */
const isGivenUpBefore = (disposition: Disposition): boolean =>
  disposition.type === 'ignored' && disposition.why === cancelledBeforeAsked;

/** What a key stands for: what is asked, who goes on with it, who may answer, and how the answer is kept. Context and details may be newer. */
const meant = ['question', 'kind', 'data', 'agentName', 'name', 'then'] as const;
const decides = [
  'answerableBy',
  'quorum',
  'excluded',
  'tenant',
  'asker',
  'sensitive',
  'links',
  'mail',
  'escalate',
] as const;

/** The first field that makes them two asks. */
function differenceOf(known: Ask, asked: Ask): string | undefined {
  const differs = (name: keyof Ask): boolean => canonical(known[name] as Json) !== canonical(asked[name] as Json);
  const field = [...meant, ...decides].find(differs);
  return field ?? (known.origin?.asker === asked.origin?.asker ? undefined : 'asker');
}

export class AskFromOutside {
  readonly #context: RegistryContext;
  readonly #opener: AskOpener;
  readonly #dispatcher: Dispatcher;
  readonly #entries: OutcomeWaiters;
  readonly #asks: AskLookup;
  readonly #agents: ReadonlyMap<string, RegisteredAgent>;
  readonly #secret: KeySecret;

  constructor(
    context: RegistryContext,
    opener: AskOpener,
    parts: {
      readonly dispatcher: Dispatcher;
      readonly entries: OutcomeWaiters;
      readonly asks: AskLookup;
      readonly agents: ReadonlyMap<string, RegisteredAgent>;
    },
  ) {
    this.#context = context;
    this.#opener = opener;
    this.#dispatcher = parts.dispatcher;
    this.#entries = parts.entries;
    this.#asks = parts.asks;
    this.#agents = parts.agents;
    this.#secret = new KeySecret(context);
  }

  /**
   * Asks and does not wait for the answer. Resolves once the ask is open; one that cannot be opened soon is given up. `about`: what it is
   * found by among the questions of its place.
   */
  async ask(question: AskedFromOutside, options: AskFromOutsideOptions, about?: readonly string[]): Promise<OpenedAsk> {
    const { then, key: keyName, ...rest } = assertObject(options, 'ask(): the options', whereTo);
    const owner = ownerOf(this.#agents.values(), question, then, 'ask()');
    const named = checkOptions('ask()', definedFields({ key: keyName }), outsideRules, "{ key: 'size:4711' }");
    const inside = runningTurn(this.#context);
    const key = named.key === undefined ? undefined : { name: named.key, secret: await this.#secret.read() };
    const parts = { inside, key, also: outside, about };
    const opening = this.#opener.opening('ask()', owner, { ...owner.stored, ...rest }, parts);
    const { id, conversationId } = opening;
    assertOutsideTurnOf(
      this.#context,
      conversationId,
      'registry.ask()',
      "Ask with the turn's own ask() or askAndWait().",
    );
    const known = key === undefined ? undefined : await this.#asked(opening, key.name);
    if (known !== undefined) return known;
    const letGo = this.#dispatcher.waitIn(conversationId);
    try {
      let isOpen = false;
      while (!isOpen) {
        const queued = await this.#opener.record(opening, this.#context.id, isGivenUpBefore);
        isOpen = await this.#isOpened(id, queued);
      }
      if (key !== undefined) await this.#isAsked(id, opening, key.name); // another caller may have been first
    } finally {
      letGo();
    }
    return { askId: id, conversationId };
  }

  /** The ask of this key if it was made before, under the id that an earlier build gave it or under its own. */
  async #asked(opening: Opening, key: string): Promise<OpenedAsk | undefined> {
    for (const each of [opening.earlier, opening])
      if (each !== undefined && (await this.#isAsked(each.id, opening, key)))
        return { askId: each.id, conversationId: each.conversationId };
    return undefined;
  }

  /** Whether there is an ask of this id. It must be the same question: a key stands for one. */
  async #isAsked(id: string, { entry }: Opening, key: string): Promise<boolean> {
    const found = await this.#context.store.find(id);
    if (found === null) return false;
    const known = (await this.#asks.find(id))?.ask;
    const what = `ask(): the key ${JSON.stringify(key)}`;
    if (known === undefined)
      throw new AgentError(
        'bad-option',
        `${what} belongs to an ask that was erased. Nothing was asked. Use another key.`,
      );
    const other = differenceOf(known, entry.ask);
    if (other === undefined) return true;
    throw new AgentError(
      'bad-option',
      `${what} belongs to another question, ${JSON.stringify(known.question)}: they differ in ${other}. Nothing was asked. Use a key for each question.`,
    );
  }

  /** False: an earlier caller had given it up, so it has to be handed in again. */
  async #isOpened(id: string, { conversationId, entryId }: QueuedAsk): Promise<boolean> {
    const { callTimeout } = this.#context.settings;
    const turn = this.#dispatcher.turnWaits();
    const done = dispositionIn(await this.#entries.outcome(conversationId, entryId, callTimeout, turn));
    if (done?.type === 'failed') throw refusedElsewhere(done.failure);
    if (done?.type === 'control' || (await this.#asks.find(id)) !== null) return true;
    if (this.#entries.isStopped) throw stoppedError(id);
    if (done !== undefined && isGivenUpBefore(done)) return false;
    if (done === undefined) await this.#opener.giveUp(id, conversationId);
    throw new AgentError(
      'not-opened',
      `ask(): conversation ${JSON.stringify(conversationId)} was busy for ${callTimeout} ms, so the question was not asked; it is cancelled. Ask again later.`,
    );
  }
}
