/** Live events of two processes over Redis, whose cursors are a place in each of its buckets. */
import { expect, test, vi } from 'vitest';
import { AgentRegistry, agent, text } from '../../../src/index.js';
import { createInbox } from '../../../src/server/index.js';
import type { RedisStore } from '../../../src/stores/redis/index.js';
import { TestChannel } from '../../support/engine.js';
import { redisForFile } from '../../support/for-file.js';
import { freshPrefix, pass, storeOn } from '../../support/redis-store.js';
import { boss } from '../kit.js';
import { Client } from '../live-kit.js';

const { client } = await redisForFile();

test('a client that comes back to another process hears what it has missed, and a quiet one costs a read a second', async () => {
  const prefix = freshPrefix();
  const phone = new TestChannel();
  const refunds = agent('refunds');
  const order = refunds.question('order', text('Which order?'), { onAnswer: () => 'Thanks.' });
  refunds.onMessage(({ ask }) => ask(order));
  const stores = [storeOn(client, { prefix }), storeOn(client, { prefix })];
  const reads = stores.map((store) => vi.spyOn(store, 'changes'));
  const here = new AgentRegistry({ agents: [refunds], channels: [phone], store: stores[0] as RedisStore });
  const elsewhere = new AgentRegistry({ store: stores[1] as RedisStore });
  await here.start();
  const secret = 'one secret for both, of 32 characters or more'; // cursors are sealed by it
  const inboxes = [here, elsewhere].map((registry) => createInbox(registry, { authenticate: () => boss, secret }));
  const connect = async (at: number, after = '') => {
    const headers = { authorization: 'Bearer boss', ...(after !== '' && { 'last-event-id': after }) };
    const request = new Request('http://localhost/inbox/api/v1/events', { headers });
    return new Client((await inboxes[at]?.fetch(request)) as Response);
  };
  const says = (id: string, conversationId: string) =>
    phone.receive({ id, conversationId, text: '12345', participant: { id: 'web:ada' } });
  const statuses = (heard: Client) => heard.events.map(({ data }) => data.status);
  const within = { timeout: 20_000 };

  const first = await connect(1);
  await vi.waitFor(() => expect(reads[1]?.mock.calls.length).toBeGreaterThan(1), within);
  await says('m1', 'c1');
  await vi.waitFor(() => expect(statuses(first)).toEqual(['pending']), within);
  await first.leave();
  for (let n = 2; n < 40; n += 1) await says(`m${n}`, `c${n}`);
  await says('a1', 'c1');
  await vi.waitFor(async () => expect((await here.listAsks()).asks).toHaveLength(38), within);
  const again = await connect(0, first.lastId);
  await vi.waitFor(() => expect(again.events).toHaveLength(39), within);
  expect(statuses(again).filter((status) => status === 'answered')).toHaveLength(1);
  expect(again.names).not.toContain('reset');

  const before = reads[0]?.mock.calls.length ?? 0;
  await pass(3_000);
  expect((reads[0]?.mock.calls.length ?? 0) - before).toBeLessThan(8);
  for (const inbox of inboxes) inbox.close();
  await Promise.all([here.stop(), elsewhere.stop()]);
});
