/**
 * Which ask a message on a platform asks, by the platform's id of the message: so that a reply that quotes the message names the ask. It is
 * kept beside the conversations, because a copy of a question may stand where another conversation is. Decides nothing.
 */
import { wrongOption } from '../../core/check-options.js';
import type { OutgoingQuestion } from '../../core/conversation/outgoing.js';
import { sentIdKeptFor, sentIdKey } from '../../core/conversation/outgoing.js';
import type { Mark } from '../../stores/port.js';
import type { RegistryContext } from '../context.js';

/** What is kept of a question that was sent under this id, with the mark that it was sent. */
export function quotedAs({ ask, place }: OutgoingQuestion, sentId: string, retention: number): Mark['kept'] {
  return { key: sentIdKey(place.channel, sentId), value: ask.id, ttl: sentIdKeptFor(ask, retention) };
}

/** The id of the ask whose question the channel has sent under this id; undefined if none is known. */
export async function askSentAs(
  { store }: RegistryContext,
  channel: string,
  sentId: string,
): Promise<string | undefined> {
  if (typeof sentId !== 'string' || sentId === '')
    throw wrongOption('askSentAs(): the id of the quoted message', 'a non-empty string, as send() gave it', sentId, {
      code: 'bad-message',
    });
  const { current } = await store.swap({ key: sentIdKey(channel, sentId), expected: null, value: null, ttl: 1 });
  return current ?? undefined;
}
