import { describe, expect, test } from 'vitest';
import { english } from '../../../src/core/wording/english.js';
import type { AskOptions, BaseAgent, Channel, Question } from '../../../src/index.js';
import { AgentRegistry, agent, choice, confirm, text } from '../../../src/index.js';
import { rehearse } from '../../../src/testing/index.js';
import { agentError, bare, inTurn, Probe, thrownBy } from '../../support/agents.js';
import { gate, TestChannel } from '../../support/engine.js';

/** What a refused ask() leaves behind: an error, and nothing else. */
async function refused(question: unknown, options?: unknown) {
  const { error, saw, open } = await inTurn((self) => self.asks(question as string, options as AskOptions));
  expect(open).toEqual([]);
  expect(saw).toEqual([]);
  return agentError(error);
}

test.each([
  ['', 'an empty string'],
  ['   ', '"   "'],
  ['\n\t', String.raw`"\n\t"`],
  ['\u200b', '\u200b'],
  ['\u200c\u200d', '\u200d'],
  ['\u202e', '\u202e'],
])('a blank question %j is refused, and nothing is stored or sent', async (question, came) => {
  const error = await refused(question);
  expect(error.code).toBe('bad-option');
  expect(error.message).toMatch(/question/i);
  expect(error.message).toContain(came);
});

test.each([undefined, null, 5, {}, ['Which?']])(
  'a question that is %j is refused as an AgentError',
  async (question) => {
    const error = await refused(question);
    expect(error.code).toBe('bad-option');
    expect(error.message).toMatch(/question/i);
  },
);

test.each([[() => text('')], [() => confirm(' ')], [() => choice('\u200b', ['a'])]])(
  'a blank question is refused where it is made',
  async (make) => {
    expect((await thrownBy(make)).code).toBe('bad-option');
  },
);

const wrong: readonly (readonly [string, unknown, string])[] = [
  ['expiresIn', 0, '0'],
  ['expiresIn', -1, '-1'],
  ['expiresIn', Number.NaN, 'NaN'],
  ['expiresIn', Number.POSITIVE_INFINITY, 'Infinity'],
  ['expiresIn', Number.MAX_SAFE_INTEGER, '100 years'],
  ['expiresIn', '15 minutes', '"15 minutes"'],
  ['remindAfter', Number.MAX_SAFE_INTEGER, '100 years'],
  ['maxRetries', -1, '-1'],
  ['maxRetries', 1.5, '1.5'],
  ['maxRetries', Number.NaN, 'NaN'],
  ['maxRetries', '2', '"2"'],
  ['onCrash', 'ignore', '"ignore"'],
  ['answerableBy', 'nobody', '"nobody"'],
  ['answerableBy', [], 'empty'],
  ['answerableBy', [''], 'empty'],
  ['effectKey', '', 'empty'],
  ['effectKey', 7, '7'],
  ['effectKey', 'x'.repeat(513), '512'],
  ['maxRetrys', 3, 'maxRetrys'],
];
describe.each(wrong)('%s: %j', (name, value, came) => {
  test('is refused by ask(), with the option and what came', async () => {
    const error = await refused('Which order?', { [name]: value });
    expect(['bad-option', 'bad-message']).toContain(error.code);
    expect(error.message).toContain(name);
    expect(error.message).toContain(came);
  });
});

test.each([0, -5, Number.NaN])(
  'expiresIn %d of a declared question is refused before anything is stored',
  async (expiresIn) => {
    const support = agent('support');
    const errors: unknown[] = [];
    try {
      const order = support.question('order', text('Which?'), { expiresIn, onAnswer: () => {} });
      support.onMessage(({ ask }) => ask(order).catch((error: unknown) => void errors.push(error)));
    } catch (error) {
      errors.push(error); // at the declaration is as good, and earlier
    }
    const { human, asks, stop } = await rehearse({ agents: [support] });
    if (errors.length === 0) expect(await human('user').says('go')).toEqual([]);
    expect(agentError(errors[0])).toMatchObject({
      code: 'bad-option',
      message: expect.stringContaining(`${expiresIn}`),
    });
    expect(await asks()).toEqual([]);
    await stop();
  },
);

const votes = { answerableBy: ['slack:a', 'slack:b'] };

test.each([
  ['quorum below 1', confirm('Go?'), { ...votes, quorum: 0 }, /quorum must be a whole number of at least 1, got 0/],
  [
    'quorum that is no number',
    confirm('Go?'),
    { ...votes, quorum: '2' },
    /quorum must be a whole number of at least 1, got "2"/,
  ],
  ['quorum without answerableBy', confirm('Go?'), { quorum: 2 }, /quorum needs answerableBy/],
  ['quorum of the asker', confirm('Go?'), { quorum: 1, answerableBy: 'asker' }, /quorum needs answerableBy/],
  ['quorum on another type', text('Go?'), { ...votes, quorum: 2 }, /this question is a text/],
  ['quorum of more people than there are', confirm('Go?'), { ...votes, quorum: 3 }, /quorum is 3, .* only 2/],
  ['a doubled person', confirm('Go?'), { answerableBy: ['a', 'a'], quorum: 2 }, /quorum is 2, .* only 1/],
  ['excludeAsker that is no yes or no', confirm('Go?'), { excludeAsker: 'yes' }, /excludeAsker must be true or false/],
  ['links that no link knows', confirm('Go?'), { links: 'answer' }, /links must be 'show' or 'decide'/],
  ['sensitive that is no yes or no', confirm('Go?'), { sensitive: 1 }, /sensitive must be true or false/],
  ['remindAfter 0', confirm('Go?'), { remindAfter: 0 }, /remindAfter must be .* above 0/],
  ['remindAfter of nothing', confirm('Go?'), { remindAfter: [] }, /remindAfter must be/],
  ['remindAfter NaN', confirm('Go?'), { remindAfter: [1_000, Number.NaN] }, /remindAfter must be/],
  ['roles of nobody', confirm('Go?'), { answerableBy: { roles: [] } }, /answerableBy.roles must be a list/],
  [
    'roles and a policy',
    confirm('Go?'),
    { answerableBy: { roles: ['a'], policy: 'b' } },
    /answerableBy must be 'asker'/,
  ],
  ['a policy without a name', confirm('Go?'), { answerableBy: { policy: '' } }, /answerableBy.policy must be the name/],
] as const)('a question with %s is refused when it is declared', async (_, question, options, message) => {
  const error = await thrownBy(() =>
    agent('probe').question('go', question as Question<never>, { ...(options as object), onAnswer: () => undefined }),
  );
  expect(error).toMatchObject({ code: 'bad-option', message: expect.stringMatching(message) });
});

test('a policy that the registry does not have is refused at ask(), and nothing is stored or sent', async () => {
  const error = await refused('Which order?', { answerableBy: { policy: 'four-eyes' } });
  expect(error).toMatchObject({
    code: 'bad-option',
    message: expect.stringMatching(/policy "four-eyes".*Known: none/),
  });
});

test.each([
  [{ policies: { boss: true } }, /policies\.boss must be a function/],
  [{ policies: 'boss' }, /policies must be an object of functions/],
  [{ sortReply: 'other' }, /sortReply must be a function/],
  [{ quietUntil: 22 }, /quietUntil must be a function/],
  [{ languages: {} }, /languages must be a list/],
  [{ languages: [{ locale: 'not a tag' }] }, /languages\[0\]\.locale must be a language tag/],
  [{ languages: [{ locale: 'nl', wording: {}, words: {} }] }, /languages\[0\] \(nl\) must have wording\./],
  [
    { languages: [{ ...english, locale: 'pl', words: { ...english.words, yes: 'tak' } }] },
    /languages\[0\] \(pl\) must have words\.yes, a list of strings, got "tak"/,
  ],
  [
    { languages: [{ ...english, locale: 'pl', wording: { ...english.wording, yes: 'Tak' } }] },
    /languages\[0\] \(pl\) must have wording\.yes, a function, got "Tak"/,
  ],
  [
    { languages: [{ ...english, locale: 'pl', words: { ...english.words, no: ['nie', 'yes'] } }] },
    /languages\[0\] \(pl\) must have a phrase either in words\.yes or in words\.no, got "yes"/,
  ],
])('a registry with %j is refused by name', async (options, message) => {
  const error = await thrownBy(() => new AgentRegistry(options as object));
  expect(error).toMatchObject({ code: 'bad-option', message: expect.stringMatching(message) });
});

test('an unknown option of the registry is refused by name', async () => {
  const error = await thrownBy(() => new AgentRegistry({ agent: [] } as object));
  expect(error).toMatchObject({ code: 'bad-option', message: expect.stringMatching(/\bagent\b.*unknown/) });
});

test('two agents of one name are refused', async () => {
  const error = await thrownBy(() => new AgentRegistry({ agents: [agent('twin'), new Probe(() => ({}), 'twin')] }));
  expect(error).toMatchObject({ code: 'bad-option', message: expect.stringContaining('"twin"') });
});

test('two channels of one name are refused', async () => {
  const channels = [new TestChannel('phone'), new TestChannel('phone')];
  const error = await thrownBy(() => new AgentRegistry({ channels }));
  expect(error).toMatchObject({ code: 'bad-option', message: expect.stringContaining('"phone"') });
});

test('two questions of one name are refused', async () => {
  const support = agent('support');
  const declare = () => support.question('order', text('Which?'), { onAnswer: () => {} });
  declare();
  expect(await thrownBy(declare)).toMatchObject({ code: 'bad-option', message: expect.stringContaining('"order"') });
});

test.each(['handle', '@forward'])('the channel name %j is reserved', async (name) => {
  const error = await thrownBy(() => new AgentRegistry({ channels: [new TestChannel(name)] }));
  expect(error).toMatchObject({ code: 'bad-option', message: expect.stringContaining(name) });
});

test.each([[{}], [null], ['support'], [class {}]])('what is no agent is refused: %j', async (thing) => {
  const error = await thrownBy(() => new AgentRegistry({ agents: [thing as unknown as BaseAgent] }));
  expect(error).toMatchObject({ code: 'bad-option', message: expect.stringContaining('agents[0]') });
});

test.each([[{}], [null], [{ name: 'x' }]])('what is no channel is refused at the call: %j', async (thing) => {
  const error = await thrownBy(() => new AgentRegistry({ channels: [thing as unknown as Channel] }));
  expect(error.message).toContain('channels[0]');
});

test.each([
  ['slack', 'got "slack". Make one and pass it: new TerminalChannel() of askback'],
  [undefined, 'got nothing. Make one and pass it'],
  [TestChannel, 'It is a class or a function: pass new TestChannel(…)'],
])('the name or the class of a channel in place of one: it is told what to write', async (thing, told) => {
  const error = await thrownBy(() => new AgentRegistry({ channels: [thing as unknown as Channel] }));
  expect(error).toMatchObject({ code: 'bad-option', message: expect.stringContaining(told) });
});

test('askAndWait() says that it takes no declared question, and what to do', async () => {
  const shop = agent('shop');
  const order = shop.question('order', text('Which?'), { onAnswer: () => {} });
  const registry = new AgentRegistry({ agents: [shop], channels: [new TestChannel()] });
  await expect(registry.askAndWait(order as never, { channel: 'test', conversationId: 'c' })).rejects.toMatchObject({
    code: 'bad-option',
    message: expect.stringContaining('Ask with registry.ask()'),
  });
  await registry.stop();
});

test('a question declared by another agent is refused, and nothing is stored', async () => {
  const foreign = agent('other').question('order', text('Which?'), { onAnswer: () => {} });
  const error = await refused(foreign);
  expect(error).toMatchObject({ code: 'unknown-question', message: expect.stringContaining('"order"') });
});

test('a confirm asked inline is refused at run time too: an untyped "no" is truthy', async () => {
  const error = await refused(confirm('Delete it?') as unknown as Question<string>);
  expect(error).toMatchObject({ code: 'bad-option', message: expect.stringContaining('question()') });
});

test('sendTo() an unknown channel is refused with the name and the known ones', async () => {
  const { error, saw } = await inTurn((self) => self.tells('telegraph', 'stop'));
  expect(agentError(error)).toMatchObject({ code: 'unknown-channel', message: expect.stringContaining('"telegraph"') });
  expect(agentError(error).message).toContain('rehearsal');
  expect(saw).toEqual([]);
});

test('ask() via an unknown channel is refused, and nothing is stored', async () => {
  const error = await refused('Which?', { via: { channel: 'telegraph', conversationId: 'c' } });
  expect(error).toMatchObject({ code: 'unknown-channel', message: expect.stringContaining('telegraph') });
});

test('a message for an agent that no process has is kept, and parked with its code after a while', async () => {
  const { human, registry, clock, stop } = await rehearse({
    agents: [agent('support')],
    route: () => 'nobody',
    failures: 'collect',
  });
  await human('user').says('hello');
  expect((await registry.parked()).items).toEqual([]);
  await clock.advance(700_000);
  const [parked] = (await registry.parked()).items;
  expect(parked?.failure).toMatchObject({ code: 'unknown-agent', message: expect.stringContaining('"nobody"') });
  await stop();
});

test('ask() after its turn has ended is an error, and nothing is stored or sent', async () => {
  const later = gate();
  const thrown: Promise<{ code: string; message: string }>[] = [];
  const probe = new Probe((self) => {
    thrown.push(thrownBy(() => later.passed.then(() => self.asks('Too late?'))));
    return { output: 'bye' };
  });
  const { human, asks, clock, stop } = await rehearse({ agents: [probe] });
  const user = human('user');
  expect(await user.says('go')).toEqual(['bye']);
  later.open();
  expect(await thrown[0]).toMatchObject({ code: 'turn-ended', message: expect.stringContaining('ask()') });
  await clock.advance(60_000);
  expect([user.sees(), await asks()]).toEqual([[], []]);
  await stop();
});

// "`ask()` after its turn has ended (floating promise, timer) is an error, not lost silently."
test("the ask of one turn, kept and called in another conversation's turn, is an error and asks nobody (157)", async () => {
  const support = agent('support');
  let kept: ((question: string) => Promise<unknown>) | undefined;
  const errors: unknown[] = [];
  support.onMessage(async ({ conversationId, ask }) => {
    if (conversationId === 'one') kept = ask;
    else await kept?.('A question for one?').catch((error: unknown) => errors.push(error));
  });
  const { registry, says } = bare({ agents: [support] });
  await says('one', 'go');
  await says('two', 'go');
  expect((await registry.listAsks()).asks).toEqual([]);
  expect(agentError(errors[0]).code).toBe('turn-ended');
  await registry.stop();
});

test.each<[string, object, string]>([
  ['an agent', { agents: [unreadable()] }, 'AgentRegistry: agents cannot be read: no. Give plain data.'],
  ['a channel', { channels: [unreadable()] }, 'AgentRegistry: channels cannot be read: no. Give plain data.'],
  ['a store', { store: unreadable() }, 'AgentRegistry: store cannot be read: no. Give plain data.'],
  ['the options themselves', unreadable(), 'AgentRegistry: the options cannot be read: no. Give plain data.'],
])('%s that throws when it is looked at is refused by name', async (_, options, message) => {
  const error = await thrownBy(() => new AgentRegistry(options));
  expect(error).toMatchObject({ code: 'bad-option', message });
});

function unreadable(): object {
  const refuses = (): never => {
    throw new Error('no');
  };
  return new Proxy({}, { get: refuses, has: refuses, ownKeys: refuses });
}
