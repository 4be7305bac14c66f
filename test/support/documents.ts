/**
 * Arbitrary asks, documents and entries for the tests of the rules.
 */
import fc from 'fast-check';
import type { Ask } from '../../src/core/ask/ask.js';
import type { Conversation } from '../../src/core/conversation/conversation.js';
import { emptyConversation } from '../../src/core/conversation/conversation.js';
import type { Entry, Queued } from '../../src/core/conversation/entry.js';
import { askWith, type FlatAsk } from './asks.js';

export const place = { channel: 'phone', address: 'c1' } as const;

export function ask(id: string, more: FlatAsk = {}): Ask {
  return askWith({ id, question: `Question ${id}?`, context: { private: id }, place, asker: 'ann', ...more });
}

export function conversation(...asks: Ask[]): Conversation {
  return { ...emptyConversation, asks };
}

export function message(text: string, more: Partial<Entry & { type: 'message' }> = {}): Entry & { type: 'message' } {
  return { type: 'message', text, place, participant: { id: 'ann' }, ...more };
}

export function queued(entry: Entry, at = 10, id = 'e1'): Queued {
  return { id, at, entry };
}

export const answeredBy = (entry: string, at = 5) =>
  ({ status: 'answered', answer: 'yes', decision: { at, entry, effectKey: 'k' } }) as const;

/** Up to five pending asks with ids of their own, with and without deadlines, shown or not. */
export const pendingAsks = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 5 }).chain((ids) =>
  fc.tuple(
    ...ids.map((id) =>
      fc
        .record({
          expiresAt: fc.option(fc.integer({ min: 1, max: 100 }), { nil: undefined }),
          answerableBy: fc.constantFrom('asker' as const, 'anyone' as const, ['bob']),
          asker: fc.constantFrom('ann', 'bob'),
        })
        .map(({ expiresAt, ...rest }) => ask(id, { ...rest, ...(expiresAt === undefined ? {} : { expiresAt }) })),
    ),
  ),
);
