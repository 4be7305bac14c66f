/**
 * Turns that fail: tried again with a back-off, then parked for a person. Never dropped, never in the way of others.
 */
import { expect, test } from 'vitest';
import type { Continuation } from '../../../src/index.js';
import { AgentError, agent, text } from '../../../src/index.js';
import { rehearse } from '../../../src/testing/index.js';
import { heard, minute, settle, TestChannel, world } from '../../support/engine.js';

const sorry = "Something went wrong on our side. We've been told and will look into it.";
const allBackOffs = 1_000 + 5_000 + 30_000 + 120_000 + 10;

/** Fails on "fail" as long as `broken`; notes when each attempt ran. */
async function fragile() {
  const here = world();
  const phone = new TestChannel();
  const state = { broken: true, runs: [] as { at: number; attempt: number }[], effects: 0 };
  const support = agent('support');
  support.onMessage(async ({ message, attempt, once }) => {
    if (message !== 'fail') return `You said ${message}`;
    state.runs.push({ at: here.clock.now(), attempt });
    const id = await once('effect', async () => {
      state.effects += 1;
      return state.effects;
    });
    if (state.broken) throw new Error('the database is gone');
    return `Effect ${id}`;
  });
  const registry = await here.replica({ agents: [support], channels: [phone] });
  return { ...here, phone, state, registry, support };
}

test('a turn that always throws is tried five times, 1, 5, 30 and 120 s apart', async () => {
  const { phone, says, advance, state } = await fragile();
  await says(phone, 'fail');
  await advance(allBackOffs);
  const waits = state.runs.slice(1).map((run, i) => run.at - (state.runs[i]?.at ?? 0));
  expect(waits.map((wait) => Math.round(wait / 1_000))).toEqual([1, 5, 30, 120]);
  expect(state.runs.map((run) => run.attempt)).toEqual([1, 2, 3, 4, 5]);
});

test("the log says which agent and question failed, and where in the author's code; for a sensitive answer not where", async () => {
  const { replica, says, advance } = world();
  const phone = new TestChannel();
  const logged: Record<string, unknown>[] = [];
  const log = (_message: string, about?: Record<string, unknown>) => void logged.push(about ?? {});
  const support = agent('support');
  function brokenLookup(order: string): never {
    throw new Error(`no order ${order}`);
  }
  const [order, pin] = [false, true].map((sensitive) =>
    support.question(sensitive ? 'pin' : 'order', text('Number?', { pattern: /^\d+$/ }), {
      onAnswer: (number) => brokenLookup(number),
    }),
  );
  support.onMessage(({ message, ask }) =>
    message === 'pin'
      ? ask(pin as NonNullable<typeof pin>, { sensitive: true })
      : ask(order as NonNullable<typeof order>),
  );
  await replica({
    agents: [support],
    channels: [phone],
    logger: { debug: () => {}, info: () => {}, warn: log, error: log },
  });
  for (const [conversationId, wish, answer] of [
    ['c1', 'order', '12345'],
    ['c2', 'pin', '77777'],
  ] as const) {
    await says(phone, wish, { conversationId });
    await says(phone, answer, { conversationId });
  }
  await advance(allBackOffs);
  const of = (id: string) => logged.filter(({ conversationId }) => conversationId === id);
  expect(of('c1')).toHaveLength(5); // four tries that failed, and the parking
  for (const about of of('c1')) {
    expect(about).toMatchObject({ agentName: 'support', question: 'order' });
    expect(about['stack']).toContain('at brokenLookup');
  }
  expect(of('c2')).toHaveLength(5);
  for (const about of of('c2')) expect(about).toMatchObject({ agentName: 'support', question: 'pin' });
  expect(JSON.stringify(of('c2'))).not.toMatch(/77777|brokenLookup/);
});

test('after the fifth try it is parked with its error, and the operator hears of it', async () => {
  const { phone, says, advance, registry } = await fragile();
  const parked = heard(registry, 'parked');
  await says(phone, 'fail', { id: 'm-7' });
  await advance(allBackOffs);
  expect((await registry.parked()).items).toMatchObject([
    {
      conversationId: 'c1',
      entryId: 'm:phone:m-7',
      attempts: 5,
      failure: { code: 'Error', message: 'the database is gone' },
    },
  ]);
  expect(parked).toHaveLength(1);
});

test('parked work waits: an hour later it has not run again', async () => {
  const { phone, says, advance, state } = await fragile();
  await says(phone, 'fail');
  await advance(allBackOffs + 60 * minute);
  expect(state.runs).toHaveLength(5);
});

test('the human is told once that something went wrong, when it is given up', async () => {
  const { phone, says, advance } = await fragile();
  await says(phone, 'fail');
  await advance(30_000);
  expect(phone.texts()).toEqual([]);
  await advance(allBackOffs);
  expect(phone.texts()).toEqual([sorry]);
});

test('the next entry goes on once the failing one is parked, in the order they came', async () => {
  const { phone, says, advance } = await fragile();
  await says(phone, 'fail');
  await says(phone, 'one');
  await says(phone, 'two');
  await advance(allBackOffs);
  expect(phone.texts()).toEqual([sorry, 'You said one', 'You said two']);
});

test('other conversations are not affected while one is failing', async () => {
  const { phone, says } = await fragile();
  await says(phone, 'fail', { conversationId: 'c1' });
  await says(phone, 'hi', { conversationId: 'c2' });
  expect(phone.texts('c2')).toEqual(['You said hi']);
});

test('new messages do not shorten a back-off', async () => {
  const { phone, says, advance, state } = await fragile();
  await says(phone, 'fail');
  await advance(1_100);
  expect(state.runs).toHaveLength(2);
  for (let i = 0; i < 4; i += 1) {
    await says(phone, `hurry ${i}`);
    await advance(1_000);
  }
  expect(state.runs).toHaveLength(2);
  await advance(1_100);
  expect(state.runs).toHaveLength(3);
});

test('a sweep by another replica does not shorten a back-off either', async () => {
  const { phone, says, advance, state, replica, support } = await fragile();
  const other = await replica({ agents: [support] });
  await says(phone, 'fail');
  await advance(1_100);
  await advance(2_000);
  await other.sweep();
  await settle();
  expect(state.runs).toHaveLength(2);
});

test('retry(id) runs parked work with the same turn: what once() remembered is not done again', async () => {
  const { phone, says, advance, state, registry } = await fragile();
  await says(phone, 'fail');
  await advance(allBackOffs);
  state.broken = false;
  const [parked] = (await registry.parked()).items;
  expect(await registry.retry(parked?.id ?? '')).toEqual({ type: 'ordinary' });
  await settle();
  expect(state.effects).toBe(1);
  expect(phone.texts()).toEqual([sorry, 'Effect 1']);
  expect(state.runs.at(-1)?.attempt).toBe(6);
  expect((await registry.parked()).items).toEqual([]);
});

test('what a retry says has another key than the apology: a channel that drops repeats by key shows both', async () => {
  const { phone, says, advance, state, registry } = await fragile();
  await says(phone, 'fail');
  await advance(allBackOffs);
  state.broken = false;
  const [parked] = (await registry.parked()).items;
  await registry.retry(parked?.id ?? '');
  await settle();
  expect(phone.texts()).toEqual([sorry, 'Effect 1']);
  expect(new Set(phone.sent.map(({ key }) => key)).size).toBe(2);
});

test('what a retry says is not lost to handle(), although the apology was given out just before', async () => {
  const { replica, advance } = world();
  let isBroken = true;
  const support = agent('support').onMessage(({ message }) => {
    if (isBroken) throw new Error('the database is gone');
    return `You said ${message}`;
  });
  const registry = await replica({ agents: [support], settings: { maxAttempts: 1 } });
  const { outputs, cursor } = await registry.handle({ id: '1', conversationId: 'c1', text: 'refund' });
  expect(outputs.map((output) => output.text)).toEqual([sorry]);
  isBroken = false;
  const [parked] = (await registry.parked()).items;
  expect(await registry.retry(parked?.id ?? '')).toEqual({ type: 'ordinary' });
  await advance(1_000);
  const next = await registry.handle({ id: '2', conversationId: 'c1', text: 'hello' }, { after: cursor });
  expect(next.outputs.map((output) => output.text)).toEqual(['You said refund', 'You said hello']);
});

test('a retry that fails again is parked again under the same id, and the human is not told twice', async () => {
  const { phone, says, advance, registry } = await fragile();
  await says(phone, 'fail');
  await advance(allBackOffs);
  const [parked] = (await registry.parked()).items;
  void registry.retry(parked?.id ?? '');
  await settle();
  await advance(allBackOffs);
  expect((await registry.parked()).items.map((each) => each.id)).toEqual([parked?.id]);
  expect(phone.texts()).toEqual([sorry]);
});

test('retry() of work that is not parked is an error', async () => {
  const { registry } = await fragile();
  await expect(registry.retry('00000000-0000-8000-8000-000000000000')).rejects.toMatchObject({ code: 'unknown-ask' });
});

test('two retries of one parked entry: it runs once, the other is told that nothing is parked any more', async () => {
  const { phone, says, advance, state, registry } = await fragile();
  await says(phone, 'fail');
  await advance(allBackOffs);
  state.broken = false;
  const id = (await registry.parked()).items[0]?.id ?? '';
  const outcomes = await Promise.all([registry.retry(id), registry.retry(id)]);
  expect(outcomes.map((each) => each.type).sort()).toEqual(['ignored', 'ordinary']);
  expect(state.runs).toHaveLength(6);
});

test('misuse (an AgentError of the author) is parked at once, not tried again', async () => {
  const { replica, says, advance } = world();
  const phone = new TestChannel();
  let runs = 0;
  const support = agent('support');
  support.onMessage(({ ask }) => {
    runs += 1;
    return ask('Order?', { expiresIn: -1 });
  });
  const registry = await replica({ agents: [support], channels: [phone] });
  await says(phone, 'hi');
  expect((await registry.parked()).items).toMatchObject([{ attempts: 1, failure: { code: 'bad-option' } }]);
  await advance(allBackOffs);
  expect(runs).toBe(1);
});

test.each(['declined', 'cancelled', 'expired'] as const)(
  'a hook that fails when an ask is %s is parked with the decision, and a retry runs it',
  async (end) => {
    const { replica, says, advance } = world();
    const phone = new TestChannel();
    const state = { broken: true, closed: [] as string[] };
    const support = agent('support');
    const order = support.question('order', text('Order?'), {
      expiresIn: 5 * minute,
      onAnswer: () => 'thanks',
      onClosed: (pending, why) => {
        if (state.broken) throw new AgentError('model-refused', 'The office is closed.');
        state.closed.push(`${pending.status} ${why}`);
      },
    });
    support.onMessage(({ ask }) => ask(order));
    const registry = await replica({ agents: [support], channels: [phone] });
    await says(phone, 'hi');
    const askId = (await registry.listAsks()).asks[0]?.id ?? '';
    if (end === 'declined') await says(phone, 'never mind');
    else if (end === 'cancelled') await registry.cancel(askId);
    else await advance(6 * minute);
    const [parked] = (await registry.parked()).items;
    expect(parked).toMatchObject({ askId, failure: { code: 'model-refused' } });
    state.broken = false;
    expect(await registry.retry(parked?.id ?? '')).toEqual({ type: end === 'declined' ? end : 'control', askId });
    expect(state.closed).toEqual([`${end} ${end}`]);
    expect((await registry.parked()).items).toEqual([]);
    expect(await registry.getAsk(askId)).toMatchObject({ status: end });
  },
);

test('an ask that expired is late for one message, though its hook fails again when it is retried', async () => {
  const { replica, says, advance } = world();
  const phone = new TestChannel();
  const support = agent('support');
  const order = support.question('order', text('Order?'), {
    expiresIn: minute,
    onAnswer: () => 'thanks',
    onClosed: () => {
      throw new AgentError('model-refused', 'The office is closed.');
    },
  });
  support.onMessage(({ message, ask, lateFor }) => {
    if (message === 'order') return ask(order);
    return lateFor === undefined ? 'hello' : 'too late';
  });
  const registry = await replica({ agents: [support], channels: [phone] });
  await says(phone, 'order');
  await advance(2 * minute);
  await says(phone, '12345');
  await registry.retry((await registry.parked()).items[0]?.id ?? '');
  await says(phone, 'what now?');
  expect(phone.texts()).toEqual(['Order?', 'too late', 'hello']);
});

test('asks that end ahead of a retry share nothing with it: each effect is done, each text is sent', async () => {
  const { replica, says, advance } = world();
  const phone = new TestChannel();
  const state = { broken: true, effects: [] as string[] };
  const support = agent('support');
  const handlers = {
    expiresIn: minute,
    onAnswer: () => 'thanks',
    onClosed: async (_: unknown, __: string, { once, effectKey }: Continuation<unknown>) => {
      await once('effect', async () => void state.effects.push(effectKey));
      return 'Never mind.';
    },
  };
  const [first, second] = [
    support.question('first', text('First?'), handlers),
    support.question('second', text('Second?'), handlers),
  ];
  support.onMessage(async ({ message, ask, once }) => {
    if (message === 'fail') {
      await once('effect', async () => void state.effects.push('message'));
      if (state.broken) throw new AgentError('model-refused', 'The office is closed.');
      return 'Done.';
    }
    await ask(first);
    return ask(second);
  });
  const registry = await replica({ agents: [support], channels: [phone], settings: { sweep: 60 * minute } });
  await says(phone, 'fail');
  await says(phone, 'ask');
  await advance(2 * minute);
  state.broken = false;
  await registry.retry((await registry.parked()).items[0]?.id ?? '');
  expect(state.effects).toHaveLength(3);
  expect(new Set(state.effects).size).toBe(3);
  expect(phone.texts()).toEqual([sorry, 'First?', 'Never mind.', 'Never mind.', 'Done.']);
});

test('an ask that is decided only in a retry stays readable after that retry fails and the next one succeeds', async () => {
  const { replica, says, advance } = world();
  const phone = new TestChannel();
  const broken = { check: true, effect: true };
  const support = agent('support');
  const order = support.question('order', text('Order?'), {
    check: () => {
      if (broken.check) throw new Error('the checking service is down');
      return true;
    },
    onAnswer: () => {
      if (broken.effect) throw new AgentError('bad-option', 'wrong');
      return 'done';
    },
  });
  support.onMessage(({ ask }) => ask(order));
  const registry = await replica({ agents: [support], channels: [phone] });
  await says(phone, 'hi');
  const askId = (await registry.listAsks()).asks[0]?.id ?? '';
  await says(phone, '12345');
  await advance(allBackOffs);
  const id = (await registry.parked()).items[0]?.id ?? '';
  broken.check = false;
  await registry.retry(id);
  expect(await registry.getAsk(askId)).toMatchObject({ status: 'answered' });
  broken.effect = false;
  await registry.retry(id);
  expect(phone.texts().at(-1)).toBe('done');
  expect(await registry.getAsk(askId)).toMatchObject({ status: 'answered', answer: '12345' });
});

test('an agent without a handler for messages says that it has none', async () => {
  const { human, registry } = await rehearse({ agents: [agent('support')], failures: 'collect' });
  await human('anna').says('hi');
  const [{ failure } = { failure: undefined }] = (await registry.parked()).items;
  expect(failure).toEqual({
    code: 'no-model',
    message:
      'Agent support got a message that is no reply, and has no handler for it. Give it one with onMessage(), or a model that answers.',
  });
});
