/** A Cluster whose slots move, key by key, while conversations are worked on: nothing that was acknowledged is lost or done twice. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Cluster, Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AgentError } from '../../../src/core/errors.js';
import { bucketOf } from '../../../src/core/ids.js';
import { entry, finishing, long, out, read, taking } from '../../../src/testing/store-contract/kit.js';
import { textStore } from '../../../src/testing/store-contract/texts.js';
import { type RedisCluster, startCluster } from '../../support/redis-server.js';
import { storeOn } from '../../support/redis-store.js';

let cluster: RedisCluster;
let client: Cluster;
let nodes: Redis[];
beforeAll(async () => {
  cluster = await startCluster(3);
  client = new Cluster(cluster.ports.map((port) => ({ host: '127.0.0.1', port })));
  nodes = cluster.ports.map((port) => new Redis(port, '127.0.0.1'));
});
afterAll(async () => {
  client.disconnect();
  for (const node of nodes) node.disconnect();
  await cluster.stop();
});

interface Owner {
  readonly node: Redis;
  readonly port: number;
  readonly id: string;
}

/** Moves a slot from its master to the next one, as redis-cli does, with time between the keys for others to meet it. */
async function move(slot: number): Promise<void> {
  const owners: Owner[] = await Promise.all(
    nodes.map(async (node, i) => ({ node, port: cluster.ports[i] as number, id: String(await node.cluster('MYID')) })),
  );
  const ranges = await (nodes[0] as Redis).cluster('SLOTS');
  const port = ranges.find(([from, to]) => from <= slot && slot <= to)?.[2]?.[1];
  const at = owners.findIndex((each) => each.port === port);
  const [from, to] = [owners[at] as Owner, owners[(at + 1) % owners.length] as Owner];
  await to.node.cluster('SETSLOT', slot, 'IMPORTING', from.id);
  await from.node.cluster('SETSLOT', slot, 'MIGRATING', to.id);
  for (;;) {
    const keys = (await from.node.cluster('GETKEYSINSLOT', slot, 1)) as string[];
    if (keys.length === 0) break;
    await from.node.call('MIGRATE', '127.0.0.1', to.port, keys[0] as string, 0, 5_000);
    await sleep(1);
  }
  for (const { node } of [to, from, ...owners]) await node.cluster('SETSLOT', slot, 'NODE', to.id);
}

test('slots move under load: every acknowledged message is handled once, in order', async () => {
  const store = textStore(storeOn(client));
  await store.open();
  const names = Array.from({ length: 24 }, (_, i) => `moving-${i}`);
  let isMoving = true;
  let refusals = 0;
  /** Asks until the answer is another than "not now". */
  const patiently = async <T>(ask: () => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof AgentError && error.code === 'store-unavailable')) throw error;
        refusals += 1;
        await sleep(20);
      }
    }
  };
  const works = names.map(async (name) => {
    let turns = 0;
    while (isMoving || turns < 3) {
      const take = taking(name, { lease: long, entry: entry(`m${turns}`) });
      const { claim } = await patiently(() => store.take(take));
      expect(claim?.entry?.id).toBe(`m${turns}`);
      if (claim === undefined) break;
      const call = finishing(name, claim, {
        ...{ document: `d${turns}`, open: true, history: [`h${turns}`], people: ['p', name] },
        outputs: [out(`k${turns}`)],
      });
      expect((await patiently(() => store.save(call))).type).toBe('saved');
      await patiently(() => store.sent([{ conversationId: name, key: `k${turns}`, channel: 'web' }]));
      turns += 1;
    }
    return turns;
  });
  const slots = new Set<number>();
  for (const name of names) slots.add(Number(await (nodes[0] as Redis).cluster('KEYSLOT', `{${bucketOf(name)}}`)));
  for (const slot of [...slots].slice(0, 12)) await move(slot);
  isMoving = false;
  const turns = await Promise.all(works);
  for (const [i, name] of names.entries()) {
    const count = turns[i] as number;
    const { items } = await store.history(name, { limit: 100_000 });
    expect(items, name).toEqual(Array.from({ length: count }, (_, k) => `h${k}`));
    expect(await read(store, name)).toMatchObject({
      revision: count,
      document: `d${count - 1}`,
      queue: [],
      held: false,
    });
  }
  expect((await store.conversationsOf('p')).length).toBe(names.length);
  expect(await store.unsent({ channels: ['web'], limit: 10, sendLease: 0 })).toEqual([]);
  expect(refusals).toBeLessThan(2_000);
  await store.close();
});
