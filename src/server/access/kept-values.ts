/**
 * What the replicas of an inbox share: small values with a time to live, changed by compare-and-set. The store keeps them.
 */
import type { Store } from '../../stores/port.js';

/** Small shared values. Keys carry hashes only, so that nobody who reads the store can use them. */
export type KeptValues = Pick<Store, 'swap'>;

/** What is kept under a key; null for nothing. Changes nothing. */
export async function keptValue(kept: KeptValues, key: string): Promise<string | null> {
  return (await kept.swap({ key, expected: null, value: null, ttl: 1 })).current;
}
