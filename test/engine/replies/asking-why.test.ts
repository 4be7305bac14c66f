/** "Why do you need it?" to an open question: the question again, with its details. No answer, and no attempt at one. */
import { expect, test } from 'vitest';
import { agent, choice, text } from '../../../src/index.js';
import { rehearse } from '../../../src/testing/index.js';
import { bare, Probe } from '../../support/agents.js';

function shopAsking(question = text('Which order?'), more: object = {}) {
  const answers: unknown[] = [];
  const shop = agent('shop');
  const order = shop.question('order', question, {
    details: { Why: 'To find your refund' },
    ...more,
    onAnswer: (answer) => {
      answers.push(answer);
      return 'Thank you.';
    },
  });
  return { shop: shop.onMessage(({ ask }) => ask(order)), answers };
}

test.each([
  [
    'en',
    [
      'why?',
      'Why do you need it?',
      'what for',
      'Sorry, why do you need that?',
      'and why do you ask?',
      'WHY DO YOU NEED TO KNOW',
    ],
  ],
  ['de', ['warum?', 'Wozu brauchen Sie das?', 'wofür brauchst du das', 'aber warum?', 'why?']],
  ['fr', ['pourquoi ?', 'Pourquoi en avez-vous besoin ?', 'à quoi ça sert ?', 'a quoi ca sert']],
  ['es', ['¿por qué?', '¿Para qué lo necesita?', 'por que lo preguntas', '¿Y por qué?']],
])('in %s the question is shown again with its details, as often as somebody asks', async (locale, replies) => {
  const { shop, answers } = shopAsking();
  const { human, asks, stop } = await rehearse({ agents: [shop] });
  const anna = human('anna', { participant: { id: 'web:anna', locale } });
  await anna.says('go');
  for (const reply of replies)
    expect([reply, await anna.says(reply)]).toEqual([reply, ['Which order?\nWhy: To find your refund']]);
  expect(await asks()).toMatchObject([{ status: 'pending', retries: 0 }]);
  expect(await anna.says('12345')).toEqual(['Thank you.']);
  expect(answers).toEqual(['12345']);
  await stop();
});

test('a model is not asked about it, and the caller hears that nothing was counted', async () => {
  const judged: string[] = [];
  const model = async () => {
    judged.push('asked');
    return '{"sufficient": true}';
  };
  const { shop } = shopAsking();
  const { registry, says } = bare({ agents: [shop], model });
  await says('c', 'go');
  expect(await says('c', 'why?')).toMatchObject({
    disposition: { type: 'insufficient', retries: 0 },
    metadata: { waitingForHuman: true },
  });
  expect(judged).toEqual([]);
  await registry.stop();
});

test('the class way reads it the same', async () => {
  const probe = new Probe((self, { message }) => {
    return self.pending() === null ? self.asks('Which order?') : self.handles(message ?? '', (answer) => answer);
  });
  const { human, asks, stop } = await rehearse({ agents: [probe] });
  const anna = human('anna');
  await anna.says('go');
  expect(await anna.says('Why do you need it?')).toEqual(['Which order?']);
  expect(await asks()).toMatchObject([{ retries: 0 }]);
  expect(await anna.says('Why not 12345')).toEqual(['Why not 12345']);
  await stop();
});

test.each<[string, ReturnType<typeof text>, object, string, string]>([
  [
    'a pattern',
    text('Which order?', { pattern: /^\d+$/ }),
    {},
    'why?',
    "That doesn't look right.\nWhich order?\nWhy: To find your refund",
  ],
  ['a pattern that it fits', text('Which word?', { pattern: /^why\?$/ }), {}, 'why?', 'Thank you.'],
  ['a check', text('Which order?'), { check: () => 'No.' }, 'why?', 'No.\nWhich order?\nWhy: To find your refund'],
  ['options', choice('Which?', ['why', 'how']) as ReturnType<typeof text>, {}, 'why', 'Thank you.'],
])('where the question has %s, its own reading applies', async (_, question, more, reply, said) => {
  const { human, stop } = await rehearse({ agents: [shopAsking(question, more).shop] });
  const anna = human('anna');
  await anna.says('go');
  expect(await anna.says(reply)).toEqual([said]);
  await stop();
});
