/**
 * Many texts in one, each with its length before it: what is kept for days is one object, and not one for each.
 * It never looks into the texts; they may contain anything.
 */

/** A text as it stands among others: put one behind the other. */
export function packed(text: string): string {
  return `${text.length}:${text}`;
}

/** The texts that were put behind each other. */
export function unpacked(all: string): string[] {
  const texts: string[] = [];
  for (let at = 0; at < all.length; ) {
    const start = all.indexOf(':', at) + 1;
    const end = start + Number(all.slice(at, start - 1));
    texts.push(all.slice(start, end));
    at = end;
  }
  return texts;
}
