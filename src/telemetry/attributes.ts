/**
 * What spans and metrics say about a thing. Names that the author of a program chose, and numbers; nothing a person did.
 */
import type { Attributes } from '@opentelemetry/api';
import type { Failure } from '../core/errors.js';
import { errorCodes } from '../core/errors.js';
import type { DecisionEvent } from '../core/events.js';

/** Every way an ask ends, by the name of its event. */
export const outcomes: readonly (DecisionEvent | 'undeliverable')[] = [
  'answered',
  'declined',
  'exhausted',
  'expired',
  'cancelled',
  'undeliverable',
];

export function ofAgent(agentName: string | undefined): Attributes {
  return agentName === undefined ? {} : { 'askback.agent': agentName };
}

/** A code of our own table. The name of somebody else's error could say anything. */
export function ofFailure({ code }: Failure): Attributes {
  return { 'error.type': Object.hasOwn(errorCodes, code) ? code : '_OTHER' };
}
