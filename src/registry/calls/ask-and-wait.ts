/**
 * Asking and waiting for the outcome, for code that is no agent. The ask is one like any other; only its continuation is
 * a promise in this process instead of a handler.
 */
import { checkedQuestion, typeOf } from '../../answers/question.js';
import { text } from '../../answers/text.js';
import type { Question } from '../../core/ask/answer-type.js';
import type { Ask } from '../../core/ask/ask.js';
import { withoutSensitiveAnswer } from '../../core/ask/ask.js';
import type { TurnAsker } from '../../core/ask/asker.js';
import type { AskOptions } from '../../core/ask/options.js';
import { alsoTaken, checkedAskOptions, checkedVia } from '../../core/ask/options.js';
import type { Outcome } from '../../core/ask/outcome.js';
import { erasedOutcome, neverAskedOutcome, outcomeOf } from '../../core/ask/outcome.js';
import { assertObject, checkOptions, optional, string } from '../../core/check-options.js';
import type { OpenEntry } from '../../core/conversation/entry.js';
import { openEntryId } from '../../core/conversation/entry.js';
import { definedFields } from '../../core/defined-fields.js';
import { AgentError, refusedElsewhere } from '../../core/errors.js';
import { describe, digest, routedId } from '../../core/ids.js';
import type { Json } from '../../core/json.js';
import type { Participant } from '../../core/participant.js';
import { saysSomething } from '../../core/text.js';
import { personRule } from '../arguments.js';
import type { RegistryContext } from '../context.js';
import { stoppedError, waitingAgent } from '../context.js';
import type { Dispatcher } from '../intake/dispatcher.js';
import type { OutcomeWaiters } from '../outcome-waiters.js';
import { dispositionIn } from '../outcome-waiters.js';
import { retried } from '../retry.js';
import type { RegisteredAgent, Served } from '../turn/agent-port.js';
import { attach, serve } from '../turn/agent-port.js';
import { assertOutsideTurnOf, currentTurn, runningTurn } from '../turn/current-turn.js';
import type { NewAsk } from '../turn/new-ask.js';
import { askRecord, assertPolicyKnown, newAsk, viaTarget } from '../turn/new-ask.js';
import type { OutcomeHandler } from '../turn/question-handlers.js';
import { handleReply, tellAnswered } from '../turn/reply.js';
import type { Turn } from '../turn/turn.js';
import type { CheckedWait, WaitOptions } from '../turn/wait-options.js';
import { checkedWait } from '../turn/wait-options.js';
import type { AskedFromOutside, AskOwner } from './ask-owner.js';
import { ownerOf } from './ask-owner.js';
import type { AskWaiters, Found, QueuedAsk } from './ask-waiters.js';
import type { AskLookup } from './lookup.js';
import type { Settlement } from './settle.js';

/** Where and how to ask, for code that is in no conversation. */
export interface AskThereOptions extends Omit<AskOptions, 'via'> {
  /** The channel that carries the question out. */
  readonly channel: string;
  /** Where on the channel: a chat, a user, an address. */
  readonly to?: Json;
  /** The conversation a reply arrives in. Needed only if the channel cannot tell. */
  readonly conversationId?: string;
}

export interface AskAndWaitOptions extends AskThereOptions, WaitOptions {}

/** The same for `registry.ask()`, whose asks go on without the caller. */
export interface AskFromOutsideOptions extends AskThereOptions {
  /** The same key is the same ask: a caller that starts again does not ask twice. */
  readonly key?: string;
  /** For whom it is asked: their tenant bounds who may answer, and `excludeAsker` leaves them out. In a turn it is whom the turn acts for. */
  readonly asker?: Participant;
  /** What `onOutcome()` of an agent returned: the handler that is told the outcome, in any process. */
  readonly then?: OutcomeHandler;
}

/** An ask that is open. */
export interface OpenedAsk {
  readonly askId: string;
  readonly conversationId: string;
}

/** How long after its timeout a waited-for ask expires by itself: a process that dies while it waits cancels nothing. */
const expiryMargin = 60_000;
const atOnce = 100;
const whereTo = "an object such as { channel: 'terminal' }";

export class AskAndWait {
  readonly #context: RegistryContext;
  readonly #dispatcher: Dispatcher;
  readonly #waiters: AskWaiters;
  readonly #entries: OutcomeWaiters;
  readonly #settling: Settlement;
  readonly #asks: AskLookup;
  readonly #agents: ReadonlyMap<string, RegisteredAgent>;
  /** How many are being stored, and who waits for a place among them. */
  #recording = 0;
  readonly #inLine: (() => void)[] = [];

  constructor(
    context: RegistryContext,
    waiters: { readonly asks: AskWaiters; readonly entries: OutcomeWaiters },
    parts: {
      readonly dispatcher: Dispatcher;
      readonly settling: Settlement;
      readonly asks: AskLookup;
      readonly agents: ReadonlyMap<string, RegisteredAgent>;
    },
  ) {
    this.#context = context;
    this.#dispatcher = parts.dispatcher;
    this.#waiters = waiters.asks;
    this.#entries = waiters.entries;
    this.#settling = parts.settling;
    this.#asks = parts.asks;
    this.#agents = parts.agents;
  }

  async askAndWait<T>(question: string | Question<T>, options: AskAndWaitOptions): Promise<Outcome<T>> {
    const { timeout, keep, signal, ...rest } = assertObject(options, 'askAndWait(): the options', whereTo);
    const wait = checkedWait({ ...definedFields({ timeout, keep, signal }) });
    const limits = wait.keep || !Number.isFinite(wait.timeout) ? {} : { expiresIn: wait.timeout + expiryMargin };
    const inside = runningTurn(this.#context);
    if (inside !== undefined && inside.conversationId === rest.conversationId)
      return this.#inTurn<T>(inside, question, rest, wait);
    const owner = ownerOf([], question as AskedFromOutside, undefined, 'askAndWait()');
    const opening = this.#opening('askAndWait()', owner, { ...limits, ...rest }, { inside });
    wait.signal?.throwIfAborted();
    if (inside?.conversationId === opening.conversationId) return this.#inTurn<T>(inside, question, rest, wait);
    const earlier = inside === undefined ? undefined : await this.#earlier(inside, opening.id);
    if (earlier !== undefined) return outcomeOf<T>(earlier, opening.conversationId);
    const letGo = this.#dispatcher.waitIn(opening.conversationId);
    try {
      const queued = await this.#record(opening);
      return await this.#outcome<T>({ ...opening, ask: opening.entry.ask }, wait, queued);
    } finally {
      letGo();
    }
  }

  /** The decided ask that an earlier attempt of the turn waited for, kept with the parked work or by itself. */
  async #earlier(turn: Turn, askId: string): Promise<Ask | undefined> {
    if (turn.parts.attempt === 1) return undefined;
    const ask = turn.waitedFor(askId) ?? (await this.#asks.find(askId))?.ask;
    if (ask === undefined || ask.status === 'pending') return undefined;
    turn.awaited.push(ask);
    await turn.tells(ask.id, ask.onCrash);
    return ask;
  }

  /** The conversation is the turn's own: it must read the reply itself, for nobody else can before it ends. */
  #inTurn<T>(
    turn: Turn,
    question: string | Question<T>,
    options: AskThereOptions,
    wait: CheckedWait,
  ): Promise<Outcome<T>> {
    const { channel: _, to: __, conversationId: ___, ...rest } = options;
    const asked = (typeof question === 'string' ? text(question) : checkedQuestion(question)) as Question<unknown>;
    const request = newAsk(
      waitingAgent,
      undefined,
      asked,
      checkedAskOptions(rest, this.#context.settings, asked.type.kind, 'askAndWait()', waitingThere),
    );
    const judge = async (_question: string, reply: string): Promise<boolean> => saysSomething(reply);
    return turn.waiting.wait<T>(request, wait, { type: typeOf(asked), judge });
  }

  /** Asks and does not wait for the answer. Resolves once the ask is open; one that cannot be opened soon is given up. */
  async ask(question: AskedFromOutside, options: AskFromOutsideOptions): Promise<OpenedAsk> {
    const { then, key, asker, ...rest } = assertObject(options, 'ask(): the options', whereTo);
    const owner = ownerOf(this.#agents.values(), question, then, 'ask()');
    const named = checkOptions('ask()', definedFields({ key, asker }), outsideRules, "{ key: 'size:4711' }");
    const inside = runningTurn(this.#context);
    const parts = { inside, key: named.key, asker: named.asker, also: outside };
    const opening = this.#opening('ask()', owner, { ...owner.stored, ...rest }, parts);
    const { id, conversationId } = opening;
    assertOutsideTurnOf(
      this.#context,
      conversationId,
      'registry.ask()',
      "Ask with the turn's own ask() or askAndWait().",
    );
    if (key !== undefined && (await this.#isAsked(opening, key))) return { askId: id, conversationId };
    const letGo = this.#dispatcher.waitIn(conversationId);
    try {
      const queued = await this.#record(opening, this.#context.id);
      await this.#opened(id, queued);
      if (key !== undefined) await this.#isAsked(opening, key); // somebody else may have been first
    } finally {
      letGo();
    }
    return { askId: id, conversationId };
  }

  /** Whether the ask of this key was made before. It must be the same question: a key stands for one. */
  async #isAsked({ id, entry }: Opening, key: string): Promise<boolean> {
    const found = await this.#context.store.find(id);
    if (found === null) return false;
    const known = (await this.#asks.find(id))?.ask;
    const what = `ask(): the key ${JSON.stringify(key)}`;
    if (known === undefined)
      throw new AgentError(
        'bad-option',
        `${what} belongs to an ask that was erased. Nothing was asked. Use another key.`,
      );
    const { ask } = entry;
    const isSame =
      known.question === ask.question &&
      known.kind === ask.kind &&
      known.agentName === ask.agentName &&
      known.name === ask.name &&
      known.then === ask.then;
    if (isSame) return true;
    throw new AgentError(
      'bad-option',
      `${what} belongs to another question, ${JSON.stringify(known.question)}. Nothing was asked. Use a key for each question.`,
    );
  }

  async #opened(id: string, { conversationId, entryId }: QueuedAsk): Promise<void> {
    const { patience } = this.#context.settings;
    const turn = this.#dispatcher.turnWaits();
    const done = dispositionIn(await this.#entries.outcome(conversationId, entryId, patience, turn));
    if (done?.type === 'failed') throw refusedElsewhere(done.failure);
    if (done?.type === 'control' || (await this.#asks.find(id)) !== null) return;
    if (this.#entries.isStopped) throw stoppedError();
    if (done === undefined) await this.#giveUp(id, conversationId);
    throw new AgentError(
      'not-opened',
      `ask(): conversation ${JSON.stringify(conversationId)} was busy for ${patience} ms, so the question was not asked; it is cancelled. Ask again later.`,
    );
  }

  /** A few at a time, and again while the store cannot be reached: many may ask at once. */
  async #record(opening: Opening, waiter?: string): Promise<QueuedAsk> {
    if (this.#recording >= atOnce) await new Promise<void>((resolve) => this.#inLine.push(resolve));
    else this.#recording += 1;
    try {
      return await this.#recorded(opening, waiter);
    } finally {
      const next = this.#inLine.shift(); // takes this one's place
      if (next === undefined) this.#recording -= 1;
      else next();
    }
  }

  /** An ask that its conversation refused in an earlier attempt of the turn is handed in again, as another entry. */
  async #recorded({ id, conversationId, entry }: Opening, waiter: string | undefined): Promise<QueuedAsk> {
    for (let attempt = 1; ; attempt += 1) {
      const entryId = openEntryId(id, attempt);
      const step = () => this.#dispatcher.record(conversationId, entryId, entry, { waiter });
      const recorded = await retried(this.#context, 'take', this.#context.settings.patience, step);
      if (!recorded.isRepeat || recorded.outcome?.disposition.type !== 'failed') return { conversationId, entryId };
    }
  }

  /** In a turn that may run again, the same question there is the same ask; with a key it is the same everywhere. */
  #opening(
    call: string,
    { agentName, asked, name, then }: AskOwner,
    options: AskThereOptions,
    { inside, key, asker: given, also = waitingThere }: OpeningParts = {},
  ): Opening {
    const { channel, to, conversationId: named, ...rest } = options;
    const checked = checkedAskOptions(rest, this.#context.settings, asked.type.kind, call, also);
    const { textBytes: bytes, depth } = this.#context.settings;
    const via = checkedVia(
      definedFields({ channel, to, conversationId: named }),
      { bytes, depth },
      { call, prefix: '' },
    );
    const { conversationId, place } = viaTarget(this.#context, via, { call, prefix: '' });
    assertPolicyKnown(this.#context, checked.answerableBy);
    const type = typeOf(asked);
    this.#context.answerTypes.set(type.kind, type);
    const isAwaited = agentName === waitingAgent;
    const isUnowned = isAwaited && this.#context.agentNames.length === 0;
    const request: NewAsk = {
      ...newAsk(agentName, name, asked, checked),
      ...definedFields({ then }),
      ...(isAwaited ? { awaited: true } : {}),
      ...(isUnowned ? { unowned: true } : {}),
    };
    const turn = currentTurn(); // what an ended turn left running still acts for whoever started it
    if (given !== undefined && turn?.context === this.#context)
      throw new AgentError('bad-option', `${call}: asker was given in a turn, which acts for its own. Leave it out.`);
    const id =
      key !== undefined
        ? routedId(conversationId, 'key', digest(key), '0')
        : inside === undefined || inside.conversationId === conversationId
          ? routedId(conversationId, this.#context.newId(), digest(request.question), '0')
          : inside.askIdFor(request, conversationId);
    const elsewhere = turn?.context !== this.#context || turn.conversationId !== conversationId;
    const asker = given === undefined ? turn?.asker : askerFromOutside(given, conversationId);
    const { language } = this.#context;
    const record = askRecord(request, { id, place, asker, elsewhere, cause: undefined, now: 0, language });
    const { expiresAt: _, ...ask } = record; // it begins when the ask is opened
    return { id, conversationId, entry: { type: 'open', ask, ...definedFields({ expiresIn: checked.expiresIn }) } };
  }

  /** Waits for an ask that somebody opened: this process before a restart, or another. */
  async wait<T>(askId: string, options: WaitOptions): Promise<Outcome<T>> {
    const given = assertObject(options, 'wait(): the options', 'an object such as { timeout: 5000 }');
    const wait = checkedWait({ keep: true, ...given }, 'wait()');
    const found = await this.#asks.find(askId);
    if (found === null)
      throw new AgentError('unknown-ask', `wait(): there is no ask ${describe(askId)}, or it is forgotten.`);
    if (found.ask.status === 'pending' && found.ask.waitsIn === undefined)
      assertOutsideTurnOf(
        this.#context,
        found.conversationId,
        'wait()',
        "Ask with the turn's own askAndWait(), or let the answer be handled by a turn of its own.",
      );
    // what an agent asked is left to processes that have it
    const letGo = found.ask.awaited ? this.#dispatcher.waitIn(found.conversationId) : undefined;
    this.#dispatcher.lookIn(found.conversationId);
    try {
      return await this.#outcome<T>(found, wait);
    } finally {
      letGo?.();
    }
  }

  /** What becomes of the ask. `known` is all that is left to say of one that is erased meanwhile. */
  async #outcome<T>(known: Found, wait: CheckedWait, queued?: QueuedAsk): Promise<Outcome<T>> {
    const inside = runningTurn(this.#context);
    if (inside === undefined) return this.#waited<T>(known, wait, queued);
    const ends = this.#turnWaits(inside, known.ask.id);
    try {
      return await this.#waited<T>(known, wait, queued, inside);
    } finally {
      ends();
    }
  }

  /** Waiting takes none of the turn's time, and whoever handed its message in need not wait for a person. */
  #turnWaits({ conversationId, parts, isAwaitedElsewhere }: Turn, askId: string): () => void {
    parts.stop.waits(true);
    const waits = { waitsFor: askId, saidFrom: parts.lease.historyBegan };
    const ends = this.#entries.turnWaits(conversationId, parts.workId, waits, isAwaitedElsewhere);
    return () => {
      ends();
      parts.stop.waits(false);
    };
  }

  async #waited<T>(known: Found, wait: CheckedWait, queued?: QueuedAsk, inside?: Turn): Promise<Outcome<T>> {
    const { timeout, keep, signal } = wait;
    const { conversationId } = known;
    const askId = known.ask.id;
    let found: Found | 'never-asked' | 'erased' | null;
    try {
      const turn = this.#dispatcher.turnWaits();
      const looked = await this.#waiters.wait(askId, timeout, {
        signal: eitherOf(signal, inside?.parts.stop.signal),
        queued,
        turn,
      });
      if (looked !== null && typeof looked === 'object' && 'failure' in looked) throw refusedElsewhere(looked.failure);
      found = looked;
    } catch (error) {
      // a turn that has to stop runs again and finds its ask
      if (signal?.aborted && !keep && inside?.parts.stop.isStopped !== true) await this.#nobodyWaits(askId, queued);
      throw error;
    }
    if (found !== null && typeof found === 'object' && found.ask.status === 'pending' && !keep) {
      await this.#nobodyWaits(askId, queued, 'timeout');
      found = (await this.#asks.find(askId)) ?? 'erased';
    }
    if (found === 'erased') return erasedOutcome<T>(known.ask, conversationId);
    if (found === null) await this.#giveUp(askId, conversationId, 'timeout');
    if (found === null || found === 'never-asked') return neverAskedOutcome<T>(known.ask, conversationId);
    if (found.ask.status !== 'pending') {
      inside?.awaited.push(found.ask);
      await inside?.tells(found.ask.id, found.ask.onCrash);
    }
    // whoever waits gets a sensitive answer only if it was asked for to be waited for
    return outcomeOf<T>(found.ask.awaited ? found.ask : withoutSensitiveAnswer(found.ask), found.conversationId);
  }

  async #nobodyWaits(askId: string, queued: QueuedAsk | undefined, reason?: 'timeout'): Promise<void> {
    const { type } = await this.#settling.settle(askId, { type: 'cancel', askId, ...definedFields({ reason }) });
    if (type === 'unknown' && queued !== undefined) await this.#giveUp(askId, queued.conversationId, reason);
  }

  /** Cancels an ask that is not open yet: its cancel stands in the queue behind it, and whoever would open it finds it there. */
  async #giveUp(askId: string, conversationId: string, reason?: 'timeout'): Promise<void> {
    const entryId = `cancel:${this.#context.newId()}`;
    const entry = { type: 'cancel', askId, ...definedFields({ reason }) } as const;
    const step = () => this.#dispatcher.record(conversationId, entryId, entry);
    await retried(this.#context, 'take', this.#context.settings.patience, step);
  }
}

/** An ask on its way to its conversation. */
interface Opening {
  readonly id: string;
  readonly conversationId: string;
  readonly entry: OpenEntry;
}

interface OpeningParts {
  /** The turn that waits for it. */
  readonly inside?: Turn | undefined;
  readonly key?: string | undefined;
  readonly asker?: Participant | undefined;
  /** What the call takes beside the options of the ask. */
  readonly also?: readonly string[];
}

const waitingThere = [...alsoTaken.there, ...alsoTaken.waiting];
const outside = [...alsoTaken.there, ...alsoTaken.outside];
const outsideRules = { key: optional(string()), asker: optional(personRule) };

/** Somebody whom a program names: they have written nothing here. */
function askerFromOutside({ id, tenant, locale }: Participant, conversationId: string): TurnAsker {
  return { id, tenant, locale, conversationId, isElsewhere: true, localeHere: undefined };
}

function eitherOf(one: AbortSignal | undefined, other: AbortSignal | undefined): AbortSignal | undefined {
  return one === undefined || other === undefined ? (one ?? other) : AbortSignal.any([one, other]);
}

/** Reads the replies to asks that somebody waits for: the decision is all that is needed. */
export class WaitingAgent implements RegisteredAgent {
  readonly name = waitingAgent;

  [attach](): void {}

  async [serve](turn: Turn): Promise<Served> {
    const { reading } = turn.parts;
    if (reading.type !== 'reply') return undefined;
    const type = turn.context.answerTypes.get(reading.ask.kind);
    return handleReply<unknown>(turn, reading.ask.id, turn.parts.message, {
      type,
      judge: async (_, reply) => saysSomething(reply),
      onSufficient: (value) => tellAnswered(turn, value, type),
      onExhausted: async () => undefined,
    });
  }
}
