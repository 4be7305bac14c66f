import { describe, expect, test } from 'vitest';
import { agent, choice, text } from '../../../src/index.js';
import { rehearse } from '../../../src/testing/index.js';
import { bare, inTurn, Probe, texts, thrownBy, ways } from '../../support/agents.js';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test('ask() returns at once, with waitingForHuman and the askId', async () => {
  const { value, open } = await inTurn((self) => self.asks('Which order?'));
  expect(value).toEqual({ metadata: { waitingForHuman: true, askId: open[0]?.id } });
  expect(open[0]?.id).toMatch(uuid);
});

describe.each(ways)('%s', (_, way) => {
  test('the human sees the question once', async () => {
    const { human, clock, stop } = await rehearse({ agents: [way().agent] });
    const user = human('user');
    expect(await user.says('ask')).toEqual(['Which order?']);
    await clock.advance(3_600_000);
    expect(user.sees()).toEqual([]);
    await stop();
  });

  test('the stored record is complete, and getAsk() returns it after the save', async () => {
    const { human, registry, clock, asks, stop } = await rehearse({
      agents: [way({ context: { intent: 'refund' }, maxRetries: 3, expiresIn: 60_000 }).agent],
    });
    const now = clock.now();
    await human('user', { conversationId: 'c1' }).says('ask');
    const [open] = await asks();
    expect(await registry.getAsk(open?.id ?? '')).toEqual(open);
    expect(open).toMatchObject({
      conversationId: 'c1',
      agentName: 'support',
      question: 'Which order?',
      context: { intent: 'refund' },
      status: 'pending',
      retries: 0,
      maxRetries: 3,
      askedAt: new Date(now),
      expiresAt: new Date(now + 60_000),
      channelName: 'rehearsal',
    });
    await stop();
  });

  test('defaults: two retries, an empty context, no deadline', async () => {
    const { human, asks, stop } = await rehearse({ agents: [way().agent] });
    await human('user').says('ask');
    const [open] = await asks();
    expect(open).toMatchObject({ maxRetries: 2, context: {} });
    expect(open).not.toHaveProperty('expiresAt');
    await stop();
  });

  test('nested JSON in the context comes back unchanged after a restart, and dates are dates', async () => {
    const context = { a: [1, { b: null, c: [] }], empty: {}, big: '12345678901234567890', half: 0.5, yes: true };
    const { human, asks, restart, stop } = await rehearse({ agents: [way({ context, expiresIn: 1_000 }).agent] });
    await human('user').says('ask');
    await restart();
    const [open] = await asks();
    expect(open?.context).toEqual(context);
    expect(open?.askedAt).toBeInstanceOf(Date);
    expect(open?.expiresAt).toBeInstanceOf(Date);
    await stop();
  });

  test('the message that opened an ask, sent again by the platform, does not answer it', async () => {
    const { agent: support, continued } = way();
    const { human, asks, stop } = await rehearse({ agents: [support] });
    const user = human('user');
    await user.says('ask', { id: 'event-1' });
    expect(await user.says('ask', { id: 'event-1' })).toEqual([]);
    expect(continued).toEqual([]);
    expect(await asks()).toHaveLength(1);
    await stop();
  });

  test('after an answer the same question can be asked again, as another ask', async () => {
    const { human, asks, stop } = await rehearse({ agents: [way().agent] });
    const user = human('user');
    await user.says('ask');
    const [first] = await asks();
    await user.says('12345');
    expect(await user.says('ask')).toEqual(['Which order?']);
    const [second] = await asks();
    expect(second?.id).toMatch(uuid);
    expect(second?.id).not.toBe(first?.id);
    await stop();
  });

  test('after an expiry the same question can be asked again', async () => {
    const { human, asks, clock, stop } = await rehearse({ agents: [way({ expiresIn: 1_000 }).agent] });
    const user = human('user');
    await user.says('ask');
    await clock.advance(10_000);
    expect(await asks()).toEqual([]);
    expect(await user.says('ask')).toEqual(['Which order?']);
    expect(await asks()).toHaveLength(1);
    await stop();
  });
});

test('what the agent says beside a question goes out before it', async () => {
  const probe = new Probe(async (self) => {
    await self.asks('Which order?');
    return { output: 'One moment.' };
  });
  const { human, stop } = await rehearse({ agents: [probe] });
  expect(await human('user').says('go')).toEqual(['One moment.', 'Which order?']);
  await stop();
});

test('a result that names an ask of this turn sends nothing itself', async () => {
  const probe = new Probe(async (self) => ({ ...(await self.asks('Which order?')), output: 'Which order?' }));
  const { human, stop } = await rehearse({ agents: [probe] });
  expect(await human('user').says('go')).toEqual(['Which order?']);
  await stop();
});

// "A result whose metadata names an ask of this turn sends nothing itself; any other output goes out before the question."
test('a result that names an ask of another turn is said, before the question', async () => {
  const probe = new Probe(async (self) => {
    await self.asks('Which order?');
    return { output: 'About your last order.', metadata: { askId: 'an ask of last week' } };
  });
  const { human, stop } = await rehearse({ agents: [probe] });
  expect(await human('user').says('go')).toEqual(['About your last order.', 'Which order?']);
  await stop();
});

test("an output whose metadata has the agent's own `skipped` is said all the same (2)", async () => {
  const probe = new Probe(() => ({ output: 'Nothing to do today.', metadata: { skipped: true } }));
  const { human, stop } = await rehearse({ agents: [probe] });
  expect(await human('user').says('go')).toEqual(['Nothing to do today.']);
  await stop();
});

test('after a crash between save and sending the question goes out, once, with the id of the ask', async () => {
  const probe = new Probe((self) => self.asks('Which order?'));
  const { human, crash, restart, clock, asks, stop } = await rehearse({ agents: [probe] });
  const user = human('user');
  crash('save');
  await user.says('go');
  await restart();
  await clock.advance(120_000);
  expect(user.sees()).toEqual(['Which order?']);
  expect(await asks()).toHaveLength(1);
  await stop();
});

test('ask() of an agent in no registry says so, and what to do', async () => {
  const error = await thrownBy(() => new Probe(() => ({})).asks('Which order?'));
  expect(error.code).toBe('not-registered');
  expect(error.message).toBe(
    'Agent not registered - cannot use ask(). Pass the agent to new AgentRegistry({ agents: [...] }).',
  );
});

test('ask() outside any conversation fails and stores nothing', async () => {
  const probe = new Probe(() => ({}));
  const { asks, stop } = await rehearse({ agents: [probe] });
  const error = await thrownBy(() => probe.asks('Which order?'));
  expect(error.code).toBe('no-turn');
  expect(error.message).toContain('ask()');
  expect(await asks()).toEqual([]);
  await stop();
});

/** An agent whose first attempt fails after it asked; what the second asks is up to the test. */
function rerun(question: (attempt: number) => Parameters<Probe['asks']>) {
  const ids: unknown[] = [];
  const probe = new Probe(async (self, { attempt }) => {
    const asked = await self.asks(...question(attempt));
    ids.push(asked.metadata?.['askId']);
    if (attempt === 1) throw new Error('The connection was lost.');
    return asked;
  });
  return { probe, ids };
}

test('a re-run that asks the same opens one ask and sends one question', async () => {
  const { probe, ids } = rerun(() => ['Which order?', { context: { a: 1 }, effectKey: 'k', answerableBy: 'anyone' }]);
  const { human, clock, asks, stop } = await rehearse({ agents: [probe], failures: 'collect' });
  const user = human('user');
  expect(await user.says('go')).toEqual([]);
  await clock.advance(5_000);
  expect(user.sees()).toEqual(['Which order?']);
  expect((await asks()).map((ask) => ask.id)).toEqual([ids[1]]);
  expect(ids[0]).toBe(ids[1]);
  await stop();
});

const differences: readonly (readonly [string, Parameters<Probe['asks']>])[] = [
  ['question', ['Which invoice?']],
  ['kind', [choice('Which order?', ['1', '2'])]],
  ['context', ['Which order?', { context: { a: 2 } }]],
  ['effectKey', ['Which order?', { effectKey: 'another' }]],
  ['answerableBy', ['Which order?', { answerableBy: ['web:boss'] }]],
];
test.each(differences)('a re-run that asks with another %s gets another ask, and only that one', async (_, other) => {
  const { probe, ids } = rerun((attempt) => (attempt === 1 ? ['Which order?'] : other));
  const { human, clock, asks, stop } = await rehearse({ agents: [probe], failures: 'collect' });
  await human('user').says('go');
  await clock.advance(5_000);
  expect(ids[0]).not.toBe(ids[1]);
  expect((await asks()).map((ask) => ask.id)).toEqual([ids[1]]);
  await stop();
});

test('a re-run that asks with other choices gets another ask', async () => {
  const { probe, ids } = rerun((attempt) => [choice('Which?', attempt === 1 ? ['a', 'b'] : ['a', 'c'])]);
  const { human, clock, stop } = await rehearse({ agents: [probe], failures: 'collect' });
  await human('user').says('go');
  await clock.advance(5_000);
  expect(ids).toHaveLength(2);
  expect(ids[0]).not.toBe(ids[1]);
  await stop();
});

test('two asks with one text and different contexts are two asks', async () => {
  const { open } = await inTurn(async (self) => {
    await self.asks('Which order?', { context: { line: 1 } });
    await self.asks('Which order?', { context: { line: 2 } });
  });
  expect(open.map((ask) => ask.context)).toEqual([{ line: 1 }, { line: 2 }]);
  expect(new Set(open.map((ask) => ask.id)).size).toBe(2);
});

test('the same question in another conversation is another ask', async () => {
  const { registry, says } = bare({ agents: [new Probe((self) => self.asks('Which order?'))] });
  await says('one', 'go');
  await says('two', 'go');
  const { asks } = await registry.listAsks();
  expect(asks.map((ask) => ask.conversationId).sort()).toEqual(['one', 'two']);
  expect(new Set(asks.map((ask) => ask.id)).size).toBe(2);
  await registry.stop();
});

test('12345 after "?" pays once, "thank you!" pays nothing', async () => {
  const paid: string[] = [];
  const support = agent('support');
  const order = support.question('order', text('Order?', { pattern: /^\d{5}$/ }), {
    onAnswer: (number, { effectKey }) => {
      paid.push(`${number} ${effectKey}`);
      return 'Paid.';
    },
  });
  support.onMessage(({ message, ask }) => (message === 'refund' ? ask(order) : 'hi'));
  const { registry, says } = bare({ agents: [support] });
  await says('c', 'refund');
  const { asks } = await registry.listAsks();
  expect((await says('c', '?')).disposition).toMatchObject({ type: 'insufficient' });
  expect(texts(await says('c', '12345'))).toEqual(['Paid.']);
  expect(await says('c', 'thank you!')).toMatchObject({ disposition: { type: 'ordinary' }, outputs: [{ text: 'hi' }] });
  expect(paid).toEqual([`12345 ${asks[0]?.id}`]);
  await registry.stop();
});
