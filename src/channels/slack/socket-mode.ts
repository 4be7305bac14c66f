/**
 * Socket Mode: the same payloads over a socket that the app opens itself, which needs no public address. Each is acknowledged once it is
 * recorded; what is not acknowledged Slack sends again. It reads no payload.
 */
import type { SocketModeClient } from '@slack/socket-mode';
import { failureOf } from '../../core/errors.js';
import type { Logger } from '../../core/events.js';
import { imported } from '../../core/optional-package.js';
import { type Clock, keepAlive, sleep, systemClock } from '../../machine/clock.js';
import { recordOf } from '../kit/untyped.js';
import { networkCode, silentClientLogger } from './api.js';
import type { SlackReply } from './incoming/receiver.js';
import { socketMode } from './packages.js';

interface SocketParts {
  readonly appToken: string;
  readonly apiUrl: string | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The name of the channel. */
  readonly name: string;
  /** Takes a payload. Rejects if it is not recorded. */
  readonly accept: (payload: unknown) => Promise<SlackReply | undefined>;
}

/** What the client tells of something that Slack sent. */
interface SocketEvent {
  readonly body: unknown;
  readonly ack: (reply?: SlackReply) => Promise<void>;
}

/** The first wait before another try to connect, and the longest, in ms. */
const firstWait = 1_000;
const longestWait = 60_000;
/** How long closing may take, in ms. */
const closeWithin = 2_000;

/** Slack's words for a token that does not open a socket. */
const tokenWords = new Set([
  'not_authed',
  'invalid_auth',
  'not_allowed_token_type',
  'missing_scope',
  'no_permission',
  'token_expired',
  'token_revoked',
  'account_inactive',
]);

export class SlackSocket {
  readonly #parts: SocketParts;
  /** The failures that were logged since the last connection: each is logged once, not at each try. */
  readonly #told = new Set<string>();
  #client: SocketModeClient | undefined;
  #isStopped = false;
  #releaseProcess = (): void => {};

  constructor(parts: SocketParts) {
    this.#parts = parts;
  }

  /** Resolves once the package is there. Slack is connected to in the background, for as long as it takes. */
  async start(): Promise<void> {
    const { appToken, apiUrl, clock } = this.#parts;
    const Client = await imported(socketMode, async () => (await import('@slack/socket-mode')).SocketModeClient);
    const client = new Client({
      appToken,
      logger: silentClientLogger,
      autoReconnectEnabled: false, // its own retries do not report why, and a failed one is an unhandled rejection
      clientOptions: { retryConfig: { retries: 0 }, ...(apiUrl === undefined ? {} : { slackApiUrl: apiUrl }) },
    });
    client.on('slack_event', (event: SocketEvent) => void this.#taken(event));
    this.#client = client;
    if (clock === systemClock) this.#releaseProcess = keepAlive(); // also between two tries, when no socket holds it
    void this.#stayConnected(client);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#releaseProcess();
    const client = this.#client;
    if (client === undefined) return;
    await Promise.race([client.disconnect(), sleep(this.#parts.clock, closeWithin)]);
  }

  /** Connects, and again whenever the connection ends: Slack itself ends each after some hours. */
  async #stayConnected(client: SocketModeClient): Promise<void> {
    const { clock, logger, name } = this.#parts;
    let wait = firstWait;
    while (!this.#isStopped) {
      try {
        await client.start();
        if (this.#isStopped) return void (await client.disconnect()); // stopped while it connected
        const ended = new Promise((resolve) => client.once('disconnected', resolve));
        if (this.#told.size > 0) logger.info('Slack is connected to by Socket Mode', { channel: name });
        this.#told.clear();
        wait = firstWait;
        await ended;
        await sleep(clock, wait);
      } catch (error) {
        if (this.#isStopped) return;
        this.#tellOnce(error);
        await sleep(clock, wait);
        wait = Math.min(wait * 2, longestWait);
      }
    }
  }

  #tellOnce(error: unknown): void {
    const { logger, name } = this.#parts;
    const word = wordOf(error);
    if (this.#told.has(word)) return;
    this.#told.add(word);
    const advice = tokenWords.has(word)
      ? '. Check appToken: it must be the app-level token (xapp-…) of this app with the scope connections:write, from Basic Information, App-Level Tokens'
      : '';
    const failure = { code: failureOf(error).code, message: word };
    logger.error(`Slack could not be connected to by Socket Mode. It is tried again${advice}`, {
      channel: name,
      failure,
    });
  }

  async #taken({ body, ack }: SocketEvent): Promise<void> {
    const { accept, logger, name } = this.#parts;
    try {
      await ack(await accept(body));
    } catch (error) {
      const about = { channel: name, failure: failureOf(error) };
      logger.warn('What Slack sent by Socket Mode was not acknowledged. Slack sends it again', about);
    }
  }
}

/** Slack's own word for a failure. The rest of the client's message may quote the request. */
function wordOf(error: unknown): string {
  if (error === undefined) return 'closed'; // the client's way to say that the socket ended before Slack said hello
  const { data, code, original } = recordOf(error);
  const word = recordOf(data)['error'] ?? networkCode(original) ?? code;
  return typeof word === 'string' && /^[\w.-]{1,80}$/.test(word) ? word : 'unknown';
}
