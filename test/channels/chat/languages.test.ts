/** What the channel itself says is in the language of whoever reads it, from the same table as everything else. */
import { expect, onTestFinished, test } from 'vitest';
import { english } from '../../../src/core/wording/english.js';
import { french } from '../../../src/core/wording/french.js';
import { german } from '../../../src/core/wording/german.js';
import { spanish } from '../../../src/core/wording/spanish.js';
import { AgentRegistry, agent, confirm, type Language } from '../../../src/index.js';
import { discordChannel } from '../../support/discord/driver.js';
import { seenText, telegramChannel } from '../../support/telegram/driver.js';

/** An agent that asks in every way about which the channel itself says something. */
function talker() {
  const clerk = agent('clerk');
  const asks = {
    two: clerk.question('two', confirm('2?'), {
      answerableBy: 'anyone',
      quorum: 2,
      expiresIn: 60_000,
      onAnswer: String,
    }),
    long: clerk.question('long', confirm('Long?'), { details: { Text: 'x'.repeat(9_000) }, onAnswer: String }),
    one: clerk.question('one', confirm('1?'), { onAnswer: () => '.' }),
  };
  return clerk.onMessage(({ message, ask }) => ask(asks[message as 'one']));
}

test.each([
  ['en', english, 'Answered by Person 1: Yes'],
  ['de', german, 'Beantwortet von Person 1: Ja'],
  ['fr', french, undefined],
  ['es-MX', spanish, undefined],
])(
  'votes, deadlines, what is too long and how it ended are in the language of the person: %s',
  async (code, language: Language, end) => {
    const { telegram, channel } = await telegramChannel({ inboxUrl: (id) => `https://inbox.example.com/${id}` });
    const registry = new AgentRegistry({ agents: [talker()], channels: [channel] });
    await registry.start();
    onTestFinished(async () => {
      await registry.stop();
      await telegram.close();
    });
    const { wording } = language;
    const who = (from: number) => ({
      from,
      message: { from: { id: from, first_name: `Person ${from}`, language_code: code } },
    });
    const shown = async (from: number, text: string) => {
      await telegram.writes(text, who(from));
      await expect.poll(() => telegram.said(from)).toHaveLength(1);
      return telegram.said(from)[0];
    };
    const two = await shown(1, 'two');
    expect(seenText(two?.text ?? '')).toContain(wording.votesSoFar(0, 2));
    expect(seenText(two?.text ?? '')).toContain(wording.openUntil('2').replace('2', ''));
    const long = await shown(2, 'long');
    expect(seenText(long?.text ?? '')).toContain(wording.tooLongHere());
    expect(long?.buttons.map(({ text }) => text)).toEqual([wording.openPageButton()]);
    await shown(3, 'one');
    await telegram.presses(wording.yes(), { from: 3 });
    const ended = wording.ended('answered', { id: 'telegram:3', name: 'Person 3' });
    await expect.poll(() => seenText(telegram.said(3)[0]?.text ?? '')).toContain(`${ended}: ${wording.yes()}`);
    if (end !== undefined) expect(`${ended}: ${wording.yes()}`).toBe(end.replace('Person 1', 'Person 3'));
  },
);

test('whoever presses on Discord is told in their own language what they may not do', async () => {
  const { discord, channel, close } = await discordChannel();
  const clerk = agent('clerk');
  const one = clerk.question('one', confirm('1?'), { answerableBy: ['discord:2'], onAnswer: String });
  const registry = new AgentRegistry({ agents: [clerk.onMessage(({ ask }) => ask(one))], channels: [channel] });
  await registry.start();
  onTestFinished(async () => {
    await registry.stop();
    await close();
  });
  await discord.writes('ask', { channel: '300' });
  await expect.poll(() => discord.said('300')).toHaveLength(1);
  await discord.presses('Yes', { channel: '300', more: { locale: 'es-ES' } });
  await expect
    .poll(() => discord.said(discord.direct('1')).map(({ text }) => seenText(text)))
    .toEqual([spanish.wording.refused()]);
});
