/** An ask with further fields is the ask and those fields, whatever they are. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Ask, Lasting, lasting } from '../../src/core/ask/ask.js';
import { withMore } from '../../src/core/ask/with-more.js';
import { ask } from './made.js';

const value = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.constant(true),
  fc.constant({ at: 1, entry: 'e', effectKey: 'k' }),
);
const fields = ['name', 'asker', 'expiresAt', 'shown', 'status', 'decision', 'answer', 'value', 'retries', 'prompt'];
const some = fc.dictionary(fc.constantFrom(...fields, 'locale', 'ofANewerRelease'), value, { noNullPrototype: true });

test('withMore() is a spread of both, text that is kept included', () => {
  fc.assert(
    fc.property(some, some, fc.boolean(), (has, more, keeps) => {
      const whole = { ...ask('a'), ...has } as Ask;
      if (keeps) whole[lasting] = new Lasting(whole, 'line');
      const made = withMore(whole, more as Partial<Ask>);
      expect(made).toEqual({ ...whole, ...more });
      expect(made[lasting]).toBe(whole[lasting]);
      expect(made).not.toBe(whole);
    }),
  );
});
