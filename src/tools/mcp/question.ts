/**
 * Converts the arguments of a model's call into a question, and a question into a form that an MCP client can show.
 * Asks nobody.
 */
import type { ElicitRequestFormParams, StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { approvalConfirm } from '../../answers/confirm.js';
import { typeOf } from '../../answers/question.js';
import type { Question, Shape } from '../../core/ask/answer-type.js';
import { AgentError } from '../../core/errors.js';
import { digest } from '../../core/ids.js';
import type { Json } from '../../core/json.js';
import { canonical } from '../../core/json.js';
import { inert, isBlank, oneLine } from '../../core/text.js';
import type { Wording } from '../../core/wording/wording.js';
import { visibleText } from '../approval/visible-text.js';
import { readRequest } from '../ask/request.js';
import { humanSchema } from '../ask/schema.js';
import { notAsked } from '../model-texts.js';

const mostOptions = 4;

/** Only describes the arguments: models send lists in many forms, and `askedBy` parses them and reports problems. */
export const askArguments: StandardSchemaWithJSON = {
  '~standard': {
    version: 1,
    vendor: 'askback',
    validate: (value) => ({ value }),
    jsonSchema: { input: askSchema, output: askSchema },
  },
};

function askSchema(): Record<string, unknown> {
  const schema = humanSchema(mostOptions) as { readonly properties: object };
  const description = 'True if the answer is a password, a key or the like. You are then not shown it.';
  return { ...schema, properties: { ...schema.properties, sensitive: { type: 'boolean', description } } };
}

export const approveArguments = z.strictObject({
  action: z
    .string({ error: 'must be a string' })
    .max(4_000, { error: 'must have at most 4000 characters' })
    .refine((words) => !isBlank(words), { error: 'must say something that a person can read' })
    .describe('What you are about to do, in one sentence.'),
  details: z
    .record(z.string().max(200), z.union([z.string().max(2_000), z.number(), z.boolean()]), {
      error: 'must be an object of strings',
    })
    .optional()
    .describe('What the person should know to decide, by name: { "order": "12345", "amount": "20 EUR" }.'),
});

/** One question, and the call it belongs to. */
export interface McpQuestion {
  readonly tool: 'ask_human' | 'approve_action';
  readonly question: Question<unknown>;
  readonly details: Readonly<Record<string, string>>;
  readonly sensitive: boolean;
  /** Digest of the exact question: an answer counts only for it. */
  readonly digest: string;
}

export function askedBy(input: unknown, wording: Wording): McpQuestion {
  const isRecord = typeof input === 'object' && input !== null && !Array.isArray(input);
  const { sensitive = false, ...rest } = (isRecord ? input : {}) as Record<string, unknown>;
  if (typeof sensitive !== 'boolean') throw unreadable('sensitive must be true or false.');
  const request = readRequest(isRecord ? rest : input, { mostChoices: mostOptions, other: undefined, wording });
  if ('problem' in request) throw unreadable(request.problem);
  const { question, details, payload } = request;
  return { tool: 'ask_human', question, details, sensitive, digest: digest(canonical([payload, sensitive])) };
}

/** The server makes the result of the call from it. */
const unreadable = (problem: string): AgentError => new AgentError('bad-option', notAsked(problem));

/** Every text is one line with all its characters visible: no line break can make one text look like several. */
export function approvalOf(
  { action, details: given = {} }: z.infer<typeof approveArguments>,
  wording: Wording,
): McpQuestion {
  const question = approvalConfirm(visibleText(action), wording);
  const shown = Object.entries(given).map(([name, value]) => [visibleText(name), visibleText(String(value))] as const);
  const details = Object.fromEntries(shown);
  return { tool: 'approve_action', question, details, sensitive: false, digest: digest(canonical([action, details])) };
}

const shapeOf = ({ question }: McpQuestion): Shape => typeOf(question).shape(question.data as never); // the data belongs to the type

/** True if several options may be picked, which not every client can show. */
export function needsLists(asked: McpQuestion): boolean {
  const shape = shapeOf(asked);
  const shapes = shape.type === 'fields' ? shape.fields.map((field) => field.shape) : [shape];
  return shapes.some((each) => each.type === 'choices' && each.many);
}

/** The message for the person: the question and its details, without control characters. */
export function messageOf({ question, details }: McpQuestion, problem?: string): string {
  const lines = Object.entries(details).map(([name, value]) => `${oneLine(name)}: ${oneLine(value)}`);
  return [...(problem === undefined ? [] : [inert(problem)]), inert(question.text), ...lines].join('\n');
}

type Form = ElicitRequestFormParams['requestedSchema'];

/** The form: a field for each question, or the one field `answer`. Options are shown by their labels. */
export function formOf(asked: McpQuestion, wording: Wording): Form {
  const shape = shapeOf(asked);
  if (shape.type !== 'fields')
    return { type: 'object', properties: { answer: fieldOf(wording.answer(), shape) }, required: ['answer'] };
  const properties = Object.fromEntries(shape.fields.map(({ name, text, shape: own }) => [name, fieldOf(text, own)]));
  return {
    type: 'object',
    properties,
    required: shape.fields.filter((each) => !each.optional).map(({ name }) => name),
  };
}

function fieldOf(text: string, shape: Shape): Form['properties'][string] {
  const title = oneLine(text);
  if (shape.type !== 'choices') return { type: 'string', title };
  const labels = shape.choices.map(({ label }) => inert(label));
  if (!shape.many) return { type: 'string', title, enum: labels };
  return { type: 'array', title, items: { type: 'string', enum: labels }, minItems: 1 };
}

/** The form's content as a value of the question's type. It is untrusted: the registry checks it. */
export function answerIn(content: Readonly<Record<string, unknown>> = {}, asked: McpQuestion): Json {
  const shape = shapeOf(asked);
  if (shape.type !== 'fields') return valueIn(content['answer'], shape);
  const values = shape.fields.flatMap(({ name, shape: own }) =>
    Object.hasOwn(content, name) ? [[name, valueIn(content[name], own, `${name}/`)] as const] : [],
  );
  return Object.fromEntries(values);
}

/** `before` is the prefix of a form's control ids, which is not part of the value. */
function valueIn(answer: unknown, shape: Shape, before = ''): Json {
  const value = (answer ?? '') as Json; // parsed from JSON
  if (shape.type !== 'choices') return value;
  const idOf = (label: Json): Json =>
    shape.choices.find((option) => inert(option.label) === label)?.id.slice(before.length) ?? label;
  return Array.isArray(value) ? value.map(idOf) : idOf(value);
}
