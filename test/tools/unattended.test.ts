/** Runs that nobody watches: a trigger has begun them, so there is nobody to ask where they run. */
import { expect, onTestFinished, test } from 'vitest';
import type { Channel, Desk, Model } from '../../src/index.js';
import { AgentRegistry, agent, MemoryStore } from '../../src/index.js';
import { FakeClock, scriptedModel } from '../../src/testing/index.js';
import type { Unattended } from '../../src/tools/index.js';
import { askHuman, askHumanTool, requireApproval } from '../../src/tools/index.js';
import { anna, Phone, settle, world } from './kit.js';

/** A clock on the wall: it starts turns, and reads nothing. */
class Trigger implements Channel {
  readonly name = 'cron';
  readonly isTriggerChannel = true;
  desk: Desk | undefined;
  start(desk: Desk): void {
    this.desk = desk;
  }
  async send(): Promise<void> {}
  async fires(): Promise<void> {
    await this.desk?.receive({
      id: `${process.hrtime.bigint()}`,
      conversationId: 'nightly',
      text: 'Go.',
      address: null,
    });
  }
}

type Said = Awaited<ReturnType<Model>>;
const asks: Said = { calls: [{ id: 'c1', name: 'ask_human', input: { prompt: 'Deploy?', options: ['yes', 'no'] } }] };
const night = { channel: 'phone', to: 'night-shift' };

function nightly(tool: (registry: () => AgentRegistry) => object, said: readonly Said[]) {
  const time = new FakeClock();
  const [trigger, phone] = [new Trigger(), new Phone()];
  const model = scriptedModel(said);
  const registry: AgentRegistry = new AgentRegistry({
    agents: [agent('nightly', { model, tools: [tool(() => registry) as never] })],
    channels: [trigger, phone],
    store: new MemoryStore({ clock: time }),
    clock: time,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
  });
  onTestFinished(() => registry.stop());
  return { registry, trigger, phone, model };
}

test.each<[Unattended | undefined, RegExp]>([
  [undefined, /Nobody can be asked in this run, so the question was not asked.*neither an answer nor a consent/],
  ['reject', /Nobody can be asked in this run, so the question was not asked/],
  ['deny', /counts as a refusal/],
])(
  'in a run() that a trigger began (%s) the model is told that nobody is there, and the run goes on',
  async (unattended, says) => {
    const tool = () => askHumanTool(unattended === undefined ? {} : { unattended });
    const { registry, trigger, phone, model } = nightly(tool, [asks, 'Not deployed.']);
    await registry.start();
    await trigger.fires();
    await settle();
    expect((await registry.parked()).items).toEqual([]);
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({ callId: 'c1', content: expect.stringMatching(says) });
    expect([...(await registry.listAsks()).asks, ...phone.sent]).toEqual([]);
  },
);

test('in a run() that a trigger began the question may go to a named channel; the run goes on there with the answer', async () => {
  const tool = () => askHumanTool({ unattended: { queue: night } });
  const { registry, trigger, phone, model } = nightly(tool, [asks, 'Deployed.']);
  await registry.start();
  await trigger.fires();
  await settle();
  expect(phone.sent).toMatchObject([{ conversationId: 'night-shift', text: 'Deploy?' }]);
  await phone.types('yes', 'night-shift');
  await settle();
  expect(model.requests[1]?.messages.at(-1)).toMatchObject({ callId: 'c1', content: 'yes' });
  expect(phone.texts.at(-1)).toBe('Deployed.');
});

test.each([
  ['reject', undefined],
  ['deny', 'deny'],
] as const)('an approval in a turn that a trigger began: %s, and nothing is done', async (_, unattended) => {
  const done: unknown[] = [];
  const tool = (registry: () => AgentRegistry) =>
    requireApproval(
      { name: 'ask_human', inputSchema: {}, execute: (input) => done.push(input) },
      { registry, where: 'here', answerableBy: 'anyone', ...(unattended === undefined ? {} : { unattended }) },
    );
  const { registry, trigger, model } = nightly(tool, [asks, 'Not done.']);
  await registry.start();
  await trigger.fires();
  await settle();
  expect(model.requests[1]?.messages.at(-1)?.content).toMatch(/It needs a person's approval.*NOT carried out/);
  expect(done).toEqual([]);
});

test('an approval in a turn that a trigger began may be asked for on a named channel', async () => {
  const done: unknown[] = [];
  const tool = (registry: () => AgentRegistry) =>
    requireApproval(
      { name: 'ask_human', inputSchema: {}, execute: () => done.push('deployed') },
      { registry, where: 'here', answerableBy: 'anyone', unattended: { queue: night } },
    );
  const { registry, trigger, phone } = nightly(tool, [asks, 'Done.']);
  await registry.start();
  await trigger.fires();
  await settle();
  expect(phone.sent).toMatchObject([{ conversationId: 'night-shift', text: 'Allow ask_human?' }]);
  await phone.types('once', 'night-shift');
  await settle();
  expect(done).toEqual(['deployed']);
});

test("a tool that asks 'here' has nobody to ask outside of turns", async () => {
  const { registry, phone } = world(() => 'yes');
  expect(await askHuman(registry, { where: 'here' }).execute({ prompt: 'Deploy?' })).toMatch(/Nobody can be asked/);
  const queued = askHuman(registry, { where: 'here', unattended: { queue: anna } });
  expect(await queued.execute({ prompt: 'Deploy?' })).toBe('yes');
  expect(phone.sent).toHaveLength(1);
});

test.each(['allow', { queue: {} }, { queue: 'phone' }])(
  'askHumanTool() with unattended: %j is refused',
  (unattended) => {
    expect(() => askHumanTool({ unattended: unattended as never })).toThrow(/unattended must be/);
  },
);
