/** A channel whose questions have a thread each, as those of mail: every reply names its question, and people answer in any order. */
import type { Json, OutgoingMessage, Participant } from '../../src/index.js';
import { Mail } from './places.js';

export class Letters extends Mail {
  readonly hasThreadPerQuestion: boolean;
  #replies = 0;

  constructor(name = 'letters', { hasThreadPerQuestion = true } = {}) {
    super(name);
    this.hasThreadPerQuestion = hasThreadPerQuestion;
  }

  participantAt(to: Json): string {
    return `${this.name}:${String(to)}`;
  }

  addressOf(participantId: string): Json | undefined {
    return participantId.startsWith(`${this.name}:`) ? participantId.slice(this.name.length + 1) : undefined;
  }

  person(to: string): Participant {
    return { id: this.participantAt(to), name: to };
  }

  /** The questions that were sent to an address, each copy once. */
  questions(to: string): readonly OutgoingMessage[] {
    const sent = this.sent.filter(({ address, ask }) => address === to && ask?.status === 'pending');
    return [...new Map(sent.map((message) => [message.key, message])).values()];
  }

  /** Somebody replies to a question, which the reply names. Resolves once it is recorded. */
  async replies(question: OutgoingMessage | undefined, text: string, from = String(question?.address)): Promise<void> {
    const { ask } = question ?? {};
    if (ask === undefined) throw new Error('There is no such question.');
    this.#replies += 1;
    await this.desk?.receive({
      id: `${this.name}-reply-${this.#replies}`,
      conversationId: (await this.desk.conversationOf?.(ask.id)) ?? this.conversationFor(from),
      text,
      participant: this.person(from),
      address: from,
      askId: ask.id,
    });
  }
}
