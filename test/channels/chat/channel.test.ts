/** The channel of the chat SDK on a local Telegram: who and what comes in, what is shown to whom, and what a failure costs. */
import { Buffer } from 'node:buffer';
import { createSlackAdapter } from '@chat-adapter/slack';
import { createMemoryState } from '@chat-adapter/state-memory';
import { createTelegramAdapter } from '@chat-adapter/telegram';
import { type Adapter, Chat } from 'chat';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { buttonData, optionIn, readButton } from '../../../src/channels/chat/drawing/button-data.js';
import { ChatChannel, recordFirst } from '../../../src/channels/chat/index.js';
import { english } from '../../../src/core/wording/english.js';
import { AgentRegistry, agent, choice, confirm } from '../../../src/index.js';
import { anyCharacter } from '../../support/any-character.js';
import { type Shop, withRecorder, withRegistry } from '../../support/chat/world.js';
import { refundAgent } from '../../support/slack/world.js';
import { seenText, telegramChannel, telegramChat } from '../../support/telegram/driver.js';
import type { TelegramServer } from '../../support/telegram/server.js';

const staff = -100;

/** A registry with the agent of refunds on a local Telegram; person 2 decides. */
async function world(shop: Shop = refundAgent([], ['telegram:2']).clerk) {
  return withRegistry(await bridge(), shop);
}

const recorder = async () => withRecorder(await bridge());

/** The channel on a local Telegram. */
async function bridge() {
  const { telegram, ...more } = await telegramChannel();
  return { telegram, ...more, close: () => telegram.close() };
}

const said = (telegram: TelegramServer, chat: number) => telegram.said(chat).map(({ text }) => seenText(text));

test('a stranger who presses is told in their own direct messages, and the right person decides once', async () => {
  const refunds: string[] = [];
  const { telegram } = await world(refundAgent(refunds, ['telegram:2']).clerk);
  for (const from of [1, 2]) await telegram.writes('hello', { from });
  await telegram.writes('refund', { chat: staff });
  await expect.poll(() => said(telegram, staff).join()).toContain('Refund order 12345?');
  const before = said(telegram, staff).length;
  expect((await telegram.presses('Yes', { from: 1, chat: staff })).status).toBe(200);
  await expect.poll(() => said(telegram, 1)).toHaveLength(2);
  expect(said(telegram, staff)).toHaveLength(before);
  await telegram.presses('Yes', { from: 2, chat: staff });
  await expect.poll(() => said(telegram, staff).join()).toContain('Answered by Person 2: Yes');
  await expect.poll(() => said(telegram, staff).at(-1)).toBe('Refunded.');
  expect(telegram.said(staff).flatMap(({ buttons }) => buttons)).toEqual([]);
  expect(refunds).toEqual(['telegram:2']);
});

test('what concerns one person who cannot be written to is logged, and never shown to the others', async () => {
  const { telegram, lines } = await world();
  await telegram.writes('refund', { from: 2, chat: staff });
  await expect.poll(() => said(telegram, staff).join()).toContain('Refund order');
  const before = said(telegram, staff);
  const [question] = telegram.said(staff);
  const data = question?.buttons[0]?.callback_data ?? '';
  await telegram.pressesData(data, { from: 77, chat: staff }, question?.id ?? 0); // never wrote to the bot
  await expect.poll(() => lines.join('\n')).toContain('could not be shown to that person');
  expect(said(telegram, staff)).toEqual(before);
});

test('a button whose data came from another chat answers nothing there', async () => {
  const refunds: string[] = [];
  const shop = agent('shop');
  const open = shop.question('open', choice('Who is in?', ['Me']), {
    onAnswer: (_, { pending }) => void refunds.push(pending.decidedBy?.id ?? 'nobody'),
  });
  const via = { channel: 'chat', to: { thread: `telegram:${staff}` } };
  shop.onMessage(({ message, ask }) => (message === 'ask' ? ask(open, { via }) : 'Hello.')); // for whoever is there
  const { telegram } = await world(shop);
  await telegram.writes('ask');
  await expect.poll(() => said(telegram, staff)).toHaveLength(1);
  const [question] = telegram.said(staff);
  const data = question?.buttons[0]?.callback_data ?? '';
  await telegram.writes('hello', { from: 9 });
  await expect.poll(() => said(telegram, 9)).toHaveLength(1);
  await telegram.pressesData(data, { from: 9, chat: 9 }, 5);
  await telegram.presses('Me', { from: 8, chat: staff }); // after the other one in the same queue
  await expect.poll(() => refunds).toEqual(['telegram:8']);
});

test('a message whose recording fails is answered with 5xx, and is taken when Telegram sends it again', async () => {
  const { telegram, received, state } = await recorder();
  state.isDown = true;
  expect((await telegram.writes('12345', { id: 500 })).status).toBe(500);
  expect((await telegram.writes('12345', { id: 500 })).status).toBe(500);
  state.isDown = false;
  expect((await telegram.writes('12345', { id: 500 })).status).toBe(200);
  expect(received.map(({ text }) => text)).toEqual(['12345']);
  expect((await telegram.writes('12345', { id: 500 })).status).toBe(200); // marked as seen by now
  expect(received).toHaveLength(1);
});

test('without recordFirst() such a message would be lost: the SDK has marked it as seen', async () => {
  const { telegram } = await recorder();
  const { token, secretToken, url } = telegram;
  const adapter = createTelegramAdapter({ botToken: token, secretToken, apiBaseUrl: url, mode: 'webhook' }) as Adapter;
  const state = createMemoryState() as unknown as ReturnType<typeof recordFirst>;
  const chat = new Chat({
    userName: 'b',
    adapters: { telegram: adapter },
    state,
    concurrency: 'concurrent',
    logger: 'silent',
  });
  expect(() => new ChatChannel({ chat })).toThrow(/recordFirst/);
  let calls = 0;
  chat.onDirectMessage(async () => {
    calls += 1;
    throw new Error('the store is down');
  });
  const tasks: Promise<unknown>[] = [];
  telegram.app = (request) => chat.webhooks.telegram(request, { waitUntil: (task) => void tasks.push(task) });
  for (let delivery = 0; delivery < 2; delivery += 1) await telegram.writes('12345', { id: 600 });
  await Promise.allSettled(tasks);
  expect(calls).toBe(1);
});

test('the same update at two processes, each with a state of its own, is one message', async () => {
  const { telegram, store, registry } = await world();
  const other = new ChatChannel({ chat: telegramChat(telegram) });
  const second = new AgentRegistry({ agents: [refundAgent().clerk], channels: [other], store });
  await second.start();
  onTestFinished(() => second.stop());
  const first = telegram.app;
  await telegram.writes('hello', { id: 700 });
  telegram.app = other.webhook('telegram');
  expect((await telegram.writes('hello', { id: 700 })).status).toBe(200);
  await telegram.writes('bye', { id: 701 });
  await expect.poll(() => said(telegram, 1)).toContain('You said: bye');
  expect(said(telegram, 1)).toEqual(['You said: hello', 'You said: bye']);
  telegram.app = first;
  expect(registry).toBeDefined();
});

test('messages that come while another is handled are all recorded, in their order', async () => {
  const { telegram, received } = await recorder();
  const texts = ['one', 'two', 'three', 'four'];
  const answers = await Promise.all(texts.map((text) => telegram.writes(text)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(received.map(({ text }) => text)).toEqual(texts);
});

test('people come with the id that Telegram has verified; bots, edits and posts of channels answer nothing', async () => {
  const { telegram, received } = await recorder();
  await telegram.writes('*2.* _yes_', { from: 5 });
  await telegram.writes('yes', { message: { from: { id: 8, is_bot: true, first_name: 'Bot' } } });
  await telegram.writes('no', { message: { edit_date: 1_700_000_001 } });
  await telegram.writes('yes', {
    chat: staff,
    message: { from: undefined, sender_chat: { id: -5, type: 'channel', title: 'News' } },
  });
  await telegram.writes('@shopbot refund', { chat: staff });
  await telegram.writes('/refund now', { message: { entities: [{ type: 'bot_command', offset: 0, length: 7 }] } });
  const seen = received.map(({ text, participant, automated }) => [participant?.id, text, automated === true]);
  expect(seen).toEqual([
    ['telegram:5', '*2.* _yes_', false],
    ['telegram:chat:-5', 'yes', true],
    ['telegram:1', 'refund', false],
    ['telegram:1', '/refund now', false],
  ]);
  expect(received.map(({ conversationId }) => conversationId)).toEqual([
    'chat:user/telegram:5',
    'chat:thread/telegram:-100',
    'chat:thread/telegram:-100',
    'chat:user/telegram:1',
  ]);
});

test('options with long ids have buttons, which mean exactly them; hostile text stays text', async () => {
  const hostile = '*b* _i_ [x](https://a.example) `c` <b> @everyone 1. # > - + = | {x} ! \\ {{emoji:wave}}';
  const options = [
    'Send it again by express to the shop in Berlin, please',
    'Give the money back to the card it came from',
    hostile,
  ];
  const shop = agent('shop');
  const what = shop.question('what', choice(`What now?\n${hostile}`, options), {
    onAnswer: (chosen) => `Chosen: ${chosen}`,
  });
  shop.onMessage(({ ask }) => ask(what));
  const { telegram } = await world(shop);
  await telegram.writes('help');
  await expect.poll(() => said(telegram, 1)).toHaveLength(1);
  const [question] = telegram.said(1);
  expect(seenText(question?.text ?? '')).toContain(`What now?\n${hostile}`);
  expect(question?.text).not.toMatch(/@everyone|\{\{emoji/);
  const [, second] = question?.buttons ?? [];
  await telegram.presses(second?.text ?? '');
  await expect.poll(() => said(telegram, 1).at(-1)).toBe(`Chosen: ${options[1]}`);
});

test('whatever an option is called, its button fits into 64 bytes on Telegram and 100 characters on Discord', () => {
  const askId = '3f2504e0-4f89-81d3-9a0c-0305e82c3301';
  const ids = fc.uniqueArray(fc.string({ unit: anyCharacter, minLength: 1, maxLength: 80 }), {
    minLength: 1,
    maxLength: 6,
  });
  fc.assert(
    fc.property(ids, (options) => {
      const shape = { type: 'choices', choices: options.map((id) => ({ id, label: id })), many: false } as const;
      for (const id of options) {
        const data = buttonData(askId, id) ?? '';
        expect(Buffer.byteLength(`chat:${JSON.stringify({ a: data })}`)).toBeLessThanOrEqual(64);
        expect(data.length).toBeLessThanOrEqual(100);
        expect(data).not.toContain('\n');
        const read = readButton(data);
        expect(read?.askId).toBe(askId);
        expect(read && optionIn(shape, read)).toBe(id);
      }
    }),
  );
  fc.assert(fc.property(fc.string(), (data) => void readButton(data)));
  expect(buttonData('no-uuid', 'yes')).toBeUndefined();
});

test('long text is said in several messages, whole and in order', async () => {
  const long = Array.from({ length: 2_000 }, (_, i) => `word${i}`).join(' ');
  const shop = agent('shop').onMessage(() => long);
  const { telegram } = await world(shop);
  await telegram.writes('tell');
  await expect.poll(() => said(telegram, 1).join('')).toBe(long);
  expect(said(telegram, 1).length).toBeGreaterThan(2);
});

test('what was typed before the question was asked and came late, or is somebody else’s, answers nothing', async () => {
  const refunds: string[] = [];
  const { telegram } = await world(refundAgent(refunds, ['telegram:2']).clerk);
  await telegram.writes('refund', { from: 2, chat: staff });
  await expect.poll(() => said(telegram, staff).join()).toContain('Refund order 12345?');
  const late = { date: Math.floor(Date.now() / 1_000) - 3_600 };
  await telegram.writes('yes', { from: 2, chat: staff, message: late });
  await telegram.writes('yes', {
    from: 2,
    chat: staff,
    message: { forward_origin: { type: 'user' }, forward_date: 1 },
  });
  await expect.poll(() => said(telegram, staff).filter((text) => text.includes('Refund order'))).toHaveLength(1);
  expect(refunds).toEqual([]);
  await telegram.writes('yes', { from: 2, chat: staff });
  await expect.poll(() => refunds).toEqual(['telegram:2']);
});

test('a message comes with the time at which it was written, and what is forwarded is marked as nobody’s answer', async () => {
  const { telegram, received } = await recorder();
  await telegram.writes('yes', { message: { date: 1_700_000_000 } });
  await telegram.writes('yes', { message: { forward_origin: { type: 'user' }, forward_date: 1 } });
  expect(received).toHaveLength(2);
  expect(received[0]).toMatchObject({ text: 'yes', sentAt: 1_700_000_000_000 });
  expect(received[0]).not.toHaveProperty('wordless');
  expect(received[1]).toMatchObject({ wordless: true });
});

test('files as a reply are told to be no answer, and no agent that asks at every message asks again', async () => {
  const shop = agent('shop');
  const paid: boolean[] = [];
  const sure = shop.question('sure', confirm('Refund it?'), { onAnswer: (yes) => void paid.push(yes) });
  shop.onMessage(({ ask }) => ask(sure));
  const { telegram, registry } = await world(shop);
  await telegram.writes('hello');
  await expect.poll(() => said(telegram, 1).join()).toContain('Refund it?');
  for (const file of [{ sticker: { file_id: 's', emoji: '👍' } }, { document: { file_id: 'd', file_name: 'yes' } }])
    await telegram.writes('', { message: { text: undefined, ...file } });
  await expect
    .poll(() => said(telegram, 1).filter((text) => text === english.wording.nothingWritten()))
    .toHaveLength(2);
  expect((await registry.listAsks()).asks).toHaveLength(1);
  await telegram.writes('yes');
  await expect.poll(() => paid).toEqual([true]);
});

test('a Chat that would drop or merge messages is refused, and so are wrong addresses', async () => {
  const { telegram, channel } = await recorder();
  const adapters = { telegram: createTelegramAdapter({ botToken: telegram.token }) as Adapter };
  const state = recordFirst(createMemoryState());
  for (const concurrency of [undefined, 'queue', 'debounce'] as const)
    expect(
      () =>
        new ChatChannel({ chat: new Chat({ userName: 'b', adapters, state, ...(concurrency && { concurrency }) }) }),
    ).toThrow(/concurrency: 'concurrent'/);
  const chat = new Chat({ userName: 'b', adapters, state, concurrency: 'concurrent' });
  expect(() => new ChatChannel(chat as never)).toThrow(/new ChatChannel\(\{ chat \}\)/);
  new ChatChannel({ chat });
  expect(() => new ChatChannel({ chat, name: 'other' })).toThrow(/handled twice/);
  const slack = createSlackAdapter({ signingSecret: 'a secret', clientId: '1.2', clientSecret: 'another' }) as Adapter;
  const several = new Chat({ userName: 'b', adapters: { slack }, state, concurrency: 'concurrent' });
  expect(() => new ChatChannel({ chat: several })).toThrow(/of one workspace/);
  expect(() => new ChatChannel({} as never)).toThrow(/chat must be a Chat/);
  expect(() => channel.webhook('discord')).toThrow(/telegram, got "discord"/);
  for (const to of ['4711', 'discord:1', { thread: 1 }, { user: 'telegram:1', thread: 'telegram:1' }, null])
    expect(() => channel.conversationFor(to)).toThrow(/to must be the id of a participant/);
  expect(channel.conversationFor('telegram:1')).toBe('chat:user/telegram:1');
  expect(channel.addressFor({ thread: 'telegram:-100:7' })).toEqual({ thread: 'telegram:-100:7' });
});
