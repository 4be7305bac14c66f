/**
 * Outputs on their way: retried, given up visibly, sent by whoever has the channel.
 */
import { expect, test } from 'vitest';
import type { Channel, Desk, OutgoingMessage } from '../../../src/index.js';
import { AgentError, agent, text } from '../../../src/index.js';
import { gate, heard, minute, never, settle, storeWith, TestChannel, world } from '../../support/engine.js';

const twoTries = { deliveryBackOff: [5_000] };

function asker() {
  const closed: [string, string][] = [];
  const support = agent('support');
  const order = support.question('order', text('Order?'), {
    onAnswer: (answer) => `Got ${answer}`,
    onClosed: (pending, why) => {
      closed.push([pending.status, why]);
    },
  });
  support.onMessage(({ message, ask }) => (message === 'ask' ? ask(order) : `You said ${message}`));
  return { support, closed };
}

const fail = (): never => {
  throw new Error('no signal');
};

test('a question that cannot be delivered is tried again, and arrives once when the channel is back', async () => {
  const { replica, says, advance } = world();
  const phone = new TestChannel();
  await replica({ agents: [asker().support], channels: [phone] });
  phone.onSend = fail;
  await says(phone, 'ask');
  await advance(12_000);
  phone.onSend = () => {};
  await advance(minute);
  expect(phone.texts()).toEqual(['Order?']);
});

test('eight tries in about an hour, by settings.deliveryBackOff, then no more', async () => {
  const { replica, says, advance } = world();
  const phone = new TestChannel();
  await replica({ agents: [asker().support], channels: [phone] });
  phone.onSend = fail;
  await says(phone, 'ask');
  await advance(50 * minute);
  expect(phone.tries).toBe(7);
  await advance(20 * minute);
  expect(phone.tries).toBe(8);
  await advance(120 * minute);
  expect(phone.tries).toBe(8);
});

test('a channel that says a message can never arrive is not asked again, and the ask ends at once', async () => {
  const { replica, says, advance } = world();
  const phone = new TestChannel();
  const { support, closed } = asker();
  await replica({ agents: [support], channels: [phone] });
  phone.onSend = () => {
    throw new AgentError('undeliverable', 'The number is not in service.');
  };
  await says(phone, 'ask');
  await advance(1_000);
  expect(phone.tries).toBe(1);
  expect(closed).toEqual([['cancelled', 'undeliverable']]);
});

test('given up, the ask ends as cancelled (undeliverable): the agent and the operator learn of it once', async () => {
  const { replica, says, advance } = world();
  const phone = new TestChannel();
  const { support, closed } = asker();
  const registry = await replica({ agents: [support], channels: [phone], settings: twoTries });
  const events = heard(registry, 'undeliverable');
  const cancelled = heard(registry, 'cancelled');
  phone.onSend = fail;
  await says(phone, 'ask');
  const askId = (await registry.listAsks()).asks[0]?.id ?? '';
  await advance(5 * minute);
  expect(closed).toEqual([['cancelled', 'undeliverable']]);
  expect(events).toMatchObject([{ askId, failure: { message: 'no signal' } }]);
  expect(cancelled).toEqual([]);
  expect(await registry.getAsk(askId)).toMatchObject({ status: 'cancelled' });
});

test('after a delivery was given up the next message is ordinary, not taken for an answer', async () => {
  const { replica, says, advance } = world();
  const phone = new TestChannel();
  await replica({ agents: [asker().support], channels: [phone], settings: twoTries });
  phone.onSend = fail;
  await says(phone, 'ask');
  await advance(5 * minute);
  phone.onSend = () => {};
  await says(phone, 'hello');
  expect(phone.texts()).toEqual(['You said hello']);
});

test('reply before the question is marked sent: it is accepted, and the question is not sent any more', async () => {
  const { replica, says, advance } = world();
  const phone = new TestChannel();
  const { support, closed } = asker();
  const registry = await replica({ agents: [support], channels: [phone], settings: twoTries });
  phone.onSend = fail;
  await says(phone, 'ask');
  phone.onSend = () => {};
  await says(phone, '12345');
  await advance(5 * minute);
  expect(phone.texts()).toEqual(['Got 12345']);
  expect(closed).toEqual([]);
  expect((await registry.listAsks()).asks).toEqual([]);
});

test('a replica without the channel never makes an ask undeliverable', async () => {
  const { replica, says, advance } = world();
  const door = new TestChannel();
  const { support, closed } = asker();
  const edge = await replica({ channels: [door] });
  const worker = await replica({ agents: [support], settings: twoTries });
  await edge.stop();
  const failed = heard(worker, 'deliveryFailed');
  door.desk = undefined;
  const again = new TestChannel();
  const other = await replica({ channels: [again] });
  await says(again, 'ask');
  await other.stop();
  await advance(3 * 60 * minute);
  expect(failed).toEqual([]);
  expect(closed).toEqual([]);
  expect((await worker.listAsks()).asks).toHaveLength(1);
});

test('the replica that has the channel sends promptly, without waiting for its sweep', async () => {
  const { replica, says } = world();
  const phone = new TestChannel();
  await replica({ agents: [asker().support] });
  await replica({ channels: [phone] });
  await says(phone, 'ask');
  expect(phone.texts()).toEqual(['Order?']);
});

test('a question left over by a process that is gone is sent when one with the channel comes up', async () => {
  const { replica, says, advance } = world();
  const phone = new TestChannel();
  const edge = await replica({ channels: [phone] });
  await says(phone, 'ask');
  await edge.stop();
  await replica({ agents: [asker().support] });
  await advance(10_000);
  expect(phone.texts()).toEqual([]);
  const back = new TestChannel();
  await replica({ channels: [back] });
  await advance(10_000);
  expect(back.texts()).toEqual(['Order?']);
});

test('a send past its lease is dropped: another process has sent it meanwhile', async () => {
  const { replica, says, advance } = world();
  const slow = new TestChannel();
  const stuck = gate();
  slow.onSend = (message) => (message.text === 'You said one' ? stuck.passed : undefined);
  const rarely = { sweep: 60 * minute, sendLimit: 60 * minute }; // it does not look for its own leftovers
  await replica({ agents: [asker().support], channels: [slow], settings: rarely });
  await says(slow, 'one');
  await says(slow, 'two');
  await advance(59_000);
  const quick = new TestChannel();
  await replica({ channels: [quick] });
  await advance(20_000);
  expect(quick.texts()).toEqual(['You said one', 'You said two']);
  stuck.open();
  await settle();
  expect(slow.texts()).not.toContain('You said two');
});

test('outputs of one conversation go out in the order they were saved', async () => {
  const { replica, says } = world();
  const phone = new TestChannel();
  const first = gate();
  phone.onSend = (message) => (message.text === 'You said one' ? first.passed : undefined);
  await replica({ agents: [asker().support], channels: [phone] });
  await says(phone, 'one');
  await says(phone, 'two');
  first.open();
  await settle();
  expect(phone.texts()).toEqual(['You said one', 'You said two']);
});

test('a send that never returns counts as a try that failed: the question is tried again', async () => {
  const { replica, says, advance } = world();
  const phone = new TestChannel();
  phone.onSend = () => (phone.tries === 1 ? never() : undefined);
  await replica({ agents: [asker().support], channels: [phone] });
  await says(phone, 'ask');
  await advance(10 * minute);
  expect(phone.texts()).toEqual(['Order?']);
});

test('a channel that hangs in one conversation does not hold up another', async () => {
  const { replica, says } = world();
  const phone = new TestChannel();
  phone.onSend = (message) => (message.conversationId === 'c1' ? never() : undefined);
  await replica({ agents: [asker().support], channels: [phone] });
  await says(phone, 'one', { conversationId: 'c1' });
  await says(phone, 'two', { conversationId: 'c2' });
  expect(phone.texts('c2')).toEqual(['You said two']);
});

test('a repeat of a question after a failed mark refers to the same ask under the same key', async () => {
  const { replica, says, advance, store } = world();
  const phone = new TestChannel();
  let fails = 0;
  const forgetful = new Proxy(store, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      if (name === 'sent') {
        return async (...args: unknown[]) => {
          fails += 1;
          if (fails === 1) throw new Error('the mark is lost');
          return Reflect.apply(method, target, args) as unknown;
        };
      }
      return method.bind(target);
    },
  });
  await replica({ agents: [asker().support], channels: [phone], store: forgetful });
  await says(phone, 'ask');
  await advance(3 * minute);
  expect(phone.texts()).toEqual(['Order?', 'Order?']);
  expect(phone.sent[1]?.key).toBe(phone.sent[0]?.key);
  expect(phone.sent[1]?.ask?.id).toBe(phone.sent[0]?.ask?.id);
});

test('a question that is answered before it is marked needs no mark: the answer has taken it out of the outbox', async () => {
  const { replica, says, advance, store } = world();
  const phone = new TestChannel();
  const marked: string[] = [];
  const sent: typeof store.sent = (marks) => {
    marked.push(...marks.map(({ key }) => key));
    return store.sent(marks);
  };
  await replica({ agents: [asker().support], channels: [phone], store: storeWith(store, { sent }) });
  await says(phone, 'ask');
  await says(phone, '12345');
  await advance(3 * minute);
  expect(phone.texts()).toEqual(['Order?', 'Got 12345']);
  expect(marked).toEqual([phone.sent[1]?.key]);
});

test('a question that is answered before it is marked is drawn again: the id it has in its channel is not lost', async () => {
  const { replica } = world();
  const drawn: string[] = [];
  const board: Channel & { desk?: Desk } = {
    name: 'board',
    start: (desk) => {
      board.desk = desk;
    },
    send: async ({ ask }) => (ask === undefined ? undefined : 'post 1'),
    update: async (sentId) => {
      drawn.push(sentId);
    },
  };
  await replica({ agents: [asker().support], channels: [board] });
  for (const said of ['ask', '12345']) {
    await board.desk?.receive({ id: said, conversationId: 'c1', text: said });
    await settle();
  }
  expect(drawn).toEqual(['post 1']);
});

test.each<[string, unknown, string]>([
  ['a number', 42, 'a number'],
  ['an object', { ts: '1.2' }, 'an object'],
])(
  'a channel that can draw again and gives %s for a question is told once that it needs a string',
  async (_, id, returned) => {
    const warned: unknown[] = [];
    const warn = (message: string, about?: object) => void warned.push([message, about]);
    const logger = { debug() {}, info() {}, warn, error: warn };
    const phone = Object.assign(new TestChannel('phone'), { update: async () => {} });
    const sent = phone.send.bind(phone);
    Object.assign(phone, { send: (message: OutgoingMessage) => sent(message).then(() => id) });
    const { replica } = world();
    const registry = await replica({ agents: [asker().support], channels: [phone], logger });
    for (const conversationId of ['c1', 'c2'])
      await phone.receive({ id: conversationId, conversationId, text: 'ask', address: conversationId });
    await registry.idle();
    expect(phone.sent).toHaveLength(2);
    expect(warned).toEqual([
      [
        expect.stringContaining("Return the platform's id of the message as a string"),
        { channel: 'phone', method: 'send', returned },
      ],
    ]);
  },
);
