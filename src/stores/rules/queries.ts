/**
 * What callers ask about a conversation without changing it.
 */
import type { ConversationState, Stored } from '../port.js';
import type { Facts } from './changes.js';
import { isHeld, timeOf } from './lease.js';
import { markOf } from './marks.js';
import type { ConversationRecord, QueuedEntry } from './record.js';

/** Where a read of the queue beside the record begins that leaves out the first `skip` entries: the front one is in the record. */
export const queueStart = (skip: number): number => Math.max(0, skip - 1);

/** The state of a conversation without the first `skip` entries of its queue. `behind` is the queue from `queueStart(skip)` on. */
export function stateOf(
  record: ConversationRecord,
  behind: readonly QueuedEntry[],
  clock: number,
  skip: number,
): ConversationState {
  const now = timeOf(record, clock);
  const { incarnation, revision, front, document } = record;
  const entries = front === undefined ? [] : skip === 0 ? [front, ...behind] : behind;
  const queue = entries.map((entry) => ({ id: entry.id, at: entry.at, data: entry.data, revision: entry.revision }));
  return { incarnation, revision, document, queue, held: isHeld(record, now), begun: record.turn !== '', now };
}

/** The outcome that an entry was closed with; null while it is open or unknown. */
export function outcomeOf(
  record: ConversationRecord | undefined,
  entryId: string,
  clock: number,
  facts: Facts,
): Stored | null {
  const mark = markOf(record, entryId, facts);
  return mark !== undefined && mark.endsAt > timeOf(record, clock) ? mark.outcome : null;
}
