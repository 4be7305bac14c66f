/**
 * A binary heap whose members know their place, so that one can be moved or taken out without a search.
 * It orders by a number and never looks at what its members mean.
 */

/** What a heap needs of a member: room for its place, in one heap at a time. */
export interface Placed {
  at: number;
  /** The index in the heap; -1 while it is in none. */
  slot: number;
}

export class Heap<T extends Placed> {
  private readonly members: T[] = [];

  get size(): number {
    return this.members.length;
  }

  first(): T | undefined {
    return this.members[0];
  }

  /** Puts the member in at `at`, or moves it there. */
  set(member: T, at: number): void {
    const before = member.at;
    member.at = at;
    if (member.slot < 0) {
      member.slot = this.members.length;
      this.members.push(member);
      this.rise(member);
    } else if (at < before) this.rise(member);
    else if (at > before) this.sink(member);
  }

  /** Takes the member out; does nothing if it is not in. */
  remove(member: T): void {
    if (member.slot < 0) return;
    const last = this.members.pop() as T;
    if (last !== member) {
      last.slot = member.slot;
      this.members[last.slot] = last;
      this.rise(last);
      this.sink(last);
    }
    member.slot = -1;
  }

  /** The members at or before `at`, earliest first, at most `limit`. They stay where they are. */
  upTo(at: number, limit: number): T[] {
    const found: T[] = [];
    while (found.length < limit) {
      const member = this.members[0];
      if (member === undefined || member.at > at) break;
      this.remove(member);
      found.push(member);
    }
    for (const member of found) this.set(member, member.at);
    return found;
  }

  private rise(member: T): void {
    while (member.slot > 0) {
      const parent = this.members[(member.slot - 1) >> 1] as T;
      if (parent.at <= member.at) return;
      this.swap(parent, member);
    }
  }

  private sink(member: T): void {
    for (;;) {
      const left = this.members[2 * member.slot + 1];
      if (left === undefined) return;
      const right = this.members[2 * member.slot + 2];
      const child = right !== undefined && right.at < left.at ? right : left;
      if (child.at >= member.at) return;
      this.swap(member, child);
    }
  }

  private swap(upper: T, lower: T): void {
    const slot = upper.slot;
    upper.slot = lower.slot;
    lower.slot = slot;
    this.members[upper.slot] = upper;
    this.members[lower.slot] = lower;
  }
}
