/**
 * Cancelling and recovering.
 */
import { expect, test } from 'vitest';
import { agent, text } from '../../../src/index.js';
import { gate, limitedIds, minute, settle, TestChannel, world } from '../../support/engine.js';

const ann = { by: { id: 'phone:ann' } };

async function asked(count = 1) {
  const here = world();
  const phone = new TestChannel();
  const closed: string[] = [];
  const running = gate();
  const support = agent('support');
  const order = support.question('order', text('Order?'), {
    onAnswer: async (answer) => {
      if (answer === 'slow') await running.passed;
      return `Got ${answer}`;
    },
    onClosed: (pending, why) => {
      closed.push(`${pending.context['n']} ${why}`);
    },
  });
  support.onMessage(async ({ message, ask }) => {
    if (message !== 'ask') return 'ordinary';
    for (let n = 1; n <= count; n += 1) await ask(order, { context: { n } });
    return undefined;
  });
  const registry = await here.replica({ agents: [support], channels: [phone] });
  await here.says(phone, 'ask');
  const ids = (await registry.listAsks({ conversationId: 'c1' })).asks.map((ask) => ask.id);
  return { ...here, phone, registry, closed, ids, running, id: ids[0] ?? '' };
}

test('cancel by id: the ask is cancelled, the agent learns of it, the next text is ordinary', async () => {
  const { registry, id, closed, says, phone } = await asked();
  expect(await registry.cancel(id)).toMatchObject({ type: 'accepted', ask: { status: 'cancelled' } });
  expect(closed).toEqual(['1 cancelled']);
  await says(phone, '12345');
  expect(phone.texts()).toEqual(['Order?', 'ordinary']);
});

test('cancel by conversation cancels everything open in it, each with its hook once', async () => {
  const { registry, closed, ids } = await asked(3);
  expect(await registry.cancel({ conversationId: 'c1' })).toEqual({ cancelled: 3 });
  expect(closed).toEqual(['1 cancelled', '2 cancelled', '3 cancelled']);
  expect(await Promise.all(ids.map(async (id) => (await registry.getAsk(id))?.status))).toEqual(
    Array(3).fill('cancelled'),
  );
});

test('cancel by conversation leaves other conversations alone', async () => {
  const { registry, says, phone } = await asked();
  await says(phone, 'ask', { conversationId: 'c2' });
  await registry.cancel({ conversationId: 'c1' });
  expect((await registry.listAsks()).asks).toMatchObject([{ conversationId: 'c2' }]);
});

test('cancel by conversation ends, also when every hook asks again', async () => {
  const { replica, says } = world();
  const phone = new TestChannel();
  let hooks = 0;
  const support = agent('support');
  const state: { again?: () => Promise<unknown> } = {};
  const order = support.question('order', text('Order?'), {
    onAnswer: () => 'ok',
    onClosed: async () => {
      hooks += 1;
      await state.again?.();
    },
  });
  support.onMessage(({ ask }) => ask(order));
  state.again = () => (support as unknown as { ask(question: unknown): Promise<unknown> }).ask(order);
  const registry = await replica({ agents: [support], channels: [phone], newId: limitedIds(100) });
  await says(phone, 'ask');
  void registry.cancel({ conversationId: 'c1' });
  await settle();
  expect(hooks).toBe(1);
});

test('a cancel that is queued behind the answer changes nothing', async () => {
  const { registry, id, says, phone, running } = await asked();
  await says(phone, 'slow');
  const cancelled = registry.cancel(id);
  await settle();
  running.open();
  await settle();
  expect(await cancelled).toMatchObject({ type: 'already', ask: { status: 'answered' } });
  expect(phone.texts()).toEqual(['Order?', 'Got slow']);
});

test('answer, cancel and decline at the same moment: one is accepted, the others are told, one final state', async () => {
  const { registry, id, closed, phone } = await asked();
  const settled = await Promise.all([
    registry.answer(id, { text: '12345' }, ann),
    registry.cancel(id),
    registry.decline(id, ann),
    registry.answer(id, { text: '99999' }, ann),
  ]);
  expect(settled.map((each) => each.type).sort()).toEqual(['accepted', 'already', 'already', 'already']);
  expect(await registry.getAsk(id)).toMatchObject({ status: 'answered', answer: '12345' });
  expect(closed).toEqual([]);
  await settle();
  expect(phone.texts()).toEqual(['Order?', 'Got 12345']);
});

test('a declined or cancelled ask carries no answer: silence is not consent', async () => {
  const { registry, ids } = await asked(2);
  await registry.cancel(ids[0] ?? '');
  await registry.decline(ids[1] ?? '', ann);
  for (const id of ids) {
    const ask = await registry.getAsk(id);
    expect(ask?.answer).toBeUndefined();
    expect(ask?.value).toBeUndefined();
  }
});

test('cancel() of an unknown id says so and changes nothing', async () => {
  const { registry } = await asked();
  expect(await registry.cancel('00000000-0000-8000-8000-000000000000')).toEqual({ type: 'unknown' });
  expect((await registry.listAsks()).asks).toHaveLength(1);
});

test('recoverPending expires asks without a deadline that are older than maxAge, with their hook', async () => {
  const { registry, advance, closed, id } = await asked();
  await advance(10 * minute);
  expect(await registry.recoverPending(5 * minute)).toEqual({ expired: 1, recovered: 0 });
  expect(closed).toEqual(['1 expired']);
  expect(await registry.getAsk(id)).toMatchObject({ status: 'expired' });
});

test('recoverPending is idempotent, also when called twice at once', async () => {
  const { registry, advance, closed } = await asked(2);
  await advance(10 * minute);
  await Promise.all([registry.recoverPending(minute), registry.recoverPending(minute)]);
  expect(await registry.recoverPending(minute)).toEqual({ expired: 0, recovered: 0 });
  expect(closed.sort()).toEqual(['1 expired', '2 expired']);
});

test('younger asks are reported as recovered and stay as they are', async () => {
  const { registry, says, phone, advance } = await asked();
  await advance(minute);
  expect(await registry.recoverPending(5 * minute)).toEqual({ expired: 0, recovered: 1 });
  await says(phone, '12345');
  expect(phone.texts()).toEqual(['Order?', 'Got 12345']);
});

test('an ask with a deadline of its own is left to it', async () => {
  const { replica, says, advance } = world();
  const phone = new TestChannel();
  const support = agent('support');
  support.onMessage(({ ask }) => ask('Order?', { expiresIn: 60 * minute }));
  const registry = await replica({ agents: [support], channels: [phone] });
  await says(phone, 'ask');
  await advance(30 * minute);
  expect(await registry.recoverPending(minute)).toEqual({ expired: 0, recovered: 1 });
});

test('recoverPending refuses what is no time', async () => {
  const { registry } = await asked();
  await expect(registry.recoverPending(Number.NaN)).rejects.toMatchObject({ code: 'bad-option' });
  await expect(registry.recoverPending(-1)).rejects.toMatchObject({ code: 'bad-option' });
});

test('recovery in one replica does not disturb the continuation another replica is running', async () => {
  const { registry, replica, says, phone, running, advance, id } = await asked();
  await advance(10 * minute);
  await says(phone, 'slow');
  const support = agent('support');
  support.question('order', text('Order?'), { onAnswer: () => 'wrong process' });
  const other = await replica({ agents: [support] });
  const recovered = other.recoverPending(minute);
  await settle();
  running.open();
  await settle();
  expect(await recovered).toMatchObject({ expired: 0 });
  expect(phone.texts()).toEqual(['Order?', 'Got slow']);
  expect(await registry.getAsk(id)).toMatchObject({ status: 'answered' });
});
