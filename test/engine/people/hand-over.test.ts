/**
 * Handing an ask to another person: who may, to whom, what both are told, and who may answer afterwards.
 */
import { expect, test } from 'vitest';
import type { AgentRegistry, AskOptions, Json, Participant } from '../../../src/index.js';
import { agent, confirm } from '../../../src/index.js';
import { crashableStore } from '../../../src/testing/crashable-store.js';
import { heard, leaseAndSweep, settle, world } from '../../support/engine.js';
import { ann, ben, cleo, dan, Mail } from '../../support/places.js';

/** Mail that knows its people: `staff:dan` is reached at `dan`. */
class StaffMail extends Mail {
  addressOf(participantId: string): Json | undefined {
    return participantId.startsWith('staff:') ? participantId.slice(6) : undefined;
  }
}

function shop(more: Omit<AskOptions, 'effectKey'> = {}) {
  const made = agent('shop');
  const sure = made.question('sure', confirm('Refund?'), {
    answerableBy: { roles: ['manager'] },
    ...more,
    onAnswer: (yes) => `Decided: ${yes}.`,
  });
  return made.onMessage(({ ask }) => ask(sure));
}

async function idOf(registry: AgentRegistry): Promise<string> {
  return (await registry.listAsks()).asks[0]?.id ?? '';
}

async function asked(more: Omit<AskOptions, 'effectKey'> = {}, options: object = {}) {
  const { replica } = world();
  const [web, mail] = [new Mail('web'), new StaffMail()];
  const registry = await replica({ agents: [shop(more)], channels: [web, mail], ...options });
  const handed = heard(registry, 'handedOver');
  await web.writes('ann', 'refund', ann);
  return { registry, web, mail, id: await idOf(registry), handed };
}

test('an ask is handed over: the other person gets it and may answer, the first may not any more, and both are told', async () => {
  const { registry, web, mail, id, handed } = await asked();
  const result = await registry.handOver(id, { by: ben, to: { id: dan.id, name: 'Dan' }, reason: 'I am away.' });
  await settle();
  expect(result).toMatchObject({
    type: 'handed-over',
    ask: {
      steps: [{ type: 'handed-over', by: { id: ben.id }, to: { id: dan.id }, reason: 'I am away.', channel: 'mail' }],
    },
  });
  expect(mail.texts('dan')).toEqual(['Ben hands this to you: “I am away.”\nRefund?']);
  expect(mail.texts('ben')).toEqual(['You handed this over to Dan.']);
  expect(handed).toMatchObject([{ askId: id, participantId: ben.id, toParticipantId: dan.id }]);
  expect((await registry.listAsks({ for: ben })).asks).toEqual([]);
  expect((await registry.listAsks({ for: dan })).asks).toHaveLength(1);
  expect(await registry.answer(id, { value: true }, { by: ben })).toEqual({ type: 'refused' });
  await mail.presses('dan', 'yes', dan);
  expect(web.texts('ann')).toContain('Decided: true.');
  expect(await registry.getAsk(id)).toMatchObject({ status: 'answered', decidedBy: { id: dan.id } });
});

test('others who might answer still may, and the copy of the person it was handed to is told', async () => {
  const { registry, mail, web, id } = await asked();
  await registry.handOver(id, { by: ben, to: dan });
  await registry.answer(id, { value: false }, { by: cleo });
  await settle();
  expect(mail.texts('dan').at(-1)).toBe('Refund?\nThis was already answered by Cleo.');
  expect(web.texts('ann').at(-1)).toBe('Decided: false.');
});

test('via names where the other person is told, and must be a channel that sends', async () => {
  const { registry, mail, id } = await asked();
  await expect(registry.handOver(id, { by: ben, to: dan, via: { channel: 'fax' } })).rejects.toThrow(
    'handOver(): via.channel is "fax", but no channel of that name is registered',
  );
  await registry.handOver(id, { by: ben, to: 'staff:dan', via: { channel: 'mail', to: 'dan@home' } });
  await settle();
  expect(mail.texts('dan@home')).toEqual(['Ben hands this to you.\nRefund?']);
});

test('nobody can hand over what they may not answer, and learn nothing of it', async () => {
  const { registry, id } = await asked();
  expect(await registry.handOver(id, { by: dan, to: ben })).toEqual({ type: 'refused' });
  expect(await registry.handOver('ask-1', { by: ben, to: dan })).toEqual({ type: 'unknown' });
  await registry.answer(id, { value: true }, { by: ben });
  expect(await registry.handOver(id, { by: dan, to: ben })).toEqual({ type: 'refused' });
  expect(await registry.handOver(id, { by: cleo, to: dan })).toMatchObject({ type: 'already' });
});

test.each([
  ['oneself', ben, 'You cannot hand a question over to yourself.'],
  ['the person it is asked for', ann, 'A question cannot be handed over to the person it is asked for.'],
  [
    'another tenant',
    { ...dan, tenant: 'T2' },
    'This person is not known to belong to the tenant of the question, so they are not shown it. Hand it over to somebody who is, or have their tenant added.',
  ],
])('nothing is handed over to %s', async (_, to, problem) => {
  const { replica } = world();
  const web = new Mail('web');
  const registry = await replica({ agents: [shop()], channels: [web] });
  await web.writes('ann', 'refund', { ...ann, tenant: 'T1' });
  const id = await idOf(registry);
  const by = { ...ben, tenant: 'T1' };
  expect(await registry.handOver(id, { by, to })).toEqual({ type: 'invalid', problem });
  expect((await registry.getAsk(id))?.steps).toBeUndefined();
});

test('identify says who both are: an alias of the asker gets nothing, an alias of the person may answer', async () => {
  const identify = (who: { readonly id: string }) => ({
    ...who,
    id: who.id.replace('mail:', 'staff:').replace('alias:', 'web:'),
  });
  const { registry, mail, id } = await asked({}, { identify });
  expect(await registry.handOver(id, { by: ben, to: 'alias:ann' })).toMatchObject({ type: 'invalid' });
  await registry.handOver(id, { by: ben, to: 'mail:dan', via: { channel: 'mail', to: 'dan' } });
  await settle();
  await mail.presses('dan', 'yes', { id: 'mail:dan' });
  expect(await registry.getAsk(id)).toMatchObject({ status: 'answered', decidedBy: { id: 'staff:dan' } });
});

test.each([
  [
    'throws',
    () => {
      throw new Error('No such user.');
    },
  ],
  ['rejects', () => Promise.reject(new Error('No such user.'))],
  ['says nobody', () => undefined],
])(
  'an identify that %s for whoever should get it: nothing is handed over, and what follows is not held up',
  async (_, unknown) => {
    const identify = (who: Participant) => (who.id === 'staff:ghost' ? unknown() : who);
    const lines: string[] = [];
    const log = (message: string, about?: object): void => void lines.push(`${message} ${JSON.stringify(about ?? {})}`);
    const logger = { debug: log, info: log, warn: log, error: log };
    const { registry, mail, web, id, handed } = await asked({}, { identify, logger });
    const result = registry.handOver(id, { by: ben, to: 'staff:ghost' });
    await settle(); // it is recorded first
    const [handing, answering] = await Promise.all([result, registry.answer(id, { value: true }, { by: ben })]);
    await settle();
    expect(handing).toMatchObject({ type: 'invalid', problem: expect.stringContaining('Nobody is known by this id') });
    expect(answering).toMatchObject({ type: 'accepted' });
    expect(web.texts('ann')).toContain('Decided: true.');
    expect([mail.sent, handed]).toEqual([[], []]);
    expect(lines.filter((line) => line.includes('identify() failed'))).toEqual([
      expect.stringContaining('staff:ghost'),
    ]);
  },
);

test('a name in place of an id that identify does not know: the form of an id is told', async () => {
  const identify = (who: Participant) => (who.id === 'dan' ? undefined : who);
  const { registry, id } = await asked({}, { identify });
  expect(await registry.handOver(id, { by: ben, to: 'dan' })).toMatchObject({
    type: 'invalid',
    problem: expect.stringContaining('Give the id of a person as their channel has it'),
  });
});

test('it is handed over at most 5 times, and never back to somebody who has handed it over', async () => {
  const { registry, id } = await asked();
  const person = (i: number) => ({ id: `staff:p${i}` });
  await registry.handOver(id, { by: ben, to: person(1) });
  expect(await registry.handOver(id, { by: person(1), to: ben })).toEqual({
    type: 'invalid',
    problem: 'This person has handed the question over before.',
  });
  for (let i = 1; i < 5; i += 1) await registry.handOver(id, { by: person(i), to: person(i + 1) });
  expect(await registry.handOver(id, { by: person(5), to: person(6) })).toEqual({
    type: 'invalid',
    problem: 'A question can be handed over at most 5 times.',
  });
});

test('a vote counts once: who has voted hands nothing over and gets nothing, and the new person votes', async () => {
  const { registry, id, web } = await asked({ quorum: 2 });
  await registry.answer(id, { value: true }, { by: ben });
  expect(await registry.handOver(id, { by: ben, to: dan })).toMatchObject({ type: 'already' });
  expect(await registry.handOver(id, { by: cleo, to: ben })).toMatchObject({ type: 'invalid' });
  await registry.handOver(id, { by: cleo, to: dan });
  expect(await registry.answer(id, { value: true }, { by: cleo })).toEqual({ type: 'refused' });
  expect(await registry.answer(id, { value: true }, { by: dan })).toMatchObject({ type: 'accepted' });
  expect(web.texts('ann')).toContain('Decided: true.');
});

test('a question that waits behind another is handed over, and shown to the person when its turn comes', async () => {
  const { registry, mail, web, id } = await asked();
  await web.writes('ann', 'refund', ann);
  const second = (await registry.listAsks()).asks.find((ask) => ask.id !== id)?.id ?? '';
  expect(await registry.handOver(second, { by: ben, to: dan, reason: 'I am away.' })).toMatchObject({
    type: 'handed-over',
  });
  await settle();
  expect(mail.texts('dan')).toEqual([]);
  await registry.answer(id, { value: true }, { by: cleo });
  await settle();
  expect(mail.texts('dan')).toEqual(['Ben hands this to you: “I am away.”\nRefund?']);
});

test('a hand-over that leaves fewer people than must agree is refused', async () => {
  const { registry, id } = await asked({ answerableBy: [ben.id, dan.id], quorum: 2 });
  expect(await registry.handOver(id, { by: ben, to: dan })).toEqual({
    type: 'invalid',
    problem: '2 people must agree, and after this only 1 could. Hand it over to somebody who may not answer yet.',
  });
  expect(await registry.handOver(id, { by: ben, to: cleo })).toMatchObject({ type: 'handed-over' });
});

test('nobody who has handed it over is reminded, also where no channel knows the other person', async () => {
  const { replica, advance } = world();
  const [web, mail] = [new Mail('web'), new StaffMail()];
  const made = shop({ answerableBy: [ben.id], notify: [{ channel: 'mail', to: 'ben' }], remindAfter: 60_000 });
  const registry = await replica({ agents: [made], channels: [web, mail] });
  await web.writes('ann', 'refund', ann);
  await registry.handOver(await idOf(registry), { by: ben, to: 'desk:dan' });
  await advance(120_000);
  expect(mail.texts('ben')).toEqual(['Refund?', 'You handed this over to desk:dan.']);
  expect(web.texts('ann')).toEqual(['Refund?']);
});

test('handed to an address that is dead, and nobody else may answer: the ask is undeliverable, and an event tells of it', async () => {
  const { replica, advance } = world();
  const [web, mail] = [new Mail('web'), new StaffMail()];
  mail.onSend = ({ ask }) => (ask === undefined ? undefined : Promise.reject(new Error('No such mailbox.')));
  const settings = { deliveryBackOff: [1_000] };
  const registry = await replica({ agents: [shop({ answerableBy: [ben.id] })], channels: [web, mail], settings });
  const lost = heard(registry, 'undeliverable');
  await web.writes('ann', 'refund', ann);
  const id = await idOf(registry);
  await registry.handOver(id, { by: ben, to: dan });
  await advance(60_000);
  expect(lost).toMatchObject([{ askId: id }]);
});

test('what a turn waits for can be handed over', async () => {
  const { replica, advance } = world();
  const [web, mail] = [new Mail('web'), new StaffMail()];
  const made = agent('shop').onMessage(async ({ askAndWait }) => {
    const outcome = await askAndWait(confirm('Refund?'), { answerableBy: [ben.id], timeout: 600_000 });
    return `Decided: ${outcome.status === 'answered' && outcome.value}.`;
  });
  const registry = await replica({ agents: [made], channels: [web, mail] });
  await web.writes('ann', 'refund', ann);
  const handing = registry.handOver(await idOf(registry), { by: ben, to: dan });
  await advance(2_000);
  expect(await handing).toMatchObject({ type: 'handed-over' });
  await mail.presses('dan', 'yes', dan);
  await advance(2_000);
  expect(web.texts('ann')).toContain('Decided: true.');
});

test('a process that dies after the hand-over was recorded: it is done once by the next', async () => {
  const { replica, advance, store } = world();
  const [web, mail] = [new Mail('web'), new StaffMail()];
  const first = crashableStore(store);
  const registry = await replica({ store: first.store, agents: [shop()], channels: [web, mail] });
  await web.writes('ann', 'refund', ann);
  const id = await idOf(registry);
  first.crashAfter('take');
  registry.handOver(id, { by: ben, to: dan }).catch(() => {});
  await settle();
  const second = await replica({ agents: [shop()], channels: [new Mail('web'), mail] });
  await advance(leaseAndSweep);
  expect((await second.getAsk(id))?.steps).toHaveLength(1);
  expect(mail.texts('dan')).toHaveLength(1);
});

test.each([
  ['nobody', {}, 'handOver(): by must be a participant with an id'],
  [
    'no receiver',
    { by: ben },
    /to must be a participant with an id, got nothing\. Say who it is, such as \{ id: 'web:4711' \}\.$/,
  ],
  ['a long reason', { by: ben, to: dan, reason: 'x'.repeat(1_001) }, 'a string of at most 1000 characters'],
  ['an unknown option', { by: ben, to: dan, why: 'x' }, 'the option why is unknown'],
])('a hand-over by a wrong call, %s, is refused by a clear error', async (_, options, message) => {
  const { registry, id } = await asked();
  await expect(registry.handOver(id, options as never)).rejects.toThrow(message);
});

test('a name in place of an id is refused, and whoever hands over keeps the ask', async () => {
  const { registry, id } = await asked();
  for (const to of ['Dan', '#refunds'])
    expect(await registry.handOver(id, { by: ben, to })).toMatchObject({
      type: 'invalid',
      problem: expect.stringContaining('such as web:4711'),
    });
  expect(await registry.answer(id, { value: true }, { by: ben })).toMatchObject({ type: 'accepted' });
});

test('why a question cannot be handed over is said in the language of the person, else of the ask, in the words of the registry', async () => {
  const { registry, id } = await asked();
  const why = async (by: Participant) =>
    (await registry.handOver(id, { by, to: ann })) as { readonly problem?: string };
  expect((await why({ ...ben, locale: 'fr' })).problem).toBe(
    'Une question ne peut pas être transmise à la personne pour qui elle est posée.',
  );
  expect((await why(ben)).problem).toBe('A question cannot be handed over to the person it is asked for.');
  const { replica } = world();
  const web = new Mail('web');
  const wording = { handOverToSelf: () => 'It stays with you.' };
  const other = await replica({ agents: [shop()], channels: [web], wording });
  await web.writes('ann', 'refund', { ...ann, locale: 'es' });
  const ask = await idOf(other);
  expect(await other.handOver(ask, { by: ben, to: ann })).toEqual({
    type: 'invalid',
    problem: 'Una pregunta no se puede pasar a la persona para la que se hace.',
  });
  expect(await other.handOver(ask, { by: ben, to: ben })).toEqual({ type: 'invalid', problem: 'It stays with you.' });
});
