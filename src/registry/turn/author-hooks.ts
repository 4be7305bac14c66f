/**
 * The functions that the author of a registry gives about replies and reminders: who may answer, what a message is to an open
 * question, when reminders have to wait. The rules that use them are in core/conversation/match-reply.ts.
 */
import { typeByKind } from '../../answers/built-in-types.js';
import type { Ask, Place } from '../../core/ask/ask.js';
import { publicView, withoutSensitiveAnswer } from '../../core/ask/ask.js';
import { wholePromptOf } from '../../core/ask/drawn.js';
import type { Move } from '../../core/conversation/apply-turn.js';
import type { Entry, HandOverEntry } from '../../core/conversation/entry.js';
import type { Reading, ReplySorting } from '../../core/conversation/match-reply.js';
import { isOption } from '../../core/conversation/match-reply.js';
import { grantOf, mayAnswer, policiesOf } from '../../core/conversation/may-answer.js';
import { isPressed, replyText } from '../../core/conversation/reply-text.js';
import type { Mutable } from '../../core/defined-fields.js';
import type { AgentErrorCode } from '../../core/errors.js';
import { AgentError, badOption, failureOf } from '../../core/errors.js';
import { describe } from '../../core/ids.js';
import { copyOf } from '../../core/json.js';
import type { Participant } from '../../core/participant.js';
import { checkedPerson } from '../../core/participant.js';
import { ignoreRejection } from '../../core/promise.js';
import { within } from '../../machine/clock.js';
import type { Policy, RegistryContext, SortReply } from '../context.js';
import type { StopSignal } from '../lease/stop-signal.js';
import { withSignal } from '../lease/stop-signal.js';
import { replyContextOf } from './parse-reply.js';

export function isPolicyAsked(asks: readonly Ask[]): boolean {
  return asks.some((ask) => policiesOf(ask).length > 0);
}

/**
 * What policies let this person answer, by `grantOf`. They are asked only about somebody whom no other rule lets answer. A policy that
 * throws lets nobody in: the turn fails, unless another policy lets them answer.
 */
export async function grantedBy(
  context: RegistryContext,
  asks: readonly Ask[],
  who: Participant | undefined,
  { conversationId, place }: { readonly conversationId: string; readonly place?: Place | undefined },
): Promise<ReadonlySet<string> | undefined> {
  if (who === undefined) return undefined;
  let granted: Set<string> | undefined;
  for (const ask of asks) {
    const policies = policiesOf(ask);
    if (policies.length === 0 || mayAnswer(ask, who, place)) continue;
    const policy = await firstGranting(context, policies, ask, who, conversationId);
    if (policy !== undefined) granted = (granted ?? new Set()).add(grantOf(ask.id, policy));
  }
  return granted;
}

async function firstGranting(
  context: RegistryContext,
  policies: readonly string[],
  ask: Ask,
  who: Participant,
  conversationId: string,
): Promise<string | undefined> {
  const thrown: unknown[] = [];
  for (const name of policies) {
    try {
      const policy = policyNamed(context, name);
      const verdict: unknown = await policy(
        copyOf(who),
        publicView<unknown>(withoutSensitiveAnswer(ask), conversationId),
      );
      if (verdict === true) return name;
    } catch (error) {
      thrown.push(error);
    }
  }
  if (thrown.length > 0) throw thrown[0];
  return undefined;
}

/** Who this is by the author's `identify`, where there is one. If `identify()` returns nothing, the participant stays as it was. */
export async function identified(
  context: RegistryContext,
  by: Participant | undefined,
): Promise<Participant | undefined> {
  if (by === undefined || context.identify === undefined) return by;
  return checkedPerson(await context.identify(copyOf(by)), 'identify()');
}

/**
 * Who gets an ask that is handed over; null if `identify` fails for them, as one may do for an unknown id. The ask then stays where it is: trying
 * again would hold up what stands behind it in the queue.
 */
export async function identifiedReceiver(
  context: RegistryContext,
  { to, askId }: HandOverEntry,
  conversationId: string,
): Promise<Participant | null | undefined> {
  try {
    return await identified(context, to);
  } catch (error) {
    const about = { conversationId, askId, participantId: to.id, failure: failureOf(error) };
    context.logger.warn('identify() failed for whoever should get an ask. It was not handed over', about);
    return null;
  }
}

/** Who this is, and whether they may answer the ask by its id: over the API, or from a place. */
export async function byId(
  context: RegistryContext,
  ask: Ask,
  conversationId: string,
  by: Participant | undefined,
  place?: Place,
): Promise<{ readonly who: Participant | undefined; readonly may: boolean }> {
  const { clock, settings } = context;
  const judged = async (): Promise<{ readonly who: Participant | undefined; readonly may: boolean }> => {
    const who = await identified(context, by);
    const granted = await grantedBy(context, [ask], who, { conversationId, place });
    return { who, may: mayAnswer(ask, who, place, granted) };
  };
  // in a turn its own limit ends this, and the call that asks in no other case
  return within(clock, settings.callTimeout, judged(), () => {
    throw new Error(
      `identify or a policy has not said within ${settings.callTimeout} ms (settings.callTimeout) who may answer.`,
    );
  });
}

export function policyNamed(context: RegistryContext, name: string, code: AgentErrorCode = 'unknown-policy'): Policy {
  const policy = Object.hasOwn(context.policies, name) ? context.policies[name] : undefined;
  if (policy !== undefined) return policy;
  const known = Object.keys(context.policies);
  throw new AgentError(
    code,
    `answerableBy names the policy ${JSON.stringify(name)}, which this registry does not have. Known: ${known.join(', ') || 'none'}. Give it to new AgentRegistry({ policies }).`,
  );
}

/** A plain message that the rules take for a reply, or for calling the question off. */
type Sortable = Extract<Reading, { type: 'reply' | 'close' }>;

/**
 * Whether somebody may know better than the rules what a plain message is: only for what was typed without naming the
 * ask, never for an option's exact label, never for the answer to a sensitive question.
 */
export function isSortable(context: RegistryContext, entry: Entry, reading: Reading): reading is Sortable {
  if (entry.type !== 'message' || entry.askId !== undefined || isPressed(entry)) return false;
  if (reading.type !== 'reply' && !(reading.type === 'close' && reading.as === 'declined')) return false;
  const { ask } = reading;
  if (ask.question.sensitive || ask.decision !== undefined || isOption(ask, entry.text)) return false;
  return context.sortReply !== undefined || ask.audience.quorum !== undefined;
}

/** What the message is to the open question, where the rules' own verdict does not stand. */
export async function sorted(
  context: RegistryContext,
  about: { readonly conversationId: string; readonly entry: Entry },
  reading: Sortable,
  who: Participant | undefined,
  stop: StopSignal,
): Promise<ReplySorting | undefined> {
  const { ask } = reading;
  const text = replyText(about.entry) ?? '';
  if (reading.type === 'reply' && (await isReadable(context, about.conversationId, ask, text, who))) return undefined;
  const reply: Mutable<Parameters<SortReply>[0]> = withSignal({ text }, stop);
  if (who !== undefined) reply.participant = copyOf(who);
  const known = await context.sortReply?.(reply, publicView<unknown>(ask, about.conversationId));
  if (known !== undefined) return checkedSort(known);
  // talk among approvers is no failed attempt
  return ask.audience.quorum !== undefined && reading.type === 'reply' ? 'other' : undefined;
}

/** A built-in type that proves its answers has read this one: `sortReply` is not asked. */
async function isReadable(
  context: RegistryContext,
  conversationId: string,
  ask: Ask,
  text: string,
  who: Participant | undefined,
): Promise<boolean> {
  const { kind, data, locale: own } = ask.question;
  const type = typeByKind(kind);
  if (type === undefined || type.isOpen?.(data) === true) return false;
  const locale = who?.locale ?? own;
  const heard = replyContextOf(ask, { language: context.language(locale), conversationId });
  try {
    const parsed = await type.parse(text, data, locale, heard);
    return parsed.ok || parsed.why === 'more';
  } catch {
    return false; // a form with a field of a type from elsewhere: its agent can read it
  }
}

function checkedSort(as: unknown): ReplySorting {
  if (as === 'answer' || as === 'decline' || as === 'other') return as;
  throw badOption(`sortReply must return 'answer', 'decline', 'other' or undefined, got ${describe(as)}.`);
}

const quietWhenUnknown = 60 * 60_000;

/** The question again, or a later time for it. */
export function remindingMove(context: RegistryContext, ask: Ask, now: number, conversationId: string): Move {
  const until = quietUntil(context, ask, now, conversationId);
  if (until > now) return { type: 'postpone', askId: ask.id, until };
  const { wording } = context.language(ask.question.locale);
  return { type: 'remind', askId: ask.id, text: wording.reminder(wholePromptOf(ask)) };
}

/** When in doubt it is quiet: a broken function must not wake people up. */
function quietUntil(context: RegistryContext, ask: Ask, now: number, conversationId: string): number {
  if (context.quietUntil === undefined) return now;
  try {
    const until: unknown = context.quietUntil(
      new Date(now),
      publicView<unknown>(withoutSensitiveAnswer(ask), conversationId),
    );
    if (until === undefined) return now;
    const at = until instanceof Date ? until.getTime() : Number.NaN;
    if (Number.isSafeInteger(at)) return at;
    throw badOption(
      `quietUntil must return a Date, or undefined when now is a good time, got ${describe(ignoreRejection(until))}.`,
    );
  } catch (error) {
    context.logger.error('quietUntil failed; the reminder waits for an hour', {
      askId: ask.id,
      failure: failureOf(error),
    });
    return now + quietWhenUnknown;
  }
}
