/**
 * What a person is shown of an ask before they decide: its digest, which says whether the ask is still the one that they saw, and its
 * length, by which a channel can tell whether it shows all of it. It never says what they may do with it.
 */
import { digest } from '../ids.js';
import type { Json } from '../json.js';
import { canonical } from '../json.js';
import type { Shape } from './answer-type.js';
import type { Ask } from './ask.js';
import { promptOf, withoutSensitiveAnswer } from './ask.js';
import { toolOf } from './tool-call.js';

/** It changes with every part of the answer, such as a field of a form; a vote or a failed attempt does not change it. */
export function drawnDigest(ask: Ask): string {
  const { id, agentName, question, details = null, shape, kind, expiresAt = null, quorum = null } = ask;
  const { partial = null } = withoutSensitiveAnswer(ask); // a part that is not shown is not in the digest either
  const tool = toolOf(ask) ?? null;
  const drawn = { id, agentName, question, prompt: promptOf(ask), details, kind, expiresAt, quorum, tool, partial };
  return digest(canonical({ ...drawn, shape: shape as unknown as Json })); // plain data
}

/** Beside the text of a detail or an option: a number, a line of its own. */
const around = 40;

/** The characters of the question, its details and its options, with `& < >` as long as they are when they are escaped. */
export function shownLength({ question, details = {}, shape }: Pick<Ask, 'question' | 'details' | 'shape'>): number {
  let length = escapedLength(question) + shapeLength(shape);
  for (const [name, value] of Object.entries(details)) length += around + escapedLength(name) + escapedLength(value);
  return length;
}

/** A label that is too long for a button is also written above it, so each counts twice. */
function shapeLength(shape: Shape): number {
  if (shape.type === 'text') return 0;
  if (shape.type === 'choices')
    return shape.choices.reduce((sum, { label }) => sum + around + 2 * escapedLength(label), 0);
  return shape.fields.reduce((sum, field) => sum + around + escapedLength(field.text) + shapeLength(field.shape), 0);
}

function escapedLength(text: string): number {
  let more = 0;
  for (const [escaped] of text.matchAll(/[&<>]/g)) more += escaped === '&' ? 4 : 3;
  return text.length + more;
}
