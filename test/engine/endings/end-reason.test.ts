/** Why an ask ended and who ended it: what the canceller said, a wait that ran out, a question that reached nobody. */
import { expect, test } from 'vitest';
import { askView } from '../../../src/core/ask/ask.js';
import { readSettled, writeSettled } from '../../../src/core/format/document.js';
import type { OutgoingMessage, PendingAsk } from '../../../src/index.js';
import { agent, confirm, text } from '../../../src/index.js';
import { ask } from '../../support/documents.js';
import { heard, settle, TestChannel, world } from '../../support/engine.js';

const ana = { id: 'staff:ana', name: 'Ana' };

async function asked(more: object = {}) {
  const here = world();
  const drawn: OutgoingMessage[] = [];
  const phone = Object.assign(new TestChannel(), {
    can: { edit: true },
    update: async (_: string, message: OutgoingMessage) => void drawn.push(message),
    send: async () => 'sent',
  });
  const closed: PendingAsk<unknown>[] = [];
  const support = agent('support');
  const order = support.question('order', text('Order?'), {
    onAnswer: () => 'ok',
    onClosed: (pending) => {
      closed.push(pending);
    },
  });
  support.onMessage(async ({ ask: put }) => {
    await put(order);
    await put(order);
  });
  const registry = await here.replica({ agents: [support], channels: [phone], ...more });
  await here.says(phone, 'ask');
  const ids = (await registry.listAsks({ conversationId: 'c1' })).asks.map(({ id }) => id);
  return { ...here, phone, drawn, registry, closed, ids, id: ids[0] ?? '' };
}

test('who cancelled an ask, and why, is seen by its handler, in getAsk(), the history and the event', async () => {
  const { registry, id, closed } = await asked();
  const events = heard(registry, 'cancelled');
  const said = { decidedBy: ana, reason: 'The customer called.' };
  const settled = await registry.cancel(id, { by: ana, reason: 'The customer called.' });
  expect(settled).toMatchObject({ type: 'accepted', ask: said });
  expect(await registry.getAsk(id)).toMatchObject({ status: 'cancelled', ...said });
  expect(closed).toMatchObject([{ id, ...said }]);
  expect(events).toMatchObject([{ askId: id, participantId: 'staff:ana', reason: 'The customer called.' }]);
  const { items } = await registry.history('c1');
  expect(items.find(({ type }) => type === 'decision')).toMatchObject({ by: ana, reason: 'The customer called.' });
});

test('a cancel of all asks says the same of each of them, as identify names the canceller', async () => {
  const identify = (who: { id: string }) => ({ ...who, name: `${who.id}!` });
  const { registry, ids, closed } = await asked({ identify });
  const said = { decidedBy: { id: 'staff:ana', name: 'staff:ana!' }, reason: 'Closed for today.' };
  await registry.cancel({ conversationId: 'c1' }, { by: 'staff:ana', reason: 'Closed for today.' });
  expect(closed).toMatchObject([said, said]);
  for (const id of ids) expect(await registry.getAsk(id)).toMatchObject(said);
});

test('no channel is told what a canceller said', async () => {
  const { registry, id, drawn } = await asked();
  await registry.cancel(id, { by: ana, reason: 'He sounds like a fraud.' });
  await settle();
  expect(drawn).toMatchObject([{ ask: { id, status: 'cancelled', decidedBy: ana } }]);
  expect(JSON.stringify(drawn)).not.toContain('fraud');
});

test.each([
  ['by', { by: undefined }, 'cancel(): by must be a participant with an id, got nothing'],
  ['by', { by: '' }, 'by'],
  ['by', { by: { name: 'Ana' } }, 'by.id'],
  ['reason', { reason: 7 }, 'reason must be a string of at most 1000 characters, got 7'],
  ['reason', { reason: 'x'.repeat(1_001) }, 'reason must be a string of at most 1000 characters'],
  ['reasons', { reasons: 'x' }, 'Did you mean reason?'],
])('a cancel with a wrong %s cancels nothing', async (_, options, message) => {
  const { registry, id } = await asked();
  await expect(registry.cancel(id, options as object)).rejects.toThrow(message);
  await expect(registry.cancel({ conversationId: 'c1' }, options as object)).rejects.toThrow(message);
  expect((await registry.listAsks()).asks).toHaveLength(2);
});

test("an outcome tells the caller's own time-out, an operator's cancel and a question that reached nobody apart", async () => {
  const { replica, advance } = world();
  const phone = new TestChannel();
  phone.onSend = ({ address }) => {
    if (address === 'nowhere') throw Object.assign(new Error('no such number'), { permanent: true });
  };
  const registry = await replica({ channels: [phone], settings: { deliveryBackOff: [1_000] } });
  const late = registry.askAndWait(confirm('Go?'), { channel: 'phone', to: 'late', timeout: 1_000 });
  const stopped = registry.askAndWait(confirm('Go?'), { channel: 'phone', to: 'stopped' });
  const lost = registry.askAndWait(confirm('Go?'), { channel: 'phone', to: 'nowhere' });
  await settle();
  const { asks } = await registry.listAsks({ conversationId: 'stopped' });
  await registry.cancel(asks[0]?.id ?? '', { by: 'staff:ana', reason: 'Not today.' });
  await advance(2_000);
  const timedOut = await late;
  expect(timedOut).toMatchObject({ status: 'cancelled', reason: 'timeout', ask: { reason: 'timeout' } });
  expect(await registry.getAsk(timedOut.ask.id)).toMatchObject({ status: 'cancelled', reason: 'timeout' });
  expect(await stopped).toMatchObject({
    status: 'cancelled',
    reason: 'Not today.',
    ask: { decidedBy: { id: 'staff:ana' } },
  });
  await advance(10 * 60_000);
  expect(await lost).toMatchObject({ status: 'cancelled', reason: 'undeliverable' });
  await registry.stop();
});

test('a turn that waits in its own conversation is told why its ask was cancelled', async () => {
  const { replica, says, advance } = world();
  const phone = new TestChannel();
  const reasons: unknown[] = [];
  const desk = agent('desk').onMessage(async ({ askAndWait }) => {
    for (const question of ['Go?', 'Really?', 'Now?']) {
      const outcome = await askAndWait(confirm(question), { timeout: 60_000 });
      reasons.push('reason' in outcome ? outcome.reason : outcome.status);
    }
  });
  const registry = await replica({ agents: [desk], channels: [phone] });
  await says(phone, 'hello');
  const open = async () =>
    (await registry.listAsks({ conversationId: 'c1' })).asks.find((it) => it.status === 'pending');
  const cancelled = registry.cancel((await open())?.id ?? '', { reason: 'one' });
  await advance(1_500);
  await cancelled;
  const all = registry.cancel({ conversationId: 'c1' }, { reason: 'all' });
  await advance(1_500);
  await advance(61_000);
  await all;
  expect(reasons).toEqual(['one', 'all', 'timeout']);
  await registry.stop();
});

test('an ask says where it was asked', async () => {
  const { registry, id } = await asked();
  expect(await registry.getAsk(id)).toMatchObject({ channelName: 'phone', address: 'c1' });
});

test('the record of an undeliverable ask of an earlier build still says why', () => {
  const over = ask('a', { status: 'cancelled', decision: { at: 5, entry: 'e', why: 'undeliverable' } });
  const read = readSettled({ text: writeSettled({ conversationId: 'c1', ask: over }).text });
  expect(askView(read?.ask ?? over, 'c1')).toMatchObject({ status: 'cancelled', reason: 'undeliverable' });
});
