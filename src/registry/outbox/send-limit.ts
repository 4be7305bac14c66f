/**
 * The time limit of what a channel does for the outbox. It knows how long a call may take, and nothing of what is sent.
 */
import { isPromiseLike } from '../../core/promise.js';
import { Deadlines } from '../../machine/deadlines.js';
import type { RegistryContext } from '../context.js';

const ignored = (): void => {};

export class SendLimit {
  readonly #ms: number;
  readonly #deadlines: Deadlines;

  constructor({ clock, settings }: Pick<RegistryContext, 'clock' | 'settings'>) {
    this.#ms = settings.sendLimit;
    this.#deadlines = new Deadlines(clock, settings.sendLimit);
  }

  /** A call that does not come back in time has failed. `late` is told if it succeeds afterwards. `doing` is for the error. */
  inTime(
    channel: string,
    calling: unknown,
    late: (result: unknown) => void = ignored,
    doing = 'send',
  ): Promise<unknown> {
    return new Promise((resolve, reject) => {
      let isLate = false;
      const deadline = this.#deadlines.set(() => {
        isLate = true;
        reject(new Error(`Channel ${channel} did not ${doing} within ${this.#ms} ms (settings.sendLimit).`));
      });
      const done = (result: unknown): void => {
        if (isLate) late(result);
        deadline.cancel();
        resolve(result); // changes nothing once it was rejected
      };
      const failed = (error: unknown): void => {
        deadline.cancel();
        reject(error);
      };
      if (isPromiseLike(calling)) calling.then(done, failed);
      else done(calling); // a channel may give back no promise
    });
  }
}
