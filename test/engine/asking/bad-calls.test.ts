/** Whoever calls a registry wrongly is told what was expected and what came, and nothing is recorded or shown. */
import { describe, expect, test } from 'vitest';
import { ScheduledChannel } from '../../../src/channels/scheduled.js';
import type { AgentInput } from '../../../src/index.js';
import {
  AgentError,
  AgentRegistry,
  agent,
  BaseAgent,
  choice,
  choices,
  confirm,
  date,
  email,
  MemoryStore,
  number,
  TerminalChannel,
  text,
} from '../../../src/index.js';
import { RedisStore } from '../../../src/stores/redis/index.js';
import { rehearse } from '../../../src/testing/index.js';
import { McpChannel } from '../../../src/tools/mcp/channel.js';
import { agentError, inTurn, thrownBy } from '../../support/agents.js';
import { heard, settle, TestChannel, world } from '../../support/engine.js';

/** A registry with one open question, which Ann was asked. */
async function asked() {
  const here = world();
  const phone = new TestChannel();
  const support = agent('support');
  const answers: unknown[] = [];
  const order = support.question('order', text('Which order?', { pattern: /^\d+$/ }), {
    onAnswer: (answer) => void answers.push(answer),
  });
  support.onMessage(({ ask }) => ask(order));
  const registry = await here.replica({ agents: [support], channels: [phone] });
  await here.says(phone, 'refund');
  const id = (await registry.listAsks()).asks[0]?.id as string;
  return { ...here, registry, phone, id, answers };
}

// biome-ignore lint/suspicious/noExplicitAny: what no type allows
type Wrong = any;

describe('likely mistakes are told what to write instead', () => {
  type Call = (registry: AgentRegistry, id: string) => Promise<unknown>;
  const mistakes: readonly (readonly [string, Call, string])[] = [
    [
      'an answer that is a bare text',
      (registry, id) => registry.answer(id, '123' as Wrong),
      `answer(): the answer must be an object such as { text: 'yes' } or { value: true }, got "123".`,
    ],
    [
      'a person where the options belong',
      (registry, id) => registry.answer(id, { text: '123' }, 'phone:ann' as Wrong),
      `answer(): the options must be an object such as { by: { id: 'web:4711' } }, got "phone:ann".`,
    ],
    [
      'a user that is missing',
      (registry, id) => registry.answer(id, { text: '123' }, { by: undefined as Wrong }),
      'answer(): by must be a participant with an id, got nothing. Leave it out if nobody in particular is meant.',
    ],
    [
      'a user that is null',
      (registry, id) => registry.decline(id, { by: null as Wrong }),
      'decline(): by must be a participant with an id, got null. Leave it out if nobody in particular is meant.',
    ],
    [
      'a user without an id',
      (registry, id) => registry.decline(id, { by: {} as Wrong }),
      'decline(): by.id must be a non-empty string, got nothing.',
    ],
    [
      'a missing user to look for',
      (registry, id) => registry.getAsk(id, { for: undefined as Wrong }),
      'getAsk(): for must be a participant with an id, got nothing. Leave it out if nobody in particular is meant.',
    ],
    [
      'a missing user to list for',
      (registry) => registry.listAsks({ for: undefined as Wrong }),
      'listAsks(): for must be a participant with an id, got nothing. Leave it out if nobody in particular is meant.',
    ],
    [
      'a missing conversation to list',
      (registry) => registry.listAsks({ conversationId: undefined as Wrong }),
      'listAsks(): conversationId must be a string, got nothing. Leave it out to list all.',
    ],
    [
      'a missing participant to list',
      (registry) => registry.listAsks({ participantId: undefined as Wrong }),
      'listAsks(): participantId must be a string, got nothing. Leave it out to list all.',
    ],
    [
      'an answer by text and by value',
      (registry, id) => registry.answer(id, { text: '123', value: '456' } as Wrong),
      'answer(): both text and value are given. Give text for what a person typed, or value for what a control gave.',
    ],
    [
      'a conversation and a participant to erase',
      (registry) => registry.erase({ conversationId: 'c1', participantId: 'phone:ann' }),
      'erase(): both conversationId and participantId are given, and nothing was erased. Erase one, then the other.',
    ],
    [
      'a misspelt field of a message',
      (registry) => registry.handle({ id: '1', conversationId: 'c1', text: '1', particpant: { id: 'x' } } as Wrong),
      "A message's field particpant is unknown. Did you mean participant? Known are id, conversationId, text, participant, address, thread, askId, choice, value, intent, data, automated, wordless, prepared, sentAt, tellsProblem.",
    ],
    [
      'a question without a place',
      (registry) => registry.ask('Deploy?', undefined as Wrong),
      "ask(): the options must be an object such as { channel: 'terminal' }, got nothing.",
    ],
    [
      'a wait for nowhere',
      (registry) => registry.askAndWait('Deploy?', undefined as Wrong),
      "askAndWait(): the options must be an object such as { channel: 'terminal' }, got nothing.",
    ],
    [
      'a channel that is not there, of a wait',
      (registry) => registry.askAndWait('Deploy?', { channel: 'telephone' }),
      'askAndWait(): channel is "telephone", but no channel of that name is registered. Registered: phone.',
    ],
    [
      'a misspelt option of a wait',
      (registry) => registry.askAndWait('Deploy?', { channel: 'phone', conversationId: 'c9', maxRetrys: 1 } as Wrong),
      'askAndWait(): the option maxRetrys is unknown. Did you mean maxRetries? Known are channel, to, conversationId, asker, timeout, keep, signal, keepAlive, context, details, maxRetries, retryText, expiresIn, answerableBy, quorum, excludeAsker, sensitive, links, mail, remindAfter, effectKey, onCrash, notify, escalate.',
    ],
    [
      'an answer with nothing in it',
      (registry, id) => registry.answer(id, {} as Wrong),
      "answer(): the answer must have text, what a person typed, or value, what a control gave, such as { text: 'yes' } or { value: true }, got an object with nothing in it.",
    ],
    [
      'an answer by another name',
      (registry, id) => registry.answer(id, { txt: 'yes' } as Wrong),
      'answer(): the field txt is unknown. Did you mean text? Known are text, value.',
    ],
    [
      'an answer with a field that nobody knows beside the text',
      (registry, id) => registry.answer(id, { kind: 'open', text: '123' } as Wrong),
      'answer(): the field kind is unknown. Known are text, value.',
    ],
    [
      'an answer with a field that nobody knows beside the value',
      (registry, id) => registry.answer(id, { value: '123', index: 0 } as Wrong),
      'answer(): the field index is unknown. Known are text, value.',
    ],
    [
      'a channel that is not there',
      (registry) => registry.ask('Deploy?', { channel: 'telephone' }),
      'ask(): channel is "telephone", but no channel of that name is registered. Registered: phone.',
    ],
    [
      'a conversation that is a number',
      (registry) => registry.ask('Deploy?', { channel: 'phone', conversationId: 7 as Wrong }),
      'ask(): conversationId must be a non-empty string, got 7.',
    ],
    [
      'an address that cannot be stored',
      (registry) => registry.ask('Deploy?', { channel: 'phone', conversationId: 'c9', to: { room: 7n } as Wrong }),
      'to.room is bigint: only plain data can be stored. Expected plain JSON data.',
    ],
    [
      'no channel',
      (registry) => registry.ask('Deploy?', {} as Wrong),
      'ask(): channel must be the name of a registered channel, got nothing.',
    ],
    [
      'no question',
      (registry) => registry.ask(undefined as Wrong, { channel: 'phone', to: 'c9' }),
      'A question needs a string that people can read, got nothing.',
    ],
    [
      'a bare number of milliseconds',
      (registry, id) => registry.wait(id, 5_000 as Wrong),
      'wait(): the options must be an object such as { timeout: 5000 }, got 5000.',
    ],
    [
      'milliseconds that are a text',
      (registry, id) => registry.wait(id, { timeout: '5s' as Wrong }),
      'wait(): timeout must be a number of milliseconds above 0 (Infinity to wait for ever), got "5s".',
    ],
    [
      'an object to wait for',
      (registry, id) => registry.wait({ askId: id } as Wrong),
      'wait(): askId must be a string, got an object.',
    ],
    [
      'a bare id to erase',
      (registry) => registry.erase('c1' as Wrong),
      'erase(): what is erased must be an object with a conversationId or a participantId, got "c1".',
    ],
    [
      'nothing to cancel',
      (registry) => registry.cancel(undefined as Wrong),
      'cancel() must be given the id of an ask, or a conversationId, got nothing.',
    ],
    [
      'a cursor that is a number',
      (registry) => registry.listAsks({ cursor: 2 as Wrong }),
      'cursor 2 is none. Give the one of the page before, or none.',
    ],
    [
      'a page that is a number',
      (registry) => registry.history('c1', 2 as Wrong),
      'history(): the options must be an object such as { limit: 100 }, got 2.',
    ],
    [
      'no message',
      (registry) => registry.handle(undefined as Wrong),
      'A message must be an object with id, conversationId and text, got nothing.',
    ],
  ];
  test.each(mistakes)('%s', async (_, call, message) => {
    const { registry, id, answers, phone } = await asked();
    expect(agentError(await thrownBy(() => call(registry, id))).message).toBe(message);
    await settle();
    expect([answers, phone.texts(), (await registry.listAsks()).asks.length]).toEqual([[], ['Which order?'], 1]);
    await registry.stop();
  });
});

const refuses = (): never => {
  throw new TypeError('nobody reads this');
};
const closed: Wrong = new Proxy(
  {},
  { get: refuses, has: refuses, ownKeys: refuses, getOwnPropertyDescriptor: refuses },
);
const revoked = Proxy.revocable({}, {});
revoked.revoke();
/** An object with these fields, each of which throws when it is read. */
const throwing = (...names: readonly string[]): Wrong =>
  Object.defineProperties({}, Object.fromEntries(names.map((name) => [name, { get: refuses, enumerable: true }])));

const garbage: readonly Wrong[] = [
  ...[closed, revoked.proxy, throwing('id'), throwing('text'), throwing('value'), throwing('by'), throwing('for')],
  ...[
    throwing('conversationId'),
    throwing('participantId'),
    throwing('limit'),
    throwing('cursor'),
    throwing('channel'),
  ],
  ...[throwing('timeout'), throwing('signal'), throwing('then'), { by: closed }, { by: throwing('id', 'name') }],
  ...[{ value: throwing('a') }, { text: closed }, { type: closed, text: 'x' }, { channel: 'phone', to: throwing('a') }],
  ...[undefined, null, 0, Number.NaN, '', 'x', 10n, Symbol('s'), () => {}, [], {}, new Date(Number.NaN)],
  ...[Object.create(null), { id: 5 }, { id: '' }, { by: {} }, { by: null }, { by: 'x' }, { by: { id: 7 } }, { for: 7 }],
  ...[{ conversationId: 7 }, { conversationId: '' }, { participantId: [] }, { text: 7 }, { value: 10n }, { limit: -1 }],
  ...[{ limit: 'x' }, { cursor: 5 }, { cursor: 'no such' }, { channel: 7 }, { channel: 'no such' }, { timeout: 0 }],
];

const methods = [
  ...['handle', 'ask', 'askAndWait', 'wait', 'answer', 'use', 'decline', 'cancel', 'getAsk', 'listAsks', 'history'],
  ...['retry', 'erase', 'recoverPending'],
] as const;
test.each(methods)('%s() of anything at all is answered, or refused by an AgentError', async (method) => {
  const { registry, id, advance } = await asked();
  const call = (registry[method as 'use'] as (...args: Wrong[]) => Promise<unknown>).bind(registry);
  const calls: Wrong[][] = [];
  for (const one of garbage) {
    calls.push([one]);
    for (const first of [id, 'c1', 'Which?', one]) calls.push([first, one], [first, { text: 'x' }, one]);
  }
  const ends = calls.map((args) => call(...args).catch((error: unknown) => error));
  await advance(20 * 60_000); // who waits for what is open gives up
  for (const end of await Promise.all(ends)) if (end instanceof Error) expect(end).toBeInstanceOf(AgentError);
  await registry.stop();
});

test('a message that cannot be read is refused as such, the operator hears of it, and nothing is recorded', async () => {
  const { registry, phone } = await asked();
  const rejected = heard(registry, 'rejected');
  const sent = { id: 'm', conversationId: 'c2', participant: { id: 'phone:ann' } };
  const unreadable = [closed, Object.defineProperty({ ...sent }, 'text', { get: refuses, enumerable: true })];
  for (const message of unreadable) {
    const error = agentError(await thrownBy(async () => phone.desk?.receive(message)));
    expect([error.code, error.message]).toEqual([
      'bad-message',
      'A message cannot be read: nobody reads this. Give plain data.',
    ]);
  }
  const data = await thrownBy(async () => phone.desk?.receive({ ...sent, text: 'hi', data: throwing('a') }));
  expect(agentError(data).message).toBe("A message's data cannot be read: nobody reads this. Give plain data.");
  expect(rejected).toHaveLength(3);
  expect((await registry.history('c2')).items).toEqual([]);
  await registry.stop();
});

test('a field of a message that changes when it is read again is recorded as it was checked', async () => {
  const { registry, phone } = await asked();
  let reads = 0;
  const message = { id: 'm', conversationId: 'c2', participant: { id: 'phone:ann' } };
  Object.defineProperty(message, 'text', { get: () => (reads++ === 0 ? 'hi' : 7), enumerable: true });
  expect(await phone.desk?.receive(message as Wrong)).toBe('recorded');
  await settle();
  expect((await registry.history('c2')).items[0]).toMatchObject({ text: 'hi' });
  await registry.stop();
});

test('a message of anything at all is recorded, or refused by an AgentError', async () => {
  const { registry, phone, advance } = await asked();
  const fields = ['id', 'conversationId', 'text', 'participant', 'address', 'askId', 'choice', 'intent', 'data'];
  const messages: Wrong[] = [...garbage];
  for (const one of garbage)
    for (const field of fields) messages.push({ id: 'm', conversationId: 'c2', text: 'hi', [field]: one });
  for (const message of messages) {
    const end = await phone.desk?.receive(message).catch((error: unknown) => error);
    if (end instanceof Error) expect(end).toBeInstanceOf(AgentError);
  }
  await advance(20 * 60_000);
  expect((await registry.parked()).items).toEqual([]);
  await registry.stop();
});

describe('every field of a message is measured, and nothing of a message that is too large is recorded', () => {
  const circular: Wrong = { id: 'phone:ann' };
  circular.self = circular;
  const long = 'x'.repeat(100_000);
  const large: readonly (readonly [object, string])[] = [
    [{ id: long }, "A message's id is 100000 bytes long, at most 512 are accepted."],
    [{ askId: long }, "A message's askId is 100000 bytes long, at most 512 are accepted."],
    [{ intent: long }, "A message's intent is 100000 bytes long, at most 512 are accepted."],
    [{ data: long }, "A message's data is 100002 bytes as JSON, at most 65536 are stored."],
    [{ address: long }, "A message's address is 100002 bytes as JSON, at most 65536 are stored."],
    [{ automated: 'no' }, 'A message\'s automated must be true or false, got "no".'],
    [{ [long]: 1 }, "A message's field xxx"],
    [{ participant: { id: long } }, "A message's participant.id is 100000 bytes long, at most 512 are accepted."],
    [{ participant: { id: 'a', name: long } }, "A message's participant.name is 100011 bytes as JSON, at most 512"],
    [{ participant: { id: 'a', locale: long } }, "A message's participant.locale is 100013 bytes as JSON, at most 512"],
    [{ participant: { id: 'a', tenant: long } }, "A message's participant.tenant is 100013 bytes as JSON, at most 512"],
    [{ participant: { id: 'a', roles: [long] } }, "A message's participant.roles is 100014 bytes as JSON, at most"],
    [{ participant: { id: 'a', badge: long } }, "A message's participant.badge is 100012 bytes as JSON, at most 2048"],
    [
      { participant: { id: 'a', ...Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`f${i}`, 1])) } },
      "A message's participant.fields are too many: at most 20 are stored.",
    ],
    [{ participant: circular }, "A message's participant.self cannot be stored as JSON: "],
  ];
  test.each(large)('a message that is too large is refused with the field and its size (%#)', async (more, message) => {
    const { registry, phone } = await asked();
    const sent = { id: 'm1', conversationId: 'c7', text: 'hi', ...more } as Wrong;
    const error = agentError(await thrownBy(async () => phone.desk?.receive(sent)));
    expect(error.code).toMatch(/^bad-(message|data)$/);
    expect(error.message).toContain(message);
    expect(error.message.length).toBeLessThan(400);
    expect((await registry.history('c7')).items).toEqual([]);
    await registry.stop();
  });

  test('a person who refers to themselves is refused by calls and identify as well', async () => {
    const { registry, id } = await asked();
    const error = agentError(await thrownBy(() => registry.answer(id, { text: '7' }, { by: circular })));
    expect(error.message).toContain('answer(): by.self cannot be stored as JSON: ');
    await registry.stop();
  });
});

describe('a person', () => {
  const wrong: readonly (readonly [object, string])[] = [
    [{ roles: 'boss' }, 'roles must be a list of strings, got "boss"'],
    [{ roles: ['clerk', 7] }, 'roles must be a list of strings, got a list'],
    [{ locale: 5 }, 'locale must be a string, got 5'],
    [{ tenant: {} }, 'tenant must be a string, got an object'],
    [{ name: ['Ann'] }, 'name must be a string, got a list'],
  ];
  test.each(wrong)('who is %j is refused wherever they are named', async (more, damage) => {
    const { registry, phone, id, says } = await asked();
    const who = { id: 'phone:ann', ...more } as Wrong;
    const refusals = [
      await says(phone, 'hi', { participant: who }).catch((error: unknown) => error),
      await registry.answer(id, { text: '7' }, { by: who }).catch((error: unknown) => error),
      await registry.listAsks({ for: who }).catch((error: unknown) => error),
    ];
    expect(refusals.map((error) => agentError(error).message)).toEqual([
      `A message's participant.${damage}.`,
      `answer(): by.${damage}.`,
      `listAsks(): for.${damage}.`,
    ]);
    expect((await registry.getAsk(id))?.status).toBe('pending');
    await registry.stop();
  });

  test.each(wrong)('whom identify makes %j is not let in', async (more, damage) => {
    const { replica, says } = world();
    const phone = new TestChannel();
    const identify = ({ id }: { id: string }) => ({ id, ...more }) as Wrong;
    const registry = await replica({ agents: [agent('a').onMessage(() => 'Hello.')], channels: [phone], identify });
    const parked = heard(registry, 'parked');
    await says(phone, 'hi');
    expect(parked[0]?.failure.message).toContain(`identify() must return a participant: its ${damage}.`);
    await registry.stop();
  });

  test('of whom something is not known, as a database says it, is asked and answers like anybody else', async () => {
    const { replica, says, advance } = world();
    const phone = new TestChannel();
    const support = agent('support');
    const people: unknown[] = [];
    const order = support.question('order', text('Which order?', { pattern: /^\d+$/ }), {
      onAnswer: (answer, { pending }) => {
        people.push(pending.decidedBy);
        return `Looking at ${answer}.`;
      },
    });
    support.onMessage(({ ask }) => ask(order));
    const registry = await replica({ agents: [support], channels: [phone] });
    const participant = { id: 'phone:ann', name: null, roles: null, tenant: null, locale: null, since: null } as Wrong;
    await says(phone, 'refund', { participant });
    await says(phone, '12345', { participant });
    await advance(60_000);
    expect(phone.texts()).toEqual(['Which order?', 'Looking at 12345.']);
    expect(people).toEqual([{ id: 'phone:ann', since: null }]);
    await registry.stop();
  });
});

test.each([
  ['sendTo', 'sendTo(): the message must be a string, got 42. Nothing was said.'],
  ['progress', 'progress(): the message must be a string, got 42. Nothing was said.'],
] as const)(
  'an agent that says a number with %s() is told so, not only when the turn is saved',
  async (how, message) => {
    const { replica, says } = world();
    const phone = new TestChannel();
    class Clerk extends BaseAgent {
      readonly name = 'clerk';
      async invokeAgent(_input: AgentInput) {
        if (how === 'sendTo') await this.sendTo('phone', 42 as Wrong);
        else this.progress(42 as Wrong);
        return { output: 'not reached' };
      }
    }
    const registry = await replica({ agents: [new Clerk()], channels: [phone] });
    const parked = heard(registry, 'parked');
    await says(phone, 'hi');
    expect(parked).toMatchObject([{ attempts: 1, failure: { code: 'bad-data', message } }]);
    await registry.stop();
  },
);

test.each([7, '', null, {}])('a channel that finds the conversation %j is named', async (found) => {
  const { registry, phone } = await asked();
  phone.conversationFor = () => found as Wrong;
  const error = agentError(await thrownBy(() => registry.ask('Deploy?', { channel: 'phone', to: 7 })));
  expect(error.message).toMatch(
    /^ask\(\): what conversationFor\(\) of channel phone returns must be a non-empty string, got /,
  );
  expect((await registry.listAsks()).asks).toHaveLength(1);
  await registry.stop();
});

test('a rehearsal tells options that it does not know, and those that it has itself', async () => {
  await expect(rehearse({ agent: [] } as Wrong)).rejects.toThrow(
    'rehearse(): the option agent is unknown. Did you mean agents?',
  );
  await expect(rehearse({ store: new MemoryStore() } as Wrong)).rejects.toThrow(
    'rehearse(): store must be left out, got an object. A rehearsal has its own.',
  );
  const { human, crash, stop } = await rehearse({ agents: [agent('a')] });
  expect(() => human('ann', { conversation: 'team' } as Wrong)).toThrow('human(): the option conversation is unknown.');
  await expect(human('ann').says('hello', { intend: 'refund' } as Wrong)).rejects.toThrow(
    'says(): the option intend is unknown. Did you mean intent?',
  );
  expect(() => crash('decison' as Wrong)).toThrow(
    'crash(): the step decison is unknown. Did you mean decision? Known are take, decision, effect, save, sent.',
  );
  await stop();
});

test.each([null, 5, 'x'])('options of this.ask() that are %j are refused', async (options) => {
  const { error, open } = await inTurn((self) => self.asks('Which?', options as Wrong));
  expect(agentError(error)).toMatchObject({
    code: 'bad-option',
    message: expect.stringContaining('must be an object'),
  });
  expect(open).toEqual([]);
});

test.each([
  [() => choice('Which?', { options: ['a'] } as Wrong), 'got an object'],
  [() => choice('Which?', []), 'choice("Which?") needs a list of at least one option, got an empty list.'],
  [
    () => agent('a').question('sure', confirm('Sure?'), { onAnsewr: () => 'Done.' } as Wrong),
    'question("sure"): the option onAnsewr is unknown. Did you mean onAnswer? Known are context, ',
  ],
  [
    () => agent('a').question('sure', confirm('Sure?'), { onAnswer: () => 'Done.', maxRetries: -1 }),
    'question("sure"): maxRetries must be a whole number of at least 0, got -1.',
  ],
  [
    () => agent('a').question('size', text('Size?'), { onAnswer: () => 'Done.', quorum: 2, answerableBy: 'anyone' }),
    'question("size"): quorum counts the yes and no of a confirm',
  ],
  [
    () => agent('a').question('sure', confirm('Sure?'), 'Done.' as Wrong),
    'question("sure"): the options must be an object such as { onAnswer: (answer) => \'Thank you.\' }, got "Done.".',
  ],
  [
    () => new AgentRegistry().on('answerd' as Wrong, () => {}),
    'on(): the event answerd is unknown. Did you mean answered? Known are asked, reminded, ',
  ],
  [
    () => new AgentRegistry().on('answered', null as Wrong),
    "on('answered'): the listener must be a function, got null.",
  ],
  [
    () => new AgentRegistry({ settings: { lease: 1_000, renewal: 900 } }),
    'AgentRegistry: settings.renewal (900) must be at most half of the lease (1000), so that one failed renewal loses nothing.',
  ],
  [
    () => new McpChannel({ nme: 'mcp' } as Wrong),
    'McpChannel: the option nme is unknown. Did you mean name? Known are name.',
  ],
  [() => new McpChannel({ name: '' }), 'McpChannel: name must be a non-empty string, got an empty string.'],
  [() => new AgentRegistry(null as Wrong), 'AgentRegistry: the options must be an object'],
  [
    () => new AgentRegistry({ agents: agent('a') as Wrong }),
    'AgentRegistry: agents must be a list, got an object. Put it in [ ].',
  ],
  [() => new AgentRegistry({ channels: 5 as Wrong }), 'AgentRegistry: channels must be a list, got 5.'],
  [
    () => new RedisStore(undefined as Wrong),
    "RedisStore: the options must be an object such as { url: 'redis://localhost:6379' }, got nothing.",
  ],
  [
    () => text('Order?', /^\d+$/ as Wrong),
    'text(): the options must be an object such as { pattern: /^[0-9]+$/ }, got a RegExp.',
  ],
  [
    () => text('Order?', { patern: /^\d+$/ } as Wrong),
    'text(): the option patern is unknown. Did you mean pattern? Known are pattern, match, minLength, maxLength, example.',
  ],
  [() => text('Order?', null as Wrong), 'text(): the options must be an object'],
  [
    () => confirm('Sure?', 'Yes' as Wrong),
    "confirm(): the options must be an object such as { yes: 'Pay', no: 'Wait' }, got \"Yes\".",
  ],
  [
    () => number('How many?', [1, 5] as Wrong),
    'number(): the options must be an object such as { min: 1, integer: true }, got a list.',
  ],
  [
    () => date('When?', { from: '2026-01-01' } as Wrong),
    'date(): the option from is unknown. Known are time, min, max, example.',
  ],
  [() => email('Where?', null as Wrong), 'email(): the options must be an object'],
  [
    () => choice('Which?', ['a', 'b'], true as Wrong),
    'choice("Which?"): the options must be an object such as { other: true }, got true.',
  ],
  [
    () => choices('Which?', ['a', 'b'], { least: 1 } as Wrong),
    'choices("Which?"): the option least is unknown. Known are min, max.',
  ],
  [() => choice(10n as Wrong, ['a', 'b']), 'A question needs a string that people can read, got a bigint.'],
  [
    () => agent('a', { prompt: 'You help.' } as Wrong),
    'agent(): the option prompt is unknown. Known are systemPrompt, model, tools.',
  ],
  [() => new MemoryStore(null as Wrong), 'MemoryStore: the options must be an object such as { clock }, got null.'],
  [() => new TerminalChannel({ conversation: 'ann' } as Wrong), 'TerminalChannel: the option conversation is unknown.'],
  [() => new ScheduledChannel(undefined as Wrong), 'ScheduledChannel: the options must be an object such as { jobs: '],
  [() => new AgentRegistry({ settings: null as Wrong }), 'settings must be an object such as { turns: 20 }, got null.'],
  [
    () => new AgentRegistry({ settings: { lease: 10n as Wrong } }),
    'settings.lease must be a whole number of milliseconds from 1 to 2147483647, got a bigint.',
  ],
  [
    () => new AgentRegistry({ settings: { lease: 2 ** 31 } }), // calls of the store are limited by it, and a longer timer ends at once
    'settings.lease must be a whole number of milliseconds from 1 to 2147483647, got 2147483648.',
  ],
  [
    () => new AgentRegistry({ settings: { backOff: [5, -1] } }),
    'settings.backOff[1] must be a whole number of milliseconds from 1 to 1073741823, got -1.',
  ],
  [
    () => new AgentRegistry({ newId: () => undefined as Wrong }),
    'newId must return a string that is never given again, got nothing.',
  ],
])('what cannot be made is refused where it is made: %s', (make, message) => {
  expect(make).toThrow(AgentError);
  expect(make).toThrow(message);
});
