/**
 * Runs scripts by their digest, and sends the text when a server does not know it yet.
 * It knows nothing of what the scripts do.
 */
import { createHash } from 'node:crypto';
import type { Call } from './args.js';
import { Cork, type RedisConnection } from './client.js';
import { type Scripts, scriptsOf } from './command.js';
import { storeError } from './errors.js';

const same = <T>(answer: T): T => answer;

/** Commands in a row without an answer before the connection is given up. */
const mostSilent = 2;

interface Known {
  readonly text: string;
  readonly sha: string;
}

const isUnknownScript = (error: unknown): boolean => error instanceof Error && error.message.startsWith('NOSCRIPT');

export class Runner {
  readonly connection: RedisConnection;
  private readonly address: string;
  private readonly cork: Cork;
  private readonly scripts: Scripts;
  private readonly known = new Map<string, Known>();
  private silent = 0;
  /** Redis before 7 does not read the first line of a script. */
  old = false;

  constructor(connection: RedisConnection, address: string) {
    this.connection = connection;
    this.address = address;
    this.cork = new Cork(connection);
    this.scripts = scriptsOf(connection);
  }

  /** Runs a script; `read` makes of its answer what the caller wants. */
  run<T>(
    script: string,
    keys: readonly string[],
    args: readonly (string | number)[],
    read: (answer: unknown) => T | Promise<T>,
  ): Promise<T> {
    const { text, sha } = this.prepared(script);
    this.cork.push();
    return this.heard(this.scripts.run(sha, keys, args), read, (error) => {
      if (!isUnknownScript(error)) throw this.error(error);
      return this.send((connection) => connection.eval(text, keys.length, ...keys, ...args)).then(read);
    });
  }

  /**
   * The same, of keys and arguments that are written already, and sent at once. `told` and `failed` hear of the answer: they
   * do not throw, so it takes no further promise.
   */
  call(script: string, call: Call, told: (answer: unknown) => void, failed: (error: unknown) => void): void {
    const { text, sha } = this.prepared(script);
    void this.heard(this.scripts.call(sha, call), told, (error) => {
      if (!isUnknownScript(error)) failed(this.error(error));
      else this.send((connection) => connection.eval(text, call.keys, ...call.list())).then(told, failed);
    });
  }

  /** What is asked for from here on is held back until it is flushed, or the tick ends. */
  gather(): void {
    this.cork.push();
  }

  /** One plain command. */
  send<T>(command: (connection: RedisConnection) => Promise<T>): Promise<T> {
    this.cork.push();
    return this.heard(command(this.connection), same<T>, (error) => {
      throw this.error(error);
    });
  }

  /** What was asked for is written now, instead of at the end of the tick. */
  flush(): void {
    this.cork.release();
  }

  /** The error to throw for one that Redis or the client told. */
  error(error: unknown): unknown {
    return storeError(error, this.address);
  }

  /** A connection on which nothing comes back any more looks well to the client: after a few silent commands a new one is made. */
  private heard<A, T>(
    answer: Promise<A>,
    read: (answer: A) => T | Promise<T>,
    failed: (error: unknown) => T | Promise<T>,
  ): Promise<T> {
    return answer.then(
      (result) => {
        this.silent = 0;
        return read(result);
      },
      (error: unknown) => {
        this.silent = error instanceof Error && error.message === 'Command timed out' ? this.silent + 1 : 0;
        if (this.silent >= mostSilent) {
          this.silent = 0;
          this.connection.disconnect(true);
        }
        return failed(error);
      },
    );
  }

  private prepared(script: string): Known {
    const known = this.known.get(script);
    if (known !== undefined) return known;
    const text = this.old ? script.replace(/^#!.*\n/, '\n') : script;
    const made = { text, sha: createHash('sha1').update(text).digest('hex') };
    this.known.set(script, made);
    return made;
  }
}
