/** A deployment that two approvers must allow, asked for by a third, with two processes on one Redis. */
import { expect, test } from 'vitest';
import type { HistoryItem } from '../../../src/core/conversation/history.js';
import type { Settings } from '../../../src/core/settings.js';
import type { Participant } from '../../../src/index.js';
import { redisAndWorld } from '../../support/for-file.js';
import { fresh, soon } from '../../support/replica/world.js';
import { Staff, shown } from './staff.js';

const approver = (id: string, name: string): Participant => ({ id, name, roles: ['approver'] });
const ann = approver('slack:ann', 'Ann'); // asks for it; an approver herself
const umaInSlack: Participant = { id: 'slack:U1', name: 'uma.b' };
const umaInTheWeb: Participant = { id: 'web:1', name: 'Uma B.' };
const vic = approver('web:vic', 'Vic');
const stranger: Participant = { id: 'slack:sam', name: 'Sam', roles: ['intern'] };

const question = 'Deploy 1.2?';
const one = "Thanks, that's 1 yes of the 2 needed.";

const { server: redis, world } = await redisAndWorld();

/** Two processes, and a deployment that Ann has asked the first of them for. */
async function asked(settings?: Partial<Settings>) {
  const [a, b] = await Promise.all([Staff.begin(world, redis.url, settings), Staff.begin(world, redis.url)]);
  return { a, b, ...(await askedOf(a)) };
}

async function askedOf(staff: Staff) {
  const room = fresh('room');
  await staff.hears(ann, room, { text: 'deploy' });
  const { askId = '' } = await shown(world, room, question);
  return { room, askId };
}

const pressesYes = (askId: string) => ({ askId, choice: 'yes' });

test('one approver votes by two channels through two processes and counts once', async () => {
  const { a, b, room, askId } = await asked();
  await a.hears(umaInSlack, room, { text: 'yes' });
  expect(await shown(world, room, one)).toMatchObject({ channel: 'slack' });

  await b.hears(umaInTheWeb, room, pressesYes(askId));
  expect(await shown(world, room, 'Your vote has already been counted.')).toMatchObject({ channel: 'web' });
  expect(await b.call('answer', askId, { value: true }, { by: umaInTheWeb })).toMatchObject({ type: 'already' });

  expect(await b.getAsk(askId)).toMatchObject({
    status: 'pending',
    votes: [{ by: { id: 'person:uma', name: 'Uma' }, value: true }],
  });
  expect(await world.ledger(room)).toMatchObject({ calls: 0 });
});

test('a stranger and the asker are refused by name, and the ask stays pending', async () => {
  const { a, b, room, askId } = await asked();
  for (const [staff, who] of [
    [a, stranger],
    [b, ann],
  ] as const) {
    await staff.hears(who, room, pressesYes(askId));
    await shown(world, room, "Sorry, you can't answer this one.");
    // whichever process had the conversation
    expect(await Promise.any([a.refused(who.id), b.refused(who.id)])).toBe(askId);
    expect(await staff.call('answer', askId, { value: true }, { by: who })).toEqual({ type: 'refused' });
    await staff.hears(who, room, { text: 'yes' }); // plain words of theirs are an ordinary message
  }
  await Promise.all([a.call('idle'), b.call('idle')]);
  const ask = await b.getAsk(askId);
  expect(ask).toMatchObject({ status: 'pending', retries: 0 });
  expect(ask?.votes).toBeUndefined();
  expect(await world.heard(room)).toEqual([
    question,
    "Sorry, you can't answer this one.",
    "Sorry, you can't answer this one.",
  ]);
});

test('one "no" stops it, although somebody else has said yes', async () => {
  const { a, b, room, askId } = await asked();
  await a.hears(umaInSlack, room, { text: 'yes' });
  await shown(world, room, one);
  await b.hears(vic, room, { askId, choice: 'no' });
  await shown(world, room, 'Stopped.');

  const votes = [
    { by: { name: 'Uma' }, value: true },
    { by: { name: 'Vic' }, value: false },
  ];
  expect(await a.getAsk(askId)).toMatchObject({ status: 'answered', value: false, decidedBy: { name: 'Vic' }, votes });
  const late = await a.call('answer', askId, { value: true }, { by: approver('web:wes', 'Wes') });
  expect(late).toMatchObject({ type: 'already', ask: { value: false, votes } });
  expect(await world.ledger(room)).toMatchObject({ calls: 0 });
});

test('two approvers vote at the same moment through two processes: yes is decided once, and done once', async () => {
  const [a, b] = await Promise.all([Staff.begin(world, redis.url), Staff.begin(world, redis.url)]);
  const rooms = await Promise.all(Array.from({ length: 12 }, (_, i) => askedOf(i % 2 === 0 ? a : b)));
  const moment = Date.now() + 300;
  const told = await Promise.all(
    rooms.map(({ askId }) =>
      Promise.all([
        a.call<{ type: string }>('answerAt', moment, askId, { value: true }, { by: umaInSlack }),
        b.call<{ type: string }>('answerAt', moment, askId, { value: true }, { by: vic }),
      ]),
    ),
  );
  for (const [i, { room, askId }] of rooms.entries()) {
    await shown(world, room, 'Deployed.');
    expect(told[i]?.map(({ type }) => type).toSorted()).toEqual(['accepted', 'counted']);
    const ask = await a.getAsk(askId);
    expect(ask).toMatchObject({ status: 'answered', value: true, votes: [{ value: true }, { value: true }] });
    expect(ask?.votes?.map(({ by }) => by.name).toSorted()).toEqual(['Uma', 'Vic']);
    expect(ask?.decidedBy?.name).toBe(ask?.votes?.[1]?.by.name);
    const { items } = await b.call<{ items: readonly HistoryItem[] }>('history', room);
    expect(items.filter((item) => item.type === 'decision')).toHaveLength(1);
  }
  await Promise.all([a.call('idle'), b.call('idle')]);
  for (const { room, askId } of rooms) {
    expect(await world.ledger(room)).toEqual({ payments: 1, calls: 1, keys: [askId] });
    expect((await world.heard(room)).filter((text) => text === 'Deployed.')).toHaveLength(1);
  }
});

test('the votes can be seen from the other process, with names', async () => {
  const { a, b, room, askId } = await asked();
  await a.hears(umaInSlack, room, { text: 'yes, please' });
  await shown(world, room, one);
  const seen = await b.getAsk(askId);
  expect(seen).toMatchObject({ status: 'pending', quorum: 2, answerableBy: { roles: ['approver'] } });
  expect(seen?.votes).toEqual([
    { by: { id: 'person:uma', name: 'Uma' }, value: true, at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) },
  ]);
});

test('votes survive a kill -9 of the process that counted them', async () => {
  const { a, b, room, askId } = await asked(soon);
  await a.call('idle');
  // dies when the vote is saved, before it learns of that and before anybody is told
  void a.hearsAndDies(umaInSlack, room, { text: 'yes' });
  expect(await a.process.exited).toMatchObject({ signal: 'SIGKILL' });

  expect(await b.getAsk(askId)).toMatchObject({ status: 'pending', votes: [{ by: { name: 'Uma' }, value: true }] });
  await shown(world, room, one); // the other process says what the dead one could not
  await b.hears(umaInTheWeb, room, pressesYes(askId));
  await shown(world, room, 'Your vote has already been counted.');
  await b.hears(vic, room, pressesYes(askId));
  await shown(world, room, 'Deployed.');
  await b.call('idle');
  expect(await world.ledger(room)).toEqual({ payments: 1, calls: 1, keys: [askId] });
  expect((await b.getAsk(askId))?.votes?.map(({ by }) => by.name)).toEqual(['Uma', 'Vic']);
});
