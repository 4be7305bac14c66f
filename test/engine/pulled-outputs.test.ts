/**
 * What handle() gives to its callers: each output once, as long as the process lives.
 */
import { expect, test } from 'vitest';
import type { AgentRegistry, Store } from '../../src/index.js';
import { agent, confirm } from '../../src/index.js';
import { gate, settle, storeWith, world } from '../support/engine.js';

/** Ann asks for an approval, and the boss gives it by id: what follows waits for the next message of the conversation. */
async function approved(registry: AgentRegistry): Promise<(id: string, text: string) => Promise<readonly string[]>> {
  const says = async (id: string, text: string) => {
    const { outputs } = await registry.handle({ id, conversationId: 'c1', text, participant: { id: 'web:ann' } });
    return outputs.map((output) => output.text);
  };
  await says('1', 'go');
  const [ask] = (await registry.listAsks()).asks;
  await registry.answer(ask?.id ?? '', { value: true }, { by: { id: 'web:boss' } });
  return says;
}

function approving() {
  const clerk = agent('clerk');
  const sure = clerk.question('sure', confirm('OK?'), {
    answerableBy: ['web:boss'],
    onAnswer: () => 'Approved.',
  });
  return clerk.onMessage(({ message, ask }) => (message === 'go' ? ask(sure) : `You said ${message}`));
}

test('two messages one right after the other: what waited is given to the first only', async () => {
  const { replica, advance } = world();
  const says = await approved(await replica({ agents: [approving()] }));
  expect(await says('2', 'one')).toEqual(['Approved.', 'You said one']);
  expect(await says('3', 'two')).toEqual(['You said two']);
  await advance(1_000);
  expect(await says('4', 'three')).toEqual(['You said three']);
});

test('two messages at once: what waited is given to one of them', async () => {
  const { replica } = world();
  const says = await approved(await replica({ agents: [approving()] }));
  const given = await Promise.all([says('2', 'one'), says('3', 'two')]);
  expect(given.flat().sort()).toEqual(['Approved.', 'You said one', 'You said two']);
});

test('a look that outlives the mark of what it found gives nothing a second time', async () => {
  const { replica, store, advance } = world();
  const late = gate();
  let looks = 0;
  const unsent: Store['unsent'] = async (call) => {
    const found = await store.unsent(call);
    looks += 1;
    if (looks === 2) await late.passed;
    return found;
  };
  const says = await approved(await replica({ agents: [approving()], store: storeWith(store, { unsent }) }));
  looks = 0;
  const [first, second] = [says('2', 'one'), says('3', 'two')];
  await settle();
  await advance(1_000); // the mark is written
  late.open();
  expect([...(await first), ...(await second)].sort()).toEqual(['Approved.', 'You said one', 'You said two']);
});

test('what could not be marked is given again: an output is rather seen twice than never', async () => {
  const { replica, store, advance } = world();
  let isBroken = true;
  const sent: Store['sent'] = (marks) => (isBroken ? Promise.reject(new Error('cut off')) : store.sent(marks));
  const says = await approved(await replica({ agents: [approving()], store: storeWith(store, { sent }) }));
  expect(await says('2', 'one')).toContain('Approved.');
  await advance(60_000);
  isBroken = false;
  expect(await says('3', 'two')).toContain('Approved.');
  await advance(1_000);
  expect(await says('4', 'three')).toEqual(['You said three']);
});
