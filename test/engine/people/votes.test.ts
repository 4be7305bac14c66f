import { expect, test } from 'vitest';
import type { Participant } from '../../../src/index.js';
import { agent, confirm, text } from '../../../src/index.js';
import { rehearse } from '../../../src/testing/index.js';

const approver = (id: string, name: string): Participant => ({ id, name, roles: ['approver'] });
const [carl, dora, emil] = [approver('web:carl', 'Carl'), approver('web:dora', 'Dora'), approver('web:emil', 'Emil')];

async function deploying(more: object = {}, registryOptions: object = {}) {
  const decided: unknown[] = [];
  const ops = agent('ops');
  const deploy = ops.question('deploy', confirm('Deploy 1.2?'), {
    answerableBy: { roles: ['approver'] },
    quorum: 2,
    excludeAsker: true,
    ...more,
    onAnswer: (yes, { pending }) => {
      decided.push([yes, pending.votes?.map(({ by, value }) => `${by.name} ${value}`)]);
      return yes ? 'Deploying.' : 'Stopped.';
    },
  });
  ops.onMessage(({ message, ask }) => (message === 'deploy' ? ask(deploy) : undefined));
  const play = await rehearse({ agents: [ops], ...registryOptions });
  const inRoom = (participant: Participant) => play.human(participant.id, { conversationId: 'room', participant });
  const asker = inRoom(approver('web:ann', 'Ann'));
  await asker.says('deploy');
  const [{ id } = { id: '' }] = await play.asks();
  return { ...play, asker, inRoom, id, decided };
}

test('as many different people as the quorum must say yes', async () => {
  const { inRoom, id, decided, registry } = await deploying();
  expect(await inRoom(carl).says('yes')).toEqual(["Thanks, that's 1 yes of the 2 needed."]);
  expect(await registry.getAsk(id)).toMatchObject({
    status: 'pending',
    quorum: 2,
    votes: [{ by: { id: 'web:carl', name: 'Carl' }, value: true, at: expect.any(Date) }],
  });
  expect(await inRoom(dora).presses('Yes')).toEqual(['Deploying.']);
  expect(decided).toEqual([[true, ['Carl true', 'Dora true']]]);
  expect(await registry.getAsk(id)).toMatchObject({ status: 'answered', value: true, decidedBy: { id: 'web:dora' } });
});

test('one "no" decides no, whoever said yes before', async () => {
  const { inRoom, decided } = await deploying();
  await inRoom(carl).says('yes');
  expect(await inRoom(dora).says('no')).toEqual(['Stopped.']);
  expect(await inRoom(emil).says('yes')).toEqual([]);
  expect(decided).toEqual([[false, ['Carl true', 'Dora false']]]);
});

test('a vote is final: a second one by the same person changes nothing, by button it is told', async () => {
  const { inRoom, id, decided, registry } = await deploying();
  await inRoom(carl).says('yes');
  expect(await inRoom(carl).presses('No')).toEqual(['Your vote has already been counted.']);
  expect(await inRoom(carl).says('no')).toEqual([]); // plain talk of somebody who has voted is an ordinary message
  expect(await registry.answer(id, { value: false }, { by: carl })).toMatchObject({ type: 'already' });
  expect([decided, (await registry.getAsk(id))?.votes?.length]).toEqual([[], 1]);
});

test('one human with two identities counts once when identify maps them', async () => {
  const person: Record<string, Participant> = { 'slack:C1': carl };
  const identify = (participant: Participant) => person[participant.id] ?? participant;
  const { inRoom, id, decided, registry } = await deploying({}, { identify });
  await inRoom(carl).says('yes');
  expect(await registry.answer(id, { value: true }, { by: { id: 'slack:C1' } })).toMatchObject({ type: 'already' });
  expect(decided).toEqual([]);
  expect(await registry.answer(id, { value: true }, { by: dora })).toMatchObject({ type: 'accepted' });
  expect(decided).toHaveLength(1);
});

test('the asker is excluded although the role fits; so is whoever has no name', async () => {
  const { asker, id, decided, registry } = await deploying();
  expect(await asker.presses('Yes')).toEqual(["Sorry, you can't answer this one."]);
  expect(await registry.answer(id, { value: true }, { by: { id: 'web:ann', roles: ['approver'] } })).toEqual({
    type: 'refused',
  });
  expect(await registry.answer(id, { value: true }, {})).toEqual({ type: 'refused' });
  expect(decided).toEqual([]);
});

test('the excluded asker is remembered when the question goes elsewhere', async () => {
  const ops = agent('ops');
  const deploy = ops.question('deploy', confirm('Deploy?'), {
    answerableBy: { roles: ['approver'] },
    excludeAsker: true,
    onAnswer: () => 'Done.',
  });
  ops.onMessage(({ ask }) => ask(deploy, { via: { channel: 'rehearsal', to: 'board' } }));
  const { human, asks, registry } = await rehearse({ agents: [ops] });
  await human('ann', { participant: approver('web:ann', 'Ann') }).says('deploy');
  const [{ id } = { id: '' }] = await asks();
  expect(await registry.answer(id, { value: true }, { by: approver('web:ann', 'Ann') })).toEqual({ type: 'refused' });
  expect(await registry.answer(id, { value: true }, { by: carl })).toMatchObject({ type: 'accepted' });
});

test('a vote over the API is counted and says what is still missing', async () => {
  const { id, registry } = await deploying({ quorum: 3 });
  expect(await registry.answer(id, { value: true }, { by: carl })).toMatchObject({
    type: 'counted',
    ask: { status: 'pending', votes: [{ value: true }] },
  });
});

test('a vote over the API for a question that still waits its turn: it is shown when its turn comes', async () => {
  const ops = agent('ops');
  const order = ops.question('order', text('Which order?'), { onAnswer: () => 'Thank you.' });
  const deploy = ops.question('deploy', confirm('Deploy 1.2?'), {
    answerableBy: 'anyone',
    quorum: 2,
    onAnswer: () => 'Done.',
  });
  ops.onMessage(async ({ ask }) => {
    await ask(order);
    return ask(deploy);
  });
  const { human, registry, asks } = await rehearse({ agents: [ops] });
  const ann = human('ann');
  expect(await ann.says('deploy')).toEqual(['Which order?']);
  const [, { id } = { id: '' }] = await asks();
  expect(await registry.answer(id, { value: true }, { by: carl })).toMatchObject({ type: 'counted' });
  expect((await ann.says('4711')).join()).toContain('Deploy 1.2?');
});

test('talk among approvers is no failed attempt: it is an ordinary message, and the vote goes on', async () => {
  const { inRoom, id, registry } = await deploying();
  for (const words of ['is the build green?', 'I will have a look', 'fine so far']) await inRoom(carl).says(words);
  expect(await registry.getAsk(id)).toMatchObject({ status: 'pending', retries: 0 });
});

test('a redelivered vote is one vote, and votes survive a crash', async () => {
  const { inRoom, id, decided, crash, restart, clock, registry } = await deploying();
  await inRoom(carl).says('yes', { id: 'same' });
  await inRoom(carl).says('yes', { id: 'same' });
  expect((await registry.getAsk(id))?.votes).toHaveLength(1);
  crash();
  await restart();
  await clock.advance(60_000);
  await inRoom(dora).says('yes');
  expect(decided).toEqual([[true, ['Carl true', 'Dora true']]]);
});

test('killed after the deciding vote, the continuation runs with both votes', async () => {
  const { inRoom, decided, crash, restart, clock } = await deploying();
  await inRoom(carl).says('yes');
  crash('decision');
  await inRoom(dora).says('yes');
  await restart();
  await clock.advance(60_000);
  expect(decided).toEqual([[true, ['Carl true', 'Dora true']]]);
});

test('a quorum of one is one vote by somebody who is named', async () => {
  const { inRoom, decided } = await deploying({ quorum: 1 });
  await inRoom(carl).says('yes');
  expect(decided).toEqual([[true, ['Carl true']]]);
});
