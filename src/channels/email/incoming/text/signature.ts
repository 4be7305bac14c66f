/**
 * Signatures at the end of a text: behind the line `-- `, the line of a phone, a greeting with the author's own name. Where it is not clear
 * that something is a signature, it stays, and whoever wrote it is asked again: "Yes. Regards, Anna. Wait for Bob" must not become "Yes".
 */
import { folded } from '../../../../core/text.js';
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
  von meinem meiner mein gesendet mit der dem die diese nachricht wurde für verschickt holen laden sie sich handy gerät mobiltelefon
  envoyé de mon ma depuis à partir avec obtenir télécharger pour téléphone portable appareil
  enviado desde mi con obtener obtén para teléfono móvil dispositivo verzonden vanaf mijn inviato da mio dal`.split(
    /\s+/,
  ),
);
const startsDevice =
  /^(?:sent|get outlook|von mein|gesendet|diese nachricht wurde|holen sie|laden sie|outlook für|envoyé|obtenir|télécharger|enviado|obtener|obtén|verzonden|inviato)/iu;

/** A paragraph of one line that a phone or a program puts under every mail. */
function endsWithDevice(lines: readonly string[]): boolean {
  const line = (lines.at(-1) ?? '').trim();
  if (line === '' || line.length > longestLine || (lines.at(-2) ?? '').trim() !== '' || !startsDevice.test(line))
    return false;
  const words = wordsOf(line.replace(/[<(]?https?:\/\/\S+$/i, ''));
  return (
    words.length >= 3 && words.every((word) => deviceWords.has(word) || /^(?:[a-z]{0,2}\d{1,3}[a-z]?|5g)$/.test(word))
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
      return name === undefined || (isName(name, author) && more.every(isContact)) ? at : undefined;
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

const reach =
  /^(?:(?:tel|phone|telefon|fon|telephone|mobile?|mobil|cell|fax|e-?mail|mail|web|tél|téléphone|móvil|teléfono|[tmfewp])\b[\s.:|]{0,4})?(?:[\d\s()+/.-]{6,30}|\S{1,80}@\S{1,80}|(?:https?:\/\/|www\.)\S{1,100})$/iu;
const place =
  /(?:str\.|straße|strasse|gasse|weg|platz|allee)\s\d|\b\d{4,5}\s\p{Lu}|\b(?:street|road|avenue|rue|calle)\b/iu;
const connecting = new Set(
  'of and the in at for und der die das des für im de du des la le les et y el los las del e'.split(' '),
);
/** Words that change what was said before them. No title needs them, and a line with one of them may be a condition. */
const decisive = new Set(
  `yes no not never nothing none nobody don dont doesn isn won wait stop hold halt if unless until till only but except without after before
  when later instead half all some pay refund approve approved deny denied agree agrees agreed must should please cancel ok okay once first then
  ja nein nicht nie nichts kein keine keinen warte warten stopp wenn falls sofern erst nur aber außer ausser ohne nach bevor vor bis sobald später
  bitte zahlen genehmigt abgelehnt muss
  oui non pas jamais rien si sauf mais seulement attends attendre avant après jusque quand sans plus tard ne doit
  sí nunca nada salvo pero solo sólo espera esperar antes después hasta cuando sin debe`.split(/\s+/),
);

function hasDecisiveWord(line: string): boolean {
  return wordsOf(line).some((word) => decisive.has(word));
}

/** A title, a company, a number, an address. A sentence is none. */
function isContact(line: string): boolean {
  if (/^(?:p\.?\s?s|n\.?\s?b)\b/i.test(line)) return false;
  if (reach.test(line)) return true;
  if (hasDecisiveWord(line)) return false;
  const words = line.split(/[^\p{L}\p{N}]+/u).filter((word) => /^\p{L}/u.test(word));
  const isTitled = words.length <= 8 && words.every((word) => /^\p{Lu}/u.test(word) || connecting.has(word));
  return isTitled && (!/\d/.test(line) || place.test(line)) && !/[?!]$/.test(line);
}

/** The words of a text in lower case. */
export function wordsOf(text: string): readonly string[] {
  return folded(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}
