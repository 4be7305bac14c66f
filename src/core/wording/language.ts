/**
 * A language: what the library says in it, and the vocabulary by which replies are read. Chosen by a person's locale.
 */
import { AgentError } from '../errors.js';
import { describe } from '../ids.js';
import { friendlyEmoji, Phrases, spellings } from '../reply-words.js';
import type { LanguageData, Words } from './data.js';
import { list } from './list.js';
import { type Wording, wordingOf } from './wording.js';

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

/** Makes a language of the data in its file. Its words are read when they are first needed: four languages take 12 ms. */
export function languageOf(data: LanguageData<keyof Wording>): Language {
  let words: Words | undefined;
  return {
    locale: data.locale,
    wording: wordingOf(data),
    get words() {
      words ??= wordsOf(data);
      return words;
    },
  };
}

function wordsOf({ notation: { thousands: _, ...notation }, words }: LanguageData<keyof Wording>): Words {
  const lists = Object.entries(words).map(([name, written]) => [
    name,
    written.includes(';') ? written.split(';').map(list) : list(written),
  ]);
  return { ...Object.fromEntries(lists), ...notation } as Words; // a list for each of its names
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
    const where = `[${i}] (${language.locale}) must have`;
    for (const part of ['wording', 'words'] as const)
      for (const [name, example] of Object.entries(like[part])) {
        const value = (language[part] as unknown as Readonly<Record<string, unknown>> | undefined)?.[name];
        const form = formOf(example);
        if (formOf(value) !== form && !isEmptyList(value, form))
          throw notLanguages(`${where} ${part}.${name}, ${form}`, value);
      }
    const both = language.words.no.find((phrase) => yesLists(language.words).includes(phrase));
    if (both !== undefined) throw notLanguages(`${where} a phrase either in words.yes or in words.no`, both);
    byTag.set(language.locale.toLowerCase(), language);
  }
  return byTag;
}

const yesLists = ({ yes, weakYes }: Words): readonly string[] => [...yes, ...weakYes];

/** What a part of a language is: each must be what it is in English. A string in the place of a list would be read letter by letter. */
function formOf(value: unknown): string {
  if (!Array.isArray(value)) return value === undefined ? 'nothing' : `a ${typeof value}`;
  return value.every((each) => typeof each === 'string') ? 'a list of strings' : 'a list of lists';
}

const isEmptyList = (value: unknown, form: string): boolean =>
  Array.isArray(value) && value.length === 0 && form.startsWith('a list');

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

/** Returns the words of a language with those of `also` that mean nothing else in it: people mix languages. */
export function vocabularyOf(words: Words, also: Words): Vocabulary {
  const known = prepared.get(words)?.get(also);
  if (known !== undefined) return known;
  const vocabulary = merged(words, also);
  prepared.set(words, (prepared.get(words) ?? new Map<Words, Vocabulary>()).set(also, vocabulary));
  return vocabulary;
}

/** A word that a language lists itself is not taken from `also` for these lists: there it would mean something else, or be clearer. */
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
