/**
 * What the memory store keeps of a conversation that is over is a few texts: many small objects make every garbage
 * collection of the process long.
 */
import { getHeapSnapshot } from 'node:v8';
import { expect, test } from 'vitest';
import type { Desk } from '../../src/channels/port.js';
import { AgentRegistry, agent, MemoryStore, text } from '../../src/index.js';

/** How many objects there are, after a full collection. A snapshot begins with their number. */
async function objects(): Promise<number> {
  for await (const chunk of getHeapSnapshot()) {
    const [, count] = /"node_count":(\d+)/.exec(String(chunk)) ?? [];
    if (count !== undefined) return Number(count);
  }
  throw new Error('no node_count in the snapshot');
}

/** A registry whose people are asked one question each, and answer it. */
async function asking(): Promise<(conversations: readonly string[]) => Promise<void>> {
  const support = agent('support');
  const order = support.question('order', text('Which order?', { pattern: /^\d+$/ }), { onAnswer: () => undefined });
  support.onMessage(({ ask }) => ask(order));
  let desk: Desk | undefined;
  const start = (given: Desk) => {
    desk = given;
  };
  const nowhere = { name: 'nowhere', start, send: async () => undefined };
  const registry = new AgentRegistry({ agents: [support], channels: [nowhere], store: new MemoryStore() });
  await registry.start();
  return async (conversations) => {
    for (const words of ['hello', '17']) {
      const said = (id: string) => ({
        id: words,
        conversationId: id,
        text: words,
        participant: { id: `nowhere:${id}` },
      });
      await Promise.all(conversations.map(async (id) => desk?.receive(said(id))));
      await registry.idle();
    }
  };
}

test('a conversation with one question, asked and answered, is kept in a few objects', {
  timeout: 60_000,
}, async () => {
  const answered = await asking();
  const some = (what: string) => Array.from({ length: 2000 }, (_, i) => `${what}-${i}`);
  await answered(some('warm')); // what is compiled and cached is there before anything is counted
  const before = await objects();
  await answered(some('kept'));
  const kept = ((await objects()) - before) / 2000;
  expect(kept).toBeGreaterThan(5);
  expect(kept).toBeLessThan(28); // 17 as it is, 42 when each text, number and list was kept by itself
});
