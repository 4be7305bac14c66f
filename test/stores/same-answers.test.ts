/**
 * Whatever happens in which order, all stores give the same answers: one random history is played on the memory store and on another,
 * and every answer is compared, and now and then all that can be read. Times differ between stores, so nothing here runs out.
 */
import { expect, test } from 'vitest';
import { MemoryStore } from '../../src/index.js';
import { SqliteStore } from '../../src/stores/sqlite/index.js';
import {
  askId,
  dice,
  entry,
  hold,
  long,
  next,
  out,
  release,
  saving,
  taking,
} from '../../src/testing/store-contract/kit.js';
import { type Claim, type Store, textStore } from '../../src/testing/store-contract/texts.js';
import { redisForFile } from '../support/for-file.js';
import { storeOn } from '../support/redis-store.js';
import { freshPath } from '../support/sqlite-store.js';
import { quickest, silent, standing } from '../support/store.js';

const { client } = await redisForFile();

const names = ['a', 'b', 'c'];
const neverDue = 8e12;

/** What comes back, without what depends on the time or on the store. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== 'object' || value === null) return value;
  const own = ['now', 'at', 'incarnation', 'cursor'];
  const fields = Object.entries(value).filter(([name, each]) => !own.includes(name) && each !== undefined);
  return Object.fromEntries(fields.map(([name, each]) => [name, comparable(each)]));
}

type Step = (store: Store) => Promise<unknown>;

/** What of an answer matters for what comes next. */
interface Answer {
  readonly type?: string;
  readonly revision?: number;
  readonly claim?: Claim;
  readonly next?: Claim;
}

/** A step of a conversation. `isHold`: a save after which its turn goes on. */
interface Move {
  readonly id: string;
  readonly step: Step;
  readonly isHold: boolean;
}

/** The moves of a history. `heard` takes what the memory store answered, because the next moves depend on it. */
function history(roll: (sides: number) => number) {
  const some = <T>(items: readonly T[]): T => items[roll(items.length)] as T;
  const claims = new Map<string, Claim>();
  /** The asks of a conversation that may be open, and all that it ever had. */
  const open = new Map<string, string[]>(names.map((id) => [id, []]));
  const asked = new Map<string, string[]>(names.map((id) => [id, ['none']]));
  const made: Move[] = [];
  let turns: readonly string[] = ['t'];
  let count = 0;

  function take(id: string): Step {
    const turn = roll(4) === 0 && { turn: some(turns) };
    const person = roll(3) === 0 && { person: `p${roll(12)}` };
    const known = `e${roll(5) === 0 ? roll(count) : count}`;
    const given = roll(6) > 0 && { entry: entry(known, { room: some([3, 9, 100]), ...turn, ...person }) };
    const decided = { document: `decided ${count}`, changed: [askId(id, some(asked.get(id) ?? []))] };
    const predecide = roll(3) === 0 && { predecide: () => decided };
    const call = taking(id, { lease: some([0, long, long]), ...given, ...predecide });
    return (store) => store.take(call);
  }

  function save(id: string, by: Claim, then: ReturnType<typeof next>): Step {
    const asks = open.get(id) ?? [];
    const [isOpened, isSettled] = [roll(3) === 0, asks.length > 0 && roll(3) === 0];
    const over = isSettled ? askId(id, asks.splice(roll(asks.length), 1)[0] ?? '') : '';
    if (isOpened) for (const list of [asks, asked.get(id)]) list?.push(`${count}`);
    const closed = some([by.entry?.id, by.entry?.id, by.entry?.id, `e${roll(count)}`, undefined]);
    const deadline = roll(2) === 0 && { deadline: roll(99) };
    const parked = askId(id, `work ${roll(3)}`);
    const changes = {
      ...(roll(2) === 0 && { document: `document ${count} é`.repeat(roll(6) === 0 ? 500 : 1) }),
      ...(roll(3) === 0 && { due: some([null, 1, neverDue]) }),
      ...(closed !== undefined && {
        closes: { entryId: closed, outcome: `outcome ${count}`, keepMemo: roll(3) === 0 },
      }),
      open: roll(4) > 0,
      outputs: Array.from({ length: roll(3) }, (_, i) =>
        out(`k${roll(30)}`, { data: `${count}.${i}`, channel: some(['web', 'mail']), to: some(['saver', 'anyone']) }),
      ),
      withdraw: roll(4) === 0 ? [`k${roll(30)}`] : [],
      sendLease: some([0, long]),
      history: Array.from({ length: roll(4) }, (_, i) => `${count}.${i}`),
      historyLimit: some([5, 20]),
      asks: {
        opened: isOpened ? [{ id: askId(id, `${count}`), at: roll(9), ...deadline }] : [],
        changed: roll(5) === 0 ? [askId(id, some(asked.get(id) ?? []))] : [],
        settled: isSettled ? [{ id: over, record: `record ${count}`, at: roll(9) }] : [],
      },
      parked: { added: roll(6) === 0 ? [{ id: parked, at: roll(9) }] : [], removed: roll(6) === 0 ? [parked] : [] },
      people: roll(3) === 0 ? [`p${roll(12)}`] : [],
    };
    const call = saving(id, { ...by, revision: by.revision + (roll(12) === 0 ? 1 : 0) }, changes, then);
    return (store) => store.save(call);
  }

  function other(id: string): Step {
    const by = claims.get(id);
    const key = `k${roll(30)}`;
    const channel = some(['web', 'mail']);
    const again = roll(3) === 0 && { again: { in: 0, data: `again ${count}` } };
    const mark = { conversationId: id, key, channel, ...again, sentAs: { name: some(['n', 'm']), id: `${count}` } };
    const kept = { conversationId: id, turn: some([by?.turn ?? 't', ...turns]), key: `k${roll(3)}`, value: `${count}` };
    const borrow = { channels: some([['web'], ['web', 'mail']]), limit: 1 + roll(5), sendLease: some([0, long]) };
    const asks = (asked.get(id) ?? []).map((name) => ({ id: askId(id, name), tombstone: 't' }));
    const parked = [0, 1, 2].map((i) => askId(id, `work ${i}`));
    return some<Step>([
      (store) => store.sent([mark]),
      (store) => store.remember(kept),
      (store) => store.remember(kept),
      (store) => store.renew([{ conversationId: id, token: by?.token ?? 't' }], long),
      (store) => store.unsent({ ...borrow, conversationId: id }),
      async (store) => {
        if (count % 4 > 0) return false;
        const { incarnation = '', revision = 0 } = (await store.conversation(id)) ?? {};
        return store.erase({ conversationId: id, incarnation, revision, asks, parked, retention: long });
      },
    ]);
  }

  function drawn(): Move {
    count += 1;
    if (roll(12) === 0 && made.length > 0) return some(made.slice(-4)); // sent again after a lost reply
    const id = some(names);
    const by = claims.get(id);
    const sides = roll(10);
    if (sides < 3) return { id, step: other(id), isHold: false };
    if (sides < 6 || by === undefined) return { id, step: take(id), isHold: false };
    const then = some([hold, next(), next(), release(0, some(['nothing', 'strike', 'claim']))]);
    return { id, step: save(id, by, then), isHold: then === hold };
  }

  function heard({ id, isHold }: Move, answer: Answer): void {
    const claim = answer.claim ?? answer.next;
    const by = claims.get(id);
    if (claim !== undefined) {
      claims.set(id, claim);
      turns = [...turns.slice(-3), claim.turn];
    } else if (answer.type === 'refused') claims.delete(id);
    else if (answer.type === 'saved' && isHold && by !== undefined) {
      claims.set(id, { ...by, revision: answer.revision ?? 0 });
    } else if (answer.type === 'saved') claims.delete(id);
  }

  return {
    next() {
      const one = drawn();
      made.push(one);
      return one;
    },
    heard,
    entries: () => Array.from({ length: count }, (_, i) => `e${i}`).slice(-60),
    asks: () => [...asked].flatMap(([id, all]) => all.map((name) => askId(id, name))),
  };
}

/** All that can be read. */
async function everything(store: Store, entries: readonly string[], asks: readonly string[], cursor: string) {
  const pages = async (what: 'open' | 'deadline' | 'parked', limit: number) => {
    const ids: string[] = [];
    for (
      let page = await store.list(what, { limit });
      ;
      page = await store.list(what, { limit, cursor: page.cursor })
    ) {
      ids.push(...page.items.map((item) => `${item.id} ${item.conversationId} ${item.at}`));
      if (page.cursor === undefined) return ids;
    }
  };
  const each = await Promise.all(
    names.map(async (id) => ({
      states: [await store.conversation(id), await store.conversation(id, 2)],
      outcomes: await Promise.all(entries.map((entryId) => store.outcome(id, entryId))),
      history: [await store.history(id, { limit: 3 }), await store.historyFrom(id, 7, 30)],
      settled: [
        (await store.settled({ limit: 50, conversationId: id })).items,
        [...(await store.settledAsks(id))].sort(),
      ],
      sentAs: [await store.sentAs(id, 'n'), await store.sentAs(id, 'm')],
    })),
  );
  const changes = (await store.changes({ limit: 1_000, cursor })).items;
  return comparable({
    each,
    found: await Promise.all(asks.map((ask) => store.find(ask))),
    work: await Promise.all(names.map((id) => store.find(askId(id, 'work 1')))),
    lists: [await pages('open', 3), await pages('deadline', 4), await pages('parked', 2)],
    settled: (await store.settled({ limit: 50 })).items.map(({ id, at }) => `${id} ${at}`),
    due: [...(await store.due(10)).conversations].sort(),
    people: await Promise.all(
      Array.from({ length: 12 }, async (_, i) => [...(await store.conversationsOf(`p${i}`))].sort()),
    ),
    changes: changes.map((change) => `${change.id} ${change.conversationId}`).sort(),
  });
}

const stores = {
  SQLite: () => new SqliteStore({ path: freshPath(quickest), clock: standing(), logger: silent }),
  Redis: () => storeOn(client),
};

test.each(Object.entries(stores))('the %s store answers as the memory store does', async (_, make) => {
  const both = [new MemoryStore({ clock: standing() }), make()].map(textStore) as [Store, Store];
  for (const store of both) await store.open();
  const [memory, other] = both;
  const starts = await Promise.all(both.map(async (store) => (await store.changes({ limit: 1 })).cursor));
  const play = history(dice());
  for (let i = 0; i < 600; i += 1) {
    const move = play.next();
    const answer = await move.step(memory);
    expect([i, comparable(await move.step(other))]).toEqual([i, comparable(answer)]);
    play.heard(move, (answer ?? {}) as Answer);
    if (i % 20 > 0) continue;
    const [expected, found] = await Promise.all(
      both.map((store, k) => everything(store, play.entries(), play.asks(), starts[k] ?? '')),
    );
    expect([i, found]).toEqual([i, expected]);
  }
  for (const store of both) await store.close();
});
