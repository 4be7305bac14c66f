import { expect, test } from 'vitest';
import type { Participant } from '../../../src/index.js';
import { agent, text } from '../../../src/index.js';
import { rehearse } from '../../../src/testing/index.js';

async function asked(more: object, registryOptions: object = {}, asker: Participant = { id: 'web:ann' }) {
  const got: string[] = [];
  const ops = agent('ops');
  const code = ops.question('code', text('Which code?', { pattern: /^\d+$/ }), {
    ...more,
    onAnswer: (answer) => {
      got.push(answer);
      return 'Done.';
    },
  });
  ops.onMessage(({ message, ask }) => (message === 'ask' ? ask(code) : 'hi'));
  const play = await rehearse({ agents: [ops], ...registryOptions });
  await play.human('ann', { conversationId: 'room', participant: asker }).says('ask');
  const [{ id } = { id: '' }] = await play.asks();
  const answers = (by: Participant) => play.registry.answer(id, { text: '1' }, { by });
  const says = (participant: Participant, words: string) =>
    play.human(participant.id, { conversationId: 'room', participant }).says(words);
  return { ...play, id, got, answers, says };
}

test('roles are looked at when the answer comes: somebody who lost the role is refused', async () => {
  const { answers, says, got } = await asked({ answerableBy: { roles: ['boss', 'deputy'] } });
  expect(await answers({ id: 'web:bob', roles: ['intern'] })).toEqual({ type: 'refused' });
  expect(await answers({ id: 'web:bob' })).toEqual({ type: 'refused' });
  expect(await says({ id: 'web:bob', roles: ['intern'] }, '7')).toEqual(['hi']);
  expect(got).toEqual([]);
  expect(await answers({ id: 'web:bob', roles: ['intern', 'deputy'] })).toMatchObject({ type: 'accepted' });
});

test('roles come from identify, not from what a channel claims, where identify is given', async () => {
  const identify = ({ id }: Participant): Participant => ({ id, roles: id === 'web:bob' ? ['boss'] : [] });
  const { answers } = await asked({ answerableBy: { roles: ['boss'] } }, { identify });
  expect(await answers({ id: 'web:eve', roles: ['boss'] })).toEqual({ type: 'refused' });
  expect(await answers({ id: 'web:bob' })).toMatchObject({ type: 'accepted' });
});

test.each([
  ["'anyone'", { answerableBy: 'anyone' }],
  ['a list', { answerableBy: ['web:bob'] }],
  ['a role', { answerableBy: { roles: ['boss'] } }],
  ['a policy', { answerableBy: { policy: 'any' } }],
])('by %s, an ask of a tenant is listed for its participants, and answered and read by them only', async (_, rule) => {
  const policies = { any: () => true };
  const { registry, id, answers, says, got } = await asked(rule, { policies }, { id: 'web:ann', tenant: 'acme' });
  const listed = async (who: Participant) =>
    (await registry.listAsks({ for: who })).asks.length + ((await registry.getAsk(id, { for: who })) === null ? 0 : 1);
  const boss = { id: 'web:bob', roles: ['boss'] };
  for (const eve of [boss, { ...boss, tenant: 'evil' }]) {
    expect(await listed(eve)).toBe(0);
    expect(await answers(eve)).toEqual({ type: 'refused' });
    expect(await says(eve, '7')).toEqual(['hi']);
  }
  expect(got).toEqual([]);
  const bob = { ...boss, tenant: 'acme' };
  expect(await listed(bob)).toBe(2);
  expect(await answers(bob)).toMatchObject({ type: 'accepted' });
});

test('a reply that is refused for a missing tenant is logged once for each participant, naming identify', async () => {
  const logged: unknown[][] = [];
  const logger = { debug() {}, info() {}, warn: (...line: unknown[]) => void logged.push(line), error() {} };
  const acme = { id: 'web:ann', tenant: 'acme' };
  const { answers, says, id } = await asked({ answerableBy: ['web:bob', 'web:cleo'] }, { logger }, acme);
  const tenants = () => logged.filter(([text]) => /tenant.*identify/.test(String(text)));
  await says({ id: 'web:bob' }, '7');
  await says({ id: 'web:bob' }, '8');
  expect(tenants()).toEqual([[expect.any(String), expect.objectContaining({ askId: id, participantId: 'web:bob' })]]);
  expect(await answers({ id: 'web:cleo' })).toEqual({ type: 'refused' });
  expect(tenants()).toHaveLength(2);
  await says({ id: 'web:eve' }, '7'); // not named
  await says({ id: 'web:bob', tenant: 'evil' }, '7');
  expect(tenants()).toHaveLength(2);
});

test('a policy is asked at the moment of the answer, with the identified person and the ask without its context', async () => {
  const seen: unknown[] = [];
  let onDuty = 'web:bob';
  const policies = {
    onDuty: (who: Participant, ask: object) => {
      seen.push([who.id, 'context' in ask, (ask as { question: string }).question]);
      return who.id === onDuty;
    },
  };
  const { answers, says, got } = await asked(
    { answerableBy: { policy: 'onDuty' }, context: { secret: 1 } },
    { policies },
  );
  expect(await says({ id: 'web:eve' }, '7')).toEqual(['hi']);
  onDuty = 'web:carl';
  expect(await answers({ id: 'web:bob' })).toEqual({ type: 'refused' });
  expect(await says({ id: 'web:carl' }, '7')).toEqual(['Done.']);
  expect(got).toEqual(['7']);
  expect(seen).toContainEqual(['web:carl', false, 'Which code?']);
});

test.each([
  ['truthy but not true', () => 'yes' as never],
  ['a promise of false', async () => false],
])('a policy that returns %s lets nobody answer', async (_, policy) => {
  const { answers } = await asked({ answerableBy: { policy: 'p' } }, { policies: { p: policy } });
  expect(await answers({ id: 'web:bob' })).toEqual({ type: 'refused' });
});

test('a policy that throws accepts nothing and counts no attempt; the reply is tried again', async () => {
  let broken = true;
  const policies = {
    p: () => {
      if (broken) throw new Error('the directory is down');
      return true;
    },
  };
  const { says, got, registry, id, clock } = await asked(
    { answerableBy: { policy: 'p' } },
    { policies, failures: 'collect' },
  );
  const failed: unknown[] = [];
  registry.on('failed', ({ failure }) => failed.push(failure.message));
  await says({ id: 'web:bob' }, '7');
  expect([got, failed]).toEqual([[], ['the directory is down']]);
  expect(await registry.getAsk(id)).toMatchObject({ status: 'pending', retries: 0 });
  broken = false;
  await clock.advance(60_000);
  expect(got).toEqual(['7']);
});

test('a policy that keeps throwing parks the reply, tells the human once, and the ask stays', async () => {
  const policies = {
    p: () => {
      throw new Error('the directory is down');
    },
  };
  const { says, registry, id, clock, human } = await asked(
    { answerableBy: { policy: 'p' } },
    { policies, failures: 'collect' },
  );
  const bob = human('bob', { conversationId: 'room', participant: { id: 'web:bob' } });
  await says({ id: 'web:bob' }, '7');
  await clock.advance(10 * 60_000);
  expect(bob.sees()).toEqual(["Something went wrong on our side. We've been told and will look into it."]);
  expect((await registry.parked()).items).toHaveLength(1);
  expect(await registry.getAsk(id)).toMatchObject({ status: 'pending', retries: 0 });
});

test('after the decision a stranger learns nothing by name, whatever the rule was', async () => {
  const policies = { p: ({ id }: Participant) => id === 'web:bob' };
  for (const answerableBy of [{ policy: 'p' }, { roles: ['boss'] }]) {
    const { answers } = await asked({ answerableBy }, { policies });
    const bob = { id: 'web:bob', roles: ['boss'] };
    await answers(bob);
    expect(await answers({ id: 'web:eve' })).toEqual({ type: 'refused' });
    expect(await answers(bob)).toMatchObject({ type: 'already' });
  }
});
