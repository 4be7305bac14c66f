/** What an author is given is theirs: whatever they make of it, what is stored is what people said. */
import { describe, expect, test } from 'vitest';
import { bucketOf, bucketOfId } from '../../../src/core/ids.js';
import type { AgentInput, AnswerType, OutgoingMessage, Question } from '../../../src/index.js';
import { agent, BaseAgent, choice, choices, confirm, form, number } from '../../../src/index.js';
import { heard, minute, settle, TestChannel, world } from '../../support/engine.js';

type Options = NonNullable<Parameters<ReturnType<typeof world>['replica']>[0]>;
type Spoils = (given: unknown) => void;

/** The store keeps the very objects that it is given, frozen: none of them may be given away. */
const isOwn: Spoils = (given) => {
  const seen = new Set<object>();
  const go = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null || seen.has(value)) return;
    seen.add(value);
    expect(
      `${path} ${Object.isFrozen(value) && Object.keys(value).length > 0 ? 'is what is stored' : 'is a copy'}`,
    ).toBe(`${path} is a copy`);
    for (const key of Object.keys(value)) go(Reflect.get(value, key), `${path}.${key}`);
  };
  go(given, 'it');
};

const leaves: Spoils = () => {};

/** Does to every object it can reach what makes it another one, and nothing that could be stored. */
const spoils: Spoils = (given) => {
  const seen = new Set<object>();
  const go = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || seen.has(value)) return;
    if (value instanceof AbortSignal || value instanceof Date) return;
    seen.add(value);
    for (const key of Object.keys(value)) {
      const inner: unknown = Reflect.get(value, key);
      go(inner);
      if (typeof inner === 'string') Reflect.set(value, key, 'spoilt');
    }
    if (Array.isArray(value)) value.push(1n);
    else Object.assign(value, { size: 1n, itself: value });
  };
  go(given);
};

const order = form('Which order?', { number: number('Number?'), items: choices('Items?', ['cup', 'pot']) });
const address = { street: { name: 'Main' } };

/** One story with an author that does this to whatever it is given. */
async function story(does: Spoils, options: Options = {}) {
  const { replica, says, advance } = world();
  const phone = new TestChannel();
  const support = agent('support');
  const answers: unknown[] = [];
  const details = { total: '12 €' };
  const declared = support.question('order', order, {
    details,
    context: { from: { shop: 'Berlin' } },
    check: (answer) => {
      does(answer);
      return true;
    },
    effectKey: (answer, pending) => {
      does(answer);
      does(pending);
      return `key-${answers.length}`;
    },
    onAnswer: (answer, turn) => {
      answers.push(structuredClone(answer));
      does(answer);
      does(turn.pending);
      return 'Done.';
    },
  });
  const sure = support.question('sure', confirm('Sure?'), {
    quorum: 2,
    answerableBy: options.policies === undefined ? 'anyone' : { policy: 'all' },
    onAnswer: (_, { pending }) => {
      answers.push(pending.votes?.map(({ by }) => by.id));
      does(pending);
    },
  });
  const kind = support.question('kind', choice('Which kind?', ['new', 'old']), {
    maxRetries: 1,
    onAnswer: (answer, { pending }) => {
      does(pending);
      answers.push(answer);
    },
  });
  support.onMessage((input) => {
    const { message, ask } = input;
    does(input.participant);
    does(input.data);
    does(input.lateFor);
    if (message === 'order') return ask(declared);
    if (message === 'sure') return ask(sure);
    return message === 'kind' ? ask(kind) : 'Noted.';
  });
  const registry = await replica({ agents: [support], channels: [phone], ...options });
  const asked = heard(registry, 'asked');
  const parked = heard(registry, 'parked');
  const bob = { participant: { id: 'phone:bob', roles: ['boss'], name: 'Bob' } };
  await says(phone, 'order', { data: { address }, conversationId: 'order' });
  await says(phone, 'number: 7', { conversationId: 'order' });
  await says(phone, 'cup and saucer', { conversationId: 'order' });
  await says(phone, 'cup, pot', { conversationId: 'order' });
  await says(phone, 'sure', { conversationId: 'sure' });
  await says(phone, 'yes', { conversationId: 'sure' });
  await says(phone, 'let us see', { conversationId: 'sure', ...bob });
  await says(phone, 'yes', { conversationId: 'sure', ...bob });
  await says(phone, 'kind', { conversationId: 'kind' });
  await says(phone, 'no such', { conversationId: 'kind' });
  await says(phone, 'old', { conversationId: 'kind' });
  await advance(minute);
  const stored = [];
  for (const { askId } of asked) stored.push(await registry.getAsk(askId));
  const history = [];
  for (const id of ['order', 'sure', 'kind']) history.push(await registry.history(id));
  await registry.stop();
  return { answers, stored, history, sent: phone.sent, parked };
}

/** Without what is drawn at random. */
function plain(told: Awaited<ReturnType<typeof story>>): unknown {
  const ids = new Map<string, string>();
  const random = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[\w-]{43}(?=:\d)/g; // ids and digests
  const named = (id: string): string => {
    if (!ids.has(id)) ids.set(id, `id-${ids.size}`);
    return ids.get(id) as string;
  };
  return JSON.parse(JSON.stringify(told).replaceAll(random, named));
}

test('an author that spoils what it is given changes nothing that is stored, said or given to it next', async () => {
  const expected = plain(await story(leaves));
  expect(expected).toMatchObject({
    answers: [{ number: 7, items: ['cup', 'pot'] }, ['phone:ann', 'phone:bob'], 'old'],
    parked: [],
    stored: [{ status: 'answered' }, { status: 'answered' }, { status: 'answered' }],
  });
  expect(plain(await story(spoils))).toEqual(expected);
});

describe('functions of the registry', () => {
  const functions = (does: Spoils): Options => {
    const people: unknown[] = []; // whom their owner keeps, and changes later
    return {
      identify: (participant) => {
        const known = structuredClone({ ...participant, tags: ['x'] });
        people.push(known);
        does(participant);
        return known;
      },
      policies: {
        all: (participant, ask) => {
          does(participant);
          does(ask);
          does(people);
          return true;
        },
      },
      sortReply: ({ participant }, ask) => {
        does(participant);
        does(ask);
        return undefined;
      },
      route: (message, [first]) => {
        does(message);
        does(people);
        return first as string;
      },
      classify: (message) => {
        does(message);
        return 'wish';
      },
    };
  };

  test('that spoil what they are given change nothing either', async () => {
    const expected = plain(await story(leaves, functions(leaves)));
    expect(expected).toMatchObject({ parked: [], stored: [{ value: { number: 7 } }, {}, {}] });
    expect(plain(await story(spoils, functions(spoils)))).toEqual(expected);
  });

  const garbage: readonly (readonly [string, unknown, string])[] = [
    ['nothing', undefined, 'got nothing'],
    ['null', null, 'got null'],
    ['a text', 'web:ann', 'got "web:ann"'],
    ['a person without an id', { name: 'Ann' }, 'id must be a non-empty string, got nothing'],
    ['a person whose id is a number', { id: 7 }, 'id must be a non-empty string, got 7'],
    [
      'what cannot be stored',
      { id: 'web:ann', size: 1n },
      'its size cannot be stored as JSON: Do not know how to serialize a BigInt',
    ],
  ];
  test.each(garbage)(
    'identify that gives %s is named, and the message waits for a retry',
    async (_, given, message) => {
      const { replica, says } = world();
      const phone = new TestChannel();
      const support = agent('support').onMessage(() => 'Hello.');
      const answer = { now: given };
      const identify = () => answer.now as never;
      const registry = await replica({ agents: [support], channels: [phone], identify });
      const parked = heard(registry, 'parked');
      await says(phone, 'hi');
      expect(parked).toMatchObject([{ failure: { code: 'bad-option' } }]);
      expect(parked[0]?.failure.message).toMatch(/^identify/);
      expect(parked[0]?.failure.message).toContain(message);
      answer.now = { id: 'web:ann' };
      await registry.retry(parked[0]?.id as string);
      await settle();
      expect(phone.texts().at(-1)).toBe('Hello.');
      await registry.stop();
    },
  );
});

test('an agent that changes its input still asks in the conversation it was called for, and whoever wrote may answer', async () => {
  const { replica, says } = world();
  const phone = new TestChannel();
  class Spoiling extends BaseAgent {
    readonly name = 'spoiling';
    async invokeAgent(input: AgentInput) {
      spoils(input);
      const pending = this.getPendingAsk();
      if (pending === null) return this.ask('Which order?', { context: { a: [1] } });
      spoils(this.getPendingAsk());
      return this.handlePendingAsk(pending, '12345', (answer, turn) => {
        const output = `${answer} ${JSON.stringify(turn.pending.context)}`;
        spoils(turn.pending);
        return { output };
      });
    }
  }
  const registry = await replica({ agents: [new Spoiling()], channels: [phone] });
  const asked = heard(registry, 'asked');
  await says(phone, 'refund');
  expect(asked).toMatchObject([{ conversationId: 'c1' }]);
  expect(bucketOfId(asked[0]?.askId as string)).toBe(bucketOf('c1'));
  await says(phone, '12345');
  expect(phone.texts()).toEqual(['Which order?', '12345 {"a":[1]}']);
  expect(await registry.getAsk(asked[0]?.askId as string)).toMatchObject({
    answer: '12345',
    decidedBy: { name: 'Ann' },
  });
  await registry.stop();
});

test('a channel that spoils what it is to send, and fails, is given all of it again', async () => {
  const { replica, says, advance } = world();
  const phone = new TestChannel();
  const tries: OutgoingMessage[] = [];
  phone.onSend = (message) => {
    const isFirst = tries.every(({ key }) => key !== message.key);
    tries.push(structuredClone(message));
    spoils(message);
    if (isFirst) throw new Error('not now');
  };
  const support = agent('support');
  const kind = support.question('kind', choice('Which kind?', ['new', 'old']), { onAnswer: (answer) => answer });
  support.onMessage(({ ask, progress }) => {
    progress('Just a moment.');
    return ask(kind);
  });
  const registry = await replica({ agents: [support], channels: [phone] });
  const address = { room: { id: 7 } };
  await says(phone, 'hi', { address });
  await advance(minute);
  await says(phone, '2', { address });
  await advance(minute);
  const [moment, first, again, answer, last] = tries;
  expect(moment).toMatchObject({ text: 'Just a moment.', address });
  expect(first).toMatchObject({ address, shape: { type: 'choices', choices: [{ label: 'new' }, { label: 'old' }] } });
  expect(again).toEqual(first);
  expect(answer).toMatchObject({ text: 'old', address });
  expect(last).toEqual(answer);
  await registry.stop();
});

test('a turn that fails after it spoilt its message is parked with the message as it was', async () => {
  const { replica, says, advance } = world();
  const phone = new TestChannel();
  const inputs: unknown[] = [];
  class Spoiling extends BaseAgent {
    readonly name = 'spoiling';
    async invokeAgent({ data, participant }: AgentInput) {
      inputs.push(structuredClone({ data, participant }));
      spoils(data);
      spoils(participant);
      if (inputs.length <= 5) throw new Error('not today');
      return { output: 'Done.' };
    }
  }
  const registry = await replica({ agents: [new Spoiling()], channels: [phone] });
  const parked = heard(registry, 'parked');
  await says(phone, 'hi', { data: { address } });
  await advance(5 * minute);
  expect(parked).toMatchObject([{ failure: { message: 'not today' } }]);
  await registry.retry(parked[0]?.id as string);
  await settle();
  const whole = { data: { address: { street: { name: 'Main' } } }, participant: { id: 'phone:ann', name: 'Ann' } };
  expect(inputs).toEqual(Array.from({ length: 6 }, () => whole));
  expect(phone.texts().at(-1)).toBe('Done.');
  await registry.stop();
});

test('what is given of an ask for which a turn waits is a copy too', async () => {
  const { replica, says } = world();
  const phone = new TestChannel();
  const support = agent('support').onMessage(async ({ askAndWait }) => {
    spoils(await askAndWait(order, { answerableBy: ['phone:ann'] }));
    return 'Done.';
  });
  const sortReply: Options['sortReply'] = (_, ask) => void spoils(ask);
  const registry = await replica({ agents: [support], channels: [phone], sortReply });
  const asked = heard(registry, 'asked');
  await says(phone, 'hi');
  await says(phone, 'let us see');
  await says(phone, 'number: 7\nitems: cup');
  expect(await registry.getAsk(asked[0]?.askId as string)).toMatchObject({
    ...{ status: 'answered', value: { number: 7, items: ['cup'] } },
    ...{ decidedBy: { name: 'Ann' }, answerableBy: ['phone:ann'] },
  });
  expect(phone.texts().at(-1)).toBe('Done.');
  await registry.stop();
});

test('what an author asked with may change afterwards: who may answer, and all else, is what it was', async () => {
  const { replica, says } = world();
  const phone = new TestChannel();
  const support = agent('support');
  const contexts: unknown[] = [];
  const sure = support.question('sure', choice('Which kind?', ['new', 'old']), {
    onAnswer: (answer, { pending }) => {
      contexts.push(pending.context, pending.details);
      return answer;
    },
  });
  support.onMessage(async ({ ask }) => {
    const options = {
      answerableBy: { roles: ['boss'] },
      context: { order: { items: ['cup'] } },
      details: { total: '12 €' },
      remindAfter: [minute],
    };
    const result = await ask(sure, options);
    spoils(options);
    options.answerableBy.roles.push('guest');
    return result;
  });
  const registry = await replica({ agents: [support], channels: [phone] });
  const asked = heard(registry, 'asked');
  await says(phone, 'hi');
  const person = (role: string) => ({ participant: { id: `phone:${role}`, roles: [role] } });
  await says(phone, 'old', person('guest'));
  expect(await registry.getAsk(asked[0]?.askId as string)).toMatchObject({
    status: 'pending',
    answerableBy: { roles: ['boss'] },
  });
  await says(phone, 'old', person('boss'));
  expect(await registry.getAsk(asked[0]?.askId as string)).toMatchObject({ status: 'answered', answer: 'old' });
  expect(contexts).toEqual([{ order: { items: ['cup'] } }, { total: '12 €' }]);
  await registry.stop();
});

test('a type from elsewhere reads in the process that asked what it reads in every other: data as it was stored', async () => {
  const { replica, says } = world();
  const phone = new TestChannel();
  const read: unknown[] = [];
  const type: AnswerType<string, { from: Date; words: string[] }> = {
    kind: 'word',
    shape: () => ({ type: 'text' }),
    parse: (reply, data) => {
      read.push(structuredClone(data));
      data.words.pop();
      return reply === 'right' ? { ok: true, value: reply } : { ok: false, why: 'not-valid', problem: 'Not that one.' };
    },
  };
  const support = agent('support');
  const data = { from: new Date(0), words: ['a', 'b'] };
  const question = { text: 'Which word?', type, data } as unknown as Question<string>;
  const word = support.question('word', question, { onAnswer: (answer) => answer });
  support.onMessage(({ ask }) => ask(word));
  const registry = await replica({ agents: [support], channels: [phone] });
  await says(phone, 'hi');
  await says(phone, 'wrong');
  await says(phone, 'wrong again');
  await says(phone, 'right');
  expect(read).toEqual(Array.from({ length: 3 }, () => ({ from: '1970-01-01T00:00:00.000Z', words: ['a', 'b'] })));
  expect(phone.texts().at(-1)).toBe('right');
  await registry.stop();
});

test('what a type from elsewhere keeps of a part of the answer is plain data, too, in every process', async () => {
  const { replica, says } = world();
  const phone = new TestChannel();
  const parts: unknown[] = [];
  const type: AnswerType<string, null> = {
    kind: 'word',
    shape: () => ({ type: 'text' }),
    parse: (reply, _, __, context) => {
      parts.push(context?.partial);
      if (reply === 'end') return { ok: true, value: reply };
      const partial = { at: new Date(0) } as unknown as null;
      return { ok: false, why: 'more', problem: 'And then?', partial, prompt: 'And then?', shape: { type: 'text' } };
    },
  };
  const support = agent('support');
  const question = { text: 'Which word?', type, data: null } as unknown as Question<string>;
  const word = support.question('word', question, { onAnswer: (answer) => answer });
  support.onMessage(({ ask }) => ask(word));
  await replica({ agents: [support], channels: [phone] });
  for (const words of ['hi', 'one', 'end']) await says(phone, words);
  expect(parts).toEqual([undefined, { at: '1970-01-01T00:00:00.000Z' }]);
  expect(phone.texts().at(-1)).toBe('end');
});

test('a copy of what a handler is given has its signal too', async () => {
  const { replica, says } = world();
  const phone = new TestChannel();
  const signals: unknown[] = [];
  const support = agent('support');
  support.onMessage((turn) => {
    signals.push({ ...turn }.signal, turn.signal);
  });
  await replica({ agents: [support], channels: [phone] });
  await says(phone, 'hello');
  expect(signals).toEqual([expect.any(AbortSignal), signals[0]]);
});

test('everything that is given out is a copy, whatever call or event gives it', async () => {
  const given: [string, unknown][] = [];
  const gives = (what: string, value: unknown): void => void given.push([what, value]);
  const { replica, says, advance } = world();
  const phone = new TestChannel();
  phone.onSend = (message) => gives('send', message);
  const support = agent('support');
  const address = { room: { id: 7 } };
  const kind = support.question('kind', choice('Which kind?', ['new', 'old']), {
    context: { from: { shop: 'Berlin' } },
    details: { total: '12 €' },
    onAnswer: (answer, turn) => {
      gives('handler', turn);
      return { output: answer, metadata: { tags: ['a'] } };
    },
  });
  const fails = support.question('fails', confirm('Sure?'), {
    quorum: 2,
    answerableBy: 'anyone',
    onAnswer: () => {
      throw new Error('not today');
    },
  });
  support.onMessage((turn) => {
    gives('message', turn);
    return turn.ask(turn.message === 'fail' ? fails : kind);
  });
  const registry = await replica({
    agents: [support],
    channels: [phone],
    interceptors: [(message) => gives('interceptor', message)],
  });
  for (const event of ['asked', 'answered', 'voted', 'handled', 'parked', 'delivered', 'failed'] as const)
    registry.on(event, (about: unknown) => gives(`event ${event}`, about));
  const bob = { participant: { id: 'phone:bob', roles: ['boss'] } };
  const talk = { data: { address }, address };
  await says(phone, 'hi', talk);
  gives('listAsks', await registry.listAsks());
  await says(phone, '2', talk);
  await says(phone, 'fail', { conversationId: 'c2' });
  await says(phone, 'yes', { conversationId: 'c2' });
  await says(phone, 'yes', { conversationId: 'c2', ...bob });
  await advance(10 * minute);
  const handled = { conversationId: 'h', participant: { id: 'web:eve' } };
  gives('handle', await registry.handle({ id: 'h1', text: 'hi', ...handled }));
  gives('handle', await registry.handle({ id: 'h2', text: '1', ...handled }));
  gives('handle again', await registry.handle({ id: 'h2', text: '1', ...handled }));
  gives('outputs', await registry.outputs('h'));
  gives('parked', await registry.parked());
  for (const id of ['c1', 'c2', 'h']) gives('history', await registry.history(id));
  for (const [what, about] of given.filter(([each]) => each === 'event asked')) {
    const { askId } = about as { askId: string };
    gives(`getAsk after ${what}`, await registry.getAsk(askId));
  }
  gives('listAsks', await registry.listAsks());
  await registry.stop();
  for (const [what, value] of given) isOwn({ [what]: value });
  expect(new Set(given.map(([what]) => what)).size).toBeGreaterThan(12);
});
