/**
 * Those who wait, in the order in which they came.
 */
export interface Waiting {
  readonly since: number;
  readonly conversationId: string | undefined;
  readonly letIn: () => void;
  readonly reject: (error: unknown) => void;
  next: Waiting | undefined;
}

export class Line {
  first: Waiting | undefined;
  #last: Waiting | undefined;

  add(waiting: Waiting): void {
    if (this.#last === undefined) this.first = waiting;
    else this.#last.next = waiting;
    this.#last = waiting;
  }

  /** Takes out the first. */
  next(): Waiting | undefined {
    const { first } = this;
    if (first === undefined) return undefined;
    this.first = first.next;
    first.next = undefined; // one that is kept for some reason must not keep all that came after it
    if (this.first === undefined) this.#last = undefined;
    return first;
  }
}

/** A line that knows for which conversations somebody waits. */
export class CountedLine extends Line {
  /** How many wait for each. */
  readonly #of = new Map<string, number>();

  override add(waiting: Waiting): void {
    super.add(waiting);
    const { conversationId } = waiting;
    if (conversationId !== undefined) this.#of.set(conversationId, (this.#of.get(conversationId) ?? 0) + 1);
  }

  override next(): Waiting | undefined {
    const first = super.next();
    if (first?.conversationId === undefined) return first;
    const others = (this.#of.get(first.conversationId) ?? 1) - 1;
    if (others === 0) this.#of.delete(first.conversationId);
    else this.#of.set(first.conversationId, others);
    return first;
  }

  has(conversationId: string): boolean {
    return this.#of.has(conversationId);
  }
}
