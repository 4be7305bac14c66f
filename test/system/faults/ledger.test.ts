/** A payment provider that fails in its own ways: nobody is paid twice, as far as it can be had, and nobody is forgotten. */
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import type { Settings } from '../../../src/core/settings.js';
import { decodeValue } from '../../../src/stores/redis/plan.js';
import { redisAndWorld } from '../../support/for-file.js';
import { Ledger } from '../../support/replica/ledger.js';
import { safe } from '../../support/replica/world.js';
import { answers, asks, crowd } from './people.js';
import { Run } from './run.js';

const { server, world } = await redisAndWorld();

/** A ledger that comes back is waited for. */
const settings = { backOff: [100, 200, 400], maxAttempts: 30 };
const inTrouble = (ledger: Ledger, more: Partial<Settings> = { lease: safe.lease }) =>
  Run.here(world, server.url, { ledger, settings: { ...settings, ...more } });

/** Both ways of writing an agent, each so often. */
const ways = (how: string) => [{ how: `class-${how}` }, { how: `declared-${how}`, nonsense: 0 }];

test('it honours keys and dies when it has paid: asked again under the same key, it pays nobody twice', async () => {
  const ledger = await Ledger.here({ honours: true });
  const run = await inTrouble(ledger);
  await run.alive(2);
  await crowd(run, 8, 2, undefined, ways('dies'));
  const { calls } = await run.check({ accepted: 8 });
  const payments = calls.filter((call) => call.what === 'pay');
  expect(payments.filter((call) => !call.repeat)).toHaveLength(8);
  expect(payments.length).toBeGreaterThan(8);
  expect(ledger.deaths).toBeGreaterThan(0);
});

test('it takes its time to answer: the turn is held until it has, and it is asked once', async () => {
  const ledger = await Ledger.here({ honours: false });
  const run = await inTrouble(ledger);
  await run.alive(3);
  const people = crowd(run, 9, 9, undefined, ways('slow'));
  await expect.poll(() => ledger.calls()).toHaveLength(9);
  const client = new Redis(server.url);
  onTestFinished(() => client.disconnect());
  // again and again each lease ends later
  const ends = new Map<string, Set<number>>();
  const isRenewed = async () => {
    for (const key of await client.keys(`${run.prefix}:{*}:c:*slow*`)) {
      if (!/}:c:[^:]+$/.test(key)) continue;
      const { leasedUntil } = decodeValue((await client.get(key)) ?? '');
      ends.set(key, (ends.get(key) ?? new Set()).add(leasedUntil));
    }
    return [...ends.values()].filter(({ size }) => size > 5).length;
  };
  await expect.poll(isRenewed).toBe(9);
  ledger.answers();
  await people;
  const { calls } = await run.check({ accepted: 9 });
  expect(calls.filter((call) => call.what === 'pay')).toHaveLength(9);
});

test("it ignores keys and dies when it has paid: with onCrash: 'park' it is asked once, and a person looks at it", async () => {
  const ledger = await Ledger.here({ honours: false });
  const run = await inTrouble(ledger);
  await run.alive(2);
  for (const [deaths, how] of ['class', 'declared'].entries()) {
    await answers(run, (await asks(run, `${how}-park`)).conversationId);
    await answers(run, (await asks(run, `${how}-park-dies`)).conversationId);
    await expect.poll(() => ledger.deaths).toBe(deaths + 1);
  }
  const { calls, conversations } = await run.check({ accepted: 2 });
  expect(calls.filter((call) => call.what === 'pay')).toHaveLength(4);
  expect(conversations.flatMap((each) => each.parked)).toHaveLength(2);
});

test("it ignores keys and a replica is killed while it pays: with onCrash: 'park' it is asked once", async () => {
  const ledger = await Ledger.here({ honours: false });
  const run = await inTrouble(ledger, {});
  await run.alive(2);
  const { conversationId } = await asks(run, 'declared-park-slow');
  const told = answers(run, conversationId);
  await expect.poll(() => ledger.calls()).toHaveLength(1);
  const victim = run.replicas.find((replica) => replica.name === ledger.calls()[0]?.by);
  if (victim === undefined) throw new Error('Nobody has paid.');
  run.dismiss(victim);
  await victim.end('SIGKILL');
  ledger.answers();
  await told;
  const { conversations } = await run.check({ accepted: 0 });
  expect(ledger.calls()).toHaveLength(1);
  expect(conversations.flatMap((each) => each.parked)).toMatchObject([{ conversationId }]);
});

test('it ignores keys and nobody asked for a stop: it pays twice, which is what onCrash is for', async () => {
  const ledger = await Ledger.here({ honours: false });
  const run = await inTrouble(ledger);
  await run.alive(1);
  await answers(run, (await asks(run, 'class-dies')).conversationId);
  const { calls } = await run.check({ accepted: 1 });
  expect(calls.filter((call) => call.what === 'pay')).toMatchObject([{ repeat: false }, { repeat: false }]);
});
