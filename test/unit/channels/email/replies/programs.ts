// Replies to one sent mail as today's mail programs write them. The sent mail is of Tue, 17 Nov 2026 09:12 (+0100), to
// Anna Smith. A body with '8bit' is a string of characters: write it as UTF-8 (only Thunderbird's utf-8 parts have it).
import { Buffer } from 'node:buffer';

export interface SentMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly from: { readonly name: string; readonly address: string };
}
export interface Typed {
  readonly above?: readonly string[];
  readonly below?: readonly string[];
  /** Behind the n-th non-empty line of the quoted text (a table row or a list item is one line). */
  readonly inline?: readonly { readonly afterLine: number; readonly lines: readonly string[] }[];
  /** Set up in the program, which adds it in its own way and at its own place. */
  readonly signature?: readonly string[];
  /** Adds the program's "Sent from my iPhone" line; no effect in a program that has none. */
  readonly device?: boolean;
}
export interface MailBody {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
export type Language = 'en' | 'de' | 'fr' | 'es';
export type ProgramName = keyof typeof programs;
type Program = (typed: Typed, sent: SentMail, language: Language) => MailBody;
type Lines = readonly string[];
type Words = Readonly<Record<Language, string>>;

const me = { name: 'Anna Smith', address: 'anna@example.com' };

// --- MIME ------------------------------------------------------------------------------------------------------------

type Charset = 'us-ascii' | 'iso-8859-1' | 'utf-8';
type Transfer = '7bit' | '8bit' | 'quoted-printable' | 'base64';

/** The smallest charset that holds the text, as Outlook and mutt choose it. */
function charsetOf(text: string): Charset {
  const last = Math.max(0, ...[...text].map((character) => character.codePointAt(0) ?? 0));
  if (last < 0x80) return 'us-ascii';
  return last < 0x100 ? 'iso-8859-1' : 'utf-8';
}

function transferOf(charset: string, other: Transfer = 'quoted-printable'): Transfer {
  return charset === 'us-ascii' ? '7bit' : other;
}

function bytesOf(text: string, charset: string): Buffer {
  return Buffer.from(text, charset.toLowerCase() === 'utf-8' ? 'utf8' : 'latin1');
}

function quotedPrintable(text: string, charset: string): string {
  return text
    .split('\n')
    .map((line) => {
      const bytes = [...bytesOf(line, charset)];
      const units = bytes.map((byte, index) => {
        const blank = byte === 0x20 || byte === 0x09;
        const plain = blank ? index < bytes.length - 1 : byte > 0x20 && byte < 0x7f && byte !== 0x3d;
        return plain ? String.fromCharCode(byte) : `=${byte.toString(16).toUpperCase().padStart(2, '0')}`;
      });
      const rows: string[] = [];
      let row = '';
      units.forEach((unit, index) => {
        if (row.length + unit.length > (index === units.length - 1 ? 76 : 75)) {
          rows.push(`${row}=`);
          row = '';
        }
        row += unit;
      });
      return [...rows, row].join('\n');
    })
    .join('\n');
}

/** One part: `type` with `{charset}` filled in, the text encoded as `transfer` says. */
function part(type: string, text: string, charset: string, transfer: Transfer): MailBody {
  const all = text.endsWith('\n') ? text : `${text}\n`;
  const encoded =
    transfer === 'quoted-printable'
      ? quotedPrintable(all, charset)
      : transfer === 'base64'
        ? `${
            bytesOf(all.replaceAll('\n', '\r\n'), charset)
              .toString('base64')
              .match(/.{1,76}/g)
              ?.join('\n') ?? ''
          }\n`
        : all;
  const headers = { 'Content-Type': type.replace('{charset}', charset), 'Content-Transfer-Encoding': transfer };
  return { headers, body: encoded };
}

function withHeaders(mail: MailBody, more: Readonly<Record<string, string>>): MailBody {
  return { headers: { ...mail.headers, ...more }, body: mail.body };
}

function alternative(boundary: string, parts: readonly MailBody[], type = `boundary="${boundary}"`): MailBody {
  const texts = parts.map(({ headers, body }) => {
    const head = Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}\n`)
      .join('');
    return `--${boundary}\n${head}\n${body}\n`;
  });
  return { headers: { 'Content-Type': `multipart/alternative; ${type}` }, body: `${texts.join('')}--${boundary}--\n` };
}

// --- HTML ------------------------------------------------------------------------------------------------------------

interface Token {
  readonly kind: 'open' | 'close' | 'void' | 'text';
  readonly name: string;
  readonly raw: string;
}

/** Blocks with an empty line around them, and all blocks. */
const spaced = new Set(['p', 'ul', 'ol', 'table', 'blockquote', 'h1', 'h2', 'h3', 'h4']);
const blocks = new Set([...spaced, 'div', 'li', 'tr', 'hr']);

function tokensOf(html: string): Token[] {
  const found = html.matchAll(/<!--[\s\S]*?-->|<(\/?)([a-z][a-z0-9:]*)\b[^>]*>|<![^>]*>|[^<]+/gi);
  return [...found].map(([raw, slash, tag]) => {
    const name = (tag ?? '').toLowerCase();
    if (name === '') return { kind: raw.startsWith('<') ? 'void' : 'text', name, raw };
    if (/^(?:br|hr|img|meta|link|input)$/.test(name)) return { kind: 'void', name, raw };
    return { kind: slash === '/' ? 'close' : 'open', name, raw };
  });
}

function escaped(text: string): string {
  const safe = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return safe.replaceAll('\u00a0', '&nbsp;').replace(/ {2}/g, '&nbsp; ').replace(/^ /, '&nbsp;');
}

function unescaped(text: string): string {
  const plain = text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&#39;', "'");
  return plain.replaceAll('&nbsp;', '\u00a0').replaceAll('&amp;', '&');
}

const divs = (lines: Lines = [], attributes = ''): string =>
  lines.map((line) => `<div${attributes}>${line === '' ? '<br>' : escaped(line)}</div>`).join('');

/** As editors that begin in a bare text node: the first line stands alone, each further one has its div. */
const bare = (lines: Lines = []): string => escaped(lines[0] ?? '') + divs(lines.slice(1));

/** The sent mail's HTML: what stands in its body, the body's style and what is in its head. */
function original(sent: SentMail): { inner: string; style: string; head: string } {
  const body = /<body([^>]*)>([\s\S]*)<\/body>/i.exec(sent.html);
  const head = /<head[^>]*>([\s\S]*)<\/head>/i.exec(sent.html)?.[1]?.trim() ?? '';
  const style = /style="([^"]*)"/.exec(body?.[1] ?? '')?.[1] ?? '';
  return { inner: (body?.[2] ?? sent.html).trim(), style, head };
}

/** Links the bare addresses in the text, as the programs do that find them when they show a mail. */
function linked(html: string, attributes: string): string {
  let inside = false;
  return tokensOf(html)
    .map((token) => {
      if (token.name === 'a') inside = token.kind === 'open';
      if (token.kind !== 'text' || inside) return token.raw;
      return token.raw.replace(/https?:\/\/\S+/g, (url) => `<a ${attributes} href="${url}">${url}</a>`);
    })
    .join('');
}

/**
 * Puts the inline answers into the quoted HTML. With `quote` each answer ends the quote and all elements open in it and
 * begins them again behind the answer; without it the answer stands in the quote itself, behind the block.
 */
function interleave(
  html: string,
  typed: Typed,
  render: (lines: Lines) => string,
  quote?: { readonly open: string; readonly close: string },
): string {
  const stack: Token[] = [];
  let out = '';
  let line = 0;
  let seen = false;
  let waiting = '';
  const close = (from: number): string =>
    stack
      .slice(from)
      .reverse()
      .map(({ name }) => `</${name}>`)
      .join('');
  const open = (from: number): string =>
    stack
      .slice(from)
      .map(({ raw }) => raw)
      .join('');
  const within = (name: string): boolean => stack.some((token) => token.name === name);
  const flush = (): void => {
    if (waiting === '' || (quote === undefined && within('table'))) return;
    const from = quote === undefined ? stack.map(({ name }) => name).lastIndexOf('div') + 1 : 0;
    out += close(from) + (quote?.close ?? '') + waiting + (quote?.open ?? '') + open(from);
    waiting = '';
  };
  const end = (): void => {
    if (!seen) return;
    seen = false;
    line += 1;
    for (const answer of typed.inline ?? []) if (answer.afterLine === line) waiting += render(answer.lines);
    flush();
  };
  for (const token of tokensOf(html)) {
    if (token.kind === 'open' && blocks.has(token.name) && !within('tr')) end();
    if (token.kind === 'open') stack.push(token);
    if (token.kind === 'close') stack.pop();
    if (token.kind === 'text' && token.raw.trim() !== '') seen = true;
    out += token.raw;
    if ((token.kind === 'close' && blocks.has(token.name)) || token.name === 'br') if (!within('tr')) end();
    if (token.kind === 'close' && token.name === 'table') flush();
  }
  end();
  for (const answer of typed.inline ?? []) if (answer.afterLine > line) waiting += render(answer.lines);
  return waiting === '' ? out : out + (quote?.close ?? '') + waiting + (quote?.open ?? '');
}

// --- Text made from HTML ---------------------------------------------------------------------------------------------

interface TextStyle {
  readonly bullet: string;
  readonly link: (text: string, target: string) => string;
  /** In front of a quoted line, and for an empty one; '' where the program does not mark the quote. */
  readonly quote: string;
  readonly empty: string;
  readonly cell: string;
  readonly wrap?: number;
  /** Word's paragraphs have no empty line between them. */
  readonly tight?: boolean;
}

const unlessSame =
  (render: (text: string, target: string) => string) =>
  (text: string, target: string): string =>
    target === text || target === `mailto:${text}` ? text : render(text, target);
const angled = unlessSame((text, target) => `${text} <${target}>`);

const gmailText: TextStyle = { bullet: '   - ', link: angled, quote: '> ', empty: '>', cell: ' ', wrap: 78 };
const appleStyle: TextStyle = { bullet: '\t• ', link: angled, quote: '> ', empty: '> ', cell: '\t' };
const mozText: TextStyle = { bullet: '  * ', link: angled, quote: '> ', empty: '>', cell: '\t' };
const wordStyle: TextStyle = {
  bullet: '*\t',
  link: unlessSame((text, target) => `${text} <${target}> `),
  quote: '',
  empty: '',
  cell: '\t',
};
const joinedLink = unlessSame((text, target) => `${text}<${target}>`);
const exchangeText: TextStyle = { bullet: '  *   ', link: joinedLink, quote: '', empty: '', cell: '\t', tight: true };
const yahooText: TextStyle = { bullet: '   - ', link: (text) => text, quote: '', empty: '', cell: ' ' };
const protonText: TextStyle = {
  bullet: '-   ',
  link: unlessSame((text, target) => `[${text}](${target})`),
  quote: '> ',
  empty: '> ',
  cell: ' ',
};

/** Breaks a line at blanks, and as Gmail behind the '<' of an address. */
function wrapped(line: string, width: number): string[] {
  const rows: string[] = [];
  let row = '';
  for (const piece of line.split(/(?<= )(?=\S)|(?<=<)(?=[^\s<>]+@)/)) {
    if (row.trim() !== '' && row.length + piece.trimEnd().length > width) {
      rows.push(row.trimEnd());
      row = '';
    }
    row += piece;
  }
  return [...rows, row];
}

function textOf(html: string, style: TextStyle): string {
  const lines: { depth: number; text: string }[] = [];
  const links: { at: number; target: string }[] = [];
  let [text, bullet, depth, gap, row, skipped, loose] = ['', '', 0, false, false, false, true];
  const push = (line: string, at: number): void => {
    const last = lines.at(-1);
    if (gap && last !== undefined && last.text !== '') lines.push({ depth: Math.min(at, last.depth), text: '' });
    gap = false;
    lines.push({ depth: at, text: line });
  };
  const flush = (): void => {
    const line = text === '-- ' ? text : text.replace(/^[ \t\n]+|[ \t\n]+$/g, '');
    if (line !== '') push(bullet + line, depth);
    if (line !== '') bullet = '';
    text = '';
  };
  for (const { kind, name, raw } of tokensOf(html)) {
    if (name === 'title' || name === 'style') skipped = kind === 'open';
    else if (skipped) continue;
    else if (kind === 'text') text += unescaped(raw.replace(/[ \t\n]+/g, ' ').replace(/^ $/, text === '' ? '' : ' '));
    else if (name === 'a' && kind === 'open') {
      links.push({ at: text.length, target: unescaped(/href="([^"]*)"/.exec(raw)?.[1] ?? '') });
    } else if (name === 'a') {
      const { at, target } = links.pop() ?? { at: text.length, target: '' };
      const label = text.slice(at);
      if (label !== '' && target !== '') text = text.slice(0, at) + style.link(label, target);
    } else if ((name === 'td' || name === 'th') && kind === 'close') text = `${text.trimEnd()}${style.cell}`;
    else if (name === 'br' && !row) {
      if (text.trim() === '' && bullet === '') lines.push({ depth, text: '' });
      else flush();
    } else if (name === 'hr') {
      flush();
      push('_'.repeat(32), depth);
    } else if (blocks.has(name) && (!row || name === 'tr')) {
      flush();
      if (name === 'p' && kind === 'open') loose = style.tight !== true || !raw.includes('MsoNormal');
      gap ||= spaced.has(name) && (name !== 'p' || loose);
      if (name === 'tr') row = kind === 'open';
      if (name === 'li') bullet = kind === 'open' ? style.bullet : '';
      if (name === 'blockquote') depth += kind === 'open' ? 1 : -1;
    }
  }
  flush();
  const rows = lines.flatMap(({ depth: at, text: line }) => {
    if (at === 0 || style.quote === '') return wrapped(line, style.wrap ?? Infinity);
    if (line === '') return [style.quote.repeat(at - 1) + style.empty];
    const prefix = style.quote.repeat(at);
    return wrapped(line, (style.wrap ?? Infinity) - prefix.length).map((each) => prefix + each);
  });
  return rows.join('\n').replace(/^\n+/, '').replace(/\n+$/, '');
}

/** The sent text part as a plain text editor quotes it, with the answers between the quoted lines. */
function quotedText(text: string, typed: Typed, quote: string, empty: string): string[] {
  let line = 0;
  const answers = (from: number, to: number): Lines =>
    (typed.inline ?? []).flatMap(({ afterLine, lines }) => {
      if (afterLine < from || afterLine > to) return [];
      return quote === '' ? lines : ['', ...lines, ''];
    });
  const quoted = text
    .trimEnd()
    .split('\n')
    .flatMap((each) => {
      if (each.trim() === '') return [empty];
      line += 1;
      return [quote + each, ...answers(line, line)];
    });
  return [...quoted, ...answers(line + 1, Infinity)];
}

// --- The words of the programs ---------------------------------------------------------------------------------------

/** {n} the sender's name, {a} the address. */
const attributions = {
  gmailWeb: {
    en: 'On Tue, Nov 17, 2026 at 9:12\u202fAM {n} <{a}> wrote:',
    de: 'Am Di., 17. Nov. 2026 um 09:12\u00a0Uhr schrieb {n} <{a}>:',
    fr: 'Le mar. 17 nov. 2026 à 09:12, {n} <{a}> a écrit\u00a0:',
    es: 'El mar, 17 nov 2026 a las 9:12, {n} (<{a}>) escribió:',
  },
  gmailPhone: {
    en: 'On Tue, Nov 17, 2026, 9:12\u202fAM {n} <{a}> wrote:',
    de: '{n} <{a}> schrieb am Di., 17. Nov. 2026, 09:12:',
    fr: 'Le mar. 17 nov. 2026, 09:12, {n} <{a}> a écrit\u00a0:',
    es: 'El mar, 17 nov 2026, 9:12, {n} <{a}> escribió:',
  },
  appleMac: {
    en: 'On Nov 17, 2026, at 9:12\u202fAM, {n} <{a}> wrote:',
    de: 'Am 17.11.2026 um 09:12 schrieb {n} <{a}>:',
    fr: 'Le 17 nov. 2026 à 09:12, {n} <{a}> a écrit\u00a0:',
    es: 'El 17 nov 2026, a las 9:12, {n} <{a}> escribió:',
  },
  thunderbird: {
    en: 'On 11/17/26 9:12 AM, {n} wrote:',
    de: 'Am 17.11.26 um 09:12 schrieb {n}:',
    fr: 'Le 17/11/2026 à 09:12, {n} a écrit\u00a0:',
    es: 'El 17/11/26 a las 9:12, {n} escribió:',
  },
  k9: {
    en: 'On November 17, 2026 9:12:00 AM GMT+01:00, {n} <{a}> wrote:',
    de: 'Am 17. November 2026 09:12:00 MEZ schrieb {n} <{a}>:',
    fr: 'Le 17 novembre 2026 09:12:00 GMT+01:00, {n} <{a}> a écrit\u00a0:',
    es: 'El 17 de noviembre de 2026 9:12:00 CET, {n} <{a}> escribió:',
  },
  yahoo: {
    en: 'On Tuesday, November 17, 2026 at 09:12:00 AM GMT+1, {n} <{a}> wrote:',
    de: 'Am Dienstag, 17. November 2026 um 09:12:00 MEZ hat {n} <{a}> Folgendes geschrieben:',
    fr: 'Le mardi 17 novembre 2026 à 09:12:00 UTC+1, {n} <{a}> a écrit\u00a0:',
    es: 'En martes, 17 de noviembre de 2026, 09:12:00 CET, {n} <{a}> escribió:',
  },
  proton: {
    en: 'On Tuesday, November 17th, 2026 at 9:12 AM, {n} <{a}> wrote:',
    de: 'Am Dienstag, 17. November 2026 um 09:12, {n} <{a}> schrieb:',
    fr: 'Le mardi 17 novembre 2026 à 09:12, {n} <{a}> a écrit\u00a0:',
    es: 'El martes, 17 de noviembre de 2026 a las 9:12, {n} <{a}> escribió:',
  },
  mutt: {
    en: 'On Tue, Nov 17, 2026 at 09:12:00AM +0100, {n} wrote:',
    de: 'Am Tue, Nov 17, 2026 at 09:12:00AM +0100 schrieb {n}:',
    fr: 'Le Tue, Nov 17, 2026 at 09:12:00AM +0100, {n} a écrit :',
    es: 'El Tue, Nov 17, 2026 at 09:12:00AM +0100, {n} escribió:',
  },
} satisfies Record<string, Words>;

function attribution(program: keyof typeof attributions, language: Language, sent: SentMail): string {
  return attributions[program][language].replace('{n}', sent.from.name).replace('{a}', sent.from.address);
}

type BlockStyle = keyof typeof blockWords;
const words = (en: string, de: string, fr: string, es: string): Words => ({ en, de, fr, es });

/** The header block in front of the quote: the names of its lines, then the date. */
const blockWords = {
  outlook: words(
    'From:|Sent:|To:|Subject:|Tuesday, November 17, 2026 9:12 AM',
    'Von:|Gesendet:|An:|Betreff:|Dienstag, 17. November 2026 09:12',
    'De\u00a0:|Envoyé\u00a0:|À\u00a0:|Objet\u00a0:|mardi 17 novembre 2026 09:12',
    'De:|Enviado el:|Para:|Asunto:|martes, 17 de noviembre de 2026 9:12',
  ),
  mac: words(
    'From:|Date:|To:|Subject:|Tuesday, November 17, 2026 at 9:12 AM',
    'Von:|Datum:|An:|Betreff:|Dienstag, 17. November 2026 um 09:12',
    'De\u00a0:|Date\u00a0:|À\u00a0:|Objet\u00a0:|mardi, 17 novembre 2026 à 09:12',
    'De:|Fecha:|Para:|Asunto:|martes, 17 de noviembre de 2026, 9:12',
  ),
  gmx: words(
    'From:|Sent:|To:|Subject:|Tuesday, November 17, 2026 at 9:12 AM',
    'Von:|Gesendet:|An:|Betreff:|Dienstag, 17. November 2026 um 09:12 Uhr',
    'De:|Envoyé:|À:|Objet:|mardi 17 novembre 2026 à 09:12',
    'De:|Enviado:|Para:|Asunto:|martes, 17 de noviembre de 2026 a las 9:12',
  ),
};

/** The lines of the block, each as its name and its text. */
function headerBlock(style: BlockStyle, language: Language, { from, subject }: SentMail): [string, string][] {
  const [of = '', sent = '', to = '', about = '', date = ''] = blockWords[style][language].split('|');
  const sender = `<${from.address}>`;
  if (style === 'gmx')
    return [
      [sent, date],
      [of, `"${from.name}" ${sender}`],
      [to, me.address],
      [about, subject],
    ];
  return [
    [of, `${from.name} ${sender}`],
    [sent, date],
    [to, `${me.name} <${me.address}>`],
    [about, subject],
  ];
}

/** The lines of `Typed.device`; what stands in braces is a link. */
const devices = {
  iphone: words('Sent from my iPhone', 'Von meinem iPhone gesendet', 'Envoyé de mon iPhone', 'Enviado desde mi iPhone'),
  gmail: words(
    'Sent from Gmail Mobile',
    'Von Gmail Mobile gesendet',
    'Envoyé depuis Gmail Mobile',
    'Enviado desde Gmail Mobile',
  ),
  outlook: words(
    'Get {Outlook for iOS}',
    'Holen Sie sich {Outlook für iOS}',
    'Télécharger {Outlook pour iOS}',
    'Obtener {Outlook para iOS}',
  ),
  k9: words(
    'Sent from my Android device with K-9 Mail. Please excuse my brevity.',
    'Diese Nachricht wurde von meinem Android-Gerät mit K-9 Mail gesendet.',
    'Envoyé de mon appareil Android avec Courriel K-9 Mail. Veuillez excuser ma brièveté.',
    'Enviado desde mi dispositivo Android con K-9 Mail. Por favor, disculpa mi brevedad.',
  ),
  proton: words(
    'Sent with {Proton Mail} secure email.',
    'Gesendet mit {Proton Mail} sicherer E-Mail.',
    'Envoyé avec la messagerie sécurisée {Proton Mail}.',
    'Enviado con el correo electrónico seguro de {Proton Mail}.',
  ),
};
const oldRules = words('Original Message', 'Ursprüngliche Nachricht', "Message d'origine", 'Mensaje original');

// --- What several programs share -------------------------------------------------------------------------------------

const localeOf = (language: Language): string => (language === 'en' ? 'en-US' : language);
const gap = '<div><br></div>';
const anchor = (text: string, target: string, more = ''): string =>
  text.replace(/\{(.*)\}/, `<a href="${target}"${more}>$1</a>`);

/** Gmail: the sent mail's body is a div now, its head is gone, bare addresses are links. */
function gmailQuote(typed: Typed, sent: SentMail, intro: string, border: string, auto: string): string {
  const { inner, style } = original(sent);
  const { address } = sent.from;
  const quote = { open: `<blockquote class="gmail_quote" style="${border}">`, close: '</blockquote>' };
  const answer = (lines: Lines): string => `${divs(lines, auto)}<div${auto}><br></div>`;
  const body = interleave(`<div style="${style}">${linked(inner, 'target="_blank"')}</div>`, typed, answer, quote);
  const line = escaped(intro).replace(address, `<a href="mailto:${address}">${address}</a>`);
  return (
    `<div class="gmail_quote gmail_quote_container"><div dir="ltr" class="gmail_attr">${line}<br></div>` +
    `${quote.open}<u></u>\n\n\n\n${body}\n\n${quote.close}</div>`
  );
}

function gmailMail(html: string): MailBody {
  return alternative('0000000000004b1c5e064f1a2b3c', [
    part('text/plain; charset="UTF-8"', textOf(html, gmailText), 'utf-8', 'quoted-printable'),
    part('text/html; charset="UTF-8"', html, 'utf-8', 'quoted-printable'),
  ]);
}

/** Word's HTML: each line is a paragraph. */
const word = (lines: Lines = []): string =>
  lines
    .map((line) => `<p class=MsoNormal>${line === '' ? '<o:p>&nbsp;</o:p>' : `${escaped(line)}<o:p></o:p>`}</p>\n`)
    .join('');

const wordHead = `<meta name=Generator content="Microsoft Word 15 (filtered medium)"><style><!--
/* Style Definitions */
p.MsoNormal, li.MsoNormal, div.MsoNormal
\t{margin:0in;
\tfont-size:11.0pt;
\tfont-family:"Calibri",sans-serif;}
div.WordSection1
\t{page:WordSection1;}
--></style>`;
const wordSpaces =
  'xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" ' +
  'xmlns:w="urn:schemas-microsoft-com:office:word" xmlns:m="http://schemas.microsoft.com/office/2004/12/omml" ' +
  'xmlns="http://www.w3.org/TR/REC-html40"';
const wordAgent = 'Microsoft Outlook 16.0';
const wordRule = (color: string): string =>
  `<div style='border:none;border-top:solid ${color} 1.0pt;padding:3.0pt 0in 0in 0in'><p class=MsoNormal>`;

/** Exchange writes all attributes in double quotes. */
const quotedAttributes = (html: string): string =>
  html.replace(/<[a-z][^>]*>/g, (tag) =>
    tag
      .replace(/'([^']*)'/g, (_, value: string) => `"${value.replaceAll('"', '&quot;')}"`)
      .replace(/=([\w-]+)(?=[ >])/g, '="$1"'),
  );

/** The sent mail as Word has it once it was opened to be answered. */
function wordQuote(sent: SentMail): string {
  return original(sent)
    .inner.replace(/ dir="auto"| scope="row"/g, '')
    .replace(/style="([^"]*)"/g, (_, css: string) => `style='${css.replaceAll("'", '"')}'`)
    .replace(/<table/g, '<table class=MsoNormalTable border=0 cellspacing=0 cellpadding=0')
    .replace(/<ul/g, '<ul type=disc')
    .replace(/<li/g, '<li class=MsoNormal')
    .replace(/<\/(p|li)>/g, '<o:p></o:p></$1>')
    .replace(/<t[hd]\b([^>]*)>(.*?)<\/t[hd]>/g, '<td$1><p class=MsoNormal>$2<o:p></o:p></p></td>');
}

function wordHtml(typed: Typed, sent: SentMail, language: Language, charset: string): string {
  const block = headerBlock('outlook', language, sent).map(([name, value]) => `<b>${name}</b> ${escaped(value)}`);
  const signature = typed.signature ? word(['', ...typed.signature]) : '';
  return (
    `<html ${wordSpaces}><head><meta http-equiv=Content-Type content="text/html; charset=${charset}">` +
    `${wordHead}</head><body lang=${localeOf(language).toUpperCase()} link="#0563C1" vlink="#954F72" ` +
    `style='word-wrap:break-word'><div class=WordSection1>\n${word(typed.above)}${signature}${word([''])}` +
    `<div>${wordRule('#E1E1E1')}${block.join('<br>')}<o:p></o:p></p></div></div>\n${word([''])}` +
    `<div>${interleave(wordQuote(sent), typed, word)}</div>\n${word(typed.below)}</div></body></html>`
  );
}

/** As Exchange sends what its own editors wrote: the smallest charset, base64 where that is UTF-8. */
function exchangeMail(html: string, language: Language): MailBody {
  const lines = textOf(html, exchangeText).replaceAll('\u00a0', ' ').replace(/^ +$/gm, '');
  const text = lines.replace(/\n{3,}/g, '\n\n').replace(/^\n+/, '');
  const charset = charsetOf(text + html);
  const transfer = charset === 'utf-8' ? 'base64' : 'quoted-printable';
  const head = `<meta http-equiv="Content-Type" content="text/html; charset=${charset}">`;
  const mail = alternative('_000_AM0PR01MB4321A1B2C3D4E5F6A7B8C9D0AM0PR01MB4321eurp_', [
    part('text/plain; charset="{charset}"', text, charset, transfer),
    part('text/html; charset="{charset}"', html.replace('<head>', `<head>\n${head}`), charset, transfer),
  ]);
  return withHeaders(mail, { 'Content-Language': localeOf(language) });
}

const exchangeHead =
  '<html><head>\n<style type="text/css" style="display:none;"> P {margin-top:0;margin-bottom:0;} ' +
  '</style>\n</head>\n<body dir="ltr">\n';
const outlookFont =
  'font-family: Aptos, Aptos_EmbeddedFont, Aptos_MSFontService, Calibri, Helvetica, sans-serif; ' +
  'font-size: 12pt; color: rgb(0, 0, 0);';
const replyBlock = (language: Language, sent: SentMail): string =>
  headerBlock('outlook', language, sent)
    .map(([name, value]) => `<b>${name.replace('Enviado el', 'Enviado')}</b> ${escaped(value)}`)
    .join('<br>\n');
function outlookQuote(typed: Typed, sent: SentMail, attributes: string): string {
  const { inner, style } = original(sent);
  return `<div style="${style}">\n${interleave(inner, typed, (lines) => divs(lines, attributes))}\n</div>\n`;
}

/** Apple Mail and Thunderbird: the quote keeps what was in the sent mail's head. */
function citedQuote(typed: Typed, sent: SentMail, open: string, close: string, render = appleAnswer): string {
  const { inner, style, head } = original(sent);
  return `${head}${interleave(`<div style="${style}">${inner}</div>`, typed, render, { open, close })}`;
}
function appleAnswer(lines: Lines): string {
  return `${gap}${divs(lines)}${gap}`;
}

const macAgent = 'Apple Mail (2.3826.400.131.1.6)';
const appleHead = '<html><head><meta http-equiv="content-type" content="text/html; charset={charset}"></head>';
function appleText(text: string, charset: Charset): MailBody {
  const short = charset === 'us-ascii' && text.split('\n').every((line) => line.length <= 76);
  return part('text/plain; charset={charset}', text, charset, short ? '7bit' : 'quoted-printable');
}

function appleMail(html: string, agent: string): MailBody {
  const text = textOf(html, appleStyle);
  const charset = charsetOf(text + html) === 'us-ascii' ? 'us-ascii' : 'utf-8';
  const full = html.replace('{charset}', charset);
  const parts = [appleText(text, charset), part('text/html; charset={charset}', full, charset, 'quoted-printable')];
  return withHeaders(alternative('Apple-Mail-5C7C4CD3-3689-4EC2-8E68-B5A7323882A2', parts), { 'X-Mailer': agent });
}

/** The lines a person typed, as format=flowed has them; the line of the dashes is fixed. */
function flowed(lines: Lines = []): string[] {
  return lines.flatMap((line) => {
    const rows = wrapped(line.trimEnd(), 72);
    const soft = rows.map((row, index) => (index < rows.length - 1 ? `${row} ` : row));
    return soft.map((row) => (/^(?: |>|From )/.test(row) ? ` ${row}` : row));
  });
}

const dashed = (signature: Lines | undefined): Lines => (signature ? ['-- ', ...signature] : []);
/** The pieces with an empty line between them; a piece without lines is left out. */
const joined = (...pieces: readonly (Lines | undefined)[]): string =>
  pieces
    .filter((piece) => piece && piece.length > 0)
    .map((piece) => piece?.join('\n'))
    .join('\n\n');

// --- The programs ----------------------------------------------------------------------------------------------------

export const programs = {
  gmailWeb(typed, sent, language) {
    const border = 'margin:0px 0px 0px 0.8ex;border-left:1px solid rgb(204,204,204);padding-left:1ex';
    const above = typed.above ? `<div dir="ltr">${bare(typed.above)}</div><br>` : '';
    const signature = typed.signature
      ? '<div><br clear="all"></div><br><span class="gmail_signature_prefix">-- </span><br>' +
        `<div dir="ltr" class="gmail_signature"><div dir="ltr">${bare(typed.signature)}</div></div>`
      : '';
    const quote = gmailQuote(typed, sent, attribution('gmailWeb', language, sent), border, '');
    const rest = (typed.below ? `${gap}${divs(typed.below)}` : '') + signature;
    return gmailMail(rest === '' && above !== '' ? above + quote : `<div dir="ltr">${above}${quote}${rest}</div>`);
  },

  gmailPhone(typed, sent, language) {
    const border = 'margin:0 0 0 .8ex;border-left:1px #ccc solid;padding-left:1ex';
    const auto = ' dir="auto"';
    const ending = [...(typed.signature ?? []), ...(typed.device ? [devices.gmail[language]] : [])];
    const signature =
      ending.length > 0
        ? `<br><br><div data-smartmail="gmail_signature"${auto}>${ending.map(escaped).join('<br>')}</div>`
        : '';
    const above = typed.above || signature ? `<div${auto}>${bare(typed.above)}${signature}</div><br>` : '';
    const quote = gmailQuote(typed, sent, attribution('gmailPhone', language, sent), border, auto);
    return gmailMail(above + quote + (typed.below ? `<div${auto}><br></div>${divs(typed.below, auto)}` : ''));
  },

  outlookClassic(typed, sent, language) {
    const text = textOf(wordHtml(typed, sent, language, ''), wordStyle).replaceAll('\u00a0', ' ');
    const charset = charsetOf(text + wordHtml(typed, sent, language, ''));
    const html = wordHtml(typed, sent, language, charset);
    const mail = alternative('----=_NextPart_000_0012_01DD5601.A1B2C3D0', [
      part('text/plain; charset="{charset}"', text, charset, transferOf(charset)),
      part('text/html; charset="{charset}"', html, charset, 'quoted-printable'),
    ]);
    return withHeaders(mail, { 'X-Mailer': wordAgent, 'Content-Language': localeOf(language) });
  },

  outlookClassicHtml(typed, sent, language) {
    const html = wordHtml(typed, sent, language, 'utf-8');
    return withHeaders(part('text/html; charset="{charset}"', html, 'utf-8', 'base64'), { 'X-Mailer': wordAgent });
  },

  outlookWeb(typed, sent, language) {
    const proof = ` class="elementToProof" style="${outlookFont}"`;
    const signature = typed.signature
      ? `<div${proof}><br></div>\n<div class="elementToProof" id="Signature">` +
        `${divs(typed.signature, ` style="${outlookFont}"`)}</div>\n`
      : '';
    return exchangeMail(
      `${exchangeHead}${divs(typed.above, proof)}\n${signature}<div id="appendonsend"></div>\n` +
        '<hr style="display:inline-block;width:98%" tabindex="-1">\n<div id="divRplyFwdMsg" dir="ltr">' +
        `<font face="Calibri, sans-serif" style="font-size:11pt" color="#000000">${replyBlock(language, sent)}</font>\n` +
        `<div>&nbsp;</div>\n</div>\n${outlookQuote(typed, sent, proof)}` +
        `${divs(typed.below, proof)}\n</body>\n</html>`,
      language,
    );
  },

  outlookMac(typed, sent, language) {
    const size = "<span style='font-size:12.0pt;color:black'>";
    const block = headerBlock('mac', language, sent)
      .map(([name, value], index) =>
        index === 0
          ? `<b>${size}${name} </span></b>${size}${escaped(value)}`
          : `<br>\n<b>${name} </b>${escaped(value)}`,
      )
      .join('');
    const signature = typed.signature ? word(['', ...typed.signature]) : '';
    const html =
      `<html ${wordSpaces}>\n<head>\n${wordHead}\n</head>\n` +
      `<body lang="${localeOf(language).toUpperCase()}" link="#467886" vlink="#96607D" ` +
      `style="word-wrap:break-word">\n<div class="WordSection1">\n${word(typed.above)}${signature}${word([''])}` +
      `<div id="mail-editor-reference-message-container">\n<div>\n<div>\n${wordRule('#B5C4DF')}${block}` +
      `<o:p></o:p></span></p>\n</div>\n${interleave(wordQuote(sent), typed, word)}\n</div>\n</div>\n</div>\n` +
      `${word(typed.below)}</div>\n</body>\n</html>`;
    return exchangeMail(quotedAttributes(html), language);
  },

  outlookPhone(typed, sent, language) {
    const style = ` dir="ltr" style="${outlookFont}"`;
    const device = anchor(devices.outlook[language], 'https://aka.ms/o0ukef');
    const line = typed.device ? `<div dir="ltr">${device}</div>` : '';
    const signature = divs(typed.signature, ' dir="ltr"');
    return exchangeMail(
      `${exchangeHead}${divs(typed.above, style)}\n` +
        '<div id="ms-outlook-mobile-body-separator-line" dir="ltr"><br></div>\n' +
        `<div id="ms-outlook-mobile-signature" dir="ltr">${signature}${line}</div>\n` +
        '<div id="mail-editor-reference-message-container" class="ms-outlook-mobile-reference-message skipProofing">\n' +
        '<hr style="display:inline-block;width:98%" tabindex="-1">\n<div id="divRplyFwdMsg" dir="ltr">' +
        `<font face="Calibri, sans-serif">${replyBlock(language, sent)}\n<div>&nbsp;</div>\n</font></div>\n` +
        `${outlookQuote(typed, sent, style)}</div>\n${divs(typed.below, style)}</body>\n</html>`,
      language,
    );
  },

  appleMac(typed, sent, language) {
    const quote = citedQuote(typed, sent, '<blockquote type="cite"><div>', '</div></blockquote>');
    const signature = typed.signature
      ? `<br id="lineBreakAtBeginningOfSignature"><div>\n${divs(typed.signature)}\n\n</div>`
      : '';
    return appleMail(
      `${appleHead}<body style="overflow-wrap: break-word; -webkit-nbsp-mode: space; ` +
        `line-break: after-white-space;">${bare(typed.above)}${signature}<div><br><blockquote type="cite">` +
        `<div>${escaped(attribution('appleMac', language, sent))}</div><br class="Apple-interchange-newline">` +
        `<div>${quote}</div></blockquote></div><br>${divs(typed.below)}</body></html>`,
      macAgent,
    );
  },

  appleMacPlain(typed, sent, language) {
    const shown = textOf(original(sent).inner, appleStyle);
    const quote = [`> ${attribution('appleMac', language, sent)}`, '> ', ...quotedText(shown, typed, '> ', '> ')];
    const text = joined(typed.above, typed.signature, quote, typed.below);
    const charset = charsetOf(text) === 'us-ascii' ? 'us-ascii' : 'utf-8';
    return withHeaders(appleText(text, charset), { 'X-Mailer': macAgent });
  },

  applePhone(typed, sent, language) {
    const open = '<blockquote type="cite"><div dir="ltr">';
    const quote = citedQuote(typed, sent, open, '</div></blockquote>');
    const ending = [...(typed.signature ?? []), ...(typed.device ? [devices.iphone[language]] : [])];
    return appleMail(
      `${appleHead}<body dir="auto">${bare(typed.above)}<br id="lineBreakAtBeginningOfSignature">` +
        `<div dir="ltr">${bare(ending)}</div><div dir="ltr"><br><blockquote type="cite">` +
        `${escaped(attribution('appleMac', language, sent))}<br><br></blockquote></div>` +
        `${open}\ufeff${quote}</div></blockquote>${divs(typed.below)}</body></html>`,
      'iPhone Mail (22F76)',
    );
  },

  thunderbirdPlain(typed, sent, language) {
    const inline = typed.inline?.map(({ afterLine, lines }) => ({ afterLine, lines: flowed(lines) })) ?? [];
    const shown = textOf(original(sent).inner, mozText);
    const quote = [attribution('thunderbird', language, sent), ...quotedText(shown, { inline }, '> ', '>')];
    const text = joined(flowed(typed.above), quote, flowed(typed.below), dashed(typed.signature));
    const mail = part('text/plain; charset=UTF-8; format=flowed', text, 'utf-8', transferOf(charsetOf(text), '8bit'));
    return withHeaders(mail, { 'User-Agent': 'Mozilla Thunderbird', 'Content-Language': localeOf(language) });
  },

  thunderbirdHtml(typed, sent, language) {
    const cite = `<blockquote type="cite" cite="mid:1794903120.4711@${sent.from.address.split('@')[1] ?? ''}">\n`;
    const paragraphs = (lines: Lines = []): string =>
      lines.map((line) => `    <p>${line === '' ? '<br>' : escaped(line)}</p>\n`).join('');
    const quote = linked(citedQuote(typed, sent, cite, '</blockquote>\n', paragraphs), 'class="moz-txt-link-freetext"');
    const lines = quote.split('\n').flatMap((line) => wrapped(line, 72).map((row) => `      ${row}`));
    const signature = typed.signature
      ? `    <pre class="moz-signature" cols="72">-- \n${typed.signature.map(escaped).join('\n')}</pre>\n`
      : '';
    const html =
      '<!DOCTYPE html>\n<html>\n  <head>\n' +
      '    <meta http-equiv="Content-Type" content="text/html; charset=UTF-8">\n' +
      `  </head>\n  <body>\n${paragraphs(typed.above)}    <div class="moz-cite-prefix">` +
      `${escaped(attribution('thunderbird', language, sent))}<br>\n    </div>\n    ${cite}${lines.join('\n')}\n` +
      `    </blockquote>\n${paragraphs(typed.below)}${signature}  </body>\n</html>\n`;
    const mail = part('text/html; charset=UTF-8', html, 'utf-8', transferOf(charsetOf(html), '8bit'));
    return withHeaders(mail, { 'User-Agent': 'Mozilla Thunderbird', 'Content-Language': localeOf(language) });
  },

  gmxWeb(typed, sent, language) {
    const lines = (each: Lines = []): string =>
      each.map((line) => `<div>${line === '' ? '&nbsp;' : escaped(line)}</div>\n\n`).join('');
    const block = headerBlock('gmx', language, sent).map(([name, value]) => `<b>${name}</b>&nbsp;${escaped(value)}`);
    const signature = typed.signature
      ? `<div class="signature">${typed.signature.map(escaped).join('<br/>\n')}</div>\n\n`
      : '';
    const html =
      '<html><head></head><body><div style="font-family: Verdana;font-size: 12.0px;">' +
      `${lines(typed.above)}${signature}<div>&nbsp;\n<div>&nbsp;\n<div name="quote" style="margin:10px 5px 5px 10px; ` +
      'padding: 10px 0 10px 10px; border-left:2px solid #C3D9E5; word-wrap: break-word; -webkit-nbsp-mode: space; ' +
      `-webkit-line-break: after-white-space;">\n<div style="margin:0 0 10px 0;">${block.join('<br/>\n')}</div>\n\n` +
      `<div name="quoted-content">\n${interleave(original(sent).inner, typed, lines)}\n</div>\n</div>\n</div>\n` +
      `</div>\n\n${lines(typed.below)}</div></body></html>`;
    return part('text/html; charset={charset}', html, 'UTF-8', 'quoted-printable');
  },

  k9(typed, sent, language) {
    const quote = [attribution('k9', language, sent), ...quotedText(sent.text, typed, '>', '>')];
    const ending = [...(typed.signature ?? []), ...(typed.device ? [devices.k9[language]] : [])];
    const text = joined(typed.above, quote, typed.below, dashed(ending.length > 0 ? ending : undefined));
    const mail = part('text/plain; charset={charset}', text, 'utf-8', 'quoted-printable');
    return withHeaders(mail, { 'User-Agent': 'K-9 Mail for Android' });
  },

  yahooWeb(typed, sent, language) {
    const intro = attribution('yahoo', language, sent);
    const lines = (each?: Lines): string => divs(each, ' dir="ltr" data-setdir="false"');
    const font = "font-family:'Helvetica Neue', Helvetica, Arial, sans-serif;font-size:13px";
    const { inner, style } = original(sent);
    const body = interleave(linked(inner, 'target="_blank" rel="noreferrer noopener"'), typed, lines);
    const signature = typed.signature ? `${gap}<div class="ydp5c1e7f2asignature">${divs(typed.signature)}</div>` : '';
    const html =
      '<html><head></head><body><div class="ydp5c1e7f2ayahoo-style-wrap" style="font-family:Helvetica Neue, ' +
      `Helvetica, Arial, sans-serif;font-size:13px;"><div></div>\n` +
      `        ${lines(typed.above)}${signature}${gap}\n        \n` +
      '        </div><div id="yahoo_quoted_9183161140" class="yahoo_quoted">\n' +
      `            <div style="${font};color:#26282a;">\n                \n                <div>\n` +
      `                    ${escaped(intro)}\n                </div>\n                ${gap}\n                ${gap}\n` +
      `                <div><div id="yiv0516350217"><div style="${style}">${body}</div></div></div>\n` +
      `            </div>\n        </div>${lines(typed.below)}</body></html>`;
    const indented = (line: string): string => (line === intro ? `    ${line}  ` : ` ${line}`);
    const text = textOf(html, yahooText).split('\n').map(indented).join('\n');
    const mail = alternative('----=_Part_9116147_1357924680.1794904800000', [
      part('text/plain; charset={charset}', text, 'UTF-8', 'quoted-printable'),
      part('text/html; charset={charset}', html, 'UTF-8', 'quoted-printable'),
    ]);
    return withHeaders(mail, { 'X-Mailer': 'WebService/1.1.24652 YMailNovation' });
  },

  proton(typed, sent, language) {
    const font = ' style="font-family: Arial, sans-serif; font-size: 14px;"';
    const empty = (filled: unknown): string => (filled ? '' : ' protonmail_signature_block-empty');
    const open = '<blockquote class="protonmail_quote" type="cite">\n';
    const answer = (lines: Lines): string => `${divs(lines, font)}<div${font}><br></div>`;
    const quote = interleave(original(sent).inner, typed, answer, { open, close: '</blockquote>' });
    const device = anchor(devices.proton[language], 'https://proton.me/mail/home', ' target="_blank"');
    const block = 'protonmail_signature_block';
    const html =
      `${divs(typed.above, font)}<div${font}><br></div>\n` +
      `<div class="${block}${empty(typed.signature ?? typed.device)}"${font}>\n` +
      `    <div class="${block}-user${empty(typed.signature)}">${divs(typed.signature)}</div>\n` +
      `${typed.signature && typed.device ? `<div${font}><br></div>` : ''}` +
      `    <div class="${block}-proton${empty(typed.device)}">${typed.device ? device : ''}</div>\n</div>\n` +
      `<div${font}><br></div><div class="protonmail_quote">\n` +
      `        ${escaped(attribution('proton', language, sent))}<br>\n        ${open}` +
      `            ${quote}\n        </blockquote><br>\n    </div>${divs(typed.below, font)}`;
    return alternative('b1=_QxYw7n2VfRkLmT0pZsA9cD4eH8gJ5uB6', [
      part('text/plain; charset={charset}', textOf(html, protonText), 'utf-8', 'base64'),
      part('text/html; charset={charset}', html, 'utf-8', 'base64'),
    ]);
  },

  mutt(typed, sent, language) {
    const quote = [attribution('mutt', language, sent), ...quotedText(sent.text, typed, '> ', '> ')];
    const text = joined(typed.above, quote, typed.below, dashed(typed.signature));
    const charset = charsetOf(text);
    const mail = part('text/plain; charset={charset}', text, charset, transferOf(charset));
    return withHeaders(mail, { 'Content-Disposition': 'inline', 'User-Agent': 'Mutt/2.2.13 (2024-03-09)' });
  },

  oldPlain(typed, sent, language) {
    const block = headerBlock('outlook', language, sent).map(([name, value], index) => {
      const text = index === 0 ? value.replace('<', '[mailto:').replace('>', '] ') : value;
      return `${name} ${index === 2 ? me.name : text}`.replaceAll('\u00a0', ' ');
    });
    const quote = [`-----${oldRules[language]}-----`, ...block, '', ...quotedText(sent.text, typed, '', '')];
    const text = joined(typed.above, typed.signature, quote, typed.below);
    const charset = charsetOf(text) === 'iso-8859-1' ? 'windows-1252' : charsetOf(text);
    const mail = part('text/plain; charset="{charset}"', text, charset, transferOf(charset));
    return withHeaders(mail, { 'X-Mailer': 'Microsoft Office Outlook 12.0' });
  },
} satisfies Record<string, Program>;
