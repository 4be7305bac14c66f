/**
 * Keeps the holds of this process alive, all of them in one step, and tells those that were lost.
 */
import { AgentError, failureOf } from '../../core/errors.js';
import type { RegistryContext } from '../context.js';
import type { LeaseTable } from './lease-table.js';

export class Renewal {
  readonly #context: RegistryContext;
  readonly #leases: LeaseTable;
  #cancel: (() => void) | undefined;

  constructor(context: RegistryContext, leases: LeaseTable) {
    this.#context = context;
    this.#leases = leases;
  }

  /** From now on, as long as anything is held. */
  start(): void {
    this.#cancel ??= this.#later();
  }

  stop(): void {
    this.#cancel?.();
  }

  #later(): () => void {
    return this.#context.clock.after(this.#context.settings.renewal, () => {
      void this.#renew().finally(() => {
        this.#cancel = this.#leases.size > 0 ? this.#later() : undefined;
      });
    });
  }

  async #renew(): Promise<void> {
    const { store, settings, logger } = this.#context;
    const leases = this.#leases.list();
    if (leases.length === 0) return;
    try {
      const renewed = await store.renew(
        leases.map(({ conversationId, token }) => ({ conversationId, token })),
        settings.lease,
      );
      const lost = new Set(renewed.filter((each) => !each.held).map((each) => each.token));
      for (const lease of leases) {
        if (lost.has(lease.token) && this.#leases.has(lease)) {
          lease.lost(
            new AgentError(
              'lease-lost',
              `Conversation ${JSON.stringify(lease.conversationId)} is held by another process now.`,
            ),
          );
        }
      }
      const held = renewed.filter((each) => each.held);
      this.#context.emit('renewed', { held: held.length, queued: held.reduce((sum, { queue }) => sum + queue, 0) });
    } catch (error) {
      logger.warn('Leases could not be renewed; they are tried again', { failure: failureOf(error) });
    }
  }
}
