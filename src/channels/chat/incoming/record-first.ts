/**
 * `chat` and its adapters mark a message as seen before anybody has handled it, so that one whose recording fails would be lost: the
 * platform sends it again, and it is taken for a repeat. Here the marks of a request are kept back until everything in it is recorded.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { StateAdapter } from 'chat';
import { having } from '../../../core/check-options.js';
import { AgentError } from '../../../core/errors.js';

/** What a request of a platform has brought about so far. */
export class ChatRequest {
  readonly #marks: (() => Promise<unknown>)[] = [];
  readonly #marked = new Set<string>();
  readonly #failures: unknown[] = [];
  #recording = 0;
  #recorded = 0;

  /** Notes the work of a handler. */
  async records<T>(work: () => Promise<T>): Promise<T> {
    this.#recording += 1;
    try {
      const result = await work();
      this.#recorded += 1;
      return result;
    } catch (error) {
      this.#failures.push(error);
      throw error;
    } finally {
      this.#recording -= 1;
    }
  }

  /** Keeps a mark back. False if this request has it already. */
  keepsBack(key: string, mark: () => Promise<unknown>): boolean {
    if (this.#marked.has(key)) return false;
    this.#marked.add(key);
    this.#marks.push(mark);
    return true;
  }

  /** Why something of it is not recorded. */
  get failure(): unknown {
    return this.#failures[0];
  }

  /** Something was recorded, and nothing is on its way: what the adapter still does is of no account. */
  get isRecorded(): boolean {
    return this.#recorded > 0 && this.#recording === 0 && this.#failures.length === 0;
  }

  /** Sets the marks. One that is lost costs a repeat, which is recognised. */
  async marks(): Promise<void> {
    await Promise.allSettled(this.#marks.map((mark) => mark()));
  }
}

const requests = new AsyncLocalStorage<ChatRequest>();

/** The request that the running code belongs to; undefined where an adapter fetches by itself. */
export const currentRequest = (): ChatRequest | undefined => requests.getStore();
export const inRequest = <T>(request: ChatRequest, work: () => Promise<T>): Promise<T> => requests.run(request, work);

const wrapped = new WeakSet<object>();

/** Whether `recordFirst()` made it. */
export function isRecordFirst(state: unknown): boolean {
  return typeof state === 'object' && state !== null && wrapped.has(state);
}

/**
 * What is needed of a state adapter of `chat`. Packages of `chat` may have different versions of its types.
 *
 * @example
 * import { createMemoryState } from '@chat-adapter/state-memory';
 * import type { ChatState } from 'askback/channels/chat';
 *
 * const state: ChatState = createMemoryState();
 */
export interface ChatState {
  /** Reads a value. */
  get(key: string): Promise<unknown>;
  /** Sets a value. */
  set(key: string, value: unknown, ttlMs?: number): Promise<void>;
  /** Sets a value that is not there yet. */
  setIfNotExists(key: string, value: unknown, ttlMs?: number): Promise<boolean>;
}

const stateOption = having<ChatState>('a state adapter of chat', 'setIfNotExists', 'set', 'get');

/**
 * The state of a `Chat` whose messages go to askback: a message is marked as seen after it is recorded, not before. `setIfNotExists` and
 * `set` of `true` inside of a request therefore take effect at its end. A `ChatChannel` asks for it.
 *
 * @example
 * import { createMemoryState } from '@chat-adapter/state-memory';
 * import { recordFirst } from 'askback/channels/chat';
 *
 * const state = recordFirst(createMemoryState());
 */
export function recordFirst(state: ChatState): StateAdapter {
  const given = stateOption(state, 'recordFirst(): state') as StateAdapter; // it has the other methods, of some version
  if (isRecordFirst(given)) return given;
  const own: Pick<StateAdapter, 'setIfNotExists' | 'set' | 'enqueue'> = {
    setIfNotExists: async (key, value, ttlMs) => {
      const request = currentRequest();
      if (request === undefined) return given.setIfNotExists(key, value, ttlMs);
      if ((await given.get(key)) !== null) return false;
      return request.keepsBack(key, () => given.setIfNotExists(key, value, ttlMs));
    },
    set: async (key, value, ttlMs) => {
      const request = currentRequest();
      // a value that is only true is a mark; what else adapters keep is read by other requests meanwhile
      if (request === undefined || value !== true) return given.set(key, value, ttlMs);
      request.keepsBack(key, () => given.set(key, value, ttlMs));
    },
    enqueue: async () => {
      // a message in this queue counts as handled, and may be dropped from it
      throw new AgentError(
        'bad-option',
        "A Chat for askback needs concurrency: 'concurrent'. It has put a message aside.",
      );
    },
  };
  const proxy = new Proxy(given, {
    get(target, name) {
      if (name === 'setIfNotExists' || name === 'set' || name === 'enqueue') return own[name];
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  wrapped.add(proxy);
  return proxy;
}
