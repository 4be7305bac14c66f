/**
 * What a person is shown of an ask before they decide: its text, its digest, which says whether the ask is still the one that they saw, and
 * its length, by which a channel can tell whether it shows all of it. It never says what they may do with it.
 */
import { digest } from '../ids.js';
import type { Json } from '../json.js';
import { canonical } from '../json.js';
import { oneLine } from '../text.js';
import { type Choice, currentField, type Shape } from './answer-type.js';
import type { Ask, AskedPart, AskedQuestion, PublicAsk } from './ask.js';
import { promptOf, shapeOf } from './ask.js';
import { toolOf } from './tool-call.js';

/** It changes with every part of the answer, such as a field of a form; a vote or a failed attempt does not change it. */
export function drawnDigest(ask: Ask): string {
  const { id, agentName, timing, audience, progress } = ask;
  const { text: question, details = null, kind, sensitive } = ask.question;
  const { expiresAt = null } = timing;
  const { quorum = null } = audience;
  const partial = (sensitive ? undefined : progress.part?.partial) ?? null; // a part that is not shown is not in the digest either
  const tool = toolOf(ask) ?? null;
  const drawn = { id, agentName, question, prompt: promptOf(ask), details, kind, expiresAt, quorum, tool, partial };
  return digest(canonical({ ...drawn, shape: shapeOf(ask) as unknown as Json })); // plain data
}

/** Beside the text of a detail or an option: a number, a line of its own. */
const around = 40;

type ShownPart = { readonly question: string } & Pick<AskedPart, 'shape'> &
  Partial<Pick<AskedQuestion, 'details' | 'sensitive'> & Pick<AskedPart, 'prompt' | 'partial'>>;

export function shownPartOf({ question, progress }: PublicAsk): ShownPart {
  return { ...question, ...progress.part, question: question.text };
}

/**
 * The characters of the question, its details and its options, and of what a form has so far, with `& < >` as long as they are when they
 * are escaped.
 */
export function shownLength(ask: ShownPart): number {
  const { question, details = {}, shape } = ask;
  let length = escapedLength(question) + shapeLength(shape);
  for (const line of filledLines(ask)) length += around + escapedLength(line);
  for (const [name, value] of Object.entries(details)) length += around + escapedLength(name) + escapedLength(value);
  const { prompt = question, partial } = ask;
  const isCounted = partial === undefined || prompt === currentField(shape)?.text;
  return isCounted ? length : length + escapedLength(prompt);
}

/**
 * The first of these texts with which an ask is still shown in full where `longest` characters are; its whole prompt if there is none. Of
 * an ask that is itself too long it is the first: nobody can decide it there.
 */
export function fittingText(
  ask: Ask,
  texts: readonly [string, ...string[]],
  longest = Number.POSITIVE_INFINITY,
): string {
  const whole = wholePromptOf(ask);
  const most = longest - shownLength(shownPartOf(ask)) + escapedLength(whole);
  if (most < escapedLength(whole)) return texts[0];
  return texts.find((text) => escapedLength(text) <= most) ?? whole;
}

/**
 * What is put to somebody who was perhaps not shown the ask before: also after a part of the answer they see what they decide, and what
 * others have given so far. `asked` is what is asked now.
 */
export function wholePromptOf(ask: PublicAsk, asked = promptOf(ask)): string {
  const { question, progress } = ask;
  if (progress.part?.partial === undefined) return asked;
  const field = currentField(progress.part.shape)?.text;
  // a field that needs a second reply, such as an option "other", asks for that alone
  const isNamed = field === undefined || `\n${asked}`.endsWith(`\n${field}`);
  return [question.text, ...filledLines(shownPartOf(ask)), ...(isNamed ? [] : [field]), asked].join('\n');
}

/** The fields of a form that are filled, on a line each: a line break in a value must not look like another line. None if they are sensitive. */
function filledLines({ shape, partial, sensitive }: ShownPart): readonly string[] {
  if (sensitive === true || shape.type !== 'fields') return [];
  const { values } = (partial ?? {}) as { readonly values?: Json }; // as a form stores it
  return valueLines(values, shape).map(oneLine);
}

/** A value as people read it: labels instead of ids, a form as one line for each field. */
export function readableValue(value: Json, shape: Shape): string {
  if (Array.isArray(value)) return value.map((each: Json) => readableValue(each, shape)).join(', ');
  if (value !== null && typeof value === 'object') {
    if (shape.type === 'fields') return valueLines(value, shape).join('\n');
    return readableValue((value as { other?: Json }).other ?? JSON.stringify(value), shape);
  }
  const text = typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value);
  return (shape.type === 'choices' ? shape.choices : []).find(({ id }: Choice) => id === text)?.label ?? text;
}

function valueLines(values: Json | undefined, { fields }: Extract<Shape, { type: 'fields' }>): readonly string[] {
  if (values === undefined || values === null || typeof values !== 'object') return [];
  return fields.flatMap(({ name, text, shape }) => {
    if (!Object.hasOwn(values, name)) return [];
    const given = (values as { readonly [name: string]: Json })[name] as Json; // its own, as was asked above
    return [`${/[?:]$/.test(text) ? text : `${text}:`} ${readableValue(given, withoutPrefix(shape, `${name}/`))}`];
  });
}

/** A form puts the name of the field before the ids of its options. */
export function withoutPrefix(shape: Shape, prefix: string): Shape {
  if (shape.type !== 'choices') return shape;
  return { ...shape, choices: shape.choices.map(({ id, label }) => ({ id: id.replace(prefix, ''), label })) };
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
