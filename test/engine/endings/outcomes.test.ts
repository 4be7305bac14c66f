import { describe, expect, test } from 'vitest';
import type { Human, Rehearsal } from '../../../src/testing/index.js';
import { rehearse } from '../../../src/testing/index.js';
import { bare, texts, ways } from '../../support/agents.js';

type End = (user: Human, rehearsal: Rehearsal, askId: string) => Promise<unknown>;

const ends: readonly (readonly [string, End])[] = [
  ['answered', (user) => user.says('12345')],
  ['declined', (user) => user.says('never mind')],
  ['exhausted', (user) => user.says('?')],
  ['expired', (_user, { clock }) => clock.advance(120_000)],
  ['cancelled', (_user, { registry }, askId) => registry.cancel(askId)],
];

describe.each(ways)('%s', (_, way) => {
  test.each(ends)('%s: the next unrelated message is an ordinary turn', async (status, end) => {
    const { agent, ordinary } = way({ maxRetries: 0, expiresIn: 60_000 });
    const rehearsal = await rehearse({ agents: [agent] });
    const user = rehearsal.human('user');
    await user.says('ask');
    const [ask] = await rehearsal.asks();
    await end(user, rehearsal, ask?.id ?? '');
    user.sees();
    expect(await rehearsal.registry.getAsk(ask?.id ?? '')).toMatchObject({ status });
    expect(await user.says('12345')).toEqual(['hi']);
    expect(ordinary).toEqual(['12345']);
    await rehearsal.stop();
  });

  test('two people answer one ask by name at once: one decides, the other is told who was first', async () => {
    const { agent, continued } = way({ answerableBy: ['web:ann', 'web:bob'] });
    const { registry, says } = bare({ agents: [agent] });
    await says('c', 'ask');
    const [ask] = (await registry.listAsks()).asks;
    const settled = await Promise.all(
      ['ann', 'bob'].map((who) =>
        registry.answer(ask?.id ?? '', { text: `from ${who}` }, { by: { id: `web:${who}`, name: who } }),
      ),
    );
    expect(settled.map(({ type }) => type).sort()).toEqual(['accepted', 'already']);
    const winner = settled[0]?.type === 'accepted' ? 'ann' : 'bob';
    for (const each of settled) {
      expect(each).toMatchObject({ ask: { answer: `from ${winner}`, decidedBy: { id: `web:${winner}` } } });
    }
    expect(continued.map(({ answer }) => answer)).toEqual([`from ${winner}`]);
    await registry.stop();
  });

  test('a named reply after the answer is told "already answered" and by whom; nothing runs', async () => {
    const { agent, continued, ordinary } = way({ answerableBy: ['web:ann', 'web:bob'] });
    const { registry, says } = bare({ agents: [agent] });
    await says('c', 'ask');
    const [ask] = (await registry.listAsks()).asks;
    await says('c', '111', { participant: { id: 'web:ann', name: 'Ann' } });
    const second = await says('c', '222', { participant: { id: 'web:bob', name: 'Bob' }, askId: ask?.id ?? '' });
    expect(texts(second)).toEqual(['This was already answered by Ann.']);
    expect(second.disposition).toEqual({ type: 'already', askId: ask?.id });
    expect([continued.length, ordinary.length]).toEqual([1, 0]);
    await registry.stop();
  });

  test('plain text after settlement is an ordinary message', async () => {
    const { agent, continued, ordinary } = way({ answerableBy: 'anyone' });
    const { registry, says } = bare({ agents: [agent] });
    await says('c', 'ask');
    await says('c', '111', { participant: { id: 'web:ann' } });
    expect((await says('c', '222', { participant: { id: 'web:bob' } })).disposition).toEqual({ type: 'ordinary' });
    expect([continued.length, ordinary]).toEqual([1, ['222']]);
    await registry.stop();
  });

  test('two processes are answered at once: one decides, the continuation runs once', async () => {
    const { agent, continued } = way({ answerableBy: 'anyone' });
    const a = bare({ agents: [agent] });
    const b = bare({ agents: [agent], clock: a.clock, store: a.store });
    await a.says('c', 'ask');
    const id = (await b.registry.listAsks()).asks[0]?.id ?? '';
    const settled = await Promise.all([
      a.registry.answer(id, { text: 'from a' }, { by: { id: 'web:a' } }),
      b.registry.answer(id, { text: 'from b' }, { by: { id: 'web:b' } }),
    ]);
    expect(settled.map(({ type }) => type).sort()).toEqual(['accepted', 'already']);
    expect(continued).toHaveLength(1);
    expect((await b.registry.getAsk(id))?.answer).toBe(continued[0]?.answer);
    await Promise.all([a.registry.stop(), b.registry.stop()]);
  });

  test('a redelivered event is not a second answer, and gets the same disposition', async () => {
    const { agent, continued, ordinary } = way();
    const { registry, says } = bare({ agents: [agent] });
    await says('c', 'ask');
    const first = await says('c', '12345', { id: 'event-7' });
    const again = await says('c', '12345', { id: 'event-7' });
    expect(again.disposition).toEqual(first.disposition);
    expect(first.disposition).toMatchObject({ type: 'accepted' });
    expect([continued.length, ordinary.length]).toEqual([1, 0]);
    await registry.stop();
  });

  test('a redelivered bad reply counts one attempt', async () => {
    const { human, asks, stop } = await rehearse({ agents: [way().agent] });
    const user = human('user');
    await user.says('ask');
    await user.says('?', { id: 'event-7' });
    await user.says('?', { id: 'event-7' });
    expect(await asks()).toMatchObject([{ retries: 1 }]);
    await stop();
  });

  test('a late cancel never overwrites a real answer', async () => {
    const { agent, closed } = way();
    const { human, asks, registry, stop } = await rehearse({ agents: [agent] });
    const user = human('user');
    await user.says('ask');
    const id = (await asks())[0]?.id ?? '';
    await user.says('12345');
    expect(await registry.cancel(id)).toMatchObject({ type: 'already', ask: { status: 'answered' } });
    expect(await registry.cancel({ conversationId: 'user' })).toEqual({ cancelled: 0 });
    expect(await registry.getAsk(id)).toMatchObject({ status: 'answered', answer: '12345' });
    expect(closed).toEqual([]);
    await stop();
  });
});
