/**
 * Runs scripts by their digest, and sends the text when a server does not know it yet.
 * It knows nothing of what the scripts do.
 */
import { createHash } from 'node:crypto';
import { systemClock } from '../../../machine/clock.js';
import { Deadlines } from '../../../machine/deadlines.js';
import type { RedisConnection } from './client.js';
import { Cork } from './cork.js';
import { storeError } from './errors.js';

/** Commands in a row without an answer before the connection is given up. */
const mostSilent = 2;

type Argument = string | number | Buffer;

interface PreparedScript {
  readonly text: string;
  readonly sha: string;
}

/** A server that is out of memory refuses a digest that it does not know, because it cannot know the script's flags. */
function mayBeUnknown(script: string, error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.message.startsWith('NOSCRIPT') || (error.message.startsWith('OOM') && script.startsWith('#!lua flags='));
}

export class Runner {
  readonly connection: RedisConnection;
  /** What the client puts before keys by itself. */
  readonly clientPrefix: string;
  private readonly address: string;
  private readonly cork: Cork;
  private readonly prepared = new Map<string, PreparedScript>();
  private readonly deadlines: Deadlines;
  private silent = 0;
  /** How often the connection was given up. */
  private renewals = 0;
  private hasEnded = false;
  /** Redis before 7 does not read the first line of a script. */
  isOld = false;

  /** `timeout`: how long a command may take, in ms. The client's own limit would be a timer for each. */
  constructor(connection: RedisConnection, address: string, timeout: number) {
    this.connection = connection;
    this.clientPrefix = (connection as { options?: { keyPrefix?: string } }).options?.keyPrefix ?? '';
    this.address = address;
    this.cork = new Cork(connection);
    this.deadlines = new Deadlines(systemClock, timeout);
  }

  run(script: string, keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    return new Promise((resolve, reject) => this.call(script, keys, args, resolve, reject));
  }

  /** The same with callbacks: every step of every turn passes here, and promises are dear (docs/performance.md). */
  call(
    script: string,
    keys: readonly string[],
    args: readonly Argument[],
    answered: (answer: unknown) => void,
    failed: (error: unknown) => void,
  ): void {
    const { text, sha } = this.prepare(script);
    const refused = (error: unknown): void => failed(this.error(error));
    this.hear(
      (connection) => connection.evalsha(sha, keys.length, ...keys, ...args),
      answered,
      (error) => {
        if (!mayBeUnknown(script, error)) refused(error);
        else this.hear((connection) => connection.eval(text, keys.length, ...keys, ...args), answered, refused);
      },
    );
  }

  /** One plain command. */
  send<T>(command: (connection: RedisConnection) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => this.hear(command, resolve, (error) => reject(this.error(error))));
  }

  /** No connection is made any more: a command that was never answered must not keep the process alive. */
  end(): void {
    this.hasEnded = true;
  }

  /** What was asked for in this tick is written now, instead of at its end. */
  flush(): void {
    this.cork.release();
  }

  /** The error to throw for one that Redis or the client told. */
  error(error: unknown): unknown {
    return storeError(error, this.address);
  }

  /**
   * A connection on which nothing comes back any more looks well to the client: after a few silent commands a new one is made. Others
   * that were sent on the old one say nothing about the new one.
   */
  private hear<T>(
    command: (connection: RedisConnection) => Promise<T>,
    answered: (answer: T) => void,
    failed: (error: unknown) => void,
  ): void {
    this.cork.hold();
    const sentOn = this.renewals;
    const deadline = this.deadlines.set(() => {
      if (sentOn === this.renewals) this.silent += 1;
      if (this.silent >= mostSilent && !this.hasEnded) {
        this.silent = 0;
        this.renewals += 1;
        this.connection.disconnect(true);
      }
      failed(new Error('Command timed out'));
    });
    const refused = (error: unknown): void => {
      if (deadline.cancel()) failed(error);
    };
    try {
      command(this.connection).then((answer) => {
        this.silent = 0;
        if (deadline.cancel()) answered(answer);
      }, refused);
    } catch (error) {
      refused(error); // a client may throw instead
    }
  }

  private prepare(script: string): PreparedScript {
    const known = this.prepared.get(script);
    if (known !== undefined) return known;
    const text = this.isOld ? script.replace(/^#!.*\n/, '\n') : script;
    const made = { text, sha: createHash('sha1').update(text).digest('hex') };
    this.prepared.set(script, made);
    return made;
  }
}
