/** Agents that misbehave: a continuation that always throws, an agent that hangs. Others are not their concern. */
import { describe, expect, test } from 'vitest';
import { redisAndWorld } from '../../support/for-file.js';
import { fresh } from '../../support/replica/world.js';
import { asks, crowd } from './people.js';
import { Run } from './run.js';

const { server, world } = await redisAndWorld();

test('a continuation that always throws: five tries, each later than the last, then it waits for a person', async () => {
  const backOff = [50, 100, 200, 400];
  const run = await Run.here(world, server.url, { settings: { backOff } });
  await run.alive(2);
  const { conversationId, askId } = await asks(run, 'odd-throws');
  const start = performance.now();
  const [id] = await Promise.all([run.says(conversationId, '12345'), crowd(run, 10)]);
  const parked = () => run.events().filter((event) => event.what === 'event' && event.event === 'parked');
  await expect.poll(parked).toHaveLength(1);
  expect(performance.now() - start).toBeGreaterThan(750);
  expect(parked()).toMatchObject([
    { conversationId, entryId: `m:phone:${id}`, attempts: 5, failure: { message: 'The printer is on fire.' } },
  ]);
  const tries = (await world.calls(conversationId)).filter((call) => call.what === 'pay');
  expect(tries.map(({ attempt, key }) => ({ attempt, key }))).toEqual(
    [1, 2, 3, 4, 5].map((attempt) => ({ attempt, key: askId })),
  );
  await run.says(conversationId, 'hello'); // the conversation itself goes on
  await world.hears(conversationId, 'I can refund an order.');
  const { conversations } = await run.check({ accepted: 10 });
  expect(conversations.flatMap((each) => each.parked)).toMatchObject([{ conversationId, askId }]);
});

describe('an agent that hangs and does not listen', () => {
  const settings = { turnLimit: 1_500, maxAttempts: 2, backOff: [20], grace: 300 };

  test('is given up in time, parked, and its human told; others do not notice', async () => {
    const run = await Run.here(world, server.url, { settings });
    await run.alive(2);
    const conversationId = fresh('odd');
    await run.says(conversationId, 'hang');
    await run.says(conversationId, 'hello');
    await crowd(run, 10);
    await world.hears(conversationId, 'I can refund an order.');
    const { conversations } = await run.check({ accepted: 10 });
    const hung = conversations.find(({ id }) => id === conversationId);
    expect(hung?.parked).toMatchObject([{ failure: { code: 'turn-limit' } }]);
    expect(hung?.items.filter((item) => item.type === 'in').map((item) => item.disposition.type)).toEqual([
      'failed',
      'ordinary',
    ]);
    expect(await world.heard(conversationId)).toHaveLength(2); // sorry, and the answer to the other message
  });

  test('a continuation that hangs until it is aborted: the same, and its answer stays decided', async () => {
    const run = await Run.here(world, server.url, { settings });
    const replica = await run.replica();
    const { conversationId, askId } = await asks(run, 'odd-hangs');
    await run.says(conversationId, '12345');
    await replica.event('parked', conversationId);
    expect(await replica.call('getAsk', askId)).toMatchObject({ status: 'answered', answer: '12345' });
    await run.check({ accepted: 0 });
    expect(await world.ledger(conversationId)).toEqual({ payments: 1, calls: 2, keys: [askId] });
  });

  test('does not keep a replica from ending', async () => {
    const run = await Run.here(world, server.url, { settings: { ...settings, turnLimit: 60_000 } });
    const replica = await run.replica();
    const conversationId = fresh('odd');
    await run.says(conversationId, 'hang');
    const start = performance.now();
    expect(await replica.end('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(performance.now() - start).toBeLessThan(30_000);
  });
});
