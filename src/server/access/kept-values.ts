/**
 * The port for what the replicas of an inbox share: small values with a time to live, changed by compare-and-set. The store has it.
 */

/** Small shared values. Keys carry hashes only, so that nobody who reads the store can use them. */
export interface KeptValues {
  /**
   * Keeps `value` under the key for `ttl` ms if `expected` is there now; null is nothing. `swapped` says whether `value` is there
   * afterwards, so a repeat says the same. With `expected` and `value` null it only reads.
   */
  swap(call: {
    readonly key: string;
    readonly expected: string | null;
    readonly value: string | null;
    readonly ttl: number;
  }): Promise<{ readonly swapped: boolean; readonly current: string | null }>;
}

/** What is kept under a key; null for nothing. Changes nothing. */
export async function keptValue(kept: KeptValues, key: string): Promise<string | null> {
  return (await kept.swap({ key, expected: null, value: null, ttl: 1 })).current;
}
