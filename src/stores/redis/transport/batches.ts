/**
 * Calls for the steps of many conversations: while a call is under way, steps of one tick leave together. A call of its own
 * for each would cost client and server more than the step itself. With nothing under way Redis has nothing to do, and a
 * step leaves at once. A call runs its steps in the order in which they were added. It knows no step.
 */
import { nextTick } from 'node:process';
import type { BusyPoll } from '../../../machine/busy-poll.js';
import { StepText } from '../plan.js';
import type { Runner } from './runner.js';

/**
 * How many steps do not wait for the end of the tick, as a share of those under way: with more, Redis would run out of work
 * and then have all of it at once; with fewer, both sides would change from one kind of work to another all the time, which
 * costs more than the work of some steps. And the least and the most there may be of them.
 */
const share = 2 / 3;
const least = 16;
const most = 48;

/** Waits for the answer to a step. */
export interface Asker {
  /** Takes what the script returned for the step; or an error, which the client told of the whole call. Does not throw. */
  answered(answer: unknown): void;
}

/** A call that is being put together. */
export class Batch {
  readonly script: string;
  readonly group: string;
  readonly keys: string[] = [];
  readonly args: string[] = [];
  readonly askers: Asker[] = [];
  readonly text: StepText;
  /** The latest time that a step was computed for, and until when all of them are good enough. */
  latest = 0;
  until = Number.MAX_SAFE_INTEGER;

  constructor(script: string, group: string, hasKeys: boolean, clientPrefix: string) {
    this.text = new StepText(this.keys, hasKeys, clientPrefix);
    this.script = script;
    this.group = group;
  }
}

export class StepBatches {
  private readonly isGrouped: boolean;
  private readonly runner: Runner;
  private readonly busyPoll: BusyPoll;
  private readonly open = new Map<string, Batch>();
  private waiting = 0;
  /** Steps without an answer so far. */
  private underWay = 0;
  private isGathering = false;
  private isScheduled = false;

  /** `isGrouped`: a call may be about one bucket only. */
  constructor(runner: Runner, busyPoll: BusyPoll, isGrouped: boolean) {
    this.isGrouped = isGrouped;
    this.runner = runner;
    this.busyPoll = busyPoll;
  }

  /** The call that the next step of a group joins. A group has one at a time: for another script the one before leaves. */
  batch(script: string, bucket: string): Batch {
    const group = this.isGrouped ? bucket : '';
    const open = this.open.get(group);
    if (open?.script === script) return open;
    if (open !== undefined && open.askers.length > 0) this.send(open);
    const batch = new Batch(script, group, this.isGrouped, this.runner.clientPrefix);
    this.open.set(group, batch);
    return batch;
  }

  /** A step whose arguments were packed. */
  add(batch: Batch, asker: Asker): void {
    batch.askers.push(asker);
    this.waiting += 1;
    if (!this.isGathering) this.leave();
  }

  /** What is added by `work` leaves together. */
  gather(work: () => void): void {
    const isOuter = !this.isGathering;
    this.isGathering = true;
    try {
      work();
    } finally {
      if (isOuter) {
        this.isGathering = false;
        this.leave();
      }
    }
  }

  private leave(): void {
    if (this.waiting === 0) return;
    if (this.isEnough()) this.flush();
    else if (!this.isScheduled) {
      this.isScheduled = true;
      nextTick(() => {
        this.isScheduled = false;
        this.flush();
      });
    }
  }

  private isEnough(): boolean {
    return this.underWay === 0 || this.waiting >= Math.min(most, Math.max(least, share * this.underWay));
  }

  private flush(): void {
    for (const batch of [...this.open.values()]) if (batch.askers.length > 0) this.send(batch);
    this.runner.flush();
  }

  private send(batch: Batch): void {
    const { script, group, askers, keys, args } = batch;
    this.open.delete(group);
    this.waiting -= askers.length;
    this.underWay += askers.length;
    this.busyPoll.sent();
    const ended = (answers: readonly unknown[], error?: unknown): void => {
      this.underWay -= askers.length;
      this.busyPoll.answered();
      this.gather(() => {
        for (const [i, asker] of askers.entries()) asker.answered(error ?? answers[i]);
      });
    };
    this.runner.call(
      script,
      keys,
      [String(batch.latest), String(batch.until), ...args],
      (answers) => ended(Array.isArray(answers) ? answers : []),
      (error: unknown) => ended([], error ?? new Error('Redis gave no answer to a step')),
    );
  }
}
