import { expect, test } from 'vitest';
import { agentError, inTurn } from '../support/agents.js';

const asked = (context: Record<string, unknown>) => inTurn((self) => self.asks('Which order?', { context }));

function nested(levels: number): Record<string, unknown> {
  let inner: Record<string, unknown> = {};
  for (let i = 1; i < levels; i += 1) inner = { a: inner };
  return inner;
}

const cycle: Record<string, unknown> = { a: {} };
(cycle['a'] as Record<string, unknown>)['b'] = cycle;

class Order {
  id = '12345';
}

const refusals: readonly (readonly [string, Record<string, unknown>, string])[] = [
  ['a function', { a: { f: () => 1 } }, 'context.a.f'],
  ['a BigInt', { a: [1, 2n] }, 'context.a[1]'],
  ['a symbol', { a: Symbol('s') }, 'context.a'],
  ['NaN', { total: Number.NaN }, 'context.total'],
  ['Infinity', { total: Number.POSITIVE_INFINITY }, 'context.total'],
  ['a Date', { at: new Date(0) }, 'context.at'],
  ['a Map', { map: new Map() }, 'context.map'],
  ['a class instance', { order: new Order() }, 'context.order'],
  ['a Buffer', { raw: Buffer.from('x') }, 'context.raw'],
  ['a cycle', cycle, 'context.a.b'],
];
test.each(refusals)(
  '%s in the context is refused with its path, and nothing is stored or sent',
  async (_, context, path) => {
    const { error, open, saw } = await asked(context);
    expect(agentError(error).code).toBe('bad-data');
    expect(agentError(error).message).toContain(`${path} `);
    expect([open, saw]).toEqual([[], []]);
  },
);

test('a context of 100 levels is stored, one of 101 is refused', async () => {
  expect((await asked(nested(100))).open).toMatchObject([{ context: nested(100) }]);
  const { error, open } = await asked(nested(101));
  expect(agentError(error)).toMatchObject({ code: 'bad-data', message: expect.stringMatching(/context\.a\.a.*100/) });
  expect(open).toEqual([]);
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

test('the size of a context is counted in bytes, not characters', async () => {
  const { error } = await asked({ a: 'é'.repeat(40_000) });
  expect(agentError(error).code).toBe('bad-data');
});

test('undefined properties are dropped as JSON does', async () => {
  const { open } = await asked({ a: undefined, b: { c: undefined, d: 1 }, e: [undefined, 1] });
  expect(open[0]?.context).toStrictEqual({ b: { d: 1 }, e: [null, 1] });
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
