/** A channel whose option `team` names another workspace than that of its token. */
import { expect, onTestFinished, test } from 'vitest';
import { SlackChannel, type SlackOptions } from '../../../src/channels/slack/index.js';
import { AgentRegistry, confirm } from '../../../src/index.js';
import { FakeClock } from '../../../src/testing/index.js';
import { SlackServer } from '../../support/slack/server.js';
import { linesLogged, until } from '../../support/slack/world.js';

const wrong =
  'SlackChannel "slack": team is T0OTHER, but token is of the workspace T1, as Slack says (auth.test). Give the bot token of T0OTHER, or team: \'T1\'.';

async function world(options: Partial<SlackOptions> = {}) {
  const clock = new FakeClock();
  const slack = await SlackServer.opened({ now: () => clock.now() });
  const { lines, logger } = linesLogged();
  const { signingSecret, token, apiUrl } = slack;
  const channel = new SlackChannel({ signingSecret, token, apiUrl, team: 'T0OTHER', clock, logger, ...options });
  const registry = new AgentRegistry({ channels: [channel], clock, logger });
  onTestFinished(async () => {
    await registry.stop();
    await slack.close();
  });
  const asksWhose = () => slack.calls.filter(({ method }) => method === 'auth.test').length;
  return { clock, slack, registry, lines, asksWhose };
}

test('a token of another workspace than team does not start, and both are named', async () => {
  const { registry } = await world();
  await expect(registry.start()).rejects.toMatchObject({ code: 'bad-option', message: wrong });
});

test.each(['reset', { status: 500 }, { retryAfter: 30 }] as const)(
  'a Slack that is down keeps nobody from starting, and a wrong token then sends nothing: %j',
  async (fault) => {
    const { clock, slack, registry, lines } = await world();
    slack.person('U1');
    slack.fails(fault, { method: 'auth.test' });
    await registry.start();
    expect(lines.join('\n')).toMatch(/Slack did not say whose the token is\. It is asked again/);
    slack.works();
    await clock.advance(30_000); // the rate limit
    const { askId } = await registry.ask(confirm('Refund?'), { channel: 'slack', to: 'U1', answerableBy: 'anyone' });
    await until(async () => (await registry.getAsk(askId))?.reason, clock);
    expect(lines.join('\n')).toContain(`Nothing is sent to Slack. ${wrong}`);
    expect(slack.messages).toEqual([]);
    expect(await registry.getAsk(askId)).toMatchObject({ reason: 'undeliverable' });
  },
);

test('a Slack that does not answer holds up a start for three seconds', async () => {
  const { clock, slack, registry, lines } = await world();
  let answer = (): void => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  slack.fails({ until: answered }, { method: 'auth.test' });
  onTestFinished(() => answer());
  let isStarted = false;
  const starting = registry.start().then(() => {
    isStarted = true;
  });
  await until(() => slack.calls.some(({ method }) => method === 'auth.test'));
  expect(isStarted).toBe(false);
  await clock.advance(3_000);
  await starting;
  expect(lines.join('\n')).toContain('did not answer auth.test within 3000 ms');
});

test('the right token is asked about once, however much is sent', async () => {
  const { clock, slack, registry, asksWhose, lines } = await world({ team: 'T1' });
  for (const id of ['U1', 'U2']) slack.person(id);
  await registry.start();
  for (const to of ['U1', 'C1'])
    await registry.ask(confirm('Refund?'), { channel: 'slack', to, answerableBy: 'anyone' });
  await until(() => slack.messages.length === 2, clock);
  await registry.idle();
  await clock.advance(2 * 60 * 60_000);
  await registry.ask(confirm('Again?'), { channel: 'slack', to: 'U2', answerableBy: 'anyone' });
  await until(() => slack.messages.length === 3, clock);
  expect([asksWhose(), lines]).toEqual([1, []]);
});

test('a channel without team, or with the tokens of several workspaces, asks nothing when it starts', async () => {
  for (const options of [{ team: undefined }, { token: () => 'xoxb-1' }]) {
    const { registry, slack } = await world(options as Partial<SlackOptions>);
    await registry.start();
    expect(slack.calls).toEqual([]);
  }
});
