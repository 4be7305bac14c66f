/**
 * What the local servers in the shape of a chat platform share: they listen on the loopback address, note each call of their API, and send
 * requests to the app. It knows no platform, and nothing of askback.
 */
import { Buffer } from 'node:buffer';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { showsLabel } from '../shown-label.js';

export type PlatformFields = Readonly<Record<string, unknown>>;

/** A call of the platform's API. */
export interface PlatformCall {
  readonly method: string;
  readonly path: string;
  readonly body: PlatformFields;
}

/** A refusal of the platform, with the status of its response. */
export class PlatformRefusal extends Error {
  readonly status: number;
  /** The platform's own number for it. */
  readonly code: number;

  constructor(status: number, message: string, code = 0) {
    super(message);
    [this.status, this.code] = [status, code];
  }
}

export function failure(status: number, message: string, code?: number): PlatformRefusal {
  return new PlatformRefusal(status, message, code);
}

export abstract class PlatformServer {
  readonly calls: PlatformCall[] = [];
  /** The platform's clock. */
  now: () => number = Date.now;
  /** Where the platform's requests go. */
  app: string | undefined;
  /** The status with which every message fails. */
  protected fault: number | undefined;
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  #lastId = 1_000;

  /** What the app must send as `authorization`. */
  protected abstract readonly authorization: string;
  /** The response to a call, or a `PlatformRefusal`. */
  protected abstract result(call: PlatformCall): PlatformFields;
  /** The body of a refusal. */
  protected abstract refused(refusal: PlatformRefusal): PlatformFields;

  async listening(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Every message fails from now on, with this status. */
  fails(status: number): void {
    this.fault = status;
  }

  works(): void {
    this.fault = undefined;
  }

  nextId(): string {
    this.#lastId += 1;
    return String(this.#lastId);
  }

  /** A request of the platform to the app. */
  protected request(body: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    if (this.app === undefined) throw new Error('there is no app');
    return fetch(this.app, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });
  }

  /** What is served to everybody, and not noted. */
  protected open(_path: string): PlatformFields | undefined {
    return undefined;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url: path = '', headers } = request;
    const reply = (status: number, content: PlatformFields) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));
    const open = this.open(path);
    if (open !== undefined) return void reply(200, open);
    const body = JSON.parse(Buffer.concat(chunks).toString() || '{}') as PlatformFields;
    this.calls.push({ method, path, body });
    try {
      if (headers.authorization !== this.authorization) throw failure(401, 'Unauthorized');
      reply(200, this.result({ method, path, body }));
    } catch (error) {
      const refusal = error instanceof PlatformRefusal ? error : failure(400, String(error));
      reply(refusal.status, this.refused(refusal));
    }
  }
}

/** The latest message with a button that shows this label, and the button. */
export function shownButton<M extends { readonly buttons: readonly unknown[] }>(
  messages: readonly M[],
  label: string,
  labelOf: (button: M['buttons'][number]) => string,
): { readonly message: M; readonly button: M['buttons'][number] } {
  for (const message of messages.toReversed()) {
    const button = message.buttons.find((each) => showsLabel(labelOf(each), label));
    if (button !== undefined) return { message, button };
  }
  throw new Error(`there is no button ${label}`);
}
