/**
 * Steps of many conversations in one call: what is asked of the same script within a tick goes to Redis together. A call
 * of its own for each would cost the client, and the server too, more than many a step itself.
 */
import type { Runner } from './runner.js';

/** So many steps do not wait for the end of the tick: Redis would have nothing to do meanwhile, and then all at once. */
const enough = 24;

interface Step {
  readonly read: (answer: unknown) => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

interface Batch {
  readonly script: string;
  readonly keys: string[];
  readonly args: string[];
  readonly steps: Step[];
}

export class Together {
  private readonly runner: Runner;
  private readonly most: number;
  private batches: Batch[] = [];
  private waiting = 0;

  /** `apart`: a Cluster, where a call may only touch one slot. */
  constructor(runner: Runner, apart: boolean) {
    this.runner = runner;
    this.most = apart ? 1 : enough;
  }

  /**
   * Runs a script, which must be made for many, for one conversation; `read` makes of its answer what the caller wants.
   * Steps asked for in one tick may run in any order.
   */
  step<T>(script: string, key: string, args: readonly string[], read: (answer: unknown) => T | Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const { keys, args: all, steps } = this.batch(script);
      keys.push(key);
      for (const arg of args) all.push(arg);
      steps.push({ read, resolve: resolve as Step['resolve'], reject });
      this.waiting += 1;
      if (this.waiting >= this.most) this.flush();
      else if (this.waiting === 1) process.nextTick(() => this.flush());
    });
  }

  private batch(script: string): Batch {
    for (const batch of this.batches) if (batch.script === script) return batch;
    const made = { script, keys: [], args: [], steps: [] };
    this.batches.push(made);
    return made;
  }

  private flush(): void {
    const { batches } = this;
    this.batches = [];
    this.waiting = 0;
    for (const batch of batches) this.send(batch);
    if (batches.length > 0) this.runner.flush();
  }

  private send({ script, keys, args, steps }: Batch): void {
    const told = (answers: unknown) => {
      for (let i = 0; i < steps.length; i += 1) this.tell(steps[i] as Step, (answers as unknown[])[i]);
    };
    const failed = (error: unknown) => {
      for (const { reject } of steps) reject(error);
    };
    this.runner.run(script, keys, args, told).catch(failed);
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
