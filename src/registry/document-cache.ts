/**
 * Caches conversations with open asks as this process saved them, so that a reply that arrives here can be predecided and its
 * document need not be parsed. An entry may be out of date: it counts only where the store names the same incarnation and
 * revision.
 */
import type { Conversation } from '../core/conversation/conversation.js';
import { readConversation } from '../core/format/document.js';
import { ShortLivedMap } from '../machine/short-lived-map.js';
import type { Claim } from '../stores/port.js';

/** The most characters that all cached documents have together: more than a thousand open asks. */
const mostCharacters = 1_048_576;

/** A conversation at one revision of one incarnation. */
export interface DocumentVersion {
  readonly incarnation: string;
  readonly revision: number;
  readonly conversation: Conversation;
}

interface CachedDocument extends DocumentVersion {
  readonly size: number;
}

export class DocumentCache {
  /** The oldest first. */
  readonly #documents = new ShortLivedMap<string, CachedDocument>();
  #size = 0;

  /** `size`: the characters of its document. Evicts the oldest documents if there are too many. */
  set(conversationId: string, { incarnation, revision, conversation }: DocumentVersion, size: number): void {
    this.delete(conversationId);
    if (size > mostCharacters) return;
    this.#documents.set(conversationId, { incarnation, revision, conversation, size });
    this.#size += size;
    for (const oldest of this.#documents.keys()) {
      if (this.#size <= mostCharacters) return;
      this.delete(oldest);
    }
  }

  delete(conversationId: string): void {
    const cached = this.#documents.get(conversationId);
    if (cached === undefined) return;
    this.#documents.delete(conversationId);
    this.#size -= cached.size;
  }

  has(conversationId: string): boolean {
    return this.#documents.has(conversationId);
  }

  get(conversationId: string): DocumentVersion | undefined {
    return this.#documents.get(conversationId);
  }

  /** Replaces a version by the one that follows it, as it was predecided. Does nothing if another version is cached. */
  advance(conversationId: string, { incarnation, revision, conversation }: DocumentVersion): void {
    const cached = this.#documents.get(conversationId);
    if (cached?.incarnation !== incarnation || cached.revision !== revision) return;
    this.#documents.set(conversationId, { ...cached, revision: revision + 1, conversation });
  }

  /** The conversation of a claim, parsed only where it is not cached. It leaves the cache: its worker changes it. */
  claimed(conversationId: string, { incarnation, revision, document }: Claim): Conversation {
    const cached = this.#documents.get(conversationId);
    this.delete(conversationId);
    if (cached?.revision === revision && cached.incarnation === incarnation) return cached.conversation;
    return readConversation(document, conversationId);
  }
}
