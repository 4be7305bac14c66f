/**
 * Requests that deliver the same thing, one after another. The adapter of Teams keeps what belongs to a request under the id of its
 * activity: of two at once it would acknowledge one whose recording nobody waits for, and of one without an id as well.
 */
import { hasFields } from '../../../core/check-options.js';
import { type Clock, within } from '../../../machine/clock.js';
import { refusal } from '../../http.js';

/** A delivery that takes longer hangs in its adapter, and the next one no longer waits for it. In ms. */
const longestTurn = 30_000;

export class Deliveries {
  readonly #last = new Map<string, Promise<unknown>>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Works once no other delivery of the same is worked on. */
  async inTurn<T>(platform: string, request: Request, work: () => Promise<T>): Promise<T> {
    const id = platform === 'teams' ? await activityIdIn(request) : undefined;
    if (id === undefined) return work();
    const before = this.#last.get(id);
    const mine = (async () => {
      if (before !== undefined) await this.#over(before);
      return work();
    })();
    this.#last.set(id, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(id) === mine) this.#last.delete(id);
    }
  }

  /** Whoever delivered it was told what became of it. */
  async #over(before: Promise<unknown>): Promise<void> {
    await within<unknown>(
      this.#clock,
      longestTurn,
      before.catch(() => {}),
      () => undefined,
    );
  }
}

/** Undefined where nothing is recorded. */
async function activityIdIn(request: Request): Promise<string | undefined> {
  const read: unknown = await request
    .clone()
    .json()
    .catch(() => undefined); // the adapter refuses it
  const { id, type } = (hasFields(read) ? read : {}) as { readonly id?: unknown; readonly type?: unknown };
  if (typeof id === 'string' && id !== '') return id;
  if (type === 'message' || type === 'invoke') throw refusal(400, `A Teams activity of type ${type} must have an id.`);
  return undefined;
}
