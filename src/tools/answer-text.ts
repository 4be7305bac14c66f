/**
 * What a person answered, in the words that a model reads.
 */

/** One answer as its words, several as JSON. */
export function answerWords(value: unknown, kind: string): string {
  if (kind === 'form') {
    const answers = Object.entries(value as Record<string, unknown>); // as a form's own type gives it
    return JSON.stringify(Object.fromEntries(answers.map(([name, each]) => [name, ownWords(each)])));
  }
  const plain = ownWords(value);
  return typeof plain === 'string' ? plain : JSON.stringify(plain);
}

/** A choice that was answered in one's own words is kept as `{ other }`. */
function ownWords(value: unknown): unknown {
  return (value as { other?: unknown } | null)?.other ?? value;
}
