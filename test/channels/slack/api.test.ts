/** The calls of Slack's Web API, by Slack's own client, against a local Slack. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SlackApi } from '../../../src/channels/slack/api.js';
import { systemClock } from '../../../src/machine/clock.js';
import { FakeClock } from '../../../src/testing/clock.js';
import { SlackServer } from '../../support/slack/server.js';

let slack: SlackServer;
let clock: FakeClock;
let api: SlackApi;
const metadata = { event_type: 'askback_message', event_payload: { key: 'k' } };
const hello = { text: 'Hello', blocks: [] };
const here = { team: 'T1', channel: 'C1' };

beforeEach(async () => {
  slack = await SlackServer.opened();
  clock = new FakeClock();
  api = new SlackApi({ token: slack.token, apiUrl: slack.apiUrl, clock });
});
afterEach(() => slack.close());

test('a message is posted without unfurling and without reading names, and drawn again in its place', async () => {
  const sent = await api.post(here, hello, metadata);
  await api.update(sent, { text: 'Done', blocks: [] }, metadata);
  expect(slack.messages).toMatchObject([{ channel: 'C1', ts: sent.ts, text: 'Done', edits: 1, metadata }]);
  expect(slack.calls[0]?.body).toMatchObject({ unfurl_links: 'false', unfurl_media: 'false', parse: 'none' });
});

test('a channel that is not there is final; a message that is gone is not drawn again', async () => {
  await expect(api.post({ ...here, channel: 'C9' }, hello, metadata)).rejects.toMatchObject({
    code: 'undeliverable',
    message: expect.stringContaining('channel_not_found'),
  });
  await expect(api.update({ ...here, ts: '1.000000' }, hello, metadata)).resolves.toBeUndefined();
});

test('a short rate limit is waited for; during a long one Slack is not called', async () => {
  slack.fails({ retryAfter: 2 }, { times: 1 });
  const sending = api.post(here, hello, metadata);
  const after = vi.spyOn(clock, 'after');
  await expect.poll(() => after.mock.calls.length, { interval: 5 }).toBe(1);
  await clock.advance(2_000);
  await sending;
  expect(slack.messages).toHaveLength(1);
  slack.fails({ retryAfter: 120 }, { times: 1 });
  await expect(api.post(here, hello, metadata)).rejects.toThrow('Slack limits chat.postMessage');
  await expect(api.post(here, hello, metadata)).rejects.toThrow('called again after 120 s');
  expect(slack.calls).toHaveLength(3);
  await clock.advance(120_000);
  await api.post(here, hello, metadata);
  expect(slack.messages).toHaveLength(2);
});

test.each([
  ['a broken connection', 'reset', /could not be reached/],
  ['a server error', { status: 503 }, /status 503/],
  ['a missing scope', { error: 'missing_scope', needed: 'chat:write' }, /missing_scope \(needed: chat:write\)/],
] as const)('%s may pass: the failure is not final and quotes neither token nor text', async (_, fault, message) => {
  slack.fails(fault, { times: 1 });
  const error: unknown = await api.post(here, { text: 'secret text', blocks: [] }, metadata).catch((cause) => cause);
  expect(error).toMatchObject({ message: expect.stringMatching(message) });
  expect(error).not.toHaveProperty('code');
  expect(JSON.stringify([error, String(error), (error as Error).cause])).not.toMatch(/xoxb|secret text/);
});

test('people, direct messages and the first message of a thread are looked up; what is not there is undefined', async () => {
  slack.person('U1');
  const sent = await api.post(here, hello, metadata);
  expect(await api.user('T1', 'U1')).toMatchObject({ id: 'U1', team_id: 'T1', tz: 'Europe/Berlin' });
  expect(await api.user('T1', 'U9')).toBeUndefined();
  expect(await api.userByEmail('T1', 'u1@example.com')).toBe('U1');
  expect(await api.userByEmail('T1', 'nobody@example.com')).toBeUndefined();
  expect(await api.directChannel('T1', 'U1')).toBe('D1');
  expect(await api.threadRoot(sent)).toMatchObject({ ts: sent.ts, bot_id: 'B1', metadata });
  expect(await api.threadRoot({ ...here, ts: '1.000000' })).toBeUndefined();
  expect(await api.identity('T1')).toEqual({ teamId: 'T1', userId: 'UBOT', botId: 'B1' });
});

test('each workspace has its own token', async () => {
  const teams: unknown[] = [];
  const token = (team: string) => {
    teams.push(team);
    return team === 'T1' ? slack.token : '';
  };
  api = new SlackApi({ token, apiUrl: slack.apiUrl, clock: systemClock });
  await api.post({ ...here, team: 'T1' }, hello, metadata);
  await expect(api.post({ ...here, team: 'T2' }, hello, metadata)).rejects.toThrow('token() gave no token');
  expect(teams).toEqual(['T1', 'T2']);
});
