/**
 * A reply as one text, however it was given, so that one parser reads them all.
 */

import type { Shape } from '../ask/answer-type.js';
import type { Json } from '../json.js';
import { canonical } from '../json.js';
import type { Entry } from './entry.js';

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

/** What a program gave as a value, or a control as an option's id; undefined for what was typed. */
export function givenValue(entry: Entry): Json | undefined {
  if (entry.type === 'answer') return entry.text === undefined ? (entry.value ?? null) : undefined;
  return entry.type === 'message' ? entry.choice : undefined;
}

/** A control pressed must be one that the stored question has. */
export function isOffered(shape: Shape, entry: Entry): boolean {
  if (entry.type !== 'message' || entry.choice === undefined) return true;
  const drawn = shape.type === 'fields' ? shape.fields.map((field) => field.shape) : [shape];
  const pressed = [entry.choice].flat();
  return drawn.some(
    (each) =>
      each.type === 'choices' &&
      (each.many || pressed.length === 1) &&
      pressed.every((id) => each.choices.some((choice) => choice.id === id)),
  );
}

/** A value given must be the value it is read as: machines are not forgiven what people are. */
export function isUnchanged(entry: Entry, value: Json): boolean {
  return entry.type !== 'answer' || entry.text !== undefined || canonical(value) === canonical(entry.value ?? null);
}
