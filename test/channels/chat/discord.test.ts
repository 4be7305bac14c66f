/** The channel of the chat SDK on a local Discord, with signed interactions over HTTP: buttons, people, and what a failure costs. */
import { expect, test } from 'vitest';
import { agent, choice } from '../../../src/index.js';
import { type Shop, withRecorder, withRegistry } from '../../support/chat/world.js';
import { discordChannel } from '../../support/discord/driver.js';
import { refundAgent } from '../../support/slack/world.js';
import { seenText } from '../../support/telegram/driver.js';

const staff = '300';

/** A registry with an agent on a local Discord; person 2 decides about refunds. */
async function world(shop: Shop = refundAgent([], ['discord:2']).clerk) {
  const here = await withRegistry(await discordChannel(), shop);
  const { discord } = here;
  const said = (where: string) => discord.said(where).map(({ text }) => seenText(text));
  return { ...here, said, mine: discord.direct('1') };
}

test('a stranger who presses is told in their own direct messages, and the right person decides once', async () => {
  const refunds: string[] = [];
  const { discord, said, mine } = await world(refundAgent(refunds, ['discord:2']).clerk);
  await discord.writes('refund', { channel: staff });
  await expect.poll(() => said(staff).join()).toContain('Refund order 12345?');
  const before = said(staff).length;
  const answer = await discord.presses('Yes', { channel: staff });
  expect([answer.status, await answer.json()]).toEqual([200, { type: 6 }]); // nothing is shown for it
  await expect.poll(() => said(mine)).toHaveLength(1);
  expect(said(staff)).toHaveLength(before);
  await Promise.all([1, 2].map(() => discord.presses('Yes', { from: '2', channel: staff })));
  await expect.poll(() => said(staff).join()).toContain('Answered by Person 2: Yes');
  await expect.poll(() => said(staff).at(-1)).toBe('Refunded.');
  expect(discord.said(staff).flatMap(({ buttons }) => buttons)).toEqual([]);
  expect(refunds).toEqual(['discord:2']);
});

test('options with long ids have buttons within 100 characters, which mean exactly them', async () => {
  const options = [
    'Send it again by express to the shop in Berlin, please',
    '*b* @everyone <@2> ~~x~~ `c`',
    'é'.repeat(180),
  ];
  const shop = agent('shop');
  const what = shop.question('what', choice('What now?', options), { onAnswer: (chosen) => `Chosen: ${chosen}` });
  shop.onMessage(({ ask }) => ask(what));
  const { discord, said, mine } = await world(shop);
  await discord.writes('help');
  await expect.poll(() => said(mine)).toHaveLength(1);
  const buttons = discord.said(mine)[0]?.buttons ?? [];
  expect(buttons).toHaveLength(3);
  for (const { custom_id: data = '' } of buttons) expect(data.length).toBeLessThanOrEqual(100);
  await discord.presses(buttons[1]?.label ?? '');
  await expect.poll(() => said(mine).at(-1)).toBe(`Chosen: ${options[1]}`);
});

test('what could not be recorded is answered with 5xx, and counts when it is done again', async () => {
  const refunds: string[] = [];
  const { discord, said, mine, isDown } = await world(refundAgent(refunds, ['discord:1']).clerk);
  isDown(true);
  expect((await discord.writes('refund', { id: '77' })).status).toBeGreaterThanOrEqual(500); // the adapter would have said 200
  isDown(false);
  expect((await discord.writes('refund', { id: '77' })).status).toBe(200);
  expect((await discord.writes('refund', { id: '77' })).status).toBe(200);
  await expect.poll(() => said(mine).join()).toContain('Refund order 12345?');
  isDown(true);
  expect((await discord.presses('Yes')).status).toBeGreaterThanOrEqual(500); // Discord shows that it failed
  isDown(false);
  expect((await discord.presses('Yes')).status).toBe(200);
  await expect.poll(() => said(mine).at(-1)).toBe('Refunded.');
  expect(refunds).toEqual(['discord:1']);
  expect(said(mine).filter((text) => text.includes('Refund order'))).toHaveLength(1);
});

test('somebody who takes no messages of the bot is undeliverable; a Discord that is down is tried again', async () => {
  const { discord, send } = await withRecorder(await discordChannel());
  await expect(send('discord:66')).rejects.toMatchObject({ code: 'undeliverable' });
  await expect(send('discord:777777')).rejects.toMatchObject({ code: 'undeliverable' });
  for (const status of [401, 429, 500, 503]) {
    discord.fails(status);
    await expect(send('discord:1')).rejects.not.toMatchObject({ code: 'undeliverable' });
  }
});
