/** Times are in milliseconds. A number that looks like seconds or minutes is taken as it is, and told of. */
import { expect, test } from 'vitest';
import type { AskOptions } from '../../src/index.js';
import { agent, confirm } from '../../src/index.js';
import { world } from '../support/engine.js';
import { ann, ben, Mail } from '../support/places.js';

async function asking(more: Omit<AskOptions, 'effectKey'>) {
  const { replica } = world();
  const warned: object[] = [];
  const silent = (): void => {};
  const warn = (message: string, about?: object): void => void warned.push({ message, ...about });
  const web = new Mail('web');
  const made = agent('shop');
  const refund = made.question('refund', confirm('Refund?'), {
    answerableBy: [ben.id],
    ...more,
    onAnswer: () => 'Done.',
  });
  const shop = made.onMessage(({ ask }) => ask(refund));
  const logger = { debug: silent, info: silent, warn, error: silent };
  const registry = await replica({ agents: [shop], channels: [web, new Mail()], logger });
  await web.writes('ann', 'refund', ann);
  await web.writes('bob', 'refund', { id: 'web:bob' });
  const there = () => registry.ask(confirm('Sure?'), { channel: 'web', to: 'eve', answerableBy: [ben.id], ...more });
  return { told: () => warned.filter((each) => JSON.stringify(each).includes('below one second')), there };
}

const step = { channel: 'mail', to: 'dan', answerableBy: ['staff:dan'] };

test.each([
  ['expiresIn', { expiresIn: 15 }, 15],
  ['remindAfter', { remindAfter: [600, 60_000] }, 600],
  ['escalate.after', { escalate: [{ ...step, after: 10 }] }, 10],
])('%s below a second is warned of once for each question', async (option, more, ms) => {
  const { told, there } = await asking(more);
  expect(told()).toMatchObject([{ option, ms, agentName: 'shop' }]);
  await there();
  expect(told()).toMatchObject([{}, { option, ms }]);
});

test('a time of a second or more is not', async () => {
  const more = { expiresIn: 60_000, remindAfter: 1_000, escalate: [{ ...step, after: 1_000 }] };
  expect((await asking(more)).told()).toEqual([]);
});
