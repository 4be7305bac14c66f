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
 * new AgentRegistry({ agents, wording: { refused: () => 'Das darf nur jemand anderes beantworten.' } });
 */
export interface Wording {
  /** The reply was not understood; the question is asked again. */
  readonly notUnderstood: (question: string, problem: string) => string;
  /** The reply was understood and cannot be right; the question is asked again. */
  readonly notValid: (question: string, problem: string) => string;
  /** The last attempt failed and the step is skipped. */
  readonly skipped: () => string;
  readonly declined: () => string;
  /** Somebody who may not answer pressed a button or used a link. Says nothing about the ask. */
  readonly refused: () => string;
  /** A reply to an ask that was answered before. `by` is given only to somebody who may answer it. */
  readonly already: (by: Participant | undefined) => string;
  /** The same for an ask that expired, that somebody declined, whose attempts were used up, and that was cancelled. */
  readonly late: () => string;
  readonly alreadyDeclined: () => string;
  readonly alreadyExhausted: () => string;
  readonly alreadyCancelled: () => string;
  /** The same for an ask that reached nobody, or that the agent has taken back. */
  readonly alreadyWithdrawn: () => string;
  readonly unknownAsk: () => string;
  readonly tooLong: () => string;
  /** A turn failed for good; a person has been told. */
  readonly failed: () => string;
  /** An answer by button that does not fit. */
  readonly invalid: (problem: string) => string;
  /** A question shown again because nobody has answered it yet. */
  readonly reminder: (question: string) => string;

  /** A vote was counted: so many of those needed have said yes. */
  readonly voted: (yes: number, needed: number) => string;
  readonly votedAlready: () => string;

  readonly pickOne: (labels: readonly string[]) => string;
  /** `least` and `most` are the numbers of options that may be picked. */
  readonly pickSeveral: (labels: readonly string[], least: number, most: number) => string;
  readonly onlyOne: () => string;
  /** The reply fits more than one option, number or date. */
  readonly ambiguous: (meanings: readonly string[]) => string;
  /** The reply says what is not wanted. */
  readonly sayWhich: () => string;
  /** The reply is a question itself. */
  readonly askedBack: () => string;
  readonly yesOrNo: () => string;
  readonly typeOther: () => string;

  /** The reply is empty of words. */
  readonly needText: () => string;
  /** The reply has words, but was judged not to answer the question. */
  readonly unclear: () => string;
  readonly tooShort: (least: number) => string;
  readonly tooLongText: (most: number) => string;
  readonly wrongPattern: (example: string | undefined) => string;
  readonly needNumber: (example: string) => string;
  readonly needWhole: (example: string) => string;
  /** Undefined where there is no limit on that side. */
  readonly outOfRange: (least: string | undefined, most: string | undefined) => string;
  readonly needDate: (example: string) => string;
  readonly noSuchDate: () => string;
  readonly needEmail: (example: string) => string;

  readonly cannotSkip: () => string;
  /** Fields of a form that still need an answer, by their texts. */
  readonly missing: (fields: readonly string[]) => string;

  /** One line below the options, on channels without buttons. */
  readonly pickHint: () => string;
  readonly pickSeveralHint: () => string;
  /** Where labels are numbers themselves, a place in the list would be ambiguous. */
  readonly labelHint: () => string;
  readonly skipHint: () => string;

  /** The labels of a confirm, and of the free answer to a choice, where the author gave none. */
  readonly yes: () => string;
  readonly no: () => string;
  readonly other: () => string;

  /** The question whether a model may use a tool, where the author gave none. */
  readonly allow: (tool: string) => string;
  /** The labels of an approval. */
  readonly approve: () => string;
  readonly deny: () => string;
  readonly once: () => string;
  readonly forSession: () => string;
  /** What the approver is told after the decision. */
  readonly approved: (how: 'once' | 'session' | undefined) => string;
  readonly denied: () => string;
  /** The names of details that an approval or a model's question shows. */
  readonly tool: () => string;
  readonly arguments: () => string;
  readonly details: () => string;
  /** The heading of several questions of a model that gave none. */
  readonly severalQuestions: () => string;
  /** The name of the only field of a form. */
  readonly answer: () => string;
  /** What whoever works with a model sees while it waits for a person. */
  readonly asking: () => string;
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
