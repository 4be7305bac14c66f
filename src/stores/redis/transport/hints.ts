/**
 * Hints between processes: published and forgotten, on one channel and one extra connection for all listeners.
 * A lost hint only costs time, so nothing here fails a step or is tried again.
 */
import type { Hint } from '../../port.js';
import { publish } from '../script.js';
import type { RedisLogger } from './checks.js';
import type { RedisConnection } from './client.js';
import type { Runner } from './runner.js';

export class Hints {
  private readonly channel: string;
  private readonly logger: RedisLogger;
  private readonly listeners = new Set<{ readonly tell: (hint: Hint) => void }>();

  constructor(channel: string, logger: RedisLogger) {
    this.channel = channel;
    this.logger = logger;
  }

  publish(runner: Runner, hint: Hint): void {
    const text = JSON.stringify(hint);
    runner
      .run(publish, [this.channel], [this.channel, text])
      .catch((error: unknown) => this.debug('A hint was not published', error));
  }

  /** Resolves once Redis has us on its list. After a reconnect the client subscribes by itself. */
  async subscribe(connection: RedisConnection): Promise<void> {
    connection.on('message', (_channel, text) => this.receive(String(text)));
    await connection.subscribe(this.channel);
  }

  add(tell: (hint: Hint) => void): () => void {
    const listener = { tell };
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private receive(text: string): void {
    let hint: Hint;
    try {
      const { conversationId, entryId, unsent } = JSON.parse(text) as Partial<Hint>;
      if (typeof conversationId !== 'string') return;
      hint = { conversationId, ...(entryId === undefined ? {} : { entryId }), ...(unsent === true ? { unsent } : {}) };
    } catch (error) {
      this.debug('A hint could not be read', error);
      return;
    }
    for (const { tell } of this.listeners) {
      try {
        tell(hint);
      } catch (error) {
        this.debug('A listener failed', error); // one listener's fault is not another's
      }
    }
  }

  private debug(what: string, error: unknown): void {
    this.logger.debug(`${what}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
