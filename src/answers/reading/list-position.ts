/**
 * Parses a position in a list: "2", "#2", "two", "the second one", "2nd", "last". match-option.ts decides whether a
 * position is meant at all.
 */
import type { Vocabulary } from '../../core/wording/language.js';
import { plain, type TypedReply } from './typed-reply.js';

export interface ListPosition {
  /** Counted from 1; may be outside of the list. */
  readonly at: number;
  /** The number as typed, to compare with numbers in labels; Infinity for "last". */
  readonly said: number;
  /** True for an ordinal ("the second"), false for a number that may also be an amount. */
  readonly ordinal: boolean;
}

const lastOfAll = Number.POSITIVE_INFINITY;

export function listPositionIn({ bare, leads, vocabulary }: TypedReply, length: number): ListPosition | undefined {
  const said = ordinalIn(bare, vocabulary);
  if (said !== undefined) return { at: said === lastOfAll ? length : said, said, ordinal: true };
  const lead = leads.at(-1);
  const inDigits = /^#? ?\d{1,3}$/.test(bare);
  const number = inDigits ? Number(bare.replace('#', '')) : vocabulary.numbers.get(bare);
  if (number === undefined || !announcesPosition(lead, inDigits, vocabulary)) return undefined;
  return { at: number, said: number, ordinal: false };
}

/** The number of a reply that is nothing else but digits and marks: "2", "#2", "2.", "(2)". Not of "2 please" or "go with 2". */
export function numberAlone(reply: string): number | undefined {
  const digits = /^["'“”„«»([*_`]*#? ?(\d{1,3})["'“”«»)\]*_`,;:.!]*$/u.exec(plain(reply))?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** The number that a word of a label stands for: digits, a number word or an ordinal. */
export function numberIn(word: string, vocabulary: Vocabulary): number | undefined {
  if (/^\d{1,9}$/.test(word)) return Number(word);
  return vocabulary.numbers.get(word) ?? ordinalIn(word, vocabulary);
}

function ordinalIn(text: string, vocabulary: Vocabulary): number | undefined {
  const [first = '', ...rest] = text.split(' ');
  const noun = rest.join(' ');
  if (noun !== '' && !vocabulary.placeNouns.has(noun)) return vocabulary.ordinals.get(text);
  const digits = /^(\d{1,3})(.{1,4})$/u.exec(first);
  if (digits !== null) return vocabulary.ordinalEndings.includes(digits[2] as string) ? Number(digits[1]) : undefined;
  return vocabulary.last.has(first) ? lastOfAll : vocabulary.ordinals.get(first);
}

function announcesPosition(lead: string | undefined, inDigits: boolean, words: Vocabulary): boolean {
  if (lead === undefined || words.beforePlace.has(lead) || words.after.includes(lead)) return true;
  return inDigits && words.beforeDigits.has(lead);
}
