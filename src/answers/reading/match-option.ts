/**
 * Finds the one option that a typed reply means: by id, label, position in the list, or start of the label. A reply
 * that fits two options, negates one or asks back is refused, never guessed; typing errors are not corrected.
 */

import type { Choice, ReplyContext } from '../../core/ask/answer-type.js';
import { folded } from '../../core/text.js';
import type { Vocabulary } from '../../core/wording/language.js';
import type { Wording } from '../../core/wording/wording.js';
import { listPositionIn, numberAlone, numberIn } from './list-position.js';
import type { TypedReply } from './typed-reply.js';
import { asksBack, plain, says, typedReply, vocabularyFor, wordsOf } from './typed-reply.js';

interface OptionItem {
  readonly choice: Choice;
  readonly folded: string;
  readonly plain: string;
  /** The numbers in its label: a reply with one of them may mean this option. */
  readonly numbers: ReadonlySet<number>;
}

/** Options prepared for matching, with the vocabulary of the person's language. */
export interface OptionList {
  readonly items: readonly OptionItem[];
  readonly context: ReplyContext | undefined;
  readonly vocabulary: Vocabulary;
  /** False if labels begin with numbers themselves: then "2" is no position. */
  readonly places: boolean;
  /** A longer reply cannot name any option. */
  readonly maxLength: number;
}

/** Why no option matched. Without `say` the reply names none. `rest` says what is valid instead. */
export interface Unread {
  readonly why: 'not-understood' | 'not-valid';
  readonly say?: (wording: Wording, rest: string) => string;
}

export type OptionRead = { readonly option: Choice } | Unread;

const nothing: Unread = { why: 'not-understood' };

export function optionList(choices: readonly Choice[], context: ReplyContext | undefined): OptionList {
  const vocabulary = vocabularyFor(context);
  const numbers = choices.map((choice) => numbersIn(plain(choice.label), vocabulary));
  const counting = numbers.filter((each) => each.length > 0).length > 1;
  const items = choices.map((choice, i): OptionItem => {
    const meant = (numbers[i] ?? []).filter((number) => counting || !number.pronoun).map((number) => number.value);
    return { choice, folded: folded(choice.label), plain: plain(choice.label), numbers: new Set(meant) };
  });
  const first = items.map((item) => wordsOf(item.plain)[0] ?? '');
  const counted = first.filter((word) => numberIn(word, vocabulary) !== undefined);
  const longest = items.reduce((sum, { choice }) => sum + 2 * (choice.id.length + choice.label.length), 1_000);
  return {
    items,
    context,
    vocabulary,
    places: counted.length < 2 && !first.some((word) => /^\d/.test(word)),
    maxLength: longest,
  };
}

/**
 * The numbers in a label. "One" as in "Another one" is marked as a pronoun: it counts only if other labels have
 * numbers too.
 */
function numbersIn(label: string, vocabulary: Vocabulary): readonly { value: number; pronoun: boolean }[] {
  return wordsOf(label).flatMap((word, i) => {
    const value = numberIn(word, vocabulary);
    return value === undefined ? [] : [{ value, pronoun: i > 0 && value === 1 && !/\d/.test(word) }];
  });
}

/** The option with exactly this id, or with this label in any case. */
export function exactOption(reply: string, list: OptionList): Choice | undefined {
  const text = reply.trim();
  const known = list.items.find(({ choice }) => choice.id === text);
  if (known !== undefined || text.length > list.maxLength) return known?.choice;
  const words = folded(text);
  return list.items.find((item) => item.folded === words)?.choice;
}

/** The option with this label, ignoring polite words around it. Matches no positions and no starts of labels. */
export function namedOption(reply: string, list: OptionList): OptionRead {
  const exact = exactOption(reply, list);
  if (exact !== undefined) return { option: exact };
  if (reply.trim().length > list.maxLength) return nothing;
  const text = typedReply(reply, list.context);
  if (asksBack(text.whole)) return { why: 'not-understood', say: (wording, rest) => `${wording.askedBack()} ${rest}` };
  for (const stage of text.stages) {
    const labelled = list.items.filter((item) => stage !== '' && item.plain === stage);
    if (labelled.length > 0) return oneOf(labelled);
    const copied = copiedLine(stage, list);
    if (copied.length > 0) return oneOf(copied);
  }
  return nothing;
}

/** Matches the reply by everything that a person may call an option. */
export function readOption(reply: string, list: OptionList): OptionRead {
  const named = namedOption(reply, list);
  if ('option' in named || named.say !== undefined || reply.trim().length > list.maxLength) return named;
  const text = typedReply(reply, list.context);
  const { whole, bare, vocabulary } = text;
  if (says(whole, vocabulary.not) && wordsOf(bare).length > 1) {
    return { why: 'not-understood', say: (wording, rest) => `${wording.sayWhich()} ${rest}` };
  }
  const place = listPositionIn(text, list.items.length);
  if (place === undefined) return oneOf(withPrefix(text, list));
  const placed = list.places || place.ordinal ? list.items.slice(place.at - 1, place.at) : [];
  const rivals = placed.length > 0 ? list.items.filter((item) => item.numbers.has(place.said)) : [];
  const found = [...new Set([...placed, ...rivals, ...withPrefix(text, list)])];
  return found.length === 0 ? { why: 'not-valid' } : oneOf(found);
}

/**
 * Matches the reply only by a whole label, an id, or a number that is the whole reply. For approvals: "go with 3" may be
 * about an amount, and neither "last" nor the start of a label is a clear yes.
 */
export function readExplicitOption(reply: string, list: OptionList): OptionRead {
  const read = readOption(reply, list);
  if (!('option' in read) || 'option' in namedOption(reply, list)) return read;
  const number = numberAlone(reply);
  const placed = number === undefined ? undefined : list.items[number - 1];
  return placed?.choice === read.option ? read : nothing;
}

function oneOf(items: readonly OptionItem[]): OptionRead {
  const [only] = items;
  if (only === undefined) return nothing;
  if (items.length === 1) return { option: only.choice };
  const labels = items.map((item) => item.choice.label);
  return { why: 'not-understood', say: (wording) => wording.ambiguous(labels) };
}

/** A line copied from the list, such as "2. Large". Number and label must agree. */
function copiedLine(stage: string, { items }: OptionList): readonly OptionItem[] {
  const line = /^#?(\d{1,3})(?:[.:)]| -) ?(\D.*)$/su.exec(stage);
  const labelled = line === null ? undefined : items.find((item) => item.plain === (line[2] as string));
  const placed = line === null ? undefined : items[Number(line[1]) - 1];
  if (labelled === undefined || placed === undefined) return [];
  return placed === labelled ? [labelled] : [placed, labelled];
}

/**
 * The options whose labels begin with the reply. A word with a meaning of its own is no prefix: "no" is not "North".
 */
function withPrefix({ bare, stages, vocabulary }: TypedReply, { items }: OptionList): readonly OptionItem[] {
  if ([...bare].length < 2 || !/\p{L}|\p{N}/u.test(bare) || !namesSomething(bare, vocabulary)) return [];
  if (stages.some((stage) => vocabulary.vague.has(stage))) return [];
  return items.filter((item) => item.plain.startsWith(bare) && !cutsNumber(item.plain, bare.length));
}

function namesSomething(bare: string, vocabulary: Vocabulary): boolean {
  const { yes, no, decline, skip, vague, not, and, or, before, after } = vocabulary;
  const own = [yes, no, decline, skip, vague, not, and, or, foreignYesNo];
  const isOwn = (text: string) => own.some((words) => words.has(text)) || before.includes(text) || after.includes(text);
  return !isOwn(bare) && !wordsOf(bare).every(isOwn);
}

/** True if the prefix ends inside a number: "10" is no prefix of "100 EUR", nor "11" of "11:30". */
function cutsNumber(label: string, at: number): boolean {
  return /\d/.test(label[at - 1] ?? '') && /^[.,:/-]?\d/.test(label.slice(at, at + 2));
}

/** Yes and no in languages that we have no vocabulary for: such short words are easily the prefix of a label. */
const foreignYesNo = new Set(
  `ja nein nö nee nej nei oui non si sí no da net ne nie tak nem igen ano sim não nao hai evet joo ei jo ok`.split(' '),
);

/** Splits a reply that names several options: at commas, line breaks and words for "and"; numbers also at spaces. */
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
