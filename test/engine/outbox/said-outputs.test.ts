/**
 * What was said can be fetched, again: by handle() with a message it has seen, and by outputs() from any cursor on, in any process.
 */
import { expect, test } from 'vitest';
import type { IncomingMessage, Store } from '../../../src/index.js';
import { AgentRegistry, agent, BaseAgent, confirm, MemoryStore, number, text } from '../../../src/index.js';
import { requireApproval } from '../../../src/tools/index.js';
import { gate, minute, settle, storeWith, TestChannel, world } from '../../support/engine.js';

const said = ({ outputs }: { readonly outputs: readonly { readonly text: string }[] }): string[] =>
  outputs.map((output) => output.text);
const message = (id: string, words: string, more: Partial<IncomingMessage> = {}): IncomingMessage => ({
  id,
  conversationId: 'c1',
  text: words,
  participant: { id: 'web:ann' },
  ...more,
});

/** Asks the boss for an approval, repeats everything else, and tells other channels of it on demand. */
function clerk() {
  const clerk = agent('clerk');
  const sure = clerk.question('sure', confirm('OK?'), {
    answerableBy: ['web:boss'],
    remindAfter: 10 * minute,
    onAnswer: (yes) => (yes ? 'Approved.' : 'Denied.'),
  });
  const order = clerk.question('order', text('Which order?', { pattern: /^\d{5}$/ }), {
    onAnswer: (answer) => `Order ${answer}.`,
  });
  return clerk.onMessage(async ({ message: words, ask, askAndWait }) => {
    if (words === 'go') return ask(sure);
    if (words === 'order') return ask(order);
    if (words === 'silent') return { metadata: { seen: true } };
    if (words === 'book') {
      const seats = await askAndWait(number('How many seats?'), { timeout: 20 * minute });
      return seats.status === 'answered' ? `Booked ${seats.value}.` : 'Nothing is booked.';
    }
    return { output: `You said ${words}`, metadata: { words } };
  });
}

const answered = async (registry: AgentRegistry): Promise<void> => {
  const [ask] = (await registry.listAsks()).asks;
  await registry.answer(ask?.id ?? '', { value: true }, { by: { id: 'web:boss' } });
};

test('the same message again gives the same outputs, metadata and cursor, in any process', async () => {
  const { replica } = world();
  const here = await replica({ agents: [clerk()] });
  const there = await replica({ agents: [clerk()] });
  const first = await here.handle(message('1', 'hello'));
  expect(first).toMatchObject({ disposition: { type: 'ordinary' }, metadata: { words: 'hello' } });
  expect(said(first)).toEqual(['You said hello']);
  await here.handle(message('2', 'more'));
  expect(await there.handle(message('1', 'hello'))).toEqual(first);
  expect(await here.handle(message('1', 'hello'))).toEqual(first);
});

test('what handle() and outputs() give may be sent to a browser as it is: of an ask it has a closed list of fields', async () => {
  const { replica } = world();
  const buyer = agent('internal-buyer');
  const buy = buyer.question('buy', confirm('Buy the lamp?'), {
    answerableBy: { roles: ['secret-role'] },
    quorum: 2,
    context: { margin: 'secret-margin' },
    details: { Item: 'lamp' },
    expiresIn: 20 * minute,
    onAnswer: () => 'Bought.',
  });
  const registry = await replica({ agents: [buyer.onMessage(({ ask }) => ask(buy, { effectKey: 'secret-effect' }))] });
  const boss = { id: 'web:boss', name: 'Boss', roles: ['secret-role'], tenant: 'secret-tenant', locale: 'en' };
  const from = { ...boss, id: 'web:ann', name: 'Ann' };
  const { outputs } = await registry.handle(message('1', 'buy', { participant: from }));
  await registry.answer(outputs[0]?.ask?.id ?? '', { value: true }, { by: boss });
  const { outputs: again } = await registry.outputs('c1');
  const json = JSON.stringify([outputs, again]);
  expect(json).not.toMatch(/secret|internal/);
  expect(Object.keys(again[0]?.ask ?? {}).sort()).toEqual([
    ...['askedAt', 'choices', 'conversationId', 'details', 'expiresAt', 'id', 'kind', 'maxRetries'],
    ...['question', 'quorum', 'retries', 'status', 'votes'],
  ]);
  expect(again[0]?.ask?.votes).toMatchObject([{ by: { id: 'web:boss', name: 'Boss' }, value: true }]);
});

test('a message that asks says so, and gives its question again for as long as that is open', async () => {
  const { replica } = world();
  const registry = await replica({ agents: [clerk()] });
  const first = await registry.handle(message('1', 'order'));
  const askId = first.outputs[0]?.ask?.id;
  expect(first).toMatchObject({ metadata: { waitingForHuman: true, askId }, outputs: [{ text: 'Which order?' }] });
  expect(await registry.handle(message('1', 'order'))).toEqual(first);
  expect(said(await registry.handle(message('2', 'twelve')))[0]).toMatch(/Which order\?/);
  expect(said(await registry.handle(message('3', '12345')))).toEqual(['Order 12345.']);
  expect(said(await registry.handle(message('1', 'order')))).toEqual([]);
  expect(said(await registry.handle(message('3', '12345')))).toEqual(['Order 12345.']);
});

test('without a cursor handle() gives what its own turn said; with one everything since', async () => {
  const { replica } = world();
  const registry = await replica({ agents: [clerk()] });
  const { cursor } = await registry.handle(message('1', 'go'));
  await answered(registry);
  expect(said(await registry.handle(message('2', 'one')))).toEqual(['You said one']);
  const all = await registry.handle(message('3', 'two'), { after: cursor });
  expect(said(all)).toEqual(['Approved.', 'You said one', 'You said two']);
  expect(said(await registry.outputs('c1', { after: all.cursor }))).toEqual([]);
});

test('a cursor gives each output once, in order, in any process, whoever said it', async () => {
  const { replica, advance } = world();
  const phone = new TestChannel();
  const here = await replica({ agents: [clerk()], channels: [phone] });
  const there = await replica({ agents: [clerk()] });
  const { cursor } = await here.handle(message('1', 'go'));
  await advance(11 * minute); // the reminder
  const reminded = await there.outputs('c1', { after: cursor });
  expect(reminded.outputs).toMatchObject([{ channel: 'handle', text: expect.stringMatching(/OK\?/) }]);
  await phone.receive(message('2', 'hi'));
  await settle();
  await answered(there);
  const rest = await here.outputs('c1', { after: reminded.cursor });
  expect(rest.outputs.map((each) => [each.channel, each.text])).toEqual([
    ['phone', 'You said hi'],
    ['handle', 'Approved.'],
  ]);
  expect(new Set(rest.outputs.map((each) => each.key)).size).toBe(2);
  expect(await there.outputs('c1', { after: reminded.cursor })).toEqual(rest);
  expect(said(await here.outputs('c1', { after: rest.cursor }))).toEqual([]);
});

test('what is read in small pages is what is read at once', async () => {
  const { replica } = world();
  const registry = await replica({ agents: [clerk()] });
  for (let i = 0; i < 7; i += 1) await registry.handle(message(`${i}`, i % 3 === 1 ? 'silent' : `n${i}`));
  const all = said(await registry.outputs('c1'));
  expect(all).toEqual(['You said n0', 'You said n2', 'You said n3', 'You said n5', 'You said n6']);
  const paged: string[] = [];
  let after: string | undefined;
  for (let page = 0; page < 20; page += 1) {
    const found = await registry.outputs('c1', { limit: 1, ...(after === undefined ? {} : { after }) });
    paged.push(...said(found));
    after = found.cursor;
  }
  expect(paged).toEqual(all);
});

test('handle() returns as soon as its turn waits for a person, with the question; what follows is fetched', async () => {
  const { replica } = world();
  const here = await replica({ agents: [clerk()] });
  const there = await replica({ agents: [clerk()] });
  const first = await here.handle(message('1', 'book'));
  const askId = first.outputs[0]?.ask?.id;
  expect(first).toMatchObject({
    disposition: { type: 'received' },
    metadata: { waitingForHuman: true, askId },
    outputs: [{ text: 'How many seats?' }],
  });
  expect(await there.handle(message('1', 'book'))).toEqual(first);
  const refused = await here.handle(message('2', 'many'));
  expect(refused).toMatchObject({ disposition: { type: 'insufficient' } });
  expect(said(refused)).toEqual([expect.stringMatching(/How many seats\?/)]);
  expect(await here.handle(message('2', 'many'))).toEqual(refused);
  expect(await here.handle(message('3', '4'))).toMatchObject({ disposition: { type: 'accepted', askId } });
  await settle();
  expect(said(await there.outputs('c1', { after: first.cursor }))).toEqual(['Booked 4.']);
  expect(await there.handle(message('1', 'book'))).toMatchObject({
    disposition: { type: 'ordinary' },
    outputs: [{ text: 'Booked 4.' }],
  });
});

const boss = { channel: 'phone', to: 'boss' };
const waits: Record<string, (registry: AgentRegistry) => Promise<unknown>> = {
  'askAndWait()': (registry) => registry.askAndWait(confirm('OK?'), { ...boss, answerableBy: 'anyone' }),
  'ask() and wait()': async (registry) => {
    const { askId: id } = await registry.ask(confirm('OK?'), { ...boss, answerableBy: 'anyone' });
    return registry.wait(id);
  },
  'an approval': (registry) => {
    const go = { name: 'Go', inputSchema: { type: 'object' } as const, execute: () => 'went' };
    return requireApproval(go, { registry, where: boss, answerableBy: 'anyone' }).execute({}, { callId: 'c' });
  },
};

/** A turn of c1 waits for the boss, in the process that was given the message or in another one. */
async function waitingElsewhere(how: string, where: 'here' | 'in another process' = 'here', text = 'go') {
  const { replica, says } = world();
  const phone = new TestChannel();
  const clerk = agent('clerk').onMessage(async ({ message }) => {
    if (message === 'hello') return 'You said hello';
    await waits[how]?.(worker);
    if (message === 'fail') throw new Error('not today');
    return 'Done.';
  });
  const worker: AgentRegistry = await replica({ agents: [clerk], channels: [phone], settings: { maxAttempts: 1 } });
  const registry = where === 'here' ? worker : await replica();
  const handled: unknown[] = [];
  let seen: { readonly after?: string } = {};
  const handle = async (id: string, text: string) => {
    const { disposition, outputs, cursor } = await registry.handle({ id, conversationId: 'c1', text }, seen);
    seen = { after: cursor };
    handled.push([disposition.type, ...outputs.map((output) => output.text)]);
  };
  void handle('1', text);
  await expect.poll(() => phone.texts('boss')).toHaveLength(1); // the tool loads its schema checker
  await settle();
  const answers = () => says(phone, how === 'an approval' ? 'Once' : 'yes', { conversationId: 'boss' });
  const stop = () => Promise.all([worker.stop(), registry.stop()]);
  return { handle, handled, answers, stop };
}

test.each(Object.keys(waits))(
  'a turn that waits in another conversation (%s) keeps no caller; what it says is behind the cursor',
  async (how) => {
    const { handle, handled, answers, stop } = await waitingElsewhere(how);
    expect(handled).toEqual([['received']]);
    await handle('1', 'go'); // sent again
    await answers();
    await handle('2', 'hello');
    expect(handled.slice(1)).toEqual([['received'], ['ordinary', 'Done.', 'You said hello']]);
    await stop();
  },
);

test('a caller in another process than the turn that waits elsewhere is told so, too', async () => {
  const { handle, handled, answers, stop } = await waitingElsewhere('askAndWait()', 'in another process');
  expect(handled).toEqual([['received']]);
  await answers();
  await handle('2', 'hello');
  expect(handled.at(-1)).toEqual(['ordinary', 'Done.', 'You said hello']);
  await stop();
});

test('that a turn failed after it waited elsewhere is told behind the cursor', async () => {
  const { handle, handled, answers, stop } = await waitingElsewhere('askAndWait()', 'here', 'fail');
  await answers();
  await handle('2', 'hello');
  expect(handled).toEqual([['received'], ['ordinary', expect.stringMatching(/went wrong/), 'You said hello']]);
  await stop();
});

test('outputs() waits for what is said next, and returns empty when its time is over or the registry stops', async () => {
  const { replica, advance } = world();
  const registry = await replica({ agents: [clerk()] });
  const { cursor } = await registry.handle(message('1', 'go'));
  const next = registry.outputs('c1', { after: cursor, wait: 25_000 });
  await settle();
  await answered(registry);
  expect(said(await next)).toEqual(['Approved.']);
  const { cursor: end } = await next;
  const nothing = registry.outputs('c1', { after: end, wait: 25_000 });
  await advance(25_001);
  expect(await nothing).toEqual({ outputs: [], cursor: end });
  const stopped = registry.outputs('c1', { after: end, wait: 25_000 });
  await settle();
  await registry.stop();
  expect(await stopped).toEqual({ outputs: [], cursor: end });
});

test('outputs() and stop() in one tick: what waits is empty, at the cursor it was given', async () => {
  const { replica } = world();
  const registry = await replica({ agents: [clerk()] });
  const { cursor } = await registry.handle(message('1', 'hello'));
  const waiting = registry.outputs('c1', { after: cursor, wait: 25_000 });
  await registry.stop();
  expect(await waiting).toEqual({ outputs: [], cursor });
  await expect(registry.outputs('c1', { after: cursor })).rejects.toThrow(/was stopped/);
});

test('a first outputs() whose registry is stopped while it opens the store is empty', async () => {
  const opening = gate();
  const memory = new MemoryStore();
  const closed = async () => {
    throw new Error('not open');
  };
  const store = storeWith(memory, { open: () => opening.passed, historyFrom: closed, conversation: closed });
  const registry = new AgentRegistry({ agents: [clerk()], store });
  const waiting = registry.outputs('c1', { wait: 25_000 });
  const stopped = registry.stop();
  expect(await waiting).toMatchObject({ outputs: [] });
  opening.open();
  await stopped;
});

test('the metadata of a turn that asks two questions names the one that waits first, and lists both', async () => {
  const { replica } = world();
  const both = agent('both');
  const size = both.question('size', text('Which size?'), { onAnswer: () => 'Noted.' });
  const colour = both.question('colour', text('Which colour?'), { onAnswer: () => 'Noted.' });
  both.onMessage(async ({ ask }) => {
    await ask(size);
    return ask(colour);
  });
  const registry = await replica({ agents: [both] });
  const { metadata, outputs } = await registry.handle(message('1', 'go'));
  const ids = (await registry.listAsks()).asks.map((each) => each.id);
  expect(ids).toHaveLength(2);
  expect(outputs).toMatchObject([{ text: 'Which size?', ask: { id: ids[0] } }]);
  expect(metadata).toEqual({ waitingForHuman: true, askId: ids[0], askIds: ids });
});

test('whoever waits is told within a second of what another process saved', async () => {
  const { replica, advance } = world();
  const here = await replica({ agents: [clerk()] });
  const there = await replica({ agents: [clerk()] });
  const { cursor } = await here.handle(message('1', 'hello'));
  const next = there.outputs('c1', { after: cursor, wait: 25_000 });
  await settle();
  await here.handle(message('2', 'again'));
  await advance(1_001);
  expect(said(await next)).toEqual(['You said again']);
});

test('a message that is not handled in time loses nothing: its cursor stands before what its turn says', async () => {
  const { replica, advance } = world();
  const work = gate();
  const slow = agent('slow').onMessage(({ message: words }) => work.passed.then(() => `Did ${words}`));
  const registry = await replica({ agents: [slow], settings: { callTimeout: 1_000 } });
  const handled = registry.handle(message('1', 'it'));
  await advance(1_001);
  const { disposition, outputs, cursor } = await handled;
  expect({ disposition, outputs }).toEqual({ disposition: { type: 'received' }, outputs: [] });
  work.open();
  await settle();
  expect(said(await registry.outputs('c1', { after: cursor }))).toEqual(['Did it']);
});

test('what an agent sends elsewhere is not fetched by whoever reads the conversation', async () => {
  const { replica } = world();
  const ops = new TestChannel('ops');
  class Teller extends BaseAgent {
    readonly name = 'teller';
    async invokeAgent() {
      await this.sendTo('ops', 'A customer is angry.', { to: 'room' });
      return { output: 'Sorry to hear that.' };
    }
  }
  const registry = await replica({ agents: [new Teller()], channels: [ops] });
  expect(said(await registry.handle(message('1', 'hm')))).toEqual(['Sorry to hear that.']);
  expect(said(await registry.outputs('c1'))).toEqual(['Sorry to hear that.']);
  await registry.idle();
  expect(ops.texts()).toEqual(['A customer is angry.']);
});

test('a cursor that is older than what is kept, or than an erase, says that there is a gap', async () => {
  const { replica } = world();
  const registry = await replica({ agents: [clerk()], settings: { historyLimit: 4 } });
  const { cursor } = await registry.handle(message('1', 'one'));
  for (const id of ['2', '3', '4']) await registry.handle(message(id, id));
  const late = await registry.outputs('c1', { after: cursor });
  expect(late.gap).toBe(true);
  expect(said(late)).toEqual(['You said 3', 'You said 4']);
  expect((await registry.outputs('c1')).gap).toBeUndefined();
  await registry.erase({ conversationId: 'c1' });
  const erased = await registry.outputs('c1', { after: late.cursor });
  expect(erased).toMatchObject({ outputs: [], gap: true });
  await registry.handle(message('5', 'anew'));
  expect(await registry.outputs('c1', { after: late.cursor })).toMatchObject({
    outputs: [{ text: 'You said anew' }],
    gap: true,
  });
  expect(await registry.outputs('c1', { after: erased.cursor })).not.toHaveProperty('gap');
});

test('the metadata of a result reaches the channel with its output, and only what can be stored', async () => {
  const { replica } = world();
  const phone = new TestChannel();
  const odd = agent('odd').onMessage(({ message: words }) => ({
    output: words,
    metadata: words === 'odd' ? { call: () => 1 } : { words },
  }));
  const registry = await replica({ agents: [odd], channels: [phone] });
  await phone.receive(message('1', 'plain'));
  await phone.receive(message('2', 'odd'));
  await registry.idle();
  expect(phone.sent[0]?.metadata).toEqual({ words: 'plain' });
  expect(phone.sent[1]).not.toHaveProperty('metadata');
});

test.each([
  [{ after: 'nonsense' }, /after must be the cursor of an earlier call/],
  [{ after: 7 as unknown as string }, /after/],
  [{ wait: 60_001 }, /wait must be a whole number of ms from 0 to 60000/],
  [{ wait: -1 }, /wait/],
  [{ limit: 0 }, /limit/],
  [{ afer: 'x' } as object, /afer/],
])('outputs() refuses %j', async (options, why) => {
  const { replica } = world();
  const registry = await replica({ agents: [clerk()] });
  await expect(registry.outputs('c1', options)).rejects.toThrow(why);
});

test('a cursor of another conversation is refused, and nothing is recorded', async () => {
  const { replica } = world();
  const registry = await replica({ agents: [clerk()] });
  const { cursor } = await registry.handle(message('1', 'one'));
  await expect(registry.outputs('c2', { after: cursor })).rejects.toThrow(/cursor of another conversation/);
  const elsewhere = message('2', 'two', { conversationId: 'c2' });
  await expect(registry.handle(elsewhere, { after: cursor })).rejects.toThrow(/cursor of another conversation/);
  expect((await registry.history('c2')).items).toEqual([]);
});

test('no cursor goes back: a reply that a waiting turn reads has the cursor of its own place', async () => {
  const { replica } = world();
  const registry = await replica({ agents: [clerk()] });
  await registry.handle(message('1', 'hello'));
  await registry.handle(message('2', 'book'));
  const reply = await registry.handle(message('3', '4'));
  expect(said(reply)).toEqual([]);
  await settle();
  expect(said(await registry.outputs('c1', { after: reply.cursor }))).toEqual(['Booked 4.']);
});

test('a program asks, and an agent writes, in a conversation that only has handle()', async () => {
  const { replica } = world();
  class Teller extends BaseAgent {
    readonly name = 'teller';
    async invokeAgent() {
      await this.sendTo('handle', 'And by the way.', { conversationId: 'c1' });
      return { output: 'Sorry to hear that.' };
    }
  }
  const registry = await replica({ agents: [new Teller()] });
  const { cursor } = await registry.handle(message('1', 'hm'));
  const asked = registry.askAndWait(number('How many?'), { channel: 'handle', conversationId: 'c1' });
  await settle();
  const given = await registry.outputs('c1', { after: cursor });
  expect(given.outputs).toMatchObject([{ text: 'How many?', channel: 'handle', ask: { kind: 'number' } }]);
  await registry.handle(message('2', '4'));
  expect(await asked).toMatchObject({ status: 'answered', value: 4 });
  expect(said(await registry.outputs('c1'))).toEqual(['And by the way.', 'Sorry to hear that.']);
  await expect(registry.ask(number('How many?'), { channel: 'handle' })).rejects.toThrow(/Add conversationId/);
});

test('a cursor from before the conversation began says that there is a gap, and so does a repeat whose outputs are gone', async () => {
  const { replica } = world();
  const registry = await replica({ agents: [clerk()], settings: { historyLimit: 4 } });
  const { cursor } = await registry.outputs('c1');
  for (const id of ['1', '2', '3', '4']) await registry.handle(message(id, id));
  const late = await registry.outputs('c1', { after: cursor });
  expect([late.gap, said(late)]).toEqual([true, ['You said 3', 'You said 4']]);
  expect(await registry.handle(message('1', '1'))).toMatchObject({ outputs: [], gap: true });
  expect(await registry.handle(message('4', '4'))).not.toHaveProperty('gap');
});

test('however much was silent, what was said is found by few reads, and at most `limit` outputs are given', async () => {
  const { replica, store } = world();
  let reads = 0;
  const historyFrom: Store['historyFrom'] = (...given) => {
    reads += 1;
    return store.historyFrom(...given);
  };
  const registry = await replica({ agents: [clerk()], store: storeWith(store, { historyFrom }) });
  for (let i = 0; i < 300; i += 1) await registry.handle(message(`${i}`, 'silent'));
  for (const id of ['a', 'b', 'c']) await registry.handle(message(id, id));
  reads = 0;
  const first = await registry.outputs('c1', { limit: 1 });
  expect(said(first)).toEqual(['You said a']);
  expect(reads).toBeLessThanOrEqual(2);
  expect(said(await registry.outputs('c1', { limit: 2, after: first.cursor }))).toEqual(['You said b', 'You said c']);
});

test('a channel gets what its message said: each of two in flight its own, a repeat the same, and all of it is sent as well', async () => {
  const { replica } = world();
  const phone = new TestChannel();
  await replica({ agents: [clerk()], channels: [phone] });
  const handle = (id: string, words: string) => phone.desk?.handle?.(message(id, words));
  const [one, two] = await Promise.all([handle('1', 'one'), handle('2', 'two')]);
  expect([one, two].map((each) => each && said(each))).toEqual([['You said one'], ['You said two']]);
  expect(await handle('1', 'one')).toEqual(one);
  expect(one?.outputs[0]?.channel).toBe('phone');
  expect(said((await phone.desk?.outputs?.('c1', { after: one?.cursor ?? '' })) ?? { outputs: [] })).toEqual([
    'You said two',
  ]);
  await settle();
  expect(phone.texts()).toEqual(['You said one', 'You said two']);
});

test('a call that waits no longer than it wants gets `received` and a cursor, before which nothing of its turn is said', async () => {
  const { replica, advance } = world();
  const { passed, open } = gate();
  const slow = agent('slow').onMessage(async () => {
    await passed;
    return 'Done.';
  });
  const registry = await replica({ agents: [slow] });
  const handling = registry.handle(message('1', 'go'), { timeout: 2_000 });
  await advance(2_000);
  const { disposition, cursor } = await handling;
  expect(disposition).toEqual({ type: 'received' });
  open();
  await settle();
  expect(said(await registry.outputs('c1', { after: cursor }))).toEqual(['Done.']);
  await expect(registry.handle(message('2', 'go'), { timeout: 0 })).rejects.toThrow(
    /handle\(\): timeout must be a number/,
  );
});
