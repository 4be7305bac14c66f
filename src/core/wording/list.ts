/**
 * Long lists of words, written with commas so that a language stays readable on one screen.
 */
export function list(words: string): readonly string[] {
  return words.split(',').map((word) => word.trim());
}

/** One list for each place, divided by semicolons: months and ordinals with their forms. */
export function places(words: string): readonly (readonly string[])[] {
  return words.split(';').map(list);
}
