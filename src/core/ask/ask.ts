/**
 * The ask: its record, and the rules by which one becomes the next. Re-asking is the next attempt of the same ask.
 * No clock, no store; the time is always given.
 */
import type { Mutable } from '../defined-fields.js';
import { copyOf, type Json } from '../json.js';
import { type Participant, type ShownPerson, shownPerson } from '../participant.js';
import type { Choice, Shape } from './answer-type.js';

/**
 * Where an ask stands: open, or how it ended.
 *
 * @example
 * import type { AskStatus } from 'askback';
 *
 * const isOver = (status: AskStatus) => status !== 'pending';
 */
export type AskStatus = 'pending' | 'answered' | 'declined' | 'exhausted' | 'expired' | 'cancelled';
/**
 * How an ask ended without an answer.
 *
 * @example
 * import { agent, type Closed, text } from 'askback';
 *
 * const said = (why: Closed) => (why === 'expired' ? 'Too late.' : undefined);
 * agent('shop').question('size', text('Which size?'), { onAnswer: (size) => size, onClosed: (_pending, why) => said(why) });
 */
export type Closed = 'declined' | 'exhausted' | 'expired' | 'cancelled' | 'undeliverable';
/**
 * Who may answer: whoever it was asked for, anyone, participants by their ids, people with one of these roles, or
 * whom a policy of the registry lets.
 */
export type AnswerableBy =
  | 'asker'
  | 'anyone'
  | readonly string[]
  | { readonly roles: readonly string[] }
  | { readonly policy: string };

/** Where a message came from and where its answer goes. */
export interface Place {
  readonly channel: string;
  readonly address: Json;
  /** Nobody reads what is sent there, so nobody can be asked. */
  readonly trigger?: boolean;
  /** The longest question that is shown there in full, in characters of `shownLength`. Absent where all are. */
  readonly longest?: number;
  /** People there are known by the address alone: another address is another place, and a reply decides only asks that allow it. */
  readonly proof?: 'address';
  /** What a reply sent there refers to, such as a mail and its subject. It is no part of where that is. */
  readonly thread?: Json;
}

/** A place beside the ask's own: of `notify`, or of a step. */
export interface FurtherPlace extends Place {
  /** The number of the step that added it. Absent for `notify`. */
  readonly step?: number;
  /** What is shown there first instead of the question alone, where the ask was handed over before its turn came. */
  readonly text?: string;
}

/** A copy of the question: its number, and the number of its place. 0 is the ask's own place, 1 the first further one. */
export type ShownCopy = readonly [copy: number, place: number];

/** A step of an escalation that may come. Without a place it is shown in the inbox only. */
export interface PlannedStep {
  /** In ms after the question was first shown. */
  readonly after: number;
  readonly channel: string;
  readonly place?: Place;
  /** Who may answer from then on, beside those who may already. */
  readonly answerableBy?: AnswerableBy;
}

/** A step that was taken. It never changes. */
export type TakenStep =
  | {
      readonly type: 'escalated';
      readonly at: number;
      readonly channel: string;
      readonly address?: Json;
      readonly answerableBy?: AnswerableBy;
      /** The question had reached nobody. */
      readonly why?: 'undeliverable';
    }
  | {
      readonly type: 'handed-over';
      readonly at: number;
      /** The entry that asked for it. */
      readonly entry: string;
      readonly by: Participant;
      readonly to: Participant;
      readonly reason?: string;
      /** Where the other person was told, if anywhere. */
      readonly channel?: string;
    };

/** What finally became of an ask: who, when, where, by which entry. It never changes. */
export interface Decision {
  readonly at: number;
  readonly entry: string;
  readonly channel?: string;
  readonly by?: Participant;
  readonly why?: 'undeliverable';
  /** Why it was cancelled or declined: what the person said, or `'timeout'` where whoever waited for it gave up. */
  readonly reason?: string;
  /** Absent where it is that of the ask. */
  readonly effectKey?: string;
  /** A digest of what the person was shown when they decided. */
  readonly drawn?: string;
  /** The number of the place that it came from, where the ask has several. */
  readonly from?: number;
  /** A person gave it over the API or on another channel, where the ask has one place and somebody else was asked there than its asker. */
  readonly elsewhere?: true;
}

/** One person's yes or no to an ask that needs several. It never changes. */
export interface Vote {
  readonly by: Participant;
  readonly at: number;
  readonly value: boolean;
  readonly entry: string;
  readonly channel?: string;
}

/**
 * The record of an ask. Every rule spreads it, and so keeps the fields of a newer release. What nearly every ask gets in its life is
 * there from the beginning, undefined: a field that a rule adds makes all rules after it slow (docs/performance.md).
 */
export interface Ask {
  readonly id: string;
  readonly agentName: string;
  /** The declared question's name; absent for a question asked inline. */
  readonly name?: string;
  readonly question: string;
  readonly kind: string;
  /** The answer type's version, where it is not the first. */
  readonly kindVersion?: number;
  readonly data: Json;
  readonly shape: Shape;
  /** Shown instead of the question: the part of the answer that is asked for now. */
  readonly prompt?: string;
  /** What earlier replies have given, as the answer type stores it. */
  readonly partial?: Json;
  /** How often a check refused the whole answer after each of its parts was accepted. */
  readonly returns?: number;
  readonly context: { readonly [key: string]: Json };
  readonly details?: { readonly [key: string]: string };
  readonly status: AskStatus;
  /** The reply that decided it, as it was given. */
  readonly answer: string | undefined;
  /** The reply as the answer type read it, where that is not the same string. */
  readonly value: Json | undefined;
  readonly decision: Decision | undefined;
  readonly retries: number;
  readonly maxRetries: number;
  /** Digests of replies that cost an attempt, where people are known by the address alone. The same reply costs no further one. */
  readonly refused?: readonly string[];
  /** Said before it is asked again, instead of the usual sentence. */
  readonly retryText?: string;
  /** How often it was shown again, where that is not the number of retries. */
  readonly shows?: number;
  readonly askedAt: number;
  readonly expiresAt?: number;
  readonly place: Place;
  /** Where else it is shown. */
  readonly places?: readonly FurtherPlace[];
  /** Which copy went to which place, where it has several: the newest of each. */
  readonly copies?: readonly ShownCopy[];
  /** The numbers of the places that it could not be delivered to. */
  readonly lost?: readonly number[];
  /** The steps of its escalation, in order. */
  readonly escalate?: readonly PlannedStep[];
  /** `notify` names the inbox: those who may answer find it there, so it cannot be undeliverable. */
  readonly inbox?: true;
  /** The steps that were taken, escalations and hand-overs, in order. */
  readonly steps?: readonly TakenStep[];
  readonly answerableBy: AnswerableBy;
  /** The id of the participant it was asked for, where it is put to them. */
  readonly asker?: string;
  /** Whom it was asked for, where it is put to others: the conversation in which they wrote, and who they are. */
  readonly origin?: { readonly conversationId: string; readonly asker?: string; readonly locale?: string };
  /** The tenant it was asked in. Only its participants may answer, and the asker. */
  readonly tenant?: string;
  /** How many different people must say yes. */
  readonly quorum?: number;
  /** The id of the participant who may not answer: the one it was asked for. Empty, an id of nobody, in records of older builds. */
  readonly excluded?: string;
  readonly votes?: readonly Vote[];
  /** The state of the agent's `run()` that goes on when the ask ends. */
  readonly run?: Json;
  /** The id of the work whose turn waits for it. That turn reads the replies, and the ask ends with the turn. */
  readonly waitsIn?: string;
  /** The number of the first history item that this turn could have written. */
  readonly waitsFrom?: number;
  /** The name of the agent's outcome handler that is told its end. */
  readonly then?: string;
  /** A caller waits for its end, perhaps in another process. */
  readonly awaited?: true;
  /** A registry without agents asked it: any process without agents sees to it, and ignores what else is said meanwhile. */
  readonly unowned?: true;
  /** The answer is for the handler only. */
  readonly sensitive?: true;
  /** A signed link for the ask can decide it. Without it, a link only shows. */
  readonly links?: 'decide';
  /** A mail of somebody who may answer decides it. Without it, mail only shows it. */
  readonly mail?: 'decide';
  /** When it is shown again, in ms after it was first shown, in order. */
  readonly remindAfter?: readonly number[];
  /** How many of these times have passed. */
  readonly reminded?: number;
  /** No reminder before this time: quiet hours. */
  readonly remindNotBefore?: number;
  /** When it was first shown, where reminders or an escalation count from then, or where that was later than it was asked. */
  readonly shownAt?: number;
  /** The language of the person it is put to, if known. */
  readonly locale?: string;
  readonly effectKey?: string;
  readonly onCrash?: 'park';
  /** Under which its conversation is listed, beside the people who take part in it. */
  readonly listed?: readonly string[];
  /** The entry that cancels all asks and during whose work it was opened: it does not cancel this one. */
  readonly cause?: string;
  /** The question has been put to the human: it is or was the head. */
  readonly shown: boolean;
  /** The revision of the conversation that first showed it. */
  readonly shownIn: number | undefined;
}

/** What a channel, a page or the API may know of an ask, where it has it. All but these and what `publicPart` names stays inside. */
const publicIfGiven = [
  'kindVersion',
  'prompt',
  'partial',
  'returns',
  'details',
  'shows',
  'expiresAt',
  'quorum',
  'votes',
  'waitsIn',
  'awaited',
  'unowned',
  'sensitive',
  'links',
  'mail',
  'remindAfter',
  'reminded',
  'remindNotBefore',
  'shownAt',
  'locale',
  'effectKey',
] as const satisfies readonly (keyof Ask)[];
type AlwaysPublic =
  | 'id'
  | 'agentName'
  | 'question'
  | 'kind'
  | 'shape'
  | 'status'
  | 'answer'
  | 'value'
  | 'decision'
  | 'retries'
  | 'maxRetries'
  | 'askedAt'
  | 'place'
  | 'answerableBy'
  | 'shown';

/** What a channel may know of an ask. The context, above all, never leaves the agent. */
export type PublicAsk = Pick<Ask, AlwaysPublic | (typeof publicIfGiven)[number]>;

/** The ask without what a channel must not know. */
export function publicPart(ask: PublicAsk & Partial<Ask>): PublicAsk {
  const part: Mutable<PublicAsk> = {
    id: ask.id,
    agentName: ask.agentName,
    question: ask.question,
    kind: ask.kind,
    shape: ask.shape,
    status: ask.status,
    answer: ask.answer,
    value: ask.value,
    decision: ask.decision && publicDecision(ask.decision),
    retries: ask.retries,
    maxRetries: ask.maxRetries,
    askedAt: ask.askedAt,
    place: ask.place,
    answerableBy: ask.answerableBy,
    shown: ask.shown,
  };
  const given = part as Record<string, unknown>;
  for (const field of publicIfGiven) if (ask[field] !== undefined) given[field] = ask[field];
  return part;
}

/** Who cancels or declines speaks to colleagues: the reason stays inside. */
function publicDecision({ at, entry, channel, by, why, effectKey }: Decision): Decision {
  const told: Mutable<Decision> = { at, entry };
  if (channel !== undefined) told.channel = channel;
  if (by !== undefined) told.by = by;
  if (why !== undefined) told.why = why;
  if (effectKey !== undefined) told.effectKey = effectKey;
  return told;
}

export const insufficient = '__insufficient__';

/** Whether this reply has cost an attempt before. */
export function isRepeated({ refused }: Pick<Ask, 'refused'>, reply: string | undefined): boolean {
  return reply !== undefined && refused?.includes(reply) === true;
}

/** The same ask, one attempt later. `reply` is the digest of the reply that cost it, where that is kept: a repeat costs no further one. */
export function retried(ask: Ask, reply?: string): Ask {
  if (isRepeated(ask, reply)) return shownAgain(ask);
  const retries = ask.retries + 1;
  const next = ask.shows === undefined ? { ...ask, retries } : { ...ask, retries, shows: ask.shows + 1 };
  return reply === undefined ? next : { ...next, refused: [...(ask.refused ?? []), reply] };
}

/** The same ask with one more copy of its question. It costs no attempt. */
export function shownAgain(ask: Ask): Ask {
  return { ...ask, shows: showsOf(ask) + 1 };
}

/** How often the question was shown again, for whatever reason. */
export function showsOf(ask: Pick<Ask, 'retries' | 'shows'>): number {
  return ask.shows ?? ask.retries;
}

/** The key under which the effect of the answer counts once. */
export function effectKeyOf(ask: Pick<Ask, 'id' | 'decision' | 'effectKey'>): string {
  return ask.decision?.effectKey ?? ask.effectKey ?? ask.id;
}

/** What is put to the human now. */
export function promptOf(ask: Pick<Ask, 'question' | 'prompt'>): string {
  return ask.prompt ?? ask.question;
}

/** A part of the answer, and what is asked after it. */
export interface FollowUp {
  readonly partial: Json;
  readonly prompt: string;
  readonly shape: Shape;
}

/** The same ask with a part of its answer. Each part has attempts of its own; `failed` if a check refused the whole. */
export function withPart(ask: Ask, { partial, prompt, shape }: FollowUp, failed: boolean): Ask {
  const after: Ask = { ...ask, partial, prompt, shape, retries: 0, shows: showsOf(ask) + 1 };
  return failed ? { ...after, returns: (ask.returns ?? 0) + 1 } : after;
}

/** The ask as it may be kept and shown: without the answer to a sensitive question. */
export function withoutSensitiveAnswer(ask: Ask): Ask {
  if (ask.sensitive !== true) return ask;
  const { partial: _, ...rest } = ask;
  return { ...rest, answer: undefined, value: undefined };
}

/** Whether a reply recorded at `at` comes too late for this ask. */
export function isExpiredAt(ask: Ask, at: number): boolean {
  return ask.expiresAt !== undefined && at >= ask.expiresAt;
}

/** How the ask ended without an answer; undefined if it is open or answered. */
export function closedAs(ask: Ask): Closed | undefined {
  if (ask.decision?.why === 'undeliverable') return 'undeliverable';
  return ask.status === 'pending' || ask.status === 'answered' ? undefined : ask.status;
}

/** Why the ask ended, where more is known than its status says. */
export function endReasonOf({ decision }: Pick<Ask, 'decision'>): string | undefined {
  return decision?.reason ?? decision?.why;
}

/**
 * A step of an ask on its way to an answer: nobody had answered in time, or a person handed it to another.
 *
 * @example
 * import type { AskStep } from 'askback';
 *
 * const line = (step: AskStep) => (step.type === 'escalated' ? `to ${step.channel}` : `${step.by.id} to ${step.to.id}`);
 */
export type AskStep =
  | {
      readonly type: 'escalated';
      /** When the step was taken. */
      readonly at: Date;
      /** Where the question is shown since then. */
      readonly channel: string;
      /** Where on that channel. */
      readonly address?: Json;
      /** Who may answer since then, beside the others. */
      readonly answerableBy?: AnswerableBy;
      /** `'undeliverable'`: the question had reached nobody, so the step did not wait for its time. */
      readonly why?: 'undeliverable';
    }
  | {
      readonly type: 'handed-over';
      /** When it was handed over. */
      readonly at: Date;
      /** Who handed it over, and may not answer any more. */
      readonly by: Participant;
      /** Who may answer since then. */
      readonly to: Participant;
      /** What was said about it. */
      readonly reason?: string;
      /** The channel on which the other person was told, if any. */
      readonly channel?: string;
    };

/**
 * An ask as users see it. `context` is private to the agent, `details` is what the human sees.
 *
 * @example
 * import type { PendingAsk } from 'askback';
 *
 * const line = ({ question, status }: PendingAsk<unknown>) => `${question} (${status})`;
 */
export interface PendingAsk<T = string> {
  /** The id of the ask. A re-ask and a reminder have the same. */
  readonly id: string;
  /** The conversation in which it was asked, and in which replies arrive. */
  readonly conversationId: string;
  /** The agent that asked, and whose handlers run when it ends. */
  readonly agentName: string;
  /** The text of the question. */
  readonly question: string;
  /** What the agent has kept with it. No channel and no person sees it. */
  readonly context: Record<string, unknown>;
  /** Open (`pending`), or how it ended. */
  readonly status: AskStatus;
  /** The reply that decided it, as it was given. */
  readonly answer?: string;
  /** The reply as the question's type read it. */
  readonly value?: T;
  /** How often it was asked again after a reply that was no answer. */
  readonly retries: number;
  /** How often it may be asked again after a reply that is no answer. */
  readonly maxRetries: number;
  /** When it was asked, by the store's clock. */
  readonly askedAt: Date;
  /** When it expires. Absent where it never does. */
  readonly expiresAt?: Date;
  /** The channel on which it was asked. */
  readonly channelName: string;
  /** Where on that channel: the address that the channel was given, such as a chat. Absent where the channel has one place only. */
  readonly address?: Json;
  /** The name of its answer type. */
  readonly kind: string;
  /** The options, where it has any. */
  readonly choices?: readonly Choice[];
  /** What the person is shown beside the question. */
  readonly details?: Readonly<Record<string, string>>;
  /** Who may answer it, apart from what `steps` say. */
  readonly answerableBy: AnswerableBy;
  /** The steps that were taken: escalations and hand-overs, in order. */
  readonly steps?: readonly AskStep[];
  /** The tenant it was asked in. Only its participants may answer. */
  readonly tenant?: string;
  /** Whom it was asked for: whose message led to it. Absent where nobody is known, and where a program asked. */
  readonly asker?: Participant;
  /** Who answered, declined or cancelled it, if known. */
  readonly decidedBy?: Participant;
  /** When it was answered, or ended without an answer. */
  readonly decidedAt?: Date;
  /** Why it ended, where more is known than the status says: `'timeout'`, `'undeliverable'`, or what the person who cancelled or declined it said. */
  readonly reason?: string;
  /** The key under which the effect of the answer counts once. */
  readonly effectKey: string;
  /** How many different people must say yes. */
  readonly quorum?: number;
  /** Who has said yes or no so far. */
  readonly votes?: readonly { readonly by: Participant; readonly at: Date; readonly value: boolean }[];
  /** What a form has so far. */
  readonly partial?: Json;
  /** The answer is for the handler only, and is shown nowhere. */
  readonly sensitive?: true;
  /** A signed link of the inbox can decide it. Without it, a link only shows. */
  readonly links?: 'decide';
  /** A mail of somebody who may answer decides it. Without it, mail only shows it. */
  readonly mail?: 'decide';
}

/** The answer as its type reads it. Where that is the reply itself, it is not stored twice. */
function answerValue(ask: Pick<Ask, 'status' | 'answer' | 'value'>): Json | undefined {
  return ask.value === undefined && ask.status === 'answered' ? ask.answer : copyOf(ask.value);
}

/** What its replies have given so far. */
function giveAnswer<T>(
  view: Mutable<Pick<PendingAsk<T>, 'answer' | 'value' | 'partial'>>,
  ask: Pick<Ask, 'status' | 'answer' | 'value' | 'partial'>,
): void {
  const { answer, partial } = ask;
  const value = answerValue(ask);
  if (answer !== undefined) view.answer = answer;
  if (value !== undefined) view.value = value as T; // read by the question's own type
  if (partial !== undefined) view.partial = copyOf(partial);
}

/** The user's view of a record: dates as Date, the conversation named. It is the agent's own: a sensitive answer is in it, where the record has it. */
export function askView<T = string>(ask: Ask, conversationId: string): PendingAsk<T> {
  const view = publicView<T>(ask, conversationId) as Mutable<PendingAsk<T>>; // all but what follows
  view.context = copyOf(ask.context);
  if (ask.sensitive) giveAnswer<T>(view, ask);
  if (ask.tenant !== undefined) view.tenant = ask.tenant;
  const asker = askerView(ask);
  const reason = endReasonOf(ask);
  if (asker !== undefined) view.asker = asker;
  if (ask.place.address !== null) view.address = copyOf(ask.place.address);
  if (reason !== undefined) view.reason = reason;
  if (ask.steps !== undefined) view.steps = ask.steps.map(stepView);
  return view;
}

function stepView(step: TakenStep): AskStep {
  if (step.type === 'escalated') return { ...copyOf(step), at: new Date(step.at) };
  const { entry: _, ...rest } = copyOf(step);
  return { ...rest, at: new Date(step.at) };
}

function askerView({ asker, origin, tenant, locale }: Ask): Participant | undefined {
  const { asker: id, locale: own } = origin ?? { asker, locale };
  if (id === undefined) return undefined;
  const view: Mutable<Participant> = { id };
  if (tenant !== undefined) view.tenant = tenant;
  if (own !== undefined) view.locale = own;
  return view;
}

/**
 * An ask as a channel is given it, and as a browser may be: a closed list. A field of `PendingAsk` that is not named here is private.
 *
 * @example
 * import type { ShownAsk } from 'askback';
 *
 * const line = ({ question, status }: ShownAsk) => `${question} (${status})`;
 */
export interface ShownAsk<T = string>
  extends Pick<
    PendingAsk<T>,
    | 'id'
    | 'conversationId'
    | 'question'
    | 'status'
    | 'retries'
    | 'maxRetries'
    | 'askedAt'
    | 'expiresAt'
    | 'kind'
    | 'choices'
    | 'details'
    | 'answer'
    | 'value'
    | 'partial'
    | 'quorum'
    | 'decidedAt'
    | 'sensitive'
    | 'mail'
  > {
  /** Who answered, declined or cancelled it, if known. */
  readonly decidedBy?: ShownPerson;
  /** Who has said yes or no so far. */
  readonly votes?: readonly { readonly by: ShownPerson; readonly at: Date; readonly value: boolean }[];
}

/** Returns what may be shown of the ask: never the answer to a sensitive question. */
export function shownAsk<T = string>(ask: PublicAsk, conversationId: string): ShownAsk<T> {
  const { decision, sensitive } = ask;
  const view: Mutable<ShownAsk<T>> = {
    id: ask.id,
    conversationId,
    question: ask.question,
    status: ask.status,
    retries: ask.retries,
    maxRetries: ask.maxRetries,
    askedAt: new Date(ask.askedAt),
    kind: ask.kind,
  };
  if (ask.expiresAt !== undefined) view.expiresAt = new Date(ask.expiresAt);
  if (ask.shape.type === 'choices') view.choices = copyOf(ask.shape.choices);
  if (ask.details !== undefined) view.details = copyOf(ask.details);
  if (decision?.by !== undefined) view.decidedBy = shownPerson(decision.by);
  if (decision !== undefined) view.decidedAt = new Date(decision.at);
  if (ask.quorum !== undefined) view.quorum = ask.quorum;
  if (ask.votes !== undefined)
    view.votes = ask.votes.map(({ by, at, value: yes }) => ({ by: shownPerson(by), at: new Date(at), value: yes }));
  if (sensitive) view.sensitive = true;
  else giveAnswer<T>(view, ask);
  if (ask.mail !== undefined) view.mail = ask.mail;
  return view;
}

/** An ask as a policy and the author's hooks about replies see it: without what belongs to the agent and to operators. */
export type PublicPendingAsk<T = string> = Omit<
  PendingAsk<T>,
  'context' | 'asker' | 'tenant' | 'address' | 'reason' | 'steps'
>;

/** Returns the view that the author's rules about replies are given. */
export function publicView<T = string>(ask: PublicAsk, conversationId: string): PublicPendingAsk<T> {
  const view = shownAsk<T>(ask, conversationId) as Mutable<PublicPendingAsk<T>>; // all but what follows
  const { decision, links } = ask;
  view.agentName = ask.agentName;
  view.channelName = ask.place.channel;
  view.answerableBy = copyOf(ask.answerableBy);
  view.effectKey = effectKeyOf(ask);
  if (decision?.by !== undefined) view.decidedBy = copyOf(decision.by);
  if (links !== undefined) view.links = links;
  return view;
}
