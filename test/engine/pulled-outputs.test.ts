/**
 * What handle() gives to its callers: each output once, as long as the process lives.
 */
import { expect, test } from 'vitest';
import type { AgentRegistry, Store } from '../../src/index.js';
import { agent, confirm } from '../../src/index.js';
import { requireApproval } from '../../src/tools/index.js';
import { gate, settle, storeWith, TestChannel, world } from '../support/engine.js';

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

const boss = { channel: 'phone', to: 'boss' };
const waits: Record<string, (registry: AgentRegistry) => Promise<unknown>> = {
  'askAndWait()': (registry) => registry.askAndWait(confirm('OK?'), { ...boss, answerableBy: 'anyone' }),
  'ask() and wait()': async (registry) => {
    const { id } = await registry.ask(confirm('OK?'), { ...boss, answerableBy: 'anyone' });
    return registry.wait(id);
  },
  'an approval': (registry) => {
    const go = { name: 'Go', inputSchema: { type: 'object' } as const, execute: () => 'went' };
    return requireApproval(go, { registry, where: boss, answerableBy: 'anyone' }).execute({}, { callId: 'c' });
  },
};

/** A turn of c1 waits for the boss, in the process that was given the message or in another one. */
async function waitingElsewhere(how: string, where: 'here' | 'in another process' = 'here', text = 'go') {
  const { replica, says } = world();
  const phone = new TestChannel();
  const clerk = agent('clerk').onMessage(async ({ message }) => {
    if (message === 'hello') return 'You said hello';
    await waits[how]?.(worker);
    if (message === 'fail') throw new Error('not today');
    return 'Done.';
  });
  const worker: AgentRegistry = await replica({ agents: [clerk], channels: [phone], settings: { strikes: 1 } });
  const registry = where === 'here' ? worker : await replica();
  const handled: unknown[] = [];
  const handle = async (id: string, text: string) => {
    const { disposition, outputs } = await registry.handle({ id, conversationId: 'c1', text });
    handled.push([disposition.type, ...outputs.map((output) => output.text)]);
  };
  void handle('1', text);
  await expect.poll(() => phone.texts('boss')).toHaveLength(1); // the tool loads its schema checker
  await settle();
  const answers = () => says(phone, how === 'an approval' ? 'Once' : 'yes', { conversationId: 'boss' });
  const stop = () => Promise.all([worker.stop(), registry.stop()]);
  return { handle, handled, answers, stop };
}

test.each(Object.keys(waits))(
  'a turn that waits in another conversation (%s) keeps no caller; what it says comes with the next message',
  async (how) => {
    const { handle, handled, answers, stop } = await waitingElsewhere(how);
    expect(handled).toEqual([['received']]);
    await handle('1', 'go'); // sent again
    await answers();
    await handle('2', 'hello');
    expect(handled.slice(1)).toEqual([['received'], ['ordinary', 'Done.', 'You said hello']]);
    await stop();
  },
);

test('a caller in another process than the turn that waits elsewhere is told so, too', async () => {
  const { handle, handled, answers, stop } = await waitingElsewhere('askAndWait()', 'in another process');
  expect(handled).toEqual([['received']]);
  await answers();
  await handle('2', 'hello');
  expect(handled.at(-1)).toEqual(['ordinary', 'Done.', 'You said hello']);
  await stop();
});

test('that a turn failed after it waited elsewhere is told with the next message', async () => {
  const { handle, handled, answers, stop } = await waitingElsewhere('askAndWait()', 'here', 'fail');
  await answers();
  await handle('2', 'hello');
  expect(handled).toEqual([['received'], ['ordinary', expect.stringMatching(/went wrong/), 'You said hello']]);
  await stop();
});
