/**
 * The documented example of a clarify gateway: ask(), resolve() by id, a timeout, and choices as models send them, with the calls
 * that do the same here. docs/coming-from-toolpack-agents.md lists what had to be changed, and why.
 */
import { describe, expect, test } from 'vitest';
import { choice, text } from '../../../src/index.js';
import { rehearse } from '../../../src/testing/index.js';
import { askHuman, coerceChoices } from '../../../src/tools/index.js';

const tenMinutes = 600_000;
const operator = { channel: 'rehearsal', to: 'operator', answerableBy: 'anyone' } as const;

/** Asks a question and waits for it, as the gateway's ask() did; `id` is what resolve() needs. */
async function asked(question: Parameters<Awaited<ReturnType<typeof rehearse>>['registry']['askAndWait']>[0]) {
  const play = await rehearse({ agents: [] });
  const outcome = play.registry.askAndWait(question, operator);
  const { id } = await play.nextAsk();
  return { ...play, outcome, id };
}

describe('ask() registers, resolve() settles', () => {
  test('a choice is settled by its id, and the promise has the value', async () => {
    const { registry, outcome, id, human, stop } = await asked(choice('Which branch?', ['main', 'release']));
    expect(await registry.answer(id, { value: 'release' })).toMatchObject({ type: 'accepted' });
    expect(await outcome).toMatchObject({ status: 'answered', value: 'release' });
    expect(human('operator').sees()).toEqual([]); // asked once: nothing more is said
    await stop();
  });

  test('an open question is settled by a text, or by the person who writes it', async () => {
    const { registry, outcome, id, stop } = await asked(text('Which branch?'));
    expect(await registry.answer(id, { text: 'main' })).toMatchObject({ type: 'accepted' });
    expect(await outcome).toMatchObject({ status: 'answered', value: 'main' });
    await stop();
    const written = await asked(text('Which branch?'));
    await written.human('operator').says('main');
    expect(await written.outcome).toMatchObject({ status: 'answered', value: 'main' });
    await written.stop();
  });

  test('after ten minutes without an answer the promise resolves, and nothing is open', async () => {
    const { clock, outcome, asks, registry, id, stop } = await asked(text('Which branch?'));
    await clock.advance(tenMinutes - 1);
    expect(await asks()).toHaveLength(1);
    await clock.advance(2);
    expect(await outcome).toMatchObject({ status: 'cancelled' });
    expect(await asks()).toEqual([]);
    expect(await registry.answer(id, { text: 'main' })).toMatchObject({
      type: 'already',
      ask: { status: 'cancelled' },
    });
    await stop();
  });
});

describe('a question that is none is refused before anything is asked', () => {
  test.each([
    ['an empty prompt', () => text('')],
    ['no choices', () => choice('Which?', [])],
    ['an empty choice', () => choice('Which?', ['main', ''])],
  ])('%s', async (_, question) => {
    expect(question).toThrow(expect.objectContaining({ name: 'AgentError', code: 'bad-option' }));
  });

  test('five choices of a model: the tool asks nobody, and tells the model', async () => {
    const { registry, asks, stop } = await rehearse({ agents: [] });
    const tool = askHuman(registry, { where: operator });
    const choices = coerceChoices(['a', 'b', 'c', 'd', 'e']); // reads all of them: the limit is the tool's
    expect(await tool.execute({ prompt: 'Which?', options: choices })).toMatch(/^Nothing was asked\. There are 5/);
    expect(await asks()).toEqual([]);
    await stop();
  });

  test('five choices of your own code are asked', async () => {
    const { outcome, human, stop } = await asked(choice('Which?', ['a', 'b', 'c', 'd', 'e']));
    await human('operator').says('e');
    expect(await outcome).toMatchObject({ status: 'answered', value: 'e' });
    await stop();
  });
});

describe('the answer must fit the live question', () => {
  test.each([
    ['another kind', { text: 'whatever' }],
    ['an option that there is not', { value: 'hotfix' }],
  ])('%s is invalid and leaves it open; a corrected one settles the same promise', async (_, wrong) => {
    const { registry, outcome, id, asks, stop } = await asked(choice('Which branch?', ['main', 'release']));
    expect(await registry.answer(id, wrong)).toMatchObject({ type: 'invalid', problem: expect.any(String) });
    expect(await asks()).toMatchObject([{ id, status: 'pending', retries: 0 }]);
    expect(await registry.answer(id, { value: 'main' })).toMatchObject({ type: 'accepted' });
    expect(await outcome).toMatchObject({ status: 'answered', value: 'main' });
    await stop();
  });

  test('an unknown id, and a second answer', async () => {
    const { registry, id, outcome, stop } = await asked(text('Which branch?'));
    expect(await registry.answer('nobody-asked', { text: 'main' })).toEqual({ type: 'unknown' });
    await registry.answer(id, { text: 'main' });
    expect(await registry.answer(id, { text: 'release' })).toMatchObject({ type: 'already', ask: { answer: 'main' } });
    expect(await outcome).toMatchObject({ value: 'main' });
    await stop();
  });
});

describe('choices as models send them', () => {
  test('strings are trimmed, objects give the first readable label, the rest is dropped', () => {
    expect(
      coerceChoices([' main ', { description: 'The release branch' }, { label: 'A', title: 'B' }, { title: 'Hotfix' }]),
    ).toEqual(['main', 'The release branch', 'A', 'Hotfix']);
    expect(coerceChoices(['main', { name: 'rel', value: 'release' }, { text: ' ' }, 7])).toEqual(['main']);
  });
});

test('where ids are made differs in every run, a transcript does not', async () => {
  const play = async () => {
    const { registry, outcome, id, transcript, stop } = await asked(choice('Which branch?', ['main', 'release']));
    await registry.answer(id, { value: 'main' }, { by: { id: 'web:max', name: 'Max' } });
    await outcome;
    await stop();
    return { id, said: transcript() };
  };
  const [one, two] = [await play(), await play()];
  expect(one.id).not.toBe(two.id);
  expect(one.said).toBe(two.said);
  expect(one.said).toContain('"Which branch?" answered by Max: main');
});
