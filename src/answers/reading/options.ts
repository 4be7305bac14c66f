/**
 * Finds the one option that a typed reply names: by its whole label, the number it was shown with, an ordinal, or the leading words of its
 * label. The whole reply must name it. Nothing is guessed: what fits two options, or limits one, is refused; ids are never read.
 */
import type { Choice, ReplyContext } from '../../core/ask/answer-type.js';
import { isNumbered } from '../../core/ask/answer-type.js';
import { hidesText, type Phrases, replyWords, spellings, textOf } from '../../core/reply-words.js';
import { withoutControls } from '../../core/text.js';
import type { Vocabulary } from '../../core/wording/language.js';
import type { TypedReply, Unread } from './reply.js';
import { answersOf, denies, notAnAnswer, nothing, readableReply, vocabularyFor } from './reply.js';

interface OptionItem {
  readonly choice: Choice;
  /** Its label, folded for comparison, in all spellings. */
  readonly labels: readonly string[];
  /** The same with its number, as it may be copied from the list: "2. Large". */
  readonly lines: readonly string[];
  /** The numbers in its label: a reply with one of them may mean this option. */
  readonly numbers: ReadonlySet<number>;
}

/** Options as they were shown, with the vocabulary of the person's language. */
export interface OptionList {
  readonly choices: readonly Choice[];
  readonly items: readonly OptionItem[];
  /** Whether they were shown with the numbers 1 to n. */
  readonly isNumbered: boolean;
  readonly context: ReplyContext | undefined;
  readonly vocabulary: Vocabulary;
}

export type OptionRead = { readonly option: Choice } | Unread;

/** The options with the numbers that were stored with the ask; those of a question that was not asked yet are worked out. */
export function optionList(choices: readonly Choice[], context: ReplyContext | undefined): OptionList {
  const vocabulary = vocabularyFor(context);
  const shown = isNumbered(context?.shape?.type === 'choices' ? context.shape : { choices });
  const folded = (label: string) => spellings(label).map((each) => textOf(replyWords(each)));
  const items = choices.map((choice, i): OptionItem => {
    const labels = folded(choice.label).filter((each) => each !== '');
    const lines = shown ? ['.', ')', ':', ' -'].flatMap((mark) => folded(`${i + 1}${mark} ${choice.label}`)) : [];
    return { choice, labels, lines, numbers: numbersIn(choice.label, vocabulary) };
  });
  return { choices, items, isNumbered: shown, context, vocabulary };
}

function numbersIn(label: string, vocabulary: Vocabulary): ReadonlySet<number> {
  const words = replyWords(label).words.map(({ text }) => text);
  const digits = words.flatMap((text) => [...text.matchAll(/\d{1,9}/g)].map(([each]) => Number(each)));
  const roman = ['i', 'ii', 'iii', 'iv', 'v', 'vi', 'vii', 'viii', 'ix', 'x'].indexOf(words.at(-1) ?? '') + 1;
  return new Set([...digits, ...words.flatMap((text) => numberMeant(text, vocabulary) ?? []), roman]);
}

/** The option with exactly this label, in any case. It comes before everything else that a reply may mean. */
export function exactOption<T extends Choice>(reply: string, choices: readonly T[]): T | undefined {
  const longest = Math.max(...choices.map(({ label }) => label.length));
  const text = reply.length > 4 * longest + 100 || hidesText(reply) ? undefined : exactly(reply);
  return choices.find(({ label }) => exactly(label) === text);
}

function exactly(text: string): string {
  return withoutControls(text).normalize('NFKC').trim().replace(/ +/g, ' ').toLowerCase();
}

/** Reads a reply that names one option. A part of a reply is the name itself; with `labels` only a whole label names an option. */
export function readOption(reply: string, list: OptionList, as: 'whole' | 'part' | 'labels' = 'whole'): OptionRead {
  const exact = exactOption(reply, list.choices);
  if (exact !== undefined) return { option: exact };
  const refused = notAnAnswer(reply);
  if (refused !== undefined) return refused;
  const words = readableReply(reply, list.context);
  const names = as === 'part' ? [{ text: textOf(words), isChosen: false }] : [...namings(words, list)];
  const labelled = labelledIn(names, list);
  if (labelled.length > 0) return oneOf(labelled);
  if (as === 'labels') return nothing;
  const placed = placedIn(names, list);
  const named = [...new Set([...(placed ?? []), ...ledIn(names, list)])];
  if (named.length > 0) return oneOf(named);
  if (denies(words)) return { why: 'not-understood', say: (wording, rest) => `${wording.sayWhich()} ${rest}` };
  return placed === undefined ? nothing : { why: 'not-valid' };
}

function oneOf(items: readonly OptionItem[]): OptionRead {
  const [only] = items;
  if (only === undefined) return nothing;
  if (items.length === 1) return { option: only.choice };
  const labels = items.map((item) => item.choice.label);
  return { why: 'not-understood', say: (wording) => wording.ambiguous(labels) };
}

/** What may name an option; `isChosen` after a phrase such as "I'd like". */
interface Naming {
  readonly text: string;
  readonly isChosen: boolean;
}

/**
 * Texts in which an option may be named: without courtesy, and without what may stand before an option, unless it is an option itself. A
 * greeting or thanks may address a person ("thanks, Anna"), or a name sign ("Thanks! Anna"): beside a bare label they need a word that asks for it.
 */
export function* namings(reply: TypedReply, { items, vocabulary }: OptionList): Generator<Naming> {
  const isLabel = (text: string) => items.some(({ labels }) => labels.includes(text));
  const startsWithLabel = (text: string) =>
    items.some(({ labels }) => labels.some((label) => text === label || begins(text, label)));
  const { please, greetings, thanks } = vocabulary;
  const [first, ...more] = reply.words.map((_, at) => at);
  const has = (phrases: Phrases, places: readonly number[]) =>
    places.some((at) => phrases.endAt(reply, at) !== undefined);
  const isAddressed =
    first !== undefined && (has(greetings, [first]) || has(thanks, [first])) && !has(please, [first, ...more]);
  for (const text of answersOf(reply, reply.before, isLabel)) {
    if (!isAddressed || !startsWithLabel(text) || text === textOf(reply)) yield { text, isChosen: false };
    const words = replyWords(text);
    const chosen = vocabulary.chooses.endAt(words, 0);
    if (chosen === undefined || chosen === words.words.length || isLabel(textOf(words, 0, chosen))) continue;
    yield { text: textOf(words, chosen), isChosen: true };
  }
}

/** The options whose whole label this is. An article may stand before it, and then a noun after it: "the red one". */
function labelledIn(names: readonly Naming[], { items, vocabulary }: OptionList): readonly OptionItem[] {
  for (const { text } of names) {
    const words = replyWords(text);
    const article = vocabulary.articles.endAt(words, 0) ?? 0;
    const last = words.words.length - 1;
    const isNoun = article > 0 && vocabulary.placeNouns.has(words.words[last]?.text ?? '');
    const isOption = items.some(({ labels }) => labels.includes(textOf(words, 0, article)));
    const noun = isNoun ? textOf(words, article, last) : '';
    // "the second one" may be the option that is shown second, whatever is called "Second"
    const isPlace = ordinalIn(noun, vocabulary) !== undefined;
    const forms = isOption ? [text] : [text, textOf(words, article), isPlace ? '' : noun];
    const found = items.filter(({ labels, lines }) => [...labels, ...lines].some((label) => forms.includes(label)));
    if (found.length > 0) return found;
  }
  return [];
}

/**
 * The option with the number that the reply is, and each other whose label has that number: Room 12 is the first option, and there is a
 * Room 1. Undefined if the reply is no such number.
 */
function placedIn(names: readonly Naming[], list: OptionList): readonly OptionItem[] | undefined {
  const { items, isNumbered: numbered, vocabulary } = list;
  for (const { text, isChosen } of numbered ? names : []) {
    const number = shownNumber(text, isChosen, vocabulary);
    const placed = number === undefined ? undefined : items[number - 1];
    if (number !== undefined) return placed === undefined ? [] : [...new Set([placed, ...withNumber(number, list)])];
  }
  return undefined;
}

/** "2", "#2", "option 2", "No. 2", "two", "option two", "the second one". Not "the two", nor "I want 2", which may be an amount. */
function shownNumber(text: string, isChosen: boolean, vocabulary: Vocabulary): number | undefined {
  const { numberNouns, numbers, articles, placeNouns } = vocabulary;
  const [, noun = '', digits] = /^(?:([^\d#]*?)[ :]*)?#? ?(0|[1-9]\d{0,2})$/u.exec(text) ?? [];
  if (digits !== undefined && (noun === '' ? !isChosen : numberNouns.has(noun))) return Number(digits);
  const words = text.split(' ');
  const [first = '', second = '', third = ''] = words;
  if (words.length === 3 && articles.has(first) && placeNouns.has(third))
    return ordinalIn(second, vocabulary) ?? (/^\d{1,2}\.?$/.test(second) ? Number.parseInt(second, 10) : undefined);
  const word = numbers.get(words.at(-1) ?? '') ?? 0;
  const before = words.slice(0, -1).join(' ');
  if (before === '') return word > 1 && !isChosen ? word : undefined; // "one" is a pronoun, too
  return word > 0 && numberNouns.has(before) && !articles.has(before) ? word : undefined;
}

function ordinalIn(word: string, { ordinals, ordinalEndings }: Vocabulary): number | undefined {
  const [, digits, ending = ''] = /^(\d{1,3})(.{1,4})$/u.exec(word) ?? [];
  return digits === undefined ? ordinals.get(word) : ordinalEndings.has(ending) ? Number(digits) : undefined;
}

/** The number that a text is: digits, a word or an ordinal. */
function numberMeant(text: string, vocabulary: Vocabulary): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) : (vocabulary.numbers.get(text) ?? ordinalIn(text, vocabulary));
}

function withNumber(number: number, { items }: OptionList): readonly OptionItem[] {
  return items.filter(({ numbers }) => numbers.has(number));
}

/** Whether what follows the text in the label says nothing of its own. */
function isNeutral(item: OptionItem, text: string, { items, vocabulary }: OptionList): boolean {
  const { and, not } = vocabulary;
  const others = new Set(items.filter((each) => each !== item).flatMap(({ labels }) => labels.flatMap(wordsOf)));
  const [rest = ''] = item.labels.flatMap((label) => (begins(label, text) ? [label.slice(text.length)] : []));
  if (wordsOf(rest).some((word) => not.has(word) || /^0+(?:[.,]0+)?\D?$/.test(word))) return false;
  const words = wordsOf(rest.replace(/\([^()]*\)\s*$/, '')); // "(next day)" explains the label
  const isUnit = words.length <= 1 && numberMeant(text, vocabulary) !== undefined; // "2" of "2 pm"
  return isUnit || and.has(words[0] ?? '') || words.every((word) => others.has(word));
}

function wordsOf(text: string): readonly string[] {
  return replyWords(text).words.map((word) => word.text.replace(/^[([]+|[)\]]+$/g, ''));
}

/** In whole words: "10" does not begin "10:00" or "10,5". */
function begins(label: string, start: string): boolean {
  return label.startsWith(start) && /^[,;:.!)]*\s/.test(label.slice(start.length));
}

/**
 * The options whose label begins with the reply, none of its words a word of talk: "no" is not "No delivery". What follows in the label may
 * turn it round ("Refund rejected", "Pay nobody"), so it counts only if it tells nothing apart: each word stands in another label, too, or it
 * only adds something ("Fish and chips"). Where the reply is a number, each other option with that number is named, too.
 */
function ledIn(names: readonly Naming[], list: OptionList): readonly OptionItem[] {
  const { talk, not, and, or, articles, yes, weakYes, no, approve, deny, decline, before, after } = list.vocabulary;
  const lists = [talk, not, and, or, articles, yes, weakYes, no, approve, deny, decline, before, after];
  const isTalk = (word: string) => lists.some((words) => words.has(word));
  for (const { text } of names) {
    const led = list.items.filter(({ labels }) => labels.some((label) => begins(label, text)));
    if (
      led.length === 0 ||
      [text, ...text.split(' ')].some(isTalk) ||
      !led.every((item) => isNeutral(item, text, list))
    )
      continue;
    const number = numberMeant(text, list.vocabulary);
    if (number === undefined) return led;
    const placed = list.isNumbered ? list.items.slice(number - 1, number) : [];
    return [...new Set([...led, ...placed, ...withNumber(number, list)])];
  }
  return [];
}
