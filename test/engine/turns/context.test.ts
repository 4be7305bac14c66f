/** The async context of a turn: that of the call that brought its message, or none. Never that of somebody else's call. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, test } from 'vitest';
import type { Desk } from '../../../src/index.js';
import { agent, text } from '../../../src/index.js';
import { gate, leaseAndSweep, settle, TestChannel, world } from '../../support/engine.js';

const user = new AsyncLocalStorage<string>();

async function shop() {
  const it = world();
  const phone = new TestChannel();
  const seen: Record<string, string | undefined> = {};
  const slow = gate();
  const support = agent('support');
  const order = support.question('order', text('Order?'), {
    onAnswer: (answer) => {
      seen[answer] = user.getStore();
    },
    onClosed: () => {
      seen['expired'] = user.getStore();
    },
  });
  support.onMessage(async ({ message, ask }) => {
    seen[message] = user.getStore();
    if (message === 'slow') await slow.passed;
    return message === 'ask' ? ask(order, { expiresIn: 1_000, answerableBy: 'anyone' }) : undefined;
  });
  const registry = await it.replica({ agents: [support], channels: [phone] });
  let messages = 0;
  const says = (who: string, words: string) =>
    user.run(who, () => {
      messages += 1;
      const participant = { id: `phone:${who}` };
      return (phone.desk as Desk).receive({ id: `m${messages}`, conversationId: 'c', text: words, participant });
    });
  return { ...it, registry, says, seen, slow };
}

test('a message and an answer are worked on in the context of the call that brought them', async () => {
  const { says, seen, registry } = await shop();
  await says('ann', 'ask');
  await registry.idle();
  await says('bob', '12345');
  await registry.idle();
  const { asks } = await registry.listAsks();
  expect(asks).toEqual([]);
  expect(seen).toEqual({ ask: 'ann', 12345: 'bob' });
});

test('an answer by a program is worked on in the context of its call', async () => {
  const { says, seen, registry } = await shop();
  await says('ann', 'ask');
  await registry.idle();
  const { asks } = await registry.listAsks();
  await user.run('program', () => registry.answer(asks[0]?.id ?? '', { text: '7' }));
  expect(seen).toEqual({ ask: 'ann', 7: 'program' });
});

test('a message that had to wait for another has no context rather than the context of the other', async () => {
  const { says, seen, slow, registry } = await shop();
  const all = [says('ann', 'slow'), says('bob', 'second'), says('cid', 'third')];
  await settle();
  slow.open();
  await Promise.all(all);
  await registry.idle();
  expect(seen).toEqual({ slow: 'ann', second: undefined, third: undefined });
});

test('what the sweep finds has no context', async () => {
  const { says, seen, registry, advance } = await shop();
  await says('ann', 'ask');
  await registry.idle();
  await user.run('timer', () => advance(leaseAndSweep));
  expect(seen).toEqual({ ask: 'ann', expired: undefined });
});
