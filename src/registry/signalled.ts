/**
 * What an agent is given has a `signal` that is made when it is first looked at, and a copy of it has one too. One getter
 * for all of them: a getter of its own would make each a slow object and keep its whole turn until a full collection.
 */
export class Signalled {
  declare readonly signal: AbortSignal;
  readonly #stop: { readonly signal: AbortSignal };

  static readonly #own: PropertyDescriptor & ThisType<Signalled> = {
    enumerable: true,
    get() {
      return this.#stop.signal;
    },
  };

  constructor(stop: { readonly signal: AbortSignal }) {
    this.#stop = stop;
    Object.defineProperty(this, 'signal', Signalled.#own);
  }
}
