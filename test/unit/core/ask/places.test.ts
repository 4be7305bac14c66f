/**
 * Questions in several places, as pure rules: whatever happens, each copy is drawn again where it went, and steps are taken once.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Ask, Place } from '../../../../src/core/ask/ask.js';
import { decided } from '../../../../src/core/ask/decision.js';
import { keptCopies } from '../../../../src/core/ask/places.js';
import { nextEscalation } from '../../../../src/core/ask/steps.js';
import type { Move } from '../../../../src/core/conversation/apply-turn.js';
import { applyTurn, redrawsOf } from '../../../../src/core/conversation/apply-turn.js';
import { dueAt, findAsk, nextWork } from '../../../../src/core/conversation/conversation.js';
import { mayAnswer } from '../../../../src/core/conversation/may-answer.js';
import type { OutgoingQuestion } from '../../../../src/core/conversation/outgoing.js';
import { redrawnCopy } from '../../../../src/core/conversation/outgoing.js';
import { readConversation, writeConversation } from '../../../../src/core/format/document.js';
import { askLike, type FlatAsk } from '../../../support/asks.js';
import { ask, conversation, place } from '../../../support/documents.js';

const board = (address: string): Place => ({ channel: 'board', address });
const places = [board('C1'), board('C2')];
const escalate = [
  { after: 10, channel: 'mail', place: { channel: 'mail', address: 'x' }, answerableBy: ['x'] },
  { after: 20, channel: 'inbox', answerableBy: { policy: 'boss' } },
  { after: 30, channel: 'board', place: board('C3') },
];

const shown = (copies: readonly { readonly place: Place }[]): string[] =>
  copies.map(({ place: at }) => JSON.stringify(at));

const step = { partial: {}, prompt: 'Next?', shape: { type: 'text' } } as const;
const move: fc.Arbitrary<Move> = fc.constantFrom<Move>(
  { type: 'reask', askId: 'a', text: 'Again?', from: board('C1') },
  { type: 'reask', askId: 'a', text: 'Again?', from: place },
  { type: 'reask', askId: 'a', text: 'Again?', from: { channel: 'fax', address: 1 } },
  { type: 'step', askId: 'a', step, text: 'Next?', failed: false },
  { type: 'copy', askId: 'a' },
  { type: 'copy', askId: 'a', channel: 'board' },
  { type: 'remind', askId: 'a', text: 'Still?' },
  { type: 'escalate', askId: 'a' },
  { type: 'lose', askId: 'a', copy: 1 },
  {
    type: 'hand-over',
    askId: 'a',
    request: { entry: 'e', by: { id: 'bob' }, to: { id: 'eve' }, place: board('eve') },
    text: 'Yours?',
  },
);

test('whatever happens to a question, the newest copies of every place are drawn again there, and no other', () => {
  const initial = fc.record({ places: fc.constant(places), escalate: fc.constant(escalate) }, { requiredKeys: [] });
  fc.assert(
    fc.property(initial, fc.array(move, { maxLength: 60 }), (more, moves) => {
      let document = conversation(ask('a', { remindAfter: [1], ...more } as FlatAsk));
      const sent = new Map<string, Place>();
      const withdrawn = new Set<string>();
      for (const each of [undefined, ...moves]) {
        const after = applyTurn(document, each === undefined ? [] : [each], 1, 'k');
        for (const output of after.outputs) {
          expect(sent.has(output.key)).toBe(false);
          sent.set(output.key, (output as OutgoingQuestion).place);
        }
        for (const key of after.withdraw) withdrawn.add(key);
        document = readConversation({ text: writeConversation(after.conversation).text }, 'c');
      }
      const open = findAsk(document, 'a') as Ask;
      const over = decided(open, { status: 'answered', decision: { at: 2, entry: 'e' } });
      const redraws = redrawsOf(over) as readonly OutgoingQuestion[];
      for (const redraw of redraws) expect(redraw.place).toEqual(sent.get(redrawnCopy(redraw)));
      const keys = new Set(redraws.map(redrawnCopy));
      expect(keys.size).toBe(redraws.length);
      for (const [key, at] of sent) if (!keys.has(key)) expect([key, withdrawn.has(key), at]).toEqual([key, true, at]);
      for (const at of new Set(shown(redraws)))
        expect(shown(redraws).filter((each) => each === at).length).toBeLessThanOrEqual(keptCopies);
      const told = redraws.filter((redraw) => redraw.told !== undefined);
      expect(new Set(shown(told)).size).toBe(told.length);
    }),
  );
});

test('steps are due one after another, each once, and never after the deadline', () => {
  const { conversation: opened } = applyTurn(conversation(ask('a', { escalate, expiresAt: 25 })), [], 0, 'k');
  let document = opened;
  const taken: string[] = [];
  for (let due = dueAt(document); due !== undefined && due < 25; due = dueAt(document)) {
    const work = nextWork(document, undefined, due);
    taken.push(work?.id ?? 'nothing');
    document = applyTurn(document, [{ type: 'escalate', askId: 'a' }], due, 'k').conversation;
  }
  expect(taken).toEqual(['escalate:a:0', 'escalate:a:1']);
  expect(nextEscalation(document.asks[0])).toBeUndefined();
  expect(dueAt(document)).toBe(25);
});

test('who may answer: those of the ask, of steps that were taken, and whom it was handed to, but not who handed it over', () => {
  const at = 1;
  const escalated = { type: 'escalated', at, channel: 'mail', answerableBy: ['x'] } as const;
  const byPolicy = { type: 'escalated', at, channel: 'mail', answerableBy: { policy: 'boss' } } as const;
  const handed = { type: 'handed-over', at, entry: 'e', by: { id: 'bob' }, to: { id: 'eve' } } as const;
  const one = ask('a', { answerableBy: ['bob', 'cid'], tenant: 'T1', steps: [escalated, byPolicy, handed] });
  const may = (id: string | undefined, granted?: ReadonlySet<string>, more: FlatAsk = {}, tenant = 'T1') =>
    mayAnswer(askLike(one, more), id === undefined ? undefined : { id, tenant }, undefined, granted);
  expect(['bob', 'cid', 'x', 'eve', 'zoe', undefined].map((id) => may(id))).toEqual([
    false,
    true,
    true,
    true,
    false,
    false,
  ]);
  expect(may('zoe', new Set(['a boss']))).toBe(true);
  expect(may('bob', new Set(['a boss']))).toBe(false);
  expect(may('eve', undefined, { excluded: 'eve' })).toBe(false);
  expect(may('eve', undefined, {}, 'T2')).toBe(false);
});
