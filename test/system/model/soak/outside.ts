/**
 * The processes of the soak run as seen from it: the world outside with its ledger, and replicas that come and go.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { IncomingMessage } from '../../../../src/index.js';
import { diesWithUs } from '../../../support/processes.js';
import type { Call } from '../../../support/replica/world.js';

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const begin = (file: string, args: readonly string[]): ChildProcess => {
  const child = fork(here(file), args, { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  diesWithUs(child);
  return child;
};
const ended = (child: ChildProcess): Promise<void> =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve()
    : new Promise((resolve) => child.once('exit', () => resolve()));

/** The ledger and the telephones, in a process that nobody kills. */
export class Outside {
  readonly calls: Call[] = [];
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #waiting = new Set<() => void>();

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
    child.on('message', (call: Call) => {
      this.calls.push(call);
      for (const look of this.#waiting) look();
    });
  }

  static async begin(): Promise<Outside> {
    const child = begin('../../../support/replica/world.mjs', []);
    const url = await new Promise<string>((resolve) =>
      child.once('message', (message: { url: string }) => resolve(message.url)),
    );
    return new Outside(child, url);
  }

  /** The first call that fits, now or later; undefined when it did not come in time. */
  until(fits: (call: Call) => boolean, within: number): Promise<Call | undefined> {
    let from = 0;
    return new Promise((resolve) => {
      const end = (call?: Call) => {
        clearTimeout(timer);
        this.#waiting.delete(look);
        resolve(call);
      };
      const look = () => {
        for (; from < this.calls.length; from += 1) {
          const call = this.calls[from] as Call;
          if (fits(call)) return end(call);
        }
      };
      const timer = setTimeout(() => end(), within);
      this.#waiting.add(look);
      look();
    });
  }

  async end(): Promise<void> {
    this.#child.kill('SIGKILL');
    await ended(this.#child);
  }
}

export type Told = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly code: string };

export class Replica {
  stopped = false;
  readonly #child: ChildProcess;
  readonly #asked = new Map<number, (told: Told) => void>();
  #n = 0;
  readonly ready: Promise<boolean>;

  constructor(config: object) {
    this.#child = begin('../../../support/replica/replica.mjs', [JSON.stringify(config)]);
    this.ready = new Promise((resolve) => {
      this.#child.once('exit', () => {
        resolve(false);
        for (const tell of this.#asked.values()) tell({ ok: false, code: 'gone' });
      });
      this.#child.on(
        'message',
        (message: { ready?: boolean; n: number; result: unknown; code: string; error?: string }) => {
          if (message.ready) resolve(true);
          else
            this.#asked.get(message.n)?.(
              message.error === undefined ? { ok: true, value: message.result } : { ok: false, code: message.code },
            );
        },
      );
    });
  }

  get alive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null && this.#child.connected;
  }

  /** Asks it; one that is gone or does not answer in time is said to be so. */
  call(name: string, args: readonly unknown[], within = 5_000): Promise<Told> {
    this.#n += 1;
    const n = this.#n;
    return new Promise((resolve) => {
      const tell = (told: Told) => {
        clearTimeout(timer);
        this.#asked.delete(n);
        resolve(told);
      };
      const timer = setTimeout(() => tell({ ok: false, code: 'silent' }), within);
      this.#asked.set(n, tell);
      if (this.alive) this.#child.send({ n, name, args }, (error) => error && tell({ ok: false, code: 'gone' }));
      else tell({ ok: false, code: 'gone' });
    });
  }

  says(message: IncomingMessage): Promise<Told> {
    return this.call('says', [message], 3_000);
  }

  /** Sends the signal; resolves when it has ended, if it is one that ends it. */
  async signal(name: 'SIGKILL' | 'SIGTERM' | 'SIGSTOP' | 'SIGCONT', within = 10_000): Promise<void> {
    this.#child.kill(name);
    this.stopped = name === 'SIGSTOP';
    if (name === 'SIGSTOP' || name === 'SIGCONT') return;
    const force = setTimeout(() => this.#child.kill('SIGKILL'), within);
    await ended(this.#child);
    clearTimeout(force);
  }
}
