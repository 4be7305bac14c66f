/** How the Redis store connects: what it refuses to start on, what an outage looks like, and whose connections are whose. */
import { createHook } from 'node:async_hooks';
import { availableParallelism } from 'node:os';
import { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../../src/machine/clock.js';
import { RedisStore } from '../../../src/stores/redis/index.js';
import { begin, entry, finishing, saved, taking } from '../../../src/testing/store-contract/kit.js';
import { type Claim, textStore } from '../../../src/testing/store-contract/texts.js';
import { redisForFile } from '../../support/for-file.js';
import { patience } from '../../support/processes.js';
import { startRedis } from '../../support/redis-server.js';
import { asked, freshPrefix, opened, pass, storeOn } from '../../support/redis-store.js';
import { silent } from '../../support/store.js';

const { server, client } = await redisForFile();

describe('opening', () => {
  const refused = async (store: Pick<RedisStore, 'open' | 'close'>, code: string, message: RegExp) => {
    await expect(store.open()).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    await store.close();
  };

  test('a server that evicts keys is refused, with what to do', async () => {
    const evicting = await startRedis({ args: ['--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru'] });
    onTestFinished(() => evicting.stop());
    const store = new RedisStore({ url: evicting.url, logger: silent });
    await refused(
      store,
      'store-unfit',
      /127\.0\.0\.1:\d+ has maxmemory-policy allkeys-lru, expected noeviction.*CONFIG SET/,
    );
  });

  test('a replica is refused', async () => {
    const replica = await startRedis({ args: ['--replicaof', '127.0.0.1', String(server.port)] });
    onTestFinished(() => replica.stop());
    await refused(
      new RedisStore({ url: replica.url, logger: silent }),
      'store-unfit',
      /is a replica, expected a master/,
    );
  });

  test('nobody there: said in bounded time, with the address', async () => {
    const start = performance.now();
    const store = new RedisStore({ url: 'redis://:secret@127.0.0.1:1', commandTimeout: 300, logger: silent });
    await refused(
      store,
      'store-unavailable',
      /^Redis at 127\.0\.0\.1:1 could not be reached within 300 ms.*ECONNREFUSED/,
    );
    expect(performance.now() - start).toBeLessThan(20_000);
  });

  test('a URL of another scheme, which the client takes for a path, is told the right ones', async () => {
    const client = new Redis('http://127.0.0.1:1', { lazyConnect: true });
    client.on('error', () => {});
    onTestFinished(() => client.disconnect());
    await refused(
      new RedisStore({ client, commandTimeout: 300, logger: silent }),
      'store-unavailable',
      /Begin its URL with redis:\/\/ or, with TLS, rediss:\/\/\.$/,
    );
  });

  test('a database that the server does not have is refused: the client would go on in database 0', async () => {
    const server = await startRedis();
    await refused(
      new RedisStore({ url: `${server.url}/99`, logger: silent }),
      'store-unfit',
      /has no database with the number that the client asks for/,
    );
  });

  test('a store that could not be opened can be opened later', async () => {
    const first = await startRedis();
    const own = new Redis(first.url);
    onTestFinished(() => own.disconnect());
    own.on('error', () => {});
    await first.stop();
    const store = textStore(storeOn(own, { commandTimeout: 300 }));
    await expect(store.open()).rejects.toMatchObject({ code: 'store-unavailable' });
    const second = await startRedis({ port: first.port });
    onTestFinished(() => second.stop());
    await vi.waitFor(() => store.open(), patience); // a busy machine may take longer than its limit
    const take = taking('c', { entry: entry('e') });
    await vi.waitFor(async () => expect((await store.take(take)).entry).toBe('recorded'), patience);
    await store.close();
  });

  test('what the client puts before its keys stands before ours too, also while the server learns the scripts', async () => {
    const own = new Redis(server.url, { keyPrefix: 'shop:' });
    onTestFinished(() => own.disconnect());
    const prefix = freshPrefix();
    const store = textStore(storeOn(own, { prefix }));
    await store.open();
    const { ask } = await asked(store, 'c');
    await client.script('FLUSH');
    const [reply, other] = await Promise.all(['c', 'd'].map((id) => store.take(taking(id, { entry: entry('e') }))));
    expect(reply?.claim?.document).toBe('asked');
    expect(other?.claim?.document).toBeNull();
    await saved(store, finishing('c', reply?.claim as Claim, { history: ['later'] }));
    expect(await store.find(ask)).toEqual({ conversationId: 'c' });
    expect((await store.history('c', { limit: 9 })).items).toEqual(['in', 'out', 'later']);
    expect(await client.keys(`${prefix}:*`)).toEqual([]);
    expect((await client.keys(`shop:${prefix}:*`)).length).toBeGreaterThan(5);
    await store.close();
  });

  test('a newer format and a foreign one are refused, each by its own code', async () => {
    const prefix = freshPrefix();
    await client.set(`${prefix}:format`, 'askback 4');
    await refused(storeOn(client, { prefix }), 'newer-record', /holds format 4 .* reads up to 3/);
    await client.set(`${prefix}:format`, 'something else');
    await refused(storeOn(client, { prefix }), 'bad-record', /"something else" .* expected "askback 3".*prefix/);
    await client.del(`${prefix}:format`);
    await client.hset(`${prefix}:format`, 'a', 'b');
    await refused(storeOn(client, { prefix }), 'bad-record', /not ours/);
  });

  test('a user who may not run TIME is told so at the start, with the rule to add, and works with it', async () => {
    const allowed = ['~*', '&*', '+@all', '-time'];
    await client.call('ACL', 'SETUSER', 'timeless', 'on', '>secret', ...allowed);
    onTestFinished(async () => void (await client.call('ACL', 'DELUSER', 'timeless')));
    const own = new Redis(server.url, { username: 'timeless', password: 'secret' });
    onTestFinished(() => own.disconnect());
    const prefix = freshPrefix();
    const store = textStore(storeOn(own, { prefix }));
    await refused(store, 'store-unfit', /does not let this user run TIME.*Run: ACL SETUSER <user> \+time/);
    expect(await client.keys(`${prefix}*`)).toEqual([]);
    await client.call('ACL', 'SETUSER', 'timeless', '+time');
    await store.open();
    onTestFinished(() => store.close());
    await begin(store, 'c');
  });

  test('an older format is refused with what to do, and nothing is written', async () => {
    const prefix = freshPrefix();
    await client.mset(`${prefix}:format`, 'askback 2', `${prefix}:{7}:c:old`, 'a record of that format');
    await refused(
      storeOn(client, { prefix }),
      'store-unfit',
      /holds format 2 .* reads format 3 only.*prefix of its own/,
    );
    expect((await client.keys(`${prefix}*`)).sort()).toEqual([`${prefix}:format`, `${prefix}:{7}:c:old`]);
    expect(await client.mget(`${prefix}:format`, `${prefix}:{7}:c:old`)).toEqual([
      'askback 2',
      'a record of that format',
    ]);
  });

  test('a user who may run neither INFO nor CONFIG works, and what cannot be looked at is told once', async () => {
    await client.call('ACL', 'SETUSER', 'app', 'on', '>secret', '~*', '&*', '+@all', '-info', '-config');
    onTestFinished(async () => void (await client.call('ACL', 'DELUSER', 'app')));
    const own = new Redis(server.url, { username: 'app', password: 'secret' });
    onTestFinished(() => own.disconnect());
    const told: string[] = [];
    const store = textStore(storeOn(own, { logger: { warn: (text) => told.push(text), debug: () => {} } }));
    await store.open();
    onTestFinished(() => store.close());
    expect(told).toEqual([expect.stringMatching(/does not let us look .* noeviction/)]);
    const by = await begin(store, 'c');
    expect((await store.save(finishing('c', by, { document: 'd' }))).type).toBe('saved');
    expect(told).toHaveLength(1);
  });

  test('without an append-only file it warns', async () => {
    const warn = vi.fn();
    await opened(client, { logger: { warn, debug: () => {} } });
    expect(warn).toHaveBeenCalledWith(expect.stringMatching(/no append-only file.*Set appendonly yes/));
  });

  test('options that cannot work are refused by name', () => {
    const wrong = (options: object, message: RegExp) =>
      expect(() => new RedisStore(options as never)).toThrow(
        expect.objectContaining({ code: 'bad-option', message: expect.stringMatching(message) }),
      );
    wrong({}, /client .* or url/);
    wrong({ url: 'http://x' }, /url must be an address such as redis:.*, got one that begins with http:/);
    wrong({ url: 'localhost:6379' }, /got a string that does not begin with redis:/);
    wrong({ url: '' }, /got an empty string/);
    wrong({ url: 'redis://:se/cret@host:port' }, /^(?!.*cret).*got one that is no valid URL\. In a password/);
    for (const end of ['/shop', '/%20', '/-1', '/1.5', '?db=shop', '/34@host'])
      wrong({ url: `redis://u:12${end}` }, /^(?!.*(?:34|shop)).*must end with the number of a database/);
    wrong({ client: {} }, /client must be/);
    wrong({ client, prefix: 'a{b}' }, /prefix must be/);
    wrong({ client, commandTimeout: 0 }, /commandTimeout must be/);
    wrong({ client, busyPoll: 'no' }, /busyPoll must be true or false/);
  });

  test.each([
    ['goes round', {}],
    ['sleeps, where that is wanted', { busyPoll: false }],
  ])('while an answer is awaited the event loop %s', async (what, options) => {
    const { store } = await opened(client, options);
    const round = vi.spyOn(globalThis, 'setImmediate');
    onTestFinished(() => round.mockRestore());
    await store.take(taking('c', { entry: entry('e') }));
    const goes = what === 'goes round' && availableParallelism() > 1;
    expect(round.mock.calls.length > 0).toBe(goes);
  });

  test('a store that is not open says so', async () => {
    const store = textStore(storeOn(client));
    await expect(store.take(taking('c', { entry: entry('e') }))).rejects.toMatchObject({ code: 'store-unavailable' });
  });
});

describe('connections', () => {
  test('close ends our connections and leaves the client of the user alone', async () => {
    const { store } = await opened(client);
    const count = async () => ((await client.client('LIST')) as string).trim().split('\n').length;
    const before = await count();
    await store.watch(() => {});
    expect(await count()).toBe(before + 1);
    await store.close();
    await expect.poll(count).toBe(before - 1);
    expect(await client.ping()).toBe('PONG');
  });

  test('a hundred steps at once set a timer or two, not one each', async () => {
    const { store } = await opened(client);
    await store.take(taking('c', { entry: entry('e0') }));
    let timers = 0;
    const hook = createHook({
      init: (_id, type) => {
        if (type === 'Timeout') timers += 1;
      },
    }).enable();
    await Promise.all(Array.from({ length: 100 }, (_, i) => store.take(taking(`c${i}`, { entry: entry('e') }))));
    hook.disable();
    expect(timers).toBeLessThan(25); // one each would be a hundred; they go in a few calls, each of which may set one
  });

  test('the key prefix and the settings of the client are kept', async () => {
    const own = new Redis(server.url, { keyPrefix: 'theirs:', stringNumbers: true, enableAutoPipelining: true });
    onTestFinished(() => own.disconnect());
    const prefix = freshPrefix();
    const store = textStore(storeOn(own, { prefix }));
    await store.open();
    onTestFinished(() => store.close());
    const { ask } = await asked(store, 'c');
    expect(await store.find(ask)).toEqual({ conversationId: 'c' });
    expect((await client.keys(`*${prefix}:*`)).every((key) => key.startsWith(`theirs:${prefix}:`))).toBe(true);
    const heard = new Promise((resolve) => void store.watch(resolve).then(() => store.hint({ conversationId: 'c' })));
    expect(await heard).toEqual({ conversationId: 'c' });
  });

  test('while Redis is away a step fails at once as "not now", and works when it is back', async () => {
    const first = await startRedis();
    const own = new Redis(first.url);
    own.on('error', () => {});
    onTestFinished(() => own.disconnect());
    const { store } = await opened(own, { commandTimeout: 1_000 });
    await first.stop();
    await expect.poll(() => own.status).not.toBe('ready');
    await expect(store.take(taking('c', { entry: entry('e') }))).rejects.toMatchObject({ code: 'store-unavailable' });
    const second = await startRedis({ port: first.port });
    onTestFinished(() => second.stop());
    await vi.waitFor(
      async () => expect((await store.take(taking('c', { entry: entry('e') }))).entry).toBeDefined(),
      60_000,
    );
  });

  test('a server that does not answer is not waited for', async () => {
    const slow = await startRedis();
    onTestFinished(() => slow.stop());
    const own = new Redis(slow.url);
    onTestFinished(() => own.disconnect());
    const { store } = await opened(own, { commandTimeout: 1_000 });
    slow.kill('SIGSTOP');
    await expect(store.take(taking('c', { entry: entry('e') }))).rejects.toMatchObject({ code: 'store-unavailable' });
    slow.kill('SIGCONT');
  });

  test('hints reach listeners of other stores, also after the connection was lost', async () => {
    const prefix = freshPrefix();
    const [one, other] = [storeOn(client, { prefix }), storeOn(client, { prefix })];
    await Promise.all([one.open(), other.open()]);
    onTestFinished(async () => void (await Promise.all([one.close(), other.close()])));
    const heard: unknown[] = [];
    const stop = await other.watch((hint) => heard.push(hint));
    one.hint({ conversationId: 'c', entryId: 'e' });
    await expect.poll(() => heard).toEqual([{ conversationId: 'c', entryId: 'e' }]);
    await client.client('KILL', 'TYPE', 'pubsub');
    await vi.waitFor(() => {
      one.hint({ conversationId: 'd' });
      expect(heard).toContainEqual({ conversationId: 'd' });
    }, 60_000);
    await stop();
    heard.length = 0;
    one.hint({ conversationId: 'x' });
    await pass(50);
    expect(heard).toEqual([]);
  });
});

test('after FLUSHALL the format is written again, and it is logged once that data was lost', async () => {
  const own = await startRedis({});
  onTestFinished(() => own.stop());
  const warned: string[] = [];
  const store = new RedisStore({ url: own.url, logger: { ...silent, warn: (text) => warned.push(text) } });
  onTestFinished(() => store.close());
  await store.open();
  const redis = new Redis(own.url);
  onTestFinished(() => redis.disconnect());
  const format = await redis.get('askback:format');
  await redis.flushall();
  const elapsed = vi.spyOn(systemClock, 'elapsed');
  onTestFinished(() => elapsed.mockRestore());
  warned.length = 0;
  for (let minutes = 1; minutes <= 3; minutes += 1) {
    elapsed.mockReturnValue(performance.now() + minutes * 61_000);
    await store.due(1);
  }
  expect(await redis.get('askback:format')).toBe(format);
  expect(warned).toEqual([expect.stringMatching(/was emptied while in use.*FLUSHALL/)]);
});

test('a server that stands still under many commands: the connection is given up once, and the next one works', async () => {
  const own = await startRedis();
  onTestFinished(() => own.stop());
  const store = textStore(new RedisStore({ url: own.url, commandTimeout: 300, logger: silent }));
  await vi.waitFor(() => store.open(), patience); // a busy machine may take longer than its limit
  onTestFinished(() => store.close());
  const disconnects = vi.spyOn(Redis.prototype, 'disconnect');
  onTestFinished(() => disconnects.mockRestore());
  process.kill(own.pid, 'SIGSTOP');
  const calls: Promise<unknown>[] = [];
  for (let i = 0; i < 50; i += 1) {
    const call = store.take(taking(`c${i}`));
    call.catch(() => {}); // a busy machine may take longer for the loop than the first calls have
    calls.push(call);
    await new Promise(setImmediate); // what is called in one tick is one command
  }
  const told = await Promise.allSettled(calls);
  const { contexts } = disconnects.mock;
  process.kill(own.pid, 'SIGCONT');
  expect(told.filter(({ status }) => status === 'fulfilled')).toEqual([]);
  expect(contexts.length).toBeGreaterThan(0);
  expect(contexts).toHaveLength(new Set(contexts).size); // each adds a listener to its socket, and Node warns of the eleventh
  await expect.poll(() => store.take(taking('after')).catch(() => undefined)).toBeDefined();
});
