/**
 * The stamp that a record begins with: unique to each write, so that a write which Redis lost is never taken for another.
 */
import { Buffer } from 'node:buffer';
import { randomId } from '../../machine/clock.js';

/** Counts of six characters each. */
const firstStamp = 36 ** 5;
const lastStamp = 36 ** 6 - 1;

/** Stamps that no two writes of any process share: random for the process, then counted. */
export class Stamps {
  private maker = '';
  private count = 0;

  next(): string {
    if (this.maker === '' || this.count >= lastStamp) {
      this.maker = Buffer.from(randomId().replaceAll('-', ''), 'hex').toString('base64url').slice(0, 10);
      this.count = firstStamp;
    }
    this.count += 1;
    return this.maker + this.count.toString(36);
  }

  /** From 0 to 1. */
  random(): number {
    return Number.parseInt(randomId().slice(0, 8), 16) / 2 ** 32;
  }
}
