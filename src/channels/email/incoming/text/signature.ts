/**
 * Signatures at the end of a text: behind the line `-- `, the line of a phone, a greeting with a name. Where it is not clear that something
 * is a signature, it stays: "Yes. Regards, Anna. PS: only 50" must not become "Yes".
 */
import { folded } from '../../../../core/text.js';
import type { LineHabits } from './quoted-lines.js';

const mostSignatureLines = 12;
const longestLine = 120;

/** The lines without the signature that they end with. */
export function withoutSignature(lines: readonly string[], habits: LineHabits): readonly string[] {
  const delimiter = lines.indexOf('-- ');
  let kept = trimmedEnd(delimiter < 0 ? lines : lines.slice(0, delimiter));
  while (endsWithDevice(kept, habits)) kept = trimmedEnd(kept.slice(0, -1));
  const greeting = greetingLine(kept, habits);
  const above = greeting === undefined ? [] : trimmedEnd(kept.slice(0, greeting));
  return above.length > 0 ? above : kept; // a greeting alone is what the person says
}

function trimmedEnd(lines: readonly string[]): readonly string[] {
  return lines.slice(0, lines.findLastIndex((line) => line.trim() !== '') + 1);
}

const sentWith =
  /^(?:sent (?:from|with|via)|get outlook for|von meine\w+|gesendet (?:von|mit)|diese nachricht wurde von|holen sie sich outlook|laden sie outlook|outlook für|envoyé (?:de|depuis|à partir|avec)|obtenir outlook|télécharger outlook|enviado (?:desde|con)|obtener outlook|obtén outlook)\b/iu;
const device =
  /\b(?:my|meine[mr]?|mon|ma|mi|mijn|min|outlook|mail|iphone|ipad|android|samsung|galaxy|huawei|proton|thunderbird|blackberry|smartphone|mobile|handy|app)\b/i;

/** A paragraph of one line that a phone or a program puts under every mail. */
function endsWithDevice(lines: readonly string[], habits: LineHabits): boolean {
  const line = (lines.at(-1) ?? '').trim();
  if (line === '' || line.length > longestLine || (lines.at(-2) ?? '').trim() !== '') return false;
  return device.test(line) && (sentWith.test(line) || habits.isSignature(line));
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

/** The line from which on a greeting, a name and how to reach somebody stand, and nothing else. */
function greetingLine(lines: readonly string[], habits: LineHabits): number | undefined {
  const from = Math.max(0, lines.length - mostSignatureLines);
  for (let at = lines.length - 1; at >= from; at -= 1) {
    const line = (lines[at] as string).trim(); // between the first and the last
    if (line.length > longestLine) return undefined;
    if (isGreeting(line, habits)) {
      const below = lines.slice(at + 1).filter((each) => each.trim() !== '');
      const [name, ...more] = below.map((each) => each.trim());
      return name === undefined || (isName(name) && more.every(isContact)) ? at : undefined;
    }
  }
  return undefined;
}

/** `Best regards`, `Danke und viele Grüße,` or `Best, Anna`. */
function isGreeting(line: string, habits: LineHabits): boolean {
  if (line === '') return false;
  const [first = '', ...more] = line.split(/,\s*|\s+(?:and|und|et|y|&)\s+/i).filter((each) => each !== '');
  const isOne = (words: string) => greetings.has(folded(words));
  if (isOne(first)) return more.every((each) => isOne(each) || isName(each));
  return /^(?:\p{L}{1,20}(?: \p{L}{1,20})?[,!.]?|-{2,4})$/u.test(line) && habits.isSignature(line);
}

function isName(line: string): boolean {
  const words = line.split(/\s+/);
  return (
    words.length <= 5 &&
    words.every((word) => /^(?:\p{Lu}[\p{L}.'’-]{0,30},?|von|van|der|den|de|la|le|di|du)$/u.test(word))
  );
}

const reach =
  /^(?:(?:tel|phone|telefon|fon|telephone|mobile?|mobil|cell|fax|e-?mail|mail|web|tél|téléphone|móvil|teléfono|[tmfewp])\b[\s.:|]{0,4})?(?:[\d\s()+/.-]{6,30}|\S{1,80}@\S{1,80}|(?:https?:\/\/|www\.)\S{1,100})$/iu;
const place =
  /(?:str\.|straße|strasse|gasse|weg|platz|allee)\s\d|\b\d{4,5}\s\p{Lu}|\b(?:street|road|avenue|rue|calle)\b/iu;

/** A title, a company, a number, an address. A sentence is none. */
function isContact(line: string): boolean {
  if (/^(?:p\.?\s?s|n\.?\s?b)\b/i.test(line)) return false;
  if (reach.test(line)) return true;
  const words = line.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length >= 4 && /^\p{L}/u.test(word));
  const isTitled = words.length <= 8 && words.every((word) => /^\p{Lu}/u.test(word));
  return isTitled && (!/\d/.test(line) || place.test(line)) && !/[?!]$/.test(line);
}
