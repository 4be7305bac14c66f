/** What JavaScript lets an author return or give, and what becomes of it. */
import { expect, test } from 'vitest';
import { agent, BaseAgent, confirm, text } from '../../../src/index.js';
import { rehearse } from '../../../src/testing/index.js';
import { TestChannel, world } from '../../support/engine.js';

// biome-ignore lint/suspicious/noExplicitAny: what a caller without types gives
type Wrong = any;

async function turnOf(served: BaseAgent | ReturnType<typeof agent>) {
  const here = world();
  const phone = new TestChannel();
  const parked: string[] = [];
  const registry = await here.replica({ agents: [served], channels: [phone] });
  registry.on('parked', ({ failure }) => parked.push(failure.message));
  await here.says(phone, 'go');
  await registry.stop();
  return { said: phone.texts(), parked };
}

test('a question that is returned and was not asked is told, and nobody is left waiting', async () => {
  const support = agent('support');
  const sure = support.question('sure', confirm('Sure?'), { onAnswer: () => undefined });
  support.onMessage(() => sure as Wrong);
  const plain = agent('plain').onMessage(() => confirm('Sure?') as Wrong);
  for (const [name, served] of [['support', support] as const, ['plain', plain] as const]) {
    const { parked } = await turnOf(served);
    expect(parked).toEqual([
      `Agent ${name} returned a question and did not ask it. Return ask(question) of the turn, or of the class.`,
    ]);
  }
});

test('a class that returns a string says it, as a function does', async () => {
  class Greeter extends BaseAgent {
    name = 'greeter';
    async invokeAgent() {
      return 'hello' as Wrong;
    }
  }
  expect(await turnOf(new Greeter())).toEqual({ said: ['hello'], parked: [] });
});

test('a handler that is no function, a question that is a string, and one that is missing are told', async () => {
  expect(() => agent('a').onMessage('hi' as Wrong)).toThrow(
    `onMessage() of agent a needs a function such as ({ message }) => 'Hello.', got "hi".`,
  );
  expect(() => agent('a').question('q', 'Which order?' as Wrong, { onAnswer: () => undefined })).toThrow(
    'A question is made by a function such as text("Which order?") or confirm("Which order?"), got the string "Which order?".',
  );
  expect(() => text(undefined as Wrong)).toThrow('A question needs a string that people can read, got nothing.');
  const forgetful = agent('forgetful').onMessage(({ ask }) => ask(undefined as Wrong));
  expect((await turnOf(forgetful)).parked).toEqual([
    "ask(): the question is missing, got nothing. Give it a declared one, or text('Which order?').",
  ]);
});

test('the name of a declared question is not put to anybody as words', async () => {
  const hasty = agent('hasty').onMessage(({ ask }) => ask('order'));
  hasty.question('order', text('Which order?'), { onAnswer: () => undefined });
  expect(await turnOf(hasty)).toEqual({
    said: [expect.stringContaining('went wrong')],
    parked: [
      'ask(): "order" is the name of a declared question, and the person would be asked these words. Give the question that question() returned.',
    ],
  });
});

test('in a rehearsal sendTo() reaches the human that it names', async () => {
  class Teller extends BaseAgent {
    name = 'teller';
    async invokeAgent() {
      await this.sendTo('rehearsal', 'for ben', { to: 'ben' });
      return { output: 'told ben' };
    }
  }
  const { human, stop } = await rehearse({ agents: [new Teller()] });
  const ben = human('ben');
  expect(await human('anna').says('tell ben')).toEqual(['told ben']);
  expect(ben.sees()).toEqual(['for ben']);
  await stop();
});
