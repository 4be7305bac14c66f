/**
 * Calls of a tool that are repeated while they run: the work is done once, and every caller gets its result. Keeps nothing
 * once the work has ended. Asks nobody.
 */
import { onAbort } from '../machine/on-abort.js';

interface RunningCall<R> {
  readonly result: Promise<R>;
  readonly stop: AbortController;
  /** How many callers still want the result. */
  callers: number;
}

export class SharedCalls<R> {
  readonly #running = new Map<string, RunningCall<R>>();

  /**
   * The result of the work under this key, which is started if it does not run yet. A caller that gives up rejects alone;
   * the work is stopped when the last one has given up. Without a key nothing is shared.
   */
  async share(
    key: string | undefined,
    signal: AbortSignal | undefined,
    work: (signal: AbortSignal | undefined) => Promise<R>,
  ): Promise<R> {
    if (key === undefined) return work(signal);
    signal?.throwIfAborted();
    const running = this.#running.get(key) ?? this.#started(key, work);
    running.callers += 1;
    if (signal === undefined) return running.result;
    return new Promise((resolve, reject) => {
      const leave = (reason: unknown): void => {
        running.callers -= 1;
        if (running.callers === 0) {
          this.#end(key, running); // the next caller must not join work that is being stopped
          running.stop.abort(reason); // the work rejects when it has cleaned up
        } else reject(reason as Error); // a caller's own reason, as AbortSignal gives it
      };
      const ignoreAbort = onAbort(leave, signal);
      running.result.finally(ignoreAbort).then(resolve, reject);
    });
  }

  #started(key: string, work: (signal: AbortSignal) => Promise<R>): RunningCall<R> {
    const stop = new AbortController();
    const running = { result: work(stop.signal), stop, callers: 0 };
    this.#running.set(key, running);
    const end = (): void => this.#end(key, running);
    running.result.then(end, end);
    return running;
  }

  #end(key: string, running: RunningCall<R>): void {
    if (this.#running.get(key) === running) this.#running.delete(key);
  }
}
