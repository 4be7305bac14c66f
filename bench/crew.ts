/** A contender as the bench sees it: a process to start, to let run, and to end. */
import { fileURLToPath } from 'node:url';
import { type NodeProcess, spawnNode } from '../test/support/processes.js';

const script = fileURLToPath(new URL('contenders/runner.mjs', import.meta.url));

/** What one contender did in one go. Times in ms, cpu in µs of its own process for each pair. */
export interface Measured {
  readonly pairs: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly cpu: number;
}

/** It cannot take part, and why. */
export class Absent extends Error {}

export class Contender {
  readonly version: string;
  readonly #process: NodeProcess;
  #calls = 0;

  private constructor(process: NodeProcess, version: string) {
    this.#process = process;
    this.version = version;
  }

  /** Opens a module of contenders/ in a process of its own. Throws Absent if it cannot take part here. */
  static async open(module: string, config: object): Promise<Contender> {
    const url = new URL(`contenders/${module}.mjs`, import.meta.url).href;
    const child = spawnNode(script, [JSON.stringify({ module: url, config })]);
    const told = await child
      .next<{ ready?: true; version?: string; failed?: string }>(() => true, 60_000)
      .catch((error: unknown) => ({ failed: String(error), version: undefined }));
    if (told.failed !== undefined) {
      child.kill();
      throw new Absent(told.failed);
    }
    return new Contender(child, told.version ?? '');
  }

  run(lanes: number, ms: number): Promise<Measured> {
    return this.#ask({ lanes, ms }, ms + 120_000);
  }

  call<T>(name: string, ...args: readonly unknown[]): Promise<T> {
    return this.#ask({ call: name, args }, 1_800_000);
  }

  async end(): Promise<void> {
    this.#process.kill();
    await this.#process.exited;
  }

  async #ask<T>(what: object, patience: number): Promise<T> {
    const n = ++this.#calls;
    this.#process.send({ n, ...what });
    const fits = (each: { n: number }) => each.n === n;
    const answer = await this.#process.next<{ n: number; result: T; error?: string }>(fits, patience);
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer.result;
  }
}
