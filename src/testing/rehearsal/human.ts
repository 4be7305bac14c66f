/**
 * A scripted person: writes, presses options, answers questions, and sees what is shown in one conversation.
 */
import { plainText } from '../../channels/plain.js';
import type { IncomingMessage } from '../../channels/port.js';
import { choicesOf } from '../../core/ask/answer-type.js';
import {
  anything,
  checkOptions,
  expecting,
  list,
  type OptionRules,
  optional,
  string,
} from '../../core/check-options.js';
import type { OutgoingMessage } from '../../core/conversation/outgoing.js';
import type { Participant } from '../../core/participant.js';
import type { OpenQuestions, WaitForAsk } from './open-questions.js';
import { waitRules } from './open-questions.js';
import type { RehearsalProcess } from './process.js';
import type { RehearsalRecord } from './record.js';

/** What a scripted person writes beside the text. */
export interface SaysOptions {
  /**
   * The message's id: the same one again is a repeat.
   *
   * @default a new one
   */
  readonly id?: string;
  /** The ask that the message quotes. */
  readonly askId?: string;
  /** The intent of the message. */
  readonly intent?: string;
}

/**
 * A person in a rehearsal. Each call that makes something happen waits until everything has settled (a turn that waits for a
 * person has), returns what this person saw, and rejects with the error that a handler threw.
 *
 * @example
 * import { agent } from 'askback';
 * import { type Human, rehearse } from 'askback/testing';
 *
 * const { human } = await rehearse({ agents: [agent('echo').onMessage(({ message }) => message)] });
 * const anna: Human = human('anna');
 * console.log(await anna.says('Hello'));
 */
export interface Human {
  /** Who this person is to the agents. */
  readonly participant: Participant;
  /** Sends a message. */
  says(text: string, more?: SaysOptions): Promise<readonly string[]>;
  /** Presses one or several options of the last question that this person saw. */
  presses(...labels: readonly string[]): Promise<readonly string[]>;
  /**
   * Answers the next questions in this person's conversation, in order: the label of an option (or a list of labels) is pressed,
   * anything else is written. A question that is asked again takes the next reply. Rejects if there are more replies than questions.
   */
  replies(replies: readonly (string | readonly string[])[], options?: WaitForAsk): Promise<readonly string[]>;
  /** What this person saw since the last call. */
  sees(): readonly string[];
}

/** Who a scripted person is. */
export interface HumanOptions {
  /**
   * The conversation that this person writes in.
   *
   * @default the person's name
   */
  readonly conversationId?: string;
  /**
   * Who this person is to the agents.
   *
   * @default { id: 'rehearsal:NAME', name: NAME }
   */
  readonly participant?: Participant;
}

const humanRules = {
  conversationId: optional(string()),
  participant: optional(anything<Participant>()), // checked with the first message
} satisfies OptionRules<HumanOptions>;
const messageRules = {
  id: optional(string()),
  askId: optional(string()),
  intent: optional(string()),
} satisfies OptionRules<SaysOptions>;
const replyList = list(
  expecting<string | readonly string[]>(
    'a string, or a list of labels',
    (value) => typeof value === 'string' || (Array.isArray(value) && value.every((label) => typeof label === 'string')),
  ),
  { expected: "a list of replies such as ['12345', 'Yes']" },
);

/** What a person of a rehearsal needs of it. */
export interface HumanParts {
  readonly process: RehearsalProcess;
  readonly record: RehearsalRecord;
  readonly questions: OpenQuestions;
  readonly newMessageId: () => string;
  /** Waits until nothing is in progress; rejects with what a turn threw. */
  readonly settled: () => Promise<void>;
}

export function scriptedHuman(parts: HumanParts, name: string, options: HumanOptions): Human {
  const { process, record, questions, newMessageId, settled } = parts;
  const more = checkOptions('human()', options, humanRules, "{ conversationId: 'team' }");
  const conversationId = more.conversationId ?? name;
  const participant = more.participant ?? { id: `rehearsal:${name}`, name };
  let position = record.length;

  const sees = (): readonly string[] => {
    const seen = record.shownSince(position, conversationId);
    position = record.length;
    return seen.map((message) => plainText(message));
  };
  const sends = async (
    message: Partial<IncomingMessage> & { readonly text: string },
    pressed?: readonly string[],
  ): Promise<void> => {
    const received = process.receive({
      id: newMessageId(),
      conversationId,
      participant,
      address: conversationId,
      ...message,
    });
    record.wrote({ conversationId, participant, text: message.text, ...(pressed === undefined ? {} : { pressed }) });
    await received;
    await settled();
  };
  const press = async (question: OutgoingMessage | undefined, labels: readonly string[]): Promise<void> => {
    const ids = labels.map((label) => {
      const choice = question && choicesOf(question.shape).find((each) => each.label === label);
      if (choice !== undefined) return choice.id;
      throw new Error(
        `presses(): no question with the option ${JSON.stringify(label)} was seen in ${conversationId}.${shownOptions(question)}`,
      );
    });
    if (question?.ask === undefined || ids[0] === undefined)
      throw new Error(`presses(): name an option of the last question that was seen in ${conversationId}.`);
    await sends({ text: '', askId: question.ask.id, choice: ids.length === 1 ? ids[0] : ids }, labels);
  };
  const shown = (): readonly OutgoingMessage[] => record.shownSince(0, conversationId);

  return {
    participant,
    sees,
    says: async (text, options = {}) => {
      await sends({ text, ...checkOptions('says()', options, messageRules, "{ intent: 'refund' }") });
      return sees();
    },
    presses: async (...labels) => {
      const hasOptions = ({ ask, shape }: OutgoingMessage) => ask !== undefined && choicesOf(shape).length > 0;
      await press(shown().findLast(hasOptions), labels);
      return sees();
    },
    replies: async (given, options = {}) => {
      const replies = replyList(given, 'replies(): the replies');
      const wait = checkOptions('replies()', options, waitRules, '{ timeout: 5_000 }');
      for (const [i, reply] of replies.entries()) {
        const what = `replies(): the reply ${JSON.stringify(reply)} (${i + 1} of ${replies.length})`;
        const { id } = await questions.next(what, wait, (ask) => ask.conversationId === conversationId);
        const question = shown().findLast((message) => message.ask?.id === id);
        const labels = typeof reply === 'string' ? [reply] : reply;
        const options = question === undefined ? [] : choicesOf(question.shape).map(({ label }) => label);
        if (typeof reply !== 'string' || options.includes(reply)) await press(question, labels);
        else await sends({ text: reply, askId: id });
      }
      return sees();
    },
  };
}

function shownOptions(question: OutgoingMessage | undefined): string {
  const labels = question === undefined ? [] : choicesOf(question.shape).map(({ label }) => JSON.stringify(label));
  return labels.length === 0 ? '' : ` The last question has ${labels.join(', ')}.`;
}
