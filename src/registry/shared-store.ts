/**
 * Several registries of one process may share a store: it is closed when the last of them stops.
 */
import type { Store } from '../stores/port.js';

const users = new WeakMap<Store, number>();

export async function openStore(store: Store): Promise<void> {
  await store.open();
  users.set(store, (users.get(store) ?? 0) + 1);
}

export async function closeStore(store: Store): Promise<void> {
  const left = (users.get(store) ?? 1) - 1;
  users.set(store, left);
  if (left === 0) await store.close();
}
