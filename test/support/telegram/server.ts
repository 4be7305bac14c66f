/**
 * A local server in the shape of Telegram: its Bot API over HTTP on the loopback address, and updates to the app with its secret token.
 * It is made after Telegram's documentation, with its limits and faults on demand. It knows nothing of askback.
 */
import { Buffer } from 'node:buffer';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { showsLabel } from '../shown-label.js';

type Fields = Readonly<Record<string, unknown>>;

export interface TelegramButton {
  readonly text: string;
  readonly callback_data?: string;
  readonly url?: string;
}

/** A message of the bot, as people see it. */
export interface TelegramMessage {
  readonly chat: number;
  readonly id: number;
  /** After its markup was read. */
  readonly text: string;
  readonly buttons: readonly TelegramButton[];
  readonly edits: number;
}

export interface TelegramCall {
  readonly method: string;
  readonly body: Fields;
}

/** Who writes, where. A chat below zero is a group. */
export interface TelegramWriting {
  readonly from?: number;
  readonly chat?: number;
  /** The number of the message; the same again is a second delivery. */
  readonly id?: number;
  readonly message?: Fields;
}

const bot = { id: 4711, is_bot: true, first_name: 'Shop', username: 'shopbot' };

export class TelegramServer {
  readonly token = '4711:local-token-0123456789';
  readonly secretToken = 'local-secret-0123456789';
  readonly calls: TelegramCall[] = [];
  /** The platform's clock. */
  now: () => number = Date.now;
  /** Where updates go: the webhook of the app. */
  app: ((request: Request) => Promise<Response>) | undefined;
  readonly #server: Server;
  readonly #messages = new Map<string, TelegramMessage>();
  /** People who have written to the bot: it may write to nobody else. */
  readonly #known = new Set<number>();
  readonly #pending: Fields[] = [];
  #waiting: (() => void) | undefined;
  #lastId = 100;
  #fault: { readonly status: number; readonly description: string } | undefined;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async opened(): Promise<TelegramServer> {
    const server = createServer((request, response) => void self.#answer(request, response));
    const self = new TelegramServer(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return self;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#waiting?.();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Every message fails from now on. */
  fails(status: number, description = 'Internal Server Error'): void {
    this.#fault = { status, description };
  }

  works(): void {
    this.#fault = undefined;
  }

  /** What the people of a chat see, in order. */
  said(chat: number): readonly TelegramMessage[] {
    return [...this.#messages.values()].filter((message) => message.chat === chat);
  }

  nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  /** Somebody writes. Resolves with what the app answers. */
  writes(
    text: string,
    { from = 1, chat = from, id = this.nextId(), message }: TelegramWriting = {},
  ): Promise<Response> {
    return this.delivers({ update_id: 10_000 + id, message: { ...this.#written(from, chat, id), text, ...message } });
  }

  /** The fields of a message that replies to this one of the bot. */
  quoting({ chat, id, text }: TelegramMessage): Fields {
    const place = { id: chat, type: chat < 0 ? 'supergroup' : 'private' };
    return { reply_to_message: { message_id: id, date: 1_700_000_000, chat: place, from: bot, text } };
  }

  /** An update for a bot that fetches them. */
  writesLater(text: string, from = 1): void {
    const id = this.nextId();
    this.#pending.push({ update_id: 10_000 + id, message: { ...this.#written(from, from, id), text } });
    this.#waiting?.();
  }

  #written(from: number, chat: number, id: number): Fields {
    this.#known.add(from);
    const place = chat < 0 ? { id: chat, type: 'supergroup', title: 'Staff' } : { id: chat, type: 'private' };
    return { message_id: id, date: Math.floor(this.now() / 1_000), chat: place, from: person(from) };
  }

  /** Somebody presses the button with this label, on the latest message of the chat that has one. */
  presses(label: string, writing: TelegramWriting = {}): Promise<Response> {
    return this.delivers(this.#press(label, writing));
  }

  /** The same for a bot that fetches updates. */
  pressesLater(label: string, from: number): void {
    this.#pending.push(this.#press(label, { from }));
    this.#waiting?.();
  }

  #press(label: string, { from = 1, chat = from, id = this.nextId() }: TelegramWriting): Fields {
    const message = this.said(chat).findLast(({ buttons }) => buttons.some(({ text }) => showsLabel(text, label)));
    const button = message?.buttons.find(({ text }) => showsLabel(text, label));
    if (message === undefined || button === undefined) throw new Error(`there is no button ${label}`);
    return pressOf(button.callback_data ?? '', { from, chat, id }, message.id);
  }

  /** A press with whatever data: a client of one's own can send any. */
  pressesData(
    data: string,
    { from = 1, chat = from, id = this.nextId() }: TelegramWriting,
    messageId: number,
  ): Promise<Response> {
    return this.delivers(pressOf(data, { from, chat, id }, messageId));
  }

  async delivers(
    update: unknown,
    { secret = this.secretToken, body = JSON.stringify(update) } = {},
  ): Promise<Response> {
    if (this.app === undefined) throw new Error('there is no app');
    const headers = { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': secret };
    return this.app(new Request('https://app.example.com/telegram', { method: 'POST', body, headers }));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const [, token, method = ''] = /^\/bot([^/]+)\/(\w+)$/.exec(request.url ?? '') ?? [];
    const body = JSON.parse(Buffer.concat(chunks).toString() || '{}') as Fields;
    this.calls.push({ method, body });
    const reply = (status: number, result: unknown) => {
      const ok = status === 200;
      const content = ok ? { ok, result } : { ok, error_code: status, description: result };
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));
    };
    if (token !== this.token) return reply(401, 'Unauthorized');
    try {
      reply(200, await this.#result(method, body));
    } catch (error) {
      const { status = 400, message } = error as Error & { status?: number };
      reply(status, message);
    }
  }

  #result(method: string, body: Fields): unknown {
    switch (method) {
      case 'getMe':
        return bot;
      case 'getWebhookInfo':
        return { url: '' };
      case 'getChat':
        return this.#chat(Number(body['chat_id']));
      case 'getUpdates':
        return this.#updates(body);
      case 'sendMessage':
        return this.#sent(body, this.nextId());
      case 'editMessageText':
        return this.#sent(body, Number(body['message_id']));
      default:
        return true;
    }
  }

  /** A bot knows the groups that it is in, and people who have written to it. */
  #chat(id: number): Fields {
    if (id < 0) return { id, type: 'supergroup', title: 'Staff' };
    if (!this.#known.has(id)) throw failure(400, 'Bad Request: chat not found');
    return { id, type: 'private', first_name: `Person ${id}` };
  }

  async #updates({ offset = 0 }: { offset?: unknown }): Promise<readonly Fields[]> {
    const due = () => this.#pending.filter(({ update_id: id }) => Number(id) >= Number(offset));
    if (due().length === 0)
      await new Promise<void>((resolve) => {
        this.#waiting = resolve;
      });
    return due();
  }

  #sent(body: Fields, id: number): Fields {
    if (this.#fault !== undefined) throw failure(this.#fault.status, this.#fault.description);
    const chat = Number(body['chat_id']);
    if (chat > 0 && !this.#known.has(chat))
      throw failure(403, "Forbidden: bot can't initiate conversation with a user");
    const given = String(body['text'] ?? '');
    const text = body['parse_mode'] === 'MarkdownV2' ? unescaped(given) : given;
    if (text.trim() === '') throw failure(400, 'Bad Request: message text is empty');
    if (text.length > 4_096) throw failure(400, 'Bad Request: message is too long');
    const keyboard = (body['reply_markup'] as { inline_keyboard?: TelegramButton[][] } | undefined)?.inline_keyboard;
    const buttons = (keyboard ?? []).flat();
    if (buttons.some(({ callback_data: data = '' }) => Buffer.byteLength(data) > 64))
      throw failure(400, 'Bad Request: BUTTON_DATA_INVALID');
    const key = `${chat}/${id}`;
    const before = this.#messages.get(key);
    if (before?.text === text && JSON.stringify(before.buttons) === JSON.stringify(buttons))
      throw failure(400, 'Bad Request: message is not modified');
    this.#messages.set(key, { chat, id, text, buttons, edits: before === undefined ? 0 : before.edits + 1 });
    return {
      message_id: id,
      date: 1_700_000_000,
      chat: { id: chat, type: chat < 0 ? 'supergroup' : 'private' },
      from: bot,
      text,
    };
  }
}

function pressOf(
  data: string,
  { from, chat, id }: Required<Pick<TelegramWriting, 'from' | 'chat' | 'id'>>,
  messageId: number,
): Fields {
  const place = chat < 0 ? { id: chat, type: 'supergroup', title: 'Staff' } : { id: chat, type: 'private' };
  const message = { message_id: messageId, date: 1_700_000_000, chat: place, from: bot, text: '' };
  const query = { id: `query-${id}`, from: person(from), chat_instance: '1', message, data };
  return { update_id: 10_000 + id, callback_query: query };
}

function person(id: number): Fields {
  return { id, is_bot: false, first_name: `Person ${id}` };
}

function failure(status: number, description: string): Error {
  return Object.assign(new Error(description), { status });
}

/** Text in MarkdownV2 whose only markup are addresses that link to themselves: each other mark must be escaped. */
function unescaped(text: string): string {
  const plain = (part: string): string => part.replace(/\\([!-~])/g, '$1');
  const unlinked = text.replace(
    /(?<!\\)\[((?:\\.|[^\]\\])*)\]\(((?:\\.|[^)\\])*)\)/g,
    (whole, label: string, address: string) => (plain(address).endsWith(plain(label)) ? label : whole),
  );
  const mark = /[_*[\]()~`>#+\-=|{}.!]/.exec(unlinked.replace(/\\[!-~]/g, ''));
  if (mark !== null) throw failure(400, `Bad Request: can't parse entities: character '${mark[0]}' is reserved`);
  return plain(unlinked);
}
