/**
 * A conversation as the person in it follows it, for a channel that is fetched from: what came in, what was said, what became of questions.
 */
import { expect, test } from 'vitest';
import type { Followed, FollowedItem } from '../../../src/index.js';
import { agent, choice, confirm, form, number, text } from '../../../src/index.js';
import { settle, TestChannel, world } from '../../support/engine.js';

const ann = { id: 'phone:ann' };

function clerk() {
  const clerk = agent('clerk');
  const size = clerk.question(
    'size',
    choice('Which size?', [
      { id: 's', label: 'Small' },
      { id: 'l', label: 'Large' },
    ]),
    {
      onAnswer: (id) => `Size ${id}.`,
    },
  );
  const boss = clerk.question('boss', confirm('Pay?'), { answerableBy: ['web:boss'], onAnswer: () => 'Paid.' });
  const secret = clerk.question('secret', text('The code?'), { sensitive: true, onAnswer: () => 'Thanks.' });
  const order = clerk.question(
    'order',
    form('Your order', { what: text('What?'), amount: number('How many?'), sure: confirm('Sure?') }),
    {
      onAnswer: ({ what, amount, sure }) => `${amount} × ${what}: ${sure}`,
    },
  );
  return clerk.onMessage(({ message, ask }) => {
    const question = { size, boss, secret, order }[message];
    return question === undefined ? `You said ${message}` : ask(question as typeof size);
  });
}

async function shop() {
  const { replica, says, advance } = world();
  const [here, there] = [new TestChannel(), new TestChannel()];
  const registry = await replica({ agents: [clerk()], channels: [here] });
  await replica({ agents: [clerk()], channels: [there] });
  const follow = (more: object = {}, channel = here): Promise<Followed> =>
    channel.desk?.follow?.('c1', { for: ann, ...more }) as Promise<Followed>;
  return { registry, here, there, says, advance, follow };
}

const line = (item: FollowedItem): string => {
  if (item.type === 'received') return `> ${item.text}${item.control ? ' (pressed)' : ''}`;
  const answer = item.answer === undefined ? '' : `: ${item.answer}`;
  if (item.type === 'decided') return `(${item.status}${answer})`;
  const { text: words, ask } = item.message;
  return ask === undefined ? words : `${words} [${ask.status}${answer}${item.mayAnswer ? ', mine' : ''}]`;
};
const lines = ({ items }: Followed): string[] => items.map(line);

test('a question is open with its controls until it is decided, and then shown as it ended, with labels', async () => {
  const { here, there, says, follow } = await shop();
  await says(here, 'size');
  const before = await follow();
  expect(lines(before)).toEqual(['> size', 'Which size? [pending, mine]']);
  const askId = here.sent[0]?.ask?.id ?? '';
  await says(here, '', { askId, choice: 'l' });
  expect(lines(await follow({ after: before.cursor }, there))).toEqual([
    '(answered: Large)',
    '> l (pressed)',
    'Size l.',
  ]);
  const anew = ['> size', 'Which size? [answered: Large]', '(answered: Large)', '> l (pressed)', 'Size l.'];
  expect(lines(await follow())).toEqual(anew);
  expect((await follow()).items[0]).toMatchObject({ id: 'message-1' });
});

test('a question for somebody else is shown without being theirs; words for other eyes are left out', async () => {
  const { here, says, follow } = await shop();
  await says(here, 'boss');
  const askId = here.sent[0]?.ask?.id ?? '';
  await says(here, '', { askId, choice: 'yes', participant: { id: 'phone:eve' } });
  expect(lines(await follow()).slice(0, 2)).toEqual(['> boss', 'Pay? [pending]']);
  expect((await follow()).items.length).toBe(3); // the refusal is for Eve only
  expect((await follow({ for: { id: 'phone:eve' } })).items.length).toBe(4);
});

test('a sensitive answer is not shown, neither as it came nor as it counted', async () => {
  const { here, says, follow } = await shop();
  await says(here, 'secret');
  await says(here, 'hunter2');
  expect(lines(await follow())).toEqual(['> secret', 'The code? [answered]', '(answered)', '> [hidden]', 'Thanks.']);
});

test('a form is answered at once by its values; values that are no answer are told and cost no attempt', async () => {
  const { here, says, follow } = await shop();
  await says(here, 'order');
  const askId = here.sent[0]?.ask?.id ?? '';
  await says(here, '', { askId, value: { what: 'Tea', amount: 'two', sure: 'yes' } });
  expect(lines(await follow()).at(-1)).toMatch(/How many\?/);
  await says(here, '', { askId, value: { what: 'Tea', amount: 2, sure: 'yes' } });
  expect(lines(await follow())).toEqual(
    expect.arrayContaining(['(answered: What? Tea\nHow many? 2\nSure? Yes)', '2 × Tea: true']),
  );
  await expect(here.receive({ id: 'x', conversationId: 'c1', text: '', value: 1 })).rejects.toThrow(/needs the askId/);
});

test('what is wrong with a form is said once: where its channel tells it, not in the conversation as well', async () => {
  const { here, says, follow } = await shop();
  await says(here, 'order');
  const askId = here.sent[0]?.ask?.id ?? '';
  const filled = { id: 'f1', conversationId: 'c1', text: '', askId, participant: ann, tellsProblem: true };
  const wrong = { what: 'Tea', amount: 'two', sure: 'yes' };
  const handled = await here.desk?.handle?.({ ...filled, value: wrong });
  expect(handled?.disposition).toMatchObject({ type: 'invalid', problem: expect.stringContaining('How many?') });
  expect(lines(await follow()).filter((each) => each.includes('How many?'))).toEqual([]);
  await expect(here.receive({ ...filled, id: 'f2', tellsProblem: 1 as never })).rejects.toThrow(/true or false/);
});

test('whoever waits is told what another process saved, and is let go by a signal and by the end of the registry', async () => {
  const { registry, here, there, says, advance, follow } = await shop();
  const { cursor } = await follow();
  const waiting = follow({ after: cursor, wait: 15_000 });
  await says(there, 'hello');
  await advance(1_000);
  expect(lines(await waiting)).toEqual(['> hello', 'You said hello']);
  const leaving = new AbortController();
  const left = follow({ wait: 15_000, after: (await follow()).cursor, signal: leaving.signal });
  await settle();
  leaving.abort();
  expect((await left).items).toEqual([]);
  const last = follow({ wait: 15_000, after: (await follow()).cursor });
  await settle();
  await registry.stop();
  expect(await last).toMatchObject({ items: [], stopped: true });
  expect(here.sent).toHaveLength(0);
});
