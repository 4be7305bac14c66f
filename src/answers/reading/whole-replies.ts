/**
 * Whole replies that mean something by themselves: yes, no, and the question what the answer is needed for. By lists in the
 * person's language: a yes with a condition is neither yes nor no, and a sentence that only begins with "why" may be an answer.
 */
import type { ReplyContext } from '../../core/ask/answer-type.js';
import { asksBack, isFriendly, plain, typedReply, vocabularyFor } from './typed-reply.js';

/** `approval`: words such as "approve" and "deny" count, too. Elsewhere they may name what is asked about. */
export interface YesNoOptions {
  readonly approval: boolean;
}

/** What words and emoji mean, if they agree; 'both' if they contradict each other. */
export function yesOrNoIn(
  reply: string,
  context: ReplyContext | undefined,
  options: YesNoOptions = { approval: false },
): boolean | 'both' | undefined {
  const { yes, no } = vocabularyFor(context);
  const whole = plain(reply);
  if (asksBack(whole)) return undefined;
  const sides = new Set<boolean | undefined>();
  for (const [picture] of whole.matchAll(/\p{Extended_Pictographic}/gu)) {
    if (yes.has(picture) || no.has(picture)) sides.add(yes.has(picture));
    else if (!isFriendly(picture)) return undefined;
  }
  const words = whole.replace(/\p{Extended_Pictographic}/gu, ' ').trim();
  if (words !== '') sides.add(wordsMean(words, context, options));
  return sides.size > 1 ? 'both' : [...sides][0];
}

function wordsMean(words: string, context: ReplyContext | undefined, { approval }: YesNoOptions): boolean | undefined {
  const { stages, vocabulary } = typedReply(words, context);
  for (const stage of stages) {
    const phrase = stage.replace(/[\s,;:.!]+/g, ' ').trim();
    if (vocabulary.yes.has(phrase) || (approval && vocabulary.approve.has(phrase))) return true;
    if (vocabulary.no.has(phrase) || (approval && vocabulary.deny.has(phrase))) return false;
    if (vocabulary.vague.has(phrase)) return undefined;
  }
  return undefined;
}

/** Longer than any question of the list. */
const longestWhy = 120;

/** What people write before it without changing it, beside what they write before an answer. */
const whyLeads = new Set(['but', 'sorry', 'ok', 'okay', 'aber', 'mais', 'pero']);

/** Whether the reply asks what the answer is needed for, and says nothing else. */
export function asksWhy(reply: string, context: ReplyContext | undefined): boolean {
  if (reply.length > longestWhy) return false;
  const { stages, vocabulary } = typedReply(reply, context);
  return stages.some((stage) => {
    const phrase = stage.replace(/[\s?？¿!¡.,;:…]+/g, ' ').trim();
    const [first = '', ...rest] = phrase.split(' ');
    const isLed = rest.length > 0 && (whyLeads.has(first) || vocabulary.and.has(first));
    return vocabulary.why.has(phrase) || (isLed && vocabulary.why.has(rest.join(' ')));
  });
}
