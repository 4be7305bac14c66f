/**
 * What the calls share of the engine: where an entry is recorded, and who waits for what becomes of it.
 */
import type { RegistryContext } from '../context.js';
import type { Dispatcher } from '../intake/dispatcher.js';
import type { RegisteredAgent } from '../turn/agent-port.js';
import type { Waiters } from '../waiters.js';
import type { AskLookup } from './lookup.js';

export interface CallParts {
  readonly context: RegistryContext;
  readonly agents: ReadonlyMap<string, RegisteredAgent>;
  readonly dispatcher: Dispatcher;
  readonly asks: AskLookup;
  /** Those who wait for what becomes of an entry, or for the end of an ask. */
  readonly waiters: Waiters;
}
