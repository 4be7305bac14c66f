/** "?", "12345", "thank you!": one refund, wherever the messages arrive and however the agent is written. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { redisAndWorld } from '../../support/for-file.js';
import { Replica, type ReplicaConfig } from '../../support/replica/replica.js';
import { fresh, never } from '../../support/replica/world.js';

const question = 'What is your order number?';
const ways = ['class', 'declared'] as const;

const { server, world } = await redisAndWorld();

/** Four messages, each to the next process in turn; `paced` waits for what is said to each. */
async function talk(replicas: readonly Replica[], conversationId: string, paced: boolean): Promise<void> {
  const words = ['refund please', '?', '12345', 'thank you!'];
  for (const [i, text] of words.entries()) {
    const replica = replicas[(i + 2) % replicas.length] as Replica; // of three, "?" comes to the first
    expect(await replica.says(conversationId, text, { prepared: !paced })).toBe('recorded');
    if (paced) await world.next('deliver', conversationId);
  }
  if (!paced) await world.hears(conversationId, 'I can refund an order.');
}

async function expectOneRefund(replica: Replica, conversationId: string): Promise<void> {
  expect(await world.ledger(conversationId)).toMatchObject({ payments: 1, calls: 1 });
  const items = await replica.history(conversationId);
  const said = items.flatMap((item) => (item.type === 'out' ? [item.text] : []));
  const again = expect.stringContaining(question);
  expect(said).toEqual([question, again, 'Refunded 12345.', 'I can refund an order.']);
  // two processes may send at the same time: each output comes once, not always in the order of the history
  expect((await world.heard(conversationId)).toSorted()).toEqual(said.toSorted());
  expect(items.flatMap((item) => (item.type === 'in' ? [[item.text, item.disposition.type]] : []))).toEqual([
    ['refund please', 'ordinary'],
    ['?', 'insufficient'],
    ['12345', 'accepted'],
    ['thank you!', 'ordinary'],
  ]);
  expect(items.filter((item) => item.type === 'decision')).toHaveLength(1);
  expect(await replica.call('listAsks', { conversationId })).toEqual({ asks: [] });
}

const places: readonly (readonly [string, number, () => Partial<ReplicaConfig>])[] = [
  ['on memory, in one process', 1, () => ({})],
  ['on Redis, in one process', 1, () => ({ redis: server.url })],
  ['on Redis, in three processes', 3, () => ({ redis: server.url })],
  ['on Redis with ioredis 6, in one process', 1, () => ({ redis: server.url, client: 'ioredis6' })],
  ['on Redis with ioredis 6, in three processes', 3, () => ({ redis: server.url, client: 'ioredis6' })],
];

describe.each(places)('%s', (_name, count, config) => {
  let replicas: readonly Replica[];
  beforeAll(async () => {
    const prefix = fresh('pays-once');
    const start = () => Replica.begin({ world, prefix, settings: never, ...config() });
    replicas = await Promise.all(Array.from({ length: count }, start));
  });
  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.end()));
  });

  test.each(ways)('"?", "12345", "thank you!" pays once (written as: %s)', async (way) => {
    const conversationId = fresh(way);
    await talk(replicas, conversationId, true);
    await expectOneRefund(replicas[0] as Replica, conversationId);
  });

  test.each(ways)('the same in one breath, nobody waiting for an answer (written as: %s)', async (way) => {
    const conversationId = fresh(way);
    await talk(replicas, conversationId, false);
    await expectOneRefund(replicas[0] as Replica, conversationId);
  });

  test('a message that is delivered twice, at every process, is one answer', async () => {
    const conversationId = fresh('class');
    await (replicas[0] as Replica).says(conversationId, 'refund');
    await world.hears(conversationId, question);
    const answers = replicas
      .concat(replicas)
      .map((replica) => replica.says(conversationId, '12345', { id: 'event-1' }));
    const told = await Promise.all(answers);
    await world.hears(conversationId, 'Refunded 12345.');
    expect(told.filter((each) => each === 'recorded')).toHaveLength(1);
    await (replicas[0] as Replica).says(conversationId, 'thank you!');
    await world.hears(conversationId, 'I can refund an order.');
    expect(await world.ledger(conversationId)).toMatchObject({ payments: 1, calls: 1 });
  });
});
