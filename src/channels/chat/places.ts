/**
 * Where people are on the platforms of `chat`: addresses, and the conversation that belongs to each. An address and its conversation say
 * the same, so that one is made of the other without asking anybody.
 */
import { hasFields } from '../../core/check-options.js';
import { AgentError } from '../../core/errors.js';
import { describe } from '../../core/ids.js';
import type { Json } from '../../core/json.js';
import { JoinedId } from '../kit/joined-id.js';
import { platformNamed } from './platforms/index.js';
import type { Platform } from './platforms/platform.js';

/** Where a message goes, or came from: the direct messages of a person, or a thread as its adapter writes it. */
export type ChatAddress = { readonly user: string } | { readonly thread: string };

/** The id of a person as a participant: `telegram:4711`. */
export function chatParticipantId(platform: string, user: string): string {
  return `${platform}:${user}`;
}

/** The platform of a participant or a thread: what stands before the first colon. */
export function platformOf(id: string): string {
  return id.slice(0, Math.max(0, id.indexOf(':')));
}

/** What the platform itself calls the person. */
export function platformUser(participant: string): string {
  return participant.slice(participant.indexOf(':') + 1);
}

/** The id of a person of a platform, as an example. */
export function exampleOf({ name, exampleUser }: Platform): string {
  return chatParticipantId(name, exampleUser);
}

/** The conversation of an address. `name` is that of the channel. */
export function chatConversation(name: string, address: ChatAddress): string {
  return 'user' in address ? `${name}:user/${address.user}` : `${name}:thread/${address.thread}`;
}

/** The address of a conversation; undefined for one that is not of this channel. */
export function chatAddressOf(name: string, conversationId: string): ChatAddress | undefined {
  if (conversationId.startsWith(`${name}:user/`)) return { user: conversationId.slice(name.length + 6) };
  if (conversationId.startsWith(`${name}:thread/`)) return { thread: conversationId.slice(name.length + 8) };
  return undefined;
}

/** The ids of sent messages: where a message is, and what the platform calls it. */
export const chatSentIds = new JoinedId('\n', ['thread', 'id']);

/** The address that `to` of an ask names. */
export function chatAddressTo(name: string, to: Json, platforms: readonly string[]): ChatAddress {
  const given = typeof to === 'string' ? { user: to } : hasFields(to) ? (to as { readonly [field: string]: Json }) : {};
  const { user, thread, ...more } = given;
  const [id, ...others] = [user, thread].filter((each) => each !== undefined);
  const isId = typeof id === 'string' && /^[^:\s]+:\S+$/.test(id) && platforms.includes(platformOf(id));
  const isPlace = isId && (user === undefined || platformNamed(platformOf(id)).isUserId(platformUser(id)));
  if (isPlace && others.length === 0 && Object.keys(more).length === 0)
    return user === undefined ? { thread: id } : { user: id };
  throw new AgentError(
    'bad-option',
    `ChatChannel ${JSON.stringify(name)}: to must be the id of a participant such as '${exampleOf(platformNamed(platforms[0] ?? ''))}', or { thread } with the id of a thread as chat gives it, of one of the adapters ${platforms.join(', ')}, got ${to === null ? 'no to' : describe(to)}.`,
  );
}
