/**
 * Keeps the holds of this process alive, all of them in one step, and tells those that were lost.
 */
import { AgentError, failureOf } from '../../core/errors.js';
import type { House } from '../context.js';
import type { LeaseTable } from './lease-table.js';

export class Renewal {
  readonly #house: House;
  readonly #holds: LeaseTable;
  #cancel: (() => void) | undefined;

  constructor(house: House, holds: LeaseTable) {
    this.#house = house;
    this.#holds = holds;
  }

  /** From now on, as long as anything is held. */
  start(): void {
    this.#cancel ??= this.#later();
  }

  stop(): void {
    this.#cancel?.();
  }

  #later(): () => void {
    return this.#house.clock.after(this.#house.settings.renewal, () => {
      void this.#renew().finally(() => {
        this.#cancel = this.#holds.size > 0 ? this.#later() : undefined;
      });
    });
  }

  async #renew(): Promise<void> {
    const { store, settings, logger } = this.#house;
    const holds = this.#holds.list();
    if (holds.length === 0) return;
    try {
      const renewed = await store.renew(
        holds.map(({ conversationId, token }) => ({ conversationId, token })),
        settings.lease,
      );
      const lost = new Set(renewed.filter((each) => !each.held).map((each) => each.token));
      for (const hold of holds) {
        if (lost.has(hold.token) && this.#holds.has(hold)) {
          hold.lost(
            new AgentError(
              'lease-lost',
              `Conversation ${JSON.stringify(hold.conversationId)} is held by another process now.`,
            ),
          );
        }
      }
      const held = renewed.filter((each) => each.held);
      this.#house.emit('renewed', { held: held.length, queued: held.reduce((sum, { queue }) => sum + queue, 0) });
    } catch (error) {
      logger.warn('Leases could not be renewed; they are tried again', { failure: failureOf(error) });
    }
  }
}
