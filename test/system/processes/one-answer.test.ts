/** Several processes answer one ask by its id at the same moment: one decides, all others are told who did. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { redisAndWorld } from '../../support/for-file.js';
import { Replica } from '../../support/replica/replica.js';
import { fresh, never } from '../../support/replica/world.js';
import { answeredByAll } from './one-answer-story.js';

const { server, world } = await redisAndWorld();
const replicas: Replica[] = [];
beforeAll(async () => {
  const config = { world, redis: server.url, settings: never };
  replicas.push(...(await Promise.all(Array.from({ length: 5 }, () => Replica.begin(config)))));
});
afterAll(async () => {
  await Promise.all(replicas.map((replica) => replica.end()));
});

test('five processes answer one ask by id at the same moment: one is accepted, four are told who was first', async () => {
  await answeredByAll(world, replicas);
});

test('two processes press the button at once: the one who is late is told in words who was first', async () => {
  const conversationId = fresh('class-anyone');
  await (replicas[0] as Replica).says(conversationId, 'refund');
  const askId = (await world.next('deliver', conversationId)).askId as string;
  await Promise.all(
    replicas.slice(0, 2).map((replica, i) => {
      const participant = { id: `phone:${i}`, name: `Person ${i}` };
      return replica.says(conversationId, String(12_340 + i), { askId, participant });
    }),
  );
  const refunded = await world.next('deliver', conversationId, (call) => call.text?.startsWith('Refunded') === true);
  const notice = await world.next('deliver', conversationId);
  expect(notice.text).toContain(`Person ${Number(refunded.text?.slice(9, 14)) - 12_340}`);
  expect(await world.ledger(conversationId)).toMatchObject({ payments: 1, calls: 1 });

  // and whoever is late with something else learns that it changes nothing
  expect(await (replicas[1] as Replica).call('cancel', askId)).toMatchObject({ type: 'already' });
  expect(await (replicas[0] as Replica).call('getAsk', askId)).toMatchObject({ status: 'answered' });
});
