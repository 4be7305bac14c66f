/**
 * Every sentence the library itself says to a person, as one table. The languages fill it; a registry may change any of it.
 */
import { expecting, object, optional } from '../check-options.js';
import { AgentError } from '../errors.js';
import { describe } from '../ids.js';
import type { Participant } from '../participant.js';
import { ignoreRejection } from '../promise.js';

/**
 * What the library says. Replace any of it, in every language, with the registry's `wording` option.
 *
 * @example
 * import { AgentRegistry } from 'askback';
 *
 * const registry = new AgentRegistry({ wording: { refused: () => 'Das darf nur jemand anderes beantworten.' } });
 */
export interface Wording {
  /** The reply was not understood; the question is asked again. */
  readonly notUnderstood: (question: string, problem: string) => string;
  /** The reply was understood and cannot be right; the question is asked again. */
  readonly notValid: (question: string, problem: string) => string;
  /** The last attempt failed and the step is skipped. */
  readonly skipped: () => string;
  /** Somebody called the question off. */
  readonly declined: () => string;
  /** Somebody who may not answer pressed a button or used a link. Says nothing about the ask. */
  readonly refused: () => string;
  /** A reply from where the question is too long to be shown in full. */
  readonly notShown: () => string;
  /** A reply by mail to an ask that mail does not decide. */
  readonly notByMail: () => string;
  /** A reply of somebody who may answer, with nothing in it that counts as written by that person: a file alone, a quote, struck-out text, or what a program sent. */
  readonly nothingWritten: () => string;
  /** A reply to an ask that was answered before. `by` is given only to somebody who may answer it. */
  readonly already: (by: Participant | undefined) => string;
  /** A reply to an ask that expired. */
  readonly late: () => string;
  /** A reply to an ask that somebody declined. */
  readonly alreadyDeclined: () => string;
  /** A reply to an ask whose attempts were used up. */
  readonly alreadyExhausted: () => string;
  /** A reply to an ask that was cancelled. */
  readonly alreadyCancelled: () => string;
  /** A reply to an ask that reached nobody, or that the agent has taken back. */
  readonly alreadyWithdrawn: () => string;
  /** A reply to an ask that is not known in this conversation, or not any more. */
  readonly unknownAsk: () => string;
  /** The message is longer than `settings.textBytes`. */
  readonly tooLong: () => string;
  /** A turn failed for good; a person has been told. */
  readonly failed: () => string;
  /** An answer by button that does not fit. */
  readonly invalid: (problem: string) => string;
  /** A question shown again because nobody has answered it yet. */
  readonly reminder: (question: string) => string;

  /** Somebody hands a question over: what stands before it for the other person. `reason` is what was said about it, on one line. */
  readonly handedToYou: (by: Participant, question: string, reason: string | undefined) => string;
  /** What whoever hands a question over is told. */
  readonly handedOver: (to: Participant) => string;
  /** A question is not handed over: whoever should get it is named by something that is no id. */
  readonly handOverNeedsId: () => string;
  /** The same: it would stay with the same person. */
  readonly handOverToSelf: () => string;
  /** The same: it would go to the person it is asked for. */
  readonly handOverToAsker: () => string;
  /**
   * The same: the person is of another tenant than the question, or nobody knows of which. One sentence for both: else whoever hands over
   * could find out which ids exist in another tenant.
   */
  readonly handOverOutsideTenant: () => string;
  /** The same: the id is one of a channel that knows nobody by it, or somebody who may not answer there. */
  readonly handOverToUnknown: () => string;
  /** The same: a channel cannot be reached now to look the person up. */
  readonly handOverNotNow: () => string;
  /** The same: it would go to somebody who has handed it over. */
  readonly handOverBack: () => string;
  /** The same: it would go to somebody who has voted. */
  readonly handOverToVoter: () => string;
  /** The same: fewer people than needed could agree afterwards. */
  readonly handOverTooFew: (needed: number, left: number) => string;
  /** The same: it was handed over as often as it may be. */
  readonly handOverTooOften: (most: number) => string;

  /** A vote was counted: so many of those needed have said yes. */
  readonly voted: (yes: number, needed: number) => string;
  /** Somebody votes a second time. */
  readonly votedAlready: () => string;

  /** The reply is none of the options. */
  readonly pickOne: (labels: readonly string[]) => string;
  /** `least` and `most` are the numbers of options that may be picked. */
  readonly pickSeveral: (labels: readonly string[], least: number, most: number) => string;
  /** The reply names several options where one may be picked. */
  readonly onlyOne: () => string;
  /** The reply fits more than one option, number or date. */
  readonly ambiguous: (meanings: readonly string[]) => string;
  /** The reply says what is not wanted. */
  readonly sayWhich: () => string;
  /** The reply is a question itself. */
  readonly askedBack: () => string;
  /** The reply to a confirm is neither yes nor no. */
  readonly yesOrNo: () => string;
  /** Asks for the free answer to a choice. */
  readonly typeOther: () => string;

  /** The reply is empty of words. */
  readonly needText: () => string;
  /** The reply has words, but was judged not to answer the question. */
  readonly unclear: () => string;
  /** The text is too short; `least` is in characters. */
  readonly tooShort: (least: number) => string;
  /** The text is too long; `most` is in characters. */
  readonly tooLongText: (most: number) => string;
  /** The text does not fit the question's pattern. */
  readonly wrongPattern: (example: string | undefined) => string;
  /** The reply is no number. */
  readonly needNumber: (example: string) => string;
  /** The reply is no whole number. */
  readonly needWhole: (example: string) => string;
  /** The number is too small or too large. Undefined where there is no limit on that side. */
  readonly outOfRange: (least: string | undefined, most: string | undefined) => string;
  /** The date is too early or too late. Undefined where there is no limit on that side. */
  readonly outOfDates: (earliest: string | undefined, latest: string | undefined) => string;
  /** The reply is no date. */
  readonly needDate: (example: string) => string;
  /** The reply is a date that no calendar has. */
  readonly noSuchDate: () => string;
  /** The reply is no email address. */
  readonly needEmail: (example: string) => string;

  /** Somebody wants to skip a field that is needed. */
  readonly cannotSkip: () => string;
  /** Fields of a form that still need an answer, by their texts. */
  readonly missing: (fields: readonly string[]) => string;

  /** One line below the options, on channels without buttons. */
  readonly pickHint: () => string;
  /** The same where several options may be picked. */
  readonly pickSeveralHint: () => string;
  /** Where labels are numbers themselves, a place in the list would be ambiguous. */
  readonly labelHint: () => string;
  /** The line below a field that may be skipped. */
  readonly skipHint: () => string;

  /** The label of "yes" in a confirm, where the author gave none. */
  readonly yes: () => string;
  /** The label of "no" in a confirm. */
  readonly no: () => string;
  /** The label of the free answer to a choice. */
  readonly other: () => string;

  /** The question whether a model may use a tool, where the author gave none. */
  readonly allow: (tool: string) => string;
  /** The label that approves an action. */
  readonly approve: () => string;
  /** The label that denies an approval. */
  readonly deny: () => string;
  /** The label that approves once. */
  readonly once: () => string;
  /** The label that approves for the session. */
  readonly forSession: () => string;
  /** What the approver is told after an approval. */
  readonly approved: (how: 'once' | 'session' | undefined) => string;
  /** What the approver is told after a denial. */
  readonly denied: () => string;
  /** The name of the detail with the tool that a model calls. */
  readonly tool: () => string;
  /** The name of the detail with the arguments of a call. */
  readonly arguments: () => string;
  /** The name of the detail with what a model wrote beside its question. */
  readonly details: () => string;
  /** The heading of several questions of a model that gave none. */
  readonly severalQuestions: () => string;
  /** The name of the only field of a form. */
  readonly answer: () => string;
  /** What whoever works with a model sees while it waits for a person. */
  readonly asking: () => string;

  /** The button that opens a form for the answer, and the heading of that form. */
  readonly answerButton: () => string;
  /** The button that sends what was picked or filled in. */
  readonly sendButton: () => string;
  /** The button that closes a form and sends nothing. */
  readonly cancelButton: () => string;
  /** The button that opens the page of an ask. */
  readonly openPageButton: () => string;
  /** In a list from which nothing is picked yet. */
  readonly pickPlaceholder: () => string;
  /** The same where several options may be picked. */
  readonly pickSeveralPlaceholder: () => string;
  /** The name of the input for the time of day, beside that for the date of the same field. */
  readonly timeOf: (field: string) => string;
  /** The line below a question with a deadline. `time` is written as the channel shows times. */
  readonly openUntil: (time: string) => string;
  /** The line below a question that several people decide: so many of those needed have voted. */
  readonly votesSoFar: (given: number, needed: number) => string;
  /** The line below a question with a secret answer, where others can read what somebody writes. */
  readonly secretHint: () => string;
  /** In place of controls: the question is too long to be shown in full where it stands. */
  readonly tooLongHere: () => string;
  /** In place of controls, where none can carry the answer. */
  readonly replyHint: () => string;
  /** The line below a question that is over: how it ended, and who decided it, where that is known. */
  readonly ended: (
    how: 'answered' | 'declined' | 'exhausted' | 'expired' | 'cancelled',
    by: Participant | undefined,
  ) => string;
  /** In place of a text that is blank. */
  readonly noText: () => string;

  /** The first line of a mail that can be answered by a reply. What stands below it is not read. */
  readonly replyAbove: () => string;
  /** Below a question in a mail that a reply answers. */
  readonly mailReply: () => string;
  /** To the author of one mail to several questions. */
  readonly mailTwoAsks: () => string;
  /** The same, where there is a page as well: it stands before the link. */
  readonly mailOrPage: () => string;
  /** Below a question in a mail that only a page answers: it stands before the link. */
  readonly mailPage: () => string;
  /** The same for a question with a secret answer: a reply would decide it, and is not asked for. */
  readonly mailOpenPage: () => string;
  /** Below a question in a mail that gives no way to answer it. */
  readonly mailNoAnswer: () => string;
  /** Below the link in a mail. */
  readonly mailLinkIsYours: () => string;
  /** Below a question with a secret answer, in a mail that leads to a page. */
  readonly mailSecret: () => string;
}

type Sentence = (...about: never[]) => unknown;

/**
 * A language's sentences with an author's own in their place. Where one of those fails, the language's own is said, and
 * `failed` is told: the library must always have something to say, above all when a turn has failed.
 */
export function withWording(
  wording: Wording,
  changes: Partial<Wording>,
  failed: (name: string, why: unknown) => void,
): Wording {
  const all: Record<string, Sentence> = { ...wording };
  for (const [name, own] of Object.entries<Sentence>(changes)) {
    const usual = all[name] as Sentence; // whoever checked the changes has looked
    all[name] = (...about) => {
      try {
        const said = own(...about);
        if (typeof said === 'string') return said;
        failed(
          name,
          new AgentError('bad-option', `wording.${name} must return a text, got ${describe(ignoreRejection(said))}.`),
        );
      } catch (error) {
        failed(name, error);
      }
      return usual(...about);
    };
  }
  return all as unknown as Wording; // the same sentences, each as it was or by its own
}

const sentence = optional(
  expecting<Sentence>('a function that returns the sentence', (value) => typeof value === 'function'),
);

export function checkedWording(changes: Partial<Wording> | undefined, known: Wording): Partial<Wording> {
  const rules = Object.fromEntries(Object.keys(known).map((name) => [name, sentence]));
  const checked = object(rules, "{ skipped: () => 'Never mind.' }")(changes ?? {}, 'wording');
  return checked as Partial<Wording>; // only names of `known`
}
