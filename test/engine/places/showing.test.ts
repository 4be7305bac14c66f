/** New copies of open questions: `registry.show()`, and what the terminal shows when it starts. */
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import type { Channel, Desk, OutgoingMessage, Participant, Store } from '../../../src/index.js';
import { AgentRegistry, agent, choice, TerminalChannel, text } from '../../../src/index.js';
import { thrownBy } from '../../support/agents.js';
import { gate, settle, TestChannel, world } from '../../support/engine.js';
import { redisForFile } from '../../support/for-file.js';
import { sharedStores } from '../../support/redis-store.js';

const { client } = await redisForFile();

function support() {
  const made = agent('support');
  const order = made.question('order', text('Order?', { pattern: /^\d{5}$/ }), {
    maxRetries: 1,
    onAnswer: (number) => `Order ${number}.`,
  });
  const size = made.question('size', choice('Size?', ['small', 'large']), { onAnswer: (answer) => answer });
  return made.onMessage(async ({ message, ask, askAndWait }) => {
    if (message === 'wait') {
      const outcome = await askAndWait(choice('Hat?', ['cap', 'fez']));
      return outcome.status === 'answered' ? `A ${outcome.value}.` : outcome.status;
    }
    await ask(order);
    return message === 'both' ? ask(size) : undefined;
  });
}

async function idOf(registry: AgentRegistry, at = 0): Promise<string> {
  return (await registry.listAsks()).asks[at]?.id ?? '';
}

test('a new copy goes to where it was asked, costs no attempt, and is answered like the first', async () => {
  const { replica, says } = world();
  const phone = new TestChannel();
  const registry = await replica({ agents: [support()], channels: [phone] });
  await says(phone, 'go');
  const id = await idOf(registry);
  const before = await registry.getAsk(id);
  await registry.show(id);
  await settle();
  expect(phone.texts()).toEqual(['Order?', 'Order?']);
  expect(phone.sent[1]).toMatchObject({ address: 'c1', key: `ask:${id}:1`, ask: { id } });
  expect(await registry.getAsk(id)).toEqual(before);
  await says(phone, 'which?');
  await says(phone, '12345');
  expect(phone.texts().at(-1)).toBe('Order 12345.');
});

test('copies are among the outputs while the question is open, and gone with it', async () => {
  const { replica, says } = world();
  const phone = new TestChannel();
  const registry = await replica({ agents: [support()], channels: [phone] });
  await says(phone, 'go');
  const id = await idOf(registry);
  const { cursor } = await registry.outputs('c1');
  await registry.show(id);
  await settle();
  const { outputs } = await registry.outputs('c1', { after: cursor });
  expect(outputs).toMatchObject([{ text: 'Order?', ask: { id } }]);
  await says(phone, '12345');
  expect((await registry.outputs('c1', { after: cursor })).outputs.map((each) => each.text)).toEqual(['Order 12345.']);
});

test('a question that a turn waits for is shown again while it waits', async () => {
  const { replica, says } = world();
  const phone = new TestChannel();
  const registry = await replica({ agents: [support()], channels: [phone] });
  await says(phone, 'wait');
  await registry.show(await idOf(registry));
  await settle();
  expect(phone.texts()).toEqual(['Hat?', 'Hat?']);
  await says(phone, 'fez');
  expect(phone.texts().at(-1)).toBe('A fez.');
});

test('a process without the channel has it shown by one that has it', async () => {
  const { replica, says } = world();
  const phone = new TestChannel();
  await replica({ agents: [support()], channels: [phone] });
  const other = await replica({ agents: [support()] });
  await says(phone, 'go');
  await other.show(await idOf(other));
  await settle();
  expect(phone.texts()).toEqual(['Order?', 'Order?']);
});

test('of copies that nobody could send yet only the last goes out', async () => {
  const { replica, says, advance } = world();
  const phone = new TestChannel();
  phone.onSend = () => {
    throw new Error('no signal');
  };
  const registry = await replica({ agents: [support()], channels: [phone] });
  await says(phone, 'go');
  const id = await idOf(registry);
  for (let i = 0; i < 3; i += 1) {
    await registry.show(id);
    await settle();
  }
  phone.onSend = () => {};
  await advance(60_000);
  expect(phone.sent.map(({ key }) => key)).toEqual([`ask:${id}:3`]);
});

test('every new copy is drawn again when the question is over', async () => {
  const { replica } = world();
  const drawn: string[] = [];
  let posts = 0;
  const board: Channel & { desk?: Desk } = {
    name: 'board',
    start: (desk) => {
      board.desk = desk;
    },
    send: async ({ ask }: OutgoingMessage) => {
      posts += 1;
      return ask === undefined ? undefined : `post ${posts}`;
    },
    update: async (sentId, { ask }) => {
      drawn.push(`${sentId} ${ask?.status}`);
    },
  };
  const registry = await replica({ agents: [support()], channels: [board] });
  await board.desk?.receive({ id: 'm1', conversationId: 'c', text: 'go' });
  await settle();
  const id = await idOf(registry);
  for (let i = 0; i < 2; i += 1) await registry.show(id);
  await settle();
  await registry.cancel(id);
  await settle();
  expect(drawn).toEqual(['post 1 cancelled', 'post 2 cancelled', 'post 3 cancelled']);
});

test('an ask that is over, unknown, or behind another is refused with what to do, and nothing is sent', async () => {
  const { replica, says } = world();
  const phone = new TestChannel();
  const registry = await replica({ agents: [support()], channels: [phone] });
  await says(phone, 'both');
  const [first, second] = [await idOf(registry), await idOf(registry, 1)];
  const behind = await thrownBy(() => registry.show(second));
  expect([behind.code, behind.message]).toEqual(['not-shown', expect.stringContaining('listAsks')]);
  await registry.cancel(first);
  await settle();
  const over = await thrownBy(() => registry.show(first));
  expect(over).toMatchObject({ code: 'already', details: { ask: { id: first, status: 'cancelled' } } });
  for (const wrong of ['nobody', 7 as never, undefined as never]) {
    const unknown = await thrownBy(() => registry.show(wrong));
    expect([unknown.code, unknown.message]).toEqual(['unknown-ask', expect.stringContaining('listAsks')]);
  }
  expect(phone.texts()).toEqual(['Order?', 'Size?']);
});

test('a copy that is ordered while the answer is being read is not sent', async () => {
  const { replica, says } = world();
  const phone = new TestChannel();
  const reading = gate();
  let messages = 0;
  const identify = async (who: Participant) => {
    messages += 1;
    if (messages === 2) await reading.passed;
    return who;
  };
  const registry = await replica({ agents: [support()], channels: [phone], identify });
  await says(phone, 'go');
  const id = await idOf(registry);
  await says(phone, '12345');
  await registry.show(id);
  reading.open();
  await settle();
  expect(phone.texts()).toEqual(['Order?', 'Order 12345.']);
});

test.each(sharedStores(client))(
  '%s: a terminal that starts again shows what waits, once, and takes the answer',
  async (_, open) => {
    const [before, after] = open();
    const start = async (store: Store) => {
      const [input, output] = [new PassThrough(), new PassThrough()];
      let printed = '';
      output.on('data', (chunk: Buffer) => {
        printed += chunk.toString();
      });
      const terminal = new TerminalChannel({ input, output });
      const registry = new AgentRegistry({ agents: [support()], channels: [terminal], store });
      onTestFinished(() => registry.stop());
      await registry.start();
      return { registry, input, printed: () => printed };
    };
    const first = await start(before);
    expect(first.printed()).toBe('');
    first.input.write('both\n');
    await expect.poll(first.printed).toBe('Order?\n');
    await first.registry.idle();
    await first.registry.stop();
    const second = await start(after);
    await expect.poll(second.printed).toBe('Order?\n');
    second.input.write('12345\n');
    await expect.poll(second.printed).toMatch(/^Order\?\nOrder 12345\.\nSize\?\n/);
  },
);
