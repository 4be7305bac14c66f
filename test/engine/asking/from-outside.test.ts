/**
 * Asks of code outside of turns that go on without their caller: declared questions, and outcome handlers by name.
 */
import { expect, test } from 'vitest';
import { askIdentity, digest } from '../../../src/core/ids.js';
import type { AnswerType, OutcomeHandler, Question } from '../../../src/index.js';
import { type AgentError, agent, BaseAgent, choice, confirm, text } from '../../../src/index.js';
import { leaseAndSweep, minute, settle, TestChannel, world } from '../../support/engine.js';

const there = { channel: 'phone', to: 'boss' };
const boss = { participant: { id: 'phone:boss' }, conversationId: 'boss' };

/** An agent that other code asks through: it keeps what it was told. */
function bridge() {
  const told: unknown[] = [];
  const made = agent('bridge').onMessage(() => 'Hello.');
  const sure = made.question('sure', confirm('Refund it?'), {
    maxRetries: 1,
    onAnswer: (yes, { pending, effectKey }) => {
      told.push(['answered', yes, pending.context, effectKey === pending.id]);
      return yes ? 'Paid.' : 'Kept.';
    },
    onClosed: (_, why) => {
      told.push(['closed', why]);
    },
  });
  const resume = made.onOutcome('resume', (outcome, { pending, effectKey, attempt }) => {
    const value = outcome.status === 'answered' ? outcome.value : undefined;
    told.push([outcome.status, value, pending.context, effectKey === pending.id, attempt]);
    return outcome.status === 'answered' ? `Noted: ${String(value)}.` : undefined;
  });
  return { made, told, sure, resume };
}

test('a declared question that a program asks runs its handlers in any process', async () => {
  const { replica, says } = world();
  const phone = new TestChannel();
  const asking = bridge();
  const asker = await replica({ agents: [asking.made], channels: [phone] });
  const { askId, conversationId } = await asker.ask(asking.sure, { ...there, context: { order: '12345' } });
  expect(conversationId).toBe('boss');
  await asker.stop();
  const working = bridge();
  const other = new TestChannel();
  const worker = await replica({ agents: [working.made], channels: [other] });
  await says(other, 'yes', boss);
  expect(working.told).toEqual([['answered', true, { order: '12345' }, true]]);
  expect(other.texts()).toEqual(['Paid.']);
  expect(await worker.getAsk(askId)).toMatchObject({ status: 'answered', agentName: 'bridge' });
});

const size: Question<string> = choice('Which size?', ['small', 'large']);
const outcomes: readonly (readonly [
  string,
  string,
  (w: ReturnType<typeof world>, phone: TestChannel, id: string) => Promise<unknown>,
])[] = [
  ['answered', 'large', async ({ says }, phone) => says(phone, 'large', boss)],
  ['declined', '', async ({ says }, phone) => says(phone, 'never mind', boss)],
  [
    'exhausted',
    '',
    async ({ says }, phone) => {
      for (const words of ['red', 'blue']) await says(phone, words, boss);
    },
  ],
  ['expired', '', async ({ advance }) => advance(61 * minute)],
];

test.each(outcomes)(
  'an outcome handler is told %s in another process than the one that asked',
  async (status, value, ends) => {
    const scene = world();
    const { replica, advance } = scene;
    const asking = bridge();
    const asker = await replica({ agents: [asking.made], channels: [new TestChannel()] });
    const options = { ...there, context: { thread: 't1' }, maxRetries: 1, expiresIn: 60 * minute, then: asking.resume };
    const { askId } = await asker.ask(size, options);
    await asker.stop();
    const working = bridge();
    const phone = new TestChannel();
    await replica({ agents: [working.made], channels: [phone] });
    await ends(scene, phone, askId);
    await advance(leaseAndSweep);
    const answer = value === '' ? undefined : value;
    expect(working.told).toEqual([[status, answer, { thread: 't1' }, true, 1]]);
    expect(asking.told).toEqual([]);
  },
);

test('cancel() is told to the outcome handler too, and erase() to nobody', async () => {
  const { replica } = world();
  const { made, told, resume } = bridge();
  const registry = await replica({ agents: [made], channels: [new TestChannel()] });
  const first = await registry.ask(size, { ...there, then: resume });
  await registry.cancel(first.askId);
  await settle();
  expect(told).toEqual([['cancelled', undefined, {}, true, 1]]);
  const second = await registry.ask(size, { ...there, then: resume });
  const waiting = registry.wait(second.askId);
  await settle();
  await registry.erase({ conversationId: 'boss' });
  expect(await waiting).toMatchObject({ status: 'cancelled', reason: 'erased' });
  expect(told).toHaveLength(1);
});

test('a handler that fails is run again with the same effect key, and the decision stands', async () => {
  const { replica, says, advance } = world();
  const phone = new TestChannel();
  const keys: string[] = [];
  const made = agent('bridge').onMessage(() => 'Hello.');
  const resume = made.onOutcome('resume', (_, { effectKey, attempt }) => {
    keys.push(`${effectKey} ${attempt}`);
    if (attempt === 1) throw new Error('the queue is down');
  });
  const registry = await replica({ agents: [made], channels: [phone] });
  const { askId } = await registry.ask(size, { ...there, then: resume });
  await says(phone, 'small', boss);
  await advance(10_000);
  expect(keys).toEqual([`${askId} 1`, `${askId} 2`]);
  expect(await registry.getAsk(askId)).toMatchObject({ status: 'answered', value: 'small' });
});

test('where the handler is missing the decision stands, the work waits for a process that has it, and is parked at last', async () => {
  const { replica, says, advance } = world();
  const asking = bridge();
  const asker = await replica({ agents: [asking.made], channels: [new TestChannel()] });
  const { askId } = await asker.ask(size, { ...there, then: asking.resume });
  await asker.stop();
  const phone = new TestChannel();
  const poor = await replica({ agents: [agent('bridge').onMessage(() => 'Hello.')], channels: [phone] });
  await says(phone, 'large', boss);
  await says(phone, 'small', boss);
  expect(await poor.getAsk(askId)).toMatchObject({ status: 'answered', value: 'large' });
  await advance(15 * minute);
  const [parked] = (await poor.parked()).items;
  expect(parked?.failure.message).toMatch(/no outcome handler "resume"/);
  await poor.stop();
  const working = bridge();
  const rich = await replica({ agents: [working.made], channels: [new TestChannel()] });
  await rich.retry(parked?.id ?? '');
  expect(working.told).toMatchObject([['answered', 'large', {}, true, expect.any(Number)]]);
});

test('while a missing handler is waited for no attempt is counted: the process that has it makes the first', async () => {
  const { replica, says, advance } = world();
  const asking = bridge();
  const asker = await replica({ agents: [asking.made], channels: [new TestChannel()] });
  const options = { ...there, context: {}, onCrash: 'park', then: asking.resume } as const;
  await asker.ask(size, options);
  await asker.stop();
  const phone = new TestChannel();
  const poor = await replica({ agents: [agent('bridge').onMessage(() => 'Hello.')], channels: [phone] });
  await says(phone, 'large', boss);
  await advance(5 * minute);
  await poor.stop();
  const working = bridge();
  const rich = await replica({ agents: [working.made], channels: [new TestChannel()] });
  await advance(leaseAndSweep);
  expect((await rich.parked()).items).toEqual([]);
  expect(working.told).toEqual([['answered', 'large', {}, true, 1]]);
});

test('registry.ask() in a turn that runs again is the same ask, and two calls of one turn are two', async () => {
  const { replica, says, advance } = world();
  const phone = new TestChannel();
  const opened: string[] = [];
  const clerk = agent('clerk');
  clerk.onMessage(async ({ attempt }) => {
    for (let i = 0; i < 2; i += 1) opened.push((await registry.ask(size, there)).askId);
    if (attempt === 1) throw new Error('once more');
    return 'Asked.';
  });
  const registry = await replica({ agents: [clerk], channels: [phone] });
  await says(phone, 'go', { conversationId: 'ann' });
  await advance(10_000);
  expect(phone.texts('ann')).toEqual(['Asked.']);
  expect(opened).toHaveLength(4);
  expect(opened.slice(2)).toEqual(opened.slice(0, 2));
  expect((await registry.listAsks()).asks.map((each) => each.id)).toEqual(opened.slice(0, 2));
});

test('the same key is the same ask, in any process, also when it is over', async () => {
  const { replica, says } = world();
  const phone = new TestChannel();
  const here = bridge();
  const one = await replica({ agents: [here.made], channels: [phone] });
  const there2 = bridge();
  const two = await replica({ agents: [there2.made], channels: [new TestChannel()] });
  const ask = (registry: typeof one, then: OutcomeHandler) => registry.ask(size, { ...there, key: 'size:t1', then });
  const [first, second] = await Promise.all([ask(one, here.resume), ask(two, there2.resume)]);
  expect(second).toEqual(first);
  expect((await one.listAsks()).asks).toHaveLength(1);
  await says(phone, 'small', boss);
  expect(await ask(two, there2.resume)).toEqual(first);
  expect([...here.told, ...there2.told]).toHaveLength(1);
  await expect(one.ask(confirm('Sure?'), { ...there, key: 'size:t1' })).rejects.toThrow(
    /the key "size:t1" belongs to another question, "Which size\?"/,
  );
});

test('the id of an ask with a key cannot be computed from what it asks: another store gives another id', async () => {
  const ids: string[] = [];
  for (let stores = 0; stores < 2; stores += 1) {
    const { replica } = world();
    const { made, resume } = bridge();
    const registry = await replica({ agents: [made], channels: [new TestChannel()] });
    ids.push((await registry.ask(size, { ...there, key: 'size:t1', then: resume })).askId);
  }
  expect(new Set(ids).size).toBe(2);
});

test('an ask that an earlier build opened under a key is found: nothing is asked twice', async () => {
  const { replica, says, store } = world();
  const phone = new TestChannel();
  const { made, resume } = bridge();
  const registry = await replica({ agents: [made], channels: [phone] });
  const ask = (key: string) => registry.ask(size, { ...there, key, then: resume });
  const { askId: stored, conversationId } = await ask('another');
  await says(phone, 'small', boss);
  const { id: earlier } = askIdentity({ conversationId, isApart: false }, 'key', digest('size:t1'), '0');
  const find = store.find.bind(store);
  store.find = (id) => find(id === earlier ? stored : id);
  const shown = phone.texts().length;
  expect(await ask('size:t1')).toEqual({ askId: earlier, conversationId });
  expect(phone.texts()).toHaveLength(shown);
  expect((await registry.listAsks()).asks).toEqual([]);
});

test('whom it is asked for is kept: their tenant bounds who answers, and excludeAsker leaves them out', async () => {
  const { replica } = world();
  const { made, resume } = bridge();
  const registry = await replica({ agents: [made], channels: [new TestChannel()] });
  const asker = { id: 'web:ann', tenant: 'north' };
  const options = { ...there, asker, excludeAsker: true, answerableBy: 'anyone', then: resume } as const;
  const { askId } = await registry.ask(confirm('OK?'), options);
  expect(await registry.getAsk(askId)).toMatchObject({ asker: { id: 'web:ann' } });
  const answer = (id: string, tenant: string) => registry.answer(askId, { value: true }, { by: { id, tenant } });
  expect((await answer('web:ann', 'north')).type).toBe('refused');
  expect((await answer('web:bob', 'south')).type).toBe('refused');
  expect((await answer('web:bob', 'north')).type).toBe('accepted');
});

test('outside of a turn excludeAsker without an asker is refused, and nothing is asked', async () => {
  const { replica } = world();
  const { made, resume } = bridge();
  const registry = await replica({ agents: [made], channels: [new TestChannel()] });
  const options = { ...there, excludeAsker: true, answerableBy: 'anyone' } as const;
  const refused = { code: 'bad-option', message: expect.stringMatching(/excludeAsker.*Give asker/) as never };
  await expect(registry.ask(confirm('OK?'), { ...options, then: resume })).rejects.toMatchObject(refused);
  await expect(registry.askAndWait(confirm('OK?'), options)).rejects.toMatchObject(refused);
  expect((await registry.listAsks()).asks).toEqual([]);
});

test('askAndWait() keeps whom it is asked for, too', async () => {
  const { replica } = world();
  const { made } = bridge();
  const registry = await replica({ agents: [made], channels: [new TestChannel()] });
  const asker = { id: 'web:ann', tenant: 'north' };
  const waits = registry.askAndWait(confirm('OK?'), { ...there, asker, excludeAsker: true, answerableBy: 'anyone' });
  await settle();
  const [{ id } = { id: '' }] = (await registry.listAsks()).asks;
  const answer = (who: string, tenant: string) =>
    registry.answer(id, { value: true }, { by: { id: who, tenant } }).then(({ type }) => type);
  expect([await answer('web:ann', 'north'), await answer('web:bob', 'south')]).toEqual(['refused', 'refused']);
  expect(await answer('web:bob', 'north')).toBe('accepted');
  expect(await waits).toMatchObject({ status: 'answered' });
  for (const nobody of [undefined, 'web:ann'])
    await expect(registry.askAndWait('Why?', { ...there, asker: nobody } as never)).rejects.toMatchObject({
      code: 'bad-option',
    });
});

test('somebody of another tenant does not answer where whoever writes may', async () => {
  const { replica, says } = world();
  const phone = new TestChannel();
  const { made, told, resume } = bridge();
  const registry = await replica({ agents: [made], channels: [phone] });
  const asker = { id: 'web:ann', tenant: 'north' };
  await registry.ask(confirm('OK?'), { ...there, asker, then: resume });
  await says(phone, 'yes', { ...boss, participant: { id: 'phone:eve', tenant: 'south' } });
  expect(told).toEqual([]);
  await says(phone, 'yes', { ...boss, participant: { id: 'phone:bob', tenant: 'north' } });
  expect(told).toHaveLength(1);
});

test('a key whose ask was given up because its conversation was busy can be asked again, at once or later', async () => {
  const { replica, says, clock } = world();
  const phone = new TestChannel();
  let finish: (said: string) => void = () => {};
  const slow = agent('slow').onMessage(() => new Promise<string>((resolve) => (finish = resolve)));
  const registry = await replica({ agents: [slow], channels: [phone], settings: { callTimeout: 1_000 } });
  const ask = () => registry.ask(size, { ...there, key: 'size:t1', answerableBy: 'anyone' });
  void says(phone, 'work', boss);
  await settle();
  const first = ask();
  void first.catch(() => undefined);
  await settle();
  await clock.advance(2_000);
  await expect(first).rejects.toMatchObject({ code: 'not-opened' });
  const second = ask(); // the first still waits in the queue, with its cancel behind it
  await settle();
  finish('Done.');
  const { askId } = await second;
  expect(await registry.getAsk(askId)).toMatchObject({ status: 'pending' });
  expect(await ask()).toMatchObject({ askId });
  expect((await registry.listAsks()).asks).toHaveLength(1);
});

test.each([
  ['data', { question: choice('Which size?', ['DELETE', 'keep']) }],
  ['answerableBy', { answerableBy: ['web:boss'] }],
  ['sensitive', { sensitive: true }],
  ['links', { links: 'decide' }],
  ['tenant', { asker: { id: 'web:ann', tenant: 'south' } }],
  ['asker', { asker: { id: 'web:ben', tenant: 'north' } }],
  ['excluded', { excludeAsker: true }],
] as const)('a key does not stand for an ask that differs in %s', async (field, other) => {
  const { replica } = world();
  const { made } = bridge();
  const registry = await replica({ agents: [made], channels: [new TestChannel()] });
  const options = { ...there, key: 'k', answerableBy: 'anyone', asker: { id: 'web:ann', tenant: 'north' } } as const;
  const { askId } = await registry.ask(size, options);
  const { question, ...changed } = { question: size, ...other };
  await expect(registry.ask(question, { ...options, ...changed })).rejects.toThrow(`they differ in ${field}`);
  const newer = { ...options, context: { at: 2 }, details: { Order: '2' } };
  expect(await registry.ask(size, newer)).toMatchObject({ askId });
});

test("a link decides only where the ask says links: 'decide'", async () => {
  const { replica } = world();
  const phone = new TestChannel();
  const registry = await replica({ channels: [phone] });
  const linksOf = async (options: { links?: 'show' | 'decide' }) => {
    const { askId } = await registry.ask(confirm('Refund it?'), { ...there, answerableBy: 'anyone', ...options });
    await registry.cancel(askId);
    return (await registry.getAsk(askId))?.links;
  };
  expect(await linksOf({})).toBeUndefined();
  expect(await linksOf({ links: 'show' })).toBeUndefined();
  expect(await linksOf({ links: 'decide' })).toBe('decide');
});

test('who may answer, and for whom it is asked, are never left open by a missing value', async () => {
  const { replica } = world();
  const { made } = bridge();
  const registry = await replica({ agents: [made], channels: [new TestChannel()] });
  const missing = { answerableBy: undefined } as unknown as { answerableBy: 'anyone' };
  await expect(registry.ask(size, { ...there, ...missing })).rejects.toMatchObject({ code: 'bad-option' });
  const nobody = { asker: undefined } as unknown as { asker: { id: string } };
  await expect(registry.ask(size, { ...there, ...nobody, answerableBy: 'anyone' })).rejects.toMatchObject({
    code: 'bad-option',
  });
  expect((await registry.listAsks()).asks).toEqual([]);
});

const stars: AnswerType<number, null> = {
  kind: 'stars',
  shape: () => ({ type: 'text' }),
  parse: (reply) =>
    /^\*{1,5}$/.test(reply)
      ? { ok: true, value: reply.length }
      : { ok: false, why: 'not-understood', problem: 'One to five *.' },
};

test('a type of your own is read in every process that names it', async () => {
  const { replica, says } = world();
  const question: Question<number> = { text: 'How was it?', type: stars, data: null };
  const asking = bridge();
  const asker = await replica({ agents: [asking.made], channels: [new TestChannel()] });
  await asker.ask(question, { ...there, then: asking.resume });
  await asker.stop();
  const working = bridge();
  const phone = new TestChannel();
  await replica({ agents: [working.made], channels: [phone], answerTypes: [stars] });
  await says(phone, '****', boss);
  expect(working.told).toEqual([['answered', 4, {}, true, 1]]);
});

test('a class declares outcome handlers, too', async () => {
  const { replica, says } = world();
  const phone = new TestChannel();
  const told: unknown[] = [];
  class Bridge extends BaseAgent {
    readonly name = 'bridge';
    readonly resume = this.onOutcome('resume', (outcome) => void told.push(outcome.status));
    async invokeAgent() {
      return {};
    }
  }
  const made = new Bridge();
  const registry = await replica({ agents: [made], channels: [phone] });
  await registry.ask(size, { ...there, then: made.resume });
  await says(phone, 'large', boss);
  expect(told).toEqual(['answered']);
});

test('what cannot go on is refused, and nothing is asked', async () => {
  const { replica } = world();
  const { made, resume, sure } = bridge();
  const registry = await replica({ agents: [agent('other').onMessage(() => 'Hello.')], channels: [new TestChannel()] });
  const refused = (work: Promise<unknown>) =>
    work.then(
      () => 'asked',
      (error: unknown) => (error as AgentError).message,
    );
  expect(await refused(registry.ask(size, { ...there, then: resume }))).toMatch(/then must be what onOutcome\(\)/);
  expect(await refused(registry.ask(size, { ...there, then: 'resume' as never }))).toMatch(
    /then must be what onOutcome\(\)/,
  );
  expect(await refused(registry.ask(sure, there))).toMatch(
    /no agent of this registry has declared the question "sure"/,
  );
  expect(await refused(registry.ask(sure, { ...there, then: resume }))).toMatch(/has handlers of its own/);
  expect(await refused(registry.ask(text('x'), { ...there, key: 7 as never }))).toMatch(/key must be/);
  expect(() => made.onOutcome('resume', () => {})).toThrow(/given twice/);
  expect(() => made.onOutcome('', () => {})).toThrow(/onOutcome\(\) needs a name/);
  expect((await registry.listAsks()).asks).toEqual([]);
});
