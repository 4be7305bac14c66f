/** Replies to a copy of a question: what is said about them is said where they were given, and nowhere else. */
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../src/core/json.js';
import { agent, confirm, number } from '../../../src/index.js';
import { slackWorld } from '../../support/slack/world.js';

/** The address of a thread below what somebody wrote in C1. */
const thread = 'a thread of C1';

/** An ask with two places, and what is posted after both were reached. */
async function askAt(to: Json, ...others: readonly Json[]) {
  const world = await slackWorld();
  const { slack, registry, until } = world;
  const [ann, bob, eve] = [slack.person('U1'), slack.person('U2'), slack.person('U3')];
  const { ts: root } = await ann.writes('hello');
  const address = (place: Json): Json => (place === thread ? { channel: 'C1', thread: root } : place);
  const { askId } = await registry.ask(number('How many?', { min: 1, max: 5 }), {
    channel: 'slack',
    to: address(to),
    answerableBy: ['slack:T1/U1', 'slack:T1/U2'],
    notify: others.map((other) => ({ channel: 'slack', to: address(other) })),
  });
  const isQuestion = ({ blocks }: { readonly blocks: unknown }) => JSON.stringify(blocks).includes('"Answer"');
  await until(
    () =>
      slack.messages.filter(isQuestion).length === 1 + others.length &&
      slack.said('C1').some(({ text }) => text.includes('hello')),
  );
  const before = new Set(slack.messages.map(({ ts }) => ts));
  const posted = () => slack.messages.filter(({ ts, bot }) => bot && !before.has(ts));
  /** Where something was posted, after it was waited for. */
  const places = async () => {
    await until(() => posted().length > 0);
    await registry.idle();
    return posted().map(({ channel, thread_ts }) => (thread_ts === root ? thread : channel));
  };
  const questionIn = (channel: string, isThread = false) => {
    const found = slack.messages.find(
      (each) => isQuestion(each) && each.channel === channel && (each.thread_ts !== undefined) === isThread,
    );
    if (found === undefined) throw new Error(`There is no question in ${channel}.`);
    return found;
  };
  return { ...world, ann, bob, eve, askId, places, questionIn };
}

test.each([
  ['C1', 'U2', 'D2'],
  ['U1', 'U2', 'D2'],
  ['u1@example.com', 'U2', 'D2'],
  [thread, 'C1', 'C1'],
  [thread, 'U2', 'D2'],
])('a wrong reply below a copy is asked again there: %s, copy at %s', async (to, other, channel) => {
  const { bob, places, questionIn } = await askAt(to, other);
  await bob.writes('9', { channel, thread: questionIn(channel).ts });
  expect(await places()).toEqual([channel]);
});

test.each([
  ['C1', 'U2', 'C1'],
  ['U1', 'C1', 'D1'],
  ['u1@example.com', 'C1', 'D1'],
])('a wrong reply below the question itself is asked again there: %s, copy at %s', async (to, other, channel) => {
  const { ann, places, questionIn } = await askAt(to, other);
  await ann.writes('9', { channel, thread: questionIn(channel).ts });
  expect(await places()).toEqual([channel]);
});

describe('a place that Slack names otherwise in a reply is the one that is asked again', () => {
  const places = [
    ['C1', ['u1@example.com', 'u2@example.com'], 'D2'],
    ['C1', ['u2@example.com', 'u1@example.com'], 'D2'],
    ['C1', ['D1', 'D2'], 'D2'],
    ['C1', ['D1', 'u2@example.com'], 'D2'],
    ['C1', ['U1', 'D2'], 'D2'],
    ['D2', ['u1@example.com', 'C1'], 'D2'],
    ['u2@example.com', ['D1', 'C1'], 'D2'],
  ] as const;

  test.each(places)('below it: %s, copies at %s', async (to, others, channel) => {
    const { bob, places: posted, questionIn } = await askAt(to, ...others);
    await bob.writes('9', { channel, thread: questionIn(channel).ts });
    expect(await posted()).toEqual([channel]);
  });

  test.each(places)('by a modal whose answer is late: %s, copies at %s', async (to, others, channel) => {
    const { bob, registry, askId, until, slack, places: posted, questionIn } = await askAt(to, ...others);
    await bob.presses('Answer', { channel, message: questionIn(channel) });
    await registry.answer(askId, { value: 2 }, { by: { id: 'slack:T1/U1', name: 'Ann' } });
    await until(() => slack.said(channel).some(({ text }) => text.includes('Answered by Ann')));
    await bob.submits({ 'How many?': '3' });
    expect(await posted()).toEqual([channel]);
  });

  test.each(places)(
    'by a button, which comes from the address that was sent to: %s, copies at %s',
    async (to, others, channel) => {
      const { slack, channel: own, registry, until } = await slackWorld();
      const [, bob] = [slack.person('U1'), slack.person('U2')];
      await registry.ask(confirm('Refund?'), {
        channel: 'slack',
        to,
        answerableBy: ['slack:T1/U2'],
        notify: others.map((other) => ({ channel: 'slack', to: other })),
      });
      await until(() => slack.messages.length === 3);
      await own.stop();
      const addresses: unknown[] = [];
      await own.start({
        receive: async ({ address }) => {
          addresses.push(address);
          return 'recorded';
        },
      });
      await bob.presses('Yes', { channel });
      const sentTo = [to, ...others].find((place) => ['D2', 'u2@example.com'].includes(place));
      expect(addresses).toEqual([own.addressFor(sentTo ?? '')]);
    },
  );
});

describe('whoever comes late, and whoever may not answer, is told where they did it', () => {
  test.each([
    ['C1', 'U2', 'D2', false, 'D2'],
    ['u1@example.com', 'U2', 'D2', false, 'D2'],
    [thread, 'C1', 'C1', false, 'C1'],
    ['C1', thread, 'C1', true, thread],
  ])('by a modal: %s, copy at %s', async (to, other, channel, isThread, place) => {
    const { bob, registry, askId, until, slack, places, questionIn } = await askAt(to, other);
    await bob.presses('Answer', { channel, message: questionIn(channel, isThread) });
    await registry.answer(askId, { value: 2 }, { by: { id: 'slack:T1/U1', name: 'Ann' } });
    await until(() => slack.said(channel).some(({ text }) => text.includes('Answered by Ann')));
    await bob.submits({ 'How many?': '3' });
    expect(await places()).toEqual([place]);
  });

  test.each([
    ['C1', 'U2', 'D2'],
    [thread, 'C1', 'C1'],
  ])('by a reply below it: %s, copy at %s', async (to, other, channel) => {
    const { bob, registry, askId, until, slack, places, questionIn } = await askAt(to, other);
    const { ts } = questionIn(channel);
    await registry.answer(askId, { value: 2 }, { by: { id: 'slack:T1/U1', name: 'Ann' } });
    await until(() => slack.said(channel).some(({ text }) => text.includes('Answered by Ann')));
    await bob.writes('3', { channel, thread: ts });
    expect(await places()).toEqual([channel]);
  });

  test('refused, below a copy', async () => {
    const { eve, places, questionIn } = await askAt(thread, 'C1');
    await eve.writes('3', { channel: 'C1', thread: questionIn('C1').ts });
    expect(await places()).toEqual(['C1']);
  });
});

test.each(['C1', 'U3'])(
  'what is written below a message that was sent to %s is no part of the conversation that sent it, and answers nothing there',
  async (to) => {
    const accounts = agent('accounts');
    const sure = accounts.question('sure', confirm('Close your account?'), {
      answerableBy: 'anyone',
      onAnswer: () => 'Closed.',
    });
    accounts.onMessage(async ({ message, conversationId, sendTo, ask }) => {
      if (message !== 'close') return `${conversationId}: ${message}`;
      await sendTo('slack', 'Somebody wants to close an account.', { to });
      return ask(sure);
    });
    const { slack, registry, until } = await slackWorld({}, { talker: accounts });
    const [ann, eve] = [slack.person('U1'), slack.person('U3')];
    const channel = to === 'C1' ? 'C1' : 'D3';
    await ann.writes('close', { channel: 'direct' });
    const told = await until(() => slack.said(channel)[0]);
    await until(() => slack.said('D1').some(({ controls }) => controls.length > 0));
    const { ts } = told.message;
    await eve.writes('yes', { channel, thread: ts });
    await until(() => slack.said(channel).some(({ text }) => text === `slack:T1/${to}/${ts}: yes`));
    expect((await registry.listAsks()).asks).toMatchObject([{ status: 'pending' }]);
  },
);

test('a question that Slack did not find once is found by the next reply below it', async () => {
  const { slack, registry, until, refund, refunds } = await slackWorld();
  const bob = slack.person('U2');
  await registry.ask(refund, { channel: 'slack', to: 'C1' });
  const { ts: thread } = (await until(() => slack.said()[0])).message;
  slack.fails({ error: 'thread_not_found' }, { method: 'conversations.replies', times: 1 });
  await bob.writes('hm', { thread });
  await bob.writes('yes', { thread });
  await until(() => refunds.length === 1);
});
