/**
 * Which ask a message on a platform asks, by the platform's id of the message: so that a reply that quotes the message names the ask. It is
 * kept beside the conversations, because a copy of a question may stand where another conversation is. Decides nothing.
 */
import type { OutgoingQuestion } from '../../core/conversation/outgoing.js';
import { sentIdKeptFor, sentIdKey } from '../../core/conversation/outgoing.js';
import { AgentError, failureOf } from '../../core/errors.js';
import { describe } from '../../core/ids.js';
import type { RegistryContext } from '../context.js';

/** Keeps the id of a question that was sent. Never rejects: the question is there, and can be answered without a quote. */
export async function keepSentId(
  { store, settings, logger }: RegistryContext,
  { key, ask, place }: OutgoingQuestion,
  sentId: string,
): Promise<void> {
  const call = {
    key: sentIdKey(place.channel, sentId),
    value: ask.id,
    ttl: sentIdKeptFor(ask, settings.retention),
  };
  try {
    const { swapped, current } = await store.swap({ ...call, expected: null });
    if (!swapped) await store.swap({ ...call, expected: current }); // a platform that counts from the beginning again
  } catch (error) {
    logger.warn(
      'The id of a question that was sent could not be kept; a reply that quotes it counts as one without a quote',
      {
        key,
        channel: place.channel,
        failure: failureOf(error),
      },
    );
  }
}

/** The id of the ask whose question the channel has sent under this id; undefined if none is known. */
export async function askSentAs(
  { store }: RegistryContext,
  channel: string,
  sentId: string,
): Promise<string | undefined> {
  if (typeof sentId !== 'string' || sentId === '')
    throw new AgentError(
      'bad-message',
      `askSentAs(): the id of the quoted message must be a non-empty string, as send() gave it, got ${describe(sentId)}.`,
    );
  const { current } = await store.swap({ key: sentIdKey(channel, sentId), expected: null, value: null, ttl: 1 });
  return current ?? undefined;
}
