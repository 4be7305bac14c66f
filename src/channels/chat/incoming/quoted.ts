/**
 * The message that a person quotes, by the id that `send` gave for it. It does not know whether that is a question of ours: the desk does.
 */
import type { Adapter, Message } from 'chat';
import { chatSentIds } from '../places.js';
import { platformNamed } from '../platforms/index.js';

/** Undefined for a message that quotes nothing, or the message of another author. */
export function quotedId(adapter: Adapter, message: Pick<Message, 'raw' | 'threadId' | 'replyTo'>): string | undefined {
  const { replyTo } = message;
  if (replyTo !== undefined)
    return replyTo.author.isMe ? chatSentIds.write({ thread: replyTo.threadId, id: replyTo.id }) : undefined;
  const found = platformNamed(adapter.name).quoted(message, adapter);
  return found && chatSentIds.write(found);
}
