/** Redis and memory side by side: whatever is done to both, in whatever order, both say the same. */
import { fc, test } from '@fast-check/vitest';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect } from 'vitest';
import { routedId } from '../../src/core/ids.js';
import { MemoryStore } from '../../src/stores/memory/store.js';
import type { Claim, Save, Store, Take, Taken } from '../../src/stores/port.js';
import {
  closing,
  entry,
  hold,
  long,
  next,
  out,
  release,
  saving,
  taking,
} from '../../src/testing/store-contract/kit.js';
import { type RedisServer, startRedis } from '../support/redis-server.js';
import { checkKeys, freshPrefix, storeOn } from './redis-kit.js';

let server: RedisServer;
let client: Redis;
beforeAll(async () => {
  server = await startRedis();
  client = new Redis(server.url);
});
afterAll(async () => {
  client.disconnect();
  await server.stop();
});

const conversations = ['c', 'd *'];
const small = (max: number) => fc.integer({ min: 0, max });
const command = fc.record({
  what: fc.constantFrom(
    'take',
    'take',
    'take',
    'save',
    'save',
    'save',
    'again',
    'remember',
    'renew',
    'sent',
    'unsent',
    'erase',
  ),
  on: small(1),
  entry: small(5),
  lease: fc.constantFrom(0, long, long),
  after: small(2),
  closes: fc.constantFrom('front', 'front', 'other', 'internal', 'none'),
  keepMemo: fc.boolean(),
  output: small(4),
  to: fc.constantFrom('saver' as const, 'anyone' as const, 'puller' as const),
  ask: small(3),
  open: fc.constantFrom(undefined, true, false),
  due: fc.constantFrom(undefined, null, 1, long * 1e7),
});
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;

/** A key is one output's, and an output is either sent or pulled: never both under one key. */
const keyOf = ({ to, output }: Command): string => `${to === 'puller' ? 'p' : 'k'}${output}`;

/** What was said, without what may differ: times, and the names the stores give to lives. */
function plain(said: unknown): unknown {
  const ignored = new Set(['now', 'at', 'incarnation']);
  return JSON.parse(JSON.stringify(said ?? null, (key, value: unknown) => (ignored.has(key) ? undefined : value)));
}

/** Both stores, told the same; what they say must be the same. */
class Pair {
  readonly calls: ((store: Store) => Promise<unknown>)[] = [];
  private readonly held: (Claim | undefined)[] = [];

  constructor(
    readonly redis: Store,
    readonly memory: Store,
  ) {}

  async both<T>(step: (store: Store) => Promise<T>): Promise<T> {
    const said = await step(this.redis);
    expect(plain(said)).toEqual(plain(await step(this.memory)));
    return said;
  }

  async step(c: Command): Promise<void> {
    const id = conversations[c.on] as string;
    const by = this.held[c.on];
    if (c.what === 'take') {
      const call = taking(id, { lease: c.lease, entry: entry(`e${c.entry}`, { room: 4 }) });
      const { claim } = await this.remembered((store) => this.foreseeing(store, call, c));
      if (claim) this.held[c.on] = claim;
    } else if (c.what === 'save' && by) {
      const said = await this.remembered((store) => store.save(this.save(id, by, c)));
      const saved = said.type === 'saved' ? said : undefined;
      this.held[c.on] = saved?.next ?? (saved && c.after === 0 ? { ...by, revision: saved.revision } : undefined);
    } else if (c.what === 'again') {
      const call = this.calls.at(-1 - c.entry);
      if (call) await this.both(call);
    } else if (c.what === 'remember' && by) {
      await this.remembered((store) =>
        store.remember({ conversationId: id, turn: by.turn, key: `k${c.ask}`, value: `${c.entry}` }),
      );
    } else if (c.what === 'renew' && by) {
      await this.both((store) => store.renew([{ conversationId: id, token: by.token }], long));
    } else if (c.what === 'sent') {
      const again = c.after === 0 ? { again: { in: 0, data: 'again' } } : { sentAs: { name: 'n', id: `${c.entry}` } };
      await this.remembered((store) => store.sent([{ conversationId: id, key: keyOf(c), channel: 'web', ...again }]));
    } else if (c.what === 'unsent') {
      await this.both((store) => store.unsent({ channels: ['web'], limit: 9, loan: long, conversationId: id }));
    } else if (c.what === 'erase' && c.entry === 0) {
      await this.both(async (store) => {
        const life = await store.conversation(id);
        const call = { conversationId: id, incarnation: life?.incarnation ?? '', revision: life?.revision ?? 0 };
        const asks = [0, 1, 2, 3].map((i) => ({ id: routedId(id, `a${i}`), tombstone: 'gone' }));
        return store.erase({ ...call, asks, parked: [routedId(id, 'parked')], people: ['p'], retention: long });
      });
    }
    await this.look();
  }

  /** Takes with something predecided, sometimes for what the conversation is not. Each store has its own names for lives. */
  private async foreseeing(store: Store, call: Take, c: Command): Promise<Taken> {
    const known = c.after > 0 ? await store.conversation(call.conversationId) : null;
    if (known === null) return store.take(call);
    const { incarnation, revision } = known;
    return store.take({
      ...call,
      predecided: { incarnation, revision: revision + c.after - 1, document: `f${c.ask}` },
    });
  }

  private async remembered<T>(step: (store: Store) => Promise<T>): Promise<T> {
    this.calls.push(step);
    return this.both(step);
  }

  private readonly saves = new Map<Command, Save>();

  private save(id: string, by: Claim, c: Command): Save {
    const known = this.saves.get(c);
    if (known) return known;
    const ask = routedId(id, `a${c.ask}`);
    const ids = { front: by.entry?.id ?? 'none', other: `e${c.entry}`, internal: `expiry:${c.ask}`, none: undefined };
    const closed = ids[c.closes];
    const changes = {
      document: `d${c.entry}`,
      history: [`h${c.ask}`],
      people: ['p'],
      outputs: [out(keyOf(c), { to: c.to })],
      withdraw: c.output === 0 ? ['k1', 'k2', 'p1', 'p2'] : [],
      asks:
        c.ask % 2
          ? { opened: [{ id: ask, at: c.ask }], settled: [] }
          : { opened: [], settled: [{ id: ask, record: 'r' }] },
      ...(closed !== undefined && { closes: closing(closed, 'done', c.keepMemo) }),
      ...(c.open !== undefined && { open: c.open }),
      ...(c.due !== undefined && { due: c.due }),
    };
    const made = saving(id, by, changes, [hold, next(), release(0, c.keepMemo)][c.after] as Save['then']);
    this.saves.set(c, made);
    return made;
  }

  private async look(): Promise<void> {
    for (const id of conversations) {
      await this.both((store) => store.conversation(id));
      await this.both((store) => store.history(id, { limit: 3 }));
      await this.both((store) => store.sentAs(id, 'n'));
      for (let i = 0; i < 6; i++) await this.both((store) => store.outcome(id, `e${i}`));
      for (let i = 0; i < 4; i++) await this.both((store) => store.find(routedId(id, `a${i}`)));
    }
    await this.both((store) => store.list('open', { limit: 5 }));
    await this.both(async (store) => [...(await store.due(9)).conversations].sort());
    await this.both(async (store) => [...(await store.conversationsOf('p'))].sort());
  }
}

test.prop([fc.array(command, { minLength: 5, maxLength: 40 })], { numRuns: Number(process.env.LIKENESS_RUNS ?? 25) })(
  'any story is told by Redis as it is by memory, and leaves Redis in order',
  async (commands) => {
    const prefix = freshPrefix();
    const redis = storeOn(client, { prefix });
    const memory = new MemoryStore();
    await redis.open();
    try {
      const pair = new Pair(redis, memory);
      for (const each of commands) {
        await pair.step(each);
        await checkKeys(client, prefix);
      }
    } finally {
      await redis.close();
      await client.del(...(await client.keys(`${prefix}:*`)));
    }
  },
  120_000,
);
