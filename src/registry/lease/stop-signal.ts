/**
 * Why a turn has to stop: its lease is lost, this process wants to stop, or the time that a turn may take is over. The first reason stays.
 * The AbortSignal is made when it is first read: an AbortController costs several microseconds, a tenth of a small
 * turn, and most turns never look at theirs.
 */
import { AgentError } from '../../core/errors.js';
import type { Deadline } from '../../machine/deadlines.js';
import type { RegistryContext } from '../context.js';

export class StopSignal {
  readonly #context: RegistryContext;
  /** Called once, when it stops. */
  onStop: (reason: AgentError) => void = () => {};
  #reason: AgentError | undefined;
  #controller: AbortController | undefined;
  /** One timer for all turns, until this one waits for a person for the first time. */
  readonly #deadline: Deadline;
  /** A turn may wait for several people at once, here or in other conversations. */
  #waits = 0;
  #left: number;
  #since: number;
  #cancelTimer: (() => void) | undefined;
  #isOver = false;

  constructor(context: RegistryContext) {
    this.#context = context;
    this.#left = context.settings.turnLimit;
    this.#deadline = context.turnLimits.set(() => this.#late());
    this.#since = this.#deadline.at - this.#left;
  }

  get isStopped(): boolean {
    return this.#reason !== undefined;
  }

  because(reason: AgentError): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.onStop(reason);
    this.#controller?.abort(reason);
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** The turn is over, and nothing it left running is timed any more. */
  end(): void {
    this.#isOver = true;
    this.#callOff();
  }

  /** The turn waits for a person, or works again: waiting takes none of its time. */
  waits(waiting: boolean): void {
    const now = this.#context.clock.elapsed();
    this.#waits += waiting ? 1 : -1;
    if (this.#isOver || this.#waits !== (waiting ? 1 : 0)) return;
    if (waiting) {
      this.#callOff();
      this.#left -= now - this.#since;
    } else {
      this.#since = now;
      this.#cancelTimer = this.#context.clock.after(Math.max(1, this.#left), () => this.#late());
    }
  }

  get isWaiting(): boolean {
    return this.#waits > 0;
  }

  #callOff(): void {
    this.#deadline.cancel();
    this.#cancelTimer?.();
  }

  #late(): void {
    const { turnLimit } = this.#context.settings;
    this.because(
      new AgentError(
        'turn-limit',
        `The turn ran longer than ${turnLimit} ms (settings.turnLimit) and was stopped. Pass input.signal on to what you await.`,
      ),
    );
  }
}

const source = Symbol('source of the signal');

/**
 * One getter for all objects. V8 keeps a getter in the object's hidden class, and a getter of its own would keep the whole turn
 * there until the next full collection (docs/performance.md).
 */
const ownSignal: PropertyDescriptor & ThisType<{ readonly [source]: { readonly signal: AbortSignal } }> = {
  enumerable: true,
  get() {
    return this[source].signal;
  },
};

/** The same object with a property `signal`. */
export function withSignal<T extends object>(
  given: T,
  stop: { readonly signal: AbortSignal },
): T & { readonly signal: AbortSignal } {
  Object.defineProperty(given, source, { value: stop });
  Object.defineProperty(given, 'signal', ownSignal);
  return given as T & { readonly signal: AbortSignal }; // defined just now
}
