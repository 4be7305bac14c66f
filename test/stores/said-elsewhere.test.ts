/** sendTo() to another conversation of handle(), with two processes on a store that they share. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { AgentRegistry, agent, confirm } from '../../src/index.js';
import type { Store } from '../../src/stores/port.js';
import { SqliteStore } from '../../src/stores/sqlite/index.js';
import { redisForFile } from '../support/for-file.js';
import { freshPrefix, storeOn } from '../support/redis-store.js';

const { client } = await redisForFile();

function refunds() {
  const clerk = agent('clerk');
  const approve = clerk.question('approve', confirm('Refund it?'), {
    onAnswer: async (_, { pending, sendTo }) => {
      await sendTo('handle', 'You get it back.', { conversationId: String(pending.context['customer']) });
      return 'The customer is told.';
    },
  });
  return clerk.onMessage(async ({ ask, conversationId: customer }) => {
    const via = { channel: 'handle', conversationId: 'web-boss' };
    await ask(approve, { via, answerableBy: ['web:boss'], context: { customer } });
    return 'The boss is asked.';
  });
}

async function sqliteStores(): Promise<() => Store> {
  const folder = await mkdtemp(join(tmpdir(), 'askback-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return () => new SqliteStore({ path: join(folder, 'a.db') });
}

async function redisStores(): Promise<() => Store> {
  const prefix = freshPrefix();
  return () => storeOn(client, { prefix });
}

for (const [name, stores] of [['SQLite', sqliteStores] as const, ['Redis', redisStores] as const]) {
  test(`${name}: the boss answers in one process, and the customer is told in another, once`, async () => {
    const storeOf = await stores();
    const [shop, office] = [1, 2].map(() => new AgentRegistry({ agents: [refunds()], store: storeOf() })) as [
      AgentRegistry,
      AgentRegistry,
    ];
    for (const registry of [shop, office]) {
      await registry.start();
      onTestFinished(() => registry.stop());
    }
    const participant = { id: 'web:anna' };
    const { cursor } = await shop.handle({ id: '1', conversationId: 'web-anna', text: 'refund', participant });
    await expect.poll(async () => (await office.outputs('web-boss')).outputs).toHaveLength(1);
    const answer = { id: '2', conversationId: 'web-boss', text: 'yes', participant: { id: 'web:boss' } };
    const told = await office.handle(answer);
    expect(told.outputs).toMatchObject([{ text: 'The customer is told.' }]);
    const { outputs } = await shop.outputs('web-anna', { after: cursor, wait: 20_000 });
    expect(outputs).toMatchObject([{ text: 'You get it back.', channel: 'handle' }]);
    await office.handle(answer);
    const { items } = await office.history('web-anna');
    expect(items.filter((item) => item.type === 'out').map((item) => item.text)).toEqual([
      'The boss is asked.',
      'You get it back.',
    ]);
  });
}
