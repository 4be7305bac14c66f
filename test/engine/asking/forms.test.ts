import { expect, test } from 'vitest';
import { z } from 'zod';
import { agent, choice, choices, confirm, form, number, optional, text } from '../../../src/index.js';
import { rehearse } from '../../../src/testing/index.js';

const refundForm = () =>
  form('Your refund', {
    order: text('Which order?', { pattern: /^\d{5}$/, example: '12345' }),
    reason: optional(choice('Why?', ['broken', 'late'], { other: true })),
    sure: confirm('Refund it?'),
  });

async function refunding(more: object = {}) {
  const paid: unknown[] = [];
  const closed: string[] = [];
  const support = agent('support');
  const refund = support.question('refund', refundForm(), {
    ...more,
    onAnswer: (answer, { effectKey }) => {
      paid.push(answer, effectKey);
      return answer.sure ? `Refunded ${answer.order}.` : 'Kept.';
    },
    onClosed: (pending, why) => {
      closed.push(`${why} ${JSON.stringify(pending.partial)}`);
    },
  });
  support.onMessage(({ message, ask }) => (message === 'refund' ? ask(refund) : `You said ${message}.`));
  const play = await rehearse({ agents: [support] });
  const anna = play.human('anna');
  return { ...play, anna, paid, closed, pending: async () => (await play.asks())[0] };
}

test('a form is asked field by field, and the handler gets one object', async () => {
  const { anna, paid, asks } = await refunding();
  expect(await anna.says('refund')).toEqual(['Your refund\nWhich order?']);
  const [{ id } = { id: '' }] = await asks();
  expect(await anna.says('12345')).toEqual([
    'Why?\n1. broken\n2. late\n3. Other\nReply with a number or a label. Reply "skip" to leave it out.',
  ]);
  expect(await anna.says('the second one please')).toEqual(['Refund it?\n- Yes\n- No\nReply with one of these.']);
  expect(await anna.says('yes')).toEqual(['Refunded 12345.']);
  expect(paid).toEqual([{ order: '12345', reason: 'late', sure: true }, id]);
});

test('a field may be skipped only where it is optional, and is then not in the answer', async () => {
  const { anna, paid } = await refunding();
  await anna.says('refund');
  expect((await anna.says('skip'))[0]).toContain("This one can't be skipped.");
  await anna.says('12345');
  await anna.says('skip');
  await anna.says('no');
  expect(paid[0]).toEqual({ order: '12345', sure: false });
});

test('attempts are counted for each field; a good field gives the next one all of its own', async () => {
  const { anna, closed, pending } = await refunding({ maxRetries: 1 });
  await anna.says('refund');
  expect(await anna.says('abc')).toEqual([
    "That doesn't look right. It should look like 12345.\nYour refund\nWhich order?",
  ]);
  expect(await pending()).toMatchObject({ retries: 1 });
  await anna.says('12345');
  expect(await pending()).toMatchObject({ retries: 0, partial: { values: { order: '12345' } } });
  await anna.says('skip');
  expect((await anna.says('perhaps'))[0]).toContain('Please answer yes or no.');
  await anna.says('perhaps');
  expect(closed).toEqual(['exhausted {"values":{"order":"12345"},"skipped":["reason"]}']);
});

test('several fields may be given at once, each on a line with its name or its text', async () => {
  const { anna, paid } = await refunding();
  await anna.says('refund');
  expect(await anna.says('Order: 12345\nwhy?: broken\nsure = yes')).toEqual(['Refunded 12345.']);
  expect(paid[0]).toEqual({ order: '12345', reason: 'broken', sure: true });
});

test('given at once with a mistake: what fits is kept, what does not is asked for with the reason', async () => {
  const { anna, pending } = await refunding();
  await anna.says('refund');
  expect(await anna.says('order: 12345\nsure: perhaps\nreason: late')).toEqual([
    'Refund it? Please answer yes or no.\nRefund it?\n- Yes\n- No\nReply with one of these.',
  ]);
  expect(await pending()).toMatchObject({ retries: 0, partial: { values: { order: '12345', reason: 'late' } } });
});

test('"Other" inside a form asks for the words, and goes on with the next field', async () => {
  const { anna, paid } = await refunding();
  await anna.says('refund');
  await anna.says('12345');
  expect(await anna.says('other')).toEqual(['Please write your own answer.\nReply "skip" to leave it out.']);
  expect((await anna.says('it is the wrong colour'))[0]).toContain('Refund it?');
  await anna.says('yes');
  expect(paid[0]).toEqual({ order: '12345', reason: { other: 'it is the wrong colour' }, sure: true });
});

test('a button belongs to its field: pressed twice, it does not answer the next field', async () => {
  const got: unknown[] = [];
  const support = agent('support');
  const two = support.question('two', form('Two', { first: confirm('First?'), second: confirm('Second?') }), {
    onAnswer: (answer) => void got.push(answer),
  });
  support.onMessage(({ ask }) => ask(two));
  const { human, registry, asks } = await rehearse({ agents: [support] });
  const anna = human('anna');
  await anna.says('go');
  const [{ id } = { id: '' }] = await asks();
  expect((await anna.presses('Yes'))[0]).toContain('Second?');
  const again = await registry.handle({
    id: 'double',
    conversationId: 'anna',
    text: '',
    participant: anna.participant,
    askId: id,
    choice: 'first/yes',
  });
  expect(again.disposition).toMatchObject({ type: 'invalid', askId: id });
  expect(got).toEqual([]);
  await anna.presses('No');
  expect(got).toEqual([{ first: true, second: false }]);
});

test('a program gives the whole object, of the exact kinds, or learns what is wrong', async () => {
  const { anna, registry, paid, pending } = await refunding();
  await anna.says('refund');
  const id = (await pending())?.id ?? '';
  const by = anna.participant;
  const wrong = async (value: never) => {
    const settled = await registry.answer(id, { value }, { by });
    return settled.type === 'invalid' ? settled.problem : settled.type;
  };
  expect(await wrong({ order: 12345, sure: true } as never)).toContain('Which order?');
  expect(await wrong({ order: '12345', sure: 'true' } as never)).toContain('Refund it?');
  expect(await wrong({ order: '12345' } as never)).toBe('Still missing: Refund it?.');
  expect(await wrong({ order: '12345', sure: true, colour: 'red' } as never)).toContain('no field "colour"');
  expect(await wrong('12345' as never)).toBe('This is no form; a value is an object with order, reason, sure.');
  expect(await wrong([] as never)).toBe('This is no form; a value is an object with order, reason, sure.');
  expect(await pending()).toMatchObject({ retries: 0, status: 'pending' });
  expect(await registry.answer(id, { value: { order: '12345', sure: true } }, { by })).toMatchObject({
    type: 'accepted',
    ask: { answer: '{"order":"12345","sure":true}', value: { order: '12345', sure: true } },
  });
  expect(paid[0]).toEqual({ order: '12345', sure: true });
});

test('a form that is given at once is told all of its faults, each with its field, in the order of the form', async () => {
  const { anna, registry, pending } = await refunding();
  await anna.says('refund');
  const id = (await pending())?.id ?? '';
  const answer = (value: never) => registry.answer(id, { value }, { by: anna.participant });
  const twoWrong = await answer({ sure: 'maybe', order: 'x' } as never);
  expect(twoWrong).toMatchObject({ problem: expect.stringMatching(/^Which order\? .+\nRefund it\? .+$/) });
  const oneMissing = await answer({ order: 'x' } as never);
  expect(oneMissing).toMatchObject({
    problem: expect.stringMatching(/^Which order\? .+\nStill missing: Refund it\?\.$/),
  });
});

test('a form that was begun in words can be finished by a program', async () => {
  const { anna, registry, paid, pending } = await refunding();
  await anna.says('refund');
  await anna.says('12345');
  const id = (await pending())?.id ?? '';
  await registry.answer(id, { value: { sure: true } }, { by: anna.participant });
  expect(paid[0]).toEqual({ order: '12345', sure: true });
});

test('a check that names a field has that field asked again; the others are kept', async () => {
  const { anna, paid } = await refunding({
    check: z.object({ order: z.string().regex(/^1/, 'Orders begin with 1.') }).loose(),
  });
  await anna.says('refund');
  await anna.says('92345');
  await anna.says('broken');
  expect(await anna.says('yes')).toEqual(['Orders begin with 1.\nWhich order?']);
  expect(await anna.says('12345')).toEqual(['Refunded 12345.']);
  expect(paid[0]).toEqual({ order: '12345', reason: 'broken', sure: true });
});

test('a check that names no field has the whole form asked again, at most maxRetries times', async () => {
  const { anna, closed } = await refunding({ maxRetries: 1, check: () => 'We cannot refund today.' });
  for (const words of ['refund', '12345', 'skip']) await anna.says(words);
  expect(await anna.says('yes')).toEqual(['We cannot refund today.\nWhich order?']);
  for (const words of ['12345', 'skip']) await anna.says(words);
  await anna.says('yes');
  expect(closed).toEqual([expect.stringMatching(/^exhausted/)]);
});

test('killed between two fields, the next process goes on with the rest', async () => {
  const { anna, paid, crash, restart, clock } = await refunding();
  await anna.says('refund');
  await anna.says('12345');
  crash();
  await restart();
  await clock.advance(60_000);
  await anna.says('late');
  await anna.says('yes');
  expect(paid[0]).toEqual({ order: '12345', reason: 'late', sure: true });
});

test('a decline word calls the whole form off; an unread field is an ordinary disposition each time', async () => {
  const { anna, closed, registry } = await refunding();
  await anna.says('refund');
  await anna.says('12345');
  await anna.says('cancel');
  expect(closed).toEqual(['declined {"values":{"order":"12345"},"skipped":[]}']);
  const { items } = await registry.history('anna');
  expect(items.flatMap((item) => (item.type === 'in' ? [item.disposition.type] : []))).toEqual([
    'ordinary',
    'partial',
    'declined',
  ]);
});

test('a field of several options is pressed and typed', async () => {
  const got: unknown[] = [];
  const shop = agent('shop');
  const pizza = shop.question(
    'pizza',
    form('Pizza', { extras: choices('Extras?', ['olives', 'basil', 'ham']), count: number('How many?', { min: 1 }) }),
    {
      onAnswer: (answer) => void got.push(answer),
    },
  );
  shop.onMessage(({ ask }) => ask(pizza));
  const { human } = await rehearse({ agents: [shop] });
  const [anna, bob] = [human('anna'), human('bob')];
  await anna.says('go');
  await anna.presses('olives', 'ham');
  await anna.says('2');
  await bob.says('go');
  await bob.says('1 and 2');
  await bob.says('three');
  expect(got).toEqual([
    { extras: ['olives', 'ham'], count: 2 },
    { extras: ['olives', 'basil'], count: 3 },
  ]);
});

test.each([
  ['no fields', () => form('F', {}), /must have 1 to 20 fields.*got 0/],
  ['a form in a form', () => form('F', { inner: form('G', { a: text('A?') }) }), /is a form itself/],
  [
    'names that cannot be told apart',
    () => form('F', { Order: text('A?'), order: text('B?') }),
    /cannot be told apart/,
  ],
  ['a name that is no word', () => form('F', { 'a/b': text('A?') }), /"a\/b" must be a word/],
  ['a dangerous name', () => form('F', JSON.parse('{"__proto__": {}}')), /"__proto__" must be a word/],
  [
    'a field that is no question',
    () => form('F', { a: 'A?' as never }),
    /the field a must be a question such as .*, got "A\?"/,
  ],
  ['a field that is a question without a type', () => form('F', { a: { text: 'A?' } as never }), /the field a must be/],
  ['a list of fields', () => form('F', [text('A?')] as never), /the fields must be an object such as .*, got a list/],
  [
    'nothing for its fields',
    () => form('F', undefined as never),
    /the fields must be an object such as .*, got nothing/,
  ],
  ['a blank text', () => form(' ', { a: text('A?') }), /needs a string/],
])('form() with %s is refused', (_, make, message) => {
  expect(make).toThrow(expect.objectContaining({ code: 'bad-option', message: expect.stringMatching(message) }));
});
