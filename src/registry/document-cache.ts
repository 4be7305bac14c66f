/**
 * Caches conversations with open asks as this process knows them, so that their documents need not be parsed. A cached one
 * counts only where the store has the very text that it was written as or read from, so it is never out of date.
 */
import type { Conversation } from '../core/conversation/conversation.js';
import { readConversation } from '../core/format/document.js';
import { ShortLivedMap } from '../machine/short-lived-map.js';

/** The most characters that all cached documents have together: more than a thousand open asks. */
const mostCharacters = 1_048_576;

/** A conversation, and its document as the store has it. */
interface CachedDocument {
  readonly text: string;
  readonly conversation: Conversation;
}

export class DocumentCache {
  /** The oldest first. */
  readonly #documents = new ShortLivedMap<string, CachedDocument>();
  #size = 0;

  /** Evicts the oldest documents if there are too many. */
  set(conversationId: string, text: string, conversation: Conversation): void {
    this.delete(conversationId);
    if (text.length > mostCharacters) return;
    this.#documents.set(conversationId, { text, conversation });
    this.#size += text.length;
    for (const oldest of this.#documents.keys()) {
      if (this.#size <= mostCharacters) return;
      this.delete(oldest);
    }
  }

  delete(conversationId: string): void {
    const cached = this.#documents.get(conversationId);
    if (cached === undefined) return;
    this.#documents.delete(conversationId);
    this.#size -= cached.text.length;
  }

  has(conversationId: string): boolean {
    return this.#documents.has(conversationId);
  }

  /** The conversation that this text is the document of, parsed only where it is not cached. */
  read(conversationId: string, text: string | null): Conversation {
    const cached = this.#documents.get(conversationId);
    return cached !== undefined && cached.text === text ? cached.conversation : readConversation(text, conversationId);
  }

  /** The conversation of a claim. It leaves the cache: its worker changes it. */
  claimed(conversationId: string, text: string | null): Conversation {
    const conversation = this.read(conversationId, text);
    this.delete(conversationId);
    return conversation;
  }
}
