/** What users share is shared here: one registry, one agent and one gated tool serve many tenants at once. */
import { expect, onTestFinished, test } from 'vitest';
import type { Participant } from '../../src/index.js';
import { AgentRegistry, agent } from '../../src/index.js';
import type { ApprovalOptions } from '../../src/tools/index.js';
import { requireApproval } from '../../src/tools/index.js';
import { TestChannel } from '../support/engine.js';
import { settle } from './kit.js';

const tenants = Array.from({ length: 12 }, (_, n) => `tenant${n}`);
const employee = (tenant: string): Participant => ({ id: `web:${tenant}/ann`, tenant, roles: ['manager'] });
const manager = (tenant: string): Participant => ({ id: `web:${tenant}/max`, tenant, roles: ['manager'] });
const next = (tenant: string): string => tenants[(tenants.indexOf(tenant) + 1) % tenants.length] as string;
const session = (): string => 'for this session';
const isEven = (tenant: string): boolean => tenants.indexOf(tenant) % 2 === 0;

/** One agent with one tool; every tenant has a room, and everybody wants the same. */
async function company(where: ApprovalOptions['where']) {
  const paid: { room: string; effectKey: string | undefined }[] = [];
  const tool = {
    name: 'refund',
    inputSchema: { type: 'object' },
    execute: async (_: unknown, { effectKey, callId }: { effectKey?: string; callId?: string }) => {
      paid.push({ room: String(callId?.split(' ')[0]), effectKey });
      return 'Paid.';
    },
  };
  const refund = requireApproval(tool, {
    registry: () => registry,
    where,
    answerableBy: { roles: ['manager'] },
    excludeAsker: true,
  });
  const shop = agent('shop').onMessage(({ message, conversationId }) =>
    message?.startsWith('refund')
      ? refund.execute({ order: '12345' }, { callId: `${conversationId} ${message}` })
      : undefined,
  );
  const phone = new TestChannel();
  const registry = new AgentRegistry({ agents: [shop], channels: [phone] });
  onTestFinished(() => registry.stop());
  await registry.start();
  const says = (who: Participant, room: string, text: string) =>
    phone.receive({ id: `${room} ${text}`, conversationId: room, address: room, participant: who, text });
  /** The open asks, by the tenant whose manager may answer them: at most one each. */
  const asked = async () => {
    const found = new Map<string, string>();
    for (const tenant of tenants) {
      const { asks } = await registry.listAsks({ for: manager(tenant) });
      expect(asks.length).toBeLessThan(2);
      for (const { id } of asks) found.set(tenant, id);
    }
    return found;
  };
  return { registry, paid, says, asked };
}

const places: readonly (readonly [string, ApprovalOptions['where']])[] = [
  ['in the room of each', 'here'],
  ['in one room for all', { channel: 'phone', to: 'board', conversationId: 'board' }],
];

test.each(places)('%s, each tenant approves for itself: no answer, grant or key reaches another', async (_, where) => {
  const { registry, says, paid, asked } = await company(where);
  const everywhere = <T>(act: (tenant: string) => Promise<T>) => Promise.all(tenants.map(act));
  await everywhere((tenant) => says(employee(tenant), tenant, 'refund 1'));
  await expect.poll(async () => (await asked()).size).toBe(tenants.length);
  const open = await asked();
  expect([...open.keys()].sort()).toEqual([...tenants].sort());

  const answers = (words: (tenant: string) => string, who: (tenant: string) => Participant) =>
    everywhere(async (tenant) => {
      const { type } = await registry.answer(open.get(tenant) ?? '', { text: words(tenant) }, { by: who(tenant) });
      return type;
    });
  const allRefused = tenants.map(() => 'refused');
  expect(await answers(session, (tenant) => manager(next(tenant)))).toEqual(allRefused);
  expect(await answers(session, employee)).toEqual(allRefused);
  expect(paid).toEqual([]);

  expect(await answers((tenant) => (isEven(tenant) ? 'for this session' : 'deny'), manager)).toEqual(
    tenants.map(() => 'accepted'),
  );
  await everywhere((tenant) => says(employee(tenant), tenant, 'refund 2'));
  await expect.poll(async () => paid.length + (await asked()).size).toBe(tenants.length * 1.5);
  await settle();
  expect([...(await asked()).keys()].sort()).toEqual(tenants.filter((tenant) => !isEven(tenant)).sort());
  expect(paid.map(({ room }) => room).sort()).toEqual(
    tenants
      .filter(isEven)
      .flatMap((room) => [room, room])
      .sort(),
  );
  expect(new Set(paid.map(({ effectKey }) => effectKey)).size).toBe(paid.length);
});
