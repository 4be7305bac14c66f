/** What is wrong with a declared question is told when the registry starts, not when somebody is to be asked it. */
import { expect, test } from 'vitest';
import { SlackChannel } from '../../../src/channels/slack/index.js';
import type { AskOptions } from '../../../src/index.js';
import { AgentError, AgentRegistry, agent, BaseAgent, confirm, TerminalChannel } from '../../../src/index.js';
import { TestChannel } from '../../support/engine.js';

/** A channel whose addresses begin with #, as it finds out when it has started. */
class Rooms extends TestChannel {
  override conversationFor(to: unknown): string {
    if (this.desk === undefined) throw new Error('Not started.');
    if (typeof to === 'string' && to.startsWith('#')) return to;
    throw new AgentError('bad-option', `A room begins with #, got ${JSON.stringify(to)}.`);
  }

  addressFor(to: never): never {
    this.conversationFor(to);
    return to;
  }
}

const timer = new TestChannel('timer', true);

async function started(options: Omit<AskOptions, 'effectKey'>, more: { readonly identify?: true } = {}) {
  const shop = agent('shop');
  shop.question('refund', confirm('Refund?'), { answerableBy: ['rooms:ben'], ...options, onAnswer: () => 'Done.' });
  const warned: { readonly message: string; readonly about: object | undefined }[] = [];
  const warn = (message: string, about?: object) => void warned.push({ message, about });
  const logger = { debug() {}, info() {}, warn, error: warn };
  const rooms = Object.assign(new Rooms('rooms'), { idForm: 'rooms:anna' });
  const registry = new AgentRegistry({
    ...{ agents: [shop], channels: [rooms, timer], logger },
    ...(more.identify && { identify: (who) => who }),
  });
  try {
    await registry.start();
    return { warned, error: undefined };
  } catch (error) {
    return { warned, error: error as AgentError };
  } finally {
    await registry.stop();
  }
}

const ben = { answerableBy: ['rooms:ben'] };

test.each<[string, Omit<AskOptions, 'effectKey'>, string]>([
  ['via', { via: { channel: 'rooms', to: 'general' } }, 'A room begins with #'],
  ['via without to', { via: { channel: 'rooms' } }, 'A room begins with #'],
  ['notify', { notify: [{ channel: 'rooms', to: 'general' }] }, 'A room begins with #'],
  ['escalate', { escalate: [{ after: 600_000, channel: 'rooms', to: 7, ...ben }] }, 'A room begins with #'],
  [
    'a trigger channel',
    { via: { channel: 'timer', to: '#general' } },
    'question("refund") of agent shop: via.channel is',
  ],
])('an address that its channel refuses fails the start: %s', async (_, options, told) => {
  const { error } = await started(options);
  expect(error?.message).toContain(told);
});

test.each<[string, Omit<AskOptions, 'effectKey'>, string]>([
  ['via', { via: { channel: 'rooom', to: '#general' } }, 'question("refund") of agent shop: via.channel is "rooom"'],
  ['notify', { notify: [{ channel: 'rooom' }] }, 'question("refund") of agent shop: notify[0].channel is "rooom"'],
  ['escalate', { escalate: [{ after: 600_000, channel: 'rooom', ...ben }] }, 'escalate[0].channel is "rooom"'],
  ['a policy', { answerableBy: { policy: 'onDuty' } }, 'the policy "onDuty"'],
])('what another process may have is warned of at the start: %s', async (_, options, told) => {
  const { error, warned } = await started(options);
  expect(error).toBeUndefined();
  expect(warned).toEqual([
    {
      message: expect.stringContaining('A declared question cannot be asked by this process'),
      about: expect.objectContaining({
        ...{ agentName: 'shop', question: 'refund' },
        failure: expect.objectContaining({ message: expect.stringContaining(told) }),
      }),
    },
  ]);
});

test('questions that can be asked are not told of', async () => {
  const options = {
    via: { channel: 'rooms', to: '#general' },
    notify: [{ channel: 'rooms', to: '#other' }],
    escalate: [{ after: 600_000, channel: 'rooms', to: '#boss', ...ben }],
  };
  expect(await started(options)).toEqual({ warned: [], error: undefined });
});

test('a name in place of an id is warned of at once, with ids as the channels give them', async () => {
  const options = {
    answerableBy: ['dora', 'rooms:ben'],
    escalate: [{ after: 600_000, channel: 'rooms', to: '#boss', answerableBy: ['U123'] }],
  };
  const { warned } = await started(options);
  const about = (id: string) => ({
    message: expect.stringContaining('answerableBy names an id without a realm'),
    about: { agentName: 'shop', id, forms: ['rooms:anna'] },
  });
  expect(warned).toEqual([about('dora'), about('U123')]);
  expect((await started(options, { identify: true })).warned).toEqual([]); // which may make any id
});

test('an ask of a class, and one from outside, is warned of when it is asked', async () => {
  class Shop extends BaseAgent {
    name = 'shop';
    async invokeAgent() {
      return this.ask('Which order?', { answerableBy: ['dora'] });
    }
  }
  const warned: object[] = [];
  const warn = (_: string, about?: object) => void warned.push({ ...about });
  const logger = { debug() {}, info() {}, warn, error: warn };
  const rooms = Object.assign(new TestChannel('rooms'), { idForm: 'rooms:anna' });
  const registry = new AgentRegistry({ agents: [new Shop()], channels: [rooms], logger });
  await registry.start();
  for (const id of ['m1', 'm2']) await registry.handle({ id, conversationId: id, text: 'refund' });
  await registry.ask(confirm('Sure?'), { channel: 'rooms', to: '#x', answerableBy: ['max'] });
  await registry.stop();
  expect(warned.filter((about) => 'forms' in about)).toMatchObject([{ id: 'dora' }, { id: 'max' }]);
});

test.each([
  { id: 'local', channels: [new TerminalChannel()], told: 'without a realm', forms: ['terminal:local'] },
  { id: 'terminal:locl', channels: [new TerminalChannel()], told: 'gives to nobody', forms: ['terminal:local'] },
  { id: 'dora', channels: [], told: 'without a realm', forms: [] },
  { id: 'terminal:local', channels: [new TerminalChannel()] },
  { id: 'web:4711', channels: [new TerminalChannel()] },
  { id: 'staff:ben', channels: [new TerminalChannel({ participant: { id: 'staff:anna' } })] },
  { id: 'anna', channels: [new TerminalChannel({ participant: { id: 'anna' } })] },
  { id: 'dora', channels: [new TestChannel('rooms')] },
])('who answers at a terminal, or by handle() alone: $id, $told', async ({ id, channels, told, forms }) => {
  const shop = agent('shop');
  shop.question('refund', confirm('Refund?'), { answerableBy: [id], onAnswer: () => 'Done.' });
  const warned: unknown[] = [];
  const warn = (...said: unknown[]) => void warned.push(said);
  const logger = { debug() {}, info() {}, warn, error: warn };
  for (const channel of channels) channel.start = async () => {};
  const registry = new AgentRegistry({ agents: [shop], channels, logger });
  await registry.start();
  await registry.stop();
  const warning = [expect.stringContaining(told ?? ''), { agentName: 'shop', id, forms }];
  expect(warned).toEqual(told === undefined ? [] : [warning]);
});

test('Slack says how its ids look', () => {
  expect(new SlackChannel({ token: 'xoxb-1', signingSecret: 'a secret of at least 32 characters' }).idForm).toBe(
    'slack:T012AB3CD/U012AB3CD',
  );
});
