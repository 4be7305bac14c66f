/**
 * Who may answer an ask of a tenant: the same bound for every rule.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Ask } from '../../../../src/core/ask/ask.js';
import { grantOf, mayAnswer, mightAnswer } from '../../../../src/core/conversation/may-answer.js';
import { askLike } from '../../../support/asks.js';
import { ask, place } from '../../../support/documents.js';

const bob = { id: 'bob', roles: ['boss'] };
const granted = new Set([grantOf('a', 'onCall')]);
const may = (of: Ask, who: object | undefined) => mayAnswer(of, who as typeof bob | undefined, place, granted);

const handedOver = { type: 'handed-over', at: 1, entry: 'e', by: { id: 'cleo' }, to: { id: 'bob' } } as const;
const escalated = { type: 'escalated', at: 1, channel: 'phone', answerableBy: ['bob'] } as const;

const byAddress = ask('a', { asker: undefined });
const rules: readonly (readonly [string, Ask])[] = [
  ["'anyone'", ask('a', { answerableBy: 'anyone' })],
  ['a list', ask('a', { answerableBy: ['bob'] })],
  ['a role', ask('a', { answerableBy: { roles: ['boss'] } })],
  ['a policy', ask('a', { answerableBy: { policy: 'onCall' } })],
  ['an address', byAddress],
  ['a hand-over', ask('a', { steps: [handedOver] })],
  ['a step of an escalation', ask('a', { steps: [escalated] })],
];

test.each(rules)('by %s, an ask of a tenant is answered by participants of that tenant only', (_, rule) => {
  const of = askLike(rule, { tenant: 'T1' });
  const people = [{ ...bob, tenant: 'T1' }, { ...bob, tenant: 'T2' }, bob, undefined];
  expect(people.map((who) => may(of, who))).toEqual([true, false, false, false]);
});

test.each(rules)('by %s, an ask without a tenant does not look at tenants', (_, of) => {
  expect([{ ...bob, tenant: 'T1' }, bob].map((who) => may(of, who))).toEqual([true, true]);
});

test('the participant it was asked for answers by their id, whatever their tenant is', () => {
  const of = ask('a', { tenant: 'T1' });
  expect([{ id: 'ann', tenant: 'T2' }, { id: 'ann' }, { id: 'eve', tenant: 'T1' }].map((who) => may(of, who))).toEqual([
    true,
    true,
    false,
  ]);
});

test('a participant of a known other tenant might not answer by any rule; one of an unknown tenant might', () => {
  const ruled = fc.constantFrom(...rules.map(([, rule]) => askLike(rule, { tenant: 'T1' })));
  fc.assert(
    fc.property(ruled, (of) => {
      expect(mightAnswer(of, { ...bob, tenant: 'T2' }, place)).toBe(false);
      expect(mightAnswer(of, bob, place)).toBe(true);
    }),
  );
});
