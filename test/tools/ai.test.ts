/** Asking a person from the AI SDK's own generateText and streamText, in front of its own mock model: no network. */
import { generateText, jsonSchema, type ModelMessage, stepCountIs, streamText, tool } from 'ai';
import { MockLanguageModelV3, simulateReadableStream } from 'ai/test';
import { afterEach, expect, test, vi } from 'vitest';
import { humanTool, type Interrupt } from '../../src/tools/ai/index.js';
import { requireApproval } from '../../src/tools/index.js';
import { called, content, lastPrompt, saying } from './ai-model.js';
import { anna, settle, world } from './kit.js';

const size = { prompt: 'Which size?', options: ['S', 'L'] };
const user: ModelMessage[] = [{ role: 'user', content: 'Order me a hat.' }];
const stopWhen = stepCountIs(6);
/** As it comes out of a database. */
const stored = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

afterEach(() => {
  vi.doUnmock('ai');
  vi.resetModules();
});

test('blocking: the model asks, the person answers, the result goes back under its call id, the model goes on', async () => {
  const { registry, phone } = world(() => 'L');
  const human = await humanTool(registry, { where: anna });
  const model = saying([called('call_1', human.name, size)], 'Ordered a large hat.');
  const { text } = await generateText({ model, tools: { ...human.tools }, stopWhen, messages: user });
  expect(text).toBe('Ordered a large hat.');
  expect(phone.texts).toEqual(['Which size?']);
  expect(lastPrompt(model).slice(1)).toMatchObject([
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'call_1', toolName: 'ask_human' }] },
    {
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: 'call_1', output: { type: 'text', value: 'L' } }],
    },
  ]);
  expect(JSON.stringify(lastPrompt(model))).not.toContain(phone.sent[0]?.ask?.id); // the human's side stays the human's
  expect(model.doGenerateCalls[0]?.tools).toMatchObject([{ name: 'ask_human', inputSchema: { required: ['prompt'] } }]);
});

test('blocking: wrong arguments are reported to the model, which corrects them; a text that is no JSON is left to the SDK', async () => {
  const { registry, phone } = world(() => 'L');
  const human = await humanTool(registry, { where: anna });
  const model = saying(
    [{ ...called('c1', human.name, {}), input: '{"prompt":' }],
    [called('c2', human.name, { ...size, options: [] })],
    [called('c3', human.name, size)],
    'Done.',
  );
  const { text } = await generateText({ model, tools: { ...human.tools }, stopWhen, messages: user });
  expect(text).toBe('Done.');
  const results = JSON.stringify(lastPrompt(model).filter(({ role }) => role === 'tool'));
  expect(results).toContain('options is empty. Send at least one option');
  expect(phone.texts).toEqual(['Which size?']);
});

test('blocking: two calls in one step are two questions, each with its own result', async () => {
  const { registry } = world(({ text }) => (text === 'Which size?' ? 'L' : 'red'));
  const human = await humanTool(registry, { where: anna });
  const calls = [called('c1', human.name, size), called('c2', human.name, { question: 'Which colour?' })];
  const model = saying(calls, 'Done.');
  await generateText({ model, tools: { ...human.tools }, stopWhen, messages: user });
  expect(lastPrompt(model).at(-1)).toMatchObject({
    content: [
      { toolCallId: 'c1', output: { value: 'L' } },
      { toolCallId: 'c2', output: { value: 'red' } },
    ],
  });
});

test('a tool of the SDK behind an approval: denied it is not carried out, allowed it is, and the model hears of both', async () => {
  const replies = ['deny', 'once'];
  const { registry, phone } = world(() => replies.shift());
  const paid: unknown[] = [];
  const refund = requireApproval(
    {
      name: 'refund',
      inputSchema: { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] },
      execute: ({ order }: { order: string }, { callId, effectKey }) => {
        paid.push([order, callId, typeof effectKey]);
        return `Refunded ${order}.`;
      },
    },
    { registry, where: anna, answerableBy: 'anyone' },
  );
  const refunding = tool({
    inputSchema: jsonSchema<unknown>(refund.inputSchema as object),
    execute: (input, { toolCallId, abortSignal }) => refund.execute(input, { callId: toolCallId, signal: abortSignal }),
  });
  const model = saying([called('c1', 'refund', { order: '1' })], [called('c2', 'refund', { order: '2' })], 'Done.');
  await generateText({ model, tools: { refund: refunding }, stopWhen, messages: user });
  expect(paid).toEqual([['2', 'c2', 'string']]);
  expect(phone.questions.map(({ ask }) => ask?.details)).toMatchObject([{ order: '1' }, { order: '2' }]);
  expect(content(lastPrompt(model)).map(({ output }) => output)).toMatchObject([
    { value: expect.stringMatching(/denied this.*NOT carried out.*Do not try it again/) },
    { value: 'Refunded 2.' },
  ]);
});

test('blocking: an aborted loop cancels the ask', async () => {
  const { registry, open } = world();
  const human = await humanTool(registry, { where: anna });
  const stop = new AbortController();
  const model = saying([called('c1', human.name, size)], 'never');
  const run = generateText({ model, tools: { ...human.tools }, stopWhen, messages: user, abortSignal: stop.signal });
  const ended = run.then(
    ({ text }) => text,
    () => 'aborted',
  );
  await settle();
  expect(await open()).toHaveLength(1);
  stop.abort();
  expect(await ended).not.toBe('never');
  await settle();
  expect(await open()).toEqual([]);
});

test('interrupting: the SDK stops at the call; a new process resumes with the answer, and nothing is asked again', async () => {
  const first = world();
  const options = { where: anna, interrupt: true } as const;
  const before = await humanTool(first.registry, options);
  const asking = saying([called('call_1', before.name, size)]);
  const result = await generateText({ model: asking, tools: { ...before.tools }, stopWhen, messages: user });
  expect(result.finishReason).toBe('tool-calls');
  expect(before.pending(result)).toEqual([{ callId: 'call_1', input: size }]);
  const asks = await before.open(result);
  expect(asks).toMatchObject([{ kind: 'question', callId: 'call_1', payload: size }]);
  expect(await before.open(result)).toEqual(asks); // a second time is the same
  const kept = stored({ messages: [...user, ...result.response.messages], asks });
  await settle();
  await first.registry.stop();

  const { registry, phone } = world(undefined, first);
  await registry.start();
  await phone.types('L');
  await settle();
  const after = await humanTool(registry, options);
  const messages = await after.resume(kept.messages, kept.asks);
  expect(after.pending(messages)).toEqual([]);
  expect(await after.resume(messages, kept.asks)).toEqual(messages); // nothing is left to be done
  const going = saying('Ordered a large hat.');
  const { text } = await generateText({ model: going, tools: { ...after.tools }, stopWhen, messages });
  expect(text).toBe('Ordered a large hat.');
  expect(lastPrompt(going).at(-1)).toMatchObject({
    role: 'tool',
    content: [{ toolCallId: 'call_1', output: { type: 'text', value: 'L' } }],
  });
  expect(first.phone.texts).toEqual(['Which size?']);
  expect(phone.texts).toEqual([]);
});

test('interrupting: beside other calls, every call has one result in one place, whatever the human did', async () => {
  const { registry, phone, open } = world();
  const human = await humanTool(registry, { where: anna, interrupt: true });
  const stock = tool({ inputSchema: jsonSchema<object>({ type: 'object' }), execute: () => 'three left' });
  const model = saying([
    called('c1', human.name, size),
    called('c2', 'stock', {}),
    called('c3', human.name, { prompt: ' ' }),
    called('c4', human.name, { prompt: 'Which colour?' }),
    called('c5', 'delete_all', {}),
  ]);
  const result = await generateText({ model, tools: { ...human.tools, stock }, stopWhen, messages: user });
  expect(human.pending(result.response).map(({ callId }) => callId)).toEqual(['c1', 'c3', 'c4']);
  const asks = stored(await human.open(result));
  expect(asks.map(({ kind }) => kind)).toEqual(['question', 'closed', 'question']);
  await settle();
  await phone.types('L');
  await settle();
  const messages = await human.resume([...user, ...result.response.messages], asks);
  const going = saying('Done.');
  await generateText({ model: going, tools: { ...human.tools, stock }, stopWhen, messages });
  const results = content(lastPrompt(going).filter(({ role }) => role === 'tool'));
  expect(results.map(({ toolCallId }) => toolCallId).sort()).toEqual(['c1', 'c2', 'c3', 'c4', 'c5']);
  const said = new Map(results.map(({ toolCallId, output }) => [toolCallId, JSON.stringify(output)]));
  expect(said.get('c1')).toContain('"L"');
  expect(said.get('c2')).toContain('three left');
  expect(said.get('c3')).toContain('prompt must be the question as a string');
  expect(said.get('c4')).toContain('neither an answer nor a consent');
  expect(messages.filter(({ role }) => role === 'tool')).toHaveLength(1);
  expect(await open()).toEqual([]); // what got its result without an answer waits for nobody
});

test('a call left dangling gets a neutral result right behind it, though the conversation went on', async () => {
  const { registry, open } = world();
  const human = await humanTool(registry, { where: anna, interrupt: true });
  const result = await generateText({
    model: saying([called('c1', human.name, size)]),
    tools: { ...human.tools },
    messages: user,
  });
  const other = (await human.run().open([...user, ...dangling('c9', human.name)])) as Interrupt[];
  await settle();
  const messages = [...user, ...result.response.messages, { role: 'user', content: 'Hello?' } as const];
  const foreign = { ...other[0], callId: 'c1' } as Interrupt; // the answer to another call is no answer to this one
  const resumed = await human.resume(messages, [foreign]);
  expect(resumed.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user']);
  expect(JSON.stringify(resumed[2])).toContain('interrupted before there was an answer');
  expect(await open()).toHaveLength(1);
  const going = saying('Sorry, where were we?');
  expect((await generateText({ model: going, tools: { ...human.tools }, messages: resumed })).text).toMatch(/Sorry/);
  expect(messages).toHaveLength(3); // what was handed in is as it was
});

test('after the resume the model may ask something else, which is another question; the same one is suppressed', async () => {
  const { registry, phone } = world();
  const human = (await humanTool(registry, { where: anna, interrupt: true, limit: 2 })).run();
  const first = await generateText({
    model: saying([called('c1', human.name, size)]),
    tools: { ...human.tools },
    messages: user,
  });
  const asks = [...(await human.open(first))];
  await settle();
  await phone.types('L');
  await settle();
  const messages = await human.resume([...user, ...first.response.messages], asks);
  const again = [called('c2', human.name, size), called('c3', human.name, { prompt: 'Which colour?' })];
  const second = await generateText({ model: saying(again), tools: { ...human.tools }, messages });
  asks.push(...(await human.open(second)));
  expect(asks).toMatchObject([
    { kind: 'question' },
    { kind: 'closed', text: expect.stringMatching(/The result was: L$/) },
    { kind: 'question' },
  ]);
  await settle();
  expect(phone.texts).toEqual(['Which size?', 'Which colour?']);
  const elsewhere = (await humanTool(registry, { where: anna, interrupt: true, limit: 2 })).run(stored(asks));
  const more = await elsewhere.open(dangling('c4', human.name, { prompt: 'And a bow?' }));
  expect(more).toMatchObject([{ kind: 'closed', text: expect.stringMatching(/limit of 2 questions/) }]);
});

test('interrupting a stream: the calls are found in its response', async () => {
  const { registry } = world();
  const human = await humanTool(registry, { where: anna, interrupt: true });
  const usage = saying.usage;
  const model = new MockLanguageModelV3({
    doStream: {
      stream: simulateReadableStream({
        chunks: [
          { type: 'tool-call', toolCallId: 'c1', toolName: human.name, input: JSON.stringify(size) },
          { type: 'finish', finishReason: { unified: 'tool-calls', raw: 'tool-calls' }, usage },
        ],
        initialDelayInMs: null,
        chunkDelayInMs: null,
      }),
    },
  });
  const stream = streamText({ model, tools: { ...human.tools }, messages: user });
  await stream.consumeStream();
  expect(human.pending(await stream.response)).toEqual([{ callId: 'c1', input: size }]);
});

test('a name with a dot is one that providers take', async () => {
  const { registry } = world();
  const human = await humanTool(registry, { where: anna, name: 'human_intervention.request' });
  expect(Object.keys(human.tools)).toEqual(['human_intervention_request']);
});

test('without the package ai, the error has the line that installs it', async () => {
  const { registry } = world();
  vi.doMock('ai', () => {
    throw new Error("Cannot find package 'ai'");
  });
  await expect(humanTool(registry, { where: anna })).rejects.toMatchObject({
    code: 'missing-package',
    message: expect.stringContaining('npm install ai'),
  });
});

test('wrong options are refused when the tool is made', async () => {
  const { registry } = world();
  await expect(humanTool(registry, { where: anna, interrupt: 'yes' as never })).rejects.toThrow(/interrupt must be/);
  await expect(humanTool(registry, {} as never)).rejects.toThrow(/where must be a place/);
});

/** A call as it stands in messages. */
function dangling(toolCallId: string, toolName: string, input: object = { prompt: 'Something else?' }): ModelMessage[] {
  return [{ role: 'assistant', content: [{ type: 'tool-call', toolCallId, toolName, input }] }];
}
