/**
 * Opens the turn of a claim, and reads it: what it is about, and who is behind it.
 */
import type { IncomingMessage } from '../../channels/port.js';
import type { Ask } from '../../core/ask/ask.js';
import { answerableBySteps } from '../../core/ask/steps.js';
import type { Conversation, Parked, Work } from '../../core/conversation/conversation.js';
import { findAsk, nextWork } from '../../core/conversation/conversation.js';
import type { Entry, Queued } from '../../core/conversation/entry.js';
import { authorOf, isAboutParked } from '../../core/conversation/entry.js';
import type { Reading, ReplySorting } from '../../core/conversation/match-reply.js';
import {
  askIdElsewhere,
  asksAddressedBy,
  missedByTenant,
  missedByTime,
  readingOf,
  subjectOf,
} from '../../core/conversation/match-reply.js';
import { isPressed, replyText } from '../../core/conversation/reply-text.js';
import { definedFields } from '../../core/defined-fields.js';
import { readConversation, readEntry, readSettled } from '../../core/format/document.js';
import { copyOf } from '../../core/json.js';
import type { Participant } from '../../core/participant.js';
import { isCommand } from '../../core/text.js';
import type { Claim } from '../../stores/port.js';
import type { RegistryContext } from '../context.js';
import { warnOnce } from '../context.js';
import type { Lease } from '../lease/lease.js';
import { grantedBy, identified, identifiedReceiver, isPolicyAsked, isSortable, sorted } from '../turn/author-hooks.js';
import { replyContextOf } from '../turn/parse-reply.js';
import { Turn, writtenAt } from '../turn/turn.js';
import { isProvenAnswer, provesWords } from './decline-words.js';

/** The turn of the work that comes first, or the document if there is none. Throws for records that cannot be read. */
export function openTurn(context: RegistryContext, lease: Lease, claim: Claim): Turn | Conversation {
  const document = readConversation(claim.document, lease.conversationId);
  const front = claim.entry && readEntry(claim.entry);
  const work = nextWork(document, front, claim.now);
  if (work === undefined) return document;
  if (work.type !== 'entry') {
    const subject: Queued = { id: work.id, at: work.at, entry: ownEntry(work) };
    const isAheadOfRetry = front !== undefined && isAboutParked(front.entry) && front.entry.turn === claim.turn;
    const scope = isAheadOfRetry ? work.id : undefined;
    return new Turn(context, { lease, claim, document, work, subject, attempt: claim.attempt, scope });
  }
  const { queued: subject, parked } = subjectOf(document, work.queued);
  const attempt = claim.attempt + (parked?.attempts ?? 0);
  return new Turn(context, { lease, claim, document, work, subject, parked, attempt, scope: parked?.scope });
}

/** The entry that work which no entry of the queue asked for would have. */
function ownEntry(work: Exclude<Work, { type: 'entry' }>): Entry {
  const { askId } = work;
  if (work.type !== 'settle') return { type: work.type, askId };
  if (work.as === 'expired') return { type: 'expire', askId };
  const { by, reason } = work;
  return { type: 'cancel', askId, ...definedFields({ by, reason }) };
}

/** Reads who wrote it and what it is. A promise only where the store or the author has to be asked for that. */
export function readTurn(turn: Turn): Promise<void> | undefined {
  const { context, document, work, subject, parked } = turn;
  if (work.type !== 'entry') {
    const reading = ownReading(document, work);
    const author = authorOf(subject.entry);
    if (author !== undefined && context.identify !== undefined)
      return identified(context, author).then((who) => turn.isRead(reading, who));
    turn.isRead(reading, author);
    return undefined;
  }
  const own = ownReadingFor(context, document, subject, parked);
  if (own === undefined) return askedReading(turn).then((asked) => isRead(turn, asked));
  isRead(turn, own);
  return undefined;
}

interface EntryReading {
  readonly reading: Reading;
  readonly who: Participant | undefined;
}

function isRead(turn: Turn, { reading, who }: EntryReading): void {
  turn.isRead(reading, who);
  tellTenantMissing(turn, reading);
  tellRolesMissing(turn, reading);
  if (reading.type === 'ordinary' && !turn.isAside) tellMissed(turn);
}

/** Nobody would else know why a typed answer did not count where a clock is wrong. */
function tellMissed({ context, conversationId, document, subject }: Turn): void {
  const missed = missedByTime(document, subject);
  if (missed === undefined || subject.entry.type !== 'message') return;
  const { channel } = subject.entry.place;
  context.logger.warn(
    'A message did not answer the open question, because it was written before that was shown and came late. If nothing was late, a clock is wrong: those of the platform, of this machine and of the store must agree to a minute',
    { conversationId, askId: missed.id, channel },
  );
}

/** Without it an ask waits for an answer that cannot come. */
function tellTenantMissing({ context, conversationId, document, subject, who }: Turn, reading: Reading): void {
  const missed = missedByTenant(document, subject, reading, who);
  if (missed === undefined) return;
  warnOnce(
    context,
    `no tenant: ${who?.id}`,
    'A reply did not count, because the ask is of a tenant, and the tenant of the participant is not known. If they are of that tenant, let the channel or identify give it',
    { conversationId, askId: missed.id, ...definedFields({ participantId: who?.id, tenant: missed.audience.tenant }) },
  );
}

/** Where neither a channel nor `identify` gives roles, an ask for a role waits for an answer that cannot come. */
function tellRolesMissing({ context, conversationId, who }: Turn, reading: Reading): void {
  if (reading.type !== 'notice' || reading.disposition.type !== 'not-authorised') return;
  const { ask } = reading;
  if (ask === undefined || who === undefined || who.roles !== undefined) return;
  const roles = answerableBySteps(ask).flatMap((each) =>
    typeof each === 'object' && 'roles' in each ? each.roles : [],
  );
  if (roles.length === 0) return;
  warnOnce(
    context,
    `no roles: ${ask.places.own.channel}`,
    'A reply did not count, because the ask is for people with a role, and no role of the participant is known. If they have it, let the channel or identify give it. Slack, mail and the platforms of ChatChannel know no roles',
    { conversationId, askId: ask.id, participantId: who.id, roles },
  );
}

/** Who wrote an entry of the queue, and what it is, where neither the store nor the author has to be asked, else undefined. */
export function ownReadingFor(
  context: RegistryContext,
  document: Conversation,
  subject: Queued,
  parked?: Parked,
): EntryReading | undefined {
  const { entry } = subject;
  if (context.identify !== undefined || askIdElsewhere(document, entry) !== undefined) return undefined;
  const who = authorOf(entry);
  if (isPolicyAsked(asksAddressedBy(document, subject, undefined))) return undefined;
  const reading = readingOf(document, subject, who, { parked, language: context.language });
  return isSortable(context, entry, reading) || mayBeAnswer(entry, reading) ? undefined : { reading, who };
}

/** Whether words that usually call a question off may be an answer to this one. A command never is. */
function mayBeAnswer(entry: Entry, reading: Reading): reading is Extract<Reading, { type: 'close' }> {
  if (reading.type !== 'close' || reading.as !== 'declined' || reading.ask.decision !== undefined) return false;
  const isTyped = entry.type === 'message' && !isPressed(entry) && !isCommand(entry.text);
  return isTyped && provesWords(reading.ask);
}

/** The same where the store is asked for a settled ask, or the author for what `identify`, a policy or `sortReply` say. */
async function askedReading({ context, conversationId, stop, document, subject, parked }: Turn): Promise<EntryReading> {
  const { entry } = subject;
  const who = await identified(context, authorOf(entry));
  const askId = askIdElsewhere(document, entry);
  const elsewhere = askId === undefined ? undefined : await settledAsk(context, askId, conversationId);
  const asked = { conversationId, place: writtenAt(subject) };
  const granted = await grantedBy(context, asksAddressedBy(document, subject, elsewhere), who, asked);
  const to = entry.type === 'hand-over' ? await identifiedReceiver(context, entry, conversationId) : undefined;
  const known = { elsewhere, parked, granted, language: context.language, to };
  const readAs = (sorting?: ReplySorting): Reading => readingOf(document, subject, who, { ...known, sorting });
  const byRules = readAs();
  const about = { conversationId, entry };
  const reading = (await isAnswerOverDecline(context, about, byRules, who)) ? readAs('answer') : byRules;
  const sorting = isSortable(context, entry, reading) ? await sorted(context, about, reading, who, stop) : undefined;
  return { reading: sorting === undefined ? reading : readAs(sorting), who };
}

/** Whether words that the rules take for calling the question off are an answer to it, by its options or its pattern. */
async function isAnswerOverDecline(
  context: RegistryContext,
  { conversationId, entry }: { readonly conversationId: string; readonly entry: Entry },
  reading: Reading,
  who: Participant | undefined,
): Promise<boolean> {
  if (!mayBeAnswer(entry, reading)) return false;
  const { ask } = reading;
  const language = context.language(who?.locale ?? ask.question.locale);
  return isProvenAnswer(ask, replyText(entry) ?? '', replyContextOf(ask, { language, conversationId }));
}

/** The reading of work that no entry of the queue asked for. */
function ownReading(document: Conversation, work: Exclude<Work, { type: 'entry' }>): Reading {
  const ask = findAsk(document, work.askId) as Ask; // nextWork found it there
  if (work.type !== 'settle') return { type: work.type, ask };
  return { type: 'close', ask, as: work.as, ...definedFields({ reason: work.reason }) };
}

/** A settled record counts only in its own conversation; anywhere else the ask is unknown. */
export async function settledAsk(
  context: RegistryContext,
  askId: string,
  conversationId: string,
): Promise<Ask | undefined> {
  const found = await context.store.find(askId);
  if (found === null || !('record' in found)) return undefined;
  const settled = readSettled(found.record);
  return settled?.conversationId === conversationId ? settled.ask : undefined;
}

/** The message as the author's `route` and `classify` see it. */
export function messageOf({ subject, conversationId }: Turn): IncomingMessage {
  const { entry } = subject;
  const base = { id: subject.id, conversationId };
  if (entry.type !== 'message') return { ...base, text: '' };
  const { text, participant, intent, data, askId, choice, value, automated, wordless, prepared, place } = entry;
  const { address } = place;
  return copyOf({
    ...base,
    text,
    address,
    ...definedFields({ participant, intent, data, askId, choice, value, automated, wordless, prepared }),
  });
}
