/**
 * A reply as one text, however it was given, so that one parser reads them all.
 */
import type { Entry } from './entry.js';
import type { Json } from './json.js';

export function replyText(entry: Entry): string | undefined {
  if (entry.type === 'answer') return entry.text ?? (entry.value === undefined ? undefined : valueText(entry.value));
  if (entry.type !== 'message') return undefined;
  if (entry.choice === undefined) return entry.text;
  return typeof entry.choice === 'string' ? entry.choice : entry.choice.join(',');
}

/** A value as a person would have typed it. */
function valueText(value: Json): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
