/**
 * Interceptors: functions that look at a message before any agent does, and may end its way. The ready-made ones are here. They are asked
 * only about what is no reply to an open question, and keep nothing themselves.
 */
import {
  boolean,
  checkOptions,
  func,
  instance,
  integer,
  list,
  milliseconds,
  nonBlank,
  type OptionRules,
  optional,
} from '../core/check-options.js';
import { folded, saysSomething } from '../core/text.js';
import type { IncomingMessage } from './port.js';

/**
 * A message that is no reply to an open question, as an interceptor sees it. `participant` is whom `identify` has named. With `askId` it
 * names a question that does not exist or is over; what may be the answer to a sensitive question is left out then.
 *
 * @example
 * import type { InterceptedMessage } from 'askback/interceptors';
 *
 * const isFromShop = ({ channel, participant }: InterceptedMessage) => channel === 'web' && participant?.tenant === 'shop';
 */
export interface InterceptedMessage extends IncomingMessage {
  /** The name of the channel that it came by. */
  readonly channel: string;
  /** When it was recorded, by the store's time. The same whenever it is looked at. */
  readonly at: number;
}

/**
 * A limiter that all processes share. It knows a message by its id, so a message that is looked at again gets the same answer.
 *
 * @example
 * import type { Interceptor } from 'askback/interceptors';
 *
 * const perRoom: Interceptor = async ({ conversationId }, { take }) =>
 *   (await take(`room ${conversationId}`, { of: 100, per: 60_000 })) ? undefined : { ignore: 'the room is busy' };
 */
export interface MessageLimiter {
  /** Whether this message is one of at most `of` within `per` ms that were let through under this key. */
  take(key: string, limit: { readonly of: number; readonly per: number }): Promise<boolean>;
}

/** That the message ends here: why, for the history and the sender's disposition, and what its author is told, if anything. */
export interface Dropped {
  /** Why, in a few words: it stands in the history, as `disposition.why`. */
  readonly ignore: string;
  /** What its author is told. */
  readonly say?: string;
}

/**
 * Looks at a message before any agent does. It gives nothing to let it pass, or says why it ends here. It must give the same verdict when
 * it is asked again about the same message, because a turn that was interrupted begins anew: go by the message and the limiter, and not
 * by the time of day, a random number or a counter of the process.
 *
 * @example
 * import { agent, AgentRegistry } from 'askback';
 * import { dropNoise, type Interceptor } from 'askback/interceptors';
 *
 * const noLinks: Interceptor = ({ text }) => (text.includes('http://') ? { ignore: 'a link', say: 'No links, please.' } : undefined);
 * const registry = new AgentRegistry({ agents: [agent('support')], interceptors: [dropNoise(), noLinks] });
 */
export type Interceptor = (
  message: InterceptedMessage,
  limiter: MessageLimiter,
) => Dropped | undefined | void | Promise<Dropped | undefined | void>;

/** What `dropNoise()` drops beside messages that say nothing. */
export interface NoiseOptions {
  /**
   * True to drop what programs wrote: bots, notifications.
   *
   * @default false
   */
  readonly automated?: boolean;
  /** Drops what one of these matches. */
  readonly patterns?: readonly RegExp[];
}

const noiseRules = {
  automated: optional(boolean(), false),
  patterns: optional(list(instance(RegExp, 'a pattern')), []),
} satisfies OptionRules<NoiseOptions>;

/**
 * Drops messages that say nothing: blank ones, and those without any letter, digit or pictograph. What carries data is no noise.
 *
 * @example
 * import { dropNoise } from 'askback/interceptors';
 *
 * const quiet = dropNoise({ automated: true, patterns: [/^joined the room$/] });
 */
export function dropNoise(options: NoiseOptions = {}): Interceptor {
  const { automated, patterns } = checkOptions('dropNoise()', options, noiseRules, '{ automated: true }');
  const own = patterns.map(({ source, flags }) => new RegExp(source, flags.replace(/[gy]/g, ''))); // those keep a position
  return (message) => {
    const { text, data } = message;
    if (message.askId !== undefined) return undefined; // a button of a question that is over: its sender is told so
    if (automated && message.automated) return { ignore: 'written by a program' };
    if (data === undefined && !saysSomething(text)) return { ignore: 'says nothing' };
    return own.some((pattern) => pattern.test(text)) ? { ignore: 'noise' } : undefined;
  };
}

/** How many messages `rateLimit()` lets through. */
export interface RateLimitOptions {
  /** So many messages of a participant. */
  readonly of: number;
  /** Within so many ms. */
  readonly per: number;
  /** What a participant is told, once in that time. Without it they are told nothing. */
  readonly say?: string;
  /**
   * Whose messages count together; undefined for a message that is not limited.
   *
   * @default the participant's id in their tenant
   */
  readonly by?: (message: InterceptedMessage) => string | undefined;
}

const rateRules = {
  of: integer({ min: 1, max: 1_000, of: 'messages' }),
  per: milliseconds({ max: 86_400_000 }),
  say: optional(nonBlank()),
  by: optional(func<NonNullable<RateLimitOptions['by']>>()),
} satisfies OptionRules<RateLimitOptions>;

/**
 * Lets through at most `of` messages of a participant within `per` ms, over all conversations and processes. Answers are never counted
 * and never dropped, and what was dropped does not count. A message without a participant is not limited.
 *
 * @example
 * import { rateLimit } from 'askback/interceptors';
 *
 * const calm = rateLimit({ of: 20, per: 60_000, say: 'One moment, please.' });
 */
export function rateLimit(options: RateLimitOptions): Interceptor {
  const { of, per, say, by } = checkOptions('rateLimit()', options, rateRules, '{ of: 20, per: 60_000 }');
  return async (message, limiter) => {
    const key = (by ?? participantKey)(message);
    if (key === undefined || (await limiter.take(`rate ${of}/${per} ${key}`, { of, per }))) return undefined;
    const isTold = say !== undefined && (await limiter.take(`told ${of}/${per} ${key}`, { of: 1, per }));
    return isTold ? { ignore: 'too many messages', say } : { ignore: 'too many messages' };
  };
}

/** The same id in two tenants is two people. JSON keeps the parts apart, whatever characters they have. */
function participantKey({ participant }: InterceptedMessage): string | undefined {
  if (participant?.tenant === undefined) return participant?.id;
  return JSON.stringify([participant.tenant, participant.id]);
}

/** By what `onlyWhenAddressed()` knows that a message is meant for an agent. */
export interface AddressOptions {
  /** Names by which it is addressed, as whole words in any case: `'bot'` finds "Bot, help!" and "@bot" and not "robot". */
  readonly names: readonly string[];
  /** Messages that need no name: those of a direct chat, or where the channel knows of a mention. */
  readonly unless?: (message: InterceptedMessage) => boolean;
}

const addressRules = {
  names: list(nonBlank(), { least: 1, expected: 'a list of at least one name' }),
  unless: optional(func<NonNullable<AddressOptions['unless']>>()),
} satisfies OptionRules<AddressOptions>;

/**
 * Drops messages that do not address the agent, for rooms in which people talk to each other. A reply to an open question always passes.
 *
 * @example
 * import { onlyWhenAddressed } from 'askback/interceptors';
 *
 * const shy = onlyWhenAddressed({ names: ['bot', 'Ada'], unless: ({ conversationId }) => conversationId.startsWith('direct:') });
 */
export function onlyWhenAddressed(options: AddressOptions): Interceptor {
  const { names, unless } = checkOptions('onlyWhenAddressed()', options, addressRules, "{ names: ['bot'] }");
  const known = names.map(folded);
  return (message) => {
    if (message.askId !== undefined || unless?.(message) === true) return undefined;
    const text = folded(message.text);
    return known.some((name) => isWordIn(text, name)) ? undefined : { ignore: 'not addressed' };
  };
}

const inWord = /[\p{L}\p{N}_]/u;

/** Whether the word stands in the text with no letter or digit beside it. Both are folded. */
function isWordIn(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const [before = '', after = ''] = [text.slice(0, at).at(-1), text[at + word.length]];
    if (!(inWord.test(before) && inWord.test(word[0] ?? '')) && !(inWord.test(after) && inWord.test(word.at(-1) ?? '')))
      return true;
  }
  return false;
}
