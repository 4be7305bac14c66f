/**
 * The HTML that Teams sends beside a message with formatting. The plain text has lost there what is struck out and what is quoted. It reads
 * what Teams has written: in it a bracket of the person is an entity.
 */
import { type OwnWords, withoutQuotes } from '../../own-words.js';

const struckOut = new Set(['s', 'strike', 'del']);
const blocks = new Set(['p', 'div', 'br', 'li', 'tr', 'blockquote']);

/** Whether the plain text beside the HTML is not all of it. */
export function hasQuoteOrStrike(html: string): boolean {
  return /<(?:blockquote|s|strike|del)\b|line-through/i.test(html);
}

/** Returns the text outside of quotes, with mentions as `<at>…</at>`. `whole` is the plain text beside it, and no answer if a part is struck out. */
export function wordsInHtml(html: string, whole: string): OwnWords {
  const said = { own: '', quoted: '' };
  let quotes = 0;
  let strikes = 0;
  let isMention = false;
  for (const [i, piece] of html.split(/(<[^<>]*>)/).entries()) {
    const where = quotes > 0 ? 'quoted' : 'own';
    if (i % 2 === 0) {
      const text = decoded(piece);
      if (strikes > 0 && quotes === 0 && text.trim() !== '') return { text: whole, isNoAnswer: true };
      said[where] += text;
      continue;
    }
    const [, slash = '', name = ''] = /^<(\/?)([a-z\d]+)/i.exec(piece.toLowerCase()) ?? [];
    const step = slash === '' ? 1 : -1;
    if (name === 'blockquote') quotes = Math.max(0, quotes + step);
    if (struckOut.has(name)) strikes = Math.max(0, strikes + step);
    if (/line-through/i.test(piece)) strikes += 1; // where it ends does not matter: what is struck out is no answer
    if (blocks.has(name)) said[where] += '\n';
    const opensMention = name === 'at' || (name === 'span' && /schema\.skype\.com\/mention/i.test(piece));
    if (slash === '' && opensMention) said[where] += '<at>';
    if (slash !== '' && isMention && (name === 'at' || name === 'span')) said[where] += '</at>';
    isMention = slash === '' ? isMention || opensMention : isMention && name !== 'at' && name !== 'span';
  }
  return withoutQuotes(whole, lessEmptyLines(said.own), lessEmptyLines(said.quoted));
}

const lessEmptyLines = (text: string): string => text.replace(/\s*\n\s*/g, '\n');

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
