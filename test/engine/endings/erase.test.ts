/**
 * Forgetting for good and what stays readable otherwise.
 */
import { expect, test } from 'vitest';
import type { Stored } from '../../../src/core/format/stored.js';
import { AgentError, agent, number, text } from '../../../src/index.js';
import { gate, heard, minute, settle, TestChannel, world } from '../../support/engine.js';

const ann = { id: 'phone:ann', name: 'Ann' };
const bob = { id: 'phone:bob', name: 'Bob' };

async function shop() {
  const here = world();
  const phone = new TestChannel();
  const work = gate();
  const support = agent('support');
  const order = support.question('order', text('Order?'), {
    onAnswer: async (answer) => {
      if (answer === 'slow') await work.passed;
      if (answer === 'broken') throw new AgentError('bad-option', 'broken');
      return `Got ${answer}`;
    },
  });
  support.onMessage(({ message, ask }) => {
    if (message === 'fail') throw new AgentError('bad-option', 'failed');
    return message.startsWith('ask') ? ask(order, { context: { secret: 'card 4711' } }) : 'hello';
  });
  const registry = await here.replica({ agents: [support], channels: [phone] });
  const only = async () => (await registry.listAsks({ conversationId: 'c1' })).asks[0]?.id ?? '';
  return { ...here, phone, registry, work, only };
}

test('erase leaves nothing of the conversation but tombstones with id, status and time', async () => {
  const { registry, store, says, phone, only, advance } = await shop();
  await says(phone, 'ask', { id: 'm1' });
  const settled = await only();
  await says(phone, '12345');
  await says(phone, 'ask');
  const open = await only();
  await advance(1_000);
  expect(await registry.erase({ conversationId: 'c1' })).toMatchObject({ erased: 1 });
  expect(await store.conversation('c1')).toBeNull();
  expect((await store.history('c1', { limit: 10 })).items).toEqual([]);
  expect(await store.outcome('c1', 'm:phone:m1')).toBeNull();
  expect(await store.conversationsOf('phone:ann')).toEqual([]);
  expect((await store.list('open', { limit: 10 })).items).toEqual([]);
  for (const [id, status] of [
    [settled, 'answered'],
    [open, 'pending'],
  ] as const) {
    const { record } = (await store.find(id)) as { record: Stored };
    expect(JSON.parse(record.text)).toMatchObject({ id, status });
    expect(record.text).not.toMatch(/4711|12345|Order|ann/i);
  }
});

test('after erase an ask is gone for users, and the conversation starts anew', async () => {
  const { registry, says, phone, only } = await shop();
  await says(phone, 'ask');
  const askId = await only();
  await registry.erase({ conversationId: 'c1' });
  expect(await registry.getAsk(askId)).toBeNull();
  expect(await registry.answer(askId, { text: '1' }, { by: ann })).toEqual({ type: 'unknown' });
  await says(phone, '12345');
  expect(phone.texts()).toEqual(['Order?', 'hello']);
});

test('an unsent question is not sent after erase', async () => {
  const { registry, says, phone, advance } = await shop();
  phone.onSend = () => {
    throw new Error('no signal');
  };
  await says(phone, 'ask');
  await registry.erase({ conversationId: 'c1' });
  phone.onSend = () => {};
  await advance(5 * minute);
  expect(phone.texts()).toEqual([]);
});

test('erase refuses while a decided effect is unfinished, and erases nothing', async () => {
  const { registry, says, phone, work, only } = await shop();
  await says(phone, 'ask');
  const askId = await only();
  await says(phone, 'slow');
  await expect(registry.erase({ conversationId: 'c1' })).rejects.toMatchObject({ code: 'unfinished-effect' });
  work.open();
  await settle();
  expect(phone.texts()).toEqual(['Order?', 'Got slow']);
  expect(await registry.getAsk(askId)).toMatchObject({ status: 'answered' });
});

test('erase refuses while a decided effect is parked', async () => {
  const { registry, says, phone } = await shop();
  await says(phone, 'ask');
  await says(phone, 'broken');
  expect((await registry.parked()).items).toHaveLength(1);
  await expect(registry.erase({ conversationId: 'c1' })).rejects.toMatchObject({ code: 'unfinished-effect' });
});

test('erase refuses while a turn is parked that got its answer and has not gone on', async () => {
  const { replica } = world();
  let isBroken = true;
  const paid: unknown[] = [];
  const desk = agent('desk').onMessage(async ({ askAndWait }) => {
    const outcome = await askAndWait(number('How many?'), { timeout: minute });
    if (isBroken) throw new AgentError('model-refused', 'the bank is closed');
    paid.push(outcome.status === 'answered' ? outcome.value : outcome.status);
    return 'Paid.';
  });
  const registry = await replica({ agents: [desk] });
  const says = (id: string, words: string) =>
    registry.handle({ id, conversationId: 'c1', text: words, participant: { id: 'ann' } });
  await says('1', 'pay');
  await says('2', '4');
  await settle();
  await expect(registry.erase({ conversationId: 'c1' })).rejects.toMatchObject({ code: 'unfinished-effect' });
  isBroken = false;
  await registry.retry((await registry.parked()).items[0]?.id ?? '');
  expect(paid).toEqual([4]);
  expect(await registry.erase({ conversationId: 'c1' })).toMatchObject({ erased: 1 });
});

test('force erases all the same, the parked work included', async () => {
  const { registry, store, says, phone } = await shop();
  await says(phone, 'ask');
  await says(phone, 'broken');
  expect(await registry.erase({ conversationId: 'c1' }, { force: true })).toMatchObject({ erased: 1 });
  expect((await registry.parked()).items).toEqual([]);
  expect(await store.conversation('c1')).toBeNull();
});

test('a running continuation of an erased conversation says nothing any more', async () => {
  const { registry, store, says, phone, work } = await shop();
  await says(phone, 'ask');
  await says(phone, 'slow');
  await registry.erase({ conversationId: 'c1' }, { force: true });
  work.open();
  await settle();
  expect(phone.texts()).toEqual(['Order?']);
  expect(await store.conversation('c1')).toBeNull();
});

test('erase by participant erases every conversation they took part in, and no other', async () => {
  const { registry, store, says, phone } = await shop();
  await says(phone, 'hi', { conversationId: 'c1', participant: ann });
  await says(phone, 'hi', { conversationId: 'c2', participant: bob });
  await says(phone, 'hi', { conversationId: 'c2', participant: ann });
  await says(phone, 'hi', { conversationId: 'c3', participant: bob });
  expect(await registry.erase({ participantId: 'phone:ann' })).toMatchObject({ erased: 2 });
  expect(await store.conversation('c1')).toBeNull();
  expect(await store.conversation('c2')).toBeNull();
  expect(await store.conversation('c3')).not.toBeNull();
});

test('erase by participant names the conversations of others in which something was asked for them', async () => {
  const { replica, store, says } = world();
  const phone = new TestChannel();
  const refunds = agent('refunds');
  const approve = refunds.question('approve', text('Refund it?'), { onAnswer: () => 'Done.' });
  refunds.onMessage(async ({ message, ask }) => {
    if (message !== 'refund') return 'hello';
    const via = { channel: 'phone', conversationId: 'managers' };
    await ask(approve, { via, answerableBy: [bob.id], context: { iban: 'DE12' } });
    return 'Somebody looks at it.';
  });
  const registry = await replica({ agents: [refunds], channels: [phone] });
  await says(phone, 'refund', { participant: ann });
  await settle();
  expect((await registry.listAsks({ conversationId: 'managers' })).asks).toHaveLength(1);

  const found = { erased: 1, elsewhere: ['managers'] };
  expect(await registry.erase({ participantId: ann.id })).toEqual(found); // a room of others is not erased for one of them
  expect(await store.conversation('managers')).not.toBeNull();
  await says(phone, 'yes', { conversationId: 'managers', participant: bob });
  expect(await registry.erase({ participantId: ann.id })).toEqual({ ...found, erased: 0 }); // decided, it is there, too
  expect(await registry.erase({ conversationId: 'managers' })).toEqual({ erased: 1, elsewhere: [] });
  expect(await registry.erase({ participantId: ann.id })).toEqual({ erased: 0, elsewhere: [] });
});

test('erase by participant names the conversations of others in which their turns have said something', async () => {
  const { replica, store } = world();
  const refunds = agent('refunds');
  const why = refunds.question('why', text('Refund it?'), {
    onAnswer: async (answer, { pending, sendTo }) => {
      await sendTo('handle', `Answered: ${answer}`, { conversationId: String(pending.context['customer']) });
      return 'Told.';
    },
  });
  refunds.onMessage(async ({ message, ask, sendTo, conversationId: customer }) => {
    await sendTo('handle', `Ann wants: ${message}`, { conversationId: 'managers' });
    const via = { channel: 'handle', conversationId: 'boss' };
    await ask(why, { via, answerableBy: [bob.id], context: { customer } });
    return 'Somebody looks at it.';
  });
  const registry = await replica({ agents: [refunds] });
  await registry.handle({ id: '1', conversationId: 'ann', text: 'a refund', participant: ann });
  await settle();
  await registry.handle({ id: '2', conversationId: 'boss', text: 'no, he is a thief', participant: bob });
  await settle();
  const said = async (id: string) => (await registry.outputs(id)).outputs.map((output) => output.text);
  expect(await said('managers')).toEqual(['Ann wants: a refund']);
  expect(await said('ann')).toContain('Answered: no, he is a thief');

  expect(await registry.erase({ participantId: bob.id })).toEqual({ erased: 1, elsewhere: ['ann'] });
  expect(await registry.erase({ participantId: ann.id })).toEqual({ erased: 1, elsewhere: ['managers'] });
  expect(await store.conversation('managers')).not.toBeNull();
  await registry.erase({ conversationId: 'managers' });
  expect(await registry.erase({ participantId: ann.id })).toEqual({ erased: 0, elsewhere: [] });
});

test('erase by participant names a conversation whose turn was waiting when something was said there', async () => {
  const { replica } = world();
  const desk = agent('desk').onMessage(async ({ message, askAndWait, sendTo }) => {
    if (message !== 'wait') return sendTo('handle', `Ann says: ${message}`, { conversationId: 'managers' });
    return (await askAndWait(text('How many?'), { timeout: minute })).status;
  });
  const registry = await replica({ agents: [desk] });
  await registry.handle({ id: '1', conversationId: 'managers', text: 'wait', participant: bob });
  await registry.handle({ id: '2', conversationId: 'ann', text: 'hello', participant: ann });
  await settle();
  expect((await registry.outputs('managers')).outputs.map((output) => output.text)).toContain('Ann says: hello');
  await registry.handle({ id: '3', conversationId: 'managers', text: '4', participant: bob });
  await settle();
  expect(await registry.erase({ participantId: ann.id })).toEqual({ erased: 1, elsewhere: ['managers'] });
});

test('erase() without anything to erase says what it takes', async () => {
  const { registry } = await shop();
  const nothing = {} as { conversationId: string };
  await expect(registry.erase(nothing)).rejects.toMatchObject({
    code: 'bad-option',
    message: expect.stringMatching(/neither conversationId nor participantId/) as string,
  });
});

test('erase by participant finds somebody who only ever answered over the API', async () => {
  const { registry, store, says, phone, only } = await shop();
  await says(phone, 'ask');
  await registry.answer(await only(), { text: '1' }, { by: bob });
  expect(await registry.erase({ participantId: 'phone:bob' })).toMatchObject({ erased: 1 });
  expect(await store.conversation('c1')).toBeNull();
});

test('erase by participant finds somebody whose only message failed and is parked', async () => {
  const { registry, store, says, phone } = await shop();
  await says(phone, 'fail', { participant: bob });
  expect((await registry.parked()).items).toHaveLength(1);
  expect(await registry.erase({ participantId: 'phone:bob' })).toMatchObject({ erased: 1 });
  expect(await store.conversation('c1')).toBeNull();
});

test('erase by the id that identify gives finds somebody whose only message failed and is parked', async () => {
  const { replica, store, says } = world();
  const phone = new TestChannel();
  const support = agent('support');
  support.onMessage(() => {
    throw new AgentError('bad-option', 'failed');
  });
  const identify = () => ({ id: 'staff:7' });
  const registry = await replica({ agents: [support], channels: [phone], identify });
  await says(phone, 'fail', { participant: bob });
  expect((await registry.parked()).items).toHaveLength(1);
  expect(await registry.erase({ participantId: 'staff:7' })).toMatchObject({ erased: 1 });
  expect(await store.conversation('c1')).toBeNull();
});

test('erase of what does not exist says so', async () => {
  const { registry } = await shop();
  expect(await registry.erase({ conversationId: 'nobody' })).toMatchObject({ erased: 0 });
  expect(await registry.erase({ participantId: 'nobody' })).toMatchObject({ erased: 0 });
});

test('a finished record stays readable for the retention time, then it is gone', async () => {
  const { registry, says, phone, only, clock } = await shop();
  await says(phone, 'ask');
  const askId = await only();
  await says(phone, '12345');
  await settle();
  const day = 86_400_000;
  await clock.advance(29 * day);
  expect(await registry.getAsk(askId)).toMatchObject({ status: 'answered' });
  await clock.advance(2 * day);
  expect(await registry.getAsk(askId)).toBeNull();
});

test('parked work outlasts the retention time, with the ask that it decided', async () => {
  const { registry, says, phone, only, clock } = await shop();
  await says(phone, 'ask');
  const askId = await only();
  await says(phone, 'broken');
  await settle();
  await clock.advance(60 * 86_400_000);
  const [parked] = (await registry.parked()).items;
  expect(parked).toMatchObject({ askId });
  expect(await registry.retry(parked?.id ?? '')).toMatchObject({ type: 'failed' });
  expect((await registry.parked()).items).toMatchObject([{ id: parked?.id, askId, attempts: 2 }]);
});

test('question, answer, decision, who and when are readable afterwards, once each', async () => {
  const { registry, says, phone, only, clock } = await shop();
  await says(phone, 'ask');
  const askId = await only();
  await says(phone, '12345');
  const { items } = await registry.history('c1');
  const at = clock.now();
  expect(items.filter((item) => item.type === 'out' && item.askId === askId)).toMatchObject([{ text: 'Order?', at }]);
  expect(items.filter((item) => item.type === 'in' && item.disposition.type === 'accepted')).toMatchObject([
    { text: '12345', participant: ann, channel: 'phone', at },
  ]);
  expect(items.filter((item) => item.type === 'decision')).toMatchObject([
    { askId, status: 'answered', by: ann, at, agent: 'support' },
  ]);
});

test('a refused reply is readable with who tried, and the operator hears of it', async () => {
  const { registry, says, phone, only } = await shop();
  const refused = heard(registry, 'refused');
  await says(phone, 'ask');
  const askId = await only();
  await says(phone, '99', { askId, participant: bob });
  const { items } = await registry.history('c1');
  expect(items).toContainEqual(
    expect.objectContaining({ type: 'in', participant: bob, disposition: { type: 'not-authorised', askId } }),
  );
  expect(refused).toMatchObject([{ askId, participantId: 'phone:bob' }]);
});

test('a refused decline over the API is readable with who tried', async () => {
  const { registry, says, phone, only } = await shop();
  await says(phone, 'ask');
  expect(await registry.decline(await only(), { by: bob })).toEqual({ type: 'refused' });
  const { items } = await registry.history('c1');
  expect(JSON.stringify(items)).toContain('phone:bob');
  expect(JSON.stringify(items)).toContain('not-authorised');
});

test('a stranger who answers a settled ask by id is refused, and the operator hears of it', async () => {
  const { registry, says, phone, only } = await shop();
  const refused = heard(registry, 'refused');
  await says(phone, 'ask');
  const askId = await only();
  await says(phone, '12345');
  expect(await registry.answer(askId, { text: '99' }, { by: bob })).toEqual({ type: 'refused' });
  expect(refused).toMatchObject([{ askId, participantId: 'phone:bob' }]);
});

test('what people wrote is not logged', async () => {
  const lines: string[] = [];
  const log = (message: string, more?: object) => lines.push(`${message} ${JSON.stringify(more)}`);
  const { replica, says, advance } = world();
  const phone = new TestChannel();
  const support = agent('support');
  const order = support.question('order', text('Order?'), {
    onAnswer: () => {
      throw new Error('bank');
    },
  });
  support.onMessage(({ ask }) => ask(order, { context: { card: 'SECRET-CONTEXT' } }));
  const logger = { debug: log, info: log, warn: log, error: log };
  await replica({ agents: [support], channels: [phone], logger });
  await says(phone, 'ask');
  await says(phone, 'SECRET-ANSWER');
  await says(phone, 'SECRET-NAMED', { askId: 'unknown', participant: bob });
  await advance(10 * minute);
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.join('\n')).not.toContain('SECRET');
});

test('erase by participant finds messages that are recorded and not yet handled', async () => {
  const { registry, store, replica, advance } = await shop();
  await registry.stop();
  const recorder = await replica({}); // it runs no agents
  const message = { conversationId: 'waiting', text: 'my card is 4711', participant: ann };
  const handled = [
    recorder.handle({ ...message, id: '1' }),
    recorder.handle({ ...message, id: '2', participant: bob }),
  ];
  await settle();
  expect((await store.conversation('waiting'))?.queue).toHaveLength(2);
  expect(await recorder.erase({ participantId: bob.id })).toMatchObject({ erased: 1 });
  expect(await store.conversation('waiting')).toBeNull();
  expect(await recorder.erase({ participantId: ann.id })).toMatchObject({ erased: 0 });
  await advance(2 * minute);
  await Promise.all(handled);
});

test('a damaged conversation stops the erase of no other one, is named, and is erased by force', async () => {
  const { registry, store, says, phone } = await shop();
  await says(phone, 'fail', { conversationId: 'c2', participant: ann });
  for (const conversationId of ['c1', 'c2', 'c3']) await says(phone, 'ask', { conversationId, participant: ann });
  const open = (await registry.listAsks({ conversationId: 'c2' })).asks[0]?.id ?? '';
  const conversation = store.conversation.bind(store);
  store.conversation = async (id, ...more) => {
    const state = await conversation(id, ...more);
    return state && (id === 'c2' ? { ...state, document: { text: '{"v":1,"asks":[{"secret":"card 47' } } : state);
  };
  expect(await registry.erase({ participantId: ann.id })).toEqual({ erased: 2, elsewhere: [], unreadable: ['c2'] });
  await expect(registry.erase({ conversationId: 'c2' })).rejects.toMatchObject({ code: 'bad-record' });
  expect(await registry.erase({ conversationId: 'c2' }, { force: true })).toEqual({ erased: 1, elsewhere: [] });
  expect(await store.conversation('c2')).toBeNull();
  expect(await store.conversationsOf(ann.id)).toEqual([]);
  for (const list of ['open', 'parked'] as const) expect((await store.list(list, { limit: 10 })).items).toEqual([]);
  const { record } = (await store.find(open)) as { record: Stored };
  expect(JSON.parse(record.text)).toEqual({ erased: true, id: open, at: expect.any(Number) });
});
