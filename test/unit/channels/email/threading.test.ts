/** How mails belong together: ids that repeats share, references to what is answered, subjects that keep a thread together. */
import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { messageIdOf, threadHeaders, threadOf, threadSubject } from '../../../../src/channels/email/threading.js';
import type { OutgoingMessage } from '../../../../src/core/conversation/outgoing.js';
import { anyCharacter } from '../../../support/any-character.js';

const domain = 'shop.example';
const askId = '018f3a52-0000-8000-8000-00000000abcd';

function said(more: Partial<OutgoingMessage> = {}): OutgoingMessage {
  const base = { key: 'm:email:1:0', conversationId: 'email:anna@example.com', address: 'anna@example.com' };
  return { ...base, text: 'Refund 48 EUR?', shape: { type: 'text' }, ...more };
}

describe('the id of a mail', () => {
  test('is the same for every try, and another for every copy', () => {
    const copy = (n: number) => threadHeaders(said({ key: `ask:${askId}:${n}` }), domain).messageId;
    expect(copy(0)).toBe(copy(0));
    expect(new Set([0, 1, 2].map(copy)).size).toBe(3);
  });

  test('names neither the ask nor the person', () => {
    const { messageId } = threadHeaders(said({ key: `ask:${askId}:0` }), domain);
    expect(messageId).toMatch(/^<[\w-]{43}@shop\.example>$/);
    expect(messageId).not.toContain(askId);
  });

  test('differs where two conversations say something under the same key', () => {
    const one = threadHeaders(said({ key: 'k:0', conversationId: 'a' }), domain);
    const other = threadHeaders(said({ key: 'k:0', conversationId: 'b' }), domain);
    expect(one.messageId).not.toBe(other.messageId);
  });
});

describe('what a mail refers to', () => {
  test('the first mail of a question refers to nothing', () => {
    const { inReplyTo, references } = threadHeaders(said({ key: `ask:${askId}:0` }), domain);
    expect([inReplyTo, references]).toEqual([undefined, undefined]);
  });

  test('an answer refers to the mail that it answers, and to those before it', () => {
    const thread = { id: '<c@x.example>', references: ['<a@x.example>', '<b@x.example>'] };
    expect(threadHeaders(said({ thread }), domain)).toMatchObject({
      inReplyTo: '<c@x.example>',
      references: ['<a@x.example>', '<b@x.example>', '<c@x.example>'],
    });
  });

  test('a later copy of a question refers to the copies before it', () => {
    const { inReplyTo, references } = threadHeaders(said({ key: `ask:${askId}:2` }), domain);
    const ids = [0, 1].map((n) => messageIdOf(`ask:${askId}:${n}`, domain));
    expect({ inReplyTo, references }).toEqual({ inReplyTo: ids[1], references: ids });
  });

  test('a mail that says that a question is over refers to that question', () => {
    const follows = `ask:${askId}:1`;
    const { inReplyTo } = threadHeaders(said({ key: `redraw:${follows}`, follows }), domain);
    expect(inReplyTo).toBe(messageIdOf(follows, domain));
  });

  test('a long thread keeps its first and its last ids', () => {
    const references = Array.from({ length: 20 }, (_, i) => `<${i}@x.example>`);
    const kept = threadOf({ messageId: '<me@x.example>', references, subject: 'x' }).references ?? [];
    expect([kept.length, kept[0], kept.at(-1)]).toEqual([10, '<0@x.example>', '<19@x.example>']);
    const all = threadHeaders(said({ key: `ask:${askId}:500`, thread: { references } }), domain).references ?? [];
    expect(all.length).toBeLessThanOrEqual(10);
  });

  test.prop([fc.jsonValue()])('whatever a stored thread is, only ids of mails are referred to', (thread) => {
    const message = said({ thread: thread as never });
    const { inReplyTo, references = [] } = threadHeaders(message, domain);
    for (const id of [...references, ...(inReplyTo === undefined ? [] : [inReplyTo])])
      expect(id).toMatch(/^<[!-;=?-~]{1,250}>$/);
    expect(threadSubject(message, 'No text')).not.toMatch(/[\r\n]/);
  });

  test('an id with a line break or a blank is none', () => {
    const thread = { id: '<a@x>\r\nBcc: eve@x', references: ['<a b@x>', '<ok@x>'] };
    expect(threadHeaders(said({ thread }), domain).references).toEqual(['<ok@x>']);
  });
});

describe('the subject', () => {
  test.each([
    ['Refund', 'Re: Refund'],
    ['Re: Refund', 'Re: Refund'],
    ['RE: AW: Re[2]: Refund', 'Re: Refund'],
    ['Fwd: Refund', 'Re: Fwd: Refund'],
    ['Reason: broken', 'Re: Reason: broken'],
  ])('of the thread %j is answered as %j', (subject, answered) => {
    expect(threadSubject(said({ thread: { subject } }), '')).toBe(answered);
  });

  test('is the first line of the question, whatever is said before it in a later copy', () => {
    const ask = { question: 'Refund 48 EUR?\nPlease look twice.' } as NonNullable<OutgoingMessage['ask']>;
    expect(threadSubject(said({ ask, text: "Sorry, I didn't understand that.\nRefund 48 EUR?" }), '')).toBe(
      'Refund 48 EUR?',
    );
  });

  test('of a mail that says that a question is over is an answer to it', () => {
    const over = said({
      key: 'redraw:ask:x:0',
      follows: 'ask:x:0',
      text: 'Refund 48 EUR?\nThis was already answered.',
    });
    expect(threadSubject(over, '')).toBe('Re: Refund 48 EUR?');
  });

  test('of a blank text is what stands for it', () => {
    expect(threadSubject(said({ text: ' \n\u200b' }), '(no text)')).toBe('(no text)');
  });

  test.prop([fc.string({ unit: anyCharacter, maxLength: 400 })])('is one line of at most 120 characters', (text) => {
    for (const subject of [
      threadSubject(said({ text }), 'x'),
      threadSubject(said({ thread: { subject: text } }), 'x'),
    ]) {
      expect([...subject].length).toBeLessThanOrEqual(120);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: there must be none
      expect(subject).not.toMatch(/[\u0000-\u001f\u007f]|=\?/);
    }
  });
});
