/**
 * A question that goes to whoever is next while nobody answers: each step once, whoever crashes, and one decision.
 */
import { expect, test } from 'vitest';
import { silentLogger } from '../../../src/core/events.js';
import type { AskOptions, RegistryEvents } from '../../../src/index.js';
import { agent, confirm } from '../../../src/index.js';
import { InboxChannel } from '../../../src/server/index.js';
import type { CrashPoint } from '../../../src/testing/crashable-store.js';
import { crashableStore } from '../../../src/testing/crashable-store.js';
import { heard, leaseAndSweep, minute, world } from '../../support/engine.js';
import { ann, Board, ben, cleo, dan, Mail } from '../../support/places.js';

const hour = 60 * minute;

const ladder: Pick<AskOptions, 'answerableBy' | 'escalate' | 'expiresIn'> = {
  answerableBy: { roles: ['manager'] },
  escalate: [
    { after: 10 * minute, channel: 'mail', to: 'dan', answerableBy: [dan.id] },
    { after: 30 * minute, channel: 'board', to: 'boss', answerableBy: ['staff:boss'] },
  ],
  expiresIn: hour,
};

const boss = { id: 'staff:boss', name: 'Boss' };

function shop(more: Omit<AskOptions, 'effectKey'> = {}, usual: Omit<AskOptions, 'effectKey'> = ladder) {
  const made = agent('shop');
  const sure = made.question('sure', confirm('Refund?'), {
    ...usual,
    ...more,
    onAnswer: (yes) => `Decided: ${yes}.`,
    onClosed: (_, why) => `Over: ${why}.`,
  });
  return made.onMessage(({ ask }) => ask(sure));
}

async function asked(more: Omit<AskOptions, 'effectKey'> = {}) {
  const { replica, advance } = world();
  const [web, board, mail] = [new Mail('web'), new Board(), new Mail()];
  const registry = await replica({ agents: [shop(more)], channels: [web, board, mail, new InboxChannel()] });
  const escalated = heard(registry, 'escalated');
  await web.writes('ann', 'refund', ann);
  const [{ id = '' } = {}] = (await registry.listAsks()).asks;
  return { registry, web, board, mail, advance, id, escalated };
}

test('each step is taken at its time, once, is recorded and told of, and whom it names may answer from then on', async () => {
  const { registry, web, board, mail, advance, id, escalated } = await asked();
  expect(await registry.answer(id, { value: true }, { by: dan })).toEqual({ type: 'refused' });
  await advance(10 * minute + leaseAndSweep);
  expect(mail.texts('dan')).toEqual(['Refund?']);
  expect(board.texts('boss')).toEqual([]);
  await advance(20 * minute);
  expect(board.texts('boss')).toEqual(['Refund?']);
  expect(mail.texts('dan')).toHaveLength(1);
  expect(escalated).toMatchObject([
    { askId: id, channel: 'mail', level: 1 },
    { askId: id, channel: 'board', level: 2 },
  ]);
  await mail.presses('dan', 'yes', dan);
  expect(web.texts('ann')).toContain('Decided: true.');
  expect(board.shows('boss')).toEqual(['answered']);
  expect(await registry.getAsk(id)).toMatchObject({
    decidedBy: dan,
    steps: [
      { type: 'escalated', channel: 'mail', address: 'dan', answerableBy: [dan.id] },
      { type: 'escalated', channel: 'board', address: 'boss', answerableBy: [boss.id] },
    ],
  });
});

test('nobody is asked next after the answer, the end or the cancel', async () => {
  const { registry, mail, advance, id } = await asked();
  await registry.answer(id, { value: true }, { by: ben });
  await advance(2 * hour);
  expect(mail.sent).toEqual([]);
});

test('steps that came due while nothing ran are taken one after another, each recorded', async () => {
  const { replica, advance, clock } = world();
  const [web, board, mail] = [new Mail('web'), new Board(), new Mail()];
  const first = await replica({ agents: [shop()], channels: [web, board, mail] });
  await web.writes('ann', 'refund', ann);
  await first.stop();
  await clock.advance(40 * minute);
  const registry = await replica({ agents: [shop()], channels: [new Mail('web'), board, mail] });
  await advance(leaseAndSweep);
  expect([mail.texts('dan'), board.texts('boss')]).toEqual([['Refund?'], ['Refund?']]);
  expect((await registry.listAsks()).asks[0]?.steps).toHaveLength(2);
});

test('quiet hours hold reminders back, and no step', async () => {
  const { replica, advance } = world();
  const [web, board, mail] = [new Mail('web'), new Board(), new Mail()];
  const quietUntil = (now: Date) => new Date(now.getTime() + hour);
  const made = shop({ remindAfter: 5 * minute });
  await replica({ agents: [made], channels: [web, board, mail], quietUntil });
  await web.writes('ann', 'refund', ann);
  await advance(15 * minute);
  expect([web.texts('ann'), mail.texts('dan')]).toEqual([['Refund?'], ['Refund?']]);
});

test('after a step a reminder goes to whoever is asked now', async () => {
  const { web, mail, advance } = await asked({ remindAfter: 20 * minute });
  await advance(21 * minute);
  expect(web.texts('ann')).toEqual(['Refund?']);
  expect(mail.texts('dan')).toEqual(['Refund?', 'This is still open:\nRefund?']);
});

test('a question that reached nobody goes to the next step at once, and ends when none is left', async () => {
  const { replica, advance } = world();
  const [web, board, mail] = [new Mail('web'), new Board(), new Mail()];
  const registry = await replica({ agents: [shop({ expiresIn: 48 * hour })], channels: [web, board, mail] });
  const failing = ({ ask }: { readonly ask?: unknown }) => {
    if (ask !== undefined) throw new Error('The platform is down.');
  };
  web.onSend = failing;
  mail.onSend = failing;
  board.onSend = failing;
  await web.writes('ann', 'refund', ann);
  await advance(10 * hour);
  expect(web.texts('ann')).toEqual(['Over: undeliverable.']);
  const [ask] = (await registry.listAsks({ status: 'decided' })).asks;
  expect(ask?.steps).toHaveLength(2);
});

test('a lost question is escalated without waiting for the time of the step', async () => {
  const { replica, advance } = world();
  const [web, board, mail] = [new Mail('web'), new Board(), new Mail()];
  const registry = await replica({
    agents: [shop()],
    channels: [web, board, mail],
    settings: { deliveryBackOff: [1_000] },
  });
  web.onSend = () => Promise.reject(new Error('The platform is down.'));
  await web.writes('ann', 'refund', ann);
  await advance(minute);
  expect(mail.texts('dan')).toEqual(['Refund?']);
  const [ask] = (await registry.listAsks()).asks;
  expect(ask?.steps).toMatchObject([{ type: 'escalated', channel: 'mail', why: 'undeliverable' }]);
});

test('a step in the inbox sends nothing, and lets others answer', async () => {
  const escalate = [{ after: minute, channel: 'inbox', answerableBy: [dan.id] }];
  const { registry, web, advance, id } = await asked({ escalate });
  await advance(2 * minute);
  expect(web.texts('ann')).toEqual(['Refund?']);
  expect((await registry.listAsks({ for: dan })).asks).toHaveLength(1);
  expect(await registry.answer(id, { value: true }, { by: dan })).toMatchObject({ type: 'accepted' });
});

test.each<[string, Omit<AskOptions, 'effectKey'>]>([
  ['a step in the inbox', { escalate: [{ after: minute, channel: 'inbox', answerableBy: [dan.id] }] }],
  ['notify in the inbox', { notify: [{ channel: 'inbox' }] }],
  ['a hand-over to somebody whom no channel knows', {}],
])('a question that can be delivered nowhere goes on where the inbox has it by %s', async (by, options) => {
  const { replica, advance } = world();
  const web = new Mail('web');
  web.onSend = ({ ask }) => (ask === undefined ? undefined : Promise.reject(new Error('The platform is down.')));
  const channels = [web, new InboxChannel()];
  const managers = { answerableBy: { roles: ['manager'] } };
  const registry = await replica({ agents: [shop(options, managers)], channels });
  await web.writes('ann', 'refund', ann);
  const [{ id = '' } = {}] = (await registry.listAsks()).asks;
  if (by.startsWith('a hand-over')) await registry.handOver(id, { by: ben, to: dan });
  await advance(10 * hour);
  expect(await registry.answer(id, { value: true }, { by: options.notify ? ben : dan })).toMatchObject({
    type: 'accepted',
  });
  expect(web.texts('ann')).toEqual(['Decided: true.']);
});

test('a policy of a step that throws takes the right to answer from nobody whom another rule lets answer', async () => {
  const { replica, advance } = world();
  const [web, mail] = [new Mail('web'), new Mail()];
  const policies = {
    broken: () => {
      throw new Error('The directory is down.');
    },
    everybody: () => true,
  };
  const escalate = [
    { after: minute, channel: 'mail', to: 'dan', answerableBy: { policy: 'broken' } },
    { after: 2 * minute, channel: 'mail', to: 'boss', answerableBy: { policy: 'everybody' } },
  ];
  const registry = await replica({ agents: [shop({ escalate })], channels: [web, mail], policies });
  await web.writes('ann', 'refund', ann);
  const [{ id = '' } = {}] = (await registry.listAsks()).asks;
  await advance(minute + leaseAndSweep);
  expect((await registry.listAsks({ for: ben })).asks).toHaveLength(1);
  await advance(minute);
  expect((await registry.listAsks({ for: boss })).asks).toHaveLength(1);
  expect(await registry.answer(id, { value: true }, { by: ben })).toMatchObject({ type: 'accepted' });
});

test('a turn that waits for the answer takes the steps, too', async () => {
  const { replica, advance } = world();
  const [web, board, mail] = [new Mail('web'), new Board(), new Mail()];
  const made = agent('shop').onMessage(async ({ askAndWait }) => {
    const outcome = await askAndWait(confirm('Refund?'), { ...ladder, timeout: hour });
    return `Decided: ${outcome.status === 'answered' && outcome.value}.`;
  });
  const registry = await replica({ agents: [made], channels: [web, board, mail] });
  const escalated = heard(registry, 'escalated');
  await web.writes('ann', 'refund', ann);
  await advance(31 * minute);
  expect([mail.texts('dan'), board.texts('boss')]).toEqual([['Refund?'], ['Refund?']]);
  expect(escalated).toHaveLength(2);
  await board.presses('boss', 'yes', boss);
  await advance(minute);
  expect(web.texts('ann')).toContain('Decided: true.');
  expect(mail.texts('dan')).toEqual(['Refund?', 'Refund?\nThis was already answered by Boss.']);
});

test.each<CrashPoint>(['save', 'sent', 'take', 'decision'])(
  'a process that dies after "%s", before and after each step: each step once, one decision',
  async (point) => {
    const { replica, advance, store } = world();
    const [web, board, mail] = [new Mail('web'), new Board(), new Mail()];
    const decided: RegistryEvents['answered'][] = [];
    const revived = async () => {
      const process = crashableStore(store);
      const channels = [web, board, mail];
      const registry = await replica({ store: process.store, agents: [shop()], channels, logger: silentLogger });
      registry.on('answered', (about) => decided.push(about));
      return { ...process, registry };
    };
    let process = await revived();
    const dies = async (): Promise<void> => {
      process.crash();
      process = await revived();
      await advance(leaseAndSweep);
    };
    await web.writes('ann', 'refund', ann);
    process.crashAfter(point);
    await advance(11 * minute);
    await dies();
    process.crashAfter(point);
    await advance(20 * minute);
    await dies();
    const [ask] = (await process.registry.listAsks()).asks;
    expect(ask?.steps?.map(({ channel }) => channel)).toEqual(['mail', 'board']);
    const keys = [...mail.sent, ...board.sent].map(({ key }) => key);
    expect(new Set(keys).size).toBe(2);
    process.crashAfter(point);
    await board.presses('boss', 'yes', boss);
    await dies();
    await mail.presses('dan', 'no', dan);
    await advance(2 * minute); // what the dead process had lent for sending is sent by others then
    const [over] = (await process.registry.listAsks({ status: 'decided' })).asks;
    expect(over).toMatchObject({ status: 'answered', value: true, decidedBy: boss });
    expect(new Set(decided.map(({ askId }) => askId)).size).toBeLessThanOrEqual(1);
    expect(new Set(web.texts('ann').filter((each) => each.startsWith('Decided')))).toEqual(new Set(['Decided: true.']));
  },
);

test.each([
  ['after the deadline', [{ after: hour, channel: 'mail', to: 'x' }], 'the ask expires after 3600000 ms (expiresIn)'],
  [
    'at a negative time',
    [{ after: -1, channel: 'mail' }],
    'escalate[0].after must be a number of milliseconds above 0',
  ],
  [
    'out of order',
    [
      { after: 2, channel: 'mail' },
      { after: 1, channel: 'mail' },
    ],
    'Put the steps in order',
  ],
  ['without a channel', [{ after: 1 }], 'escalate[0].channel must be the name of a registered channel'],
  [
    'with an unknown channel',
    [{ after: 1, channel: 'fax' }],
    'escalate[0].channel is "fax", but no channel of that name',
  ],
  ['for an unknown policy', [{ after: 1, channel: 'mail', answerableBy: { policy: 'p' } }], 'names the policy "p"'],
  ['for the asker', [{ after: 1, channel: 'mail', answerableBy: 'asker' }], 'escalate[0] needs answerableBy'],
  ['with too many', Array.from({ length: 9 }, (_, i) => ({ after: i + 1, channel: 'mail' })), 'at most 8 are taken'],
])('a step %s is refused by a clear error', async (_, escalate, message) => {
  const { replica } = world();
  const registry = await replica({ channels: [new Mail('web'), new Mail()] });
  const options = { channel: 'web', to: 'ann', answerableBy: 'anyone', expiresIn: hour, escalate } as never;
  await expect(registry.ask(confirm('Sure?'), options)).rejects.toThrow(message);
});

test('a step whose people are all left out by excludeAsker is refused', async () => {
  const { replica } = world();
  const registry = await replica({ channels: [new Mail('web'), new Mail()] });
  const escalate = [{ after: 1, channel: 'mail', to: 'ann', answerableBy: [ann.id] }];
  const where = { channel: 'web', to: 'ann', asker: ann, answerableBy: [ben.id, cleo.id] } as const;
  const asking = registry.ask(confirm('Sure?'), { ...where, excludeAsker: true, escalate });
  await expect(asking).rejects.toThrow('names nobody who may answer');
});
