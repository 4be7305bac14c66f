/**
 * Every sentence that the library itself says to a person: what it is given, and the text that it becomes. The texts stand in languages/. A
 * registry may change any of them.
 */
import { expecting, object, optional } from '../check-options.js';
import { AgentError } from '../errors.js';
import { describe } from '../ids.js';
import type { Participant } from '../participant.js';
import { ignoreRejection } from '../promise.js';
import type { LanguageData } from './data.js';
import type { en } from './languages/en.js';
import { type Filling, speaker } from './sentence.js';

/** What a sentence is given, and the places that it fills. A sentence that is not listed is given nothing. */
const fillings = {
  notUnderstood: (question: string, problem: string) => ({ question, problem }),
  notValid: (question: string, problem: string) => ({ question, problem }),
  already: (by: Participant | undefined) => ({ by: by?.name }),
  invalid: (problem: string) => ({ problem }),
  reminder: (question: string) => ({ question }),
  handedToYou: (by: Participant, question: string, reason: string | undefined) => ({
    by: by.name,
    question,
    reason: reason?.replace(/["“”„‟«»]/g, "'"), // the sentence has it between quotation marks, and they must not end before its end
  }),
  handedOver: (to: Participant) => ({ to: to.name ?? to.id }),
  handOverTooFew: (needed: number, left: number) => ({ needed, left }),
  handOverTooOften: (most: number) => ({ most }),
  voted: (yes: number, needed: number) => ({ yes, needed }),
  pickOne: (labels: readonly string[]) => ({ labels }),
  pickSeveral: (labels: readonly string[], least: number, most: number) => {
    if (least === most) return { labels, exactly: most };
    return least === 0 ? { labels, atMost: most } : { labels, least, most };
  },
  ambiguous: (meanings: readonly string[]) => ({ meanings }),
  tooShort: (least: number) => ({ least }),
  tooLongText: (most: number) => ({ most }),
  wrongPattern: (example: string | undefined) => ({ example }),
  needNumber: (example: string) => ({ example }),
  needWhole: (example: string) => ({ example }),
  outOfRange: (least: string | undefined, most: string | undefined) => ({ least, most }),
  outOfDates: (earliest: string | undefined, latest: string | undefined) => ({ earliest, latest }),
  needDate: (example: string) => ({ example }),
  needEmail: (example: string) => ({ example }),
  missing: (fields: readonly string[]) => ({ fields }),
  allow: (tool: string) => ({ tool }),
  approved: (how: 'once' | 'session' | undefined) => ({ how }),
  timeOf: (field: string) => ({ field }),
  openUntil: (time: string) => ({ time }),
  votesSoFar: (given: number, needed: number) => ({ given, needed }),
  ended: (how: 'answered' | 'declined' | 'exhausted' | 'expired' | 'cancelled', by: Participant | undefined) => ({
    how,
    by: by?.name,
  }),
} satisfies { readonly [name in keyof (typeof en)['sentences']]?: (...about: never[]) => Filling };

/**
 * What the library says. Replace any of it, in every language, with the registry's `wording` option.
 *
 * @example
 * import { AgentRegistry } from 'askback';
 *
 * const registry = new AgentRegistry({ wording: { refused: () => 'Das darf nur jemand anderes beantworten.' } });
 */
export type Wording = {
  readonly [name in keyof (typeof en)['sentences']]: (
    ...about: name extends keyof typeof fillings ? Parameters<(typeof fillings)[name]> : []
  ) => string;
};

/** The sentences of a language as functions. */
export function wordingOf({ locale, notation, sentences }: LanguageData<keyof Wording>): Wording {
  const say = speaker(locale, notation.thousands);
  const filling: Readonly<Record<string, (...about: never[]) => Filling>> = fillings;
  const wording = Object.entries(sentences).map(([name, sentence]) => [
    name,
    (...about: never[]) => say(sentence, filling[name]?.(...about) ?? {}),
  ]);
  return Object.fromEntries(wording) as Wording; // a function for each of its names
}

type Saying = (...about: never[]) => unknown;

/**
 * Returns the sentences of a language with an author's functions in their place. Where such a function fails, the sentence of the language
 * is said and `failed` is called: the library must always have something to say, above all when a turn has failed.
 */
export function withWording(
  wording: Wording,
  changes: Partial<Wording>,
  failed: (name: string, why: unknown) => void,
): Wording {
  const all: Record<string, Saying> = { ...wording };
  for (const [name, own] of Object.entries<Saying>(changes)) {
    const usual = all[name] as Saying; // checkedWording() takes no other names
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
  return all as unknown as Wording; // the same names
}

const sentence = optional(
  expecting<Saying>('a function that returns the sentence', (value) => typeof value === 'function'),
);

/** Checks the `wording` option: functions, by names of `known`. */
export function checkedWording(changes: Partial<Wording> | undefined, known: Wording): Partial<Wording> {
  const rules = Object.fromEntries(Object.keys(known).map((name) => [name, sentence]));
  const checked = object(rules, "{ skipped: () => 'Never mind.' }")(changes ?? {}, 'wording');
  return checked as Partial<Wording>; // only names of `known`
}
