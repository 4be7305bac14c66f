/** Times are in milliseconds. A number that looks like seconds or minutes is taken as it is, and told of. */
import { expect, test } from 'vitest';
import type { AskOptions } from '../../../src/index.js';
import { agent, confirm } from '../../../src/index.js';
import { settle, world } from '../../support/engine.js';
import { ann, ben, Mail } from '../../support/places.js';

async function asking(more: Omit<AskOptions, 'effectKey'>) {
  const { replica, clock } = world();
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
  return {
    world: { registry, clock },
    told: () => warned.filter((each) => JSON.stringify(each).includes('Times are in milliseconds')),
    there,
  };
}

const step = { channel: 'mail', to: 'dan', answerableBy: ['staff:dan'] };

test.each<[string, Omit<AskOptions, 'effectKey'>, number]>([
  ['expiresIn', { expiresIn: 15 }, 15],
  ['expiresIn', { expiresIn: 3600 }, 3_600],
  ['expiresIn', { expiresIn: 86400 }, 86_400],
  ['remindAfter', { remindAfter: 1800 }, 1_800],
  ['escalate.after', { escalate: [{ ...step, after: 5400 }] }, 5_400],
  ['remindAfter', { remindAfter: [600, 60_000] }, 600],
  ['escalate.after', { escalate: [{ ...step, after: 10 }] }, 10],
])('%s that looks like seconds or minutes is warned of once for each question: %j', async (option, more, ms) => {
  const { told, there } = await asking(more);
  expect(told()).toMatchObject([{ option, ms, agentName: 'shop' }]);
  await there();
  expect(told()).toMatchObject([{}, { option, ms }]);
});

test('both readings are told', async () => {
  expect((await asking({ expiresIn: 3600 })).told()).toMatchObject([{ meaning: '3.6 s', meaningIfSeconds: '1 h' }]);
  expect((await asking({ expiresIn: 900 })).told()).toMatchObject([{ meaning: '0.9 s', meaningIfSeconds: '15 min' }]);
});

test.each([1_000, 1_500 + 1, 5_000, 30_000, 36_000, 60_000, 90_000, 3_600_000, 3_725_341])(
  'a time of %d ms is taken as it is',
  async (ms) => {
    const more = { expiresIn: ms + 1_000, remindAfter: ms, escalate: [{ ...step, after: ms }] };
    expect((await asking(more)).told()).toEqual([]);
  },
);

test.each([
  [3_600, undefined, [{ option: 'timeout', ms: 3_600, meaningIfSeconds: '1 h' }]],
  [1_200, undefined, [{ option: 'timeout', ms: 1_200 }]],
  [900, true, []], // who keeps the ask may look often
  [50, undefined, []],
  [5_000, undefined, []],
])('timeout: %d of a wait, keep: %s', async (timeout, keep, expected) => {
  const { world: place, told } = await asking({});
  const wait = { channel: 'web', to: 'eve', answerableBy: [ben.id], timeout, ...(keep && { keep }) };
  const outcome = place.registry.askAndWait(confirm('Sure?'), wait);
  await settle();
  await place.clock.advance(timeout, settle);
  await outcome;
  expect(told()).toMatchObject(expected);
});
