/**
 * The documented example of a clarifying-question tool with a durable store (ask_clarifying_question): Ask, Respond, WaitForResponse,
 * FindPendingByQuestion and RecoverPending, with the calls that do the same here. docs/coming-from-toolpack-agents.md lists what had to be
 * changed, and why.
 */
import { describe, expect, test } from 'vitest';
import { text } from '../../../src/index.js';
import { rehearse } from '../../../src/testing/index.js';
import { askHuman } from '../../../src/tools/index.js';

const name = 'ask_clarifying_question';
const sender = { channel: 'rehearsal', to: 'slack:U1234:C5678' } as const;
/** There is no message that led to the question, so nobody is its asker: who may answer is said. */
const anyone = { ...sender, answerableBy: 'anyone' } as const;
const question = { question: 'Which cluster?', context: 'There are two of that name.' };

describe('the life of one question: Ask, WaitForResponse, Respond', () => {
  test('whoever waits gets the answer that another part of the program gives', async () => {
    const { registry, asks, stop } = await rehearse({ agents: [] });
    const { askId } = await registry.ask(text('Which cluster?'), { ...anyone, context: { sender: sender.to } });
    const waiting = registry.wait(askId);
    expect(await asks()).toMatchObject([{ id: askId, status: 'pending', context: { sender: sender.to } }]);
    expect(await registry.answer(askId, { text: 'eu-1' })).toMatchObject({ type: 'accepted' });
    expect(await waiting).toMatchObject({ status: 'answered', value: 'eu-1' });
    await stop();
  });

  test('an answer that was there before anybody waited is found at once', async () => {
    const { registry, stop } = await rehearse({ agents: [] });
    const { askId } = await registry.ask(text('Which cluster?'), anyone);
    await registry.answer(askId, { text: 'eu-1' });
    expect(await registry.wait(askId)).toMatchObject({ status: 'answered', value: 'eu-1' });
    await stop();
  });

  test('an answer that another process takes reaches the one that waits', async () => {
    const { registry, replica, clock, stop } = await rehearse({ agents: [] });
    const other = await replica();
    const { askId } = await registry.ask(text('Which cluster?'), anyone);
    const waiting = registry.wait(askId);
    await other.registry.answer(askId, { text: 'eu-1' });
    await clock.advance(10_000);
    expect(await waiting).toMatchObject({ status: 'answered', value: 'eu-1' });
    await stop();
  });

  test('Respond to an unknown question, and to one that was answered', async () => {
    const { registry, stop } = await rehearse({ agents: [] });
    const { askId } = await registry.ask(text('Which cluster?'), anyone);
    expect(await registry.answer('no-such-id', { text: 'eu-1' })).toEqual({ type: 'unknown' });
    await registry.answer(askId, { text: 'eu-1' });
    expect(await registry.answer(askId, { text: 'eu-2' })).toMatchObject({ type: 'already' });
    await stop();
  });

  test('an empty answer is none: the question stays open', async () => {
    const { registry, asks, stop } = await rehearse({ agents: [] });
    const { askId } = await registry.ask(text('Which cluster?'), anyone);
    expect(await registry.answer(askId, { text: '' })).toMatchObject({ type: 'invalid' });
    expect(await asks()).toMatchObject([{ id: askId, status: 'pending' }]);
    await stop();
  });

  test('an empty answer is one where the question allows it', async () => {
    const { registry, stop } = await rehearse({ agents: [] });
    const { askId } = await registry.ask(text('Which cluster?', { minLength: 0 }), anyone);
    expect(await registry.answer(askId, { text: '' })).toMatchObject({ type: 'accepted' });
    expect(await registry.wait(askId)).toMatchObject({ status: 'answered', value: '' });
    await stop();
  });

  test('answer() is refused without answerableBy, and where that names people, without `by`', async () => {
    const { registry, stop } = await rehearse({ agents: [] });
    const { askId } = await registry.ask(text('Which cluster?'), sender);
    expect(await registry.answer(askId, { text: 'eu-1' })).toEqual({ type: 'refused' });
    expect(await registry.answer(askId, { text: 'eu-1' }, { by: { id: sender.to } })).toEqual({ type: 'refused' });
    const named = await registry.ask(text('Which region?'), { ...sender, answerableBy: ['web:max'] });
    expect(await registry.answer(named.askId, { text: 'eu' })).toEqual({ type: 'refused' });
    expect(await registry.answer(named.askId, { text: 'eu' }, { by: { id: 'web:max' } })).toMatchObject({
      type: 'accepted',
    });
    await stop();
  });

  test('whoever stops waiting does not end the question', async () => {
    const { registry, asks, stop } = await rehearse({ agents: [] });
    const { askId } = await registry.ask(text('Which cluster?'), anyone);
    const leaving = new AbortController();
    const waiting = registry.wait(askId, { signal: leaving.signal });
    leaving.abort(new Error('the request is over'));
    await expect(waiting).rejects.toThrow('the request is over');
    expect(await asks()).toMatchObject([{ id: askId, status: 'pending' }]);
    await stop();
  });
});

describe('the tool', () => {
  test('blocks until the person answers; the reason is shown beside the question', async () => {
    const { registry, human, nextAsk, stop } = await rehearse({ agents: [] });
    const person = human(sender.to);
    const tool = askHuman(registry, { name, where: sender });
    const result = tool.execute(question, { callId: 'call_1' });
    await nextAsk();
    expect(person.sees()).toEqual([expect.stringMatching(/^Which cluster\?\n.*There are two of that name\.$/)]);
    await person.says('eu-1');
    expect(await result).toBe('eu-1');
    await stop();
  });

  test('the same question twice in one run is asked once', async () => {
    const { registry, human, nextAsk, stop } = await rehearse({ agents: [] });
    const run = askHuman(registry, { name, where: sender }).run();
    const result = run.execute(question, { callId: 'call_1' });
    await nextAsk();
    await human(sender.to).says('eu-1');
    await result;
    expect(await run.execute(question, { callId: 'call_2' })).toContain('eu-1');
    await expect(nextAsk({ timeout: 5 })).rejects.toThrow('found no question');
    await stop();
  });

  test('FindPendingByQuestion: an open question is found by its exact text, by any process', async () => {
    const { registry, replica, stop } = await rehearse({ agents: [] });
    const other = await replica();
    const { askId } = await registry.ask(text('Which cluster?'), anyone);
    expect((await other.registry.listAsks({ question: 'Which cluster?' })).asks).toMatchObject([{ id: askId }]);
    expect((await other.registry.listAsks({ question: 'Which region?' })).asks).toEqual([]);
    await stop();
  });

  test('FindPendingByQuestion: a filter looks at a page of open questions, so pages are followed to the end', async () => {
    const { registry, stop } = await rehearse({ agents: [] });
    for (let i = 0; i < 3; i += 1) await registry.ask(text('Which region?'), { ...anyone, to: `slack:U${i}` });
    const { askId } = await registry.ask(text('Which cluster?'), anyone);
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await registry.listAsks({ question: 'Which cluster?', limit: 2, ...(cursor && { cursor }) });
      if (cursor === undefined) expect(page.asks).toEqual([]);
      found.push(...page.asks.map(({ id }) => id));
      cursor = page.cursor;
    } while (cursor !== undefined);
    expect(found).toEqual([askId]);
    await stop();
  });

  test('a caller that starts again with its key finds the question that is open', async () => {
    const { registry, asks, stop } = await rehearse({ agents: [] });
    const options = { ...anyone, key: 'cluster:session-7' };
    const first = await registry.ask(text('Which cluster?'), options);
    expect(await registry.ask(text('Which cluster?'), options)).toEqual(first);
    expect(await asks()).toHaveLength(1);
    await stop();
  });

  test('without blocking: an interrupt with its id and its question, resumed when it is answered', async () => {
    const { registry, human, stop } = await rehearse({ agents: [] });
    const tool = askHuman(registry, { name, where: sender });
    const interrupt = await tool.open(question, { callId: 'call_1' });
    expect(interrupt).toMatchObject({ kind: 'question', callId: 'call_1', payload: { prompt: 'Which cluster?' } });
    await human(sender.to).says('eu-1');
    expect(await tool.resume(interrupt)).toBe('eu-1');
    await stop();
  });
});

test('RecoverPending after a restart: what is too old expires, the rest is answered as before', async () => {
  const play = await rehearse({ agents: [] });
  const old = await play.registry.ask(text('Which cluster?'), anyone);
  await play.clock.advance(60 * 60_000);
  const recent = await play.registry.ask(text('Which region?'), { ...anyone, to: 'slack:U9:C1' });
  await play.restart();
  expect(await play.registry.recoverPending(30 * 60_000)).toEqual({ expired: 1, recovered: 1 });
  expect(await play.registry.getAsk(old.askId)).toMatchObject({ status: 'expired' });
  expect(await play.registry.answer(recent.askId, { text: 'Europe' })).toMatchObject({ type: 'accepted' });
  expect(await play.registry.wait(recent.askId)).toMatchObject({ status: 'answered', value: 'Europe' });
  await play.stop();
});
