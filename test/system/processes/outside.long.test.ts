/** Asks from outside whose asker is killed, at every point and on both stores: what outside.test.ts plays a part of. */
import { afterAll, beforeAll, describe, test } from 'vitest';
import { type RedisServer, startRedis } from '../../support/redis-server.js';
import { fresh, World } from '../../support/replica/world.js';
import { type AskerDeath, decidedElsewhere, inFile, type Place, toldElsewhere } from './outside-story.js';

let redis: RedisServer;
let world: World;
beforeAll(async () => {
  [redis, world] = await Promise.all([startRedis(), World.begin()]);
});
afterAll(async () => {
  await Promise.all([redis.stop(), world.end()]);
});

const places: Record<string, () => Promise<Place>> = {
  Redis: async () => ({ redis: redis.url, prefix: fresh('outside') }),
  SQLite: inFile,
};
const deaths: readonly AskerDeath[] = ['recorded', 'opened', 'returned'];

describe.each(Object.keys(places))('on %s', (store) => {
  const place = () => places[store]?.() ?? Promise.reject(new Error(store));

  describe.each(deaths)('the asker is killed when its asks are %s', (death) => {
    test('its handlers run elsewhere, once per effect key', async () => {
      await toldElsewhere(world, await place(), death, false);
    });

    test('and whoever runs them is killed when it has paid: once per effect key', async () => {
      await toldElsewhere(world, await place(), death, true);
    });

    test('without agents: other processes without agents decide', async () => {
      await decidedElsewhere(world, await place(), death);
    });
  });
});
