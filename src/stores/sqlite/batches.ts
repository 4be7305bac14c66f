/**
 * Group commit: steps that arrive together share one transaction and one write to the disk. If one of them fails, all of
 * them are done again one by one, so it undoes nothing of the others; none is answered before it is on the disk.
 */
import { type Clock, yieldToEventLoop } from '../../machine/clock.js';
import type { Time } from '../time.js';
import type { Database } from './database.js';
import { isBusy, isFull, storeError } from './errors.js';
import type { FileIdentity } from './file.js';
import { longestLock, waitForLock, withoutLock } from './lock-wait.js';
import { deleteExpired } from './tables.js';

interface BatchedStep {
  readonly work: (db: Database, now: number) => unknown;
  readonly kind: StepKind;
  readonly since: number;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** `take` refuses when the disk is full; `hint` may be lost with the machine; everything else is a `step`. */
export type StepKind = 'take' | 'step' | 'hint';

/** Steps in one transaction: enough to share a disk write, few enough not to block the process for long. */
const mostSteps = 128;

export class Batches {
  readonly db: Database;
  private readonly time: Time;
  private readonly clock: Clock;
  private readonly path: string;
  private readonly identity: FileIdentity;
  private waiting: BatchedStep[] = [];
  private running: Promise<void> | undefined;
  /** True while commits are not synced to the disk: a transaction of hints only may be lost if the machine fails. */
  private light = false;

  constructor(db: Database, time: Time, clock: Clock, path: string, identity: FileIdentity) {
    this.db = db;
    this.time = time;
    this.clock = clock;
    this.path = path;
    this.identity = identity;
  }

  /** Does a writing step; resolves once it is on the disk. */
  write<T>(kind: StepKind, work: (db: Database, now: number) => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const since = this.clock.elapsed();
      this.waiting.push({ work, kind, since, resolve: resolve as (value: unknown) => void, reject });
      this.running ??= this.work();
    });
  }

  /** Reads, without waiting for queued steps. */
  read<T>(work: (db: Database, now: number) => T): Promise<T> {
    return withoutLock(this.clock, this.path, () => this.db.transaction('BEGIN', () => work(this.db, this.now())));
  }

  /** Resolves when no step is queued. */
  async idle(): Promise<void> {
    while (this.running !== undefined) await this.running;
  }

  private async work(): Promise<void> {
    await yieldToEventLoop(); // steps that are called in the same tick join this transaction
    while (this.waiting.length > 0) {
      try {
        this.begin(this.waiting.every(({ kind }) => kind === 'hint'));
      } catch (error) {
        this.refuse(error);
        if (this.waiting.length > 0) await waitForLock(this.clock);
        continue;
      }
      this.perform(this.waiting.splice(0, mostSteps));
      if (this.waiting.length > 0) await yieldToEventLoop();
    }
    this.running = undefined;
  }

  /** If the file is locked, rejects the steps that waited too long. For any other error, rejects all. */
  private refuse(error: unknown): void {
    if (!isBusy(error)) this.db.rollback(); // in case the last transaction was left open
    const over = this.clock.elapsed() - longestLock;
    const [refused, left] = [[] as BatchedStep[], [] as BatchedStep[]];
    for (const step of this.waiting) (isBusy(error) && step.since > over ? left : refused).push(step);
    this.waiting = left;
    for (const step of refused) this.fail(step, error);
  }

  private begin(light: boolean): void {
    this.identity.check();
    if (light !== this.light) this.db.exec(`PRAGMA synchronous = ${light ? 'NORMAL' : 'FULL'}`);
    this.light = light;
    this.db.exec('BEGIN IMMEDIATE');
  }

  private perform(steps: readonly BatchedStep[]): void {
    const answers: (() => void)[] = [];
    try {
      const now = this.now();
      for (const { work, resolve } of steps) {
        const value = work(this.db, now);
        answers.push(() => resolve(value));
      }
      deleteExpired(this.db, now, 2 * steps.length);
      this.db.run('UPDATE askback SET last = ? WHERE last < ?', now, now);
      this.db.exec('COMMIT');
    } catch (error) {
      this.db.rollback();
      if (isFull(error)) this.db.tidy();
      const [only] = steps;
      // the transaction was rolled back: each step runs in one of its own, so that only a step that fails is rejected
      if (steps.length > 1) for (const step of steps) this.retry(step);
      else if (only !== undefined) this.fail(only, error);
      return;
    }
    for (const answer of answers) answer();
  }

  private retry(step: BatchedStep): void {
    try {
      this.begin(false);
    } catch (error) {
      this.fail(step, error);
      return;
    }
    this.perform([step]);
  }

  private fail(step: BatchedStep, error: unknown): void {
    step.reject(storeError(error, this.path, step.kind === 'take'));
  }

  private now(): number {
    return this.time.now(this.db.get<{ last: number }>('SELECT last FROM askback')?.last ?? 0);
  }
}
