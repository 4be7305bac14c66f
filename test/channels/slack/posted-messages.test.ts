/** A question that was posted is found on Slack by its key: a process that dies before it has noted the id leaves no second one. */
import { expect, test } from 'vitest';
import type { Json } from '../../../src/core/json.js';
import { agent, type OutgoingMessage } from '../../../src/index.js';
import { slackWorld } from '../../support/slack/world.js';

/** A question that was posted to this address, as the channel was given it, and how Slack's id of it reads. */
async function posted(to: Json = 'C1') {
  const world = await slackWorld();
  const { slack, channel, registry, size, until } = world;
  const ann = slack.person('U1');
  const { ts: root } = await ann.writes('hello');
  await until(() => slack.said().length === 1);
  const given: OutgoingMessage[] = [];
  const send = channel.send.bind(channel);
  channel.send = async (message) => {
    given.push(message);
    return send(message);
  };
  await registry.ask(size, { channel: 'slack', to: to === 'a thread' ? { channel: 'C1', thread: root } : to });
  const question = await until(() => given.find(({ ask }) => ask !== undefined));
  const message = await until(() => slack.messages.findLast(({ bot, blocks }) => bot && blocks.length > 1));
  return { ...world, ann, question, message, id: `T1/${message.channel}/${message.ts}` };
}

const lookups = ['conversations.history', 'conversations.replies'];

test.each(['C1', 'U1', 'u1@example.com', 'a thread'])('a question at %s is found by its key', async (to) => {
  const { channel, question, id } = await posted(to);
  expect(await channel.findSent(question)).toBe(id);
  expect(await channel.findSent({ ...question, key: `${question.key}0` })).toBeUndefined();
});

test('it is found in a busy channel, page by page, but not beyond the pages that are read', async () => {
  const { slack, channel, ann, question, id } = await posted();
  slack.mostAtOnce = 10;
  for (let i = 0; i < 25; i += 1) await ann.writes(`talk ${i}`);
  expect(await channel.findSent(question)).toBe(id);
  for (let i = 0; i < 10; i += 1) await ann.writes(`more talk ${i}`);
  slack.calls.length = 0;
  expect(await channel.findSent(question)).toBeUndefined();
  expect(slack.calls.filter(({ method }) => lookups.includes(method))).toHaveLength(3);
});

test('what was posted long before the question was asked is not read', async () => {
  const { slack, channel, question, clock } = await posted();
  const askedAt = new Date(clock.now() + 10 * 60_000);
  expect(await channel.findSent({ ...question, ask: { ...question.ask, askedAt } as never })).toBeUndefined();
  expect(slack.calls.at(-1)?.body['oldest']).toBe(((clock.now() + 5 * 60_000) / 1_000).toFixed(6));
});

test('a message by somebody else that carries our metadata is not taken for ours', async () => {
  const { slack, channel, question, message } = await posted();
  const index = slack.messages.indexOf(message);
  slack.messages[index] = { ...message, user: 'UEVIL', bot: false };
  expect(await channel.findSent(question)).toBeUndefined();
});

test('an app that may not read its channels finds nothing, and that is logged once', async () => {
  const { slack, channel, question, logged } = await posted();
  slack.fails({ error: 'missing_scope', needed: 'channels:history' }, { method: 'conversations.history' });
  expect([await channel.findSent(question), await channel.findSent(question)]).toEqual([undefined, undefined]);
  const lines = logged.filter((line) => line.includes('may not read'));
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('needed: channels:history');
});

test.each([
  ['limits the rate', { retryAfter: 60 }, /Slack limits conversations.history/],
  ['has an outage', { status: 503 }, /the status 503/],
  ['cannot be reached', 'reset', /could not be reached/],
] as const)('while Slack %s, nobody knows: it rejects, and finds it afterwards', async (_, fault, problem) => {
  const { slack, channel, question, id, clock } = await posted();
  slack.fails(fault, { method: 'conversations.history', times: 1 });
  await expect(channel.findSent(question)).rejects.toThrow(problem);
  await clock.advance(61_000);
  expect(await channel.findSent(question)).toBe(id);
});

test('a post whose response is lost is not repeated: it is found, answered and drawn anew', async () => {
  const { slack, registry, until, size } = await slackWorld();
  slack.person('U1');
  slack.fails('lost', { method: 'chat.postMessage', times: 1 });
  const { askId } = await registry.ask(size, { channel: 'slack', to: 'C1', answerableBy: 'anyone' });
  await until(() => slack.calls.some(({ method }) => method === 'conversations.history'));
  await registry.idle();
  await registry.answer(askId, { value: 'Large' });
  await until(() => slack.said()[0]?.controls.length === 0);
  expect(slack.messages.filter(({ bot, blocks }) => bot && blocks.length > 1)).toHaveLength(1);
});

test('what is said elsewhere does not name the conversation that says it; what is said in it does', async () => {
  const teller = agent('teller').onMessage(async ({ sendTo }) => {
    await sendTo('slack', 'Somebody wrote.', { to: 'C1' });
    return 'Told.';
  });
  const { slack, until } = await slackWorld({}, { talker: teller });
  await slack.person('U1').writes('tell', { channel: 'direct' });
  const elsewhere = await until(() => slack.said('C1')[0]);
  const here = await until(() => slack.said('D1')[0]);
  const payload = ({ message }: typeof here) => message.metadata?.['event_payload'];
  expect(payload(elsewhere)).toEqual({ key: expect.any(String) });
  expect(payload(here)).toEqual({ key: expect.any(String), conversation: 'slack:T1/U1' });
});
