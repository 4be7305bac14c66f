/**
 * What the engine tells of its asks to readers in any process: opened, changed while open, decided.
 */
import { expect, test } from 'vitest';
import type { AgentRegistry } from '../../../src/index.js';
import { agent, confirm, form, number, text } from '../../../src/index.js';
import { inboxPort } from '../../../src/registry/inbox/inbox-port.js';
import { gate, settle, TestChannel, world } from '../../support/engine.js';

/** Reads what has changed since the last call: the question and the status of each ask. */
async function reader(registry: AgentRegistry) {
  const port = registry[inboxPort];
  let { cursor } = await port.changes({ limit: 100 });
  return async () => {
    const page = await port.changes({ limit: 100, cursor });
    cursor = page.cursor;
    const found = await Promise.all(page.items.map(({ id }) => port.find(id)));
    return found.map((each) => `${each?.ask.question.text} ${each?.ask.status}`);
  };
}

async function desk() {
  const here = world();
  const phone = new TestChannel();
  const isAnswered = gate();
  const support = agent('support');
  const both = support.question('both', confirm('Refund it?'), { onAnswer: () => 'Both have said yes.' });
  const address = support.question('address', form('Where to?', { street: text('Street?'), house: number('House?') }), {
    onAnswer: () => 'Thank you.',
  });
  const slow = support.question('slow', text('Order?', { pattern: /^\d+$/ }), {
    onAnswer: () => isAnswered.passed.then(() => 'Found.'),
  });
  support.onMessage(async ({ message, ask, askAndWait }) => {
    if (message === 'both') return ask(both, { answerableBy: ['a', 'b'], quorum: 2 });
    if (message === 'form') return ask(address);
    if (message === 'slow') return ask(slow);
    if (message !== 'wait') return undefined;
    await askAndWait(text('Which size?'));
    await isAnswered.passed;
    return 'Size.';
  });
  const registry = await here.replica({ agents: [support], channels: [phone] });
  const other = await here.replica(); // reads in another process
  const told = await reader(other);
  return { ...here, phone, registry, told, isAnswered };
}

test('a vote is told, and so is the one that decides', async () => {
  const { phone, says, registry, told } = await desk();
  await says(phone, 'both');
  expect(await told()).toEqual(['Refund it? pending']);
  const [ask] = (await registry.listAsks()).asks;
  await registry.answer(ask?.id ?? '', { value: true }, { by: { id: 'a' } });
  expect(await told()).toEqual(['Refund it? pending']);
  await registry.answer(ask?.id ?? '', { value: true }, { by: { id: 'b' } });
  expect(await told()).toEqual(['Refund it? answered']);
  expect(await told()).toEqual([]);
});

test('a part of a form is told; a message that changes no ask is not', async () => {
  const { phone, says, told } = await desk();
  await says(phone, 'form');
  expect(await told()).toEqual(['Where to? pending']);
  await says(phone, 'Main Street');
  expect(await told()).toEqual(['Where to? pending']);
  await says(phone, 'hello', { conversationId: 'c2' });
  expect(await told()).toEqual([]);
  await says(phone, '12');
  expect(await told()).toEqual(['Where to? answered']);
});

test('a decision is told before its continuation is over, and the end of the turn once more', async () => {
  const { phone, says, told, isAnswered } = await desk();
  await says(phone, 'slow');
  expect(await told()).toEqual(['Order? pending']);
  await says(phone, '12345');
  const early = await told();
  isAnswered.open();
  await settle();
  const late = await told();
  expect([early, late]).toEqual([['Order? answered'], ['Order? answered']]);
});

test('an answer that a waiting turn reads is told while that turn goes on', async () => {
  const { phone, says, told, isAnswered } = await desk();
  await says(phone, 'wait');
  expect(await told()).toEqual(['Which size? pending']);
  await says(phone, 'M');
  expect(await told()).toEqual(['Which size? answered']);
  isAnswered.open();
  await settle();
  expect(await told()).toEqual(['Which size? answered']);
});

test('an ask that expires or is cancelled is told', async () => {
  const { phone, says, registry, told } = await desk();
  await says(phone, 'slow');
  await told();
  await registry.cancel({ conversationId: 'c1' });
  expect(await told()).toEqual(['Order? cancelled']);
});
