import { describe, expect, test } from 'vitest';
import { typeOf } from '../../../src/answers/question.js';
import type { IncomingMessage, Json, Question } from '../../../src/index.js';
import { agent, choice, confirm, text } from '../../../src/index.js';
import { rehearse } from '../../../src/testing/index.js';
import { bare, Probe, texts, thrownBy } from '../../support/agents.js';

const sizes = choice('Which size?', [
  { id: 's', label: 'Small' },
  { id: 'l', label: 'Large' },
]);

/** A question that was asked, in the declared way. */
async function asked<T>(question: Question<T>) {
  const answers: T[] = [];
  const shop = agent('shop');
  const declared = shop.question('q', question, { onAnswer: (answer) => void answers.push(answer) });
  shop.onMessage(({ message, ask }) => (message === 'go' ? ask(declared) : 'hi'));
  const { registry, says } = bare({ agents: [shop] });
  await says('c', 'go');
  const id = (await registry.listAsks()).asks[0]?.id ?? '';
  const by = { id: 'web:user' };
  return {
    id,
    answers,
    says: (words: string, more?: Partial<IncomingMessage>) => says('c', words, more),
    presses: (pressed: string | readonly string[]) => says('c', '', { askId: id, choice: pressed }),
    answer: (given: { text: string } | { value: Json }) => registry.answer(id, given, { by }),
    ask: () => registry.getAsk(id),
    stop: () => registry.stop(),
  };
}

describe('a choice accepts', () => {
  test.each([
    ['the number', '2'],
    ['the exact label', 'Large'],
    ['the label in any case', 'LARGE'],
    ['the label with blanks around it', '  large '],
    ['the label among polite words', 'Large, please!'],
    ['its place in words', 'the second one'],
  ])('%s, %j', async (_, reply) => {
    const { says, answers, ask, stop } = await asked(sizes);
    await says(reply);
    expect(answers).toEqual(['l']);
    expect(await ask()).toMatchObject({ status: 'answered', value: 'l' });
    await stop();
  });

  test('an id is for buttons and programs: a typed one names nothing', async () => {
    // b is the id of one option and the label of the other
    const { says, answers, ask, stop } = await asked(
      choice('Which?', [
        { id: 'a', label: 'B' },
        { id: 'b', label: 'A' },
        { id: 'ok', label: 'Neither of them' },
      ]),
    );
    await says('ok');
    expect(await ask()).toMatchObject({ status: 'pending', retries: 1 });
    await says('b');
    expect(answers).toEqual(['a']);
    await stop();
  });

  test('a pressed control', async () => {
    const { presses, answers, stop } = await asked(sizes);
    expect((await presses('l')).disposition).toMatchObject({ type: 'accepted' });
    expect(answers).toEqual(['l']);
    await stop();
  });

  test('an answer by API, as its value or as its text', async () => {
    for (const given of [{ value: 'l' }, { text: 'large' }]) {
      const { answer, answers, stop } = await asked(sizes);
      expect(await answer(given)).toMatchObject({ type: 'accepted' });
      expect(answers).toEqual(['l']);
      await stop();
    }
  });

  test('in the class way too, with the id as the answer', async () => {
    const got: string[] = [];
    const probe = new Probe((self, { message = '' }) => {
      if (self.pending() === null) return self.asks(choice('Which?', ['Small', 'Large']));
      return self.handles(message, (answer) => {
        got.push(answer);
        return answer;
      });
    });
    const { human, stop } = await rehearse({ agents: [probe] });
    const user = human('user');
    for (const reply of ['LARGE', '2']) {
      await user.says('go');
      await user.says(reply);
    }
    await user.says('go');
    await user.presses('Large');
    expect(got).toEqual(['Large', 'Large', 'Large']);
    await stop();
  });
});

test.each(['0', '3', '99', 'medium', 'l s', 'not large', 'large?', 'large or small', 'yes'])(
  '%j is not accepted: the ask stays pending and the human is told why and what is valid',
  async (reply) => {
    const { says, answers, ask, stop } = await asked(sizes);
    const [told] = texts(await says(reply));
    expect(told).toContain('Small');
    expect(told).toContain('Large');
    expect(told).toContain('Which size?');
    expect(answers).toEqual([]);
    expect(await ask()).toMatchObject({ status: 'pending', retries: 1 });
    await stop();
  },
);

test('a check refuses with its own reason, and the human reads it', async () => {
  const shop = agent('shop');
  const code = shop.question('code', text('Code?'), {
    check: async (answer) => answer.startsWith('A') || 'Codes begin with an A.',
    onAnswer: (answer) => `Got ${answer}`,
  });
  shop.onMessage(({ ask }) => ask(code));
  const { human, stop } = await rehearse({ agents: [shop] });
  const user = human('user');
  await user.says('go');
  expect(await user.says('B1')).toEqual(['Codes begin with an A.\nCode?']);
  expect(await user.says('A1')).toEqual(['Got A1']);
  await stop();
});

test('an example of what is valid is told with the refusal', async () => {
  const { says, stop } = await asked(text('Order?', { pattern: /^\d{5}$/, example: '12345' }));
  expect(texts(await says('abc'))[0]).toContain('12345');
  await stop();
});

test.each(['small, large', 'Small Large', '1,2', '1 2', 's l'])(
  'several options typed to a single choice are refused: %j',
  async (reply) => {
    const { says, answers, ask, stop } = await asked(sizes);
    await says(reply);
    expect(answers).toEqual([]);
    expect(await ask()).toMatchObject({ status: 'pending' });
    await stop();
  },
);

test('several options pressed on a single choice are refused, and count no attempt', async () => {
  const { presses, answers, ask, stop } = await asked(sizes);
  expect((await presses(['s', 'l'])).disposition).toMatchObject({ type: 'invalid' });
  expect(answers).toEqual([]);
  expect(await ask()).toMatchObject({ status: 'pending', retries: 0 });
  await stop();
});

// "Single-select with several options is refused."
test('two options pressed are never read as a third whose name is both', async () => {
  const { presses, answers, ask, stop } = await asked(choice('Colour?', ['red', 'blue', 'red,blue']));
  expect((await presses(['red', 'blue'])).disposition).toMatchObject({ type: 'invalid' });
  expect(answers).toEqual([]);
  expect(await ask()).toMatchObject({ status: 'pending' });
  await stop();
});

describe('the answer must fit the question as it is stored', () => {
  test('a pressed option that was never offered is refused, told, and counts no attempt', async () => {
    const { presses, answers, ask, stop } = await asked(sizes);
    const handled = await presses('xl');
    expect(handled.disposition).toMatchObject({ type: 'invalid' });
    expect(texts(handled)).toEqual(['Please pick one of: Small, Large.']);
    expect(answers).toEqual([]);
    expect(await ask()).toMatchObject({ status: 'pending', retries: 0 });
    await stop();
  });

  test('a pressed number is an id that was never offered, not a position', async () => {
    const { presses, answers, stop } = await asked(sizes);
    expect((await presses('2')).disposition).toMatchObject({ type: 'invalid' });
    expect(answers).toEqual([]);
    await stop();
  });

  test('a control pressed on a question that has none is refused', async () => {
    const { presses, answers, ask, stop } = await asked(text('Order?'));
    expect((await presses('refund everything')).disposition).toMatchObject({ type: 'invalid' });
    expect(answers).toEqual([]);
    expect(await ask()).toMatchObject({ status: 'pending', retries: 0 });
    await stop();
  });

  const misfits: readonly (readonly [string, Question<unknown>, Json])[] = [
    ['an option never offered for a choice', sizes as Question<unknown>, 'xl'],
    ['a position for a choice', sizes as Question<unknown>, 2],
    ['a list for a choice', sizes as Question<unknown>, ['s', 'l']],
    ['a text for a confirm', confirm('Sure?') as Question<unknown>, 'maybe'],
    ['a number for a confirm', confirm('Sure?') as Question<unknown>, 1],
    ['null for a confirm', confirm('Sure?') as Question<unknown>, null],
    ['a boolean for a text', text('Order?') as Question<unknown>, true],
    ['an object for a text', text('Order?') as Question<unknown>, { id: 5 }],
    ['null for a text', text('Order?') as Question<unknown>, null],
  ];
  test.each(misfits)('by API, %s is an error and the ask stays as it was', async (_, question, value) => {
    const { answer, answers, ask, stop } = await asked(question);
    expect(await answer({ value })).toMatchObject({ type: 'invalid' });
    expect(answers).toEqual([]);
    expect(await ask()).toMatchObject({ status: 'pending', retries: 0 });
    await stop();
  });

  test('`false` by API is the answer false to a confirm', async () => {
    const { answer, answers, stop } = await asked(confirm('Sure?'));
    expect(await answer({ value: false })).toMatchObject({ type: 'accepted', ask: { value: false } });
    expect(answers).toEqual([false]);
    await stop();
  });
});

test.each([
  ['no options', () => choice('Which?', []), 'at least one'],
  ['a blank label', () => choice('Which?', ['a', ' ']), 'option 2'],
  ['two options alike', () => choice('Which?', ['Yes', 'yes.']), 'option 2'],
  [
    'two ids alike',
    () =>
      choice('Which?', [
        { id: 'x', label: 'a' },
        { id: 'x', label: 'b' },
      ]),
    'option 2',
  ],
  ['labels of a confirm alike', () => confirm('Sure?', { yes: 'Go', no: 'go' }), 'Go'],
  ['a blank label of a confirm', () => confirm('Sure?', { yes: ' ' }), 'yes'],
  ['labels of a confirm that say the opposite', () => confirm('Keep it?', { yes: 'No', no: 'Yes' }), 'No'],
  ['minLength above maxLength', () => text('Why?', { minLength: 5, maxLength: 2 }), 'minLength'],
  ['a minLength of 1.5', () => text('Why?', { minLength: 1.5 }), '1.5'],
] as const)('%s: refused where the question is written', async (_, make, named) => {
  const error = await thrownBy(make);
  expect(error.code).toBe('bad-option');
  expect(error.message).toContain(named);
});

test.each([
  [/\d{5}/, '12345', "don't refund 12345!"],
  [/\d{5}|A\d+/, 'A7', 'A7 or 12345'],
  [/[a-z]+/i, 'Yes', 'yes 1'],
  [/a$/m, 'a', 'b\na'],
  [/^a.*$/s, 'a\nb', 'b\na'],
])('the pattern %s must match the whole reply, unless its author says `part`', async (pattern, whole, part) => {
  const [strict, lenient] = [text('?', { pattern }), text('?', { pattern, match: 'part' })];
  const read = async (question: Question, reply: string) => (await typeOf(question).parse(reply, question.data)).ok;
  expect(await read(strict, whole)).toBe(true);
  expect(await read(strict, part)).toBe(false);
  expect(await read(lenient, part)).toBe(!/^\/\^/.test(String(pattern)));
});

test.each([
  '12345',
  '12345.',
  '12345!',
  '12345, thanks!',
  "it's 12345",
  'it is 12345.',
  "It's 12345, thanks!",
  '#12345',
])('courtesy and the end of a sentence are left out around a pattern: %j', async (reply) => {
  const question = text('Order?', { pattern: /^\d{5}$/ });
  expect(await typeOf(question).parse(reply, question.data)).toMatchObject({ ok: true, value: '12345' });
});
