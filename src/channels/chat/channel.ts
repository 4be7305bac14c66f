/**
 * The platforms of the chat SDK as one channel: what people write and press there comes in by its adapters, which verify it, and is
 * acknowledged once it is recorded; what is said goes out by them. It decides nothing, and keeps nothing that another process would need.
 */
import type { Adapter, AdapterPostableMessage, Chat, Message, Thread } from 'chat';
import { type CheckedOptions, checkOptions } from '../../core/check-options.js';
import type { OutgoingMessage } from '../../core/conversation/outgoing.js';
import { AgentError, failureOf } from '../../core/errors.js';
import { type Logger, safeLogger } from '../../core/events.js';
import type { Json } from '../../core/json.js';
import { within } from '../../machine/clock.js';
import { errorResponse, jsonResponse, limitedBody, refusal } from '../http.js';
import { assertSameDesk } from '../one-registry.js';
import type { Channel, Desk } from '../port.js';
import { wordingIn } from '../wording.js';
import { canRedraw, longestQuestionOn } from './drawing/limits.js';
import { isChatModal } from './drawing/modal.js';
import { type ChatDrawing, drawnParts, drawnQuestion } from './drawing/question.js';
import { failedOpening, failedSend, isUnchanged } from './failures.js';
import { Deliveries } from './incoming/deliveries.js';
import { ChatReceiver, hasModals } from './incoming/receiver.js';
import { ChatRequest, currentRequest, inRequest } from './incoming/record-first.js';
import { type ChatOptions, chatRules, isChat, listenedTo } from './options.js';
import {
  type ChatAddress,
  chatAddressTo,
  chatConversation,
  chatSentId,
  exampleOf,
  isUserId,
  platformOf,
  platformUser,
} from './places.js';

/** Slack and Discord wait for three seconds. What takes longer is answered with "not now". In ms. */
const acknowledgeWithin = 2_500;

/**
 * Telegram, Discord, Teams, Google Chat, WhatsApp and whatever else the package `chat` has an adapter for. Mount `webhook('telegram')` at
 * the address that the platform is given, or `fetch` for all of them; the inbox mounts it under `/channels/chat/telegram`.
 *
 * @example
 * import { createMemoryState } from '@chat-adapter/state-memory';
 * import { createTelegramAdapter } from '@chat-adapter/telegram';
 * import { type Adapter, Chat } from 'chat';
 * import { agent, AgentRegistry, confirm } from 'askback';
 * import { ChatChannel, recordFirst } from 'askback/channels/chat';
 *
 * const chat = new Chat({
 *   userName: 'shopbot',
 *   adapters: { telegram: createTelegramAdapter({ mode: 'webhook' }) as Adapter },
 *   state: recordFirst(createMemoryState()),
 *   concurrency: 'concurrent',
 * });
 * const channel = new ChatChannel({ chat });
 * const refunds = agent('refunds');
 * const sure = refunds.question('sure', confirm('Refund this order?'), { onAnswer: (yes) => (yes ? 'Refunded.' : 'Left as it is.') });
 * refunds.onMessage(({ ask }) => ask(sure));
 * await new AgentRegistry({ agents: [refunds], channels: [channel] }).start();
 * export default { fetch: channel.webhook('telegram') };
 */
export class ChatChannel implements Channel {
  /** The name of the channel. */
  readonly name: string;
  /** How its people are named, as an example. */
  readonly idForm: string;
  /** It draws buttons and has threads; most platforms can draw a message anew. */
  readonly can = { buttons: true, edit: true, threads: true };
  /** A reply that quotes a question is about that question. */
  readonly hasQuotes = true;
  /** What is longer cannot be shown in full by the strictest of the platforms, and is answered elsewhere. */
  readonly longestQuestion: number;
  readonly #options: CheckedOptions<typeof chatRules>;
  readonly #logger: Logger;
  readonly #platforms: readonly string[];
  readonly #deliveries: Deliveries;
  #desk: Desk | undefined;

  constructor(options: ChatOptions) {
    if (isChat(options))
      throw new AgentError(
        'bad-option',
        'ChatChannel: the options must be an object with the Chat in it, got the Chat itself. Write new ChatChannel({ chat }).',
      );
    this.#options = checkOptions('ChatChannel', options, chatRules, '{ chat }');
    const { name, chat, logger } = this.#options;
    this.name = name;
    this.#logger = safeLogger(logger);
    this.#platforms = Object.keys(chat.webhooks);
    this.#deliveries = new Deliveries(this.#options.clock);
    this.idForm = exampleOf(this.#platforms[0] ?? '');
    this.longestQuestion = longestQuestionOn(this.#platforms);
    this.#listen(chat, new ChatReceiver(name, this.#logger));
  }

  /** Begins to take what the platforms send, and starts the adapters. The registry calls it. */
  async start(desk: Desk): Promise<void> {
    assertSameDesk(this.#desk, desk, 'ChatChannel', this.name);
    this.#desk = desk; // before the adapters: one that fetches by itself begins at once
    try {
      await this.#options.chat.initialize();
    } catch (error) {
      this.#desk = undefined;
      throw error;
    }
  }

  /** Takes nothing any more, and stops the adapters. What a platform sends meanwhile it sends again later. */
  async stop(): Promise<void> {
    this.#desk = undefined;
    await this.#options.chat.shutdown();
  }

  /** Serves the requests of all platforms: the last part of the path names the adapter, if there are several. Never rejects. */
  readonly fetch = async (request: Request): Promise<Response> => {
    const [only, ...others] = this.#platforms;
    const last = new URL(request.url).pathname.split('/').findLast((part) => part !== '');
    const named = others.length === 0 ? only : this.#platforms.find((platform) => platform === last);
    if (named !== undefined) return this.#served(named, request);
    const expected = this.#platforms.map((platform) => `…/${platform}`).join(', ');
    return jsonResponse(404, { error: { code: 'bad-message', message: `Served here are ${expected}.` } });
  };

  /** Serves the requests of one platform, wherever it is mounted. Never rejects. */
  webhook(adapter: string): (request: Request) => Promise<Response> {
    if (this.#platforms.includes(adapter)) return (request) => this.#served(adapter, request);
    throw new AgentError(
      'bad-option',
      `ChatChannel ${JSON.stringify(this.name)}: webhook() needs the name of an adapter, ${this.#platforms.join(' or ')}, got ${JSON.stringify(adapter)}.`,
    );
  }

  /** Posts what was said. Resolves with the id of the message where it can be drawn anew. */
  async send(message: OutgoingMessage): Promise<string | void> {
    if (message.transient) return; // a message for each step would be noise that stays
    const address = this.#addressOf(message);
    const adapter = this.#adapterOf(address);
    if (message.only !== undefined && !('user' in address && address.user === message.only))
      return this.#sendOnly(adapter, address, message, message.only);
    return this.#posted(
      adapter,
      await this.#threadOf(adapter, address),
      drawnParts(message, this.#drawing(adapter, message)),
    );
  }

  /** Draws a question anew that is over: without buttons, with who decided. */
  async update(sentId: string, message: OutgoingMessage): Promise<void> {
    const [thread, id] = sentId.split('\n');
    const { ask } = message;
    if (thread === undefined || id === undefined || ask === undefined) return;
    const adapter = this.#adapterOf({ thread });
    try {
      await adapter.editMessage(thread, id, drawnQuestion({ ...message, ask }, this.#drawing(adapter, message)));
    } catch (error) {
      if (isUnchanged(error)) return;
      throw failedSend(adapter.name, error);
    }
  }

  /** The conversation of a person's direct messages, or of a thread. */
  conversationFor(to: Json): string {
    return chatConversation(this.name, chatAddressTo(this.name, to, this.#platforms));
  }

  /** The address that replies from there come with. */
  addressFor(to: Json): Json {
    return { ...chatAddressTo(this.name, to, this.#platforms) };
  }

  /** True for the ids of platforms whose adapter can tell who is there: a mistyped one is handed nothing. */
  isOwnId(participantId: string): boolean {
    return this.#ownAdapter(participantId)?.getUser !== undefined;
  }

  /** The direct messages of a participant of one of the platforms. Undefined for a program, and for somebody whom the adapter does not find. */
  async addressOf(participantId: string): Promise<Json | undefined> {
    const adapter = this.#ownAdapter(participantId);
    const user = platformUser(participantId);
    if (adapter?.openDM === undefined || !isUserId(adapter.name, user)) return undefined;
    if (adapter.getUser === undefined) return participantId;
    const found = await adapter.getUser(user);
    return found?.userId === user && !found.isBot ? participantId : undefined;
  }

  #ownAdapter(participantId: string): Adapter | undefined {
    const platform = platformOf(participantId);
    return this.#platforms.includes(platform) ? this.#options.chat.getAdapter(platform) : undefined;
  }

  /** Whichever handlers `chat` chooses for a message, it is recorded, once. */
  #listen(chat: Chat, receiver: ChatReceiver): void {
    listenedTo.add(chat);
    const record = async <T>(work: (desk: Desk) => Promise<T>): Promise<T> => {
      const taken = async () => work(this.#started());
      return currentRequest()?.records(taken) ?? taken();
    };
    const written = ({ adapter }: Thread, message: Message) =>
      record((desk) => receiver.written(desk, adapter, message));
    chat.onDirectMessage(written);
    chat.onSubscribedMessage(written);
    chat.onNewMention(written);
    chat.onNewMessage(/(?:)/, written);
    chat.onAction((event) => record((desk) => receiver.pressed(desk, event)));
    chat.onModalSubmit(async (event) =>
      isChatModal(event.callbackId) ? record((desk) => receiver.submitted(desk, event)) : undefined,
    );
    chat.onSlashCommand((event) => record((desk) => receiver.ordered(desk, event)));
  }

  #started(): Desk {
    if (this.#desk !== undefined) return this.#desk;
    throw new AgentError(
      'stopped',
      'The channel is not started, or it was stopped. It takes requests after await registry.start(): send it again later.',
    );
  }

  async #served(platform: string, given: Request): Promise<Response> {
    try {
      if (this.#desk === undefined)
        this.#logger.warn('A request was refused, because the channel is not started. Await registry.start() first', {
          channel: this.name,
        });
      this.#started(); // before chat sees it, and marks it as seen
      const request = await this.#bounded(given);
      return await this.#handled(platform, request);
    } catch (error) {
      return errorResponse(error, `ChatChannel ${JSON.stringify(this.name)}`);
    }
  }

  /** The same request, with a body that is read already and not too long. */
  async #bounded(request: Request): Promise<Request> {
    if (request.method === 'GET' || request.method === 'HEAD') return request;
    const body = await limitedBody(request, this.#options.bodyBytes);
    const { url, method, headers } = request;
    return new Request(url, { method, headers, body: body as Uint8Array<ArrayBuffer> }); // no shared memory
  }

  /** Lets the adapter work, waits for all that it has begun, and answers as it says if everything was recorded. */
  async #handled(platform: string, request: Request): Promise<Response> {
    const about = new ChatRequest();
    const tasks: Promise<unknown>[] = [];
    const waitUntil = (task: Promise<unknown>): void => {
      tasks.push(task);
      task.catch(() => {}); // it is awaited below
    };
    const options = { waitUntil, propagateHandlerErrors: true, deduplicate: false };
    const webhook = this.#options.chat.webhooks[platform] as NonNullable<Chat['webhooks'][string]>; // looked up before
    const work = async (): Promise<Response> => {
      const response = await inRequest(about, () => webhook(request, options));
      for (const task of tasks) await task; // also those that are added meanwhile
      if (about.failure !== undefined) throw about.failure;
      return response;
    };
    const response = await this.#inTime(this.#deliveries.inTurn(platform, request, work), about);
    await about.marks();
    return response;
  }

  #inTime(work: Promise<Response>, about: ChatRequest): Promise<Response> {
    return within(this.#options.clock, acknowledgeWithin, work, () => {
      if (about.isRecorded) return new Response(null, { status: 200 });
      throw refusal(503, `It was not recorded within ${acknowledgeWithin} ms. Send it again.`, 'store-unavailable');
    });
  }

  #drawing(adapter: Adapter, { locale }: OutgoingMessage): ChatDrawing {
    const { name } = adapter;
    const { inboxUrl } = this.#options;
    const wording = wordingIn(this.#desk, locale);
    return { platform: name, longestQuestion: this.longestQuestion, hasModals: hasModals(adapter), inboxUrl, wording };
  }

  #addressOf({ address }: OutgoingMessage): ChatAddress {
    try {
      return chatAddressTo(this.name, address, this.#platforms);
    } catch (cause) {
      throw new AgentError('undeliverable', failureOf(cause).message, { cause }); // no try can succeed
    }
  }

  #adapterOf(address: ChatAddress): Adapter {
    return this.#options.chat.getAdapter(platformOf('user' in address ? address.user : address.thread));
  }

  async #threadOf(adapter: Adapter, address: ChatAddress): Promise<string> {
    if ('thread' in address) return address.thread;
    if (adapter.openDM === undefined)
      throw new AgentError('undeliverable', `The adapter ${adapter.name} cannot begin direct messages. Use a thread.`);
    try {
      return await adapter.openDM(platformUser(address.user));
    } catch (error) {
      throw failedOpening(adapter.name, error);
    }
  }

  async #posted(adapter: Adapter, thread: string, parts: readonly AdapterPostableMessage[]): Promise<string | void> {
    let sentId: string | undefined;
    for (const part of parts) {
      try {
        const { id, threadId } = await adapter.postMessage(thread, part);
        if (canRedraw(adapter.name)) sentId = chatSentId(threadId ?? thread, id);
      } catch (error) {
        throw failedSend(adapter.name, error);
      }
    }
    return sentId;
  }

  /** What concerns one person is shown to them alone: where they are, or in their direct messages. Else it is logged, and shown to nobody. */
  async #sendOnly(adapter: Adapter, address: ChatAddress, message: OutgoingMessage, only: string): Promise<void> {
    const about = { channel: this.name, conversationId: message.conversationId, key: message.key };
    if (platformOf(only) !== adapter.name) {
      this.#logger.warn('What concerns one person could not be shown: they are not of this platform', about);
      return;
    }
    const parts = drawnParts(message, this.#drawing(adapter, message));
    try {
      if (adapter.postEphemeral === undefined)
        await this.#posted(adapter, await this.#threadOf(adapter, { user: only }), parts);
      else {
        const thread = await this.#threadOf(adapter, address);
        for (const part of parts) await this.#whispered(adapter, thread, only, part);
      }
    } catch (error) {
      if (!(error instanceof AgentError && error.code === 'undeliverable')) throw error; // it is tried again
      this.#logger.warn('What concerns one person could not be shown to them', { ...about, failure: failureOf(error) });
    }
  }

  async #whispered(adapter: Adapter, thread: string, only: string, part: AdapterPostableMessage): Promise<void> {
    try {
      await adapter.postEphemeral?.(thread, platformUser(only), part);
    } catch (error) {
      throw failedSend(adapter.name, error);
    }
  }
}
