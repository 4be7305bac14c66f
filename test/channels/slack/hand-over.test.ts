/** To whom a question is handed over on Slack: a person who may answer there, as Slack itself says, or nobody. */
import { expect, onTestFinished, test } from 'vitest';
import { SlackChannel } from '../../../src/channels/slack/index.js';
import { AgentRegistry, confirm, type Participant } from '../../../src/index.js';
import { SlackServer } from '../../support/slack/server.js';
import { linesLogged, slackWorld, until as untilReal } from '../../support/slack/world.js';

const by = { id: 'slack:T1/U2', name: 'Bob', tenant: 'T1' };
const unknown = 'Nobody is known by this id who may answer here.';
const outside = 'This person is not known to belong to the tenant of the question';
const notNow = 'It cannot be looked up right now who has this id';

/** An ask of U1 in C1 that U2 may answer; with the tenant of the workspace, or with none. */
async function asked({
  tenant,
  named = [],
  ...options
}: NonNullable<Parameters<typeof slackWorld>[0]> & {
  readonly tenant?: string;
  readonly named?: readonly string[];
} = {}) {
  const world = await slackWorld(options);
  const { slack, registry, until } = world;
  for (const user of ['U1', 'U2', 'U3']) slack.person(user);
  slack.person('UGUEST', { is_restricted: true });
  slack.person('USINGLE', { is_ultra_restricted: true });
  slack.person('USTRANGER', { team_id: 'T7', is_stranger: true });
  slack.person('UPROGRAM', { is_bot: true });
  slack.person('USLACKBOT');
  slack.person('UGONE', { deleted: true });
  slack.person('UGRID', { enterprise_user: { id: 'UGRID', enterprise_id: 'E7' } });
  slack.channels.set('CGENERAL1', new Set([slack.botUser]));
  const { askId } = await registry.ask(confirm('Refund?'), {
    channel: 'slack',
    to: 'C1',
    asker: { id: 'slack:T1/U1', ...(tenant !== undefined && { tenant }) },
    answerableBy: [by.id, ...named],
  });
  await until(() => slack.said('C1').length === 1);
  return { ...world, askId };
}

const nobody: readonly [string, string][] = [
  ['a channel', 'slack:T1/CGENERAL1'],
  ['the direct messages of the asker', 'slack:T1/D1'],
  ['a guest', 'slack:T1/UGUEST'],
  ['a guest of one channel', 'slack:T1/USINGLE'],
  ['somebody of another company', 'slack:T7/USTRANGER'],
  ['somebody of another company, as if they were of this one', 'slack:T1/USTRANGER'],
  ['somebody of this workspace, as if they were of another one', 'slack:T7/U3'],
  ['somebody of another organisation', 'slack:E7/UGRID'],
  ['a program', 'slack:T1/UPROGRAM'],
  ['the app itself', 'slack:T1/UBOT'],
  ['Slackbot', 'slack:T1/USLACKBOT'],
  ['somebody whose account is deactivated', 'slack:T1/UGONE'],
  ['a mistyped id', 'slack:T1/UNOBODY'],
  ['no id of Slack', 'slack:T1/../U3'],
];

test.each([
  ['without a tenant', {}],
  ['of a tenant', { tenant: 'T1' }],
])(
  'an ask %s is handed to nobody who may not answer on Slack, nor shown to them, and who has it may answer it',
  async (_, more) => {
    const { slack, registry, until, askId } = await asked({ ...more, named: nobody.map(([, id]) => id) });
    const via = { channel: 'slack', to: 'C1' };
    const wrong = (why: string) => ({ type: 'invalid', problem: expect.stringContaining(why) });
    const byId = wrong('tenant' in more ? outside : unknown);
    for (const [who, id] of nobody) {
      expect(await registry.handOver(askId, { by, to: { id, tenant: 'T1' } }), who).toMatchObject(wrong(unknown));
      expect(await registry.handOver(askId, { by, to: id }), who).toMatchObject(byId);
      expect(await registry.handOver(askId, { by, to: id, via }), who).toMatchObject(byId);
    }
    expect((await registry.getAsk(askId))?.steps).toBeUndefined();
    expect(await registry.answer(askId, { value: true }, { by })).toMatchObject({ type: 'accepted' });
    await until(() => slack.said('C1').some(({ text }) => text.includes('Answered by Bob')));
    expect(slack.messages.filter(({ channel }) => channel !== 'C1')).toEqual([]);
    expect(slack.calls.filter(({ method }) => method === 'conversations.open')).toEqual([]);
  },
);

test('an ask of a tenant says the same of an id that is nobody as of one of another tenant', async () => {
  const { registry, askId } = await asked({ tenant: 'T1', otherTeams: ['T7'] });
  for (const to of ['slack:T7/USTRANGER', 'slack:T7/UNOBODY', 'slack:T1/UNOBODY', 'slack:T9/U3'])
    expect(await registry.handOver(askId, { by, to })).toMatchObject({
      type: 'invalid',
      problem: expect.stringContaining(outside),
    });
});

test('a guest gets it where guests may answer', async () => {
  const { slack, registry, until, askId } = await asked({ allowGuests: true });
  expect(await registry.handOver(askId, { by, to: 'slack:T1/UGUEST' })).toMatchObject({ type: 'handed-over' });
  await until(() => slack.said('DGUEST').length === 1);
  await slack.person('UGUEST').presses('Yes', { channel: 'DGUEST' });
  await until(async () => (await registry.getAsk(askId))?.decidedBy?.id === 'slack:T1/UGUEST');
});

test('somebody of another workspace gets it where that one is allowed, in the direct messages with this app', async () => {
  const { slack, registry, until, askId } = await asked({ otherTeams: ['T7'] });
  expect(await registry.handOver(askId, { by, to: 'slack:T7/USTRANGER' })).toMatchObject({ type: 'handed-over' });
  await until(() => slack.said('DSTRANGER').length === 1);
  await slack.person('USTRANGER').presses('Yes', { channel: 'DSTRANGER' });
  await until(async () => (await registry.getAsk(askId))?.decidedBy?.id === 'slack:T7/USTRANGER');
});

test.each([
  ['cannot be reached', 'users.info', 'reset'],
  ['limits its calls', 'users.info', { retryAfter: 30 }],
  ['does not say whose the token is', 'auth.test', { status: 500 }],
] as const)(
  'while Slack %s nothing is handed over and nothing recorded, and a later try does it',
  async (_, method, fault) => {
    const { slack, clock, registry, until, askId, logged } = await asked({ tenant: 'T1' });
    await clock.advance(60 * 60_000); // what Slack said when the channel was started is asked again
    slack.fails(fault, { method, times: 3 });
    const hand = (to: Participant | string) => registry.handOver(askId, { by, to });
    expect(await hand({ id: 'slack:T1/U3', tenant: 'T1' })).toMatchObject({
      type: 'invalid',
      problem: expect.stringContaining(notNow),
    });
    expect((await registry.getAsk(askId))?.steps).toBeUndefined();
    expect(logged.join('\n')).toContain('A channel could not tell where a person can be reached');
    await until(async () => {
      await clock.advance(31_000);
      return (await hand('slack:T1/U3')).type === 'handed-over';
    });
    await until(() => slack.said('D3').length === 1);
  },
);

test('who hands it over is not needed: they are told nothing if Slack does not know them', async () => {
  const { slack, registry, until, askId } = await asked({ named: ['slack:T1/UGONE'] });
  const gone = { id: 'slack:T1/UGONE' };
  expect(await registry.handOver(askId, { by: gone, to: 'slack:T1/U3' })).toMatchObject({ type: 'handed-over' });
  await until(() => slack.said('D3').length === 1);
  expect(slack.said('DGONE')).toEqual([]);
});

/** A registry with two workspaces, each with its app; `one` comes first. */
async function twoWorkspaces(withTeam: boolean) {
  const [one, two] = [await SlackServer.opened(), await SlackServer.opened({ team: 'T2' })];
  const { logger } = linesLogged();
  const channelOf = (name: string, { signingSecret, token, apiUrl, team }: SlackServer) =>
    new SlackChannel({ name, signingSecret, token, apiUrl, logger, ...(withTeam && { team }) });
  const channels = [channelOf('slack-one', one), channelOf('slack-two', two)];
  const registry = new AgentRegistry({ channels, logger });
  await registry.start();
  onTestFinished(async () => {
    await registry.stop();
    await Promise.all([one.close(), two.close()]);
  });
  [one.app, two.app] = channels.map((channel) => channel.fetch);
  return { one, two, registry };
}

test.each([
  ['option', true],
  ['token', false],
])('of two workspaces each writes to its own people, known by its %s', async (_, withTeam) => {
  const { one, two, registry } = await twoWorkspaces(withTeam);
  for (const slack of [one, two]) for (const user of ['U2', 'U3']) slack.person(user);
  const first = { id: 'slack:T1/U2', name: 'Bob' };
  const question = { channel: 'slack-one', to: { team: 'T1', channel: 'C1' }, answerableBy: [first.id] };
  const { askId } = await registry.ask(confirm('Refund?'), question);
  await untilReal(() => one.said('C1').length === 1);
  expect(await registry.handOver(askId, { by: first, to: 'slack:T3/U3' })).toMatchObject({ type: 'invalid' });
  expect(await registry.handOver(askId, { by: first, to: 'slack:T2/U3' })).toMatchObject({
    type: 'handed-over',
    ask: { steps: [{ channel: 'slack-two' }] },
  });
  await untilReal(() => two.said('D3').length === 1);
  expect(one.said('D3')).toEqual([]);
  await two.person('U3').presses('Yes', { channel: 'D3' });
  await untilReal(async () => (await registry.getAsk(askId))?.decidedBy?.id === 'slack:T2/U3');
});

test('an app of several workspaces writes to people of those that it has a token for', async () => {
  const { slack, registry, until, askId, channel } = await asked({
    token: (team) => (team === 'T1' ? 'xoxb-local-0123456789' : ''),
  });
  expect(await channel.addressOf('slack:T1/U3')).toEqual({ team: 'T1', user: 'U3' });
  expect(await channel.addressOf('slack:T7/USTRANGER')).toBeUndefined();
  expect(await registry.handOver(askId, { by, to: 'slack:T7/USTRANGER' })).toMatchObject({ type: 'invalid' });
  expect(await registry.handOver(askId, { by, to: 'slack:T1/U3' })).toMatchObject({ type: 'handed-over' });
  await until(() => slack.said('D3').length === 1);
});
