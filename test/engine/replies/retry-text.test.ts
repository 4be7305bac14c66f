/** What is said before a question is asked again, in the words of its author. */
import { expect, test } from 'vitest';
import { agent, choice, text } from '../../../src/index.js';
import { rehearse } from '../../../src/testing/index.js';
import { Probe } from '../../support/agents.js';

const digits = 'I need the five digits on your receipt.';

test('a declared question says its own words about a reply that does not fit, and asks again', async () => {
  const shop = agent('shop');
  const order = shop.question('order', text('Which order?', { pattern: /^\d{5}$/, example: '12345' }), {
    retryText: digits,
    onAnswer: (number) => `Looking at ${number}.`,
  });
  const { human, restart, stop } = await rehearse({ agents: [shop.onMessage(({ ask }) => ask(order))] });
  const anna = human('anna');
  await anna.says('hello');
  expect(await anna.says('the blue one')).toEqual([`${digits}\nWhich order?`]);
  await restart();
  expect(await anna.says('twelve')).toEqual([`${digits}\nWhich order?`]); // stored with the ask
  expect(await anna.says('12345')).toEqual(['Looking at 12345.']);
  await stop();
});

test('ask() and askAndWait() take it, too, and it wins over what the question was declared with', async () => {
  const size = choice('Which size?', ['S', 'L']);
  const shop = agent('shop');
  const declared = shop.question('size', size, { retryText: 'Declared.', onAnswer: (answer) => answer });
  shop.onMessage(async ({ message, ask, askAndWait }) => {
    if (message === 'ask') return ask(declared, { retryText: 'Only S or L.' });
    const { status } = await askAndWait(size, { retryText: 'S or L, please.' });
    return status;
  });
  const { human, stop } = await rehearse({ agents: [shop] });
  const anna = human('anna');
  await anna.says('ask');
  expect((await anna.says('XXL'))[0]).toMatch(/^Only S or L\.\nWhich size\?/);
  await anna.says('S');
  await anna.says('wait');
  expect((await anna.says('XXL'))[0]).toMatch(/^S or L, please\.\nWhich size\?/);
  expect(await anna.says('L')).toEqual(['answered']);
  await stop();
});

test('what a check objects is said in its own words', async () => {
  const shop = agent('shop');
  const order = shop.question('order', text('Which order?'), {
    retryText: digits,
    check: (answer) => answer === '12345' || `There is no order ${answer}.`,
    onAnswer: () => 'Thank you.',
  });
  const { human, stop } = await rehearse({ agents: [shop.onMessage(({ ask }) => ask(order))] });
  const anna = human('anna');
  await anna.says('hello');
  expect(await anna.says('99999')).toEqual(['There is no order 99999.\nWhich order?']);
  expect(await anna.says(' ')).toEqual([`${digits}\nWhich order?`]);
  await stop();
});

test.each([
  ['', 'an empty string'],
  [' ', '" "'],
  [7, '7'],
  ['x'.repeat(2_001), 'xxx'],
])('a retryText of %j is refused where it is given', async (retryText, got) => {
  const wrong = { retryText } as { retryText: string };
  const expected = /retryText must be a string that people can read, of at most 2000 bytes, got/;
  const declare = () => agent('shop').question('order', text('Which order?'), { ...wrong, onAnswer: () => 'Hi.' });
  expect(declare).toThrow(expected);
  expect(declare).toThrow(got);
  const { human, parked, stop } = await rehearse({
    agents: [new Probe((self) => self.asks('Which order?', wrong))],
    failures: 'collect',
  }).then((play) => ({ ...play, parked: async () => (await play.registry.parked()).items }));
  await human('anna').says('hello');
  expect(await parked()).toMatchObject([{ failure: { code: 'bad-option', message: expect.stringMatching(expected) } }]);
  await stop();
});
