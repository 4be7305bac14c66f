/**
 * sendTo() to another conversation of handle(): said there, once, whoever crashes, and neither a message nor a reply.
 */
import { expect, test } from 'vitest';
import type { IncomingMessage, SendOptions } from '../../../src/index.js';
import { agent, confirm, number, text } from '../../../src/index.js';
import { crashableStore } from '../../../src/testing/crashable-store.js';
import type { CrashPoint } from '../../../src/testing/index.js';
import { rehearse } from '../../../src/testing/index.js';
import { agentError } from '../../support/agents.js';
import { leaseAndSweep, minute, settle, world } from '../../support/engine.js';

const said = ({ outputs }: { readonly outputs: readonly { readonly text: string }[] }): string[] =>
  outputs.map((output) => output.text);

const from = (who: string, id: string, words: string): IncomingMessage => ({
  id,
  conversationId: `web-${who}`,
  text: words,
  participant: { id: `web:${who}` },
});

/** Asks the boss for whoever says "refund", and tells them what the boss says. */
function refunds() {
  const runs: string[] = [];
  const clerk = agent('clerk');
  const approve = clerk.question('approve', confirm('Refund it?'), {
    onAnswer: async (yes, { pending, sendTo }) => {
      runs.push('answer');
      await sendTo('handle', yes ? 'You get it back.' : 'No.', { conversationId: String(pending.context['customer']) });
      return 'The customer is told.';
    },
  });
  const order = clerk.question('order', text('Which order?'), { onAnswer: (answer) => `Order ${answer}.` });
  clerk.onMessage(async ({ message, conversationId, ask, askAndWait, sendTo }) => {
    runs.push(message ?? '');
    const via = { channel: 'handle', conversationId: 'web-boss' };
    if (message === 'refund') {
      await ask(approve, { via, answerableBy: ['web:boss'], context: { customer: conversationId } });
      return 'The boss is asked.';
    }
    if (message === 'order') return ask(order);
    if (message === 'seats') {
      const seats = await askAndWait(number('How many?'), { timeout: 20 * minute });
      return `Booked ${seats.status === 'answered' ? seats.value : 'nothing'}.`;
    }
    if (message === 'twice') {
      for (const conversationId of ['web-anna', 'web-ben', 'web-anna', 'web-boss'])
        await sendTo('handle', 'Closed today.', { conversationId });
      return 'All are told.';
    }
    await sendTo('handle', `The boss: ${message}`, { conversationId: 'web-anna' });
    return 'Told.';
  });
  return { clerk, runs };
}

test('an approver answers in one conversation, and the customer is told in the other', async () => {
  const { replica } = world();
  const { clerk, runs } = refunds();
  const registry = await replica({ agents: [clerk] });
  await registry.handle(from('anna', '1', 'refund'));
  await settle();
  const boss = await registry.handle(from('boss', '2', 'yes'));
  await settle();
  expect([boss.disposition.type, said(boss)]).toEqual(['accepted', ['The customer is told.']]);
  expect(said(await registry.outputs('web-anna'))).toEqual(['The boss is asked.', 'You get it back.']);
  expect(said(await registry.outputs('web-boss'))).toEqual(['The customer is told.']);
  expect(runs).toEqual(['refund', 'answer']);
  const { items } = await registry.history('web-anna');
  expect(items.filter((item) => 'text' in item && item.text === 'You get it back.')).toMatchObject([
    { type: 'out', channel: 'handle' },
  ]);
});

test('a conversation that nobody has written to yet begins with what is said there', async () => {
  const { replica } = world();
  const { clerk, runs } = refunds();
  const registry = await replica({ agents: [clerk] });
  const { outputs } = await registry.handle(from('boss', '1', 'we are open'));
  await settle();
  expect(outputs.map((output) => output.text)).toEqual(['Told.']);
  expect(said(await registry.outputs('web-anna'))).toEqual(['The boss: we are open']);
  expect(runs).toEqual(['we are open']);
  const first = await registry.handle(from('anna', '2', 'refund'));
  expect(said(first)).toEqual(['The boss is asked.']);
});

test('each call is said, in order, the own conversation at once', async () => {
  const { replica } = world();
  const registry = await replica({ agents: [refunds().clerk] });
  const boss = await registry.handle(from('boss', '1', 'twice'));
  await settle();
  expect(said(boss)).toEqual(['Closed today.', 'All are told.']);
  const anna = await registry.outputs('web-anna');
  expect(said(anna)).toEqual(['Closed today.', 'Closed today.']);
  expect(new Set(anna.outputs.map(({ key }) => key)).size).toBe(2);
  expect(said(await registry.outputs('web-ben'))).toEqual(['Closed today.']);
});

test('it is no reply: a question that is open there stays open, and is answered afterwards', async () => {
  const { replica } = world();
  const registry = await replica({ agents: [refunds().clerk] });
  const { cursor } = await registry.handle(from('anna', '1', 'order'));
  await registry.handle(from('boss', '2', 'cancel'));
  await settle();
  expect(said(await registry.outputs('web-anna', { after: cursor }))).toEqual(['The boss: cancel']);
  expect((await registry.listAsks()).asks).toMatchObject([{ question: 'Which order?', retries: 0 }]);
  expect(said(await registry.handle(from('anna', '3', '12345')))).toEqual(['Order 12345.']);
});

test('it is said while a turn waits for a person there', async () => {
  const { replica, advance } = world();
  const registry = await replica({ agents: [refunds().clerk] });
  const { cursor } = await registry.handle(from('anna', '1', 'seats'));
  await registry.handle(from('boss', '2', 'hurry'));
  await advance(minute);
  const meanwhile = await registry.outputs('web-anna', { after: cursor });
  expect(said(meanwhile)).toEqual(['The boss: hurry']);
  await registry.handle(from('anna', '3', '4'));
  await advance(minute);
  expect(said(await registry.outputs('web-anna', { after: meanwhile.cursor }))).toEqual(['Booked 4.']);
  expect((await registry.parked()).items).toEqual([]);
});

for (const point of ['take', 'save', 'sent'] as const satisfies readonly CrashPoint[]) {
  test(`the process dies after the ${point} of the turn that says it: it is said once`, async () => {
    const { replica, advance, store } = world();
    const mortal = crashableStore(store);
    const first = await replica({ agents: [refunds().clerk], store: mortal.store });
    mortal.crashAfter(point);
    void first.handle(from('boss', '1', 'hello')).catch(() => {});
    await settle();
    const second = await replica({ agents: [refunds().clerk] });
    await advance(minute + 2 * leaseAndSweep);
    expect(said(await second.outputs('web-anna'))).toEqual(['The boss: hello']);
    expect(said(await second.outputs('web-boss'))).toEqual(['Told.']);
  });

  test(`the next process dies after the ${point} that records or says it: it is said once`, async () => {
    const { replica, advance, store } = world();
    const [first, second] = [crashableStore(store), crashableStore(store)];
    const registry = await replica({ agents: [refunds().clerk], store: first.store });
    first.crashAfter('save');
    void registry.handle(from('boss', '1', 'hello')).catch(() => {});
    await settle();
    await replica({ agents: [refunds().clerk], store: second.store });
    second.crashAfter(point);
    await advance(minute + leaseAndSweep);
    const third = await replica({ agents: [refunds().clerk] });
    await advance(minute + 2 * leaseAndSweep);
    expect(said(await third.outputs('web-anna'))).toEqual(['The boss: hello']);
  });
}

test('a turn that fails after sendTo() and runs again says it once', async () => {
  const { replica, advance } = world();
  let attempts = 0;
  const shaky = agent('shaky').onMessage(async ({ sendTo }) => {
    await sendTo('handle', 'Once.', { conversationId: 'web-anna' });
    attempts += 1;
    if (attempts < 3) throw new Error('not yet');
    return 'done';
  });
  const registry = await replica({ agents: [shaky] });
  void registry.handle(from('boss', '1', 'go'));
  await advance(10 * minute);
  expect(attempts).toBe(3);
  expect(said(await registry.outputs('web-anna'))).toEqual(['Once.']);
});

test('what is said elsewhere takes no room of open asks', async () => {
  const { replica } = world();
  const busy = agent('busy');
  const sure = busy.question('sure', confirm('Sure?'), { onAnswer: () => 'ok' });
  busy.onMessage(async ({ ask, sendTo }) => {
    for (const conversationId of ['a', 'b', 'c']) await sendTo('handle', 'hm', { conversationId });
    return ask(sure);
  });
  const registry = await replica({ agents: [busy], settings: { openAsks: 2 } });
  expect(said(await registry.handle(from('boss', '1', 'go')))).toEqual(['Sure?']);
});

const refusals: readonly [string, string, SendOptions, string][] = [
  [
    'an address of handle',
    'handle',
    { to: 'web-anna' },
    'has no addresses, so `to` means nothing there. Give conversationId',
  ],
  [
    'a conversation of another channel',
    'rehearsal',
    { conversationId: 'ben' },
    'conversationId is only for channels that push nothing',
  ],
  ['handle without a conversation elsewhere', 'handle', {}, 'runs on another channel. Add conversationId'],
  ['an unknown option', 'rehearsal', { conversation: 'ben' } as SendOptions, 'the option conversation is unknown'],
  ['an empty conversation', 'handle', { conversationId: '' }, 'sendTo(): conversationId must be a non-empty string'],
];
for (const [what, channel, options, expected] of refusals) {
  test(`sendTo() refuses ${what}, and nothing is said`, async () => {
    let error: unknown;
    const teller = agent('teller').onMessage(async ({ sendTo }) => {
      await sendTo(channel, 'hello', options).catch((thrown: unknown) => {
        error = thrown;
      });
      return 'tried';
    });
    const { human, stop } = await rehearse({ agents: [teller] });
    expect(await human('anna').says('go')).toEqual(['tried']);
    expect(agentError(error).message).toContain(expected);
    await stop();
  });
}

test('in a rehearsal what is said in a conversation of handle() is fetched from its registry', async () => {
  const teller = agent('teller').onMessage(async ({ sendTo }) => {
    await sendTo('handle', 'for ben', { conversationId: 'web-ben' });
    return 'told';
  });
  const { human, registry, stop } = await rehearse({ agents: [teller] });
  expect(await human('anna').says('go')).toEqual(['told']);
  expect(said(await registry.outputs('web-ben'))).toEqual(['for ben']);
  await stop();
});
