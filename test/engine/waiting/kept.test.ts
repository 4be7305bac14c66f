/** What a turn that waits has asked outlives its end and its failure: with `keep`, and when it is parked and tried again. */
import { expect, test } from 'vitest';
import type { AgentRegistry, AnswerType, Question } from '../../../src/index.js';
import { AgentError, agent, number, text } from '../../../src/index.js';
import { minute, settle, world } from '../../support/engine.js';

const stars: Question<number> = {
  text: 'How many stars?',
  data: null,
  type: {
    kind: 'stars',
    shape: () => ({ type: 'text' }),
    parse: (reply) => ({ ok: true, value: reply.length }),
  } satisfies AnswerType<number, null>,
};

/** A turn has waited for a minute, or until it was called off, and its question is still open. */
async function kept(question: Question<number> = number('How many?'), end: 'timeout' | 'abort' = 'timeout') {
  const { replica, advance } = world();
  const stop = new AbortController();
  const desk = agent('desk').onMessage(async ({ message, askAndWait }) => {
    if (message !== 'go') return `You said ${message}.`;
    const outcome = await askAndWait(question, { timeout: minute, keep: true, signal: stop.signal }).catch(
      () => undefined,
    );
    return `It goes on: ${outcome?.status ?? 'called off'}.`;
  });
  const registry = await replica({ agents: [desk], settings: { maxAttempts: 1 } });
  let seen: { readonly after?: string } = {};
  const handle = async (id: string, text: string) => {
    const message = { id, conversationId: 'c', text, participant: { id: 'ann' } };
    const { disposition, outputs, cursor } = await registry.handle(message, seen);
    seen = { after: cursor };
    return [disposition.type, ...outputs.map((output) => output.text)];
  };
  expect(await handle('1', 'go')).toEqual(['received', question.text]);
  const [{ id } = { id: '' }] = (await registry.listAsks()).asks;
  const told: unknown[] = [];
  void registry
    .wait<number>(id)
    .then((outcome) => told.push(outcome.status === 'answered' ? outcome.value : outcome.status));
  if (end === 'abort') stop.abort(new DOMException('gone', 'AbortError'));
  await advance(minute + 2_000);
  return { registry, handle, id, told };
}

test.each([
  ['a type of the library', number('How many?'), '4'],
  ['a type of your own', stars, '****'],
])('a plain message answers it, and brings what the turn said (%s)', async (_, question, words) => {
  const { registry, handle, told } = await kept(question);
  expect(await handle('2', words)).toEqual(['accepted', 'It goes on: waiting.']);
  await settle();
  expect(told).toEqual([4]);
  expect(await handle('3', 'hello')).toEqual(['ordinary', 'You said hello.']);
  await registry.stop();
});

test('an answer by id decides it; what the turn said is behind the cursor', async () => {
  const { registry, handle, id, told } = await kept();
  expect(await registry.answer(id, { value: 4 }, { by: { id: 'ann' } })).toMatchObject({ type: 'accepted' });
  await settle();
  expect(told).toEqual([4]);
  expect(await handle('2', 'hello')).toEqual(['ordinary', 'It goes on: waiting.', 'You said hello.']);
  await registry.stop();
});

test('a wait that is called off leaves its ask open, too', async () => {
  const { registry, handle, told } = await kept(number('How many?'), 'abort');
  expect(await handle('2', '4')).toEqual(['accepted', 'It goes on: called off.']);
  await settle();
  expect(told).toEqual([4]);
  await registry.stop();
});

test('an ask that a turn kept open and that was decided while the turn was parked is not asked again by its retry', async () => {
  const { replica, advance } = world();
  let isBroken = true;
  const told: unknown[] = [];
  const desk = agent('desk').onMessage(async ({ message, askAndWait }) => {
    if (message !== 'go') return 'Hello.';
    const outcome = await askAndWait(number('How many?'), { timeout: minute, keep: true, answerableBy: 'anyone' });
    if (isBroken) throw new Error('the queue is down');
    told.push(outcome.status === 'answered' ? outcome.value : outcome.status);
    return 'Done.';
  });
  const registry = await replica({ agents: [desk], settings: { maxAttempts: 1 } });
  const says = (id: string, text: string, by = 'ann') =>
    registry.handle({ id, conversationId: 'c', text, participant: { id: by } });
  await says('1', 'go');
  await advance(minute + 2_000);
  const [ask] = (await registry.listAsks()).asks;
  expect((await registry.answer(ask?.id ?? '', { value: 4 }, { by: { id: 'ann' } })).type).toBe('accepted');
  isBroken = false;
  const [parked] = (await registry.parked()).items;
  await registry.retry(parked?.id ?? '');
  expect(told).toEqual([4]);
  expect((await registry.listAsks()).asks).toEqual([]);
  expect(await registry.getAsk(ask?.id ?? '')).toMatchObject({ status: 'answered', value: 4 });
  await registry.stop();
});

test('a turn whose own sensitive question expired, and that failed, runs again: its message is not taken for a late answer', async () => {
  const { replica, advance } = world();
  let isBroken = true;
  const told: unknown[] = [];
  const desk = agent('desk').onMessage(async ({ askAndWait, lateFor }) => {
    const { status } = await askAndWait('Your PIN?', { timeout: 3 * minute, expiresIn: minute, sensitive: true });
    if (isBroken) throw new Error('the queue is down');
    told.push(status, lateFor);
    return 'Done.';
  });
  const registry = await replica({ agents: [desk], settings: { maxAttempts: 1 } });
  await registry.handle({ id: '1', conversationId: 'c', text: 'go', participant: { id: 'ann' } });
  await advance(2 * minute);
  isBroken = false;
  expect(await registry.retry((await registry.parked()).items[0]?.id ?? '')).toEqual({ type: 'ordinary' });
  expect(told).toEqual(['expired', undefined]);
  await registry.stop();
});

test('the retry of a turn that had its answer runs it again, though its message could now be read as a reply to another question', async () => {
  const { replica } = world();
  let isBroken = true;
  const told: unknown[] = [];
  const desk = agent('desk');
  const first = desk.question('first', text('First?'), { answerableBy: ['bob'], onAnswer: () => 'Thanks.' });
  const second = desk.question('second', number('How many?'), { onAnswer: () => 'Counted.' });
  desk.onMessage(async ({ message, ask, askAndWait }) => {
    if (message === 'both') {
      await ask(first);
      return ask(second);
    }
    const outcome = await askAndWait(number('Which?'), { timeout: minute });
    if (isBroken) throw new AgentError('model-refused', 'the bank is closed');
    told.push(outcome.status === 'answered' ? outcome.value : outcome.status);
    return 'Done.';
  });
  const registry = await replica({ agents: [desk] });
  let messages = 0;
  const says = (words: string, more: { readonly askId?: string; readonly by?: string } = {}) => {
    messages += 1;
    const { by = 'ann', ...rest } = more;
    return registry.handle({ id: `${messages}`, conversationId: 'c', text: words, participant: { id: by }, ...rest });
  };
  await says('both');
  const open = (await registry.listAsks()).asks.find(({ question }) => question === 'How many?');
  await says('x', { askId: open?.id ?? '' }); // a wrong reply by id shows it, though it is not its turn
  await says('go');
  await says('4');
  await says('ok', { by: 'bob' });
  isBroken = false;
  expect(await registry.retry((await registry.parked()).items[0]?.id ?? '')).toEqual({ type: 'ordinary' });
  expect(told).toEqual([4]);
  expect((await registry.getAsk(open?.id ?? ''))?.status).toBe('pending');
  await registry.stop();
});

test('a turn that gave up a question before it was opened elsewhere is told the same when it is tried again', async () => {
  const { replica, advance } = world();
  let isBroken = true;
  const told: unknown[] = [];
  const desk = agent('desk').onMessage(async ({ message, askAndWait }) => {
    if (message === 'busy') return (await askAndWait(number('How many?'), { timeout: 2 * minute })).status;
    const where = { channel: 'handle', conversationId: 'other', timeout: minute } as const;
    const { status, ...rest } = await registry.askAndWait(number('Which?'), where);
    if (isBroken) throw new AgentError('model-refused', 'the bank is closed');
    told.push(status, 'reason' in rest ? rest.reason : undefined);
    return 'Done.';
  });
  const registry: AgentRegistry = await replica({ agents: [desk] });
  const says = (id: string, conversationId: string, words: string) =>
    registry.handle({ id, conversationId, text: words, participant: { id: 'ann' } });
  await says('1', 'other', 'busy');
  await says('2', 'c', 'go');
  await advance(minute + 2_000);
  await says('3', 'other', '4');
  await settle();
  isBroken = false;
  const retried = registry.retry((await registry.parked()).items[0]?.id ?? '');
  await advance(10_000);
  await retried;
  expect(told).toEqual(['cancelled', 'timeout']);
  await registry.stop();
});
