/**
 * What the store contract cannot reach: that rules change nothing they were given, that a record stays small, and that
 * they ask and write no more than they must. Reads and writes are given by hand.
 */
import { expect, test } from 'vitest';
import { applyLend, applySent } from '../../../src/stores/lifecycle/outbox.js';
import type { Reads, Writes } from '../../../src/stores/lifecycle/ports.js';
import type { ConversationRecord, UnsentOutput } from '../../../src/stores/lifecycle/record.js';
import { encodeRecord } from '../../../src/stores/lifecycle/record-text.js';
import { applySave } from '../../../src/stores/lifecycle/save.js';
import { applyTake } from '../../../src/stores/lifecycle/take.js';
import { entry, finishing, long, out, release, saving, taking } from '../../../src/testing/store-contract/kit.js';

/** Notes what is written; what is beside the record are the outputs only. */
function world() {
  const written: string[] = [];
  const asked: string[] = [];
  const outputs = new Map<string, UnsentOutput>();
  const reads = new Proxy({} as Reads, {
    get: (_, name: string) => (key: string) => {
      asked.push(name);
      if (name === 'outputBeside') return outputs.get(key);
      if (name === 'outputsBeside') return [...outputs.values()];
      return name === 'marksLeft' ? 0 : undefined;
    },
  });
  const writes = new Proxy({} as Writes, {
    get:
      (_, name: string) =>
      (...args: unknown[]) => {
        written.push(`${name} ${args.filter((arg) => typeof arg !== 'object').join(' ')}`.trim());
        const [output] = args as [UnsentOutput];
        if (name === 'putOutputBeside') outputs.set(output.key, output);
        if (name === 'deleteOutput') outputs.delete(args[0] as string);
      },
  });
  return { reads, writes, written, asked };
}

function begun({ reads, writes }: ReturnType<typeof world>): ConversationRecord {
  const { record } = applyTake(undefined, taking('c', { entry: entry('e') }), 1_000, reads, writes);
  if (record === undefined) throw new Error('a first entry should make a record');
  return record;
}

test('a rule leaves the record that it was given as it was', () => {
  const now = world();
  const record = begun(now);
  const before = encodeRecord(record);
  const call = finishing('c', {
    ...record,
    now: 0,
    document: null,
    memo: {},
    entry: { id: 'e', at: 0, data: '', revision: 0 },
  });
  const saved = applySave(record, { ...call, outputs: [out('k')], document: 'd' }, 2_000, now.reads, now.writes);
  expect(encodeRecord(record)).toBe(before);
  const after = encodeRecord(saved.record as ConversationRecord);
  applyLend(saved.record, { channels: ['web'], limit: 9, sendLease: 1 }, 10 * long, now.reads, now.writes);
  const mark = { conversationId: 'c', key: 'k', channel: 'web' };
  applySent(saved.record, [mark], 2_000, now.reads, now.writes);
  expect(encodeRecord(saved.record as ConversationRecord)).toBe(after);
});

test('a record stays small however much is unsent, and only what is beside it is asked for', () => {
  const now = world();
  let record = begun(now);
  const few = encodeRecord(record).length;
  for (let i = 0; i < 50; i += 1) {
    const outputs = Array.from({ length: 20 }, (_, k) => out(`output ${i} ${k}`));
    const call = { ...saving('c', record, { outputs, sendLease: 0 }, { type: 'hold' as const }) };
    record = applySave(record, call, 2_000, now.reads, now.writes).record as ConversationRecord;
  }
  expect([record.outputs.length, record.outputsBeside, record.backlogs.length]).toEqual([4, 996, 1]);
  expect(encodeRecord(record).length).toBeLessThan(few + 300);
  expect(now.asked).not.toContain('outputsBeside');
  const lent = applyLend(record, { channels: ['web'], limit: 3, sendLease: long }, 2_000, now.reads, now.writes);
  expect(lent.answer.items.map(({ key }) => key)).toEqual(['output 0 0', 'output 0 1', 'output 0 2']);
  expect(now.asked, 'enough in the record').not.toContain('outputsBeside');
});

test('a mark of sent in a long backlog leaves its index too early, and the next lending corrects that', () => {
  const now = world();
  const outputs = Array.from({ length: 8 }, (_, i) => out(`k${i}`));
  const first = begun(now);
  const call = saving('c', first, { outputs, sendLease: 0 }, { type: 'hold' });
  const { record } = applySave(first, call, 2_000, now.reads, now.writes);
  const all = { channels: ['web'], limit: 100, sendLease: 500 };
  const lent = applyLend(record, all, 2_000, now.reads, now.writes);
  const again = { conversationId: 'c', key: 'k7', channel: 'web', again: { in: 90, data: '' } };
  const gone = outputs.slice(0, 7).map(({ key, channel }) => ({ conversationId: 'c', key, channel }));
  const put = applySent(lent.record, [again, ...gone], 2_000, now.reads, now.writes);
  expect(put.record?.backlogs).toEqual([{ channel: 'web', count: 1, freeAt: 2_090 }]);
  const later = { ...again, again: { in: 900, data: '' } };
  const off = applySent(put.record, [later], 2_000, now.reads, now.writes);
  expect(off.record?.backlogs[0]?.freeAt, 'a lower bound').toBe(2_090);
  now.written.length = 0;
  const vain = applyLend(off.record, all, 2_090, now.reads, now.writes);
  expect([vain.answer.items, vain.isChanged, now.written]).toEqual([[], true, ['indexUnsent web 2900']]);
});

test('an entry that joins a queue leaves the record as it is, so that arrivals do not collide', () => {
  const now = world();
  const first = begun(now);
  const second = applyTake(first, taking('c', { entry: entry('e2') }), 1_000, now.reads, now.writes);
  expect([second.isChanged, second.record?.hasQueue]).toEqual([true, true]); // that there is a queue
  const room = { ...now.reads, mark: () => undefined, hasQueueRoom: () => true };
  const third = applyTake(second.record, taking('c', { entry: entry('e3') }), 1_000, room, now.writes);
  expect([third.isChanged, third.answer.entry]).toEqual([false, 'recorded']);
});

test('the time of a conversation never goes back, whatever the clock shows', () => {
  const now = world();
  const record = begun(now);
  expect(applyTake(record, taking('c'), 400, now.reads, now.writes).answer.now).toBe(1_000);
  const call = saving('c', record, {}, release());
  expect(applySave(record, call, 300, now.reads, now.writes).answer).toMatchObject({ now: 1_000 });
});

test('a mark outlives a record that ends before it, also where settings were longer once', () => {
  const now = world();
  const record = begun(now);
  const claim = { ...record, now: 0, document: null, memo: {}, entry: { id: 'e', at: 0, data: '', revision: 0 } };
  const closing = finishing('c', claim, { dedupeWindow: 9_000, retention: 50 }, { type: 'hold' });
  const closed = applySave(record, closing, 2_000, now.reads, now.writes);
  const shorter = saving('c', { ...claim, revision: 1 }, { dedupeWindow: 10, retention: 50 }, release());
  applySave(closed.record, shorter, 2_000, now.reads, now.writes);
  expect(now.written).toContain('putMark e');
  expect(now.written).toContain('keepMarksUntil 11000');
});
