/** Telegram: formatting beside the text, a row for each button that is long, and messages of groups and channels. */
import { recordOf, recordsOf, textOf } from '../../kit/untyped.js';
import { type OwnWords, ownWords, type TextSpan } from '../../own-words.js';
import { type Platform, unaddressed, unknownPlatform } from './platform.js';

export const telegram: Platform = {
  ...unknownPlatform,
  name: 'telegram',
  isUserId: (user) => /^\d+$/.test(user),
  isUnsigned: ({ isBot }) => isBot === 'unknown',
  text: 4_096,
  label: 60,
  buttons: 8,
  escape: (text, form) => (form === 'plain' ? text : markdownEscaped(text)),
  // a label is shortened to fit into its row
  rows: (buttons) => {
    const isShort = buttons.length <= 3 && buttons.every((button) => button.label.length <= 12);
    const rows = isShort ? [buttons] : buttons.map((button) => [button]);
    return rows.map((row) => ({ type: 'actions', children: [...row] }));
  },
  typed: (adapter, { raw }) => unaddressed(adapter, wordsIn(recordOf(raw))),
  localeIn: (raw) => recordOf(recordOf(raw)['from'])['language_code'],
};

/** The adapter parses the text of a card as Markdown: escapes each mark, and breaks indented blocks. */
function markdownEscaped(text: string): string {
  return text
    .replace(/[!-/:-@[-`{-~]/g, '\\$&')
    .replace(/^[ \t]+/gm, (spaces) => '\u00a0'.repeat(spaces.length))
    .replace(/ +$/gm, '');
}

const marks = new Set(['strikethrough', 'blockquote', 'expandable_blockquote']);

/** Telegram tells formatting beside the text, by UTF-16 positions. What was forwarded are the words of another person. */
function wordsIn(message: Readonly<Record<string, unknown>>): OwnWords | undefined {
  const { text, caption, entities, caption_entities, forward_origin: forwarded, forward_date: forwardedAt } = message;
  if (forwarded !== undefined || forwardedAt !== undefined) return undefined;
  const typed = typeof text === 'string' ? text : caption;
  if (typeof typed !== 'string') return undefined;
  const given = recordsOf(typeof text === 'string' ? entities : caption_entities);
  const spans = given.flatMap(({ type, offset, length }): TextSpan[] => {
    const start = Number(offset);
    return marks.has(textOf(type) ?? '') ? [{ start, end: start + Number(length) }] : [];
  });
  return ownWords(typed, spans);
}
