/** How much a turn makes in Node, counted where it can be: promises, each of which costs more than it looks. */
import { createHook } from 'node:async_hooks';
import { expect, test } from 'vitest';
import { AgentRegistry, agent, text } from '../../src/index.js';
import { TestChannel } from './kit.js';

/** The promises of one question and its answer, from the channel to the end of both turns. One more needs a reason.
 *  Eight are of idle(), which only the test calls: it must not wait for a turn that waits for a person. Two let
 *  conversations that come together take their next step together, which saves more than it costs. */
const most = 56;

test('a question and its answer make no more promises than they did', async () => {
  const phone = new TestChannel();
  const support = agent('support');
  const order = support.question('order', text('Which order?', { pattern: /^\d{5}$/ }), { onAnswer: () => undefined });
  support.onMessage(({ ask }) => ask(order));
  const registry = new AgentRegistry({ agents: [support], channels: [phone] });
  await registry.start();
  const pair = async (conversationId: string): Promise<void> => {
    await phone.desk?.receive({ id: 'wish', conversationId, text: 'refund' });
    await registry.idle();
    await phone.desk?.receive({ id: 'reply', conversationId, text: '12345' });
    await registry.idle();
  };
  await pair('warm-up');
  let made = 0;
  const hook = createHook({
    init: (_id, type) => {
      if (type === 'PROMISE') made += 1;
    },
  }).enable();
  for (let i = 0; i < 100; i += 1) await pair(`c${i}`);
  hook.disable();
  await registry.stop();
  expect(made / 100).toBeLessThan(most);
});
