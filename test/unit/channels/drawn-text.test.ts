/** A character that draws nothing is shown as its code wherever a channel draws a question; ordinary text stays as it is. */
import { expect, test } from 'vitest';
import { drawnParts } from '../../../src/channels/chat/drawing/question.js';
import { platformNamed } from '../../../src/channels/chat/platforms/index.js';
import { drawnMail } from '../../../src/channels/email/drawing/mail.js';
import { plainText } from '../../../src/channels/plain.js';
import { drawnMessage } from '../../../src/channels/slack/drawing/blocks.js';
import { drawnBatch } from '../../../src/channels/web/drawing.js';
import { drawn as drawnHook } from '../../../src/channels/webhook/drawing.js';
import type { OutgoingMessage } from '../../../src/core/conversation/outgoing.js';
import { english } from '../../../src/core/wording/english.js';

const { wording } = english;
const at = new Date(Date.UTC(2030, 0, 1));
const everything = { platform: platformNamed('teams'), longestQuestion: 4_500, hasModals: false, wording };

/** A question in which each text that a channel draws has the character in it: text, details, options. */
function question(character: string): OutgoingMessage {
  const within = (name: string) => `${name}-${character}-end`;
  const ask = {
    id: 'a1',
    conversationId: 'c1',
    question: within('asked'),
    details: { [within('name')]: within('value') },
    status: 'pending' as const,
    retries: 0,
    maxRetries: 3,
    askedAt: at,
    channelName: 'any',
    kind: 'choice',
    mail: 'decide' as const,
  };
  const choices = [
    { id: 'one', label: within('first') },
    { id: 'two', label: within('second') },
  ];
  const shape = { type: 'choices', choices, many: false } as const;
  return { key: 'ask:a1:0', conversationId: 'c1', address: 'anna@example.com', text: ask.question, shape, ask };
}

const ways: Readonly<Record<string, (message: OutgoingMessage) => unknown>> = {
  'plain text and the terminal': plainText,
  Slack: (message) => drawnMessage(message, { wording }),
  'a mail as text': (message) => [drawnMail(message, { wording, canReply: true }).text],
  'a mail as HTML': (message) => [drawnMail(message, { wording, canReply: true }).html],
  'the chat bridge': (message) => drawnParts(message, everything),
  'the web chat': (message) => drawnBatch({ items: [{ type: 'said', at, message }], cursor: '1' }),
  'a webhook': drawnHook,
};

/** Every string that is shown, on a line each: escapes of Markdown are taken back. */
function stringsIn(value: unknown): string {
  if (typeof value === 'string') return value.replace(/\\(?=[\\[\]|*_~`])/g, '');
  if (value === null || typeof value !== 'object') return '';
  return Object.entries(value).flat().map(stringsIn).join('\n');
}

const texts = ['asked', 'name', 'value', 'first', 'second'];

test.each(
  Object.entries(ways).flatMap(([name, draw]) =>
    ['\u3164', '\u2800', '\ufffc', '\u{e0041}', '\ufe0f', '\u00ad'].map(
      (character) => [name, character, draw] as const,
    ),
  ),
)('%s shows %j as its code in question, details and options', (_name, character, draw) => {
  const shown = stringsIn(draw(question(character)));
  const code = `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  for (const each of texts) expect(shown).toContain(`${each}-${code}-end`);
  expect(shown).not.toContain(character);
});

test.each(
  Object.entries(ways).flatMap(([name, draw]) =>
    ['👩🏽‍💻', '❤️', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '1️⃣', 'می\u200cخواهم', 'क्\u200dष', 'שָׁלוֹם', 'e\u0301'].map(
      (text) => [name, text, draw] as const,
    ),
  ),
)('%s shows %s as it is', (_name, text, draw) => {
  const shown = stringsIn(draw(question(text)));
  for (const each of texts) expect(shown).toContain(`${each}-${text}-end`);
});

test.each(['telegram', 'discord', 'slack', 'teams', 'gchat', 'whatsapp'])(
  'on %s, a text or an answer of characters that draw nothing stays within what the platform shows',
  (name) => {
    const platform = platformNamed(name);
    const hidden = '\u3164'.repeat(5_000);
    const { ask: _, ...said } = { ...question('x'), text: hidden, shape: { type: 'text' } as const };
    const asked = question('x');
    const value = hidden;
    const over = { ...asked, shape: { type: 'text' }, ask: { ...asked.ask, status: 'answered', value } } as const;
    for (const message of [said, over as unknown as OutgoingMessage])
      for (const part of drawnParts(message, { ...everything, platform }))
        expect(longestIn(part)).toBeLessThanOrEqual(platform.text);
  },
);

/** The length of the longest string in what is posted. */
function longestIn(part: unknown): number {
  if (typeof part === 'string') return part.length;
  if (part === null || typeof part !== 'object') return 0;
  return Math.max(0, ...Object.values(part).map(longestIn));
}
