/**
 * A new ask: its record, its id, and the conversation it is put to. Refuses what nobody could answer.
 */
import { builtInType } from '../../answers/built-in-types.js';
import { typeOf } from '../../answers/question.js';
import { InboxChannel } from '../../channels/inbox.js';
import type { Channel } from '../../channels/port.js';
import type { Question, Shape } from '../../core/ask/answer-type.js';
import { withNumbers } from '../../core/ask/answer-type.js';
import type { AnswerableBy, Ask, AskAudience, Place } from '../../core/ask/ask.js';
import type { TurnAsker } from '../../core/ask/asker.js';
import { isOfTenant } from '../../core/ask/asker.js';
import type { CheckedAskOptions } from '../../core/ask/options.js';
import { doubtfulTimes, namedIds } from '../../core/ask/options.js';
import { isSamePlace } from '../../core/ask/places.js';
import type { Move } from '../../core/conversation/apply-turn.js';
import type { Conversation } from '../../core/conversation/conversation.js';
import type { OpenEntry } from '../../core/conversation/entry.js';
import type { Mutable } from '../../core/defined-fields.js';
import { definedFields } from '../../core/defined-fields.js';
import { AgentError, badOption } from '../../core/errors.js';
import type { OtherFields } from '../../core/format/ask-row.js';
import { askFrom } from '../../core/format/ask-row.js';
import type { QuestionPlace } from '../../core/ids.js';
import { checkedId, ownConversation, questionsKey } from '../../core/ids.js';
import type { Json } from '../../core/json.js';
import { asJson, canonical, copyOf, jsonBytesAtMost } from '../../core/json.js';
import type { Wording } from '../../core/wording/wording.js';
import type { RegistryContext } from '../context.js';
import { handleChannel, warnOnce } from '../context.js';
import { hasTenantOf, tenantOf } from '../known-person.js';
import { policyNamed } from './author-hooks.js';

export interface NewAsk {
  readonly agentName: string;
  readonly name?: string;
  readonly question: string;
  readonly kind: string;
  readonly data: Json;
  readonly shape: Shape;
  /** Its data with the labels that the author left to the language. */
  readonly worded?: (wording: Wording) => { readonly data: Json; readonly shape: Shape };
  /** What is shown first, where that is more than the question's text. */
  readonly prompt?: string;
  readonly kindVersion?: number;
  /** The loop of a model that goes on with the end of the ask. */
  readonly run?: Json;
  /** The name of the outcome handler that is told its end. */
  readonly then?: string;
  /** Whoever asked gets the outcome by the ask's id. */
  readonly awaited?: true;
  readonly unowned?: true;
  readonly options: CheckedAskOptions;
}

/** What is asked, drawn by its own type. */
export function newAsk(
  agentName: string,
  name: string | undefined,
  question: Question<unknown>,
  options: CheckedAskOptions,
): NewAsk {
  const type = typeOf(question);
  const { text } = question;
  const isOwn = builtInType(type.kind) === type;
  const kept = <D>(made: D): D => (isOwn ? made : asJson(made)); // what a type from elsewhere has made may be no plain data
  const data = isOwn ? copyOf(question.data) : asJson(question.data);
  const request: Mutable<NewAsk> = {
    agentName,
    question: text,
    kind: type.kind,
    data,
    shape: withNumbers(kept(type.shape(data))),
    options,
  };
  if (name !== undefined) request.name = name;
  if (type.worded !== undefined)
    request.worded = (wording) => {
      const own = kept(type.worded?.(data, wording) ?? data);
      return { data: own, shape: withNumbers(kept(type.shape(own))) };
    };
  if (type.opening !== undefined) request.prompt = type.opening(text, data);
  if (type.version !== undefined && type.version > 1) request.kindVersion = type.version;
  return request;
}

export interface Target extends QuestionPlace {
  readonly place: Place;
  /** Of a question with a conversation of its own: the id of whom it is put to, where that is one person. */
  readonly person?: string;
}

interface ViaCall {
  readonly call?: string;
  readonly prefix?: string;
  /** The conversation whose turn asks. */
  readonly askedIn?: string | undefined;
}

/** Where a question goes that names its own way. */
export function viaTarget(
  context: RegistryContext,
  via: NonNullable<CheckedAskOptions['via']>,
  { call = 'ask()', prefix = 'via.', askedIn }: ViaCall = {},
): Target {
  if (via.channel === handleChannel && via.conversationId !== undefined)
    return { conversationId: via.conversationId, isApart: false, place: { channel: handleChannel, address: null } };
  const channel = context.channels.get(via.channel);
  if (channel === undefined && via.channel === handleChannel)
    throw badOption(
      `${call}: ${prefix}channel is "handle", which has no addresses. Add ${prefix}conversationId: the one that your transport gives to handle().`,
    );
  if (channel === undefined) throw unknownChannel(`${call}: ${prefix}channel`, via.channel, context);
  if (channel.isTriggerChannel) throw triggerError(channel, `${call}: ${prefix}channel`);
  const to = via.to ?? null;
  const conversationId = via.conversationId ?? channel.conversationFor?.(copyOf(to));
  if (conversationId === undefined) {
    throw badOption(
      `${call}: channel ${via.channel} cannot tell which conversation a reply will arrive in. Add ${prefix}conversationId.`,
    );
  }
  const isApart =
    channel.hasThreadPerQuestion === true && via.conversationId === undefined && conversationId !== askedIn;
  const given = `${call}: what conversationFor() of channel ${via.channel} returns`;
  checkedId(conversationId, given);
  if (isApart) checkedId(ownConversation(conversationId), `${given}, with what is added for each question,`);
  const address = channel.addressFor === undefined ? to : channel.addressFor(copyOf(to));
  const person = isApart ? channel.participantAt?.(copyOf(to)) : undefined;
  if (person !== undefined) checkedId(person, `${call}: what participantAt() of channel ${via.channel} returns`);
  return { conversationId, isApart, place: { channel: via.channel, address }, ...definedFields({ person }) };
}

/** Under which the conversation of a question is listed: for its place, for what it is about, and for whom it is put to. */
function listedUnder(
  { conversationId, isApart, person }: Omit<Target, 'place'>,
  about: readonly string[] = [],
): readonly string[] | undefined {
  if (!isApart) return undefined;
  const keys = [questionsKey(conversationId), ...about.map((each) => questionsKey(conversationId, each))];
  return person === undefined ? keys : [person, ...keys];
}

/** Where else a question goes, and where it goes when nobody answers. */
type FurtherPlaces = Pick<OtherFields['places'], 'places' | 'escalate' | 'inbox'>;

/** The further places of a question; `own` is its own place, which is not named twice. Every channel must be one that can be sent to. */
function furtherPlaces(
  context: RegistryContext,
  { notify, escalate }: CheckedAskOptions,
  own: Place,
  call = 'ask()',
): FurtherPlaces {
  if (notify === undefined && escalate === undefined) return none;
  const further: Mutable<FurtherPlaces> = {};
  const places: Place[] = [];
  for (const [i, { channel, to }] of (notify ?? []).entries()) {
    const place = furtherPlace(context, channel, to, `${call}: notify[${i}]`);
    if (place === undefined) further.inbox = true;
    else if (![own, ...places].some((each) => isSamePlace(each, place))) places.push(place);
  }
  if (places.length > 0) further.places = places;
  if (escalate !== undefined)
    further.escalate = escalate.map(({ after, channel, to, answerableBy }, i) => {
      if (answerableBy !== undefined) assertPolicyKnown(context, answerableBy);
      const place = furtherPlace(context, channel, to, `${call}: escalate[${i}]`);
      return { after, channel, ...definedFields({ place, answerableBy }) };
    });
  return further;
}

const none: FurtherPlaces = {};

/** A place on a channel that pushes; undefined for the inbox, which shows every ask. */
export function furtherPlace(
  context: RegistryContext,
  name: string,
  to: Json | undefined,
  what: string,
): Place | undefined {
  const channel = context.channels.get(name);
  if (channel === undefined) throw unknownChannel(`${what}.channel`, name, context);
  if (channel.isTriggerChannel) throw triggerError(channel, `${what}.channel`);
  if (channel instanceof InboxChannel) return undefined;
  if (channel.isFetched || name === handleChannel)
    throw badOption(
      `${what}.channel is ${JSON.stringify(name)}, which pushes nothing: nobody there would learn of the question. Name a channel that sends, or the inbox.`,
    );
  const address = to ?? null;
  return { channel: name, address: channel.addressFor === undefined ? address : channel.addressFor(copyOf(address)) };
}

/** The error for asking on a channel that receives nothing. One that proves its authors can be set up to. */
function triggerError({ name, proof }: Channel, what: string): AgentError {
  return new AgentError(
    'trigger-channel',
    proof !== undefined
      ? `${what} is a channel (${name}) that only sends: no reply and no bounce would be noticed. Give it the options receive and trust, also for questions that are answered on a page.`
      : `${what} is a trigger channel (${name}). Trigger channels have no human recipient. Name a channel that people write to.`,
  );
}

/**
 * Warns of what is possible, and hardly meant. Times that look as if seconds or minutes were meant: such a question is over, or escalated,
 * before anybody has read it. Ids without a realm, unless a channel may give people such ids, ids that are almost those of a channel, and ids of a
 * realm whose people are known: nobody has such an id.
 */
export function warnOfDoubtfulOptions(
  context: RegistryContext,
  { options, agentName, question, name = question }: Pick<NewAsk, 'options' | 'agentName' | 'question' | 'name'>,
  timeout?: number,
): void {
  for (const [option, ms] of doubtfulTimes(options, timeout))
    warnOnce(
      context,
      `doubtful time: ${option} ${agentName} ${name}`,
      'A time of an ask looks as if it were in seconds or minutes. Times are in milliseconds: ten minutes are 10 * 60_000',
      { agentName, option, ms, meaning: `${ms / 1_000} s`, meaningIfSeconds: inMinutes(ms) },
    );
  const named = namedIds(options);
  if (named.size === 0) return;
  const channels = [...context.channels.values()];
  const forms = channels.flatMap(({ idForm }) => idForm ?? []);
  if (context.identify !== undefined || (forms.length === 0 && channels.length > 0)) return; // ids of any form may be right
  for (const id of named.keys()) {
    if (forms.includes(id)) continue;
    const isMiswritten = isStranger(channels, id) || channels.some((channel) => isAlmostOf(channel, id, forms));
    if (!id.includes(':'))
      warnOnce(
        context,
        `no realm: ${id} ${agentName} ${name}`,
        'answerableBy names an id without a realm, as it may be a name. Nobody on the channels of this registry has such an id. Write ids as their channels give them: forms has an example of each. If code of your own gives people such ids, give them a realm, as in web:4711',
        { agentName, id, forms },
      );
    else if (isMiswritten)
      warnOnce(
        context,
        `miswritten: ${id} ${agentName} ${name}`,
        'answerableBy names an id that its channel gives to nobody. Write it as forms shows it: with that realm, whatever the channel is called, and the rest in lower case, without white space',
        { agentName, id, forms },
      );
  }
}

/** Whether an id is meant for a channel that gives it to nobody: it has the channel's name as its realm, or an address in another form. */
function isAlmostOf(channel: Channel, id: string, forms: readonly string[]): boolean {
  const { name, proof, idForm } = channel;
  if (proof === undefined || idForm === undefined) return false;
  const realm = realmOf(id);
  if (idForm.startsWith(realm)) return channel.addressOf !== undefined && channel.addressOf(id) === undefined;
  return realm === `${name.toLowerCase()}:` && !forms.some((form) => form.startsWith(realm));
}

/** Whether all channels of the realm of this id know their people, and none has it. */
function isStranger(channels: readonly Channel[], id: string): boolean {
  const realm = realmOf(id);
  const own = channels.filter(({ idForm }) => idForm !== undefined && realmOf(idForm) === realm);
  return own.length > 0 && own.every(({ people }) => people !== undefined && !people.includes(id));
}

function realmOf(id: string): string {
  return `${id.slice(0, id.indexOf(':')).trim().toLowerCase()}:`;
}

function inMinutes(seconds: number): string {
  if (seconds % 3_600 === 0) return `${seconds / 3_600} h`;
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}

function assertAnswerable(place: Place): void {
  if (place.channel === '') {
    throw new AgentError(
      'unknown-channel',
      'ask(): the message came from a channel without a name, so no question could be sent. Give the channel a `name`.',
    );
  }
  if (place.trigger) {
    throw new AgentError(
      'trigger-channel',
      `this.ask() called from a trigger channel (${place.channel}). Trigger channels have no human recipient. Name a conversation channel with \`via: { channel, to }\`.`,
    );
  }
}

/** A policy that is not known here could never let anybody answer. */
function assertPolicyKnown(context: RegistryContext, answerableBy: AnswerableBy): void {
  if (typeof answerableBy === 'object' && 'policy' in answerableBy)
    policyNamed(context, answerableBy.policy, 'bad-option');
}

/**
 * Looks up the tenants of the listed ids of an ask, and rejects if one is known to be of another tenant than the ask: its answers would be
 * refused. A tenant that no channel says refuses nothing. Undefined, so that nothing is awaited, where there is nothing to look up; with
 * `identify` a reply may come with another tenant than the channel says.
 */
export function tenantCheck(
  context: RegistryContext,
  tenant: string | undefined,
  rules: Parameters<typeof namedIds>[0],
): Promise<void> | undefined {
  if (tenant === undefined || context.identify !== undefined) return undefined;
  const named = [...namedIds(rules)].filter(([id]) => hasTenantOf(context, id));
  return named.length === 0 ? undefined : assertOfTenant(context, tenant, named);
}

async function assertOfTenant(
  context: RegistryContext,
  tenant: string,
  named: readonly (readonly [id: string, option: string])[],
): Promise<void> {
  const told = await Promise.all(named.map(([id]) => tenantOf(context, id)));
  for (const [i, [id, option]] of named.entries()) {
    const known = told[i]?.known;
    if (known === undefined || isOfTenant({ tenant }, { id, tenant: known })) continue;
    const own = `tenant ${JSON.stringify(tenant)}`;
    throw badOption(
      `ask(): ${option} names ${JSON.stringify(id)}. A channel says that this participant belongs to another tenant than the ask, which has ${own}, so their answer would be refused. Nothing was asked. Name participants of ${own}, or map tenants with \`identify\` of the registry.`,
    );
  }
}

/** What is written in a conversation so far, and what a turn will write. */
interface Room {
  readonly context: RegistryContext;
  readonly conversationId: string;
  readonly written: Conversation;
  readonly moves: readonly Move[];
}

/** A conversation keeps so many open asks, and a record of so many bytes. */
export function assertRoom(room: Room, ask: Ask): void {
  const refusal = roomRefusal(room, ask);
  if (refusal !== undefined) throw refusal;
}

/** Why the conversation has no room for the ask; undefined if it has. */
export function roomRefusal({ context, conversationId, written, moves }: Room, ask: Ask): AgentError | undefined {
  const { openAsks, documentBytes } = context.settings;
  const others = written.asks.filter(({ id }) => id !== ask.id);
  const opening = moves.filter(
    (move) => move.type === 'open' || (move.type === 'forward' && move.entry.type === 'open'),
  ).length;
  if (others.length + opening >= openAsks) {
    return new AgentError(
      'too-many-asks',
      `Conversation ${JSON.stringify(conversationId)} has ${openAsks} open asks, which is the limit (settings.openAsks). Cancel some, or ask less.`,
    );
  }
  const all = [{ ...written, asks: others }, moves, ask];
  const bytes = jsonBytesAtMost(all) > documentBytes ? Buffer.byteLength(JSON.stringify(all)) : 0;
  if (bytes <= documentBytes) return undefined;
  return new AgentError(
    'bad-data',
    `With this ask the conversation's record would be ${bytes} bytes, at most ${documentBytes} are kept. Keep less in \`context\`.`,
  );
}

/** The id of the asker, whom `excludeAsker` leaves out. They must be known, and somebody else must be left who may answer. */
function excludedAsker(
  { answerableBy, quorum = 1, escalate = [] }: CheckedAskOptions,
  asker: TurnAsker | undefined,
  elsewhere: boolean,
  call: string,
): string {
  const excluded = asker?.id;
  if (excluded === undefined)
    throw badOption(
      asker === undefined
        ? `${call}: excludeAsker leaves out the participant it is asked for, and outside of a turn there is none. Give asker, such as { id: 'web:4711' }, or leave excludeAsker out.`
        : `${call}: excludeAsker leaves out the participant it is asked for, and nobody knows who that is: what led to this turn has no participant, so they could answer themselves. Let the channel, or the message given to handle(), name its participant, or leave excludeAsker out.`,
    );
  for (const [i, step] of escalate.entries())
    if (Array.isArray(step.answerableBy) && step.answerableBy.every((id) => id === excluded))
      throw badOption(
        `${call}: without whom it is asked for (excludeAsker), escalate[${i}].answerableBy names nobody who may answer. Name somebody else.`,
      );
  if (answerableBy === 'asker' && !elsewhere)
    throw badOption(
      `${call}: excludeAsker with answerableBy 'asker' leaves nobody who may answer. Say who may, for example answerableBy: { roles: ['approver'] }.`,
    );
  if (!Array.isArray(answerableBy)) return excluded;
  const left = new Set(answerableBy.filter((id) => id !== excluded));
  if (left.size >= quorum) return excluded;
  throw badOption(
    `${call}: without whom it is asked for (excludeAsker), answerableBy names ${left.size} who may answer, and ${quorum} must. Name more people.`,
  );
}

/** The entry that opens an ask in another conversation: its deadline starts when it is opened there. */
export function openingOf(ask: Ask, expiresIn: number | undefined): OpenEntry {
  const undated: Ask = { ...ask, timing: { ...ask.timing, expiresAt: undefined } };
  return { type: 'open', ask: undated, ...definedFields({ expiresIn }) };
}

/** What makes two questions of one turn the same. */
export function questionKey(request: NewAsk): string {
  const { agentName, name, question, kind, data, options } = request;
  const { context, effectKey, answerableBy } = options;
  const asked = [agentName, name ?? null, question, kind, data ?? null, context, effectKey ?? null] satisfies Json[];
  return canonical([...asked, answerableBy as Json]); // names or roles: plain data
}

/** What is known of an ask when it is opened. */
interface OpenedWith {
  readonly id: string;
  /** Whom the turn acts for; undefined outside of turns. */
  readonly asker: TurnAsker | undefined;
  /** The question goes to another place than the turn's own. */
  readonly elsewhere: boolean;
  readonly cause?: string | undefined;
  readonly now: number;
}

/**
 * Checks a question for the place that it goes to, by every way to ask, and returns what makes its record when it is opened. `about`: by each
 * of them it is found among the questions of its place.
 */
export function preparedAsk(
  context: RegistryContext,
  request: NewAsk,
  there: Target,
  { call = 'ask()', about }: { readonly call?: string; readonly about?: readonly string[] | undefined } = {},
): (opened: OpenedWith) => Ask {
  const { place } = there;
  assertAnswerable(place);
  assertPolicyKnown(context, request.options.answerableBy);
  const places = furtherPlaces(context, request.options, place, call);
  const listed = listedUnder(there, about);
  const { options, agentName, question, kind, name = null, prompt, kindVersion, run, then, awaited, unowned } = request;
  const { context: own, maxRetries, expiresIn, answerableBy, excludeAsker } = options;
  const { retryText, details, quorum, links, mail, remindAfter, effectKey, onCrash } = options;
  const sensitive = options.sensitive || undefined;
  return ({ id, asker, elsewhere, cause, now }) => {
    const isElsewhere = elsewhere || asker?.isElsewhere === true;
    const locale = elsewhere ? undefined : asker?.localeHere;
    const { data, shape } = request.worded?.(context.language(locale).wording) ?? request;
    const askedFor = isElsewhere ? null : (asker?.id ?? null);
    const expiresAt = expiresIn === undefined ? null : now + expiresIn;
    const tenant = asker?.tenant;
    const origin = asker !== undefined && isElsewhere ? originOf(asker) : undefined;
    const excluded = excludeAsker ? excludedAsker(options, asker, isElsewhere, call) : undefined;
    return askFrom([id, agentName, question, now, place, own, name, askedFor, expiresAt, 0], {
      question: { kind, kindVersion, data, shape, prompt, details, sensitive, maxRetries, retryText, locale },
      own: { run, then, effectKey, onCrash, awaited, unowned, cause, listed },
      audience: { answerableBy, origin, tenant, quorum, excluded, links, mail },
      places,
      timing: { remindAfter },
      progress: {},
    });
  };
}

function originOf({ conversationId, id, locale }: TurnAsker): NonNullable<AskAudience['origin']> {
  return { conversationId, ...definedFields({ asker: id, locale }) };
}

export function unknownChannel(what: string, name: string, context: RegistryContext): AgentError {
  const known = [...context.channels.keys()];
  return new AgentError(
    'unknown-channel',
    `${what} is ${JSON.stringify(name)}, but no channel of that name is registered. Registered: ${known.join(', ') || 'none'}.`,
  );
}
