import { test } from 'vitest';
import { choiceType } from '../../../src/answers/choice.js';
import { confirmType } from '../../../src/answers/confirm.js';
import { textType } from '../../../src/answers/text.js';
import type { AnswerType, Json } from '../../../src/index.js';
import { choice, confirm, text } from '../../../src/index.js';
import { answerTypeContract } from '../../../src/testing/index.js';

/** A built-in type with its data as plain JSON, which is what is stored. */
const stored = <T>(type: unknown): AnswerType<T> => type as AnswerType<T>;

answerTypeContract<string, Json>({
  test,
  type: stored(textType),
  data: text('Order?', { pattern: /^\d{5,10}$/, example: '12345' }).data,
  accepts: [
    { reply: '12345', value: '12345' },
    { reply: '  1234567890\n', value: '1234567890' },
  ],
  refuses: ['', ' ', '?', '1234', '12345678901', 'order 12345', '12345\n67890', '１２３４５'],
});

answerTypeContract<string, Json>({
  test: (name, run) => test(`${name} (open)`, run),
  type: stored(textType),
  data: text('Why?', { minLength: 2, maxLength: 5 }).data,
  accepts: [
    { reply: 'no', value: 'no' },
    { reply: ' maybe ', value: 'maybe' },
  ],
  refuses: ['', '\u200b', 'x', 'it is long'],
});

answerTypeContract<string, Json>({
  test,
  type: stored(choiceType),
  data: choice('Where?', [
    { id: 'eu', label: 'Europe' },
    { id: 'us', label: 'United States' },
    { id: '1', label: 'One' },
  ]).data,
  accepts: [
    { reply: 'EUROPE', value: 'eu' },
    { reply: ' united  states. ', value: 'us' },
    { reply: '2', value: 'us' },
    { reply: 'one', value: '1' },
  ],
  refuses: [
    '',
    'eu', // an id
    '1', // Europe, or the option One
    '0',
    '4',
    '-1',
    '1.0',
    '1e0',
    '+1',
    'e',
    'Europe, United States',
    '1,2',
    '1 2',
    'Europe or Asia',
    '__proto__',
    'toString',
  ],
});

answerTypeContract<boolean, Json>({
  test,
  type: stored(confirmType),
  data: confirm('Delete it?').data,
  accepts: [
    { reply: 'yes', value: true },
    { reply: 'Y', value: true },
    { reply: 'ok', value: true },
    { reply: 'no', value: false },
    { reply: 'No!', value: false },
  ],
  refuses: [
    '',
    '?',
    'maybe',
    'not yes',
    'yes or no',
    'yes, no',
    'no yes',
    '1',
    '2',
    'true dat',
    'y n',
    'do not delete',
  ],
});
