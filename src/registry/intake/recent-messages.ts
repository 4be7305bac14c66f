/**
 * What the last messages said that this process took, and who wrote them, by their ids, as a short digest each: an id that repeats
 * with another text or writer is no repeat but a mistake. Bounded, and no store is asked; what another process took is not known here.
 */
import type { MessageEntry } from '../../core/conversation/entry.js';

/** How many are known at least; at most twice as many. */
const least = 256;
/** The most characters of a text that are looked at, beside its length. */
const looked = 256;

export class RecentMessages {
  #young = new Map<string, number>();
  #old: ReadonlyMap<string, number> = new Map();

  /** Whether an earlier message of this id said something else or was from somebody else, as far as is known. The first one stays known. */
  differs(conversationId: string, id: string, entry: MessageEntry): boolean {
    const key = `${conversationId}\n${id}`;
    const now = digestOf(entry);
    const before = this.#young.get(key) ?? this.#old.get(key);
    if (before !== undefined) return before !== now;
    if (this.#young.size >= least) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, now);
    return false;
  }
}

function digestOf({ text, choice, value, participant }: MessageEntry): number {
  const pressed = value === undefined ? choice : JSON.stringify(value);
  const words = pressed === undefined ? text : `${text}\n${[pressed].flat().join()}`;
  return digested(participant?.id ?? '', digested(words, 0));
}

function digested(words: string, before: number): number {
  let digest = Math.imul(before, 31) + words.length;
  for (let i = 0; i < words.length && i < looked; i += 1) digest = (Math.imul(digest, 31) + words.charCodeAt(i)) | 0;
  return digest | 0;
}
