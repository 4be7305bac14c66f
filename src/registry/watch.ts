/**
 * Whoever waits for something in the store, by key. Woken at once by this process, by a hint from another one, and, in case a hint was
 * lost, by one poll for all: a bounded number of looks at a time and a second. What is looked for is the caller's.
 */
import { failureOf } from '../core/errors.js';
import type { Clock } from '../machine/clock.js';
import { onAbort } from '../machine/on-abort.js';
import type { RegistryContext } from './context.js';
import type { TurnWait } from './lease/sleeping-turns.js';

/** So many looks of a poll run at a time. */
const atOnce = 100;

interface Watching<T> {
  /** What is there now; undefined while there is nothing. */
  readonly look: () => Promise<T | undefined>;
  /** In ms, or `Infinity`. */
  readonly timeout: number;
  /** What the caller gets when its time is over: undefined if this is left out. */
  readonly atLast?: () => Promise<T | undefined>;
  /** Each of them ends the wait. */
  readonly signals?: readonly (AbortSignal | undefined)[];
  /** The turn that waits. It sleeps, except while something is looked up. */
  readonly turn?: TurnWait | undefined;
  /** Nothing can be there before the first wake or poll. */
  readonly isLater?: boolean;
}

interface Watcher<T> {
  readonly check: () => Promise<void>;
  /** Ends the wait. */
  readonly finish: (found: T | undefined) => void;
  readonly fail: (error: unknown) => void;
}

export class Watch<T> {
  readonly #clock: Clock;
  readonly #logger: RegistryContext['logger'];
  /** Each wait is looked at once in `every` ms, or, if that is longer, once in `each` ms for every one of them. */
  readonly #poll: { readonly every: number; readonly each: number };
  /** The error of a wait by its key when it is stopped; where it gives undefined, the wait ends with nothing. */
  readonly #stopped: (key: string) => Error | undefined;
  readonly #watchers = new Map<string, Set<Watcher<T>>>();
  #size = 0;
  #isStopped = false;
  #cancelPoll: (() => void) | undefined;

  constructor(
    { clock, logger }: Pick<RegistryContext, 'clock' | 'logger'>,
    poll: { readonly every: number; readonly each: number },
    stopped: (key: string) => Error | undefined = () => undefined,
  ) {
    this.#clock = clock;
    this.#logger = logger;
    this.#poll = poll;
    this.#stopped = stopped;
  }

  /** The first thing that is found; after `timeout` ms what is there at last. A look that fails is made again later. */
  until(key: string, { look, timeout, atLast, signals = [], turn, isLater }: Watching<T>): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        turn?.ends();
        cancel();
        ignoreAbort();
        this.#remove(key, watcher);
      };
      const finish = (found: T | undefined): void => {
        end();
        resolve(found);
      };
      const fail = (error: unknown): void => {
        end();
        reject(error as Error);
      };
      const check = async (): Promise<void> => {
        turn?.sleeps(false); // at once: whoever waits until nothing runs must not overlook it
        try {
          const found = await look();
          if (found !== undefined) finish(found);
        } finally {
          turn?.sleeps(true); // unless its wait has ended
        }
      };
      const overdue = (): void => {
        turn?.sleeps(false);
        if (atLast === undefined) finish(undefined);
        else atLast().then(finish, fail);
      };
      const watcher: Watcher<T> = { check, finish, fail };
      const cancel = Number.isFinite(timeout) ? this.#clock.after(timeout, overdue) : () => {};
      this.#add(key, watcher); // before the first look: what happens from here on wakes it
      const ignoreAbort = onAbort(fail, ...signals);
      const aborted = signals.find((signal) => signal?.aborted);
      if (this.#isStopped) this.#release(key, watcher);
      else if (aborted !== undefined) fail(aborted.reason);
      else if (isLater) turn?.sleeps(true);
      else this.#check(watcher);
    });
  }

  get isIdle(): boolean {
    return this.#size === 0;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Something happened under this key; `found` is what, where whoever tells it knows. */
  wake(key: string, found?: T): void {
    const watchers = this.#watchers.get(key);
    if (watchers === undefined) return;
    for (const watcher of [...watchers]) {
      if (found === undefined) this.#check(watcher);
      else watcher.finish(found);
    }
  }

  /** Ends every wait, those that begin later too. */
  stop(): void {
    this.#isStopped = true;
    for (const [key, watchers] of [...this.#watchers]) for (const each of [...watchers]) this.#release(key, each);
  }

  #release(key: string, { finish, fail }: Watcher<T>): void {
    const error = this.#stopped(key);
    if (error === undefined) finish(undefined);
    else fail(error);
  }

  #add(key: string, watcher: Watcher<T>): void {
    const watchers = this.#watchers.get(key) ?? new Set();
    this.#watchers.set(key, watchers.add(watcher));
    this.#size += 1;
    this.#cancelPoll ??= this.#pollLater();
  }

  #remove(key: string, watcher: Watcher<T>): void {
    const watchers = this.#watchers.get(key);
    if (watchers?.delete(watcher) !== true) return;
    this.#size -= 1;
    if (watchers.size === 0) this.#watchers.delete(key);
    if (this.#size > 0) return;
    this.#cancelPoll?.();
    this.#cancelPoll = undefined;
  }

  #pollLater(): () => void {
    const { every, each } = this.#poll;
    return this.#clock.after(Math.max(every, this.#size * each), () => {
      void this.#lookAtAll().finally(() => {
        this.#cancelPoll = this.#size > 0 ? this.#pollLater() : undefined;
      });
    });
  }

  async #lookAtAll(): Promise<void> {
    const all = [...this.#watchers.values()].flatMap((watchers) => [...watchers]);
    for (let start = 0; start < all.length; start += atOnce) {
      const looks = all.slice(start, start + atOnce).map(({ check }) => check());
      const failed = (await Promise.allSettled(looks)).find(({ status }) => status === 'rejected');
      if (failed !== undefined) return this.#failed((failed as PromiseRejectedResult).reason); // the store is in trouble: the next round looks again
    }
  }

  #check(watcher: Watcher<T>): void {
    watcher.check().catch((error: unknown) => this.#failed(error));
  }

  #failed(error: unknown): void {
    this.#logger.warn('What somebody waits for could not be looked up; the next look tries again', {
      failure: failureOf(error),
    });
  }
}
