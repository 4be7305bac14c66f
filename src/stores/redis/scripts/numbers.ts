/**
 * Numbers for a script in one argument, each in so many signs: an argument of its own, or a JSON list, would cost the
 * server more than all the rest of a small step.
 */

const base = 90;
/** The sign of zero, '$'. None of the signs means anything to the protocol. */
const zero = 36;

/** How many signs a number has: whole times in ms reach to the year 3400. */
export const widths = { flag: 1, count: 3, revision: 5, time: 7 } as const;

export type Layout = Readonly<Record<string, keyof typeof widths>>;

/** Looked up, not made: this runs several times for every message. */
const signs = Array.from({ length: base }, (_, digit) => String.fromCharCode(zero + digit));
const most = Array.from({ length: 8 }, (_, width) => base ** width - 1);

/** Numbers as the argument that the Lua text of `unpacked` takes apart. Too large ones become the largest. */
export function packed<L extends Layout>(layout: L, values: { readonly [name in keyof L]: number }): string {
  let text = '';
  for (const name in layout) {
    const width = widths[layout[name] as keyof typeof widths];
    let rest = Math.min(Math.max(0, Math.ceil(values[name])), most[width] as number);
    let digits = '';
    for (let i = 0; i < width; i += 1) {
      const next = Math.floor(rest / base);
      digits = signs[rest - next * base] + digits;
      rest = next;
    }
    text += digits;
  }
  return text;
}

/** Lua text that sets a local variable for each number of the argument. */
export function unpacked(layout: Layout, argument: string): string {
  const signs: string[] = [];
  const lines = Object.entries(layout).map(([name, kind]) => {
    const own = Array.from({ length: widths[kind] }, (_, i) => `${name}${i}`);
    signs.push(...own);
    const offset = own.reduce((sum) => sum * base + zero, 0);
    const value = own.slice(1).reduce((sum, sign) => `(${sum} * ${base} + ${sign})`, own[0] as string);
    return `${name} = ${value} - ${offset}`;
  });
  return `
local ${Object.keys(layout).join(', ')}
do -- so that the signs do not count: Lua has room for so many variables only
  local ${signs.join(', ')} = string.byte(${argument}, 1, ${signs.length})
  ${lines.join('\n  ')}
end`;
}
