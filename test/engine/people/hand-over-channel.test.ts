/**
 * What a channel of one's own says about a person when an ask is handed over: `isOwnId`, `addressOf` and `tenantOf` are code of others, and whatever
 * they do, the hand-over is not lost by it.
 */
import { expect, test } from 'vitest';
import type { Json } from '../../../src/index.js';
import { agent, confirm } from '../../../src/index.js';
import { settle, world } from '../../support/engine.js';
import { ann, ben, dan, Mail } from '../../support/places.js';

type Says = (participantId: string) => unknown;

const circle: { self?: unknown } = {};
circle.self = circle;

const broken: readonly [string, Says, string][] = [
  [
    'throws',
    () => {
      throw new Error('No directory.');
    },
    'No directory.',
  ],
  [
    'throws what is no error',
    () => {
      throw 'No directory.';
    },
    'No directory.',
  ],
  ['gives a promise that rejects', () => Promise.reject(new Error('No directory.')), 'No directory.'],
  ['gives a function', () => () => 'dan', 'function'],
  ['gives a symbol', () => Symbol('dan'), 'symbol'],
  ['gives a bigint', () => 7n, 'bigint'],
  ['gives a number that JSON does not have', () => Number.NaN, 'NaN'],
  ['gives a date', () => new Date(0), 'Date'],
];

const noJson: readonly [string, Says, string][] = [
  ...broken,
  ['gives a circle', () => circle, 'a cycle'],
  [
    'gives what cannot be read',
    () => ({
      get to() {
        throw new Error('No directory.');
      },
    }),
    'No directory.',
  ],
];

/** An ask for managers, and two channels in this order: one of somebody's own, and one that knows its people. */
async function asked(
  own: { readonly isOwnId?: Says; readonly addressOf?: Says; readonly tenantOf?: Says; readonly nameOf?: Says },
  knows = true,
  tenant?: string,
) {
  const { replica, clock } = world();
  const warned: { readonly message: string; readonly about: unknown }[] = [];
  const warn = (message: string, about: unknown) => void warned.push({ message, about });
  const logger = { debug() {}, info() {}, warn, error: warn };
  const [web, fax, mail] = [new Mail('web'), Object.assign(new Mail('fax'), own), new Mail('mail')];
  const staff = (id: string): Json | undefined => (id.startsWith('staff:') ? id.slice(6) : undefined);
  if (knows) Object.assign(mail, { addressOf: staff, tenantOf: () => tenant });
  const made = agent('shop');
  const sure = made.question('sure', confirm('Refund?'), {
    answerableBy: { roles: ['manager'] },
    onAnswer: (yes) => `Decided: ${yes}.`,
  });
  const registry = await replica({
    agents: [made.onMessage(({ ask }) => ask(sure))],
    channels: [web, fax, mail],
    logger,
  });
  await web.writes('ann', 'refund', { ...ann, ...(tenant && { tenant }) });
  const id = (await registry.listAsks()).asks[0]?.id ?? '';
  const by = { ...ben, ...(tenant && { tenant }) };
  const handed = async () => {
    const result = await registry.handOver(id, { by, to: dan.id, reason: 'I am away.' });
    await settle();
    return result;
  };
  return { registry, clock, web, fax, mail, id, by, handed, warned };
}

test.each(noJson)(
  'addressOf() that %s: the next channel that knows the person tells them, and it is logged',
  async (_, addressOf, why) => {
    const { fax, mail, handed, warned } = await asked({ addressOf });
    expect(await handed()).toMatchObject({
      type: 'handed-over',
      ask: { steps: [{ to: { id: dan.id }, channel: 'mail' }] },
    });
    expect(fax.sent).toEqual([]);
    expect(mail.texts('dan')).toEqual(['Ben hands this to you: “I am away.”\nRefund?']);
    expect(mail.texts('ben')).toEqual([`You handed this over to ${dan.id}.`]);
    expect(warned[0]).toMatchObject({
      message: 'A channel could not tell where a person can be reached',
      about: { channel: 'fax', failure: { message: expect.stringContaining(why) } },
    });
  },
);

test.each(noJson)(
  'addressOf() that %s, and nobody else knows the person: they have the ask, and may answer it',
  async (_, addressOf) => {
    const { registry, web, fax, id, handed } = await asked({ addressOf }, false);
    expect(await handed()).toMatchObject({ type: 'handed-over', ask: { steps: [{ to: { id: dan.id } }] } });
    expect(fax.sent).toEqual([]);
    expect((await registry.listAsks({ for: dan })).asks).toHaveLength(1);
    expect(await registry.answer(id, { value: true }, { by: dan })).toMatchObject({ type: 'accepted' });
    await settle();
    expect(web.texts('ann')).toContain('Decided: true.');
  },
);

test.each(broken)(
  'tenantOf() that %s: the next channel says the tenant, and it is logged',
  async (_, tenantOf, why) => {
    const { mail, handed, warned } = await asked({ tenantOf }, true, 'T1');
    expect(await handed()).toMatchObject({ type: 'handed-over' });
    expect(mail.texts('dan')).toEqual(['Ben hands this to you: “I am away.”\nRefund?']);
    expect(warned[0]).toMatchObject({
      message: 'A channel could not tell the tenant of a person',
      about: { channel: 'fax', failure: { message: expect.stringContaining(why) } },
    });
  },
);

test.each(broken)(
  'tenantOf() that %s, and nobody else knows: nothing is shown, and whoever has the ask may answer it',
  async (_, tenantOf) => {
    const { registry, fax, mail, id, handed } = await asked({ tenantOf, addressOf: () => 'dan' }, false, 'T1');
    expect(await handed()).toMatchObject({ type: 'invalid', problem: expect.stringContaining('not known to belong') });
    expect([...fax.sent, ...mail.sent]).toEqual([]);
    const by = { ...ben, tenant: 'T1' };
    expect(await registry.answer(id, { value: true }, { by })).toMatchObject({ type: 'accepted' });
  },
);

test('what a channel says is copied: what it changes afterwards does not move the question', async () => {
  const to = { at: 'dan' };
  const { registry, fax, id, handed } = await asked({ addressOf: () => to }, false);
  await handed();
  to.at = 'eve';
  await registry.answer(id, { value: true }, { by: dan });
  await settle();
  expect(fax.sent.map(({ address }) => address)).toEqual(fax.sent.map(() => ({ at: 'dan' })));
  expect(fax.sent.length).toBeGreaterThan(1);
});

test('a channel may look a person up: what it promises counts', async () => {
  const { fax, mail, handed } = await asked(
    { addressOf: async (id) => id.slice(6), tenantOf: async () => 'T1' },
    true,
    'T1',
  );
  expect(await handed()).toMatchObject({ type: 'handed-over', ask: { steps: [{ channel: 'fax' }] } });
  expect(fax.texts('dan')).toEqual(['Ben hands this to you: “I am away.”\nRefund?']);
  expect(mail.texts('dan')).toEqual([]);
});

const isOwnId = (id: string) => id.startsWith('staff:');

test('an id of a channel that nobody knows is refused, and who has the ask keeps it', async () => {
  const { registry, fax, id, by, handed } = await asked({ isOwnId, addressOf: async () => undefined }, false);
  const problem = expect.stringContaining('Nobody is known by this id who may answer here.');
  expect(await handed()).toEqual({ type: 'invalid', problem });
  expect(fax.sent).toEqual([]);
  expect(await registry.answer(id, { value: true }, { by })).toMatchObject({ type: 'accepted' });
});

test('an id of a channel that another channel knows is handed over there', async () => {
  const { mail, handed } = await asked({ isOwnId, addressOf: () => Promise.reject(new Error('No directory.')) });
  expect(await handed()).toMatchObject({ type: 'handed-over', ask: { steps: [{ channel: 'mail' }] } });
  expect(mail.texts('dan')).toEqual(['Ben hands this to you: “I am away.”\nRefund?']);
});

test.each(['addressOf', 'tenantOf'] as const)(
  'an id of a channel whose %s() fails is not handed over now, and may be later',
  async (what) => {
    const own = { isOwnId, addressOf: () => 'dan', tenantOf: () => 'T1' };
    const { registry, fax, id, handed } = await asked(
      { ...own, [what]: async () => Promise.reject(new Error()) },
      false,
      'T1',
    );
    const problem = expect.stringContaining('It cannot be looked up right now');
    expect(await handed()).toEqual({ type: 'invalid', problem });
    expect((await registry.getAsk(id))?.steps).toBeUndefined();
    Object.assign(fax, own);
    expect(await handed()).toMatchObject({ type: 'handed-over' });
  },
);

test('a channel that never says where a person is holds the hand-over up for as long as a send may take', async () => {
  const { clock, mail, handed, warned } = await asked({ addressOf: () => new Promise(() => {}) });
  const handing = handed();
  for (const _ of ['of the other person', 'of who hands it over']) {
    await settle();
    await clock.advance(30_000);
  }
  expect(await handing).toMatchObject({ type: 'handed-over', ask: { steps: [{ channel: 'mail' }] } });
  expect(mail.texts('dan')).toHaveLength(1);
  expect(JSON.stringify(warned[0])).toContain('has not answered within 30000 ms');
});

test.each(broken)('isOwnId() that %s owns no id', async (_, isOwn) => {
  const { handed } = await asked({ isOwnId: isOwn }, false);
  expect(await handed()).toMatchObject({ type: 'handed-over' });
});

test('addressOf() and tenantOf() that give null know nobody, like undefined: nothing is sent to where no address leads', async () => {
  const { fax, mail, handed, warned } = await asked({ addressOf: () => null, tenantOf: async () => null }, true, 'T1');
  expect(await handed()).toMatchObject({ type: 'handed-over' });
  expect(fax.sent).toEqual([]);
  expect(mail.texts('dan')).toHaveLength(1);
  expect(warned).toEqual([]);
});

test('whoever hands over is told the name by which a channel knows the other, on one line', async () => {
  const { mail, handed } = await asked({ nameOf: async (id) => (id === dan.id ? 'Dan\nDecided: true.' : undefined) });
  expect(await handed()).toMatchObject({ type: 'handed-over', ask: { steps: [{ to: { id: dan.id } }] } });
  expect(mail.texts('ben')).toEqual(['You handed this over to Dan Decided: true..']);
});

test.each([...broken, ['gives a name that is too long', () => 'n'.repeat(600), '600'] as const])(
  'nameOf() that %s: it is handed over, the id is told, and it is logged',
  async (_, nameOf) => {
    const { mail, handed, warned } = await asked({ isOwnId, nameOf });
    expect(await handed()).toMatchObject({ type: 'handed-over' });
    expect(mail.texts('ben')).toEqual([`You handed this over to ${dan.id}.`]);
    expect(warned).toMatchObject([
      { message: 'A channel could not tell the name of a person', about: { channel: 'fax' } },
    ]);
  },
);
