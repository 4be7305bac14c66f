/**
 * Signatures at the end of a text: behind the line `-- `, the line of a phone, a greeting with the author's own name. Where it is not clear
 * that something is a signature, it stays, and whoever wrote it is asked again: "Yes. Regards, Anna. Wait for Bob" must not become "Yes".
 */
import { folded } from '../../../../core/text.js';
import { hasDecisiveWord, wordsOf } from './decisive-words.js';
import { isCompany } from './footer.js';
import type { LineHabits } from './quoted-lines.js';

const mostSignatureLines = 12;
const longestLine = 120;

/** The lines without the signature that they end with. `author` are the words that the author's name and address are made of. */
export function withoutSignature(
  lines: readonly string[],
  habits: LineHabits,
  author: ReadonlySet<string>,
): readonly string[] {
  const delimiter = lines.indexOf('-- ');
  let kept = trimmedEnd(delimiter < 0 ? lines : lines.slice(0, delimiter));
  while (endsWithDevice(kept)) kept = trimmedEnd(kept.slice(0, -1));
  const greeting = greetingLine(kept, habits, author);
  const above = greeting === undefined ? [] : trimmedEnd(kept.slice(0, greeting));
  return above.length > 0 ? above : kept; // a greeting alone is what the person says
}

function trimmedEnd(lines: readonly string[]): readonly string[] {
  return lines.slice(0, lines.findLastIndex((line) => line.trim() !== '') + 1);
}

/** Words that phones and mail programs say about themselves. A line with any other word is a person's. */
const deviceWords = new Set(
  `sent from with via using by my the a an on for in get mail email e secure and phone smartphone tablet mobile device app handheld
  iphone ipad ipod ios android samsung galaxy huawei xiaomi redmi pixel google nokia sony xperia motorola moto oneplus oppo vivo lg htc blackberry
  windows mac macos apple outlook gmail yahoo aol proton protonmail thunderbird k spark airmail edison bluemail fairemail gmx web de t online
  note ultra plus pro max mini se lite at t verizon wireless network
  von meinem meiner mein gesendet mit der dem die diese nachricht wurde für verschickt holen laden herunterladen beziehen sie sich handy gerät mobiltelefon
  envoyé de mon ma depuis à partir avec obtenir télécharger téléchargez obtenez pour téléphone portable appareil
  enviado desde mi con obtener obtén obtenga descargar para teléfono móvil dispositivo verzonden vanaf mijn inviato da mio dal`.split(
    /\s+/,
  ),
);
/** Those of them that name no device and no program. */
const fillers = new Set(
  'sent from with via using by my the a an on for in at get secure and note plus pro max mini online web'.split(' '),
);
const startsDevice =
  /^(?:sent|get outlook|von mein|gesendet|diese nachricht wurde|holen sie|laden sie|outlook |envoyé|obten[ie]|télécharge|enviado|obtén|descargar|verzonden|inviato)/iu;

/** A paragraph of one line that a phone or a program puts under every mail. */
function endsWithDevice(lines: readonly string[]): boolean {
  const line = (lines.at(-1) ?? '').trim();
  if (line === '' || line.length > longestLine || (lines.at(-2) ?? '').trim() !== '' || !startsDevice.test(line))
    return false;
  const words = wordsOf(line.replace(/[<(]?https?:\/\/[^\s<>()]+[>)]?/i, ' '));
  return (
    words.length >= 3 &&
    !line.replace(/https?:/i, '').includes(':') &&
    words.some((word) => !fillers.has(word) && deviceWords.has(word)) &&
    words.every((word) => deviceWords.has(word) || /^(?:[a-z]{0,2}\d{1,3}[a-z]?|5g)$/.test(word))
  );
}

const greetings = new Set(
  `regards;best regards;kind regards;warm regards;many regards;best;best wishes;all the best;cheers;thanks;thank you;many thanks;thx;sincerely;
  yours sincerely;yours faithfully;mit freundlichen grüßen;mit freundlichen grüssen;mit freundlichen gruessen;mit freundlichem gruß;mit besten grüßen;
  freundliche grüße;viele grüße;liebe grüße;beste grüße;schöne grüße;herzliche grüße;grüße;viele grüsse;liebe grüsse;beste grüsse;freundliche grüsse;gruß;
  viele gruesse;beste gruesse;vg;lg;mfg;danke;vielen dank;besten dank;cordialement;bien cordialement;très cordialement;bien à vous;salutations;merci;
  merci beaucoup;sincères salutations;saludos;un saludo;saludos cordiales;un cordial saludo;atentamente;gracias;muchas gracias`
    .split(';')
    .map((greeting) => greeting.trim()),
);

/** The line from which on a greeting, the author's name and how to reach them stand, and nothing else. */
function greetingLine(lines: readonly string[], habits: LineHabits, author: ReadonlySet<string>): number | undefined {
  const from = Math.max(0, lines.length - mostSignatureLines);
  for (let at = lines.length - 1; at >= from; at -= 1) {
    const line = (lines[at] as string).trim(); // between the first and the last
    if (line.length > longestLine) return undefined;
    if (isGreeting(line, habits, author)) {
      const below = lines.slice(at + 1).filter((each) => each.trim() !== '');
      const [name, ...more] = below.map((each) => each.trim());
      return name === undefined || (isName(name, author) && isContactBlock(more)) ? at : undefined;
    }
  }
  return undefined;
}

/** `Best regards`, `Danke und viele Grüße,` or `Best, Anna`. */
function isGreeting(line: string, habits: LineHabits, author: ReadonlySet<string>): boolean {
  if (line === '') return false;
  const [first = '', ...more] = line.split(/,\s*|\s+(?:and|und|et|y|&)\s+/i).filter((each) => each !== '');
  const isOne = (words: string) => greetings.has(folded(words));
  if (isOne(first)) return more.every((each) => isOne(each) || isName(each, author));
  return (
    /^(?:\p{L}{1,20}(?: \p{L}{1,20})?[,!.]?|-{2,4})$/u.test(line) && !hasDecisiveWord(line) && habits.isSignature(line)
  );
}

const nameParts = new Set('dr prof mag ing dipl mba msc bsc phd von van der den de la le di du del zu'.split(' '));

/** The author's own name, or a part of it: another word may be what they want to say. */
function isName(line: string, author: ReadonlySet<string>): boolean {
  const words = wordsOf(line);
  const isOwn = (word: string) =>
    author.has(word) || (word.length === 1 && [...author].some((own) => own.startsWith(word)));
  return (
    words.length <= 6 &&
    words.some((word) => author.has(word)) &&
    words.every((word) => isOwn(word) || nameParts.has(word))
  );
}

const labelled =
  /^(?:tel|phone|telefon|fon|telephone|mobile?|mobil|cell|fax|tél|téléphone|móvil|teléfono|[tmfp])\b[\s.:|]{0,4}[\d\s()+/.-]{6,30}$/iu;
const online = /^(?:(?:e-?mail|mail|web|[ew])\b[\s.:|]{0,4})?(?:\S{1,80}@\S{1,80}|(?:https?:\/\/|www\.)\S{1,100})$/iu;
const street = /(?:str\.|straße|strasse|gasse|weg|platz|allee)\s\d|\b(?:street|road|avenue|rue|calle)\b/iu;
const town = /(?:^|\s)\d{4,5}\s\p{Lu}\p{Ll}{2}/u;
const titles = new Set(
  `head manager director officer lead leader engineer developer accountant controller assistant chief ceo cfo cto coo president vp partner founder
  owner consultant specialist analyst sales finance accounting purchasing support service department team
  leiter leiterin geschäftsführer geschäftsführerin buchhaltung abteilung finanzen einkauf vertrieb assistent assistentin assistenz teamleiter
  teamleiterin sachbearbeiter sachbearbeiterin inhaber inhaberin kundendienst
  directeur directrice responsable comptable gérant gérante chef cheffe comptabilité service ventes achats
  gerente directora jefe jefa contable responsable contabilidad ventas compras`.split(/\s+/),
);
const connecting = new Set(
  'of and the in at for und der die das des für im de du des la le les et y el los las del e'.split(' '),
);
/** What stands below a name: each line may be a contact, and one of them is for certain. A single "Tomorrow" is not. */
function isContactBlock(lines: readonly string[]): boolean {
  return lines.length === 0 || (lines.every(isContact) && lines.some(isCertainContact));
}

function isCertainContact(line: string): boolean {
  return (
    isReach(line) ||
    street.test(line) ||
    town.test(line) ||
    isCompany(line) ||
    wordsOf(line).some((word) => titles.has(word))
  );
}

/** A phone number, an address of mail or of a page. Digits alone may be an amount, unless they begin as a number to be dialled. */
function isReach(line: string): boolean {
  if (labelled.test(line) || online.test(line)) return true;
  return /^[+0(][\d\s()+/.-]{6,30}$/.test(line) && line.replace(/\D/g, '').length >= 7;
}

/** A title, a company, a number, an address. A sentence is none. */
function isContact(line: string): boolean {
  if (/^(?:p\.?\s?s|n\.?\s?b)\b/i.test(line)) return false;
  if (isReach(line)) return true;
  if (hasDecisiveWord(line)) return false;
  const words = line.split(/[^\p{L}\p{N}]+/u).filter((word) => /^\p{L}/u.test(word));
  const isTitled = words.length <= 8 && words.every((word) => /^\p{Lu}/u.test(word) || connecting.has(word));
  return isTitled && (!/\d/.test(line) || street.test(line) || town.test(line)) && !/[?!]$/.test(line);
}
