/**
 * The rules for decisions and for what comes next: pure functions, so every claim is tried on many inputs.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isExpiredAt, retried } from '../../../../src/core/ask/ask.js';
import { decided, type Verdict } from '../../../../src/core/ask/decision.js';
import { dueAt, nextWork } from '../../../../src/core/conversation/conversation.js';
import { flatAsk } from '../../../support/asks.js';
import { answeredBy, ask, conversation, message, pendingAsks, queued } from '../../../support/documents.js';

const verdicts = fc.record({
  status: fc.constantFrom('answered', 'declined', 'exhausted', 'expired', 'cancelled'),
  answer: fc.string(),
  decision: fc.record({ at: fc.nat(), entry: fc.string(), effectKey: fc.string() }),
}) as fc.Arbitrary<Verdict>;

test('a decision never changes: whatever comes second gives the ask back as it was', () => {
  fc.assert(
    fc.property(verdicts, verdicts, (first, second) => {
      const once = decided(ask('a'), first);
      expect(decided(once, second)).toBe(once);
    }),
  );
});

test('the first decision is taken as it is, and nothing else of the ask changes', () => {
  fc.assert(
    fc.property(verdicts, (verdict) => {
      const { status, answer, decision, ...rest } = flatAsk(decided(ask('a'), verdict));
      expect({ status, answer, decision }).toEqual(verdict);
      const { status: _, ...before } = flatAsk(ask('a'));
      expect(rest).toEqual(before);
    }),
  );
});

test('a re-ask is the same ask with one retry more: id, deadline and context stay', () => {
  const before = ask('a', { expiresAt: 50, context: { n: 1 } });
  expect(flatAsk(retried(before))).toEqual({ ...flatAsk(before), retries: 1 });
});

test('one millisecond before the deadline a reply is in time, at the deadline it is not', () => {
  const timed = ask('a', { expiresAt: 100 });
  expect([isExpiredAt(timed, 99), isExpiredAt(timed, 100), isExpiredAt(timed, 101)]).toEqual([false, true, true]);
  expect(isExpiredAt(ask('a'), Number.MAX_SAFE_INTEGER)).toBe(false);
});

test('no entry recorded in time is ever preceded by an expiry, however late it is read', () => {
  fc.assert(
    fc.property(pendingAsks, fc.nat(100), fc.nat(1_000), (asks, at, delay) => {
      const work = nextWork(conversation(...asks), queued(message('x'), at), at + delay);
      if (asks.every((each) => (each.timing.expiresAt ?? 1_000) > at))
        expect(work).toMatchObject({ type: 'entry', id: 'e1' });
      else expect(work).toMatchObject({ type: 'settle', as: 'expired' });
    }),
  );
});

test('what expires before an entry is over by the time the entry was recorded', () => {
  fc.assert(
    fc.property(pendingAsks, fc.nat(100), fc.nat(1_000), (asks, at, delay) => {
      const work = nextWork(conversation(...asks), queued(message('x'), at), at + delay);
      if (work?.type !== 'settle') return;
      const over = asks.find((each) => each.id === work.askId);
      expect(over?.timing.expiresAt).toBeLessThanOrEqual(at);
    }),
  );
});

test('without an entry, an ask is settled exactly when the store says it is due', () => {
  fc.assert(
    fc.property(pendingAsks, fc.nat(120), (asks, now) => {
      const document = conversation(...asks);
      const due = dueAt(document);
      expect(nextWork(document, undefined, now) !== undefined).toBe(due !== undefined && due <= now);
    }),
  );
});

test('the same work comes first on every re-run, whatever the time is by then', () => {
  fc.assert(
    fc.property(pendingAsks, fc.nat(100), fc.nat(1_000), fc.nat(1_000), (asks, at, one, two) => {
      const id = (later: number) => nextWork(conversation(...asks), queued(message('x'), at), at + later)?.id;
      expect(id(one)).toBe(id(two));
    }),
  );
});

test('what an earlier attempt decided comes before everything else', () => {
  const begun = ask('b', { status: 'expired', expiresAt: 3, decision: { at: 5, entry: 'expiry:b', effectKey: 'b' } });
  const document = conversation(ask('a', { expiresAt: 1 }), begun);
  expect(nextWork(document, queued(message('x')), 20)).toEqual({
    type: 'settle',
    id: 'expiry:b',
    askId: 'b',
    as: 'expired',
    at: 5,
  });
});

test('the entry that decided an ask is run again itself, also after another deadline has passed', () => {
  const document = conversation(ask('a', { expiresAt: 1 }), ask('b', answeredBy('e1')));
  expect(nextWork(document, queued(message('x')), 1_000)).toMatchObject({ type: 'entry', id: 'e1' });
});

test('cancel by conversation takes the asks one by one, then the entry itself is closed', () => {
  const entry = queued({ type: 'cancel' });
  expect(nextWork(conversation(ask('a'), ask('b')), entry, 20)).toMatchObject({
    type: 'settle',
    askId: 'a',
    as: 'cancelled',
  });
  expect(nextWork(conversation(ask('b')), entry, 20)).toMatchObject({ type: 'settle', askId: 'b' });
  expect(nextWork(conversation(), entry, 20)).toMatchObject({ type: 'entry', id: 'e1' });
});

test('an ask that was over before the cancel was recorded expires, it is not cancelled', () => {
  const work = nextWork(conversation(ask('a', { expiresAt: 9 })), queued({ type: 'cancel' }, 10), 20);
  expect(work).toMatchObject({ type: 'settle', as: 'expired', id: 'expiry:a' });
});

test('with nothing to do there is nothing to do', () => {
  expect(nextWork(conversation(ask('a', { expiresAt: 50 })), undefined, 49)).toBeUndefined();
});
