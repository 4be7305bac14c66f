/** The channel of the chat SDK on a local Teams: buttons, dialogs, people, and what a failure costs. */
import { expect, onTestFinished, test } from 'vitest';
import { Deliveries } from '../../../src/channels/chat/incoming/deliveries.js';
import { agent, choice, date, form, number, optional, text } from '../../../src/index.js';
import { FakeClock } from '../../../src/testing/index.js';
import { type Shop, withRecorder, withRegistry } from '../../support/chat/world.js';
import { settle } from '../../support/engine.js';
import { refundAgent } from '../../support/slack/world.js';
import { type TeamsHow, teamsChannel } from '../../support/teams/driver.js';
import { TeamsServer } from '../../support/teams/server.js';
import { seenText } from '../../support/telegram/driver.js';

function clerk() {
  const shop = agent('shop');
  const asks = {
    why: shop.question('why', text('Why?', { minLength: 3 }), { onAnswer: (why) => `Because: ${why}` }),
    day: shop.question('day', date('Which day?'), { onAnswer: (day) => `On ${JSON.stringify(day)}` }),
    order: shop.question(
      'order',
      form('Your order', {
        what: text('What?'),
        amount: number('How many?', { min: 1, max: 5 }),
        size: choice('Which size?', ['S & M', 'Large']),
        note: optional(text('Anything else?')),
      }),
      { onAnswer: (order) => `Got ${JSON.stringify(order)}` },
    ),
  };
  return shop.onMessage(({ message, ask }) => ask(asks[message as 'why']));
}

/** A registry with an agent on a local Teams; person 2 decides about refunds. */
async function world(shop: Shop = refundAgent([], ['teams:29:2']).clerk, how: TeamsHow = {}) {
  const here = await withRegistry(await teamsChannel({}, how), shop);
  const { teams } = here;
  const said = (where: string, person?: string) => teams.said(where, person).map(({ text: each }) => seenText(each));
  return { ...here, said, mine: teams.direct('1') };
}

async function asked(what: string, how: TeamsHow = {}) {
  const here = await world(clerk(), how);
  await here.teams.writes(what);
  await expect.poll(() => here.said(here.mine)).toHaveLength(1);
  return here;
}

test('a text is written in a dialog; what is wrong is told in it, with what was written, and it can be sent off again', async () => {
  const { teams, registry, said, mine } = await asked('why');
  const dialog = await teams.opens('Answer');
  expect(dialog).toMatchObject({ status: 200, title: 'Answer', texts: [], inputs: [{ type: 'Input.Text' }] });
  const again = await teams.submits(dialog, { Answer: 'x' });
  expect(again.texts.map(seenText).join()).toContain('at least 3');
  expect(again.inputs).toMatchObject([{ label: 'Answer', value: 'x' }]);
  const id = teams.nextId();
  const closed = { status: 200, texts: [], inputs: [] };
  expect(await teams.submits(again, { Answer: 'Too small' }, { id })).toEqual(closed);
  await expect.poll(() => said(mine).at(-1)).toBe('Because: Too small');
  expect((await teams.submits(again, { Answer: 'Too small' }, { id })).status).toBe(200); // delivered again
  expect(teams.said(mine)[0]?.buttons).toEqual([]);
  expect(said(mine)).toHaveLength(2); // nothing was said about the wrong one
  expect((await registry.listAsks({ status: 'answered' })).asks).toHaveLength(1);
});

test('a form and a date are filled in at once, and what was right stays filled in', async () => {
  const { teams, said, mine } = await asked('order');
  const dialog = await teams.opens('Answer');
  expect(dialog.inputs.map(({ type }) => type)).toEqual([
    'Input.Text',
    'Input.Number',
    'Input.ChoiceSet',
    'Input.Text',
  ]);
  const [size] = (dialog.inputs[2]?.['choices'] ?? []) as readonly { title: string; value: string }[];
  expect(size?.title).toBe('S & M');
  const values = { 'What?': 'Shoes', 'How many?': 9, 'Which size?': size?.value };
  const again = await teams.submits(dialog, values);
  expect(again.texts.map(seenText).join()).toContain('How many?');
  expect(again.inputs.map(({ value }) => value)).toEqual(['Shoes', 9, size?.value, '']);
  await teams.submits(again, { 'How many?': 2 });
  await expect.poll(() => said(mine).at(-1)).toContain('"what":"Shoes","amount":2,"size":"S & M"');
  await teams.writes('day');
  await expect.poll(() => said(mine).at(-1)).toContain('Which day?');
  await teams.submits(await teams.opens('Answer'), { Answer: '2026-03-04' });
  await expect.poll(() => said(mine).at(-1)).toContain('On "2026-03-04');
});

test('a dialog whose answer cannot be recorded is answered with 5xx, stays open, and counts when it is sent off again', async () => {
  const { teams, said, mine, isDown } = await asked('why');
  const dialog = await teams.opens('Answer');
  isDown(true);
  expect((await teams.submits(dialog, { Answer: 'Too small' })).status).toBeGreaterThanOrEqual(500);
  isDown(false);
  expect((await teams.submits(dialog, { Answer: 'Too small' })).status).toBe(200);
  await expect.poll(() => said(mine).at(-1)).toBe('Because: Too small');
});

test('somebody else who sends the dialog off decides nothing, and a place that they put into it is not written to', async () => {
  const { teams, registry, said, mine } = await asked('why', { isByServiceUrl: true });
  const dialog = await teams.opens('Answer');
  const { __callbackId: callback } = dialog.data ?? {};
  const theirs = await TeamsServer.opened();
  onTestFinished(() => theirs.close());
  const [room, server] = [teams.staff, `${theirs.url}/`].map((each) => Buffer.from(each).toString('base64url'));
  const forged = String(callback).replace('{', `{"threadId":"teams:${room}:${server}",`);
  const data = { ...dialog.data, __callbackId: forged };
  expect((await teams.submits({ ...dialog, data }, { Answer: 'Not mine' }, { from: '9' })).status).toBe(200);
  expect((await registry.listAsks()).asks.map(({ status }) => status)).toEqual(['pending']);
  await expect.poll(() => said(teams.direct('9'), '9')).toHaveLength(1); // they are told where they are
  expect(theirs.calls).toEqual([]);
  for (const wrong of ['askback{', 'askback{}', 'askback{"askId":"x","inputs":[null]}'])
    expect((await teams.submits({ ...dialog, data: { ...data, __callbackId: wrong } }, {})).status).toBe(200);
  expect(said(mine).join()).not.toContain('Not mine');
  await teams.submits(dialog, { Answer: 'Mine' });
  await expect.poll(() => said(mine).at(-1)).toBe('Because: Mine');
});

test('a stranger who presses is told alone, in the same place, and the right person decides once', async () => {
  const refunds: string[] = [];
  const { teams, said } = await world(refundAgent(refunds, ['teams:29:2']).clerk);
  const { staff: conversation } = teams;
  await teams.writes('refund', { conversation });
  await expect.poll(() => said(conversation).join()).toContain('Refund order 12345?');
  expect((await teams.presses('Yes', { conversation })).status).toBe(200);
  await expect.poll(() => said(conversation, '1')).toHaveLength(2);
  expect(said(conversation, '2')).toHaveLength(1);
  await Promise.all([1, 2].map(() => teams.presses('Yes', { from: '2', conversation })));
  await expect.poll(() => said(conversation).join()).toContain('Answered by Person 2: Yes');
  await expect.poll(() => said(conversation).at(-1)).toBe('Refunded.');
  expect(teams.said(conversation).flatMap(({ buttons }) => buttons)).toEqual([]);
  expect(refunds).toEqual(['teams:29:2']);
});

test('what could not be recorded is answered with 5xx, and counts when it comes again', async () => {
  const refunds: string[] = [];
  const { teams, said, isDown } = await world(refundAgent(refunds, ['teams:29:1']).clerk);
  const { staff: conversation } = teams;
  for (const deliver of [
    (id: string) => teams.writes('refund', { conversation, id }),
    (id: string) => teams.presses('Yes', { conversation, id }),
  ]) {
    const id = teams.nextId();
    isDown(true);
    expect((await deliver(id)).status).toBeGreaterThanOrEqual(500);
    isDown(false);
    expect((await deliver(id)).status).toBe(200);
    await expect.poll(() => said(conversation).join()).toContain('Refund order 12345?');
  }
  await expect.poll(() => said(conversation).at(-1)).toBe('Refunded.');
  expect(refunds).toEqual(['teams:29:1']);
  expect(said(conversation).filter((each) => each.includes('Refund order'))).toHaveLength(1);
});

test('the same message twice at once, while nothing can be recorded, is acknowledged neither time', async () => {
  const { teams, said, isDown } = await world();
  const { staff: conversation } = teams;
  isDown(true);
  const delivery = { conversation, id: teams.nextId() };
  const deliver = async () => (await teams.writes('refund', delivery)).status >= 500;
  expect(await Promise.all([deliver(), deliver(), deliver()])).toEqual([true, true, true]);
  isDown(false);
  expect(await deliver()).toBe(false);
  await expect.poll(() => said(conversation).join()).toContain('Refund order 12345?');
});

test('a message or a button without an id is refused, because nobody could wait until it is recorded', async () => {
  const { teams, registry } = await world();
  const { staff: conversation } = teams;
  const { id: _, ...bare } = teams.activity('message', { conversation });
  expect((await teams.delivers({ ...bare, text: 'refund', textFormat: 'plain' })).status).toBe(400);
  expect((await teams.delivers({ ...bare, type: 'invoke', name: 'task/submit', value: {} })).status).toBe(400);
  expect((await teams.delivers({ ...bare, type: 'typing' })).status).toBe(200);
  expect((await registry.listAsks()).asks).toEqual([]);
});

test('an ask is handed over to somebody who has written to the bot, in their own chat, and to nobody who has not', async () => {
  const refunds: string[] = [];
  const { teams, registry, said } = await world(refundAgent(refunds, ['teams:29:2']).clerk);
  const { staff: conversation } = teams;
  await teams.writes('Hello', { from: '3' });
  await teams.writes('refund', { conversation });
  await expect.poll(() => said(conversation).join()).toContain('Refund order 12345?');
  const [{ id } = { id: '' }] = (await registry.listAsks()).asks;
  const by = { id: 'teams:29:2' };
  expect(await registry.handOver(id, { to: 'teams:29:4', by })).toMatchObject({ type: 'invalid' });
  expect(await registry.handOver(id, { to: 'teams:29:3', by })).toMatchObject({ type: 'handed-over' });
  await expect.poll(() => said(teams.direct('3')).join()).toContain('Refund order 12345?');
  await teams.presses('Yes', { from: '3' });
  await expect.poll(() => refunds).toEqual(['teams:29:3']);
});

test('a delivery that hangs in the adapter keeps the next one of the same activity waiting, and not for ever', async () => {
  const clock = new FakeClock();
  const deliveries = new Deliveries(clock);
  const done: string[] = [];
  const work = (name: string, until?: Promise<void>) => async () => {
    await until;
    done.push(name);
  };
  void deliveries.inTurn('1', work('hangs', new Promise(() => {})));
  const next = deliveries.inTurn('1', work('next'));
  await settle();
  expect(done).toEqual([]);
  await expect.poll(() => clock.advance(10_000).then(() => done)).toEqual(['next']);
  await next;
  expect(done).toEqual(['next']);
});

test('people are heard as they typed, without the mention of the bot; programs are not heard', async () => {
  const { teams, received } = await withRecorder(await teamsChannel());
  const typed = '1. *2* _yes_ <b> & &amp; # x';
  const mention = { type: 'mention', text: '<at>shopbot</at>', mentioned: { id: `28:${teams.appId.toUpperCase()}` } };
  await teams.writes(`<at>shopbot</at> ${typed}\n`, { conversation: teams.staff, more: { entities: [mention] } });
  await teams.writes('yes', { more: { from: { id: '28:another-bot', name: 'Bot' } } });
  await teams.writes('yes', { more: { from: undefined } });
  expect(received.map((each) => [each.participant?.id, each.text, each.participant?.locale])).toEqual([
    ['teams:29:1', typed, 'en-US'],
  ]);
});

test('hostile text stays text in messages, cards and buttons', async () => {
  const hostile =
    '**b** *s* _i_ ~~x~~ `c` [x](https://a.example) <at>Ann</at> &lt; {{DATE(2017-02-14T06:00:00Z)}}\n# h\n- l\n> q';
  const shop = agent('shop');
  const what = shop.question('what', choice(`What now?\n${hostile}`, ['<b> & **c**', 'Stop']), {
    onAnswer: (chosen) => `Chosen: ${chosen} ${hostile}`,
  });
  shop.onMessage(({ ask }) => ask(what));
  const { teams, said, mine } = await world(shop);
  await teams.writes('help');
  await expect.poll(() => said(mine).join()).toContain(`What now?\n${hostile}`);
  const label = teams.said(mine)[0]?.buttons[0]?.title ?? '';
  expect(seenText(label)).toBe('1. <b> & **c**');
  expect((await teams.presses(label)).status).toBe(200);
  await expect.poll(() => said(mine).at(-1)).toBe(`Chosen: <b> & **c** ${hostile}`);
});

test('a place that Teams does not have is undeliverable; a Teams that is down is tried again', async () => {
  const { teams, send } = await withRecorder(await teamsChannel());
  await expect(send('teams:29:66')).rejects.toMatchObject({ code: 'undeliverable' });
  await expect(send('teams:29:777')).rejects.toMatchObject({ code: 'undeliverable' });
  await expect(send('teams:28:1')).rejects.toMatchObject({ code: 'undeliverable' });
  for (const status of [401, 429, 500, 503]) {
    teams.fails(status);
    await expect(send('teams:29:1')).rejects.not.toMatchObject({ code: 'undeliverable' });
  }
});
