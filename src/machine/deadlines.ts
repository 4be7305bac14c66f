/**
 * Deadlines that are all equally far away, with one timer for all of them. Most are called off long before their time, and a
 * timer for each would cost more than many a thing it watches.
 */
import type { Clock } from './clock.js';

/** So many that are called off may stand in line before they are taken out. */
const few = 64;

export class Deadline {
  readonly at: number;
  readonly #line: Deadlines;
  /** What is called when it has come; undefined once it is over. */
  late: (() => void) | undefined;

  constructor(line: Deadlines, at: number, late: () => void) {
    this.#line = line;
    this.at = at;
    this.late = late;
  }

  /** False if it is over already. */
  callOff(): boolean {
    if (this.late === undefined) return false;
    this.late = undefined;
    this.#line.calledOff();
    return true;
  }
}

export class Deadlines {
  readonly #clock: Clock;
  readonly #ms: number;
  /** In the order of their times. */
  #line: Deadline[] = [];
  #off = 0;
  #isArmed = false;

  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
  }

  /** Calls `late` when the time is over, unless it is called off. */
  set(late: () => void): Deadline {
    const deadline = new Deadline(this, this.#clock.elapsed() + this.#ms, late);
    this.#line.push(deadline);
    if (!this.#isArmed) this.#arm(this.#ms);
    return deadline;
  }

  /** One of them is over before its time. */
  calledOff(): void {
    this.#off += 1;
    if (this.#off < few || this.#off * 2 < this.#line.length) return;
    this.#line = this.#line.filter(({ late }) => late !== undefined);
    this.#off = 0;
  }

  #arm(ms: number): void {
    this.#isArmed = true;
    this.#clock.after(ms, () => {
      this.#isArmed = false;
      this.#look();
    });
  }

  #look(): void {
    const now = this.#clock.elapsed();
    const line = this.#line.filter(({ late }) => late !== undefined);
    const due = line.filter(({ at }) => at <= now);
    this.#line = line.slice(due.length);
    this.#off = 0;
    const next = this.#line[0];
    if (next !== undefined) this.#arm(Math.max(1, Math.ceil(next.at - now)));
    for (const deadline of due) {
      const { late } = deadline;
      deadline.late = undefined;
      late?.();
    }
  }
}
