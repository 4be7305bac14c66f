/**
 * What tests of a running registry share: a fake clock, one memory store, as many replicas on it as a test wants, and channels
 * that fail on demand. Nothing here waits for real time; `settle` lets everything run that is ready to.
 */
import { randomUUID } from 'node:crypto';
import type { Channel, Desk, IncomingMessage, OutgoingMessage, Store } from '../../src/index.js';
import { AgentError, AgentRegistry, MemoryStore } from '../../src/index.js';
import { FakeClock } from '../../src/testing/index.js';
import { claim, closing, entry, release, saved, saving } from '../../src/testing/store-contract/kit.js';
import { textStore } from '../../src/testing/store-contract/texts.js';
import { frozenValues, inTexts } from './values.js';

/** The longest that interrupted work may lie about: lease 30 s, sweep 5 s + 20 %. */
export const leaseAndSweep = 30_000 + 6_000 + 1;
export const minute = 60_000;

export class TestChannel implements Channel {
  readonly name: string;
  readonly isTriggerChannel: boolean;
  readonly sent: OutgoingMessage[] = [];
  desk: Desk | undefined;
  tries = 0;
  /** What happens at a send: throw to fail, never resolve to hang. */
  onSend: (message: OutgoingMessage) => void | Promise<void> = () => {};

  constructor(name = 'phone', trigger = false) {
    this.name = name;
    this.isTriggerChannel = trigger;
  }

  start(desk: Desk): void {
    this.desk = desk;
  }

  async send(message: OutgoingMessage): Promise<void> {
    this.tries += 1;
    await this.onSend(message);
    this.sent.push(message);
  }

  receive(message: IncomingMessage): Promise<'recorded' | 'repeat'> {
    if (this.desk === undefined) throw new Error('The channel was not started.');
    return this.desk.receive(message);
  }

  conversationFor(to: unknown): string {
    return String(to);
  }

  texts(conversationId?: string): string[] {
    return this.sent
      .filter((each) => conversationId === undefined || each.conversationId === conversationId)
      .map((each) => each.text);
  }
}

/** A promise that a test opens by hand. */
export function gate(): { readonly passed: Promise<void>; open(): void } {
  let open: () => void = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open: () => open() };
}

export const never = (): Promise<never> => new Promise(() => {});

/** Lets everything run that is ready to, and what that makes ready. */
export async function settle(times = 12): Promise<void> {
  for (let i = 0; i < times; i += 1) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}

type Options = NonNullable<ConstructorParameters<typeof AgentRegistry>[0]>;
type Events = Parameters<AgentRegistry['on']>[0];

export function world() {
  const clock = new FakeClock();
  const store = frozenValues(new MemoryStore({ clock }));
  let messages = 0;
  let replicas = 0;

  return {
    clock,
    store,
    advance: (ms: number) => clock.advance(ms, settle),
    /** A process of its own on the shared store. The first one is given the values that it gave, the others their texts. */
    replica: async (options: Options = {}) => {
      replicas += 1;
      const registry = new AgentRegistry({ store: replicas === 1 ? store : inTexts(store), clock, ...options });
      await registry.start();
      return registry;
    },
    /** Hands a message to a channel and lets everything settle; resolves with what the channel was told. */
    says: async (channel: TestChannel, text: string, more: Partial<IncomingMessage> = {}) => {
      messages += 1;
      const conversationId = more.conversationId ?? 'c1';
      const received = channel.desk?.receive({
        id: `message-${messages}`,
        conversationId,
        text,
        participant: { id: `${channel.name}:ann`, name: 'Ann' },
        address: conversationId,
        ...more,
      });
      received?.catch(() => {});
      await settle();
      return received;
    },
  };
}

export type World = ReturnType<typeof world>;

/** Collects what a registry tells its operator. */
export function heard<E extends Events>(registry: AgentRegistry, event: E) {
  const list: Parameters<Parameters<typeof registry.on<E>>[1]>[0][] = [];
  registry.on(event, (about) => list.push(about));
  return list;
}

/** The store with some of its steps replaced. */
export function storeWith(inner: Store, steps: Partial<Store>): Store {
  return new Proxy(inner, {
    get(target, name) {
      if (name === 'settlesWithin') return steps.settlesWithin; // that of the inner store says nothing of these steps
      const own: unknown = Reflect.get(steps, name);
      const method: unknown = own ?? Reflect.get(target, name);
      return typeof method === 'function' ? method.bind(own === undefined ? target : steps) : method;
    },
  });
}

/** The store behind a line that can be cut: while it is down, every step fails and none happens. */
export function flaky(inner: Store): { readonly store: Store; down: boolean; calls: string[] } {
  const state = { store: inner, down: false, calls: [] as string[] };
  state.store = new Proxy(inner, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return (...args: unknown[]): unknown => {
        state.calls.push(String(name));
        if (!state.down) return Reflect.apply(method, target, args);
        if (name === 'hint') return undefined;
        return Promise.reject(new AgentError('store-unavailable', 'The line to the store is cut.'));
      };
    },
  });
  return state;
}

/** A provider that honours keys: however often it is called with one, it pays once. */
export function ledger() {
  const paid = new Map<string, string>();
  const calls: { readonly key: string; readonly attempt: number }[] = [];
  return {
    paid,
    calls,
    pay: (key: string, order: string, attempt: number): string => {
      calls.push({ key, attempt });
      if (!paid.has(key)) paid.set(key, order);
      return `Refunded ${paid.get(key)}`;
    },
  };
}

/** Writes a document as another release or a fault would have left it, past the registry. */
export async function writeDocument(
  store: Store,
  conversationId: string,
  change: (document: string | null) => string,
): Promise<void> {
  const id = `entry-${conversationId}-${Math.floor((await store.due(1)).now)}`;
  const texts = textStore(store);
  const by = await claim(texts, conversationId, { entry: entry(id, { data: '{"entry":{"type":"cancel"}}' }) });
  const closes = closing(id, '{"type":"control"}');
  await saved(texts, saving(conversationId, by, { document: change(by.document), closes }, release(0, 'strike')));
}

/** Ids for a test that must not spin for ever: after so many of them every step that needs one fails. */
export function limitedIds(most = 900): () => string {
  let made = 0;
  return () => {
    made += 1;
    if (made > most) throw new Error(`The registry spins: it has made ${most} ids.`);
    return randomUUID();
  };
}
