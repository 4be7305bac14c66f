/**
 * Every sentence the library itself says to a person, as one table in English, which names them for every other language. A registry may
 * change any of it.
 */
import { expecting, object, optional } from '../check-options.js';
import { AgentError } from '../errors.js';
import { describe } from '../ids.js';
import type { Participant } from '../participant.js';
import { ignoreRejection } from '../promise.js';
import { grouped, quoted } from './list.js';

const characters = (count: number): string => `${grouped(count, ',')} ${count === 1 ? 'character' : 'characters'}`;

/** The sentences in English. Every other language takes the same things into its own. */
export const englishWording = {
  /** The reply was not understood; the question is asked again. */
  notUnderstood: (question: string, problem: string) => `Sorry, I didn't understand that. ${problem}\n${question}`,
  /** The reply was understood and cannot be right; the question is asked again. */
  notValid: (question: string, problem: string) => `${problem}\n${question}`,
  /** The last attempt failed and the step is skipped. */
  skipped: () => "I couldn't work out an answer, so I'm skipping this step.",
  /** Somebody called the question off. */
  declined: () => "All right, I'll leave it.",
  /** Somebody who may not answer pressed a button or used a link. Says nothing about the ask. */
  refused: () => "Sorry, you can't answer this one.",
  /** A reply from where the question is too long to be shown in full. */
  notShown: () =>
    "This is too long to be shown here in full, so it can't be answered here. Please answer it on its page.",
  /** A reply by mail to an ask that mail does not decide. */
  notByMail: () =>
    'This question cannot be answered by mail. If the mail with the question has a link, please answer it there.',
  /** A reply of somebody who may answer, with nothing in it that counts as written by that person: a file alone, a quote, struck-out text, or what a program sent. */
  nothingWritten: () =>
    "That message has no text of yours that can be an answer. Files, quotes, struck-out text and automatic messages don't count: please write your answer.",
  /** A reply to an ask that was answered before. `by` is given only to somebody who may answer it. */
  already: (by: Participant | undefined) =>
    by?.name === undefined ? 'This was already answered.' : `This was already answered by ${by.name}.`,
  /** A reply to an ask that expired. */
  late: () => 'The time to answer this is over.',
  /** A reply to an ask that somebody declined. */
  alreadyDeclined: () => 'This question was already declined.',
  /** A reply to an ask whose attempts were used up. */
  alreadyExhausted: () => 'This question is closed, because no answer could be read.',
  /** A reply to an ask that was cancelled. */
  alreadyCancelled: () => 'This question was cancelled.',
  /** A reply to an ask that reached nobody, or that the agent has taken back. */
  alreadyWithdrawn: () => 'This question was withdrawn.',
  /** A reply to an ask that is not known in this conversation, or not any more. */
  unknownAsk: () => "I can't find this question here.",
  /** The message is longer than `settings.textBytes`. */
  tooLong: () => 'That message is too long for me. Please send a shorter one.',
  /** A turn failed for good; a person has been told. */
  failed: () => "Something went wrong on our side. We've been told and will look into it.",
  /** An answer by button that does not fit. */
  invalid: (problem: string) => problem,
  /** A question shown again because nobody has answered it yet. */
  reminder: (question: string) => `This is still open:\n${question}`,

  /** Somebody hands a question over: what stands before it for the other person. `reason` is what was said about it, on one line. */
  handedToYou: (by: Participant, question: string, reason: string | undefined) =>
    `${by.name ?? 'Somebody'} hands this to you${reason === undefined ? '.' : `: ${quoted(reason, '“', '”')}`}\n${question}`,
  /** What whoever hands a question over is told. */
  handedOver: (to: Participant) => `You handed this over to ${to.name ?? to.id}.`,
  /** A question is not handed over: whoever should get it is named by something that is no id. */
  handOverNeedsId: () =>
    'Give the id of a person as their channel has it, such as web:4711 or slack:T1/U1, and not a name.',
  /** The same: it would stay with the same person. */
  handOverToSelf: () => 'You cannot hand a question over to yourself.',
  /** The same: it would go to the person it is asked for. */
  handOverToAsker: () => 'A question cannot be handed over to the person it is asked for.',
  /**
   * The same: the person is of another tenant than the question, or nobody knows of which. One sentence for both: else whoever hands over
   * could find out which ids exist in another tenant.
   */
  handOverOutsideTenant: () =>
    'This person is not known to belong to the tenant of the question, so they are not shown it. Hand it over to somebody who is, or have their tenant added.',
  /** The same: the id is one of a channel that knows nobody by it, or somebody who may not answer there. */
  handOverToUnknown: () =>
    'Nobody is known by this id who may answer here. Check the id, or hand the question over to somebody else.',
  /** The same: a channel cannot be reached now to look the person up. */
  handOverNotNow: () =>
    'It cannot be looked up right now who has this id, so nothing was handed over. Please try again in a few minutes.',
  /** The same: it would go to somebody who has handed it over. */
  handOverBack: () => 'This person has handed the question over before.',
  /** The same: it would go to somebody who has voted. */
  handOverToVoter: () => 'This person has voted already.',
  /** The same: fewer people than needed could agree afterwards. */
  handOverTooFew: (needed: number, left: number) =>
    `${needed} people must agree, and after this only ${left} could. Hand it over to somebody who may not answer yet.`,
  /** The same: it was handed over as often as it may be. */
  handOverTooOften: (most: number) => `A question can be handed over at most ${most} times.`,

  /** A vote was counted: so many of those needed have said yes. */
  voted: (yes: number, needed: number) => `Thanks, that's ${yes} yes of the ${needed} needed.`,
  /** Somebody votes a second time. */
  votedAlready: () => 'Your vote has already been counted.',

  /** The reply is none of the options. */
  pickOne: (labels: readonly string[]) => `Please pick one of: ${labels.join(', ')}.`,
  /** `least` and `most` are the numbers of options that may be picked. */
  pickSeveral: (labels: readonly string[], least: number, most: number) => {
    const limit = most === 1 ? 'one' : `${most}`;
    const many = least === most ? limit : least === 0 ? `at most ${limit}` : `${least} to ${most}`;
    return `Please pick ${many} of: ${labels.join(', ')}.`;
  },
  /** The reply names several options where one may be picked. */
  onlyOne: () => 'Please pick only one.',
  /** The reply fits more than one option, number or date. */
  ambiguous: (meanings: readonly string[]) => `That could mean ${meanings.join(' or ')}.`,
  /** The reply says what is not wanted. */
  sayWhich: () => "Please say what you want, not what you don't want.",
  /** The reply is a question itself. */
  askedBack: () => 'That looks like a question, but I need an answer first.',
  /** The reply to a confirm is neither yes nor no. */
  yesOrNo: () => 'Please answer yes or no.',
  /** Asks for the free answer to a choice. */
  typeOther: () => 'Please write your own answer.',

  /** The reply is empty of words. */
  needText: () => 'Please write a few words.',
  /** The reply has words, but was judged not to answer the question. */
  unclear: () => 'Please answer the question.',
  /** The text is too short; `least` is in characters. */
  tooShort: (least: number) => `Please write at least ${characters(least)}.`,
  /** The text is too long; `most` is in characters. */
  tooLongText: (most: number) => `Please write at most ${characters(most)}.`,
  /** The text does not fit the question's pattern. */
  wrongPattern: (example: string | undefined) =>
    example === undefined ? "That doesn't look right." : `That doesn't look right. It should look like ${example}.`,
  /** The reply is no number. */
  needNumber: (example: string) => `Please write a number, for example ${example}.`,
  /** The reply is no whole number. */
  needWhole: (example: string) => `Please write a whole number, for example ${example}.`,
  /** The number is too small or too large. Undefined where there is no limit on that side. */
  outOfRange: (least: string | undefined, most: string | undefined) => {
    if (least === undefined) return `It must be at most ${most}.`;
    return most === undefined ? `It must be at least ${least}.` : `It must be between ${least} and ${most}.`;
  },
  /** The date is too early or too late. Undefined where there is no limit on that side. */
  outOfDates: (earliest: string | undefined, latest: string | undefined) => {
    if (earliest === undefined) return `The date must not be after ${latest}.`;
    return latest === undefined
      ? `The date must not be before ${earliest}.`
      : `The date must be between ${earliest} and ${latest}.`;
  },
  /** The reply is no date. */
  needDate: (example: string) => `Please write the date in full, for example ${example}.`,
  /** The reply is a date that no calendar has. */
  noSuchDate: () => 'There is no such date.',
  /** The reply is no email address. */
  needEmail: (example: string) => `Please write an e-mail address, for example ${example}.`,

  /** Somebody wants to skip a field that is needed. */
  cannotSkip: () => "This one can't be skipped.",
  /** Fields of a form that still need an answer, by their texts. */
  missing: (fields: readonly string[]) => `Still missing: ${fields.join(', ')}.`,

  /** One line below the options, on channels without buttons. */
  pickHint: () => 'Reply with a number or a label.',
  /** The same where several options may be picked. */
  pickSeveralHint: () => 'Reply with numbers or labels, separated by commas.',
  /** Where labels are numbers themselves, a place in the list would be ambiguous. */
  labelHint: () => 'Reply with one of these.',
  /** The line below a field that may be skipped. */
  skipHint: () => 'Reply "skip" to leave it out.',

  /** The label of "yes" in a confirm, where the author gave none. */
  yes: () => 'Yes',
  /** The label of "no" in a confirm. */
  no: () => 'No',
  /** The label of the free answer to a choice. */
  other: () => 'Other',

  /** The question whether a model may use a tool, where the author gave none. */
  allow: (tool: string) => `Allow ${tool}?`,
  /** The label that approves an action. */
  approve: () => 'Approve',
  /** The label that denies an approval. */
  deny: () => 'Deny',
  /** The label that approves once. */
  once: () => 'Once',
  /** The label that approves for the session. */
  forSession: () => 'For this session',
  /** What the approver is told after an approval. */
  approved: (how: 'once' | 'session' | undefined) =>
    how === 'session' ? 'Approved for this session.' : how === 'once' ? 'Approved, just this once.' : 'Approved.',
  /** What the approver is told after a denial. */
  denied: () => "Denied. It won't be done.",
  /** The name of the detail with the tool that a model calls. */
  tool: () => 'Tool',
  /** The name of the detail with the arguments of a call. */
  arguments: () => 'Arguments',
  /** The name of the detail with what a model wrote beside its question. */
  details: () => 'Details',
  /** The heading of several questions of a model that gave none. */
  severalQuestions: () => 'Please answer these questions.',
  /** The name of the only field of a form. */
  answer: () => 'Answer',
  /** What whoever works with a model sees while it waits for a person. */
  asking: () => 'A person has been asked',

  /** The button that opens a form for the answer, and the heading of that form. */
  answerButton: () => 'Answer',
  /** The button that sends what was picked or filled in. */
  sendButton: () => 'Send',
  /** The button that closes a form and sends nothing. */
  cancelButton: () => 'Cancel',
  /** The button that opens the page of an ask. */
  openPageButton: () => 'Open the page',
  /** In a list from which nothing is picked yet. */
  pickPlaceholder: () => 'Pick one',
  /** The same where several options may be picked. */
  pickSeveralPlaceholder: () => 'Pick',
  /** The name of the input for the time of day, beside that for the date of the same field. */
  timeOf: (field: string) => `${field} (time)`,
  /** The line below a question with a deadline. `time` is written as the channel shows times. */
  openUntil: (time: string) => `Open until ${time}`,
  /** The line below a question that several people decide: so many of those needed have voted. */
  votesSoFar: (given: number, needed: number) => `${given} of ${needed} votes`,
  /** The line below a question with a secret answer, where others can read what somebody writes. */
  secretHint: () => 'Use the button: what is written in a channel is seen by everybody in it.',
  /** In place of controls: the question is too long to be shown in full where it stands. */
  tooLongHere: () => 'This is too long to be shown here in full, so it has no buttons here.',
  /** In place of controls, where none can carry the answer. */
  replyHint: () => 'This cannot be answered by a button here. Write the answer as a reply.',
  /** The line below a question that is over: how it ended, and who decided it, where that is known. */
  ended: (how: 'answered' | 'declined' | 'exhausted' | 'expired' | 'cancelled', by: Participant | undefined) => {
    const who = by?.name === undefined ? '' : ` by ${by.name}`;
    if (how === 'answered') return `Answered${who}`;
    if (how === 'declined') return `Declined${who}`;
    if (how === 'cancelled') return `Cancelled${who}`;
    return how === 'expired' ? 'Expired' : 'Closed without an answer';
  },
  /** In place of a text that is blank. */
  noText: () => '(no text)',

  /** The first line of a mail that can be answered by a reply. What stands below it is not read. */
  replyAbove: () => 'Please reply above this line',
  /** Below a question in a mail that a reply answers. */
  mailReply: () => 'To answer, reply to this mail with your answer only.',
  /** To the author of one mail to several questions. */
  mailTwoAsks: () =>
    'Your mail goes to more than one question, so nothing was decided. Please reply to each question by itself.',
  /** The same, where there is a page as well: it stands before the link. */
  mailOrPage: () => 'Or open the page to answer there.',
  /** Below a question in a mail that only a page answers: it stands before the link. */
  mailPage: () => 'To answer, open the page. A reply to this mail does not answer the question.',
  /** The same for a question with a secret answer: a reply would decide it, and is not asked for. */
  mailOpenPage: () => 'To answer, open the page.',
  /** Below a question in a mail that gives no way to answer it. */
  mailNoAnswer: () => 'This mail is for your information: neither it nor a reply to it can answer the question.',
  /** Below the link in a mail. */
  mailLinkIsYours: () => 'The link is for you: please do not forward this mail.',
  /** Below a question with a secret answer, in a mail that leads to a page. */
  mailSecret: () => 'Please do not write the answer in a mail: others may be able to read it.',
};

/**
 * What the library says. Replace any of it, in every language, with the registry's `wording` option.
 *
 * @example
 * import { AgentRegistry } from 'askback';
 *
 * const registry = new AgentRegistry({ wording: { refused: () => 'Das darf nur jemand anderes beantworten.' } });
 */
export type Wording = {
  readonly [name in keyof typeof englishWording]: (...about: Parameters<(typeof englishWording)[name]>) => string;
};

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
