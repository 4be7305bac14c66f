import { expect, test } from 'vitest';
import { agentError, inTurn } from '../../support/agents.js';

const asked = (context: Record<string, unknown>) => inTurn((self) => self.asks('Which order?', { context }));

// Which values are refused, and how deep they may be: test/unit/core/values.test.ts.
test('a function in the context is refused with its path, and nothing is stored or sent', async () => {
  const { error, open, saw } = await asked({ a: { f: () => 1 } });
  expect(agentError(error)).toMatchObject({ code: 'bad-data', message: expect.stringContaining('context.a.f ') });
  expect([open, saw]).toEqual([[], []]);
});

test('a context of 64 KiB is stored, one byte more is refused with both numbers', async () => {
  const bytes = 65_536 - JSON.stringify({ a: '' }).length;
  expect((await asked({ a: 'x'.repeat(bytes) })).open).toHaveLength(1);
  const { error, open, saw } = await asked({ a: 'x'.repeat(bytes + 1) });
  expect(agentError(error)).toMatchObject({
    code: 'bad-data',
    message: expect.stringMatching(/context.*65537.*65536/),
  });
  expect([open, saw]).toEqual([[], []]);
});

test('a key __proto__ is kept as plain data and pollutes nothing', async () => {
  const context = JSON.parse('{"__proto__": {"admin": true}, "constructor": {"prototype": {"x": 1}}}') as Record<
    string,
    unknown
  >;
  const { open } = await asked(context);
  const back = open[0]?.context ?? {};
  expect(Object.keys(back).sort()).toEqual(['__proto__', 'constructor']);
  expect(JSON.stringify(back)).toBe(JSON.stringify(context));
  expect(Object.getPrototypeOf(back)).toBe(Object.prototype);
  expect(({} as { admin?: boolean }).admin).toBeUndefined();
});

test('an empty list, 20-digit strings and nested data come back equal', async () => {
  const context = { list: [], deep: [[[{}]]], id: '12345678901234567890', zero: 0, no: false, nil: null, text: '' };
  const { open } = await asked(context);
  expect(open[0]?.context).toStrictEqual(context);
});

test('a context is copied: what the agent changes later is not stored', async () => {
  const context = { a: [1] };
  const { open } = await inTurn(async (self) => {
    await self.asks('Which order?', { context });
    context.a.push(2);
  });
  expect(open[0]?.context).toEqual({ a: [1] });
});

test.each([[['a']], ['text'], [5]])('a context that is no object is refused: %j', async (context) => {
  const { error, open } = await asked(context as unknown as Record<string, unknown>);
  expect(agentError(error)).toMatchObject({ code: 'bad-data', message: expect.stringContaining('context') });
  expect(open).toEqual([]);
});

test('details must be strings: the error names the one that is not', async () => {
  const details = { amount: 5 } as unknown as Record<string, string>;
  const { error, open } = await inTurn((self) => self.asks('Sure?', { details }));
  expect(agentError(error)).toMatchObject({ code: 'bad-data', message: expect.stringContaining('details.amount') });
  expect(open).toEqual([]);
});
