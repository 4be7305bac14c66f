import { expect, test } from 'vitest';
import { MemoryStore } from '../../../src/index.js';
import { FakeClock, rehearse } from '../../../src/testing/index.js';
import { asClass, bare, Probe, texts, thrownBy } from '../../support/agents.js';
import { gate, settle, TestChannel } from '../../support/engine.js';

/** Asks on 'ask', else writes down what getPendingAsk() said about the message. */
function finder(name = 'probe', ask = 'ask') {
  const found: (string | undefined)[] = [];
  const probe = new Probe((self, { message, conversationId }) => {
    if (message === ask) return self.asks(`${name} in ${conversationId}?`);
    found.push(self.pending()?.question);
    return self.pending() === null ? { output: 'hi' } : self.handles(message ?? '', (answer) => `got ${answer}`);
  }, name);
  return { probe, found };
}

test('in the turn of a reply getPendingAsk() is the ask it replies to, else null', async () => {
  const { probe, found } = finder();
  const { human, stop } = await rehearse({ agents: [probe] });
  const user = human('user');
  await user.says('hello');
  await user.says('ask');
  await user.says('12345');
  await user.says('bye');
  expect(found).toEqual([undefined, 'probe in user?', undefined]);
  await stop();
});

test('in the turn that asks, the new ask is not a pending one', async () => {
  const found: unknown[] = [];
  const probe = new Probe(async (self) => {
    const asked = await self.asks('Which order?');
    found.push(self.pending());
    return asked;
  });
  const { human, stop } = await rehearse({ agents: [probe] });
  await human('user').says('go');
  expect(found).toEqual([null]);
  await stop();
});

test('on a re-run after this very entry decided it, it is still returned, now answered', async () => {
  const seen: string[] = [];
  const probe = new Probe((self, { message, attempt }) => {
    const pending = self.pending();
    if (pending === null) return self.asks('Which order?');
    seen.push(`${attempt} ${pending.status} ${pending.answer}`);
    return self.handles(message ?? '', () => {
      if (attempt === 1) throw new Error('The provider is down.');
      return 'done';
    });
  });
  const { human, clock, stop } = await rehearse({ agents: [probe], failures: 'collect' });
  const user = human('user');
  await user.says('go');
  await user.says('12345');
  await clock.advance(5_000);
  expect(seen).toEqual(['1 pending undefined', '2 answered 12345']);
  expect(user.sees()).toEqual(['done']);
  await stop();
});

test('outside a turn it is null, with and without a registry', async () => {
  const { probe } = finder();
  expect(probe.pending()).toBeNull();
  const { human, asks, stop } = await rehearse({ agents: [probe] });
  await human('user').says('ask');
  expect(await asks()).toHaveLength(1);
  expect(probe.pending('user')).toBeNull();
  expect(probe.pending()).toBeNull();
  await stop();
});

test('it never returns the ask of another conversation, even when that one is named', async () => {
  const named: unknown[] = [];
  const probe = new Probe((self, { message }) => {
    if (message === 'ask') return self.asks('Which order?');
    named.push(self.pending('one'), self.pending());
  });
  const { registry, says } = bare({ agents: [probe] });
  await says('one', 'ask');
  await says('two', 'hello');
  expect(named).toEqual([null, null]);
  await registry.stop();
});

test("it never returns another agent's ask in the same conversation (22)", async () => {
  const first = finder('first', 'ask first');
  const found: unknown[] = [];
  const second = new Probe((self) => void found.push(self.pending()), 'second');
  const { human, asks, stop } = await rehearse({
    agents: [first.probe, second],
    route: ({ text }) => (text.includes('first') ? 'first' : 'second'),
  });
  await human('ann', { conversationId: 'c' }).says('ask first');
  await human('bob', { conversationId: 'c' }).says('hello'); // may not answer, so it is routed
  expect(found).toEqual([null]);
  expect(await asks()).toHaveLength(1);
  await stop();
});

test("in the turn of one agent's reply another agent's getPendingAsk() is null (22)", async () => {
  const found: unknown[] = [];
  const other = new Probe(() => ({}), 'other');
  const probe = new Probe((self, { message }) => {
    if (message === 'ask') return self.asks('Which order?');
    found.push(other.pending(), self.pending()?.question);
    return self.handles(message ?? '', () => 'done');
  });
  const { human, stop } = await rehearse({ agents: [probe, other] });
  const user = human('user');
  await user.says('ask');
  await user.says('12345');
  expect(found).toEqual([null, 'Which order?']);
  await stop();
});

test('a reply goes to the agent that asked, whatever the route says', async () => {
  const { probe, found } = finder('asker');
  const other = new Probe(() => ({ output: 'wrong agent' }), 'other');
  const route = ({ text }: { text: string }) => (text === 'ask' ? 'asker' : 'other');
  const { human, stop } = await rehearse({ agents: [probe, other], route });
  const user = human('user');
  await user.says('ask');
  expect(await user.says('12345')).toEqual(['got 12345']);
  expect(found).toEqual(['asker in user?']);
  await stop();
});

test('two conversations at once on one instance each see only their own', async () => {
  const both = gate();
  const seen: Record<string, (string | undefined)[]> = {};
  const probe = new Probe(async (self, { message, conversationId }) => {
    if (message === 'ask') return self.asks(`Which, ${conversationId}?`);
    const before = self.pending()?.question;
    await both.passed;
    const after = await Promise.all([1, 2].map((times) => settle(times).then(() => self.pending()?.question)));
    seen[conversationId] = [before, ...after];
    return self.handles(message ?? '', (answer) => `${conversationId} got ${answer}`);
  });
  const { registry, says } = bare({ agents: [probe] });
  await says('one', 'ask');
  await says('two', 'ask');
  const replies = [says('one', 'first'), says('two', 'second')];
  await settle(5);
  both.open();
  expect((await Promise.all(replies)).map(texts)).toEqual([['one got first'], ['two got second']]);
  expect(seen).toEqual({ one: Array(3).fill('Which, one?'), two: Array(3).fill('Which, two?') });
  await registry.stop();
});

test('two processes on one store, one agent instance: each turn sees its own ask', async () => {
  const clock = new FakeClock();
  const store = new MemoryStore({ clock });
  const { probe } = finder();
  const a = bare({ agents: [probe], clock, store });
  const b = bare({ agents: [probe], clock, store });
  await a.says('one', 'ask', { id: 'a1' });
  await b.says('two', 'ask', { id: 'b1' });
  const replies = [b.says('one', 'first', { id: 'b2' }), a.says('two', 'second', { id: 'a2' })];
  expect((await Promise.all(replies)).map(texts)).toEqual([['got first'], ['got second']]);
  await Promise.all([a.registry.stop(), b.registry.stop()]);
});

test.each([undefined, '', null, 5])('a message with conversationId %j is refused, and no agent runs', async (id) => {
  const { agent, ordinary } = asClass();
  const phone = new TestChannel('phone');
  const { registry, stop } = await rehearse({ agents: [agent], channels: [phone] });
  const rejected: string[] = [];
  registry.on('rejected', ({ channel, failure }) => rejected.push(`${channel} ${failure.code}`));
  const message = { id: '1', conversationId: id as string, text: 'hello' };
  for (const error of [await thrownBy(() => registry.handle(message)), await thrownBy(() => phone.receive(message))]) {
    expect(error.code).toBe('bad-message');
    expect(error.message).toContain('conversationId');
  }
  expect(rejected).toEqual(['handle bad-message', 'phone bad-message']);
  expect(ordinary).toEqual([]);
  await stop();
});
