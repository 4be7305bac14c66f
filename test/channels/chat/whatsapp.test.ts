/** The channel of the chat SDK on a local WhatsApp, with signed requests over HTTP: buttons, people, and what a failure costs. */
import { expect, onTestFinished, test } from 'vitest';
import type { IncomingMessage } from '../../../src/index.js';
import { AgentRegistry, agent, choice, confirm, MemoryStore, text } from '../../../src/index.js';
import { refundAgent } from '../../support/slack/world.js';
import { seenText } from '../../support/telegram/driver.js';
import { whatsAppChannel } from '../../support/whatsapp/driver.js';
import { pressOf } from '../../support/whatsapp/server.js';

/** A registry with an agent on a local WhatsApp; person 1 decides about refunds. */
async function world(shop: ReturnType<typeof refundAgent>['clerk'] = refundAgent([], ['whatsapp:1']).clerk) {
  const bridge = await whatsAppChannel();
  const store = new MemoryStore();
  const registry = new AgentRegistry({ agents: [shop], channels: [bridge.channel], store });
  await registry.start();
  onTestFinished(async () => {
    await registry.stop();
    await bridge.close();
  });
  const said = (person?: string) => bridge.whatsapp.said(person).map((each) => seenText(each.text));
  return { ...bridge, registry, store, said };
}

/** A channel whose messages are written down. */
async function recorder() {
  const bridge = await whatsAppChannel();
  const received: IncomingMessage[] = [];
  await bridge.channel.start({
    receive: async (message) => {
      received.push(message);
      return 'recorded';
    },
  });
  onTestFinished(async () => {
    await bridge.channel.stop();
    await bridge.close();
  });
  return { ...bridge, received };
}

test('the address of the app is confirmed to whoever knows the verify token', async () => {
  const { whatsapp } = await world();
  const confirmed = await whatsapp.verifies(whatsapp.verifyToken);
  expect([confirmed.status, await confirmed.text()]).toEqual([200, '1158']);
  expect((await whatsapp.verifies('another')).status).toBe(403);
});

test('somebody else who sends the button of a question is refused, and the right person decides once', async () => {
  const { whatsapp, registry, said } = await world();
  for (const from of ['1', '2']) await whatsapp.writes('hello', { from });
  const { askId } = await registry.ask(confirm('Refund?'), {
    channel: 'chat',
    to: 'whatsapp:2',
    answerableBy: ['whatsapp:2'],
  });
  await expect.poll(() => said('2').join()).toContain('Refund?');
  expect((await whatsapp.presses('Yes', { from: '1', on: '2' })).status).toBe(200);
  await expect.poll(() => said('1')).toHaveLength(2);
  expect((await registry.getAsk(askId))?.status).toBe('pending');
  const id = whatsapp.nextId();
  await Promise.all([1, 2].map(() => whatsapp.presses('Yes', { from: '2', id })));
  await expect.poll(async () => (await registry.getAsk(askId))?.decidedBy?.id).toBe('whatsapp:2');
  expect((await whatsapp.presses('No', { from: '2' })).status).toBe(200); // WhatsApp leaves the buttons there
  await expect.poll(() => said('2').at(-1)).toContain('already');
  expect((await registry.getAsk(askId))?.answer).toBe('yes');
});

test('a question that is over cannot be drawn anew: whoever else was asked is told by a message', async () => {
  const { whatsapp, registry, said, lines } = await world();
  for (const from of ['1', '2']) await whatsapp.writes('hello', { from });
  await registry.ask(confirm('Refund?'), {
    channel: 'chat',
    to: 'whatsapp:1',
    answerableBy: ['whatsapp:1', 'whatsapp:2'],
    notify: [{ channel: 'chat', to: 'whatsapp:2' }],
  });
  for (const person of ['1', '2']) await expect.poll(() => said(person).join()).toContain('Refund?');
  await whatsapp.presses('Yes', { from: '2' });
  await expect.poll(() => said('1').at(-1)).toContain('answered by Person 2');
  await registry.idle();
  expect(said('1')).toHaveLength(3);
  expect(lines).toEqual([]);
});

test('a typed reply answers; what was sent is dated by the second in which it was typed', async () => {
  const { whatsapp, said } = await world();
  await whatsapp.writes('why');
  await expect.poll(() => said().at(-1)).toBe('Why?');
  await whatsapp.writes('Too small');
  await expect.poll(() => said().at(-1)).toBe('Because: Too small');
  await whatsapp.writes('why');
  await expect.poll(() => said().at(-1)).toBe('Why?');
  const earlier = String(Math.floor(Date.now() / 1_000) - 600);
  await whatsapp.writes('typed before', { more: { timestamp: earlier } });
  await expect.poll(() => said().at(-1)).toBe('You said: typed before');
});

test('the time of a message is in milliseconds', async () => {
  const { whatsapp, received } = await recorder();
  await whatsapp.writes('hello', { more: { timestamp: '1700000000' } });
  expect(received.map(({ sentAt }) => sentAt)).toEqual([1_700_000_000_000]);
});

test('three options have buttons of 20 characters, which mean exactly them; of more a reply names one', async () => {
  const options = ['Send it again by express to Berlin', 'Send it again by express to Bonn', 'é'.repeat(60)];
  const shop = agent('shop');
  const onAnswer = (chosen: string) => `Chosen: ${chosen}`;
  const three = shop.question('three', choice('What now?', options), { onAnswer });
  const four = shop.question('four', choice('Which one?', ['A', 'B', 'C', 'D']), { onAnswer });
  shop.onMessage(({ message, ask }) => ask(message === 'three' ? three : four));
  const { whatsapp, said } = await world(shop);
  await whatsapp.writes('three');
  await expect.poll(() => said()).toHaveLength(1);
  for (const option of options) expect(said()[0]).toContain(option); // in full above the buttons, whose titles are cut
  const { buttons = [] } = whatsapp.said()[0] ?? {};
  expect(buttons.map(({ title }) => seenText(title).slice(0, 2))).toEqual(['1.', '2.', '3.']);
  await whatsapp.presses(buttons[1]?.title ?? '');
  await expect.poll(() => said().at(-1)).toBe(`Chosen: ${options[1]}`);
  await whatsapp.writes('four');
  await expect.poll(() => said().at(-1)).toContain('Which one?');
  expect(whatsapp.said().at(-1)?.buttons).toEqual([]);
  await whatsapp.writes('D');
  await expect.poll(() => said().at(-1)).toBe('Chosen: D');
});

test('a request that Meta did not sign is refused, and nothing of it is recorded', async () => {
  const refunds: string[] = [];
  const { whatsapp, registry, said } = await world(refundAgent(refunds, ['whatsapp:1']).clerk);
  await whatsapp.writes('refund');
  await expect.poll(() => said().join()).toContain('Refund order 12345?');
  const [yes] = whatsapp.said()[0]?.buttons ?? [];
  const messages = [
    { from: '1', id: 'wamid.forged', timestamp: '1700000000', ...pressOf(yes ?? { id: '', title: '' }) },
  ];
  const body = JSON.stringify(whatsapp.notification({ messages }));
  const wrong = [undefined, 'sha256=', whatsapp.signature(body, 'another'), whatsapp.signature(`${body} `)];
  for (const signature of wrong) expect((await whatsapp.posts(body, signature)).status).toBe(401);
  expect((await registry.listAsks()).asks.map(({ status }) => status)).toEqual(['pending']);
  await whatsapp.presses('Yes');
  await expect.poll(() => refunds).toEqual(['whatsapp:1']);
});

test('what could not be recorded is answered with 5xx, and counts when it comes again', async () => {
  const refunds: string[] = [];
  const { whatsapp, said, store } = await world(refundAgent(refunds, ['whatsapp:1']).clerk);
  const take = store.take.bind(store);
  const isDown = (is: boolean) => {
    store.take = is ? () => Promise.reject(new Error('the store is down')) : take;
  };
  for (const deliver of [
    (id: string) => whatsapp.writes('refund', { id }),
    (id: string) => whatsapp.presses('Yes', { id }),
  ]) {
    const id = whatsapp.nextId();
    isDown(true);
    expect((await deliver(id)).status).toBeGreaterThanOrEqual(500);
    isDown(false);
    for (const _ of [1, 2]) expect((await deliver(id)).status).toBe(200);
    await expect.poll(() => said().join()).toContain('Refund order 12345?');
  }
  await expect.poll(() => said().at(-1)).toBe('Refunded.');
  expect(refunds).toEqual(['whatsapp:1']);
  expect(said()).toHaveLength(2);
});

test('two messages in one request are both recorded, or the request is not acknowledged', async () => {
  const { whatsapp, said, store } = await world();
  const written = (id: string, body: string) => ({
    from: '1',
    id,
    timestamp: '1700000000',
    type: 'text',
    text: { body },
  });
  const value = {
    contacts: [{ profile: { name: 'Person 1' }, wa_id: '1' }],
    messages: [written('wamid.1', 'first'), written('wamid.2', 'second')],
  };
  await whatsapp.writes('hello');
  const take = store.take.bind(store);
  let taken = 0;
  store.take = (...given) => {
    taken += 1;
    return taken === 2 ? Promise.reject(new Error('the store is down')) : take(...given);
  };
  expect((await whatsapp.delivers(value)).status).toBeGreaterThanOrEqual(500);
  expect((await whatsapp.delivers(value)).status).toBe(200);
  await expect
    .poll(() => [...said()].sort())
    .toEqual(['hello', 'first', 'second'].map((each) => `You said: ${each}`).sort());
});

test('what nobody typed is no answer: a picture, a voice message, a place, what was forwarded', async () => {
  const { whatsapp, received } = await recorder();
  const file = { id: '1', mime_type: 'x/y' };
  await whatsapp.sends({ type: 'image', image: file });
  await whatsapp.sends({ type: 'audio', audio: file });
  await whatsapp.sends({ type: 'sticker', sticker: file });
  await whatsapp.sends({ type: 'location', location: { latitude: 1, longitude: 2, name: 'yes' } });
  await whatsapp.writes('yes', { more: { context: { forwarded: true } } });
  await whatsapp.writes('yes', { more: { context: { frequently_forwarded: true } } });
  expect(received.map(({ wordless }) => wordless)).toEqual([true, true, true, true, true, true]);
  received.splice(0);
  for (const type of ['image', 'video', 'document'])
    await whatsapp.sends({ type, [type]: { ...file, caption: `a ${type}` } });
  expect(received.map(({ text: typed, wordless }) => [typed, wordless])).toEqual([
    ['a image', undefined],
    ['a video', undefined],
    ['a document', undefined],
  ]);
});

test('people are heard as they typed', async () => {
  const { whatsapp, received } = await recorder();
  const typed = '1. *2* _yes_ ~x~ <b> & &amp; # x';
  await whatsapp.writes(typed);
  expect(received.map((each) => [each.participant, each.text])).toEqual([
    [{ id: 'whatsapp:1', name: 'Person 1' }, typed],
  ]);
});

test('somebody who hides their phone number is known by the id that Meta tells, and is answered', async () => {
  const { whatsapp, registry, said } = await world();
  const id = 'US.13491208655302741918';
  await whatsapp.writesHidden('why', id);
  await expect.poll(() => said(id).at(-1)).toBe('Why?');
  await whatsapp.writesHidden('Too small', id);
  await expect.poll(() => said(id).at(-1)).toBe('Because: Too small');
  expect((await registry.listAsks({ status: 'answered' })).asks[0]?.decidedBy?.id).toBe(`whatsapp:${id}`);
});

test('the adapter knows a person by their first number, also after they have another, and whoever has it after them', async () => {
  const { whatsapp, received } = await recorder();
  const from_user_id = 'US.1';
  await whatsapp.writes('mine', { from: '1', more: { from_user_id } });
  await whatsapp.writes('moved', { from: '5', more: { from_user_id } });
  await whatsapp.writes('new here', { from: '1', more: { from_user_id: 'US.2' } });
  expect(received.map(({ participant }) => participant?.id)).toEqual(['whatsapp:1', 'whatsapp:1', 'whatsapp:1']);
});

test('that a message was read, or was not delivered, is acknowledged and changes nothing', async () => {
  const { whatsapp, registry } = await world();
  await whatsapp.writes('refund');
  await expect.poll(async () => (await registry.listAsks()).asks).toHaveLength(1);
  const errors = [{ code: 131_047, title: 'Re-engagement message' }];
  const statuses = [{ id: 'wamid.1002', status: 'failed', timestamp: '1700000000', recipient_id: '1', errors }];
  expect((await whatsapp.delivers({ statuses })).status).toBe(200);
  expect((await registry.listAsks()).asks.map(({ status }) => status)).toEqual(['pending']);
});

test('somebody who cannot be written to is undeliverable; a WhatsApp that is down or busy is tried again', async () => {
  const { whatsapp, channel } = await recorder();
  await whatsapp.writes('hello');
  const message = { key: 'k', conversationId: 'c', text: 'Hello', shape: { type: 'text' } } as const;
  const send = (address: string) =>
    channel.send({ ...message, address } as unknown as Parameters<typeof channel.send>[0]);
  await expect(send('whatsapp:66')).rejects.toMatchObject({ code: 'undeliverable' });
  await expect(send('whatsapp:7')).rejects.toMatchObject({ code: 'undeliverable' }); // they have not written for 24 hours
  await expect(send('whatsapp:Ann')).rejects.toMatchObject({ code: 'undeliverable' });
  const transient = [
    [401, 190],
    [400, 190],
    [429, 4],
    [400, 130_429],
    [400, 131_056],
    [500, 131_000],
    [503, 131_016],
  ] as const;
  for (const [status, code] of transient) {
    whatsapp.fails(status, code);
    const sending = send('whatsapp:1');
    await expect(sending, `${status} ${code}`).rejects.toThrow('did not send');
    await expect(sending, `${status} ${code}`).rejects.not.toMatchObject({ code: 'undeliverable' });
  }
});

test('a question that is too long for WhatsApp is cut, without buttons, and links to its page', async () => {
  const shop = agent('shop');
  const long = shop.question('long', text(`Why? ${'long '.repeat(300)}`), { onAnswer: () => 'Thanks.' });
  shop.onMessage(({ ask }) => ask(long));
  const { whatsapp, channel, close } = await whatsAppChannel({ inboxUrl: (id) => `https://inbox.example.com/${id}` });
  const registry = new AgentRegistry({ agents: [shop], channels: [channel] });
  await registry.start();
  onTestFinished(async () => {
    await registry.stop();
    await close();
  });
  await whatsapp.writes('help');
  await expect.poll(() => whatsapp.said()).toHaveLength(1);
  expect(whatsapp.said()[0]).toMatchObject({
    buttons: [],
    link: expect.stringContaining('https://inbox.example.com/'),
  });
});
