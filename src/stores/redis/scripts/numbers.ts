/**
 * Numbers and short texts for a script in one argument, the head, as Lua reads it; ../args.ts writes it. An argument of its
 * own for each, or a JSON list, would cost the server and the client more than all the rest of a small step.
 */

/** How a number is packed, and in how many bytes. All are little-endian, and no number is negative. */
const packed = { flag: ['B', 1], count: ['I3', 3], number: ['I4', 4], time: ['d', 8] } as const;

/** The numbers of a head, by name and in their order. */
export class Numbers {
  readonly names: readonly string[];
  readonly widths: readonly number[];
  /** As `struct` reads them. */
  readonly layout: string;

  constructor(numbers: Readonly<Record<string, keyof typeof packed>>) {
    const kinds = Object.values(numbers).map((kind) => packed[kind]);
    this.names = Object.keys(numbers);
    this.widths = kinds.map(([, width]) => width);
    this.layout = kinds.map(([layout]) => layout).join('');
  }
}

/** What stands before the numbers: how many arguments the step has. */
export const lead = packed.count[1];

/** Lua text that sets variables to the short texts that come next. */
export const texts = (...names: readonly string[]): string => `
${names.join(', ')}, at = struct.unpack('<${'I4c0'.repeat(names.length)}', head, at)
`;

/**
 * Lua text that begins to read a step whose head is at `first`: sets its numbers and first short texts, `last`, which is
 * its last argument, and `at`, where further texts begin. `first` is then that of the next step.
 */
export const reading = ({ names, layout }: Numbers, ...short: readonly string[]): string => `
local head = ARGV[first]
local last, ${[...names, ...short, 'at'].join(', ')} =
  struct.unpack('<${packed.count[0]}${layout}${'I4c0'.repeat(short.length)}', head)
last = first - 1 + last
first = last + 1
`;
