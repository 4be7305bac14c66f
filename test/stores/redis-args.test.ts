/** Arguments as bytes: what is written is what Redis' own protocol says, whatever the texts are. */
import { describe, expect, test } from 'vitest';
import { lead, Numbers } from '../../src/stores/redis/scripts/numbers.js';
import { Args } from '../../src/stores/redis/transport/args.js';

const texted = (args: Args) => args.call(new Args()).list().map(String);
const framed = (texts: readonly string[]) => texts.map((text) => `$${Buffer.byteLength(text)}\r\n${text}\r\n`).join('');
const sha = '0123456789abcdef0123456789abcdef01234567';
const command = (keys: number, texts: readonly string[]) =>
  `*${3 + texts.length}\r\n${framed(['evalsha', sha, String(keys), ...texts])}`;
const sent = (args: Args, keys = new Args()) => args.call(keys).command(sha).toString();
const nothing = new Numbers({});
const four = (value: number) => String.fromCharCode(value, 0, 0, 0);
const head = (short: readonly string[], long: number) =>
  `${four(1 + long).slice(0, 3)}${short.map((text) => four(Buffer.byteLength(text)) + text).join('')}`;

/** Lengths around those where the length itself gets a digit more, in signs of one, two and three bytes. */
const sizes = [0, 1, 3, 4, 5, 9, 10, 33, 34, 47, 48, 49, 50, 99, 100, 333, 334, 499, 500, 999, 1_000, 3_334, 9_999];
const texts = [...sizes, 10_000, 40_000].flatMap((size) => ['x', 'ä', '€'].map((sign) => sign.repeat(size)));

describe('arguments as bytes', () => {
  test('each has its length before it, also where signs are more than bytes', () => {
    for (const text of texts) {
      const args = new Args();
      args.add(text);
      expect(sent(args)).toBe(command(0, [text]));
    }
  });

  test('many grow behind one another and stay what they were', () => {
    const args = new Args();
    for (const text of texts) args.add(text);
    expect(sent(args)).toBe(command(0, texts));
    for (const text of texts) args.add(text);
    expect(texted(args)).toEqual(texts);
  });

  test('keys stand before arguments, and a call stays what it is while the next is written', () => {
    const [keys, args] = [new Args(), new Args()];
    keys.add('kéy');
    args.add('argument');
    const call = args.call(keys);
    keys.add('another');
    args.add('other arguments');
    args.add('still');
    expect(sent(args, keys)).toBe(command(1, ['another', 'other arguments', 'still']));
    expect(call.command(sha).toString()).toBe(command(1, ['kéy', 'argument']));
    expect(call.list().map(String)).toEqual(['kéy', 'argument']);
    expect(call.keys).toBe(1);
  });

  test('a head has its short texts in it, and long ones behind it', () => {
    const args = new Args();
    const short = ['', 'a', 'ä'.repeat(63), '😀'.repeat(20), 'x'.repeat(127)];
    args.step(nothing, [], short, ['long', '']);
    args.step(nothing, [], [], []);
    expect(texted(args)).toEqual([head(short, 2), 'long', '', head([], 0)]);
  });

  test('steps with signs of one byte and of more follow one another and stay what they were', () => {
    const args = new Args();
    const steps = Array.from({ length: 60 }, (_, i) => {
      const sign = i % 20 === 3 ? 'ä' : i % 20 === 7 ? '😀' : 'x';
      return { short: ['id', sign.repeat(i)], long: [`${sign}\r\n`, 'x'.repeat(20 * i), sign] };
    });
    steps.push({ short: ['x'.repeat(127)], long: ['x'.repeat(128)] }, { short: ['x'.repeat(128)], long: [] });
    for (const { short, long } of steps) args.step(nothing, [], short, long);
    // not read as text: a length of 128 or more is none
    const bytes = (text: string) => Buffer.from(text).toString('latin1');
    const first = (short: readonly string[], long: number) =>
      `${four(1 + long).slice(0, 3)}${short.map((text) => four(Buffer.byteLength(text)) + bytes(text)).join('')}`;
    expect(
      args
        .call(new Args())
        .list()
        .map((each) => each.toString('latin1')),
    ).toEqual(steps.flatMap(({ short, long }) => [first(short, long.length), ...long.map(bytes)]));
  });

  test('a text with half a sign does not move what stands behind it', () => {
    const args = new Args();
    args.step(nothing, [], ['a', 'x\ud800'], ['\udc00', 'long']);
    expect(texted(args)).toEqual([head(['a', 'x\ufffd'], 2), '\ufffd', 'long']);
  });

  test('numbers are whole; what is too large or too small is the nearest there is', () => {
    const args = new Args();
    const kinds = {
      flag: 'flag',
      count: 'count',
      time: 'time',
      late: 'time',
      many: 'count',
      few: 'count',
      part: 'time',
    };
    const values = [3, 300_000, 1_794_764_156_090, Number.POSITIVE_INFINITY, 2 ** 40, -5, 0.2];
    args.step(new Numbers(kinds as ConstructorParameters<typeof Numbers>[0]), values, [], []);
    const bytes = (args.call(new Args()).list()[0] as Buffer).subarray(lead);
    const times = [4, 12, 26].map((at) => bytes.readDoubleLE(at));
    const counts = [1, 20, 23].map((at) => bytes.readUIntLE(at, 3));
    expect(bytes[0]).toBe(3);
    expect(times).toEqual([1_794_764_156_090, 8.64e15, 1]);
    expect(counts).toEqual([300_000, 2 ** 24 - 1, 0]);
    expect(bytes).toHaveLength(34);
  });

  test('what is no text is refused before anything is written', () => {
    const args = new Args();
    args.add('before');
    expect(() => args.step(nothing, [], ['a', undefined as unknown as string], [])).toThrow();
    expect(texted(args)).toEqual(['before']);
  });
});
