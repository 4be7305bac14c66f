/** A reply that needs nobody's consent is decided in the step that records it; every other one takes the longer way. */
import { describe, expect, test } from 'vitest';
import type { Conversation } from '../../../src/core/conversation/conversation.js';
import { writeConversation } from '../../../src/core/format/document.js';
import { defaultSettings } from '../../../src/core/settings.js';
import { english } from '../../../src/core/wording/english.js';
import type { AgentInput, IncomingMessage, Store } from '../../../src/index.js';
import {
  agent,
  BaseAgent,
  choice,
  confirm,
  date,
  email,
  form,
  MemoryStore,
  number,
  type Question,
  text,
} from '../../../src/index.js';
import type { RegistryContext } from '../../../src/registry/context.js';
import { Predecider } from '../../../src/registry/work/predecide.js';
import type { Predecide } from '../../../src/stores/port.js';
import { FakeClock } from '../../../src/testing/index.js';
import { ask, conversation } from '../../support/documents.js';
import { minute, settle, storeWith, TestChannel, type World, world } from '../../support/engine.js';

type Options = NonNullable<Parameters<World['replica']>[0]>;
type Handlers = Parameters<ReturnType<typeof agent>['question']>[2];

const order = text('Which order?', { pattern: /^\d{5}$/ });

/** Counts what is predecided, and how often a turn decides by itself. */
function watched(store: Store) {
  const seen = { predecided: 0, decisions: 0 };
  const watching = storeWith(store, {
    take: ({ predecide, ...call }) => {
      if (predecide === undefined) return store.take(call);
      const counted: Predecide = (...found) => {
        const document = predecide(...found);
        if (document !== undefined) seen.predecided += 1;
        return document;
      };
      return store.take({ ...call, predecide: counted });
    },
    save: (call) => {
      if (call.then.type === 'hold') seen.decisions += 1;
      return store.save(call);
    },
  });
  return { seen, watching };
}

/** One question on one channel. */
async function asking(question: Question<never> | Question<unknown>, handlers: object = {}, options: Options = {}) {
  const here = world();
  const { seen, watching } = watched(here.store);
  const phone = new TestChannel();
  const support = agent('support');
  const answers: unknown[] = [];
  const declared = support.question(
    'q',
    question as Question<unknown>,
    {
      onAnswer: (answer: unknown) => {
        answers.push(answer);
        return 'Thank you.';
      },
      ...handlers,
    } as Handlers,
  );
  support.onMessage(({ message, ask }) => (message === 'refund' ? ask(declared) : `You said ${message}`));
  const registry = await here.replica({ agents: [support], channels: [phone], store: watching, ...options });
  const says = (said: string, more: Partial<IncomingMessage> = {}) => here.says(phone, said, more);
  await says('refund');
  return { here, seen, phone, registry, says, answers, support, watching };
}

describe('a decision that is written together with the reply', () => {
  const plain: [string, Question<never>, string, unknown][] = [
    ['a text with a pattern', order as never, ' 12345 ', '12345'],
    ['a confirmation', confirm('Sure?') as never, 'yes', true],
    ['a number', number('How many?') as never, '12', 12],
    ['a choice', choice('Which?', ['Red', 'Blue']) as never, 'blue', 'Blue'],
    ['a mail address', email('Where to?') as never, 'ann@example.org', 'ann@example.org'],
  ];
  test.each(plain)('%s is decided in the step that records the reply', async (_, question, reply, answer) => {
    const { says, seen, answers, phone, registry } = await asking(question);
    await says(reply);
    expect([seen, answers]).toEqual([{ predecided: 1, decisions: 0 }, [answer]]);
    expect(phone.texts().at(-1)).toBe('Thank you.');
    expect((await registry.history('c1')).items.filter(({ type }) => type === 'decision')).toHaveLength(1);
    await registry.stop();
  });

  test('an answer by id is decided in the step that records it', async () => {
    const { seen, answers, registry } = await asking(order);
    const [open] = (await registry.listAsks()).asks;
    await registry.answer(open?.id ?? '', { value: '54321' }, { by: { id: 'phone:ann' } });
    await settle();
    expect([seen, answers]).toEqual([{ predecided: 1, decisions: 0 }, ['54321']]);
    await registry.stop();
  });

  test('a reply after a refused one is decided in the step that records it', async () => {
    const { says, seen, answers, registry } = await asking(order);
    await says('no idea');
    expect([seen, answers]).toEqual([{ predecided: 0, decisions: 0 }, []]);
    await says('12345');
    expect([seen, answers]).toEqual([{ predecided: 1, decisions: 0 }, ['12345']]);
    await registry.stop();
  });
});

test('a reply at another process than the one that asked is decided in the step that records it', async () => {
  const { here, registry, support, seen, watching, answers } = await asking(order);
  const other = new TestChannel('phone');
  const elsewhere = await here.replica({ agents: [support], channels: [other], store: watching });
  await here.says(other, '12345');
  expect([seen, answers]).toEqual([{ predecided: 1, decisions: 0 }, ['12345']]);
  await registry.stop();
  await elsewhere.stop();
});

describe('decided only in its turn', () => {
  test.each<[string, Question<never>, object, Options, string, unknown[]]>([
    ['what has a check', order as never, { check: () => true }, {}, '12345', ['12345']],
    ['what computes its own effect key', order as never, { effectKey: () => 'mine' }, {}, '12345', ['12345']],
    ['what a model or a rule has to judge', text('Why?') as never, {}, {}, 'It broke.', ['It broke.']],
    ['a form', form('All of it?', { n: number('How many?') }) as never, {}, {}, '3', [{ n: 3 }]],
    [
      'what several people vote on',
      confirm('Sure?') as never,
      { answerableBy: 'anyone', quorum: 1 },
      {},
      'yes',
      [true],
    ],
    ['what somebody may sort otherwise', order as never, {}, { sortReply: () => undefined }, '12345', ['12345']],
    ['what a person is identified for', order as never, {}, { identify: (who) => who }, '12345', ['12345']],
    [
      'what a policy has a say in',
      order as never,
      { answerableBy: { policy: 'all' } },
      { policies: { all: () => true } },
      '12345',
      ['12345'],
    ],
  ])('%s', async (_, question, handlers, options, reply, answered) => {
    const { says, seen, answers, registry } = await asking(question, handlers, options);
    await says(reply);
    expect([seen.predecided, seen.decisions, answers]).toEqual([0, 1, answered]);
    await registry.stop();
  });

  test.each<[string, string, Partial<IncomingMessage>]>([
    ['from somebody else', '12345', { participant: { id: 'phone:eve' } }],
    ['of a bot', '12345', { automated: true }],
    ['that calls the question off', 'cancel', {}],
    ['that is no answer', 'hm', {}],
  ])('a message %s', async (_, reply, more) => {
    const { says, seen, answers, registry } = await asking(order);
    await says(reply, more);
    expect([seen.predecided, answers]).toEqual([0, []]);
    await registry.stop();
  });

  test('an ask that a class reads by itself', async () => {
    const here = world();
    const { seen, watching } = watched(here.store);
    const phone = new TestChannel();
    class Own extends BaseAgent {
      name = 'own';
      async invokeAgent({ message }: AgentInput) {
        const pending = this.getPendingAsk();
        if (pending === null) return this.ask(order);
        return this.handlePendingAsk(pending, message ?? '', (answer) => ({ output: `Got ${answer}` }));
      }
    }
    const registry = await here.replica({ agents: [new Own()], channels: [phone], store: watching });
    await here.says(phone, 'refund');
    await here.says(phone, '12345');
    expect([seen, phone.texts().at(-1)]).toEqual([{ predecided: 0, decisions: 1 }, 'Got 12345']);
    await registry.stop();
  });
});

test('a reply counts by the time at which it was recorded, whatever time the process assumed when it predecided', async () => {
  const clock = new FakeClock();
  let ahead = 0;
  const storesTime = {
    now: () => clock.now() + ahead,
    elapsed: () => clock.elapsed(),
    after: (ms: number, work: () => void) => clock.after(ms, work),
  };
  const memory = new MemoryStore({ clock: storesTime });
  const slow = storeWith(memory, {
    take: (call) => {
      if (call.entry?.data.text.includes('12345')) ahead = 10; // it was on its way for so long
      return memory.take(call);
    },
  });
  const { says, answers, registry } = await asking(order, { expiresIn: minute }, { store: slow, clock });
  await clock.advance(minute - 5, settle);
  await says('12345');
  const { items } = await registry.history('c1');
  expect(items.find(({ type }) => type === 'decision')).toMatchObject({ status: 'expired' });
  expect([answers, ahead]).toEqual([[], 10]);
  await registry.stop();
});

test('a reply is decided by what the store has, where another process has saved meanwhile', async () => {
  const { says, here, registry, answers, support, seen } = await asking(order, { maxRetries: 5 });
  const other = new TestChannel('phone');
  const elsewhere = await here.replica({ agents: [support], channels: [other] });
  await here.says(other, 'no idea'); // counts as an attempt, there
  await says('12345');
  expect([seen, answers]).toEqual([{ predecided: 1, decisions: 0 }, ['12345']]);
  expect((await registry.listAsks()).asks).toEqual([]);
  await registry.stop();
  await elsewhere.stop();
});

test('a reply to a conversation that was erased and began anew is no reply', async () => {
  const { says, here, registry, answers, support, seen } = await asking(order);
  const other = new TestChannel('phone');
  const elsewhere = await here.replica({ agents: [support], channels: [other] });
  await elsewhere.erase({ conversationId: 'c1' });
  await here.says(other, 'good morning');
  await says('12345');
  expect([seen, answers]).toEqual([{ predecided: 0, decisions: 0 }, []]);
  await registry.stop();
  await elsewhere.stop();
});

test('who decided is kept as it was written, whatever the channel does with its object afterwards', async () => {
  const here = world();
  const phone = new TestChannel();
  const support = agent('support');
  const people: unknown[] = [];
  const question = support.question('q', order, { onAnswer: (_, { pending }) => void people.push(pending.decidedBy) });
  support.onMessage(({ ask }) => ask(question));
  const registry = await here.replica({ agents: [support], channels: [phone] });
  await here.says(phone, 'refund');
  const participant = { id: 'phone:ann', name: 'Ann', since: new Date(0), nothing: undefined };
  const received = phone.desk?.receive({ id: 'r', conversationId: 'c1', text: '12345', participant });
  participant.name = 'Eve';
  await received;
  await settle();
  expect(people).toEqual([{ id: 'phone:ann', name: 'Ann', since: '1970-01-01T00:00:00.000Z' }]);
  await registry.stop();
});

test('a message is what it was when it was given, whatever the channel does with its objects afterwards', async () => {
  const here = world();
  const phone = new TestChannel();
  const support = agent('support');
  const inputs: unknown[] = [];
  support.onMessage(({ participant, data }) => {
    inputs.push({ participant, data });
    return 'Noted.';
  });
  const registry = await here.replica({ agents: [support], channels: [phone] });
  const given = {
    participant: { id: 'phone:ann', roles: ['clerk'] },
    data: { items: ['a'] },
    address: { room: 1 },
  };
  const received = phone.desk?.receive({ id: 'm', conversationId: 'c1', text: 'hello', ...given });
  given.participant.roles.push('boss');
  given.data.items.push('b');
  given.address.room = 2;
  await received;
  await settle();
  expect(inputs).toEqual([{ participant: { id: 'phone:ann', roles: ['clerk'] }, data: { items: ['a'] } }]);
  expect(phone.sent).toMatchObject([{ address: { room: 1 }, text: 'Noted.' }]);
  await registry.stop();
});

/** What a conversation leaves behind, with a store that is told what is predecided, or one that is not. */
async function remains(isTold: boolean, question: Question<never>, replies: readonly string[]) {
  const clock = new FakeClock();
  const memory = new MemoryStore({ clock });
  const deaf = storeWith(memory, {
    take: ({ predecide: _, ...call }) => memory.take(call),
  });
  const phone = new TestChannel();
  const support = agent('support');
  const answers: unknown[] = [];
  const declared = support.question('q', question as Question<unknown>, {
    expiresIn: minute,
    onAnswer: (answer, { pending, effectKey, attempt }) => {
      answers.push([answer, pending, effectKey, attempt]);
      return 'Thank you.';
    },
  });
  support.onMessage(({ message, ask }) => (message === 'refund' ? ask(declared) : `You said ${message}`));
  let ids = 0;
  const newId = () => {
    ids += 1;
    return `id-${ids}`;
  };
  const here = world();
  const events: unknown[] = [];
  const registry = await here.replica({
    agents: [support],
    channels: [phone],
    store: isTold ? memory : deaf,
    clock,
    newId,
  });
  registry.on('answered', (about) => events.push(about));
  registry.on('handled', ({ took: _, ...about }) => events.push(about));
  for (const [i, said] of ['refund', ...replies].entries()) {
    const participant = { id: 'phone:ann', name: 'Ann', locale: 'de' };
    await phone.desk?.receive({ id: `m${i}`, conversationId: 'c1', text: said, participant });
    await settle();
    await clock.advance(1_000, settle);
  }
  const { items: history } = await registry.history('c1');
  const [decision] = history.filter((item) => item.type === 'decision');
  const settled = decision === undefined ? null : await registry.getAsk(decision.askId);
  const state = await memory.conversation('c1');
  await registry.stop();
  return { answers, events, history, settled, document: state?.document?.text, sent: phone.sent };
}

test.each<[string, Question<never>, readonly string[]]>([
  ['an order', order as never, ['12345', 'thanks']],
  ['an order after two other texts', order as never, ['no', 'well', '12345']],
  ['a date', date('When?') as never, ['24.12.2030', 'ok']],
  ['a confirmation', confirm('Sicher?') as never, ['ja']],
  ['a question that is called off', confirm('Sicher?') as never, ['abbrechen', 'refund', 'nein']],
])('%s leaves the same behind as if nothing had been predecided', async (_, question, replies) => {
  expect(await remains(true, question, replies)).toEqual(await remains(false, question, replies));
});

test('a reply is predecided only where all questions of its conversation are declared and of built-in types', () => {
  const support = agent('support');
  support.question('order', order, { onAnswer: () => undefined });
  const own = { ...order, type: { ...order.type } };
  support.question('own', own, { onAnswer: () => undefined });
  const context = { settings: defaultSettings, language: () => english } as unknown as RegistryContext; // what is used of it
  const reply = { type: 'answer', askId: 'a', text: '12345', by: { id: 'ann' } } as const;
  const predecide = new Predecider(context, new Map([['support', support]])).entering('c', 'e', reply);
  const changed = (given: Conversation) => predecide?.(writeConversation(given), 1)?.changed;
  const [declared, inline] = [ask('a', { name: 'order', data: order.data }), ask('b')];
  expect(changed(conversation(declared))).toEqual(['a']);
  const others: Conversation[] = [
    conversation(),
    conversation(inline),
    conversation(declared, inline), // which may be one that somebody waits for, of any type
    conversation(declared, ask('c', { name: 'own' })),
    conversation(declared, ask('d', { name: 'no longer there' })),
    conversation(declared, ask('e', { name: 'order', agentName: 'elsewhere' })),
    { ...conversation(declared), late: declared },
    { ...conversation(declared), parked: [{ id: 'p' } as Conversation['parked'][number]] },
  ];
  for (const other of others) expect(changed(other)).toBeUndefined();
});
