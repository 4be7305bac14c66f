/**
 * What cannot be delivered: an address that leads nowhere, and text for one person that cannot be shown to that person alone.
 */
import type { OutgoingMessage } from '../../core/conversation/outgoing.js';
import { AgentError, failureOf } from '../../core/errors.js';
import type { Logger } from '../../core/events.js';

/** Returns the address of a message. An address that cannot be read makes the message undeliverable: no retry can succeed. */
export function deliverableTo<A>(readAddress: () => A): A {
  try {
    return readAddress();
  } catch (cause) {
    throw new AgentError('undeliverable', failureOf(cause).message, { cause });
  }
}

/** Where it is logged that text for one person was shown to nobody. */
export interface WhisperLog {
  /** The name of the channel. */
  readonly channel: string;
  readonly logger: Logger;
}

/**
 * Shows a message that is for one person only. `show` is undefined if the person cannot be reached on this channel. Where no retry can
 * succeed, the message is logged and shown to nobody; other errors reject, so that it is tried again.
 */
export async function whisper(
  { conversationId, key }: OutgoingMessage,
  { channel, logger }: WhisperLog,
  show: (() => Promise<unknown>) | undefined,
): Promise<void> {
  const about = { channel, conversationId, key };
  if (show === undefined) {
    logger.warn('A message for one person could not be shown: the person is not on this platform', about);
    return;
  }
  try {
    await show();
  } catch (error) {
    if (!(error instanceof AgentError && error.code === 'undeliverable')) throw error;
    logger.warn('A message for one person could not be shown to that person', { ...about, failure: failureOf(error) });
  }
}
