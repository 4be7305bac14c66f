/** Questions that are put into the inbox, and word of them in a chat that is read and not written to. */
import { expect, test } from 'vitest';
import { InboxChannel } from '../../src/channels/inbox.js';
import { WebChannel } from '../../src/channels/web/index.js';
import { AgentRegistry, agent, confirm } from '../../src/index.js';
import { FakeClock } from '../../src/testing/index.js';

const max = { id: 'staff:max', roles: ['manager'] };

async function shop() {
  const clock = new FakeClock();
  const refunds = agent('refunds');
  const approve = refunds.question('approve', confirm('Refund 48 EUR?'), {
    answerableBy: { roles: ['manager'] },
    onAnswer: async (yes, { pending, sendTo }) => {
      await sendTo('web', yes ? 'Refunded.' : 'Refused.', { conversationId: String(pending.context['customer']) });
      await sendTo('web', 'One more refund.', { to: 'auditor' });
      return 'Told.';
    },
  });
  refunds.onMessage(async ({ conversationId, message, ask }) => {
    const via = { channel: 'inbox', ...(message === 'nameless' ? {} : { to: message }) };
    await ask(approve, { via, context: { customer: conversationId } });
    return 'We look at it.';
  });
  const web = new WebChannel({
    origins: ['https://shop.example'],
    secret: 'a secret of at least 32 characters',
    clock,
  });
  const registry = new AgentRegistry({ agents: [refunds], channels: [web, new InboxChannel()], clock });
  await registry.start();
  let count = 0;
  const call = async (path: string, body?: object, token = '') => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
    return (await web.fetch(new Request(`https://shop.example/chat/${path}`, init))).json() as Promise<{
      visitor: string;
      items: readonly { text: string }[];
    }>;
  };
  const { visitor } = await call('visitors', {});
  const writes = async (text: string) => {
    count += 1;
    await call('messages', { id: `m${count}`, text }, visitor);
    await registry.idle();
  };
  const sees = async () => (await call('messages', undefined, visitor)).items.map(({ text }) => text);
  return { registry, writes, sees };
}

test('a question in the inbox is not shown in the chat, and its outcome is told there', async () => {
  const { registry, writes, sees } = await shop();
  await writes('order-1');
  expect(await sees()).toEqual(['order-1', 'We look at it.']);
  const [ask] = (await registry.listAsks()).asks;
  expect(ask).toMatchObject({ channelName: 'inbox', conversationId: 'inbox:order-1' });
  await registry.answer(ask?.id ?? '', { value: true }, { by: max });
  await registry.idle();
  expect(await sees()).toEqual(['order-1', 'We look at it.', 'Refunded.']);
  const { outputs } = await registry.outputs('web:auditor');
  expect(outputs.map(({ text }) => text)).toEqual(['One more refund.']);
});

test('each case has its question at once, and a question without a case is refused', async () => {
  const { registry, writes } = await shop();
  await writes('order-1');
  await writes('order-2');
  expect((await registry.listAsks()).asks.map(({ conversationId }) => conversationId)).toEqual([
    'inbox:order-1',
    'inbox:order-2',
  ]);
  await writes('nameless');
  const { items } = await registry.parked();
  expect(items.map(({ failure }) => failure.message)).toEqual([
    "A question in the inbox needs a name for its case, such as via: { channel: 'inbox', to: 'order-12345' }, got null.",
  ]);
});
