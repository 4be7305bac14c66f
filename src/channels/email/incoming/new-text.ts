/**
 * What a person wrote now, out of the text of a mail. What is ours is cut by what is ours; no line is left out because of a word in it.
 */
import { withoutControls } from '../../../core/text.js';
import type { ReplyContext } from './attribution.js';
import { withoutClosing, withoutSignature } from './closing.js';
import { writtenRuns } from './quoted.js';
import { leftOut } from './words.js';

/** Longer texts have more than a reply and our mail. */
const mostLines = 1_000;

/** The new text of a mail. */
export function newText(text: string, reply: ReplyContext): string {
  const all = withoutControls(text).split('\n');
  const read = all.length > mostLines ? [...all.slice(0, mostLines), leftOut] : all;
  const runs = writtenRuns(read, reply).map(withoutSignature);
  const lines = runs.flatMap((run, i) => (i === 0 ? run : ['', ...run]));
  return withoutClosing(lines, reply.author)
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
