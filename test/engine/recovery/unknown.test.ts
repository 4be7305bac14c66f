/**
 * Work for an agent or a question that this process does not have, and turns handed back by a deploy.
 */
import { expect, test } from 'vitest';
import type { AnswerType, Question } from '../../../src/index.js';
import { agent, text } from '../../../src/index.js';
import { heard, limitedIds, minute, never, settle, TestChannel, world } from '../../support/engine.js';

function clerk(name: string, question = 'order') {
  const clerk = agent(name);
  const order = clerk.question(question, text('Order?'), { onAnswer: (answer) => `${name} got ${answer}` });
  clerk.onMessage(({ message, ask }) => (message === 'ask' ? ask(order) : `${name}: hello`));
  return clerk;
}

/** An ask of agent `old` is open; the process that had the agent is gone. */
async function orphaned(options: { expiresIn?: number } = {}) {
  const here = world();
  const phone = new TestChannel();
  const old = agent('old');
  old.onMessage(({ ask }) => ask('Order?', options));
  const first = await here.replica({ agents: [old], channels: [phone] });
  await here.says(phone, 'ask');
  const askId = (await first.listAsks()).asks[0]?.id ?? '';
  await first.stop();
  return { ...here, phone, askId };
}

test('a question that no process has is parked with its code after settings.unknownAgent, and nothing is dropped', async () => {
  const { replica, says, advance } = world();
  const phone = new TestChannel();
  const before = await replica({ agents: [clerk('support', 'order')], channels: [phone] });
  await says(phone, 'ask');
  await before.stop();
  const after = await replica({ agents: [clerk('support', 'renamed')], channels: [phone] });
  await says(phone, '12345');
  await advance(9 * minute);
  expect((await after.parked()).items).toEqual([]);
  await advance(2 * minute);
  expect((await after.parked()).items).toMatchObject([{ failure: { code: 'unknown-question' } }]);
  expect((await after.listAsks()).asks).toMatchObject([{ question: 'Order?', status: 'pending' }]);
});

/** A rolling deploy: a new release has asked what the old one, which has the channel, does not know. */
async function rolling(options: { expiresIn?: number } = {}) {
  const here = world();
  const phone = new TestChannel();
  const closed: string[] = [];
  const support = agent('support');
  const sure = support.question('sure', text('Sure?'), {
    ...options,
    onAnswer: (answer) => `The new release got ${answer}.`,
    onClosed: (_, why) => {
      closed.push(why);
      return `The new release was told: ${why}.`;
    },
  });
  support.onMessage(({ ask }) => ask(sure));
  const newer = await here.replica({ agents: [support], channels: [phone], settings: { sweep: 60_000 } });
  await here.says(phone, 'ask');
  const askId = (await newer.listAsks()).asks[0]?.id ?? '';
  const older = await here.replica({ agents: [clerk('support', 'other')], channels: [phone] });
  return { ...here, phone, newer, older, askId, closed };
}

test('in a rolling deploy a reply that reaches the old release is answered by the new one', async () => {
  const { says, phone, older } = await rolling();
  const back = heard(older, 'handedBack');
  await says(phone, '12345');
  expect(back).toMatchObject([{ conversationId: 'c1', why: expect.stringContaining('has no question "sure"') }]);
  expect((await older.parked()).items).toEqual([]);
  expect(phone.texts()).toEqual(['Sure?', 'The new release got 12345.']);
});

test('in a rolling deploy an expiry that the old release finds is told by the new one', async () => {
  const { advance, phone, older, closed } = await rolling({ expiresIn: minute });
  await advance(2 * minute);
  expect((await older.parked()).items).toEqual([]);
  expect(closed).toEqual(['expired']);
  expect(phone.texts().at(-1)).toBe('The new release was told: expired.');
});

test('in a rolling deploy a cancel by the old release is told by the new one', async () => {
  const { settled, older, askId, closed } = await rolling().then((here) => ({
    ...here,
    settled: here.older.cancel(here.askId),
  }));
  await settle();
  expect(await settled).toMatchObject({ type: 'accepted' });
  expect((await older.parked()).items).toEqual([]);
  expect(closed).toEqual(['cancelled']);
  expect(await older.getAsk(askId)).toMatchObject({ status: 'cancelled' });
});

test.each([
  ['agent', clerk('other')],
  ['question', clerk('support', 'other')],
])(
  "a process that lacks the %s counts no attempt: the handler runs for the first time, also with onCrash 'park'",
  async (_, old) => {
    const { replica, says, advance } = world();
    const phone = new TestChannel();
    const ran: string[] = [];
    const support = agent('support');
    const sure = support.question('sure', text('Sure?'), {
      onCrash: 'park',
      expiresIn: minute,
      onAnswer: (_answer, { attempt }) => void ran.push(`answered, attempt ${attempt}`),
      onClosed: (_pending, why, { attempt }) => void ran.push(`${why}, attempt ${attempt}`),
    });
    support.onMessage(({ ask }) => ask(sure));
    const newer = await replica({ agents: [support], channels: [phone], settings: { sweep: 20 * minute } });
    for (const conversationId of ['expires', 'answered']) await says(phone, 'ask', { conversationId });
    const older = await replica({ agents: [old], channels: [phone] });
    const back = heard(older, 'handedBack');
    await says(phone, '12345', { conversationId: 'answered' });
    await advance(2 * minute);
    expect(back.map(({ conversationId }) => conversationId)).toEqual(['answered', 'expires']);
    expect(ran).toEqual(['answered, attempt 1', 'expired, attempt 1']);
    expect((await newer.parked()).items).toEqual([]);
    await Promise.all([older.stop(), newer.stop()]);
  },
);

test("a stop in the middle of a handler counts: with onCrash 'park' its effect may have happened", async () => {
  const { replica, says, advance } = world();
  const phone = new TestChannel();
  const begin = () => {
    const support = agent('support');
    const sure = support.question('sure', text('Sure?'), { onCrash: 'park', onAnswer: never });
    support.onMessage(({ ask }) => ask(sure));
    return replica({ agents: [support], channels: [phone], settings: { grace: 1_000 } });
  };
  const first = await begin();
  await says(phone, 'ask');
  await says(phone, 'yes');
  const stopped = first.stop();
  await advance(2_000);
  await stopped;
  const second = await begin();
  await advance(minute);
  expect((await second.parked()).items).toMatchObject([{ failure: { code: 'may-have-happened' } }]);
  await second.stop();
});

test('a question of no agent that ask() is given is a mistake, and parked at once', async () => {
  const { replica, says } = world();
  const phone = new TestChannel();
  const foreign = agent('other').question('order', text('Order?'), { onAnswer: () => 'thanks' });
  const registry = await replica({
    agents: [agent('support').onMessage(({ ask }) => ask(foreign))],
    channels: [phone],
  });
  await says(phone, 'ask');
  expect((await registry.parked()).items).toMatchObject([{ failure: { code: 'unknown-question' } }]);
});

test.each([
  ['another kind', 'rating', 1],
  ['a newer version of its kind', 'stars', 1],
])('a stored question of %s is parked with the reply, and the operator told', async (_, kind, version) => {
  const rated = (type: AnswerType<string, null>) => {
    const clerk = agent('support');
    const question: Question<string> = { text: 'How was it?', type, data: null };
    const stars = clerk.question('stars', question, { onAnswer: (answer) => `You said ${answer}.` });
    return clerk.onMessage(({ ask }) => ask(stars));
  };
  const type = (name: string, number: number): AnswerType<string, null> => ({
    kind: name,
    version: number,
    shape: () => ({ type: 'text' }),
    parse: (reply) => ({ ok: true, value: reply }),
  });
  const { replica, says, advance } = world();
  const phone = new TestChannel();
  const newer = await replica({ agents: [rated(type('stars', 2))], channels: [phone] });
  await says(phone, 'ask');
  await newer.stop();
  const older = await replica({ agents: [rated(type(kind, version))], channels: [phone] });
  await says(phone, 'good');
  await advance(11 * minute);
  expect((await older.parked()).items).toMatchObject([
    { failure: { code: 'unknown-question', message: expect.stringContaining('"stars", version 2') } },
  ]);
  const id = (await older.parked()).items[0]?.id ?? '';
  await older.stop();
  const mended = await replica({ agents: [rated(type('stars', 2))], channels: [phone] });
  expect(await mended.retry(id)).toMatchObject({ type: 'accepted' });
  await settle();
  expect(phone.texts().at(-1)).toBe('You said good.');
});

test('a retry after the question is declared again takes the parked reply as the answer', async () => {
  const { replica, says, advance } = world();
  const phone = new TestChannel();
  const before = await replica({ agents: [clerk('support', 'order')], channels: [phone] });
  await says(phone, 'ask');
  await before.stop();
  const broken = await replica({ agents: [clerk('support', 'renamed')], channels: [phone] });
  await says(phone, '12345');
  await advance(11 * minute);
  const id = (await broken.parked()).items[0]?.id ?? '';
  await broken.stop();
  const mended = await replica({ agents: [clerk('support', 'order')], channels: [phone] });
  expect(await mended.retry(id)).toMatchObject({ type: 'accepted' });
  await settle();
  expect(phone.texts().at(-1)).toBe('support got 12345');
});

test('a reply for an agent that no process has is not parked before settings.unknownAgent', async () => {
  const { replica, says, advance, phone } = await orphaned();
  const registry = await replica({ agents: [clerk('new')], channels: [phone] });
  await says(phone, '12345');
  await advance(9 * minute);
  expect((await registry.parked()).items).toEqual([]);
});

test('after settings.unknownAgent it is parked with its code, and the conversation goes on', async () => {
  const { replica, says, advance, phone, askId } = await orphaned();
  const registry = await replica({ agents: [clerk('new')], channels: [phone] });
  await says(phone, '12345');
  await advance(11 * minute);
  expect((await registry.parked()).items).toMatchObject([{ failure: { code: 'unknown-agent' } }]);
  expect(await registry.getAsk(askId)).toMatchObject({ status: 'pending' });
  await says(phone, 'hello?', { participant: { id: 'phone:bob' } });
  expect(phone.texts().at(-1)).toBe('new: hello');
});

test('a reply for an agent unknown here is handed over to the replica that has it, at once', async () => {
  const { replica, says, phone } = await orphaned();
  const here = await replica({ agents: [clerk('new')], channels: [phone] });
  const back = heard(here, 'handedBack');
  const handled: string[] = [];
  await replica({ agents: [clerkOld(handled)] });
  await says(phone, '12345');
  expect(back).toMatchObject([{ conversationId: 'c1' }]);
  expect(handled).toEqual(['12345']);
});

function clerkOld(handled: string[]) {
  const old = agent('old');
  old.onMessage(({ message }) => {
    handled.push(message);
    return 'thanks';
  });
  return old;
}

test('the expiry of an ask whose agent is unknown is decided and its hook parked once, not handed back for ever', async () => {
  const { replica, advance, phone, askId } = await orphaned({ expiresIn: minute });
  const registry = await replica({ agents: [clerk('new')], channels: [phone], newId: limitedIds() });
  await advance(15 * minute);
  expect((await registry.parked()).items).toMatchObject([{ failure: { code: 'unknown-agent' } }]);
  expect(await registry.getAsk(askId)).toMatchObject({ status: 'expired' });
});

test('an expired ask of an unknown agent does not block the messages behind it for ever', async () => {
  const { replica, advance, says, phone } = await orphaned({ expiresIn: minute });
  await replica({ agents: [clerk('new')], channels: [phone], newId: limitedIds() });
  await advance(2 * minute);
  await says(phone, 'hello?');
  await advance(15 * minute);
  expect(phone.texts().at(-1)).toBe('new: hello');
});

test('cancel by conversation with an ask of an unknown agent does not block the conversation for ever', async () => {
  const { replica, advance, says, phone } = await orphaned();
  const registry = await replica({ agents: [clerk('new')], channels: [phone], newId: limitedIds() });
  void registry.cancel({ conversationId: 'c1' });
  await settle();
  await says(phone, 'hello?', { participant: { id: 'phone:bob' } });
  await advance(15 * minute);
  expect(phone.texts().at(-1)).toBe('new: hello');
});

test('an expiry whose process died five times before the decision is parked once, not over and over', async () => {
  const here = world();
  const phone = new TestChannel();
  const support = agent('support');
  support.onMessage(({ ask }) => ask('Order?', { expiresIn: minute }));
  const first = await here.replica({ agents: [support], channels: [phone] });
  await here.says(phone, 'ask');
  await first.stop();
  await here.advance(2 * minute);
  for (let i = 1; i <= 5; i += 1) {
    // a process that claims the overdue conversation and dies
    await here.store.take({ conversationId: 'c1', token: `dead-${i}`, turn: `turn-${i}`, lease: 1_000 });
    await here.advance(1_001);
  }
  const after = await here.replica({ agents: [support], channels: [phone], newId: limitedIds() });
  const parked = heard(after, 'parked');
  await here.advance(minute);
  expect(parked.length).toBeLessThanOrEqual(1);
  expect((await after.listAsks()).asks).toEqual([]);
});

test('six hand-backs (deploys) do not park a turn; the seventh process finishes it', async () => {
  const { replica, says, advance } = world();
  const phone = new TestChannel();
  const attempts: number[] = [];
  const slow = (finishes: boolean) => {
    const support = agent('support');
    support.onMessage(({ attempt }) => {
      attempts.push(attempt);
      return finishes ? 'done' : never();
    });
    return support;
  };
  let running = await replica({ agents: [slow(false)], channels: [phone] });
  await says(phone, 'work');
  for (let deploy = 1; deploy <= 6; deploy += 1) {
    const stopped = running.stop();
    await advance(26_000);
    await stopped;
    running = await replica({ agents: [slow(deploy === 6)], channels: [phone] });
    await advance(7_000);
  }
  expect(attempts).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(phone.texts()).toEqual(['done']);
  expect((await running.parked()).items).toEqual([]);
});

test('a process without agents records and wakes a worker: nobody waits for the sweep', async () => {
  const { replica, says } = world();
  const phone = new TestChannel();
  await replica({ agents: [clerk('support')] });
  await replica({ channels: [phone] });
  await says(phone, 'hi');
  expect(phone.texts()).toEqual(['support: hello']);
});

test('a process at its limit of turns leaves the work to another at once', async () => {
  const { replica, says } = world();
  const phone = new TestChannel();
  const busy = agent('support');
  busy.onMessage(() => never());
  await replica({ agents: [busy], channels: [phone], settings: { turns: 1 } });
  await says(phone, 'hold', { conversationId: 'c1' });
  await replica({ agents: [clerk('support')] });
  await says(phone, 'hi', { conversationId: 'c2' });
  expect(phone.texts('c2')).toEqual(['support: hello']);
});

/** Keeps the warnings. */
function warnings() {
  const warned: [message: string, about: object | undefined][] = [];
  const ignore = () => {};
  const warn = (message: string, about?: object) => void warned.push([message, about]);
  return { warned, logger: { debug: ignore, info: ignore, error: ignore, warn } };
}

test('a question that was renamed is told once, with how long its work is left to others', async () => {
  const { replica, says, advance } = world();
  const phone = new TestChannel();
  const before = await replica({ agents: [clerk('support', 'order')], channels: [phone] });
  await says(phone, 'ask');
  await says(phone, 'ask', { conversationId: 'c2' });
  await before.stop();
  const { warned, logger } = warnings();
  await replica({ agents: [clerk('support', 'renamed')], channels: [phone], logger });
  await says(phone, '12345');
  await says(phone, '12345', { conversationId: 'c2' });
  await advance(5 * minute);
  const failure = { code: 'unknown-question', message: expect.stringContaining('has no question "order"') };
  expect(warned).toEqual([
    [
      expect.stringContaining('is left to other processes'),
      expect.objectContaining({ agentName: 'support', failure, leftFor: 10 * minute }),
    ],
  ]);
});

test('an outcome handler that was renamed is told, too', async () => {
  const { replica, says } = world();
  const phone = new TestChannel();
  const bridge = agent('bridge').onMessage(() => undefined);
  const resume = bridge.onOutcome('resume', () => undefined);
  const before = await replica({ agents: [bridge], channels: [phone] });
  await before.ask(text('Size?'), { channel: 'phone', to: 'c1', then: resume });
  await before.stop();
  const { warned, logger } = warnings();
  await replica({ agents: [agent('bridge').onMessage(() => undefined)], channels: [phone], logger });
  await says(phone, 'large');
  const failure = { code: 'unknown-question', message: expect.stringContaining('no outcome handler "resume"') };
  expect(warned).toEqual([[expect.any(String), expect.objectContaining({ agentName: 'bridge', failure })]]);
});

test('work for an agent that no process takes is told once, with the name that may be meant', async () => {
  const { replica, says, advance } = world();
  const phone = new TestChannel();
  const { warned, logger } = warnings();
  await replica({ agents: [clerk('support')], channels: [phone], route: () => 'suport', logger });
  await says(phone, 'hello');
  await says(phone, 'hello', { conversationId: 'c2' });
  expect(warned).toEqual([]); // another process may have it
  await advance(minute);
  const about = expect.objectContaining({ agentName: 'suport', agents: ['support'] });
  expect(warned).toEqual([[expect.stringContaining('did you mean "support"?'), about]]);
});

test('an ask of an agent that is gone is told, too, and one that another process takes is not', async () => {
  const { replica, says, phone, advance } = await orphaned();
  const { warned, logger } = warnings();
  await replica({ agents: [clerk('other')], channels: [phone], logger });
  await says(phone, '12345');
  await advance(minute);
  expect(warned).toEqual([[expect.stringContaining('Work for the agent "old" waits'), expect.any(Object)]]);

  const both = world();
  const told = warnings();
  await both.replica({ agents: [clerk('here')], channels: [phone], route: () => 'there', logger: told.logger });
  await both.replica({ agents: [clerk('there')], channels: [], logger: told.logger });
  await both.says(phone, 'hi');
  await both.advance(minute);
  expect(told.warned).toEqual([]);
});
