/**
 * Numbers and short texts for a script in one argument, the head, as Lua reads it; ../args.ts writes it. An argument of its
 * own for each, or a JSON list, would cost the server and the client more than all the rest of a small step.
 */

/** A digit is one sign of ASCII: Lua reads it as it is, and a length of one digit is what `struct` reads before a text. */
export const base = 128;

/** How many digits a number has: whole times in ms reach to the year 2109. */
export const widths = { flag: 1, count: 3, number: 6, time: 6 } as const;

/** The numbers of a head, by name and in their order. */
export class Numbers {
  readonly names: readonly string[];
  readonly widths: readonly number[];
  /** All digits together. */
  readonly size: number;

  constructor(numbers: Readonly<Record<string, keyof typeof widths>>) {
    this.names = Object.keys(numbers);
    this.widths = Object.values(numbers).map((kind) => widths[kind]);
    this.size = this.widths.reduce((sum, width) => sum + width, 0);
  }
}

/** Lua text that sets a variable for each number of the head. */
function unpacked({ names, widths }: Numbers): string {
  const numbers = names.map((name, n) => {
    const digits = widths[n] === 1 ? [name] : Array.from({ length: widths[n] as number }, (_, i) => `${name}${i}`);
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

/** What stands before the numbers: whether the short texts are apart, and how many arguments there are. */
export const lead = 1 + widths.count;

/** Lua text that sets `last`: the last argument of the step whose head is the one at `first`. */
export const extent = `
local a, b, c = string.byte(ARGV[first], 2, ${lead})
local last = first - 1 + (a * ${base} + b) * ${base} + c
`;

/** Lua text that begins to read: sets the numbers, `apart`, and `at`, where the short texts begin. */
export function reading(numbers: Numbers): string {
  return `
local ${numbers.names.join(', ')}
local head = ARGV[first]
local apart, at = string.byte(head) == 1, ${numbers.size + lead + 1}
if apart then at = first end
${unpacked(numbers)}`;
}

/** Lua text that sets variables to the short texts that come next. */
export const texts = (...names: readonly string[]): string => `
if apart then
  ${names.join(', ')}, at = ${names.map((_, i) => `ARGV[at + ${i + 1}]`).join(', ')}, at + ${names.length}
else
  ${names.join(', ')}, at = struct.unpack('${'Bc0'.repeat(names.length)}', head, at)
end
`;
