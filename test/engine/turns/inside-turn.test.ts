/**
 * What an agent may and may not do around its turn.
 */
import { expect, test } from 'vitest';
import type { AgentError, AgentInput, AgentRegistry, AgentResult, Logger } from '../../../src/index.js';
import { agent, BaseAgent, confirm, text } from '../../../src/index.js';
import { flaky, gate, leaseAndSweep, minute, settle, storeWith, TestChannel, world } from '../../support/engine.js';

const ann = { by: { id: 'phone:ann' } };

/** An agent that answers or cancels its own conversation's ask while it handles another message. */
async function meddler() {
  const here = world();
  const phone = new TestChannel();
  const log: string[] = [];
  const state: { registry?: AgentRegistry; askId?: string } = {};
  const support = agent('support');
  const order = support.question('order', text('Order?'), {
    onAnswer: (answer) => {
      log.push(`answered ${answer}`);
    },
    onClosed: (_, why) => {
      log.push(why);
    },
  });
  support.onMessage(async ({ message, ask }) => {
    const { registry, askId = '' } = state;
    if (message === 'ask') return ask(order);
    if (message === '/answer') log.push((await registry?.answer(askId, { text: '12345' }, ann))?.type ?? '');
    if (message === '/cancel-it') log.push((await registry?.cancel(askId))?.type ?? '');
    if (message === '/cancel-all') log.push(JSON.stringify(await registry?.cancel({ conversationId: 'c1' })));
    log.push('turn over');
    return 'ok';
  });
  const registry = await here.replica({ agents: [support], channels: [phone] });
  state.registry = registry;
  await here.says(phone, 'ask');
  state.askId = (await registry.listAsks()).asks[0]?.id ?? '';
  return { ...here, phone, log };
}

test('answer() of the own conversation, awaited inside the turn, resolves when recorded, is handled after it', async () => {
  const { says, phone, log } = await meddler();
  await says(phone, '/answer');
  expect(log).toEqual(['received', 'turn over', 'answered 12345']);
});

test('cancel(id) of the own conversation inside a turn does not hang either', async () => {
  const { says, phone, log } = await meddler();
  await says(phone, '/cancel-it');
  expect(log).toEqual(['received', 'turn over', 'cancelled']);
});

test('cancel({ conversationId }) of the own conversation inside a turn does not hang either', async () => {
  const { says, phone, log } = await meddler();
  await says(phone, '/cancel-all');
  expect(log.slice(1)).toEqual(['turn over', 'cancelled']);
});

test('answer() of another conversation inside a turn is awaited to its end', async () => {
  const { replica, says } = world();
  const phone = new TestChannel();
  const state: { registry?: AgentRegistry; askId?: string; got?: string } = {};
  const support = agent('support');
  support.onMessage(async ({ message, ask }) => {
    if (message === 'ask') return ask('Order?', { answerableBy: 'anyone' });
    if (message !== 'relay') return 'ok';
    state.got = (await state.registry?.answer(state.askId ?? '', { text: 'yes' }))?.type ?? '';
    return 'relayed';
  });
  class Listener extends BaseAgent {
    name = 'listener';
    async invokeAgent(input: AgentInput): Promise<AgentResult> {
      const pending = this.getPendingAsk();
      if (pending && input.message) return this.handlePendingAsk(pending, input.message, () => ({}));
      return this.ask('Order?', { answerableBy: 'anyone' });
    }
  }
  const route = (message: { text: string }) => (message.text === 'ask' ? 'listener' : 'support');
  const registry = await replica({ agents: [support, new Listener()], channels: [phone], route });
  state.registry = registry;
  await says(phone, 'ask', { conversationId: 'c2' });
  state.askId = (await registry.listAsks()).asks[0]?.id ?? '';
  await says(phone, 'relay', { conversationId: 'c1' });
  expect(state.got).toBe('accepted');
});

test.each<[string, (registry: AgentRegistry, id: string) => Promise<unknown>]>([
  ['registry.ask()', (registry) => registry.ask('Which row?', { channel: 'phone', to: 'c1' })],
  ['wait()', (registry, id) => registry.wait(id)],
  ['handle()', (registry) => registry.handle({ id: '1', conversationId: 'c1', text: 'hello' })],
])('%s for the own conversation inside a turn is refused at once: it would wait for that turn', async (call, run) => {
  const { replica, says } = world();
  const phone = new TestChannel();
  const got: AgentError[] = [];
  const support = agent('support').onMessage(async ({ message, ask }) => {
    if (message === 'ask') return ask('Order?', { answerableBy: ['nobody'] });
    const [{ id } = { id: '' }] = (await registry.listAsks()).asks;
    await run(registry, id).catch((error: AgentError) => got.push(error));
    return 'done';
  });
  const registry: AgentRegistry = await replica({ agents: [support], channels: [phone] });
  await says(phone, 'ask');
  await says(phone, 'go');
  expect(got).toMatchObject([{ code: 'in-turn', message: expect.stringContaining(`${call} was called in a turn`) }]);
  expect(phone.texts()).toEqual(['Order?', 'done']);
  await registry.stop();
});

test('ask() after its turn has ended is an error, and nothing is stored', async () => {
  const { replica, says } = world();
  const phone = new TestChannel();
  const later = gate();
  const errors: unknown[] = [];
  const support = agent('support');
  support.onMessage(({ ask }) => {
    void later.passed.then(() => ask('Order?')).catch((error: unknown) => errors.push(error));
    return 'done';
  });
  const registry = await replica({ agents: [support], channels: [phone] });
  await says(phone, 'hi');
  later.open();
  await settle();
  expect(errors).toMatchObject([{ code: 'turn-ended' }]);
  expect((await registry.listAsks()).asks).toEqual([]);
  expect(phone.texts()).toEqual(['done']);
});

test.each([
  ['at once', async () => undefined],
  ['while it waits', settle],
])(
  'a wait that nobody awaited ends with its turn, %s: the question is withdrawn, the log names it, and the next message is its own',
  async (_, meanwhile) => {
    const { replica, says } = world();
    const phone = new TestChannel();
    const [ended, warned]: unknown[][] = [[], []];
    const warn = (message: string, data?: object): void => void warned?.push({ message, ...data });
    const logger: Logger = { debug() {}, info() {}, warn, error() {} };
    const support = agent('support').onMessage(async ({ message, askAndWait }) => {
      if (message !== 'pay') return `You said ${message}.`;
      askAndWait(confirm('Pay?')).then(
        (outcome) => ended?.push(outcome),
        (error: unknown) => ended?.push(error),
      );
      await meanwhile();
      return 'Done.';
    });
    const registry = await replica({ agents: [support], channels: [phone], logger });
    await says(phone, 'pay');
    await settle();
    expect(ended).toMatchObject([{ code: 'turn-ended', message: expect.stringContaining('Await it') }]);
    expect((await registry.listAsks()).asks).toEqual([]);
    await says(phone, 'yes');
    expect(phone.texts().slice(-1)).toEqual(['You said yes.']);
    expect(warned).toContainEqual(
      expect.objectContaining({
        message: expect.stringContaining('withdrawn'),
        conversationId: 'c1',
        agentName: 'support',
      }),
    );
  },
);

test('a floating ask() of a turn that failed is an error also while the failure is being written', async () => {
  const { replica, says, store } = world();
  const phone = new TestChannel();
  const writing = gate();
  const asked: string[] = [];
  const slow = storeWith(store, {
    save: async (call) => {
      if (call.then.type === 'release') await writing.passed;
      return store.save(call);
    },
  });
  const failed = gate();
  const support = agent('support');
  support.onMessage(({ ask }) => {
    void failed.passed
      .then(() => ask('Order?'))
      .then(
        () => asked.push('silently lost'),
        () => asked.push('error'),
      );
    throw new Error('broken');
  });
  await replica({ agents: [support], channels: [phone], store: slow });
  await says(phone, 'hi');
  failed.open();
  await settle();
  writing.open();
  await settle();
  expect(asked).toEqual(['error']);
});

test('once() after a lost lease still remembers: the next holder gets the first result', async () => {
  const { replica, says, advance, store } = world();
  const phone = new TestChannel();
  const line = flaky(store);
  const firstDone = gate();
  const secondMay = gate();
  const make = (which: 'first' | 'second') => {
    const support = agent('support');
    support.onMessage(async ({ once }) => {
      if (which === 'second') await secondMay.passed;
      return once('effect', async () => {
        if (which === 'first') await firstDone.passed;
        return which;
      });
    });
    return support;
  };
  await replica({ agents: [make('first')], channels: [phone], store: line.store });
  await says(phone, 'work');
  line.down = true;
  await replica({ agents: [make('second')], channels: [phone] });
  await advance(leaseAndSweep);
  line.down = false;
  firstDone.open();
  await settle();
  secondMay.open();
  await settle();
  expect(phone.texts()).toEqual(['first']);
});

test('once() that finishes after erase leaves nothing behind', async () => {
  const { replica, says, store } = world();
  const phone = new TestChannel();
  const work = gate();
  const support = agent('support');
  support.onMessage(({ once }) => once('effect', () => work.passed.then(() => 'secret')));
  const registry = await replica({ agents: [support], channels: [phone] });
  await says(phone, 'work');
  expect(await registry.erase({ conversationId: 'c1' })).toMatchObject({ erased: 1 });
  work.open();
  await settle();
  expect(await store.conversation('c1')).toBeNull();
  expect(phone.texts()).toEqual([]);
});

test('once() that finishes after its turn was saved keeps nothing', async () => {
  const { replica, says, store } = world();
  const phone = new TestChannel();
  const work = gate();
  const kept: string[] = [];
  const watched = storeWith(store, {
    remember: async (call) => {
      const remembered = await store.remember(call);
      kept.push(remembered.type);
      return remembered;
    },
  });
  const support = agent('support');
  support.onMessage(({ once }) => {
    void once('effect', () => work.passed.then(() => 'late'));
    return 'done';
  });
  await replica({ agents: [support], channels: [phone], store: watched });
  await says(phone, 'work');
  work.open();
  await settle();
  expect(kept).toEqual(['ended']);
});

test('ask ids are derived from newId: the same ids give the same ask, others another', async () => {
  const idOf = async (prefix: string) => {
    const { replica, says } = world();
    const phone = new TestChannel();
    let made = 0;
    const support = agent('support');
    support.onMessage(({ ask }) => ask('Order?'));
    const newId = () => {
      made += 1;
      return `${prefix}-${made}`;
    };
    const registry = await replica({ agents: [support], channels: [phone], newId });
    await says(phone, 'hi');
    return (await registry.listAsks()).asks[0]?.id;
  };
  expect(await idOf('a')).toBe(await idOf('a'));
  expect(await idOf('a')).not.toBe(await idOf('b'));
});

test('a pending prompt can be shown again after a reconnect, with the same id and no new record', async () => {
  const { replica, says, advance } = world();
  const phone = new TestChannel();
  const support = agent('support');
  support.onMessage(({ ask }) => ask('Order?', { details: { Shop: 'Books' } }));
  const first = await replica({ agents: [support], channels: [phone] });
  await says(phone, 'hi');
  const before = (await first.listAsks()).asks;
  await first.stop();
  await advance(minute);
  const second = await replica({ agents: [support], channels: [phone] });
  expect((await second.listAsks({ conversationId: 'c1' })).asks).toEqual(before);
  expect(before).toHaveLength(1);
});

test('once() called twice at the same time under one key runs the work once, and both get its result', async () => {
  const { replica, says } = world();
  const phone = new TestChannel();
  let runs = 0;
  let results: unknown;
  const work = async () => {
    runs += 1;
    await settle();
    return { paid: runs };
  };
  const support = agent('support').onMessage(async ({ once }) => {
    results = await Promise.all([once('pay', work), once('pay', work), once('other', work)]);
  });
  const registry = await replica({ agents: [support], channels: [phone] });
  await says(phone, 'go');
  await settle();
  expect([runs, results]).toEqual([2, [{ paid: 2 }, { paid: 2 }, { paid: 2 }]]);
  await registry.stop();
});

test('once() whose work fails gives the error to both callers, and runs again for the next', async () => {
  const { replica, says } = world();
  const phone = new TestChannel();
  let runs = 0;
  let results: unknown;
  const work = async () => {
    runs += 1;
    if (runs === 1) throw new Error('No.');
    return 'paid';
  };
  const support = agent('support').onMessage(async ({ once }) => {
    const both = await Promise.allSettled([once('pay', work), once('pay', work)]);
    results = [...both.map(({ status }) => status), await once('pay', work)];
  });
  const registry = await replica({ agents: [support], channels: [phone] });
  await says(phone, 'go');
  expect([runs, results]).toEqual([2, ['rejected', 'rejected', 'paid']]);
  await registry.stop();
});

test('once() without work is an AgentError that says so', async () => {
  const { replica, says } = world();
  const phone = new TestChannel();
  let error: unknown;
  const support = agent('support').onMessage(async ({ once }) => {
    error = await once('pay', undefined as never).catch((thrown: unknown) => thrown);
  });
  const registry = await replica({ agents: [support], channels: [phone] });
  await says(phone, 'go');
  expect(error).toMatchObject({ code: 'bad-option', message: 'once(): the work must be a function, got nothing.' });
  await registry.stop();
});

test('once() refuses a key with half a character before the work: no store would find it again', async () => {
  const here = world();
  const phone = new TestChannel();
  const support = agent('support');
  let paid = 0;
  support.onMessage(async ({ message, once }) => {
    await once(`pay:${message.slice(0, 4)}`, async () => {
      paid += 1;
    });
    return 'Paid.';
  });
  const registry = await here.replica({ agents: [support], channels: [phone] });
  const parked: string[] = [];
  registry.on('parked', ({ failure }) => parked.push(`${failure.code}: ${failure.message}`));
  await here.says(phone, 'hi \u{1f4a5} there');
  expect([paid, parked]).toEqual([
    0,
    [expect.stringMatching(/^bad-option: once\(\): the key "pay:hi \\ud83d" contains half a character/)],
  ]);
  await registry.stop();
});
