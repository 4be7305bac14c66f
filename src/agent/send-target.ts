/**
 * Where `sendTo()` sends: an address of a channel, or another conversation where nothing is pushed. Sends nothing itself.
 */
import type { Channel } from '../channels/port.js';
import type { Place } from '../core/ask/ask.js';
import { anything, checkOptions, type OptionRules, optional } from '../core/check-options.js';
import { type AgentError, badOption } from '../core/errors.js';
import { checkedId } from '../core/ids.js';
import type { Json } from '../core/json.js';
import { copyOf, plainData } from '../core/json.js';
import { handleChannel } from '../registry/context.js';
import { unknownChannel } from '../registry/turn/new-ask.js';
import type { SendOptions } from '../registry/turn/question-handlers.js';
import type { Turn } from '../registry/turn/turn.js';

const rules = {
  to: optional(anything<Json>()),
  conversationId: optional(checkedId),
} satisfies OptionRules<SendOptions>;

/** What is said in another conversation: of `handle()`, or of a channel that is fetched from. */
interface ConversationTarget {
  readonly conversationId: string;
  readonly channel: string;
}

/** The place that is meant, or the conversation. Throws for a channel or an option that means nothing. */
export function sendTarget(
  { context, place: here }: Turn,
  channelName: string,
  options: SendOptions,
): Place | ConversationTarget {
  const { to, conversationId } = checkOptions('sendTo()', options, rules, "{ to: 'C1' }");
  if (channelName === handleChannel) {
    if (to !== undefined) throw noAddresses('so `to` means nothing there. Give');
    if (conversationId !== undefined) return { conversationId, channel: handleChannel };
    if (here.channel !== handleChannel) throw noAddresses('and this turn runs on another channel. Add');
    return { channel: handleChannel, address: here.address };
  }
  if (channelName !== here.channel && !context.channels.has(channelName))
    throw unknownChannel('sendTo(): the channel', channelName, context);
  const channel = context.channels.get(channelName);
  if (channel?.isFetched && (conversationId ?? to) !== undefined)
    return { conversationId: conversationId ?? fetchedIn(channel, to), channel: channelName };
  if (conversationId !== undefined)
    throw badOption(
      `sendTo(): conversationId is only for channels that push nothing, such as "handle", and the channel is ${JSON.stringify(channelName)}. Give \`to\`: an address of that channel. Nothing was said.`,
    );
  if (to !== undefined) return { channel: channelName, address: plainData(to, 'sendTo(): to', context.settings) };
  return { channel: channelName, address: channelName === here.channel ? here.address : null };
}

/** Where whoever has this address reads. */
function fetchedIn(channel: Channel, to: Json | undefined): string {
  const found = channel.conversationFor?.(copyOf(to ?? null));
  return checkedId(found, `sendTo(): what conversationFor() of channel ${channel.name} returns`);
}

function noAddresses(rest: string): AgentError {
  return badOption(
    `sendTo(): the channel "handle" has no addresses, ${rest} conversationId: the one that your transport gives to handle(). Nothing was said.`,
  );
}
