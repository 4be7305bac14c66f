/**
 * The attributes of spans and metrics: names that the program's author chose, and numbers. Never what a person wrote
 * or did.
 */
import type { Attributes } from '@opentelemetry/api';
import type { Failure } from '../core/errors.js';
import { errorCodes } from '../core/errors.js';
import type { DecisionEvent } from '../core/events.js';

/** All outcomes of an ask, by the name of their event. */
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

/** The error code, if it is one of ours. The name of a foreign error could contain anything. */
export function ofFailure({ code }: Failure): Attributes {
  return { 'error.type': Object.hasOwn(errorCodes, code) ? code : '_OTHER' };
}
