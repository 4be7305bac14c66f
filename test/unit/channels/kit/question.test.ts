/** What every platform with buttons makes of a question: its page, its end, and what is typed into its modal. */
import { expect, test } from 'vitest';
import {
  buttonStyle,
  endOf,
  fieldsAtOnce,
  pageOf,
  type QuestionMessage,
  typedValue,
} from '../../../../src/channels/kit/question.js';
import { oneLine } from '../../../../src/core/text.js';
import { english } from '../../../../src/core/wording/english.js';

const ended = (ask: object) =>
  endOf({ ask, shape: { type: 'text' } } as unknown as QuestionMessage, english.wording, oneLine);

test('a question that is over says how, by whom, and its answer unless that is secret', () => {
  const by = { id: 'u1', name: 'Ann\nB' };
  expect(ended({ status: 'answered', answer: 'ok', decidedBy: by })).toEqual({
    over: 'Answered by Ann B',
    withAnswer: 'Answered by Ann B: ok',
  });
  expect(ended({ status: 'answered', answer: 'ok', sensitive: true }).withAnswer).toBe('Answered');
  expect(ended({ status: 'declined', decidedBy: { id: 'u1', name: ' ' } }).withAnswer).toBe('Declined');
  expect(ended({ status: 'pending' })).toEqual({ over: '', withAnswer: '' });
});

test('only a page that a browser opens safely is linked', () => {
  expect(pageOf('a1', (id) => `https://shop.example/${id}`)).toBe('https://shop.example/a1');
  expect(pageOf('a1', () => 'javascript:alert(1)')).toBeUndefined();
  expect(pageOf('a1', undefined)).toBeUndefined();
});

test('an input gives what was typed: a number where it is exact, nothing for blanks', () => {
  expect(['48.5', ' -7 ', '1e3', '12345678901234567', 'x', '', ' '].map((text) => typedValue(text, true))).toEqual([
    48.5,
    -7,
    '1e3',
    '12345678901234567',
    'x',
    undefined,
    undefined,
  ]);
  expect(typedValue('7', false)).toBe('7');
});

test('options of a form that is filled in at once are named without their field', () => {
  const shape = { type: 'choices', choices: [{ id: 'size/s', label: 'S' }], many: false } as const;
  expect(fieldsAtOnce([{ name: 'size', text: 'Size?', shape, optional: false }])).toMatchObject([
    { shape: { choices: [{ id: 's', label: 'S' }] } },
  ]);
});

test('yes and deny have colours, other options have none', () => {
  expect(['yes', 'once', 'deny', 'no'].map((id) => buttonStyle(id).style)).toEqual([
    'primary',
    'primary',
    'danger',
    undefined,
  ]);
});
