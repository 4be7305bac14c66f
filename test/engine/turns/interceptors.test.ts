/** Interceptors look at what is no reply before any agent does: what they drop is recorded, and no answer is ever lost by them. */
import { expect, test } from 'vitest';
import {
  dropNoise,
  type InterceptedMessage,
  type Interceptor,
  onlyWhenAddressed,
  rateLimit,
} from '../../../src/channels/interceptors.js';
import type { IncomingMessage } from '../../../src/index.js';
import { agent, text } from '../../../src/index.js';
import { scriptedModel } from '../../../src/testing/index.js';
import { minute, TestChannel, world } from '../../support/engine.js';

const message = (id: string, words: string, more: Partial<IncomingMessage> = {}): IncomingMessage => ({
  id,
  conversationId: 'c1',
  text: words,
  participant: { id: 'web:ann' },
  ...more,
});

/** Asks for an order on demand, and repeats everything else. */
function clerk(heard: string[] = []) {
  const clerk = agent('clerk');
  const order = clerk.question('order', text('Which order?', { pattern: /^\d{5}$/ }), {
    onAnswer: (answer) => `Order ${answer}.`,
  });
  return clerk.onMessage(({ message: words, ask }) => {
    heard.push(words);
    return words.includes('order') ? ask(order) : `You said ${words}`;
  });
}

test('a message that is dropped is recorded with why, stands in the history, and reaches no agent', async () => {
  const { replica } = world();
  const heard: string[] = [];
  const noLinks: Interceptor = ({ text: words }) =>
    words.includes('http') ? { ignore: 'a link', say: 'No links, please.' } : undefined;
  const registry = await replica({ agents: [clerk(heard)], interceptors: [dropNoise(), noLinks] });
  const dropped = await registry.handle(message('1', 'http://a.example'));
  expect(dropped.disposition).toEqual({ type: 'ignored', why: 'a link' });
  expect(dropped.outputs).toMatchObject([{ text: 'No links, please.', only: 'web:ann' }]);
  expect((await registry.handle(message('2', ' … '))).disposition).toEqual({ type: 'ignored', why: 'says nothing' });
  expect((await registry.handle(message('3', 'hello'))).disposition).toEqual({ type: 'ordinary' });
  expect(await registry.handle(message('1', 'http://a.example'))).toEqual(dropped);
  const { items } = await registry.history('c1');
  expect(items.flatMap((item) => (item.type === 'in' ? [item.disposition.type] : []))).toEqual([
    'ignored',
    'ignored',
    'ordinary',
  ]);
  expect(heard).toEqual(['hello']);
});

test('a reply to an open question passes, whether it addresses anybody and however many messages there were', async () => {
  const { replica } = world();
  const interceptors = [onlyWhenAddressed({ names: ['bot'] }), rateLimit({ of: 1, per: minute })];
  const registry = await replica({ agents: [clerk()], interceptors });
  expect((await registry.handle(message('1', 'Bot, my order!'))).outputs).toMatchObject([{ text: 'Which order?' }]);
  const others = { participant: { id: 'web:ben' } };
  expect((await registry.handle(message('2', 'lunch?', others))).disposition).toMatchObject({ why: 'not addressed' });
  expect((await registry.handle(message('3', 'twelve'))).disposition).toMatchObject({ type: 'insufficient' });
  const [ask] = (await registry.listAsks()).asks;
  const named = message('4', '12345', { askId: ask?.id ?? '' });
  expect((await registry.handle(named)).disposition).toMatchObject({ type: 'accepted' });
  expect((await registry.handle(message('5', 'bot, again'))).disposition).toMatchObject({ why: 'too many messages' });
});

test('a message that names an invented or a settled question is limited like any other, and its words stay hidden', async () => {
  const { replica } = world();
  const seen: string[] = [];
  const nosy: Interceptor = ({ text: words }) => {
    seen.push(words);
  };
  const vault = agent('vault');
  const pin = vault.question('pin', text('Which PIN?'), { sensitive: true, onAnswer: () => 'Thank you.' });
  vault.onMessage(({ ask }) => ask(pin));
  const limit = rateLimit({ of: 3, per: minute });
  const interceptors = [nosy, dropNoise(), onlyWhenAddressed({ names: ['bot'] }), limit];
  const registry = await replica({ agents: [vault], interceptors });
  await registry.handle(message('1', 'bot'));
  const askId = (await registry.listAsks()).asks[0]?.id ?? '';
  const said = async (id: string, words: string, named: string) =>
    (await registry.handle(message(id, words, { askId: named }))).disposition;
  expect(await said('2', '', 'invented')).toEqual({ type: 'ignored', why: 'unknown ask' });
  expect(await said('3', '4711', askId)).toMatchObject({ type: 'accepted' });
  expect(await said('4', '4711', askId)).toMatchObject({ type: 'already' });
  expect(await said('5', 'x', 'invented')).toEqual({ type: 'ignored', why: 'too many messages' });
  expect(await said('6', '4711', askId)).toEqual({ type: 'ignored', why: 'too many messages' });
  expect(seen).toEqual(['bot', '', '', '', '']);
  expect(JSON.stringify(await registry.history('c1'))).not.toContain('4711');
});

test('a participant is limited over all conversations and processes, hears of it once, and is free again when the time is over', async () => {
  const { replica, advance } = world();
  const options = { interceptors: [rateLimit({ of: 2, per: minute, say: 'Slowly, please.' })] };
  const here = await replica({ agents: [clerk()], ...options });
  const there = await replica({ agents: [clerk()], ...options });
  const said = async (registry: typeof here, id: string, conversationId: string, who = 'web:ann') => {
    const given = await registry.handle(message(id, id, { conversationId, participant: { id: who } }));
    return given.outputs.map((output) => output.text);
  };
  expect(await said(here, 'one', 'c1')).toEqual(['You said one']);
  expect(await said(there, 'two', 'c2')).toEqual(['You said two']);
  expect(await said(here, 'three', 'c2')).toEqual(['Slowly, please.']);
  expect(await said(there, 'four', 'c3')).toEqual([]);
  expect(await said(there, 'one', 'c1', 'web:ben')).toEqual(['You said one']); // a repeat of Ann's: no message of Ben
  expect(await said(there, 'five', 'c1', 'web:ben')).toEqual(['You said five']);
  await advance(minute);
  expect(await said(here, 'six', 'c1')).toEqual(['You said six']);
});

test('the same id in two tenants is two people, and each has a limit of their own', async () => {
  const { replica } = world();
  const registry = await replica({ agents: [clerk()], interceptors: [rateLimit({ of: 1, per: minute })] });
  const said = async (id: string, tenant?: string) => {
    const participant = { id: 'user:1', ...(tenant === undefined ? {} : { tenant }) };
    return (await registry.handle(message(id, id, { participant }))).disposition.type;
  };
  expect([await said('1', 'shop-7'), await said('2', 'shop-8'), await said('3')]).toEqual(Array(3).fill('ordinary'));
  expect([await said('4', 'shop-7'), await said('5', 'shop-8'), await said('6')]).toEqual(Array(3).fill('ignored'));
});

test('a burst over many processes lets through exactly as many as it may', async () => {
  const { replica } = world();
  const options = { interceptors: [rateLimit({ of: 5, per: minute })] };
  const registries = await Promise.all([1, 2, 3].map(() => replica({ agents: [clerk()], ...options })));
  const burst = registries.flatMap((registry, process) =>
    Array.from({ length: 10 }, (_, i) => {
      const id = `${process}-${i}`;
      return registry.handle(message(id, id, { conversationId: id }));
    }),
  );
  const handled = await Promise.all(burst);
  expect(handled.filter((each) => each.disposition.type === 'ordinary')).toHaveLength(5);
});

test('a turn that fails and runs again counts as one message, and is not dropped by its own first try', async () => {
  const { replica, advance } = world();
  let tries = 0;
  const shaky = agent('shaky').onMessage(() => {
    tries += 1;
    if (tries < 3) throw new Error('not yet');
    return 'Done.';
  });
  const registry = await replica({ agents: [shaky], interceptors: [rateLimit({ of: 1, per: 10 * minute })] });
  const handling = registry.handle(message('1', 'go'));
  await advance(minute);
  expect((await handling).outputs).toMatchObject([{ text: 'Done.' }]);
  expect((await registry.handle(message('2', 'go'))).disposition).toMatchObject({ why: 'too many messages' });
});

test('a turn that has done something is not dropped when it runs again, whatever an interceptor says by then', async () => {
  const { replica, advance } = world();
  let asked = 0;
  const fickle: Interceptor = () => {
    asked += 1;
    return asked > 1 ? { ignore: 'changed its mind' } : undefined;
  };
  let tries = 0;
  const payer = agent('payer').onMessage(async ({ once }) => {
    const paid = await once('pay', async () => 'Paid.');
    tries += 1;
    if (tries === 1) throw new Error('crashed after paying');
    return paid;
  });
  const registry = await replica({ agents: [payer], interceptors: [fickle] });
  const handling = registry.handle(message('1', 'pay'));
  await advance(minute);
  expect((await handling).outputs).toMatchObject([{ text: 'Paid.' }]);
  expect(asked).toBe(1);
});

test('an interceptor that throws is asked again, and one that returns something else parks the message with a clear error', async () => {
  const { replica, advance } = world();
  let calls = 0;
  const down: Interceptor = () => {
    calls += 1;
    if (calls === 1) throw new Error('no answer');
  };
  const first = await replica({ agents: [clerk()], interceptors: [down] });
  const handling = first.handle(message('1', 'hello'));
  await advance(minute);
  expect((await handling).outputs).toMatchObject([{ text: 'You said hello' }]);
  const second = await replica({ agents: [clerk()], interceptors: [(() => 'drop it') as never] });
  await second.handle(message('2', 'hello', { conversationId: 'c2' }));
  const [parked] = (await second.parked()).items;
  expect(parked?.failure.message).toBe(
    'An interceptor must return nothing to let a message pass, or { ignore: \'why\' } with or without say, got "drop it".',
  );
});

test('runs of a schedule are not intercepted, and a message of somebody known by `identify` counts as theirs', async () => {
  const { replica, says } = world();
  const seen: (string | undefined)[] = [];
  const nosy: Interceptor = ({ participant, channel }) => {
    seen.push(`${participant?.id} on ${channel}`);
  };
  const cron = new TestChannel('cron', true);
  const phone = new TestChannel();
  const heard: string[] = [];
  const identify = () => ({ id: 'person:1' });
  await replica({ agents: [clerk(heard)], channels: [cron, phone], interceptors: [nosy], identify });
  await says(cron, 'run');
  await says(phone, 'hello');
  expect(heard).toEqual(['run', 'hello']);
  expect(seen).toEqual(['person:1 on phone']);
});

test('a model is not given what was dropped', async () => {
  const { replica } = world();
  const model = scriptedModel(['Yes?']);
  const registry = await replica({
    agents: [agent('ai')],
    model,
    interceptors: [onlyWhenAddressed({ names: ['bot'] })],
  });
  await registry.handle(message('1', 'Ben is ill.'));
  await registry.handle(message('2', 'bot?'));
  expect(model.requests[0]?.messages).toEqual([{ role: 'user', content: 'bot?' }]);
});

const look = (words: string, more: Partial<InterceptedMessage> = {}): InterceptedMessage => ({
  ...message('1', words),
  channel: 'web',
  at: 0,
  ...more,
});
const limiter = { take: async () => true };

test('a name is found as a word, in any case and beside any mark, and not inside another word', () => {
  const shy = onlyWhenAddressed({ names: ['bot', '@Ada', 'Frau Öhm'], unless: ({ channel }) => channel === 'direct' });
  const passes = (words: string, more = {}) => shy(look(words, more), limiter) === undefined;
  const addressed = [
    'Bot, help!',
    'hey BOT',
    'bot',
    '(bot)',
    '@bot',
    'ask @ada',
    'guten Tag frau öhm.',
    'robot? no, bot!',
  ];
  expect(addressed.filter((words) => !passes(words))).toEqual([]);
  expect(['robot', 'bots', 'bot_2', 'ada', 'sabotage', '', 'frau öhmann'].filter((words) => passes(words))).toEqual([]);
  expect(passes('hello', { channel: 'direct' })).toBe(true);
  expect(() => onlyWhenAddressed({ names: [] })).toThrow(
    'onlyWhenAddressed(): names must be a list of at least one name',
  );
});

test('noise says nothing, matches a pattern, or was written by a program', () => {
  const quiet = dropNoise({ automated: true, patterns: [/^joined$/g] });
  const isDropped = (words: string, more = {}) => quiet(look(words, more), limiter) !== undefined;
  expect(['', ' ', '…', '\u200b', '???', 'joined', 'joined'].filter((words) => !isDropped(words))).toEqual([]);
  expect(['ok', '5', '👍', 'joined us'].filter((words) => isDropped(words))).toEqual([]);
  expect(isDropped('hello', { automated: true })).toBe(true);
  expect(isDropped('', { data: { file: 1 } })).toBe(false);
  expect(() => rateLimit({ of: 0, per: 1 })).toThrow(
    'rateLimit(): of must be a whole number of messages from 1 to 1000',
  );
});
