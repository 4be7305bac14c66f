/** idle(): what a serverless function awaits before it lets itself be frozen. */
import { expect, test } from 'vitest';
import type { Desk } from '../../../src/index.js';
import { AgentRegistry, agent } from '../../../src/index.js';
import { gate, settle, storeWith, TestChannel, world } from '../../support/engine.js';

test('idle() waits for entries that were only recorded because all turn slots were taken', async () => {
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

test('a message whose recording outlives the turn that kept this process busy is not left to the sweep', async () => {
  const { replica, store } = world();
  const [turn, recording] = [gate(), gate()];
  const clerk = agent('clerk').onMessage(async ({ conversationId }) => {
    if (conversationId === 'first') await turn.passed;
    return 'Done.';
  });
  const phone = new TestChannel();
  const take: typeof store.take = async (call) => {
    if (call.conversationId === 'second' && call.entry !== undefined) await recording.passed;
    return store.take(call);
  };
  const deaf = storeWith(store, { take, hint: () => {} }); // a hint may be lost
  await replica({ agents: [clerk], channels: [phone], store: deaf, settings: { turns: 1 } });
  await phone.desk?.receive({ id: 'm1', conversationId: 'first', text: 'hi' });
  const received = phone.desk?.receive({ id: 'm1', conversationId: 'second', text: 'hi' });
  turn.open();
  await settle();
  recording.open();
  await received;
  await settle();
  expect(phone.texts('second')).toEqual(['Done.']);
});

test('listAsks() reads thousands of conversations without running into a time limit', async () => {
  const asking = agent('asking').onMessage(({ ask }) => ask('Which order?'));
  const registry = new AgentRegistry({ agents: [asking] });
  for (let i = 0; i < 1_500; i += 1) await registry.handle({ id: 'm1', conversationId: `c${i}`, text: 'hi' });
  expect((await registry.listAsks({ limit: 2_000 })).asks).toHaveLength(1_500);
  await registry.stop();
});

test('a program that does nothing but hand in messages still hears its timers, with the default store', async () => {
  const support = agent('support');
  support.onMessage(() => 'ok');
  const registry = new AgentRegistry({ agents: [support] });
  let rang = false;
  setTimeout(() => {
    rang = true;
  }, 1);
  for (let i = 0; i < 20_000 && !rang; i += 1)
    await registry.handle({ id: `m${i}`, conversationId: `c${i}`, text: 'hello' });
  expect(rang).toBe(true);
  await registry.stop();
});
