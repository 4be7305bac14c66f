/** Replicas that are not as they should be: wrong clocks, an event loop that stands still, deploys one after the other. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { PendingAsk } from '../../../src/index.js';
import { redisAndWorld } from '../../support/for-file.js';
import { patience } from '../../support/processes.js';
import { soon } from '../../support/replica/world.js';
import { asks, crowd, question } from './people.js';
import { Run } from './run.js';

const { server, world } = await redisAndWorld();

const minutes = 60_000;

describe('clocks ten minutes off', () => {
  test('two replicas live in the past and in the future: all is as it would be', async () => {
    const run = await Run.here(world, server.url);
    await Promise.all([run.replica({ skew: 10 * minutes }), run.replica({ skew: -10 * minutes }), run.replica()]);
    await crowd(run, 15);
    expect(run.refusals).toBe(0);
    const { conversations } = await run.check({ accepted: 15 });
    const times = conversations.flatMap(({ items }) => items.map(({ at }) => at));
    expect(Math.max(...times) - Math.min(...times)).toBeLessThan(minutes);
    expect(Math.abs(Math.max(...times) - Date.now())).toBeLessThan(minutes); // the store's time, which is ours here
  });

  test.each([10, -10])(
    'asked by a right one, kept by one that is %i minutes off: it ends when it should',
    async (off) => {
      const run = await Run.here(world, server.url);
      const right = await run.replica();
      const early = await asks(run, 'odd', 'refund within 60000');
      const brief = await asks(run, 'odd', 'refund within 1500');
      await right.end('SIGTERM');
      run.dismiss(right);

      const wrong = await run.replica({ skew: off * minutes });
      await wrong.call('sweep');
      expect(await wrong.call('getAsk', early.askId)).toMatchObject({ status: 'pending' });
      await run.says(early.conversationId, '12345');
      await world.hears(early.conversationId, 'Refunded 12345.');
      const ask = () => wrong.call<PendingAsk>('getAsk', brief.askId);
      await expect.poll(async () => (await ask()).status).toBe('expired');
      const { decidedAt, expiresAt } = await ask();
      const late = Date.parse(String(decidedAt)) - Date.parse(String(expiresAt));
      expect(late).toBeGreaterThanOrEqual(0);
      expect(late).toBeLessThan(patience);
      await run.check({ accepted: 1 });
    },
  );
});

describe('an event loop that stands still for longer than the lease', () => {
  test('in a continuation: another replica finishes, and what the first still saves is refused', async () => {
    const run = await Run.here(world, server.url);
    const stiff = await run.replica({ blocks: 3 * soon.lease });
    const { conversationId, askId } = await asks(run, 'odd-blocks');
    await stiff.call('idle');
    const other = await run.replica();
    run.replicas.reverse();
    run.dismiss(other);
    await run.says(conversationId, '12345'); // to the stiff one
    run.replicas.push(other);
    const told = await world.hears(conversationId, 'Refunded 12345.');
    expect(told.by).toBe(other.name);
    await stiff.event('fenced', conversationId);
    await run.check({ accepted: 1 });
    const { payments, keys } = await world.ledger(conversationId);
    expect({ payments, keys }).toEqual({ payments: 1, keys: [askId] });
    expect(await world.heard(conversationId)).toEqual([question, 'Refunded 12345.']);
  });

  test('between turns, again and again under load: nothing is lost, and nothing said twice by it alone', async () => {
    const run = await Run.here(world, server.url);
    const [stiff] = await run.alive(3);
    await crowd(run, 15, 6, async (done) => {
      for (; !done(); await sleep(200)) await stiff?.call('block', 2 * soon.lease);
    });
    await run.check({ accepted: 15 });
  });
});

test('a rolling deploy under load: every replica is replaced, each ends well, nothing is lost', async () => {
  const run = await Run.here(world, server.url);
  await run.alive(3);
  const replaced: unknown[] = [];
  await crowd(run, 30, 6, async () => {
    for (const old of [...run.replicas]) {
      await run.replica();
      run.dismiss(old);
      replaced.push(await old.end('SIGTERM'));
    }
  });
  expect(replaced).toEqual(Array.from({ length: 3 }, () => ({ code: 0, signal: null })));
  await run.check({ accepted: 30 });
});

test('a deploy in the middle of a turn that outlasts the grace time: handed over, paid once', async () => {
  const run = await Run.here(world, server.url, { settings: { grace: 200 } });
  const old = await run.replica();
  const { conversationId, askId } = await asks(run);
  world.keep('pay');
  await run.says(conversationId, '12345');
  await world.next('pay', conversationId);
  const next = await run.replica();
  run.dismiss(old);
  expect(await old.end('SIGTERM')).toEqual({ code: 0, signal: null });
  world.release();
  expect((await world.hears(conversationId, 'Refunded 12345.')).by).toBe(next.name);
  await run.check({ accepted: 1 });
  expect(await world.ledger(conversationId)).toMatchObject({ payments: 1, keys: [askId] });
});
