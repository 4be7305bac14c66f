/** The checker itself: it is content with a good history, and every one of its rules can fail. */
import { describe, expect, test } from 'vitest';
import type { HistoryItem } from '../../../src/core/conversation/history.js';
import type { Call } from '../../support/replica/world.js';
import { complaints, rules } from './checker.js';
import type { Event, Evidence, FinalAsk, FinalConversation } from './evidence.js';

type Item<T extends HistoryItem['type']> = Extract<HistoryItem, { type: T }>;

const id = 'class-1';
const by = 'replica-1';
const user = { id: 'phone:user' };
const end = new Date(2_000).toISOString();

const said = (entry: string, at: number, disposition: Item<'in'>['disposition']): Item<'in'> => {
  return { type: 'in', at, entry: `m:phone:${entry}`, text: '', disposition };
};
const decision: Item<'decision'> = {
  ...{ type: 'decision', at: 1_300, askId: 'a1', status: 'answered', agent: 'class', entry: 'm:phone:m3' },
};
const seen = {
  ...{ askId: 'a1', status: 'answered', answer: '12345', asker: user.id, answerableBy: 'asker' },
  decision: { at: 1_300, entry: 'm:phone:m3', by: user },
} as const;
const take = (entry: string, token: string, revision: number): Event => {
  const claim = { token, revision, incarnation: 'life', attempt: 1, decisions: [] };
  return { what: 'take', by, conversationId: id, entryId: `m:phone:${entry}`, entry: 'recorded', claim };
};
const save = (token: string, revision: number, more: object = {}): Event => {
  return { what: 'save', by, conversationId: id, token, call: `${token}.${revision}`, revision, saved: true, ...more };
};
const people = (what: 'sending' | 'acknowledged', message: string): Event => {
  return { what, by: 'people', conversationId: id, id: message };
};
const ask: FinalAsk = {
  ...{ id: 'a1', status: 'answered', answer: '12345', retries: 1, maxRetries: 3, expiresAt: end, effectKey: 'a1' },
};
const pay: Call = { what: 'pay', by, conversationId: id, key: 'a1', order: '12345', repeat: false };

const conversation: FinalConversation = {
  id,
  items: [
    said('m1', 1_000, { type: 'ordinary' }),
    said('m2', 1_200, { type: 'insufficient', askId: 'a1', retries: 1 }),
    decision,
    said('m3', 1_300, { type: 'accepted', askId: 'a1' }),
  ],
  asks: [ask],
  ...{ parked: [], held: false, begun: false, queue: 0 },
};

/** One refund: asked, once not understood, answered, paid, told. */
const good: Evidence = {
  events: [
    ...[people('sending', 'm1'), take('m1', 't1', 0), people('acknowledged', 'm1'), save('t1', 0)],
    ...[people('sending', 'm2'), take('m2', 't2', 1), people('acknowledged', 'm2'), save('t2', 1)],
    ...[people('sending', 'm3'), take('m3', 't3', 2), people('acknowledged', 'm3')],
    save('t3', 2, { decisions: [seen] }),
    { what: 'paying', by, conversationId: id, key: 'a1' },
    save('t3', 3, { decisions: [seen] }),
    {
      ...{ what: 'event', by, event: 'handled', conversationId: id, entryId: 'm:phone:m3' },
      disposition: { type: 'accepted', askId: 'a1' },
    },
  ],
  calls: [{ what: 'deliver', by, conversationId: id, key: 'ask:a1:0', askId: 'a1', repeat: false }, pay],
  conversations: [conversation],
  unsent: 0,
};

const expected = { accepted: 1 };
const withItems = (items: readonly HistoryItem[]): Evidence => ({
  ...good,
  conversations: [{ ...conversation, items }],
});
const withAsk = (more: Partial<FinalAsk>): Evidence => {
  return { ...good, conversations: [{ ...conversation, asks: [{ ...ask, ...more }] }] };
};
const left = (more: Partial<FinalConversation>): Evidence => ({
  ...good,
  conversations: [{ ...conversation, ...more }],
});
const withEvents = (...events: readonly Event[]): Evidence => ({ ...good, events: [...good.events, ...events] });
const withCalls = (...calls: readonly Call[]): Evidence => ({ ...good, calls: [...good.calls, ...calls] });
const [m1, m2, , m3] = conversation.items as [Item<'in'>, Item<'in'>, Item<'decision'>, Item<'in'>];

const changedTo = (more: object) => save('t3', 4, { decisions: [{ ...seen, ...more }] });
const bySomebody = { decision: { ...seen.decision, by: { id: 'phone:stranger' } } };

const yes = (name: string) => ({ by: { id: `phone:${name}` }, value: true });

const bad: Record<keyof typeof rules, Record<string, Evidence>> = {
  accountedFor: {
    'an acknowledged message is gone': withItems([m2, decision, m3]),
    'an acknowledged message was handled twice': withItems([m1, m2, decision, m3, { ...m1, at: 1_400 }]),
    'something recorded and never acknowledged is gone': withEvents(take('m4', 't4', 4)),
    'a whole conversation is gone': { ...good, conversations: [] },
  },
  announcedOnce: {
    'handled twice': withEvents(good.events.at(-1) as Event),
    'handled as something else': withItems([m1, m2, decision, { ...m3, disposition: { type: 'ordinary' } }]),
  },
  oneDecision: {
    'two decisions': withItems([m1, m2, decision, m3, { ...decision, at: 1_500 }]),
    'answered without a decision': withItems([m1, m2, m3]),
    'a decision changed': withEvents(changedTo({ status: 'expired' })),
    'another answer was kept': withAsk({ answer: '66666' }),
    'decided and open again': withAsk({ status: 'pending' }),
  },
  effects: {
    'money moved twice under one key': withCalls(pay),
    'money moved without an ask': withCalls({ ...pay, key: 'a2' }),
    'money moved for an ask that expired': withAsk({ status: 'expired' }),
    'answered and not paid': { ...good, calls: good.calls.slice(0, 1) },
    'paid before it was decided': {
      ...good,
      events: [{ what: 'paying', by, conversationId: id, key: 'a1' }, ...good.events],
    },
    'called twice where it must not repeat': {
      ...good,
      calls: [0, 1].map((n) => ({ ...pay, conversationId: 'class-park-1', repeat: n > 0 })),
    },
  },
  allowed: {
    'a stranger decided': withEvents(changedTo(bySomebody)),
    'nobody who was named decided': withEvents(changedTo({ answerableBy: ['phone:boss'] })),
    'nobody with the role decided': withEvents(changedTo({ answerableBy: { roles: ['clerk'] } })),
    'the reply came after the end': withAsk({ expiresAt: new Date(1_300).toISOString() }),
    'in time, and told that it was late': withItems([
      m1,
      m2,
      decision,
      { ...m3, disposition: { type: 'late', askId: 'a1' } },
    ]),
  },
  order: {
    'the second was handled before the first': withItems([{ ...m2, at: 1_000 }, m1, decision, m3]),
    'the times go back': withItems([m1, { ...m2, at: 900 }, decision, m3]),
  },
  together: {
    'handed over in one tick, and handled the other way round': withEvents({
      ...{ what: 'together', by: 'people', conversationId: id, ids: ['m3', 'm2'] },
    }),
  },
  retries: {
    'one reply counted twice': withAsk({ retries: 2 }),
    'a reply not counted': withAsk({ retries: 0 }),
    'two replies with the same number': withItems([m1, m2, { ...m2, entry: 'm:phone:m9' }, decision, m3]),
  },
  sends: {
    'an answered ask was never sent': { ...good, calls: [pay] },
    'a question was sent that is no ask': withCalls({ ...(good.calls[0] as Call), askId: 'a9' }),
  },
  nothingLeft: {
    leased: left({ held: true }),
    running: left({ begun: true }),
    waiting: left({ queue: 2 }),
    unsent: { ...good, unsent: 1 },
  },
  noOldHolder: {
    'saved by nobody who held it': withEvents(save('t4', 4)),
    'one revision written twice': withEvents(take('m4', 't4', 3), save('t4', 3)),
    'an old holder writes after another': withEvents(take('m4', 't4', 4), save('t4', 4), save('t3', 5)),
  },
  votes: {
    'somebody voted twice': withAsk({ quorum: 2, value: true, votes: [yes('carl'), yes('carl')] }),
    'too few votes': withAsk({ quorum: 2, value: true, votes: [yes('carl')] }),
  },
  enough: { 'too few answers': withItems([m1, m2, decision, { ...m3, disposition: { type: 'ordinary' } }]) },
  noCrash: { 'a replica crashed': withEvents({ what: 'crash', by, error: 'RangeError' }) },
};

test('a good history brings no complaint', () => {
  expect(complaints(good, expected)).toEqual([]);
});

describe.each(Object.keys(rules) as (keyof typeof rules)[])('%s complains:', (name) => {
  test.each(Object.entries(bad[name]))('%s', (_, evidence) => {
    expect(rules[name](evidence, expected)).not.toEqual([]);
    expect(complaints(evidence, expected)).not.toEqual([]);
  });
});

test('what Redis itself lost may be gone, and only there', () => {
  const cut = withItems([m1]);
  expect(rules.accountedFor(cut, { ...expected, lost: (each) => each === id })).toEqual([]);
  expect(rules.accountedFor(cut, { ...expected, lost: (each) => each !== id })).not.toEqual([]);
  expect(rules.oneDecision(withItems([m1, decision, decision]), { ...expected, lost: () => true })).not.toEqual([]);
});
