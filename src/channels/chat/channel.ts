/**
 * The platforms of the chat SDK as one channel: what people write and press there comes in by its adapters, which verify it, and is
 * acknowledged once it is recorded; what is said goes out by them. It decides nothing, and keeps nothing that another process would need.
 */
import type { Adapter, AdapterPostableMessage, Chat, Message, Thread } from 'chat';
import { type CheckedOptions, checkOptions } from '../../core/check-options.js';
import type { OutgoingMessage } from '../../core/conversation/outgoing.js';
import { AgentError } from '../../core/errors.js';
import { type Logger, safeLogger } from '../../core/events.js';
import type { Json } from '../../core/json.js';
import { errorResponse, jsonResponse, limitedBody } from '../http.js';
import { acknowledgedInTime } from '../kit/in-time.js';
import { StartedDesk } from '../kit/started-desk.js';
import { deliverableTo, whisper } from '../kit/undeliverable.js';
import type { Channel, Desk } from '../port.js';
import { wordingIn } from '../wording.js';
import { isChatModal } from './drawing/modal.js';
import { type ChatDrawing, drawnParts, drawnQuestion } from './drawing/question.js';
import { failedOpening, failedSend, isUnchanged } from './failures.js';
import { Deliveries } from './incoming/deliveries.js';
import { ChatReceiver } from './incoming/receiver.js';
import { ChatRequest, currentRequest, inRequest } from './incoming/record-first.js';
import { type ChatOptions, chatRules, isChat, listenedTo } from './options.js';
import {
  type ChatAddress,
  chatAddressTo,
  chatConversation,
  chatSentIds,
  exampleOf,
  platformOf,
  platformUser,
} from './places.js';
import { platformNamed } from './platforms/index.js';

/** How much of the shortest message a question may take: marks are escaped, and what is said before it when it is asked again must fit. */
const questionPart = 0.45;

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
  /** It draws buttons and has threads; most platforms can update a message. */
  readonly can = { buttons: true, edit: true, threads: true };
  /** A reply that quotes a question is about that question. */
  readonly hasQuotes = true;
  /** What is longer cannot be shown in full by the strictest of the platforms, and is answered elsewhere. */
  readonly longestQuestion: number;
  readonly #options: CheckedOptions<typeof chatRules>;
  readonly #logger: Logger;
  readonly #platforms: readonly string[];
  readonly #deliveries: Deliveries;
  readonly #desk: StartedDesk;

  constructor(options: ChatOptions) {
    if (isChat(options))
      throw new AgentError(
        'bad-option',
        'ChatChannel: the options must be an object with the Chat in it, got the Chat itself. Write new ChatChannel({ chat }).',
      );
    this.#options = checkOptions('ChatChannel', options, chatRules, '{ chat }');
    const { name, chat, logger } = this.#options;
    this.name = name;
    this.#desk = new StartedDesk('ChatChannel', name);
    this.#logger = safeLogger(logger);
    this.#platforms = Object.keys(chat.webhooks);
    this.#deliveries = new Deliveries(this.#options.clock);
    this.idForm = exampleOf(platformNamed(this.#platforms[0] ?? ''));
    this.longestQuestion = Math.floor(
      questionPart * Math.min(...this.#platforms.map((each) => platformNamed(each).text)),
    );
    this.#listen(chat, new ChatReceiver(name, this.#logger));
  }

  /** Begins to take what the platforms send, and starts the adapters. The registry calls it. */
  async start(desk: Desk): Promise<void> {
    this.#desk.begin(desk); // before the adapters: one that fetches by itself begins at once
    try {
      await this.#options.chat.initialize();
    } catch (error) {
      this.#desk.end();
      throw error;
    }
  }

  /** Takes nothing any more, and stops the adapters. What a platform sends meanwhile it sends again later. */
  async stop(): Promise<void> {
    this.#desk.end();
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

  /** Posts what was said. Resolves with the id of the message where it can be updated. */
  async send(message: OutgoingMessage): Promise<string | void> {
    if (message.transient) return; // a message for each step would be noise that stays
    const address = this.#addressOf(message);
    const adapter = this.#adapterOf(address);
    const parts = drawnParts(message, this.#drawing(adapter, message));
    const { only } = message;
    if (only === undefined || ('user' in address && address.user === only))
      return this.#posted(adapter, await this.#threadOf(adapter, address), parts);
    const show = platformOf(only) === adapter.name ? () => this.#whispered(adapter, address, only, parts) : undefined;
    await whisper(message, { channel: this.name, logger: this.#logger }, show);
  }

  /** Updates a question that is over: without buttons, with who decided. */
  async update(sentId: string, message: OutgoingMessage): Promise<void> {
    const sent = chatSentIds.read(sentId);
    const { ask } = message;
    if (sent === undefined || ask === undefined) return;
    const { thread, id } = sent;
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

  /** The direct messages of a participant of one of the platforms. Undefined for a program, and for a person whom the adapter does not find. */
  async addressOf(participantId: string): Promise<Json | undefined> {
    const adapter = this.#ownAdapter(participantId);
    const user = platformUser(participantId);
    if (adapter?.openDM === undefined || !platformNamed(adapter.name).isUserId(user)) return undefined;
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
      const taken = async () => work(this.#desk.current);
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

  async #served(platform: string, given: Request): Promise<Response> {
    try {
      if (this.#desk.known === undefined)
        this.#logger.warn('A request was refused, because the channel is not started. Await registry.start() first', {
          channel: this.name,
        });
      void this.#desk.current; // throws before chat sees it, and marks it as seen
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
    const delivered = async () => this.#deliveries.inTurn(await platformNamed(platform).deliveryIn?.(request), work);
    const otherwise = () => (about.isRecorded ? new Response(null, { status: 200 }) : undefined);
    const response = await acknowledgedInTime(this.#options.clock, delivered(), otherwise);
    await about.marks();
    return response;
  }

  #drawing(adapter: Adapter, { locale }: OutgoingMessage): ChatDrawing {
    const platform = platformNamed(adapter.name);
    const { inboxUrl } = this.#options;
    const wording = wordingIn(this.#desk.known, locale);
    const hasModals = platform.modals?.canOpen(adapter) === true;
    return { platform, longestQuestion: this.longestQuestion, hasModals, inboxUrl, wording };
  }

  #addressOf({ address }: OutgoingMessage): ChatAddress {
    return deliverableTo(() => chatAddressTo(this.name, address, this.#platforms));
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
      throw failedOpening(platformNamed(adapter.name), error);
    }
  }

  async #posted(adapter: Adapter, thread: string, parts: readonly AdapterPostableMessage[]): Promise<string | void> {
    let sentId: string | undefined;
    for (const part of parts) {
      try {
        const { id, threadId } = await adapter.postMessage(thread, part);
        if (platformNamed(adapter.name).canUpdate) sentId = chatSentIds.write({ thread: threadId ?? thread, id });
      } catch (error) {
        throw failedSend(adapter.name, error);
      }
    }
    return sentId;
  }

  /** Shows it to one person: in the same thread if the platform can do that, else in their direct messages. */
  async #whispered(
    adapter: Adapter,
    address: ChatAddress,
    only: string,
    parts: readonly AdapterPostableMessage[],
  ): Promise<void> {
    if (adapter.postEphemeral === undefined)
      return void (await this.#posted(adapter, await this.#threadOf(adapter, { user: only }), parts));
    const thread = await this.#threadOf(adapter, address);
    try {
      for (const part of parts) await adapter.postEphemeral(thread, platformUser(only), part);
    } catch (error) {
      throw failedSend(adapter.name, error);
    }
  }
}
