/** The channel of the chat SDK on a local Google Chat, with signed events over HTTP: buttons, people, and what a failure costs. */
import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { agent, choice, confirm } from '../../../src/index.js';
import { type Shop, withRecorder, withRegistry } from '../../support/chat/world.js';
import { googleChatChannel } from '../../support/google-chat/driver.js';
import { refundAgent } from '../../support/slack/world.js';
import { seenText } from '../../support/telegram/driver.js';

/** A registry with an agent on a local Google Chat; person 2 decides about refunds. */
async function world(shop: Shop = refundAgent([], ['gchat:users/2']).clerk) {
  const here = await withRegistry(await googleChatChannel(), shop);
  const { google } = here;
  const said = (space: string, person?: string) => google.said(space, person).map(({ text }) => seenText(text));
  return { ...here, said, mine: google.direct('1') };
}

const recorder = async () => withRecorder(await googleChatChannel());

test('a stranger who presses is told alone, in the same place, and the right person decides once', async () => {
  const refunds: string[] = [];
  const { google, said } = await world(refundAgent(refunds, ['gchat:users/2']).clerk);
  const { staff: space } = google;
  await google.writes('refund', { space });
  await expect.poll(() => said(space).join()).toContain('Refund order 12345?');
  expect((await google.presses('Yes', { space })).status).toBe(200);
  await expect.poll(() => said(space, '1')).toHaveLength(2);
  expect(said(space, '2')).toHaveLength(1);
  await Promise.all([1, 2].map(() => google.presses('Yes', { from: '2', space })));
  await expect.poll(() => said(space).join()).toContain('Answered by Person 2: Yes');
  await expect.poll(() => said(space).at(-1)).toBe('Refunded.');
  expect(google.said(space).flatMap(({ buttons }) => buttons)).toEqual([]);
  expect(new Set(google.said(space).map(({ thread }) => thread))).toEqual(new Set([`${space}/threads/T1`]));
  expect(refunds).toEqual(['gchat:users/2']);
});

test('what follows a press in direct messages is said there, and not in a thread below the question', async () => {
  const { google, said, mine } = await world(refundAgent([], ['gchat:users/1']).clerk);
  await google.writes('refund');
  await expect.poll(() => said(mine).join()).toContain('Refund order 12345?');
  await google.presses('Yes');
  await expect.poll(() => said(mine).at(-1)).toBe('Refunded.');
  const threads = google.said(mine).map(({ thread }) => thread);
  expect(new Set(threads).size).toBe(threads.length); // each begins one of its own, as everything does there
});

test('a typed reply answers, in direct messages and in a thread; the question is drawn anew as it ended', async () => {
  const { google, said, mine } = await world();
  for (const [where, acting] of [
    [mine, {}],
    [google.staff, { space: google.staff }],
  ] as const) {
    await google.writes('why', acting);
    await expect.poll(() => said(where).at(-1)).toBe('Why?');
    await google.writes('Too small', acting);
    await expect.poll(() => said(where).at(-1)).toBe('Because: Too small');
    await expect.poll(() => said(where)[0]).toBe('Why?\nAnswered by Person 1: Too small');
  }
});

test('what was typed before the question was asked and came late answers nothing', async () => {
  const { google, said, mine } = await world();
  await google.writes('why');
  await expect.poll(() => said(mine).at(-1)).toBe('Why?');
  const createTime = new Date(Date.now() - 600_000).toISOString();
  await google.writes('typed before', { more: { createTime } });
  await expect.poll(() => said(mine).at(-1)).toBe('You said: typed before');
});

test('people are heard as they typed, at the time when they did, without the mention of the app; programs are not heard', async () => {
  const { google, received } = await recorder();
  const typed = '1. *2* _yes_ ~x~ `c` <b> & &amp; # x';
  const createTime = '2026-01-02T03:04:05.678Z';
  await google.writes(typed, { space: google.staff, more: { createTime } });
  await google.writes('yes', { more: { sender: { name: 'users/9', displayName: 'Bot', type: 'BOT' } } });
  await google.writes('yes', { more: { sender: undefined } });
  expect(received.map(({ participant, text, sentAt }) => [participant, text, sentAt])).toEqual([
    [{ id: 'gchat:users/1', name: 'Person 1' }, typed, Date.parse(createTime)],
  ]);
});

test('an event of an app that is no Workspace add-on, and a command, are acknowledged by the adapter and reach nobody', async () => {
  const { google, received } = await recorder();
  const message = { name: `${google.staff}/messages/1`, text: 'hello', sender: { name: 'users/1', type: 'HUMAN' } };
  const classic = JSON.stringify({ type: 'MESSAGE', eventTime: '2026-01-01T00:00:00Z', message });
  expect((await google.posts(classic, google.idToken())).status).toBe(200);
  const appCommandPayload = { appCommandMetadata: { appCommandId: 1 }, message };
  expect((await google.delivers({ appCommandPayload })).status).toBe(200);
  expect(received).toEqual([]);
});

test('a press of somebody whom Google does not name decides nothing', async () => {
  const { google, received } = await recorder();
  const payload = google.press(
    { name: `${google.staff}/messages/1`, thread: `${google.staff}/threads/T1` },
    google.staff,
  );
  const parameters = { actionId: `ab.${'A'.repeat(22)}yes` };
  expect((await google.delivers({ ...payload, user: undefined }, { parameters })).status).toBe(200);
  expect(received).toEqual([]);
  await google.delivers(payload, { parameters });
  expect(received).toMatchObject([{ participant: { id: 'gchat:users/1' }, choice: 'yes' }]);
});

test('options with long ids have buttons, which mean exactly them; of more than five a reply names one', async () => {
  const options = [
    'Send it again by express to the shop in Berlin, please',
    '*b* <users/all> ~x~ `c`',
    'é'.repeat(180),
  ];
  const shop = agent('shop');
  const onAnswer = (chosen: string) => `Chosen: ${chosen}`;
  const three = shop.question('three', choice('What now?', options), { onAnswer });
  const six = shop.question('six', choice('Which one?', ['A', 'B', 'C', 'D', 'E', 'F']), { onAnswer });
  shop.onMessage(({ message, ask }) => ask(message === 'three' ? three : six));
  const { google, said, mine } = await world(shop);
  await google.writes('three');
  await expect.poll(() => said(mine)).toHaveLength(1);
  const { buttons = [] } = google.said(mine)[0] ?? {};
  expect(buttons).toHaveLength(3);
  await google.presses(buttons[1]?.text ?? '');
  await expect.poll(() => said(mine).at(-1)).toBe(`Chosen: ${options[1]}`);
  await google.writes('six');
  await expect.poll(() => said(mine).at(-1)).toContain('Which one?');
  expect(google.said(mine).at(-1)?.buttons).toEqual([]);
  await google.writes('F');
  await expect.poll(() => said(mine).at(-1)).toBe('Chosen: F');
});

test('an event that Google did not sign for this app is refused, and nothing of it is recorded', async () => {
  const refunds: string[] = [];
  const { google, registry, said, mine } = await world(refundAgent(refunds, ['gchat:users/1']).clerk);
  await google.writes('refund');
  await expect.poll(() => said(mine).join()).toContain('Refund order 12345?');
  const [question] = google.said(mine);
  const actionId = question?.buttons[0]?.onClick.action?.parameters[0]?.value;
  const press = google.press(question ?? { name: '', thread: '' }, mine);
  const body = JSON.stringify(google.event(press, { from: '1', id: '1', parameters: { actionId } }));
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1_024 });
  const past = Math.floor(Date.now() / 1_000) - 7_200;
  const wrong = [
    undefined,
    google.idToken({}, privateKey),
    google.idToken({ aud: 'https://another.example.com/' }),
    google.idToken({ iss: 'https://issuer.example.com' }),
    google.idToken({ email: 'service-4712@gcp-sa-gsuiteaddons.iam.gserviceaccount.com' }), // somebody else's add-on
    google.idToken({ email_verified: false }),
    google.idToken({ iat: past, exp: past + 3_600 }),
  ];
  for (const token of wrong) expect((await google.posts(body, token)).status).toBe(401);
  expect((await registry.listAsks()).asks.map(({ status }) => status)).toEqual(['pending']);
  await google.presses('Yes');
  await expect.poll(() => refunds).toEqual(['gchat:users/1']);
});

test('what could not be recorded is answered with 5xx, and counts when it comes again', async () => {
  const refunds: string[] = [];
  const { google, said, isDown } = await world(refundAgent(refunds, ['gchat:users/1']).clerk);
  const { staff: space } = google;
  for (const deliver of [
    (id: string) => google.writes('refund', { space, id }),
    (id: string) => google.presses('Yes', { space, id }),
  ]) {
    const id = google.nextId();
    isDown(true);
    expect((await deliver(id)).status).toBeGreaterThanOrEqual(500);
    isDown(false);
    expect((await deliver(id)).status).toBe(200);
    await expect.poll(() => said(space).join()).toContain('Refund order 12345?');
  }
  await expect.poll(() => said(space).at(-1)).toBe('Refunded.');
  expect(refunds).toEqual(['gchat:users/1']);
  expect(said(space).filter((each) => each.includes('Refund order'))).toHaveLength(1);
});

test('hostile text stays text in messages, cards and buttons', async () => {
  const hostile = '**b** *s* _i_ ~x~ `c` <users/all> <https://a.example|x> <b>b</b> &lt; [x](https://a.example)\n* l';
  const shop = agent('shop');
  const what = shop.question('what', choice(`What now?\n${hostile}`, ['<b> & **c**', 'Stop']), {
    onAnswer: (chosen) => `Chosen: ${chosen} ${hostile}`,
  });
  shop.onMessage(({ ask }) => ask(what));
  const { google, said, mine } = await world(shop);
  await google.writes('help');
  await expect.poll(() => said(mine).join()).toContain(`What now?\n${hostile}`);
  const label = google.said(mine)[0]?.buttons[0]?.text ?? '';
  expect(seenText(label)).toBe('1. <b> & **c**');
  expect((await google.presses(label)).status).toBe(200);
  await expect.poll(() => said(mine).at(-1)).toBe(`Chosen: <b> & **c** ${hostile}`);
  await expect.poll(() => said(mine)[0]).toContain(`What now?\n${hostile}`);
});

test('a question is handed over to somebody whom the app has met, and to nobody else', async () => {
  const { google, registry, said } = await world();
  await google.writes('hello', { from: '2' });
  await google.writes('hello', { from: '3' });
  const by = { id: 'gchat:users/2' };
  const { askId } = await registry.ask(confirm('Refund?'), { channel: 'chat', to: by.id, answerableBy: [by.id] });
  for (const to of ['gchat:users/4', 'gchat:unknown', 'gchat:users/app', google.bot])
    expect(await registry.handOver(askId, { by, to }), to).toMatchObject({ type: 'invalid' });
  expect(await registry.handOver(askId, { by, to: 'gchat:users/3' })).toMatchObject({ type: 'handed-over' });
  await expect.poll(() => said(google.direct('3')).join()).toContain('Refund?');
});

test('a place that takes nothing of the app is undeliverable; a Google Chat that is down is tried again', async () => {
  const { google, send } = await recorder();
  await expect(send('gchat:users/66')).rejects.toMatchObject({ code: 'undeliverable' });
  await expect(send({ thread: 'gchat:spaces/GONE' })).rejects.toMatchObject({ code: 'undeliverable' });
  await expect(send('gchat:ann@example.com')).rejects.toMatchObject({ code: 'undeliverable' });
  const transient = async () => {
    const sending = send('gchat:users/1');
    await expect(sending).rejects.toThrow('did not send');
    await expect(sending).rejects.not.toMatchObject({ code: 'undeliverable' });
  };
  for (const status of [401, 429, 500, 503]) {
    google.fails(status);
    await transient();
  }
  google.fails(401, 'finding'); // the adapter then tries to begin direct messages, which Google allows to no app
  await transient();
});
