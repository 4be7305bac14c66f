/** idle(): what a serverless function awaits before it lets itself be frozen. */
import { expect, test } from 'vitest';
import type { Desk } from '../../src/index.js';
import { AgentRegistry, agent } from '../../src/index.js';

test('idle() waits for what was only recorded because the process had its hands full', async () => {
  const handled: string[] = [];
  const slow = agent('slow').onMessage(async ({ conversationId }) => {
    await new Promise((resolve) => setImmediate(resolve));
    handled.push(conversationId);
  });
  const desks: Desk[] = [];
  const phone = { name: 'phone', start: (given: Desk) => void desks.push(given), send: async () => {} };
  const registry = new AgentRegistry({ agents: [slow], channels: [phone], settings: { turns: 2 } });
  await registry.start();
  const ids = Array.from({ length: 40 }, (_, i) => `c${i}`);
  const desk = desks[0] as Desk;
  await Promise.all(ids.map((conversationId) => desk.receive({ id: 'm1', conversationId, text: 'hi' })));
  await registry.idle();
  expect(handled.sort()).toEqual(ids.sort());
  await registry.stop();
});

test('listAsks() reads thousands of conversations without running into a time limit', async () => {
  const asking = agent('asking').onMessage(({ ask }) => ask('Which order?'));
  const registry = new AgentRegistry({ agents: [asking] });
  for (let i = 0; i < 1_500; i += 1) await registry.handle({ id: 'm1', conversationId: `c${i}`, text: 'hi' });
  expect((await registry.listAsks({ limit: 2_000 })).asks).toHaveLength(1_500);
  await registry.stop();
});
