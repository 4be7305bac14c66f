/** Fifty processes answer one ask by its id at the same moment: what one-answer.test.ts plays with five. */
import { afterAll, beforeAll, test } from 'vitest';
import { redisAndWorld } from '../../support/for-file.js';
import { Replica } from '../../support/replica/replica.js';
import { never } from '../../support/replica/world.js';
import { answeredByAll } from './one-answer-story.js';

const { server, world } = await redisAndWorld();
const replicas: Replica[] = [];
beforeAll(async () => {
  const config = { world, redis: server.url, settings: never };
  // a few at a time: two cores that start fifty programs at once do nothing else
  while (replicas.length < 50) {
    replicas.push(...(await Promise.all(Array.from({ length: 5 }, () => Replica.begin(config)))));
  }
});
afterAll(async () => {
  await Promise.all(replicas.map((replica) => replica.end()));
});

test('50 processes answer one ask by id at the same moment: one is accepted, 49 are told who was first', async () => {
  await answeredByAll(world, replicas);
});
