/** The example of refunds on Slack, as a process of its own against a local Slack, by Socket Mode. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SlackServer } from '../../support/slack/server.js';
import { type Running, runExample } from './running.js';

let slack: SlackServer;
let program: Running;

beforeEach(async () => {
  slack = await SlackServer.opened();
  for (const id of ['U1', 'U7', 'U9']) slack.person(id);
});
afterEach(async () => {
  program.kill('SIGTERM');
  await program.finished();
  await slack.close();
});

async function started(escalateAfter: string): Promise<void> {
  program = runExample('refund-on-slack', {
    SLACK_BOT_TOKEN: slack.token,
    SLACK_APP_TOKEN: slack.appToken,
    SLACK_API_URL: slack.apiUrl,
    SLACK_TEAM: slack.team,
    SLACK_MANAGERS: 'C1',
    SLACK_MANAGER: 'U7',
    SLACK_HEAD: 'U9',
    ESCALATE_AFTER: escalateAfter,
  });
  await program.shows('Write to the app');
  await expect.poll(() => slack.openSockets).toBe(1);
}

const said = (channel: string, person?: string) => slack.said(channel, person).map(({ text }) => text);

test('a manager is asked with buttons: the wrong person is refused, the right one decides, and whoever asked is told', async () => {
  await started('600000');
  const asker = slack.person('U1');
  expect((await asker.writes('refund 12345, please', { channel: 'direct' })).status).toBe(200);
  await expect.poll(() => said('C1').join()).toContain('Order: 12345');
  expect((await asker.presses('Refund')).status).toBe(200);
  await expect.poll(() => slack.messages.filter(({ only }) => only === 'U1')).toHaveLength(1);
  await slack.person('U7').presses('Refund');
  await expect.poll(() => said('C1')[0]).toContain('Answered by u7: Refund');
  await expect.poll(() => said('D1').join()).toContain('Order 12345: refunded.');
  expect(slack.said('C1')[0]?.controls).toEqual([]);
});

test('after a while the head is asked, too: one decision, and no button is left anywhere', async () => {
  await started('1000');
  await slack.person('U1').writes('refund 12345', { channel: 'direct' });
  await expect.poll(() => said('D9').join()).toContain('Order: 12345');
  await slack.person('U9').presses('Do not refund', { channel: 'D9' });
  await expect.poll(() => said('D1').join()).toContain('Order 12345: not refunded.');
  await expect.poll(() => [...slack.said('C1'), ...slack.said('D9')].flatMap(({ controls }) => controls)).toEqual([]);
  expect(said('C1')[0]).toContain('Answered by u9');
});
