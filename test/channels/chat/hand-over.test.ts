/** To whom a question is handed over on the platforms of the chat SDK: somebody whom the adapter finds, or nobody. */
import { expect, onTestFinished, test } from 'vitest';
import { ChatChannel } from '../../../src/channels/chat/index.js';
import { AgentRegistry, type Channel, confirm } from '../../../src/index.js';
import { slackChat } from '../../support/chat/slack.js';
import { discordChannel } from '../../support/discord/driver.js';
import { SlackServer } from '../../support/slack/server.js';
import { seenText, telegramChannel } from '../../support/telegram/driver.js';

async function started(...channels: readonly Channel[]) {
  const registry = new AgentRegistry({ channels });
  await registry.start();
  onTestFinished(() => registry.stop());
  return registry;
}

const nobody = { type: 'invalid', problem: expect.stringContaining('Nobody is known by this id') };

test('a question is handed to somebody on Telegram or Discord, and to no group, program or mistyped id', async () => {
  const telegrams = await telegramChannel({ name: 'telegram' });
  const discords = await discordChannel({ name: 'discord' });
  onTestFinished(async () => {
    await telegrams.telegram.close();
    await discords.close();
  });
  const { telegram } = telegrams;
  const { discord } = discords;
  const registry = await started(telegrams.channel, discords.channel);
  await telegram.writes('hello', { from: 2 });
  const by = { id: 'telegram:2' };
  const ask = async () =>
    (await registry.ask(confirm('Refund?'), { channel: 'telegram', to: by.id, answerableBy: [by.id] })).askId;
  const askId = await ask();
  const wrong = [
    'telegram:3',
    'telegram:-100',
    'telegram:@ann',
    'telegram:',
    'discord:777777',
    'discord:@me',
    'discord:1/../2',
  ];
  for (const to of wrong) expect(await registry.handOver(askId, { by, to }), to).toMatchObject(nobody);
  const via = { channel: 'telegram', to: by.id };
  expect(await registry.handOver(askId, { by, to: 'discord:777777', via })).toMatchObject(nobody);
  expect(await registry.handOver(askId, { by, to: 'discord:4' })).toMatchObject({ type: 'handed-over' });
  await expect
    .poll(() =>
      discord
        .said(discord.direct('4'))
        .map(({ text }) => seenText(text))
        .join(),
    )
    .toContain('Refund?');
  await discord.presses('Yes', { from: '4' });
  await expect.poll(async () => (await registry.getAsk(askId))?.decidedBy?.id).toBe('discord:4');
});

test('two channels with a Slack each: a person is found by the one that has them, and by no other', async () => {
  const [first, second] = [await SlackServer.opened(), await SlackServer.opened({ team: 'T2' })];
  onTestFinished(async () => {
    await first.close();
    await second.close();
  });
  const channels = [first, second].map(
    (slack, i) => new ChatChannel({ chat: slackChat(slack), name: `slack-${i + 1}` }),
  );
  const registry = await started(...channels);
  first.person('U1');
  second.person('U3');
  first.person('UPROGRAM', { is_bot: true });
  const by = { id: 'slack:U1' };
  const { askId } = await registry.ask(confirm('Refund?'), { channel: 'slack-1', to: by.id, answerableBy: [by.id] });
  for (const to of ['slack:U4', 'slack:UPROGRAM', 'slack:T1/U3', 'slack:USLACKBOT', 'slack:C1'])
    expect(await registry.handOver(askId, { by, to }), to).toMatchObject(nobody);
  expect(await registry.handOver(askId, { by, to: 'slack:U3' })).toMatchObject({ type: 'handed-over' });
  await expect
    .poll(() =>
      second
        .said('D3')
        .map(({ text }) => seenText(text))
        .join(),
    )
    .toContain('Refund?');
  expect(first.messages.filter(({ channel }) => channel !== 'D1')).toEqual([]);
});

test('to of an ask is refused where the platform could call nobody so', async () => {
  const { telegram, channel } = await telegramChannel();
  onTestFinished(() => telegram.close());
  for (const to of ['telegram:-100', 'telegram:@ann', 'telegram:chat:-5', { user: 'telegram:ann' }])
    expect(() => channel.conversationFor(to)).toThrow(/to must be the id of a participant such as 'telegram:4711'/);
});
