/**
 * What this process knows of conversations in which somebody is asked, as it saved them itself: a reply that comes here need
 * not wait for the document. It may be out of date, so it counts only where the store says the same life and revision.
 */
import type { Conversation } from '../core/conversation.js';
import { readConversation } from '../core/document.js';
import type { Claim } from '../stores/port.js';

/** How many signs of documents are kept, all together: some thousand open asks. */
const most = 2_097_152;

/**
 * A conversation as it was saved; `conversation` is its document, once somebody had to read it. A Map that is filled and
 * emptied all the time leaves tables behind that keep it until a full collection: what is forgotten is emptied as well.
 */
class Kept {
  readonly incarnation: string;
  revision: number;
  document: string;
  conversation: Conversation | undefined;

  constructor(incarnation: string, revision: number, document: string) {
    this.incarnation = incarnation;
    this.revision = revision;
    this.document = document;
  }
}

/** A life of a conversation at a revision, and what it is then. */
export interface Life {
  readonly incarnation: string;
  readonly revision: number;
  readonly conversation: Conversation;
}

export class Known {
  /** The one that was kept first is the first to go. */
  readonly #kept = new Map<string, Kept>();
  #size = 0;

  keep(conversationId: string, incarnation: string, revision: number, document: string): void {
    this.forget(conversationId);
    if (document.length > most) return;
    this.#kept.set(conversationId, new Kept(incarnation, revision, document));
    this.#size += document.length;
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
    this.#size -= kept.document.length;
    kept.document = '';
    kept.conversation = undefined;
  }

  has(conversationId: string): boolean {
    return this.#kept.has(conversationId);
  }

  /** The conversation as this process knows it. */
  of(conversationId: string): Life | undefined {
    const kept = this.#kept.get(conversationId);
    if (kept === undefined) return undefined;
    const { incarnation, revision } = kept;
    kept.conversation ??= readConversation(kept.document, conversationId);
    return { incarnation, revision, conversation: kept.conversation };
  }

  /** The conversation has gone on, as was foreseen, and whoever takes it now works on that. */
  wentOn(conversationId: string, { incarnation, revision, conversation }: Life): void {
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
