/**
 * One piece of work, looked up and read: what it is about, who is behind it, where an answer goes.
 */
import type { IncomingMessage } from '../../channels/port.js';
import type { Ask, Place } from '../../core/ask/ask.js';
import { isFromFurtherPlace } from '../../core/ask/places.js';
import type { Conversation, Parked, Work } from '../../core/conversation/conversation.js';
import { findAsk, nextWork } from '../../core/conversation/conversation.js';
import type { Entry, Queued } from '../../core/conversation/entry.js';
import { authorOf, isAboutParked } from '../../core/conversation/entry.js';
import type { Reading } from '../../core/conversation/match-reply.js';
import {
  askIdElsewhere,
  asksAddressedBy,
  missedByTenant,
  missedByTime,
  readingOf,
  subjectOf,
  withSorting,
} from '../../core/conversation/match-reply.js';
import { isPressed, replyText } from '../../core/conversation/reply-text.js';
import { definedFields } from '../../core/defined-fields.js';
import { readEntry, readSettled } from '../../core/format/document.js';
import { routedId } from '../../core/ids.js';
import { copyOf } from '../../core/json.js';
import type { Participant } from '../../core/participant.js';
import { isCommand } from '../../core/text.js';
import type { Claim, QueuedText } from '../../stores/port.js';
import type { RegistryContext } from '../context.js';
import { warnOnce } from '../context.js';
import type { DocumentCache } from '../document-cache.js';
import type { Arrival, Lease } from '../lease/lease.js';
import type { StopSignal } from '../lease/stop-signal.js';
import { grantedBy, identified, identifiedReceiver, isPolicyAsked, isSortable, sorted } from '../turn/author-hooks.js';
import { replyContextOf } from '../turn/parse-reply.js';
import { isProvenAnswer, provesWords } from './decline-words.js';

export interface WorkItem {
  readonly lease: Lease;
  readonly claim: Claim;
  readonly document: Conversation;
  readonly work: Work;
  /** What is worked on: for a retry, the parked entry. */
  readonly subject: Queued;
  readonly parked: Parked | undefined;
  readonly attempt: number;
  /**
   * Set if other work has the same turn id: an ask that ends ahead of a retry is claimed under the turn id of the retry. What
   * the two say, ask and remember is kept apart by it.
   */
  readonly scope: string | undefined;
}

/** The id of the work's turn, which no other work has. */
export function turnIdOf({ lease, claim, scope }: WorkItem): string {
  return scope === undefined ? claim.turn : routedId(lease.conversationId, claim.turn, scope);
}

export interface ReadWorkItem extends WorkItem {
  readonly who: Participant | undefined;
  readonly reading: Reading;
  readonly place: Place;
}

export const nowhere: Place = { channel: '', address: null, trigger: true };

/** The work that comes first, or undefined if there is none. Throws for records that cannot be read. */
export function openWorkItem(
  lease: Lease,
  claim: Claim,
  documents: DocumentCache,
): WorkItem | { readonly document: Conversation; readonly work: undefined } {
  const document = documents.claimed(lease.conversationId, claim.document);
  const front = claim.entry === undefined ? undefined : frontOf(claim.entry, lease.arrival);
  const work = nextWork(document, front, claim.now);
  if (work === undefined) return { document, work };
  if (work.type !== 'entry') {
    const subject: Queued = { id: work.id, at: work.at, entry: ownEntry(work) };
    const isAheadOfRetry = front !== undefined && isAboutParked(front.entry) && front.entry.turn === claim.turn;
    const scope = isAheadOfRetry ? work.id : undefined;
    return { lease, claim, document, work, subject, parked: undefined, attempt: claim.attempt, scope };
  }
  const { queued, parked } = subjectOf(document, work.queued);
  const attempt = claim.attempt + (parked?.attempts ?? 0);
  return { lease, claim, document, work, subject: queued, parked, attempt, scope: parked?.scope };
}

/** The entry that work which no entry of the queue asked for would have. */
function ownEntry(work: Exclude<Work, { type: 'entry' }>): Entry {
  const { askId } = work;
  if (work.type !== 'settle') return { type: work.type, askId };
  if (work.as === 'expired') return { type: 'expire', askId };
  const { by, reason } = work;
  return { type: 'cancel', askId, ...definedFields({ by, reason }) };
}

function frontOf(front: QueuedText, arrival: Arrival | undefined): Queued {
  const message = arrival?.message;
  const { id, at, data, revision } = front;
  if (message === undefined || message.data !== data) return readEntry(front);
  const { entry, waiter } = message;
  return waiter === undefined ? { id, at, revision, entry } : { id, at, revision, entry, waiter };
}

/** The work with who wrote it and what it is. A promise only where reading it takes one. */
export function readWorkItem(
  context: RegistryContext,
  item: WorkItem,
  stop: StopSignal,
): ReadWorkItem | Promise<ReadWorkItem> {
  const { lease, document, work, subject, parked } = item;
  if (work.type !== 'entry') {
    const reading = ownReading(document, work);
    const author = authorOf(subject.entry);
    if (author === undefined || context.identify === undefined) return withReading(item, { reading, who: author });
    return identified(context, author).then((who) => withReading(item, { reading, who }));
  }
  const read = readingFor(context, document, subject, { conversationId: lease.conversationId, stop, parked });
  const done = (reading: EntryReading): ReadWorkItem => {
    if (reading.reading.type === 'ordinary') tellMissed(context, item);
    return withReading(item, reading);
  };
  return read instanceof Promise ? read.then(done) : done(read);
}

/** Nobody would else know why a typed answer did not count where a clock is wrong. */
function tellMissed(context: RegistryContext, { lease, document, subject }: WorkItem): void {
  const missed = missedByTime(document, subject);
  if (missed === undefined || subject.entry.type !== 'message') return;
  const { conversationId } = lease;
  const { channel } = subject.entry.place;
  context.logger.warn(
    'A message did not answer the open question, because it was written before that was shown and came late. If nothing was late, a clock is wrong: those of the platform, of this machine and of the store must agree to a minute',
    { conversationId, askId: missed.id, channel },
  );
}

function withReading(item: WorkItem, { reading, who }: EntryReading): ReadWorkItem {
  const { lease, claim, document, work, subject, parked, attempt, scope } = item;
  const place = placeOf(subject, reading);
  return { lease, claim, document, work, subject, parked, attempt, scope, reading, who, place };
}

interface EntryReading {
  readonly reading: Reading;
  readonly who: Participant | undefined;
}

interface ReadBy {
  readonly conversationId: string;
  readonly stop: StopSignal;
  readonly parked?: Parked | undefined;
}

/**
 * Who wrote an entry of the queue, and what it is. A promise only where the store has to be asked for a settled ask, or the
 * author for what `identify`, a policy or `sortReply` say.
 */
export function readingFor(
  context: RegistryContext,
  document: Conversation,
  subject: Queued,
  by: ReadBy,
): EntryReading | Promise<EntryReading> {
  const read = ownReadingFor(context, document, subject, by.parked) ?? askedReading(context, document, subject, by);
  const done = (found: EntryReading): EntryReading => {
    tellTenantMissing(context, by.conversationId, document, subject, found);
    return found;
  };
  return read instanceof Promise ? read.then(done) : done(read);
}

/** Without it an ask waits for an answer that cannot come. */
function tellTenantMissing(
  context: RegistryContext,
  conversationId: string,
  document: Conversation,
  subject: Queued,
  { reading, who }: EntryReading,
): void {
  const missed = missedByTenant(document, subject, reading, who);
  if (missed === undefined) return;
  warnOnce(
    context,
    `no tenant: ${who?.id}`,
    'A reply did not count, because the ask is of a tenant, and the tenant of the participant is not known. If they are of that tenant, let the channel or identify give it',
    { conversationId, askId: missed.id, ...definedFields({ participantId: who?.id, tenant: missed.tenant }) },
  );
}

/** The same where neither the store nor the author has to be asked, else undefined. */
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

/** The reading again, as a reply where these words are an answer. */
async function answerOverDecline(
  context: RegistryContext,
  conversationId: string,
  entry: Entry,
  reading: Reading,
  who: Participant | undefined,
): Promise<Reading> {
  if (!mayBeAnswer(entry, reading)) return reading;
  const { ask } = reading;
  const language = context.language(who?.locale ?? ask.locale);
  const isAnswer = await isProvenAnswer(ask, replyText(entry) ?? '', replyContextOf(ask, { language, conversationId }));
  return isAnswer ? { type: 'reply', ask, how: 'typed', entry } : reading;
}

async function askedReading(
  context: RegistryContext,
  document: Conversation,
  subject: Queued,
  by: ReadBy,
): Promise<EntryReading> {
  const { entry } = subject;
  const { conversationId, stop, parked } = by;
  const author = authorOf(entry);
  const who = await identified(context, author);
  const askId = askIdElsewhere(document, entry);
  const elsewhere = askId === undefined ? undefined : await settledAsk(context, askId, conversationId);
  const place = writtenAt(subject);
  const granted = await grantedBy(context, asksAddressedBy(document, subject, elsewhere), who, {
    conversationId,
    place,
  });
  const to = entry.type === 'hand-over' ? await identifiedReceiver(context, entry, conversationId) : undefined;
  const matched = readingOf(document, subject, who, { elsewhere, parked, granted, language: context.language, to });
  const reading = await answerOverDecline(context, conversationId, entry, matched, who);
  const sortable = isSortable(context, entry, reading);
  const as = sortable ? await sorted(context, { conversationId, entry }, reading, who, stop) : undefined;
  return { reading: withSorting(reading, as, entry), who };
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

/** What an agent says about a reply goes to the ask's own place, also where the reply came from another place of the ask. */
export function placeOf(subject: Queued, reading: Reading): Place {
  const ask = reading.type === 'reply' || reading.type === 'close' ? reading.ask : undefined;
  if (subject.entry.type !== 'message') return ask?.place ?? nowhere;
  const { place } = subject.entry;
  return ask !== undefined && isFromFurtherPlace(ask, place) ? ask.place : place;
}

/** Where its author wrote, if they did. */
export function writtenAt({ entry }: Queued): Place | undefined {
  return entry.type === 'message' ? entry.place : undefined;
}

/** The message as the author's `route` and `classify` see it. */
export function messageOf(item: WorkItem): IncomingMessage {
  const { entry } = item.subject;
  const base = { id: item.subject.id, conversationId: item.lease.conversationId };
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
