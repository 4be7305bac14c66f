/**
 * Steps of many conversations in one call: while another call is under way, what is asked of the same script within a tick
 * goes to Redis together. A call of its own for each would cost the client, and the server too, more than many a step
 * itself. With nothing under way Redis has nothing to do, and a step leaves at once.
 */
import { nextTick } from 'node:process';
import type { BusyPoll } from '../../machine/busy-poll.js';
import { Args } from './transport/args.js';
import type { Runner } from './transport/runner.js';

/**
 * How many steps do not wait for the end of the tick, as a share of those under way: with more, Redis would run out of work
 * and then have all of it at once; with fewer, both sides would change from one kind of work to another all the time, which
 * costs more than the work of some steps. And the least and the most there may be of them.
 */
const share = 2 / 3;
const least = 16;
const most = 48;

class Step {
  readonly read: (answer: unknown) => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;

  constructor(read: Step['read'], resolve: Step['resolve'], reject: Step['reject']) {
    this.read = read;
    this.resolve = resolve;
    this.reject = reject;
  }
}

/** The steps that wait to be sent. */
class Batch {
  readonly script: string;
  readonly keys = new Args();
  readonly args = new Args();
  steps: Step[] = [];

  constructor(script: string) {
    this.script = script;
  }
}

export class Together {
  private readonly runner: Runner;
  private readonly apart: boolean;
  /** One for each script, again and again. */
  private readonly batches: Batch[] = [];
  private waiting = 0;
  /** Steps without an answer so far. */
  private underWay = 0;
  private readonly awake: BusyPoll;

  /** `apart`: a Cluster, where a call may only touch one slot. */
  constructor(runner: Runner, apart: boolean, awake: BusyPoll) {
    this.runner = runner;
    this.apart = apart;
    this.awake = awake;
  }

  /**
   * Runs a script, which must be made for many, for one conversation: `write` writes a call as its arguments, `read` makes
   * of its answer what the caller wants. Steps asked for in one tick may run in any order. Once written, the call is not
   * kept: what is alive while a step is under way costs every garbage collection.
   */
  step<C, T>(
    script: string,
    key: string,
    call: C,
    write: (to: Args, call: C) => void,
    read: (answer: unknown) => T | Promise<T>,
  ): Promise<T> {
    const batch = this.batch(script);
    write(batch.args, call);
    batch.keys.add(key);
    return new Promise<T>((resolve, reject) => {
      batch.steps.push(new Step(read, resolve as Step['resolve'], reject));
      this.waiting += 1;
      if (this.isEnough()) this.flush();
      else if (this.waiting === 1) nextTick(() => this.flush());
    });
  }

  private isEnough(): boolean {
    if (this.apart || this.underWay === 0) return true;
    return this.waiting >= Math.min(most, Math.max(least, share * this.underWay));
  }

  private batch(script: string): Batch {
    for (const batch of this.batches) if (batch.script === script) return batch;
    const made = new Batch(script);
    this.batches.push(made);
    return made;
  }

  private flush(): void {
    if (this.waiting === 0) return;
    this.waiting = 0;
    const all = this.batches.filter(({ steps }) => steps.length > 0);
    if (all.length > 1) this.runner.gather(); // one write for all of them
    for (const batch of all) this.send(batch);
    this.runner.flush();
  }

  private send(batch: Batch): void {
    const { script, keys, args, steps } = batch;
    batch.steps = [];
    this.underWay += steps.length;
    this.awake.sent();
    const ended = () => {
      this.underWay -= steps.length;
      this.awake.answered();
    };
    const told = (answers: unknown) => {
      ended();
      const list: readonly unknown[] = Array.isArray(answers) ? answers : [];
      for (let i = 0; i < steps.length; i += 1) this.tell(steps[i] as Step, list[i]);
    };
    const failed = (error: unknown) => {
      ended();
      for (const { reject } of steps) reject(error);
    };
    try {
      this.runner.call(script, args.call(keys), told, failed);
    } catch (error) {
      failed(error);
    }
  }

  private tell({ read, resolve, reject }: Step, answer: unknown): void {
    if (answer instanceof Error) {
      reject(this.runner.error(answer));
      return;
    }
    try {
      resolve(read(answer));
    } catch (error) {
      reject(error);
    }
  }
}
