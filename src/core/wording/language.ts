/**
 * A language as data: what the library says in it, and the words people answer with. Chosen by a person's locale.
 */
import { AgentError } from '../errors.js';
import { describe } from '../ids.js';
import { folded } from '../text.js';
import type { Wording } from './wording.js';

/** The words and forms by which replies are read. All in lower case; a phrase may have several words. */
export interface Words {
  /** Whole replies that mean yes. */
  readonly yes: readonly string[];
  /** Whole replies that mean no. */
  readonly no: readonly string[];
  /** Whole replies that approve an action, beside `yes`. */
  readonly approve: readonly string[];
  /** Whole replies that deny an action, beside `no`. */
  readonly deny: readonly string[];
  /** Whole replies that call the question off. None may be a plausible answer to an open question. */
  readonly decline: readonly string[];
  /** Whole replies that ask what the answer is needed for. */
  readonly why: readonly string[];
  /** Whole replies that leave out what may be left out. */
  readonly skip: readonly string[];
  /** Whole replies that pick nothing, where that is allowed. */
  readonly none: readonly string[];
  /** What people write before an answer without changing it: "please", "I'd like", "option". */
  readonly before: readonly string[];
  /** What people write after it: "please", "thanks". */
  readonly after: readonly string[];
  /** What joins several options. */
  readonly and: readonly string[];
  /** What joins alternatives. */
  readonly or: readonly string[];
  /** A reply with one of these says what somebody does not want. */
  readonly not: readonly string[];
  /** Never taken for the beginning of an option: "none", "both", "maybe". */
  readonly vague: readonly string[];
  /** From zero on. */
  readonly numbers: readonly string[];
  /** From the first on; each place may have several forms. */
  readonly ordinals: readonly (readonly string[])[];
  /** Names of the last place in a list. */
  readonly last: readonly string[];
  /** What may follow an ordinal: "the second one". */
  readonly placeNouns: readonly string[];
  /** Words of `before` after which a number is a place in the list; after any other it may be an amount. */
  readonly beforePlace: readonly string[];
  /** The same before digits only: "the 2" is a place, "the one" is not. */
  readonly beforeDigits: readonly string[];
  /** What follows a digit to make it an ordinal: "st", "nd". */
  readonly ordinalEndings: readonly string[];
  /** January to December, with their short forms. */
  readonly months: readonly (readonly string[])[];
  /** What marks a time before noon. */
  readonly am: readonly string[];
  /** What marks a time after noon. */
  readonly pm: readonly string[];
  /** The decimal separator. */
  readonly decimal: '.' | ',';
  /** Which comes first in 04/05/2026. Left out where people do not agree: then it is asked, not guessed. */
  readonly dateOrder?: 'day-first' | 'month-first';
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

/** The words of a language made ready for looking up. */
export interface Vocabulary {
  readonly yes: ReadonlySet<string>;
  readonly no: ReadonlySet<string>;
  readonly approve: ReadonlySet<string>;
  readonly deny: ReadonlySet<string>;
  readonly decline: ReadonlySet<string>;
  readonly why: ReadonlySet<string>;
  readonly skip: ReadonlySet<string>;
  readonly none: ReadonlySet<string>;
  /** Longest first, so that "i would like" is taken off before "i". */
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly and: ReadonlySet<string>;
  readonly or: ReadonlySet<string>;
  readonly not: ReadonlySet<string>;
  readonly vague: ReadonlySet<string>;
  readonly numbers: ReadonlyMap<string, number>;
  readonly ordinals: ReadonlyMap<string, number>;
  readonly last: ReadonlySet<string>;
  readonly placeNouns: ReadonlySet<string>;
  readonly beforePlace: ReadonlySet<string>;
  readonly beforeDigits: ReadonlySet<string>;
  readonly ordinalEndings: readonly string[];
  readonly months: ReadonlyMap<string, number>;
  readonly am: ReadonlySet<string>;
  readonly pm: ReadonlySet<string>;
  readonly decimal: '.' | ',';
  readonly dateOrder: 'day-first' | 'month-first' | undefined;
}

const prepared = new WeakMap<Words, Map<Words, Vocabulary>>();

/** People mix languages: a reply is read with the words of its own language and, where those are silent, of `also`. */
export function vocabularyOf(words: Words, also: Words): Vocabulary {
  const known = prepared.get(words)?.get(also);
  if (known !== undefined) return known;
  const vocabulary = merged(words, also);
  const perOther = prepared.get(words) ?? new Map<Words, Vocabulary>();
  prepared.set(words, perOther.set(also, vocabulary));
  return vocabulary;
}

type Sets = Exclude<
  { [K in keyof Vocabulary]: Vocabulary[K] extends ReadonlySet<string> ? K : never }[keyof Vocabulary],
  'yes' | 'no'
>;

function merged(own: Words, also: Words): Vocabulary {
  const set = (name: Sets): ReadonlySet<string> => new Set([...own[name], ...also[name]].map(folded));
  const longestFirst = (name: 'before' | 'after'): readonly string[] =>
    [...new Set([...own[name], ...also[name]].map(folded))].sort((a, b) => b.length - a.length);
  const places = (lists: readonly (readonly string[])[], more: readonly (readonly string[])[], from: number) => {
    const map = new Map<string, number>();
    for (const each of [more, lists]) {
      for (const [i, names] of each.entries()) for (const name of names) map.set(folded(name), i + from);
    }
    return map;
  };
  const single = (names: readonly string[]): readonly (readonly string[])[] => names.map((name) => [name]);
  const [yes, no] = [new Set(own.yes.map(folded)), new Set(own.no.map(folded))];
  for (const word of also.yes.map(folded)) if (!no.has(word)) yes.add(word);
  for (const word of also.no.map(folded)) if (!yes.has(word)) no.add(word);
  return {
    yes,
    no,
    approve: set('approve'),
    deny: set('deny'),
    decline: set('decline'),
    why: set('why'),
    skip: set('skip'),
    none: set('none'),
    before: longestFirst('before'),
    after: longestFirst('after'),
    and: set('and'),
    or: set('or'),
    not: set('not'),
    vague: set('vague'),
    numbers: places(single(own.numbers), single(also.numbers), 0),
    ordinals: places(own.ordinals, also.ordinals, 1),
    last: set('last'),
    placeNouns: set('placeNouns'),
    beforePlace: set('beforePlace'),
    beforeDigits: set('beforeDigits'),
    ordinalEndings: [...new Set([...own.ordinalEndings, ...also.ordinalEndings])],
    months: places(own.months, also.months, 1),
    am: set('am'),
    pm: set('pm'),
    decimal: own.decimal,
    dateOrder: own.dateOrder,
  };
}
