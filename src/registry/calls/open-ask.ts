/**
 * An ask on its way to its conversation, for code that is not in it: checked, recorded there as an entry, or given up before it is
 * open.
 */
import { typeOf } from '../../answers/question.js';
import type { TurnAsker } from '../../core/ask/asker.js';
import type { AskOptions } from '../../core/ask/options.js';
import { alsoTaken, checkedAskOptions, checkedVia } from '../../core/ask/options.js';
import { checkOptions, optional } from '../../core/check-options.js';
import type { Disposition, OpenEntry } from '../../core/conversation/entry.js';
import { openEntryId } from '../../core/conversation/entry.js';
import { definedFields } from '../../core/defined-fields.js';
import { AgentError } from '../../core/errors.js';
import { askIdentity, digest } from '../../core/ids.js';
import type { Json } from '../../core/json.js';
import type { Participant } from '../../core/participant.js';
import { assertNamed, personRule } from '../arguments.js';
import type { RegistryContext } from '../context.js';
import { waitingAgent } from '../context.js';
import type { Dispatcher } from '../intake/dispatcher.js';
import { retried } from '../retry.js';
import { identityOf } from '../turn/asking.js';
import { currentTurn } from '../turn/current-turn.js';
import type { NewAsk } from '../turn/new-ask.js';
import {
  askRecord,
  assertPolicyKnown,
  furtherPlaces,
  listedUnder,
  newAsk,
  tenantCheck,
  viaTarget,
  warnOfDoubtfulOptions,
} from '../turn/new-ask.js';
import type { Turn } from '../turn/turn.js';
import type { AskOwner } from './ask-owner.js';
import type { QueuedAsk } from './ask-waiters.js';

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

/** Whether this became of an ask that its caller gave up before it was open. */
type GivenUp = (disposition: Disposition) => boolean;

/** How long after its timeout a waited-for ask expires by itself: a process that dies while it waits cancels nothing. */
const expiryMargin = 60_000;
/** So many are recorded at once. */
const atOnce = 100;
/** What askAndWait() takes beside the options of an ask. */
export const waitingThere = [...alsoTaken.there, ...alsoTaken.waiting, ...alsoTaken.outsideTurn];

export class AskOpener {
  readonly #context: RegistryContext;
  readonly #dispatcher: Dispatcher;
  /** How many are being stored, and who waits for a place among them. */
  #recording = 0;
  readonly #inLine: (() => void)[] = [];

  constructor(context: RegistryContext, dispatcher: Dispatcher) {
    this.#context = context;
    this.#dispatcher = dispatcher;
  }

  /** A few at a time, and again while the store cannot be reached: many may ask at once. */
  async record(opening: Opening, waiter?: string, isGivenUp?: GivenUp): Promise<QueuedAsk> {
    const { ask } = opening.entry;
    const check = tenantCheck(this.#context, ask.tenant, ask);
    if (check !== undefined) await check;
    if (this.#recording >= atOnce) await new Promise<void>((resolve) => this.#inLine.push(resolve));
    else this.#recording += 1;
    try {
      return await this.#recorded(opening, waiter, isGivenUp);
    } finally {
      const next = this.#inLine.shift(); // takes this one's place
      if (next === undefined) this.#recording -= 1;
      else next();
    }
  }

  /** An ask that its conversation refused before is handed in again, as another entry, and so is one that was given up before. */
  async #recorded(
    { id, conversationId, entry }: Opening,
    waiter: string | undefined,
    isGivenUp: GivenUp = () => false,
  ): Promise<QueuedAsk> {
    for (let attempt = 1; ; attempt += 1) {
      const entryId = openEntryId(id, attempt);
      const step = () => this.#dispatcher.record(conversationId, entryId, entry, { waiter });
      const recorded = await retried(this.#context, 'take', this.#context.settings.callTimeout, step);
      const before = recorded.isRepeat ? recorded.outcome?.disposition : undefined;
      if (before === undefined || (before.type !== 'failed' && !isGivenUp(before))) return { conversationId, entryId };
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
    const { textBytes: bytes, depth } = this.#context.settings;
    const via = checkedVia(
      definedFields({ channel, to, conversationId: named }),
      { bytes, depth },
      { call, prefix: '' },
    );
    const turn = currentTurn(); // what an ended turn left running still acts for whoever started it
    const askedIn = turn?.context === this.#context ? turn.conversationId : undefined;
    const there = viaTarget(this.#context, via, { call, prefix: '', askedIn });
    const { place } = there;
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
    const { id, conversationId } =
      key !== undefined
        ? askIdentity(there, 'key', key.secret, digest(key.name))
        : inside === undefined || inside.conversationId === there.conversationId
          ? askIdentity(there, this.#context.newId(), digest(request.question), '0')
          : identityOf(inside, request, there);
    const earlier = key && askIdentity(there, 'key', digest(key.name), '0');
    const elsewhere = askedIn !== conversationId;
    const asker = given === undefined ? turn?.asker : askerFromOutside(given, conversationId);
    const { language } = this.#context;
    const { expiresIn, ...others } = checked;
    const own = rest.expiresIn === undefined ? others : { ...others, ...definedFields({ expiresIn }) };
    warnOfDoubtfulOptions(this.#context, { ...request, options: own }, timeout);
    const further = furtherPlaces(this.#context, checked, place, call);
    const listed = listedUnder(there, about);
    const more = { id, place, asker, elsewhere, further, listed, cause: undefined, now: 0, call, language };
    const record = askRecord(request, more);
    const { expiresAt: __, ...ask } = record; // it begins when the ask is opened
    const entry = { type: 'open' as const, ask, ...definedFields({ expiresIn }) };
    return { id, conversationId, entry, ...definedFields({ earlier }) };
  }

  /** Cancels an ask that is not open yet: its cancel stands in the queue behind it, and whoever would open it finds it there. */
  async giveUp(askId: string, conversationId: string, reason?: 'timeout'): Promise<void> {
    const entryId = `cancel:${this.#context.newId()}`;
    const entry = { type: 'cancel', askId, ...definedFields({ reason }) } as const;
    const step = () => this.#dispatcher.record(conversationId, entryId, entry);
    await retried(this.#context, 'take', this.#context.settings.callTimeout, step);
  }
}

const askerRules = { asker: optional(personRule) };

/** For whom a call asks from outside of turns, if it says so. A turn acts for its own asker. */
export function givenAsker(
  context: RegistryContext,
  options: Pick<AskThereOptions, 'asker'>,
  call: string,
): Participant | undefined {
  assertNamed(options, 'asker', call);
  const { asker } = checkOptions(
    call,
    definedFields({ asker: options.asker }),
    askerRules,
    "{ asker: { id: 'web:4711' } }",
  );
  if (asker !== undefined && currentTurn()?.context === context)
    throw new AgentError('bad-option', `${call}: asker was given in a turn, which acts for its own. Leave it out.`);
  return asker;
}

/** Somebody whom a program names: they have written nothing here. */
function askerFromOutside({ id, tenant, locale }: Participant, conversationId: string): TurnAsker {
  return { id, tenant, locale, conversationId, isElsewhere: true, localeHere: undefined };
}
