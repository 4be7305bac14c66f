/** The log of decided asks: who decided what, when, over all conversations. */
import { expect, test } from 'vitest';
import type { IncomingMessage } from '../../../src/index.js';
import { agent, confirm, text } from '../../../src/index.js';
import { askHuman } from '../../../src/tools/index.js';
import { gate, minute, settle, storeWith, TestChannel, world } from '../../support/engine.js';

const ana = { id: 'staff:ana', name: 'Ana' };

async function shop(more: object = {}) {
  const here = world();
  const phone = new TestChannel();
  const running = gate();
  const orders = agent('orders');
  const order = orders.question('order', text('Order?'), {
    onAnswer: async (answer) => {
      if (answer === 'slow') await running.passed;
    },
  });
  const secret = orders.question('secret', text('PIN?', { pattern: /^\d{4}$/ }), {
    onAnswer: () => 'ok',
    sensitive: true,
  });
  orders.onMessage(({ message, ask }) => ask(message === 'pin' ? secret : order));
  const registry = await here.replica({ agents: [orders], channels: [phone], ...more });
  /** Asks in a conversation and answers, one minute later. */
  const answered = async (conversationId: string, answer: string, first = 'ask') => {
    const more: Partial<IncomingMessage> = { conversationId };
    await here.says(phone, first, more);
    await here.advance(minute);
    await here.says(phone, answer, more);
  };
  const log = async (filter: object = {}) => {
    const answers: unknown[] = [];
    let cursor: string | undefined;
    do {
      const page = await registry.listAsks({
        status: 'decided',
        ...filter,
        ...(cursor === undefined ? {} : { cursor }),
      });
      answers.push(...page.asks.map((ask) => ask.answer ?? ask.reason ?? ask.status));
      ({ cursor } = page);
    } while (cursor !== undefined);
    return answers;
  };
  return { ...here, phone, registry, running, answered, log };
}

test('decided asks of all conversations are listed, the last decision first, with who and what', async () => {
  const { registry, answered, says, phone, log } = await shop();
  await answered('c1', '111');
  await answered('c2', '222');
  await says(phone, 'ask', { conversationId: 'c3' });
  const open = (await registry.listAsks()).asks;
  await registry.cancel(open[0]?.id ?? '', { by: ana, reason: 'sold out' });
  const { asks, cursor } = await registry.listAsks({ status: 'decided' });
  expect(cursor).toBeUndefined();
  expect(asks).toMatchObject([
    { conversationId: 'c3', status: 'cancelled', decidedBy: ana, reason: 'sold out' },
    { conversationId: 'c2', status: 'answered', answer: '222', decidedBy: { id: 'phone:ann' }, agentName: 'orders' },
    { conversationId: 'c1', status: 'answered', answer: '111', decidedBy: { id: 'phone:ann' } },
  ]);
  expect(await log({ limit: 1 })).toEqual(['sold out', '222', '111']);
});

test('the log is filtered by end, time, agent, conversation, participant and who might have answered', async () => {
  const { registry, answered, says, phone, clock, advance, log } = await shop();
  await answered('c1', '111');
  const between = clock.now();
  await answered('c2', '222');
  await says(phone, 'ask', { conversationId: 'c2' });
  await advance(1);
  await says(phone, 'cancel', { conversationId: 'c2' });
  await says(phone, 'ask', { conversationId: 'open' });
  expect(await log({ status: 'answered' })).toEqual(['222', '111']);
  expect(await log({ status: 'declined' })).toEqual(['declined']);
  expect(await log({ status: 'expired' })).toEqual([]);
  expect(await log({ since: new Date(between + 1) })).toEqual(['declined', '222']);
  expect(await log({ until: between + 1 })).toEqual(['111']);
  expect(await log({ conversationId: 'c2', limit: 1 })).toEqual(['declined', '222']);
  expect(await log({ agentName: 'others' })).toEqual([]);
  expect(await log({ agentName: 'orders', limit: 1 })).toHaveLength(3);
  expect(await log({ participantId: 'phone:ann' })).toHaveLength(3);
  expect(await log({ for: { id: 'phone:ann' } })).toHaveLength(3);
  expect(await log({ for: ana })).toEqual([]);
  expect((await registry.listAsks({ status: 'pending', since: between })).asks).toMatchObject([
    { conversationId: 'open' },
  ]);
  expect((await registry.listAsks({ until: between })).asks).toEqual([]);
});

test('a sensitive ask is in the log without its answer', async () => {
  const { registry, answered } = await shop();
  await answered('c1', '4711', 'pin');
  const { asks } = await registry.listAsks({ status: 'answered' });
  expect(asks).toMatchObject([{ question: 'PIN?', decidedBy: { id: 'phone:ann' }, sensitive: true }]);
  expect(JSON.stringify(asks)).not.toContain('4711');
});

test('the log finds the asks of a tool by its name', async () => {
  const { registry, answered, says, phone, advance, log } = await shop();
  await answered('c1', '111');
  const ask = askHuman(registry, { where: { channel: 'phone', to: 'boss' }, name: 'ask_boss' });
  const asked = ask.execute({ question: 'May I?' }, { callId: '1' });
  await settle();
  const [open] = (await registry.listAsks({ tool: 'ask_boss' })).asks;
  expect(open).toMatchObject({ question: 'May I?' });
  await advance(1);
  await says(phone, 'Yes, do.', { conversationId: 'boss' });
  await asked;
  expect(await log({ tool: 'ask_boss' })).toEqual(['Yes, do.']);
  expect(await log({ tool: 'ask_nobody' })).toEqual([]);
  expect(await log()).toEqual(['Yes, do.', '111']);
});

test('an ask that is decided while its turn runs is open no more, and in the log when the turn is over', async () => {
  const { registry, answered, running, log } = await shop();
  await answered('c1', 'slow');
  expect((await registry.listAsks()).asks).toEqual([]);
  expect((await registry.listAsks({ conversationId: 'c1' })).asks).toEqual([]);
  expect(await log()).toEqual([]);
  running.open();
  await settle();
  expect(await log()).toEqual(['slow']);
});

test('the log forgets what is erased, and what was kept for its retention', async () => {
  const { registry, answered, advance, log } = await shop({ settings: { retention: 60 * minute } });
  await answered('c1', '111');
  await answered('c2', '222');
  await registry.erase({ conversationId: 'c2' });
  expect(await log()).toEqual(['111']);
  expect(await log({ conversationId: 'c2' })).toEqual([]);
  await advance(61 * minute);
  expect(await log()).toEqual([]);
});

test('a page reads no more records than its limit, and none for what another conversation has', async () => {
  const { answered, store, replica } = await shop();
  for (let i = 0; i < 6; i += 1) await answered(`c${i}`, `${i}`);
  const read: number[] = [];
  const counting = storeWith(store, {
    settled: async (page) => {
      const found = await store.settled(page);
      read.push(found.items.length);
      return found;
    },
  });
  const registry = await replica({ store: counting });
  const { asks, cursor } = await registry.listAsks({ status: 'declined', limit: 4 });
  expect([asks, read]).toEqual([[], [4]]);
  expect((await registry.listAsks({ status: 'declined', limit: 4, cursor: cursor ?? '' })).cursor).toBeUndefined();
  await registry.listAsks({ status: 'decided', conversationId: 'c1' });
  expect(read).toEqual([4, 2, 1]);
});

test('a record that cannot be read hides no other one, and is counted', async () => {
  const { answered, store, replica } = await shop();
  await answered('c1', '111');
  await answered('c2', '222');
  const damaged = storeWith(store, {
    settled: async (page) => {
      const { items } = await store.settled(page);
      return {
        items: items.map((item, i) =>
          i === 0 ? { ...item, record: { text: '{"conversationId":"c2","ask":[' } } : item,
        ),
      };
    },
  });
  const warnings: unknown[] = [];
  const warn = (...said: unknown[]) => void warnings.push(said);
  const logger = { debug: () => {}, info: () => {}, warn, error: () => {} };
  const registry = await replica({ store: damaged, logger });
  expect(await registry.listAsks({ status: 'decided' })).toMatchObject({ asks: [{ answer: '111' }], unreadable: 1 });
  expect(warnings).toMatchObject([['A record cannot be read and is left out', { askId: expect.any(String) }]]);
});

test.each([
  [{ status: 'over' }, "listAsks(): status must be 'pending', 'decided', 'answered'"],
  [{ since: 'yesterday' }, 'listAsks(): since must be a Date, or a number of milliseconds from 0 up, got "yesterday"'],
  [{ until: new Date('never') }, 'listAsks(): until must be a Date, or a number of milliseconds from 0 up'],
  [{ tool: undefined }, 'listAsks(): tool must be a string'],
  [{ statu: 'decided' }, 'Did you mean status?'],
  [{ status: 'decided', cursor: 'x' }, 'cursor "x" is none'],
])('listAsks(%j) is refused', async (filter, message) => {
  const { registry } = await shop();
  await expect(registry.listAsks(filter as object)).rejects.toThrow(message);
});

test('a question that somebody waits for is in the log with its outcome', async () => {
  const { registry, advance, log } = await shop();
  const waits = registry.askAndWait(confirm('Go?'), { channel: 'phone', to: 'boss', timeout: minute });
  await settle();
  await advance(2 * minute);
  await waits;
  expect(await log()).toEqual(['timeout']);
});
