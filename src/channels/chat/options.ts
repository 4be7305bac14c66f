/**
 * The options of a channel of the chat SDK, and what is refused of them: whatever would lose a message, or take it twice.
 */
import type { Chat } from 'chat';
import {
  anything,
  expecting,
  func,
  hasFields,
  integer,
  nonBlank,
  type OptionRule,
  type OptionRules,
  optional,
} from '../../core/check-options.js';
import { AgentError } from '../../core/errors.js';
import { consoleLogger, type Logger } from '../../core/events.js';
import { type Clock, clockOption, systemClock } from '../../machine/clock.js';
import { isRecordFirst } from './incoming/record-first.js';
import { platformNamed } from './platforms/index.js';

/**
 * The options of a `ChatChannel`.
 *
 * @example
 * import { createMemoryState } from '@chat-adapter/state-memory';
 * import { createTelegramAdapter } from '@chat-adapter/telegram';
 * import { type Adapter, Chat } from 'chat';
 * import { type ChatOptions, recordFirst } from 'askback/channels/chat';
 *
 * const chat = new Chat({
 *   userName: 'shopbot',
 *   adapters: { telegram: createTelegramAdapter() as Adapter },
 *   state: recordFirst(createMemoryState()),
 *   concurrency: 'concurrent',
 * });
 * const options: ChatOptions = { chat };
 */
export interface ChatOptions {
  /** The `Chat` of the package `chat`, with `concurrency: 'concurrent'` and a state that `recordFirst()` made. */
  readonly chat: Chat;
  /**
   * The name of the channel. It begins the ids of its conversations.
   *
   * @default 'chat'
   */
  readonly name?: string;
  /** The address of a page that shows an ask, such as the inbox: a question that a platform cannot show in full links to it. */
  readonly inboxUrl?: (askId: string) => string;
  /**
   * The most bytes of a request's body.
   *
   * @default 1_048_576
   */
  readonly bodyBytes?: number;
  /**
   * Logs what could not be shown. Never given texts, answers or tokens.
   *
   * @default console
   */
  readonly logger?: Logger;
  /** Time and timers, for tests. */
  readonly clock?: Clock;
}

const chatMethods = ['getState', 'getAdapter', 'onNewMessage', 'onAction', 'initialize'];

export function isChat(value: unknown): value is Chat {
  return (
    hasFields(value) && chatMethods.every((each) => typeof (value as Record<string, unknown>)[each] === 'function')
  );
}

/** The chats that channels listen to. A second channel would take every message once more. */
export const listenedTo = new WeakSet<Chat>();

const chatOption: OptionRule<Chat> = (value, name) => {
  const chat = expecting<Chat>('a Chat of the package chat', isChat)(value, name);
  if (listenedTo.has(chat))
    throw new AgentError(
      'bad-option',
      `${name} is the Chat of another ChatChannel, and every message would be handled twice. Give each channel a Chat of its own.`,
    );
  // the field is private: where a later version has it no more, recordFirst() refuses what other strategies do
  const { _concurrencyStrategy: strategy } = chat as unknown as { readonly _concurrencyStrategy?: unknown };
  if (strategy !== undefined && strategy !== 'concurrent')
    throw new AgentError(
      'bad-option',
      `${name} must have concurrency: 'concurrent', got ${JSON.stringify(strategy)}: it would drop or merge messages that come while another is handled. askback keeps the order itself.`,
    );
  if (!isRecordFirst(chat.getState()))
    throw new AgentError(
      'bad-option',
      `${name} must have a state that recordFirst() made, such as new Chat({ state: recordFirst(createMemoryState()) }): else a message whose recording fails is lost, because chat has marked it as seen.`,
    );
  if (Object.keys(chat.webhooks).length === 0)
    throw new AgentError('bad-option', `${name} has no adapters. Give it one.`);
  for (const own of Object.keys(chat.webhooks)) {
    const adapter = chat.getAdapter(own);
    if (adapter.name !== own)
      throw new AgentError(
        'bad-option',
        `${name}: the adapter ${JSON.stringify(own)} must be called ${JSON.stringify(adapter.name)}, because its threads and people are.`,
      );
    const misuse = platformNamed(own).misuseOf(adapter);
    if (misuse !== undefined) throw new AgentError('bad-option', `${name}: ${misuse}`);
  }
  return chat;
};

export const chatRules = {
  chat: chatOption,
  name: optional(nonBlank(), 'chat'),
  inboxUrl: optional(func<NonNullable<ChatOptions['inboxUrl']>>()),
  bodyBytes: optional(integer({ min: 1, of: 'bytes' }), 1_048_576),
  logger: optional(anything<Logger>(), consoleLogger),
  clock: optional(clockOption, systemClock),
} satisfies OptionRules<ChatOptions>;
