/** Approvals that nobody waits for: asked in one process, decided whenever, carried out by whoever resumes them. */
import { expect, test } from 'vitest';
import { requireApproval } from '../../../src/tools/index.js';
import { anna, settle } from '../kit.js';
import { order, shop } from './shop.js';

test('an open approval survives the process: the stored request runs by its name, once', async () => {
  const { refund, gated, paid, phone } = shop();
  const interrupt = await refund.open(order, { callId: 'c1' });
  expect(JSON.parse(JSON.stringify(interrupt))).toEqual(interrupt);
  expect(interrupt).toMatchObject({ kind: 'approval', tool: 'refund', callId: 'c1', payload: { input: order } });
  if (interrupt === undefined) throw new Error('a person has to be asked');
  await settle();
  await phone.types('for this session');
  await settle();
  const later = gated(); // as after a restart: nothing is known but the interrupt
  const tampered = { ...interrupt, payload: { tool: 'refund', input: { order: '12345', amount: 8_000 } } };
  expect(await later.resume(tampered)).toEqual({ refunded: '12345' });
  expect(paid).toMatchObject([{ ...order, callId: 'c1', effectKey: phone.sent[0]?.ask?.id }]);
  expect(await later.resume(interrupt)).toMatch(/has been used already.*NOT carried out again/);
  expect(paid).toHaveLength(1);
  expect(await later.open(order)).toBeUndefined(); // the session's grant covers it
  await later.execute(order);
  expect(paid).toHaveLength(2);
});

test('the call that a person approved for the session keeps its effect key, however it is made again', async () => {
  const { refund, paid, phone } = shop();
  const interrupt = await refund.open(order, { callId: 'c1' });
  await settle();
  await phone.types('for this session');
  await settle();
  if (interrupt !== undefined) await refund.resume(interrupt);
  await refund.execute(order, { callId: 'c1' });
  await refund.execute(order, { callId: 'c2' });
  const [resumed, again, other] = paid.map(({ effectKey }) => effectKey);
  expect([again === resumed, other === resumed]).toEqual([true, false]);
});

test('an open approval that is resumed undecided, too late, for another call or another tool carries out nothing', async () => {
  const { refund, gated, registry, paid, phone, time, open } = shop(undefined, { expiresIn: 60_000 });
  const [first, second] = [await refund.open(order, { callId: 'a' }), await refund.open(order, { callId: 'b' })];
  if (first?.kind !== 'approval' || second?.kind !== 'approval') throw new Error('both are asked');
  await settle();
  expect(await refund.resume({ ...first, id: second.id })).toMatch(/interrupted before there was a decision/);
  const other = requireApproval(
    { name: 'delete', inputSchema: {}, execute: () => paid.push({ ...order, callId: 'x', effectKey: 'x' }) },
    { registry, where: anna, answerableBy: 'anyone' },
  );
  expect(await other.resume(first)).toMatch(/interrupted/);
  expect(await open()).toHaveLength(2);
  await phone.types('once');
  await settle();
  await time.advance(60_000, settle);
  expect(await gated().resume(first)).toMatch(/has run out. Nothing was carried out/);
  expect(await refund.resume(second)).toMatch(/Nobody decided in time, or the question was withdrawn/);
  expect(await open()).toEqual([]);
  expect(paid).toEqual([]);
});

const minute = 60_000;

test.each([0, 6])(
  'an approval that is resumed %i minutes after its decision is never carried out again',
  async (minutes) => {
    const options = { expiresIn: Number.POSITIVE_INFINITY };
    const { refund, paid, phone, time, registry } = shop(undefined, options, { dedupeWindow: 7 * minute });
    const interrupt = await refund.open(order, { callId: 'c1' });
    if (interrupt?.kind !== 'approval') throw new Error('a person has to be asked');
    await settle();
    await phone.types('once');
    await settle();
    await time.advance(minutes * minute, settle);
    expect(await refund.resume(interrupt)).toEqual({ refunded: '12345' });
    for (let i = 0; i < 9; i += 1) {
      expect(await refund.resume(interrupt)).toMatch(i + minutes < 7 ? /used already/ : /has run out/);
      expect(await registry.use(interrupt.id)).toBe(false);
      await time.advance(minute, settle);
    }
    expect(paid).toHaveLength(1);
  },
);

test('a grant for a session ends with the time in which its uses are remembered', async () => {
  const { refund, paid, phone, time } = shop(
    () => 'for this session',
    { expiresIn: 14 * minute },
    { dedupeWindow: 7 * minute },
  );
  await refund.execute(order, { callId: 'c1' });
  expect(await refund.grants()).toMatchObject([{ expiresAt: new Date(time.now() + 7 * minute) }]);
  await time.advance(7 * minute, settle);
  expect(await refund.grants()).toEqual([]);
  await refund.execute(order, { callId: 'c2' });
  expect(phone.questions.map(({ text }) => text)).toEqual(['Allow refund?', 'Allow refund?']);
  expect(paid).toHaveLength(2);
});
