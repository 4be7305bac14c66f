/**
 * Recognises what mail programs write above the mail that is answered: "On 17 Nov 2026, Refunds wrote:", or the header lines of Outlook. Each
 * word must be known: a name or an address of the mail, a part of a date, or a word of a closed list. A line with any other word is a person's.
 */
import type { MailAddress } from '../addresses.js';
import { wordsOf } from './words.js';

/** Who took part: what a mail program writes above a quote names them. */
export interface Correspondents {
  readonly author?: MailAddress | undefined;
  /** The name in our From field. */
  readonly ourName?: string | undefined;
  /** True for each address of ours. */
  readonly isOurs: (address: string) => boolean;
}

/** Languages whose names of months and weekdays are known. Programs write the line in the language of the person. */
const languages = 'en de fr es it pt nl sv da nb fi pl cs sk hu ro el tr ru uk ja ko zh'.split(' ');

/** Words of the line beside names and dates, in those languages. */
const frame = `on en at wrote am um schrieb hat folgendes geschrieben uhr le à a écrit el las los de escribió il giorno alle ore ha scritto em às
  escreveu op om schreef den kl skrev dnia napisał napisała użytkownik v dne odesílatel napsal ke klo kirjoitti dátummal írta σε στις έγραψε
  пишет написал писав tarihinde şunu yazdı в г h th st nd rd pm gmt utc mez mesz cet cest met bst est edt cst cdt pst pdt via`;

let known: ReadonlySet<string> | undefined;

/** The words that may stand in a date or around it. Made on first use: it asks Intl for each language. */
function knownWords(): ReadonlySet<string> {
  if (known !== undefined) return known;
  const words = new Set(lettersIn(frame));
  for (const language of languages) {
    for (const width of ['long', 'medium'] as const) {
      const months = new Intl.DateTimeFormat(language, { dateStyle: width, timeZone: 'UTC' });
      const weekdays = new Intl.DateTimeFormat(language, {
        weekday: width === 'long' ? 'long' : 'short',
        timeZone: 'UTC',
      });
      for (let i = 0; i < 12; i += 1)
        for (const text of [months.format(Date.UTC(2026, i, 1)), weekdays.format(Date.UTC(2026, 0, i + 1))])
          for (const word of lettersIn(text)) words.add(word);
    }
  }
  known = words;
  return words;
}

const longest = 600;
const address = /<?(?:mailto:)?([^\s<>()[\]:;,"]+@[^\s<>()[\]:;,"]+)>?/g;

/** Whether a line, or several that were broken out of one, says when we wrote what follows, and nothing else. */
export function isAttribution(line: string, people: Correspondents): boolean {
  if (line.length > longest || !/[:：]\s*$/.test(line)) return false;
  const { rest, isOfUs } = withoutPeople(line, people);
  return isOfUs && hasDate(rest) && isKnown(rest);
}

/** What a header line of Outlook says: from whom, or anything else about our mail. Undefined if it has a word that is not known. */
export function isHeaderLine(line: string, people: Correspondents): 'from' | 'other' | undefined {
  const [, value] =
    /^[\s*]{0,8}\p{L}[\p{L}\p{M}. -]{0,24}[\s*]{0,3}[:：]([\s*\p{S}\p{P}\p{L}\p{N}\p{M}]+)$/u.exec(
      line.slice(0, longest),
    ) ?? [];
  if (value === undefined || line.length > longest) return undefined;
  const { rest, isOfUs, hasAddress } = withoutPeople(value, people);
  if (isOfUs && hasAddress && wordsOf(rest).length === 0) return 'from';
  const isOfPeople = rest.length < value.length && wordsOf(rest).length === 0;
  return isOfPeople || (hasDate(rest) && isKnown(rest)) ? 'other' : undefined;
}

const dateLabel =
  /^[\s*]{0,8}(?:sent|date|gesendet|datum|envoyé|enviado|fecha|inviato|data|verzonden|skickat|sendt)[\s*]{0,3}[:：]/iu;

/** Whether a line has the date of our mail, under a label that programs write above its author. Any other label may be a person's word. */
export function isDateLine(line: string, people: Correspondents): boolean {
  return dateLabel.test(line) && isHeaderLine(line, people) === 'other';
}

/** The text without names and addresses of the correspondents, and without each other address. */
function withoutPeople(text: string, { author, ourName, isOurs }: Correspondents) {
  let isOfUs = false;
  let hasAddress = false;
  let rest = text.replace(address, (_, found: string) => {
    hasAddress = true;
    isOfUs ||= isOurs(found.toLowerCase().replace(/[.>]+$/, ''));
    return ' ';
  });
  for (const [name, isOur] of [
    [ourName, true],
    [author?.name, false],
  ] as const) {
    const at = name === undefined || name.trim() === '' ? -1 : rest.toLowerCase().indexOf(name.toLowerCase());
    if (at < 0) continue;
    isOfUs ||= isOur;
    rest = `${rest.slice(0, at)} ${rest.slice(at + (name ?? '').length)}`;
  }
  return { rest, isOfUs, hasAddress };
}

/** A year, or a day with its month as numbers. */
function hasDate(text: string): boolean {
  return /(?:^|\D)20\d\d(?:\D|$)|\d{1,2}[./-]\s?\d{1,2}[./-]\s?\d{2}/.test(text);
}

function isKnown(text: string): boolean {
  const words = knownWords();
  // a number of a date or a time; any other may be an amount
  const areTimes = (text.match(/[+-]?\d+/g) ?? []).every((number) =>
    /^(?:[+-]?[0-5]?\d|20\d\d|[+-]\d{4})$/.test(number),
  );
  return areTimes && lettersIn(text).every((word) => words.has(word));
}

/** The words of a text without digits: `9`, `09h12` and `2026年`. */
function lettersIn(text: string): readonly string[] {
  return wordsOf(text).flatMap((word) => word.match(/\D+/g) ?? []);
}
