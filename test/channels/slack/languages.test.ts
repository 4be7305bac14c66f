/** What the Slack channel itself says is in the language of whoever reads it: of the ask in messages, of the person in modals and refusals. */
import { expect, test } from 'vitest';
import { german } from '../../../src/core/wording/german.js';
import { agent, choice, confirm, date, type Language, text } from '../../../src/index.js';
import { readableText } from '../../support/slack/block-kit.js';
import type { SlackFields } from '../../support/slack/server.js';
import { slackWorld } from '../../support/slack/world.js';

const speaksGerman = { locale: 'de-DE' };

function textsIn(view: SlackFields): unknown[] {
  return ['title', 'submit', 'close'].map((part) => (view[part] as SlackFields)['text']);
}

test('a question, its modal and its end are in German for whoever speaks German', async () => {
  const { slack, until } = await slackWorld();
  const anna = slack.person('U1', { ...speaksGerman, real_name: 'Anna', profile: { display_name: 'Anna' } });
  await anna.mentions('why');
  const question = await until(() => slack.said().find(({ controls }) => controls.length > 0));
  expect(question.controls).toEqual(['Antworten']);
  await anna.presses('Antworten');
  expect(textsIn(anna.modal.view)).toEqual(['Antworten', 'Senden', 'Abbrechen']);
  await anna.submits({ 'Why?': 'Zu klein' });
  const ended = await until(() =>
    slack.said().find(({ text: said }) => said.includes('Beantwortet von Anna: Zu klein')),
  );
  expect(ended.controls).toEqual([]);
});

test('lists, deadlines, votes, secrets and what is too long are in German as well', async () => {
  const talker = agent('clerk');
  const asks = {
    sizes: talker.question('sizes', choice('Welche?', ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11']), {
      expiresIn: 60_000,
      onAnswer: String,
    }),
    secret: talker.question('secret', text('Passwort?'), { sensitive: true, onAnswer: () => 'Danke.' }),
    long: talker.question('long', confirm('Lang?'), { details: { Text: 'x'.repeat(9_000) }, onAnswer: String }),
    two: talker.question('two', confirm('Zwei?'), { answerableBy: 'anyone', quorum: 2, onAnswer: String }),
    day: talker.question('day', date('Wann?', { time: true }), { onAnswer: String }),
  };
  talker.onMessage(({ message, ask }) => ask(asks[message as 'day']));
  const { slack, until } = await slackWorld({ inboxUrl: (id) => `https://inbox.example.com/${id}` }, { talker });
  const anna = slack.person('U1', speaksGerman);
  const shown = async (name: string) => {
    const { ts } = await anna.mentions(name);
    return until(() => slack.said().find(({ message }) => message.thread_ts === ts));
  };
  const sizes = await shown('sizes');
  expect([sizes.controls.at(-1), sizes.text]).toEqual(['Senden', expect.stringContaining('Offen bis: <!date')]);
  expect(JSON.stringify(sizes.message)).toContain('Bitte auswählen');
  expect((await shown('secret')).text).toContain(german.wording.secretHint());
  const long = await shown('long');
  expect([long.controls, long.text]).toEqual([['Seite öffnen'], expect.stringContaining(german.wording.tooLongHere())]);
  expect((await shown('two')).text).toContain('0 von 2 Stimmen');
  const { message } = await shown('day');
  await anna.presses('Antworten', { message });
  expect(readableText(anna.modal.view['blocks'] as SlackFields[])).toContain('Wann? (Uhrzeit)');
});

test('a modal and a refusal are in the language of whoever presses, not of whoever asked', async () => {
  const { slack, until } = await slackWorld();
  const [ann, eva] = [
    slack.person('U1', { locale: 'en-US' }),
    slack.person('U3', { ...speaksGerman, is_restricted: true }),
  ];
  const ben = slack.person('U4', speaksGerman);
  await ann.mentions('why');
  await until(() => slack.said().find(({ controls }) => controls.includes('Answer')));
  await ben.presses('Answer');
  expect(textsIn(ben.modal.view)).toEqual(['Antworten', 'Senden', 'Abbrechen']);
  await eva.presses('Answer');
  const told = await until(() => slack.said('C1', 'U3').find(({ message }) => message.only === 'U3'));
  expect(told.text).toBe(german.wording.refused());
});

test('whoever sends a list from which nothing is picked is told so in their language', async () => {
  const { slack, registry, until } = await slackWorld();
  const anna = slack.person('U1', speaksGerman);
  const sizes = Array.from({ length: 7 }, (_, i) => `${i}`);
  await registry.ask(choice('Welche?', sizes), { channel: 'slack', to: 'C1', answerableBy: 'anyone' });
  await until(() => slack.said()[0]);
  await anna.presses('Send');
  const told = await until(() => slack.said('C1', 'U1').find(({ message }) => message.only === 'U1'));
  expect(told.text).toBe(german.wording.unclear());
});

test("a language of the author's own, and a sentence of their own, are what Slack shows", async () => {
  const dutch: Language = {
    ...german,
    locale: 'nl',
    wording: {
      ...german.wording,
      answerButton: () => 'Antwoorden',
      sendButton: () => 'Versturen en klaar met deze vraag',
    },
  };
  const speaking = { languages: [dutch], wording: { cancelButton: () => 'Weg <b>' } };
  const { slack, until } = await slackWorld({}, { speaking });
  const jan = slack.person('U1', { locale: 'nl-NL' });
  await jan.mentions('why');
  await until(() => slack.said().find(({ controls }) => controls.includes('Antwoorden')));
  await jan.presses('Antwoorden');
  expect(textsIn(jan.modal.view)).toEqual(['Antwoorden', 'Versturen en klaar met …', 'Weg &lt;b&gt;']);
});
