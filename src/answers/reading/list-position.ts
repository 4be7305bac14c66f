/**
 * A place in a list, as people say it: "2", "#2", "two", "the second one", "2nd", "last".
 * Whether a place is meant at all is decided where the options are read.
 */
import type { Vocabulary } from '../../core/wording/language.js';
import type { TypedReply } from './typed-reply.js';

export interface ListPosition {
  /** From 1 on; may lie outside of the list. */
  readonly at: number;
  /** The number as it was said, to be looked for in labels; endless for "last". */
  readonly said: number;
  /** Said as a place ("the second"), not as a number that may also be an amount. */
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

/** The number that a word of a label stands for, in any form. */
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
