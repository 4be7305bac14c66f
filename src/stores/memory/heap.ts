/**
 * A binary heap whose members know their place, so that one can be moved or taken out without a search.
 * It orders by a number and never looks at what its members mean.
 */

/** What a heap needs of a member: room for its place, in one heap at a time. */
export interface Placed {
  /** The index in the heap; -1 while it is in none. */
  slot: number;
}

export class Heap<T extends Placed> {
  private readonly members: T[] = [];
  /** When each of them is due: a number in a list of numbers takes 8 bytes, one in a member is an object of its own. */
  private readonly times: number[] = [];

  get size(): number {
    return this.members.length;
  }

  first(): T | undefined {
    return this.members[0];
  }

  /** The number the first has; Infinity if there is none. */
  firstAt(): number {
    return this.times[0] ?? Number.POSITIVE_INFINITY;
  }

  /** Puts the member in at `at`, or moves it there. */
  set(member: T, at: number): void {
    if (member.slot < 0) {
      member.slot = this.members.length;
      this.members.push(member);
      this.times.push(at);
      this.rise(member, at);
    } else if (at < (this.times[member.slot] as number)) this.rise(member, at);
    else this.sink(member, at);
  }

  /** Takes the member out; does nothing if it is not in. */
  remove(member: T): void {
    if (member.slot < 0) return;
    const last = this.members.pop() as T;
    const at = this.times.pop() as number;
    if (last !== member) {
      last.slot = member.slot;
      this.rise(last, at);
      this.sink(last, at);
    }
    member.slot = -1;
  }

  /** The members at or before `at`, earliest first, at most `limit`. They stay where they are. */
  upTo(at: number, limit: number): T[] {
    const found: T[] = [];
    const times: number[] = [];
    while (found.length < limit && this.firstAt() <= at) {
      const member = this.members[0] as T;
      times.push(this.firstAt());
      found.push(member);
      this.remove(member);
    }
    for (const [i, member] of found.entries()) this.set(member, times[i] as number);
    return found;
  }

  private rise(member: T, at: number): void {
    let { slot } = member;
    while (slot > 0) {
      const parent = (slot - 1) >> 1;
      if ((this.times[parent] as number) <= at) break;
      this.put(this.members[parent] as T, this.times[parent] as number, slot);
      slot = parent;
    }
    this.put(member, at, slot);
  }

  private sink(member: T, at: number): void {
    const { length } = this.times;
    let { slot } = member;
    for (;;) {
      let child = 2 * slot + 1;
      if (child >= length) break;
      if (child + 1 < length && (this.times[child + 1] as number) < (this.times[child] as number)) child += 1;
      if ((this.times[child] as number) >= at) break;
      this.put(this.members[child] as T, this.times[child] as number, slot);
      slot = child;
    }
    this.put(member, at, slot);
  }

  private put(member: T, at: number, slot: number): void {
    member.slot = slot;
    this.members[slot] = member;
    this.times[slot] = at;
  }
}
