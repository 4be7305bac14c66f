/** The AI SDK's own generateText, in front of its own mock model: no network. */
import { APICallError } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { afterEach, expect, test, vi } from 'vitest';
import { AgentError, agent } from '../../../src/index.js';
import { type AiModelOptions, aiModel } from '../../../src/models/ai.js';
import { rehearse } from '../../../src/testing/index.js';

type Generated = Awaited<ReturnType<MockLanguageModelV3['doGenerate']>>;

const usage: Generated['usage'] = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

function answering(...content: Generated['content']): MockLanguageModelV3 {
  return new MockLanguageModelV3({
    doGenerate: { content, finishReason: { unified: 'stop', raw: 'stop' }, usage, warnings: [] },
  });
}

const { signal } = new AbortController();
const hello = { messages: [{ role: 'user', content: 'hello' }], signal } as const;
const refundTool = {
  name: 'refund',
  description: 'Refunds an order.',
  inputSchema: { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] },
};

afterEach(() => {
  vi.doUnmock('ai');
  vi.resetModules();
});

test('system, conversation and settings reach the model, and its text comes back', async () => {
  const model = answering({ type: 'text', text: 'Good ' }, { type: 'text', text: 'day.' });
  const said = await aiModel(model, { temperature: 0, maxOutputTokens: 50 })({
    system: 'Be brief.',
    messages: [
      { role: 'user', content: 'hello' },
      { role: 'assistant', content: 'Yes?' },
      { role: 'user', content: 'again' },
    ],
    signal,
  });
  expect(said).toEqual({ text: 'Good day.' });
  expect(model.doGenerateCalls[0]).toMatchObject({
    prompt: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'hello' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'Yes?' }] },
      { role: 'user', content: [{ type: 'text', text: 'again' }] },
    ],
    temperature: 0,
    maxOutputTokens: 50,
  });
  expect(model.doGenerateCalls[0]?.tools).toBeUndefined();
});

test('tools are described to the model, and its calls come back instead of being run', async () => {
  const model = answering(
    { type: 'text', text: 'One moment.' },
    { type: 'tool-call', toolCallId: 'c1', toolName: 'refund', input: '{"order":"12345"}' },
  );
  expect(await aiModel(model)({ ...hello, tools: [refundTool] })).toEqual({
    text: 'One moment.',
    calls: [{ id: 'c1', name: 'refund', input: { order: '12345' } }],
  });
  expect(model.doGenerateCalls).toHaveLength(1);
  expect(model.doGenerateCalls[0]?.tools).toMatchObject([
    { type: 'function', name: 'refund', description: 'Refunds an order.', inputSchema: refundTool.inputSchema },
  ]);
});

test('a call of a tool that nobody offered is handed back for the caller to refuse', async () => {
  const model = answering({ type: 'tool-call', toolCallId: 'c1', toolName: 'delete', input: '{"all":true}' });
  expect(await aiModel(model)({ ...hello, tools: [refundTool] })).toEqual({
    calls: [{ id: 'c1', name: 'delete', input: { all: true }, problem: expect.stringContaining("'delete'") }],
  });
});

test('what the provider has run itself is not handed back to be run again', async () => {
  const model = answering(
    { type: 'tool-call', toolCallId: 'c1', toolName: 'refund', input: '{"order":"1"}', providerExecuted: true },
    { type: 'tool-result', toolCallId: 'c1', toolName: 'refund', result: 'done' },
    { type: 'text', text: 'Done.' },
  );
  expect(await aiModel(model)({ ...hello, tools: [refundTool] })).toEqual({ text: 'Done.' });
});

test('a turn that is over ends the call', async () => {
  const ending = new AbortController();
  const model = new MockLanguageModelV3({
    doGenerate: ({ abortSignal }) =>
      new Promise((_, reject) => {
        abortSignal?.addEventListener('abort', () => reject(abortSignal.reason));
        ending.abort();
      }),
  });
  await expect(aiModel(model)({ ...hello, signal: ending.signal })).rejects.toMatchObject({ name: 'AbortError' });
});

test("what the provider throws is passed on, and maxRetries is the caller's", async () => {
  let calls = 0;
  const model = new MockLanguageModelV3({
    doGenerate: async () => {
      calls += 1;
      throw new Error('overloaded');
    },
  });
  await expect(aiModel(model, { maxRetries: 0 })(hello)).rejects.toThrow('overloaded');
  expect(calls).toBe(1);
});

test.each<[string, () => unknown, RegExp]>([
  ['no model', () => aiModel(undefined as never), /model must be a language model/],
  ['an unknown option', () => aiModel(answering(), { topK: 1 } as AiModelOptions), /topK is unknown/],
  ['a number that is none', () => aiModel(answering(), { temperature: Number.NaN }), /temperature must be a number/],
])('refused at once: %s', (_, make, message) => {
  expect(make).toThrow(expect.objectContaining({ code: 'bad-option', message: expect.stringMatching(message) }));
});

test('without the package ai, the error has the line that installs it', async () => {
  vi.resetModules();
  vi.doMock('ai', () => {
    throw new Error("Cannot find package 'ai'");
  });
  const { aiModel: fresh } = await import('../../../src/models/ai.js');
  await expect(fresh('some/model')(hello)).rejects.toMatchObject({
    code: 'missing-package',
    message: expect.stringContaining('npm install ai'),
  });
});

test('a call that the SDK marks as invalid comes back with its problem, for the model to hear and never to be run', async () => {
  const model = answering({ type: 'tool-call', toolCallId: 'c1', toolName: 'refund', input: '{"order":' });
  const said = await aiModel(model)({ ...hello, tools: [refundTool] });
  expect(said).toMatchObject({
    calls: [{ id: 'c1', name: 'refund', input: {}, problem: expect.stringMatching(/JSON/) }],
  });
});

const refusing = (statusCode: number, message: string, isRetryable = false) =>
  new MockLanguageModelV3({
    doGenerate: async () => {
      throw new APICallError({ message, url: 'http://localhost', requestBodyValues: {}, statusCode, isRetryable });
    },
  });

test.each([
  [401, 'Incorrect API key.'],
  [400, 'The context is too long.'],
  [404, 'There is no such model.'],
])('status %i is refused for good: the turn is parked at its first try', async (status, message) => {
  const clerk = agent('clerk', { model: aiModel(refusing(status, message), { maxRetries: 0 }) });
  const { registry, human, stop } = await rehearse({ agents: [clerk], failures: 'collect' });
  await human('anna').says('hello');
  expect((await registry.parked()).items).toMatchObject([
    { attempts: 1, failure: { code: 'model-refused', message: expect.stringContaining(message) } },
  ]);
  await stop();
});

test.each([429, 500, 503])('status %i may pass, so it is passed on as it is', async (status) => {
  const calling = aiModel(refusing(status, 'Later.', true), { maxRetries: 0 })(hello);
  await expect(calling).rejects.not.toBeInstanceOf(AgentError);
});
