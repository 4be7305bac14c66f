/**
 * Asks that no agent owns: a registry without agents asked them, and the decision is all that follows. The ask itself says so, so
 * every process without agents may see to it. What else is said to such a conversation is nobody's.
 */
import type { Conversation } from './conversation.js';
import type { Queued } from './entry.js';

/** Whether a process without agents has something to do here: such an ask is open, or waits to be opened. */
export function hasUnownedAsk({ asks }: Conversation, queue: readonly Queued[]): boolean {
  return (
    asks.some(({ unowned }) => unowned === true) ||
    queue.some(({ entry }) => entry.type === 'open' && entry.ask.unowned === true)
  );
}

/** Whether an agent's question is open here, too: then what is no reply is for that agent. */
export function hasOwnedAsk({ asks }: Conversation): boolean {
  return asks.some(({ unowned }) => unowned !== true);
}
