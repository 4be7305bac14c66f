import { Worker } from 'node:worker_threads';
import { describe, expect, test, vi } from 'vitest';
import { matchOnThread } from '../../../src/answers/pattern/threads.js';
import { agent, choice, text } from '../../../src/index.js';
import { rehearse } from '../../../src/testing/index.js';
import { bare, texts, thrownBy, ways } from '../../support/agents.js';

const tooLong = 'That message is too long for me. Please send a shorter one.';

describe.each(ways)('%s', (_, way) => {
  test('an answer over 64 KiB is refused with a notice and counts no attempt', async () => {
    const { agent: support, continued, ordinary } = way();
    const { registry, says } = bare({ agents: [support] });
    await says('c', 'ask');
    const handled = await says('c', 'é'.repeat(32_769));
    expect(texts(handled)).toEqual([tooLong]);
    expect(handled.disposition).toMatchObject({ type: 'ignored' });
    expect([continued, ordinary]).toEqual([[], []]);
    expect((await registry.listAsks()).asks).toMatchObject([{ status: 'pending', retries: 0 }]);
    await registry.stop();
  });

  test('an answer of exactly 64 KiB is accepted', async () => {
    const { agent: support, continued } = way();
    const { registry, says } = bare({ agents: [support] });
    await says('c', 'ask');
    expect((await says('c', 'x'.repeat(65_536))).disposition).toMatchObject({ type: 'accepted' });
    expect(continued[0]?.answer).toHaveLength(65_536);
    await registry.stop();
  });

  test('an answer of 40 000 quotation marks is well under 64 KiB and is accepted', async () => {
    const { agent: support, continued } = way();
    const { registry, says } = bare({ agents: [support] });
    await says('c', 'ask');
    expect((await says('c', `a${'"'.repeat(40_000)}`)).disposition).toMatchObject({ type: 'accepted' });
    expect(continued[0]?.answer).toHaveLength(40_001);
    await registry.stop();
  });

  test('an answer over 64 KiB by API is an error that says so, and changes nothing', async () => {
    const { registry, says } = bare({ agents: [way().agent] });
    await says('c', 'ask');
    const id = (await registry.listAsks()).asks[0]?.id ?? '';
    const by = { id: 'web:user' };
    const error = await thrownBy(() => registry.answer(id, { text: 'x'.repeat(65_537) }, { by }));
    expect(error).toMatchObject({ code: 'bad-data', message: expect.stringContaining('65536') });
    expect(await registry.getAsk(id)).toMatchObject({ status: 'pending', retries: 0 });
    await registry.stop();
  });

  test.each(['', ' ', '\u200b', '\u200c\u200d', '\u202e', '\u001b[31m\u001b[0m', '\ud800', '\u0000', '?!…'])(
    '%j says nothing and is not accepted',
    async (reply) => {
      const { agent: support, continued } = way();
      const { registry, says } = bare({ agents: [support] });
      await says('c', 'ask');
      await says('c', reply);
      expect(continued).toEqual([]);
      expect((await registry.listAsks()).asks).toMatchObject([{ status: 'pending' }]);
      await registry.stop();
    },
  );

  test('what a person wrote is shown inert when it is repeated', async () => {
    const { human, stop } = await rehearse({ agents: [way().agent] });
    const user = human('user');
    await user.says('ask');
    expect(await user.says('a\u001b[2Jb\u202ec\u0007d\ud800e\u200b')).toEqual(['Done: abcd\ufffde']);
    await stop();
  });
});

// design, section 8: "context, message, answer 64 KiB each"
test('a pressed option over 64 KiB is refused with the notice, like any answer', async () => {
  const support = agent('support');
  const size = support.question('size', choice('Which size?', ['S', 'L']), { onAnswer: (one) => one });
  support.onMessage(({ ask }) => ask(size));
  const { registry, says } = bare({ agents: [support] });
  await says('c', 'go');
  const id = (await registry.listAsks()).asks[0]?.id ?? '';
  const handled = await says('c', '', { askId: id, choice: 'x'.repeat(65_537) });
  expect(texts(handled)).toEqual([tooLong]);
  expect(handled.disposition).toMatchObject({ type: 'ignored' });
  expect(await registry.getAsk(id)).toMatchObject({ status: 'pending', retries: 0 });
  await registry.stop();
});

test('questions, options and details are drawn inert, one line each', async () => {
  const support = agent('support');
  const size = support.question('size', choice('Which\u001b[1m size?\u202e', ['S\n2. free', '\u001b[31mL']), {
    details: { 'for\r\nwhom': 'Ann\u0007\n3. everything' },
    onAnswer: (one) => one,
  });
  support.onMessage(({ ask }) => ask(size));
  const { human, stop } = await rehearse({ agents: [support] });
  expect(await human('user').says('go')).toEqual([
    ['Which size?', 'for whom: Ann 3. everything', '1. S 2. free', '2. L', 'Reply with a number or a label.'].join(
      '\n',
    ),
  ]);
  await stop();
});

test('a hostile name in "already answered by" is shown inert', async () => {
  const support = ways[0]?.[1]({ answerableBy: 'anyone' });
  const { human, asks, stop } = await rehearse({ agents: support === undefined ? [] : [support.agent] });
  const mallory = human('m', { conversationId: 'c', participant: { id: 'web:m', name: 'M\u001b[2J\u202eal' } });
  const ann = human('ann', { conversationId: 'c' });
  await mallory.says('ask');
  const id = (await asks())[0]?.id ?? '';
  await mallory.says('12345');
  ann.sees();
  expect(await ann.says('1', { askId: id })).toEqual(['This was already answered by Mal.']);
  await stop();
});

/** Asks a question with a pattern, gives it one reply, and counts the matches that ran on a thread instead of in this process. */
async function matched(pattern: RegExp, reply: string) {
  const answers: string[] = [];
  const support = agent('support');
  const code = support.question('code', text('Code?', { pattern }), { onAnswer: (one) => void answers.push(one) });
  support.onMessage(({ ask }) => ask(code));
  const { registry, says } = bare({ agents: [support], settings: { maxAttempts: 1 } });
  await says('c', 'go');
  const started = vi.spyOn(Worker.prototype, 'postMessage');
  const handled = await says('c', reply);
  const onThreads = started.mock.calls.length;
  started.mockRestore();
  const { asks } = await registry.listAsks();
  await registry.stop();
  return { handled, answers, onThreads, retries: asks[0]?.retries };
}

test('a pattern that takes for ever is stopped: the turn fails, no attempt of the person is used up, and the process goes on meanwhile', async () => {
  const { handled, answers, onThreads, retries } = await matched(/^(a+)+$/, `${'a'.repeat(40)}!`);
  expect(handled.disposition).toMatchObject({ type: 'failed', failure: { code: 'pattern-limit' } });
  expect([answers, retries]).toEqual([[], 0]);
  expect(onThreads).toBe(1);
});

test('what is quick is bounded by the product of all repetitions', async () => {
  const { onThreads } = await matched(/\w{1,40}-?\w{1,40}\s?.*#/, 'a'.repeat(1_000));
  expect(onThreads).toBe(1);
});

test('a thread that has read one reply reads the next, also after one that ran out of time', async () => {
  for (let i = 0; i < 3; i += 1) {
    const read = (source: string, text: string) => matchOnThread({ source, flags: '', text, conversationId: 'c' });
    expect(await Promise.all(['bcb', 'xyz'].map((reply) => read('^(?:b|c)+$', reply)))).toEqual([true, false]);
    const late = read('^(a+)+$', `${'a'.repeat(40)}!`);
    await expect(late).rejects.toMatchObject({ code: 'pattern-limit' });
  }
});

test('hostile replies to one question do not delay a reply to another, and no pattern runs twice for one reply', async () => {
  const started = vi.spyOn(Worker.prototype, 'postMessage');
  const support = agent('support');
  const [slow, other] = [/^(a+)+$/, /^(?:b|c)+$/].map((pattern, i) =>
    support.question(`q${i}`, text('Code?', { pattern }), { onAnswer: (one) => `Got ${one}.` }),
  );
  support.onMessage(({ ask, message }) => ask((message === 'slow' ? slow : other) as NonNullable<typeof slow>));
  const { registry, says } = bare({ agents: [support], settings: { maxAttempts: 1 } });
  const hostile = Array.from({ length: 12 }, (_, i) => `hostile-${i}`);
  await Promise.all([...hostile.map((id) => says(id, 'slow')), says('honest', 'other')]);
  const order: string[] = [];
  const replies = hostile.map((id) => says(id, `${'a'.repeat(40)}!`).then(() => order.push('hostile')));
  const honest = says('honest', 'bcb').then((handled) => {
    order.push('honest');
    return texts(handled);
  });
  expect(await honest).toEqual(['Got bcb.']);
  await Promise.all(replies);
  expect(order.indexOf('honest')).toBeLessThan(6);
  expect(started).toHaveBeenCalledTimes(hostile.length + 1);
  started.mockRestore();
  await registry.stop();
});

test('whoever has used the threads least comes next: hostile replies to the same question delay nobody else', async () => {
  const support = agent('support');
  const code = support.question('code', text('Code?', { pattern: /^(a+)+$/ }), { onAnswer: (one) => `Got ${one}.` });
  support.onMessage(({ ask }) => ask(code));
  const { registry, says } = bare({ agents: [support], settings: { maxAttempts: 1 } });
  const hostile = Array.from({ length: 10 }, (_, i) => `hostile-${i}`);
  await Promise.all([...hostile, 'honest'].map((id) => says(id, 'go')));
  let read = 0;
  const badReply = (id: string) => says(id, `${'a'.repeat(40)}!`).then(() => (read += 1));
  const first = hostile.map(badReply);
  const more = hostile.map(badReply);
  await Promise.all(first);
  const before = read;
  expect(texts(await says('honest', 'aaa'))).toEqual(['Got aaa.']);
  expect(read - before).toBeLessThanOrEqual(5); // what ran already, but not what waited
  await Promise.all(more);
  await registry.stop();
});

test('no conversation holds more than half of the threads', async () => {
  const read = (conversationId: string, text: string) =>
    matchOnThread({ source: '^(a+)+$', flags: '', text, conversationId });
  const order: string[] = [];
  const bad = Array.from({ length: 6 }, () => read('mallory', `${'a'.repeat(40)}!`).catch(() => order.push('bad')));
  await read('anna', 'aaa').then(() => order.push('good'));
  await Promise.all(bad);
  expect(order.indexOf('good')).toBeLessThanOrEqual(2);
});

test('a pattern of many optional parts is bounded too, although it repeats nothing', async () => {
  const pattern = new RegExp(`^${'a?'.repeat(26)}b$`);
  const { onThreads } = await matched(pattern, `${'a'.repeat(26)}!`);
  expect(onThreads).toBe(1);
});

test('a pattern of many alternatives in a row is bounded too', async () => {
  const pattern = new RegExp(`^${'(?:a|aa)'.repeat(25)}$`);
  const { onThreads } = await matched(pattern, `${'a'.repeat(37)}!`);
  expect(onThreads).toBe(1);
});

test('after a stopped pattern the next reply is read as usual', async () => {
  const answers: string[] = [];
  const support = agent('support');
  const code = support.question('code', text('Code?', { pattern: /^(a+)+$/ }), {
    onAnswer: (one) => void answers.push(one),
  });
  support.onMessage(({ ask }) => ask(code));
  const { registry, says } = bare({ agents: [support], settings: { maxAttempts: 1 } });
  await says('c', 'go');
  await says('c', `${'a'.repeat(40)}!`);
  await says('c', 'aaa');
  expect(answers).toEqual(['aaa']);
  await registry.stop();
});

test('an ordinary pattern still reads a long reply', async () => {
  const { answers } = await matched(/^\w+$/, 'a'.repeat(60_000));
  expect(answers[0]).toHaveLength(60_000);
});

test.each([/a/g, /a/y, 'a' as unknown as RegExp])('the pattern %s is refused where it is written', async (pattern) => {
  const error = await thrownBy(() => text('Code?', { pattern }));
  expect(error).toMatchObject({ code: 'bad-option', message: expect.stringContaining('pattern') });
});
