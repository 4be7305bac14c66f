/**
 * What the file of a language holds: data, and no code. How a sentence of it becomes text stands in sentence.ts, what its lists become in
 * language.ts.
 */
import type { Sentence } from './sentence.js';

/**
 * The words and forms by which replies are read: closed lists. All in lower case; a phrase may have several words, and stands in a reply as
 * it is written here. Accents and umlauts may be left out in a reply ("bien sur", "natuerlich").
 */
export interface Words {
  /** Clear phrases for yes. */
  readonly yes: readonly string[];
  /** Weak phrases for yes, such as "ok": they say yes alone, but neither beside thanks, which may refuse, nor to an approval. */
  readonly weakYes: readonly string[];
  /** Phrases for no. */
  readonly no: readonly string[];
  /** Those of `yes` and `no` that may be said twice. Any other that is said twice ("yeah yeah") is asked again. */
  readonly emphatic: readonly string[];
  /**
   * Clear phrases that approve an action: a shorter list than `yes`, which then says yes weakly. "Correct" agrees with a statement, and
   * orders nothing.
   */
  readonly approve: readonly string[];
  /** Phrases that deny an action, beside `no`. */
  readonly deny: readonly string[];
  /** What a question may begin with that asks whether to do something: "shall I". The rest of it may follow a yes. */
  readonly asks: readonly string[];
  /** Whole replies that call the question off. None may be a plausible answer to an open question. */
  readonly decline: readonly string[];
  /** Whole replies that ask what the answer is needed for. */
  readonly why: readonly string[];
  /** Whole replies that leave out what may be left out. */
  readonly skip: readonly string[];
  /** Whole replies that pick nothing, where that is allowed. */
  readonly none: readonly string[];
  /** "Please", before or after an answer. */
  readonly please: readonly string[];
  /** Greetings before an answer. After it they may be an exclamation: "yes, hello". No article, preposition or filler. */
  readonly greetings: readonly string[];
  /** What ends a letter, after an answer. In a mail, a line at the end that has nothing else is left out. */
  readonly closings: readonly string[];
  /** Thanks, which are courtesy beside a clear answer. None has a number in it: "5 mil gracias". */
  readonly thanks: readonly string[];
  /** What may stand before an option: "I'd like". */
  readonly chooses: readonly string[];
  /** What may stand before the label of an option: "the". */
  readonly articles: readonly string[];
  /** What may stand before the shown number of an option: "option", "number". */
  readonly numberNouns: readonly string[];
  /** What follows an ordinal: "the second one". */
  readonly placeNouns: readonly string[];
  /** From the first on; each may have several forms. */
  readonly ordinals: readonly (readonly string[])[];
  /** What follows a digit to make it an ordinal: "st", "nd". */
  readonly ordinalEndings: readonly string[];
  /** From zero on; each may have several forms. */
  readonly numbers: readonly (readonly string[])[];
  /** What joins several options. */
  readonly and: readonly string[];
  /** What joins alternatives. */
  readonly or: readonly string[];
  /** Words that limit or deny what stands beside them. */
  readonly not: readonly string[];
  /** Words of talk: the beginning of a label that has one of them does not name the option. */
  readonly talk: readonly string[];
  /** What may stand before a number without changing it: "it's". Not "at", "about" or "the". */
  readonly numberLeads: readonly string[];
  /** What stands before the noun that a question counts: "how many". An answer may have that noun behind its number. */
  readonly counts: readonly string[];
  /** What may stand before a day: "on". Not "by" or "until". */
  readonly dateLeads: readonly string[];
  /** What may stand before a time of day: "at". */
  readonly timeLeads: readonly string[];
  /** January to December, with their short forms. */
  readonly months: readonly (readonly string[])[];
  /** Parts of the day behind an hour, with the first and the last hour of each, counted to 24: `['pm', 12, 23]`. */
  readonly dayParts: readonly (readonly [phrase: string, from: number, to: number])[];
  /** The decimal separator. */
  readonly decimal: '.' | ',';
  /** Which comes first in 04/05/2026. Left out where people do not agree: then it is asked, not guessed. */
  readonly dateOrder?: 'day-first' | 'month-first';
  /** English words that are ordinary words of this language with another meaning: Spanish "y" is "and". They are not understood beside it. */
  readonly unlikeEnglish: readonly string[];
}

/** How numbers, dates and times are written. */
type NotationName = 'decimal' | 'dateOrder' | 'dayParts';

/** A language as its file has it; `Name` are the names of the sentences. */
export interface LanguageData<Name extends string = string> {
  /** Its tag: `de`, or `de-CH` for one country. */
  readonly locale: string;
  /** How numbers, dates and times are written; `thousands` is the mark between the thousands of a long number. */
  readonly notation: Pick<Words, NotationName> & { readonly thousands: string };
  /** What is said. */
  readonly sentences: { readonly [name in Name]: Sentence };
  /**
   * The words by which replies are read, with commas between them. A phrase that has a comma itself stands in double quotation marks. Where
   * each place of a list may have several forms, as in `months`, semicolons divide the places.
   */
  readonly words: { readonly [list in keyof Words as Exclude<list, NotationName>]: string };
}
