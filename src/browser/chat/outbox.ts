/**
 * What the visitor has sent and the conversation does not have yet. It outlives the page, except what must not be kept in a browser.
 */
import { keep, kept, storageOwner } from './storage.js';
import type { PostedReply } from './wire.js';

export interface PendingMessage {
  /** Makes it the same message for every try, and for the server. */
  readonly id: string;
  readonly body: PostedReply;
  /** When it was written, in ms. */
  readonly at?: number;
  readonly state: 'sending' | 'sent' | 'failed';
  /** How it is shown. */
  readonly label: string;
  /** The answer to a sensitive question: it is not kept in the browser. */
  readonly secret?: boolean;
  /** Why it failed. */
  readonly problem?: string;
  /** It cannot be sent again. */
  readonly final?: boolean;
}

/** Not kept in the browser: answers to sensitive questions, and what is written before the visitor is known. */
let inMemory: readonly PendingMessage[] = [];

export function pendingMessages(): readonly PendingMessage[] {
  const messages = kept('outbox');
  return [...(Array.isArray(messages) ? messages : []), ...inMemory];
}

export function savePending(messages: readonly PendingMessage[]): void {
  const isKept = (message: PendingMessage) => storageOwner() !== undefined && message.secret !== true;
  inMemory = messages.filter((message) => !isKept(message));
  const others = messages.filter(isKept);
  keep('outbox', others.length > 0 ? others : null);
}

export function updatePending(id: string, fields: Partial<PendingMessage>): void {
  savePending(pendingMessages().map((message) => (message.id === id ? { ...message, ...fields } : message)));
}

/** Removes messages, because the conversation has them or the visitor gives them up. */
export function removePending(ids: ReadonlySet<string>): void {
  savePending(pendingMessages().filter((message) => !ids.has(message.id)));
}

/** Forgets what was never kept, for another visitor. */
export function forgetSecrets(): void {
  inMemory = [];
}
