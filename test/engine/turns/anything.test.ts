/**
 * Whatever an author's function gives or throws, nothing is lost and nobody else comes to harm: each message is handled or
 * parked with words that say what to mend, and no rejection is left to end the process.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { failureOf } from '../../../src/core/errors.js';
import type { Logger } from '../../../src/core/events.js';
import type { AgentInput } from '../../../src/index.js';
import { AgentRegistry, agent, BaseAgent, confirm, MemoryStore, text } from '../../../src/index.js';
import { heard, minute, settle, TestChannel, world } from '../../support/engine.js';

type Options = NonNullable<Parameters<ReturnType<typeof world>['replica']>[0]>;
type Gives = () => never;

const unhandled: unknown[] = [];
const note = (error: unknown) => unhandled.push(error);
beforeEach(() => {
  unhandled.length = 0;
  process.on('unhandledRejection', note);
});
afterEach(() => void process.off('unhandledRejection', note));

const given: readonly (readonly [string, unknown])[] = [
  ['nothing', undefined],
  ['null', null],
  ['a number', 5],
  ['no number', Number.NaN],
  ['an empty text', ''],
  ['a text', 'x'],
  ['true', true],
  ['a list', []],
  ['an object', {}],
  ['a function', () => 1],
  ['a symbol', Symbol('s')],
  ['a bigint', 10n],
  ['an odd result', { output: 5, metadata: null }],
  ['no date', new Date(Number.NaN)],
  ['a thenable', { then: (resolve: (value: unknown) => void) => resolve('later') }],
  ['an object without a prototype', Object.create(null)],
];
const thrown: readonly (readonly [string, unknown])[] = [
  ['nothing', undefined],
  ['a text', 'oops'],
  ['an object', { message: 'oops' }],
  ['an object without a prototype', Object.create(null)],
  ['an error whose message is a list', Object.assign(new Error(), { message: ['a is missing', 'b is too long'] })],
  ['an error whose message cannot be read', { get message() { throw new Error('not for you'); } }], // biome-ignore format: one case
];
const all: readonly (readonly [string, Gives])[] = [
  ...given.map(([name, value]) => [`gives ${name}`, () => value as never] as const),
  ...thrown.map(([name, error]) => [`throws ${name}`, () => { throw error; }] as const), // biome-ignore format: one case
  ['rejects', () => Promise.reject(new Error('rejected')) as never],
];

const spots = [
  ...['onMessage', 'onAnswer', 'check', 'schema', 'effectKey', 'onClosed', 'invokeAgent', 'simpleValidation', 'model'],
  ...['classify', 'route', 'policy', 'sortReply', 'quietUntil', 'wording', 'listener', 'logger', 'send', 'stop'],
] as const;

/** All that may go wrong in one story, of which one thing does. */
async function story(spot: string, gives: Gives) {
  const at = (where: string, usual: unknown) => (where === spot ? gives() : (usual as never));
  const only = (where: string, options: object): object => (where === spot ? options : {});
  const { replica, says, advance } = world();
  const phone = new TestChannel();
  phone.onSend = () => at('send', undefined);
  Object.assign(phone, { stop: () => at('stop', undefined) });
  const support = agent('support');
  const order = support.question('order', text('Order?', { pattern: /^\d+$/ }), {
    ...only('check', { check: gives }),
    ...only('schema', { check: { '~standard': { version: 1, vendor: 'own', validate: gives } } }),
    ...only('effectKey', { effectKey: gives }),
    onAnswer: () => at('onAnswer', 'Done.'),
    onClosed: () => at('onClosed', 'Closed.'),
    maxRetries: 1,
  });
  const sure = support.question('sure', confirm('Sure?'), {
    answerableBy: { policy: 'all' },
    remindAfter: [minute],
    onAnswer: () => 'Sure.',
  });
  support.onMessage(({ message, ask, run }) => {
    if (message === 'order') return ask(order);
    if (message === 'sure') return ask(sure);
    return message === 'run' ? run('Say hi.') : at('onMessage', 'Noted.');
  });
  class Own extends BaseAgent {
    readonly name = 'own';
    async invokeAgent({ message = '' }: AgentInput) {
      const pending = this.getPendingAsk();
      if (pending === null) return this.ask('Own?', { maxRetries: 0 });
      const simpleValidation = () => at('simpleValidation', true);
      await this.handlePendingAsk(pending, message, () => ({}), undefined, { simpleValidation });
      return at('invokeAgent', { output: 'own' });
    }
  }
  const level = () => at('logger', undefined);
  const sentences = { failed: gives, reminder: gives, skipped: gives, wrongPattern: gives };
  const registry = await replica({
    agents: [support, new Own()],
    channels: [phone],
    logger: { debug: level, info: level, warn: level, error: level },
    settings: { sweep: minute }, // 22 minutes pass in each story: looking every five seconds is most of its work
    model: async () => at('model', 'hi'),
    route: ({ text: said }) => at('route', said === 'own' ? 'own' : 'support'),
    policies: { all: () => at('policy', true) },
    ...only('classify', { classify: gives }),
    ...only('sortReply', { sortReply: gives }),
    ...only('quietUntil', { quietUntil: gives }),
    ...only('wording', { wording: sentences }),
  } as Options);
  const [handled, failed, parked] = [heard(registry, 'handled'), heard(registry, 'failed'), heard(registry, 'parked')];
  if (spot === 'listener') for (const event of ['handled', 'asked', 'answered'] as const) registry.on(event, gives);
  const said = ['a order', 'a what', 'a 123', 'b sure', 'c own', 'c fine', 'd hello', 'e run', 'f order', 'f x', 'f y'];
  for (const each of said) await says(phone, each.slice(2), { conversationId: each.slice(0, 1) });
  await advance(2 * minute); // somebody is reminded
  await says(phone, 'yes', { conversationId: 'b' });
  await advance(20 * minute);
  await registry.stop();
  await settle();
  const ended = new Set([...handled, ...parked].map(({ conversationId, entryId }) => `${conversationId} ${entryId}`));
  return {
    messages: said.length + 1,
    ended: ended.size,
    failures: [...failed, ...parked].map(({ failure }) => failure),
  };
}

describe.each(spots)('%s', (spot) => {
  test.each(all)('that %s loses nothing and harms nobody', async (how, gives) => {
    const { messages, ended, failures } = await story(spot, gives);
    expect(ended).toBeGreaterThanOrEqual(messages);
    expect(failures.filter(({ code }) => code === 'crashed' || code === 'TypeError')).toEqual([]);
    if (how.startsWith('gives')) expect(failures.filter(({ code }) => code === 'Error')).toEqual([]);
    expect(unhandled).toEqual([]);
  });
});

test('whatever is thrown becomes an error message', () => {
  const cases: readonly (readonly [unknown, { code: string; message: string }])[] = [
    [undefined, { code: 'Error', message: 'undefined' }],
    ['oops', { code: 'Error', message: 'oops' }],
    [{ message: 'no error, but a message' }, { code: 'Error', message: 'no error, but a message' }],
    [new RangeError('too far'), { code: 'RangeError', message: 'too far' }],
    [
      Object.assign(new Error(), { message: ['a is missing', 'b is too long'] }),
      { code: 'Error', message: 'a is missing b is too long' },
    ],
    [Object.assign(new Error('x'), { name: { first: 'odd' } }), { code: 'Error', message: 'x' }],
    [Object.create(null), { code: 'Error', message: 'Something was thrown that cannot be read.' }],
    ['long '.repeat(200), { code: 'Error', message: 'long '.repeat(100) }],
  ];
  for (const [error, failure] of cases) expect(failureOf(error)).toEqual(failure);
});

test('a sentence of the author that fails is said as the library says it, and the operator is told which', async () => {
  const { replica, says } = world();
  const phone = new TestChannel();
  const told: unknown[] = [];
  const logger: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: (...what) => void told.push(what) };
  const support = agent('support');
  const order = support.question('order', text('Order?', { pattern: /^\d+$/ }), { onAnswer: () => 'Done.' });
  support.onMessage(({ ask }) => ask(order));
  const wording = {
    wrongPattern: (example: string | undefined) => (example as string).toUpperCase(),
    notValid: (question: string, problem: string) => `${problem} So: ${question}`,
  };
  const registry = await replica({ agents: [support], channels: [phone], logger, wording });
  await says(phone, 'hi');
  await says(phone, 'what');
  expect(phone.texts().at(-1)).toMatch(/^\w.+ So: Order\?$/);
  expect(told).toContainEqual([
    'A sentence of your own failed; the usual one was said',
    { sentence: 'wrongPattern', failure: { code: 'TypeError', message: expect.any(String) } },
  ]);
  await registry.stop();
});

test('a validation that takes its time is waited for', async () => {
  const { replica, says } = world();
  const phone = new TestChannel();
  class Own extends BaseAgent {
    readonly name = 'own';
    async invokeAgent({ message = '' }: AgentInput) {
      const pending = this.getPendingAsk();
      if (pending === null) return this.ask('Which order?');
      return this.handlePendingAsk(pending, message, (answer) => ({ output: `Order ${answer}.` }), undefined, {
        simpleValidation: async (answer) => answer === '12345',
      });
    }
  }
  const registry = await replica({ agents: [new Own()], channels: [phone] });
  await says(phone, 'hi');
  await says(phone, 'no idea');
  expect(phone.texts().at(-1)).toContain('Which order?');
  await says(phone, '12345');
  expect(phone.texts().at(-1)).toBe('Order 12345.');
  await registry.stop();
});

test('a channel that throws while it stops keeps no other from stopping, nor the store from closing', async () => {
  const ends: string[] = [];
  const channel = (name: string, stop: () => Promise<void>) => ({ name, start: () => {}, send: async () => {}, stop });
  const store = new MemoryStore();
  const close = store.close.bind(store);
  store.close = async () => {
    ends.push('store');
    await close();
  };
  const registry = new AgentRegistry({
    channels: [
      channel('first', () => {
        throw new Error('stuck');
      }),
      channel('second', async () => void ends.push('second')),
    ],
    store,
    logger: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
  });
  await registry.start();
  await registry.stop();
  expect(ends).toEqual(['second', 'store']);
});

test('a logger without one of its methods is refused at once', () => {
  const logger = { debug: () => {}, info: () => {}, warn: () => {} } as unknown as Logger;
  expect(() => new AgentRegistry({ logger })).toThrow('The logger must have the methods debug, info, warn and error');
});
