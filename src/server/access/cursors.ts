/**
 * Cursors that leave the inbox: those of the engine, encrypted, because they may name what the person does not see, and padded, because
 * the length of a count tells how large it is. Each is bound to the person, the list and its filter.
 */
import { Buffer } from 'node:buffer';
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
const blockBytes = 64;
/** Stands between a cursor and its padding. */
const end = '\u0001';

export class Cursors {
  readonly #keys: Keyring;

  constructor(keys: Keyring) {
    this.#keys = keys;
  }

  seal(place: CursorPlace, cursor: string): string {
    return this.#keys.seal('cursor', padded(`${markOf(place)}${cursor}${end}`));
  }

  /** A page of a list as it leaves the inbox. */
  sealed<T extends { readonly cursor?: string }>(place: CursorPlace, page: T): T {
    return page.cursor === undefined ? page : { ...page, cursor: this.seal(place, page.cursor) };
  }

  /** The engine's cursor; undefined for one that was not given out here. */
  open(place: CursorPlace, sealed: string): string | undefined {
    const text = this.#keys.open('cursor', sealed);
    return text?.startsWith(markOf(place)) === true ? text.slice(markLength, text.lastIndexOf(end)) : undefined;
  }
}

function padded(text: string): string {
  const bytes = Buffer.byteLength(text);
  return text + '\0'.repeat(Math.ceil(bytes / blockBytes) * blockBytes - bytes);
}

function markOf({ person: { id, tenant }, list, filter }: CursorPlace): string {
  const { limit: _, cursor: __, ...rest } = definedFields(filter) as Record<string, Json>;
  return digest('cursor', canonical([id, tenant ?? null, list, rest])).slice(0, markLength);
}
