/**
 * Steps that a process makes by what it knows of the control record: they leave what the scripts leave, and they are not
 * made where anything is not as it was known.
 */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { bucketOf } from '../../src/core/ids.js';
import { systemClock } from '../../src/machine/clock.js';
import type { Claim, Save, Store, Take } from '../../src/stores/port.js';
import { save } from '../../src/stores/redis/scripts/save.js';
import { begin, swapSave, swapTake } from '../../src/stores/redis/scripts/swap.js';
import { take } from '../../src/stores/redis/scripts/take.js';
import type { Steps } from '../../src/stores/redis/steps.js';
import type { Connections } from '../../src/stores/redis/transport/connections.js';
import {
  askId,
  claim,
  closing,
  entry,
  finishing,
  long,
  out,
  read,
  record,
  type SaveChanges,
  saved,
  saving,
  taking,
  timeless,
} from '../../src/testing/store-contract/kit.js';
import { type RedisServer, startRedis } from '../support/redis-server.js';
import { asked, checkKeys, freshPrefix, opened, storeOn } from './redis-kit.js';

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

const sha = (script: string) => createHash('sha1').update(script).digest('hex');
const names = new Map(
  Object.entries({ take, save, begin, swapTake, swapSave }).map(([name, text]) => [sha(text), name]),
);

/** Which of take, save and their swaps were run for keys of a prefix. */
async function scriptsOf(prefix: string, work: () => Promise<unknown>): Promise<string[]> {
  const monitor = await client.monitor();
  const ran: string[] = [];
  const ended = new Promise<void>((resolve) => {
    monitor.on('monitor', (_time: string, [name = '', first = '', , key = '']: string[], source: string) => {
      if (name.toLowerCase() === 'echo' && first === prefix) resolve();
      const script = source === 'lua' || !key.startsWith(`${prefix}:`) ? undefined : names.get(first);
      if (script !== undefined) ran.push(script);
    });
  });
  try {
    await work();
    await client.echo(prefix);
    await ended;
  } finally {
    monitor.disconnect();
  }
  return ran;
}

/** A second process: another store at the same place. */
async function another(prefix: string): Promise<Store> {
  const store = storeOn(client, { prefix });
  await store.open();
  onTestFinished(() => store.close());
  return store;
}

/** The reply to what `asked` asked, with what it makes of the document. */
async function reply(store: Store, conversationId: string, more: Partial<Take> = {}): Promise<Claim> {
  const { incarnation, revision } = await read(store, conversationId);
  const predecided = { incarnation, revision, document: 'answered' };
  return claim(store, conversationId, { entry: entry('reply'), predecided, ...more });
}

const over = (ask: string): SaveChanges => ({
  ...{ document: 'over', open: false, withdraw: ['q'], history: ['decision', 'in'] },
  asks: { opened: [], settled: [{ id: ask, record: '{"answer":1}' }] },
});

/** The store knows the time of the server from now on, and of no conversation. */
const hear = (store: Store) => store.take(taking('nobody', { lease: 0 }));

const allSwapped = ['take', 'swapSave', 'swapTake', 'swapSave'];

test('an output that was sent before its question was answered leaves nothing to withdraw', async () => {
  const { store, prefix } = await opened(client);
  const ran = await scriptsOf(prefix, async () => {
    const { ask } = await asked(store, 'c');
    await store.sent([{ conversationId: 'c', key: 'q', channel: 'web' }]);
    await saved(store, finishing('c', await reply(store, 'c'), over(ask)));
  });
  expect(ran.filter((script) => allSwapped.includes(script))).toEqual(allSwapped);
  expect(await store.unsent({ channels: ['web'], limit: 10, loan: 0 })).toEqual([]);
  await checkKeys(client, prefix);
});

test('a process that asks and gets the reply makes three of its four steps by what it knows', async () => {
  const { store, prefix } = await opened(client);
  const ran = await scriptsOf(prefix, async () => {
    const { ask } = await asked(store, 'c');
    await saved(store, finishing('c', await reply(store, 'c'), over(ask)));
  });
  expect(ran).toEqual(allSwapped);
  await checkKeys(client, prefix);
});

/** True if two values differ in nothing but times, and in those by little. */
function isAlike(one: Buffer, other: Buffer): boolean {
  if (one.length !== other.length) return false;
  const isTime = (at: number): boolean => {
    if (at < 0 || at + 8 > one.length) return false;
    const [a, b] = [one.readDoubleLE(at), other.readDoubleLE(at)];
    return Number.isInteger(a) && Number.isInteger(b) && a > 1e12 && a < 1e14 && Math.abs(a - b) < 5_000;
  };
  for (let at = 0; at < one.length; ) {
    if (one[at] === other[at]) {
      at += 1;
      continue;
    }
    const starts = [0, 1, 2, 3, 4, 5, 6, 7].map((back) => at - back).filter(isTime);
    if (starts.length === 0) return false;
    at = Math.max(...starts) + 8;
  }
  return true;
}

async function value(key: string): Promise<Buffer[]> {
  const type = await client.type(key);
  if (type === 'string') return [(await client.getBuffer(key)) as Buffer];
  if (type === 'list') return client.lrangeBuffer(key, 0, -1);
  if (type === 'zset') return client.zrangeBuffer(key, 0, -1);
  return Object.entries(await client.hgetallBuffer(key))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([field, value]) => [Buffer.from(field), value]);
}

/** Two places must hold the same, times apart. */
async function expectAlike(one: string, other: string): Promise<void> {
  const keys = (await client.keys(`${one}:{*`)).sort();
  expect((await client.keys(`${other}:{*`)).sort()).toEqual(keys.map((key) => other + key.slice(one.length)));
  for (const key of keys) {
    const twin = other + key.slice(one.length);
    const [mine, theirs] = [await value(key), await value(twin)];
    const odd = mine.findIndex((each, i) => !isAlike(each, theirs[i] ?? Buffer.alloc(0)));
    const told = (bytes: Buffer | undefined) => bytes?.toString('latin1');
    expect(odd, `${key}: ${told(mine[odd])} | ${told(theirs[odd])}`).toBe(-1);
    expect(theirs.length, key).toBe(mine.length);
    const [live, lives] = [await client.pttl(key), await client.pttl(twin)];
    expect(Math.abs(live - lives), `time to live of ${key}: ${live} and ${lives}`).toBeLessThan(5_000);
    for (const member of (await client.type(key)) === 'zset' ? mine : []) {
      const [at, then] = [await client.zscore(key, member), await client.zscore(twin, member)];
      expect(Math.abs(Number(at) - Number(then)), `${key} of ${member}`).toBeLessThan(5_000);
    }
  }
}

/** All that a place holds. */
async function everything(prefix: string) {
  const keys = (await client.keys(`${prefix}:{*`)).sort();
  return Promise.all(keys.map(async (key) => [key, await value(key)]));
}

/** The store does not run this script: it says so instead. */
function without(store: Store, left: string): void {
  const together = (store as unknown as { connections: Connections }).connections.steps;
  const step = together.step.bind(together);
  vi.spyOn(together, 'step').mockImplementation((script, ...rest) => {
    return script === left ? Promise.reject(new Error('left out')) : step(script, ...rest);
  });
  onTestFinished(() => void vi.restoreAllMocks());
}

type Does = (step: (store: Store) => Promise<unknown>) => Promise<void>;

/** What happens in a conversation `c`: each step is made at two places, with the same ids. */
const stories: Readonly<Record<string, { ran?: readonly string[]; tell: (does: Does, now: number) => Promise<void> }>> =
  {
    'a question, and an answer after which nothing is left': {
      tell: async (does) => {
        const { ask } = await asks(does, {});
        await answers(does, over(ask));
      },
    },
    'an answer whose turn says something': {
      tell: async (does) => {
        const { ask } = await asks(does, {});
        await answers(does, {
          ...over(ask),
          outputs: [out('thanks'), out('news', { to: 'anyone', channel: 'mail:x' })],
        });
      },
    },
    'a question that is asked until a time, and one after it': {
      tell: async (does, now) => {
        const { ask } = await asks(does, { due: now + 3_600_000 });
        const second = askId('c', 'second');
        const both = { opened: [{ id: second, at: now }], settled: [{ id: ask, record: 'r' }] };
        await answers(does, {
          document: 'second',
          due: now + 7_200_000,
          outputs: [out('q2')],
          withdraw: ['q'],
          asks: both,
        });
      },
    },
    'texts of many languages': {
      tell: async (does) => {
        const text = 'Größe 你好 🙂 ';
        const { ask } = await asks(does, { document: text.repeat(20), history: [text], people: [`web:${text}`] }, text);
        const closes = closing('reply', text);
        await answers(does, { ...over(ask), document: text, history: [text, text], closes });
      },
    },
    'names of a thousand signs': {
      tell: async (does) => {
        const name = '你'.repeat(1_000);
        const { ask } = await asks(does, { people: [name], outputs: [out('q', { key: name, channel: name })] }, name);
        await answers(does, { ...over(ask), withdraw: [name] });
      },
    },
    'a question that was sent under an id of the channel': {
      tell: async (does) => {
        const { ask } = await asks(does, {});
        const sentAs = { name: 'q', id: 'ts1' };
        await does((store) => store.sent([{ conversationId: 'c', key: 'q', channel: 'web', sentAs }]));
        await answers(does, over(ask));
      },
    },
    'an answer while something else is not sent yet': {
      ran: [...allSwapped, 'save'], // nothing is over then, which is found out at the last moment
      tell: async (does) => {
        const { ask } = await asks(does, { outputs: [out('q'), out('hello')] });
        await answers(does, over(ask));
        await does((store) => store.sent([{ conversationId: 'c', key: 'hello', channel: 'web' }]));
      },
    },
    'an answer while something is not sent yet over another channel': {
      ran: ['take', 'swapSave', 'swapTake', 'save'],
      tell: async (does) => {
        const { ask } = await asks(does, { outputs: [out('q'), out('hello', { channel: 'mail' })] });
        await answers(does, { ...over(ask), outputs: [out('thanks', { channel: 'mail' })] });
      },
    },
    'a document too long for the record': {
      ran: ['take', 'swapSave', 'swapTake', 'save'],
      tell: async (does) => {
        const { ask } = await asks(does, {});
        await answers(does, { ...over(ask), document: 'x'.repeat(1_025) });
      },
    },
    'two questions in one turn': {
      tell: async (does, now) => {
        const opened = ['ask', 'second'].map((name) => ({ id: askId('c', name), at: now }));
        await asks(does, { asks: { opened, settled: [] } });
      },
      ran: ['take', 'swapSave'],
    },
    'a question that nothing is open after': {
      tell: async (does) => {
        await asks(does, { open: false, outputs: [], people: [] });
      },
      ran: ['take', 'swapSave'],
    },
    'no more people, and nobody new': {
      tell: async (does) => {
        const { ask } = await asks(does, { people: [] });
        await answers(does, { ...over(ask), retention: long, repeatMarks: long });
      },
    },
  };

/** A conversation begins with a turn that asks. */
async function asks(does: Does, changes: SaveChanges, data = 'refund') {
  const ask = askId('c', 'ask');
  const taken = taking('c', { entry: entry('wish', { data }) });
  await does((store) => store.take(taken));
  const asks = { opened: [{ id: ask, at: 1_700_000_000_000 }], settled: [] };
  const more = { document: 'asked', open: true, history: ['in', 'out'], people: ['p'], outputs: [out('q')], asks };
  const call = saving('c', { token: taken.token, revision: 0 }, { closes: closing('wish'), ...more, ...changes });
  await does((store) => store.save(call));
  return { ask };
}

/** The reply is taken with what it decides, and its turn ends. */
async function answers(does: Does, changes: SaveChanges): Promise<void> {
  const taken = taking('c', { entry: entry('reply') });
  await does(async (store) => {
    const { incarnation } = await read(store, 'c');
    await store.take({ ...taken, predecided: { incarnation, revision: 1, document: 'answered 你' } });
  });
  const call: Save = saving('c', { token: taken.token, revision: 2 }, { closes: closing('reply'), ...changes });
  await does((store) => store.save(call));
}

describe.each(['take', 'begin'])('leaves what the scripts leave, byte for byte but for times: after %s', (first) => {
  for (const [name, { ran = allSwapped, tell }] of Object.entries(stories)) {
    test(name, async () => {
      const { store, prefix } = await opened(client);
      if (first === 'begin') await hear(store);
      const plain = freshPrefix();
      const [seconds, micros] = await client.time();
      if (Number(micros) > 500_000) await sleep(1_000 - Number(micros) / 1_000); // the life's name has the second in it
      const all: string[] = [];
      await tell(async (step) => {
        all.push(...(await scriptsOf(prefix, () => step(store))));
        const stranger = storeOn(client, { prefix: plain }); // knows nothing of what was before
        await stranger.open();
        await step(stranger);
        await stranger.close();
        await expectAlike(prefix, plain);
        await checkKeys(client, prefix);
      }, Number(seconds) * 1_000);
      expect(all).toEqual([first, ...ran.slice(1)]);
    });
  }
});

test.each([
  ['is only recorded', { lease: 0, entry: entry('first') }],
  ['has a lease so short that no guess of the time is good enough', { lease: 9, entry: entry('first') }],
  ['has no room', { entry: entry('first', { room: 0 }) }],
  ['has a turn of its own', { entry: entry('first', { turn: 'own' }) }],
  ['is none: somebody only looks', {}],
])('a first message is left to the script that finds out if it %s', async (_what, more) => {
  const { store, prefix } = await opened(client);
  await hear(store);
  const plain = await opened(client);
  const first = taking('c', more);
  const ran = await scriptsOf(prefix, () => store.take(first));
  expect(ran).toEqual(['take']);
  await plain.store.take(first);
  await expectAlike(prefix, plain.prefix);
});

/** How a conversation `c` may not be new to others that is to this process, and what a message in it finds. */
const notNew: Readonly<
  Record<string, { make: (store: Store, key: string) => Promise<unknown>; finds: string | null }>
> = {
  'another process asks in it': { make: (store) => asked(store, 'c'), finds: 'asked' },
  'another process recorded something in it': { make: (store) => record(store, 'c', 'earlier'), finds: null },
  'it is over': {
    make: async (store) =>
      saved(store, finishing('c', await claim(store, 'c', { entry: entry('x') }), { document: 'd' })),
    finds: 'd',
  },
  'marks of an earlier life are left': { make: (_, key) => client.hset(`${key}:r`, 'other', 'mark'), finds: null },
};

describe.each(Object.entries(notNew))('a conversation that is not new after all: %s', (_how, { make, finds }) => {
  const first = taking('c', { entry: entry('first') });
  const place = async () => {
    await client.flushall();
    const { store, prefix } = await opened(client);
    await hear(store);
    await make(await another(prefix), `${prefix}:{${bucketOf('c')}}:c:c`);
    return { store, prefix };
  };

  test('a message is recorded in it as ever', async () => {
    const { store, prefix } = await place();
    const ran = await scriptsOf(prefix, async () => {
      expect(await store.take(first)).toMatchObject({ entry: 'recorded', claim: { document: finds } });
    });
    expect(ran).toEqual(['begin', 'take']);
  });

  test('nothing is written by the attempt', async () => {
    const { store, prefix } = await place();
    const before = await everything(prefix);
    without(store, take);
    await expect(store.take(first)).rejects.toThrow('left out');
    expect(await everything(prefix)).toEqual(before);
  });
});

test('a conversation whose place in due cannot be written is not begun', async () => {
  const { store, prefix } = await opened(client);
  await hear(store);
  const root = `${prefix}:{${bucketOf('c')}}:`;
  await client.set(`${root}due`, 'no list at all');
  const ran = await scriptsOf(prefix, async () => {
    await expect(store.take(taking('c', { entry: entry('first') }))).rejects.toThrow('WRONGTYPE');
  });
  expect(ran).toEqual(['begin']);
  expect(await client.exists(`${root}c:c`)).toBe(0);
});

test('a conversation that was begun by an attempt whose answer was lost is the same for whoever repeats it', async () => {
  const { store, prefix } = await opened(client);
  await hear(store);
  const first = taking('c', { entry: entry('first') });
  const { claim } = await store.take(first);
  const again = await another(prefix);
  await hear(again);
  const ran = await scriptsOf(prefix, async () => {
    const repeated = await again.take(first);
    expect(repeated).toMatchObject({ entry: 'recorded', claim: { token: first.token, turn: first.turn } });
    expect(repeated.claim?.incarnation).toBe(claim?.incarnation);
  });
  expect(ran).toEqual(['begin', 'take']);
  await saved(store, finishing('c', claim as Claim, { document: 'd' }));
  await checkKeys(client, prefix);
});

test('where conversations are not new, fewer and fewer are taken for new, and as many as ever once one was', async () => {
  const { store, prefix } = await opened(client);
  const other = await another(prefix);
  const old = Array.from({ length: 8 }, (_, i) => `old-${i}`);
  for (const name of old) await record(other, name, 'earlier');
  await hear(store);
  const ran = await scriptsOf(prefix, async () => {
    for (const name of [...old, 'new-1', 'new-2', 'new-3', 'new-4', 'new-5', 'new-6', 'new-7', 'new-8']) {
      await claim(store, name, { entry: entry('first') });
    }
  });
  const wrong = ['begin', 'take'];
  const [one, two, four] = [['take'], ['take', 'take'], ['take', 'take', 'take', 'take']];
  expect(ran).toEqual([
    ...wrong,
    ...one,
    ...wrong,
    ...two,
    ...wrong,
    ...four,
    'begin',
    'begin',
    'begin',
    'begin',
    'begin',
    'begin',
  ]);
});

describe('what changed meanwhile is noticed', () => {
  test('an entry that another process queued is what comes next', async () => {
    const { store, prefix } = await opened(client);
    const by = await claim(store, 'c', { entry: entry('first') });
    await record(await another(prefix), 'c', 'second');
    const { next } = await saved(store, finishing('c', by, { document: 'd' }));
    expect(next?.entry?.id).toBe('second');
    await checkKeys(client, prefix);
  });

  test('an entry that was queued in the same millisecond too', async () => {
    const { store, prefix } = await opened(client);
    const first = taking('c', { entry: entry('first') });
    const ran = await scriptsOf(prefix, async () => {
      const before = store.take(taking('other', { entry: entry('other') })); // what comes after it shares a call
      const [{ claim }] = await Promise.all([store.take(first), record(store, 'c', 'second'), before]);
      const { next } = await saved(store, finishing('c', claim as Claim, { document: 'd' }));
      expect(next?.entry?.id).toBe('second');
    });
    expect(ran).toEqual(['take', 'take', 'swapSave', 'save']);
    await checkKeys(client, prefix);
  });

  test('a hold that another process took over cannot be saved', async () => {
    const { store, prefix } = await opened(client);
    const by = await claim(store, 'c', { entry: entry('first'), lease: 40 });
    await sleep(60);
    const theirs = await claim(await another(prefix), 'c');
    expect(await store.save(finishing('c', by, { document: 'mine', outputs: [out('q')] }))).toEqual({
      type: 'refused',
    });
    expect((await read(store, 'c')).document).toBeNull();
    const second = await another(prefix);
    expect((await second.save(finishing('c', theirs, { document: 'theirs' }))).type).toBe('saved');
    await checkKeys(client, prefix);
  });

  test('a hold that was prolonged, and an effect that was remembered elsewhere, are kept in mind', async () => {
    const { store, prefix } = await opened(client);
    const other = await another(prefix);
    const by = await claim(store, 'c', { entry: entry('first') });
    await other.renew([{ conversationId: 'c', token: by.token }], long);
    await saved(store, finishing('c', by, { document: 'd' }));
    const again = await claim(store, 'c', { entry: entry('second') });
    await other.remember({ conversationId: 'c', turn: again.turn, key: 'paid', value: 'yes' });
    await saved(store, finishing('c', again, { document: 'e' }));
    expect(await client.keys(`${prefix}:*:m:*`)).toEqual([]);
    await checkKeys(client, prefix);
  });

  test('a reply that another process recorded is a repeat', async () => {
    const { store, prefix } = await opened(client);
    await asked(store, 'c');
    await record(await another(prefix), 'c', 'reply');
    const { incarnation } = await read(store, 'c');
    const predecided = { incarnation, revision: 1, document: 'answered' };
    const taken = await store.take(taking('c', { lease: 0, entry: entry('reply'), predecided }));
    expect(taken.entry).toBe('repeat');
    const again = await store.take(taking('c', { entry: entry('reply'), predecided }));
    expect([again.entry, again.claim?.document]).toEqual(['repeat', 'asked']);
  });

  test('another turn between the question and its reply: nothing that was predecided happens', async () => {
    const { store, prefix } = await opened(client);
    await asked(store, 'c');
    const { incarnation } = await read(store, 'c');
    const other = await another(prefix);
    const by = await claim(other, 'c', { entry: entry('between') });
    await saved(other, finishing('c', by, { document: 'changed' }));
    const predecided = { incarnation, revision: 1, document: 'answered' };
    const mine = await claim(store, 'c', { entry: entry('reply'), predecided });
    expect([mine.document, mine.revision]).toEqual(['changed', 2]);
    await checkKeys(client, prefix);
  });

  test('the id under which another process sent the question stays known', async () => {
    const { store, prefix } = await opened(client);
    const { ask } = await asked(store, 'c');
    const sentAs = { name: 'q', id: 'ts1' };
    await (await another(prefix)).sent([{ conversationId: 'c', key: 'q', channel: 'web', sentAs }]);
    const by = await reply(store, 'c');
    expect(by.document).toBe('answered');
    await saved(store, finishing('c', by, over(ask)));
    expect(await store.sentAs('c', 'q')).toBe('ts1');
    expect(await client.pttl((await client.keys(`${prefix}:*:c:c:s`))[0] as string)).toBeGreaterThan(0);
    await checkKeys(client, prefix);
  });

  test('an erased conversation stays erased', async () => {
    const { store, prefix } = await opened(client);
    const { ask } = await asked(store, 'c');
    const { incarnation } = await read(store, 'c');
    const asks = [{ id: ask, tombstone: 'gone' }];
    const other = await another(prefix);
    const erased = { conversationId: 'c', incarnation, revision: 1, retention: long };
    expect(await other.erase({ ...erased, asks, parked: [], people: ['p'] })).toBe(true);
    const predecided = { incarnation, revision: 1, document: 'answered' };
    const mine = await claim(store, 'c', { entry: entry('reply'), predecided });
    expect([mine.document, mine.incarnation === incarnation]).toEqual([null, false]);
    await checkKeys(client, prefix);
  });
});

/** A conversation `c` whose next save cannot be made by what is known, and that save. */
const refused: Readonly<Record<string, (store: Store, prefix: string) => Promise<Save>>> = {
  'something else is not sent yet': async (store) => {
    const { ask } = await asked(store, 'c', [out('q'), out('other')]);
    return finishing('c', await reply(store, 'c'), over(ask));
  },
  'an unsent output is not the one that is withdrawn': async (store) => {
    const { ask } = await asked(store, 'c', [out('q'), out('other')]);
    await store.sent([{ conversationId: 'c', key: 'q', channel: 'web' }]);
    return finishing('c', await reply(store, 'c'), over(ask));
  },
  'somebody who joins takes part in another conversation': async (store, prefix) => {
    await client.set(`${prefix}:{${bucketOf('c')}}:p:p`, 'another');
    const by = await claim(store, 'c', { entry: entry('first') });
    return finishing('c', by, { document: 'd', people: ['p'], outputs: [out('q')], history: ['h'] });
  },
  'the record is another': async (store, prefix) => {
    const by = await claim(store, 'c', { entry: entry('first') });
    await record(await another(prefix), 'c', 'second');
    return finishing('c', by, { document: 'd', people: ['p'], outputs: [out('q')], history: ['h'] });
  },
};

test.each(Object.entries(refused))('nothing is written by a swap that is not made: %s', async (_why, tell) => {
  await client.flushall();
  const { store, prefix } = await opened(client);
  const steps = (store as unknown as { steps: Steps }).steps;
  const call = await tell(store, prefix);
  const before = await everything(prefix);
  without(store, save);
  await expect(steps.save(call)).rejects.toThrow('left out');
  expect(await everything(prefix)).toEqual(before);
});

test.each([
  ['token of many languages', { token: 'Größe 你好 🙂' }, {}],
  ['token of thousands of signs', { token: 'x'.repeat(5_000) }, {}],
  ['call of many languages', {}, { call: 'Größe 你好 🙂' }],
])('a %s is left to the scripts, and known when it is repeated', async (_what, taker, saver) => {
  const { store, prefix } = await opened(client);
  const first = taking('c', { entry: entry('first'), ...taker });
  const ran = await scriptsOf(prefix, async () => {
    const { claim } = await store.take(first);
    const call = finishing('c', claim as Claim, { document: 'd', ...saver });
    const result = timeless(await saved(store, call));
    expect(timeless(await saved(store, call))).toEqual(result);
    expect(await store.take(first)).toMatchObject({ entry: 'recorded', outcome: 'outcome of first' });
  });
  expect(ran).toEqual(['take', 'save', 'save', 'take']);
  await checkKeys(client, prefix);
});

test('somebody who takes part in another conversation is found in both', async () => {
  const { store, prefix } = await opened(client);
  const near = Array.from({ length: 1_000 }, (_, i) => `c${i}`).find((id) => bucketOf(id) === bucketOf('c')) as string;
  await asked(store, 'c');
  await asked(store, near);
  expect([...(await store.conversationsOf('p'))].sort()).toEqual(['c', near].sort());
  await checkKeys(client, prefix);
});

test.each([
  ['seconds ahead', (since: number) => since + 5_000],
  ['more than a second behind, as after a standstill', (since: number) => since],
])('a process whose idea of the time is %s leaves the step to the scripts', async (_way, idea) => {
  const { store, prefix } = await opened(client);
  const by = await claim(store, 'c', { entry: entry('first') });
  const first = taking('other', { entry: entry('first') });
  const since = systemClock.elapsed();
  vi.spyOn(systemClock, 'elapsed').mockImplementation(() => idea(since));
  onTestFinished(() => void vi.restoreAllMocks());
  await sleep(1_050); // by the clock of Redis, which nobody can set
  let told = 0;
  const ran = await scriptsOf(prefix, async () => {
    told = (await saved(store, finishing('c', by, { document: 'd' }))).now;
  });
  expect(ran).toEqual(['swapSave', 'save']);
  expect(await scriptsOf(prefix, () => store.take(first))).toEqual(['begin', 'take']);
  const [seconds, micros] = await client.time();
  expect(Math.abs(Number(seconds) * 1_000 + Number(micros) / 1_000 - told)).toBeLessThan(1_000);
});

test('a reply that comes when its question is nearly over is judged by the time of the server', async () => {
  const { store, prefix } = await opened(client);
  const by = await claim(store, 'c', { entry: entry('first') });
  await saved(store, finishing('c', by, { document: 'asked', open: true, due: by.now + 1_200 }));
  const { incarnation } = await read(store, 'c');
  const predecided = { incarnation, revision: 1, document: 'answered' };
  await sleep(300);
  const ran = await scriptsOf(prefix, () => claim(store, 'c', { entry: entry('reply'), predecided }));
  expect(ran).toEqual(['take']);
});
