/**
 * Typed events for operators. A listener that throws or rejects harms nobody.
 */
import { unknownName, wrongOption } from '../core/check-options.js';
import type { Logger, RegistryEvents } from '../core/events.js';
import { eventNames } from '../core/events.js';
import { isPromiseLike } from '../core/promise.js';

type Listener<E extends keyof RegistryEvents> = (about: RegistryEvents[E]) => void;

export class Emitter {
  readonly #logger: Logger;
  readonly #listeners = new Map<keyof RegistryEvents, Set<Listener<never>>>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  on<E extends keyof RegistryEvents>(event: E, listener: Listener<E>): () => void {
    if (typeof event !== 'string') throw wrongOption('on(): the event', "the name of one, such as 'asked'", event);
    if (!eventNames.includes(event)) throw unknownName('on(): the event ', event, eventNames);
    if (typeof listener !== 'function') throw wrongOption(`on('${event}'): the listener`, 'a function', listener);
    const set = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, set);
    set.add(listener);
    return () => set.delete(listener);
  }

  /** Whether anybody listens: what is told often need not be put together for nobody. */
  hears(event: keyof RegistryEvents): boolean {
    return (this.#listeners.get(event)?.size ?? 0) > 0;
  }

  emit<E extends keyof RegistryEvents>(event: E, about: RegistryEvents[E]): void {
    const failed = (error: unknown): void => this.#logger.error('A listener threw', { event, error });
    for (const listener of this.#listeners.get(event) ?? []) {
      try {
        const told: unknown = (listener as (about: RegistryEvents[E]) => unknown)(about);
        if (isPromiseLike(told)) void Promise.resolve(told).catch(failed);
      } catch (error) {
        failed(error);
      }
    }
  }
}
