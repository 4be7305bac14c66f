/**
 * Cursors that leave the inbox: those of the engine, encrypted, because they may name what the person does not see. Each is bound to the
 * person, the list and its filter.
 */
import { definedFields } from '../../core/defined-fields.js';
import { digest } from '../../core/ids.js';
import type { Json } from '../../core/json.js';
import { canonical } from '../../core/json.js';
import type { InboxPerson } from '../person.js';
import type { Keyring } from './keyring.js';

/** Where a cursor counts. The limit may differ from page to page. */
export interface CursorPlace {
  readonly person: InboxPerson;
  readonly list: string;
  readonly filter: object;
}

const markLength = 22;

export class Cursors {
  readonly #keys: Keyring;

  constructor(keys: Keyring) {
    this.#keys = keys;
  }

  seal(place: CursorPlace, cursor: string): string {
    return this.#keys.seal('cursor', `${markOf(place)}${cursor}`);
  }

  /** A page of a list as it leaves the inbox. */
  sealed<T extends { readonly cursor?: string }>(place: CursorPlace, page: T): T {
    return page.cursor === undefined ? page : { ...page, cursor: this.seal(place, page.cursor) };
  }

  /** The engine's cursor; undefined for one that was not given out here. */
  open(place: CursorPlace, sealed: string): string | undefined {
    const text = this.#keys.open('cursor', sealed);
    return text?.startsWith(markOf(place)) === true ? text.slice(markLength) : undefined;
  }
}

function markOf({ person: { id, tenant }, list, filter }: CursorPlace): string {
  const { limit: _, cursor: __, ...rest } = definedFields(filter) as Record<string, Json>;
  return digest('cursor', canonical([id, tenant ?? null, list, rest])).slice(0, markLength);
}
