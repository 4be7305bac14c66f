/**
 * Requests that deliver the same thing, one after another. The adapter of Teams keeps what belongs to a request under the id of its
 * activity: of two at once it would acknowledge one whose recording nobody waits for, and of one without an id as well.
 */
import { hasFields } from '../../../core/check-options.js';
import { refusal } from '../../http.js';

export class Deliveries {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Works once no other delivery of the same is worked on. */
  async inTurn<T>(platform: string, request: Request, work: () => Promise<T>): Promise<T> {
    const id = platform === 'teams' ? await activityIdIn(request) : undefined;
    if (id === undefined) return work();
    const before = this.#last.get(id);
    const mine = (async () => {
      await before?.catch(() => {}); // whoever delivered it was told
      return work();
    })();
    this.#last.set(id, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(id) === mine) this.#last.delete(id);
    }
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
