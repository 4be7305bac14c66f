/** What people quote on the platforms of the chat SDK: a reply is about the question in the quoted message, and about no other. */
import type { Adapter } from 'chat';
import { expect, onTestFinished, test } from 'vitest';
import { quotedId } from '../../../src/channels/chat/incoming/quoted.js';
import { AgentRegistry, agent, type Channel, confirm, text } from '../../../src/index.js';
import { slackBridge } from '../../support/chat/slack.js';
import { discordChannel } from '../../support/discord/driver.js';
import { teamsChannel } from '../../support/teams/driver.js';
import { seenText, telegramChannel } from '../../support/telegram/driver.js';

/** "refund 1" is asked back, and what was decided is said. */
async function started(channel: Channel, close: () => Promise<void>) {
  const shop = agent('shop');
  const questions = ['1', '2'].map((order) =>
    shop.question(`refund-${order}`, confirm(`Refund order ${order}?`), {
      onAnswer: (yes) => `Order ${order}: ${yes ? 'refunded' : 'left'}.`,
    }),
  );
  shop.onMessage(({ message, ask }) => {
    const question = questions[Number(/^refund (\d)$/.exec(message)?.[1]) - 1];
    return question === undefined ? `You said: ${message}` : ask(question);
  });
  const registry = new AgentRegistry({ agents: [shop], channels: [channel] });
  await registry.start();
  onTestFinished(async () => {
    await registry.stop();
    await close();
  });
  return registry;
}

/** A person in the direct messages of the bot. */
interface Person {
  readonly registry: AgentRegistry;
  writes(typed: string): Promise<unknown>;
  /** Quotes the message of the bot with this number, from 0 on. */
  quotes(number: number, typed: string): Promise<unknown>;
  said(): readonly string[];
}

const platforms: readonly (readonly [string, () => Promise<Person>])[] = [
  [
    'Telegram',
    async () => {
      const { telegram, channel } = await telegramChannel();
      const registry = await started(channel, () => telegram.close());
      const said = () => telegram.said(1);
      return {
        registry,
        writes: (typed) => telegram.writes(typed),
        quotes: (n, typed) => {
          const quoted = said()[n];
          return telegram.writes(typed, quoted === undefined ? {} : { message: telegram.quoting(quoted) });
        },
        said: () => said().map((each) => each.text),
      };
    },
  ],
  [
    'Discord',
    async () => {
      const { discord, channel, close } = await discordChannel();
      const registry = await started(channel, close);
      const said = () => discord.said(discord.direct('1'));
      return {
        registry,
        writes: (typed) => discord.writes(typed),
        quotes: (n, typed) => {
          const quoted = said()[n];
          return discord.writes(typed, quoted === undefined ? {} : { more: discord.quoting(quoted) });
        },
        said: () => said().map((each) => each.text),
      };
    },
  ],
  [
    'Teams',
    async () => {
      const { teams, channel, close } = await teamsChannel();
      const registry = await started(channel, close);
      const said = () => teams.said(teams.direct('1'), '1');
      return {
        registry,
        writes: (typed) => teams.writes(typed),
        quotes: (n, typed) => teams.quotes(said()[n]?.id ?? '', typed),
        said: () => said().map((each) => each.text),
      };
    },
  ],
  [
    'Slack by chat, in the thread below the question',
    async () => {
      const { slack, channel, close } = await slackBridge();
      const registry = await started(channel, close);
      const ann = slack.person('U1');
      const said = () => slack.said(slack.direct('U1'), 'U1');
      return {
        registry,
        writes: (typed) => ann.writes(typed, { channel: 'direct' }),
        quotes: (n, typed) => ann.writes(typed, { channel: 'direct', thread: said()[n]?.message.ts ?? '' }),
        said: () => said().map((each) => each.text),
      };
    },
  ],
];

test.each(platforms)('a "yes" to a finished question does not answer the open one: on %s', async (_, open) => {
  const person = await open();
  const { registry } = person;
  const after = async (act: Promise<unknown>): Promise<string> => {
    await act;
    await registry.idle();
    return person.said().map(seenText).slice(1).join('\n');
  };
  await after(person.writes('refund 1'));
  expect(await after(person.writes('no'))).toContain('Order 1: left.');
  expect(await after(person.writes('refund 2'))).toContain('Refund order 2?');
  expect(await after(person.quotes(0, 'yes'))).toContain('This was already answered');
  expect((await registry.listAsks()).asks).toMatchObject([{ question: 'Refund order 2?', status: 'pending' }]);
  expect(await after(person.quotes(1, 'perhaps'))).not.toContain('Order 2:'); // "Order 1: left." is no question
  expect(await after(person.quotes(2, 'yes'))).toContain('Order 2: refunded.');
});

test.each([
  ['discord', 'discord:@me:71', { type: 0, message_reference: { type: 1, message_id: '9', channel_id: '71' } }],
  ['discord', 'discord:@me:71', { type: 19, message_reference: null }],
  ['discord', 'discord:@me:71', { type: 19, message_reference: { message_id: 9 } }],
  ['slack', 'slack:D1:', { ts: '9.1' }],
  ['slack', 'slack:D1:9.1', { ts: '9.1', thread_ts: '9.1' }],
  ['teams', 'teams:a:b', { entities: [{ type: 'quotedReply' }, null, { type: 'mention', mentioned: {} }] }],
  ['teams', 'teams:a:b', { replyToId: '9' }],
  ['other', 'other:1', { quoted: '9' }],
])('on %s nothing is quoted in %s by %j', (name, threadId, raw) => {
  const adapter = { name, channelIdFromThreadId: () => 'slack:D1' } as Partial<Adapter> as Adapter;
  expect(quotedId(adapter, { threadId, raw })).toBeUndefined();
});

test('a reply on Discord that begins a thread quotes the message in the channel above it', () => {
  const adapter = { name: 'discord' } as Partial<Adapter> as Adapter;
  const raw = { type: 19, message_reference: { message_id: '9', channel_id: '800' } };
  expect(quotedId(adapter, { threadId: 'discord:500:800:900', raw })).toBe('discord:500:800\n9');
  expect(quotedId(adapter, { threadId: 'discord:500:700:800', raw })).toBe('discord:500:700:800\n9');
});

test('a question that was handed over is answered by quoting it, though it has no buttons', async () => {
  const { telegram, channel } = await telegramChannel();
  const registry = await started(channel, () => telegram.close());
  await telegram.writes('hello');
  await telegram.writes('hello', { from: 2 });
  await registry.idle();
  const by = { id: 'telegram:1' };
  const put = { channel: 'chat', to: by.id, answerableBy: [by.id] };
  const { askId } = await registry.ask(text('Which order?'), put);
  await registry.handOver(askId, { by, to: 'telegram:2' });
  await registry.idle();
  const copy = telegram.said(2).at(-1);
  if (copy === undefined) throw new Error('Nothing was handed over.');
  await telegram.writes('12345', { from: 2, message: telegram.quoting(copy) });
  await registry.idle();
  expect(await registry.getAsk(askId)).toMatchObject({ status: 'answered', value: '12345' });
});
