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
  /** The words of the question: behind a clear yes they only repeat what it says. */
  readonly isEcho?: boolean;
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
  const refused = notAnAnswer(reply);
  if (refused !== undefined) return refused;
  const words = readableReply(reply, context);
  return saidIn(words, withLabels(words, labels, context?.question ?? '?', isApproval), isApproval) ?? nothing;
}

function saidIn(reply: TypedReply, known: ReadonlyMap<string, Phrase>, isApproval: boolean): Said | undefined {
  const said = phrasesIn(reply, known);
  const [first] = said;
  if (first === undefined || said.length > 4 || said.some(({ yes }) => yes !== first.yes)) return undefined;
  const texts = said.map(({ text }) => text);
  const { emphatic, thanks, talk } = reply.vocabulary;
  // a short word may be another one without its accent: Spanish "hazlo si" is "do it if"
  if (texts.some((text, i) => i > 0 && first.yes && text.length < 4 && talk.has(text))) return undefined;
  if (texts.some((text, i) => texts.indexOf(text) !== i && !emphatic.has(text))) return undefined; // "yeah yeah"
  const hasThanks = reply.words.some((_, at) => thanks.endAt(reply, at) !== undefined);
  if (hasThanks && said.some(({ isWeak }) => isWeak)) return undefined; // "it's okay, thanks" refuses
  if (isApproval && said.every(({ isWeak }) => isWeak)) return undefined;
  const echo = said.findIndex(({ isEcho }) => isEcho);
  // the question alone, or before the yes, may be a doubt
  if (echo === 0 || (echo > 0 && (echo < said.length - 1 || said.some(({ isWeak }) => isWeak)))) return undefined;
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
function phrasesIn(reply: TypedReply, known: ReadonlyMap<string, Phrase>): readonly Phrase[] {
  const { text, words, before, after } = reply;
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
    // "si cancelas el pedido" is "if you cancel the order"
    if (phrase.isEcho && !isApart && reply.vocabulary.talk.has(said.at(-1)?.text ?? '')) return [];
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

/** The phrases that are known beside the labels of the question. */
function withLabels(
  { vocabulary }: TypedReply,
  labels: readonly SidedLabel[],
  question: string,
  isApproval: boolean,
): ReadonlyMap<string, Phrase> {
  const known = sides(vocabulary, isApproval);
  const means = isApproval ? 'the label' : meaningOfYes(labels, question, vocabulary); // labels of approvals are the library's own
  const plain = known.filter(
    ({ text }) => means === 'the label' || (means === 'unknown' && vocabulary.emphatic.has(text)),
  );
  const all = new Map(plain.map((each) => [each.text, each]));
  for (const { id, label, yes } of labels) {
    for (const text of spellings(label).map((each) => textOf(replyWords(each)))) {
      const same = all.get(text)?.yes === yes ? all.get(text) : { isOrder: true };
      if (text !== '') all.set(text, { ...same, text, yes, label: id });
    }
  }
  const echo = means === 'the label' && !isApproval ? echoOf(question, vocabulary) : '';
  for (const text of spellings(echo).filter((each) => each !== '' && !all.has(each)))
    all.set(text, { text, yes: true, isOrder: true, isEcho: true });
  return all;
}

/**
 * The words of a question that asks whether to do something, without "shall I". Empty where they may say something else behind a yes: where
 * they deny or leave a choice, ask what is so ("Is it paid?"), or may refuse ("Cancel?").
 */
function echoOf(question: string, vocabulary: Vocabulary): string {
  const { asks, not, or, talk, decline, deny, no } = vocabulary;
  const [, sentence = ''] = /^¿?([^?？¿]+)[?？]$/u.exec(question.trim()) ?? [];
  const asked = replyWords(sentence);
  const text = textOf(asked, asks.endAt(asked, 0) ?? 0);
  const words = wordsIn(text);
  const isOther = talk.has(words[0] ?? '') || words.some((word) => not.has(word) || or.has(word));
  return isOther || [decline, deny, no].some((phrases) => phrases.has(text)) ? '' : text;
}

/**
 * Whether a yes means the label of yes. It does where that label is a phrase for yes, or names what the question asks for, unless the question
 * names what the label of no does: "Reject it?" with Approve for yes and Reject for no. Then it means neither, and where the question has none
 * of these words only a plain yes or no counts.
 */
function meaningOfYes(
  labels: readonly SidedLabel[],
  question: string,
  vocabulary: Vocabulary,
): 'the label' | 'neither' | 'unknown' {
  const { not, decline } = vocabulary;
  const [yes = [], no = []] = [true, false].map((side) =>
    wordsIn(labels.flatMap((each) => (each.yes === side ? [each.label] : [])).join(' ')),
  );
  const known = sides(vocabulary, true);
  const agreeing = known.flatMap((phrase) => (phrase.yes ? [wordsIn(phrase.text)] : []));
  const denying = [...known.flatMap(({ yes: agrees, text }) => (agrees ? [] : [text])), ...decline].map(wordsIn);
  const denies = (words: readonly string[]) =>
    words.some((word) => not.has(word)) || denying.some((phrase) => includesAll(words, phrase));
  const agrees = (words: readonly string[]) => agreeing.some((phrase) => includesAll(words, phrase));
  const isLikeAgreeing = no.some((word) => agreeing.flat().some((each) => each.length > 4 && isAlike(word, each)));
  if (denies(yes) || includesAll(yes, no) || (!denies(no) && (agrees(no) || isLikeAgreeing))) return 'neither';
  const asked = wordsIn(question);
  const names = (words: readonly string[]) => words.some((word) => asked.some((each) => isAlike(word, each)));
  const isNegated = no.some((word) => not.has(word)); // "Not now" does not do what "Deploy now?" asks for
  if (!isNegated && names(no.filter((word) => !yes.includes(word)))) return 'neither';
  if (agrees(yes) || names(yes)) return 'the label';
  return names(no) || !question.includes('?') ? 'neither' : 'unknown';
}

/** The words of a text, also those that stand behind an apostrophe: "l'effacer". */
function wordsIn(text: string): readonly string[] {
  return replyWords(text)
    .words.flatMap((word) => word.text.split(/['’?¿]/))
    .filter((word) => word !== '');
}

function includesAll(words: readonly string[], phrase: readonly string[]): boolean {
  return phrase.length > 0 && phrase.every((word) => words.includes(word));
}

/** Two forms of one word: "erstatten" and "Erstattung". */
function isAlike(one: string, other: string): boolean {
  return one === other ? one.length > 2 : one.length > 3 && other.length > 3 && one.slice(0, 5) === other.slice(0, 5);
}
