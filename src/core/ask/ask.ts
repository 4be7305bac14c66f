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
  readonly channel?: string | undefined;
  readonly by?: Participant | undefined;
  readonly why?: 'undeliverable' | undefined;
  /** Why it was cancelled or declined: what the person said, or `'timeout'` where whoever waited for it gave up. */
  readonly reason?: string | undefined;
  /** Absent where it is that of the ask. */
  readonly effectKey?: string | undefined;
  /** A digest of what the person was shown when they decided. */
  readonly drawn?: string | undefined;
  /** The number of the place that it came from, where the ask has several. */
  readonly from?: number | undefined;
  /** A person gave it over the API or on another channel, where the ask has one place and somebody else was asked there than its asker. */
  readonly elsewhere?: true | undefined;
}

/** One person's yes or no to an ask that needs several. It never changes. */
export interface Vote {
  readonly by: Participant;
  readonly at: number;
  readonly value: boolean;
  readonly entry: string;
  readonly channel?: string;
}

/** What is asked. No rule changes it. */
export interface AskedQuestion {
  /** The declared question's name; undefined for a question asked inline. */
  readonly name: string | undefined;
  readonly text: string;
  readonly kind: string;
  /** The answer type's version, where it is not the first. */
  readonly kindVersion: number | undefined;
  readonly data: Json;
  /** Of the whole answer, as far as it is known. What is asked for now has the one that `shapeOf` returns. */
  readonly shape: Shape;
  readonly details: { readonly [key: string]: string } | undefined;
  /** The answer is for the handler only. */
  readonly sensitive: true | undefined;
  readonly maxRetries: number;
  /** Said before it is asked again, instead of the usual sentence. */
  readonly retryText: string | undefined;
  /** The language of the person it is put to, if known. */
  readonly locale: string | undefined;
}

/** What concerns the agent and the library alone. No rule changes it. */
export interface AskOwn {
  readonly context: { readonly [key: string]: Json };
  /** The state of the agent's `run()` that goes on when the ask ends. */
  readonly run: Json | undefined;
  /** The name of the agent's outcome handler that is told its end. */
  readonly then: string | undefined;
  readonly effectKey: string | undefined;
  readonly onCrash: 'park' | undefined;
  /** A caller waits for its end, perhaps in another process. */
  readonly awaited: true | undefined;
  /** A registry without agents asked it: any process without agents sees to it, and ignores what else is said meanwhile. */
  readonly unowned: true | undefined;
  /** The entry that cancels all asks and during whose work it was opened: it does not cancel this one. */
  readonly cause: string | undefined;
  /** Under which its conversation is listed, beside the people who take part in it. */
  readonly listed: readonly string[] | undefined;
}

/** Whom it is asked for, and who may answer apart from what the steps say. No rule changes it. */
export interface AskAudience {
  readonly answerableBy: AnswerableBy;
  /** The id of the participant it was asked for, where it is put to them. */
  readonly asker: string | undefined;
  /** Whom it was asked for, where it is put to others: the conversation in which they wrote, and who they are. */
  readonly origin: { readonly conversationId: string; readonly asker?: string; readonly locale?: string } | undefined;
  /** The tenant it was asked in. Only its participants may answer, and the asker. */
  readonly tenant: string | undefined;
  /** How many different people must say yes. */
  readonly quorum: number | undefined;
  /** The id of the participant who may not answer: the one it was asked for. Empty, an id of nobody, in records of older builds. */
  readonly excluded: string | undefined;
  /** A signed link for the ask can decide it. Without it, a link only shows. */
  readonly links: 'decide' | undefined;
  /** A mail of somebody who may answer decides it. Without it, mail only shows it. */
  readonly mail: 'decide' | undefined;
}

/** Where it is shown. */
export interface AskPlaces {
  readonly own: Place;
  /** Where else it is shown. */
  readonly further: readonly FurtherPlace[] | undefined;
  /** Which copy went to which place, where it has several: the newest of each. */
  readonly copies: readonly ShownCopy[] | undefined;
  /** The numbers of the places that it could not be delivered to. */
  readonly lost: readonly number[] | undefined;
  /** The steps of its escalation, in order. */
  readonly escalate: readonly PlannedStep[] | undefined;
  /** `notify` names the inbox: those who may answer find it there, so it cannot be undeliverable. */
  readonly inbox: true | undefined;
}

export interface AskTiming {
  readonly askedAt: number;
  readonly expiresAt: number | undefined;
  /** When it was first shown, where reminders or an escalation count from then, or where that was later than it was asked. */
  readonly shownAt: number | undefined;
  /** When it is shown again, in ms after it was first shown, in order. */
  readonly remindAfter: readonly number[] | undefined;
  /** No reminder before this time: quiet hours. */
  readonly remindNotBefore: number | undefined;
}

/** What is asked for now, where that is not the question as it stands. */
export interface AskedPart {
  /** What earlier replies have given, as the answer type stores it. */
  readonly partial: Json | undefined;
  /** Shown instead of the question. */
  readonly prompt: string | undefined;
  readonly shape: Shape;
}

/** What has come of it so far. */
export interface AskProgress {
  /** The reply that decided it, as it was given. */
  readonly answer: string | undefined;
  /** The reply as the answer type read it, where that is not the same string. */
  readonly value: Json | undefined;
  readonly part: AskedPart | undefined;
  readonly retries: number;
  /** Digests of replies that cost an attempt, where people are known by the address alone. The same reply costs no further one. */
  readonly refused: readonly string[] | undefined;
  /** How often it was shown again, where that is not the number of retries. */
  readonly shows: number | undefined;
  /** How often a check refused the whole answer after each of its parts was accepted. */
  readonly returns: number | undefined;
  readonly votes: readonly Vote[] | undefined;
  /** The steps that were taken, escalations and hand-overs, in order. */
  readonly steps: readonly TakenStep[] | undefined;
  /** How many of the times of `remindAfter` have passed. */
  readonly reminded: number | undefined;
  /** The id of the work whose turn waits for it. That turn reads the replies, and the ask ends with the turn or is let go. */
  readonly waitsIn: string | undefined;
  /** The number of the first history item that this turn could have written. */
  readonly waitsFrom: number | undefined;
  /** The question has been put to the human: it is or was the head. */
  readonly shown: boolean;
  /** The revision of the conversation that first showed it. */
  readonly shownIn: number | undefined;
}

/**
 * The record of an ask. A rule replaces the group that it changes; all versions of an ask share the others. Every field is there from the
 * beginning, undefined where it has no value: so the groups of all asks have one hidden class each (docs/performance.md).
 */
export interface Ask {
  readonly id: string;
  readonly agentName: string;
  readonly status: AskStatus;
  readonly question: AskedQuestion;
  readonly own: AskOwn;
  readonly audience: AskAudience;
  readonly places: AskPlaces;
  readonly timing: AskTiming;
  readonly progress: AskProgress;
  readonly decision: Decision | undefined;
  /** Fields of a newer release, as they are stored. */
  readonly more: { readonly [field: string]: unknown } | undefined;
}

/** What a channel may know of an ask. The context, above all, never leaves the agent. */
export type PublicAsk = ReturnType<typeof publicPart>;

/** The ask without what a channel must not know: what is not named here stays inside. */
export function publicPart(ask: Ask) {
  const { id, agentName, status, decision } = ask;
  const { text, kind, kindVersion, shape, details, sensitive, maxRetries, locale } = ask.question;
  const { askedAt, expiresAt, shownAt, remindAfter, remindNotBefore } = ask.timing;
  const { answer, value, part, retries, shows, returns, votes, reminded, waitsIn, shown } = ask.progress;
  const { answerableBy, quorum, links, mail } = ask.audience;
  const { effectKey, awaited, unowned } = ask.own;
  return {
    id,
    agentName,
    status,
    question: { text, kind, kindVersion, shape: part?.shape ?? shape, details, sensitive, maxRetries, locale },
    own: { effectKey, awaited, unowned },
    audience: { answerableBy, quorum, links, mail },
    places: { own: ask.places.own },
    timing: { askedAt, expiresAt, shownAt, remindAfter, remindNotBefore },
    progress: { answer, value, part, retries, shows, returns, votes, reminded, waitsIn, shown },
    decision: decision && publicDecision(decision),
  } as const;
}

/** Who cancels or declines speaks to colleagues: the reason stays inside. */
function publicDecision({ at, entry, channel, by, why, effectKey }: Decision): Decision {
  return { at, entry, channel, by, why, effectKey };
}

export const insufficient = '__insufficient__';

/** Whether this reply has cost an attempt before. */
export function isRepeated({ progress }: Ask, reply: string | undefined): boolean {
  return reply !== undefined && progress.refused?.includes(reply) === true;
}

/** The same ask, one attempt later. `reply` is the digest of the reply that cost it, where that is kept: a repeat costs no further one. */
export function retried(ask: Ask, reply?: string): Ask {
  if (isRepeated(ask, reply)) return shownAgain(ask);
  const { progress } = ask;
  const retries = progress.retries + 1;
  const shows = progress.shows === undefined ? undefined : progress.shows + 1;
  const refused = reply === undefined ? progress.refused : [...(progress.refused ?? []), reply];
  return { ...ask, progress: { ...progress, retries, shows, refused } };
}

/** The same ask with one more copy of its question. It costs no attempt. */
export function shownAgain(ask: Ask): Ask {
  return { ...ask, progress: { ...ask.progress, shows: showsOf(ask) + 1 } };
}

/** How often the question was shown again, for whatever reason. */
export function showsOf({ progress }: Pick<PublicAsk, 'progress'>): number {
  return progress.shows ?? progress.retries;
}

/** The key under which the effect of the answer counts once. */
export function effectKeyOf({ id, decision, own }: Pick<PublicAsk, 'id' | 'decision' | 'own'>): string {
  return decision?.effectKey ?? own.effectKey ?? id;
}

/** What is put to the human now. */
export function promptOf({ question, progress }: PublicAsk): string {
  return progress.part?.prompt ?? question.text;
}

/** How what is put to the human now can be answered. */
export function shapeOf({ question, progress }: PublicAsk): Shape {
  return progress.part?.shape ?? question.shape;
}

/** A part of the answer, and what is asked after it. */
export interface FollowUp extends AskedPart {
  readonly partial: Json;
  readonly prompt: string;
}

/** The same ask with a part of its answer. Each part has attempts of its own; `failed` if a check refused the whole. */
export function withPart(ask: Ask, part: FollowUp, failed: boolean): Ask {
  const { progress } = ask;
  const returns = failed ? (progress.returns ?? 0) + 1 : progress.returns;
  return { ...ask, progress: { ...progress, part, retries: 0, shows: showsOf(ask) + 1, returns } };
}

/** The ask as it may be kept and shown: without the answer to a sensitive question. */
export function withoutSensitiveAnswer(ask: Ask): Ask {
  return ask.question.sensitive === true ? withoutAnswer(ask) : ask;
}

/** The ask without what its replies have given. */
export function withoutAnswer(ask: Ask): Ask {
  const { progress } = ask;
  const part = progress.part && { ...progress.part, partial: undefined };
  return { ...ask, progress: { ...progress, answer: undefined, value: undefined, part } };
}

/** Whether a reply recorded at `at` comes too late for this ask. */
export function isExpiredAt({ timing }: Ask, at: number): boolean {
  return timing.expiresAt !== undefined && at >= timing.expiresAt;
}

/** How the ask ended without an answer; undefined if it is open or answered. */
export function closedAs(ask: Ask): Closed | undefined {
  if (ask.decision?.why === 'undeliverable') return 'undeliverable';
  return ask.status === 'pending' || ask.status === 'answered' ? undefined : ask.status;
}

/** Why the ask ended, where more is known than its status says. */
export function endReasonOf({ decision }: Ask): string | undefined {
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

/** What its replies have given so far. Where the answer as its type reads it is the reply itself, it is not stored twice. */
function giveAnswer<T>(
  view: Mutable<Pick<PendingAsk<T>, 'answer' | 'value' | 'partial'>>,
  { status, progress }: PublicAsk,
): void {
  const { answer, part } = progress;
  const value = progress.value === undefined && status === 'answered' ? answer : copyOf(progress.value);
  if (answer !== undefined) view.answer = answer;
  if (value !== undefined) view.value = value as T; // read by the question's own type
  if (part?.partial !== undefined) view.partial = copyOf(part.partial);
}

/** The user's view of a record: dates as Date, the conversation named. It is the agent's own: a sensitive answer is in it, where the record has it. */
export function askView<T = string>(ask: Ask, conversationId: string): PendingAsk<T> {
  const view = publicView<T>(ask, conversationId) as Mutable<PendingAsk<T>>; // all but what follows
  const { tenant } = ask.audience;
  const { address } = ask.places.own;
  const { steps } = ask.progress;
  view.context = copyOf(ask.own.context);
  if (ask.question.sensitive) giveAnswer<T>(view, ask);
  if (tenant !== undefined) view.tenant = tenant;
  const asker = askerView(ask);
  const reason = endReasonOf(ask);
  if (asker !== undefined) view.asker = asker;
  if (address !== null) view.address = copyOf(address);
  if (reason !== undefined) view.reason = reason;
  if (steps !== undefined) view.steps = steps.map(stepView);
  return view;
}

function stepView(step: TakenStep): AskStep {
  if (step.type === 'escalated') return { ...copyOf(step), at: new Date(step.at) };
  const { entry: _, ...rest } = copyOf(step);
  return { ...rest, at: new Date(step.at) };
}

function askerView({ audience, question }: Ask): Participant | undefined {
  const { asker, origin, tenant } = audience;
  const { asker: id, locale: own } = origin ?? { asker, locale: question.locale };
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
  const { question, audience, timing, progress, decision } = ask;
  const { details, sensitive } = question;
  const { quorum, mail } = audience;
  const { votes } = progress;
  const shape = shapeOf(ask);
  const view: Mutable<ShownAsk<T>> = {
    id: ask.id,
    conversationId,
    question: question.text,
    status: ask.status,
    retries: progress.retries,
    maxRetries: question.maxRetries,
    askedAt: new Date(timing.askedAt),
    kind: question.kind,
  };
  if (timing.expiresAt !== undefined) view.expiresAt = new Date(timing.expiresAt);
  if (shape.type === 'choices') view.choices = copyOf(shape.choices);
  if (details !== undefined) view.details = copyOf(details);
  if (decision?.by !== undefined) view.decidedBy = shownPerson(decision.by);
  if (decision !== undefined) view.decidedAt = new Date(decision.at);
  if (quorum !== undefined) view.quorum = quorum;
  if (votes !== undefined)
    view.votes = votes.map(({ by, at, value: yes }) => ({ by: shownPerson(by), at: new Date(at), value: yes }));
  if (sensitive) view.sensitive = true;
  else giveAnswer<T>(view, ask);
  if (mail !== undefined) view.mail = mail;
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
  const { audience, decision } = ask;
  const { answerableBy, links } = audience;
  view.agentName = ask.agentName;
  view.channelName = ask.places.own.channel;
  view.answerableBy = copyOf(answerableBy);
  view.effectKey = effectKeyOf(ask);
  if (decision?.by !== undefined) view.decidedBy = copyOf(decision.by);
  if (links !== undefined) view.links = links;
  return view;
}
