/**
 * What a turn remembers for its re-runs: the results of once(), and notes of its own. Each is written to the store before it counts,
 * and the first value stays.
 */
import { AgentError } from '../../core/errors.js';
import { describe } from '../../core/ids.js';
import { plainData } from '../../core/json.js';
import type { RegistryContext } from '../context.js';
import type { Lease } from '../lease/lease.js';
import { retried } from '../retry.js';

/** What the store has remembered. Where other work shares the turn id, the keys of this one begin with its scope. */
export interface StoredMemo {
  readonly turn: string;
  readonly scope: string | undefined;
  readonly kept: Readonly<Record<string, string>>;
}

export interface OnceWork<T> {
  readonly key: string;
  readonly run: (key: string) => Promise<T>;
  /** How long its result may be. */
  readonly bytes: number;
  /** Another agent than the turn's own, which has keys of its own. */
  readonly by?: string | undefined;
}

export class TurnMemo {
  readonly #context: RegistryContext;
  readonly #lease: Lease;
  readonly #stored: StoredMemo;
  /** Values by the key that the store has. */
  readonly #kept: Map<string, string>;
  /** What once() is running now, by the same key. */
  readonly #running = new Map<string, Promise<string>>();

  constructor(context: RegistryContext, lease: Lease, stored: StoredMemo) {
    this.#context = context;
    this.#lease = lease;
    this.#stored = stored;
    this.#kept = new Map(Object.entries(stored.kept));
  }

  /** The work's result, done once: written before it is returned. */
  async once<T>(work: OnceWork<T>): Promise<T> {
    assertOnce(work);
    const { key, by } = work;
    const storeKey = this.#keyOf(by === undefined ? key : JSON.stringify([by, key]));
    const kept = this.#kept.get(storeKey);
    if (kept !== undefined) return unwrapped<T>(kept);
    const running = this.#running.get(storeKey) ?? this.#ran(storeKey, work);
    this.#running.set(storeKey, running);
    try {
      return unwrapped<T>(await running);
    } finally {
      this.#running.delete(storeKey); // after an error the next call runs the work again
    }
  }

  hasNote(name: string): boolean {
    return this.#kept.has(this.#keyOf(name));
  }

  async note(name: string): Promise<void> {
    await this.#remember(this.#keyOf(name), '');
  }

  /** Runs the work, and writes its result down. */
  async #ran(storeKey: string, { key, run, bytes }: OnceWork<unknown>): Promise<string> {
    this.#lease.assertHeld();
    const result = await run(key);
    const limits = { bytes, depth: this.#context.settings.depth };
    const plain = result === undefined ? '' : plainData(result, `The result of once(${JSON.stringify(key)})`, limits);
    return this.#remember(storeKey, result === undefined ? '' : JSON.stringify(plain));
  }

  async #remember(key: string, value: string): Promise<string> {
    const { settings, store } = this.#context;
    const call = { conversationId: this.#lease.conversationId, turn: this.#stored.turn, key, value };
    const remembered = await retried(this.#context, 'remember', settings.lease, () => store.remember(call));
    if (remembered.type === 'ended') return value;
    this.#kept.set(key, remembered.value);
    return remembered.value;
  }

  #keyOf(key: string): string {
    const { scope } = this.#stored;
    return scope === undefined ? key : `${scope} ${key}`;
  }
}

function assertOnce({ key, run }: OnceWork<unknown>): void {
  if (typeof key !== 'string' || key === '')
    throw new AgentError('bad-option', `once(): the key must be a non-empty string, got ${describe(key)}.`);
  if (!key.isWellFormed()) {
    const what = `once(): the key ${JSON.stringify(key)} contains half a character (a lone surrogate)`;
    throw new AgentError('bad-option', `${what}, which no store keeps as it is. Use a digest of what it is made of.`);
  }
  if (typeof run !== 'function')
    throw new AgentError('bad-option', `once(): the work must be a function, got ${describe(run)}.`);
}

/** What the author's own work returned. */
const unwrapped = <T>(value: string): T => (value === '' ? undefined : JSON.parse(value)) as T;
