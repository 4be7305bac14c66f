/**
 * Copies of open questions: new ones, and those that came back from where they were sent. Each is an entry in the ask's own queue; what that
 * means for the ask is decided where the entry is read.
 */
import type { Ask } from '../../core/ask/ask.js';
import { copiesOf, isSamePlace, placesOf, placesOn } from '../../core/ask/places.js';
import { askIdIn, copyIn } from '../../core/conversation/outgoing.js';
import { definedFields } from '../../core/defined-fields.js';
import { AgentError, failureOf } from '../../core/errors.js';
import { describe } from '../../core/ids.js';
import type { Json } from '../../core/json.js';
import type { FoundAsk } from './lookup.js';
import { shownAsk } from './lookup.js';
import type { CallParts } from './parts.js';

/** Resolves once the order is recorded. */
export async function show(parts: CallParts, askId: string): Promise<void> {
  const found = await parts.asks.find(askId);
  if (found === null)
    throw new AgentError(
      'unknown-ask',
      `show(): there is no ask ${describe(askId)}, or it ended longer ago than settings.retention. listAsks() has the open ones.`,
    );
  assertOpen(found);
  await recordShow(parts, found);
}

/** The same for all questions of a conversation that wait on this channel. Resolves with their number; never rejects. */
export async function showAll(parts: CallParts, conversationId: string, channel: string): Promise<number> {
  try {
    const { asks } = await parts.asks.document(conversationId);
    const waiting = asks.filter(
      (ask) => ask.status === 'pending' && ask.progress.shown && placesOn(ask.places, channel).length > 0,
    );
    for (const ask of waiting) await recordShow(parts, { ask, conversationId }, channel);
    return waiting.length;
  } catch (error) {
    const about = { conversationId, channel, failure: failureOf(error) };
    parts.context.logger.warn('Open questions could not be shown again; they can still be answered', about);
    return 0;
  }
}

/**
 * Records that a copy on this channel has not arrived. Ignores a key that is no copy of an open question there: a platform may report it late,
 * and more than once. A report about another address is only logged: the person asked may forward what they also get themselves.
 */
export async function cameBack(
  { context, asks, dispatcher }: CallParts,
  key: string,
  reason: string,
  from: { readonly channel: string; readonly address: Json | undefined },
): Promise<void> {
  const found = await asks.find(askIdIn(key) ?? '');
  const copy = copyIn(key);
  if (found === null || found.ask.status !== 'pending') return;
  const { ask, conversationId } = found;
  const { channel } = from;
  const failure = failureOf(new AgentError('undeliverable', reason));
  const about = { conversationId, key, channel, failure };
  if (!isCopyAt(ask, copy, from)) {
    if (isCopyAt(ask, copy, { channel, address: undefined }))
      context.logger.warn(
        'A question stays open though a copy came back, because the report is about another address than the one that was asked: it may have been forwarded there, and have arrived as well. Check the address that was asked',
        about,
      );
    return;
  }
  context.logger.warn('A question came back from where it was sent', about);
  const entry = { type: 'undeliverable', askId: ask.id, copy, failure } as const;
  await dispatcher.record(conversationId, `undeliverable:${key}`, entry);
}

async function recordShow(
  { context, dispatcher }: CallParts,
  { ask, conversationId }: FoundAsk,
  channel?: string,
): Promise<void> {
  const entry = { type: 'show', askId: ask.id, ...definedFields({ channel }) } as const;
  await dispatcher.record(conversationId, `show:${context.newId()}`, entry);
}

function isCopyAt(
  ask: Ask,
  copy: number,
  from: { readonly channel: string; readonly address: Json | undefined },
): boolean {
  const number = copiesOf(ask).find(([each]) => each === copy)?.[1];
  const place = number === undefined ? undefined : placesOf(ask.places)[number];
  return place !== undefined && isSamePlace(place, { channel: from.channel, address: from.address ?? place.address });
}

function assertOpen(found: FoundAsk): void {
  const { ask } = found;
  if (ask.status !== 'pending')
    throw new AgentError(
      'already',
      `show(): ask ${ask.id} is over (${ask.status}), so nothing was sent. Its decision is in details.ask; ask again if you need another answer.`,
      { details: { ask: shownAsk(found) } },
    );
  if (!ask.progress.shown)
    throw new AgentError(
      'not-shown',
      `show(): ask ${ask.id} waits behind another question of its conversation, and is shown when that is over. Show that one: listAsks({ conversationId }) has it first.`,
    );
}
