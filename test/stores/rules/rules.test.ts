/**
 * What the store contract cannot reach: that rules change nothing they were given, and that they ask for and write no more than
 * they must.
 */
import { expect, test } from 'vitest';
import type { Save, Stored, Take } from '../../../src/stores/port.js';
import type { ConversationRecord } from '../../../src/stores/rules/record.js';
import { encodeRecord } from '../../../src/stores/rules/record-text.js';
import { remember } from '../../../src/stores/rules/remember.js';
import { renew } from '../../../src/stores/rules/renew.js';
import type { Rule } from '../../../src/stores/rules/rule.js';
import { save } from '../../../src/stores/rules/save.js';
import { take } from '../../../src/stores/rules/take.js';
import * as kit from '../../../src/testing/store-contract/kit.js';
import { entry, long, next, out, release } from '../../../src/testing/store-contract/kit.js';
import type { Claim, Save as TextSave } from '../../../src/testing/store-contract/texts.js';

const stored = (text: string): Stored => ({ text });

/** Calls of the kit, whose records are strings, as a rule is given them. */
function taking(...args: Parameters<typeof kit.taking>): Take {
  const { entry: given, predecide: _, ...call } = kit.taking(...args);
  return given === undefined ? call : { ...call, entry: { ...given, data: stored(given.data) } };
}

const saving = (...args: Parameters<typeof kit.saving>): Save => saveOf(kit.saving(...args));
const finishing = (...args: Parameters<typeof kit.finishing>): Save => saveOf(kit.finishing(...args));

function saveOf({ document, closes, ...call }: TextSave): Save {
  return {
    ...call,
    ...(document !== undefined && { document: stored(document) }),
    ...(closes !== undefined && { closes: { ...closes, outcome: stored(closes.outcome) } }),
    outputs: call.outputs.map((output) => ({ ...output, data: stored(output.data) })),
    history: call.history.map(stored),
    asks: { ...call.asks, settled: call.asks.settled.map((ask) => ({ ...ask, record: stored(ask.record) })) },
  };
}

function begun(): ConversationRecord {
  const { record } = take.apply(undefined, taking('c', { entry: entry('e') }), 1_000, {});
  if (record === undefined) throw new Error('a first entry should make a record');
  return record;
}

const claimOf = (record: ConversationRecord): Claim => ({
  ...record,
  now: 0,
  document: null,
  memo: {},
  entry: { id: 'e', at: 0, data: '', revision: 0 },
});

test('a rule leaves the record that it was given as it was', () => {
  const record = begun();
  const before = encodeRecord(record);
  const changes = { outputs: [out('k')], document: 'd', people: ['p'] };
  save.apply(record, finishing('c', claimOf(record), changes), 2_000, {});
  take.apply(record, taking('c', { entry: entry('e2', { person: 'p' }) }), 2_000, {});
  renew.apply(record, { conversationId: 'c', token: record.token, lease: long }, 2_000, {});
  remember.apply(record, { conversationId: 'c', turn: record.turn, key: 'k', value: 'v' }, 2_000, {});
  expect(encodeRecord(record)).toBe(before);
});

test('the turns of most conversations need nothing but the record', () => {
  const asks = <C>(rule: Rule<C, unknown>, record: ConversationRecord, call: C) => rule.needs(record, call, 2_000);
  const record = begun();
  expect(asks(take, record, taking('c'))).toEqual({});
  expect(asks(take, record, taking('c', { entry: entry('e2') }))).toEqual({});
  expect(asks(save, record, finishing('c', claimOf(record), {}, next()))).toEqual({});
  expect(asks(renew, record, { conversationId: 'c', token: record.token, lease: 1 })).toEqual({});
  expect(asks(remember, record, { conversationId: 'c', turn: record.turn, key: 'k', value: '' })).toEqual({});
});

test('what a turn remembered is asked for only by who may be given it', () => {
  const record = begun();
  record.hasMemo = true;
  const needs = (call: Parameters<typeof take.needs>[1], now: number) => take.needs(record, call, now).memos;
  expect(needs(taking('c'), 2_000), 'it is held by another').toBeUndefined();
  expect(needs(taking('c', { token: record.token }), 2_000)).toEqual([record.turn]);
  expect(needs(taking('c'), record.leasedUntil)).toEqual([record.turn]);
  expect(save.needs(record, finishing('c', claimOf(record), {}, next()), 2_000), 'its work is over').toEqual({});
});

test('a record stays small however much is unsent', () => {
  let record = begun();
  const few = encodeRecord(record).length;
  for (let i = 0; i < 50; i += 1) {
    const outputs = Array.from({ length: 20 }, (_, k) => out(`output ${i} ${k}`));
    const { record: after, changes } = save.apply(
      record,
      saving('c', record, { outputs }, { type: 'hold' }),
      2_000,
      {},
    );
    expect(changes?.outputs.map(({ seq }) => seq)).toEqual(outputs.map((_, k) => 20 * i + k));
    record = after as ConversationRecord;
  }
  expect(encodeRecord(record).length).toBeLessThan(few + 100);
});

test('an entry that joins a queue leaves the record as it is, so that arrivals do not collide', () => {
  const second = take.apply(begun(), taking('c', { entry: entry('e2') }), 1_000, {});
  expect([second.changes?.isRecordChanged, second.record?.hasQueue]).toEqual([true, true]); // that there is a queue
  const third = take.apply(second.record, taking('c', { entry: entry('e3') }), 1_000, { waiting: 1 });
  expect([third.changes?.isRecordChanged, third.answer.entry]).toEqual([false, 'recorded']);
});

test('the time of a conversation never goes back, whatever the clock shows', () => {
  const record = begun();
  expect(take.apply(record, taking('c'), 400, {}).answer.now).toBe(1_000);
  expect(save.apply(record, saving('c', record, {}, release()), 300, {}).answer).toMatchObject({ now: 1_000 });
});

test('a mark outlives a record that ends before it, also where settings were longer once', () => {
  const record = begun();
  const claim = claimOf(record);
  const closing = finishing('c', claim, { dedupeWindow: 9_000, retention: 50 }, { type: 'hold' });
  const closed = save.apply(record, closing, 2_000, {});
  const shorter = saving('c', { ...claim, revision: 1 }, { dedupeWindow: 10, retention: 50 }, release());
  const { changes } = save.apply(closed.record, shorter, 2_000, {});
  expect(changes?.marks.map(([id]) => id)).toEqual(['e']);
  expect(changes?.marksUntil).toBe(11_000);
});

test.each([
  ['that differ at their beginning only', (i: number) => `${i}-a-host-with-a-long-name-that-is-the-same`],
  ['that look like ours', (i: number) => `0000000${i}-0000-8000-8000-000000000000`],
])('tokens and calls %s are told apart', (_, id) => {
  const first = begun();
  const one = save.apply(first, { ...saving('c', first, {}, { type: 'hold' }), call: id(1) }, 2_000, {});
  const record = one.record as ConversationRecord;
  const other = { ...saving('c', record, { outputs: [out('k')] }, { type: 'hold' }), call: id(2) };
  expect(save.apply(record, other, 2_000, {}).changes?.outputs).toHaveLength(1);
  const taken = take.apply(undefined, taking('c', { token: id(1), entry: entry('e') }), 1_000, {});
  const again = taking('c', { token: id(2), entry: entry('e'), lease: 0 });
  expect(take.apply(taken.record, again, 1_000, {}).answer.entry).toBe('repeat');
  expect(take.apply(taken.record, { ...again, token: id(1) }, 1_000, {}).answer.entry).toBe('recorded');
  const life = take.apply(undefined, taking('c', { token: id(2), entry: entry('e') }), 1_000, {});
  expect(life.record?.incarnation).not.toBe(taken.record?.incarnation);
});
