/**
 * Where `sendTo()` sends: an address of a channel, or another conversation of `handle()`. Sends nothing itself.
 */
import type { Place } from '../core/ask/ask.js';
import { anything, checkOptions, type OptionRules, optional } from '../core/check-options.js';
import { AgentError } from '../core/errors.js';
import { checkedId } from '../core/ids.js';
import type { Json } from '../core/json.js';
import { plainData } from '../core/json.js';
import { handleChannel } from '../registry/context.js';
import { unknownChannel } from '../registry/turn/new-ask.js';
import type { SendOptions } from '../registry/turn/question-handlers.js';
import type { Turn } from '../registry/turn/turn.js';

const rules = {
  to: optional(anything<Json>()),
  conversationId: optional(checkedId),
} satisfies OptionRules<SendOptions>;

/** The place that is meant, or the conversation of `handle()`. Throws for a channel or an option that means nothing. */
export function sendTarget(
  { context, parts }: Turn,
  channelName: string,
  options: SendOptions,
): Place | { readonly conversationId: string } {
  const { to, conversationId } = checkOptions('sendTo()', options, rules, "{ to: 'C1' }");
  const { place: here } = parts;
  if (channelName === handleChannel) {
    if (to !== undefined) throw noAddresses('so `to` means nothing there. Give');
    if (conversationId !== undefined) return { conversationId };
    if (here.channel !== handleChannel) throw noAddresses('and this turn runs on another channel. Add');
    return { channel: handleChannel, address: here.address };
  }
  if (channelName !== here.channel && !context.channels.has(channelName))
    throw unknownChannel('sendTo(): the channel', channelName, context);
  if (conversationId !== undefined)
    throw new AgentError(
      'bad-option',
      `sendTo(): conversationId is only for the channel "handle", and the channel is ${JSON.stringify(channelName)}. Give \`to\`: an address of that channel. Nothing was said.`,
    );
  const { textBytes: bytes, depth } = context.settings;
  if (to !== undefined) return { channel: channelName, address: plainData(to, 'sendTo(): to', { bytes, depth }) };
  return { channel: channelName, address: channelName === here.channel ? here.address : null };
}

function noAddresses(rest: string): AgentError {
  return new AgentError(
    'bad-option',
    `sendTo(): the channel "handle" has no addresses, ${rest} conversationId: the one that your transport gives to handle(). Nothing was said.`,
  );
}
