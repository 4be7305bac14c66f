/**
 * The channel port: how messages come in and go out. A channel parses and draws; it decides nothing.
 */

import type { OutgoingMessage } from '../core/conversation/outgoing.js';
import type { Json } from '../core/json.js';
import type { Participant } from '../core/participant.js';

/**
 * A message as a channel hands it over. `id` must be the platform's own, so that a repeat is recognised.
 *
 * @example
 * const message: IncomingMessage = { id: event.ts, conversationId: event.channel, text: event.text, address: event.channel };
 */
export interface IncomingMessage {
  readonly id: string;
  readonly conversationId: string;
  readonly text: string;
  /** Who wrote it, as the channel has verified. */
  readonly participant?: Participant;
  /** Where an answer must go: chat id, thread, phone number. Handed back in `OutgoingMessage.address`. */
  readonly address?: Json;
  /** The ask this message names: a button, a quote, a link. It must be one of this conversation. */
  readonly askId?: string;
  /** The option or options pressed. */
  readonly choice?: string | readonly string[];
  readonly intent?: string;
  readonly data?: Json;
  /** Written by a program (a bot, a notification): never taken for an answer. */
  readonly automated?: boolean;
}

/**
 * What a channel is given at its start. `receive` resolves once the message is stored: acknowledge only then, and answer
 * "not now" if it rejects.
 *
 * @example
 * await desk.receive(message);
 * response.statusCode = 200;
 */
export interface Desk {
  receive(message: IncomingMessage): Promise<'recorded' | 'repeat'>;
}

/**
 * A way to reach people.
 *
 * @example
 * class Pager implements Channel {
 *   readonly name = 'pager';
 *   start(desk: Desk) { onPage((page) => desk.receive({ id: page.id, conversationId: page.from, text: page.text })); }
 *   async send(message: OutgoingMessage) { await page(message.conversationId, plainText(message)); } // askback/channels/plain
 * }
 */
export interface Channel {
  readonly name: string;
  /** Nobody reads at the other end: ask() is refused there unless it names another way with `via`. */
  readonly isTriggerChannel?: boolean;
  readonly can?: { readonly buttons?: boolean; readonly edit?: boolean; readonly threads?: boolean };
  start(desk: Desk): void | Promise<void>;
  /** Resolves once the platform has taken it; the platform's id of it makes a redraw possible. */
  send(message: OutgoingMessage): Promise<string | void>;
  /** Draws a settled question again, without its controls. */
  update?(sentId: string, message: OutgoingMessage): Promise<void>;
  stop?(): Promise<void>;
  /** The conversation in which a reply to something sent `to` there will arrive. */
  conversationFor?(to: Json): string;
}
