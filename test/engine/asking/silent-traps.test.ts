/** Mistakes that do nothing wrong and say nothing: each is told once, with what to do. */
import { expect, test } from 'vitest';
import type { AgentResult, Channel } from '../../../src/index.js';
import { AgentRegistry, agent, type BaseAgent, confirm, text } from '../../../src/index.js';
import { Probe } from '../../support/agents.js';

type Logged = readonly [message: string, about: object | undefined];

/** A registry whose warnings are collected. */
function watched(made: BaseAgent, channels: readonly Channel[] = []) {
  const warned: Logged[] = [];
  const ignore = () => {};
  const logger = {
    ...{ debug: ignore, info: ignore, error: ignore },
    warn: (message: string, about?: object) => void warned.push([message, about]),
  };
  const registry = new AgentRegistry({ agents: [made], channels, logger });
  let messages = 0;
  const says = async (line: string, conversationId = 'c') => {
    messages += 1;
    const { outputs } = await registry.handle({
      ...{ id: `m${messages}`, conversationId, text: line },
      participant: { id: 'web:ann' },
    });
    return outputs.map((output) => output.text);
  };
  return { registry, warned, says };
}

const about = (message: string, more: object): Logged => [
  expect.stringContaining(message),
  expect.objectContaining(more),
];

test.each<[string, unknown, object]>([
  ['an object of other fields', { text: 'Hello.' }, { returned: 'an object', fields: ['text'] }],
  ['a list', ['Hello.'], { returned: 'a list' }],
  ['a number', 42, { returned: 'a number' }],
  ['an output that is no string', { output: 42 }, { returned: 'an object', fields: ['output'] }],
])('an agent that returns %s says nothing, and is told once', async (_, returned, more) => {
  const shop = agent('shop').onMessage(() => returned as AgentResult);
  const { says, warned, registry } = watched(shop);
  expect([await says('hello'), await says('hello')]).toEqual([[], []]);
  expect(warned).toEqual([about("Return a string, { output: '…' }", { agentName: 'shop', ...more })]);
  await registry.stop();
});

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['null', null],
  ['an empty object', {}],
  ['metadata only', { metadata: { order: 1 } }],
  ['an output that is not there', { output: undefined }],
  ['a string', 'Hello.'],
])('an agent that returns %s is not warned about', async (_, returned) => {
  const { says, warned, registry } = watched(agent('shop').onMessage(() => returned as AgentResult));
  await says('hello');
  expect(warned).toEqual([]);
  await registry.stop();
});

test('a handler that returns something that is no result is told, too', async () => {
  const shop = agent('shop');
  const sure = shop.question('sure', confirm('Sure?'), { onAnswer: (yes) => yes as unknown as string });
  const { says, warned, registry } = watched(shop.onMessage(({ ask }) => ask(sure)));
  await says('go');
  expect(await says('yes')).toEqual([]);
  expect(warned).toEqual([about('no result', { agentName: 'shop', returned: 'a boolean' })]);
  await registry.stop();
});

test('a question that is asked while it is open is told once', async () => {
  const shop = agent('shop');
  const order = shop.question('order', text('Which order?', { pattern: /^\d+$/ }), { onAnswer: () => 'Thank you.' });
  const item = shop.question('item', text('Which item?'), { onAnswer: () => 'Thank you.' });
  shop.onMessage(async ({ message, ask }) => {
    if (message === 'twice') await Promise.all([ask(item, { context: { n: 1 } }), ask(item, { context: { n: 1 } })]);
    if (message === 'for two') await Promise.all([ask(item, { context: { n: 1 } }), ask(item, { context: { n: 2 } })]);
    return message === 'order' ? ask(order) : undefined;
  });
  const { says, warned, registry } = watched(shop);
  await says('for two', 'other');
  await says('order');
  expect(warned).toEqual([]);
  const [open] = (await registry.listAsks({ conversationId: 'c' })).asks;
  await says('1'); // answered: now it may be asked again
  await says('order');
  expect(warned).toEqual([]);
  const [again] = (await registry.listAsks({ conversationId: 'c' })).asks;
  expect(again?.id).not.toBe(open?.id);
  await says('twice', 'third');
  expect(warned).toEqual([about('cancel the open one first', { agentName: 'shop', conversationId: 'third' })]);
  await says('twice', 'fourth');
  expect(warned).toHaveLength(1);
  await registry.stop();
});

test('a second message that asks the same question is told', async () => {
  const shop = new Probe((self, { message }) =>
    self.pending() === null || message === 'ask' ? self.asks('Which order?') : {},
  );
  const { says, warned, registry } = watched(shop);
  await says('ask');
  const [open] = (await registry.listAsks()).asks;
  await says('ask');
  expect(warned).toEqual([about('the same question is open', { open: open?.id })]);
  await registry.stop();
});

test.each<[string, () => BaseAgent]>([
  ['an invokeAgent() without getPendingAsk()', () => new Probe((self) => self.asks('Which order?'), 'shop')],
  [
    'an inline question of agent()',
    () => agent('shop').onMessage(({ message, ask }) => (message === 'go' ? ask('Which order?') : 'Hello.')),
  ],
])('%s: a reply that nobody handled is told once', async (_, made) => {
  const { says, warned, registry } = watched(made());
  await says('go');
  const [ask] = (await registry.listAsks()).asks;
  await says('12345');
  await says('12345');
  const told = warned.filter(([message]) => message.includes('A reply was not handled'));
  expect(told).toEqual([about('declare the question with question()', { agentName: 'shop', askId: ask?.id })]);
  await registry.stop();
});

test('an agent that looks for the ask and leaves it open is not warned about', async () => {
  const shop = new Probe((self) => (self.pending() === null ? self.asks('Which order?') : {}));
  const { says, warned, registry } = watched(shop);
  await says('go');
  await says('one moment');
  expect(warned).toEqual([]);
  expect((await registry.listAsks()).asks).toHaveLength(1);
  await registry.stop();
});

test('handle() before start() is told once where channels are given, and not without channels', async () => {
  const shop = () => agent('shop').onMessage(() => 'Hello.');
  const chat: Channel = { name: 'chat', start: () => {}, send: async () => {} };
  const early = watched(shop(), [chat]);
  await early.says('hello');
  await early.says('hello');
  expect(early.warned).toEqual([about('Call await registry.start() first', { channels: ['chat'] })]);
  const started = watched(shop(), [chat]);
  await started.registry.start();
  await started.says('hello');
  const without = watched(shop());
  await without.says('hello');
  expect([started.warned, without.warned]).toEqual([[], []]);
  await Promise.all([early, started, without].map(({ registry }) => registry.stop()));
});

test('an open question of a class that nothing judges is told once, and one that something judges is not', async () => {
  const handling = (validation?: { simpleValidation: (answer: string) => boolean }, question = 'Which order?') =>
    new Probe((self, { message }) =>
      self.pending() === null
        ? self.asks(question)
        : self.handles(message ?? '', () => 'Thank you.', undefined, validation),
    );
  const open = watched(handling());
  for (const line of ['go', '12345', 'go', '12345']) await open.says(line);
  expect(open.warned).toEqual([about('a simpleValidation, the question a pattern or a check', { agentName: 'probe' })]);
  const validated = watched(handling({ simpleValidation: () => true }));
  for (const line of ['go', '12345']) await validated.says(line);
  const shop = agent('shop');
  const note = shop.question('note', text('Anything else?'), { onAnswer: () => 'Thank you.' });
  const declared = watched(shop.onMessage(({ ask }) => ask(note)));
  for (const line of ['go', 'no']) await declared.says(line);
  expect([validated.warned, declared.warned]).toEqual([[], []]);
  await Promise.all([open, validated, declared].map(({ registry }) => registry.stop()));
});

test('a message id that repeats with another text stays a repeat, and is told once', async () => {
  const heard: unknown[] = [];
  const { registry, warned } = watched(agent('shop').onMessage(({ message }) => void heard.push(message)));
  const hands = (line: string, id = 'same', conversationId = 'c') =>
    registry.handle({ id, conversationId, text: line });
  await hands('hello');
  await hands('hello'); // the same again
  await hands('hello', 'same', 'another');
  expect(warned).toEqual([]);
  await hands('and my refund?');
  await hands('hello?');
  expect(heard).toEqual(['hello', 'hello']);
  expect(warned).toEqual([
    about('Give each message an id of its own', { conversationId: 'c', id: 'same', channel: 'handle' }),
  ]);
  await registry.stop();
});

test('a channel that reuses an id is told, too', async () => {
  let receive: Parameters<Channel['start']>[0]['receive'] | undefined;
  const chat: Channel = {
    name: 'chat',
    start: (desk) => {
      receive = (message) => desk.receive(message);
    },
    send: async () => {},
  };
  const { registry, warned } = watched(
    agent('shop').onMessage(() => undefined),
    [chat],
  );
  await registry.start();
  const message = { id: '1', conversationId: 'c', address: null };
  await receive?.({ ...message, text: 'hello' });
  expect(await receive?.({ ...message, text: 'hello' })).toBe('repeat');
  expect(warned).toEqual([]);
  expect(await receive?.({ ...message, text: 'good bye' })).toBe('repeat');
  expect(warned).toEqual([about('says something else', { channel: 'chat', id: '1' })]);
  await registry.stop();
});

test('a message id that repeats from another participant stays a repeat, and is told once', async () => {
  const heard: unknown[] = [];
  const { registry, warned } = watched(agent('poll').onMessage(({ participant }) => void heard.push(participant?.id)));
  const votes = (who: string, conversationId = 'room') =>
    registry.handle({ id: '1', conversationId, text: 'yes', participant: { id: who } });
  await votes('web:ann');
  await votes('web:ann'); // the same again
  await votes('web:bob', 'another room');
  expect(warned).toEqual([]);
  await votes('web:bob');
  await votes('web:cleo');
  expect(heard).toEqual(['web:ann', 'web:bob']);
  expect(warned).toEqual([about('is from somebody else', { conversationId: 'room', id: '1', channel: 'handle' })]);
  await registry.stop();
});

test("a bug in a channel's send() is told at the first try, once, and without what was said", async () => {
  let tries = 0;
  const chat: Channel = {
    name: 'chat',
    start: () => {},
    send: async ({ address }) => {
      tries += 1;
      (address as unknown as { post(): void }).post();
    },
    conversationFor: String,
  };
  const shop = agent('shop').onMessage(async ({ message, sendTo }) => {
    await sendTo('chat', `Somebody wrote ${message}`, { to: 'ops' });
  });
  const { registry, warned, says } = watched(shop, [chat]);
  await registry.start();
  await says('my-password');
  await says('my-password');
  await registry.idle();
  expect(tries).toBe(2);
  expect(warned).toEqual([
    about('A channel could not send', { channel: 'chat', failure: expect.objectContaining({ code: 'TypeError' }) }),
  ]);
  expect(warned[0]?.[1]).toMatchObject({ againIn: 5_000 });
  expect(JSON.stringify(warned)).not.toContain('my-password');
  await registry.stop();
});

test("a channel's error that quotes what it was to send is told without its message", async () => {
  const send = async ({ text }: { readonly text: string }) => {
    throw new RangeError(`Refused: ${JSON.stringify({ text })}`);
  };
  const chat: Channel = { name: 'chat', start: () => {}, send };
  const shop = agent('shop').onMessage(async ({ message, sendTo }) => {
    await sendTo('chat', `Somebody wrote\n"${message}"`, { to: 'ops' });
  });
  const { registry, warned, says } = watched(shop, [chat]);
  await registry.start();
  await says('my-password');
  await says(`my-password ${'and so on '.repeat(100)}`); // longer than the message of a failure
  await registry.idle();
  const failure = { code: 'RangeError', message: expect.stringContaining('quotes the output') };
  expect(warned).toEqual([about('A channel could not send', { channel: 'chat', failure })]);
  expect(JSON.stringify(warned)).not.toContain('my-password');
  await registry.stop();
});
