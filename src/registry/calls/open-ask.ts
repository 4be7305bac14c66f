/**
 * An ask on its way to its conversation, for code that is not in it: checked, recorded there as an entry, or given up before it is
 * open. `registry.ask()` tells its caller its id once it is open, and goes on without them.
 */
import { typeOf } from '../../answers/question.js';
import type { Ask } from '../../core/ask/ask.js';
import type { TurnAsker } from '../../core/ask/asker.js';
import type { AskOptions } from '../../core/ask/options.js';
import { alsoTaken, checkedAskOptions, checkedVia } from '../../core/ask/options.js';
import { assertObject, checkOptions, optional, string } from '../../core/check-options.js';
import type { Disposition, OpenEntry } from '../../core/conversation/entry.js';
import { cancelledBeforeAsked, openEntryId } from '../../core/conversation/entry.js';
import { definedFields } from '../../core/defined-fields.js';
import { AgentError, badOption, refusedElsewhere } from '../../core/errors.js';
import { askIdentity, digest } from '../../core/ids.js';
import type { Json } from '../../core/json.js';
import { canonical } from '../../core/json.js';
import type { Participant } from '../../core/participant.js';
import { namedPerson } from '../arguments.js';
import type { RegistryContext } from '../context.js';
import { stoppedError, waitingAgent } from '../context.js';
import { retried } from '../retry.js';
import { identityOf } from '../turn/asking.js';
import { assertOutsideTurnOf, currentTurn, runningTurn } from '../turn/current-turn.js';
import type { NewAsk } from '../turn/new-ask.js';
import { newAsk, openingOf, preparedAsk, tenantCheck, viaTarget, warnOfDoubtfulOptions } from '../turn/new-ask.js';
import type { OutcomeHandler } from '../turn/question-handlers.js';
import type { Turn } from '../turn/turn.js';
import type { QueuedAsk } from '../waiters.js';
import { dispositionIn } from '../waiters.js';
import type { AskedFromOutside, AskOwner } from './ask-owner.js';
import { ownerOf } from './ask-owner.js';
import { KeySecret } from './key-secret.js';
import type { CallParts } from './parts.js';

/** Where and how to ask, for code that is in no conversation. */
export interface AskThereOptions extends Omit<AskOptions, 'via'> {
  /** The channel that carries the question out. */
  readonly channel: string;
  /** Where on the channel: a chat, a user, an address. */
  readonly to?: Json;
  /** The conversation a reply arrives in. Needed only if the channel cannot tell. */
  readonly conversationId?: string;
  /** For whom it is asked: their tenant bounds who may answer, and `excludeAsker` leaves them out. In a turn it is whom the turn acts for. */
  readonly asker?: Participant;
}

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

/** An ask on its way to its conversation. */
export interface Opening {
  readonly id: string;
  readonly conversationId: string;
  /** The same ask as an earlier build has named it, which used no secret: for one with a key. */
  readonly earlier?: { readonly id: string; readonly conversationId: string };
  readonly entry: OpenEntry;
}

interface OpeningParts {
  /** The turn that waits for it. */
  readonly inside?: Turn | undefined;
  /** It is waited for so long, in ms, and then given up. */
  readonly timeout?: number | undefined;
  /** The key, and the secret of the store: without it nobody can compute the id of the ask. */
  readonly key?: { readonly name: string; readonly secret: string } | undefined;
  /** What the call takes beside the options of the ask. */
  readonly also?: readonly string[];
  /** What it is about: by each of them it is found among the questions of its place. */
  readonly about?: readonly string[] | undefined;
}

/** How long after its timeout a waited-for ask expires by itself: a process that dies while it waits cancels nothing. */
const expiryMargin = 60_000;
/** So many are recorded at once. */
const atOnce = 100;
/** What askAndWait() takes beside the options of an ask. */
export const waitingThere = [...alsoTaken.there, ...alsoTaken.waiting, ...alsoTaken.outsideTurn];

export const whereTo = "an object such as { channel: 'terminal' }";
const outside = [...alsoTaken.there, ...alsoTaken.outside];
const outsideRules = { key: optional(string()) };

/** An ask was cancelled by its caller before it was open. */
const isGivenUpBefore = (disposition: Disposition): boolean =>
  disposition.type === 'ignored' && disposition.why === cancelledBeforeAsked;

/** What a key stands for: what is asked, who goes on with it, who may answer, and how the answer is kept. Context and details may be newer. */
function meaningOf({ agentName, question, own, audience, places }: Ask) {
  const { text, kind, data, name, sensitive } = question;
  const { answerableBy, quorum, excluded, tenant, asker, links, mail } = audience;
  const meant = { question: text, kind, data, agentName, name, then: own.then };
  return { ...meant, answerableBy, quorum, excluded, tenant, asker, sensitive, links, mail, escalate: places.escalate };
}

/** The first field that makes them two asks. */
function differenceOf(known: Ask, asked: Ask): string | undefined {
  const [one, other] = [meaningOf(known), meaningOf(asked)];
  const names = Object.keys(one) as (keyof typeof one)[];
  const field = names.find((name) => canonical(one[name] as Json) !== canonical(other[name] as Json));
  return field ?? (known.audience.origin?.asker === asked.audience.origin?.asker ? undefined : 'asker');
}

export class AskOpener {
  readonly #context: RegistryContext;
  readonly #parts: CallParts;
  readonly #secret: KeySecret;
  /** How many are being stored, and who waits for a place among them. */
  #recording = 0;
  readonly #inLine: (() => void)[] = [];

  constructor(parts: CallParts) {
    [this.#context, this.#parts] = [parts.context, parts];
    this.#secret = new KeySecret(parts.context);
  }

  /**
   * Asks and does not wait for the answer. Resolves once the ask is open; one that cannot be opened soon is given up. `about`: what it is
   * found by among the questions of its place.
   */
  async ask(question: AskedFromOutside, options: AskFromOutsideOptions, about?: readonly string[]): Promise<OpenedAsk> {
    const { then, key: keyName, ...rest } = assertObject(options, 'ask(): the options', whereTo);
    const owner = ownerOf(this.#parts.agents.values(), question, then, 'ask()');
    const named = checkOptions('ask()', definedFields({ key: keyName }), outsideRules, "{ key: 'size:4711' }");
    const inside = runningTurn(this.#context);
    const key = named.key === undefined ? undefined : { name: named.key, secret: await this.#secret.read() };
    const parts = { inside, key, also: outside, about };
    const opening = this.opening('ask()', owner, { ...owner.stored, ...rest }, parts);
    const { id, conversationId } = opening;
    assertOutsideTurnOf(
      this.#context,
      conversationId,
      'registry.ask()',
      "Ask with the turn's own ask() or askAndWait().",
    );
    const known = key === undefined ? undefined : await this.#asked(opening, key.name);
    if (known !== undefined) return known;
    await this.#parts.dispatcher.waitingIn(conversationId, async () => {
      let isOpen = false;
      while (!isOpen) isOpen = await this.#isOpened(id, await this.record(opening, this.#context.id));
      if (key !== undefined) await this.#isAsked(id, opening, key.name); // another caller may have been first
    });
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
    const known = (await this.#parts.asks.find(id))?.ask;
    const what = `ask(): the key ${JSON.stringify(key)}`;
    if (known === undefined)
      throw badOption(`${what} belongs to an ask that was erased. Nothing was asked. Use another key.`);
    const other = differenceOf(known, entry.ask);
    if (other === undefined) return true;
    throw badOption(
      `${what} belongs to another question, ${JSON.stringify(known.question.text)}: they differ in ${other}. Nothing was asked. Use a key for each question.`,
    );
  }

  /** False: an earlier caller had given it up, so it has to be handed in again. */
  async #isOpened(id: string, { conversationId, entryId }: QueuedAsk): Promise<boolean> {
    const { callTimeout } = this.#context.settings;
    const done = dispositionIn(await this.#parts.waiters.outcome(conversationId, entryId, callTimeout));
    if (done?.type === 'failed') throw refusedElsewhere(done.failure);
    if (done?.type === 'control' || (await this.#parts.asks.find(id)) !== null) return true;
    if (this.#parts.waiters.isStopped) throw stoppedError(id);
    if (done !== undefined && isGivenUpBefore(done)) return false;
    if (done === undefined) await this.giveUp(id, conversationId);
    throw new AgentError(
      'not-opened',
      `ask(): conversation ${JSON.stringify(conversationId)} was busy for ${callTimeout} ms, so the question was not asked; it is cancelled. Ask again later.`,
    );
  }

  /** A few at a time, and again while the store cannot be reached: many may ask at once. */
  async record(opening: Opening, waiter?: string): Promise<QueuedAsk> {
    const {
      audience,
      places: { escalate },
    } = opening.entry.ask;
    const check = tenantCheck(
      this.#context,
      audience.tenant,
      definedFields({ answerableBy: audience.answerableBy, escalate }),
    );
    if (check !== undefined) await check;
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

  /** An ask that its conversation refused before is handed in again, as another entry, and so is one that an earlier caller of ask() gave up. */
  async #recorded({ id, conversationId, entry }: Opening, waiter: string | undefined): Promise<QueuedAsk> {
    for (let attempt = 1; ; attempt += 1) {
      const entryId = openEntryId(id, attempt);
      const step = () => this.#parts.dispatcher.record(conversationId, entryId, entry, { waiter });
      const recorded = await retried(this.#context, 'take', this.#context.settings.callTimeout, step);
      const before = recorded.isRepeat ? recorded.outcome?.disposition : undefined;
      if (before === undefined || (before.type !== 'failed' && (waiter === undefined || !isGivenUpBefore(before))))
        return { conversationId, entryId };
    }
  }

  /** In a turn that may run again, the same question there is the same ask; with a key it is the same everywhere. */
  opening(
    call: string,
    { agentName, asked, name, then }: AskOwner,
    options: AskThereOptions,
    { inside, timeout, key, also = waitingThere, about }: OpeningParts = {},
  ): Opening {
    const given = givenAsker(this.#context, options, call);
    const { channel, to, conversationId: named, asker: _, ...rest } = options;
    const limits = timeout === undefined ? {} : { expiresIn: timeout + expiryMargin };
    const checked = checkedAskOptions({ ...limits, ...rest }, this.#context.settings, asked.type.kind, call, also);
    const where = definedFields({ channel, to, conversationId: named });
    const via = checkedVia(where, this.#context.settings, { call, prefix: '' });
    const turn = currentTurn(); // what an ended turn left running still acts for whoever started it
    const askedIn = turn?.context === this.#context ? turn.conversationId : undefined;
    const there = viaTarget(this.#context, via, { call, prefix: '', askedIn });
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
    const { id, conversationId } =
      key !== undefined
        ? askIdentity(there, 'key', key.secret, digest(key.name))
        : inside === undefined || inside.conversationId === there.conversationId
          ? askIdentity(there, this.#context.newId(), digest(request.question), '0')
          : identityOf(inside, request, there);
    const earlier = key && askIdentity(there, 'key', digest(key.name), '0');
    const elsewhere = askedIn !== conversationId;
    const asker = given === undefined ? turn?.asker : askerFromOutside(given, conversationId);
    const { expiresIn, ...others } = checked;
    const own = rest.expiresIn === undefined ? others : checked;
    const made = preparedAsk(this.#context, request, there, { call, about });
    warnOfDoubtfulOptions(this.#context, { ...request, options: own }, timeout);
    const entry = openingOf(made({ id, asker, elsewhere, now: 0 }), expiresIn); // it begins when the ask is opened
    return { id, conversationId, entry, ...definedFields({ earlier }) };
  }

  /** Cancels an ask that is not open yet: its cancel stands in the queue behind it, and whoever would open it finds it there. */
  async giveUp(askId: string, conversationId: string, reason?: 'timeout'): Promise<void> {
    const entryId = `cancel:${this.#context.newId()}`;
    const entry = { type: 'cancel', askId, ...definedFields({ reason }) } as const;
    const step = () => this.#parts.dispatcher.record(conversationId, entryId, entry);
    await retried(this.#context, 'take', this.#context.settings.callTimeout, step);
  }
}

/** For whom a call asks from outside of turns, if it says so. A turn acts for its own asker. */
export function givenAsker(
  context: RegistryContext,
  options: Pick<AskThereOptions, 'asker'>,
  call: string,
): Participant | undefined {
  const asker = 'asker' in options ? namedPerson({ asker: options.asker }, 'asker', call) : undefined;
  if (asker !== undefined && currentTurn()?.context === context)
    throw badOption(`${call}: asker was given in a turn, which acts for its own. Leave it out.`);
  return asker;
}

/** Somebody whom a program names: they have written nothing here. */
function askerFromOutside({ id, tenant, locale }: Participant, conversationId: string): TurnAsker {
  return { id, tenant, locale, conversationId, isElsewhere: true, localeHere: undefined };
}
