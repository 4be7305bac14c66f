import { describe, expect, test } from 'vitest';
import { agent, choice, choices, confirm, form, number, text } from '../../../src/index.js';
import { rehearse } from '../../../src/testing/index.js';
import { bare, texts, ways } from '../../support/agents.js';

describe.each(ways)('%s', (_, way) => {
  test.each([
    ...['/stop', '/cancel', 'cancel', 'never mind', 'Cancel', 'NEVER MIND.', ' cancel '],
    ...['stop', 'Stop!', 'forget it', 'Cancel, please', 'please stop', "I'd rather not say", 'I’d rather not say.'],
  ])('%j is a decline, not an answer', async (words) => {
    const { agent: support, continued, closed, ordinary } = way();
    const { registry, says } = bare({ agents: [support] });
    await says('c', 'ask');
    const id = (await registry.listAsks()).asks[0]?.id ?? '';
    expect((await says('c', words)).disposition).toEqual({ type: 'declined', askId: id });
    expect(await registry.getAsk(id)).toMatchObject({ status: 'declined', decidedBy: { id: 'web:user' } });
    expect([continued, ordinary, closed]).toEqual([[], [], ['declined']]);
    await registry.stop();
  });

  test('a declined ask is acknowledged in one sentence', async () => {
    const { human, stop } = await rehearse({ agents: [way().agent] });
    const user = human('user');
    await user.says('ask');
    expect(await user.says('cancel')).toEqual(["All right, I'll leave it."]);
    await stop();
  });

  test.each([
    'cancel my subscription',
    'I never mind waiting',
    'stop the delivery',
    'cancel it',
    'I changed my mind',
    'no',
  ])('%j only resembles a decline and is an answer', async (words) => {
    const { agent: support, continued } = way();
    const { human, stop } = await rehearse({ agents: [support] });
    const user = human('user');
    await user.says('ask');
    expect(await user.says(words)).toEqual([`Done: ${words}`]);
    expect(continued).toHaveLength(1);
    await stop();
  });

  test.each(['/help', '/refund 12345', '/status'])('%j is an ordinary message, and the ask stays', async (words) => {
    const { agent: support, ordinary, continued } = way();
    const { human, asks, stop } = await rehearse({ agents: [support] });
    const user = human('user');
    await user.says('ask');
    expect(await user.says(words)).toEqual(['hi']);
    expect([ordinary, continued]).toEqual([[words], []]);
    expect(await asks()).toMatchObject([{ status: 'pending', retries: 0 }]);
    await stop();
  });

  test.each(['/usr/bin/node', '/ 5', '//'])(
    '%j is a path or punctuation, not a command: it is a reply',
    async (words) => {
      const { registry, says } = bare({ agents: [way().agent] });
      await says('c', 'ask');
      expect((await says('c', words)).disposition.type).not.toBe('ordinary');
      await registry.stop();
    },
  );

  test('a decline word without an open ask is an ordinary message', async () => {
    const { agent: support, ordinary } = way();
    const { human, stop } = await rehearse({ agents: [support] });
    expect(await human('user').says('cancel')).toEqual(['hi']);
    expect(ordinary).toEqual(['cancel']);
    await stop();
  });

  test('an empty answer and a cancellation are told apart, over the API too', async () => {
    const { agent: support, closed } = way();
    const { human, asks, registry, stop } = await rehearse({ agents: [support] });
    const user = human('user');
    const by = user.participant;
    await user.says('ask');
    const id = (await asks())[0]?.id ?? '';
    expect(await registry.answer(id, { text: '' }, { by })).toMatchObject({ type: 'invalid' });
    expect(await registry.getAsk(id)).toMatchObject({ status: 'pending', retries: 0 });
    expect(await registry.decline(id, { by })).toMatchObject({ type: 'accepted', ask: { status: 'declined' } });
    expect(closed).toEqual(['declined']);
    await stop();
  });

  test('a message by a program never answers: it is ordinary, and the ask stays pending', async () => {
    const { agent: support, continued, ordinary } = way({ answerableBy: 'anyone' });
    const { registry, says } = bare({ agents: [support] });
    await says('c', 'ask');
    expect((await says('c', 'Build 12345 passed', { automated: true })).disposition).toEqual({ type: 'ordinary' });
    expect([continued, ordinary]).toEqual([[], ['Build 12345 passed']]);
    expect((await registry.listAsks()).asks).toMatchObject([{ status: 'pending', retries: 0 }]);
    await registry.stop();
  });

  test('a message by a program that names the ask does not answer or decline it either', async () => {
    const { agent: support, continued } = way({ answerableBy: 'anyone' });
    const { registry, says } = bare({ agents: [support] });
    await says('c', 'ask');
    const id = (await registry.listAsks()).asks[0]?.id ?? '';
    await says('c', '12345', { automated: true, askId: id });
    await says('c', 'cancel', { automated: true, askId: id });
    expect(continued).toEqual([]);
    expect(await registry.getAsk(id)).toMatchObject({ status: 'pending', retries: 0 });
    await registry.stop();
  });
});

test('what is said with a decline is for the hook, the history and whoever looks it up, and no channel gets it', async () => {
  const support = agent('support');
  const reasons: unknown[] = [];
  const order = support.question('order', text('Which order?'), {
    onAnswer: () => 'ok',
    onClosed: (pending) => {
      reasons.push(pending.reason);
    },
  });
  support.onMessage(({ ask }) => ask(order));
  const { human, asks, registry, stop } = await rehearse({ agents: [support] });
  const user = human('user');
  await user.says('ask');
  const { id = '', conversationId = '' } = (await asks())[0] ?? {};
  const by = user.participant;
  await expect(registry.decline(id, { by, reason: 'x'.repeat(1_001) })).rejects.toThrow(
    'decline(): reason must be a string of at most 1000 characters',
  );
  await registry.decline(id, { by, reason: 'Not my order.' });
  expect(reasons).toEqual(['Not my order.']);
  expect(await registry.getAsk(id)).toMatchObject({ status: 'declined', reason: 'Not my order.' });
  expect(await registry.wait(id)).toMatchObject({ status: 'declined', reason: 'Not my order.' });
  const { items } = await registry.history(conversationId);
  expect(items.find(({ type }) => type === 'decision')).toMatchObject({ reason: 'Not my order.' });
  expect(JSON.stringify((await registry.outputs(conversationId)).outputs)).not.toContain('Not my order.');
  await stop();
});

test('an empty line is no answer and no cancellation: the question is asked again', async () => {
  const support = ways[1]?.[1]();
  const { registry, says } = bare({ agents: support === undefined ? [] : [support.agent] });
  await says('c', 'ask');
  expect(texts(await says('c', ''))[0]).toContain('Which order?');
  expect((await registry.listAsks()).asks).toMatchObject([{ status: 'pending', retries: 1 }]);
  await registry.stop();
});

function asking(question: Parameters<ReturnType<typeof agent>['question']>[1]) {
  const answers: unknown[] = [];
  const support = agent('support');
  const declared = support.question('q', question, {
    onAnswer: (answer) => {
      answers.push(answer);
      return 'noted';
    },
  });
  support.onMessage(({ ask }) => ask(declared));
  return { support, answers };
}

test.each(['no', 'No.', 'n', 'NOPE'])('%j to a confirm is the answer false, not a decline', async (words) => {
  const { support, answers } = asking(confirm('Delete it?'));
  const { human, stop } = await rehearse({ agents: [support] });
  const user = human('user');
  await user.says('go');
  expect(await user.says(words)).toEqual(['noted']);
  expect(answers).toEqual([false]);
  await stop();
});

test.each(['cancel', 'Cancel', 'CANCEL.'])('%j is an answer where it is exactly an option', async (words) => {
  const { support, answers } = asking(choice('What about the order?', ['Ship', 'Cancel']));
  const { human, stop } = await rehearse({ agents: [support] });
  const user = human('user');
  await user.says('go');
  expect(await user.says(words)).toEqual(['noted']);
  expect(answers).toEqual(['Cancel']);
  await stop();
});

test('an option named /stop is an answer, although it looks like a command', async () => {
  const { support, answers } = asking(choice('Which command?', ['/start', '/stop']));
  const { human, stop } = await rehearse({ agents: [support] });
  const user = human('user');
  await user.says('go');
  await user.says('/stop');
  await user.says('go');
  await user.says('/start');
  expect(answers).toEqual(['/stop', '/start']);
  await stop();
});

test.each<[string, Parameters<ReturnType<typeof agent>['question']>[1], string, unknown]>([
  ['an option', choice('What now?', ['Go on', 'Stop']), 'stop', 'Stop'],
  ['an option with polite words', choice('What now?', ['Go on', 'Stop']), 'Stop, please', 'Stop'],
  ['the label of a no', confirm('Go on?', { yes: 'Go on', no: 'Stop' }), 'please stop', false],
  ['one of several options', choices('Which?', ['Start', 'Stop']), 'stop', ['Stop']],
  ['what the pattern asks for', text('Which command?', { pattern: /^(start|stop)$/ }), 'stop', 'stop'],
  ['what a slow pattern asks for', text('Which command?', { pattern: /^(s|t|o|p)+$/ }), 'stop', 'stop'],
  ['a field of a form', form('F', { what: choice('What now?', ['Go on', 'Stop']) }), 'stop please', { what: 'Stop' }],
  ['a pattern of a form', form('F', { what: text('What?', { pattern: /^s.*/ }) }), 'stop', { what: 'stop' }],
])('words that call a question off are an answer where they are %s', async (_, question, words, answer) => {
  const { support, answers } = asking(question);
  const { human, stop } = await rehearse({ agents: [support] });
  const user = human('user');
  await user.says('go');
  expect(await user.says(words)).toEqual(['noted']);
  expect(answers).toEqual([answer]);
  await user.says('go');
  expect(await user.says('forget it')).toEqual(["All right, I'll leave it."]);
  await stop();
});

test.each<[string, Parameters<ReturnType<typeof agent>['question']>[1]]>([
  ['a text with a length', text('Which order?', { minLength: 0, maxLength: 20 })],
  ['a number', number('How many?')],
  ['an open field of a form', form('F', { note: text('Note?') })],
  ['a choice without such an option', choice('Which size?', ['Small', 'Stopgap'])],
  ['a pattern that does not fit', text('Which order?', { pattern: /^\d+$/ })],
])('they decline %s, and count no attempt', async (_, question) => {
  const { support, answers } = asking(question);
  const { human, asks, registry, stop } = await rehearse({ agents: [support] });
  const user = human('user');
  await user.says('go');
  const [{ id } = { id: '' }] = await asks();
  expect(await user.says('stop')).toEqual(["All right, I'll leave it."]);
  expect(await registry.getAsk(id)).toMatchObject({ status: 'declined', retries: 0 });
  expect(answers).toEqual([]);
  await stop();
});

test.each([
  ['de', ['Stopp', 'vergiss es', 'Abbrechen, bitte', 'hat sich erledigt', 'stop', 'Das möchte ich nicht sagen.']],
  ['fr', ['stop', 'laissez tomber', 'Annulez, s’il vous plaît', 'oublie ça', 'arretez', 'tant pis']],
  ['es', ['stop', 'olvídalo', 'Cancelar, por favor', 'dejalo', 'prefiero no responder']],
  ['en', ['stop', 'forget it', 'cancel please', 'never mind, thanks', 'abort']],
])('in %s people decline in their own words', async (locale, replies) => {
  const { support, answers } = asking(text('?!'));
  const { human, registry, stop } = await rehearse({ agents: [support] });
  const user = human('user', { participant: { id: 'web:user', locale } });
  for (const reply of replies) {
    await user.says('go');
    const [ask] = (await registry.listAsks()).asks;
    await user.says(reply);
    expect([reply, (await registry.getAsk(ask?.id ?? ''))?.status]).toEqual([reply, 'declined']);
  }
  expect(answers).toEqual([]);
  await stop();
});
