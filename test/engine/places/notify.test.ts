/**
 * A question that is shown in several places: the first valid answer wins, and nobody is left with a button or an open question.
 */
import { expect, test } from 'vitest';
import type { AskOptions } from '../../../src/index.js';
import { agent, choice, confirm, form, text } from '../../../src/index.js';
import { InboxChannel } from '../../../src/server/index.js';
import { minute, settle, world } from '../../support/engine.js';
import { ann, Board, ben, cleo, dan, Mail } from '../../support/places.js';

const hour = 60 * minute;

type Options = Omit<AskOptions, 'effectKey'>;

async function shop(more: Options = {}, question = 'sure') {
  const { replica, advance, store, clock } = world();
  const [web, board, mail] = [new Mail('web'), new Board(), new Mail()];
  const made = agent('shop');
  const options: Options = {
    answerableBy: { roles: ['manager'] },
    notify: [
      { channel: 'board', to: 'C1' },
      { channel: 'mail', to: 'ops' },
    ],
    ...more,
  };
  const onAnswer = (answer: unknown) => `Decided: ${JSON.stringify(answer)}.`;
  const onClosed = (_: unknown, why: string) => `Over: ${why}.`;
  const sure = made.question('sure', confirm('Refund 48 EUR?'), { ...options, onAnswer, onClosed });
  const size = made.question('size', text('Which order?', { pattern: /^\d+$/ }), { ...options, onAnswer, onClosed });
  const both = made.question(
    'both',
    form('Order', { size: choice('Size?', ['S', 'L']), colour: choice('Colour?', ['red', 'blue']) }),
    {
      ...options,
      onAnswer,
    },
  );
  made.onMessage(({ ask }) => ask(question === 'sure' ? sure : question === 'size' ? size : both));
  const registry = await replica({ agents: [made], channels: [web, board, mail] });
  await web.writes('ann', 'refund', ann);
  return { registry, web, board, mail, advance, store, clock };
}

test('the first answer wins; where it was asked, what it leads to is said, and not who answered', async () => {
  const { web, board, mail, registry } = await shop();
  expect([web.texts('ann'), board.texts('C1'), mail.texts('ops')].map((each) => each.length)).toEqual([1, 1, 1]);
  const [{ id = '' } = {}] = (await registry.listAsks()).asks;
  expect(board.sent[0]).toMatchObject({ conversationId: 'web:ann', address: 'C1', ask: { id } });
  await board.presses('C1', 'yes', ben);
  expect(web.texts('ann')).toEqual(['Refund 48 EUR?', 'Decided: true.']);
  expect(board.shows('C1')).toEqual(['answered']);
  expect(board.texts('C1')).toHaveLength(1);
  expect(mail.texts('ops')).toEqual(['Refund 48 EUR?', 'Refund 48 EUR?\nThis was already answered by Ben.']);
  expect(await registry.getAsk(id)).toMatchObject({ status: 'answered', decidedBy: ben });
  const { items } = await registry.history('web:ann');
  expect(items.filter((item) => item.type === 'out' && item.askId === id && !item.aside)).toHaveLength(1);
});

test('two people press at once in two places: one wins, the other is told where they pressed', async () => {
  const { board, mail, registry, web } = await shop();
  await Promise.all([board.presses('C1', 'no', ben), mail.presses('ops', 'yes', cleo)]);
  await settle();
  const [ask] = (await registry.listAsks({ status: 'decided' })).asks;
  expect(ask).toMatchObject({ status: 'answered', value: false, decidedBy: ben });
  expect(mail.texts('ops').slice(1).sort()).toEqual([
    'Refund 48 EUR?\nThis was already answered by Ben.',
    'This was already answered by Ben.',
  ]);
  expect(web.texts('ann').filter((each) => each.startsWith('Decided'))).toEqual(['Decided: false.']);
});

test('somebody who may not answer is refused where they pressed, and the question stays open everywhere', async () => {
  const { board, mail, web, registry } = await shop();
  await board.presses('C1', 'yes', dan);
  expect(board.texts('C1')).toEqual(['Refund 48 EUR?', "Sorry, you can't answer this one."]);
  expect([web.texts('ann'), mail.texts('ops')].map((each) => each.length)).toEqual([1, 1]);
  expect((await registry.listAsks()).asks).toHaveLength(1);
});

test('a reply from an address that could be any of several places of its channel counts as from none of them', async () => {
  const staff = [
    { channel: 'mail', to: 'ops' },
    { channel: 'mail', to: 'boss' },
  ];
  const { web, mail } = await shop({ notify: staff });
  await mail.presses('ops', 'yes', ben, 'ops/thread');
  expect(web.texts('ann')).toEqual(['Refund 48 EUR?', 'Decided: true.']);
  expect(mail.texts('boss')).toEqual(['Refund 48 EUR?', 'Refund 48 EUR?\nThis was already answered by Ben.']);
});

test('what staff are told about their replies is not fetched as said in the conversation of the asker', async () => {
  const { mail, registry } = await shop();
  await mail.presses('ops', 'yes', dan);
  await mail.presses('ops', 'yes', ben);
  await mail.presses('ops', 'yes', cleo);
  expect(mail.texts('ops')).toHaveLength(3);
  const { outputs } = await registry.outputs('web:ann');
  expect(outputs.map(({ text: said }) => said)).toEqual(['Decided: true.']);
});

test('a wrong reply is asked again where it came from; a reminder goes to all who were asked', async () => {
  const { board, mail, web, advance, registry } = await shop({ remindAfter: hour }, 'size');
  const [{ id: askId = '' } = {}] = (await registry.listAsks()).asks;
  const reply = { id: 'reply-1', conversationId: 'web:ann', askId, text: 'that one', participant: ben, address: 'ops' };
  await mail.desk?.receive(reply);
  await settle();
  expect(mail.texts('ops')).toHaveLength(2);
  expect([web.texts('ann'), board.texts('C1')].map((each) => each.length)).toEqual([1, 1]);
  await advance(hour + minute);
  expect([web.texts('ann'), board.texts('C1'), mail.texts('ops')].map((each) => each.at(-1))).toEqual(
    Array.from({ length: 3 }, () => 'This is still open:\nWhich order?'),
  );
  await registry.answer(askId, { text: '12345' }, { by: cleo });
  await settle();
  expect(board.shows('C1')).toEqual(['answered', 'answered']);
  expect(mail.texts('ops').at(-1)).toBe('Which order?\nThis was already answered by Cleo.');
});

test('a part of the answer changes the question in every place', async () => {
  const { board, mail, web } = await shop({}, 'both');
  await board.presses('C1', 'size/S', ben);
  expect([web, mail].map((each) => each.sent.at(-1)?.text)).toEqual([
    'Order\nSize? S\nColour?',
    'Order\nSize? S\nColour?',
  ]);
  await mail.presses('ops', 'colour/red', cleo);
  expect(web.texts('ann').filter((each) => each.startsWith('Decided'))).toEqual([
    'Decided: {"size":"S","colour":"red"}.',
  ]);
  expect(board.shows('C1')).toEqual(['answered', 'answered']);
});

test('after many reminders the copies of every place are still drawn again', async () => {
  const times = Array.from({ length: 20 }, (_, i) => (i + 1) * minute);
  const { board, advance, registry } = await shop({ remindAfter: times });
  await advance(21 * minute);
  const before = board.posts.length;
  expect(before).toBe(21);
  const [{ id = '' } = {}] = (await registry.listAsks()).asks;
  await registry.cancel(id);
  await settle();
  expect(board.posts.slice(-16).every(({ status, drawn }) => status === 'cancelled' && drawn === 1)).toBe(true);
});

test('a place that cannot be reached does not end the ask; when all are lost, it is undeliverable', async () => {
  const { board, mail, web, advance, registry } = await shop();
  expect((await registry.listAsks()).asks).toHaveLength(1);
  const failing = () => Promise.reject(new Error('The platform is down.'));
  mail.onSend = failing;
  await web.writes('bob', 'refund', { id: 'web:bob' });
  await advance(2 * hour);
  expect((await registry.listAsks()).asks).toHaveLength(2);
  await board.presses('C1', 'yes', ben);
  expect(web.texts('bob').filter((each) => each.startsWith('Decided'))).toEqual(['Decided: true.']);
  board.onSend = failing;
  web.onSend = ({ ask }) => (ask === undefined ? undefined : failing());
  await web.writes('eve', 'refund', { id: 'web:eve' });
  await advance(2 * hour);
  expect(web.texts('eve')).toEqual(['Over: undeliverable.']);
});

test('a process without the channel leaves its copy to one that has it', async () => {
  const { replica, advance } = world();
  const [web, board] = [new Mail('web'), new Board()];
  const made = agent('shop');
  const sure = made.question('sure', confirm('Sure?'), {
    answerableBy: 'anyone',
    notify: [{ channel: 'board', to: 'C1' }],
    onAnswer: (yes) => (yes ? 'Done.' : 'Left.'),
  });
  made.onMessage(({ ask }) => ask(sure));
  const first = await replica({ agents: [made], channels: [web, board] });
  board.onSend = () => Promise.reject(new Error('not now'));
  await web.writes('ann', 'go', ann);
  await first.stop();
  const alone = await replica({ agents: [made], channels: [web] });
  await advance(2 * hour);
  expect((await alone.listAsks()).asks).toHaveLength(1);
  await alone.stop();
  board.onSend = () => {};
  await replica({ agents: [made], channels: [new Mail('web'), board] });
  await advance(minute);
  expect(board.texts('C1')).toEqual(['Sure?']);
});

test('a vote in one place and one by id make the quorum; the same person by both counts once', async () => {
  const { replica } = world();
  const [web, board] = [new Mail('web'), new Board()];
  const made = agent('shop');
  const sure = made.question('sure', confirm('Sure?'), {
    answerableBy: { roles: ['manager'] },
    quorum: 2,
    notify: [{ channel: 'board', to: 'C1' }],
    onAnswer: (yes) => `Decided: ${yes}.`,
  });
  made.onMessage(({ ask }) => ask(sure));
  const identify = (who: { id: string }) => ({ ...who, id: who.id.replace('board:', 'staff:') });
  const registry = await replica({ agents: [made], channels: [web, board], identify });
  await web.writes('ann', 'go', ann);
  await board.presses('C1', 'yes', { ...ben, id: 'board:ben' });
  expect(board.texts('C1').at(-1)).toBe("Thanks, that's 1 yes of the 2 needed.");
  const [{ id = '' } = {}] = (await registry.listAsks()).asks;
  expect(await registry.answer(id, { value: true }, { by: ben })).toMatchObject({ type: 'already' });
  expect(await registry.answer(id, { value: true }, { by: cleo })).toMatchObject({ type: 'accepted' });
  expect(web.texts('ann')).toContain('Decided: true.');
});

test.each([
  ['nobody who could answer', { answerableBy: 'asker' }, 'notify needs answerableBy'],
  ['an unknown channel', { notify: [{ channel: 'fax', to: 'C1' }] }, 'notify[0].channel is "fax", but no channel'],
  ['a trigger', { notify: [{ channel: 'cron' }] }, 'notify[0].channel is a trigger channel'],
  ['a channel that pushes nothing', { notify: [{ channel: 'page' }] }, 'which pushes nothing'],
  ['too many', { notify: Array.from({ length: 9 }, () => ({ channel: 'mail' })) }, 'has 9 items, at most 8'],
  ['none', { notify: [] }, 'must be a list of 1 to 8 objects'],
  ['no channel', { notify: [{ to: 'C1' }] }, 'notify[0].channel must be the name of a registered channel'],
])('notify with %s is refused by a clear error', async (_, wrong, message) => {
  const { replica } = world();
  const cron = Object.assign(new Mail('cron'), { isTriggerChannel: true });
  const page = Object.assign(new Mail('page'), { isFetched: true });
  const registry = await replica({ channels: [new Mail('web'), new Mail(), cron, page, new InboxChannel()] });
  const options = { answerableBy: 'anyone', notify: [{ channel: 'mail', to: 'ops' }], ...wrong } as const;
  const asked = registry.ask(confirm('Sure?'), { channel: 'web', to: 'ann', ...options } as never);
  await expect(asked).rejects.toThrow(message);
});

test('the inbox, and the place where it is asked anyway, get no second copy', async () => {
  const { replica } = world();
  const web = new Mail('web');
  const registry = await replica({ channels: [web, new InboxChannel()] });
  const notify = [
    { channel: 'inbox', to: 'case-1' },
    { channel: 'web', to: 'ann' },
  ];
  await registry.ask(confirm('Sure?'), { channel: 'web', to: 'ann', answerableBy: 'anyone', notify });
  await settle();
  expect(web.texts('ann')).toEqual(['Sure?']);
});

test('what is said of a sensitive answer in other places does not quote it', async () => {
  const { replica } = world();
  const [web, mail] = [new Mail('web'), new Mail()];
  const registry = await replica({ channels: [web, mail] });
  const where = { channel: 'web', to: 'ann', answerableBy: 'anyone', sensitive: true } as const;
  const { askId } = await registry.ask('The code?', { ...where, notify: [{ channel: 'mail', to: 'ops' }] });
  await registry.answer(askId, { text: 'blue-42' }, { by: ben });
  await settle();
  expect(mail.texts('ops')).toEqual(['The code?', 'The code?\nThis was already answered by Ben.']);
  expect(JSON.stringify([web.sent, mail.sent])).not.toContain('blue-42');
});
