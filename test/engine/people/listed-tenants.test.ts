/**
 * An ask of a tenant is answered by participants of that tenant only. A listed id of which a channel knows another tenant could never answer,
 * so the ask is refused when it is made.
 */
import { expect, test } from 'vitest';
import type { AskOptions, MessageTurn, Participant } from '../../../src/index.js';
import { type AgentInput, agent, BaseAgent, confirm, text } from '../../../src/index.js';
import { currentTurn } from '../../../src/registry/turn/current-turn.js';
import { requireApproval } from '../../../src/tools/index.js';
import { heard, settle, world } from '../../support/engine.js';
import { ann, Mail } from '../../support/places.js';

const annOfT1: Participant = { ...ann, tenant: 'T1' };
const insider = 'mail:T1/ben';
const outsider = 'mail:T2/eve';
const stranger = 'mail:nobody';

type Says = (participantId: string) => unknown;

const tenantIn: Says = (id) => /^mail:(\w+)\//.exec(id)?.[1];

/** A registry with a channel that knows the tenants of its people, and what it was asked for and has warned of. */
async function registryWith(tenantOf: Says | undefined, options: object = {}) {
  const { replica, clock } = world();
  const warned: { readonly message: string; readonly about: unknown }[] = [];
  const warn = (message: string, about: unknown) => void warned.push({ message, about });
  const logger = { debug() {}, info() {}, warn, error() {} };
  const [web, mail] = [new Mail('web'), new Mail()];
  const asked: string[] = [];
  if (tenantOf !== undefined)
    Object.assign(mail, {
      tenantOf: (id: string) => {
        asked.push(id);
        return tenantOf(id);
      },
    });
  const registry = await replica({ channels: [web, mail], logger, ...options });
  return { registry, clock, web, mail, asked, warned };
}

/** An agent whose handler does this for each message. */
const agentThat = (does: (turn: MessageTurn) => Promise<unknown>) =>
  agent('shop').onMessage(async (turn) => {
    await does(turn);
    return undefined;
  });

const refusal = (id: string, where = 'answerableBy') => ({
  code: 'bad-option',
  message: expect.stringMatching(
    new RegExp(
      `^ask\\(\\): ${where.replace(/[[\]]/g, '\\$&')} names "${id}".* tenant "T1".*Nothing was asked\\. .+\\.$`,
    ),
  ),
});

const ways: readonly (readonly [string, Says])[] = [
  ['says at once', tenantIn],
  ['promises to say', async (id) => tenantIn(id)],
];

const open = (registry: Awaited<ReturnType<typeof registryWith>>['registry']) =>
  registry.listAsks().then(({ asks }) => asks);

test.each(ways)(
  'ask() in a turn: a listed id whose channel %s that it is of another tenant is refused, and the turn is parked',
  async (_, tenantOf) => {
    const agents = [agentThat(({ ask }) => ask(text('Which size?'), { answerableBy: [insider, outsider] }))];
    const { registry, web, mail } = await registryWith(tenantOf, { agents });
    const parked = heard(registry, 'parked');
    await web.writes('ann', 'hello', annOfT1);
    expect(parked).toMatchObject([{ failure: refusal(outsider) }]);
    expect([...web.sent, ...mail.sent].filter(({ ask }) => ask !== undefined)).toEqual([]);
    expect(await open(registry)).toEqual([]);
  },
);

test.each(ways)(
  'a declared question that goes elsewhere by via is refused where its channel %s another tenant',
  async (_, tenantOf) => {
    const made = agent('shop');
    const sure = made.question('sure', confirm('Refund?'), { answerableBy: [outsider], onAnswer: () => 'Done.' });
    made.onMessage(({ ask }) => ask(sure, { via: { channel: 'mail', to: 'eve' } }));
    const { registry, web, mail } = await registryWith(tenantOf, { agents: [made] });
    const parked = heard(registry, 'parked');
    await web.writes('ann', 'hello', annOfT1);
    expect(parked).toMatchObject([{ failure: refusal(outsider) }]);
    expect(mail.sent).toEqual([]);
  },
);

test('a refused ask leaves its turn as it was: an agent that catches the error asks others, and sends', async () => {
  const caught: unknown[] = [];
  const agents = [
    agentThat(async ({ ask, sendTo }) => {
      await sendTo('mail', 'One.', { to: 'a' });
      await ask(text('Which size?'), { answerableBy: [outsider] }).catch((error: unknown) => caught.push(error));
      await sendTo('mail', 'Two.', { to: 'a' });
      await ask(text('Which size?'), { answerableBy: [insider] });
    }),
  ];
  const { registry, web, mail } = await registryWith(async (id) => tenantIn(id), { agents });
  await web.writes('ann', 'hello', annOfT1);
  expect(caught).toMatchObject([refusal(outsider)]);
  expect(mail.texts('a')).toEqual(['One.', 'Two.']);
  expect(await open(registry)).toMatchObject([{ answerableBy: [insider] }]);
});

test('the ids of a step of an escalation are looked up like those of the ask', async () => {
  const escalate = [
    { after: 600_000, channel: 'mail', to: 'ben', answerableBy: [insider] },
    { after: 900_000, channel: 'mail', to: 'eve', answerableBy: [outsider] },
  ];
  const agents = [agentThat(({ ask }) => ask(text('Which size?'), { escalate }))];
  const { registry, web } = await registryWith(tenantIn, { agents });
  const parked = heard(registry, 'parked');
  await web.writes('ann', 'hello', annOfT1);
  expect(parked).toMatchObject([{ failure: refusal(outsider, 'escalate[1].answerableBy') }]);
});

test.each(ways)(
  'registry.ask() and askAndWait() are refused where a channel %s that a listed id is of another tenant',
  async (_, tenantOf) => {
    const { registry, mail } = await registryWith(tenantOf);
    const options = { channel: 'mail', to: 'eve', asker: annOfT1, answerableBy: [insider, outsider] };
    await expect(registry.ask(text('Which size?'), options)).rejects.toMatchObject(refusal(outsider));
    await expect(registry.askAndWait(text('Which size?'), options)).rejects.toMatchObject(refusal(outsider));
    expect(mail.sent).toEqual([]);
    expect(await open(registry)).toEqual([]);
  },
);

test('an ask with a key that is open already is found again without another look at its people', async () => {
  const { registry, asked } = await registryWith(tenantIn);
  const options = { channel: 'mail', to: 'ben', asker: annOfT1, answerableBy: [insider], key: 'size:1' };
  const first = await registry.ask(text('Which size?'), options);
  expect(await registry.ask(text('Which size?'), options)).toEqual(first);
  expect(asked).toEqual([insider]);
});

test('a class that waits in its turn is refused, too', async () => {
  const refused: unknown[] = [];
  class Shop extends BaseAgent {
    readonly name = 'shop';
    async invokeAgent(_: AgentInput) {
      await this.askAndWait(text('Which size?'), { answerableBy: [outsider] }).catch((error) => refused.push(error));
      return {};
    }
  }
  const { registry, web } = await registryWith(async (id) => tenantIn(id), { agents: [new Shop()] });
  await web.writes('ann', 'hello', annOfT1);
  expect(refused).toMatchObject([refusal(outsider)]);
  expect(await open(registry)).toEqual([]);
});

test.each(['execute', 'open'] as const)(
  'an approval is refused by %s(), in a turn and outside of one, and carries out nothing',
  async (call) => {
    const paid: unknown[] = [];
    const refused: unknown[] = [];
    const tool = { name: 'refund', inputSchema: {}, execute: () => paid.push('paid') };
    const approval = (where: object) =>
      requireApproval(tool, { registry, where: where as never, answerableBy: [outsider], asker: annOfT1 });
    const inTurn = (where: object) =>
      requireApproval(tool, { registry, where: where as never, answerableBy: [outsider] });
    const agents = [
      agentThat(async ({ conversationId }) => {
        await inTurn({ channel: 'web', conversationId })
          [call]({}, { callId: 'c1' })
          .catch((error: unknown) => refused.push(error));
      }),
    ];
    const { registry, web, mail } = await registryWith(async (id) => tenantIn(id), { agents });
    await approval({ channel: 'mail', to: 'eve' })
      [call]({}, { callId: 'c2' })
      .catch((error: unknown) => refused.push(error));
    await web.writes('ann', 'hello', annOfT1);
    expect(refused).toMatchObject([refusal(outsider), refusal(outsider)]);
    expect([...paid, ...mail.sent]).toEqual([]);
    expect(await open(registry)).toEqual([]);
  },
);

const untold: readonly (readonly [string, Says, string])[] = [
  [
    'throws',
    () => {
      throw new Error('No directory.');
    },
    'No directory.',
  ],
  ['gives a promise that rejects', () => Promise.reject(new Error('No directory.')), 'No directory.'],
  ['gives no string', () => 7, 'string'],
];

test.each(untold)('a tenantOf() that %s refuses nothing, and is logged', async (_, tenantOf, why) => {
  const agents = [agentThat(({ ask }) => ask(text('Which size?'), { answerableBy: [outsider] }))];
  const { registry, web, warned } = await registryWith(tenantOf, { agents });
  await web.writes('ann', 'hello', annOfT1);
  expect(await open(registry)).toHaveLength(1);
  expect(warned).toMatchObject([
    {
      message: 'A channel could not tell the tenant of a person',
      about: { channel: 'mail', failure: { message: expect.stringContaining(why) } },
    },
  ]);
});

test('a tenantOf() that never says anything holds an ask up for as long as a send may take, whatever is listed', async () => {
  const agents = [agentThat(({ ask }) => ask(text('Which size?'), { answerableBy: [outsider, insider, stranger] }))];
  const { registry, clock, web, warned } = await registryWith(() => new Promise(() => {}), { agents });
  await web.writes('ann', 'hello', annOfT1);
  expect(await open(registry)).toEqual([]);
  await clock.advance(30_000);
  await settle();
  expect(await open(registry)).toHaveLength(1);
  expect(JSON.stringify(warned[0])).toContain('has not answered within 30000 ms');
});

const allowed: readonly (readonly [string, Participant, AskOptions['answerableBy']])[] = [
  ['ids of the tenant of the ask', annOfT1, [insider]],
  ['an id of which the channel knows no tenant', annOfT1, [stranger]],
];

test.each(allowed)('%s may be listed', async (_, asker, answerableBy = 'asker') => {
  const agents = [agentThat(({ ask }) => ask(text('Which size?'), { answerableBy }))];
  const { registry, web, asked } = await registryWith(async (id) => tenantIn(id), { agents });
  await web.writes('ann', 'hello', asker);
  expect(await open(registry)).toHaveLength(1);
  expect(asked).toEqual(answerableBy);
});

const unasked: readonly (readonly [string, Participant, AskOptions['answerableBy'], object])[] = [
  ['an ask without a tenant', ann, [outsider], {}],
  ['an ask that lists roles', annOfT1, { roles: ['manager'] }, {}],
  ['an ask for its asker', annOfT1, 'asker', {}],
  ['a registry that identifies people itself', annOfT1, [outsider], { identify: (who: Participant) => who }],
];

test.each(unasked)('%s asks no channel for tenants: it is asked at once', async (_, asker, by, options) => {
  const moves: (number | undefined)[] = [];
  const agents = [
    agentThat(({ ask }) => {
      const asking = ask(text('Which size?'), { answerableBy: by ?? 'asker' });
      moves.push(currentTurn()?.moves.length); // before anything is awaited
      return asking;
    }),
  ];
  const { registry, web, asked } = await registryWith(tenantIn, { agents, ...options });
  await web.writes('ann', 'hello', asker);
  expect(moves).toEqual([1]);
  expect(await open(registry)).toHaveLength(1);
  expect(asked).toEqual([]);
});

test('a channel is not asked about an id that it says is none of its own', async () => {
  const agents = [agentThat(({ ask }) => ask(text('Which size?'), { answerableBy: ['web:4711', outsider] }))];
  const { registry, web, mail, asked } = await registryWith(() => 'T1', { agents });
  Object.assign(mail, { isOwnId: (id: string) => id.startsWith('mail:') });
  await web.writes('ann', 'hello', annOfT1);
  expect(asked).toEqual([outsider]);
  expect(await open(registry)).toHaveLength(1);
});

test('what a turn asks is shown in the order asked, although the participants of the first question are looked up', async () => {
  const agents = [
    agentThat(({ ask }) =>
      Promise.all([
        ask(text('First?'), { answerableBy: [insider], via: { channel: 'web', to: 'boss' } }),
        ask(text('Second?'), { answerableBy: 'anyone', via: { channel: 'web', to: 'boss' } }),
      ]),
    ),
  ];
  const { registry, web } = await registryWith(async (id) => tenantIn(id), { agents });
  await web.writes('ann', 'hello', annOfT1);
  expect((await open(registry)).map(({ question }) => question)).toHaveLength(2);
  expect(web.texts('boss')).toEqual(['First?']);
});
