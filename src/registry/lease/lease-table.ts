/**
 * The leases of this process. Renews all of them in one step for as long as there are any, and stops the turns of those that
 * were lost.
 */
import { AgentError, failureOf } from '../../core/errors.js';
import { ShortLivedMap } from '../../machine/short-lived-map.js';
import type { RegistryContext } from '../context.js';
import type { Lease } from './lease.js';

export class LeaseTable {
  readonly #context: RegistryContext;
  /** By token. */
  readonly #leases = new ShortLivedMap<string, Lease>();
  #cancelRenewal: (() => void) | undefined;

  constructor(context: RegistryContext) {
    this.#context = context;
  }

  get size(): number {
    return this.#leases.size;
  }

  add(lease: Lease): void {
    this.#leases.set(lease.token, lease);
    this.#cancelRenewal ??= this.#scheduleRenewal();
  }

  remove(lease: Lease): void {
    this.#leases.delete(lease.token);
  }

  /** All of them, as they are now. */
  list(): Lease[] {
    return [...this.#leases.values()];
  }

  /** Renews nothing any more. */
  stop(): void {
    this.#cancelRenewal?.();
  }

  #scheduleRenewal(): () => void {
    return this.#context.clock.after(this.#context.settings.renewal, () => {
      void this.#renew().finally(() => {
        this.#cancelRenewal = this.#leases.size > 0 ? this.#scheduleRenewal() : undefined;
      });
    });
  }

  async #renew(): Promise<void> {
    const { store, settings, logger, clock } = this.#context;
    const leases = this.list();
    if (leases.length === 0) return;
    const sentAt = clock.elapsed();
    try {
      const renewed = await store.renew(
        leases.map(({ conversationId, token }) => ({ conversationId, token })),
        settings.lease,
      );
      const lost = new Set(renewed.filter((each) => !each.held).map((each) => each.token));
      for (const lease of leases) {
        if (!lost.has(lease.token)) lease.renewed(sentAt);
        if (!lost.has(lease.token) || !this.#leases.has(lease.token)) continue;
        const where = JSON.stringify(lease.conversationId);
        lease.lost(new AgentError('lease-lost', `Conversation ${where} is held by another process now.`));
      }
      const held = renewed.filter((each) => each.held);
      this.#context.emit('renewed', { held: held.length, queued: held.reduce((sum, { queue }) => sum + queue, 0) });
    } catch (error) {
      logger.warn('Leases could not be renewed; they are tried again', { failure: failureOf(error) });
    }
  }
}
