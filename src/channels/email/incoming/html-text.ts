/**
 * The HTML part of a mail as text, for mails without a text part. Quoted mails become lines that begin with `> `, so that they are told
 * from what the person wrote; signatures that are marked as such come behind the line `-- `. Nothing is loaded, run or kept of the markup.
 */
import { isBlank } from '../../../core/text.js';
import { anyElement, hasGround, hiddenMarks, isPale, visibilityOf } from './text/hiding-styles.js';
import { htmlTokens } from './text/html-tokens.js';

const blocks = new Set(
  'address article aside blockquote body center dd div dl dt fieldset footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table tr ul'.split(
    ' ',
  ),
);
/** Blocks with an empty line around them. */
const spaced = new Set('blockquote dl h1 h2 h3 h4 h5 h6 hr ol p pre table ul'.split(' '));
const empty = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '));

/** Elements that hold the mail that is answered, or the line above it. By class or id, as mail programs write them. */
const quotes = new Set([
  'gmail_quote',
  'gmail_attr',
  'moz-cite-prefix',
  'yahoo_quoted',
  'protonmail_quote',
  'zmail_extra',
  'ms-outlook-mobile-reference-message',
  'mail-editor-reference-message-container',
]);
/** Elements after which everything is the mail that is answered: Outlook's. */
const quoteStarts = new Set(['divRplyFwdMsg', 'appendonsend', 'x_divRplyFwdMsg', 'x_appendonsend']);
/**
 * The line above the header lines of Outlook for Windows. Its colours have changed with its releases; a line that somebody draws in Word has
 * another padding, or the colour of the text.
 */
const outlookLine =
  /border-top:(?:\d+(?:\.\d+)?p[tx])?solid(?:#e1e1e1|#b5c4df|rgb\(225,225,225\)|rgb\(181,196,223\))|border:none;border-top:solid(?!windowtext)[^;]*;padding:3(?:\.0)?pt0/;
/** A paragraph that somebody has indented in Gmail, which is no quote. */
const gmailIndent = /^margin:0(?:px)?0(?:px)?0(?:px)?40px;border:none;padding:0(?:px)?;?$/;
/** Elements whose text nobody sees, or that was struck out. */
const unread = new Set(['head', 'del', 's', 'strike']);
/** In place of a text that a style may hide: nobody is taken at words that may not have been seen, and none is left out in silence. */
const maybeHidden = '[hidden text]';
const signatures = new Set(['gmail_signature', 'moz-signature', 'Signature', 'ms-outlook-mobile-signature']);

interface OpenElement {
  readonly name: string;
  readonly isBlock: boolean;
  readonly isSpaced: boolean;
  readonly isHidden: boolean;
  /** A style may hide it. */
  readonly isDoubtful: boolean;
  /** Pale letters are seen in it. */
  readonly hasGround: boolean;
  /** A quoted mail. */
  isQuoted: boolean;
  /** Gmail's element around a quote and what is written between quotes: it is a quote only up to the end of the first one in it. */
  readonly isMixed: boolean;
}

export function htmlText(html: string): string {
  const text = new QuotedText();
  const open: OpenElement[] = [];
  const places = new Map<string, number[]>(); // in `open`, by name
  const quoted: number[] = []; // places in `open`
  let [hidden, doubtful, grounds, pre] = [0, 0, 0, 0];
  let isDoubtTold = false;
  let isRest = false; // only the quoted mail is left

  const close = (name: string) => {
    const place = places.get(name)?.at(-1);
    // An end tag that ends nothing in the innermost quote ends nothing at all: text of a quote must not pass for new text.
    if (place === undefined || place < (quoted.at(-1) ?? 0)) return;
    while (open.length > place) {
      const element = open.pop() as OpenElement; // longer than `place`
      places.get(element.name)?.pop();
      if (element.isHidden) hidden -= 1;
      if (element.isDoubtful) doubtful -= 1;
      if (element.hasGround) grounds -= 1;
      if (element.name === 'pre') pre -= 1;
      if (element.isBlock) text.breakLine(element.isSpaced);
      if (element.isQuoted) quoted.pop();
      const around = open[quoted.at(-1) ?? -1];
      if (element.name === 'blockquote' && element.isQuoted && around?.isMixed === true) {
        around.isQuoted = false;
        quoted.pop();
      }
      text.isQuoted = isRest || quoted.length > 0;
    }
  };

  const say = (words: string) => {
    if (hidden > 0) return;
    if (doubtful === 0 || isBlank(words)) text.add(words, pre > 0);
    else if (!isDoubtTold) text.add(maybeHidden, pre > 0);
    isDoubtTold = doubtful > 0 && (isDoubtTold || !isBlank(words));
  };

  const tokens = [...htmlTokens(html)];
  const marksHidden = hiddenMarks(
    tokens.flatMap((token) => (token.type === 'style' ? [token.sheet] : [])).join('\n'), // a sheet also holds for what stands above it
  );
  for (const token of tokens) {
    if (token.type === 'style') continue;
    if (token.type === 'close') {
      close(token.name);
      continue;
    }
    if (token.type === 'text') {
      say(token.text);
      continue;
    }
    const { name, attributes } = token;
    if (name === 'body') close('head');
    if (name === open.at(-1)?.name && (name === 'p' || name === 'li')) close(name); // their end tags may be left out
    const marks = [...(attributes.get('class') ?? '').slice(0, 500).split(/\s+/), attributes.get('id') ?? ''];
    const style = (attributes.get('style') ?? '').slice(0, 2_000);
    const compact = style.replace(/\s+/g, '').toLowerCase();
    if (marks.some((mark) => quoteStarts.has(mark)) || outlookLine.test(compact)) {
      text.breakLine(false);
      isRest = true;
    }
    const isIndent = gmailIndent.test(compact) && ['class', 'type', 'cite'].every((each) => !attributes.has(each));
    const isQuoted = (name === 'blockquote' && !isIndent) || marks.some((mark) => quotes.has(mark));
    const isBlock = isQuoted || blocks.has(name);
    const isSpaced = spaced.has(name) && !marks.includes('MsoNormal');
    if (isBlock) text.breakLine(isSpaced);
    if (name === 'br') text.newLine();
    if (name === 'td' || name === 'th') text.add(' ', false);
    if (name === 'img') say(pictograph(attributes.get('alt') ?? ''));
    if (!empty.has(name)) {
      const visibility = visibilityOf(style);
      const isHidden = unread.has(name) || attributes.has('hidden') || visibility === 'hidden';
      const isOnGround = hasGround(style, attributes.get('bgcolor'));
      if (isOnGround) grounds += 1;
      const isDoubtful =
        visibility === 'doubtful' ||
        (grounds === 0 && isPale(style, attributes.get('color'))) ||
        [anyElement, `tag:${name}`, ...marks].some((mark) => marksHidden.has(mark));
      if (isQuoted) quoted.push(open.length);
      if (isHidden) hidden += 1;
      if (isDoubtful) doubtful += 1;
      if (name === 'pre') pre += 1;
      const own = places.get(name) ?? [];
      places.set(name, own);
      own.push(open.length);
      const isMixed = name !== 'blockquote' && marks.includes('gmail_quote');
      open.push({ name, isBlock, isSpaced, isHidden, isDoubtful, hasGround: isOnGround, isQuoted, isMixed });
    }
    text.isQuoted = isRest || quoted.length > 0;
    if (marks.some((mark) => signatures.has(mark))) text.delimiter();
    if (name === 'li') text.add('- ', false);
  }
  return text.whole();
}

/** Mail programs write some emoji as images. Another image says nothing. */
function pictograph(alternative: string): string {
  return alternative.length <= 16 && /^\p{Extended_Pictographic}/u.test(alternative) ? alternative : '';
}

/** Lines that grow: white space is collapsed as a browser does, and a line begins with `> ` while quoted. */
class QuotedText {
  isQuoted = false;
  readonly #lines: string[] = [];
  #parts: string[] = [];
  #isLineQuoted = false;
  #endsWithSpace = true;
  #hasText = false;

  add(text: string, isKept: boolean): void {
    if (isKept) {
      const [first = '', ...more] = text.split(/\r\n?|\n/);
      this.#push(first);
      for (const line of more) {
        this.newLine();
        this.#push(line);
      }
      return;
    }
    let collapsed = text.replace(/[ \t\r\n\f]+/g, ' ');
    if (this.#endsWithSpace && collapsed.startsWith(' ')) collapsed = collapsed.slice(1);
    this.#push(collapsed);
    if (collapsed !== '') this.#endsWithSpace = collapsed.endsWith(' ');
  }

  #push(text: string): void {
    if (text === '') return;
    if (!this.#hasText) this.#isLineQuoted = this.isQuoted;
    this.#hasText = true;
    this.#parts.push(text);
  }

  newLine(): void {
    const line = this.#parts.join('').replaceAll('\u00a0', ' ').trimEnd();
    const isQuoted = this.#hasText ? this.#isLineQuoted : this.isQuoted;
    this.#lines.push(isQuoted ? `> ${line}`.trimEnd() : line);
    this.#parts = [];
    this.#hasText = false;
    this.#endsWithSpace = true;
  }

  /** A block begins or ends: at most one line break, or one empty line. */
  breakLine(isSpaced: boolean): void {
    if (this.#hasText) this.newLine();
    if (isSpaced && this.#lines.length > 0 && !/^>?$/.test(this.#lines.at(-1) as string)) this.newLine();
  }

  /** The line between a text and its signature. */
  delimiter(): void {
    this.breakLine(false);
    this.#lines.push(this.isQuoted ? '> -- ' : '-- ');
  }

  whole(): string {
    if (this.#hasText) this.newLine();
    return this.#lines.join('\n').trim();
  }
}
