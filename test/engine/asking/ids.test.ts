import { describe, expect, test } from 'vitest';
import type { IncomingMessage, Participant } from '../../../src/index.js';
import { agent, choice } from '../../../src/index.js';
import { rehearse } from '../../../src/testing/index.js';
import { asClass, bare, Probe, texts, thrownBy } from '../../support/agents.js';
import { TestChannel, world } from '../../support/engine.js';

const odd = [
  '*',
  '[a-z]*',
  '__proto__',
  'constructor',
  '}',
  '{}',
  '{a}:b',
  '../',
  'a\r\nb',
  '\u0000',
  'é',
  'e\u0301',
  ' ',
  '%2F',
  ':',
];

test('conversations with odd ids are kept apart: each answer finds its own ask', async () => {
  const probe = new Probe((self, { message = '', conversationId }) => {
    const pending = self.pending();
    if (pending === null) return self.asks(`In ${JSON.stringify(conversationId)}?`);
    return self.handles(message, () => pending.question);
  });
  const { registry, says } = bare({ agents: [probe] });
  for (const id of odd) await says(id, 'go');
  const { asks } = await registry.listAsks();
  expect(asks.map((ask) => ask.conversationId).sort()).toEqual([...odd].sort());
  for (const id of odd) expect(texts(await says(id, 'yes'))).toEqual([`In ${JSON.stringify(id)}?`]);
  expect((await registry.listAsks()).asks).toEqual([]);
  await registry.stop();
});

test('messages with odd ids are kept apart, and their repeats are recognised', async () => {
  const { agent: support, ordinary } = asClass();
  const { registry } = bare({ agents: [support] });
  for (const id of [...odd, ...odd]) await registry.handle({ id, conversationId: 'c', text: id });
  expect(ordinary).toEqual(odd);
  await registry.stop();
});

test.each(odd)('a participant %j is only who they are', async (id) => {
  const { agent: support, ordinary, continued } = asClass();
  const { registry, says } = bare({ agents: [support] });
  const by = (who: string): { participant: Participant } => ({ participant: { id: who } });
  await says('c', 'ask', by(id));
  for (const other of odd.filter((each) => each !== id)) await says('c', 'stolen', by(other));
  expect([ordinary.length, continued.length]).toEqual([odd.length - 1, 0]);
  await says('c', '12345', by(id));
  expect(continued).toHaveLength(1);
  await registry.stop();
});

test.each(['__proto__', 'constructor', '*', 'toString'])(
  'an agent, a question and an option named %j work',
  async (name) => {
    const answers: string[] = [];
    const support = agent(name);
    const declared = support.question(name, choice('Which?', [name, 'other']), {
      onAnswer: (one) => void answers.push(one),
    });
    support.onMessage(({ ask }) => ask(declared));
    const { human, stop } = await rehearse({ agents: [support] });
    const user = human('user');
    await user.says('go');
    await user.presses(name);
    expect(answers).toEqual([name]);
    await stop();
  },
);

test.each(['__proto__', 'constructor'])('once(%j) remembers its result', async (key) => {
  let done = 0;
  const support = agent('support');
  support.onMessage(async ({ once, attempt }) => {
    const result = await once(key, async () => {
      done += 1;
      return { paid: done };
    });
    if (attempt === 1) throw new Error('The connection was lost.');
    return JSON.stringify(result);
  });
  const { human, clock, stop } = await rehearse({ agents: [support], failures: 'collect' });
  const user = human('user');
  await user.says('go');
  await clock.advance(5_000);
  expect([done, user.sees()]).toEqual([1, ['{"paid":1}']]);
  await stop();
});

test.each([...odd, 'nonsense', '', '00000000-0000-8000-8000-000000000000', 'ff000000-0000-8000-8000-000000000000'])(
  'an ask id %j that never was: null, unknown, nothing thrown',
  async (id) => {
    const { registry } = bare({ agents: [asClass().agent] });
    expect(await registry.getAsk(id)).toBeNull();
    expect(await registry.answer(id, { text: 'x' }, { by: { id: 'web:ann' } })).toEqual({ type: 'unknown' });
    expect(await registry.cancel(id)).toEqual({ type: 'unknown' });
    await registry.stop();
  },
);

const long = 'x'.repeat(513);
const wrong: readonly (readonly [string, Partial<IncomingMessage>, string])[] = [
  ['conversationId', { conversationId: '' }, 'empty'],
  ['conversationId', { conversationId: long }, '513'],
  ['conversationId', { conversationId: 'é'.repeat(257) }, '514'],
  ['conversationId', { conversationId: '\ud800' }, 'surrogate'],
  ['id', { id: '' }, 'empty'],
  ['id', { id: long }, '513'],
  ['id', { id: undefined as unknown as string }, 'nothing'],
  ['participant.id', { participant: { id: '' } }, 'empty'],
  ['participant.id', { participant: { id: long } }, '513'],
  ['participant', { participant: null as unknown as Participant }, 'null'],
  ['participant', { participant: 'ann' as unknown as Participant }, 'ann'],
  ['text', { text: undefined as unknown as string }, 'nothing'],
  ['text', { text: 5 as unknown as string }, 'a number'],
  ['choice', { choice: 5 as unknown as string }, 'a number'],
  ['choice', { choice: [5] as unknown as string[] }, 'a number'],
  ['choice', { choice: 'yes' }, 'needs the askId of its question'],
  ['value', { value: true }, 'needs the askId of its question'],
  ['askId', { askId: 5 as unknown as string }, '5'],
  ['address', { address: (() => {}) as unknown as string }, 'function'],
  ['data', { data: Number.NaN }, 'NaN'],
];
describe.each(wrong)('a message with a bad %s: %j', (name, part, came) => {
  test('is refused with the field and what came; it is not recorded and no agent runs', async () => {
    const { agent: support, ordinary } = asClass();
    const { registry } = bare({ agents: [support] });
    const rejected: unknown[] = [];
    registry.on('rejected', (about) => rejected.push(about));
    const error = await thrownBy(() => registry.handle({ id: '1', conversationId: 'c', text: 'hello', ...part }));
    expect(['bad-message', 'bad-data']).toContain(error.code);
    expect(error.message).toContain(name);
    expect(error.message).toContain(came);
    expect(rejected).toHaveLength(1);
    expect(ordinary).toEqual([]);
    expect((await registry.history('c')).items).toEqual([]);
    await registry.stop();
  });
});

test('ids of exactly 512 bytes are accepted', async () => {
  const { agent: support, continued } = asClass();
  const { registry } = bare({ agents: [support] });
  const full = 'x'.repeat(512);
  const base = { conversationId: full, participant: { id: full } };
  await registry.handle({ ...base, id: full, text: 'ask' });
  await registry.handle({ ...base, id: full.replace('x', 'y'), text: '12345' });
  expect(continued).toHaveLength(1);
  await registry.stop();
});

test('channel mail with id eu:7 and channel mail:eu with id 7 are two messages', async () => {
  const seen: string[] = [];
  const { replica, says } = world();
  const [mail, eu] = [new TestChannel('mail'), new TestChannel('mail:eu')];
  const heard = agent('post').onMessage(({ channelName, message }) => void seen.push(`${channelName} ${message}`));
  const registry = await replica({ channels: [mail, eu], agents: [heard] });
  expect(await says(mail, 'first', { id: 'eu:7' })).toBe('recorded');
  expect(await says(eu, 'second', { id: '7' })).toBe('recorded');
  expect(await says(eu, 'second', { id: '7' })).toBe('repeat');
  expect(seen).toEqual(['mail first', 'mail:eu second']);
  await registry.stop();
});
