/** The steps of a message call each other: whatever one of them throws, refuses or says too late, the next has its turn. */
import { expect, test } from 'vitest';
import type { AgentError, AgentResult, Channel, Desk, OutgoingMessage } from '../../../src/index.js';
import { agent, BaseAgent, confirm } from '../../../src/index.js';
import { gate, heard, minute, settle, storeWith, TestChannel, world } from '../../support/engine.js';

const echo = () => agent('echo').onMessage(({ message }) => `You said ${message}`);

/** A channel written without promises. */
function plain(send: (message: OutgoingMessage) => void): Channel & { desk?: Desk } {
  const channel: Channel & { desk?: Desk } = {
    name: 'phone',
    start: (desk) => {
      channel.desk = desk;
    },
    send: send as unknown as Channel['send'],
  };
  return channel;
}

test('a channel that throws at once instead of rejecting: tried again, and the next output goes out meanwhile', async () => {
  const { replica, advance } = world();
  const sent: string[] = [];
  let broken = true;
  const phone = plain(({ text }) => {
    if (broken && text === 'You said one') throw new Error('no signal');
    sent.push(text);
  });
  const registry = await replica({ agents: [echo()], channels: [phone] });
  const failures = heard(registry, 'deliveryFailed');
  for (const text of ['one', 'two', 'three'])
    expect(await phone.desk?.receive({ id: text, conversationId: 'c1', text })).toBe('recorded');
  await settle();
  expect(sent).toEqual(['You said two', 'You said three']);
  expect(failures).toMatchObject([{ tries: 1, failure: { message: 'no signal' } }]);
  broken = false;
  await advance(minute);
  expect(sent).toEqual(['You said two', 'You said three', 'You said one']);
});

test('a send that succeeds after its deadline counts for nothing: what came next was sent once', async () => {
  const { replica, says, advance } = world();
  const phone = new TestChannel();
  const stuck = gate();
  phone.onSend = ({ text }) => (text === 'You said one' && phone.tries === 1 ? stuck.passed : undefined);
  const registry = await replica({ agents: [echo()], channels: [phone], settings: { deliveryBackOff: [50_000] } });
  const [delivered, failures] = [heard(registry, 'delivered'), heard(registry, 'deliveryFailed')];
  await says(phone, 'one');
  await says(phone, 'two');
  await advance(31_000);
  expect(phone.texts()).toEqual(['You said two']);
  stuck.open();
  await settle();
  expect([delivered.length, failures.length]).toEqual([1, 1]);
  await advance(2 * minute);
  expect(phone.texts()).toEqual(['You said two', 'You said one', 'You said one']); // as promised: it may be seen twice
  expect([delivered.length, failures.length]).toEqual([2, 1]);
});

test('a send that fails after its deadline counts as one try', async () => {
  const { replica, says, advance } = world();
  const phone = new TestChannel();
  const stuck = gate();
  phone.onSend = () => (phone.tries === 1 ? stuck.passed.then(() => Promise.reject(new Error('gone'))) : undefined);
  const registry = await replica({ agents: [echo()], channels: [phone], settings: { deliveryBackOff: [50_000] } });
  const failures = heard(registry, 'deliveryFailed');
  await says(phone, 'one');
  await advance(31_000);
  stuck.open();
  await settle();
  expect(failures).toMatchObject([{ tries: 1, failure: { message: expect.stringContaining('did not send within') } }]);
});

for (const [how, fails] of [
  [
    'throws before it gives back a promise',
    (): never => {
      throw new Error('broken');
    },
  ],
  ['rejects', () => Promise.reject(new Error('broken'))],
] as const) {
  test(`an agent that ${how}: its turn is tried again, and others go on`, async () => {
    const { replica, says, advance } = world();
    const phone = new TestChannel();
    let broken = true;
    class Clerk extends BaseAgent {
      readonly name = 'clerk';
      invokeAgent({ message }: { message?: string }): Promise<AgentResult> {
        return broken && message === 'one' ? fails() : Promise.resolve({ output: `You said ${message}` });
      }
    }
    const registry = await replica({ agents: [new Clerk()], channels: [phone] });
    const failures = heard(registry, 'failed');
    expect(await says(phone, 'one')).toBe('recorded');
    await says(phone, 'other', { conversationId: 'c2' });
    expect(failures).toMatchObject([{ attempt: 1, failure: { message: 'broken' } }]);
    broken = false;
    await advance(2_000);
    expect(phone.texts()).toEqual(['You said other', 'You said one']);
  });
}

test('an agent with promises of another kind, or with none, is served as any other', async () => {
  const { replica, says } = world();
  const phone = new TestChannel();
  const later = { then: (resolve: (result: AgentResult) => void) => resolve({ output: 'later' }) };
  class Odd extends BaseAgent {
    readonly name = 'odd';
    invokeAgent({ message }: { message?: string }): Promise<AgentResult> {
      return (message === 'later' ? later : { output: 'now' }) as unknown as Promise<AgentResult>;
    }
  }
  await replica({ agents: [new Odd()], channels: [phone] });
  await says(phone, 'later');
  await says(phone, 'now');
  expect(phone.texts()).toEqual(['later', 'now']);
});

test('a result that comes after the turn was stopped counts for nothing', async () => {
  const { replica, says, advance } = world();
  const phone = new TestChannel();
  const stuck = gate();
  const slow = agent('slow').onMessage(({ attempt }) => (attempt === 1 ? stuck.passed.then(() => 'late') : 'in time'));
  const registry = await replica({ agents: [slow], channels: [phone], settings: { turnLimit: minute } });
  const [handled, failures] = [heard(registry, 'handled'), heard(registry, 'failed')];
  await says(phone, 'work');
  await advance(minute + 1);
  stuck.open();
  await advance(minute);
  expect(phone.texts()).toEqual(['in time']);
  expect([handled.length, failures.length]).toEqual([1, 1]);
});

test('a conversation lost in the middle of a turn: what follows is no part of that turn', async () => {
  const { replica, says, store } = world();
  const phone = new TestChannel();
  class Clerk extends BaseAgent {
    readonly name = 'clerk';
    async invokeAgent(): Promise<AgentResult> {
      const pending = this.getPendingAsk();
      return pending === null
        ? this.ask('Which order?')
        : this.handlePendingAsk(pending, '12345', () => ({ output: 'never said' }));
    }
    outside(): Promise<string> {
      return this.ask('?').then(String, (error: AgentError) => error.code);
    }
  }
  const clerk = new Clerk();
  const save: typeof store.save = (call) =>
    call.then.type === 'hold' ? Promise.resolve({ type: 'refused' }) : store.save(call);
  const registry = await replica({ agents: [clerk], channels: [phone], store: storeWith(store, { save }) });
  const told: Promise<string>[] = [];
  registry.on('fenced', () => told.push(clerk.outside()));
  await says(phone, 'hi');
  await says(phone, '12345');
  expect(await Promise.all(told)).toEqual(['no-turn']);
  expect(phone.texts()).toEqual(['Which order?']);
});

test('a full queue is told to the channel, and what stands in it is handled', async () => {
  const { replica, says } = world();
  const phone = new TestChannel();
  const first = gate();
  const slow = agent('slow').onMessage(async ({ message }) => {
    if (message === '0') await first.passed;
    return message;
  });
  await replica({ agents: [slow], channels: [phone], settings: { queue: 2 } });
  const told: unknown[] = [];
  for (let i = 0; i < 4; i += 1)
    told.push(await says(phone, `${i}`).catch((error: unknown) => (error as AgentError).code));
  expect(told).toEqual(['recorded', 'recorded', 'queue-full', 'queue-full']);
  first.open();
  await settle();
  expect(phone.texts()).toEqual(['0', '1']);
});

test('buttons that fill a queue keep out neither an answer over the API nor a cancel', async () => {
  const { replica, says } = world();
  const phone = new TestChannel();
  const work = gate();
  const slow = agent('slow');
  const deploy = slow.question('deploy', confirm('Deploy?'), { answerableBy: ['web:boss'], onAnswer: String });
  slow.onMessage(async ({ message, ask }) => (message === 'deploy' ? ask(deploy) : void (await work.passed)));
  const registry = await replica({
    agents: [slow],
    channels: [phone],
    settings: { queue: 2, reserved: 4, callTimeout: 1 },
  });
  await says(phone, 'deploy');
  const [open] = (await registry.listAsks()).asks;
  const told: unknown[] = [];
  for (let i = 0; i < 8; i += 1) {
    const button = i < 2 ? {} : { askId: 'no-such-ask', choice: 'yes' };
    told.push(await says(phone, 'x', button).catch((error: unknown) => (error as AgentError).code));
  }
  expect(told.filter((each) => each === 'queue-full')).toHaveLength(4); // two messages and two buttons stand in it
  const by = { by: { id: 'web:boss' } };
  const answered = registry.answer(open?.id ?? '', { value: false }, by);
  const cancelled = registry.cancel({ conversationId: 'c1' });
  await settle();
  work.open();
  await settle();
  expect(await answered).toMatchObject({ type: expect.stringMatching(/^(?:accepted|already|received)$/) });
  expect(await cancelled).toBeDefined();
});

test('idle() settles when the last turn that works has ended, although another one waits for a person', async () => {
  const { replica, says, advance } = world();
  const phone = new TestChannel();
  const work = gate();
  const clerk = agent('clerk').onMessage(async ({ message, askAndWait }) => {
    if (message === 'ask') return (await askAndWait(confirm('Sure?'))).status;
    await work.passed;
    return 'done';
  });
  const registry = await replica({ agents: [clerk], channels: [phone] });
  await says(phone, 'ask', { conversationId: 'asks' });
  await says(phone, 'work', { conversationId: 'works' });
  let isIdle = false;
  void registry.idle().then(() => {
    isIdle = true;
  });
  await settle();
  expect(isIdle).toBe(false);
  work.open();
  await advance(100);
  expect(isIdle).toBe(true);
  await registry.stop();
});
