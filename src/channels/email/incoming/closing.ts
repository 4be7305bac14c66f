/**
 * Takes off what people and programs put below a reply: a signature behind the line `-- `, a closing line, the author's own name, the line of
 * a phone. Only whole lines of closed lists go, from the end upwards, and never the first line. Any other line is a part of the answer.
 */
import { friendlyEmoji, spellings } from '../../../core/reply-words.js';
import { folded } from '../../../core/text.js';
import { builtInLanguages } from '../../../core/wording/languages.js';
import { list, pairs } from '../../../core/wording/list.js';
import { domainOf, localPart, type MailAddress } from '../addresses.js';
import { wordsOf } from './words.js';

/** The lines of one run without its signature, which goes to its end (RFC 3676, 4.3). */
export function withoutSignature(lines: readonly string[]): readonly string[] {
  const delimiter = lines.indexOf('-- ');
  return delimiter < 0 ? lines : lines.slice(0, delimiter);
}

const ofEachLanguage = (name: 'closings' | 'thanks'): readonly string[] =>
  builtInLanguages.flatMap(({ words }) => words[name]).flatMap(spellings);

/** They may also be what somebody wants to say: they stand apart, below an empty line. */
const farewells =
  list(`best, all the best, cheers, take care, br, kr, bg, have a nice day, have a great day, have a good day, have a nice evening,
  have a good evening, have a nice weekend, have a great weekend, have a good weekend, see you, see you soon, talk soon,
  schönes wochenende, schönen tag, schönen tag noch, einen schönen tag, einen schönen tag noch, schönen abend, schönen abend noch,
  schöne woche, bis dann, bis bald, tschüss, ciao, amicalement, amitiés, bonne journée, bonne soirée, belle journée,
  belle soirée, bon week-end, bon week end, bonne semaine, à bientôt, à plus, un abrazo, abrazos, buen día, buen fin de semana,
  buenas tardes, que tenga un buen día, que tengas un buen día, que tengan un buen día, que tengáis un buen día, hasta pronto, hasta luego`);

/** They say that a mail ends, wherever they stand. */
const closings = ofEachLanguage('closings').filter((phrase) => !farewells.includes(phrase));

/** They stay: thanks can turn a weak yes into a no. Only their comma goes. */
const thanks = new Set(ofEachLanguage('thanks').map(said));

const handhelds = `iphone, ipad, phone, smartphone, mobile, mobile phone, mobile device, android, android phone, android device,
  android device with k-9 mail, android device with k-9 mail please excuse my brevity, galaxy, samsung galaxy smartphone, samsung device,
  huawei phone, pixel, handy, mobiltelefon, android-gerät, android-gerät mit k-9 mail, android-mobiltelefon mit gmx mail,
  android-mobiltelefon mit web.de mail, téléphone, appareil android avec k-9 mail, smartphone samsung galaxy, móvil, teléfono,
  dispositivo android, dispositivo android con k-9 mail`;
const programs = `outlook, outlook for ios, outlook for android, outlook for mac, mail for windows, mail for windows 10, yahoo mail,
  yahoo mail for iphone, yahoo mail on android, gmail mobile, thunderbird for android, gmx mail app, proton mail, proton mail mobile,
  proton mail for ios, proton mail for android, proton mail secure email, outlook für ios, outlook für android, mail für windows,
  yahoo mail für iphone, yahoo mail auf android, gmx iphone app, web.de mail app, web.de iphone app, mobilen mail app, outlook pour ios,
  outlook pour android, courrier pour windows, yahoo mail pour iphone, yahoo mail sur android, l'application mail orange,
  messagerie sécurisée proton mail, outlook para ios, outlook para android, correo para windows, yahoo mail para iphone,
  yahoo mail con android, correo seguro de proton mail`;

/** What phones and programs write of themselves. */
const devices = new Set(
  [
    ...pairs('sent from my, gesendet von meinem, envoyé de mon, envoyé depuis mon, envoyé à partir de mon', handhelds),
    ...pairs('enviado desde mi', handhelds),
    ...pairs('von meinem, diese nachricht wurde von meinem', handhelds).map((each) => `${each} gesendet`),
    ...pairs('sent from, sent with, get, gesendet von, gesendet mit, gesendet mit der, holen sie sich', programs),
    ...pairs('envoyé à partir de, envoyé depuis, envoyé avec, envoyé avec la, obtenir, obtenez, télécharger', programs),
    ...pairs('enviado desde, enviado con, enviado con el, obtener, descargar', programs),
    ...list(programs).flatMap((each) => [`von ${each} gesendet`, `${each} beziehen`, `${each} herunterladen`]),
    'yahoo mail search organize conquer',
  ].map(said),
);

/** These words where they stand as words, the longest first. */
function anyOf(phrases: readonly string[]): string {
  const longestFirst = [...phrases].sort((one, other) => other.length - one.length);
  return `(?<![\\p{L}\\p{M}\\p{N}])(?:${longestFirst.join('|')})(?![\\p{L}\\p{M}\\p{N}])`;
}

const beginsWithClosing = new RegExp(`^${anyOf(closings)}`, 'iu');

/** Longer lines are no closing lines. */
const longestLine = 120;

/** Marks and emoji that say nothing. Any other, such as a question mark, may doubt what stands above. */
const harmless = new RegExp(`^(?:[\\p{L}\\p{M}\\p{N}\\s.,!'’&–-]|[${friendlyEmoji.join('')}]\\ufe0f?)+$`, 'u');

/**
 * The lines of a reply without its closing lines. `author` wrote the mail: their own name says nothing. They begin below an empty line, or with
 * words that are nothing but a closing: a name or a farewell directly below other lines may be a part of the answer, and so may what follows
 * a colon or a comma.
 */
export function withoutClosing(lines: readonly string[], author: MailAddress | undefined): readonly string[] {
  const names = author === undefined ? [] : wordsOf(`${author.name ?? ''} ${localPart(author.address)}`);
  const saysNothing = closingWords(names);
  const domain = author === undefined ? '' : domainOf(author.address);
  const first = lines.findIndex((line) => line.trim() !== '');
  let end = lines.length;
  for (let at = lines.length - 1; at > first; at -= 1) {
    const line = (lines[at] as string).trim();
    if (line === '' || isReach(line, domain)) continue; // a number or an address goes only with a closing line above it
    const rest = restOf(line, saysNothing);
    if (rest === line) break;
    const above = (lines[at - 1] as string).trim();
    const before = lines.slice(first, at).findLast((each) => each.trim() !== '') ?? '';
    const isBelowThanks = thanks.has(said(before));
    const isApart = above === '' || isBelowThanks || isDevice(line) || beginsWithClosing.test(line);
    if (isApart && (isBelowThanks || !/[:,]\s*$/.test(before))) {
      if (rest !== '') return [...lines.slice(0, at), rest];
      end = at;
    } else if (rest !== '') break;
  }
  return lines.slice(0, end);
}

/** Closings, farewells, and the author's own name or a part of it, with initials: another name may be what they want to say. */
function closingWords(names: readonly string[]): RegExp {
  const initial = `(?:${anyOf(names.map((name) => String.fromCodePoint(name.codePointAt(0) ?? 0)))}\\.?)`;
  const name = names.length === 0 ? [] : [`(?:${initial}\\s+)*${anyOf(names)}(?:\\s+${initial})*`];
  return new RegExp([anyOf([...closings, ...farewells]), ...name].join('|'), 'giu');
}

/** What is left of a line that closes a mail: nothing, or the thanks in it. The line itself if it closes none. */
function restOf(line: string, saysNothing: RegExp): string {
  if (line.length > longestLine) return line;
  if (isDevice(line)) return '';
  if (!harmless.test(line) || said(line) === '') return line;
  const left = line
    .normalize('NFC')
    .replace(saysNothing, ',')
    .split(/[,.!]|\s+(?:and|und|et|y|&|[-–—])\s+/i)
    .filter((text) => said(text) !== '');
  return left.every((text) => thanks.has(said(text))) ? left.map((text) => text.trim()).join(', ') : line;
}

function said(text: string): string {
  return wordsOf(text).join(' ');
}

function isDevice(line: string): boolean {
  const text = folded(line).replace(/[<([]?https?:\/\/[^\s<>()]+[>)\]]?/g, ' ');
  return /^[\p{L}\p{M}\p{N}\s.,:!'’-]+$/u.test(text) && devices.has(said(text));
}

const label =
  /^(?:tel|phone|telefon|fon|telephone|mobile?|mobil|cell|fax|tél|téléphone|móvil|teléfono|e-?mail|mail|web|[tmfpew])\b[\s.:|]{1,4}/iu;
/** Groups of digits with one mark between them. */
const digits = /^\+?\(?\d+(?:(?: \(0\) ?|\) ?|[ ./-]| \/ )\(?\d+)*$/;
const leastDigits = 9;

/** Nothing but a phone number, or an address of the author's own domain. A date, an amount or hours have fewer digits, or begin otherwise. */
function isReach(line: string, domain: string): boolean {
  if (line.length > longestLine) return false;
  const text = line.replace(label, '').toLowerCase();
  if (/[@]|^(?:https?:|www\.)/.test(text))
    return (
      domain !== '' &&
      new RegExp(`^(?:[^\\s@/]+@|(?:https?://)?www\\.)(?:[\\w-]+\\.)*${domain.replaceAll('.', '\\.')}/?$`).test(text)
    );
  const count = text.replace(/\D/g, '').length;
  const isDialled = text !== line.toLowerCase() || /^(?:\+[1-9]|\(?0[1-9])/.test(text);
  return (
    isDialled &&
    count >= leastDigits &&
    count <= 15 &&
    digits.test(text) &&
    !/^\d{1,2}[./-]\d{1,2}[./-]\d{2,4}/.test(text)
  );
}
