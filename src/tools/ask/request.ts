/**
 * Parses the arguments of a model's call into a question. Nothing is guessed and nothing is dropped silently:
 * unreadable arguments are a problem whose text tells the model what to send. Asks nobody.
 */
import { choice } from '../../answers/choice.js';
import { choices } from '../../answers/choices.js';
import { form } from '../../answers/form.js';
import { text } from '../../answers/text.js';
import type { Question } from '../../core/ask/answer-type.js';
import { definedFields } from '../../core/defined-fields.js';
import { AgentError, badOption } from '../../core/errors.js';
import { describe } from '../../core/ids.js';
import type { Json } from '../../core/json.js';
import { isBlank } from '../../core/text.js';
import type { Wording } from '../../core/wording/wording.js';
import { coerceChoices, labelOf } from './coerce-choices.js';

export interface RequestLimits {
  readonly mostChoices: number;
  readonly other?: true | string | undefined;
}

/** How a request is read: its limits, and the words for what the model left out. */
export interface RequestReading extends RequestLimits {
  readonly wording: Wording;
}

/** A parsed request. `payload` is the question as plain data. */
export interface HumanRequest {
  readonly question: Question<unknown>;
  readonly details: Readonly<Record<string, string>>;
  readonly payload: Json;
}

const longestPrompt = 4_000;
const longestOption = 200;
const longestDetail = 2_000;
const mostDetails = 20;
const mostQuestions = 10;
const mostBytes = 32_000; // what an ask and its conversation can hold, with room for the author's own data

type RequestFields = Readonly<Record<string, unknown>>;

/** Parses the arguments of a call: an object, or an object as JSON. */
export function readRequest(input: unknown, reading: RequestReading): HumanRequest | { readonly problem: string } {
  try {
    return request(parsed(input), reading);
  } catch (error) {
    if (error instanceof AgentError && error.code === 'bad-option') return { problem: error.message };
    throw error;
  }
}

function request(input: unknown, reading: RequestReading): HumanRequest {
  const fields = fieldsOf(input, 'The arguments', [
    ...['prompt', 'question', 'options', 'many', 'details', 'context', 'questions'],
  ]);
  const details = {
    ...contextOf(fields['context'], reading.wording),
    ...detailsOf(fields['details'], reading.wording),
  };
  const several = parsed(fields['questions'] ?? undefined);
  if (several === undefined) {
    const { question, payload } = one(fields, '', reading);
    return { question, details, payload: withDetails(payload, details) };
  }
  if (isGiven(fields['options']) || isGiven(fields['many']))
    throw badOption('options and many belong to one question: put them into the entries of questions.');
  if (!Array.isArray(several) || several.length === 0 || several.length > mostQuestions)
    throw badOption(
      `questions must be a list of 1 to ${mostQuestions} such as [{ "name": "size", "prompt": "Which size?" }], got ${describe(several)}.`,
    );
  const titled = isGiven(fields['prompt']) || isGiven(fields['question']);
  const title = titled ? promptOf(fields, '') : reading.wording.severalQuestions();
  const parts = several.map((each: unknown, i) => part(each, i, reading));
  const questions: Record<string, Question<unknown>> = {};
  for (const { name, question } of parts) {
    if (Object.hasOwn(questions, name)) throw badOption(`Two of the questions are named ${JSON.stringify(name)}.`);
    questions[name] = question;
  }
  const payload = { prompt: title, questions: parts.map(({ name, payload: own }) => ({ name, ...own })) };
  return { question: form(title, questions), details, payload: withDetails(payload, details) };
}

function part(input: unknown, i: number, limits: RequestLimits) {
  const where = `questions[${i}]`;
  const fields = fieldsOf(input, where, ['name', 'prompt', 'question', 'options', 'many']);
  const name = fields['name'] ?? `q${i + 1}`;
  if (typeof name !== 'string' || !/^[\p{L}_][\p{L}\p{N}_-]{0,63}$/u.test(name) || name === '__proto__')
    throw badOption(`${where}.name must be one word of letters, digits, _ and -, got ${describe(name)}.`);
  return { name, ...one(fields, `${where}.`, limits) };
}

interface QuestionRequest {
  readonly question: Question<unknown>;
  readonly payload: { readonly [key: string]: Json };
}

function one(fields: RequestFields, where: string, { mostChoices, other }: RequestLimits): QuestionRequest {
  const prompt = promptOf(fields, where);
  const many = fields['many'] ?? false;
  if (typeof many !== 'boolean') throw badOption(`${where}many must be true or false, got ${describe(many)}.`);
  if (!isGiven(fields['options'])) {
    if (many) throw badOption(`${where}many needs options to pick from. Send options, or leave many out.`);
    return { question: text(prompt), payload: { prompt } };
  }
  const options = optionsOf(fields['options'], where, mostChoices);
  if (many) return { question: choices(prompt, options), payload: { prompt, options, many } };
  const question = other === undefined ? choice(prompt, options) : choice(prompt, options, { other });
  return { question, payload: { prompt, options } };
}

function promptOf(fields: RequestFields, where: string): string {
  if (isGiven(fields['prompt']) && isGiven(fields['question']))
    throw badOption(`${where}prompt and ${where}question are the same: send prompt only.`);
  const prompt = fields['prompt'] ?? fields['question'];
  if (typeof prompt !== 'string' || isBlank(prompt))
    throw badOption(`${where}prompt must be the question as a string that a person can read, got ${describe(prompt)}.`);
  return short(prompt.trim(), longestPrompt, `${where}prompt`);
}

function optionsOf(input: unknown, where: string, most: number): string[] {
  const items = parsed(input);
  if (Array.isArray(items) && items.length === 0)
    throw badOption(`${where}options is empty. Send at least one option, or leave options out for an open question.`);
  // coerceChoices() drops what it cannot read, and a person would choose from less than the model meant
  const wrong = Array.isArray(items)
    ? items.findIndex((item) => !isBlankText(item) && labelOf(item) === undefined)
    : -1;
  if (wrong >= 0) {
    const got = describe((items as readonly unknown[])[wrong]);
    throw badOption(`${where}options[${wrong}] must be a string, or an object with a label, got ${got}.`);
  }
  const labels = coerceChoices(items, { most });
  for (const label of labels) short(label, longestOption, `${where}options: ${JSON.stringify(label.slice(0, 20))}…`);
  return labels;
}

function detailsOf(input: unknown, wording: Wording, what = 'details'): Readonly<Record<string, string>> {
  const given = typeof input === 'string' && /^\s*\{/.test(input) ? parsed(input) : input;
  if (!isGiven(given)) return {};
  if (typeof given === 'string')
    return isBlank(given) ? {} : { [wording.details()]: short(given, longestDetail, what) };
  if (typeof given !== 'object' || Array.isArray(given))
    throw badOption(`${what} must be a string, or an object of strings, got ${describe(given)}.`);
  const entries = Object.entries(given as RequestFields).filter(([, value]) => isGiven(value));
  if (entries.length > mostDetails) throw badOption(`${what} has ${entries.length} entries, at most ${mostDetails}.`);
  const details = entries.map(([name, value]) => {
    const isText = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
    if (!isText || isBlank(name) || name === '__proto__')
      throw badOption(`${what}: ${JSON.stringify(name.slice(0, 60))} must be a string, got ${describe(value)}.`);
    return [short(name, longestOption, 'The name of a detail'), short(String(value), longestDetail, `${what}.${name}`)];
  });
  return Object.fromEntries(details) as Record<string, string>;
}

/** Why a model asks, as some tools have it beside `details`: a text, or an object whose values need be no strings. */
function contextOf(input: unknown, wording: Wording): Readonly<Record<string, string>> {
  const given = typeof input === 'string' && /^\s*\{/.test(input) ? parsed(input) : input;
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return detailsOf(given, wording, 'context');
  const shown = Object.entries(given).map(([name, value]) => {
    const isNested = typeof value === 'object' && value !== null;
    return [name, isNested ? JSON.stringify(value) : value] as const;
  });
  return detailsOf(Object.fromEntries(shown), wording, 'context');
}

function withDetails(asked: QuestionRequest['payload'], details: Readonly<Record<string, string>>): Json {
  const payload = Object.keys(details).length === 0 ? asked : { ...asked, details };
  const bytes = Buffer.byteLength(JSON.stringify(payload));
  if (bytes <= mostBytes) return payload;
  throw badOption(`All of it together has ${bytes} bytes, at most ${mostBytes} can be asked. Shorten it.`);
}

function fieldsOf(input: unknown, what: string, known: readonly string[]): RequestFields {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw badOption(`${what} must be an object such as { "prompt": "Which size?" }, got ${describe(input)}.`);
  const unknown = Object.keys(input).filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw badOption(
      `${what} must not have ${unknown.slice(0, 5).join(', ').slice(0, 200)}. Known are ${known.join(', ')}.`,
    );
  return definedFields(input) as RequestFields;
}

function short(words: string, longest: number, what: string): string {
  if (words.length <= longest) return words;
  throw badOption(`${what} has ${words.length} characters, at most ${longest} are shown to a person. Shorten it.`);
}

/** Some providers pass arguments as a JSON string. */
function parsed(input: unknown): unknown {
  if (typeof input !== 'string') return input;
  try {
    return JSON.parse(input);
  } catch {
    return input; // the caller says what was expected
  }
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;
const isBlankText = (item: unknown): boolean => typeof item === 'string' && isBlank(item);
