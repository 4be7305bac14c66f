import { expect, test } from 'vitest';
import type { AgentInput } from '../../../src/index.js';
import { agent, BaseAgent, text } from '../../../src/index.js';
import { AgentRegistry } from '../../../src/registry/registry.js';
import { MemoryStore } from '../../../src/stores/memory/store.js';
import { FakeClock, rehearse, scriptedModel } from '../../../src/testing/index.js';
import { jsonOf } from '../../support/store.js';

const secret = 'hunter2-of-anna';

async function asking(more: object = {}, registryOptions: object = {}) {
  const got: string[] = [];
  const bank = agent('bank');
  const pin = bank.question('pin', text('Your PIN?', { minLength: 4 }), {
    sensitive: true,
    ...more,
    onAnswer: (answer) => {
      got.push(answer);
      return 'Thank you.';
    },
  });
  bank.onMessage(({ ask }) => ask(pin));
  const play = await rehearse({ agents: [bank], ...registryOptions });
  const events: unknown[] = [];
  for (const event of ['asked', 'answered', 'handled', 'delivered', 'exhausted', 'failed', 'parked'] as const)
    play.registry.on(event, (about) => events.push([event, about]));
  const anna = play.human('anna');
  await anna.says('go');
  const [{ id } = { id: '' }] = await play.asks();
  const remembered = async () =>
    JSON.stringify([await play.registry.history('anna'), await play.registry.getAsk(id), events]);
  return { ...play, anna, got, id, remembered };
}

test('the answer goes to the handler and nowhere else', async () => {
  const { anna, got, id, remembered, registry } = await asking();
  expect(await anna.says(secret)).toEqual(['Thank you.']);
  expect(got).toEqual([secret]);
  expect(await remembered()).not.toContain(secret);
  expect(await registry.getAsk(id)).toMatchObject({ status: 'answered', sensitive: true });
  expect(await registry.getAsk(id)).not.toHaveProperty('answer');
  const { items } = await registry.history('anna');
  expect(items).toContainEqual(expect.objectContaining({ type: 'in', text: '[hidden]' }));
});

test('a reply that does not fit, comes by API or comes too late goes nowhere either', async () => {
  const { anna, id, remembered, registry, clock } = await asking({ maxRetries: 5, expiresIn: 60_000 });
  await anna.says('x-9');
  expect(await registry.answer(id, { text: 'x-9' }, { by: anna.participant })).toMatchObject({ type: 'invalid' });
  await clock.advance(61_000);
  await anna.says('x-9');
  expect(await remembered()).not.toContain('x-9');
});

test('no model is asked about it, neither to judge nor to sort', async () => {
  const model = scriptedModel([]);
  const { anna, got } = await asking(
    {},
    {
      model,
      sortReply: () => {
        throw new Error('asked');
      },
    },
  );
  await anna.says(secret);
  expect([got, model.requests]).toEqual([[secret], []]);
});

test('a handler that fails is run again with the answer, which is gone after it has finished', async () => {
  let fails = 1;
  const { anna, got, clock, registry, id, remembered } = await asking({
    effectKey: () => 'pin',
    check: () => {
      if (fails-- > 0) throw new Error('the vault is closed');
      return true as const;
    },
  });
  await expect(anna.says(secret)).rejects.toThrow('the vault is closed');
  expect(await registry.getAsk(id)).not.toHaveProperty('answer');
  await clock.advance(60_000);
  expect(got).toEqual([secret]);
  expect(await remembered()).not.toContain(secret);
});

test('the store holds nothing of it once the handler has finished', async () => {
  const clock = new FakeClock();
  const store = new MemoryStore({ clock });
  const bank = agent('bank');
  const pin = bank.question('pin', text('Your PIN?'), { sensitive: true, onAnswer: () => 'Thank you.' });
  bank.onMessage(({ ask }) => ask(pin));
  const registry = new AgentRegistry({ agents: [bank], store, clock });
  const says = (id: string, words: string) =>
    registry.handle({ id, conversationId: 'c', text: words, participant: { id: 'web:a' } });
  await says('1', 'go');
  const id = (await registry.listAsks()).asks[0]?.id ?? '';
  await says('2', secret);
  const kept = [await store.conversation('c'), await store.history('c', { limit: 100 }), await store.find(id)];
  expect(jsonOf([kept, await store.outcome('c', 'm:handle:2')])).not.toContain(secret);
  await registry.stop();
});

test('a class agent gets it in its continuation, and its model never sees it afterwards', async () => {
  const model = scriptedModel(['Hello.']);
  const got: string[] = [];
  class Bank extends BaseAgent {
    name = 'bank';
    async invokeAgent(input: AgentInput) {
      const pending = this.getPendingAsk();
      if (pending && input.message)
        return this.handlePendingAsk(pending, input.message, (answer) => {
          got.push(answer);
        });
      return input.message === 'pin' ? this.ask('Your PIN?', { sensitive: true }) : this.run(input.message ?? '');
    }
  }
  const { human } = await rehearse({ agents: [new Bank()], model });
  const anna = human('anna');
  await anna.says('pin');
  await anna.says(secret);
  await anna.says('hello');
  expect(got).toEqual([secret]);
  expect(JSON.stringify(model.requests)).not.toContain(secret);
});
