/**
 * Numbers and short texts for a script in one argument, the head: an argument of its own for each, or a JSON list, would
 * cost the server and the client more than all the rest of a small step.
 */

/** A digit is one sign of ASCII: Lua reads it as it is, and a length of one digit is what `struct` reads before a text. */
const base = 128;

/** How many digits a number has: whole times in ms reach to the year 2109. */
export const widths = { flag: 1, count: 3, number: 6, time: 6 } as const;

export type Layout = Readonly<Record<string, keyof typeof widths>>;
type Values<L extends Layout> = { readonly [name in keyof L]: number };

/** Looked up, not made: this runs several times for every message. */
const signs = Array.from({ length: base }, (_, digit) => String.fromCharCode(digit));
const most = Array.from({ length: 7 }, (_, width) => base ** width - 1);
const low = base ** 3;
/** One text is made of all digits: put together sign by sign it would be as many texts. */
const written = Buffer.alloc(128);

/** Numbers as the digits that the Lua text of `unpacked` takes apart. Too large ones become the largest. */
export function packed<L extends Layout>(layout: L, values: Values<L>): string {
  let at = 0;
  for (const name in layout) {
    const width = widths[layout[name] as keyof typeof widths];
    const value = Math.min(Math.max(0, Math.ceil(values[name])), most[width] as number);
    if (width === 6) three(at, Math.floor(value / low));
    if (width === 1) written[at] = value;
    else three(at + width - 3, width === 6 ? value % low : value);
    at += width;
  }
  return written.toString('latin1', 0, at);
}

function three(at: number, value: number): void {
  written[at] = value >> 14;
  written[at + 1] = (value >> 7) & 127;
  written[at + 2] = value & 127;
}

/** Lua text that sets a variable for each number of the head. */
function unpacked(layout: Layout): string {
  const numbers = Object.entries(layout).map(([name, kind]) => {
    const digits = kind === 'flag' ? [name] : Array.from({ length: widths[kind] }, (_, i) => `${name}${i}`);
    return { name, digits, value: digits.reduce((sum, digit) => `(${sum} * ${base} + ${digit})`) };
  });
  const digits = numbers.flatMap((each) => each.digits);
  const long = numbers.filter((each) => each.digits.length > 1);
  return `
do -- so that digits are forgotten: Lua has room for so many variables only
  local ${long.flatMap((each) => each.digits).join(', ')}
  ${digits.join(', ')} = string.byte(head, ${lead + 1}, ${digits.length + lead})
  ${long.map(({ name, value }) => `${name} = ${value}`).join('\n  ')}
end`;
}

/**
 * The arguments of a call: the head of numbers and short texts, then the long ones, which Lua should not copy twice. If
 * one is not short, all of them stand apart, between the head and the long ones.
 */
export function argsOf(numbers: string, short: readonly string[], long: readonly string[]): string[] {
  let head = '';
  for (const text of short) {
    const size = Buffer.byteLength(text);
    if (size >= base) return [signs[1] + counted(1 + short.length + long.length) + numbers, ...short, ...long];
    head += signs[size] + text;
  }
  return [signs[0] + counted(1 + long.length) + numbers + head, ...long];
}

/** How many arguments a step has, its head included. */
const counted = (args: number): string =>
  (signs[args >> 14] as string) + (signs[(args >> 7) & 127] as string) + (signs[args & 127] as string);

/** What stands before the numbers: whether the short texts are apart, and how many arguments there are. */
export const lead = 1 + widths.count;

/** Lua text that sets `last`: the last argument of the step whose head is the one at `first`. */
export const extent = `
local a, b, c = string.byte(ARGV[first], 2, ${lead})
local last = first - 1 + (a * ${base} + b) * ${base} + c
`;

/** Lua text that begins to read: sets the numbers, `apart`, and `at`, where the short texts begin. */
export function reading(layout: Layout): string {
  const size = Object.values(layout).reduce((sum, kind) => sum + widths[kind], 0);
  return `
local ${Object.keys(layout).join(', ')}
local head = ARGV[first]
local apart, at = string.byte(head) == 1, ${size + lead + 1}
if apart then at = first end
${unpacked(layout)}`;
}

/** Lua text that sets variables to the short texts that come next. */
export const texts = (...names: readonly string[]): string => `
if apart then
  ${names.join(', ')}, at = ${names.map((_, i) => `ARGV[at + ${i + 1}]`).join(', ')}, at + ${names.length}
else
  ${names.join(', ')}, at = struct.unpack('${'Bc0'.repeat(names.length)}', head, at)
end
`;
