/** Ends: when a conversation may be forgotten and what ends with it, dedupe marks, participants, and erasing. */
import { describe, expect, test } from 'vitest';
import type { Claim } from '../../../../src/stores/port.js';
import { changesKept } from '../../../../src/stores/rules/index.js';
import {
  Conversation,
  closing,
  entry,
  finishing,
  hold,
  long,
  next,
  release,
  type SaveChanges,
  saving,
  stored,
} from './conversation.js';

describe('retention', () => {
  test('a conversation with nothing left to do ends after its retention, which each change begins anew', () => {
    const c = new Conversation();
    c.turn({ retention: 70 });
    expect([c.changes?.ends, c.record?.endsAt]).toEqual([true, 1_070]);
    c.now = 1_030;
    const by = c.claim({ entry: entry('e') });
    expect([c.changes?.ends, c.record?.isRetired]).toEqual([false, false]);
    c.saved(finishing(by, { retention: 70 }, release()));
    expect([c.changes?.ends, c.record?.endsAt]).toEqual([true, 1_100]);
  });

  test.each<[name: string, changes: SaveChanges, then?: Parameters<typeof saving>[2]]>([
    ['open', { open: true }],
    ['due', { due: 9_000 }],
    ['held', {}, hold],
    ['waiting', { closes: undefined as never }],
  ])('one that is %s does not', (_, changes, then = release()) => {
    const c = new Conversation();
    c.saved(finishing(c.begin(), changes, then));
    expect([c.changes?.ends, c.record?.isRetired]).toEqual([undefined, false]);
  });

  test('an entry that is recorded revives a conversation that would have ended', () => {
    const c = new Conversation();
    c.turn();
    c.add('e');
    expect([c.changes?.ends, c.record?.isRetired, c.changes?.isRecordChanged]).toEqual([false, false, true]);
  });

  test('what is remembered by the holder of an ended lease lives as long as the record', () => {
    const c = new Conversation();
    const by = c.begin('e', 50);
    c.saved(finishing(by, { retention: 70 }, release(0)));
    expect(c.record?.isRetired).toBe(true);
    const other = c.begin('e2', 50);
    c.saved(saving(other, { ...closing('e2'), retention: 70 }, hold));
    c.now = 1_050;
    c.take();
    const { record } = c;
    expect([record?.isRetired, record?.endsAt, record?.turn]).toEqual([true, 1_120, other.turn]);
    c.now = 1_060;
    c.remember(other.turn, 'k', 'v');
    expect([c.changes?.ends, c.changes?.isRecordChanged, c.record?.endsAt]).toEqual([true, true, 1_130]);
  });

  test('a life has another incarnation than the one before', () => {
    const c = new Conversation();
    const { incarnation } = c.turn();
    c.forget();
    expect(c.begin().incarnation).not.toBe(incarnation);
  });
});

describe('dedupe marks', () => {
  test('a repeat is known until the mark is over, and is a new entry after that, in the queue or not', () => {
    const c = new Conversation();
    for (const id of ['e1', 'e2', 'e3']) c.add(id);
    let by: Claim | undefined = c.claim();
    for (let i = 0; i < 3; i += 1) by = c.saved(finishing(by as Claim, { dedupeWindow: 50, open: true })).next;
    c.now = 1_049;
    for (const id of ['e1', 'e2', 'e3'])
      expect([c.add(id).entry, c.outcome(id)]).toEqual(['repeat', `outcome of ${id}`]);
    c.now = 1_050;
    for (const id of ['e2', 'e1']) expect([c.outcome(id), c.add(id).entry]).toEqual([undefined, 'recorded']);
    for (const id of ['e2', 'e1']) expect([c.outcome(id), c.add(id).entry]).toEqual([undefined, 'repeat']);
    expect(c.waiting()).toEqual(['e2', 'e1']);
  });

  test('the mark of an entry says when, by whom and with what it was closed', () => {
    const c = new Conversation();
    c.begin('e1');
    c.add('e2', {});
    const [, mark] = [...c.marks][0] ?? [];
    expect(mark).toMatchObject({ endsAt: 0, outcome: stored('') });
    const { token } = c.record ?? { token: '' };
    c.saved(saving({ token, revision: 0 }, { ...closing('e2'), dedupeWindow: 50 }, hold));
    expect(c.marks.get('e2')).toMatchObject({
      endsAt: 1_050,
      recordedBy: mark?.recordedBy,
      outcome: stored('outcome of e2'),
    });
  });

  test('however many entries were closed, all are known, the record stays small, and marks that are over are swept', () => {
    const c = new Conversation();
    const close = (id: string, dedupeWindow: number) =>
      c.saved(finishing(c.claim({ entry: entry(id) }), { dedupeWindow, open: true }, release()));
    for (let i = 0; i < 60; i += 1) close(`brief ${i}`, 50);
    for (let i = 0; i < 8; i += 1) close(`long ${i}`, long);
    expect(c.record?.recentMarks).toHaveLength(6);
    expect([c.marks.size, c.record?.marksBeside]).toEqual([62, 62]);
    c.begin('held');
    c.add('waits');
    c.now = 1_050;
    for (let i = 8; i < 20; i += 1) {
      const { token = '', revision = 0 } = c.record ?? {};
      c.saved(saving({ token, revision }, { ...closing(`long ${i}`), dedupeWindow: long, open: true }, hold));
    }
    const left = [...c.marks.keys()].filter((id) => id.startsWith('brief'));
    expect(left).toEqual([]);
    expect([c.marks.has('waits'), c.record?.marksBeside]).toEqual([true, c.marks.size]);
    for (let i = 0; i < 20; i += 1) expect(c.add(`long ${i}`).entry).toBe('repeat');
    expect(c.record?.sweepMarksAt).toBe(64);
  });

  test('sweeps get rarer the more marks there are', () => {
    const c = new Conversation();
    const sweeps: number[] = [];
    for (let i = 0; i < 300; i += 1) {
      const at = c.record?.sweepMarksAt;
      c.saved(finishing(c.begin(), { open: true }, release()));
      if (c.record?.sweepMarksAt !== at && i > 0) sweeps.push(c.record?.sweepMarksAt ?? 0);
    }
    expect(sweeps).toEqual([128, 256, 512]);
  });

  test('marks outlive a record that ends before them, go on with the next life, and are kept while it lasts', () => {
    const c = new Conversation();
    const [first, second] = [c.begin('e1'), 'e2'];
    c.saved(finishing(first, { retention: 10, dedupeWindow: 500 }, release()));
    expect([[...c.marks.keys()], c.changes?.marksUntil]).toEqual([['e1'], 1_500]);
    c.forget();
    expect(c.unchanged(() => c.add('e1'))).toMatchObject({ entry: 'repeat', outcome: stored('outcome of e1') });
    c.begin(second);
    expect([c.changes?.marksUntil, c.record?.marksBeside]).toEqual([null, 1]);
    expect(c.add('e1').entry).toBe('repeat');
    const { token = '' } = c.record ?? {};
    c.saved(saving({ token, revision: 0 }, { ...closing(second), retention: 10, dedupeWindow: 500 }, release()));
    expect(c.changes?.marksUntil).toBe(1_500);
    c.add('e3');
    expect(c.changes?.marksUntil).toBeNull();
  });

  test('a mark that ends before the record stays in it', () => {
    const c = new Conversation();
    c.saved(finishing(c.begin('e'), { retention: 500, dedupeWindow: 500 }, release()));
    expect([c.marks.size, c.changes?.marksUntil, c.record?.recentMarks.length]).toEqual([0, undefined, 1]);
  });
});

describe('participants', () => {
  const crowd = Array.from({ length: 12 }, (_, i) => `p${i}`);

  test('the first eight are in the record, others beside it for three retentions, each once', () => {
    const c = new Conversation();
    c.turn({ people: crowd, open: true, retention: 100 });
    const listed = c.changes?.people.map(({ id, until, isBeside }) => [id, until, isBeside]);
    expect(listed).toEqual(crowd.map((id, i) => (i < 8 ? [id, undefined, false] : [id, 1_300, true])));
    c.turn({ people: ['p0'] });
    expect(c.changes?.people.map(({ id }) => id)).not.toContain('p0');
  });

  test('those beside it are listed anew once in a retention, while it is not finished', () => {
    const c = new Conversation();
    c.turn({ people: crowd, open: true, retention: 100 });
    expect(c.wanted()).toBe(1_100);
    c.now = 1_099;
    c.turn({ retention: 100 });
    expect(c.changes?.people).toEqual([]);
    c.now = 1_100;
    expect(c.claim()).toMatchObject({ attempt: 1 });
    const { token = '', revision = 0 } = c.record ?? {};
    c.saved(saving({ token, revision }, { retention: 100 }, release()));
    expect(c.changes?.people).toEqual(crowd.slice(8).map((id) => ({ id, until: 1_400, isBeside: false })));
    expect(c.wanted()).toBe(1_200);
    c.saved(saving(c.begin(), { due: 1_150, retention: 100 }, release()));
    expect(c.record?.dueAt).toBe(1_150);
    c.saved(finishing(c.claim(), { retention: 100 }, release()));
    expect(c.wanted(), 'the earlier of the two').toBe(1_150);
    c.turn({ open: false, due: null, retention: 100 });
    expect(c.wanted(), 'it is finished').toBeNull();
  });

  test('a retention that is shorter than before lists them anew by that', () => {
    const c = new Conversation();
    c.turn({ people: crowd, open: true, retention: 1_000 });
    c.turn({ retention: 100 });
    expect(c.changes?.people.map(({ until }) => until)).toEqual([1_300, 1_300, 1_300, 1_300]);
  });

  test('authors of entries that no save has followed are listed for a year, and by the retention with the first save', () => {
    const c = new Conversation();
    for (const [i, person] of crowd.entries()) c.add(`e${i}`, { person });
    expect(c.changes?.people).toEqual([{ id: 'p11', until: 1_000 + 365 * 86_400_000, isBeside: true }]);
    c.saved(finishing(c.claim(), { retention: 100 }, next()));
    expect(c.changes?.people.map(({ id, until }) => [id, until])).toEqual(crowd.slice(8).map((id) => [id, 1_300]));
  });
});

describe('erasing', () => {
  test('only the life and the revision that were read are erased', () => {
    const c = new Conversation();
    expect(c.erase()).toBe(false);
    const { incarnation } = c.turn();
    for (const other of [{ revision: 0 }, { incarnation: 'another' }])
      expect(c.unchanged(() => c.erase(other))).toBe(false);
    expect([c.erase(), c.record]).toEqual([true, undefined]);
    expect(c.erase({ incarnation, revision: 1 })).toBe(false);
    c.begin();
    expect(c.erase({ incarnation, revision: 0 })).toBe(false);
  });

  test('it names all that goes, and the tombstones that stay', () => {
    const c = new Conversation();
    const people = Array.from({ length: 10 }, (_, i) => `p${i}`);
    const first = c.begin('e1');
    c.remember(first.turn, 'k', 'v');
    c.saved(finishing(first, { ...closing('e1', 'parked', true), open: true, people }, release()));
    const second = c.begin('e2');
    const kept = [first.turn];
    const asks = [{ id: 'a', tombstone: stored('t') }];
    const names = { people, parked: ['q'], asks, until: 1_500 };
    const erasing = { parked: ['q'], asks, retention: 500 };
    const erased = (more: () => void) => {
      more();
      const before = { ...c, record: c.record?.copy(), memos: new Map(c.memos), people: [...c.people] };
      expect(c.erase(erasing)).toBe(true);
      const { changes } = c;
      c.record = before.record;
      for (const [turn, memo] of before.memos) c.memos.set(turn, memo);
      for (const person of before.people) c.people.add(person);
      return changes?.erased;
    };
    expect(erased(() => {})).toEqual({ ...names, memos: kept });
    expect(erased(() => c.remember(second.turn, 'k', 'v'))).toEqual({ ...names, memos: [second.turn, ...kept] });
  });

  test('a holder of an earlier life writes, keeps and renews nothing in the next one', () => {
    const c = new Conversation();
    const old = c.begin('e');
    c.remember(old.turn, 'k', 'v');
    c.erase();
    const living = c.begin('e');
    expect([living.revision, living.attempt, living.memo]).toEqual([0, 1, {}]);
    expect(c.save(finishing(old))).toEqual({ type: 'refused' });
    expect(c.remember(old.turn, 'k', 'v')).toEqual({ type: 'ended' });
    expect(c.renew(old.token).held).toBe(false);
    c.saved(finishing(living));
  });
});

test('changes of asks are kept for ten minutes', () => {
  expect(changesKept).toBe(600_000);
});
