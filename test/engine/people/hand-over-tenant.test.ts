/**
 * A hand-over never crosses tenants: whoever gets an ask of a tenant must be known to be of that tenant.
 */
import { expect, test } from 'vitest';
import type { AskOptions, Participant } from '../../../src/index.js';
import { agent, confirm } from '../../../src/index.js';
import { settle, world } from '../../support/engine.js';
import { ann, ben, cleo, dan, Mail } from '../../support/places.js';

/** The same for another tenant and for an unknown one: nobody finds out by it which ids exist in another tenant. */
const outsideTenant = {
  type: 'invalid',
  problem:
    'This person is not known to belong to the tenant of the question, so they are not shown it. Hand it over to somebody who is, or have their tenant added.',
};

/** Mail that knows where its people are, and the tenant of those whose id has one: `mail:T1/eve`. */
class TenantMail extends Mail {
  addressOf(participantId: string): string | undefined {
    return participantId.split(/[:/]/).at(-1);
  }

  tenantOf(participantId: string): string | undefined {
    return /^mail:(\w+)\//.exec(participantId)?.[1];
  }
}

const by = { ...ben, tenant: 'T1' };

/** An ask of the tenant T1, or of none. */
async function asked(
  more: Omit<AskOptions, 'effectKey'> = {},
  options: object = {},
  asker: Participant = { ...ann, tenant: 'T1' },
) {
  const { replica } = world();
  const [web, mail] = [new Mail('web'), new TenantMail()];
  const made = agent('shop');
  const sure = made.question('sure', confirm('Refund?'), {
    answerableBy: { roles: ['manager'] },
    ...more,
    onAnswer: (yes) => `Decided: ${yes}.`,
  });
  const shop = made.onMessage(({ ask }) => ask(sure));
  const registry = await replica({ agents: [shop], channels: [web, mail], ...options });
  await web.writes('ann', 'refund', asker);
  const id = (await registry.listAsks()).asks[0]?.id ?? '';
  const handed = async (to: Participant | string) => {
    const result = await registry.handOver(id, { by, to });
    await settle();
    return result;
  };
  return { registry, web, mail, id, handed };
}

test('somebody whose tenant nobody knows is not shown an ask of a tenant, and whoever hands it over keeps it', async () => {
  const { registry, mail, id, handed } = await asked();
  expect(await handed('staff:dan')).toEqual(outsideTenant);
  expect(await handed({ id: 'staff:dan', name: 'Dan' })).toEqual(outsideTenant);
  expect(mail.sent).toEqual([]);
  expect((await registry.getAsk(id))?.steps).toBeUndefined();
  expect(await registry.answer(id, { value: true }, { by })).toMatchObject({ type: 'accepted' });
});

test('an ask without a tenant is handed to anybody, as far as its other rules allow', async () => {
  const { handed } = await asked({}, {}, ann);
  expect(await handed({ ...dan, tenant: 'T2' })).toMatchObject({ type: 'handed-over' });
});

test('the tenant that is given counts', async () => {
  const { mail, handed } = await asked();
  expect(await handed({ ...dan, tenant: 'T2' })).toEqual(outsideTenant);
  expect(mail.sent).toEqual([]);
  expect(await handed({ ...dan, tenant: 'T1' })).toMatchObject({ type: 'handed-over' });
  expect(mail.texts('dan')).toEqual(['Ben hands this to you.\nRefund?']);
});

test('identify says the tenant of an id, and more than the caller does', async () => {
  const tenants = new Map([
    ['staff:dan', 'T1'],
    ['staff:eve', 'T2'],
  ]);
  const identify = (who: Participant) => {
    const tenant = tenants.get(who.id);
    return tenant === undefined ? who : { ...who, tenant };
  };
  const { mail, handed } = await asked({}, { identify });
  expect(await handed('staff:eve')).toEqual(outsideTenant);
  expect(await handed({ id: 'staff:eve', tenant: 'T1' })).toEqual(outsideTenant);
  expect(await handed('staff:nobody')).toEqual(outsideTenant);
  expect(mail.sent).toEqual([]);
  expect(await handed('staff:dan')).toMatchObject({ type: 'handed-over' });
});

test('an identify that throws for an unknown id tells nobody which ids exist in another tenant', async () => {
  const identify = (who: Participant) => {
    if (who.id === 'staff:ghost') throw new Error('No such user.');
    return who.id === 'staff:eve' ? { ...who, tenant: 'T2' } : who;
  };
  const { mail, handed } = await asked({}, { identify });
  expect(await handed('staff:eve')).toEqual(outsideTenant);
  expect(await handed({ id: 'staff:ghost', tenant: 'T1' })).toEqual(outsideTenant);
  expect(mail.sent).toEqual([]);
});

test('an identify that says nothing of tenants does not hide the one that is given', async () => {
  const { handed } = await asked({}, { identify: (who: Participant) => (who.id === dan.id ? { id: who.id } : who) });
  expect(await handed({ ...dan, tenant: 'T2' })).toEqual(outsideTenant);
  expect(await handed({ ...dan, tenant: 'T1' })).toMatchObject({ type: 'handed-over' });
});

test('a channel knows the tenant of its own people', async () => {
  const { mail, handed } = await asked();
  expect(await handed('mail:T2/eve')).toEqual(outsideTenant);
  expect(mail.sent).toEqual([]);
  expect(await handed('mail:T1/eve')).toMatchObject({ type: 'handed-over' });
  expect(mail.texts('eve')).toEqual(['Ben hands this to you.\nRefund?']);
});

test.each([
  [
    'throws',
    () => {
      throw new Error('No directory.');
    },
  ],
  ['gives no string', () => 7],
  ['gives an empty string', () => ''],
  ['gives a promise', () => Promise.reject(new Error('No directory.'))],
])('a channel whose tenantOf() %s knows nobody, and nothing is handed over by it', async (_, tenantOf) => {
  const { mail, handed } = await asked();
  Object.assign(mail, { tenantOf });
  expect(await handed('mail:T1/eve')).toEqual(outsideTenant);
  expect(await handed({ ...dan, tenant: 'T1' })).toMatchObject({ type: 'handed-over' });
});

test('a list makes no tenant known: an ask is not handed to a participant whose reply would be refused', async () => {
  const escalate = [{ after: 600_000, channel: 'mail', to: 'cleo', answerableBy: [cleo.id] }];
  const { mail, handed } = await asked({ answerableBy: [ben.id, dan.id], escalate });
  for (const to of [dan.id, cleo.id]) expect(await handed(to)).toEqual(outsideTenant);
  expect(mail.sent).toEqual([]);
  expect(await handed({ ...dan, tenant: 'T1' })).toMatchObject({ type: 'handed-over' });
});

test.each([
  ['the same id in another tenant', { id: dan.id, tenant: 'T2' }],
  ['an id that looks the same', { id: 'staff:d\u0430n' }], // a Cyrillic a
  ['an id with a character that nobody sees', { id: 'staff:dan\u200b' }],
  ['an id in capital letters', { id: 'staff:DAN' }],
])('a list names one person exactly: %s gets nothing', async (_, to) => {
  const { mail, handed } = await asked({ answerableBy: [ben.id, dan.id] });
  expect(await handed(to)).toEqual(outsideTenant);
  expect(mail.sent).toEqual([]);
});
