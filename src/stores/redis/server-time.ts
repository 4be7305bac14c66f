/**
 * An estimate of the server's time, from the times that its answers told. It is late by about a round trip, and never early
 * by more than the machines' clocks drift within a few seconds.
 */
import type { Clock } from '../../machine/clock.js';

/** How long the best offset counts, in ms: after that, a newer one may be smaller. */
const period = 2_000;

export class ServerTime {
  private readonly clock: Clock;
  /** The server's time less ours: the largest of the last period and of this one. */
  private offset = Number.NEGATIVE_INFINITY;
  private nextOffset = Number.NEGATIVE_INFINITY;
  private since = 0;
  private latest = 0;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  get isKnown(): boolean {
    return this.latest > 0;
  }

  /** An answer told this time. */
  hear(time: number): void {
    const elapsed = this.clock.elapsed();
    const offset = time - elapsed;
    this.latest = Math.max(this.latest, time);
    this.nextOffset = Math.max(this.nextOffset, offset);
    this.offset = Math.max(this.offset, offset);
    if (elapsed - this.since <= period) return;
    this.since = elapsed;
    this.offset = this.nextOffset;
    this.nextOffset = offset;
  }

  /** An answer told a time before what we had estimated: another server, or its clock was set. */
  correct(time: number): void {
    this.offset = this.nextOffset = time - this.clock.elapsed();
    this.latest = time;
  }

  now(): number {
    return Math.max(this.latest, Math.floor(this.offset + this.clock.elapsed()));
  }
}
