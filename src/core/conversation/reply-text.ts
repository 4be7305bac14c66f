/**
 * A reply as one string, however it was given (typed, pressed, by the API), so that one parser reads them all.
 */

import type { Shape } from '../ask/answer-type.js';
import type { Json } from '../json.js';
import { canonical } from '../json.js';
import type { Entry, MessageEntry } from './entry.js';

/** Whether a control of the channel gave it, a button or a form: nothing was typed. */
export function isPressed({ choice, value }: MessageEntry): boolean {
  return choice !== undefined || value !== undefined;
}

export function replyText(entry: Entry): string | undefined {
  if (entry.type === 'answer') return entry.text ?? (entry.value === undefined ? undefined : valueText(entry.value));
  if (entry.type !== 'message') return undefined;
  if (entry.value !== undefined) return valueText(entry.value);
  if (entry.choice === undefined) return entry.text;
  return typeof entry.choice === 'string' ? entry.choice : entry.choice.join(',');
}

/** A value as a person would have typed it. */
function valueText(value: Json): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The value that a program or a form gave, or the option id of a control; undefined for what was typed. */
export function givenValue(entry: Entry): Json | undefined {
  if (entry.type === 'answer') return entry.text === undefined ? (entry.value ?? null) : undefined;
  return entry.type === 'message' ? (entry.value ?? entry.choice) : undefined;
}

/** Whether the control that was pressed is one of the stored question. */
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

/** Whether a value given by a program is exactly the value it is read as. Only people's replies are read leniently. */
export function isUnchanged(entry: Entry, value: Json): boolean {
  return entry.type !== 'answer' || entry.text !== undefined || canonical(value) === canonical(entry.value ?? null);
}
