import { expect, onTestFinished, test } from 'vitest';
import type { Channel, Desk, OutgoingMessage } from '../../../src/index.js';
import { AgentError, AgentRegistry, agent, choice, confirm, number, text } from '../../../src/index.js';
import { MemoryStore } from '../../../src/stores/memory/store.js';
import { crashableStore } from '../../../src/testing/crashable-store.js';
import { FakeClock } from '../../../src/testing/index.js';

/** A channel with one human behind it, who may answer by a script. */
class Phone implements Channel {
  readonly name = 'phone';
  readonly sent: OutgoingMessage[] = [];
  desk: Desk | undefined;
  #messages = 0;
  readonly #answers: (message: OutgoingMessage) => string | undefined;
  constructor(answers: (message: OutgoingMessage) => string | undefined = () => undefined) {
    this.#answers = answers;
  }
  start(desk: Desk): void {
    this.desk = desk;
  }
  async send(message: OutgoingMessage): Promise<void> {
    this.sent.push(message);
    const words = message.ask?.status === 'pending' ? this.#answers(message) : undefined;
    if (words !== undefined) await this.types(words, message.conversationId);
  }
  async types(words: string, conversationId = 'anna'): Promise<void> {
    this.#messages += 1;
    await this.desk?.receive({ id: `p${this.#messages}`, conversationId, text: words, address: conversationId });
  }
  conversationFor(to: unknown): string {
    return String(to);
  }
}

const clock = () => new FakeClock();
const breath = () => new Promise<void>((resolve) => setImmediate(resolve));
async function settle() {
  for (let i = 0; i < 20; i += 1) await breath();
}
const anna = { channel: 'phone', to: 'anna' } as const;

function script(more: object = {}, answers?: (message: OutgoingMessage) => string | undefined) {
  const phone = new Phone(answers);
  const time = clock();
  const store = new MemoryStore({ clock: time });
  const registry = new AgentRegistry({ channels: [phone], store, clock: time, ...more });
  return { phone, registry, time, store };
}

test('a script without agents asks, waits, and gets the value of the question', async () => {
  const { registry, phone } = script({}, () => '42');
  const outcome = await registry.askAndWait(number('How many?'), anna);
  expect(outcome).toMatchObject({ status: 'answered', value: 42, ask: { status: 'answered', answer: '42' } });
  expect(phone.sent.map(({ text: words }) => words)).toEqual(['How many?']);
  await registry.stop();
});

test('a reply that does not fit is asked again, and the wait goes on', async () => {
  const replies = ['dunno', '7'];
  const { registry, phone } = script({}, () => replies.shift());
  expect(await registry.askAndWait(number('How many?'), anna)).toMatchObject({ status: 'answered', value: 7 });
  expect(phone.sent).toHaveLength(2);
  await registry.stop();
});

test.each([
  ['/cancel', 'declined'],
  ['no', 'answered'],
] as const)('%j gives the status %s: every ending has its own word', async (words, status) => {
  const { registry } = script({}, () => words);
  expect(await registry.askAndWait(confirm('Go?'), anna)).toMatchObject({ status });
  await registry.stop();
});

test('when every attempt was bad the outcome is exhausted', async () => {
  const { registry } = script({}, () => 'dunno');
  expect(await registry.askAndWait(number('How many?'), { ...anna, maxRetries: 1 })).toMatchObject({
    status: 'exhausted',
  });
  await registry.stop();
});

test('an allowed empty answer, false and 0 are answers', async () => {
  const { registry } = script();
  const by = { by: { id: 'web:a' } };
  for (const [question, value] of [
    [confirm('Go?'), false],
    [number('How many?'), 0],
    [text('A note?', { minLength: 0 }), ''],
  ] as const) {
    const waiting = registry.askAndWait(question as never, { ...anna, answerableBy: ['web:a'] });
    await settle();
    const [{ id } = { id: '' }] = (await registry.listAsks()).asks;
    expect(await registry.answer(id, { value }, by)).toMatchObject({ type: 'accepted' });
    expect(await waiting).toMatchObject({ status: 'answered', value });
  }
  await registry.stop();
});

test("after the caller's time the ask is cancelled, and a later reply finds nothing open (103)", async () => {
  const { registry, time, phone } = script();
  const waiting = registry.askAndWait('Which order?', { ...anna, timeout: 60_000 });
  await settle();
  await time.advance(60_000, settle);
  const outcome = await waiting;
  expect(outcome).toMatchObject({ status: 'cancelled', ask: { status: 'cancelled' } });
  await phone.types('12345');
  await settle();
  expect(await registry.getAsk(outcome.ask.id)).toMatchObject({ status: 'cancelled' });
  await registry.stop();
});

test('with keep the ask stays open when the patience is over, and can be waited for again', async () => {
  const { registry, time, phone } = script();
  const waiting = registry.askAndWait('Which order?', { ...anna, timeout: 60_000, keep: true });
  await settle();
  await time.advance(60_000, settle);
  const outcome = await waiting;
  expect(outcome).toMatchObject({ status: 'waiting', ask: { status: 'pending' } });
  const again = registry.wait(outcome.ask.id);
  await phone.types('12345');
  expect(await again).toMatchObject({ status: 'answered', value: '12345' });
  expect(await registry.wait(outcome.ask.id)).toMatchObject({ status: 'answered' }); // it came before the wait
  await registry.stop();
});

test('an aborted wait rejects with the reason and cancels its ask; one that was aborted before asks nothing', async () => {
  const { registry, phone } = script();
  const stop = new AbortController();
  const waiting = registry.askAndWait('Which order?', { ...anna, signal: stop.signal });
  const refused = expect(waiting).rejects.toThrow('changed my mind');
  await settle();
  const [{ id } = { id: '' }] = (await registry.listAsks()).asks;
  stop.abort(new Error('changed my mind'));
  await refused;
  expect(await registry.getAsk(id)).toMatchObject({ status: 'cancelled' });
  await expect(registry.askAndWait('Which?', { ...anna, signal: stop.signal })).rejects.toThrow('changed my mind');
  expect(phone.sent).toHaveLength(1);
  await registry.stop();
});

test.each([
  [{ timeout: 0 }, /timeout must be .* above 0/],
  [{ timeout: -1 }, /timeout must be/],
  [{ timeout: Number.NaN }, /timeout must be/],
  [{ keep: 'yes' }, /keep must be true or false/],
  [{ signal: {} }, /signal must be an AbortSignal/],
  [{ channel: 'pager' }, /"pager", but no channel of that name/],
  [{ maxRetries: -1 }, /maxRetries must be/],
  [{ quorum: 2 }, /quorum counts the yes and no of a confirm/],
])('askAndWait with %j fails at once and registers nothing', async (wrong, message) => {
  const { registry, phone } = script();
  await expect(registry.askAndWait('Which order?', { ...anna, ...(wrong as object) })).rejects.toThrow(message);
  await expect(registry.askAndWait(' ', anna)).rejects.toThrow(/needs a string/);
  expect((await registry.listAsks()).asks).toEqual([]);
  expect(phone.sent).toEqual([]);
  await registry.stop();
});

test('a wrong response is an error and the ask stays pending; a later right one settles it; a second is told', async () => {
  const { registry } = script();
  const waiting = registry.askAndWait(choice('Size?', ['S', 'L']), { ...anna, answerableBy: ['web:a'] });
  await settle();
  const [{ id } = { id: '' }] = (await registry.listAsks()).asks;
  const by = { by: { id: 'web:a', name: 'Ann' } };
  expect(await registry.answer(id, { value: 'XL' }, by)).toMatchObject({ type: 'invalid' });
  expect(await registry.answer(id, { value: 1 }, by)).toMatchObject({ type: 'invalid' });
  expect(await registry.answer(id, { value: 'L' }, by)).toMatchObject({ type: 'accepted' });
  expect(await registry.answer(id, { value: 'S' }, by)).toMatchObject({
    type: 'already',
    ask: { decidedBy: { name: 'Ann' } },
  });
  expect(await registry.answer('nonsense', { value: 'S' }, by)).toEqual({ type: 'unknown' });
  expect(await waiting).toMatchObject({ status: 'answered', value: 'L', by: { name: 'Ann' } });
  await registry.stop();
});

test('a process restarts in between: wait() in the new one gets the answer that came meanwhile or later', async () => {
  const time = clock();
  const store = new MemoryStore({ clock: time });
  const phone = new Phone();
  const first = new AgentRegistry({ channels: [phone], store, clock: time });
  const lost = first.askAndWait(number('How many?'), { ...anna, keep: true }).catch(() => undefined);
  await settle();
  const [{ id } = { id: '' }] = (await first.listAsks()).asks;
  await first.stop();
  void lost;
  const second = new AgentRegistry({ channels: [phone], store, clock: time });
  await second.start();
  const again = second.wait<number>(id);
  await settle();
  await phone.types('5');
  expect(await again).toMatchObject({ status: 'answered', value: 5 });
  await second.stop();
});

test('an answer that another process reads wakes the waiter here; without the hint the look finds it', async () => {
  for (const deaf of [false, true]) {
    const time = clock();
    const store = new MemoryStore({ clock: time });
    const quiet = Object.create(store, { hint: { value: () => {} } }) as MemoryStore;
    const [here, there] = [new Phone(), new Phone()];
    const waiter = new AgentRegistry({ channels: [here], store: deaf ? quiet : store, clock: time });
    const worker = new AgentRegistry({
      agents: [agent('idle').onMessage(() => undefined)],
      channels: [there],
      store: deaf ? quiet : store,
      clock: time,
    });
    await worker.start();
    const waiting = waiter.askAndWait(number('How many?'), anna);
    await settle();
    await there.types('5');
    await settle();
    if (deaf) await time.advance(5_000, settle);
    expect(await waiting).toMatchObject({ status: 'answered', value: 5 });
    await Promise.all([waiter.stop(), worker.stop()]);
  }
});

test('a sensitive answer reaches whoever waits, and no view of the ask', async () => {
  const { registry } = script({}, () => 'hunter2');
  const outcome = await registry.askAndWait('Your PIN?', { ...anna, sensitive: true });
  expect(outcome).toMatchObject({ status: 'answered', value: 'hunter2' });
  expect(JSON.stringify([await registry.getAsk(outcome.ask.id), await registry.history('anna')])).not.toContain(
    'hunter2',
  );
  await registry.stop();
});

test("the sensitive answer to an agent's own question is not for whoever waits by its id", async () => {
  const bank = agent('bank');
  const pin = bank.question('pin', text('Your PIN?'), { sensitive: true, onAnswer: () => 'Thank you.' });
  bank.onMessage(({ ask }) => ask(pin));
  const { registry, phone } = script({ agents: [bank] });
  await registry.start();
  await phone.types('go');
  await settle();
  const [{ id } = { id: '' }] = (await registry.listAsks()).asks;
  const waiting = registry.wait(id);
  await phone.types('hunter2');
  await settle();
  expect(JSON.stringify(await registry.wait(id))).not.toContain('hunter2');
  await registry.stop();
  void waiting.catch(() => undefined);
});

test('a question that cannot be delivered ends the wait as cancelled', async () => {
  const phone = new Phone();
  phone.send = async () => {
    throw new Error('no signal');
  };
  const time = clock();
  const registry = new AgentRegistry({
    channels: [phone],
    store: new MemoryStore({ clock: time }),
    clock: time,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
  });
  const waiting = registry.askAndWait('Which order?', { ...anna, timeout: Number.POSITIVE_INFINITY });
  await settle();
  await time.advance(3 * 60 * 60_000, settle);
  expect(await waiting).toMatchObject({ status: 'cancelled' });
  await registry.stop();
});

test('a no is no permission: it cannot be used', async () => {
  const { registry, person } = usable();
  const { askId: id } = await registry.ask(confirm('Pay?'), { ...person, answerableBy: 'anyone' });
  await settle();
  await registry.answer(id, { value: false }, { by: { id: 'phone:ann' } });
  expect(await registry.use(id)).toBe(false);
});

test('with excludeAsker an ask from outside of a turn is answered by nobody who is not named', async () => {
  const { registry, person } = usable();
  const options = { ...person, answerableBy: 'anyone', excludeAsker: true, asker: { id: 'phone:pat' } } as const;
  const { askId: id } = await registry.ask(confirm('Pay?'), options);
  await settle();
  expect(await registry.answer(id, { value: true })).toMatchObject({ type: 'refused' });
  expect(await registry.answer(id, { value: true }, { by: { id: 'phone:ann' } })).toMatchObject({ type: 'accepted' });
});

test('what an answer has allowed is used once, by whichever process is first', async () => {
  const time = clock();
  const store = new MemoryStore({ clock: time });
  const begin = () => new AgentRegistry({ channels: [new Phone(() => 'yes')], store, clock: time });
  const [here, there] = [begin(), begin()];
  const { ask } = await here.askAndWait(confirm('Go?'), anna);
  const used = await Promise.all([here, there, here].map((registry) => registry.use(ask.id)));
  expect(used.filter(Boolean)).toHaveLength(1);
  expect(await there.use('nonsense')).toBe(false);
  await Promise.all([here.stop(), there.stop()]);
});

test('wait() for an ask that is not there says so at once', async () => {
  const { registry } = script();
  await expect(registry.wait('nonsense')).rejects.toMatchObject({ code: 'unknown-ask' });
  await registry.stop();
});

test('what is no reply is left to the agents; without any it is an ordinary message that nobody handles', async () => {
  const { registry, phone } = script();
  const waiting = registry.askAndWait('Which order?', { ...anna, answerableBy: ['phone:anna'] });
  await settle();
  await phone.types('hello?'); // not phone:anna
  await settle();
  const { items } = await registry.history('anna');
  expect(items.findLast((item) => item.type === 'in')).toMatchObject({ disposition: { type: 'ordinary' } });
  const [{ id } = { id: '' }] = (await registry.listAsks()).asks;
  await registry.answer(id, { text: '1' }, { by: { id: 'phone:anna' } });
  expect(await waiting).toMatchObject({ status: 'answered', value: '1' });
  await registry.stop();
});

test('listAsks({ for }) and getAsk(id, { for }) give what that person may answer, open or decided, and nothing else', async () => {
  const { registry } = script();
  const ann = { for: { id: 'web:ann', roles: ['boss'] } };
  const { askId: id } = await registry.ask('For Ann?', { ...anna, answerableBy: ['web:ann'] });
  await registry.ask('For Bob?', { ...anna, answerableBy: ['web:bob'] });
  await registry.ask('For a boss?', { ...anna, to: 'elsewhere', answerableBy: { roles: ['boss'] } });
  await registry.ask('For whoever writes there?', { ...anna, to: 'elsewhere' });
  const questions = async (filter: object) => (await registry.listAsks(filter)).asks.map(({ question }) => question);
  expect(await questions(ann)).toEqual(['For Ann?', 'For a boss?']);
  expect(await questions({ ...ann, conversationId: 'anna' })).toEqual(['For Ann?']);
  await registry.answer(id, { text: 'yes' }, { by: ann.for });
  expect(await registry.getAsk(id, ann)).toMatchObject({ status: 'answered' });
  expect(await registry.getAsk(id, { for: { id: 'web:bob' } })).toBeNull();
  await registry.stop();
});

test('without a timeout the patience is 600 000 ms; with Infinity it has no end', async () => {
  const { registry, time, phone } = script();
  const over: string[] = [];
  const usual = registry.askAndWait('Usual?', anna).then(({ status }) => over.push(`usual ${status}`));
  const endless = registry.askAndWait('Endless?', { ...anna, to: 'bert', timeout: Number.POSITIVE_INFINITY });
  void endless.then(({ status }) => over.push(`endless ${status}`));
  await settle();
  await time.advance(599_999, settle);
  expect(over).toEqual([]);
  await time.advance(1, settle);
  await usual;
  expect(over).toEqual(['usual cancelled']);
  await time.advance(60 * 60_000, settle);
  expect(over).toHaveLength(1);
  await phone.types('at last', 'bert');
  expect(await endless).toMatchObject({ status: 'answered', value: 'at last' });
  await registry.stop();
});

test('the ids of asks come from newId, and from nothing that others could know', async () => {
  const idOf = async (newId?: () => string) => {
    const { registry } = script(newId === undefined ? {} : { newId });
    const { askId: id } = await registry.ask('Which order?', anna);
    await registry.stop();
    return id;
  };
  const counting = () => {
    let made = 0;
    return () => {
      made += 1;
      return `id-${made}`;
    };
  };
  expect(await idOf(counting())).toBe(await idOf(counting()));
  expect(await idOf()).not.toBe(await idOf()); // the same question, place and time
});

test('an open ask is found by its question within its conversation and its agent', async () => {
  const shop = agent('shop').onMessage(({ ask }) => ask('Which order?'));
  const { registry, phone } = script({ agents: [shop] });
  await registry.start();
  await phone.types('go', 'bert');
  await settle();
  const { askId: id } = await registry.ask('Which order?', anna);
  await registry.ask('Which size?', anna);
  const found = async (filter: object) => (await registry.listAsks({ question: 'Which order?', ...filter })).asks;
  expect((await found({})).map(({ conversationId }) => conversationId)).toEqual(['anna', 'bert']);
  expect(await found({ conversationId: 'anna' })).toMatchObject([{ id }]);
  expect(await found({ conversationId: 'anna', agentName: 'shop' })).toEqual([]);
  expect(await found({ agentName: 'shop' })).toMatchObject([{ conversationId: 'bert' }]);
  expect(await found({ conversationId: 'carl' })).toEqual([]);
  await registry.stop();
});

test('a store that is away for a moment delays the question and the answer; one that stays away is told to the caller', async () => {
  const time = clock();
  const store = new MemoryStore({ clock: time });
  let down = false;
  const shaky = new Proxy(store, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        if (down && name !== 'hint') return Promise.reject(new AgentError('store-unavailable', 'The store is away.'));
        return value.apply(target, args) as unknown;
      };
    },
  });
  const phone = new Phone();
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  const registry = new AgentRegistry({ channels: [phone], store: shaky, clock: time, logger });
  await registry.start();
  down = true;
  const waiting = registry.askAndWait(number('How many?'), anna);
  await settle();
  await time.advance(300, settle);
  down = false;
  await time.advance(2_000, settle);
  expect(phone.sent).toHaveLength(1);
  down = true;
  await time.advance(10_000, settle); // looks fail meanwhile
  down = false;
  await phone.types('7');
  expect(await waiting).toMatchObject({ status: 'answered', value: 7 });
  down = true;
  const refused = expect(registry.askAndWait('Again?', anna)).rejects.toMatchObject({ code: 'store-unavailable' });
  await settle();
  await time.advance(70_000, settle);
  await refused;
  down = false;
  await time.advance(10_000, settle); // what is tried again has come to its end
  await registry.stop();
});

test('a turn is killed while it waits for somebody elsewhere: it runs again, and they are asked each question once', async () => {
  const time = clock();
  const store = new MemoryStore({ clock: time });
  const asked: string[] = [];
  const begin = () => {
    const life = crashableStore(store);
    const phone = new Phone(({ conversationId, text: words }) => void asked.push(`${conversationId}: ${words}`));
    const desk = agent('desk').onMessage(async ({ message }) => {
      if (message !== 'book') return 'Not now.';
      const there = { ...anna, to: 'boss' };
      const [first, second] = [
        await registry.askAndWait(number('How many?'), there),
        await registry.askAndWait(number('How many?'), there),
      ];
      return [first, second].map((outcome) => (outcome.status === 'answered' ? outcome.value : outcome.status)).join();
    });
    const logger = { debug() {}, info() {}, warn() {}, error() {} };
    const registry = new AgentRegistry({ agents: [desk], channels: [phone], store: life.store, clock: time, logger });
    return { registry, phone, life };
  };
  const question = 'boss: How many?';
  const first = begin();
  await first.registry.start();
  await first.phone.types('book', 'bert');
  await settle();
  first.life.crash();
  const second = begin();
  await second.registry.start();
  await time.advance(60_000, settle);
  expect(asked).toEqual([question]);
  await second.phone.types('4', 'boss');
  await settle();
  await time.advance(1_000, settle); // the second question is marked as sent
  expect(asked).toEqual([question, question]); // two equal questions are two
  second.life.crash();
  const third = begin();
  await third.registry.start();
  await time.advance(60_000, settle);
  await third.phone.desk?.receive({ id: 'five', conversationId: 'boss', text: '5', address: 'boss' });
  await time.advance(60_000, settle);
  expect(third.phone.sent.map(({ text: words }) => words)).toEqual(['4,5']);
  expect(asked).toEqual([question, question]);
  await third.registry.stop();
});

/** A registry without agents, and where it asks. */
function usable() {
  const registry = new AgentRegistry({ channels: [new Phone()] });
  onTestFinished(() => registry.stop());
  return { registry, person: { channel: 'phone', conversationId: 'ann' } };
}
