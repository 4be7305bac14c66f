/** Many processes answer one ask by its id at the same moment: one decides, all others are told who did. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PendingAsk } from '../../src/index.js';
import { redisAndWorld } from '../support/for-file.js';
import { Replica } from '../support/replica/replica.js';
import { fresh, never } from '../support/replica/world.js';

interface Told {
  readonly type: string;
  readonly ask: PendingAsk;
}

const { server, world } = await redisAndWorld();
const replicas: Replica[] = [];
beforeAll(async () => {
  const config = { world, redis: server.url, settings: never };
  // a few at a time: two cores that start fifty programs at once do nothing else
  while (replicas.length < 50) {
    replicas.push(...(await Promise.all(Array.from({ length: 5 }, () => Replica.begin(config)))));
  }
}, 120_000);
afterAll(async () => {
  await Promise.all(replicas.map((replica) => replica.end()));
});

test('50 processes answer one ask by id at the same moment: one is accepted, 49 are told who was first', async () => {
  const first = replicas[0] as Replica;
  for (const conversationId of [fresh('class-anyone'), fresh('declared-anyone')]) {
    await first.says(conversationId, 'refund');
    const askId = (await world.next('deliver', conversationId)).askId as string;

    const moment = Date.now() + 500;
    const told = await Promise.all(
      replicas.map((replica, i) => {
        const by = { id: `web:${i}`, name: `Person ${i}` };
        return replica.call<Told>('answerAt', moment, askId, { text: String(10_000 + i) }, { by });
      }),
    );
    await world.next('deliver', conversationId);
    const winner = told.findIndex((each) => each.type === 'accepted');
    expect(told.map((each) => each.type).toSorted()).toEqual(['accepted', ...Array(49).fill('already')]);
    for (const { ask } of told) {
      expect(ask).toMatchObject({ id: askId, status: 'answered', decidedBy: { id: `web:${winner}` } });
      expect(ask.answer).toBe(String(10_000 + winner));
    }

    await Promise.all(replicas.map((replica) => replica.call('idle')));
    expect(await world.ledger(conversationId)).toEqual({ payments: 1, calls: 1, keys: [askId] });
    expect(await world.heard(conversationId)).toEqual(['What is your order number?', `Refunded ${10_000 + winner}.`]);
    const items = await first.history(conversationId);
    expect(items.filter((item) => item.type === 'decision')).toHaveLength(1);
    const fates = items.flatMap((item) => (item.type === 'in' ? [item.disposition.type] : []));
    expect(fates.filter((fate) => fate === 'accepted')).toHaveLength(1);
    expect(fates.slice(2).every((fate) => fate === 'superseded')).toBe(true);
  }
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
