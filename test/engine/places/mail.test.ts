/**
 * What mail may do: it decides only asks that allow it, its threads are no places, and what comes back has reached nobody.
 */
import { expect, test } from 'vitest';
import type { AskOptions, OutgoingMessage, Participant } from '../../../src/index.js';
import { agent, confirm } from '../../../src/index.js';
import { minute, settle, world } from '../../support/engine.js';
import { ann, ben, cleo, Mail } from '../../support/places.js';

/** A channel whose people are known by their mail alone. */
class Post extends Mail {
  readonly proof = 'address' as const;
  #replies = 0;

  /** Dora replies to the last question, by the address that names it. */
  async replies(text: string, { participant = dora, address = 'dora@example.com' } = {}): Promise<void> {
    const { conversationId = '', ask } = this.sent.findLast((message) => message.ask !== undefined) ?? {};
    const named = ask === undefined ? {} : { askId: ask.id };
    this.#replies += 1;
    const from = { participant, address };
    await this.desk?.receive({ id: `reply-${this.#replies}`, conversationId, text, ...named, ...from });
    await settle();
  }
}

const dora: Participant = { id: 'mail:dora@example.com', name: 'Dora' };

async function shop(more: Omit<AskOptions, 'effectKey'> = {}) {
  const { replica, advance } = world();
  const [web, post, other] = [new Mail('web'), new Post('post'), new Mail('other')];
  const made = agent('shop');
  const answered: unknown[] = [];
  const closed: string[] = [];
  const sure = made.question('sure', confirm('Refund 48 EUR?'), {
    via: { channel: 'post', to: 'dora@example.com' },
    answerableBy: ['mail:dora@example.com', 'staff:ben'],
    ...more,
    onAnswer: (answer) => {
      answered.push(answer);
    },
    onClosed: (_, why) => {
      closed.push(why);
    },
  });
  made.onMessage(({ ask }) => ask(sure));
  const registry = await replica({ agents: [made], channels: [web, post, other] });
  await web.writes('ann', 'refund', ann);
  const [{ id = '' } = {}] = (await registry.listAsks()).asks;
  return { registry, web, post, other, answered, closed, advance, id };
}

test('a mail of the right person decides nothing where the ask does not allow it: they are told, and the ask stays open', async () => {
  const { post, registry, answered, id } = await shop();
  await post.replies('yes');
  await post.replies('no');
  expect(post.texts('dora@example.com').slice(1)).toEqual([
    expect.stringContaining('cannot be answered by mail'),
    expect.stringContaining('cannot be answered by mail'),
  ]);
  expect(await registry.getAsk(id)).toMatchObject({ status: 'pending', retries: 0 });
  expect(answered).toEqual([]);
});

test('declining by mail is deciding by mail', async () => {
  const { post, registry, id } = await shop();
  await post.replies('cancel');
  expect(await registry.getAsk(id)).toMatchObject({ status: 'pending' });
});

test("with mail: 'decide' a mail decides, and an ask says so", async () => {
  const { post, registry, answered, id } = await shop({ mail: 'decide' });
  expect(await registry.getAsk(id)).toMatchObject({ mail: 'decide' });
  expect(post.sent[0]?.ask).toMatchObject({ mail: 'decide' });
  await post.replies('yes');
  expect(answered).toEqual([true]);
});

test('a mail that names no question decides none: an old one that is sent again is a new message', async () => {
  const { post, registry, answered, id } = await shop({ mail: 'decide' });
  await post.writes('dora@example.com', 'yes', dora);
  await post.writes('dora@example.com', 'cancel', dora);
  expect(await registry.getAsk(id)).toMatchObject({ status: 'pending', retries: 0 });
  expect(answered).toEqual([]);
  expect((await registry.listAsks()).asks).toHaveLength(3); // each was a message to the agent
});

test('the same ask without it is decided from anywhere else', async () => {
  const { registry, answered, id } = await shop();
  await registry.answer(id, { value: true }, { by: ben });
  await settle();
  expect(answered).toEqual([true]);
});

test('whoever was asked in one place only is told once who answered elsewhere', async () => {
  const { post, registry, id } = await shop();
  await registry.answer(id, { value: true }, { by: ben });
  await settle();
  const [question, ...rest] = post.sent;
  expect(rest.map(({ text }) => text)).toEqual(['Refund 48 EUR?\nThis was already answered by Ben.']);
  expect(rest[0]).toMatchObject({ follows: question?.key, address: 'dora@example.com' });
});

test('whoever answered where they were asked is not told so', async () => {
  const { post } = await shop({ mail: 'decide' });
  await post.replies('yes');
  expect(post.texts('dora@example.com')).toEqual(['Refund 48 EUR?']);
});

const anna = { participant: { id: 'mail:anna@example.com' }, address: 'anna@example.com' };

test.each<[string, Omit<AskOptions, 'effectKey'>]>([
  ['where it is the only one', {}],
  ['where the question went elsewhere, too', { notify: [{ channel: 'other', to: 'desk' }] }],
])('a mailbox that was asked is told when somebody answers from another one, %s', async (_, more) => {
  const answerableBy = ['mail:dora@example.com', anna.participant.id];
  const { post, answered } = await shop({ mail: 'decide', answerableBy, ...more });
  await post.replies('yes', anna);
  expect(answered).toEqual([true]);
  expect(post.texts('dora@example.com').slice(1)).toEqual([expect.stringContaining('already answered')]);
});

test('so is one of a notify', async () => {
  const answerableBy = ['mail:dora@example.com', anna.participant.id];
  const { post, answered } = await shop({
    mail: 'decide',
    answerableBy,
    via: { channel: 'other', to: 'desk' },
    notify: [{ channel: 'post', to: 'dora@example.com' }],
  });
  await post.replies('yes', anna);
  expect(answered).toEqual([true]);
  expect(post.texts('dora@example.com').slice(1)).toEqual([expect.stringContaining('already answered')]);
});

test('what is said refers to the message that it answers, and two threads of one address are one place', async () => {
  const { replica } = world();
  const post = new Post('post');
  const made = agent('shop');
  const sure = made.question('sure', confirm('Refund 48 EUR?'), { mail: 'decide', onAnswer: () => 'Refunded.' });
  made.onMessage(({ ask }) => ask(sure));
  await replica({ agents: [made], channels: [post] });
  const write = async (id: string, text: string, subject: string) => {
    const thread = { id: `<${id}@example.com>`, subject };
    const from = { conversationId: 'post:dora', participant: dora, address: 'dora@example.com' };
    const [{ ask } = {}] = post.sent;
    await post.desk?.receive({ id, text, thread, ...from, ...(ask === undefined ? {} : { askId: ask.id }) });
    await settle();
  };
  await write('m1', 'refund', 'My order');
  await write('m2', 'perhaps', 'Re: My order');
  await write('m3', 'yes', 'Re: Re: My order');
  const seen = post.sent.map(({ text, thread }: OutgoingMessage) => [text.split('\n')[0], thread]);
  expect(seen).toEqual([
    ['Refund 48 EUR?', { id: '<m1@example.com>', subject: 'My order' }],
    [expect.anything(), { id: '<m1@example.com>', subject: 'My order' }],
    ['Refunded.', { id: '<m3@example.com>', subject: 'Re: Re: My order' }],
  ]);
});

test('a channel finds the conversation of an ask by its id; of an unknown one it finds nothing', async () => {
  const { post, id } = await shop();
  expect(await post.desk?.conversationOf?.(id)).toBe('post:dora@example.com');
  expect(await post.desk?.conversationOf?.('00000000-0000-4000-8000-000000000000')).toBeUndefined();
});

test('a question that came back is undeliverable, once, whatever else comes back', async () => {
  const { post, closed, registry, id } = await shop();
  const key = post.sent[0]?.key ?? '';
  for (let i = 0; i < 3; i += 1) await post.desk?.undelivered?.(key, 'The mailbox does not exist.');
  await settle();
  expect(closed).toEqual(['undeliverable']);
  expect(await registry.getAsk(id)).toMatchObject({ status: 'cancelled', reason: 'undeliverable' });
});

test('a question that came back goes to the next step of its escalation at once', async () => {
  const escalate = [{ after: 60 * minute, channel: 'other', to: 'cleo', answerableBy: ['staff:cleo'] }];
  const { post, other, answered } = await shop({ escalate });
  await post.desk?.undelivered?.(post.sent[0]?.key ?? '', 'The mailbox does not exist.');
  await settle();
  expect(other.texts('cleo')).toEqual(['Refund 48 EUR?']);
  await other.presses('cleo', 'yes', cleo);
  expect(answered).toEqual([true]);
});

test('a channel cannot give back what another one sent, nor what is no question', async () => {
  const { post, other, registry, id, closed } = await shop();
  const key = post.sent[0]?.key ?? '';
  await other.desk?.undelivered?.(key, 'It is not mine.');
  for (const no of ['', 'say:1', 'ask:', `ask:${id}`, `ask:${id}:7`, `ask:${id}:-1`])
    await post.desk?.undelivered?.(no, 'There is no such copy.');
  await settle();
  expect(closed).toEqual([]);
  expect(await registry.getAsk(id)).toMatchObject({ status: 'pending' });
});
