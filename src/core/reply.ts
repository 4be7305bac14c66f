/**
 * A reply as one text, however it was given, so that one parser reads them all.
 */
import type { Ask } from './ask.js';
import type { Entry } from './entry.js';
import type { Json } from './json.js';
import { canonical } from './json.js';

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

/**
 * A control pressed must be exactly one that the stored question has, and a value given must be the value it is read as:
 * machines are not forgiven what people are.
 */
export function fitsExactly(ask: Ask, entry: Entry, value: Json): boolean {
  if (entry.type === 'answer' && entry.text === undefined) return canonical(value) === canonical(entry.value ?? null);
  if (entry.type !== 'message' || entry.choice === undefined) return true;
  const pressed = [entry.choice].flat();
  const { shape } = ask;
  return (
    shape.type === 'choices' &&
    (shape.many || pressed.length === 1) &&
    pressed.every((id) => shape.choices.some((choice) => choice.id === id))
  );
}
