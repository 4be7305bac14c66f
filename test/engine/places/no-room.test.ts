/**
 * settings.openAsks and settings.documentBytes hold for every way to ask, from outside of turns and from another conversation too.
 */
import { expect, test } from 'vitest';
import type { AgentRegistry } from '../../../src/index.js';
import { AgentError, agent, confirm, text } from '../../../src/index.js';
import { requireApproval } from '../../../src/tools/index.js';
import { heard, settle, storeWith, TestChannel, world } from '../../support/engine.js';

const boss = { channel: 'phone', to: 'boss' };
const code = (error: unknown): string => (error instanceof AgentError ? error.code : String(error));

async function asking(settings: object) {
  const here = world();
  const phone = new TestChannel();
  const registry = await here.replica({ channels: [phone], settings });
  const open = async () => (await registry.listAsks({ conversationId: 'boss' })).asks;
  return { ...here, phone, registry, open };
}

test.each(['ask', 'askAndWait'] as const)(
  'registry.%s() in a conversation that has openAsks asks is refused',
  async (way) => {
    const { registry, open, phone, says } = await asking({ openAsks: 2 });
    await registry.ask(confirm('One?'), boss);
    await registry.ask(confirm('Two?'), boss);
    await expect(registry[way](confirm('Three?'), boss).catch(code)).resolves.toBe('too-many-asks');
    expect((await open()).map(({ question }) => question)).toEqual(['One?', 'Two?']);
    await says(phone, 'yes', { conversationId: 'boss' });
    expect(await registry.ask(confirm('Three?'), boss)).toMatchObject({ conversationId: 'boss' });
    await registry.stop();
  },
);

test.each(['ask', 'askAndWait'] as const)(
  'registry.%s() that would make the record too large is refused',
  async (way) => {
    const { registry, open } = await asking({ documentBytes: 100_000 });
    const big = { ...boss, context: { notes: 'x'.repeat(60_000) } };
    await registry.ask(confirm('One?'), big);
    await expect(registry[way](confirm('Two?'), big).catch(code)).resolves.toBe('bad-data');
    expect(await open()).toHaveLength(1);
    await registry.stop();
  },
);

test('askAndWait() is told at once of a refusal that another process has found', async () => {
  const { replica, store } = world();
  const recording = storeWith(store, { take: (call) => store.take({ ...call, lease: 0 }) }); // works on nothing itself
  const asker = await replica({ channels: [new TestChannel()], store: recording });
  const clerk = agent('clerk').onMessage(() => 'hi');
  const worker = await replica({ agents: [clerk], channels: [new TestChannel()], settings: { openAsks: 1 } });
  await worker.ask(confirm('One?'), boss);
  const told: string[] = [];
  void asker.askAndWait(confirm('Two?'), boss).catch((error: unknown) => told.push(code(error)));
  await settle();
  await worker.sweep();
  await settle();
  expect(told).toEqual(['too-many-asks']);
  await Promise.all([asker.stop(), worker.stop()]);
});

test('an ask with via to a conversation without room ends as undeliverable: its agent and the operator learn why', async () => {
  const { replica, says, store } = world();
  const phone = new TestChannel();
  const closed: string[] = [];
  const clerk = agent('clerk');
  const bill = clerk.question('bill', text('Pay it?'), {
    onAnswer: () => 'noted',
    onClosed: (pending, why) => {
      closed.push(`${pending.context['bill']} ${why}`);
    },
  });
  clerk.onMessage(({ message, ask }) => ask(bill, { context: { bill: message }, via: boss }));
  const registry = await replica({ agents: [clerk], channels: [phone], settings: { openAsks: 2 } });
  const undeliverable = heard(registry, 'undeliverable');
  for (const message of ['1', '2', '3']) await says(phone, message, { conversationId: `c${message}` });
  const { asks } = await registry.listAsks({ conversationId: 'boss' });
  expect(asks.map(({ context }) => context['bill'])).toEqual(['1', '2']);
  const { asks: over } = await registry.listAsks({ status: 'decided' });
  expect(over).toMatchObject([{ context: { bill: '3' }, status: 'cancelled', reason: 'undeliverable' }]);
  expect(closed).toEqual(['3 undeliverable']);
  expect(undeliverable).toMatchObject([{ conversationId: 'boss', failure: { code: 'too-many-asks' } }]);
  expect((await store.conversation('boss'))?.queue).toEqual([]);
  for (const { id } of asks) await registry.cancel(id);
  expect(closed).toEqual(['3 undeliverable', '1 cancelled', '2 cancelled']);
  await registry.stop();
});

const go = { name: 'Go', inputSchema: { type: 'object' } as const, execute: () => 'done' };
const asks: Record<string, (registry: AgentRegistry) => Promise<unknown>> = {
  'askAndWait()': async (registry) => (await registry.askAndWait(confirm('Go?'), boss)).status,
  'ask()': (registry) => registry.ask(confirm('Go?'), boss),
  'an approval': (registry) =>
    requireApproval(go, { registry, where: boss, answerableBy: 'anyone' }).execute({}, { callId: 'c' }),
};

/** A turn that asks the boss, who has as many open asks as fit. */
async function busyBoss(how: string) {
  const here = world();
  const phone = new TestChannel();
  const clerk = agent('clerk').onMessage(async () => {
    await asks[how]?.(registry);
  });
  const settings = { openAsks: 1, maxAttempts: 3, backOff: [1_000] };
  const registry: AgentRegistry = await here.replica({ agents: [clerk], channels: [phone], settings });
  const [failed, parked] = [heard(registry, 'failed'), heard(registry, 'parked')];
  const { askId: id } = await registry.ask(confirm('Busy?'), { ...boss, answerableBy: 'anyone' });
  await here.says(phone, 'go');
  await expect.poll(() => failed.length + parked.length).toBe(1); // the tool loads its schema checker
  return { ...here, registry, phone, failed, parked, busyWith: id };
}

test.each(Object.keys(asks))(
  'a turn whose question (%s) finds the other conversation full is tried again, and asks when there is room',
  async (how) => {
    const { registry, advance, failed, parked, busyWith } = await busyBoss(how);
    expect(failed).toMatchObject([{ failure: { code: 'too-many-asks' } }]);
    await advance(1_100);
    expect(failed).toHaveLength(2);
    await registry.cancel(busyWith);
    await advance(1_100);
    expect((await registry.listAsks({ conversationId: 'boss' })).asks).toMatchObject([{ status: 'pending' }]);
    expect([failed.length, parked]).toEqual([2, []]);
    await registry.stop();
  },
);

test.each(Object.keys(asks))('a turn whose question (%s) never finds room is parked after maxAttempts', async (how) => {
  const { registry, advance, failed, parked } = await busyBoss(how);
  for (let i = 0; i < 3; i += 1) await advance(1_100);
  expect(failed).toHaveLength(2);
  expect(parked).toMatchObject([{ attempts: 3, failure: { code: 'too-many-asks' } }]);
  await registry.stop();
});

test('asking more in its own conversation than fits is a mistake, and parks the turn at once', async () => {
  const { replica, says } = world();
  const phone = new TestChannel();
  const clerk = agent('clerk').onMessage(async ({ ask, askAndWait }) => {
    await ask('One?');
    await askAndWait('Two?');
  });
  const registry = await replica({ agents: [clerk], channels: [phone], settings: { openAsks: 1 } });
  const parked = heard(registry, 'parked');
  await says(phone, 'go');
  expect(parked).toMatchObject([{ attempts: 1, failure: { code: 'too-many-asks' } }]);
  await registry.stop();
});
