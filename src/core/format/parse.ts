/**
 * Reading stored JSON: what is damaged, not ours or of a newer release is an error that says so, never an empty record.
 */
import { latestDate } from '../check-options.js';
import { AgentError } from '../errors.js';

/** A JSON object whose fields have not been looked at. */
export type StoredFields = Record<string, unknown>;

type Kind = 'string' | 'number' | 'list' | 'record' | 'time';

export const isFields = (value: unknown): value is StoredFields =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'list';
  return isFields(value) ? 'record' : value === null ? 'null' : typeof value;
}

/** What is wrong with a field, or undefined. */
export function mismatch(field: string, value: unknown, kind: Kind): string | undefined {
  const got = kindOf(value);
  if (kind === 'time' && typeof value === 'number')
    return Math.abs(value) <= latestDate ? undefined : `${field} must be a time, got ${value}, which no Date can have`;
  return got === kind ? undefined : `${field} must be a ${kind}, got ${got}`;
}

/** The JSON object in `text`. `what` names the record in errors; it is called only then. */
export function parsedFields(text: string, what: () => string): StoredFields {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new AgentError(
      'bad-record',
      `${what()} is not JSON: it is damaged or was not written by askback. It is left as it is.`,
      { cause },
    );
  }
  if (!isFields(value)) {
    throw new AgentError('bad-record', `${what()} is JSON, but not a record of askback. It is left as it is.`);
  }
  return value;
}

export function assertSound(damage: string | undefined, what: () => string): void {
  if (damage === undefined) return;
  throw new AgentError('bad-record', `${what()} is damaged: ${damage}. It is left as it is.`);
}

/** The error for a record that only a newer release can read. */
export function newerRecord(what: string): AgentError {
  return new AgentError('newer-record', `${what}. Finish the roll-out of the newer release.`);
}
