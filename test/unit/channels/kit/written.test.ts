/** What a person wrote: words can be an answer, files and the words of other people cannot. */
import { expect, test } from 'vitest';
import { personName, writtenFields } from '../../../../src/channels/kit/written.js';

const about = { files: [], isMentioned: false };

test('text is given as it was typed; a mention and files are data', () => {
  expect(writtenFields({ ...about, typed: { text: 'yes' } })).toEqual({ text: 'yes' });
  expect(writtenFields({ typed: { text: 'yes' }, files: ['a.pdf'], isMentioned: true })).toEqual({
    text: 'yes',
    data: { mentioned: true, attachments: ['a.pdf'] },
  });
});

test('files alone are named and are no answer, and neither is what is struck out or not the own words of the author', () => {
  expect(writtenFields({ ...about, typed: { text: ' ' }, files: ['yes.pdf', 'b'] })).toEqual({
    text: '[attachment: yes.pdf]\n[attachment: b]',
    data: { attachments: ['yes.pdf', 'b'] },
    wordless: true,
  });
  expect(writtenFields({ ...about, typed: { text: 'yes', isNoAnswer: true } })).toEqual({
    text: 'yes',
    wordless: true,
  });
  expect(writtenFields({ ...about, typed: undefined, otherwise: 'a poll' })).toEqual({
    text: 'a poll',
    wordless: true,
  });
});

test('a name is the first that is one, short and without control characters', () => {
  expect(personName([undefined, ' ', 7, 'Ann\u202e', 'Bob'], 80)).toBe('Ann');
  expect(personName(['x'.repeat(200)], 80)).toHaveLength(80);
  expect(personName(['', null], 80)).toBeUndefined();
});
