/**
 * erase: ends one life of a conversation. Nothing of it stays but tombstones of its asks.
 */
import type { Erase } from '../port.js';
import { timeOf } from './lease.js';
import type { Applied, Reads, Writes } from './ports.js';
import type { ConversationRecord } from './record.js';

export function applyErase(
  found: ConversationRecord | undefined,
  call: Erase,
  clock: number,
  reads: Reads,
  writes: Writes,
): Applied<boolean> {
  if (found === undefined || found.incarnation !== call.incarnation || found.revision !== call.revision) {
    return { record: found, isChanged: false, answer: false };
  }
  const now = timeOf(found, clock);
  const until = now + Math.max(1, call.retention);
  const channels = [...found.outputs, ...found.backlogs].map(({ channel }) => channel);
  for (const channel of new Set(channels)) writes.indexUnsent(channel, undefined);
  writes.indexDue(undefined);
  for (const id of call.parked) writes.unlistParked(id);
  for (const person of found.people) writes.deletePerson(person);
  if (found.hasPeopleBeside) for (const person of reads.peopleBeside()) writes.deletePerson(person);
  if (found.hasMemo) writes.deleteMemo(found.turn);
  for (const turn of found.keptMemos) writes.deleteMemo(turn);
  writes.clear(found);
  for (const { id, tombstone } of call.asks) writes.putTombstone(id, tombstone, until, now);
  return { record: undefined, isChanged: true, answer: true };
}
