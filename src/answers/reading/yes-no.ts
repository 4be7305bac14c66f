/**
 * Whether a typed reply says yes or no, in words or emoji. A yes with a condition is neither, and so is a question.
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
