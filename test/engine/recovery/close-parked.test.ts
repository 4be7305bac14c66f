/**
 * An operator ends parked work without trying it again: once, whatever crashes, and with who and why in the history.
 */
import { expect, test } from 'vitest';
import { agent, choice, text } from '../../../src/index.js';
import { rehearse } from '../../../src/testing/index.js';
import { leaseAndSweep, settle, TestChannel, world } from '../../support/engine.js';

const ana = { id: 'staff:ana', name: 'Ana' };

/** An agent whose continuation always fails, and a case that is parked. */
async function parkedCase() {
  const runs: number[] = [];
  const support = agent('support');
  const refund = support.question('refund', text('Order?', { pattern: /^\d+$/ }), {
    onAnswer: async (_order, { attempt, once }) => {
      runs.push(attempt);
      await once('pay', async () => 'paid');
      throw new Error('the bank hung up');
    },
  });
  support.onMessage(({ message, ask }) => (message === 'refund' ? ask(refund) : `You said ${message}`));
  const rehearsal = await rehearse({ agents: [support], failures: 'collect', settings: { maxAttempts: 1 } });
  const user = rehearsal.human('user', { participant: { id: 'web:user', tenant: 'north' } });
  await user.says('refund');
  await user.says('12345');
  user.sees();
  const [work] = (await rehearsal.registry.parked()).items;
  const notes = async () => {
    const { items } = await rehearsal.registry.history('user');
    return items.flatMap((item) => (item.type === 'note' ? [{ ...item, at: 0, entry: '' }] : []));
  };
  const parked = async () => (await rehearsal.registry.parked()).items;
  return { ...rehearsal, user, runs, parked, notes, id: work?.id as string, askId: work?.askId as string };
}

test('parked work says what it is about: agent, question, words, tenant', async () => {
  const { parked, id, askId } = await parkedCase();
  expect(await parked()).toEqual([
    {
      id,
      askId,
      conversationId: 'user',
      entryId: expect.any(String),
      at: expect.any(Date),
      attempts: 1,
      failure: { code: 'Error', message: 'the bank hung up' },
      agentName: 'support',
      question: 'Order?',
      text: '12345',
      tenant: 'north',
    },
  ]);
});

test('closed work leaves the list, is never tried again, and its ask stays as it was decided', async () => {
  const { registry, user, clock, runs, parked, notes, id, askId } = await parkedCase();
  expect(await registry.closeParked(id, { by: ana, reason: 'Refunded by hand.' })).toEqual({ type: 'closed' });
  expect(await parked()).toEqual([]);
  expect(await notes()).toEqual([
    {
      type: 'note',
      at: 0,
      entry: '',
      text: `unpark ${id}`,
      disposition: { type: 'control', askId },
      by: ana,
      reason: 'Refunded by hand.',
    },
  ]);
  expect(await registry.getAsk(askId)).toMatchObject({ status: 'answered', value: '12345' });
  await clock.advance(10 * 60_000);
  expect(runs).toEqual([1]);
  expect(await user.says('hello')).toEqual(['You said hello']);
});

test.each(['take', 'save'] as const)(
  'a process that dies right after the %s of a close: it is closed once, by the next process',
  async (point) => {
    const { registry, crash, restart, clock, runs, parked, notes, id, user } = await parkedCase();
    crash(point);
    void registry.closeParked(id, { by: ana, reason: 'By hand.' }).catch(() => undefined);
    await settle();
    await restart();
    await clock.advance(leaseAndSweep);
    expect(await parked()).toEqual([]);
    expect(await notes()).toHaveLength(1);
    expect(runs).toEqual([1]);
    expect(await user.says('hello')).toEqual(['You said hello']);
  },
);

test('two operators at once, one retries and one closes: one of them is told that it is gone', async () => {
  const { registry, runs, parked, id } = await parkedCase();
  const closed = await Promise.all([
    registry.closeParked(id, { by: ana }),
    registry.closeParked(id, { by: 'staff:bo' }),
  ]);
  expect(closed.map(({ type }) => type).sort()).toEqual(['closed', 'gone']);
  const second = await parkedCase();
  const [first, retried] = await Promise.all([
    second.registry.closeParked(second.id),
    second.registry.retry(second.id),
  ]);
  expect([first.type, retried.type]).toEqual(['closed', 'ignored']);
  expect(await parked()).toEqual([]);
  expect(runs).toEqual([1]);
  expect(second.runs).toEqual([1]);
});

test('an ask that ends ahead of a close has effects of its own, although it is claimed under the same turn id', async () => {
  const { replica, says, advance } = world();
  const phone = new TestChannel();
  const effects: string[] = [];
  const support = agent('support');
  const size = support.question('size', choice('Which size?', ['S', 'M']), {
    expiresIn: 60_000,
    onAnswer: (value) => `Size ${value}`,
    onClosed: async (_pending, _why, { once }) => {
      effects.push(await once('tell', async () => 'of the expiry'));
      return 'Too late.';
    },
  });
  support.onMessage(async ({ message, ask, once }) => {
    if (message === 'ask') return ask(size);
    await once('tell', async () => 'of the message');
    throw new Error('broken');
  });
  const registry = await replica({
    agents: [support],
    channels: [phone],
    settings: { maxAttempts: 1, sweep: 3_600_000 },
  });
  await says(phone, 'fail');
  const [work] = (await registry.parked()).items;
  await says(phone, 'ask');
  await advance(61_000); // nobody has looked since
  expect(await registry.closeParked(work?.id ?? '')).toEqual({ type: 'closed' });
  await advance(1_000);
  expect(effects).toEqual(['of the expiry']);
  expect((await registry.parked()).items).toEqual([]);
  await registry.stop();
});

test('what is not parked, and options that are none, are refused', async () => {
  const { registry, parked, id } = await parkedCase();
  const nothing = registry.closeParked('00000000-0000-8000-8000-000000000000');
  await expect(nothing).rejects.toMatchObject({ code: 'unknown-ask' });
  for (const options of [{ by: null }, { by: undefined }, { reason: 5 }, { reason: 'x'.repeat(1001) }, { why: 'x' }]) {
    const call = registry.closeParked(id, options as never);
    await expect(call).rejects.toMatchObject({ code: 'bad-option', message: expect.stringContaining('closeParked()') });
  }
  expect(await parked()).toHaveLength(1);
});

test('parked work comes in pages, of all tenants or of one; a secret is in none of them', async () => {
  const support = agent('support');
  const pin = support.question('pin', text('PIN?'), {
    sensitive: true,
    onAnswer: () => {
      throw new Error('the vault is shut');
    },
  });
  support.onMessage(({ message, ask }) => {
    if (message === 'pin') return ask(pin);
    throw new Error('broken');
  });
  const { registry, human } = await rehearse({ agents: [support], failures: 'collect', settings: { maxAttempts: 1 } });
  for (const [i, tenant] of ['north', 'south', 'north'].entries())
    await human(`c${i}`, { participant: { id: `web:${i}`, tenant } }).says(`order ${i}`);
  const user = human('secret', { participant: { id: 'web:s', tenant: 'south' } });
  await user.says('pin');
  await user.says('tulip-and-rose');
  const read = async (filter: { tenant?: string; limit?: number }) => {
    const pages: (string | undefined)[][] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await registry.parked({ ...filter, ...(cursor === undefined ? {} : { cursor }) });
      pages.push(page.items.map((item) => item.text));
      cursor = page.cursor;
      if (cursor === undefined) return pages;
    }
  };
  expect((await read({})).flat().sort()).toEqual(['order 0', 'order 1', 'order 2', undefined]);
  expect((await read({ limit: 3 })).map((page) => page.length)).toEqual([3, 1]);
  expect((await read({ tenant: 'north', limit: 1 })).flat().sort()).toEqual(['order 0', 'order 2']);
  expect(JSON.stringify(await registry.parked())).not.toContain('tulip-and-rose');
  await expect(registry.parked({ tenant: undefined } as never)).rejects.toMatchObject({ code: 'bad-option' });
});
