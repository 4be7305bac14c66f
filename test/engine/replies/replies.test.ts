import { describe, expect, test } from 'vitest';
import { AgentError, agent, text } from '../../../src/index.js';
import { rehearse } from '../../../src/testing/index.js';
import { bare, count, Probe, texts, ways } from '../../support/agents.js';

const skipped = "I couldn't work out an answer, so I'm skipping this step.";

describe.each(ways)('%s', (_, way) => {
  test('a sufficient reply: the decision is recorded, the continuation runs once, its result is said', async () => {
    const { agent, continued } = way();
    const { human, asks, registry, clock, stop } = await rehearse({ agents: [agent] });
    const user = human('user');
    await user.says('ask');
    const [ask] = await asks();
    expect(await user.says('12345')).toEqual(['Done: 12345']);
    await clock.advance(600_000);
    expect(continued).toEqual([{ answer: '12345', effectKey: ask?.id, attempt: 1 }]);
    expect(await registry.getAsk(ask?.id ?? '')).toMatchObject({
      status: 'answered',
      answer: '12345',
      decidedBy: user.participant,
    });
    await stop();
  });

  test('the decision is written before the continuation runs', async () => {
    const { agent } = way({}, () => crashNow());
    const play = await rehearse({ agents: [agent] });
    const { human, asks, crash, restart, stop } = play;
    let crashNow = (): void => crash();
    const user = human('user');
    await user.says('ask');
    const [ask] = await asks();
    await user.says('12345');
    crashNow = () => {};
    await restart();
    expect(await play.registry.getAsk(ask?.id ?? '')).toMatchObject({ status: 'answered', answer: '12345' });
    await stop();
  });

  test('a continuation that throws is tried again with the same answer and effectKey and a rising attempt', async () => {
    const { agent, continued } = way({}, (attempt) => {
      if (attempt < 3) throw new Error('The provider is down.');
    });
    const { human, asks, registry, clock, stop } = await rehearse({ agents: [agent], failures: 'collect' });
    const user = human('user');
    await user.says('ask');
    const [ask] = await asks();
    expect(await user.says('12345')).toEqual([]);
    expect(await registry.getAsk(ask?.id ?? '')).toMatchObject({ status: 'answered', answer: '12345' });
    await clock.advance(60_000);
    expect(continued).toEqual([1, 2, 3].map((attempt) => ({ answer: '12345', effectKey: ask?.id, attempt })));
    expect(user.sees()).toEqual(['Done: 12345']);
    await stop();
  });

  test('a continuation that always throws is parked with its error, and the answer stays recorded', async () => {
    const { agent, continued } = way({}, () => {
      throw new Error('The provider is gone.');
    });
    const { human, asks, registry, clock, stop } = await rehearse({ agents: [agent], failures: 'collect' });
    const user = human('user');
    await user.says('ask');
    const [ask] = await asks();
    await user.says('12345');
    await clock.advance(3_600_000);
    expect(continued).toHaveLength(5);
    expect((await registry.parked()).items).toMatchObject([
      { askId: ask?.id, failure: { message: 'The provider is gone.' } },
    ]);
    expect(await registry.getAsk(ask?.id ?? '')).toMatchObject({ status: 'answered', answer: '12345' });
    expect(user.sees()).toHaveLength(1);
    await stop();
  });

  test('an insufficient reply is the next attempt of the same ask; no second record exists', async () => {
    const { human, asks, stop } = await rehearse({ agents: [way().agent] });
    const user = human('user');
    await user.says('ask');
    const [before] = await asks();
    await user.says('?');
    expect(await asks()).toEqual([{ ...before, retries: 1 }]);
    await stop();
  });

  test('every re-ask quotes the question once, never nested', async () => {
    const { human, stop } = await rehearse({ agents: [way({ maxRetries: 4 }).agent] });
    const user = human('user');
    await user.says('ask');
    for (const _reply of [1, 2, 3, 4]) {
      const saw = await user.says('?');
      expect(saw).toHaveLength(1);
      expect(count(saw[0] ?? '', 'Which order?')).toBe(1);
    }
    await stop();
  });

  test('a re-ask keeps context, maxRetries and the original deadline', async () => {
    const { agent } = way({ context: { a: [1] }, maxRetries: 3, expiresIn: 60_000 });
    const { human, asks, clock, stop } = await rehearse({ agents: [agent] });
    const user = human('user');
    await user.says('ask');
    const deadline = clock.now() + 60_000;
    await clock.advance(50_000);
    await user.says('?');
    expect(await asks()).toMatchObject([
      { context: { a: [1] }, maxRetries: 3, retries: 1, expiresAt: new Date(deadline) },
    ]);
    await clock.advance(20_000);
    expect(await asks()).toEqual([]);
    await stop();
  });

  test('retries survive a restart', async () => {
    const { human, asks, restart, stop } = await rehearse({ agents: [way().agent] });
    const user = human('user');
    await user.says('ask');
    await user.says('?');
    await restart();
    await user.says('?');
    expect(await asks()).toMatchObject([{ retries: 2 }]);
    expect(await user.says('?')).toEqual([skipped]);
    await stop();
  });

  test('concurrent bad replies are each counted once', async () => {
    const { registry, says } = bare({ agents: [way({ maxRetries: 5 }).agent] });
    await says('c', 'ask');
    await Promise.all(['?', '!', '…', '-'].map((reply) => says('c', reply)));
    expect((await registry.listAsks()).asks).toMatchObject([{ retries: 4 }]);
    await registry.stop();
  });

  test.each([0, 1, 2, 3])('maxRetries %i: so many re-asks, and the next bad reply ends it', async (maxRetries) => {
    const { agent, closed, continued } = way({ maxRetries });
    const { registry, says } = bare({ agents: [agent] });
    await says('c', 'ask');
    const [ask] = (await registry.listAsks()).asks;
    for (let i = 0; i < maxRetries; i += 1) expect(texts(await says('c', '?'))[0]).toContain('Which order?');
    expect(await registry.getAsk(ask?.id ?? '')).toMatchObject({ status: 'pending', retries: maxRetries });
    expect(texts(await says('c', '?'))).toEqual([skipped]);
    expect(await registry.getAsk(ask?.id ?? '')).toMatchObject({
      status: 'exhausted',
      answer: '__insufficient__',
      retries: maxRetries,
    });
    expect(closed).toEqual(['exhausted']);
    expect(continued).toEqual([]);
    await registry.stop();
  });

  test('a wrong answer by API is an error and counts no attempt', async () => {
    const { agent } = way();
    const { human, asks, registry, stop } = await rehearse({ agents: [agent] });
    const user = human('user');
    await user.says('ask');
    const [ask] = await asks();
    const settled = await registry.answer(ask?.id ?? '', { text: '?' }, { by: user.participant });
    expect(settled).toMatchObject({ type: 'invalid', problem: expect.stringMatching(/\w/) });
    expect(await asks()).toMatchObject([{ id: ask?.id, retries: 0 }]);
    expect(user.sees()).toEqual([]);
    await stop();
  });

  test('a person who types __insufficient__ has simply answered', async () => {
    const { agent, continued, closed } = way();
    const { human, asks, registry, stop } = await rehearse({ agents: [agent] });
    const user = human('user');
    await user.says('ask');
    const [ask] = await asks();
    expect(await user.says('__insufficient__')).toEqual(['Done: __insufficient__']);
    expect(await registry.getAsk(ask?.id ?? '')).toMatchObject({ status: 'answered' });
    expect([continued.length, closed.length]).toEqual([1, 0]);
    await stop();
  });
});

/** A class agent that asks once and is given bad replies until nothing is left. */
async function exhausted(onInsufficient?: () => string | undefined) {
  const results: unknown[] = [];
  const probe = new Probe(async (self, { message }) => {
    if (self.pending() === null) return self.asks('Which order?', { maxRetries: 0 });
    const result = await self.handles(message ?? '', () => 'done', onInsufficient);
    results.push(result);
    return result;
  });
  const { registry, says } = bare({ agents: [probe] });
  await says('c', 'go');
  const [ask] = (await registry.listAsks()).asks;
  const saw = texts(await says('c', '?'));
  await registry.stop();
  return { saw, results, askId: ask?.id, closed: probe.closed };
}

test('exhausted with onInsufficient: the human gets its output, and no skip sentence beside it', async () => {
  const { saw, closed } = await exhausted(() => 'Please start over.');
  expect(saw).toEqual(['Please start over.']);
  expect(closed).toEqual([]); // onInsufficient or onAskClosed, never both
});

// "one message to the human: onInsufficient's output, else the skip sentence"
test('exhausted with an onInsufficient that says nothing: the human gets the skip sentence', async () => {
  const { saw } = await exhausted(() => undefined);
  expect(saw).toEqual([skipped]);
});

test('exhausted without onInsufficient: the default result is recorded, the human gets only the skip sentence', async () => {
  const { saw, results, askId, closed } = await exhausted();
  expect(results).toEqual([{ output: 'Step skipped due to insufficient input.', metadata: { skipped: true, askId } }]);
  expect(saw).toEqual([skipped]);
  expect(closed).toEqual(['exhausted']);
});

test('handlePendingAsk for an ask this message does not reply to is an error', async () => {
  const errors: unknown[] = [];
  const probe = new Probe(async (self, { message }) => {
    if (message === 'ask') return self.asks('Which order?');
    const pending = self.pending();
    const foreign = { ...pending, id: '00000000-0000-8000-8000-000000000000' } as NonNullable<typeof pending>;
    await (self as unknown as { handlePendingAsk(...args: unknown[]): Promise<unknown> })
      .handlePendingAsk(foreign, 'x', () => 'done')
      .catch((error: unknown) => errors.push(error));
  });
  const { human, asks, stop } = await rehearse({ agents: [probe] });
  const user = human('user');
  await user.says('ask');
  await user.says('12345');
  expect(errors).toEqual([expect.any(AgentError)]);
  expect(errors).toMatchObject([{ code: 'unknown-ask' }]);
  expect(await asks()).toMatchObject([{ status: 'pending', retries: 0 }]);
  await stop();
});

test('a continuation is given the decided ask as `pending`; `ask` beside it is the verb', async () => {
  const given: unknown[] = [];
  const support = agent('support');
  const order = support.question('order', text('Which order?'), {
    onAnswer: (_, turn) => void given.push(turn.pending.status, typeof turn.ask),
    onClosed: (pending, why, turn) => void given.push(pending === turn.pending, why, typeof turn.ask),
  });
  support.onMessage(({ ask }) => ask(order));
  const { human, stop } = await rehearse({ agents: [support] });
  const user = human('user');
  await user.says('ask');
  await user.says('12345');
  await user.says('ask');
  await user.says('cancel');
  expect(given).toEqual(['answered', 'function', true, 'declined', 'function']);
  await stop();
});
