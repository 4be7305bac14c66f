/** What ends a wait beside an answer: its conversation is erased, or the registry is stopped. */
import { describe, expect, test } from 'vitest';
import type { AgentError, AgentRegistry } from '../../../src/index.js';
import { agent, confirm } from '../../../src/index.js';
import { flaky, gate, settle, TestChannel, world } from '../../support/engine.js';

const boss = { channel: 'phone', to: 'boss' };

async function waiting(more: object = {}) {
  const here = world();
  const phone = new TestChannel();
  const line = flaky(here.store);
  const registry: AgentRegistry = await here.replica({ channels: [phone], store: line.store, ...more });
  const ended: unknown[] = [];
  const note = (waits: Promise<{ status: string; reason?: string }>) =>
    void waits.then(
      ({ status, reason }) => ended.push([status, reason]),
      (error: AgentError) => ended.push(error.code),
    );
  return { ...here, phone, registry, ended, note, line };
}

test.each([
  ['askAndWait', 600_000],
  ['askAndWait for ever', Number.POSITIVE_INFINITY],
])('%s settles as cancelled when the conversation is erased', async (_, timeout) => {
  const { registry, ended, note } = await waiting();
  note(registry.askAndWait(confirm('Go?'), { ...boss, timeout }));
  await settle();
  await registry.erase({ conversationId: 'boss' });
  await settle();
  expect(ended).toEqual([['cancelled', 'erased']]);
  await registry.stop();
});

test('wait() settles as cancelled when the conversation is erased, in another process too', async () => {
  const { registry, replica, ended, note } = await waiting();
  const other = await replica({ channels: [new TestChannel()] });
  const { askId: id } = await registry.ask(confirm('Go?'), boss);
  note(registry.wait(id));
  note(other.wait(id, { timeout: Number.POSITIVE_INFINITY }));
  await settle();
  await other.erase({ conversationId: 'boss' });
  await settle();
  expect(ended).toEqual([
    ['cancelled', 'erased'],
    ['cancelled', 'erased'],
  ]);
  await Promise.all([registry.stop(), other.stop()]);
});

test('an ask that was erased before it was opened settles too', async () => {
  const { store, registry, ended, note, advance } = await waiting();
  const held = await store.take({
    conversationId: 'boss',
    token: 'elsewhere',
    turn: 'turn',
    lease: 3_600_000,
    entry: { id: 'm:phone:0', data: { text: '{"entry":{"type":"cancel"}}' }, room: 10 },
  });
  expect(held.claim).toBeDefined();
  note(registry.askAndWait(confirm('Go?'), { ...boss, timeout: Number.POSITIVE_INFINITY }));
  await settle();
  await registry.erase({ conversationId: 'boss' });
  await advance(10_000);
  expect(ended).toEqual([['cancelled', 'erased']]);
  await registry.stop();
});

test.each(['here', 'in another process'])('handle() settles when its conversation is erased (%s)', async (where) => {
  const { passed, open } = gate();
  const hangs = agent('desk').onMessage(() => passed);
  const { registry, replica } = await waiting({ agents: [hangs] });
  const other = await replica();
  const message = { id: '1', conversationId: 'c1', text: 'go', participant: { id: 'ann' } };
  const ended: unknown[] = [];
  const handled = [message, { ...message, id: '2' }].map((each) => registry.handle(each));
  for (const each of handled) void each.then(({ disposition }) => ended.push(disposition));
  await settle();
  expect(ended).toEqual([]);
  await (where === 'here' ? registry : other).erase({ conversationId: 'c1' });
  await settle();
  const erased = { type: 'ignored', why: 'erased' };
  expect(ended).toEqual([erased, erased]);
  open();
  await Promise.all([other.stop(), registry.stop()]);
});

test('handle() looks once a second for an entry that is not worked on; a look that fails ends nothing', async () => {
  const { passed, open } = gate();
  const hangs = agent('desk').onMessage(() => passed);
  const { registry, replica, line, advance } = await waiting();
  const worker = await replica({ agents: [hangs] });
  const ended: unknown[] = [];
  void registry
    .handle({ id: '1', conversationId: 'c1', text: 'go' })
    .then(({ disposition }) => ended.push(disposition));
  await settle();
  line.calls.length = 0;
  await advance(5_000);
  expect(line.calls.filter((step) => step === 'conversation' || step === 'outcome')).toEqual(
    Array(5).fill('conversation'),
  );
  line.down = true;
  await advance(5_000);
  line.down = false;
  await advance(5_000);
  expect(ended).toEqual([]);
  open();
  await settle();
  expect(ended).toEqual([{ type: 'ordinary' }]);
  await Promise.all([worker.stop(), registry.stop()]);
});

test('a turn that waits in its own conversation goes on when that is erased', async () => {
  const seen: unknown[] = [];
  const desk = agent('desk').onMessage(async ({ askAndWait }) => {
    const { status, ...more } = await askAndWait(confirm('Go?'));
    seen.push([status, 'reason' in more ? more.reason : undefined]);
  });
  const { registry, phone, says, advance } = await waiting({ agents: [desk] });
  await says(phone, 'go');
  await registry.erase({ conversationId: 'c1' });
  await advance(2_000);
  expect(seen).toEqual([['cancelled', 'erased']]);
  await registry.stop();
});

test('stop() rejects whoever waits with `stopped`; the ask stays open, and nothing is looked up afterwards', async () => {
  const { registry, replica, store, ended, note, line, advance } = await waiting();
  const errors: unknown[] = [];
  const asking = registry.askAndWait(confirm('Go?'), boss);
  note(asking);
  asking.catch((error: unknown) => errors.push(error));
  await settle();
  const [ask] = (await registry.listAsks()).asks;
  const { id = '' } = ask ?? {};
  const waits = registry.wait(id, { timeout: Number.POSITIVE_INFINITY });
  note(waits);
  waits.catch((error: unknown) => errors.push(error));
  await settle();
  await registry.stop();
  expect(ended).toEqual(['stopped', 'stopped']);
  const named = { code: 'stopped', message: expect.stringContaining(`wait("${id}")`), details: { askId: id } };
  expect(errors).toMatchObject([named, named]);
  line.calls.length = 0;
  await advance(700_000);
  expect(line.calls).toEqual([]);
  const other = await replica({ store });
  expect((await other.listAsks()).asks).toMatchObject([{ id: ask?.id, status: 'pending' }]);
  await other.stop();
});

test('a turn that waits elsewhere when the registry stops is given back, and waits on in another process', async () => {
  const desk = (registry: () => AgentRegistry) =>
    agent('desk').onMessage(async ({ message }) => {
      if (message !== 'go') return undefined;
      const outcome = await registry().askAndWait(confirm('Go?'), boss);
      return outcome.status === 'answered' ? 'Gone.' : outcome.status;
    });
  const { registry, phone, says, replica, advance } = await waiting({ agents: [desk(() => registry)] });
  await says(phone, 'go');
  await registry.stop();
  const second = new TestChannel();
  const other: AgentRegistry = await replica({ agents: [desk(() => other)], channels: [second] });
  await advance(60_000);
  await says(second, 'yes', { conversationId: 'boss' });
  await advance(60_000);
  expect([...phone.texts(), ...second.texts()]).toEqual(['Go?', 'Gone.']);
  await other.stop();
});

describe('a question that still stands in the queue of a busy conversation', () => {
  async function busy(settings: object = {}) {
    const running = gate();
    const slow = agent('slow').onMessage(async ({ message }) => {
      if (message === 'slow') await running.passed;
      return `ordinary ${message}`;
    });
    const here = await waiting({ agents: [slow], settings });
    const says = (text: string) => here.says(here.phone, text, { conversationId: 'boss' });
    await says('slow');
    return { ...here, says, running };
  }

  test.each(['timeout', 'timeout with keep', 'signal'])(
    'is not asked any more after a %s, and takes no answer',
    async (how) => {
      const { registry, advance, running, phone, says, ended, note } = await busy();
      const stop = new AbortController();
      const timeout = how === 'signal' ? 60_000 : 1_000;
      note(registry.askAndWait(confirm('Go?'), { ...boss, timeout, signal: stop.signal, keep: how.endsWith('keep') }));
      await advance(1_500);
      stop.abort(new DOMException('gone', 'AbortError'));
      await settle();
      expect(ended).toEqual(how === 'signal' ? [20] : [['cancelled', 'timeout']]);
      running.open();
      await settle();
      await says('yes');
      expect(phone.texts()).toEqual(['ordinary slow', 'ordinary yes']);
      await registry.stop();
    },
  );

  test('is not asked any more however soon its asker gave up', async () => {
    const { registry, running, phone, ended, note } = await busy({ turns: 1 });
    const stop = new AbortController();
    note(registry.askAndWait(confirm('Go?'), { ...boss, to: 'another', signal: stop.signal }));
    await settle(); // recorded for when a turn slot is free
    stop.abort(new DOMException('gone', 'AbortError'));
    await settle();
    running.open();
    await settle();
    expect([ended, phone.texts()]).toEqual([[20], ['ordinary slow']]);
    await registry.stop();
  });

  test('is given up by ask() after callTimeout, which says so', async () => {
    const { registry, advance, running, phone, says } = await busy({ callTimeout: 5_000 });
    const asking = registry.ask(confirm('Go?'), boss).catch((error: AgentError) => error.code);
    await advance(6_000);
    expect(await asking).toBe('not-opened');
    running.open();
    await settle();
    await says('yes');
    expect(phone.texts()).toEqual(['ordinary slow', 'ordinary yes']);
    await registry.stop();
  });

  test('is opened and found as soon as ask() has resolved', async () => {
    const { registry, advance, running } = await busy();
    const asking = registry.ask(confirm('Go?'), boss);
    await advance(5_000);
    running.open();
    const { askId: id } = await asking;
    expect(await registry.getAsk(id)).toMatchObject({ status: 'pending' });
    expect(await registry.cancel(id)).toMatchObject({ type: 'accepted' });
    await registry.stop();
  });
});
