/** SQLite and memory side by side: whatever is done to both, and however time passes, both say the same. */
import { fc, test } from '@fast-check/vitest';
import { expect } from 'vitest';
import { routedId } from '../../src/core/ids.js';
import { MemoryStore } from '../../src/stores/memory/store.js';
import type { Claim, Save, Store, Take, Taken } from '../../src/stores/port.js';
import { closing, entry, hold, next, out, release, saving, taking } from '../../src/testing/store-contract/kit.js';
import { beside, opened, standing } from './sqlite-kit.js';
import { checkFile } from './sqlite-look.js';

const conversations = ['c', 'd *'];
const small = (max: number) => fc.integer({ min: 0, max });
const time = fc.constantFrom(0, 40, 1_000, 600_000);
const command = fc.record({
  what: fc.constantFrom(
    'take',
    'take',
    'save',
    'save',
    'save',
    'again',
    'remember',
    'renew',
    'sent',
    'lend',
    'lend any',
    'erase',
    'wait',
  ),
  on: small(1),
  entry: small(5),
  own: fc.constantFrom(undefined, undefined, 'own turn'),
  after: small(2),
  closes: fc.constantFrom('front', 'front', 'other', 'internal', 'none'),
  yes: fc.boolean(),
  output: small(4),
  channel: fc.constantFrom('web', 'mail'),
  to: fc.constantFrom('saver' as const, 'anyone' as const, 'puller' as const),
  ask: small(3),
  open: fc.constantFrom(undefined, true, false),
  due: fc.constantFrom(undefined, null, 1, 6e12),
  ms: time,
  span: time,
});
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;

/** What was said, without the names that stores give to lives. */
function plain(said: unknown): unknown {
  return JSON.parse(JSON.stringify(said ?? null, (key, value: unknown) => (key === 'incarnation' ? undefined : value)));
}

/** Both stores by one clock, told the same; what they say must be the same. */
class Pair {
  private readonly calls: ((store: Store) => Promise<unknown>)[] = [];
  private readonly held: (Claim | undefined)[] = [];
  /** Asks that were settled: they are never opened again. */
  private readonly settled = new Set<string>();

  constructor(
    private readonly stores: readonly [Store, Store],
    private readonly clock: { time: number },
  ) {}

  async step(c: Command): Promise<void> {
    const id = conversations[c.on] as string;
    const by = this.held[c.on];
    if (c.what === 'wait') this.clock.time += c.ms;
    else if (c.what === 'take') {
      const call = taking(id, {
        lease: c.span,
        ...(c.yes && { entry: entry(`e${c.entry}`, { room: 4, ...(c.own && { turn: c.own }) }) }),
        ...(c.after === 0 && { claimBefore: this.clock.time - 20 + c.ms }),
      });
      const { claim } = await this.remembered((store) => this.foreseeing(store, call, c));
      if (claim) this.held[c.on] = claim;
    } else if (c.what === 'save' && by) {
      const call = this.save(id, by, c);
      const said = await this.remembered((store) => store.save(call));
      const saved = said.type === 'saved' ? said : undefined;
      this.held[c.on] = saved?.next ?? (saved && c.after === 0 ? { ...by, revision: saved.revision } : undefined);
    } else if (c.what === 'again') {
      const call = this.calls.at(-1 - c.entry);
      if (call) await this.both(call);
    } else if (c.what === 'remember' && by) {
      const call = { conversationId: id, turn: by.turn, key: `k${c.ask}`, value: `${c.entry}` };
      await this.remembered((store) => store.remember(call));
    } else if (c.what === 'renew' && by) {
      await this.both((store) => store.renew([{ conversationId: id, token: by.token }], c.span));
    } else if (c.what === 'sent') {
      const more = c.yes ? { again: { in: c.ms, data: 'again' } } : { sentAs: { name: 'n', id: `${c.entry}` } };
      const mark = { conversationId: id, key: `k${c.output}`, channel: c.channel, ...more };
      await this.remembered((store) => store.sent([mark]));
    } else if (c.what === 'lend' || c.what === 'lend any') {
      const one = c.what === 'lend' ? { conversationId: id } : {};
      await this.both((store) => store.unsent({ channels: ['web', 'mail'], limit: 3, loan: c.span, ...one }));
    } else if (c.what === 'erase' && c.entry === 0) {
      await this.both(async (store) => {
        const life = await store.conversation(id);
        const call = { conversationId: id, incarnation: life?.incarnation ?? '', revision: life?.revision ?? 0 };
        const asks = [0, 1].map((i) => ({ id: routedId(id, `a${i}`), tombstone: 'gone' }));
        return store.erase({ ...call, asks, parked: [], people: ['p'], retention: c.span });
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

  private async both<T>(step: (store: Store) => Promise<T>): Promise<T> {
    const said = await step(this.stores[0]);
    expect(plain(said)).toEqual(plain(await step(this.stores[1])));
    return said;
  }

  private remembered<T>(step: (store: Store) => Promise<T>): Promise<T> {
    this.calls.push(step);
    return this.both(step);
  }

  private save(id: string, by: Claim, c: Command): Save {
    const ask = routedId(id, `a${c.ask}`);
    const ids = { front: by.entry?.id ?? 'none', other: `e${c.entry}`, internal: `expiry:${c.ask}`, none: undefined };
    const closed = ids[c.closes];
    const opens = c.yes && !this.settled.has(ask);
    if (!opens) this.settled.add(ask);
    const changes = {
      document: `d${c.entry}`,
      history: [`h${c.ask}`, `i${c.entry}`],
      people: ['p'],
      outputs: [out(`k${c.output}`, { to: c.to, channel: c.channel })],
      withdraw: c.output === 0 ? ['k1', 'k2'] : [],
      asks: opens
        ? { opened: [{ id: ask, at: c.ask }], settled: [] }
        : { opened: [], settled: [{ id: ask, record: 'r' }] },
      parked:
        c.ask === 3
          ? { added: [{ id: routedId(id, 'p'), at: 1 }], removed: [] }
          : { added: [], removed: [routedId(id, 'p')] },
      loan: c.span,
      retention: c.ms,
      repeatMarks: c.span,
      ...(closed !== undefined && { closes: closing(closed, 'done', c.yes) }),
      ...(c.open !== undefined && { open: c.open }),
      ...(c.due !== undefined && { due: c.due }),
    };
    return saving(id, by, changes, [hold, next(c.span), release(c.ms, c.yes)][c.after] as Save['then']);
  }

  private async look(): Promise<void> {
    for (const id of conversations) {
      await this.both((store) => store.conversation(id));
      await this.both((store) => store.history(id, { limit: 3 }));
      await this.both((store) => store.sentAs(id, 'n'));
      for (let i = 0; i < 6; i++) await this.both((store) => store.outcome(id, `e${i}`));
      for (let i = 0; i < 4; i++) await this.both((store) => store.find(routedId(id, `a${i}`)));
    }
    await this.both((store) => store.list('open', { limit: 2 }));
    await this.both((store) => store.list('parked', { limit: 2 }));
    await this.both(async (store) => [...(await store.due(9)).conversations].sort());
    await this.both(async (store) => [...(await store.conversationsOf('p'))].sort());
  }
}

/** A story that differs is shown, however far it could be shortened in time. */
const options = { numRuns: Number(process.env.LIKENESS_RUNS ?? 40), interruptAfterTimeLimit: 90_000 };

test.prop([fc.array(command, { minLength: 5, maxLength: 40 })], options)(
  'any story is told by SQLite as it is by memory, and leaves the file in order',
  async (commands) => {
    const clock = standing();
    const { store, path } = await opened({ clock });
    const file = await beside(path);
    const pair = new Pair([store, new MemoryStore({ clock })], clock);
    for (const each of commands) {
      await pair.step(each);
      checkFile(file);
    }
    await store.close();
  },
  120_000,
);
