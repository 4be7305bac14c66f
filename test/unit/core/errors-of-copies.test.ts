/** What tells an error of the library, where two copies of it are installed. */
import { expect, test } from 'vitest';
import { AgentError } from '../../../src/index.js';

test('an AgentError of another copy of the package is one, and a subclass is told apart', async () => {
  const copy = new URL('../../../src/core/errors.ts?copy', import.meta.url).href;
  const other: { AgentError: typeof AgentError } = await import(/* @vite-ignore */ copy);
  expect(other.AgentError).not.toBe(AgentError);
  expect(new other.AgentError('no-turn', 'x')).toBeInstanceOf(AgentError);

  class Own extends AgentError {}
  expect(new Own('no-turn', 'x')).toBeInstanceOf(AgentError);
  expect(new Own('no-turn', 'x')).toBeInstanceOf(Own);
  expect(new AgentError('no-turn', 'x')).not.toBeInstanceOf(Own);
  for (const value of [new Error('x'), null, 'x', undefined, { code: 'no-turn' }])
    expect(value).not.toBeInstanceOf(AgentError);
});
