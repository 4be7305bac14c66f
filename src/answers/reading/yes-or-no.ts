/**
 * Reads a yes or a no: one to four known phrases of one side, and nothing else but courtesy. What the closed lists do not know makes the
 * whole reply unclear, so that no condition, doubt or second thought is lost.
 */
import type { Choice, ReplyContext } from '../../core/ask/answer-type.js';
import { type Phrases, replyWords, spellings, textOf } from '../../core/reply-words.js';
import type { Vocabulary } from '../../core/wording/language.js';
import { exactOption } from './options.js';
import { notAnAnswer, nothing, readableReply, type TypedReply, type Unread } from './reply.js';

/** An option, and whether it says yes. */
interface SidedLabel extends Choice {
  readonly yes: boolean;
}

/** What a reply says; `label` is the id of the label that it names, if it names one. */
interface Said {
  readonly yes: boolean;
  readonly label?: string | undefined;
}

interface Phrase extends Said {
  readonly text: string;
  readonly isWeak?: boolean;
  /** It names what is to be done, or not to be done: another order beside it, or a "no" behind it, may mean the opposite. */
  readonly isOrder?: boolean;
}

/** Reads a reply as one of these labels: by the label itself, or by a yes or a no. */
export function readYesOrNo(
  reply: string,
  labels: readonly SidedLabel[],
  context: ReplyContext | undefined,
  isApproval: boolean,
): Said | Unread {
  const exact = exactOption(reply, labels);
  if (exact !== undefined) return { yes: exact.yes, label: exact.id };
  return notAnAnswer(reply) ?? saidIn(readableReply(reply, context), labels, isApproval) ?? nothing;
}

function saidIn(reply: TypedReply, labels: readonly SidedLabel[], isApproval: boolean): Said | undefined {
  const said = phrasesIn(reply, labels, isApproval);
  const [first] = said;
  if (first === undefined || said.length > 4 || said.some(({ yes }) => yes !== first.yes)) return undefined;
  const texts = said.map(({ text }) => text);
  const { emphatic, thanks } = reply.vocabulary;
  if (texts.some((text, i) => texts.indexOf(text) !== i && !emphatic.has(text))) return undefined; // "yeah yeah"
  const hasThanks = reply.words.some((_, at) => thanks.endAt(reply, at) !== undefined);
  if (hasThanks && said.some(({ isWeak }) => isWeak)) return undefined; // "it's okay, thanks" refuses
  if (isApproval && said.every(({ isWeak }) => isWeak)) return undefined;
  const orders = said.filter(({ isOrder }) => isOrder);
  if (orders.length > 1 || (!first.yes && orders[0] !== undefined && !isPlainNo(said, emphatic))) return undefined;
  const [label, another] = new Set(said.flatMap((each) => each.label ?? []));
  return another === undefined ? { yes: first.yes, label } : undefined;
}

/** "No, delete": only a plain no before what is named does not negate it. "Delete? Never!" and "don't delete" do. */
function isPlainNo(said: readonly Phrase[], emphatic: Phrases): boolean {
  return said.every(
    ({ isOrder, text }, i) => (isOrder === true) === (i === said.length - 1) && (isOrder || emphatic.has(text)),
  );
}

/** The phrases of which the whole reply is made; none if it has any other word. */
function phrasesIn(reply: TypedReply, labels: readonly SidedLabel[], isApproval: boolean): readonly Phrase[] {
  const { text, words, before, after } = reply;
  const known = withLabels(sides(reply.vocabulary, isApproval), labels);
  const said: Phrase[] = [];
  for (let at = 0, end = 0; at < words.length; ) {
    const courtesy = said.length === 0 ? before.endAt(reply, at) : after.endAt(reply, at);
    const polite = courtesy ?? (/^[-–—]$/.test(words[at]?.text ?? '') ? at + 1 : at);
    let to = words.length;
    while (to > polite && !known.has(textOf(reply, at, to))) to -= 1;
    const phrase = known.get(textOf(reply, at, Math.max(to, polite)));
    if (phrase === undefined && polite === at) return [];
    const isApart = /[.,!;:⏎–—-]/u.test(text.slice(end, words[at]?.from));
    at = Math.max(to, polite);
    if (phrase === undefined) continue;
    if (phrase.isOrder && !phrase.yes && said.length > 0 && !isApart) return []; // "don't deny it", "no denegar"
    said.push(phrase);
    end = words[at - 1]?.to ?? 0;
  }
  return said;
}

/** The phrases that are known; later ones replace earlier ones. */
function sides({ yes, weakYes, approve, no, deny }: Vocabulary, isApproval: boolean): readonly Phrase[] {
  const all = (list: Iterable<string>, phrase: Omit<Phrase, 'text'>) => [...list].map((text) => ({ ...phrase, text }));
  return [
    ...all(weakYes, { yes: true, isWeak: true }),
    ...all(yes, { yes: true, isWeak: isApproval }),
    ...all(no, { yes: false }),
    ...(isApproval ? [...approve].map((text) => ({ text, yes: true, isOrder: !yes.has(text) })) : []),
    ...(isApproval ? all(deny, { yes: false, isOrder: true }) : []),
  ];
}

/** The phrases with the labels of the question; the labels alone where a yes may agree with the label that says no. */
function withLabels(known: readonly Phrase[], labels: readonly SidedLabel[]): ReadonlyMap<string, Phrase> {
  const all = new Map((isInverted(known, labels) ? [] : known).map((each) => [each.text, each]));
  for (const { id, label, yes } of labels) {
    for (const text of spellings(label).map((each) => textOf(replyWords(each)))) {
      const same = all.get(text)?.yes === yes ? all.get(text) : { isOrder: true };
      if (text !== '') all.set(text, { ...same, text, yes, label: id });
    }
  }
  return all;
}

/** A label has a phrase of the other side in it ("Do not send" says yes), or a phrase for yes a word of the label that says no. */
function isInverted(known: readonly Phrase[], labels: readonly SidedLabel[]): boolean {
  return labels.some(({ label, yes }) => {
    const text = ` ${textOf(replyWords(label)).replace(/[,;:!]/g, '')} `;
    const stems = yes ? [] : text.split(' ').flatMap((word) => (word.length > 4 ? [word.slice(0, 5)] : []));
    return known.some(
      (phrase) =>
        phrase.yes !== yes &&
        (text.includes(` ${phrase.text} `) || phrase.text.split(' ').some((word) => stems.includes(word.slice(0, 5)))),
    );
  });
}
