/**
 * The description of the tool that asks a person, and its arguments as JSON Schema. The schema only describes;
 * request.ts checks the arguments.
 */
import type { Json } from '../../core/json.js';

export const humanDescription =
  'Ask a person a question and get the answer as text. Use it when you need a decision or a fact that only a person has. ' +
  'Give options where the answer is one of a few, leave them out for an open question. ' +
  'If there is no answer the result says so: never take that as an answer or a consent.';

const question = (most: number) => ({
  prompt: { type: 'string', description: 'The question, as the person reads it.' },
  options: {
    type: 'array',
    items: { type: 'string' },
    minItems: 1,
    maxItems: most,
    description: 'The answers to choose from. Leave out for an open question.',
  },
  many: { type: 'boolean', description: 'True if several options may be picked.' },
});

export function humanSchema(most: number): Json {
  return {
    type: 'object',
    properties: {
      ...question(most),
      details: {
        type: 'object',
        additionalProperties: { type: 'string' },
        description: 'Facts the person should see beside the question, by name.',
      },
      questions: {
        type: 'array',
        minItems: 1,
        description: 'Several questions at once instead of options; prompt is then their heading.',
        items: {
          type: 'object',
          properties: { name: { type: 'string', description: 'One word for the answer.' }, ...question(most) },
          required: ['name', 'prompt'],
          additionalProperties: false,
        },
      },
    },
    required: ['prompt'],
    additionalProperties: false,
  };
}
