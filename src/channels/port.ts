/**
 * The channel port: how messages come in and go out. A channel parses and draws, and decides nothing.
 */

import type { Shape } from '../core/ask/answer-type.js';
import type { OutgoingMessage } from '../core/conversation/outgoing.js';
import type {
  Followed,
  FollowOptions,
  Handled,
  HandleOptions,
  Outputs,
  OutputsOptions,
} from '../core/conversation/said.js';
import type { Json } from '../core/json.js';
import type { Participant } from '../core/participant.js';
import type { Wording } from '../core/wording/wording.js';

/**
 * A message from a channel. `id` must be the platform's own, so that a repeat is recognised.
 *
 * @example
 * import type { IncomingMessage } from 'askback';
 *
 * const message: IncomingMessage = {
 *   id: 'update-4711',
 *   conversationId: 'chat-42',
 *   text: 'I want a refund',
 *   participant: { id: 'chat:anna', name: 'Anna' },
 * };
 */
export interface IncomingMessage {
  /** The platform's id of the message. The same id again is recognised as a repeat and handled once. */
  readonly id: string;
  /** The conversation it belongs to: a chat, a thread, a session. */
  readonly conversationId: string;
  /** What the person wrote. */
  readonly text: string;
  /** The author, as verified by the channel. */
  readonly participant?: Participant;
  /** Where an answer must go: chat id, thread, phone number. Returned in `OutgoingMessage.address`. */
  readonly address?: Json;
  /**
   * What an answer refers to, beside where it goes: a message, its subject. Returned in `OutgoingMessage.thread`. Two messages from one
   * address are from one place, whatever their threads are.
   */
  readonly thread?: Json;
  /** The ask that this message refers to by a button, a quote or a link. It must belong to this conversation. */
  readonly askId?: string;
  /** The option or options pressed. */
  readonly choice?: string | readonly string[];
  /**
   * What a form gave: the whole answer as the question's type takes it from a program, such as `{ order: '12345', amount: 48 }`. It needs
   * `askId`. A value that is no answer is refused and told so, and costs no attempt.
   */
  readonly value?: Json;
  /** The intent, where the channel knows it. It is not classified again. */
  readonly intent?: string;
  /** Data for the agent: `input.data`. */
  readonly data?: Json;
  /** True for a message by a program (a bot, a notification): it is never an answer. */
  readonly automated?: boolean;
  /**
   * True for a message in which a person wrote nothing of their own that can be an answer: a file, a sticker, what they forward or
   * only quote, text of which a part is struck out. It is never an answer, and whoever may answer the open question is told so.
   */
  readonly wordless?: boolean;
  /**
   * True for text that was prepared beforehand (a pipe, a script) and may answer a question which is shown only after it was
   * recorded. Any other plain message answers only what its author could have seen.
   */
  readonly prepared?: boolean;
  /**
   * When it was written: in ms since 1970 by the platform's clock; or as `{ age }`, how many ms before it was handed over, measured by one
   * clock, such as that of the platform or of the page that kept it. The age is exact however much clocks differ. A platform may deliver a
   * message much later: a plain message that was written before a question was shown does not answer it.
   */
  readonly sentAt?: number | { readonly age: number };
  /**
   * True if the channel itself tells the person what is wrong with `value`, by the disposition that `handle` gives: a form that stays open.
   * Nothing is said about it in the conversation then.
   */
  readonly tellsProblem?: boolean;
}

/**
 * Takes the messages of a channel. `receive` resolves once the message is stored: acknowledge only then, and answer
 * "not now" if it rejects.
 *
 * @example
 * import type { Desk, IncomingMessage } from 'askback';
 *
 * const accept = async (desk: Desk, message: IncomingMessage) => {
 *   await desk.receive(message); // stored: acknowledge now
 *   return new Response(null, { status: 200 });
 * };
 */
export interface Desk {
  /** Takes a message. Resolves once it is stored: `repeat` where its id was known already. */
  receive(message: IncomingMessage): Promise<'recorded' | 'repeat'>;
  /**
   * Sends the open questions of a conversation to this channel once more: for one that forgets what it showed when the process ends.
   * Resolves with how many are sent, once that is recorded. Every registry has it; a desk of your own for tests need not.
   */
  showOpen?(conversationId: string): Promise<number>;
  /**
   * Takes a message, waits for what becomes of it and gives what its own turn said, for a channel that answers in the response to its
   * request. What was said is given to `send` as well. Every registry has it; a desk of your own for tests need not.
   */
  handle?(message: IncomingMessage, options?: HandleOptions): Promise<Handled>;
  /** What was said in a conversation since a cursor, for such a channel. Every registry has it; a desk of your own need not. */
  outputs?(conversationId: string, options?: OutputsOptions): Promise<Outputs>;
  /**
   * What happened in a conversation since a cursor, as one person sees it on this channel: what came in, what was said, each question open
   * or as it ended. For a channel that shows a whole conversation and pushes nothing. Every registry has it; a desk of your own need not.
   */
  follow?(conversationId: string, options: FollowOptions): Promise<Followed>;
  /**
   * The conversation in which an ask was asked, for a channel whose controls have no room for more than the ask's id. Undefined for an
   * ask that is not known. Every registry has it; a desk of your own need not.
   */
  conversationOf?(askId: string): Promise<string | undefined>;
  /**
   * Tells that a question which `send` gave to the platform under this key has reached nobody: a mail that came back. It counts like a
   * question that could not be sent. Resolves once that is recorded. With `address`, only if the question was sent to that address.
   * Every registry has it; a desk of your own need not.
   */
  undelivered?(key: string, reason: string, address?: Json): Promise<void>;
  /**
   * How an ask can be answered now, for a channel whose controls have no room for the ids of options. Undefined for an ask that is not
   * known. Every registry has it; a desk of your own need not.
   */
  shapeOf?(askId: string): Promise<Shape | undefined>;
  /**
   * The ask whose question `send` gave to the platform under this id, for a message that quotes it: give it as `askId`, with the
   * conversation that `conversationOf` names. Undefined for any other message, and for one that is not known: a reply that quotes it is
   * one that quotes nothing. The channel needs `hasQuotes`. Every registry has it; a desk of your own need not.
   */
  askSentAs?(sentId: string): Promise<string | undefined>;
  /**
   * What the library says in a language, with the registry's `languages` and `wording`: for words of the channel's own, such as those on a
   * button. `locale` is that of an outgoing message or of a participant; English where it is undefined or no language is known for it.
   * Every registry has it; a desk of your own need not.
   */
  wording?(locale: string | undefined): Wording;
}

/**
 * A way to reach people.
 *
 * @example
 * import type { Channel, Desk, OutgoingMessage } from 'askback';
 * import { plainText } from 'askback/channels/plain';
 *
 * class Screen implements Channel {
 *   readonly name = 'screen';
 *   start(desk: Desk) {
 *     process.stdin.on('data', (line) => desk.receive({ id: `${Date.now()}`, conversationId: 'screen', text: `${line}` }));
 *   }
 *   async send(message: OutgoingMessage) {
 *     console.log(plainText(message));
 *   }
 * }
 */
export interface Channel {
  /** The name by which the registry, and `via` of an ask, know the channel. */
  readonly name: string;
  /** True if nobody reads there: ask() is refused unless it names another channel with `via`. */
  readonly isTriggerChannel?: boolean;
  /**
   * True if nothing is pushed: whoever looks reads the conversation, by `Desk.follow` or in the inbox. What is sent to an address of such
   * a channel is then said in the conversation that `conversationFor` names.
   */
  readonly isFetched?: boolean;
  /**
   * The longest question that the platform shows in full, in characters: with its details, its options and what a form has so far, and
   * `& < >` as long as they are when they are escaped. A longer one is not answered by what comes from this channel: whoever decides must have seen all of it.
   */
  readonly longestQuestion?: number;
  /**
   * How strong the proof of an author is. `'address'`: a person is known by the address alone that a message comes from, such as a mailbox.
   * Another address is then another person, and what comes from there decides only asks that allow it: those with `mail: 'decide'`.
   */
  readonly proof?: 'address';
  /**
   * True if a reply there always names its question, because each question has a thread of its own: mail. Every question that is put to an
   * address has then a conversation of its own as well, so that none waits for another, and they are answered in any order. What a turn asks
   * back in its own conversation stays in it. Replies must come with `askId`, and with the conversation that `Desk.conversationOf` names.
   */
  readonly hasThreadPerQuestion?: boolean;
  /**
   * True if people quote messages there, and the channel asks `Desk.askSentAs` which question that is: the ids that `send` gives for
   * questions are kept for it.
   */
  readonly hasQuotes?: boolean;
  /** An id as this channel gives them to people, such as `slack:T012AB3CD/U012AB3CD`: whoever names an id that nobody can have is shown it. */
  readonly idForm?: string;
  /** The ids of all people who can write there, where that is known: whoever names another id of the same realm is warned. */
  readonly people?: readonly string[] | undefined;
  /** What the platform can show. It is for programs that look; the engine does not read it. */
  readonly can?: { readonly buttons?: boolean; readonly edit?: boolean; readonly threads?: boolean };
  /** Begins to receive. The registry calls it once, with the desk that takes the messages. */
  start(desk: Desk): void | Promise<void>;
  /**
   * Resolves once the platform has accepted the message. The platform's id of it makes `update` possible. A failure is tried again later,
   * under the same key; an `AgentError` with the code `undeliverable` says that no try can succeed.
   */
  send(message: OutgoingMessage): Promise<string | void>;
  /** Draws a copy of a settled question again, without its controls: each of the last 16 that were sent. A repeat changes nothing. */
  update?(sentId: string, message: OutgoingMessage): Promise<void>;
  /**
   * The platform's id of what was sent under the `key` of this question, as `send` gave it; undefined if the platform has no such message.
   * It is called where a process may have died between sending the question and noting its id, and before a try is repeated: what is
   * found is not sent again, and is drawn again by `update`. Only a message of your own app counts. If it rejects, it is called again by
   * `settings.deliveryBackOff`, three times; then the question is sent, perhaps for the second time.
   */
  findSent?(message: OutgoingMessage): Promise<string | undefined>;
  /** Stops receiving and frees what it holds. The registry calls it once. */
  stop?(): Promise<void>;
  /**
   * Serves a request of the platform, for a channel that speaks HTTP. The inbox mounts it under `/channels/NAME`; a server of your own can
   * mount it anywhere.
   */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined;
  /** The conversation in which a reply to a message sent `to` this address will arrive. */
  conversationFor?(to: Json): string;
  /**
   * The `address` with which a reply to a question put `to` this address will be received, if it is another one: a question for whoever
   * is there can be answered from this address only.
   */
  addressFor?(to: Json): Json;
  /**
   * The id of the participant who has this address, as their messages come with it. Undefined where that is not one person. With
   * `hasThreadPerQuestion`, the questions that are put to this address are erased with them.
   */
  participantAt?(to: Json): string | undefined;
  /**
   * True for an id as this channel gives them to people, whether or not there is such a person. A question is handed over to such an id only
   * if `addressOf` of a channel knows the person, so a mistyped id is refused. Without it, an id that nobody knows is taken as it is.
   */
  isOwnId?(participantId: string): boolean;
  /**
   * Where this participant can be reached, by the id that the channel gives them: what `to` of an ask would be. Undefined for somebody whom
   * the channel does not know, or who may not answer there; null says the same. A question that is handed over is shown there. If it fails, or
   * takes longer than `settings.sendLimit`, the next channel is asked.
   */
  addressOf?(participantId: string): Json | undefined | Promise<Json | undefined>;
  /**
   * The name of this participant, by the id that the channel gives them: people are shown it in place of the id. Undefined where the channel
   * knows none. A failure is logged, and the id is shown.
   */
  nameOf?(participantId: string): string | undefined | Promise<string | undefined>;
  /**
   * The tenant of this participant, by the id that the channel gives them: the one that their messages come with. Undefined for somebody
   * whom the channel does not know. An ask of a tenant that lists the id of a participant of another tenant is refused when it is made; it is
   * handed over to nobody whose tenant is unknown. It is not called for ids for which `isOwnId` is not true. A failure is treated as that
   * of `addressOf`, and refuses no ask.
   */
  tenantOf?(participantId: string): string | undefined | Promise<string | undefined>;
}
