/** Everything that is asked inside a turn is asked for whoever the turn acts for. */
import { expect, test } from 'vitest';
import type { AskOptions, IncomingMessage, Participant } from '../../../src/index.js';
import { AgentError, type AgentRegistry, agent, confirm } from '../../../src/index.js';
import { approve } from '../../../src/tools/index.js';
import { settle, TestChannel, world } from '../../support/engine.js';

const ann = { id: 'phone:ann', tenant: 'north', roles: ['manager'] };
const nora = { id: 'phone:nora', tenant: 'north', roles: ['manager'] };
const stan = { id: 'phone:stan', tenant: 'south', roles: ['manager'] };
const managers = { roles: ['manager'] };

type Act = (registry: AgentRegistry) => Promise<unknown>;

/** Ann writes; what the agent does in her turn ends in `done`. */
async function annWrites(act: Act, more: Partial<IncomingMessage> = { participant: ann }) {
  const { replica, says } = world();
  const phone = new TestChannel();
  const done: unknown[] = [];
  const registry: AgentRegistry = await replica({
    channels: [phone],
    agents: [
      agent('shop').onMessage(async ({ message }) => {
        if (message !== 'go') return;
        done.push(await act(registry).catch((error: AgentError) => error.code));
      }),
    ],
  });
  await says(phone, 'go', { conversationId: 'shop', ...more });
  const [ask] = (await registry.listAsks()).asks;
  const answers = (by?: Participant) => registry.answer(ask?.id ?? '', { text: 'yes' }, by === undefined ? {} : { by });
  return { registry, phone, done, answers, says, ask };
}

const elsewhere = { channel: 'phone', to: 'ops' };

test.each<[string, Act]>([
  [
    'askAndWait',
    (registry) => registry.askAndWait(confirm('Pay?'), { ...elsewhere, answerableBy: managers, excludeAsker: true }),
  ],
  ['ask', (registry) => registry.ask(confirm('Pay?'), { ...elsewhere, answerableBy: managers, excludeAsker: true })],
])('registry.%s inside a turn: neither a manager of another tenant nor the requester may answer', async (_, act) => {
  const { answers, registry } = await annWrites(act);
  expect(await answers(stan)).toEqual({ type: 'refused' });
  expect(await answers(ann)).toEqual({ type: 'refused' });
  expect(await answers(nora)).toMatchObject({ type: 'accepted' });
  await registry.stop();
});

test('an approval inside a turn: neither a manager of another tenant nor the requester may approve', async () => {
  const { phone, done, says, ask, registry } = await annWrites((of) =>
    approve(of, { where: elsewhere, answerableBy: managers, excludeAsker: true }).request({ tool: 'refund', input: 1 }),
  );
  const named = { conversationId: 'ops', askId: ask?.id ?? '' };
  await says(phone, 'once', { ...named, participant: stan });
  await says(phone, 'once', { ...named, participant: ann });
  expect(done).toEqual([]);
  await says(phone, 'once', { ...named, participant: nora });
  expect(done).toMatchObject([{ approved: true }]);
  await registry.stop();
});

test('what is asked when an ask has expired keeps the tenant of that ask', async () => {
  const { replica, says, advance } = world();
  const phone = new TestChannel();
  const shop = agent('shop');
  const again = shop.question('again', confirm('Really?'), { answerableBy: managers, onAnswer: () => 'Done.' });
  const registry: AgentRegistry = await replica({ channels: [phone], agents: [shop] });
  const pay = shop.question('pay', confirm('Pay?'), {
    expiresIn: 1_000,
    onAnswer: () => undefined,
    onClosed: async () => void (await registry.ask(again.question, { ...elsewhere, answerableBy: managers })),
  });
  shop.onMessage(({ ask }) => ask(pay));
  await says(phone, 'go', { participant: ann });
  await advance(10_000);
  await settle();
  const [ask] = (await registry.listAsks()).asks;
  expect(ask?.question).toBe('Really?');
  expect(await registry.answer(ask?.id ?? '', { text: 'yes' }, { by: stan })).toEqual({ type: 'refused' });
  await registry.stop();
});

test.each<[string, Omit<AskOptions, 'effectKey'>]>([
  ["the default answerableBy, 'asker'", {}],
  ['a list of nobody else', { answerableBy: ['phone:ann'] }],
  ['a quorum that the others cannot reach', { answerableBy: ['phone:ann', 'phone:nora'], quorum: 2 }],
])('excludeAsker with %s is refused when it is asked', async (_, options) => {
  const { replica, says } = world();
  const phone = new TestChannel();
  const codes: unknown[] = [];
  const shop = agent('shop');
  const pay = shop.question('pay', confirm('Pay?'), { ...options, excludeAsker: true, onAnswer: () => undefined });
  shop.onMessage(async ({ ask }) => {
    await ask(pay).catch((error: AgentError) => codes.push([error instanceof AgentError, error.code]));
  });
  const registry = await replica({ channels: [phone], agents: [shop] });
  await says(phone, 'go', { participant: ann });
  expect(codes).toEqual([[true, 'bad-option']]);
  expect((await registry.listAsks()).asks).toEqual([]);
  await registry.stop();
});

test("excludeAsker with 'anyone': a message without a sender is no answer", async () => {
  const { replica } = world();
  const shop = agent('shop');
  const answered: boolean[] = [];
  const pay = shop.question('pay', confirm('Pay?'), {
    answerableBy: 'anyone',
    excludeAsker: true,
    onAnswer: (yes) => void answered.push(yes),
  });
  shop.onMessage(({ message, ask }) => (message === 'go' ? ask(pay) : undefined));
  const registry = await replica({ agents: [shop] });
  await registry.handle({ id: '1', conversationId: 'c', text: 'go', participant: ann });
  await registry.handle({ id: '2', conversationId: 'c', text: 'yes' });
  const [ask] = (await registry.listAsks()).asks;
  expect(await registry.answer(ask?.id ?? '', { text: 'yes' })).toEqual({ type: 'refused' });
  expect(answered).toEqual([]);
  await registry.handle({ id: '3', conversationId: 'c', text: 'yes', participant: nora });
  expect(answered).toEqual([true]);
  await registry.stop();
});

const others = { answerableBy: 'anyone', excludeAsker: true } as const;

test.each<[string, (registry: AgentRegistry, ask: (options: AskOptions) => Promise<unknown>) => Promise<unknown>]>([
  ['ask', (_, ask) => ask(others)],
  ['ask, put elsewhere', (_, ask) => ask({ ...others, via: elsewhere })],
  ['askAndWait', (registry) => registry.askAndWait(confirm('Pay?'), { ...elsewhere, ...others })],
  ['registry.ask', (registry) => registry.ask(confirm('Pay?'), { ...elsewhere, ...others })],
  ['approve', (registry) => approve(registry, { ...others, where: elsewhere }).request({ tool: 'refund', input: 1 })],
])('excludeAsker by %s in a turn whose sender nobody knows is refused, and nothing is asked', async (_, act) => {
  const { replica } = world();
  const errors: AgentError[] = [];
  const registry: AgentRegistry = await replica({
    channels: [new TestChannel()],
    agents: [
      agent('shop').onMessage(async ({ ask }) => {
        await act(registry, (options) => ask('Pay?', options)).catch((error) => void errors.push(error));
      }),
    ],
  });
  await registry.handle({ id: '1', conversationId: 'c', text: 'go' });
  expect(errors).toMatchObject([{ code: 'bad-option', message: expect.stringMatching(/excludeAsker.*participant/) }]);
  expect((await registry.listAsks()).asks).toEqual([]);
  await registry.stop();
});
