/** The two stories of a model that asks a person, on a real Redis: blocking, and interrupted with a restart in between. */
import { generateText, type ModelMessage, stepCountIs } from 'ai';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { AgentRegistry, agent } from '../../src/index.js';
import { RedisStore } from '../../src/stores/redis/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { humanTool } from '../../src/tools/ai/index.js';
import { approve, askHumanTool, type Interrupt, requireApproval } from '../../src/tools/index.js';
import { patience } from '../support/processes.js';
import { type RedisServer, startRedis } from '../support/redis-server.js';
import { called, lastPrompt, saying } from './ai-model.js';
import { anna, idle, Phone } from './kit.js';

let redis: RedisServer;
let client: Redis;

beforeAll(async () => {
  redis = await startRedis({ args: ['--appendonly', 'yes'] });
  client = new Redis(redis.url);
});
afterAll(async () => {
  client.disconnect();
  await redis.stop();
});

/** A process: a registry on Redis with a phone of its own, stopped with its test at the latest. */
function started(prefix: string, phone: Phone, agents = [idle()]) {
  const store = new RedisStore({ client, prefix, commandTimeout: patience });
  const registry = new AgentRegistry({ agents, channels: [phone], store });
  onTestFinished(() => registry.stop());
  return registry;
}

const size = { prompt: 'Which size?', options: ['S', 'L'] };
const user: ModelMessage[] = [{ role: 'user', content: 'Order me a hat.' }];

test('blocking on Redis: question, human, result, and the model goes on', async () => {
  const phone = new Phone(() => 'L');
  const registry = started('blocking', phone, []);
  const human = await humanTool(registry, { where: anna });
  const model = saying([called('call_1', human.name, size)], 'Ordered a large hat.');
  const stopWhen = stepCountIs(3);
  const { text } = await generateText({ model, tools: { ...human.tools }, stopWhen, messages: user });
  expect(text).toBe('Ordered a large hat.');
  expect(lastPrompt(model).at(-1)).toMatchObject({ content: [{ toolCallId: 'call_1', output: { value: 'L' } }] });
  expect(phone.texts).toEqual(['Which size?']);
});

test('interrupted on Redis: the process ends with the question open, another one takes the answer and goes on', async () => {
  const options = { where: anna, interrupt: true } as const;
  const earlier = new Phone();
  const first = started('interrupted', earlier);
  const before = await humanTool(first, options);
  const model = saying([called('call_1', before.name, size)]);
  const result = await generateText({ model, tools: { ...before.tools }, messages: user });
  const kept = JSON.stringify({
    messages: [...user, ...result.response.messages],
    asks: await before.open(result),
  });
  await earlier.message(1);
  await first.stop();

  const phone = new Phone();
  const registry = started('interrupted', phone);
  await registry.start();
  const { messages, asks } = JSON.parse(kept) as { messages: ModelMessage[]; asks: Interrupt[] };
  const [ask] = asks;
  if (ask?.kind !== 'question') throw new Error('it was asked');
  const answered = registry.wait(ask.id);
  await phone.types('L');
  await answered;
  const after = await humanTool(registry, options);
  const going = saying('Ordered a large hat.');
  const resumed = await after.resume(messages, asks);
  const { text } = await generateText({ model: going, tools: { ...after.tools }, messages: resumed });
  expect(text).toBe('Ordered a large hat.');
  expect(lastPrompt(going).at(-1)).toMatchObject({ content: [{ toolCallId: 'call_1', output: { value: 'L' } }] });
  expect([...earlier.texts, ...phone.texts]).toEqual(['Which size?']);
});

test('run() on Redis: the model asks in one process, another takes the answer and goes on under the call id', async () => {
  const call = { id: 'call_1', name: 'ask_human', input: size };
  const shop = (said: Parameters<typeof scriptedModel>[0]) => {
    const model = scriptedModel(said);
    return { model, agent: agent('shop', { model, tools: [askHumanTool()] }) };
  };
  const earlier = new Phone();
  const first = started('run', earlier, [shop([{ calls: [call] }]).agent]);
  await first.start();
  await earlier.types('Order me a hat.');
  await earlier.message(1);
  await first.stop();

  const { model, agent: again } = shop(['Ordered a large hat.']);
  const phone = new Phone();
  await started('run', phone, [again]).start();
  await phone.types('L');
  expect(await phone.message(1)).toMatchObject({ text: 'Ordered a large hat.' });
  expect(model.requests[0]?.messages.slice(-2)).toEqual([
    { role: 'assistant', content: '', calls: [call] },
    { role: 'tool', callId: 'call_1', name: 'ask_human', content: 'L' },
  ]);
});

test('an approval on Redis: asked in one process, approved and carried out in another, with the stored arguments', async () => {
  const paid: unknown[] = [];
  const gated = (registry: AgentRegistry) =>
    requireApproval(
      {
        name: 'refund',
        inputSchema: { type: 'object' },
        execute: async (input: object, { effectKey }) => {
          paid.push({ ...input, effectKey });
          return 'Refunded.';
        },
      },
      { registry, where: anna, answerableBy: ['phone:anna'] },
    );
  const before = new Phone();
  const first = started('approval', before);
  const interrupt = await gated(first).open({ order: '12345' }, { callId: 'call_1' });
  if (interrupt?.kind !== 'approval') throw new Error('it was asked');
  await before.message(1);
  await first.stop();

  const phone = new Phone();
  const registry = started('approval', phone);
  await registry.start();
  const decided = registry.wait(interrupt.id);
  await phone.types('once');
  await decided;
  expect(await gated(registry).resume(interrupt)).toBe('Refunded.');
  expect(paid).toEqual([{ order: '12345', effectKey: interrupt.id }]);
});

test('a grant on Redis: given in one process, used and revoked in another, gone in a third', async () => {
  const action = { tool: 'refund', input: { order: '12345' } };
  const phones: Phone[] = [];
  const begin = () => {
    const phone = new Phone(() => 'for this session');
    phones.push(phone);
    const registry = started('grant', phone);
    return { registry, approvals: approve(registry, { where: anna, answerableBy: ['phone:anna'] }) };
  };
  const first = begin();
  expect(await first.approvals.request(action)).toMatchObject({ approved: true });
  await first.registry.stop();
  const second = begin();
  const used = await Promise.all([1, 2, 3].map(() => second.approvals.request(action)));
  expect(new Set(used.map((approval) => approval.approved && approval.effectKey)).size).toBe(3);
  const [grant] = await second.approvals.grants();
  expect(await second.approvals.revoke(grant?.id ?? '')).toBe(true);
  await second.registry.stop();
  expect(phones.flatMap(({ questions }) => questions)).toHaveLength(1);
  const third = begin();
  expect(await third.approvals.grants()).toEqual([]);
  await third.approvals.request(action);
  expect(phones.flatMap(({ questions }) => questions)).toHaveLength(2);
});
