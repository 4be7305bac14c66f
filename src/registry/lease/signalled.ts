/**
 * What an agent is given has a `signal` that is made when it is first looked at, and a copy of it has one too. One getter
 * for all of them: a getter of its own would make each a slow object and keep its whole turn until a full collection.
 */
interface Source {
  readonly signal: AbortSignal;
}

/** Makes nothing: what is constructed is the object given, which so gets the private field of the class below. */
const Same = class {
  constructor(given: object) {
    // biome-ignore lint/correctness/noConstructorReturn: that is what it is for
    return given;
  }
};

class Signalled extends Same {
  readonly #source: Source;

  constructor(given: object, source: Source) {
    super(given);
    this.#source = source;
  }

  static readonly own: PropertyDescriptor & ThisType<Signalled> = {
    enumerable: true,
    get() {
      return this.#source.signal;
    },
  };
}

/** Gives the object itself the signal of `source`. */
export function signalled<T extends object>(given: T, source: Source): T & Source {
  const same: object = new Signalled(given, source);
  return Object.defineProperty(same, 'signal', Signalled.own) as T & Source;
}
