/** What a mail shows: the question, how to answer, and nothing that a text from outside could add to it. */
import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { drawnMail } from '../../../../src/channels/email/drawing/mail.js';
import type { OutgoingMessage } from '../../../../src/core/conversation/outgoing.js';
import { english } from '../../../../src/core/wording/english.js';
import { builtInLanguages } from '../../../../src/core/wording/languages.js';
import { anyCharacter } from '../../../support/any-character.js';
import { reader, written } from '../../../support/mail/read.js';

type Asked = NonNullable<OutgoingMessage['ask']>;
const { wording } = english;
const link = 'https://agents.example.com/inbox/asks/1?t=abc';

function question(text: string, more: Partial<Asked> = {}, message: Partial<OutgoingMessage> = {}): OutgoingMessage {
  const at = new Date(Date.UTC(2030, 0, 7, 9, 30));
  const about = { retries: 0, maxRetries: 3, askedAt: at, channelName: 'email', answerableBy: 'asker' as const };
  const named = { id: 'a1', conversationId: 'c1', agentName: 'refunds', effectKey: 'e', kind: 'confirm' };
  const ask: Asked = { ...named, ...about, question: text, status: 'pending', ...more };
  const choices = [
    { id: 'yes', label: 'Refund 48 EUR' },
    { id: 'no', label: 'Not now' },
  ];
  const shape = { type: 'choices', choices, many: false } as const;
  return { key: 'ask:a1:0', conversationId: 'c1', address: 'anna@example.com', text, shape, ask, ...message };
}

describe('an open question', () => {
  test('that a reply answers begins with the marker and says how to answer', () => {
    const { text, html, subject } = drawnMail(
      question(
        'Refund order 12345?',
        { details: { Customer: 'Ada' }, mail: 'decide' },
        { hint: 'Reply with a number or a label.' },
      ),
      { wording, link, canReply: true },
    );
    expect(subject).toBe('Refund order 12345?');
    expect(text).toBe(`##-----## Please reply above this line

Refund order 12345?

Customer: Ada

1. Refund 48 EUR
2. Not now

Reply with a number or a label.
To answer, reply to this mail with your answer only.

Or open the page to answer there.
${link}
The link is for you: please do not forward this mail.
`);
    expect(reader.htmlText(html)).toMatch(/^##-----## Please reply above this line/);
    expect(html).toContain(`<a href="${link}"`);
  });

  test('that only a page answers has no marker, and does not invite a reply', () => {
    const { text } = drawnMail(question('Sure?', {}, { hint: 'Reply with a number.' }), {
      wording,
      link,
      canReply: false,
    });
    expect(text).not.toMatch(/##|Reply with|reply to this mail with/);
    expect(text).toMatch(/A reply to this mail does not answer the\squestion\.\nhttps:/);
  });

  test('with a secret answer leads to the page, and warns of writing it in a mail', () => {
    const { text } = drawnMail(question('Your PIN?', { sensitive: true }), { wording, link, canReply: true });
    expect(text).toContain('Please do not write the answer in a mail');
    expect(text).toContain(`To answer, open the page.\n${link}`);
    expect(text).not.toMatch(/reply/i); // neither at its beginning nor below it
    expect(text).toMatch(/^##-----##\n/); // one that is written all the same is read without its quote
  });

  test('with a secret answer that only a reply can give says that, and nothing against it', () => {
    const { text } = drawnMail(question('Your PIN?', { sensitive: true }), { wording, canReply: true });
    expect(text).toContain('To answer, reply to this mail with your answer only.');
    expect(text).not.toContain('do not write the answer');
  });

  test.each(builtInLanguages)('that its mail cannot answer is for information: $locale', (language) => {
    const { text } = drawnMail(question('Sure?'), { wording: language.wording, canReply: false });
    expect(text).toMatch(/for your\sinformation|Ihrer\sInformation|pour\sinformation|solo\sinformativo/);
  });

  test.each(['javascript:alert(1)', 'not an address', 'data:text/html,x'])('no link leads to %s', (wrong) => {
    const { html, text } = drawnMail(question('Sure?'), { wording, link: wrong, canReply: false });
    expect(html).not.toContain('<a ');
    expect(text).toContain('This mail is for your information');
  });

  test('says until when it is open', () => {
    const expiresAt = new Date(Date.UTC(2030, 0, 7, 10, 30));
    expect(drawnMail(question('Sure?', { expiresAt }), { wording, canReply: true }).text).toContain(
      '2030-01-07 10:30 UTC',
    );
  });
});

test('a question that is over is a short text without controls or its answer', () => {
  const decidedBy = { id: 'mail:ben@example.com', name: 'Ben' };
  const over = question('Sure?', { status: 'answered', answer: 'yes', decidedBy, details: { a: 'b' } });
  expect(drawnMail(over, { wording, link, canReply: true }).text).toBe('Sure?\n\nAnswered by Ben\n');
});

describe('the marker', () => {
  test.each(builtInLanguages)('of $locale is found again in a reply, quoted or not', async (language) => {
    const { text } = drawnMail(question('Refund?'), { wording: language.wording, canReply: true });
    expect(written(`Yes\n\n${text}`, [{ subject: 'Refund?', texts: [text], at: new Date(0) }])).toBe('Yes');
    expect(written(`Yes\n\n${text.replace(/^/gm, '> ')}`)).toBe('Yes');
  });

  test("is found whatever an author's own words are", async () => {
    const own = { ...wording, replyAbove: () => 'Hier\r\nantworten' };
    const { text } = drawnMail(question('Refund?'), { wording: own, canReply: true });
    expect(written(`Yes\n\n${text}`, [{ subject: 'Refund?', texts: [text], at: new Date(0) }])).toBe('Yes');
  });
});

const nasty = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      '\n',
      '\r',
      '<b>',
      '</p>',
      '"',
      "'",
      '&',
      '##-----##',
      '-- ',
      'From ',
      '> ',
      '\u202e',
      'https://x.y',
      ' ',
    ),
    fc.string({ unit: anyCharacter, maxLength: 3 }),
  ),
  maxLength: 60,
});

describe('texts from outside', () => {
  test.prop([nasty, nasty, nasty, fc.boolean()], { numRuns: 150 })(
    'add no element, no second marker, no signature and no line of a mailbox file',
    (text, label, detail, canReply) => {
      const choices = [
        { id: 'a', label },
        { id: 'b', label: detail },
      ];
      const message = question(
        text,
        { details: { [label]: detail } },
        { shape: { type: 'choices', choices, many: false } },
      );
      const own = { ...wording, mailReply: () => text, openPageButton: () => label, mailLinkIsYours: () => detail };
      const { text: plain, html } = drawnMail({ ...message, hint: detail }, { wording: own, link, canReply });
      const lines = plain.split('\n');
      const marked = lines.filter((each) =>
        each
          .replace(/^[\s>|*_]+/, '')
          .replace(/\s+/g, '')
          .startsWith('##-----##'),
      );
      expect(marked.length).toBe(canReply ? 1 : 0);
      expect(lines.findIndex((each) => each.startsWith('##-----##'))).toBe(canReply ? 0 : -1);
      expect(lines.filter((each) => each === '-- ' || each.startsWith('From '))).toEqual([]);
      const elements = /<\/?(?:html|head|meta|title|style|body|div|p|br|table|tr|th|td|ol|ul|li|a|!doctype)\b[^<>]*>/g;
      expect(html.replace(elements, '')).not.toMatch(/[<>]/);
      expect(html.match(/<a /g)?.length).toBe(1);
      expect(html).not.toMatch(/<[^>]*\s(?:src|srcset|on\w+)=/);
      const hrefs = [...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href);
      expect(hrefs).toEqual([link]);
    },
  );

  test('long lines are broken at blanks; addresses stay whole, and options keep their indent', () => {
    const label = 'word '.repeat(30).trim();
    const shape = {
      type: 'choices',
      choices: [
        { id: 'a', label },
        { id: 'b', label: 'x' },
      ],
      many: false,
    } as const;
    const long = `https://agents.example.com/${'x'.repeat(100)}`;
    const { text } = drawnMail(question('Sure? '.repeat(40), {}, { shape }), { wording, link: long, canReply: true });
    expect(text).toContain(`\n${long}\n`);
    expect(text.split('\n').filter((each) => each.length > 72 && !each.includes('https:'))).toEqual([]);
    expect(text).toMatch(/\n1\. word .*\n {3}word/);
  });
});
