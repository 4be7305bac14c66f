/**
 * Idempotency keys: a change that is sent again under its key is done once, and the repeat is told what the first was told, by any
 * replica and after a restart. What is kept is a reply for one person and one route. It decides nothing about the change itself.
 */
import { Buffer } from 'node:buffer';
import { hash } from 'node:crypto';
import { digest } from '../core/ids.js';
import type { KeptValues } from './access/kept-values.js';
import type { InboxPerson } from './person.js';

/** A change that somebody sends under a key of theirs. */
export interface KeyedCall {
  readonly person: Pick<InboxPerson, 'id' | 'tenant'>;
  /** The method and the path. */
  readonly route: string;
  readonly key: string;
  /** The body: another one under the same key is a mistake of the caller. */
  readonly body: Uint8Array;
  /**
   * `reply`: a repeat is given the reply that is kept. `work`: the work is done again, because it recognises the key itself; so nothing of
   * an ask is kept beside its conversation, and erasing that leaves nothing here.
   */
  readonly repeats: 'reply' | 'work';
}

/** A reply that a repeat is given again. */
export interface KeptReply {
  readonly status: number;
  readonly body: object | string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The call recorded nothing, so nothing is kept of it: whoever is refused must not fill the store. */
  readonly isRefused?: boolean;
}

/** The reply of a repeat is what JSON keeps of the first one, or, where the work was done again, what that replied. */
export type KeyedResult<R extends KeptReply> = { readonly type: 'done' | 'repeat'; readonly reply: R } | NotDone;

/** Nothing was done: the first call is not finished, or it was another one. */
export type NotDone = { readonly type: 'running' } | { readonly type: 'other-body' };

/** What is kept under a key. Without a reply the work is done again: the engine knows the entry by the same key. */
interface KeptCall {
  /** A digest that nobody can try bodies against who does not have the caller's key: an answer may be secret, and short. */
  readonly body: string;
  /** Who does the work now; absent when it is done. */
  readonly by?: string;
  readonly reply?: KeptReply;
}

/** How long a process that died blocks its key. A call that takes longer may be done beside its repeat: the engine tells them apart. */
const runningFor = 30_000;
const keptFor = 24 * 60 * 60_000;
/** A store keeps 64 KiB under a key. */
const mostBytes = 60 * 1024;

/** Whether it is a key: 1 to 255 printable characters of ASCII. */
export function isIdempotencyKey(key: string): boolean {
  return /^[\x20-\x7e]{1,255}$/.test(key);
}

export class Idempotency {
  readonly #kept: KeptValues;
  readonly #newId: () => string;

  constructor(kept: KeptValues, newId: () => string) {
    [this.#kept, this.#newId] = [kept, newId];
  }

  /** Does the work unless it was done under this key. A reply that says "later" is not kept, nor one that failed here. */
  async once<R extends KeptReply>(call: KeyedCall, work: () => Promise<R>): Promise<KeyedResult<R>> {
    const { person, route, repeats } = call;
    const body = digest('body', call.key, hash('sha256', call.body, 'base64url'));
    const key = `idempotency:${digest('idempotency', person.id, person.tenant ?? '', route, call.key)}`;
    const running = JSON.stringify({ body, by: this.#newId() } satisfies KeptCall);
    let isRepeat = false;
    let found = await this.#kept.swap({ key, expected: null, value: running, ttl: runningFor });
    while (!found.swapped && found.current !== null) {
      const kept = JSON.parse(found.current) as KeptCall; // we wrote it
      if (kept.body !== body) return { type: 'other-body' };
      if (kept.reply !== undefined) return { type: 'repeat', reply: kept.reply as R }; // of the same route
      if (kept.by !== undefined) return { type: 'running' };
      isRepeat = true;
      found = await this.#kept.swap({ key, expected: found.current, value: running, ttl: runningFor });
    }
    if (!found.swapped) return { type: 'running' }; // it ended between two looks
    const reply = await this.#done(key, running, work, (said) => {
      if (repeats === 'reply') return isFinal(said) ? keptAs(body, said) : null;
      return isFinal(said) || said.status === 202 ? keptAs(body, undefined) : null; // recorded: other words are too late
    });
    return { type: isRepeat ? 'repeat' : 'done', reply };
  }

  async #done<R extends KeptReply>(
    key: string,
    running: string,
    work: () => Promise<R>,
    kept: (reply: R) => string | null,
  ): Promise<R> {
    let value: string | null = null;
    try {
      const reply = await work();
      value = kept(reply);
      return reply;
    } finally {
      // what cannot be kept is done again by a repeat, which the engine recognises; the caller has its reply
      await this.#kept.swap({ key, expected: running, value, ttl: keptFor }).catch(() => undefined);
    }
  }
}

/** Whether a repeat would be told the same: not what is still to be worked on, nor what failed for a reason that may pass. */
function isFinal({ status, isRefused = false }: KeptReply): boolean {
  return !isRefused && status !== 202 && status !== 429 && status < 500;
}

function keptAs(body: string, given: KeptReply | undefined): string {
  if (given === undefined) return JSON.stringify({ body } satisfies KeptCall);
  const { status, body: said, headers } = given;
  const reply = { status, body: said, ...(headers && { headers }) };
  const whole = JSON.stringify({ body, reply } satisfies KeptCall);
  return Buffer.byteLength(whole) <= mostBytes ? whole : JSON.stringify({ body } satisfies KeptCall);
}
