/**
 * All waits of a registry are made of this: each has a key, and is woken at once by this process or by a hint from another one, and, in case a
 * hint was lost, by one poll for all, with a bounded number of looks at a time. What is looked for is the caller's.
 */
import { failureOf } from '../core/errors.js';
import type { Clock } from '../machine/clock.js';
import { onAbort } from '../machine/on-abort.js';
import type { RegistryContext } from './context.js';
import type { TurnWait } from './lease/sleeping-turns.js';

/** So many looks of a poll run at a time. */
const atOnce = 100;

interface Watching<T> {
  /** What is there now; undefined while there is nothing. `isLast`: the time is over, and what it gives is what the caller gets. */
  readonly look: (isLast: boolean) => Promise<T | undefined>;
  /** In ms, or `Infinity`. */
  readonly timeout: number;
  /** Each of them ends the wait. */
  readonly signals?: readonly (AbortSignal | undefined)[] | undefined;
  /** The turn that waits. It sleeps, except while something is looked up. */
  readonly turn?: TurnWait | undefined;
  /** Nothing can be there before the first wake or poll. */
  readonly isLater?: boolean;
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
  until(key: string, watching: Watching<T>): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const watcher = new Watcher<T>(watching, { resolve, reject }, () => this.#remove(key, watcher));
      this.#add(key, watcher); // before the first look: what happens from here on wakes it
      const { signals = [], turn, isLater } = watching;
      watcher.begins(this.#clock, signals);
      const aborted = signals.find((signal) => signal?.aborted);
      if (this.#isStopped) this.#release(key, watcher);
      else if (aborted !== undefined) watcher.fail(aborted.reason);
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

  /** Something happened under this key; `found` is what, where the caller knows it. */
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

  #release(key: string, watcher: Watcher<T>): void {
    const error = this.#stopped(key);
    if (error === undefined) watcher.finish(undefined);
    else watcher.fail(error);
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
    const cancel = this.#clock.after(Math.max(every, this.#size * each), () => {
      void this.#lookAtAll().finally(() => {
        if (this.#cancelPoll !== cancel) return; // all waits ended meanwhile, and one that began since has another timer
        this.#cancelPoll = this.#size > 0 ? this.#pollLater() : undefined;
      });
    });
    return cancel;
  }

  async #lookAtAll(): Promise<void> {
    const all = [...this.#watchers.values()].flatMap((watchers) => [...watchers]);
    for (let start = 0; start < all.length; start += atOnce) {
      const looks = all.slice(start, start + atOnce).map((each) => each.check());
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

/** What settles the promise of a wait. */
interface Settle<T> {
  readonly resolve: (found: T | undefined) => void;
  readonly reject: (error: Error) => void;
}

const nothing = (): void => {};

/** One wait. A class, because ten thousand may wait: each closure is memory. */
class Watcher<T> {
  readonly #watching: Watching<T>;
  readonly #promise: Settle<T>;
  readonly #ended: () => void;
  #cancel = nothing;
  #ignoreAbort = nothing;

  constructor(watching: Watching<T>, promise: Settle<T>, ended: () => void) {
    [this.#watching, this.#promise, this.#ended] = [watching, promise, ended];
  }

  begins(clock: Clock, signals: readonly (AbortSignal | undefined)[]): void {
    const { timeout } = this.#watching;
    if (Number.isFinite(timeout)) this.#cancel = clock.after(timeout, () => this.#overdue());
    if (signals.length > 0) this.#ignoreAbort = onAbort((reason) => this.fail(reason), ...signals);
  }

  async check(): Promise<void> {
    const { look, turn } = this.#watching;
    turn?.sleeps(false); // at once: a caller that waits until nothing runs must not overlook it
    try {
      const found = await look(false);
      if (found !== undefined) this.finish(found);
    } finally {
      turn?.sleeps(true); // unless its wait has ended
    }
  }

  #overdue(): void {
    const { look, turn } = this.#watching;
    turn?.sleeps(false);
    look(true).then(
      (found) => this.finish(found),
      (error: unknown) => this.fail(error),
    );
  }

  finish(found: T | undefined): void {
    this.#end();
    this.#promise.resolve(found);
  }

  fail(error: unknown): void {
    this.#end();
    this.#promise.reject(error as Error);
  }

  #end(): void {
    this.#watching.turn?.ends();
    this.#cancel();
    this.#ignoreAbort();
    this.#ended();
  }
}
