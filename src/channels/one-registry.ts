/**
 * Refuses a second registry: what comes in by a channel goes to one desk.
 */
import { AgentError } from '../core/errors.js';
import type { Desk } from './port.js';

/** Throws if the channel was started with another desk. `channel` is its class. */
export function assertSameDesk(known: Desk | undefined, desk: Desk, channel: string, name: string): void {
  if (known === undefined || known === desk) return;
  throw new AgentError(
    'bad-option',
    `The ${channel} ${JSON.stringify(name)} is started already, by another registry. Give each registry a channel of its own, or stop the other one and make a new registry.`,
  );
}
