import { describe, expect, test } from 'vitest';
import type { HistoryItem } from '../../../src/core/conversation/history.js';
import type { Stored } from '../../../src/core/format/stored.js';
import { type AgentInput, agent, BaseAgent, choice, confirm, text } from '../../../src/index.js';
import { rehearse, scriptedModel } from '../../../src/testing/index.js';
import { approve } from '../../../src/tools/index.js';
import { bare, ways } from '../../support/agents.js';
import { TestChannel } from '../../support/engine.js';

describe.each(ways)('%s', (_, way) => {
  test('question and answer stand in the history once each, with who wrote, and the decision between them', async () => {
    const { human, asks, registry, clock, stop } = await rehearse({ agents: [way().agent] });
    const user = human('user');
    await user.says('ask');
    const id = (await asks())[0]?.id ?? '';
    await user.says('12345');
    await clock.advance(600_000);
    const { items } = await registry.history('user');
    const participant = user.participant;
    expect(items.filter((item) => item.type === 'out' && item.askId === id)).toMatchObject([{ text: 'Which order?' }]);
    expect(items.filter((item) => item.type === 'in' && item.text === '12345')).toMatchObject([
      { participant, disposition: { type: 'accepted', askId: id } },
    ]);
    expect(items.filter((item) => item.type === 'decision')).toMatchObject([
      { askId: id, status: 'answered', agent: 'support', by: participant },
    ]);
    await stop();
  });

  test('an answer by API stands in the history once, with its author', async () => {
    const { registry, says } = bare({ agents: [way().agent] });
    await says('c', 'ask');
    const id = (await registry.listAsks()).asks[0]?.id ?? '';
    await registry.answer(id, { text: '12345' }, { by: { id: 'web:user', name: 'User' } });
    const { items } = await registry.history('c');
    expect(items.filter((item) => item.type === 'in' && item.text === '12345')).toMatchObject([
      { participant: { id: 'web:user', name: 'User' } },
    ]);
    await registry.stop();
  });

  test('a continuation that ran twice leaves one answer and one output in the history', async () => {
    const { agent: support } = way({}, (attempt) => {
      if (attempt === 1) throw new Error('The provider is down.');
    });
    const { human, registry, clock, stop } = await rehearse({ agents: [support], failures: 'collect' });
    const user = human('user');
    await user.says('ask');
    await user.says('12345');
    await clock.advance(60_000);
    const { items } = await registry.history('user');
    expect(items.filter((item) => item.type === 'in' && item.text === '12345')).toHaveLength(1);
    expect(items.filter((item) => item.type === 'decision')).toHaveLength(1);
    expect(items.filter((item) => item.type === 'out' && item.text === 'Done: 12345')).toHaveLength(1);
    await stop();
  });
});

test('the kit plays ask, retry, reply and expiry with a fake channel, clock, model and registry', async () => {
  const model = scriptedModel(['{"sufficient": false}', '{"sufficient": true}']);
  const closed: string[] = [];
  const support = agent('support');
  const why = support.question('why', text('Why?'), {
    expiresIn: 60_000,
    onAnswer: (reason) => `Because ${reason}`,
    onClosed: (_pending, how) => {
      closed.push(how);
      return 'Too late.';
    },
  });
  support.onMessage(({ ask }) => ask(why));
  const phone = new TestChannel('phone');
  const { human, asks, clock, registry, stop } = await rehearse({ agents: [support], channels: [phone], model });
  const user = human('user');
  expect(await user.says('go')).toEqual(['Why?']);
  expect(await user.says('hm')).toHaveLength(1);
  expect(await asks()).toMatchObject([{ retries: 1 }]);
  expect(await user.says('it rains')).toEqual(['Because it rains']);
  expect(await user.says('go')).toEqual(['Why?']);
  await clock.advance(70_000);
  expect(user.sees()).toEqual(['Too late.']);
  expect(closed).toEqual(['expired']);
  expect((await registry.parked()).items).toEqual([]);
  expect([model.requests.length, phone.sent.length]).toEqual([2, 0]);
  await stop();
});

test('on a plain channel a choice is the question, numbered options and one line that says how', async () => {
  const support = agent('support');
  const size = support.question('size', choice('Which size?', ['small', 'large']), {
    details: { order: '12345' },
    onAnswer: (one) => one,
  });
  support.onMessage(({ ask }) => ask(size));
  const { human, stop } = await rehearse({ agents: [support] });
  expect(await human('user').says('go')).toEqual([
    'Which size?\norder: 12345\n1. small\n2. large\nReply with a number or a label.',
  ]);
  await stop();
});

test('a confirm is drawn with its own labels, and a number says neither', async () => {
  const support = agent('support');
  const sure = support.question('sure', confirm('Delete it?', { yes: 'Delete', no: 'Keep' }), {
    onAnswer: (yes) => (yes ? 'Deleted.' : 'Kept.'),
  });
  support.onMessage(({ ask }) => ask(sure));
  const { human, stop } = await rehearse({ agents: [support] });
  const user = human('user');
  expect(await user.says('go')).toEqual(['Delete it?\n- Delete\n- Keep\nReply with one of these.']);
  expect(await user.says('2')).toEqual([expect.stringContaining('Please answer yes or no.')]);
  expect(await user.says('Keep')).toEqual(['Kept.']);
  await stop();
});

test('a question that is asked again has its options again', async () => {
  const support = agent('support');
  const size = support.question('size', choice('Which size?', ['small', 'large']), { onAnswer: (one) => one });
  support.onMessage(({ ask }) => ask(size));
  const { human, stop } = await rehearse({ agents: [support] });
  const user = human('user');
  await user.says('go');
  expect(await user.says('huge')).toEqual([
    "Sorry, I didn't understand that. Please pick one of: small, large.\nWhich size?\n1. small\n2. large\nReply with a number or a label.",
  ]);
  await stop();
});

test('context is never drawn or handed to a channel; details are', async () => {
  const support = agent('support');
  const sure = support.question('sure', text('Sure?'), {
    context: { secret: 'hunter2' },
    details: { amount: '5 EUR' },
    onAnswer: () => 'ok',
  });
  support.onMessage(({ ask }) => ask(sure));
  const { registry, says } = bare({ agents: [support] });
  const { outputs } = await says('c', 'go');
  expect(outputs[0]?.ask?.details).toEqual({ amount: '5 EUR' });
  expect(JSON.stringify(outputs)).not.toContain('hunter2');
  expect(JSON.stringify(await registry.history('c'))).not.toContain('hunter2');
  await registry.stop();
});

function shop() {
  const support = agent('support');
  const order = support.question('order', text('Which order?'), { onAnswer: (number) => `Done: ${number}` });
  support.onMessage(({ message, ask }) => (message === 'ask' ? ask(order) : `You said ${message}`));
  return support;
}

describe('a history beyond its limit', () => {
  const settings = { historyLimit: 6 };
  const person = { id: 'web:user', name: 'User' };

  /** An ask that was answered, and then more talk than the history keeps. */
  async function talkedAway() {
    const play = bare({ agents: [shop()], settings });
    await play.says('c', 'ask');
    const id = (await play.registry.listAsks()).asks[0]?.id ?? '';
    await play.says('c', '12345', { id: 'the answer' });
    const talk = async (count: number) => {
      for (let i = 0; i < count; i += 1) await play.says('c', `talk ${i}`);
    };
    await talk(5);
    return { ...play, id, talk };
  }

  test('has the last items, in pages that end at the oldest kept one while the talk goes on', async () => {
    const { registry, talk } = await talkedAway();
    const words = (items: readonly HistoryItem[]) => items.flatMap((item) => (item.type === 'in' ? [item.text] : []));
    const whole = await registry.history('c');
    expect([whole.items.length, words(whole.items), whole.cursor]).toEqual([
      6,
      ['talk 2', 'talk 3', 'talk 4'],
      undefined,
    ]);
    const last = await registry.history('c', { limit: 2 });
    expect(words(last.items)).toEqual(['talk 4']);
    await talk(1);
    const before = await registry.history('c', { limit: 99, cursor: last.cursor ?? '' });
    expect([words(before.items), before.cursor]).toEqual([['talk 3'], undefined]);
    await talk(9);
    expect(await registry.history('c', { limit: 99, cursor: last.cursor ?? '' })).toEqual({ items: [] });
    await registry.stop();
  });

  test('is what the model is shown of the conversation', async () => {
    class Chatty extends BaseAgent {
      name = 'chatty';
      override invokeAgent({ message }: AgentInput) {
        return this.run(message ?? '');
      }
    }
    const model = scriptedModel(Array.from({ length: 6 }, (_, i) => ({ text: `reply ${i}` })));
    const { registry, says } = bare({ agents: [new Chatty()], model, settings: { historyLimit: 3 } });
    for (let i = 0; i < 6; i += 1) await says('c', `talk ${i}`);
    expect(model.requests.at(-1)?.messages.map((each) => ('content' in each ? each.content : each))).toEqual([
      'reply 3',
      'talk 4',
      'reply 4',
      'talk 5',
    ]);
    await registry.stop();
  });

  test('takes no decision along: the ask is found, its outcome is told, and a late reply is told that it is decided', async () => {
    const { registry, id, says } = await talkedAway();
    expect(JSON.stringify(await registry.history('c'))).not.toContain(id);
    expect(await registry.getAsk(id)).toMatchObject({ id, status: 'answered', value: '12345' });
    expect(await registry.wait(id)).toMatchObject({ status: 'answered', value: '12345' });
    expect(await registry.answer(id, { text: '99999' }, { by: person })).toMatchObject({ type: 'already' });
    const pressed = await says('c', '99999', { askId: id });
    expect(pressed.disposition).toEqual({ type: 'already', askId: id });
    const again = await says('c', '12345', { id: 'the answer' });
    expect(again.disposition).toEqual({ type: 'accepted', askId: id });
    await registry.stop();
  });

  test.each([{ conversationId: 'c' }, { participantId: person.id }])(
    'is erased with the asks it told of: %j',
    async (what) => {
      const { registry, id, store } = await talkedAway();
      expect(await registry.erase(what)).toMatchObject({ erased: 1 });
      expect(await registry.getAsk(id)).toBeNull();
      expect((await registry.history('c')).items).toEqual([]);
      const { record } = (await store.find(id)) as { record: Stored };
      expect(JSON.parse(record.text)).toEqual({ erased: true, id, status: 'answered', at: expect.any(Number) });
      expect(await registry.answer(id, { text: '1' }, { by: person })).toEqual({ type: 'unknown' });
      await registry.stop();
    },
  );
});

test('an item that cannot be read is left out of the history, counted and logged; no approval is used up by guessing', async () => {
  const warnings: unknown[] = [];
  const warn = (...said: unknown[]) => void warnings.push(said);
  const logger = { debug: () => {}, info: () => {}, warn, error: () => {} };
  const { registry, says, store } = bare({ agents: [shop()], logger });
  await says('c', 'ask');
  await says('c', '12345');
  const { items } = await registry.history('c');
  const history = store.history.bind(store);
  store.history = async (...call) => {
    const page = await history(...call);
    return { ...page, items: page.items.map((item, i) => (i === 1 ? { text: item.text.slice(0, -9) } : item)) };
  };
  expect(await registry.history('c')).toEqual({ items: items.toSpliced(1, 1), unreadable: 1 });
  expect(warnings).toMatchObject([
    [expect.any(String), { failure: { code: 'bad-record', message: expect.stringContaining('conversation "c"') } }],
  ]);
  const rules = { where: { channel: 'handle', conversationId: 'c' }, answerableBy: 'anyone' } as const;
  const asked = approve(registry, rules).request({ tool: 'refund', input: 1 });
  await expect(asked).rejects.toMatchObject({
    code: 'bad-record',
    message: expect.stringMatching(/history.*approvals/),
  });
  await registry.stop();
});

test('an erase goes through when the record of a decided ask cannot be read', async () => {
  const { registry, says, store } = bare({ agents: [shop()] });
  await says('c', 'ask');
  const id = (await registry.listAsks()).asks[0]?.id ?? '';
  await says('c', '12345');
  const find = store.find.bind(store);
  const damaged = { text: '{"conversationId":"c","ask":"12345 and rub' };
  store.find = async (each) => (each === id ? { record: damaged } : find(each));
  expect(await registry.erase({ conversationId: 'c' })).toMatchObject({ erased: 1 });
  const { record } = (await find(id)) as { record: Stored };
  expect(record.text).not.toContain('12345');
  await registry.stop();
});

test.each([0, -1, 1.5, Number.NaN, '9'])('a limit of the history of %j is refused by its name', (historyLimit) => {
  const settings = { historyLimit } as { historyLimit: number };
  expect(() => bare({ agents: [], settings })).toThrow(/settings\.historyLimit must be a whole number/);
});
