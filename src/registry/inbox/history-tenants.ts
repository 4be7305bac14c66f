/**
 * The tenants of those who wrote in a conversation, as far as its kept history tells. What was read once is remembered, so that the next
 * look reads only what was said since. It never says who sees what.
 */
import { isUnreadable } from '../../core/errors.js';
import { readItem } from '../../core/format/document.js';
import type { Store, Stored } from '../../stores/port.js';

/** What was read of one life of a conversation. */
interface ReadTenants {
  readonly incarnation: string;
  /** The number of the next history item. */
  readonly next: number;
  readonly tenants: ReadonlySet<string | undefined>;
}

/** So many conversations are remembered; the one that was looked at last stays longest. */
const mostConversations = 1_000;
/** No rule asks for more: of these, two are named. */
const mostTenants = 3;
const itemsPerRead = 500;
/** Stands for the tenant of an item that cannot be read. No tenant has this name. */
export const unknownTenant = '\0';

export class HistoryTenants {
  readonly #store: Pick<Store, 'conversation' | 'historyFrom'>;
  readonly #read = new Map<string, ReadTenants>();

  constructor(store: Pick<Store, 'conversation' | 'historyFrom'>) {
    this.#store = store;
  }

  /** At most three of them; null if nothing was said there, or nothing is kept. */
  async of(conversationId: string): Promise<ReadonlySet<string | undefined> | null> {
    const known = this.#read.get(conversationId);
    const incarnation = known?.incarnation ?? (await this.#incarnation(conversationId));
    if (incarnation === undefined) return null;
    const read = await this.#readOn(conversationId, known ?? { incarnation, next: 0, tenants: new Set() });
    // asked after the reading: items of another life must not be taken for those of this one
    const isSame = (await this.#incarnation(conversationId)) === incarnation;
    this.#read.delete(conversationId);
    if (!isSame) return this.of(conversationId);
    this.#read.set(conversationId, read);
    const [oldest] = this.#read.keys();
    if (this.#read.size > mostConversations && oldest !== undefined) this.#read.delete(oldest);
    return read.next === 0 ? null : read.tenants;
  }

  async #incarnation(conversationId: string): Promise<string | undefined> {
    return (await this.#store.conversation(conversationId))?.incarnation;
  }

  async #readOn(conversationId: string, known: ReadTenants): Promise<ReadTenants> {
    const tenants = new Set(known.tenants);
    for (let { next } = known; ; ) {
      const { items, first } = await this.#store.historyFrom(conversationId, next, itemsPerRead);
      for (const item of items) {
        const tenant = writerOf(item, conversationId);
        if (tenant !== null && tenants.size < mostTenants) tenants.add(tenant);
      }
      next = first + items.length;
      if (items.length < itemsPerRead) return { ...known, next, tenants };
    }
  }
}

/** The tenant of whoever wrote an item; null if it was no participant. */
function writerOf(stored: Stored, conversationId: string): string | undefined | null {
  try {
    const item = readItem(stored, conversationId);
    return item.type === 'in' && item.participant !== undefined ? item.participant.tenant : null;
  } catch (error) {
    if (isUnreadable(error)) return unknownTenant;
    throw error;
  }
}
