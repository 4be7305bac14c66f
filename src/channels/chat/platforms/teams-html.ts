/**
 * The HTML that Teams sends beside a message with formatting. The plain text has lost there what is struck out and what is quoted. It reads
 * what Teams has written: in it a bracket of the person is an entity.
 */
import type { OwnWords } from '../../own-words.js';

const struckOut = new Set(['s', 'strike', 'del']);
const blocks = new Set(['p', 'div', 'br', 'li', 'tr', 'blockquote']);

/** Whether the plain text beside the HTML is not all of it. */
export function hasQuoteOrStrike(html: string): boolean {
  return /<(?:blockquote|s|strike|del)\b|line-through/i.test(html);
}

/**
 * Returns the text without the message that Teams quotes above a reply, with mentions as `<at>…</at>`. `whole` is the plain text beside it, and no
 * answer if a part of it is struck out or marked as a quote by its author.
 */
export function wordsInHtml(html: string, whole: string): OwnWords {
  let own = '';
  let replies = 0;
  let marks = 0;
  let isMention = false;
  for (const [i, piece] of html.split(/(<[^<>]*>)/).entries()) {
    if (i % 2 === 0) {
      const text = replies > 0 ? '' : decoded(piece);
      if (marks > 0 && text.trim() !== '') return { text: whole, isNoAnswer: true };
      own += text;
      continue;
    }
    const [, slash = '', name = ''] = /^<(\/?)([a-z\d]+)/i.exec(piece.toLowerCase()) ?? [];
    const step = slash === '' ? 1 : -1;
    if (name === 'blockquote' && (replies > 0 || isReply(piece))) replies += step;
    else if (name === 'blockquote' || struckOut.has(name)) marks = Math.max(0, marks + step);
    if (/line-through/i.test(piece)) marks += 1; // where it ends does not matter: what is struck out is no answer
    if (blocks.has(name)) own += '\n';
    const opensMention = name === 'at' || (name === 'span' && /schema\.skype\.com\/mention/i.test(piece));
    if (slash === '' && opensMention) own += '<at>';
    if (slash !== '' && isMention && (name === 'at' || name === 'span')) own += '</at>';
    isMention = slash === '' ? isMention || opensMention : isMention && name !== 'at' && name !== 'span';
  }
  const text = own.replace(/\s*\n\s*/g, '\n').trim();
  return text === '' ? { text: whole, isNoAnswer: true } : { text };
}

/** Whether it begins the quote that Teams writes of itself above a reply. */
function isReply(tag: string): boolean {
  return /schema\.skype\.com\/reply/i.test(tag);
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

function decoded(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]+));/gi,
    (whole, decimal, hex, name: string | undefined) => {
      if (name !== undefined) return entities[name.toLowerCase()] ?? whole;
      const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}
