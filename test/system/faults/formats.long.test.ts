/** An old and a new release on one Redis: what the old one does not know it keeps, what it cannot read it hands back. */
import { expect, onTestFinished, test } from 'vitest';
import { readConversation, readSettled } from '../../../src/core/format/document.js';
import type { Stored } from '../../../src/core/format/stored.js';
import { RedisStore } from '../../../src/stores/redis/index.js';
import { redisAndWorld } from '../../support/for-file.js';
import { silent } from '../../support/store.js';
import { answers, asks, crowd } from './people.js';
import { Run } from './run.js';

const { server, world } = await redisAndWorld();

const future = { since: 2, list: [] }; // also what Lua would have spoilt

test('fields of a newer release: the old one works with the record and writes them back', async () => {
  const run = await Run.here(world, server.url);
  const next = await run.replica({ newer: 'fields' });
  const { conversationId, askId } = await asks(run, 'declared');
  await next.end('SIGTERM');
  run.dismiss(next);

  const client = run.client();
  const store = new RedisStore({ client, prefix: run.prefix, logger: silent });
  await store.open();
  onTestFinished(() => store.close());
  const document = async () =>
    readConversation((await store.conversation(conversationId))?.document ?? null, conversationId);
  expect(await document()).toMatchObject({ future, asks: [{ id: askId, more: { future }, progress: { retries: 0 } }] });
  const old = await run.replica();
  await run.says(conversationId, '?');
  await world.next('deliver', conversationId, (call) => call.key === `ask:${askId}:1`);
  await old.call('idle');
  expect(await document()).toMatchObject({ future, asks: [{ id: askId, more: { future }, progress: { retries: 1 } }] });
  await answers(run, conversationId);
  await old.call('idle');
  expect(await document()).toMatchObject({ future, asks: [] });
  const found = (await store.find(askId)) as { record: Stored };
  expect(readSettled(found.record)).toMatchObject({ ask: { id: askId, status: 'answered', more: { future } } });
  await run.check({ accepted: 1 });
});

test('a record of a newer version: the old one hands it back untouched, and the newer one does the work', async () => {
  const run = await Run.here(world, server.url);
  const next = await run.replica({ newer: 'v' });
  const { conversationId, askId } = await asks(run);
  await next.call('idle');
  const old = await run.replica();
  run.dismiss(next);
  await run.says(conversationId, '12345'); // to the old one
  expect((await old.event('handedBack', conversationId)).about).toMatchObject({ conversationId });
  expect((await world.hears(conversationId, 'Refunded 12345.')).by).toBe(next.name);
  run.dismiss(old);
  await old.end('SIGTERM');
  run.replicas.push(next);
  await run.check({ accepted: 1 });
  expect(await world.ledger(conversationId)).toEqual({ payments: 1, calls: 1, keys: [askId] });
});

test('only the old one is there: the work waits, costs no strike, and is done when the newer one is back', async () => {
  const run = await Run.here(world, server.url, { settings: { maxAttempts: 2 } });
  const next = await run.replica({ newer: 'v' });
  const { conversationId } = await asks(run, 'declared');
  await next.end('SIGTERM');
  run.dismiss(next);
  const old = await run.replica();
  await run.says(conversationId, '12345');
  for (let times = 0; times < 4; times += 1) await old.event('handedBack', conversationId);
  expect(await old.call('parked')).toEqual([]);
  const again = await run.replica({ newer: 'v' });
  expect((await world.hears(conversationId, 'Refunded 12345.')).by).toBe(again.name);
  run.dismiss(old);
  await old.end('SIGTERM');
  await run.check({ accepted: 1 });
});

test('a roll-out under load: old and newer side by side, then only newer ones', async () => {
  const run = await Run.here(world, server.url, { settings: { maxAttempts: 3 } });
  const old = await run.replica();
  await run.replica({ newer: 'v' });
  await crowd(run, 10, 5);
  const handed = run.events().filter((event) => event.what === 'event' && event.event === 'handedBack');
  expect(handed.length).toBeGreaterThan(0);
  run.dismiss(old);
  expect(await old.end('SIGTERM')).toEqual({ code: 0, signal: null });
  await crowd(run, 3, 3);
  const { conversations } = await run.check({ accepted: 13 });
  expect(conversations.flatMap(({ parked }) => parked)).toEqual([]);
});
