/**
 * Why a turn has to stop. The first reason stays.
 * The AbortSignal is made when somebody first reads it: an AbortController costs several microseconds, a tenth of a small
 * turn, and most turns never look at theirs.
 */
import type { AgentError } from '../../core/errors.js';

export abstract class StopSignal {
  #reason: AgentError | undefined;
  #controller: AbortController | undefined;

  /** Called once, when it stops. */
  protected abstract told(reason: AgentError): void;

  /** The turn waits for a person, or works again: waiting takes none of its time. */
  abstract waits(waiting: boolean): void;

  /** The turn waits for a person, here or in another conversation. */
  abstract get isWaiting(): boolean;

  get isStopped(): boolean {
    return this.#reason !== undefined;
  }

  because(reason: AgentError): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.told(reason);
    this.#controller?.abort(reason);
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
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
