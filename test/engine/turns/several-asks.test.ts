/**
 * Several asks in one conversation: one at a time, in order, unless a reply names another.
 */
import { expect, test } from 'vitest';
import { agent, text } from '../../../src/index.js';
import { rehearse } from '../../../src/testing/index.js';
import { heard, minute, settle, TestChannel, world } from '../../support/engine.js';

/** "ask A B C" asks three questions; an option after a colon is the deadline in ms. */
async function several() {
  const here = world();
  const phone = new TestChannel();
  const pager = new TestChannel('pager');
  const support = agent('support');
  const answers: string[] = [];
  const closed: string[] = [];
  const item = support.question('item', text('?'), {
    answerableBy: 'anyone',
    onAnswer: (answer, { pending }) => {
      answers.push(`${pending.context['name']}=${answer}`);
    },
    onClosed: (pending, why) => {
      closed.push(`${pending.context['name']} ${why}`);
    },
  });
  support.onMessage(async ({ message, ask }) => {
    const [word, ...names] = message.split(' ');
    if (word !== 'ask' && word !== '/ask') return 'ordinary';
    for (const each of names) {
      const [name, ms] = each.split(':');
      await ask(item, { context: { name }, ...(ms === undefined ? {} : { expiresIn: Number(ms) }) });
    }
    return undefined;
  });
  const registry = await here.replica({ agents: [support], channels: [phone, pager] });
  const open = async () => (await registry.listAsks({ conversationId: 'c1' })).asks;
  return { ...here, phone, pager, registry, answers, closed, open, support };
}

test('only the head is put to the human; answers go to the asks in the order asked', async () => {
  const { phone, says, answers } = await several();
  await says(phone, 'ask A B C');
  expect(phone.texts()).toEqual(['?']);
  for (const reply of ['1', '2', '3']) await says(phone, reply);
  expect(answers).toEqual(['A=1', 'B=2', 'C=3']);
  expect(phone.sent.map((each) => each.ask?.id)).toEqual([...new Set(phone.sent.map((each) => each.ask?.id))]);
});

test('settling the head sends the next question once', async () => {
  const { phone, says, advance } = await several();
  await says(phone, 'ask A B');
  await says(phone, '1');
  await advance(5 * minute);
  expect(phone.texts()).toEqual(['?', '?']);
});

test("71: the next question goes to its own ask's channel, not to where the head was answered", async () => {
  const { phone, pager, says, open } = await several();
  await says(phone, 'ask A');
  // a slash command is an order to the agent, so it does not answer A
  await says(pager, '/ask B', { participant: { id: 'pager:bob' } });
  const head = (await open())[0]?.id ?? '';
  expect(pager.texts()).toEqual([]);
  await says(phone, '1', { askId: head });
  expect(phone.texts()).toEqual(['?']);
  expect(pager.texts()).toEqual(['?']);
});

test('a reply that names the second ask settles the second, and the head stays', async () => {
  const { phone, says, answers, open } = await several();
  await says(phone, 'ask A B');
  const second = (await open())[1]?.id ?? '';
  await says(phone, 'two', { askId: second });
  expect(answers).toEqual(['B=two']);
  await says(phone, 'one');
  expect(answers).toEqual(['B=two', 'A=one']);
  expect(phone.texts()).toEqual(['?']);
});

test('a question that was asked again by name, out of turn, is not put to the human once more as the head', async () => {
  const { phone, says, open } = await several();
  await says(phone, 'ask A B');
  const second = (await open())[1]?.id ?? '';
  await says(phone, '?!', { askId: second });
  await says(phone, 'one');
  expect(phone.sent.filter((each) => each.ask?.id === second)).toHaveLength(1);
});

test('the next question is not sent if its ask has expired meanwhile', async () => {
  const { phone, says, advance, closed } = await several();
  await says(phone, 'ask A B:1000 C');
  await advance(10_000);
  expect(closed).toEqual(['B expired']);
  await says(phone, '1');
  expect(phone.sent.map((each) => each.key.split(':')[1])).toHaveLength(2);
  await says(phone, '3');
  expect(closed).toEqual(['B expired']);
});

test('an ask that stands first and has expired does not hold up the next one', async () => {
  const { phone, says, advance, answers, closed } = await several();
  await says(phone, 'ask A:1000 B');
  await advance(10_000);
  expect(closed).toEqual(['A expired']);
  expect(phone.texts()).toEqual(['?', '?']);
  await says(phone, 'for B');
  expect(answers).toEqual(['B=for B']);
});

test('a message after the deadline of the head, before any sweep, does not answer the next ask, which nobody has seen', async () => {
  const { phone, says, clock, answers, closed } = await several();
  await says(phone, 'ask A:1000 B');
  await clock.advance(1_001);
  await says(phone, 'for A');
  expect(closed).toEqual(['A expired']);
  expect(answers).toEqual([]);
  await says(phone, 'for B');
  expect(answers).toEqual(['B=for B']);
});

test('failure to send the next question does not fail the answer, and is reported', async () => {
  const { phone, says, registry, answers } = await several();
  const failures = heard(registry, 'deliveryFailed');
  await says(phone, 'ask A B');
  phone.onSend = () => {
    throw new Error('no signal');
  };
  await says(phone, '1');
  await settle();
  expect(answers).toEqual(['A=1']);
  expect(failures).toMatchObject([{ channel: 'phone', tries: 1, failure: { message: 'no signal' } }]);
});

test('open asks are listed in the order they were asked, also those of one turn', async () => {
  const { phone, says, registry } = await several();
  await says(phone, 'ask A B C D E F G H');
  const names = (await registry.listAsks()).asks.map((ask) => ask.context['name']);
  expect(names).toEqual(['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H']);
});

test('pages are stable: each ask once, in the same order as in one page', async () => {
  const { phone, says, registry, advance } = await several();
  for (let i = 0; i < 5; i += 1) {
    await says(phone, `ask ${i}`, { conversationId: `c${i}` });
    await advance(10);
  }
  const seen: unknown[] = [];
  let cursor: string | undefined;
  do {
    const page = await registry.listAsks({ limit: 2, ...(cursor === undefined ? {} : { cursor }) });
    expect(page.asks.length).toBeLessThanOrEqual(2);
    seen.push(...page.asks.map((ask) => ask.context['name']));
    cursor = page.cursor;
  } while (cursor !== undefined);
  expect(seen).toEqual(['0', '1', '2', '3', '4']);
});

test('the scope filters: conversation, agent, question, participant', async () => {
  const { phone, says, registry } = await several();
  await says(phone, 'ask A', { conversationId: 'c1' });
  await says(phone, 'ask B', { conversationId: 'c2', participant: { id: 'phone:bob' } });
  const names = async (filter: Parameters<typeof registry.listAsks>[0]) =>
    (await registry.listAsks(filter)).asks.map((ask) => ask.context['name']);
  expect(await names({ conversationId: 'c2' })).toEqual(['B']);
  expect(await names({ participantId: 'phone:bob' })).toEqual(['B']);
  expect(await names({ agentName: 'nobody' })).toEqual([]);
  expect((await names({ question: '?' })).sort()).toEqual(['A', 'B']);
});

test('paging also works within one conversation', async () => {
  const { phone, says, registry } = await several();
  await says(phone, 'ask A B C');
  const first = await registry.listAsks({ conversationId: 'c1', limit: 2 });
  expect(first.asks.map((ask) => ask.context['name'])).toEqual(['A', 'B']);
  const second = await registry.listAsks({ conversationId: 'c1', limit: 2, cursor: first.cursor ?? '' });
  expect(second.asks.map((ask) => ask.context['name'])).toEqual(['C']);
});

test('"?" then "12345" then "thank you!": one refund, and the third message is ordinary', async () => {
  const paid: string[] = [];
  const support = agent('support');
  const order = support.question('order', text('Order?'), {
    onAnswer: (answer) => {
      paid.push(answer);
      return 'refunded';
    },
  });
  support.onMessage(({ message, ask }) => (message === 'refund' ? ask(order) : 'ordinary'));
  const { human } = await rehearse({ agents: [support] });
  const user = human('user');
  await user.says('refund');
  await user.says('?');
  expect(await user.says('12345')).toEqual(['refunded']);
  expect(await user.says('thank you!')).toEqual(['ordinary']);
  expect(paid).toEqual(['12345']);
});

test('the same three messages, recorded before any of them is read, have the same outcome', async () => {
  const { phone, says, answers, store, registry, replica, support } = await several();
  await says(phone, 'ask A');
  await registry.stop();
  for (const [i, message] of ['?', '12345', 'thank you!'].entries()) {
    const place = { channel: 'phone', address: 'c1' };
    const text = JSON.stringify({ entry: { type: 'message', text: message, place, participant: { id: 'phone:ann' } } });
    const entry = { id: `m:phone:x${i}`, data: { text }, room: 9 };
    await store.take({ conversationId: 'c1', token: `t${i}`, turn: `u${i}`, lease: 0, entry });
  }
  const next = await replica({ agents: [support], channels: [phone] });
  await next.sweep();
  expect(answers).toEqual(['A=12345']);
  expect(phone.texts().at(-1)).toBe('ordinary');
});

test('asks end in the order of their deadlines, however late anybody looks', async () => {
  const { phone, says, clock, closed } = await several();
  await says(phone, 'ask A:9000 B:1000 C:5000');
  await clock.advance(60_000); // nobody looks
  await says(phone, 'hello');
  expect(closed).toEqual(['B expired', 'C expired', 'A expired']);
});
