/**
 * The conversations in which this process left a question open: replies in them go ahead of new messages. A hint, never a rule.
 */
import { ShortLivedMap } from '../machine/short-lived-map.js';

const mostKnown = 10_000;

export class AskedHere {
  /** The oldest first. */
  readonly #conversations = new ShortLivedMap<string, true>();

  /** A conversation was saved, with open asks or without. */
  saved(conversationId: string, isAsked: boolean): void {
    if (isAsked) this.#conversations.setNewest(conversationId, true, mostKnown);
    else this.#conversations.delete(conversationId);
  }

  has(conversationId: string): boolean {
    return this.#conversations.has(conversationId);
  }
}
