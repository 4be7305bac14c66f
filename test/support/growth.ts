/**
 * How the cost of a function grows with the size of its input. Compares measurements of one run with each other, in processor time of
 * this process: neither a slow machine nor a busy one changes the result.
 */

/** The larger input, as a multiple of the smaller one. */
const factor = 16;
/** A cost below this, in ms, is mostly noise. */
const leastCost = 0.1;

/** The least processor time of several calls, in ms. What a call returns is awaited. */
async function costOf(work: () => unknown): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 5; i += 1) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1e3);
  }
  return least;
}

/**
 * The cost of an input 16 times as large, as a multiple of the cost of an input of this size: about 16 where it grows linearly, about 256
 * where it grows with the square. Choose a size at which a square would already dominate.
 */
export async function growth(work: (size: number) => unknown, size: number): Promise<number> {
  const small = await costOf(() => work(size));
  const large = await costOf(() => work(factor * size));
  return large / Math.max(small, leastCost);
}

/** Between linear and quadratic growth, with room for noise. */
export const linear = 80;
