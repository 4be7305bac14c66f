/**
 * Recognises what mail programs write above the mail that is answered: "On 17 Nov 2026, Refunds wrote:", or the header lines of Outlook. Each
 * word must be known: a name or an address of the mail, the day on which it was sent, or a word of a closed list. A line with any other word, or
 * of another day, is a person's.
 */
import { list } from '../../../core/wording/list.js';
import type { MailAddress } from '../addresses.js';
import { bareSubject } from '../threading.js';
import { isDecoration, wordsOf } from './words.js';

/** A mail of ours that may have been answered. */
export interface SentMail {
  readonly subject: string;
  /** All that it shows, as text: one for each of its parts, and for each state that it may have been sent in. */
  readonly texts: readonly string[];
  readonly at: Date;
}

/** What is known of a reply beside its text. */
export interface ReplyContext {
  /** Mails of ours that may have been answered. */
  readonly sent: readonly SentMail[];
  /** Who wrote the reply. */
  readonly author?: MailAddress;
  /** The name in our From field. */
  readonly ourName?: string | undefined;
  /** True for each address of ours. */
  readonly isOurs: (address: string) => boolean;
  /** The subject of the reply. */
  readonly subject?: string;
  /** Whether each line with the mark of a quote is left out, also one that is none of ours: for a message that answers no question. */
  readonly cutsQuotes?: boolean;
}

const hour = 3_600_000;
/** From the time zone that is furthest behind to the one that is furthest ahead; sending may take some hours. */
const spread = [-12 * hour, 0, 18 * hour];

/** Languages whose names of months and weekdays are known. Programs write the line in the language of the person. */
const languages = 'en en-GB de fr es it pt nl sv da nb fi pl cs sk hu ro el tr ru uk ja ko zh'.split(' ');

/** Words of the line beside names and dates, in those languages. */
const frame = new Set(
  wordsOf(`on en at wrote am um schrieb hat folgendes geschrieben uhr le à a écrit el las los de escribió il giorno alle ore ha scritto em às
  escreveu op om schreef den kl skrev dnia napisał napisała użytkownik v dne odesílatel napsal ke klo kirjoitti dátummal írta σε στις έγραψε
  пишет написал писав tarihinde şunu yazdı в г h th st nd rd m p pm gmt utc mez mesz cet cest met bst est edt cst cdt pst pdt via 年 月 日`),
);

let formats: readonly Intl.DateTimeFormat[] | undefined;

/** Made on first use: it asks Intl for each language. */
function dateFormats(): readonly Intl.DateTimeFormat[] {
  formats ??= languages.flatMap((language) =>
    ([{ dateStyle: 'full' }, { dateStyle: 'medium' }, { weekday: 'short' }] as const).map(
      (form) => new Intl.DateTimeFormat(language, { ...form, timeZone: 'UTC' }),
    ),
  );
  return formats;
}

/** A day as it may be written. */
interface WrittenDay {
  readonly day: number;
  readonly month: number;
  readonly year: number;
  /** Names of its month and weekday, and what stands around them in a date. */
  readonly words: ReadonlySet<string>;
}

/** The days on which a mail may have been sent, in the person's time zone. */
function daysOf(sent: readonly SentMail[]): readonly WrittenDay[] {
  const dates = new Set(
    sent.flatMap(({ at }) => spread.map((by) => new Date(at.getTime() + by).toISOString().slice(0, 10))),
  );
  return [...dates].map((date) => {
    const [year = 0, month = 0, day = 0] = date.split('-').map(Number);
    const time = Date.UTC(year, month - 1, day);
    return { year, month, day, words: new Set(dateFormats().flatMap((format) => lettersIn(format.format(time)))) };
  });
}

const time =
  /\d{1,2}(?::|\s?h\s?)\d{2}(?:[:.]\d{2})?|\bklo?\.?\s\d{1,2}\.\d{2}|\b(?:gmt|utc)\s?[+-]\d{1,2}(?::?\d{2})?(?!\w)|\s[+-]\d{4}(?!\w)/giu;

/** Marks of a date. Any other may doubt the answer. */
const marksOfDate = /^[\p{L}\p{M}\p{N}\s.,:：;/()<>[\]"'’“”„«»+–—*-]*$/u;

/** Whether a text says one of these days, perhaps with a time, and nothing else. */
function saysDay(text: string, days: readonly WrittenDay[]): boolean {
  if (!marksOfDate.test(text)) return false;
  const date = text.replace(time, ' ');
  const numbers = (date.match(/\d+/g) ?? []).map(Number);
  const words = lettersIn(date);
  return days.some(({ day, month, year, words: names }) => {
    const isYear = (number: number) => number === year || number === year % 100;
    return (
      numbers.includes(day) &&
      numbers.some(isYear) &&
      numbers.length <= 3 &&
      numbers.every((number) => number === day || number === month || isYear(number)) &&
      words.every((word) => frame.has(word) || names.has(word))
    );
  });
}

const longest = 600;
const address = /<?(?:mailto:)?([^\s<>()[\]:;,"]+@[^\s<>()[\]:;,"]+)>?/g;

/** The labels of header lines: of an author, a date, recipients and a subject. */
const labels = new Set(
  list(`from, von, de, da, van, från, fra, od, lähettäjä, feladó, de la, από, kimden, от, від, 差出人, 보낸 사람, 发件人, expéditeur, remitente,
    sent, date, gesendet, datum, envoyé, date d'envoi, enviado, enviado el, enviado em, enviada em, fecha, data, inviato, verzonden, skickat, sendt,
    lähetetty, päivämäärä, päiväys, wysłano, odesláno, odoslané, elküldve, dátum, trimis, στάλθηκε, ημερομηνία, gönderildi, gönderme tarihi, tarih,
    отправлено, дата, надіслано, 送信日時, 日付, 보낸 날짜, 날짜, 发送时间, 日期,
    to, cc, an, à, a, para, pour, aan, till, til, do, komu, pro, vastaanottaja, címzett, către, προς, kime, кому, копия, 宛先, 받는 사람, 收件人,
    kopie, copie, copia, kopia, kopio, másolat, κοιν, bilgi, 抄送, 참조,
    subject, betreff, objet, asunto, oggetto, assunto, onderwerp, ämne, emne, aihe, temat, předmět, predmet, tárgy, subiect, θέμα, konu, тема,
    件名, 제목, 主题`).map((label) => wordsOf(label).join(' ')),
);

const headerLine = /^[\s*]{0,8}([\p{L}\p{M}][\p{L}\p{M}'’ -]{0,24}?)[\s*]{0,3}[:：]([^\n]*)$/u;

const mostHeaderLines = 12;
const mostAttributionLines = 3;

/** Returns a function that says how many of the last lines a mail program wrote above the mail that is answered. */
export function linesAbove(reply: ReplyContext): (lines: readonly string[]) => number {
  const days = daysOf(reply.sent);
  const subjects = [reply.subject ?? '', ...reply.sent.map((mail) => mail.subject)].map(bareSubject);

  /** What a header line of Outlook says: that we wrote it, when, or something else that is known. Undefined if it is none, or has another word. */
  const headerIn = (line: string): 'us' | 'day' | 'known' | undefined => {
    const [, label = '', value = ''] = (line.length > longest ? undefined : headerLine.exec(line)) ?? [];
    if (!labels.has(wordsOf(label).join(' '))) return undefined;
    if (saysDay(value, days)) return 'day';
    const { rest, isOfUs, hasAddress, isNamed } = withoutPeople(value, reply);
    if (isNamed && wordsOf(rest).length === 0) return isOfUs && hasAddress ? 'us' : 'known';
    const subject = bareSubject(value.replace(/\*/g, ''));
    return subject !== '' && subjects.includes(subject) ? 'known' : undefined;
  };

  /** Whether a line, or several that were broken out of one, says when we wrote what follows, and nothing else. */
  const isAttribution = (line: string): boolean => {
    if (line.length > longest || !/[:：]\s*$/.test(line)) return false;
    const { rest, isOfUs } = withoutPeople(line, reply);
    return isOfUs && saysDay(rest, days);
  };

  return (lines) => {
    const end = lines.findLastIndex((line) => !isDecoration(line)) + 1;
    const blank = lines.length - end;
    const header: string[] = [];
    for (let at = end - 1; at >= Math.max(0, end - mostHeaderLines); at -= 1) {
      const line = lines[at] as string;
      const says = isDecoration(line) ? 'known' : headerIn(line);
      if (says === undefined || header.includes(says)) break; // a second day is a person's
      if (says !== 'known') header.push(says);
      if (header.length === 2) return end - at + blank + separatorAbove(lines.slice(0, at));
    }
    for (let size = 1; size <= Math.min(mostAttributionLines, end); size += 1) {
      const part = lines.slice(end - size, end);
      if (part.some((line) => line.trim() === '')) break;
      if (isAttribution(part.join(' '))) return size + blank;
    }
    return 0;
  };
}

const separator =
  /^[\s*]*[-_]{2,40}\s*(?:original message|original appointment|original[- ]nachricht|ursprüngliche nachricht|message d['’]origine|mensaje original)?\s*[-_]{2,40}[\s*]*$/i;

function separatorAbove(lines: readonly string[]): number {
  const at = lines.findLastIndex((line) => line.trim() !== '');
  return at >= 0 && separator.test((lines[at] as string).slice(0, 200)) ? lines.length - at : 0;
}

/** The text without names and addresses of the correspondents, and without each other address. */
function withoutPeople(text: string, { author, ourName, isOurs }: ReplyContext) {
  let isOfUs = false;
  let hasAddress = false;
  let rest = text.replace(address, (_, found: string) => {
    hasAddress = true;
    isOfUs ||= isOurs(found.toLowerCase().replace(/[.>]+$/, ''));
    return ' ';
  });
  let isNamed = hasAddress;
  for (const name of [ourName, author?.name]) {
    const at = name === undefined || name.trim() === '' ? -1 : rest.toLowerCase().indexOf(name.toLowerCase());
    if (name === undefined || at < 0) continue;
    isNamed = true;
    isOfUs ||= name === ourName;
    rest = `${rest.slice(0, at)} ${rest.slice(at + name.length)}`;
  }
  return { rest, isOfUs, hasAddress, isNamed };
}

/** The words of a text without digits: `9`, `09h12` and `2026年`. */
function lettersIn(text: string): readonly string[] {
  return wordsOf(text).flatMap((word) => word.match(/\D+/g) ?? []);
}
