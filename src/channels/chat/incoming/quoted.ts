/**
 * Which message somebody quotes, by the id that `send` gave for it. Read from the platform's own message where the adapter's does not tell it.
 * Whether it is a question of ours is looked up by whoever asks.
 */
import type { Adapter, Message } from 'chat';
import { chatSentId } from '../places.js';
import { fieldsOf, isFilled, quotedOnTeams } from './typed-text.js';

type ChatQuoting = Pick<Message, 'raw' | 'threadId' | 'replyTo'>;

/** Undefined for a message that quotes nothing, or somebody else. */
export function quotedId(adapter: Adapter, message: ChatQuoting): string | undefined {
  const { replyTo } = message;
  if (replyTo !== undefined) return replyTo.author.isMe ? chatSentId(replyTo.threadId, replyTo.id) : undefined;
  const found = byPlatform[adapter.name]?.(message, adapter);
  return found && chatSentId(found.thread, found.id);
}

interface QuotedMessage {
  readonly thread: string;
  readonly id: string;
}

const byPlatform: Readonly<Record<string, (message: ChatQuoting, adapter: Adapter) => QuotedMessage | undefined>> = {
  discord: quotedOnDiscord,
  slack: quotedOnSlack,
  teams: ({ raw, threadId: thread }) => {
    const [id] = quotedOnTeams(raw);
    return id === undefined ? undefined : { thread, id };
  },
};

/** Discord's type of a message that is a reply. One that was forwarded refers to a message, too. */
const discordReply = 19;

/** A reply that mentions the app begins a thread, so the quoted message may be above it: its place is told beside its id. */
function quotedOnDiscord({ raw, threadId }: ChatQuoting): QuotedMessage | undefined {
  const { type, message_reference: reference } = fieldsOf(raw);
  const { message_id: id, channel_id: channel } = fieldsOf(reference);
  if (type !== discordReply || !isFilled(id)) return undefined;
  const parts = threadId.split(':');
  const at = isFilled(channel) ? parts.lastIndexOf(channel) : -1;
  return { thread: at < 0 ? threadId : parts.slice(0, at + 1).join(':'), id };
}

/** On Slack a reply stands in the thread below what it is about. */
function quotedOnSlack({ raw, threadId }: ChatQuoting, adapter: Adapter): QuotedMessage | undefined {
  const { ts, thread_ts: root } = fieldsOf(raw);
  if (!isFilled(root) || root === ts) return undefined;
  return { thread: `${adapter.channelIdFromThreadId(threadId)}:`, id: root };
}
