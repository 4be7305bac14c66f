/** Slack repeats for an hour what it could not deliver: an old reply decides nothing that was asked after it was written. */
import { expect, test } from 'vitest';
import { readPayload } from '../../../src/channels/slack/incoming/payload.js';
import type { SlackOptions } from '../../../src/channels/slack/index.js';
import { slackWorld } from '../../support/slack/world.js';

const minute = 60_000;

/** Bob's "yes" is not delivered, so he presses "No". Ann asks again after a while: then the "yes" comes. */
async function outage(between: number, options: Partial<SlackOptions> = {}) {
  const here = await slackWorld(options);
  const { slack, clock, until } = here;
  if (options.appToken !== undefined) {
    slack.app = undefined;
    await until(() => slack.openSockets === 1);
  }
  const [ann, bob] = [slack.person('U1'), slack.person('U2')];
  const { ts: thread } = await ann.mentions('refund');
  await until(() => slack.said()[0]?.controls.length === 2);
  const ts = slack.nextTs(); // of what is not delivered
  await clock.advance(between);
  await bob.presses('No');
  await until(() => slack.said().some(({ text }) => text === 'Left as it is.'));
  await ann.writes('refund', { thread });
  await until(() => slack.said().some(({ controls }) => controls.length === 2));
  await clock.advance(minute);
  expect(await bob.writes('yes', { thread, ts, retry: 2 })).toMatchObject({ status: 200 });
  await until(() => here.refunds.length > 0 || slack.said().some(({ text }) => text === 'You said: yes'));
  return { ...here, bob, thread };
}

test.each([
  ['in a request, seconds after it was written', 10_000, {}],
  ['by Socket Mode, minutes after it was written', 2 * minute, { appToken: 'xapp-local-0123456789' }],
])('a "yes" that comes late does not decide a question that was asked meanwhile: %s', async (_, between, options) => {
  const { slack, refunds, until, bob, thread } = await outage(between, options);
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
