/** A turn that waits for another conversation takes no turn slot, so that the other conversation can go on. */
import { expect, test } from 'vitest';
import type { AgentRegistry } from '../../../src/index.js';
import { agent, confirm } from '../../../src/index.js';
import { requireApproval } from '../../../src/tools/index.js';
import { settle, TestChannel, world } from '../../support/engine.js';

const boss = { channel: 'phone', to: 'boss', answerableBy: 'anyone' } as const;

const waits: Record<string, (registry: AgentRegistry) => Promise<unknown>> = {
  'askAndWait()': async (registry) => (await registry.askAndWait(confirm('Go?'), boss)).status,
  'ask() and wait()': async (registry) => {
    const { askId: id } = await registry.ask(confirm('Go?'), boss);
    return (await registry.wait(id)).status;
  },
  'an approval': (registry) => {
    const go = { name: 'Go', inputSchema: { type: 'object' } as const, execute: () => 'answered' };
    const where = { channel: 'phone', to: 'boss' };
    return requireApproval(go, { registry: () => registry, where, answerableBy: 'anyone' }).execute(
      {},
      { callId: 'c' },
    );
  },
};

async function oneSlot(work: (registry: AgentRegistry) => Promise<unknown>) {
  const here = world();
  const phone = new TestChannel();
  const desk = agent('desk').onMessage(async ({ message }) => {
    if (message !== 'go') return `ordinary ${message}`;
    return String(await work(registry));
  });
  const registry: AgentRegistry = await here.replica({ agents: [desk], channels: [phone], settings: { turns: 1 } });
  return { ...here, phone, registry };
}

test.each(Object.keys(waits))(
  'with one slot, a turn that waits by %s lets the other conversations work',
  async (how) => {
    const { says, phone, registry } = await oneSlot((here) => waits[how]?.(here) ?? Promise.resolve());
    await says(phone, 'go', { conversationId: 'ann' });
    await expect.poll(() => phone.texts('boss').join()).toMatch(/Go/); // the tool loads its schema checker
    await says(phone, 'hello', { conversationId: 'bob' });
    expect(phone.texts('bob')).toEqual(['ordinary hello']);
    await says(phone, how === 'an approval' ? 'Once' : 'yes', { conversationId: 'boss' });
    await settle();
    expect(phone.texts('ann')).toEqual(['answered']);
    await registry.stop();
  },
);

test('with one slot, a turn may hand a message to another conversation and wait for what becomes of it', async () => {
  const { says, phone, registry } = await oneSlot(async (here) => {
    const { outputs } = await here.handle({ id: '1', conversationId: 'bob', text: 'hello' });
    return outputs.map(({ text }) => text).join();
  });
  await says(phone, 'go', { conversationId: 'ann' });
  await settle();
  expect(phone.texts('ann')).toEqual(['ordinary hello']);
  await registry.stop();
});

test('with one slot, a turn that gives up elsewhere cancels its question there', async () => {
  const { says, phone, registry, advance } = await oneSlot(
    async (here) => (await here.askAndWait(confirm('Go?'), { ...boss, timeout: 1_000 })).status,
  );
  await says(phone, 'go', { conversationId: 'ann' });
  await advance(2_000);
  expect(phone.texts('ann')).toEqual(['cancelled']);
  expect((await registry.listAsks()).asks).toEqual([]);
  await registry.stop();
});
