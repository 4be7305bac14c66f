/** A process is stopped while a tool of run() asks a person: its turn runs again elsewhere, with the same ask and its answer. */
import { expect, test, vi } from 'vitest';
import type { RunCall } from '../../src/agent/tool.js';
import type { AgentRegistry, Model } from '../../src/index.js';
import { agent } from '../../src/index.js';
import type { AskPlaceOption } from '../../src/tools/ask-place.js';
import { askHuman, requireApproval } from '../../src/tools/index.js';
import { gate, settle, TestChannel, world } from '../support/engine.js';

const boss = { channel: 'phone', to: 'boss' } as const;
type Execute = (registry: AgentRegistry, input: unknown, call: RunCall) => Promise<unknown>;

/** A shop whose model calls its one tool once and says what the tool gave, in as many processes as a test starts. */
function selling(execute: Execute) {
  const { replica, says, advance } = world();
  const told: string[] = [];
  const model: Model = async ({ messages }) => {
    const last = messages.at(-1);
    if (last?.role !== 'tool') return { calls: [{ id: 'c1', name: 'desk', input: { prompt: 'Which colour?' } }] };
    told.push(last.content);
    return `The desk says: ${last.content}`;
  };
  const start = async () => {
    const phone = new TestChannel();
    const desk = {
      name: 'desk',
      inputSchema: { type: 'object' },
      execute: (input: unknown, call: RunCall) => execute(registry, input, call),
    };
    const registry: AgentRegistry = await replica({
      agents: [agent('shop', { model, tools: [desk] })],
      channels: [phone],
    });
    await advance(60_000); // what was given back is taken
    return {
      registry,
      phone,
      hears: (words: string, conversationId = 'user') => says(phone, words, { conversationId }),
    };
  };
  return { start, told, advance };
}

const ask =
  (where: AskPlaceOption): Execute =>
  (registry, input, call) =>
    askHuman(registry, { where }).execute(input, call);

function approval(where: AskPlaceOption, paid: unknown[]): Execute {
  const pay = {
    name: 'desk',
    inputSchema: { type: 'object' },
    execute: (_: unknown, { effectKey }: { effectKey?: string | undefined }) => {
      paid.push(effectKey);
      return 'paid';
    },
  };
  return (registry, input, call) =>
    requireApproval(pay, { registry, where, answerableBy: 'anyone' }).execute(input, call);
}

test.each([
  ['elsewhere', boss, 'boss'],
  ['here', 'here', 'user'],
] as const)(
  'stopped while a tool waits for an approval %s, the turn goes on in the next process',
  async (_, where, who) => {
    const paid: unknown[] = [];
    const { start, told, advance } = selling(approval(where, paid));
    const old = await start();
    await old.hears('go');
    await vi.waitFor(() => expect(old.phone.texts()).toEqual(['Allow desk?'])); // the first check of a schema loads its package
    const [asked] = (await old.registry.listAsks()).asks;
    await old.registry.stop();
    expect(told).toEqual([]);
    const { registry, phone, hears } = await start();
    expect((await registry.listAsks()).asks).toMatchObject([{ id: asked?.id, status: 'pending' }]);
    await hears('once', who);
    await advance(60_000);
    expect(told).toEqual(['paid']);
    expect(paid).toEqual([asked?.id]);
    expect([...old.phone.texts(), ...phone.texts()]).toEqual([
      'Allow desk?',
      'Approved, just this once.',
      'The desk says: paid',
    ]);
    await registry.stop();
  },
);

test('stopped while a tool asks elsewhere, the model is given the answer in the next process', async () => {
  const { start, told } = selling(ask(boss));
  const old = await start();
  await old.hears('go');
  await old.registry.stop();
  const { registry, phone, hears } = await start();
  await hears('blue', 'boss');
  expect(told).toEqual(['blue']);
  expect([...old.phone.texts(), ...phone.texts()]).toEqual(['Which colour?', 'The desk says: blue']);
  await registry.stop();
});

test('a tool that begins to ask while the registry stops gives its turn back, whatever it makes of the error', async () => {
  const busy = gate();
  const { start, told } = selling(async (registry, input, call) => {
    await busy.passed;
    return ask(boss)(registry, input, call).catch(() => Promise.reject(new Error('The desk is closed.')));
  });
  const old = await start();
  await old.hears('go');
  const stopping = old.registry.stop();
  busy.open();
  await settle();
  await stopping;
  expect([told, old.phone.texts()]).toEqual([[], []]);
  const { registry, phone, hears } = await start();
  await hears('blue', 'boss');
  expect(phone.texts()).toEqual(['Which colour?', 'The desk says: blue']);
  await registry.stop();
});
