/**
 * Questions on a channel where each has a thread of its own, such as mail: none waits for another, and each reply reaches exactly its
 * question.
 */
import { expect, test } from 'vitest';
import type { AskOptions, MessageHandler, OutgoingMessage } from '../../../src/index.js';
import { agent, confirm } from '../../../src/index.js';
import { heard, ledger, minute, settle, world } from '../../support/engine.js';
import { Letters } from '../../support/letters.js';
import { Mail } from '../../support/places.js';

const isAbout =
  (order: string) =>
  ({ ask }: OutgoingMessage): boolean =>
    ask?.details?.['Order'] === order;
const dora = 'dora@example.com';

/** A shop on the web, whose refunds Dora approves by letter. */
async function shop(
  more: Omit<AskOptions, 'effectKey'> = {},
  onMessage: MessageHandler = ({ message }) => `Heard: ${message}`,
  letters = new Letters(),
) {
  const here = world();
  const [web, desk] = [new Mail('web'), new Mail('desk')];
  const book = ledger();
  const closed: string[] = [];
  const made = agent('shop');
  const sure = made.question('sure', confirm('Refund it?'), {
    via: { channel: 'letters', to: dora },
    answerableBy: [`letters:${dora}`, 'staff:ben'],
    ...more,
    onAnswer: (yes, { pending, effectKey, attempt }) => {
      const order = String(pending.context['order']);
      return yes ? book.pay(effectKey, order, attempt) : `Order ${order} is left.`;
    },
    onClosed: (pending, why) => {
      closed.push(`${String(pending.context['order'])}: ${why}`);
    },
  });
  made.onMessage((turn) => {
    const { message, ask } = turn;
    const [, order] = /^refund (.*)/.exec(message) ?? [];
    if (order === undefined) return onMessage(turn);
    return ask(sure, { context: { order }, details: { Order: order } });
  });
  const registry = await here.replica({ agents: [made], channels: [web, desk, letters] });
  /** A customer of their own for each order. */
  const wants = async (...orders: string[]) => {
    for (const order of orders) await web.writes(`customer-${order}`, `refund ${order}`, { id: `web:${order}` });
  };
  /** The question about an order. */
  const about = (order: string) => letters.questions(dora).find(isAbout(order));
  return { ...here, web, desk, letters, registry, book, closed, wants, about, made };
}

test('three refunds go to one approver at once; the first is ignored, and the third and the second are answered in that order', async () => {
  const { wants, letters, about, book, registry } = await shop();
  await wants('1', '2', '3');
  const questions = letters.questions(dora);
  expect(questions.map(({ ask }) => ask?.details?.['Order'])).toEqual(['1', '2', '3']);
  expect(new Set(questions.map(({ conversationId }) => conversationId)).size).toBe(3);
  await letters.replies(about('3'), 'yes');
  await settle();
  await letters.replies(about('2'), 'yes');
  await settle();
  expect([...book.paid.values()]).toEqual(['3', '2']);
  const receipts = letters.sent.filter(({ text }) => text.startsWith('Refunded'));
  expect(receipts.map(({ text, conversationId }) => [text, conversationId])).toEqual([
    ['Refunded 3', about('3')?.conversationId],
    ['Refunded 2', about('2')?.conversationId],
  ]);
  const open = (await registry.listAsks()).asks;
  expect(open).toMatchObject([{ id: about('1')?.ask?.id, status: 'pending' }]);
});

test('a question that expires ends alone: the others stay open and are answered', async () => {
  const { wants, letters, about, book, closed, advance, registry } = await shop({ expiresIn: 10 * minute });
  await wants('1');
  await advance(5 * minute);
  await wants('2', '3');
  await advance(6 * minute);
  expect(closed).toEqual(['1: expired']);
  expect((await registry.listAsks()).asks).toHaveLength(2);
  await letters.replies(about('3'), 'yes');
  await letters.replies(about('1'), 'yes');
  await settle();
  expect([...book.paid.values()]).toEqual(['3']);
  expect(letters.sent.at(-1)).toMatchObject({ conversationId: about('1')?.conversationId });
  await letters.replies(about('2'), 'yes');
  await settle();
  expect([...book.paid.values()]).toEqual(['3', '2']);
});

test('two replies in one tick each decide their own question; a second reply to one of them is told so', async () => {
  const { wants, letters, about, book, registry } = await shop();
  await wants('1', '2');
  await Promise.all([
    letters.replies(about('2'), 'yes'),
    letters.replies(about('1'), 'no'),
    letters.replies(about('2'), 'no'),
  ]);
  await settle();
  expect([...book.paid.values()]).toEqual(['2']);
  expect(await registry.getAsk(about('1')?.ask?.id ?? '')).toMatchObject({ status: 'answered', value: false });
  expect(letters.texts(dora).filter((text) => text.includes('already answered'))).toHaveLength(1);
});

test('one turn asks an approver three times: each has a thread, and equal questions are three asks', async () => {
  const via = { channel: 'letters', to: dora };
  const { letters, registry, web } = await shop({}, async ({ ask }) => {
    for (let i = 0; i < 3; i += 1) await ask('Well?', { via, answerableBy: 'anyone' });
  });
  await web.writes('ann', 'go', { id: 'web:ann' });
  expect(letters.texts(dora)).toEqual(['Well?', 'Well?', 'Well?']);
  const { asks } = await registry.listAsks();
  expect(new Set(asks.map(({ id }) => id)).size).toBe(3);
  expect(new Set(asks.map(({ conversationId }) => conversationId)).size).toBe(3);
});

test('what is written without naming a question continues the conversation of the address, and decides nothing', async () => {
  const { wants, letters, about, book, registry } = await shop();
  await wants('1');
  await letters.writes(dora, 'yes', letters.person(dora));
  expect(letters.sent.at(-1)).toMatchObject({
    text: 'Heard: yes',
    conversationId: letters.conversationFor(dora),
  });
  expect(await registry.getAsk(about('1')?.ask?.id ?? '')).toMatchObject({ status: 'pending' });
  expect(book.paid.size).toBe(0);
});

test('an agent that was written to asks back in that conversation, one question after the other, with or without via', async () => {
  const own = { answerableBy: 'anyone', onAnswer: () => undefined } as const;
  const { letters, registry, made } = await shop({}, async ({ ask }) => {
    await ask(first);
    await ask(second, { via: { channel: 'letters', to: dora } });
  });
  const first = made.question('first', confirm('First?'), own);
  const second = made.question('second', confirm('Second?'), own);
  const there = letters.conversationFor(dora);
  await letters.writes(dora, 'go', letters.person(dora));
  expect((await registry.listAsks()).asks).toMatchObject([{ conversationId: there }, { conversationId: there }]);
  expect(letters.texts(dora)).toEqual(['First?']);
  await letters.writes(dora, 'yes', letters.person(dora));
  expect(letters.texts(dora)).toEqual(['First?', 'Second?']);
});

test('what an agent asks on in the thread of a question stays there; what it puts to the address has a thread of its own', async () => {
  const { letters, made, web, registry } = await shop({}, ({ ask }) => ask(first));
  const via = { channel: 'letters', to: dora };
  const more = made.question('more', confirm('And the next?'), { answerableBy: 'anyone', onAnswer: () => 'Thanks.' });
  const first = made.question('first', confirm('Go on?'), {
    via,
    answerableBy: 'anyone',
    onAnswer: async (_, { ask }) => {
      await ask(more);
      await ask('And apart?', { via, answerableBy: 'anyone' });
    },
  });
  await web.writes('ann', 'go', { id: 'web:ann' });
  const [asked] = letters.questions(dora);
  await letters.replies(asked, 'yes');
  await settle();
  const open = (await registry.listAsks()).asks;
  expect(letters.texts(dora)).toEqual(['Go on?', 'And the next?', 'And apart?']);
  const there = open.filter(({ conversationId }) => conversationId === asked?.conversationId);
  expect(there).toMatchObject([{ question: 'And the next?' }]);
});

test('the same key is the same question, in any process; another key is another thread', async () => {
  const { registry, letters, replica } = await shop();
  const there = { channel: 'letters', to: dora, answerableBy: 'anyone' } as const;
  const first = await registry.ask('Well?', { ...there, key: 'bill 7' });
  const second = await replica({ channels: [new Letters()] });
  expect(await second.ask('Well?', { ...there, key: 'bill 7' })).toEqual(first);
  expect((await registry.ask('Well?', { ...there, key: 'bill 8' })).conversationId).not.toBe(first.conversationId);
  await settle();
  expect(letters.texts(dora)).toEqual(['Well?', 'Well?']);
});

test('a script that waits for several answers gets each as it comes', async () => {
  const { registry, letters } = await shop();
  const there = { channel: 'letters', to: dora, answerableBy: 'anyone' } as const;
  const [one, two] = ['one', 'two'].map((word) => registry.askAndWait(`Which ${word}?`, there));
  await settle();
  const [first, second] = ['one', 'two'].map((word) => letters.questions(dora).find(({ text }) => text.includes(word)));
  await letters.replies(second, 'b');
  expect(await two).toMatchObject({ status: 'answered', value: 'b' });
  await letters.replies(first, 'a');
  expect(await one).toMatchObject({ status: 'answered', value: 'a' });
});

test('a conversation that is named keeps its questions together', async () => {
  const { registry, letters } = await shop();
  const there = { channel: 'letters', to: dora, conversationId: 'bills', answerableBy: 'anyone' } as const;
  await registry.ask('First?', there);
  await registry.ask('Second?', there);
  await settle();
  expect(letters.texts(dora)).toEqual(['First?']);
});

test('with notify, escalate and a hand-over every question still has its own thread, and is told its end there', async () => {
  const escalate = [
    { after: minute, channel: 'letters', to: 'ed@example.com', answerableBy: ['letters:ed@example.com'] },
  ];
  const { wants, letters, about, book, advance, registry } = await shop({
    escalate,
    notify: [{ channel: 'letters', to: 'cleo@example.com' }],
  });
  await wants('1', '2');
  await advance(2 * minute);
  for (const to of ['cleo@example.com', 'ed@example.com']) expect(letters.questions(to)).toHaveLength(2);
  const toEd = letters.questions('ed@example.com').find(isAbout('2'));
  await letters.replies(toEd, 'yes');
  await settle();
  expect([...book.paid.values()]).toEqual(['2']);
  const told = letters.sent.filter(({ follows }) => follows !== undefined);
  expect(told.map(({ address, follows }) => [address, follows])).toEqual([
    [dora, about('2')?.key],
    ['cleo@example.com', letters.questions('cleo@example.com').find(isAbout('2'))?.key],
  ]);
  const id = about('1')?.ask?.id ?? '';
  const to = { id: 'letters:fay@example.com', name: 'Fay' };
  await registry.handOver(id, { by: letters.person(dora), to });
  await settle();
  await letters.replies(letters.questions('fay@example.com')[0], 'yes');
  await settle();
  expect([...book.paid.values()]).toEqual(['2', '1']);
});

test('votes of a quorum are counted for the question that each reply names', async () => {
  const people = [dora, 'ed@example.com'];
  const { wants, letters, book } = await shop({
    answerableBy: people.map((each) => `letters:${each}`),
    quorum: 2,
    notify: [{ channel: 'letters', to: 'ed@example.com' }],
  });
  await wants('1', '2');
  const vote = async (who: string, order: string) => {
    await letters.replies(letters.questions(who).find(isAbout(order)), 'yes');
    await settle();
  };
  await vote(dora, '2');
  await vote('ed@example.com', '1');
  expect(book.paid.size).toBe(0);
  await vote('ed@example.com', '2');
  expect([...book.paid.values()]).toEqual(['2']);
  await vote(dora, '1');
  expect([...book.paid.values()]).toEqual(['2', '1']);
});

test('erasing a person erases the questions that were put to them, answered or not, and nothing of others', async () => {
  const { wants, letters, about, registry, store } = await shop();
  await wants('1', '2');
  await registry.ask('Well?', { channel: 'letters', to: 'ed@example.com', answerableBy: 'anyone' });
  await letters.replies(about('2'), 'no');
  await letters.writes(dora, 'hello', letters.person(dora));
  const result = await registry.erase({ participantId: `letters:${dora}` });
  expect(result).toEqual({ erased: 3, elsewhere: [] });
  for (const order of ['1', '2']) expect(await store.conversation(about(order)?.conversationId ?? '')).toBeNull();
  expect((await registry.listAsks()).asks).toMatchObject([{ question: 'Well?' }]);
});

test('erasing whoever it was asked for names the threads in which others were asked', async () => {
  const { wants, about, registry } = await shop();
  await wants('1', '2');
  const { elsewhere } = await registry.erase({ participantId: 'web:1' });
  expect(elsewhere).toEqual([about('1')?.conversationId]);
});

test('questions that an earlier release put into one conversation are answered there after the update, in any order of arrival', async () => {
  const { wants, letters, registry, replica, made, web, book } = await shop(
    {},
    undefined,
    new Letters('letters', { hasThreadPerQuestion: false }),
  );
  await wants('1', '2');
  expect(letters.texts(dora)).toEqual(['Refund it?']);
  await registry.stop();
  const now = new Letters();
  const next = await replica({ agents: [made], channels: [new Mail('web'), new Mail('desk'), now] });
  await next.ask('New?', { channel: 'letters', to: dora, answerableBy: 'anyone' });
  await settle();
  expect(now.texts(dora)).toEqual(['New?']);
  await now.replies(letters.questions(dora)[0], 'yes');
  await settle();
  expect(now.texts(dora)).toEqual(['New?', 'Refunded 1', 'Refund it?']);
  await now.replies(now.questions(dora)[1], 'yes');
  await settle();
  expect([...book.paid.values()]).toEqual(['1', '2']);
  expect(web.sent).toEqual([]);
});

test('many open questions to one person are sent once each, and none is written down with the others', async () => {
  const { registry, letters, about, store } = await shop();
  const asked = Array.from({ length: 200 }, (_, i) =>
    registry.ask('Refund it?', { details: { Order: String(i) }, channel: 'letters', to: dora, answerableBy: 'anyone' }),
  );
  await Promise.all(asked);
  await registry.idle();
  expect(letters.questions(dora)).toHaveLength(200);
  expect(letters.sent).toHaveLength(200);
  const late = about('199');
  const { document } = (await store.conversation(late?.conversationId ?? '')) ?? {};
  expect(document?.text.length).toBeLessThan(1_000);
  const answered = heard(registry, 'answered');
  await letters.replies(late, 'yes');
  await registry.idle();
  expect(answered).toMatchObject([{ askId: late?.ask?.id }]);
});
