/**
 * The time a turn may take, and the other reasons to stop it. What it still does afterwards counts for nothing.
 */
import { AgentError } from '../../core/errors.js';
import type { Deadline } from '../../machine/deadlines.js';
import type { RegistryContext } from '../context.js';
import type { Lease } from '../lease/lease.js';
import { StopSignal } from '../lease/stop-signal.js';
import { outsideTurn } from './current-turn.js';

const soon = Promise.resolve();

/** What is to be done, and what comes after it; neither of the latter throws. */
interface Limited<T> {
  work(stop: StopSignal): T | Promise<T>;
  done(result: T): void;
  failed(error: unknown): void;
}

/**
 * Runs the work until it ends, its time is over, the conversation is lost, or this process wants to stop; then calls what
 * comes after, once.
 */
export function limited<T>(context: RegistryContext, lease: Lease, what: Limited<T>): void {
  const limit = new Limit(context, lease, what);
  lease.began(limit);
  limit.run();
}

/** One object for all of it: a function for each thing that may happen would cost every turn. */
class Limit<T> extends StopSignal {
  readonly #context: RegistryContext;
  readonly #lease: Lease;
  readonly #what: Limited<T>;
  /** Until it waits for a person for the first time. */
  readonly #deadline: Deadline;
  #isOver = false;
  /** A turn may wait for several people at once. */
  #waits = 0;
  #left: number;
  #since: number;
  #cancel: (() => void) | undefined;

  constructor(context: RegistryContext, lease: Lease, what: Limited<T>) {
    super();
    this.#context = context;
    this.#lease = lease;
    this.#what = what;
    this.#left = context.settings.turnLimit;
    this.#deadline = context.turnLimits.set(() => this.#late());
    this.#since = this.#deadline.at - this.#left;
  }

  run(): void {
    if (this.#isOver) return; // it was stopped before
    try {
      const working = this.#what.work(this);
      if (working instanceof Promise) {
        working.then(
          (result) => this.#done(result),
          (error: unknown) => this.#failed(error),
        );
      } else {
        // never in the same breath: conversations that come together do the same next step together, which is faster
        void soon.then(() => this.#done(working));
      }
    } catch (error) {
      this.#failed(error);
    }
  }

  protected override told(reason: AgentError): void {
    // whoever stops it may be the turn itself, and has not finished: what comes after is no part of either
    if (this.#over()) outsideTurn(() => void Promise.resolve(reason).then((error) => this.#what.failed(error)));
  }

  override waits(waiting: boolean): void {
    const now = this.#context.clock.elapsed();
    this.#waits += waiting ? 1 : -1;
    if (this.#waits !== (waiting ? 1 : 0)) return;
    if (waiting) {
      this.#callOff();
      this.#left -= now - this.#since;
    } else {
      this.#since = now;
      this.#cancel = this.#context.clock.after(Math.max(1, this.#left), () => this.#late());
    }
  }

  #late(): void {
    const limit = this.#context.settings.turnLimit;
    const advice = 'Pass input.signal on to what you await.';
    this.because(
      new AgentError(
        'turn-limit',
        `The turn ran longer than ${limit} ms (settings.turnLimit) and was stopped. ${advice}`,
      ),
    );
  }

  #callOff(): void {
    this.#deadline.callOff();
    this.#cancel?.();
  }

  /** Whether this is the first end. */
  #over(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#callOff();
    this.#lease.ended(this);
    return true;
  }

  #done(result: T): void {
    if (this.#over()) this.#what.done(result);
  }

  #failed(error: unknown): void {
    if (this.#over()) this.#what.failed(error);
  }
}
