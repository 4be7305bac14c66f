/**
 * The periodic sweep: finds entries that no process works on, asks past their deadline, and outputs that were not sent.
 */
import { failureOf } from '../../core/errors.js';
import { digest } from '../../core/ids.js';
import type { RegistryContext } from '../context.js';
import type { Delivery } from '../outbox/delivery.js';
import type { Dispatcher } from './dispatcher.js';

const batch = 500;

/**
 * What one sweep found to do.
 *
 * @example
 * import { AgentRegistry, type SweepReport } from 'askback';
 *
 * const registry = new AgentRegistry();
 * const { taken, expired, delivered }: SweepReport = await registry.sweep();
 */
export interface SweepReport {
  /** Conversations this process worked on. */
  readonly taken: number;
  /** Asks that were past their deadline. */
  readonly expired: number;
  /** Outputs that another process had not sent. */
  readonly delivered: number;
}

export class Sweeper {
  readonly #context: RegistryContext;
  readonly #dispatcher: Dispatcher;
  readonly #delivery: Delivery;
  #cancel: (() => void) | undefined;
  #running: Promise<unknown> | undefined;

  constructor(context: RegistryContext, dispatcher: Dispatcher, delivery: Delivery) {
    this.#context = context;
    this.#dispatcher = dispatcher;
    this.#delivery = delivery;
  }

  start(): void {
    const { clock, settings, newId } = this.#context;
    // jitter of 20 % either way, so that replicas started together do not sweep together
    const digits = digest(newId()).replace(/\D/g, '').slice(0, 3) || '500';
    const spread = 0.8 + (0.4 * Number(digits)) / 1_000;
    this.#cancel = clock.after(Math.round(settings.sweep * spread), () => {
      this.#running = this.sweep()
        .catch((error: unknown) =>
          this.#context.logger.warn('A sweep failed; the next one looks again', { failure: failureOf(error) }),
        )
        .finally(() => {
          this.#running = undefined;
          if (this.#cancel !== undefined) this.start();
        });
    });
  }

  /** Resolves when no periodic sweep is running. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async stop(): Promise<void> {
    this.#cancel?.();
    this.#cancel = undefined;
    await this.#running;
  }

  /** One sweep. While a full batch was due, it continues as slots become free; it waits for no other turn. */
  async sweep(): Promise<{ taken: number; delivered: number }> {
    const { store } = this.#context;
    let taken = 0;
    let delivered = 0;
    for (let more = true; more; ) {
      const { freeToSweep, waiting, leftToOthers } = this.#dispatcher;
      // what waits, and what is left to others, may stand before what is due
      const limit = freeToSweep === 0 ? 0 : Math.min(batch, freeToSweep + waiting) + leftToOthers;
      const { conversations, now } = limit === 0 ? { conversations: [], now: undefined } : await store.due(limit);
      if (now !== undefined) this.#dispatcher.sawTime(now);
      const took = await Promise.all(conversations.map((id) => this.#dispatcher.tryTake(id, true)));
      const here = took.filter(Boolean).length;
      const sent = await this.#delivery.collect();
      taken += here;
      delivered += sent;
      const hasSeenMore = here > 0 || this.#dispatcher.leftToOthers > leftToOthers;
      more = hasSeenMore && conversations.length === limit;
      if (more) await this.#dispatcher.roomToSweep();
    }
    return { taken, delivered };
  }
}
