import { describe, expect, test } from 'vitest';
import type { IncomingMessage } from '../../../src/index.js';
import { rehearse } from '../../../src/testing/index.js';
import { bare, Probe, texts, ways } from '../../support/agents.js';

const ann = { participant: { id: 'web:ann', name: 'Ann' } };
const bob = { participant: { id: 'web:bob', name: 'Bob' } };

describe.each(ways)('%s', (_, way) => {
  async function annWasAsked(options: Parameters<typeof way>[0] = {}, more: Partial<IncomingMessage> = ann) {
    const written = way(options);
    const logged: object[] = [];
    const logger = {
      debug: () => {},
      info: () => {},
      warn: (_: string, more?: object) => logged.push(more ?? {}),
      error: () => {},
    };
    const play = bare({ agents: [written.agent], logger });
    await play.says('c', 'ask', more);
    const id = (await play.registry.listAsks()).asks[0]?.id ?? '';
    const isPending = async () => (await play.registry.getAsk(id))?.status === 'pending';
    return { ...play, ...written, id, isPending, logged };
  }

  test("another person's plain text is an ordinary message, and the ask stays pending (68)", async () => {
    const { says, ordinary, continued, isPending, registry } = await annWasAsked();
    expect(await says('c', '12345', bob)).toMatchObject({
      disposition: { type: 'ordinary' },
      outputs: [{ text: 'hi' }],
    });
    expect([ordinary, continued]).toEqual([['12345'], []]);
    expect(await isPending()).toBe(true);
    await registry.stop();
  });

  test("another person's 'cancel' declines nothing (65, 68)", async () => {
    const { says, ordinary, closed, isPending, registry } = await annWasAsked();
    await says('c', 'cancel', bob);
    expect([ordinary, closed, await isPending()]).toEqual([['cancel'], [], true]);
    await registry.stop();
  });

  test.each(['12345', 'cancel', '?'])(
    'a named %j by a stranger: refused in one neutral sentence, logged, no attempt counted',
    async (words) => {
      const { says, id, ordinary, continued, closed, registry, logged } = await annWasAsked();
      const refused: unknown[] = [];
      registry.on('refused', (about) => refused.push(about));
      const handled = await says('c', words, { ...bob, askId: id });
      expect(handled.disposition).toEqual({ type: 'not-authorised', askId: id });
      expect(texts(handled)).toEqual(["Sorry, you can't answer this one."]);
      expect(handled.outputs[0]).not.toHaveProperty('ask');
      expect([ordinary, continued, closed]).toEqual([[], [], []]);
      expect(await registry.getAsk(id)).toMatchObject({ status: 'pending', retries: 0 });
      expect(refused).toEqual([expect.objectContaining({ askId: id, participantId: 'web:bob' })]);
      expect(logged).toEqual([expect.objectContaining({ askId: id, participantId: 'web:bob' })]);
      await registry.stop();
    },
  );

  test('over the API a stranger is refused and learns nothing, before and after the answer', async () => {
    const { says, id, isPending, registry } = await annWasAsked();
    expect(await registry.answer(id, { text: '12345' }, { by: bob.participant })).toEqual({ type: 'refused' });
    expect(await registry.answer(id, { text: '12345' })).toEqual({ type: 'refused' });
    expect(await registry.decline(id, { by: bob.participant })).toEqual({ type: 'refused' });
    expect(await isPending()).toBe(true);
    await says('c', '12345', ann);
    expect(await registry.answer(id, { text: '12345' }, { by: bob.participant })).toEqual({ type: 'refused' });
    await registry.stop();
  });

  test('a stranger who names a settled ask is refused, and told that it was answered, not by whom', async () => {
    const { says, id, registry } = await annWasAsked();
    await says('c', '12345', { participant: { ...ann.participant, name: 'Ann' } });
    const told = await says('c', '1', { ...bob, askId: id });
    expect(texts(told)).toEqual(['This was already answered.']);
    expect(told.disposition).toEqual({ type: 'not-authorised', askId: id });
    await registry.stop();
  });

  test('the asker may answer from another address of the conversation', async () => {
    const { says, continued, registry } = await annWasAsked({}, { ...ann, address: 'desk' });
    await says('c', '12345', { ...ann, address: 'phone' });
    expect(continued).toHaveLength(1);
    await registry.stop();
  });

  test('a message without a sender does not answer an ask whose asker is known', async () => {
    const { registry, id, isPending, ordinary } = await annWasAsked({}, { ...ann, address: 'desk' });
    await registry.handle({ id: 'x1', conversationId: 'c', text: '12345', address: 'desk' });
    await registry.handle({ id: 'x2', conversationId: 'c', text: '12345', address: 'desk', askId: id });
    expect([ordinary, await isPending()]).toEqual([['12345'], true]);
    await registry.stop();
  });

  test("answerableBy 'anyone': any person may answer (68)", async () => {
    const { says, continued, registry } = await annWasAsked({ answerableBy: 'anyone' });
    await says('c', '12345', bob);
    expect(continued).toHaveLength(1);
    await registry.stop();
  });

  test('answerableBy a list: those on it may, and the asker may not', async () => {
    const { says, continued, ordinary, registry } = await annWasAsked({ answerableBy: ['web:bob'] });
    await says('c', '111', ann);
    await says('c', '222', bob);
    expect([ordinary, continued.map(({ answer }) => answer)]).toEqual([['111'], ['222']]);
    await registry.stop();
  });

  test('a reply refused for want of a role, where nobody gives roles, is logged once with the roles', async () => {
    const { says, id, isPending, logged, registry } = await annWasAsked({ answerableBy: { roles: ['manager'] } });
    for (let i = 0; i < 2; i += 1)
      expect(await says('c', '12345', { ...bob, askId: id })).toMatchObject({
        disposition: { type: 'not-authorised' },
      });
    expect(await isPending()).toBe(true);
    expect(logged).toContainEqual({ conversationId: 'c', askId: id, participantId: 'web:bob', roles: ['manager'] });
    expect(logged.filter((about) => 'roles' in about)).toHaveLength(1);
    await registry.stop();
  });

  test('a reply refused for want of a role by one whose roles are known is an ordinary refusal', async () => {
    const { says, id, logged, registry } = await annWasAsked({ answerableBy: { roles: ['manager'] } });
    await says('c', '12345', { participant: { ...bob.participant, roles: [] }, askId: id });
    expect(logged.filter((about) => 'roles' in about)).toEqual([]);
    await registry.stop();
  });

  test('`identify` maps two identities of one human to one who may answer', async () => {
    const { agent, continued } = way();
    const identify = ({ id }: { id: string }) => ({ id: id === 'slack:T1/U1' ? 'web:ann' : id });
    const { says, registry } = bare({ agents: [agent], identify });
    await says('c', 'ask', ann);
    await says('c', '12345', { participant: { id: 'slack:T1/U1' } });
    expect(continued).toHaveLength(1);
    await registry.stop();
  });

  /** Asked by somebody the channel could not name. */
  async function unknownAsker() {
    const { agent, continued, ordinary } = way();
    const { registry } = bare({ agents: [agent] });
    let count = 0;
    const writes = (text: string, more: Partial<IncomingMessage> = {}) => {
      count += 1;
      return registry.handle({ id: `u${count}`, conversationId: 'c', text, address: { room: 1 }, ...more });
    };
    await writes('ask');
    const id = (await registry.listAsks()).asks[0]?.id ?? '';
    return { registry, writes, continued, ordinary, id };
  }

  test('without a known asker, whoever writes at the same address may answer', async () => {
    const { registry, writes, continued } = await unknownAsker();
    await writes('12345');
    expect(continued).toHaveLength(1);
    await registry.stop();
  });

  test('without a known asker, another address may not: plain is ordinary, named is refused', async () => {
    const { registry, writes, continued, ordinary, id } = await unknownAsker();
    await writes('12345', { address: { room: 2 } });
    expect(texts(await writes('12345', { address: { room: 2 }, askId: id }))).toEqual([
      "Sorry, you can't answer this one.",
    ]);
    expect([continued, ordinary]).toEqual([[], ['12345']]);
    await registry.stop();
  });

  test('without a known asker nobody answers over the API', async () => {
    const { registry, id, continued } = await unknownAsker();
    expect(await registry.answer(id, { text: '12345' })).toEqual({ type: 'refused' });
    expect(await registry.answer(id, { text: '12345' }, { by: ann.participant })).toEqual({ type: 'refused' });
    expect(continued).toEqual([]);
    expect(await registry.getAsk(id)).toMatchObject({ status: 'pending' });
    await registry.stop();
  });
});

test("in the turn of another person's plain text getPendingAsk() is null (68)", async () => {
  const found: unknown[] = [];
  const probe = new Probe((self, { message }) => {
    if (message === 'ask') return self.asks('Which order?');
    found.push(self.pending(), self.pending('c'));
  });
  const { human, asks, stop } = await rehearse({ agents: [probe] });
  await human('ann', { conversationId: 'c' }).says('ask');
  await human('bob', { conversationId: 'c' }).says('12345');
  expect(found).toEqual([null, null]);
  expect(await asks()).toHaveLength(1);
  await stop();
});

test('a reply that names an ask goes to that ask, not to the oldest', async () => {
  const probe = new Probe(async (self, { message = '' }) => {
    const pending = self.pending();
    if (pending !== null) return self.handles(message, (answer) => `${pending.question} ${answer}`);
    await self.asks('First?');
    return self.asks('Second?');
  });
  const { human, asks, registry, stop } = await rehearse({ agents: [probe] });
  const user = human('user');
  expect(await user.says('go')).toEqual(['First?']);
  const [first, second] = await asks();
  expect(await user.says('b', { askId: second?.id ?? '' })).toEqual(['Second? b']);
  expect(await registry.getAsk(first?.id ?? '')).toMatchObject({ status: 'pending', retries: 0 });
  expect(await user.says('a')).toEqual(['First? a']);
  await stop();
});

test('a reply that names an ask of another conversation is told it is not open here, and changes nothing', async () => {
  const probe = new Probe((self) => self.asks('Which order?'));
  const { registry, says } = bare({ agents: [probe] });
  await says('one', 'go');
  const id = (await registry.listAsks()).asks[0]?.id ?? '';
  const handled = await says('two', '12345', { askId: id });
  expect(handled.disposition).toEqual({ type: 'ignored', why: 'unknown ask' });
  expect(texts(handled)).toEqual(["I can't find this question here."]);
  expect(await registry.getAsk(id)).toMatchObject({ status: 'pending', conversationId: 'one' });
  await registry.stop();
});
