/** The channel of the chat SDK on a local WhatsApp, with signed requests over HTTP: buttons, people, and what a failure costs. */
import { expect, test } from 'vitest';
import { agent, choice, confirm, text } from '../../../src/index.js';
import { type Shop, withRecorder, withRegistry } from '../../support/chat/world.js';
import { refundAgent } from '../../support/slack/world.js';
import { seenText } from '../../support/telegram/driver.js';
import { whatsAppChannel } from '../../support/whatsapp/driver.js';

/** A registry with an agent on a local WhatsApp; person 1 decides about refunds. */
async function world(shop: Shop = refundAgent([], ['whatsapp:1']).clerk) {
  const here = await withRegistry(await whatsAppChannel(), shop);
  const said = (person?: string) => here.whatsapp.said(person).map((each) => seenText(each.text));
  return { ...here, said };
}

const recorder = async () => withRecorder(await whatsAppChannel());

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

test('what could not be recorded is answered with 5xx, and counts when it comes again', async () => {
  const refunds: string[] = [];
  const { whatsapp, said, isDown } = await world(refundAgent(refunds, ['whatsapp:1']).clerk);
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
  const { whatsapp, send } = await recorder();
  await whatsapp.writes('hello');
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
  const inboxUrl = (id: string) => `https://inbox.example.com/${id}`;
  const { whatsapp } = await withRegistry(await whatsAppChannel({ inboxUrl }), shop);
  await whatsapp.writes('help');
  await expect.poll(() => whatsapp.said()).toHaveLength(1);
  expect(whatsapp.said()[0]).toMatchObject({
    buttons: [],
    link: expect.stringContaining('https://inbox.example.com/'),
  });
});
