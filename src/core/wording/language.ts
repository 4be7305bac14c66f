/**
 * A language as data: what the library says in it, and the words people answer with. Chosen by a person's locale.
 */
import { AgentError } from '../errors.js';
import { describe } from '../ids.js';
import { friendlyEmoji, Phrases, spellings } from '../reply-words.js';
import type { Wording } from './wording.js';

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

/**
 * A language: `locale` is its tag (`de`, or `de-CH` for one country), `wording` what is said, `words` how replies are read.
 *
 * @example
 * import { AgentRegistry, type Language } from 'askback';
 * import { german } from 'askback/wording/de';
 *
 * const words = { ...german.words, yes: [...german.words.yes, 'jo'] };
 * const swiss: Language = { ...german, locale: 'de-CH', words };
 * const registry = new AgentRegistry({ languages: [swiss] });
 */
export interface Language {
  /** Its tag: `de`, or `de-CH` for one country. */
  readonly locale: string;
  /** What is said in it. */
  readonly wording: Wording;
  /** The words by which replies are read. */
  readonly words: Words;
}

/** The language for a locale: the exact one, else the one without its country, else undefined. */
export function languageFor(
  languages: ReadonlyMap<string, Language>,
  locale: string | undefined,
): Language | undefined {
  if (locale === undefined || languages.size === 0) return undefined;
  const tag = locale.toLowerCase().replaceAll('_', '-');
  for (let end = tag.length; end > 0; end = tag.lastIndexOf('-', end - 1)) {
    const found = languages.get(tag.slice(0, end));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Languages by their tags in lower case; a later one replaces an earlier one of the same tag. */
export function languagesByTag(languages: readonly Language[], like: Language): ReadonlyMap<string, Language> {
  if (!Array.isArray(languages)) throw notLanguages('must be a list', languages);
  const byTag = new Map<string, Language>();
  for (const [i, language] of (languages as readonly Language[]).entries()) {
    if (typeof language?.locale !== 'string' || !/^[a-z]{2,8}(-[a-z0-9]{1,8})*$/i.test(language.locale)) {
      throw notLanguages(`[${i}].locale must be a language tag such as "nl" or "pt-BR"`, language?.locale);
    }
    for (const part of ['wording', 'words'] as const) {
      const missing = Object.keys(like[part]).find((name) => !(name in (language[part] ?? {})));
      if (missing !== undefined)
        throw notLanguages(`[${i}] (${language.locale}) must have ${part}.${missing}`, undefined);
    }
    byTag.set(language.locale.toLowerCase(), language);
  }
  return byTag;
}

function notLanguages(expected: string, got: unknown): AgentError {
  return new AgentError(
    'bad-option',
    `AgentRegistry: languages${expected.startsWith('[') ? '' : ' '}${expected}, got ${describe(got)}.`,
  );
}

type WordList = { [K in keyof Words]-?: Words[K] extends readonly string[] ? K : never }[keyof Words];

/** The words of a language made ready for reading a reply, with those of English beside them, in all their spellings. */
export type Vocabulary = Readonly<Record<Exclude<WordList, 'numberNouns'>, Phrases>> & {
  /** Courtesy before an answer. */
  readonly before: Phrases;
  /** Courtesy before a number, and what may stand there without changing it. */
  readonly beforeNumber: Phrases;
  /** The same before a day. */
  readonly beforeDate: Phrases;
  /** Courtesy after an answer. */
  readonly after: Phrases;
  /** As they stand before a number, with their full stops: "no. 2" names an option, "no 2" does not. */
  readonly numberNouns: ReadonlySet<string>;
  readonly numbers: ReadonlyMap<string, number>;
  readonly ordinals: ReadonlyMap<string, number>;
  readonly months: ReadonlyMap<string, number>;
  readonly dayParts: Words['dayParts'];
  readonly decimal: '.' | ',';
  readonly dateOrder: 'day-first' | 'month-first' | undefined;
};

const prepared = new WeakMap<Words, Map<Words, Vocabulary>>();

/** People mix languages: a reply is read with the words of its own language and with those of `also` that mean nothing else in it. */
export function vocabularyOf(words: Words, also: Words): Vocabulary {
  const known = prepared.get(words)?.get(also);
  if (known !== undefined) return known;
  const vocabulary = merged(words, also);
  prepared.set(words, (prepared.get(words) ?? new Map<Words, Vocabulary>()).set(also, vocabulary));
  return vocabulary;
}

/** What a language lists itself means nothing else, and is no clearer, beside it. */
const opposites: { readonly [list in WordList]?: readonly WordList[] } = {
  yes: ['no', 'weakYes'],
  weakYes: ['no', 'yes'],
  no: ['yes', 'weakYes'],
};

function merged(own: Words, also: Words): Vocabulary {
  const both = (list: WordList): readonly string[] => {
    const taken = [...own.unlikeEnglish, ...(opposites[list] ?? []).flatMap((other) => own[other])];
    return [...own[list], ...also[list].filter((word) => !taken.includes(word))].flatMap(spellings);
  };
  const names = Object.keys(also).filter((name) => isList(also, name));
  const lists = Object.fromEntries(names.map((list) => [list, new Phrases(both(list))]));
  const counted = (ours: readonly (readonly string[])[], theirs: readonly (readonly string[])[], from: number) =>
    new Map(
      [theirs.map((each) => each.filter((name) => !own.unlikeEnglish.includes(name))), ours].flatMap((all) =>
        all.flatMap((each, i) => each.flatMap(spellings).map((name) => [name, i + from] as const)),
      ),
    );
  const polite = [...both('please'), ...both('thanks'), ...friendlyEmoji];
  const before = [...polite, ...both('greetings')];
  return {
    ...(lists as Record<WordList, Phrases>), // one for each list of Words
    before: new Phrases(before),
    beforeNumber: new Phrases([...before, ...both('numberLeads')]),
    beforeDate: new Phrases([...before, ...both('dateLeads')]),
    after: new Phrases([...polite, ...both('closings')]),
    numberNouns: new Set([...own.numberNouns, ...also.numberNouns].flatMap(beforeDigit)),
    numbers: counted(own.numbers, also.numbers, 0),
    ordinals: counted(own.ordinals, also.ordinals, 1),
    months: counted(own.months, also.months, 1),
    dayParts: [...own.dayParts, ...also.dayParts.filter(([phrase]) => !own.unlikeEnglish.includes(phrase))],
    decimal: own.decimal,
    dateOrder: own.dateOrder,
  };
}

function isList(words: Words, name: string): name is WordList {
  const list: unknown = words[name as keyof Words];
  return Array.isArray(list) && list.every((each) => typeof each === 'string');
}

/** As it stands before a number, where a full stop ends no sentence. */
const beforeDigit = (noun: string) => spellings(`${noun} 1`).map((text) => text.slice(0, -2));
