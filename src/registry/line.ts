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
  /** How many wait for each conversation. */
  readonly #of = new Map<string, number>();

  add(waiting: Waiting): void {
    if (this.#last === undefined) this.first = waiting;
    else this.#last.next = waiting;
    this.#last = waiting;
    const { conversationId } = waiting;
    if (conversationId !== undefined) this.#of.set(conversationId, (this.#of.get(conversationId) ?? 0) + 1);
  }

  /** Takes out the first. */
  next(): Waiting | undefined {
    const { first } = this;
    if (first === undefined) return undefined;
    this.first = first.next;
    first.next = undefined; // one that is kept for some reason must not keep all that came after it
    if (this.first === undefined) this.#last = undefined;
    const { conversationId } = first;
    if (conversationId === undefined) return first;
    const others = (this.#of.get(conversationId) ?? 1) - 1;
    if (others === 0) this.#of.delete(conversationId);
    else this.#of.set(conversationId, others);
    return first;
  }

  has(conversationId: string): boolean {
    return this.#of.has(conversationId);
  }
}
