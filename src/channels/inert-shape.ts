/**
 * A question's shape with texts that may be shown anywhere, for channels that hand it on as JSON. The ids stay as they are: they are sent
 * back.
 */
import type { Shape } from '../core/ask/answer-type.js';
import { inert } from '../core/text.js';

export function inertShape(shape: Shape): Shape {
  if (shape.type === 'choices')
    return { ...shape, choices: shape.choices.map(({ id, label }) => ({ id, label: inert(label) })) };
  if (shape.type === 'text') return shape;
  const fields = shape.fields.map((field) => ({ ...field, text: inert(field.text), shape: inertShape(field.shape) }));
  return { ...shape, fields };
}
