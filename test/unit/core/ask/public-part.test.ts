/** What leaves the agent with a question: a closed list of fields. */
import { expect, test } from 'vitest';
import type { Decision } from '../../../../src/core/ask/ask.js';
import { publicPart } from '../../../../src/core/ask/ask.js';
import { askWith, type FlatAsk, flatAsk } from '../../../support/asks.js';

const person = { id: 'web:ann' };
const place = { channel: 'web', address: null };

const decision: Required<Decision> = {
  at: 2,
  entry: 'm2',
  channel: 'web',
  by: person,
  why: 'undeliverable',
  reason: 'private',
  effectKey: 'key',
  drawn: 'digest',
  from: 1,
  elsewhere: true,
};

/** Every field that an ask can have: one that is new does not compile without a place in one of the two lists. */
const shown = {
  id: 'a',
  agentName: 'support',
  question: 'Sure?',
  kind: 'confirm',
  kindVersion: 2,
  shape: { type: 'text' },
  prompt: 'Really?',
  partial: {},
  returns: 1,
  details: { total: '12' },
  status: 'answered',
  answer: 'yes',
  value: true,
  retries: 1,
  maxRetries: 3,
  shows: 2,
  askedAt: 1,
  expiresAt: 9,
  place,
  answerableBy: 'anyone',
  quorum: 2,
  votes: [{ by: person, at: 2, value: true, entry: 'm2' }],
  waitsIn: 'm1',
  awaited: true,
  unowned: true,
  sensitive: true,
  links: 'decide',
  mail: 'decide',
  remindAfter: [1],
  reminded: 1,
  remindNotBefore: 1,
  shownAt: 1,
  locale: 'de',
  effectKey: 'key',
  shown: true,
} as const;
const kept = {
  name: 'order',
  data: {},
  context: { secret: 1 },
  refused: ['digest'],
  retryText: 'Again?',
  places: [],
  copies: [],
  lost: [],
  escalate: [],
  inbox: true,
  steps: [],
  asker: 'web:ann',
  origin: { conversationId: 'c' },
  tenant: 'acme',
  excluded: 'web:ann',
  run: {},
  waitsFrom: 1,
  then: 'told',
  onCrash: 'park',
  listed: ['key'],
  cause: 'm0',
  shownIn: 1,
} as const;
const whole = { ...shown, ...kept, decision } satisfies Required<FlatAsk>;

test('of an ask with every field a channel is given these and no other', () => {
  const { at, entry, channel, by, why, effectKey } = decision;
  expect(flatAsk(publicPart(askWith(whole)))).toEqual({
    ...shown,
    decision: { at, entry, channel, by, why, effectKey },
  });
});

test('an ask without a field gets none, and a field that this release does not know stays inside', () => {
  const { kindVersion: _, ...rest } = whole;
  const newer = { newer: 'private' };
  const part = publicPart(askWith({ ...rest, decision: { ...decision, ...newer } }, newer));
  expect(JSON.stringify(part)).not.toContain('kindVersion');
  expect(JSON.stringify(part)).not.toContain('private');
});
