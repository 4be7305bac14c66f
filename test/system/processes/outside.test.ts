/** Asks from outside whose asker is killed go on elsewhere: every question type, every outcome, once at the ledger. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { patience } from '../../support/processes.js';
import { type RedisServer, startRedis } from '../../support/redis-server.js';
import { fresh, World } from '../../support/replica/world.js';
import { decidedElsewhere, inFile, Outsider, toldElsewhere } from './outside-story.js';

let redis: RedisServer;
let world: World;
beforeAll(async () => {
  [redis, world] = await Promise.all([startRedis(), World.begin()]);
});
afterAll(async () => {
  await Promise.all([redis.stop(), world.end()]);
});
const onRedis = () => ({ redis: redis.url, prefix: fresh('outside') });

test('killed before ask() returned: who starts again asks nothing twice, and the handlers run once per effect key', async () => {
  await toldElsewhere(world, onRedis(), 'opened', true);
});

test('without agents, killed when ask() had returned: other processes without agents decide', async () => {
  await decidedElsewhere(world, await inFile(), 'returned');
});

test('without agents, a program that waits is killed: the answer is decided and kept', async () => {
  const place = onRedis();
  const [asker, other] = await Promise.all([0, 1].map(() => Outsider.begin(world, place, { agents: false })));
  const to = fresh('anna');
  await asker?.call('begin', 'number', to);
  const { askId = '' } = await world.hears(to, 'How many?');
  await asker?.kill();
  await other?.call('says', { id: fresh('m'), conversationId: to, text: '4', address: to });
  const ask = () => other?.getAsk(askId);
  await expect.poll(ask, { timeout: patience }).toMatchObject({ status: 'answered', value: 4 });
});
