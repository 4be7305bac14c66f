/**
 * Why a turn has to stop, told once. A plain object, because an AbortSignal costs more than the rest of a small turn: a
 * real one is made when somebody first looks at it, and is aborted by then if the turn was stopped.
 */
import type { AgentError } from '../../core/errors.js';

export abstract class StopSignal {
  #reason: AgentError | undefined;
  #controller: AbortController | undefined;

  /** Called once, when it stops. */
  protected abstract told(reason: AgentError): void;

  /** The turn waits for a person, or works again: waiting takes none of its time. */
  abstract waits(waiting: boolean): void;

  /** Stops; the first reason stays. */
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
