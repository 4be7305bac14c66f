/**
 * Formats a question as plain text, for channels without controls: the question, its details, numbered options, and a
 * line that says how to answer. What is drawn is inert.
 */

import { listedChoices, shownChoices } from '../core/ask/answer-type.js';
import type { OutgoingMessage } from '../core/conversation/outgoing.js';
import { inert, oneLine } from '../core/text.js';

export { inert, shownChoices };

/**
 * The message as plain text: the question, its options numbered, its details, and a line that says how to answer.
 *
 * @example
 * import type { Channel } from 'askback';
 * import { plainText } from 'askback/channels/plain';
 *
 * const screen: Channel = {
 *   name: 'screen',
 *   start: () => {},
 *   send: async (message) => console.log(plainText(message)),
 * };
 */
export function plainText(message: OutgoingMessage): string {
  const details = Object.entries(message.ask?.details ?? {}).map(
    ([name, value]) => `${oneLine(name)}: ${oneLine(value)}`,
  );
  const lines = [inert(message.text), ...details];
  if (message.ask?.status === 'pending') {
    lines.push(...listedChoices(message.shape).map(oneLine));
    if (message.hint !== undefined) lines.push(oneLine(message.hint));
  }
  return lines.join('\n');
}
