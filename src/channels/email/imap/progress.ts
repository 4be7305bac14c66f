/**
 * What this process knows of the mails in a mailbox: which are recorded though the server still lists them, and which failed and wait for
 * another try. It is memory only: after a restart the server's marks and the registry's dedupe say the rest.
 */

/** The first wait before another try of a mail, and the longest, in ms. */
const firstWait = 1_000;
const longestWait = 60_000;
/** After so many tries a mail is left alone for a while, if others are recorded meanwhile. */
const triesBeforeLeft = 6;
/** For how long, in ms. */
const leftFor = 60 * 60_000;

interface Failing {
  readonly tries: number;
  /** When it is tried again, in the clock's elapsed ms. */
  readonly due: number;
  /** How many mails had been recorded when it failed for the first time. */
  readonly recordedBefore: number;
}

/** What becomes of a mail that failed: `left` is the one to tell an operator of. */
export interface FailedTry {
  readonly tries: number;
  readonly isLeft: boolean;
  /** In ms. */
  readonly wait: number;
}

export class MailboxProgress {
  #validity = '';
  #recordedMails = 0;
  readonly #recorded = new Set<number>();
  /** Mails that are not for this process as it is set up. They are looked at again after the next start. */
  readonly #left = new Set<number>();
  readonly #failing = new Map<number, Failing>();

  /**
   * The server lists these UIDs as not done. What it lists no more is forgotten. Under another UIDVALIDITY the UIDs are others, and all is
   * forgotten: it returns of how many it was known that they are recorded though not marked.
   */
  listed(validity: string, uids: readonly number[]): number {
    const forgotten = validity === this.#validity ? 0 : this.#recorded.size;
    if (validity !== this.#validity) {
      this.#recorded.clear();
      this.#left.clear();
      this.#failing.clear();
    }
    this.#validity = validity;
    const now = new Set(uids);
    for (const uid of this.#recorded) if (!now.has(uid)) this.#recorded.delete(uid);
    for (const uid of this.#left) if (!now.has(uid)) this.#left.delete(uid);
    for (const uid of this.#failing.keys()) if (!now.has(uid)) this.#failing.delete(uid);
    return forgotten;
  }

  isRecorded(uid: number): boolean {
    return this.#recorded.has(uid);
  }

  /**
   * The mails to try now, those that never failed first: a mail that ends every connection would otherwise be met again before the others.
   * One that failed and waits for its next try is not among them.
   */
  toTry(uids: readonly number[], elapsed: number): readonly number[] {
    const open = uids.filter((uid) => !this.#recorded.has(uid) && !this.#left.has(uid));
    const again = open.filter((uid) => (this.#failing.get(uid)?.due ?? Number.POSITIVE_INFINITY) <= elapsed);
    return [...open.filter((uid) => !this.#failing.has(uid)), ...again];
  }

  recorded(uid: number): void {
    this.#recordedMails += 1;
    this.#recorded.add(uid);
    this.#failing.delete(uid);
  }

  /** A mail stays as it is, and is not tried again by this process. */
  left(uid: number): void {
    this.#left.add(uid);
    this.#failing.delete(uid);
  }

  /**
   * A mail could not be read or recorded. While nothing else is recorded either, the store is the likely cause, and no mail is left: each
   * is tried again within a minute.
   */
  failed(uid: number, elapsed: number): FailedTry {
    const before = this.#failing.get(uid);
    const tries = (before?.tries ?? 0) + 1;
    const recordedBefore = before?.recordedBefore ?? this.#recordedMails;
    const isLeft = tries >= triesBeforeLeft && this.#recordedMails > recordedBefore;
    const wait = isLeft ? leftFor : Math.min(firstWait * 2 ** (tries - 1), longestWait);
    this.#failing.set(uid, { tries, due: elapsed + wait, recordedBefore });
    return { tries, isLeft, wait };
  }

  /** How long until the next mail that failed is due, in ms; Infinity if none waits. */
  untilDue(elapsed: number): number {
    let least = Number.POSITIVE_INFINITY;
    for (const { due } of this.#failing.values()) least = Math.min(least, due - elapsed);
    return Math.max(least, 0);
  }
}
