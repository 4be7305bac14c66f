/**
 * Whose words may be the answer to a sensitive question.
 */
import { expect, test } from 'vitest';
import { hidesWords, withoutOldTraces } from '../../../../src/core/conversation/hidden-words.js';
import type { FlatAsk } from '../../../support/asks.js';
import { ask, conversation, message, queued } from '../../../support/documents.js';

const bob = { id: 'bob' };
const again = queued(message('s3cret', { participant: bob }), 200, 'again');
const secret = (more: FlatAsk) => ask('a', { sensitive: true, shown: true, asker: 'ann', ...more });
const ordinary = { type: 'ordinary' } as const;

test('a sensitive answer that a person sends again is hidden where a policy might let them answer', () => {
  const open = secret({ answerableBy: { policy: 'onCall' } });
  const ended = { ...conversation(), sensitiveTraces: [{ ask: open, endedAt: 100, endedIn: 2 }] };
  for (const document of [conversation(open), ended])
    expect(hidesWords({ document, subject: again, parked: undefined, reading: ordinary, who: bob })).toBe(true);
});

test('the words after a sensitive question that nobody answered are those of a person whom a policy might allow', () => {
  const open = secret({ answerableBy: { policy: 'onCall' } });
  const ended = {
    ...conversation(),
    sensitiveTraces: [{ ask: open, endedAt: 100, endedIn: 2, unanswered: true as const }],
  };
  expect(withoutOldTraces(ended, again, bob).sensitiveTraces).toEqual([{ ask: open, endedAt: 100, endedIn: 2 }]);
});

test('the words of a person whom no rule of a sensitive question names are shown', () => {
  const document = conversation(secret({ answerableBy: ['ann'] }));
  expect(hidesWords({ document, subject: again, parked: undefined, reading: ordinary, who: bob })).toBe(false);
});
