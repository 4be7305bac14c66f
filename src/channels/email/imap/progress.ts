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
  /** By UID. Those that are left are not for this process as it is set up: they are looked at again after the next start. */
  readonly #known = new Map<number, 'recorded' | 'left' | Failing>();

  /** The server lists these UIDs as not done. What it lists no more is forgotten, and all is under another UIDVALIDITY: the UIDs are others. */
  listed(validity: string, uids: readonly number[]): void {
    const kept = new Set(validity === this.#validity ? uids : []);
    for (const uid of this.#known.keys()) if (!kept.has(uid)) this.#known.delete(uid);
    this.#validity = validity;
  }

  isRecorded(uid: number): boolean {
    return this.#known.get(uid) === 'recorded';
  }

  /**
   * The mails to try now, those that never failed first: a mail that ends every connection would otherwise be met again before the others.
   * One that failed and waits for its next try is not among them.
   */
  toTry(uids: readonly number[], elapsed: number): readonly number[] {
    const isDueAgain = (uid: number) => {
      const known = this.#known.get(uid);
      return typeof known === 'object' && known.due <= elapsed;
    };
    return [...uids.filter((uid) => !this.#known.has(uid)), ...uids.filter(isDueAgain)];
  }

  recorded(uid: number): void {
    this.#recordedMails += 1;
    this.#known.set(uid, 'recorded');
  }

  /** A mail stays as it is, and is not tried again by this process. */
  left(uid: number): void {
    this.#known.set(uid, 'left');
  }

  /**
   * A mail could not be read or recorded. While nothing else is recorded either, the store is the likely cause, and no mail is left: each
   * is tried again within a minute.
   */
  failed(uid: number, elapsed: number): FailedTry {
    const known = this.#known.get(uid);
    const { tries, recordedBefore } =
      typeof known === 'object' ? known : { tries: 0, recordedBefore: this.#recordedMails };
    const isLeft = tries + 1 >= triesBeforeLeft && this.#recordedMails > recordedBefore;
    const wait = isLeft ? leftFor : Math.min(firstWait * 2 ** tries, longestWait);
    this.#known.set(uid, { tries: tries + 1, due: elapsed + wait, recordedBefore });
    return { tries: tries + 1, isLeft, wait };
  }

  /** How long until the next mail that failed is due, in ms; Infinity if none waits. */
  untilDue(elapsed: number): number {
    const due = [...this.#known.values()].flatMap((known) => (typeof known === 'object' ? known.due - elapsed : []));
    return Math.max(
      0,
      due.reduce((least, each) => Math.min(least, each), Number.POSITIVE_INFINITY),
    );
  }
}
