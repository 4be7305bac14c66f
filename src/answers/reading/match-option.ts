/**
 * One option read out of what a person typed: by its id, its label, its place in the list, or how it begins.
 * What fits two options, says what is not wanted, or asks back is refused, never guessed; typing errors are not mended.
 */

import type { Choice, ReplyContext } from '../../core/ask/answer-type.js';
import { folded } from '../../core/text.js';
import type { Vocabulary } from '../../core/wording/language.js';
import type { Wording } from '../../core/wording/wording.js';
import { listPositionIn, numberIn } from './list-position.js';
import type { TypedReply } from './typed-reply.js';
import { asksBack, plain, says, typedReply, vocabularyFor, wordsOf } from './typed-reply.js';

interface OptionItem {
  readonly choice: Choice;
  readonly folded: string;
  readonly plain: string;
  /** The numbers that its label speaks of: a reply with one of them may mean it. */
  readonly numbers: ReadonlySet<number>;
}

/** Options made ready for reading, with the words of the person's language. */
export interface OptionList {
  readonly items: readonly OptionItem[];
  readonly heard: ReplyContext | undefined;
  readonly vocabulary: Vocabulary;
  /** False where labels begin with numbers themselves: then "2" is no place in the list. */
  readonly places: boolean;
  /** Longer replies can name none of them. */
  readonly longest: number;
}

/** Why no option was read; without `say` the reply simply names none. `rest` is what is valid instead. */
export interface Unread {
  readonly why: 'not-understood' | 'not-valid';
  readonly say?: (wording: Wording, rest: string) => string;
}

export type OptionRead = { readonly option: Choice } | Unread;

const nothing: Unread = { why: 'not-understood' };

export function optionList(choices: readonly Choice[], heard: ReplyContext | undefined): OptionList {
  const vocabulary = vocabularyFor(heard);
  const numbers = choices.map((choice) => numbersIn(plain(choice.label), vocabulary));
  const counting = numbers.filter((each) => each.length > 0).length > 1;
  const items = choices.map((choice, i): OptionItem => {
    const meant = (numbers[i] ?? []).filter((number) => counting || !number.pronoun).map((number) => number.value);
    return { choice, folded: folded(choice.label), plain: plain(choice.label), numbers: new Set(meant) };
  });
  const first = items.map((item) => wordsOf(item.plain)[0] ?? '');
  const counted = first.filter((word) => numberIn(word, vocabulary) !== undefined);
  const longest = items.reduce((sum, { choice }) => sum + 2 * (choice.id.length + choice.label.length), 1_000);
  return { items, heard, vocabulary, places: counted.length < 2 && !first.some((word) => /^\d/.test(word)), longest };
}

/** In "Another one" the last word counts nothing, unless other labels speak of numbers too. */
function numbersIn(label: string, vocabulary: Vocabulary): readonly { value: number; pronoun: boolean }[] {
  return wordsOf(label).flatMap((word, i) => {
    const value = numberIn(word, vocabulary);
    return value === undefined ? [] : [{ value, pronoun: i > 0 && value === 1 && !/\d/.test(word) }];
  });
}

/** The option of exactly this id, or of this label in any case. */
export function exactOption(reply: string, list: OptionList): Choice | undefined {
  const text = reply.trim();
  const known = list.items.find(({ choice }) => choice.id === text);
  if (known !== undefined || text.length > list.longest) return known?.choice;
  const words = folded(text);
  return list.items.find((item) => item.folded === words)?.choice;
}

/** The option named exactly, or exactly but for the words around it. Reads no numbers and no beginnings. */
export function namedOption(reply: string, list: OptionList): OptionRead {
  const exact = exactOption(reply, list);
  if (exact !== undefined) return { option: exact };
  if (reply.trim().length > list.longest) return nothing;
  const text = typedReply(reply, list.heard);
  if (asksBack(text.whole)) return { why: 'not-understood', say: (wording, rest) => `${wording.askedBack()} ${rest}` };
  for (const stage of text.stages) {
    const labelled = list.items.filter((item) => stage !== '' && item.plain === stage);
    if (labelled.length > 0) return oneOf(labelled);
    const copied = copiedLine(stage, list);
    if (copied.length > 0) return oneOf(copied);
  }
  return nothing;
}

/** Reads the reply as one option, by everything a person may call it. */
export function readOption(reply: string, list: OptionList): OptionRead {
  const named = namedOption(reply, list);
  if ('option' in named || named.say !== undefined || reply.trim().length > list.longest) return named;
  const text = typedReply(reply, list.heard);
  const { whole, bare, vocabulary } = text;
  if (says(whole, vocabulary.not) && wordsOf(bare).length > 1) {
    return { why: 'not-understood', say: (wording, rest) => `${wording.sayWhich()} ${rest}` };
  }
  const place = listPositionIn(text, list.items.length);
  if (place === undefined) return oneOf(beginningWith(text, list));
  const placed = list.places || place.ordinal ? list.items.slice(place.at - 1, place.at) : [];
  const rivals = placed.length > 0 ? list.items.filter((item) => item.numbers.has(place.said)) : [];
  const found = [...new Set([...placed, ...rivals, ...beginningWith(text, list)])];
  return found.length === 0 ? { why: 'not-valid' } : oneOf(found);
}

function oneOf(items: readonly OptionItem[]): OptionRead {
  const [only] = items;
  if (only === undefined) return nothing;
  if (items.length === 1) return { option: only.choice };
  const labels = items.map((item) => item.choice.label);
  return { why: 'not-understood', say: (wording) => wording.ambiguous(labels) };
}

/** "2. Large", as it stands in the list. The number and the label must agree. */
function copiedLine(stage: string, { items }: OptionList): readonly OptionItem[] {
  const line = /^#?(\d{1,3})(?:[.:)]| -) ?(\D.*)$/su.exec(stage);
  const labelled = line === null ? undefined : items.find((item) => item.plain === (line[2] as string));
  const placed = line === null ? undefined : items[Number(line[1]) - 1];
  if (labelled === undefined || placed === undefined) return [];
  return placed === labelled ? [labelled] : [placed, labelled];
}

/** The options whose labels begin so. A word that says something of its own is no beginning: "no" is not "North". */
function beginningWith({ bare, stages, vocabulary }: TypedReply, { items }: OptionList): readonly OptionItem[] {
  if ([...bare].length < 2 || !/\p{L}|\p{N}/u.test(bare) || !saysMore(bare, vocabulary)) return [];
  if (stages.some((stage) => vocabulary.vague.has(stage))) return [];
  return items.filter((item) => item.plain.startsWith(bare) && !cutsNumber(item.plain, bare.length));
}

function saysMore(bare: string, vocabulary: Vocabulary): boolean {
  const { yes, no, decline, skip, vague, not, and, or, before, after } = vocabulary;
  const own = [yes, no, decline, skip, vague, not, and, or, foreign];
  const isOwn = (text: string) => own.some((words) => words.has(text)) || before.includes(text) || after.includes(text);
  return !isOwn(bare) && !wordsOf(bare).every(isOwn);
}

/** "10" is no beginning of "100 EUR", nor "11" of "11:30". */
function cutsNumber(label: string, at: number): boolean {
  return /\d/.test(label[at - 1] ?? '') && /^[.,:/-]?\d/.test(label.slice(at, at + 2));
}

/** Yes and no of people whose language is not known. Short words are easily the beginning of something else. */
const foreign = new Set(
  `ja nein nö nee nej nei oui non si sí no da net ne nie tak nem igen ano sim não nao hai evet joo ei jo ok`.split(' '),
);

/** The parts of a reply that names several: divided by commas, lines and words for "and"; numbers also by blanks. */
export function partsOf(
  reply: string,
  { vocabulary }: OptionList,
  more: ReadonlySet<string> = new Set(),
): readonly { readonly from: number; readonly to: number }[] {
  const parts: { from: number; to: number }[] = [];
  const numbers = /^[\p{Nd}#\s,;+&、，；]+$/u.test(reply);
  const pieces = numbers ? /[\p{Nd}#]+/gu : /[,;\n、，；]|[^\s,;、，；]+/gu;
  let open = false;
  for (const { 0: piece, index } of reply.matchAll(pieces)) {
    const word = folded(piece);
    const divides = /^[,;\n、，；]$/u.test(piece) || vocabulary.and.has(word) || more.has(word);
    const last = parts.at(-1);
    if (!divides && open && last !== undefined) last.to = index + piece.length;
    else if (!divides) parts.push({ from: index, to: index + piece.length });
    open = !divides && !numbers;
  }
  return parts;
}
