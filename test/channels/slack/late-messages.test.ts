/** Slack repeats for an hour what it could not deliver: an old reply decides nothing that was asked after it was written. */
import { expect, test } from 'vitest';
import { readPayload } from '../../../src/channels/slack/incoming/payload.js';
import { slackWorld } from '../../support/slack/world.js';

const minute = 60_000;

test('a "yes" that is delivered after an outage does not decide the question that was asked meanwhile', async () => {
  const { slack, clock, refunds, until } = await slackWorld();
  const [ann, bob] = [slack.person('U1'), slack.person('U2')];
  const { ts: thread } = await ann.mentions('refund');
  await until(() => slack.said()[0]?.controls.length === 2);
  slack.fails({ status: 503 }, { method: 'users.info' });
  const old = await bob.writes('yes', { thread });
  expect(old.status).toBe(500);
  slack.works();
  await bob.presses('No');
  await until(() => slack.said().some(({ text }) => text === 'Left as it is.'));
  await clock.advance(5 * minute);
  await ann.writes('refund', { thread });
  await until(() => slack.said().some(({ controls }) => controls.length === 2));

  expect(await old.again({ retry: 3 })).toMatchObject({ status: 200 });
  await until(() => refunds.length > 0 || slack.said().some(({ text }) => text === 'You said: yes'));
  expect(refunds).toEqual([]);
  await bob.writes('yes', { thread });
  await until(() => slack.said().some(({ text }) => text === 'Refunded.'));
  expect(refunds).toEqual(['slack:T1/U2']);
});

test('the time of a message is its ts; where that is no time, none is given', () => {
  const read = (ts: string) =>
    readPayload({ type: 'event_callback', team_id: 'T1', event: { type: 'message', channel: 'C1', user: 'U1', ts } });
  expect(read('1700000000.123456')).toMatchObject({ sentAt: 1_700_000_000_123 });
  for (const ts of ['soon', '1700000000', '-1.0', 'NaN.0', '1e9.0']) expect(read(ts)).not.toHaveProperty('sentAt');
});
