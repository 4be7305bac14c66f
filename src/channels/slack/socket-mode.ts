/**
 * Socket Mode: the same payloads over a socket that the app opens itself, for whoever has no public address. Each is acknowledged once it is
 * recorded; what is not acknowledged Slack sends again. It reads no payload.
 */
import type { SocketModeClient } from '@slack/socket-mode';
import { AgentError, failureOf } from '../../core/errors.js';
import type { Logger } from '../../core/events.js';
import { type Clock, sleep } from '../../machine/clock.js';
import { silentClientLogger } from './api.js';
import type { SlackReply } from './incoming/receiver.js';

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

export class SlackSocket {
  readonly #parts: SocketParts;
  #client: SocketModeClient | undefined;
  #isStopped = false;

  constructor(parts: SocketParts) {
    this.#parts = parts;
  }

  /** Resolves once the package is there. Slack is connected to in the background, for as long as it takes. */
  async start(): Promise<void> {
    const { appToken, apiUrl } = this.#parts;
    const Client = await loadedClient();
    const client = new Client({
      appToken,
      logger: silentClientLogger,
      clientOptions: { retryConfig: { retries: 0 }, ...(apiUrl === undefined ? {} : { slackApiUrl: apiUrl }) },
    });
    client.on('slack_event', (event: SocketEvent) => void this.#taken(event));
    this.#client = client;
    void this.#connect(client);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    const client = this.#client;
    if (client === undefined) return;
    await Promise.race([client.disconnect(), sleep(this.#parts.clock, closeWithin)]);
  }

  async #connect(client: SocketModeClient): Promise<void> {
    const { clock, logger, name } = this.#parts;
    for (let wait = firstWait; !this.#isStopped; wait = Math.min(wait * 2, longestWait)) {
      try {
        await client.start();
        return;
      } catch (error) {
        if (this.#isStopped) return;
        const failure = { code: failureOf(error).code, message: wordOf(error) };
        logger.error('Slack could not be connected to by Socket Mode. It is tried again', { channel: name, failure });
        await sleep(clock, wait);
      }
    }
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
  const { data, code } = Object(error) as { readonly data?: { readonly error?: unknown }; readonly code?: unknown };
  const word = data?.error ?? code;
  return typeof word === 'string' && /^[\w.-]{1,80}$/.test(word) ? word : 'unknown';
}

async function loadedClient(): Promise<typeof SocketModeClient> {
  try {
    return (await import('@slack/socket-mode')).SocketModeClient;
  } catch (cause) {
    const message =
      'SlackChannel({ appToken }) needs the package @slack/socket-mode, which could not be loaded. Install it:\n  npm install @slack/socket-mode undici';
    throw new AgentError('missing-package', message, { cause });
  }
}
