/**
 * Reads a reply that names several options: divides it at commas, line breaks and words for "and", so that each part names one. Nothing may
 * be left over, and nothing may stand there twice.
 */
import type { Choice } from '../../core/ask/answer-type.js';
import { type Phrases, replyWords, textOf } from '../../core/reply-words.js';
import { folded } from '../../core/text.js';
import { namings, type OptionList, type OptionRead, readOption } from './options.js';
import { nothing, readableReply, type Unread } from './reply.js';

type PartsRead = { readonly named: readonly Choice[] } | Unread;

/** `dividers` are words for "and", or for whatever else joins options. */
export function readParts(reply: string, list: OptionList, ...dividers: readonly Phrases[]): PartsRead {
  let first: Unread = nothing;
  const widest = Math.max(...list.items.map(({ choice }) => partsOf(choice.label, dividers).length));
  const known = new Map<string, OptionRead>();
  const readPiece = (piece: string, isPart: boolean): OptionRead => {
    const key = `${isPart} ${piece}`;
    const read = known.get(key) ?? (isPart ? readOption(piece, list, 'part') : labelled(piece, list));
    known.set(key, read);
    return read;
  };
  for (const text of listsIn(reply, list)) {
    const read = readList(text, readPiece, widest, dividers);
    if ('named' in read) return read;
    if (first.say === undefined) first = read;
  }
  return first;
}

/** Texts that may be the list itself. After "I'd like" a number alone may be an amount, and is no list. */
function* listsIn(reply: string, list: OptionList): Generator<string> {
  yield reply;
  for (const { text, isChosen } of namings(readableReply(reply, list.context), list))
    if (!isChosen || text.includes(' ') || 'option' in readOption(text, list, 'labels')) yield text;
}

/** A reply with more of them is no list of options. */
const mostParts = 60;

/** Reads a piece: a part as a reply is read, several parts together only as a whole label. */
type PieceReader = (piece: string, isPart: boolean) => OptionRead;

function labelled(piece: string, { items }: OptionList): OptionRead {
  const text = textOf(replyWords(piece));
  const item = items.findLast(({ labels }) => labels.includes(text));
  return item === undefined ? nothing : { option: item.choice };
}

/**
 * Tries every way to divide the text so that each piece names an option, because a label may contain a comma or an "and". Two ways that
 * lead to different options are refused.
 */
function readList(text: string, readPiece: PieceReader, widest: number, dividers: readonly Phrases[]): PartsRead {
  const parts = partsOf(text, dividers);
  if (parts.length === 0 || parts.length > mostParts || dangles(text, dividers)) return nothing;
  let why: Unread = nothing;
  const ways: (readonly (readonly Choice[])[])[] = [];
  ways[parts.length] = [[]];
  for (let i = parts.length - 1; i >= 0; i -= 1) {
    const found: (readonly Choice[])[] = [];
    for (let next = Math.min(i + widest, parts.length); next > i; next -= 1) {
      const read = readPiece(text.slice(parts[i]?.from, parts[next - 1]?.to), next === i + 1);
      if ('option' in read) found.push(...(ways[next] ?? []).map((rest) => [read.option, ...rest]));
      else if (next === i + 1 && (read.say !== undefined || read.why === 'not-valid')) why = read;
    }
    ways[i] = found.slice(0, 2);
  }
  const [way, another] = ways[0] ?? [];
  if (way === undefined) return why;
  if (another !== undefined) {
    const meanings = [way, another].map((options) => options.map((option) => option.label).join(' + '));
    return { why: 'not-understood', say: (wording) => wording.ambiguous(meanings) };
  }
  return new Set(way).size === way.length ? { named: way } : nothing;
}

const divider = /^[,;\n⏎、，；]$/u;
/** Numbers alone are divided at spaces, too. */
const numbersAlone = /^#?\p{Nd}[\p{Nd}#\s,;+&⏎、，；]*$/u;

/** The pieces of a reply that names several options. */
function partsOf(reply: string, dividers: readonly Phrases[]): readonly { from: number; to: number }[] {
  const parts: { from: number; to: number }[] = [];
  const isNumbers = numbersAlone.test(reply);
  const pieces = isNumbers ? /[\p{Nd}#]+/gu : /[,;\n⏎、，；]|[^\s,;⏎、，；]+/gu;
  let isOpen = false;
  for (const { 0: piece, index } of reply.matchAll(pieces)) {
    const isDivider = divides(piece, dividers);
    const last = parts.at(-1);
    if (!isDivider && isOpen && last !== undefined) last.to = index + piece.length;
    else if (!isDivider) parts.push({ from: index, to: index + piece.length });
    isOpen = !isDivider && !isNumbers;
  }
  return parts;
}

function divides(piece: string, dividers: readonly Phrases[]): boolean {
  return divider.test(piece) || dividers.some((words) => words.has(folded(piece)));
}

/** Whether the text begins or ends with what joins two options: "1 and". */
function dangles(text: string, dividers: readonly Phrases[]): boolean {
  const words = text.trim().split(/\s+/);
  return [words[0], words.at(-1)].some((word = '') => divides(word, dividers));
}
