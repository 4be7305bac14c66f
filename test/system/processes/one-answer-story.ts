/** Many processes answer one ask by its id at the same moment, as a story that two files play with fewer and more of them. */
import { expect } from 'vitest';
import type { PendingAsk } from '../../../src/index.js';
import type { Replica } from '../../support/replica/replica.js';
import { fresh, type World } from '../../support/replica/world.js';

interface Told {
  readonly type: string;
  readonly ask: PendingAsk;
}

export async function answeredByAll(world: World, replicas: readonly Replica[]): Promise<void> {
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
    expect(told.map((each) => each.type).toSorted()).toEqual([
      'accepted',
      ...Array(replicas.length - 1).fill('already'),
    ]);
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
    expect(fates.slice(2).every((fate) => fate === 'already')).toBe(true);
  }
}
