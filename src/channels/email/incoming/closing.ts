/**
 * Takes off what people and programs put below a reply: a signature behind the line `-- `, a closing line, the author's own name, the line of
 * a phone. Only whole lines of closed lists go, from the end upwards, and never the first line. Any other line is a part of the answer.
 */
import { friendlyEmoji } from '../../../core/reply-words.js';
import { folded } from '../../../core/text.js';
import { domainOf, localPart, type MailAddress } from '../addresses.js';
import { wordsOf } from './words.js';

/** The lines of one run without its signature, which goes to its end (RFC 3676, 4.3). */
export function withoutSignature(lines: readonly string[]): readonly string[] {
  const delimiter = lines.indexOf('-- ');
  return delimiter < 0 ? lines : lines.slice(0, delimiter);
}

/** They say that a mail ends, wherever they stand. */
const closings =
  phrases(`regards;best regards;kind regards;kindest regards;warm regards;warmest regards;many regards;best wishes;
  with best regards;with kind regards;sincerely;sincerely yours;yours sincerely;yours truly;yours faithfully;
  mit freundlichen grüßen;mit freundlichem gruß;mit besten grüßen;mit lieben grüßen;mit herzlichen grüßen;freundliche grüße;viele grüße;liebe grüße;
  beste grüße;schöne grüße;herzliche grüße;sonnige grüße;grüße;gruß;lieben gruß;besten gruß;schönen gruß;viele liebe grüße;vg;lg;mfg;
  hochachtungsvoll;cordialement;bien cordialement;très cordialement;cdlt;bien à vous;bien à toi;salutations;meilleures salutations;
  salutations distinguées;sincères salutations;saludos;un saludo;muchos saludos;
  saludos cordiales;un cordial saludo;cordialmente;cordiales saludos;atentamente`);

/** They may also be what somebody wants to say: they stand apart, below an empty line. */
const farewells =
  phrases(`best;all the best;cheers;take care;br;kr;bg;have a nice day;have a great day;have a good day;have a nice evening;
  have a good evening;have a nice weekend;have a great weekend;have a good weekend;see you;see you soon;talk soon;
  schönes wochenende;schönen tag;schönen tag noch;einen schönen tag;einen schönen tag noch;schönen abend;schönen abend noch;
  schöne woche;bis dann;bis bald;tschüss;ciao;amicalement;amitiés;bonne journée;bonne soirée;belle journée;
  belle soirée;bon week end;bonne semaine;à bientôt;à plus;un abrazo;abrazos;buen día;buen fin de semana;buenas tardes;
  que tenga un buen día;que tengas un buen día;que tengan un buen día;que tengáis un buen día;hasta pronto;hasta luego`);

/** They stay: thanks can turn a weak yes into a no. Only their comma goes. */
const thanks =
  phrases(`thanks;thanks for asking;danke der nachfrage;merci d'avoir demandé;gracias por preguntar;thank you;many thanks;thanks a lot;thank you very much;thx;danke;danke schön;vielen dank;besten dank;
  herzlichen dank;danke dir;danke ihnen;merci;merci beaucoup;merci bien;merci d'avance;gracias;muchas gracias;mil gracias`);

const devices =
  phrases(`sent from my iphone;sent from my ipad;sent from my mobile;sent from my mobile device;sent from my mobile phone;
  sent from my phone;sent from my smartphone;sent from my android;sent from my android phone;sent from my android device;
  sent from my android device with k 9 mail;sent from my android device with k 9 mail please excuse my brevity;sent from my galaxy;
  sent from my samsung galaxy smartphone;sent from my samsung device;sent from my huawei phone;sent from my pixel;sent from yahoo mail;
  sent from yahoo mail for iphone;sent from yahoo mail on android;yahoo mail search organize conquer;get outlook for ios;get outlook for android;
  get outlook for mac;sent from outlook;sent from outlook for ios;sent from outlook for android;sent from mail for windows;
  sent from mail for windows 10;sent from proton mail;sent from proton mail mobile;sent from proton mail for ios;sent from proton mail for android;
  sent with proton mail;sent with proton mail secure email;sent from gmail mobile;sent from thunderbird for android;sent with gmx mail app;
  von meinem iphone gesendet;von meinem ipad gesendet;von meinem handy gesendet;von meinem mobiltelefon gesendet;von meinem smartphone gesendet;
  von meinem android gerät gesendet;von meinem samsung galaxy smartphone gesendet;von meinem galaxy gesendet;gesendet von meinem iphone;
  gesendet von meinem ipad;gesendet von meinem handy;gesendet von meinem android gerät;gesendet von meinem galaxy;gesendet von outlook für ios;
  gesendet von outlook für android;gesendet von mail für windows;outlook für ios beziehen;outlook für android beziehen;
  outlook für ios herunterladen;outlook für android herunterladen;holen sie sich outlook für ios;holen sie sich outlook für android;
  diese nachricht wurde von meinem android gerät mit k 9 mail gesendet;diese nachricht wurde von meinem android mobiltelefon mit gmx mail gesendet;
  diese nachricht wurde von meinem android mobiltelefon mit web de mail gesendet;gesendet mit der gmx mail app;gesendet mit der gmx iphone app;
  gesendet mit der web de mail app;gesendet mit der web de iphone app;gesendet mit der mobilen mail app;von yahoo mail für iphone gesendet;
  von yahoo mail auf android gesendet;gesendet von yahoo mail für iphone;gesendet von yahoo mail auf android;gesendet mit proton mail;
  envoyé de mon iphone;envoyé de mon ipad;envoyé de mon téléphone;envoyé de mon mobile;envoyé de mon android;envoyé de mon appareil android avec k 9 mail;
  envoyé depuis mon iphone;envoyé depuis mon ipad;envoyé depuis mon mobile;envoyé depuis mon téléphone;envoyé depuis mon smartphone samsung galaxy;
  envoyé à partir de mon smartphone samsung galaxy;envoyé de mon galaxy;envoyé à partir de outlook pour ios;envoyé à partir de outlook pour android;
  obtenir outlook pour ios;obtenir outlook pour android;obtenez outlook pour ios;obtenez outlook pour android;télécharger outlook pour ios;
  télécharger outlook pour android;envoyé à partir de courrier pour windows;envoyé depuis yahoo mail pour iphone;envoyé depuis yahoo mail sur android;
  envoyé depuis l application mail orange;envoyé avec proton mail;envoyé avec la messagerie sécurisée proton mail;
  enviado desde mi iphone;enviado desde mi ipad;enviado desde mi móvil;enviado desde mi teléfono;enviado desde mi android;
  enviado desde mi dispositivo android;enviado desde mi dispositivo android con k 9 mail;enviado desde mi galaxy;
  enviado desde mi smartphone samsung galaxy;obtener outlook para ios;obtener outlook para android;enviado desde outlook para ios;
  enviado desde outlook para android;descargar outlook para ios;descargar outlook para android;enviado desde correo para windows;
  enviado desde yahoo mail para iphone;enviado desde yahoo mail con android;enviado con proton mail;enviado con el correo seguro de proton mail`);

function phrases(list: string): ReadonlySet<string> {
  return new Set(list.split(';').map((phrase) => wordsOf(phrase).join(' ')));
}

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
  const names = new Set(author === undefined ? [] : wordsOf(`${author.name ?? ''} ${localPart(author.address)}`));
  const domain = author === undefined ? '' : domainOf(author.address);
  const first = lines.findIndex((line) => line.trim() !== '');
  let end = lines.length;
  for (let at = lines.length - 1; at > first; at -= 1) {
    const line = (lines[at] as string).trim();
    if (line === '' || isReach(line, domain)) continue; // a number or an address goes only with a closing line above it
    const rest = restOf(line, names);
    if (rest === line) break;
    const above = (lines[at - 1] as string).trim();
    const before = lines.slice(first, at).findLast((each) => each.trim() !== '') ?? '';
    const isBelowThanks = thanks.has(said(before));
    const isApart = above === '' || isBelowThanks || isPlainClosing(line, names);
    if (isApart && (isBelowThanks || !/[:,]\s*$/.test(before))) {
      if (rest !== '') return [...lines.slice(0, at), rest];
      end = at;
    } else if (rest !== '') break;
  }
  return lines.slice(0, end);
}

/** What is left of a line that closes a mail: nothing, or the thanks in it. The line itself if it closes none. */
function restOf(line: string, names: ReadonlySet<string>): string {
  if (line.length > longestLine) return line;
  if (isDevice(line)) return '';
  if (!harmless.test(line)) return line;
  if (isName(line, names)) return '';
  const segments = segmentsOf(line);
  const isClosed = (text: string) =>
    closings.has(said(text)) || farewells.has(said(text)) || isName(text, names) || closesWithName(text, names);
  const left = segments.filter((text) => !isClosed(text));
  return segments.length > 0 && left.every((text) => thanks.has(said(text))) ? left.join(', ') : line;
}

function segmentsOf(line: string): readonly string[] {
  return line.split(/,\s*|\s+(?:and|und|et|y|&|[-–—])\s+|[.!]\s*/i).filter((each) => each.trim() !== '');
}

/** A line that begins with a closing, or is that of a phone. */
function isPlainClosing(line: string, names: ReadonlySet<string>): boolean {
  const [first = ''] = segmentsOf(line);
  return isDevice(line) || closings.has(said(first)) || closesWithName(first, names);
}

function said(text: string): string {
  return wordsOf(text).join(' ');
}

/** `Viele Grüße Anna`. */
function closesWithName(text: string, names: ReadonlySet<string>): boolean {
  const words = wordsOf(text);
  const name = words.findIndex((word) => names.has(word));
  return name > 0 && closings.has(words.slice(0, name).join(' ')) && isName(words.slice(name).join(' '), names);
}

/** The author's own name or a part of it: another word may be what they want to say. */
function isName(line: string, names: ReadonlySet<string>): boolean {
  const words = wordsOf(line);
  const isInitial = (word: string) => word.length === 1 && [...names].some((name) => name.startsWith(word));
  return (
    /^[\p{L}\p{M}\s.,'’-]+$/u.test(line) &&
    words.length <= 6 &&
    words.some((word) => names.has(word)) &&
    words.every((word) => names.has(word) || isInitial(word))
  );
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
