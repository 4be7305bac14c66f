/**
 * What holds of all rules: they change nothing that they were given, and ask for and write no more than they must.
 */
import { expect, test } from 'vitest';
import type { Claim } from '../../../../src/stores/port.js';
import type { ConversationRecord } from '../../../../src/stores/rules/record.js';
import { encodeRecord } from '../../../../src/stores/rules/record-text.js';
import { remember } from '../../../../src/stores/rules/remember.js';
import { renew } from '../../../../src/stores/rules/renew.js';
import type { Rule } from '../../../../src/stores/rules/rule.js';
import { save } from '../../../../src/stores/rules/save.js';
import { take } from '../../../../src/stores/rules/take.js';
import { entry, finishing, long, next, out, release, saving, stored, taking } from './conversation.js';

function begun(): ConversationRecord {
  const { record } = take.apply(undefined, taking({ entry: entry('e') }), 1_000, {});
  if (record === undefined) throw new Error('a first entry should make a record');
  return record;
}

const claimOf = (record: ConversationRecord): Claim => ({
  ...record,
  now: 0,
  document: null,
  memo: {},
  entry: { id: 'e', at: 0, data: stored(''), revision: 0 },
});

test('a rule leaves the record that it was given as it was', () => {
  const record = begun();
  const before = encodeRecord(record);
  const changes = { outputs: [out('k')], document: stored('d'), people: ['p'] };
  save.apply(record, finishing(claimOf(record), changes), 2_000, {});
  take.apply(record, taking({ entry: entry('e2', { person: 'p' }) }), 2_000, {});
  renew.apply(record, { conversationId: 'c', token: record.token, lease: long }, 2_000, {});
  remember.apply(record, { conversationId: 'c', turn: record.turn, key: 'k', value: 'v' }, 2_000, {});
  expect(encodeRecord(record)).toBe(before);
});

test('the turns of most conversations need nothing but the record', () => {
  const asks = <C>(rule: Rule<C, unknown>, record: ConversationRecord, call: C) => rule.needs(record, call, 2_000);
  const record = begun();
  expect(asks(take, record, taking())).toEqual({});
  expect(asks(take, record, taking({ entry: entry('e2') }))).toEqual({});
  expect(asks(save, record, finishing(claimOf(record), {}, next()))).toEqual({});
  expect(asks(renew, record, { conversationId: 'c', token: record.token, lease: 1 })).toEqual({});
  expect(asks(remember, record, { conversationId: 'c', turn: record.turn, key: 'k', value: '' })).toEqual({});
});

test('what a turn remembered is asked for only by who may be given it', () => {
  const record = begun();
  record.hasMemo = true;
  const needs = (call: Parameters<typeof take.needs>[1], now: number) => take.needs(record, call, now).memos;
  expect(needs(taking(), 2_000), 'it is held by another').toBeUndefined();
  expect(needs(taking({ token: record.token }), 2_000)).toEqual([record.turn]);
  expect(needs(taking(), record.leasedUntil)).toEqual([record.turn]);
  expect(save.needs(record, finishing(claimOf(record), {}, next()), 2_000), 'its work is over').toEqual({});
});

test('a record stays small however much is unsent', () => {
  let record = begun();
  const few = encodeRecord(record).length;
  for (let i = 0; i < 50; i += 1) {
    const outputs = Array.from({ length: 20 }, (_, k) => out(`output ${i} ${k}`));
    const { record: after, changes } = save.apply(record, saving(record, { outputs }, { type: 'hold' }), 2_000, {});
    expect(changes?.outputs.map(({ seq }) => seq)).toEqual(outputs.map((_, k) => 20 * i + k));
    record = after as ConversationRecord;
  }
  expect(encodeRecord(record).length).toBeLessThan(few + 100);
});

test('an entry that joins a queue leaves the record as it is, so that arrivals do not collide', () => {
  const second = take.apply(begun(), taking({ entry: entry('e2') }), 1_000, {});
  expect([second.changes?.isRecordChanged, second.record?.hasQueue]).toEqual([true, true]); // that there is a queue
  const third = take.apply(second.record, taking({ entry: entry('e3') }), 1_000, { waiting: 1 });
  expect([third.changes?.isRecordChanged, third.answer.entry]).toEqual([false, 'recorded']);
});

test('the time of a conversation never goes back, whatever the clock shows', () => {
  const record = begun();
  expect(take.apply(record, taking(), 400, {}).answer.now).toBe(1_000);
  expect(save.apply(record, saving(record, {}, release()), 300, {}).answer).toMatchObject({ now: 1_000 });
});

test('a mark outlives a record that ends before it, also where settings were longer once', () => {
  const record = begun();
  const claim = claimOf(record);
  const closing = finishing(claim, { dedupeWindow: 9_000, retention: 50 }, { type: 'hold' });
  const closed = save.apply(record, closing, 2_000, {});
  const shorter = saving({ ...claim, revision: 1 }, { dedupeWindow: 10, retention: 50 }, release());
  const { changes } = save.apply(closed.record, shorter, 2_000, {});
  expect(changes?.marks.map(([id]) => id)).toEqual(['e']);
  expect(changes?.marksUntil).toBe(11_000);
});

test.each([
  ['that differ at their beginning only', (i: number) => `${i}-a-host-with-a-long-name-that-is-the-same`],
  ['that look like ours', (i: number) => `0000000${i}-0000-8000-8000-000000000000`],
])('tokens and calls %s are told apart', (_, id) => {
  const first = begun();
  const one = save.apply(first, { ...saving(first, {}, { type: 'hold' }), call: id(1) }, 2_000, {});
  const record = one.record as ConversationRecord;
  const other = { ...saving(record, { outputs: [out('k')] }, { type: 'hold' }), call: id(2) };
  expect(save.apply(record, other, 2_000, {}).changes?.outputs).toHaveLength(1);
  const taken = take.apply(undefined, taking({ token: id(1), entry: entry('e') }), 1_000, {});
  const again = taking({ token: id(2), entry: entry('e'), lease: 0 });
  expect(take.apply(taken.record, again, 1_000, {}).answer.entry).toBe('repeat');
  expect(take.apply(taken.record, { ...again, token: id(1) }, 1_000, {}).answer.entry).toBe('recorded');
  const life = take.apply(undefined, taking({ token: id(2), entry: entry('e') }), 1_000, {});
  expect(life.record?.incarnation).not.toBe(taken.record?.incarnation);
});
