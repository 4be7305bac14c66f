/**
 * For channels that draw all fields of a form at once. In a chat they are asked one by one, and a question's text is written for that.
 */
import { currentField, type Shape } from '../core/ask/answer-type.js';

/** The text of a question without the field that is asked next: where fields are asked one by one, the text ends with it. */
export function withoutField(text: string, shape: Shape): string {
  const field = currentField(shape);
  return field !== undefined && text.endsWith(`\n${field.text}`) ? text.slice(0, -field.text.length - 1) : text;
}
