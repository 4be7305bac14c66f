/**
 * What this process knows of conversations in which somebody is asked, as it saved them itself: a reply that comes here need
 * not wait for the document. It may be out of date, so it counts only where the store says the same life and revision.
 */
import type { Conversation } from '../core/conversation/conversation.js';
import { readConversation } from '../core/format/document.js';
import type { Claim } from '../stores/port.js';

/** How many signs their documents have at most, all together: more than a thousand open asks. */
const most = 1_048_576;

/**
 * A conversation as it was saved. A Map that is filled and emptied all the time leaves tables behind that keep it until a full
 * collection: what is forgotten is emptied as well.
 */
class CachedDocument {
  readonly incarnation: string;
  revision: number;
  /** Of its document. */
  readonly size: number;
  conversation: Conversation | undefined;

  constructor({ incarnation, revision, conversation }: DocumentVersion, size: number) {
    this.incarnation = incarnation;
    this.revision = revision;
    this.size = size;
    this.conversation = conversation;
  }
}

/** A life of a conversation at a revision, and what it is then. */
export interface DocumentVersion {
  readonly incarnation: string;
  readonly revision: number;
  readonly conversation: Conversation;
}

export class DocumentCache {
  /** The one that was kept first is the first to go. */
  readonly #kept = new Map<string, CachedDocument>();
  #size = 0;

  keep(conversationId: string, life: DocumentVersion, size: number): void {
    this.forget(conversationId);
    if (size > most) return;
    this.#kept.set(conversationId, new CachedDocument(life, size));
    this.#size += size;
    if (this.#size > most) this.#makeRoom();
  }

  #makeRoom(): void {
    for (const oldest of this.#kept.keys()) {
      this.forget(oldest);
      if (this.#size <= most) return;
    }
  }

  forget(conversationId: string): void {
    const kept = this.#kept.get(conversationId);
    if (kept === undefined) return;
    this.#kept.delete(conversationId);
    this.#size -= kept.size;
    kept.conversation = undefined;
  }

  has(conversationId: string): boolean {
    return this.#kept.has(conversationId);
  }

  /** The conversation as this process knows it. */
  of(conversationId: string): DocumentVersion | undefined {
    const kept = this.#kept.get(conversationId);
    if (kept?.conversation === undefined) return undefined;
    const { incarnation, revision, conversation } = kept;
    return { incarnation, revision, conversation };
  }

  /** The conversation has gone on, as was predecided, and whoever takes it now works on that. */
  wentOn(conversationId: string, { incarnation, revision, conversation }: DocumentVersion): void {
    const kept = this.#kept.get(conversationId);
    if (kept === undefined || kept.incarnation !== incarnation || kept.revision !== revision) return;
    kept.revision += 1;
    kept.conversation = conversation;
  }

  /** The document of a claim, which is its holder's from here on. It is read where it is not known. */
  claimed(conversationId: string, { incarnation, revision, document }: Claim): Conversation {
    const kept = this.#kept.get(conversationId);
    const isSame = kept?.revision === revision && kept.incarnation === incarnation;
    const conversation = isSame ? kept.conversation : undefined;
    this.forget(conversationId);
    return conversation ?? readConversation(document, conversationId);
  }
}
