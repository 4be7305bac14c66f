/**
 * A few different texts: none, one, or a set of them. Most conversations have one ask and one person, and a text alone is
 * a fraction of a set. It never says what the texts are.
 */
export type Few = string | Set<string> | undefined;

/** The few and one more; a set is made for the second. */
export function withOne(few: Few, text: string): Few {
  if (few === undefined || few === text) return few ?? text;
  return typeof few === 'string' ? new Set([few, text]) : few.add(text);
}

/** What is left of the few. */
export function without(few: Few, text: string): Few {
  if (typeof few !== 'object') return few === text ? undefined : few;
  few.delete(text);
  return few.size === 0 ? undefined : few;
}

export function each(few: Few): Iterable<string> {
  return typeof few === 'string' ? [few] : (few ?? []);
}
