/**
 * Those who wait, in the order in which they came.
 */
export type AdmittedWork = () => Promise<unknown>;

export class QueuedCall {
  readonly since: number;
  readonly conversationId: string | undefined;
  readonly work: AdmittedWork;
  readonly #letIn: (work: AdmittedWork | Promise<never>) => void;
  next: QueuedCall | undefined;

  /** `letIn` is told the work, or why it cannot be done: one function, for there may be very many that wait. */
  constructor(
    since: number,
    conversationId: string | undefined,
    work: AdmittedWork,
    letIn: (work: AdmittedWork | Promise<never>) => void,
  ) {
    this.since = since;
    this.conversationId = conversationId;
    this.work = work;
    this.#letIn = letIn;
  }

  letIn(): void {
    this.#letIn(this.work);
  }

  sendAway(reason: unknown): void {
    this.#letIn(Promise.reject(reason));
  }
}

export class Line {
  first: QueuedCall | undefined;
  #last: QueuedCall | undefined;

  add(waiting: QueuedCall): void {
    if (this.#last === undefined) this.first = waiting;
    else this.#last.next = waiting;
    this.#last = waiting;
  }

  /** Takes out the first. */
  next(): QueuedCall | undefined {
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

  override add(waiting: QueuedCall): void {
    super.add(waiting);
    const { conversationId } = waiting;
    if (conversationId !== undefined) this.#of.set(conversationId, (this.#of.get(conversationId) ?? 0) + 1);
  }

  override next(): QueuedCall | undefined {
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
