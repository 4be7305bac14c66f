/**
 * The channel port: how messages come in and go out. A channel parses and draws, and decides nothing. What every channel does stands first,
 * as `Desk` and `Channel`: take in, draw, send. Everything else is a capability that a channel may have, with a suite of its own in the
 * channel contract.
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
   * only quote, text of which a part is struck out. It is never an answer, and a person who may answer the open question gets a notice.
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
 * "not now" if it rejects. The desk of a registry has all methods; a desk of your own for tests needs only `receive`.
 *
 * @example
 * import type { Desk, IncomingMessage } from 'askback';
 *
 * const accept = async (desk: Desk, message: IncomingMessage) => {
 *   await desk.receive(message); // stored: acknowledge now
 *   return new Response(null, { status: 200 });
 * };
 */
export interface Desk extends Partial<DeskResponses>, Partial<DeskConversations>, Partial<DeskAsks> {
  /** Takes a message. Resolves once it is stored: `repeat` where its id was known already. */
  receive(message: IncomingMessage): Promise<'recorded' | 'repeat'>;
  /**
   * Returns the sentences of the library in a language, with the registry's `languages` and `wording`: for words of the channel's own, such
   * as those on a button. `locale` is that of an outgoing message or of a participant; English where it is undefined or unknown.
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
export interface Channel
  extends ChannelTraits,
    Partial<ServesRequests>,
    Partial<UpdatesMessages>,
    Partial<FindsMessages>,
    Partial<TakesQuotes>,
    Partial<ReachesAddresses>,
    Partial<KnowsPeople> {
  /** The name by which the registry, and `via` of an ask, know the channel. */
  readonly name: string;
  /** Begins to receive. The registry calls it once, with the desk that takes the messages. */
  start(desk: Desk): void | Promise<void>;
  /**
   * Draws and sends a message. Resolves once the platform has accepted it. The platform's id of it makes `update` possible. A failure is
   * tried again later, under the same key; an `AgentError` with the code `undeliverable` says that no retry can succeed.
   */
  send(message: OutgoingMessage): Promise<string | void>;
  /** Stops receiving and frees what it holds. The registry calls it once. */
  stop?(): Promise<void>;
}

// --- what a channel says of its platform ---

/** What the registry must know of a platform. */
export interface ChannelTraits {
  /** True if nobody reads there: ask() is refused unless it names another channel with `via`. */
  readonly isTriggerChannel?: boolean;
  /**
   * True if nothing is pushed: readers fetch the conversation, by `Desk.follow` or in the inbox. What is sent to an address of such
   * a channel is then said in the conversation that `conversationFor` names.
   */
  readonly isFetched?: boolean;
  /**
   * The longest question that the platform shows in full, in characters: with its details, its options and what a form has so far, and
   * `& < >` as long as they are when they are escaped. What comes from this channel does not answer a longer one: a person decides only
   * what is shown in full.
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
  /** What the platform can show. It is for programs that read it; the engine does not. */
  readonly can?: { readonly buttons?: boolean; readonly edit?: boolean; readonly threads?: boolean };
}

// --- capabilities of a channel ---

/** A channel that speaks HTTP. */
export interface ServesRequests {
  /** Serves a request of the platform. The inbox mounts it under `/channels/NAME`; a server of your own can mount it anywhere. */
  readonly fetch: ((request: Request) => Promise<Response>) | undefined;
}

/** A channel whose platform can update what was sent. Its contract suite is `update`. */
export interface UpdatesMessages {
  /** Updates a message with a question that is over, without its controls: each of the last 16 that were sent. A repeat changes nothing. */
  update(sentId: string, message: OutgoingMessage): Promise<void>;
}

/** A channel that finds what it has sent, so that no question is sent twice after a crash. Its contract suite is `findSent`. */
export interface FindsMessages {
  /**
   * Returns the platform's id of what was sent under the `key` of this question, as `send` gave it; undefined if the platform has no such
   * message. It is called where a process may have died between sending the question and noting its id, and before a retry: what is
   * found is not sent again, and is updated by `update`. Only a message of your own app counts. If it rejects, it is called again by
   * `settings.deliveryBackOff`, three times; then the question is sent, perhaps for the second time.
   */
  findSent(message: OutgoingMessage): Promise<string | undefined>;
}

/** A channel on which people quote messages. Its contract suite is `quotes`. */
export interface TakesQuotes {
  /** True if the channel asks `Desk.askSentAs` which question is quoted: the ids that `send` gives for questions are kept for it. */
  readonly hasQuotes: boolean;
}

/** A channel by which a question can be put to an address: `via: { channel, to }`. Its contract suite is `addresses`. */
export interface ReachesAddresses {
  /** Returns the conversation in which a reply to a message sent `to` this address will arrive. */
  conversationFor(to: Json): string;
  /**
   * Returns the `address` with which a reply to a question put `to` this address will be received, if it is another one: a question that
   * anyone there may answer can be answered from this address only.
   */
  addressFor(to: Json): Json;
  /**
   * Returns the id of the participant who has this address, as their messages come with it. Undefined where that is not one person. With
   * `hasThreadPerQuestion`, the questions that are put to this address are erased with them.
   */
  participantAt(to: Json): string | undefined;
}

/** A channel that knows people by the ids that it gives them, so that questions can be handed over to them. Its contract suite is `people`. */
export interface KnowsPeople {
  /** An id as this channel gives them to people, such as `slack:T012AB3CD/U012AB3CD`: it is shown to a caller whose id nobody can have. */
  readonly idForm: string;
  /** The ids of all people who can write there, where that is known: a caller that names another id of the same realm is warned. */
  readonly people: readonly string[] | undefined;
  /**
   * Returns true for an id as this channel gives them to people, whether or not there is such a person. A question is handed over to such
   * an id only if `addressOf` of a channel knows the person, so a mistyped id is refused. Without it, an unknown id is accepted as it is.
   */
  isOwnId(participantId: string): boolean;
  /**
   * Returns where this participant can be reached, by the id that the channel gives them: what `to` of an ask would be. Undefined or null
   * for a person whom the channel does not know, or who may not answer there. A question that is handed over is shown there. If it fails, or
   * takes longer than `settings.sendLimit`, the next channel is asked.
   */
  addressOf(participantId: string): Json | undefined | Promise<Json | undefined>;
  /**
   * Returns the name of this participant, by the id that the channel gives them: people are shown it in place of the id. Undefined where
   * the channel knows none. A failure is logged, and the id is shown.
   */
  nameOf(participantId: string): string | undefined | Promise<string | undefined>;
  /**
   * Returns the tenant of this participant, by the id that the channel gives them: the one that their messages come with. Undefined for a
   * person whom the channel does not know. An ask of a tenant that lists the id of a participant of another tenant is refused when it is
   * made; it is handed over to nobody whose tenant is unknown. It is not called for ids for which `isOwnId` is not true. A failure is
   * treated as that of `addressOf`, and refuses no ask.
   */
  tenantOf(participantId: string): string | undefined | Promise<string | undefined>;
}

// --- capabilities of a desk ---

/** For a channel that answers in the response to a request. */
export interface DeskResponses {
  /** Takes a message, waits for its outcome and returns what its own turn said. What was said is given to `send` as well. */
  handle(message: IncomingMessage, options?: HandleOptions): Promise<Handled>;
  /** Returns what was said in a conversation since a cursor. */
  outputs(conversationId: string, options?: OutputsOptions): Promise<Outputs>;
}

/** For a channel that shows a whole conversation. */
export interface DeskConversations {
  /**
   * Returns what happened in a conversation since a cursor, as one person sees it on this channel: what came in, what was said, each
   * question open or as it ended.
   */
  follow(conversationId: string, options: FollowOptions): Promise<Followed>;
  /**
   * Sends the open questions of a conversation to this channel once more: for one that forgets what it showed when the process ends.
   * Resolves with how many are sent, once that is recorded.
   */
  showOpen(conversationId: string): Promise<number>;
}

/** For a channel whose controls, quotes and replies have room for an id only. */
export interface DeskAsks {
  /** Returns the conversation in which an ask was asked; undefined for an unknown ask. */
  conversationOf(askId: string): Promise<string | undefined>;
  /** Returns how an ask can be answered now, for controls without room for the ids of options; undefined for an unknown ask. */
  shapeOf(askId: string): Promise<Shape | undefined>;
  /**
   * Returns the ask whose question `send` gave to the platform under this id, for a message that quotes it: give it as `askId`, with the
   * conversation that `conversationOf` names. Undefined for any other message: a reply that quotes it quotes nothing. The channel needs
   * `hasQuotes`.
   */
  askSentAs(sentId: string): Promise<string | undefined>;
  /**
   * Notes that a question which `send` gave to the platform under this key reached nobody: a mail that came back. It counts like a
   * question that could not be sent. Resolves once that is recorded. With `address`, only if the question was sent to that address.
   */
  undelivered(key: string, reason: string, address?: Json): Promise<void>;
}
