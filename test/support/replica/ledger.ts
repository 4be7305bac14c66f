/** The payment provider of these tests: it honours keys or does not, and is started again when it has died. */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { type NodeProcess, spawnNode } from '../processes.js';
import type { Call } from './world.js';

const script = fileURLToPath(new URL('ledger.mjs', import.meta.url));

export interface LedgerConfig {
  readonly honours: boolean;
}

export class Ledger {
  readonly #config: LedgerConfig;
  readonly #folder: string;
  #port = 0;
  #process: NodeProcess | undefined;
  #ended = false;
  /** How often it has died and come back. */
  deaths = 0;

  private constructor(config: LedgerConfig, folder: string) {
    this.#config = config;
    this.#folder = folder;
  }

  /** For one test: it ends with the test. */
  static async here(config: LedgerConfig): Promise<Ledger> {
    const ledger = new Ledger(config, await mkdtemp(join(tmpdir(), 'askback-ledger-')));
    onTestFinished(() => ledger.#end());
    await ledger.#begin();
    return ledger;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Answers where it is slow, from now on. */
  answers(): void {
    this.#process?.send({ answers: true });
  }

  /** All that was asked of it, as it stands in its book. */
  calls(): readonly Call[] {
    const lines = readFileSync(this.#book, 'utf8').split('\n').filter(Boolean);
    return lines.map((line) => JSON.parse(line) as Call);
  }

  get #book(): string {
    return join(this.#folder, 'book.jsonl');
  }

  async #begin(): Promise<void> {
    const child = spawnNode(script, [JSON.stringify({ ...this.#config, book: this.#book, port: this.#port })]);
    this.#process = child;
    this.#port = (await child.next<{ port: number }>()).port;
    void child.exited.then(() => {
      if (!this.#ended) void this.#begin().then(() => (this.deaths += 1));
    });
  }

  async #end(): Promise<void> {
    this.#ended = true;
    this.#process?.kill();
    await this.#process?.exited;
    await rm(this.#folder, { recursive: true, force: true });
  }
}
