/**
 * Finds out that two programs answer each other: an automatic reply that does not say that it is one is handed on like a person's, and what
 * it is told (the agent's words, or that a question is closed) is answered again, always with the same words. The same words to another
 * question are another matter: somebody may say "yes" to many.
 */
import { digest } from '../../../core/ids.js';
import type { Clock } from '../../../machine/clock.js';

/** More mails of one author to one place with the same text within this time, in ms, are a loop. */
const mostMails = 20;
const within = 3_600_000;
/** Texts that are remembered. */
const mostTexts = 1_000;

/** A mail as far as a loop is known by it. */
interface LoopedMail {
  /** The same for each delivery of one mail. */
  readonly id: string;
  readonly author: string;
  /** What it is addressed to: an ask, or nothing for us as a whole. */
  readonly askId: string | undefined;
  readonly text: string;
}

interface SameMails {
  /** The mails that were let through, the oldest first. */
  readonly mails: readonly { readonly id: string; readonly at: number }[];
  /** The loop was told of. */
  readonly isTold: boolean;
}

export class LoopGuard {
  readonly #clock: Clock;
  /** By author, place and text. The one that came last is the last one. */
  readonly #same = new Map<string, SameMails>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Counts a mail as it arrives, since many may arrive before the first is recorded. One that comes again, because it could not be recorded,
   * is not a second mail. `loop-begins` is said once for each loop, `loop` for every further mail of it.
   */
  arrived({ id, author, askId, text }: LoopedMail): 'pass' | 'loop-begins' | 'loop' {
    const key = digest(author, askId ?? '', text);
    const now = this.#clock.elapsed();
    const { mails = [], isTold = false } = this.#same.get(key) ?? {};
    const recent = mails.filter(({ at }) => at > now - within);
    if (recent.some((mail) => mail.id === id)) return 'pass';
    if (recent.length >= mostMails) {
      this.#remember(key, { mails: recent, isTold: true });
      return isTold ? 'loop' : 'loop-begins';
    }
    this.#remember(key, { mails: [...recent, { id, at: now }], isTold: false });
    return 'pass';
  }

  #remember(key: string, same: SameMails): void {
    this.#same.delete(key);
    this.#same.set(key, same);
    for (const oldest of this.#same.keys()) {
      if (this.#same.size <= mostTexts) break;
      this.#same.delete(oldest);
    }
  }
}
