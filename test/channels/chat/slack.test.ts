/** The channel of the chat SDK by its own Slack adapter, with signed requests over HTTP: what comes in, and what a failure costs. */
import { createSlackAdapter } from '@chat-adapter/slack';
import { createMemoryState } from '@chat-adapter/state-memory';
import { type Adapter, Chat } from 'chat';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ChatChannel, recordFirst } from '../../../src/channels/chat/index.js';
import { AgentRegistry, agent, choice } from '../../../src/index.js';
import { served, slackBridge, slackChat } from '../../support/chat/slack.js';
import { type Shop, withRecorder, withRegistry } from '../../support/chat/world.js';
import { refundAgent } from '../../support/slack/world.js';
import { seenText } from '../../support/telegram/driver.js';

const recorder = async () => withRecorder(await slackBridge());

/** A registry with an agent on the local Slack; U2 decides about refunds. */
async function world(shop: Shop = refundAgent([], ['slack:U2']).clerk) {
  const here = await withRegistry(await slackBridge(), shop);
  const said = (where = 'C1', person?: string) => here.slack.said(where, person).map(({ text }) => seenText(text));
  return { ...here, said };
}

test('a press whose recording fails is answered with 5xx, and counts when it is made again', async () => {
  const refunds: string[] = [];
  const { slack, said, isDown } = await world(refundAgent(refunds, ['slack:U2']).clerk);
  const boss = slack.person('U2');
  await slack.person('U1').writes('refund');
  await expect.poll(() => said().join()).toContain('Refund order 12345?');
  isDown(true);
  const pressed = await boss.presses('Yes');
  expect(pressed.status).toBeGreaterThanOrEqual(500);
  isDown(false);
  expect(refunds).toEqual([]);
  expect((await pressed.again()).status).toBe(200);
  await expect.poll(() => said().at(-1)).toBe('Refunded.');
  expect(refunds).toEqual(['slack:U2']);
});

test('a press that is delivered again, with another trigger, is the same press; a second press is another', async () => {
  const { slack, said, store } = await world();
  const boss = slack.person('U2');
  await slack.person('U1').writes('refund');
  await expect.poll(() => said().join()).toContain('Refund order 12345?');
  const take = vi.spyOn(store, 'take');
  const message = boss.messageWith('Yes', 'C1');
  const pressed = await boss.presses('Yes', { message });
  expect((await pressed.again()).status).toBe(200);
  expect((await boss.presses('Yes', { message })).status).toBe(200);
  const [first, again, second] = take.mock.calls.flatMap(([{ entry }]) => entry?.id ?? []);
  expect([again === first, second === first]).toEqual([true, false]);
});

test('a stranger who presses is told alone, in the same place, and the right person decides once', async () => {
  const refunds: string[] = [];
  const { slack, said } = await world(refundAgent(refunds, ['slack:U2']).clerk);
  const [ann, boss] = [slack.person('U1'), slack.person('U2')];
  await ann.writes('refund');
  await expect.poll(() => said().join()).toContain('Refund order 12345?');
  const before = said('C1', 'U2').length;
  expect((await ann.presses('Yes')).status).toBe(200);
  await expect.poll(() => said('C1', 'U1').length).toBe(before + 1);
  expect(said('C1', 'U2')).toHaveLength(before);
  await Promise.all([boss.presses('Yes'), boss.presses('Yes')]);
  await expect.poll(() => said().join()).toContain('Answered by u2: Yes');
  await expect.poll(() => said()).toContain('Refunded.');
  expect(refunds).toEqual(['slack:U2']);
});

test('the same event at two processes, each with a state of its own, is one message', async () => {
  const { slack, store, said } = await world();
  const other = new ChatChannel({ chat: slackChat(slack) });
  const second = new AgentRegistry({ agents: [refundAgent().clerk], channels: [other], store });
  await second.start();
  const { url, close } = await served(other.webhook('slack'));
  onTestFinished(async () => {
    await second.stop();
    await close();
  });
  const ann = slack.person('U1');
  const direct = { channel: 'direct' };
  const sent = await ann.writes('hello', direct);
  slack.app = url;
  expect((await sent.again({ retry: 1 })).status).toBe(200);
  await ann.writes('bye', direct);
  await expect.poll(() => said('D1')).toContain('You said: bye');
  expect(said('D1')).toEqual(['You said: hello', 'You said: bye']);
});

test('a mention that Slack sends as two events is one message, and people are heard as they typed', async () => {
  const { slack, received } = await recorder();
  const ann = slack.person('U1');
  const { ts } = await ann.mentions('*2.* _yes_ ~no~ `x` ann@example.com <b> & 👍');
  await ann.writes('*2.* _yes_ ~no~ `x` ann@example.com <b> & 👍', { ts });
  await ann.writes('yes', { event: { bot_id: 'B7' } });
  await ann.writes('yes', { event: { subtype: 'message_changed', message: { user: 'U1', ts, text: 'no' } } });
  await ann.writes('see this', {
    event: { attachments: [{ text: 'yes', from_url: 'https://shop.slack.com/archives/C1/p1' }] },
  });
  const [first, second] = received;
  expect(first?.id).toBe(second?.id); // the registry takes it once
  const heard = received.map(({ text, participant, conversationId }) => [participant?.id, text, conversationId]);
  const typed = ['slack:U1', '*2.* _yes_ ~no~ `x` ann@example.com <b> & 👍', `chat:thread/slack:C1:${ts}`];
  expect(heard).toEqual([typed, typed, ['slack:U1', 'see this', received.at(-1)?.conversationId]]);
});

test('hostile text stays text in messages, cards and buttons', async () => {
  const hostile = '**b** *s* [x](https://a.example) .@U2 -@here @U2 <@U2> <!channel> & {{emoji:wave}}';
  const shop = agent('shop');
  const what = shop.question('what', choice(`What now?\n${hostile}`, ['<b> & **c** @U2', 'Stop']), {
    onAnswer: (chosen) => `Chosen: ${chosen} ${hostile}`,
  });
  shop.onMessage(({ ask }) => ask(what));
  const { slack, said } = await world(shop);
  const ann = slack.person('U1');
  await ann.writes('help', { channel: 'direct' });
  await expect.poll(() => said('D1').join()).toContain(`What now?\n${hostile}`);
  const label = slack.said('D1')[0]?.controls[0] ?? '';
  expect(seenText(label)).toBe('1. <b> & **c** @U2');
  expect((await ann.presses(label, { channel: 'D1' })).status).toBe(200);
  await expect.poll(() => said('D1').at(-1)).toBe(`Chosen: <b> & **c** @U2 ${hostile}`);
  const wire = slack.calls.filter(({ method }) => method.startsWith('chat.')).map(({ body }) => JSON.stringify(body));
  expect(wire.join('\n')).not.toMatch(/<@|<!|@U2|@here|:wave:/);
});

test('a Slack adapter in socket mode is refused: it acknowledges what nobody has recorded', () => {
  const adapter = createSlackAdapter({ botToken: 'xoxb-1', appToken: 'xapp-1', mode: 'socket' }) as Adapter;
  const chat = new Chat({
    userName: 'b',
    adapters: { slack: adapter },
    state: recordFirst(createMemoryState()),
    concurrency: 'concurrent',
    logger: 'silent',
  });
  expect(() => new ChatChannel({ chat })).toThrow(/mode: 'socket'.*askback\/channels\/slack/);
});

test('a place that Slack does not have is undeliverable; a Slack that is down is tried again', async () => {
  const { slack, send } = await recorder();
  slack.person('U1');
  await expect(send({ thread: 'slack:C404' })).rejects.toMatchObject({ code: 'undeliverable' });
  await expect(send('slack:U404')).rejects.toMatchObject({ code: 'undeliverable' });
  for (const fault of [{ status: 503 }, { error: 'fatal_error' }, 'reset'] as const) {
    slack.works();
    slack.fails(fault);
    await expect(send('slack:U1')).rejects.not.toMatchObject({ code: 'undeliverable' });
  }
});
