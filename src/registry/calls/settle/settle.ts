/**
 * Answers, declines, cancels and retries by id: each an entry in the ask's own queue, awaited until it has its disposition.
 */
import type { Ask, PendingAsk } from '../../../core/ask/ask.js';
import type { OptionRules } from '../../../core/check-options.js';
import {
  assertObject,
  checkOptions,
  expecting,
  optional,
  unknownName,
  wrongOption,
} from '../../../core/check-options.js';
import type { CancelEntry, Disposition, Entry } from '../../../core/conversation/entry.js';
import { definedFields } from '../../../core/defined-fields.js';
import { AgentError, badOption } from '../../../core/errors.js';
import { checkedId, describe } from '../../../core/ids.js';
import type { Json } from '../../../core/json.js';
import { plainData } from '../../../core/json.js';
import type { Participant } from '../../../core/participant.js';
import { assertNamed, namedPerson, orId, personRule } from '../../arguments.js';
import { byId } from '../../turn/author-hooks.js';
import { runningTurn } from '../../turn/current-turn.js';
import { dispositionIn } from '../../waiters.js';
import { shownAsk } from '../lookup.js';
import type { CallParts } from '../parts.js';

/**
 * What became of an answer, a decline or a cancel by id.
 *
 * @example
 * import { AgentRegistry, type Settled } from 'askback';
 *
 * const registry = new AgentRegistry();
 * const settled: Settled = await registry.answer('ask-1', { text: 'yes' }, { by: { id: 'web:anna' } });
 * if (settled.type === 'invalid') console.log(settled.problem);
 */
export type Settled =
  /** It decided the ask. */
  | { readonly type: 'accepted'; readonly ask: PendingAsk<unknown> }
  /** It counts, and the ask still waits for more: other people's votes, other fields of a form. */
  | { readonly type: 'counted'; readonly ask: PendingAsk<unknown> }
  /** Somebody was first; `ask` says who and when. */
  | { readonly type: 'already'; readonly ask: PendingAsk<unknown> }
  | { readonly type: 'late'; readonly ask: PendingAsk<unknown> }
  /** The ask has changed since the person was shown it: it decided nothing, and `ask` is what it is now. Only in the inbox. */
  | { readonly type: 'changed'; readonly ask: PendingAsk<unknown> }
  /** It does not fit the question; the ask is as it was. */
  | { readonly type: 'invalid'; readonly problem: string }
  | { readonly type: 'refused' }
  | { readonly type: 'unknown' }
  /** Recorded; what becomes of it is not known yet. */
  | { readonly type: 'received' };

/**
 * Who cancels, and why.
 *
 * @example
 * import { AgentRegistry, type CancelOptions } from 'askback';
 *
 * const registry = new AgentRegistry();
 * const boss: CancelOptions = { by: { id: 'web:boss' }, reason: 'No longer needed.' };
 * await registry.cancel('ask-1', boss);
 */
export interface CancelOptions {
  /** The person who cancels, or their id. It is kept with the decision; whether they may is for the caller to check. */
  readonly by?: Participant | string;
  /** Why, in at most 1,000 characters. Kept with the decision, for the handlers, the history and operators; no channel gets it. */
  readonly reason?: string;
}

/**
 * How many asks of a conversation a cancel ended.
 *
 * @example
 * import { AgentRegistry, type Cancelled } from 'askback';
 *
 * const registry = new AgentRegistry();
 * const { cancelled }: Cancelled = await registry.cancel({ conversationId: 'web-anna' });
 */
export interface Cancelled {
  /** How many asks were cancelled. */
  readonly cancelled: number;
  /** Recorded, and not done yet: it waits behind a turn. What is open then is cancelled, and not counted here. */
  readonly received?: true;
}

/**
 * Who closes parked work, and why.
 *
 * @example
 * import { AgentRegistry, type CloseParkedOptions } from 'askback';
 *
 * const registry = new AgentRegistry();
 * const options: CloseParkedOptions = { by: { id: 'staff:ana' }, reason: 'Refunded by hand.' };
 * for (const { id } of (await registry.parked()).items) await registry.closeParked(id, options);
 */
export interface CloseParkedOptions {
  /** The person who closes it, or their id. Whether they may is for the caller to check. */
  readonly by?: Participant | string;
  /** Why, in at most 1,000 characters. */
  readonly reason?: string;
}

/**
 * What became of a call of `closeParked()`.
 *
 * @example
 * import { AgentRegistry, type ParkedClosed } from 'askback';
 *
 * const registry = new AgentRegistry();
 * const [work] = (await registry.parked()).items;
 * const closed: ParkedClosed | undefined = work && (await registry.closeParked(work.id, { reason: 'Done by hand.' }));
 */
export type ParkedClosed =
  | { readonly type: 'closed' }
  /** Somebody else has retried or closed it first. */
  | { readonly type: 'gone' }
  /** Recorded, and not done yet: it waits behind a turn. */
  | { readonly type: 'received' };

/** How a call is recorded, beside what users say. */
export interface SettleCall {
  /** The same again is the same call, for a caller that repeats it. */
  readonly entryId?: string;
  /** A digest of what the person was shown. */
  readonly drawn?: string;
}

const answerFields: readonly string[] = ['text', 'value'];

type Named = Extract<Entry, { type: 'answer' | 'decline' | 'cancel' | 'expire' | 'hand-over' }>;

export async function answerAsk(
  parts: CallParts,
  askId: string,
  answer: { readonly text: string } | { readonly value: Json },
  who: { readonly by?: Participant },
  call: SettleCall = {},
): Promise<Settled> {
  const { settings } = parts.context;
  const said = assertObject(answer, 'answer(): the answer', "an object such as { text: 'yes' } or { value: true }");
  if ('text' in said && 'value' in said)
    throw badOption(
      'answer(): both text and value are given. Give text for what a person typed, or value for what a control gave.',
    );
  const foreign = Object.keys(definedFields(said)).find((name) => !answerFields.includes(name));
  if (foreign !== undefined) throw unknownName('answer(): the field ', foreign, answerFields);
  if (!('text' in said) && !('value' in said))
    throw badOption(
      "answer(): the answer must have text, what a person typed, or value, what a control gave, such as { text: 'yes' } or { value: true }, got an object with nothing in it.",
    );
  const words =
    'text' in said
      ? { text: plainText(said.text, settings.textBytes) }
      : { value: plainData(said.value, 'answer(): value', settings) };
  const by = namedPerson(who, 'by', 'answer()');
  const { entryId, drawn } = call;
  return settle(parts, askId, { type: 'answer', askId, ...words, ...definedFields({ by, drawn }) }, entryId);
}

export async function decline(
  parts: CallParts,
  askId: string,
  who: { readonly by?: Participant; readonly reason?: string },
  { entryId, drawn }: SettleCall = {},
): Promise<Settled> {
  const said = checkedWords(who, 'decline()', { rule: personRule, example: 'web:4711' });
  return settle(parts, askId, { type: 'decline', askId, ...said, ...definedFields({ drawn }) }, entryId);
}

export async function cancelOne(
  parts: CallParts,
  askId: string,
  options: CancelOptions,
  { entryId, drawn }: SettleCall = {},
): Promise<Settled> {
  const said = checkedWords(options, 'cancel()');
  return settle(parts, askId, { type: 'cancel', askId, ...said, ...definedFields({ drawn }) }, entryId);
}

export async function cancel(
  parts: CallParts,
  what: string | { readonly conversationId: string },
  options: CancelOptions,
): Promise<Settled | Cancelled> {
  if (typeof what === 'string') return cancelOne(parts, what, options);
  const said = checkedWords(options, 'cancel()');
  const { conversationId } = assertObject(what, 'cancel()', 'given the id of an ask, or a conversationId');
  return cancelAll(parts, checkedId(conversationId, 'cancel(): conversationId'), said);
}

/** `entryId`: the same again is the same call, for a caller that repeats it. */
export async function settle(parts: CallParts, askId: string, entry: Named, entryId?: string): Promise<Settled> {
  return (await outcomeOf(parts, askId, entry, entryId)).settled;
}

/** The same, with the entry's disposition. There is none for an ask that is unknown or over, nor where it is not known yet. */
export async function outcomeOf(
  parts: CallParts,
  askId: string,
  entry: Named,
  entryId = `${entry.type}:${parts.context.newId()}`,
): Promise<{ readonly settled: Settled; readonly disposition?: Disposition | undefined }> {
  const found = await parts.asks.find(askId);
  if (found === null) return { settled: { type: 'unknown' } };
  const { conversationId, ask } = found;
  if (ask.status !== 'pending') return { settled: await overFor(parts, ask, conversationId, entry) };
  const record = (): Promise<Disposition | undefined> => recorded(parts, conversationId, entryId, entry);
  // the replies to an ask that is waited for are read even without agents
  const disposition = await (ask.own.awaited ? parts.dispatcher.waitingIn(conversationId, record) : record());
  return { disposition, settled: await settledAs(parts, disposition, askId) };
}

async function cancelAll(
  parts: CallParts,
  conversationId: string,
  said: Pick<CancelEntry, 'by' | 'reason'>,
): Promise<Cancelled> {
  const before = (await parts.asks.document(conversationId)).asks.filter(({ status }) => status === 'pending');
  const done = await recorded(parts, conversationId, `cancel:${parts.context.newId()}`, { type: 'cancel', ...said });
  const after = await Promise.all(before.map((ask) => parts.asks.get(ask.id)));
  const cancelled = after.filter((ask) => ask?.status === 'cancelled').length;
  return done === undefined ? { cancelled, received: true } : { cancelled };
}

export async function retry(
  parts: CallParts,
  id: string,
  entryId = `retry:${parts.context.newId()}`,
): Promise<Disposition | { readonly type: 'received' }> {
  const { conversationId, turn } = await parkedIn(parts, id);
  const entry: Entry = { type: 'retry', parkedId: id, ...definedFields({ turn }) };
  return (await recorded(parts, conversationId, entryId, entry, turn)) ?? { type: 'received' };
}

export async function closeParked(
  parts: CallParts,
  id: string,
  options: CloseParkedOptions,
  entryId = `unpark:${parts.context.newId()}`,
): Promise<ParkedClosed> {
  const said = checkedWords(options, 'closeParked()');
  const { conversationId, turn } = await parkedIn(parts, id);
  const entry: Entry = { type: 'unpark', parkedId: id, ...said, ...definedFields({ turn }) };
  const disposition = await recorded(parts, conversationId, entryId, entry, turn);
  if (disposition === undefined) return { type: 'received' };
  return { type: disposition.type === 'ignored' ? 'gone' : 'closed' };
}

/** Where parked work is, and its turn id. Looked up before an entry is handed over: from there on nothing waits, so that the conversation keeps its order. */
async function parkedIn(
  parts: CallParts,
  id: string,
): Promise<{ readonly conversationId: string; readonly turn: string | undefined }> {
  const found = await parts.asks.findParked(id);
  if (found !== null) return { conversationId: found.conversationId, turn: found.parked?.turn };
  throw new AgentError('unknown-ask', `Nothing is parked under ${describe(id)}. parked() lists what is.`);
}

export async function recoverPending(
  parts: CallParts,
  maxAge: number,
): Promise<{ readonly expired: number; readonly recovered: number }> {
  if (!(Number.isFinite(maxAge) && maxAge >= 0))
    throw wrongOption('recoverPending(): maxAge', 'a number of milliseconds', maxAge);
  const { store } = parts.context;
  const { now } = await store.due(1);
  let expired = 0;
  let recovered = 0;
  let cursor: string | undefined;
  do {
    const page = await store.list('open', { limit: 200, ...(cursor === undefined ? {} : { cursor }) });
    const outcomes = await Promise.all(page.items.map((item) => recover(parts, item.id, now - maxAge)));
    expired += outcomes.filter((outcome) => outcome === 'expired').length;
    recovered += outcomes.filter((outcome) => outcome === 'recovered').length;
    cursor = page.cursor;
  } while (cursor !== undefined);
  return { expired, recovered };
}

async function recover(parts: CallParts, askId: string, oldest: number): Promise<'expired' | 'recovered' | 'over'> {
  const found = await parts.asks.find(askId).catch((error: unknown) => parts.asks.unreadable(error, { askId }));
  if (found === null || found.ask.status !== 'pending') return 'over';
  if (found.ask.timing.expiresAt !== undefined || found.ask.timing.askedAt >= oldest) return 'recovered';
  await recorded(parts, found.conversationId, `expire:${askId}`, { type: 'expire', askId });
  return (await parts.asks.get(askId))?.status === 'expired' ? 'expired' : 'recovered';
}

/** Undefined inside a turn of the same conversation: the entry waits for that very turn, so nobody may wait for it. */
async function recorded(
  parts: CallParts,
  conversationId: string,
  entryId: string,
  entry: Entry,
  workTurn?: string,
): Promise<Disposition | undefined> {
  const inside = runningTurn(parts.context)?.conversationId === conversationId;
  const waiter = inside ? undefined : parts.context.id;
  const taken = await parts.dispatcher.record(conversationId, entryId, entry, { waiter, turn: workTurn });
  if (inside) return undefined;
  const { callTimeout } = parts.context.settings;
  return dispositionIn(taken.outcome ?? (await parts.waiters.outcome(conversationId, entryId, callTimeout)));
}

async function overFor(parts: CallParts, ask: Ask, conversationId: string, entry: Named): Promise<Settled> {
  if (entry.type === 'answer' || entry.type === 'decline' || entry.type === 'hand-over') {
    const { who, may } = await byId(parts.context, ask, conversationId, entry.by);
    if (!may) {
      const about = { conversationId, askId: ask.id, ...definedFields({ participantId: who?.id }) };
      parts.context.emit('refused', about);
      parts.context.logger.warn('Somebody who may not answer an ask tried to', about);
      return { type: 'refused' };
    }
  }
  return { type: ask.status === 'expired' ? 'late' : 'already', ask: shownAsk({ ask, conversationId }) };
}

async function settledAs(parts: CallParts, disposition: Disposition | undefined, askId: string): Promise<Settled> {
  if (disposition === undefined || disposition.type === 'ordinary') return { type: 'received' };
  if (disposition.type === 'not-authorised') return { type: 'refused' };
  if (disposition.type === 'invalid') return { type: 'invalid', problem: disposition.problem };
  if (disposition.type === 'ignored') return { type: 'unknown' };
  const ask = await parts.asks.get(askId);
  if (ask === null) return { type: 'unknown' };
  if (disposition.type === 'voted' || disposition.type === 'partial') return { type: 'counted', ask };
  if (disposition.type === 'already' || disposition.type === 'late') return { type: disposition.type, ask };
  if (disposition.type === 'outdated') return { type: 'changed', ask };
  // parked after the decision: the answer counts, and the case waits for a person
  return ask.status === 'pending' ? { type: 'received' } : { type: 'accepted', ask };
}

const longestReason = 1_000;

export const reasonRule = expecting<string>(
  `a string of at most ${longestReason} characters`,
  (value) => typeof value === 'string' && value.length <= longestReason,
);

/** What is recorded of who declines, cancels or closes something, and why. Empty words are none. */
function checkedWords(
  options: CancelOptions,
  call: string,
  { rule, example } = { rule: orId(personRule), example: 'staff:ana' },
): Pick<CancelEntry, 'by' | 'reason'> {
  assertNamed(options, 'by', call);
  const rules = { by: optional(rule), reason: optional(reasonRule) } satisfies OptionRules<CancelOptions>;
  const { by, reason } = checkOptions(call, options, rules, `{ by: { id: '${example}' }, reason: '…' }`);
  return definedFields({ by, reason: reason === '' ? undefined : reason });
}

function plainText(text: unknown, limit: number): string {
  if (typeof text !== 'string')
    throw wrongOption('answer(): text', 'a string', text, { code: 'bad-data', isSecret: true });
  if (Buffer.byteLength(text) > limit)
    throw new AgentError(
      'bad-data',
      `answer(): the text is longer than ${limit} bytes; nothing was recorded. Send a shorter one.`,
    );
  return text;
}
