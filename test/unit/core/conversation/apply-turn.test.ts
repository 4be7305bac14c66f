/**
 * The end of a turn: moves applied, decided asks out, the next question put to the human.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Move } from '../../../../src/core/conversation/apply-turn.js';
import { applyTurn } from '../../../../src/core/conversation/apply-turn.js';
import { messageFor } from '../../../../src/core/conversation/outgoing.js';
import { writeOutgoing } from '../../../../src/core/format/document.js';
import { english } from '../../../../src/core/wording/english.js';
import { answeredBy, ask, conversation, pendingAsks, place } from '../../../support/documents.js';

const moves: fc.Arbitrary<Move[]> = fc.array(
  fc.oneof(
    fc.constantFrom('a', 'b', 'c', 'x', 'y').map((id): Move => ({ type: 'open', ask: ask(id) })),
    fc.constantFrom('a', 'b', 'x').map((askId): Move => ({ type: 'reask', askId, text: 'Again?' })),
    fc.string().map((text): Move => ({ type: 'say', place, text })),
  ),
  { maxLength: 8 },
);

test('no ask is lost or doubled: what was open or opened is open or settled afterwards, once', () => {
  fc.assert(
    fc.property(pendingAsks, moves, fc.nat(120), fc.boolean(), (asks, made, now, decide) => {
      const before = conversation(
        ...asks.map((each, i) => (decide && i === 0 ? { ...each, ...answeredBy('e') } : each)),
      );
      const outcome = applyTurn(before, made, now, 'k');
      const opened = made.flatMap((move) => (move.type === 'open' ? [move.ask.id] : []));
      const all = [...outcome.conversation.asks, ...outcome.settled].map((each) => each.id);
      expect(new Set(all).size).toBe(all.length);
      expect(new Set(all)).toEqual(new Set([...asks.map((each) => each.id), ...opened]));
    }),
  );
});

test('only the head is put to the human by itself, and never one whose time is over', () => {
  fc.assert(
    fc.property(pendingAsks, moves, fc.nat(120), (asks, made, now) => {
      const first = made.filter((move) => move.type !== 'reask'); // a re-ask by name shows whom it names
      const { conversation: after, outputs } = applyTurn(conversation(...asks), first, now, 'k');
      const shown = after.asks.filter((each) => each.progress.shown);
      expect(shown.every((each) => each.id === after.asks[0]?.id)).toBe(true);
      for (const each of shown) expect(each.timing.expiresAt ?? now + 1).toBeGreaterThan(now);
      expect(outputs.filter((each) => each.type === 'question')).toHaveLength(shown.length);
    }),
  );
});

test('a re-ask puts the question that was named to the human, so it is not sent again as the head', () => {
  const made: Move[] = [{ type: 'reask', askId: 'b', text: 'Again?' }];
  const { conversation: after } = applyTurn(conversation(ask('a', { shown: true }), ask('b')), made, 1, 'k');
  expect(after.asks[1]).toMatchObject({ progress: { retries: 1, shown: true } });
});

test('the head that was shown is not put to the human again', () => {
  const outcome = applyTurn(conversation(ask('a', { shown: true }), ask('b')), [], 1, 'k');
  expect(outcome.outputs).toEqual([]);
});

test('when the head is settled the next question goes out, to its own place', () => {
  const own = { channel: 'pager', address: 'p9' };
  const head = ask('a', { shown: true, ...answeredBy('e') });
  const outcome = applyTurn(conversation(head, ask('b', { place: own })), [], 1, 'k');
  expect(outcome.outputs.find((each) => each.type === 'question')).toMatchObject({ place: own, ask: { id: 'b' } });
});

test('what the agent says goes out before what it asks', () => {
  const made: Move[] = [
    { type: 'open', ask: ask('a') },
    { type: 'say', place, text: 'First.' },
  ];
  expect(applyTurn(conversation(), made, 1, 'k').outputs.map((each) => each.type)).toEqual(['say', 'question']);
});

test('keys are unique within a turn and the same on a re-run', () => {
  fc.assert(
    fc.property(pendingAsks, moves, fc.nat(120), (asks, made, now) => {
      const first = made.filter((move) => move.type !== 'reask');
      const keys = () => applyTurn(conversation(...asks), first, now, 'turn').outputs.map((each) => each.key);
      const once = keys();
      expect(new Set(once).size).toBe(once.length);
      expect(keys()).toEqual(once);
    }),
  );
});

test('the context never leaves with an output', () => {
  fc.assert(
    fc.property(pendingAsks, moves, fc.nat(120), (asks, made, now) => {
      for (const output of applyTurn(conversation(...asks), made, now, 'k').outputs) {
        expect(writeOutgoing(output).text).not.toContain('"private"');
        if (output.type === 'forward') continue;
        expect(JSON.stringify(messageFor(output, 'c', () => english))).not.toContain('"private"');
      }
    }),
  );
});

test('settling an ask withdraws its unsent question in every attempt', () => {
  const over = ask('a', { retries: 2, ...answeredBy('e') });
  expect(applyTurn(conversation(over), [], 1, 'k').withdraw).toEqual(['ask:a:0', 'ask:a:1', 'ask:a:2']);
});

test('the conversation is due at its first deadline, and open while anything is', () => {
  fc.assert(
    fc.property(pendingAsks, (asks) => {
      const outcome = applyTurn(conversation(...asks), [], 0, 'k');
      const ends = asks.flatMap((each) => (each.timing.expiresAt === undefined ? [] : [each.timing.expiresAt]));
      expect(outcome.due).toBe(ends.length === 0 ? null : Math.min(...ends));
      expect(outcome.open).toBe(asks.length > 0);
    }),
  );
});

test('a document is never changed in place', () => {
  fc.assert(
    fc.property(pendingAsks, moves, fc.nat(120), (asks, made, now) => {
      const before = conversation(...asks);
      const copy = structuredClone(before);
      applyTurn(before, made, now, 'k');
      expect(before).toEqual(copy);
    }),
  );
});

test('asks that end with one turn are remembered in the order in which they were decided, and the last one is late', () => {
  const expired = (at: number) => ({ status: 'expired', decision: { at, entry: 'e', effectKey: 'k' } }) as const;
  const sameMoment = [ask('c', { ...expired(7), shownIn: 5 }), ask('b', { ...expired(7), shownIn: 3 })]; // each was put first
  const outcome = applyTurn(conversation(...sameMoment, ask('a', expired(5))), [], 9, 'k');
  expect(outcome.settled.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
  expect(outcome.conversation.late?.id).toBe('c');
});
