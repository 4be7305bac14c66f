/** Choice, choices and confirm: how they are declared, what machines may give them, and what people are told. */
import { describe, expect, expectTypeOf, test } from 'vitest';
import { choices } from '../../../../src/answers/choices.js';
import { typeOf } from '../../../../src/answers/question.js';
import { german } from '../../../../src/core/wording/german.js';
import type { Json, Question } from '../../../../src/index.js';
import { choice, confirm } from '../../../../src/index.js';
import { thrownBy } from '../../../support/agents.js';

const colour = choice('Which colour?', ['Red', { id: 'b', label: 'Blue' }], { other: true });
const extras = choices('Which extras?', ['cheese', 'olives', 'basil'], { min: 1, max: 2 });

async function typedTo<T>(question: Question<T>, reply: string, partial?: Json) {
  return typeOf(question).parse(reply, question.data, undefined, partial === undefined ? {} : { partial });
}

async function givenTo<T>(question: Question<T>, value: Json) {
  return typeOf(question).accept?.(value, question.data);
}

describe('an answer of one’s own', () => {
  test('the control for it is drawn last', () => {
    const drawn = [
      { id: 'Red', label: 'Red' },
      { id: 'b', label: 'Blue' },
      { id: 'other', label: 'Other' },
    ];
    expect(typeOf(colour).shape(colour.data)).toEqual({ type: 'choices', choices: drawn, many: false });
  });

  test.each(['other', 'Other', 'OTHER please', '3', 'the third one', 'other:'])(
    '%j asks for the words, drawn as a text',
    async (reply) => {
      const parsed = await typedTo(colour, reply);
      expect(parsed).toMatchObject({ ok: false, why: 'more', partial: { other: true }, shape: { type: 'text' } });
      expect(!parsed.ok && parsed.say?.(german.wording)).toBe(german.wording.typeOther());
    },
  );

  test.each([
    ['green', { other: 'green' }],
    ['  dark green, not red  ', { other: 'dark green, not red' }],
    ['2', { other: '2' }],
    ['no', { other: 'no' }],
    ['Red', 'Red'],
    ['blue', 'b'],
  ])('then %j is %j: only an exact option is still that option', async (reply, value) => {
    expect(await typedTo(colour, reply, { other: true })).toEqual({ ok: true, value });
  });

  test.each(['', ' ', '\u200b'])('then a blank %j is asked for again', async (reply) => {
    expect(await typedTo(colour, reply, { other: true })).toMatchObject({ ok: false, why: 'not-understood' });
  });

  test('without `other` in the question what was heard before changes nothing', async () => {
    expect(await typedTo(choice('Which?', ['Red']), 'green', { other: true })).toMatchObject({ ok: false });
  });

  test('its type has the other answer only where it is allowed', () => {
    expectTypeOf(colour).toEqualTypeOf<Question<'Red' | 'b' | { readonly other: string }>>();
    expectTypeOf(choice('Which?', ['Red', 'Blue'])).toEqualTypeOf<Question<'Red' | 'Blue'>>();
    expectTypeOf(extras).toEqualTypeOf<Question<('cheese' | 'olives' | 'basil')[]>>();
  });
});

describe('machines are not forgiven what people are', () => {
  test.each<[Question<unknown>, Json, Json]>([
    [colour as Question<unknown>, 'b', 'b'],
    [colour as Question<unknown>, { other: 'green' }, { other: 'green' }],
    [extras as Question<unknown>, ['basil', 'cheese'], ['basil', 'cheese']],
    [extras as Question<unknown>, ['basil', 'basil'], ['basil']],
    [choices('Which?', ['a'], { min: 0 }) as Question<unknown>, [], []],
    [confirm('Sure?') as Question<unknown>, true, true],
    [confirm('Sure?') as Question<unknown>, false, false],
    [confirm('Sure?') as Question<unknown>, 'no', false],
  ])('%o accepts %j', async (question, value, expected) => {
    expect(await givenTo(question, value)).toEqual({ ok: true, value: expected });
  });

  const misfits: readonly [Question<unknown>, readonly Json[]][] = [
    [colour as Question<unknown>, ['Blue', 'red', ' b', '2', 1, null, true, ['b'], { other: '' }, { other: ' ' }]],
    [colour as Question<unknown>, [{ other: 5 }, { other: 'x', more: 1 }, { id: 'b' }, {}, { __proto__: null }]],
    [choice('Which?', ['Red']) as Question<unknown>, ['other', { other: 'green' }]],
    [
      extras as Question<unknown>,
      [[], ['cheese', 'olives', 'basil'], ['Cheese'], [1], ['cheese', 'x'], 'cheese', null],
    ],
    [extras as Question<unknown>, [['cheese', ['olives']], { 0: 'cheese' }, '1,2', [null]]],
    [confirm('Sure?') as Question<unknown>, ['Yes', 'y', 'ok', 1, 0, null, [], {}, 'true', ' yes']],
  ];
  test.each(misfits)('%o refuses %j', async (question, values) => {
    for (const value of values) {
      expect(await givenTo(question, value), JSON.stringify(value)).toMatchObject({ ok: false, why: 'not-valid' });
    }
  });

  test('the control for another answer asks for the words', async () => {
    expect(await givenTo(colour, 'other')).toMatchObject({ ok: false, why: 'more' });
  });
});

describe('people are told why, and what is valid', () => {
  const size = choice('Which size?', ['Small', 'Large', 'Largest']);
  test.each<[Question<unknown>, string, string, string]>([
    [size as Question<unknown>, 'huge', 'not-understood', 'Please pick one of: Small, Large, Largest.'],
    [size as Question<unknown>, '7', 'not-valid', 'Please pick one of: Small, Large, Largest.'],
    [size as Question<unknown>, 'lar', 'not-understood', 'Please pick one of: Small, Large, Largest.'],
    [size as Question<unknown>, '2. Small', 'not-understood', 'Please pick one of: Small, Large, Largest.'],
    [size as Question<unknown>, 'large?', 'not-understood', 'That looks like a question, but I need an answer first.'],
    [size as Question<unknown>, 'not large', 'not-understood', "Please say what you want, not what you don't want."],
    [size as Question<unknown>, 'small or large', 'not-valid', 'Please pick only one.'],
    [size as Question<unknown>, '1 2', 'not-valid', 'Please pick only one.'],
    [extras as Question<unknown>, 'cheese, ham', 'not-understood', 'Please pick 1 to 2 of: cheese, olives, basil.'],
    [extras as Question<unknown>, '1 2 3', 'not-valid', 'Please pick 1 to 2 of: cheese, olives, basil.'],
    [extras as Question<unknown>, '1, 9', 'not-valid', 'Please pick 1 to 2 of: cheese, olives, basil.'],
    [extras as Question<unknown>, 'olives?', 'not-understood', 'That looks like a question'],
    [confirm('Sure?') as Question<unknown>, 'maybe', 'not-understood', 'Please answer yes or no.'],
    [confirm('Sure?') as Question<unknown>, 'sure?', 'not-understood', 'That looks like a question'],
  ])('%o to %j: %s, %s', async (question, reply, why, told) => {
    const parsed = await typedTo(question, reply);
    expect(parsed).toMatchObject({ ok: false, why });
    expect(!parsed.ok && parsed.why !== 'more' && parsed.problem).toContain(told);
  });

  test('in their own language', async () => {
    const parsed = await typedTo(extras, 'ham');
    expect(!parsed.ok && parsed.say?.(german.wording)).toBe(
      'Bitte wählen Sie 1 bis 2 dieser Antworten: cheese, olives, basil.',
    );
  });
});

const hundred = Array.from({ length: 100 }, (_, i) => `option-${i}`);
const untyped = (value: unknown) => value as never;

test('a hundred options are allowed, and a label that is a number', () => {
  expect(choice('Which?', hundred).text).toBe('Which?');
  expect(choices('Which?', ['10', '20']).text).toBe('Which?');
});

test.each<[string, () => unknown, string]>([
  ['more than a hundred options', () => choice('Which?', [...hundred, 'x']), 'at most 100'],
  ['no list of options', () => choice('Which?', untyped('a,b')), '"a,b"'],
  ['an option that is a number', () => choice('Which?', untyped(['a', 5])), 'option 2'],
  ['an option that is null', () => choice('Which?', untyped([null])), 'option 1'],
  ['a blank id', () => choice('Which?', [{ id: ' ', label: 'a' }]), 'id'],
  ['an id with blanks around it', () => choice('Which?', [{ id: 'a ', label: 'a' }]), 'blanks'],
  ['a label of marks only', () => choice('Which?', ['a', '!!!']), 'option 2'],
  ['a label nobody sees', () => choices('Which?', ['\u200b\u202e']), 'option 1'],
  [
    'ids alike but for their case',
    () =>
      choices(
        'Which?',
        untyped([
          { id: 'x', label: 'a' },
          { id: 'X', label: 'b' },
        ]),
      ),
    'option 2',
  ],
  ['labels alike but for their marks', () => choice('Which?', ['a', { id: 'b', label: 'A.' }]), 'option 2'],
  ['an option named as the other answer', () => choice('Which?', ['a', 'Other'], { other: true }), 'other'],
  [
    'an option with the id of the other answer',
    () => choice('Which?', [{ id: 'other', label: 'a' }], { other: 'Else' }),
    'Else',
  ],
  ['a label for another answer that is an option', () => choice('Which?', ['a'], { other: 'A' }), '"A"'],
  ['a blank label for another answer', () => choice('Which?', ['a'], { other: ' ' }), 'other'],
  [
    'a label for another answer that is no text',
    () => choice('Which?', ['a'], { other: untyped(5) }),
    'other must be a string that people can read and type, got 5',
  ],
  ['min above max', () => choices('Which?', ['a', 'b', 'c'], { min: 3, max: 2 }), 'min 3 is more than max 2'],
  ['min below 0', () => choices('Which?', ['a'], { min: -1 }), 'min'],
  ['min that is not whole', () => choices('Which?', ['a', 'b'], { min: 1.5 }), '1.5'],
  ['max of 0', () => choices('Which?', ['a'], { min: 0, max: 0 }), 'max'],
  ['max above the number of options', () => choices('Which?', ['a', 'b'], { max: 3 }), 'from 1 to 2'],
  ['min above the number of options', () => choices('Which?', ['a', 'b'], { min: 3 }), 'from 0 to 2'],
  ['a max that is a text', () => choices('Which?', ['a', 'b'], { max: untyped('2') }), '"2"'],
  ['a blank question', () => choices(' ', ['a']), 'string'],
  ['labels of a confirm that are marks only', () => confirm('Sure?', { yes: '!' }), 'yes'],
])('%s: refused where the question is written', async (_, make, named) => {
  const error = await thrownBy(make);
  expect(error.code).toBe('bad-option');
  expect(error.message).toContain(named);
});

test('a label with a character that draws nothing is read as it was written: what is visible of it names no other option', async () => {
  const pay = choice('Pay?', [
    { id: 'all', label: 'Pay\u3164 1000' },
    { id: 'part', label: 'Pay 100' },
  ]);
  expect(await typedTo(pay, 'Pay\u3164 1000')).toMatchObject({ ok: true, value: 'all' });
  expect(await typedTo(pay, '1')).toMatchObject({ ok: true, value: 'all' });
  expect(await typedTo(pay, 'Pay 100')).toMatchObject({ ok: true, value: 'part' });
  for (const reply of ['Pay 1000', 'Pay', 'Pay\\u{3164} 1000']) {
    const parsed = await typedTo(pay, reply);
    expect(parsed.ok && parsed.value !== 'all').toBe(false);
  }
});
