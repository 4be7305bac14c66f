/** Two replicas, hundreds of conversations side by side: order kept inside each, nothing crossed, nothing lost. */
import { expect, test } from 'vitest';
import { redisAndWorld } from '../../support/for-file.js';
import { Replica } from '../../support/replica/replica.js';
import { type Call, fresh, never } from '../../support/replica/world.js';

const conversations = 300;

const { server, world } = await redisAndWorld();

test('300 conversations of six messages, sent to two replicas by turns: each in its order, none in another', async () => {
  // nobody sweeps: a message that comes while a holder lets go is not stranded, or this test ends in a time-out
  const config = { world, redis: server.url, settings: never };
  const replicas = await Promise.all([Replica.here(config), Replica.here(config)]);
  const ids = Array.from({ length: conversations }, (_, i) => fresh(i % 2 === 0 ? 'class' : 'declared'));
  const orderOf = (id: string) => String(10_000 + ids.indexOf(id));
  const wordsOf = (id: string) => ['note 1', 'note 2', 'refund', orderOf(id), 'note 3', 'note 4'];

  await Promise.all(
    ids.map(async (id, i) => {
      for (const [k, text] of wordsOf(id).entries()) {
        const replica = replicas[(i + k) % 2] as Replica;
        expect(await replica.says(id, text, { prepared: true })).toBe('recorded'); // and at once the next, whether this one is handled or not
      }
    }),
  );
  await world.reached('deliver', conversations * 6);

  const calls = new Map<string, Call[]>(ids.map((id) => [id, []]));
  for (const call of await world.calls()) calls.get(call.conversationId)?.push(call);
  const workers = new Set<string>();
  for (const id of ids) {
    const of = (what: Call['what']) => (calls.get(id) ?? []).filter((call) => call.what === what);
    expect(of('note').map((call) => call.text)).toEqual(['note 1', 'note 2', 'note 3', 'note 4']);
    expect(of('pay').map((call) => call.order)).toEqual([orderOf(id)]);
    expect(
      of('deliver')
        .map((call) => call.text)
        .toSorted(),
    ).toEqual(
      [
        ...['note 1', 'note 2', 'note 3', 'note 4'].map((note) => `Noted in ${id}: ${note}`),
        'What is your order number?',
        `Refunded ${orderOf(id)}.`,
      ].toSorted(),
    );
    for (const { by } of of('note')) workers.add(by);
  }
  expect(workers.size).toBe(2);

  const histories = await Promise.all(ids.map((id, i) => (replicas[i % 2] as Replica).history(id)));
  for (const [i, items] of histories.entries()) {
    const came = items.flatMap((item) => (item.type === 'in' ? [item.text] : []));
    expect(came).toEqual(wordsOf(ids[i] as string));
    expect(items.filter((item) => item.type === 'decision')).toHaveLength(1);
    expect(items.filter((item) => item.type === 'out')).toHaveLength(6);
  }
});

test.each([
  ['one replica', 1],
  ['two replicas', 2],
] as const)('a flood of 600 conversations on %s with four turns each is worked off at once', async (_name, count) => {
  // nobody sweeps: what a replica at its limit records must come back to it, or to the other, by itself
  const config = { world, redis: server.url, prefix: fresh('flood'), settings: { ...never, turns: 4 } };
  const replicas = await Promise.all(Array.from({ length: count }, () => Replica.here(config)));
  const before = (await world.calls()).filter((call) => call.what === 'deliver').length;
  const flood = Array.from({ length: 600 }, () => ({ id: 'flood', conversationId: fresh('class'), text: 'hello' }));
  await Promise.all(
    replicas.map((replica, i) =>
      replica.call(
        'flood',
        flood.filter((_, k) => k % count === i),
        100,
      ),
    ),
  );
  await world.reached('deliver', before + flood.length);
});
