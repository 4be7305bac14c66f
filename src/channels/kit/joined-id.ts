/**
 * Ids that are made of several parts, such as that of a sent message: where it is, and what the platform calls it there. It knows no
 * platform, and the parts must not contain the separator.
 */

/** Writes and reads ids of these parts. */
export class JoinedId<Part extends string> {
  readonly #parts: readonly Part[];
  readonly #separator: string;

  constructor(separator: string, parts: readonly Part[]) {
    [this.#separator, this.#parts] = [separator, parts];
  }

  write(values: Readonly<Record<Part, string>>): string {
    return this.#parts.map((part) => values[part]).join(this.#separator);
  }

  /** Undefined for an id that has more or fewer parts, or an empty one. */
  read(id: string): Readonly<Record<Part, string>> | undefined {
    const values = id.split(this.#separator);
    if (values.length !== this.#parts.length || values.includes('')) return undefined;
    return Object.fromEntries(this.#parts.map((part, i) => [part, values[i]])) as Record<Part, string>; // as many as parts
  }
}
