/** The table-driven checker: what it accepts, what it makes of it, and how it tells a mistake. */
import { describe, expect, expectTypeOf, test } from 'vitest';
import {
  boolean,
  checkOptions,
  dictionary,
  func,
  having,
  integer,
  list,
  longestTimer,
  matching,
  milliseconds,
  nonEmpty,
  type OptionRule,
  object,
  oneOf,
  optional,
} from '../../../src/core/check-options.js';
import { checkedSettings, defaultSettings } from '../../../src/core/settings.js';

const rules = {
  name: nonEmpty(),
  retries: optional(integer({ min: 0 }), 2),
  pause: optional(milliseconds({ max: longestTimer })),
  mode: optional(oneOf('fast', 'slow')),
};
const check = (options: unknown) => checkOptions('make()', options, rules, "{ name: 'x' }");

test('defaults are filled in, and what was not given is absent', () => {
  const checked = check({ name: 'a', pause: undefined });
  expect(checked).toEqual({ name: 'a', retries: 2 });
  expect(Object.keys(checked)).toEqual(['name', 'retries']);
});

test('the result is typed by its rules', () => {
  expectTypeOf(check({ name: 'a' })).toExtend<{
    readonly name: string;
    readonly retries: number;
    readonly pause?: number;
    readonly mode?: 'fast' | 'slow';
  }>();
});

test('options may be an object of any making, and are read once', () => {
  let reads = 0;
  class Given {
    get name(): string {
      reads += 1;
      return 'a';
    }
  }
  expect(check(new Given()).name).toBe('a');
  expect(reads).toBe(1);
  expect(check(Object.assign(Object.create(null), { name: 'b' })).name).toBe('b');
});

test.each([
  [undefined, "make(): the options must be an object such as { name: 'x' }, got nothing."],
  [null, "make(): the options must be an object such as { name: 'x' }, got null."],
  [['a'], "make(): the options must be an object such as { name: 'x' }, got a list."],
  [/a/, "make(): the options must be an object such as { name: 'x' }, got a RegExp."],
  [{}, 'make(): name must be a non-empty string, got nothing.'],
  [{ name: '' }, 'make(): name must be a non-empty string, got an empty string.'],
  [{ name: 'a', retries: null }, 'make(): retries must be a whole number of at least 0, got null.'],
  [{ name: 'a', retries: 1.5 }, 'make(): retries must be a whole number of at least 0, got 1.5.'],
  [{ name: 'a', pause: 0 }, 'make(): pause must be a number of milliseconds above 0 and at most 2147483647, got 0.'],
  [
    { name: 'a', pause: 2 ** 31 },
    'make(): pause must be a number of milliseconds above 0 and at most 2147483647, got 2147483648.',
  ],
  [{ name: 'a', mode: 'quick' }, `make(): mode must be 'fast' or 'slow', got "quick".`],
])('a mistake is told with name, expected and got: %j', (options, message) => {
  expect(() => check(options)).toThrow(expect.objectContaining({ code: 'bad-option', message }));
});

describe('an unknown name', () => {
  const known = 'Known are name, retries, pause, mode.';

  test.each([
    ['retrys', `make(): the option retrys is unknown. Did you mean retries? ${known}`],
    ['Mode', `make(): the option Mode is unknown. Did you mean mode? ${known}`],
    ['timeout', `make(): the option timeout is unknown. ${known}`],
    ['constructor', `make(): the option constructor is unknown. ${known}`],
  ])('%s is told, with the known name it may have meant', (name, message) => {
    expect(() => check({ name: 'a', [name]: 1 })).toThrow(expect.objectContaining({ message }));
  });

  test('is no mistake while it has no value', () => {
    expect(check({ name: 'a', timeout: undefined })).toEqual({ name: 'a', retries: 2 });
  });
});

describe('one rule within another', () => {
  const told = (rule: OptionRule<unknown>, value: unknown) => () => rule(value, 'make(): it');

  test.each([
    [list(nonEmpty()), 'a', 'make(): it must be a list, got "a". Put it in [ ].'],
    [list(nonEmpty()), ['a', 5], 'make(): it[1] must be a non-empty string, got 5.'],
    [
      list(nonEmpty(), { least: 1, expected: 'a list of names' }),
      [],
      'make(): it must be a list of names, got an empty list.',
    ],
    [list(nonEmpty(), { most: 1 }), ['a', 'b'], 'make(): it has 2 items, at most 1 are taken. Name fewer.'],
    [matching('a long key', (key) => key.length > 3), 'abc', 'make(): it must be a long key, got "abc".'],
    [
      matching('a long key', (key) => key.length > 3, { isSecret: true }),
      'abc',
      'make(): it must be a long key, got a string.',
    ],
    [object({ on: boolean() }, '{ on: true }'), true, 'make(): it must be an object such as { on: true }, got true.'],
    [object({ on: boolean() }, '{ on: true }'), { on: 1 }, 'make(): it.on must be true or false, got 1.'],
    [object({ on: boolean() }, '{ on: true }'), { on: true, off: 1 }, 'make(): it.off is unknown. Known are on.'],
    [dictionary(func(), 'an object of functions by name'), { a: 1 }, 'make(): it.a must be a function, got 1.'],
    [
      dictionary(func(), 'an object of functions by name'),
      [],
      'make(): it must be an object of functions by name, got an empty list.',
    ],
    [having<Console>('a logger', 'warn'), {}, 'make(): it must be a logger with the method warn, got an object.'],
    [having<Console>('a logger', 'warn'), null, 'make(): it must be a logger with the method warn, got null.'],
  ])('is told by its whole name (%#)', (rule, value, message) => {
    expect(told(rule as OptionRule<unknown>, value)).toThrow(expect.objectContaining({ message }));
  });

  test('lists and dictionaries are copies: what their giver does with them later changes nothing', () => {
    const [names, byName] = [['a'], { a: 'x' }];
    const copied = list(nonEmpty())(names, 'it');
    const copiedByName = dictionary(nonEmpty(), 'texts')(byName, 'it');
    names.push('b');
    byName.a = 'y';
    expect([copied, copiedByName]).toEqual([['a'], { a: 'x' }]);
  });
});

describe('settings', () => {
  test('each has its default', () => {
    expect(checkedSettings()).toEqual(defaultSettings);
    expect(checkedSettings({ turns: 3 })).toEqual({ ...defaultSettings, turns: 3 });
  });

  test.each(['renewal', 'sweep', 'turnLimit', 'grace', 'sendLimit', 'markDelay', 'judgeLimit', 'callTimeout'])(
    '%s becomes a timer, so it is no longer than one can be: Node would fire it at once',
    (name) => {
      expect(() => checkedSettings({ [name]: 2 ** 31 })).toThrow(
        new RegExp(`settings\\.${name} must be a whole number of milliseconds from 1 to \\d+, got 2147483648`),
      );
    },
  );

  test.each([
    ['maxAttempt', /^settings\.maxAttempt is unknown\. Did you mean maxAttempts\? Known are lease, /],
    ['calltimeout', /Did you mean callTimeout\?/],
    ['sendlimt', /Did you mean sendLimit\?/],
    ['patience', /^settings\.patience is unknown\. Known are lease, .*callTimeout, transcript\.$/],
  ])('an unknown name (%s) is refused with the near one and all there are', (name, message) => {
    expect(() => checkedSettings({ [name]: 1 })).toThrow(message);
  });

  test('what is only stored may be longer', () => {
    expect(checkedSettings({ retention: 2 ** 40 }).retention).toBe(2 ** 40);
  });
});
