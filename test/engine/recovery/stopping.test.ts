/**
 * stop(), lost leases and turns without an end.
 */
import { expect, test } from 'vitest';
import { type AgentError, type AgentRegistry, agent, confirm, type Store, text } from '../../../src/index.js';
import {
  flaky,
  gate,
  heard,
  leaseAndSweep,
  minute,
  never,
  settle,
  storeWith,
  TestChannel,
  world,
} from '../../support/engine.js';

function worker(work: (message: string, attempt: number) => Promise<string> | string) {
  const support = agent('support');
  support.onMessage(({ message, attempt }) => work(message, attempt));
  return support;
}

test('stop() deletes nothing: the ask is there for the next process', async () => {
  const { replica, says } = world();
  const phone = new TestChannel();
  const support = agent('support');
  const order = support.question('order', text('Order?'), { onAnswer: (answer) => `Got ${answer}` });
  support.onMessage(({ ask }) => ask(order));
  const first = await replica({ agents: [support], channels: [phone] });
  await says(phone, 'ask');
  await first.stop();
  const next = await replica({ agents: [support], channels: [phone] });
  expect((await next.listAsks()).asks).toHaveLength(1);
  await says(phone, '12345');
  expect(phone.texts()).toEqual(['Order?', 'Got 12345']);
});

test('stop() lets a turn finish within the grace time, and what it says goes out', async () => {
  const { replica, says, advance } = world();
  const phone = new TestChannel();
  const work = gate();
  const registry = await replica({ agents: [worker(() => work.passed.then(() => 'done'))], channels: [phone] });
  await says(phone, 'work');
  const stopped = registry.stop();
  await advance(20_000);
  work.open();
  await stopped;
  expect(phone.texts()).toEqual(['done']);
});

test('stop() waits for a claim that is under way, and for its turn: the effect of an answer happens once', async () => {
  const { replica, says, store } = world();
  const phone = new TestChannel();
  const [claimed, finished] = [gate(), gate()];
  const ran: string[] = [];
  const support = agent('support');
  const sure = support.question('sure', confirm('Pay?'), {
    answerableBy: ['web:boss'],
    onAnswer: async () => {
      ran.push('paid');
      await finished.passed;
      return 'Paid.';
    },
  });
  support.onMessage(({ ask }) => ask(sure));
  let isSlow = false;
  const slow = storeWith(store, {
    take: async (call) => {
      const taken = await store.take(call);
      if (isSlow) await claimed.passed;
      return taken;
    },
  });
  const first = await replica({ agents: [support], channels: [phone], store: slow });
  await says(phone, 'go');
  const [ask] = (await first.listAsks()).asks;
  isSlow = true;
  const answered = first.answer(ask?.id ?? '', { value: true }, { by: { id: 'web:boss' } });
  await settle();
  const stopped = first.stop();
  await settle();
  claimed.open();
  await settle();
  finished.open();
  await stopped;
  expect([(await answered).type, phone.texts()]).toEqual(['accepted', ['Pay?', 'Paid.']]);
  const next = await replica({ agents: [support], channels: [phone] });
  expect([ran, (await next.getAsk(ask?.id ?? ''))?.status]).toEqual([['paid'], 'answered']);
});

test('a policy or identify that never says who somebody is holds up nobody who only looks', async () => {
  const { replica, says, advance } = world();
  const phone = new TestChannel();
  const support = agent('support').onMessage(({ ask }) => ask('Order?', { answerableBy: { policy: 'onDuty' } }));
  const registry = await replica({ agents: [support], channels: [phone], policies: { onDuty: never } });
  await says(phone, 'go');
  const [ask] = (await registry.listAsks()).asks;
  const looks = Promise.all([
    registry.getAsk(ask?.id ?? '', { for: { id: 'web:ann' } }),
    registry.listAsks({ for: { id: 'web:ann' } }),
  ]);
  await advance(minute);
  expect(await looks).toEqual([null, { asks: [] }]);
});

test('stop() blames no handler that awaits its question: the turn is given back, and nothing is logged about it', async () => {
  const { replica, says } = world();
  const phone = new TestChannel();
  const warned: string[] = [];
  const note = (): void => {};
  const logger = { debug: note, info: note, warn: (words: string) => void warned.push(words), error: note };
  const support = agent('support').onMessage(async ({ askAndWait }) => {
    const outcome = await askAndWait(text('Order?'));
    return outcome.status;
  });
  const registry = await replica({ agents: [support], channels: [phone], logger });
  await says(phone, 'go');
  await registry.stop();
  await settle();
  expect([phone.texts(), warned]).toEqual([['Order?'], []]);
});

test('stop() takes nothing new: what is recorded meanwhile waits for another process', async () => {
  const { replica, says, advance } = world();
  const phone = new TestChannel();
  const work = gate();
  const ran: string[] = [];
  const make = () =>
    worker(async (message) => {
      ran.push(message);
      if (message === 'work') await work.passed;
      return `did ${message}`;
    });
  const first = await replica({ agents: [make()], channels: [phone] });
  await says(phone, 'work');
  const stopped = first.stop();
  await settle();
  expect(await says(phone, 'more')).toBe('recorded');
  expect(await says(phone, 'else', { conversationId: 'c2' })).toBe('recorded');
  work.open();
  await stopped;
  expect(ran).toEqual(['work']);
  await replica({ agents: [make()], channels: [phone] });
  await advance(10_000);
  expect(ran.sort()).toEqual(['else', 'more', 'work']);
});

test('stop() keeps renewing while it drains: nobody else takes the conversation', async () => {
  const { replica, says, advance } = world();
  const phone = new TestChannel();
  const work = gate();
  const attempts: number[] = [];
  const make = () =>
    worker((_, attempt) => {
      attempts.push(attempt);
      return work.passed.then(() => 'done');
    });
  const first = await replica({ agents: [make()], channels: [phone], settings: { grace: 10 * minute } });
  await replica({ agents: [make()] });
  await says(phone, 'work');
  const stopped = first.stop();
  await advance(3 * minute);
  expect(attempts).toEqual([1]);
  work.open();
  await stopped;
  expect(phone.texts()).toEqual(['done']);
});

test('stop() ends after the grace time although a channel hangs in a send', async () => {
  const { replica, says, advance } = world();
  const phone = new TestChannel();
  phone.onSend = () => never();
  const registry = await replica({ agents: [worker(() => 'hi')], channels: [phone] });
  await says(phone, 'work');
  let stopped = false;
  void registry.stop().then(() => {
    stopped = true;
  });
  await advance(5 * minute);
  expect(stopped).toBe(true);
});

test('stop() ends after the grace time although identify() hangs', async () => {
  const { replica, says, advance } = world();
  const phone = new TestChannel();
  const registry = await replica({ agents: [worker(() => 'hi')], channels: [phone], identify: () => never() });
  await says(phone, 'work');
  let stopped = false;
  void registry.stop().then(() => {
    stopped = true;
  });
  await advance(minute);
  expect(stopped).toBe(true);
});

for (const [what, hangs] of [
  ['a channel never stops', { channel: true }],
  ['the store never closes', { steps: { close: never } }],
  ['the store never saves', { steps: { save: never } }],
  ['the store never says what is unsent', { steps: { unsent: never } }],
  ['the store never says what is due', { steps: { due: never } }],
] as const) {
  test(`stop() returns within the grace time and two seconds although ${what}`, async () => {
    const { replica, says, advance, store } = world();
    const phone = new TestChannel();
    if ('channel' in hangs) Object.assign(phone, { stop: never });
    const steps = 'steps' in hangs ? hangs.steps : {};
    const registry = await replica({
      agents: [worker(() => 'hi')],
      channels: [phone],
      store: storeWith(store, steps),
      settings: { grace: 3_000 },
    });
    const handled = registry.handle({ id: 'h', conversationId: 'handled', text: 'hi' });
    await says(phone, 'work');
    await advance(7_000); // a sweep is under way
    let isStopped = false;
    void registry.stop().then(() => {
      isStopped = true;
    });
    await advance(5_000);
    expect(isStopped).toBe(true);
    await advance(10 * minute);
    const told = await handled.then(
      ({ disposition }) => disposition.type,
      (error: AgentError) => error.code,
    );
    expect(['ordinary', 'received', 'store-unavailable']).toContain(told);
  });
}

test.each<[string, (store: Store) => Partial<Store>]>([
  ['close', () => ({ close: () => Promise.reject(new Error('the disk is full')) })],
  [
    'unwatch',
    (store) => ({
      watch: async (listener) => {
        await store.watch(listener);
        return () => Promise.reject(new Error('the line is cut'));
      },
    }),
  ],
])('stop() resolves although the %s of the store rejects, and logs it', async (step, broken) => {
  const { replica, store } = world();
  const logged: string[] = [];
  const note = (message: string) => void logged.push(message);
  const closes: string[] = [];
  const close = async () => void closes.push('closed');
  const registry = await replica({
    store: storeWith(store, { close, ...broken(store) }),
    logger: { debug: note, info: note, warn: note, error: note },
  });
  await registry.stop();
  expect(logged).toEqual([expect.stringContaining('The store did not')]);
  expect(closes).toEqual(step === 'close' ? [] : ['closed']);
});

test('handle() whose message is recorded when the registry stops is told that it was received', async () => {
  const { replica, advance } = world();
  const work = gate();
  const registry = await replica({
    agents: [worker(() => work.passed.then(() => 'late'))],
    settings: { grace: 1_000 },
  });
  const handled = registry.handle({ id: 'h', conversationId: 'c', text: 'work' });
  await settle();
  const stopped = registry.stop();
  await advance(5_000);
  await stopped;
  await expect(handled).resolves.toMatchObject({ disposition: { type: 'received' }, outputs: [] });
});

test.each(['identify', 'policy', 'route', 'classify', 'sortReply', 'send'])(
  'stop() awaited in %s does not wait for itself; idle() and sweep() there say that they would',
  async (where) => {
    const { replica, says } = world();
    const phone = new TestChannel();
    const seen: unknown[] = [];
    const stops = async (place: string): Promise<void> => {
      if (place !== where || seen.length > 0) return;
      for (const call of [() => registry.idle(), () => registry.sweep()])
        await call().catch((error: AgentError) => seen.push(error.code));
      await registry.stop();
      seen.push('stopped');
    };
    const support = agent('support');
    const order = support.question('order', text('Order?'), {
      onAnswer: (answer) => `Got ${answer}`,
      answerableBy: { policy: 'any' },
    });
    support.onMessage(({ ask }) => ask(order));
    phone.onSend = () => stops('send');
    const registry: AgentRegistry = await replica({
      agents: [support],
      channels: [phone],
      identify: (who) => stops('identify').then(() => who),
      policies: { any: () => stops('policy').then(() => true) },
      route: () => stops('route').then(() => 'support'),
      classify: () => stops('classify').then(() => undefined),
      sortReply: () => stops('sortReply').then(() => undefined),
    });
    await says(phone, 'ask');
    if (seen.length === 0) await says(phone, '12345');
    expect(seen).toEqual(['in-turn', 'in-turn', 'stopped']);
    await registry.stop(); // no time has passed: it waits for the work to end, and not for the grace time
  },
);

test('idle() and sweep() inside a turn say that they would wait for themselves', async () => {
  const { replica, says } = world();
  const phone = new TestChannel();
  const codes: unknown[] = [];
  const registry: AgentRegistry = await replica({
    agents: [
      worker(async () => {
        for (const call of [() => registry.idle(), () => registry.sweep()])
          await call().catch((error: AgentError) => codes.push(error.code));
        return 'done';
      }),
    ],
    channels: [phone],
  });
  await says(phone, 'work');
  expect(codes).toEqual(['in-turn', 'in-turn']);
  expect(phone.texts()).toEqual(['done']);
  await registry.idle();
});

test('a stopped registry refuses further calls with its code', async () => {
  const { replica } = world();
  const registry = await replica();
  await registry.stop();
  await expect(registry.listAsks()).rejects.toMatchObject({ code: 'stopped' });
});

test('a paused process wakes late: its save is refused, the other one has answered, once', async () => {
  const { replica, says, advance, store } = world();
  const phone = new TestChannel();
  const line = flaky(store);
  const paused = gate();
  const make = (wait: boolean) => worker(() => (wait ? paused.passed.then(() => 'zombie') : 'answered'));
  const zombie = await replica({ agents: [make(true)], channels: [phone], store: line.store });
  const fenced = heard(zombie, 'fenced');
  await says(phone, 'work');
  line.down = true;
  await replica({ agents: [make(false)], channels: [phone] });
  await advance(leaseAndSweep);
  expect(phone.texts()).toEqual(['answered']);
  line.down = false;
  paused.open();
  await advance(minute);
  expect(phone.texts()).toEqual(['answered']);
  expect(fenced).toMatchObject([{ conversationId: 'c1' }]);
});

test('a hung agent is stopped by the turn limit, and its conversation goes on', async () => {
  const { replica, says, advance } = world();
  const phone = new TestChannel();
  const aborted: string[] = [];
  const support = agent('support');
  support.onMessage(({ message, signal }) => {
    if (message !== 'hang') return 'went on';
    signal.addEventListener('abort', () => aborted.push((signal.reason as { code: string }).code));
    return never();
  });
  const registry = await replica({ agents: [support], channels: [phone], settings: { turnLimit: minute } });
  await says(phone, 'hang');
  await says(phone, 'next');
  await advance(minute + 1);
  expect(aborted).toEqual(['turn-limit']);
  await advance(10 * minute);
  expect((await registry.parked()).items[0]?.failure.code).toBe('turn-limit');
  expect(phone.texts().at(-1)).toBe('went on');
});

test('other conversations are served while one agent hangs', async () => {
  const { replica, says } = world();
  const phone = new TestChannel();
  await replica({ agents: [worker((message) => (message === 'hang' ? never() : 'ok'))], channels: [phone] });
  await says(phone, 'hang', { conversationId: 'c1' });
  await says(phone, 'hi', { conversationId: 'c2' });
  expect(phone.texts('c2')).toEqual(['ok']);
});

for (const part of ['identify', 'route', 'classify'] as const) {
  test(`a hung ${part}() is stopped by the turn limit as the agent would be`, async () => {
    const { replica, says, advance } = world();
    const phone = new TestChannel();
    const options = { agents: [worker(() => 'ok')], channels: [phone], settings: { turnLimit: minute } };
    const registry = await replica({ ...options, [part]: () => never() });
    await says(phone, 'hi');
    await advance(15 * minute);
    expect((await registry.parked()).items[0]?.failure.code).toBe('turn-limit');
  });
}

test('while every turn slot hangs, handle(), answer() and cancel() are told within callTimeout that it is recorded', async () => {
  const { replica, says, advance } = world();
  const phone = new TestChannel();
  const support = agent('support');
  support.onMessage(({ message, ask }) => (message === 'hang' ? never() : ask('Order?')));
  const registry = await replica({ agents: [support], channels: [phone], settings: { turns: 1, callTimeout: 5_000 } });
  await says(phone, 'ask');
  const [{ id } = { id: '' }] = (await registry.listAsks()).asks;
  await says(phone, 'hang', { conversationId: 'c2' });
  await says(phone, 'hang', { conversationId: 'c3' });
  const told: unknown[] = [];
  const calls = [
    registry.handle({ id: 'h', conversationId: 'c4', text: 'hi' }).then(({ disposition }) => disposition),
    registry.answer(id, { text: '1' }),
    registry.cancel(id),
    registry.cancel({ conversationId: 'c2' }),
  ];
  for (const call of calls) void call.then((each) => told.push(each));
  await advance(6_000);
  const received = { type: 'received' };
  expect(told).toHaveLength(4);
  expect(told).toEqual(expect.arrayContaining([received, { cancelled: 0, received: true }]));
});

test('a message that arrives while the holder saves is handed over, never stranded', async () => {
  const { replica, says, store } = world();
  const phone = new TestChannel();
  let between = true;
  const racing = storeWith(store, {
    save: async (call) => {
      if (call.then.type === 'next' && between) {
        between = false;
        await says(phone, 'two');
      }
      return store.save(call);
    },
  });
  await replica({ channels: [phone] });
  await replica({ agents: [worker((message) => `did ${message}`)], store: racing });
  await says(phone, 'one');
  await settle();
  expect(phone.texts()).toEqual(['did one', 'did two']);
});

test('a message that arrives right after the last save is taken at once', async () => {
  const { replica, says, store } = world();
  const phone = new TestChannel();
  let after = true;
  const racing = storeWith(store, {
    save: async (call) => {
      const saved = await store.save(call);
      if (call.then.type === 'next' && after) {
        after = false;
        await says(phone, 'two');
      }
      return saved;
    },
  });
  await replica({ channels: [phone] });
  await replica({ agents: [worker((message) => `did ${message}`)], store: racing });
  await says(phone, 'one');
  await settle();
  expect(phone.texts().sort()).toEqual(['did one', 'did two']);
});

test('a turn that is stopped before it begins does not run here: it is given back, and runs once elsewhere', async () => {
  const { replica, says, advance, store } = world();
  const phone = new TestChannel();
  const [work, saves] = [gate(), gate()];
  const ran: string[] = [];
  const make = (where: string) =>
    worker(async (message) => {
      ran.push(`${message} ${where}`);
      if (message === 'first') await work.passed;
      return `did ${message}`;
    });
  // what the end of the first turn hands over is there when the grace time is over
  const slow = storeWith(store, {
    save: async (call) => {
      const saved = await store.save(call);
      await saves.passed;
      return saved;
    },
  });
  const first = await replica({ agents: [make('here')], channels: [phone], store: slow });
  await says(phone, 'first');
  await says(phone, 'second');
  work.open();
  await settle();
  const stopped = first.stop();
  await advance(26_000);
  saves.open();
  await settle();
  await stopped;
  expect(ran).toEqual(['first here']);
  await replica({ agents: [make('there')], channels: [phone] });
  await advance(leaseAndSweep);
  expect(ran).toEqual(['first here', 'second there']);
  expect(phone.texts()).toEqual(['did first', 'did second']);
});
