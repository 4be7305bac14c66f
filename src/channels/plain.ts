/**
 * A question as plain text, for every channel without controls: the question, its details, numbered options, one
 * line that says how to answer. Everything in it is made harmless to show.
 */
import type { OutgoingMessage } from '../core/outgoing.js';
import { inert } from '../core/text.js';
import type { Wording } from '../core/wording.js';
import { english } from '../core/wording.js';

export function plainText(message: OutgoingMessage, wording: Wording = english): string {
  const details = Object.entries(message.ask?.details ?? {}).map(
    ([name, value]) => `${oneLine(name)}: ${oneLine(value)}`,
  );
  const lines = [inert(message.text), ...details];
  if (message.shape.type === 'choices' && message.ask?.status === 'pending') {
    lines.push(...message.shape.choices.map((choice, i) => `${i + 1}. ${oneLine(choice.label)}`), wording.pickHint());
  }
  return lines.join('\n');
}

/** Options and details come from data: a line break in one must not look like another option. */
function oneLine(text: string): string {
  return inert(text).replace(/\s+/g, ' ').trim();
}
