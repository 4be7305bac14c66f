/** The examples on Redis, against a real server. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RedisServer, startRedis } from '../../support/redis-server.js';
import { runExample } from './running.js';

let redis: RedisServer;

beforeAll(async () => {
  redis = await startRedis({ args: ['--appendonly', 'yes'] });
});
afterAll(() => redis.stop());

test('two-workers: one asks, the other hears the reply, and the order is refunded once', async () => {
  const { stdout, code } = await runExample('two-workers', { REDIS_URL: redis.url }).finished();
  expect(stdout).toBe(`first worker got "refund please": ordinary
  What is your order number?
second worker got "?": insufficient
  That doesn't look right.
  What is your order number?
first worker got "12345": accepted
  Refunded order 12345.
second worker got "thank you!": ordinary
  You are welcome.
`);
  expect(code).toBe(0);
});

test('support-on-redis: killed after the question, it goes on with the answer when it is back', async () => {
  const before = runExample('support-on-redis', { REDIS_URL: redis.url });
  before.types('hello');
  await before.shows('I can tell you about refunds.');
  before.types('I want a refund');
  await before.shows('Which order shall be refunded?');
  before.kill('SIGKILL');
  await before.finished();

  const after = runExample('support-on-redis', { REDIS_URL: redis.url });
  await after.shows('Support is here.');
  after.types('no idea', '12345', 'thank you!');
  const seen = await after.shows('I can tell you about refunds.');
  expect(seen).toMatch(/Which order shall be refunded\?.*\nThe refund of order 12345 is approved\.\nI can tell/);
  expect(after.stderr()).toMatch(/refund 12345 for terminal:local, key [0-9a-f-]{36}/);
  expect(after.stderr().match(/refund 12345/g)).toHaveLength(1);

  after.kill('SIGTERM');
  expect(await after.finished()).toMatchObject({ code: 0, signal: null });
});
