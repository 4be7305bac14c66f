/**
 * Joins what is written to a connection within a tick into one write to its socket. `stream` is the one thing used of a
 * client that its documentation does not name: where there is none, everything works and is written piece by piece.
 */
import { nextTick } from 'node:process';
import type { RedisConnection } from './client.js';

interface Corkable {
  cork(): void;
  uncork(): void;
}

export class Cork {
  private corked: Corkable | undefined;
  private readonly connection: { readonly stream?: Partial<Corkable> | null };

  constructor(connection: RedisConnection) {
    this.connection = connection as { readonly stream?: Partial<Corkable> | null };
  }

  /** Holds back what is written from here on until `release`, or until the tick ends. */
  hold(): void {
    const stream = this.connection.stream; // a Cluster has none
    if (!stream || stream === this.corked || typeof stream.cork !== 'function') return;
    const held = stream as Corkable;
    this.release(); // the connection may be another than a moment ago
    this.corked = held;
    held.cork();
    nextTick(() => {
      if (this.corked === held) this.release();
    });
  }

  release(): void {
    const held = this.corked;
    this.corked = undefined;
    held?.uncork();
  }
}
