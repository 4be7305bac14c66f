/**
 * Converts a tool's name into one that model providers accept.
 */
import { AgentError } from '../core/errors.js';
import { describe } from '../core/ids.js';

/** Names by which models know this tool. Any other name works too. */
export type HumanToolName =
  | 'ask_human'
  | 'human_intervention.request'
  | 'ask_clarifying_question'
  | 'clarify'
  | (string & {});

/** Most providers accept only letters, digits, _ and -: any other character, such as a dot, becomes _. */
export function providerName(value: unknown, name: string): string {
  const valid = typeof value === 'string' ? value.replace(/[^a-zA-Z0-9_-]/g, '_') : '';
  if (valid.length > 64 || !/[a-zA-Z0-9]/.test(valid)) {
    throw new AgentError(
      'bad-option',
      `${name} must have 1 to 64 characters and among them a letter or a digit, got ${describe(value)}.`,
    );
  }
  return valid;
}
