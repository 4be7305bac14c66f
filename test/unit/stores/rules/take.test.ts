/** take, renew and the lease: what is recorded, who gets a claim, how long it holds, and when a conversation wants a holder. */
import { describe, expect, test, vi } from 'vitest';
import type { Predecide } from '../../../../src/stores/port.js';
import { Conversation, entry, finishing, hold, long, release, saving, stored, taking } from './conversation.js';

describe('recording', () => {
  test('an entry is recorded and claimed in one step', () => {
    const c = new Conversation();
    const { now, entry: said, claim, outcome } = c.take({ token: 't', turn: 'u', entry: entry('e') });
    expect([now, said, outcome]).toEqual([1_000, 'recorded', undefined]);
    const front = { id: 'e', at: 1_000, data: stored('data of e'), revision: 0 };
    const counts = { attempt: 1, strikes: 1, revision: 0, historyEnd: 0 };
    const expected = { token: 't', turn: 'u', ...counts, now, document: null, memo: {}, entry: front };
    expect(claim).toEqual({ ...expected, incarnation: c.record?.incarnation });
    expect(c.state()).toMatchObject({ held: true, begun: true, revision: 0, document: null, queue: [front] });
  });

  test('without a lease an entry is recorded only, and wants a holder at once', () => {
    const c = new Conversation();
    expect(c.add('e')).toEqual({ now: 1_000, entry: 'recorded' });
    expect([c.state()?.held, c.state()?.begun, c.wanted()]).toEqual([false, false, 1_000]);
  });

  test('entries queue in the order in which they came, with the time and the revision of then', () => {
    const c = new Conversation();
    const by = c.begin('e1');
    c.now += 5;
    c.add('e2');
    c.saved(saving(by, {}, hold));
    c.add('e3');
    const all = [
      ['e1', 1_000, 0],
      ['e2', 1_005, 0],
      ['e3', 1_005, 1],
    ];
    expect(c.state()?.queue.map(({ id, at, revision }) => [id, at, revision])).toEqual(all);
    for (const skip of [0, 1, 2, 3, 9])
      expect(c.state(skip)?.queue.map(({ id }) => id)).toEqual(['e1', 'e2', 'e3'].slice(skip));
    expect(c.renew(by.token)).toMatchObject({ held: true, queue: 3 });
  });

  test('there is room for so many, and a higher limit is reserved room', () => {
    const c = new Conversation();
    expect(c.add('e', { room: 0 })).toEqual({ now: 1_000, entry: 'full' });
    expect([c.changes, c.record]).toEqual([undefined, undefined]);
    for (const [id, room, said] of [
      ['e1', 1, 'recorded'],
      ['e2', 1, 'full'],
      ['e2', 2, 'recorded'],
      ['e3', 2, 'full'],
      ['e3', 3, 'recorded'],
      ['e2', 1, 'repeat'],
    ] as const)
      expect([id, c.add(id, { room }).entry]).toEqual([id, said]);
    c.saved(finishing(c.claim(), {}, release()));
    expect(c.add('e4', { room: 3 }).entry).toBe('recorded');
    expect(c.waiting()).toEqual(['e2', 'e3', 'e4']);
  });

  test('an entry that waits, is worked on or is closed is known: its recorder is told recorded, others repeat', () => {
    const c = new Conversation();
    const calls = ['e1', 'e2'].map((id) => taking({ lease: 0, entry: entry(id) }));
    for (const call of calls) c.take(call);
    const told = () => calls.map((call) => [c.unchanged(() => c.take(call)).entry, c.add(call.entry?.id ?? '').entry]);
    const known = ['recorded', 'repeat'];
    expect(told()).toEqual([known, known]); // at the front, and behind it
    const by = c.claim();
    expect(told()).toEqual([known, known]);
    const { next: second } = c.saved(finishing(by));
    c.saved(finishing(second as typeof by));
    expect(told()).toEqual([known, known]);
    expect(c.take(calls[0])).toMatchObject({ outcome: stored('outcome of e1') });
    expect([c.outcome('e1'), c.outcome('e2'), c.outcome('e3')]).toEqual(['outcome of e1', 'outcome of e2', undefined]);
    expect(c.waiting()).toEqual([]);
  });

  test('the author of an entry is listed, once', () => {
    const c = new Conversation();
    c.add('e1', { person: 'ann' });
    expect(c.changes?.people).toEqual([{ id: 'ann', until: undefined, isBeside: false }]);
    c.add('e2', { person: 'ann' });
    expect(c.changes?.people).toEqual([]);
  });
});

describe('claiming', () => {
  test('one that is held is not claimed by another token, and the same token gets the same claim', () => {
    const c = new Conversation();
    const call = taking({ entry: entry('e1') });
    const first = c.take(call);
    expect(c.take({ entry: entry('e2') })).toEqual({ now: 1_000, entry: 'recorded' });
    expect(c.unchanged(() => c.take(call))).toEqual(first);
    expect(c.take().claim).toBeUndefined();
    expect(c.wanted()).toBe(1_000 + long);
  });

  test('an expired lease is taken over: the same work and turn, one attempt and one strike more', () => {
    const c = new Conversation();
    const call = taking({ lease: 50, entry: entry('e') });
    const { claim: first } = c.take(call);
    expect(c.wanted()).toBe(1_050);
    c.now = 1_049;
    expect(c.take().claim).toBeUndefined();
    c.now = 1_050;
    expect(c.state()?.held).toBe(false);
    expect(c.claim()).toMatchObject({ turn: first?.turn, attempt: 2, strikes: 2, entry: first?.entry });
    expect(c.take(call).claim, 'of the former holder').toBeUndefined();
  });

  test('the token of an expired lease begins another attempt, too', () => {
    const c = new Conversation();
    const call = taking({ lease: 50, entry: entry('e') });
    c.take(call);
    c.now = 1_050;
    expect(c.take(call).claim).toMatchObject({ attempt: 2 });
  });

  test('a look at an expired lease with nothing left to do lets the conversation end', () => {
    const c = new Conversation();
    c.saved(finishing(c.begin('e', 50), { retention: 70 }, hold));
    c.now = 1_050;
    expect(c.take().claim).toBeUndefined();
    expect([c.changes?.ends, c.record?.endsAt, c.wanted()]).toEqual([true, 1_120, null]);
  });

  test('nothing is claimed where nothing waits, and what is not there is taken off the due', () => {
    const c = new Conversation();
    expect(c.take()).toEqual({ now: 1_000 });
    expect([c.record, c.changes !== undefined]).toEqual([undefined, true]);
    c.turn();
    expect(c.unchanged(() => c.take()).claim).toBeUndefined();
    expect(c.wanted()).toBeNull();
  });

  test('a call that arrives after its time records but does not claim', () => {
    const c = new Conversation();
    expect(c.take({ claimBefore: 999, entry: entry('e') })).toEqual({ now: 1_000, entry: 'recorded' });
    expect(c.take({ claimBefore: 1_000 }).claim?.entry?.id).toBe('e');
  });

  test('a repeat of an entry that waits claims a free conversation; one of a closed entry never does', () => {
    const c = new Conversation();
    c.add('e');
    const by = c.take({ entry: entry('e') });
    expect([by.entry, by.claim?.entry?.id]).toEqual(['repeat', 'e']);
    const call = { token: by.claim?.token ?? '', entry: entry('e') };
    c.add('e2');
    const { next: second } = c.saved(finishing(by.claim as never));
    expect(second?.entry?.id).toBe('e2');
    expect(c.unchanged(() => c.take(call)).claim, 'not what was handed over').toBeUndefined();
    c.saved(saving(second as never, {}, release()));
    expect(c.unchanged(() => c.take(call)).claim, 'nor what is free').toBeUndefined();
  });

  test('a due time that has come is claimed without an entry, and one that has not is left alone', () => {
    const c = new Conversation();
    c.turn({ due: 1_050 });
    expect([c.take().claim, c.wanted()]).toEqual([undefined, 1_050]);
    c.turn();
    expect(c.wanted(), 'a save that does not mention it').toBe(1_050);
    c.now = 1_050;
    const by = c.claim();
    expect([by.entry, by.attempt]).toEqual([undefined, 1]);
    c.add('e');
    expect(c.take({ token: by.token }).claim?.entry, 'which came later').toBeUndefined();
    c.saved(saving(by, { due: null }, release()));
    expect(c.claim().entry?.id).toBe('e');
  });

  test('work that begins again has the turn id that its entry names, and unfinished work the one that it had', () => {
    const c = new Conversation();
    c.add('retry1', { turn: 'old 1' });
    c.add('retry2', { turn: 'old 2' });
    const first = c.claim({ turn: 'not this' });
    expect([first.turn, first.attempt]).toEqual(['old 1', 1]);
    const { next: second } = c.saved(finishing(first));
    expect([second?.turn, second?.attempt]).toEqual(['old 2', 1]);
    c.saved(saving(second as never, {}, release()));
    expect(c.claim()).toMatchObject({ turn: 'old 2', attempt: 2 });
  });
});

describe('renewing', () => {
  test('a renewed lease outlives its first time, also where that is over', () => {
    const c = new Conversation();
    const by = c.begin('e', 50);
    c.now = 1_060;
    expect(c.renew(by.token, 100)).toEqual({ conversationId: 'c', token: by.token, held: true, now: 1_060, queue: 1 });
    expect([c.wanted(), c.take().claim]).toEqual([1_160, undefined]);
  });

  test('a token that does not hold it, or holds it no more, renews nothing', () => {
    const c = new Conversation();
    expect(c.renew('t')).toMatchObject({ held: false, queue: 0 });
    const by = c.begin('e');
    c.add('e2');
    for (const token of ['', 'another'])
      expect(c.unchanged(() => c.renew(token))).toMatchObject({ held: false, queue: 2 });
    c.saved(finishing(by, {}, release()));
    for (const token of ['', by.token])
      expect(c.unchanged(() => c.renew(token))).toMatchObject({ held: false, queue: 1 });
  });

  test('a lease that is renewed after its end keeps a conversation that could have ended', () => {
    const c = new Conversation();
    const by = c.begin('e', 50);
    c.saved(finishing(by, {}, hold));
    c.now = 1_050;
    c.take();
    expect(c.record?.isRetired).toBe(true);
    expect(c.renew(by.token).held).toBe(true);
    expect([c.record?.isRetired, c.changes?.ends]).toEqual([false, false]);
  });
});

describe('a take that predecides', () => {
  const decided = { document: stored('decided'), changed: ['ask'] };
  /** A conversation with an open ask. */
  const asked = (due: number | null = null) => {
    const c = new Conversation();
    c.turn({ document: stored('open'), open: true, due });
    return c;
  };
  /** What is asked about an entry, and answers that it is decided. */
  const asking = () => vi.fn<Predecide>(() => decided);

  test('the document and the changes are written with the claim, as one revision', () => {
    const [c, predecide] = [asked(), asking()];
    const call = taking({ entry: entry('e'), predecide });
    const { claim } = c.take(call);
    expect(predecide.mock.calls).toEqual([[stored('open'), 1_000]]);
    expect(claim).toMatchObject({
      revision: 2,
      attempt: 1,
      document: decided.document,
      entry: { id: 'e', revision: 1 },
    });
    expect([c.record?.revision, c.changes?.document, c.changes?.changed]).toEqual([2, decided.document, ['ask']]);
    expect(c.unchanged(() => c.take(call)).claim).toEqual(claim);
    expect(c.saved(finishing(claim as never)).revision).toBe(3);
  });

  test('a save before it that is repeated has the revision that it made itself', () => {
    const c = new Conversation();
    const call = finishing(c.begin(), { document: stored('open') });
    const first = c.saved(call);
    c.take({ entry: entry('e'), predecide: asking() });
    expect([c.record?.revision, c.unchanged(() => c.saved(call))]).toEqual([2, first]);
  });

  test('where it says nothing nothing is written, and a due time that is to come stays', () => {
    const c = asked(2_000);
    const { claim } = c.take({ entry: entry('e'), predecide: () => undefined });
    expect([claim?.revision, claim?.document, c.changes?.document]).toEqual([1, stored('open'), undefined]);
    expect(c.record?.dueAt).toBe(2_000);
  });

  test.each<[name: string, prepare: (c: Conversation) => unknown, more?: Parameters<typeof taking>[0]]>([
    ['without a claim', () => {}, { lease: 0 }],
    ['without an entry', (c) => c.add('e0'), { entry: undefined as never }],
    ['of a conversation that is held', (c) => c.begin('e0')],
    ['behind another entry', (c) => c.add('e0')],
    ['that was recorded before', (c) => c.add('e')],
    ['that does not fit', () => {}, { entry: entry('e', { room: 0 }) }],
    ['whose work begins again under its old id', () => {}, { entry: entry('e', { turn: 'old' }) }],
    ['behind work that failed', (c) => c.saved(saving(c.begin('e0'), {}, release()))],
    ['when the due time has come', (c) => (c.now = 2_000)],
    ['without a document', (c) => c.erase()],
  ])('it is not asked about an entry %s', (_, prepare, more = {}) => {
    const [c, predecide] = [asked(2_000), asking()];
    prepare(c);
    const { revision, document } = c.state() ?? { revision: 0, document: null };
    c.take({ entry: entry('e'), ...more, predecide });
    expect(predecide).not.toHaveBeenCalled();
    expect([c.state()?.revision ?? 0, c.state()?.document ?? null]).toEqual([revision, document]);
  });
});
