/** save and remember: what a holder writes, what becomes of the lease, what a repeat is told, and what a turn keeps for its re-runs. */
import { describe, expect, test } from 'vitest';
import type { Claim } from '../../../../src/stores/port.js';
import {
  Conversation,
  closing,
  entry,
  finishing,
  hold,
  long,
  next,
  out,
  release,
  saving,
  stored,
  taking,
} from './conversation.js';

describe('what a save writes', () => {
  test('a save that closes the last entry writes its outcome and frees the conversation', () => {
    const c = new Conversation();
    const by = c.begin('e');
    expect(c.outcome('e')).toBeUndefined();
    const done = c.saved(finishing(by, { document: stored('v1') }));
    expect(done).toEqual({ type: 'saved', now: 1_000, revision: 1 });
    expect(c.outcome('e')).toBe('outcome of e');
    const free = { held: false, begun: false, queue: [] };
    expect(c.state()).toMatchObject({ ...free, revision: 1, document: stored('v1') });
    expect(c.wanted()).toBeNull();
  });

  test('asks, parked work, people and withdrawn outputs are written as they are named', () => {
    const c = new Conversation();
    const by = c.begin('e');
    const asks = { opened: [{ id: 'a', at: 1 }], changed: ['b'], settled: [{ id: 'd', at: 2, record: stored('r') }] };
    const parked = { added: [{ id: 'q', at: 3 }], removed: ['p'] };
    c.saved(saving(by, { asks, parked, people: ['ann', 'ann'], withdraw: ['k'], retention: 70 }, hold));
    expect(c.changes).toMatchObject({
      ...asks,
      settledUntil: 1_070,
      parked: parked.added,
      unparked: ['p'],
      withdrawn: ['k'],
    });
    expect(c.changes?.people.map(({ id }) => id)).toEqual(['ann']);
  });

  test('outputs are numbered in the order of saving, and lent to the saver, or to any process at once', () => {
    const c = new Conversation();
    const by = c.begin('e');
    const outputs = [out('mine'), out('free', { to: 'anyone' })];
    c.saved(saving(by, { outputs, sendLease: 50 }, hold));
    const rows = () => c.changes?.outputs.map(({ key, seq, freeAt }) => [key, seq, freeAt]);
    expect(rows()).toEqual([
      ['mine', 0, 1_050],
      ['free', 1, 1_000],
    ]);
    c.saved(saving({ ...by, revision: 1 }, { outputs: [out('third')] }, hold));
    expect(rows()).toEqual([['third', 2, 1_000 + long]]);
  });

  test('a document, a due time and whether it is open stay as they were where a save does not mention them', () => {
    const c = new Conversation();
    c.turn({ document: stored(''), due: 9_000, open: true });
    c.turn();
    expect(c.record).toMatchObject({ document: stored(''), dueAt: 9_000, isOpen: true });
    expect(c.changes?.document).toBeUndefined();
    c.turn({ due: null, open: false });
    expect(c.record).toMatchObject({ document: stored(''), dueAt: null, isOpen: false });
  });

  test('a history keeps its limit of items, and what was dropped does not come back', () => {
    const c = new Conversation();
    const add = (historyLimit: number, ...history: string[]) => {
      const { historyEnd } = c.turn({ history: history.map(stored), historyLimit });
      return [historyEnd, c.record?.historyStart, c.record?.historyEnd, c.changes?.isHistoryDropped];
    };
    expect(add(2, '0', '1', '2', '3')).toEqual([0, 2, 4, true]);
    expect(add(4, '4')).toEqual([4, 2, 5, false]);
    expect(add(4, '5', '6')).toEqual([5, 3, 7, true]);
    expect(add(1)).toEqual([7, 3, 7, false]);
    expect(add(1, '7')).toEqual([7, 7, 8, true]);
  });

  test('the next entry may have been recorded at a later time: the time does not go back behind it', () => {
    const c = new Conversation();
    const by = c.begin('e1');
    c.add('e2');
    c.queue = c.queue.map((each) => ({ ...each, at: 1_900 }));
    expect(c.saved(finishing(by, {}, release())).now).toBe(1_900);
  });
});

describe('the fence', () => {
  test('a save of a token that does not hold the conversation, or of another revision, is refused', () => {
    const c = new Conversation();
    const refused = { type: 'refused' };
    expect(c.unchanged(() => c.save(saving({ token: 't', revision: 0 })))).toEqual(refused);
    const old = c.begin('e', 50);
    c.now = 1_050;
    const by = c.claim();
    const calls = [finishing(old), saving({ token: 'another', revision: 0 }), saving({ ...by, revision: 1 })];
    for (const call of calls) expect(c.unchanged(() => c.save(call))).toEqual(refused);
    c.saved(saving(by, {}, hold));
    expect(c.unchanged(() => c.save(saving(by, {}, hold)))).toEqual(refused);
    expect([c.record?.revision, c.waiting()]).toEqual([1, ['e']]);
  });

  test('an expired lease still saves as long as no other process has claimed', () => {
    const c = new Conversation();
    const by = c.begin('e', 50);
    c.now = 5_000;
    c.saved(finishing(by));
    expect(c.waiting()).toEqual([]);
  });
});

describe('what becomes of the lease', () => {
  test('hand-over: the next entry comes with the same token and a new turn, and counts anew', () => {
    const c = new Conversation();
    c.begin('e1', 50);
    c.now = 1_050;
    const by = c.claim();
    expect(by.attempt).toBe(2);
    c.add('e2');
    c.add('e3');
    const { next: after, revision } = c.saved(finishing(by, { document: stored('v1') }, next(70, 'turn of e2')));
    expect(after).toMatchObject({
      token: by.token,
      turn: 'turn of e2',
      attempt: 1,
      strikes: 1,
      revision,
      entry: { id: 'e2' },
    });
    expect([after?.incarnation, after?.document]).toEqual([by.incarnation, stored('v1')]);
    expect([c.wanted(), c.waiting()]).toEqual([1_120, ['e2', 'e3']]);
    const last = c.saved(finishing(after as Claim, {}, next(0)));
    expect([last.next, c.state()?.held, c.waiting()], 'a lease of 0 hands nothing over').toEqual([
      undefined,
      false,
      ['e3'],
    ]);
  });

  test('a hand-over to a due time that has come brings no entry', () => {
    const c = new Conversation();
    const { next: after } = c.saved(finishing(c.begin('e'), { due: 1_000 }));
    expect([after?.entry, after?.attempt, c.take().claim]).toEqual([undefined, 1, undefined]);
  });

  test('an entry that is closed twice leaves the queue once', () => {
    const c = new Conversation();
    const by = c.begin('e1');
    c.saved(saving(by, closing('e1'), hold));
    c.add('e2');
    c.saved(saving({ ...by, revision: 1 }, closing('e1'), hold));
    expect(c.waiting()).toEqual(['e2']);
    expect(c.saved(saving({ ...by, revision: 2 })).next?.entry?.id).toBe('e2');
    expect(c.record?.hasQueue, 'nothing is read for a queue that is empty').toBe(false);
  });

  test('a save inside the turn keeps the lease, the work and its counts', () => {
    const c = new Conversation();
    const by = c.begin('e', 50);
    expect(c.saved(saving(by, { document: stored('half') }, hold))).toEqual({ type: 'saved', now: 1_000, revision: 1 });
    expect(c.state()).toMatchObject({ held: true, begun: true, revision: 1 });
    expect([c.waiting(), c.outcome('e'), c.wanted()]).toEqual([['e'], undefined, 1_050]);
    c.now = 1_050;
    expect(c.claim()).toMatchObject({ turn: by.turn, attempt: 2, revision: 1, document: stored('half') });
  });

  test('a reply that is handled early is closed within the queue, and the turn goes on', () => {
    const c = new Conversation();
    const by = c.begin('e1', 50);
    for (const id of ['e2', 'reply', 'e3']) c.add(id);
    expect(c.saved(saving(by, closing('reply'), hold)).next).toBeUndefined();
    expect([c.waiting(), c.outcome('reply')]).toEqual([['e1', 'e2', 'e3'], 'outcome of reply']);
    c.now = 1_050;
    expect(c.claim()).toMatchObject({ turn: by.turn, attempt: 2, entry: { id: 'e1' } });
  });

  test('released work is not claimed before its time, whatever comes, and then goes on under its turn id', () => {
    const c = new Conversation();
    const by = c.begin('e1');
    c.saved(saving(by, {}, release(50)));
    expect(c.take({ entry: entry('e2') })).toEqual({ now: 1_000, entry: 'recorded' });
    expect([c.state()?.held, c.state()?.begun, c.wanted()]).toEqual([false, true, 1_050]);
    c.now = 1_050;
    expect(c.claim()).toMatchObject({ turn: by.turn, attempt: 2, strikes: 2, entry: { id: 'e1' } });
  });

  test('a due time waits for the end of the back-off, too', () => {
    const c = new Conversation();
    c.saved(finishing(c.begin(), { due: 1_010 }, release(50)));
    expect(c.wanted()).toBe(1_050);
    c.now = 1_040;
    expect(c.take().claim).toBeUndefined();
  });

  test.each([
    ['nothing', [2, 2]],
    ['strike', [2, 1]],
    ['claim', [1, 1]],
  ] as const)('a release that returns %s leaves the next claim with attempt and strikes %j', (returns, counts) => {
    const c = new Conversation();
    c.saved(saving(c.begin('e'), {}, release(0, returns)));
    const again = c.claim();
    expect([again.attempt, again.strikes]).toEqual(counts);
    c.saved(saving(again, {}, release(0, 'nothing')));
    const third = c.claim();
    expect([third.attempt, third.strikes], 'a failed try goes on to count').toEqual(counts.map((count) => count + 1));
  });

  test('parked work is closed, and what follows counts anew, released or handed over', () => {
    const c = new Conversation();
    const first = c.begin('e1');
    c.add('e2');
    c.saved(saving(first, {}, release()));
    c.saved(finishing(c.claim(), {}, release()));
    const after = c.claim();
    expect(after).toMatchObject({ attempt: 1, strikes: 1, entry: { id: 'e2' } });
    expect(after.turn).not.toBe(first.turn);
  });
});

describe('a repeated save', () => {
  test('at once it has the same answer and the same next claim, with what that turn remembered', () => {
    const c = new Conversation();
    const by = c.begin('e1');
    c.add('e2');
    c.add('e3');
    const call = finishing(by);
    const first = c.saved(call);
    expect(c.unchanged(() => c.save(call))).toEqual(first);
    c.remember(first.next?.turn ?? '', 'k', 'v');
    const again = c.unchanged(() => c.saved(call));
    expect(again).toEqual({ ...first, next: { ...first.next, memo: { k: 'v' } } });
    c.saved(finishing(first.next as Claim));
    expect(
      c.unchanged(() => c.save(call)),
      'later',
    ).toEqual({ type: 'saved', now: 1_000, revision: 1 });
  });

  test('one that released, or handed nothing over, claims nothing that came since', () => {
    for (const then of [release(), next()]) {
      const c = new Conversation();
      const call = finishing(c.begin('e1'), {}, then);
      const first = c.saved(call);
      c.add('e2');
      expect(c.unchanged(() => c.save(call))).toEqual(first);
      c.claim();
      expect(
        c.unchanged(() => c.save(call)),
        'nor what another holds',
      ).toEqual(first);
    }
  });

  test('one that kept the lease, and one that gave it back, are known as the last save only', () => {
    for (const then of [hold, release(50, 'claim')]) {
      const c = new Conversation();
      const by = c.begin('e');
      const call = saving(by, {}, then);
      const first = c.saved(call);
      expect(c.unchanged(() => c.save(call))).toEqual(first);
      c.now = 1_050;
      c.saved(saving(then === hold ? { ...by, revision: 1 } : c.claim(), {}, release()));
      expect(c.unchanged(() => c.save(call))).toEqual({ type: 'refused' });
    }
  });

  test('one that hands nothing over after another that did has no next claim', () => {
    const c = new Conversation();
    const by = c.begin('e1');
    c.add('e2');
    const { next: second } = c.saved(finishing(by));
    const inside = saving(second as Claim, {}, hold);
    c.saved(inside);
    expect(c.unchanged(() => c.saved(inside)).next).toBeUndefined();
  });

  test('an expired claim of another token is not the next one of a repeat', () => {
    const c = new Conversation();
    const by = c.begin('e1');
    c.add('e2');
    const call = finishing(by, {}, next(50));
    c.saved(call);
    c.now = 1_050;
    c.claim();
    expect(c.unchanged(() => c.saved(call)).next).toBeUndefined();
  });

  test('another save of the same revision is refused, also one that closes the same entry', () => {
    const c = new Conversation();
    const by = c.begin('e');
    const [mine, other] = [finishing(by), finishing(by)];
    c.saved(mine);
    for (let i = 0; i < 2; i += 1) expect(c.unchanged(() => c.save(other))).toEqual({ type: 'refused' });
    c.turn();
    expect(c.unchanged(() => c.save(other))).toEqual({ type: 'refused' });
    expect(c.unchanged(() => c.save(mine))).toMatchObject({ type: 'saved', revision: 1 });
  });

  test('after an erase it is refused, also in the next life', () => {
    const c = new Conversation();
    const call = finishing(c.begin('e'));
    c.saved(call);
    c.erase();
    expect(c.save(call)).toEqual({ type: 'refused' });
    expect(c.begin('e')).toMatchObject({ revision: 0, document: null });
    expect(c.save(call)).toEqual({ type: 'refused' });
  });

  test('a save of a forgotten conversation is known by the mark that it left', () => {
    const c = new Conversation();
    const call = finishing(c.begin('e'), { retention: 10 });
    c.saved(call);
    c.forget();
    expect(c.unchanged(() => c.save(call))).toEqual({ type: 'saved', now: 1_000, revision: 1 });
    expect(c.save({ ...call, call: 'another' })).toEqual({ type: 'refused' });
  });

  test('a repeat finds a queued entry that is closed no second time', () => {
    const c = new Conversation();
    const by = c.begin('e1');
    for (const id of ['e2', 'e3']) c.add(id);
    c.saved(saving(by, closing('e3'), hold));
    c.saved(saving({ ...by, revision: 1 }, closing('e3', 'again'), hold));
    expect([c.changes?.unqueued, c.waiting(), c.outcome('e3')]).toEqual([undefined, ['e1', 'e2'], 'again']);
  });
});

describe('remember', () => {
  const memoOf = (claim: Claim | undefined) => ({ ...claim?.memo });

  test('the first value wins and is given to every re-run, whoever remembered it and when', () => {
    const c = new Conversation();
    const { turn } = c.begin('e', 50);
    expect(c.remember(turn, 'k', 'first')).toEqual({ type: 'kept', value: 'first' });
    expect(c.unchanged(() => c.remember(turn, 'k', 'second'))).toEqual({ type: 'kept', value: 'first' });
    expect(c.remember(turn, 'empty', '')).toEqual({ type: 'kept', value: '' });
    expect(c.remember(turn, 'empty', 'more')).toEqual({ type: 'kept', value: '' });
    c.now = 1_050;
    c.remember(turn, 'late', 'after the lease');
    const by = c.claim();
    expect(memoOf(by)).toEqual({ k: 'first', empty: '', late: 'after the lease' });
    expect(memoOf(c.take({ token: by.token }).claim)).toEqual(memoOf(by));
    c.saved(saving(by, {}, hold));
    c.saved(saving({ ...by, revision: 1 }, {}, release()));
    expect(c.remember(turn, 'k2', 'released').type).toBe('kept');
    expect(memoOf(c.claim())).toMatchObject({ k: 'first', k2: 'released' });
  });

  test('a turn that was never begun, is closed or erased remembers nothing', () => {
    const c = new Conversation();
    const ended = { type: 'ended' };
    expect(c.remember('t', 'k', 'v')).toEqual(ended);
    const by = c.begin('e1');
    c.remember(by.turn, 'k', 'v');
    for (const turn of ['', 't']) expect(c.unchanged(() => c.remember(turn, 'k', 'v'))).toEqual(ended);
    c.add('e2');
    c.add('e3', { turn: by.turn });
    const { next: second } = c.saved(finishing(by));
    expect([memoOf(second), c.changes?.droppedMemos, c.remember(by.turn, 'k', 'v')]).toEqual([{}, [by.turn], ended]);
    const { next: third } = c.saved(finishing(second as Claim));
    expect([third?.turn, memoOf(third)], 'not even under its own turn id').toEqual([by.turn, {}]);
    c.erase();
    expect(c.remember(by.turn, 'k', 'v')).toEqual(ended);
    c.saved(finishing(c.begin('e4'), {}, release()));
    expect(c.remember('', 'k', 'v')).toEqual(ended);
  });

  test('what a parked turn remembered is kept for the retry that has its turn id, and for no other', () => {
    const c = new Conversation();
    const by = c.begin('e1');
    c.remember(by.turn, 'refund', 'done');
    c.add('e2');
    const { next: second } = c.saved(finishing(by, closing('e1', 'failed', true)));
    expect([memoOf(second), c.changes?.droppedMemos]).toEqual([{}, []]);
    expect(c.remember(by.turn, 'late', 'x')).toEqual({ type: 'ended' });
    c.remember(second?.turn ?? '', 'refund', 'of another');
    c.add('retry', { turn: by.turn });
    const { next: retry } = c.saved(finishing(second as Claim));
    expect([retry?.turn, retry?.attempt, memoOf(retry)]).toEqual([by.turn, 1, { refund: 'done' }]);
    expect(c.remember(by.turn, 'refund', 'twice')).toEqual({ type: 'kept', value: 'done' });
    c.saved(finishing(retry as Claim, {}, release()));
    c.add('again', { turn: by.turn });
    expect([memoOf(c.claim()), c.memos.size], 'a retry that ended well leaves nothing').toEqual([{}, 0]);
  });

  test('a retry that is claimed, not handed over, is given it as well', () => {
    const c = new Conversation();
    const by = c.begin('e1');
    c.remember(by.turn, 'k', 'v');
    c.saved(finishing(by, closing('e1', 'failed', true), release()));
    c.add('other');
    const other = c.claim();
    expect(memoOf(other)).toEqual({});
    c.saved(finishing(other, {}, release()));
    c.add('retry', { turn: by.turn });
    expect(memoOf(c.claim())).toEqual({ k: 'v' });
  });

  test('work that is done before the retry is read leaves it what its turn remembered', () => {
    const c = new Conversation();
    const by = c.begin('e1');
    c.remember(by.turn, 'k', 'v');
    c.saved(finishing(by, closing('e1', 'failed', true), release()));
    c.add('retry', { turn: by.turn });
    const { next: retry } = c.saved(saving(c.claim(), closing('expiry of an ask')));
    expect([retry?.entry?.id, retry?.turn, memoOf(retry)]).toEqual(['retry', by.turn, { k: 'v' }]);
  });

  test('the claim of a turn that remembered nothing has an empty memo, whatever others left', () => {
    const c = new Conversation();
    const first = c.begin('e1');
    c.memos.set('u', { k: 'left behind' });
    c.saved(finishing(first, {}, release()));
    const call = taking({ turn: 'u', entry: entry('e2') });
    expect(memoOf(c.take(call).claim)).toEqual({});
  });
});
