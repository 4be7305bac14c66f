/**
 * Runs scripts by their digest, and sends the text when a server does not know it yet.
 * It knows nothing of what the scripts do.
 */
import { createHash } from 'node:crypto';
import { Cork, type RedisConnection } from './client.js';
import { storeError } from './errors.js';

/** Commands in a row without an answer before the connection is given up. */
const mostSilent = 2;

interface Known {
  readonly text: string;
  readonly sha: string;
}

export class Runner {
  readonly connection: RedisConnection;
  private readonly address: string;
  private readonly cork: Cork;
  private readonly known = new Map<string, Known>();
  private silent = 0;
  /** Redis before 7 does not read the first line of a script. */
  old = false;

  constructor(connection: RedisConnection, address: string) {
    this.connection = connection;
    this.address = address;
    this.cork = new Cork(connection);
  }

  run(script: string, keys: readonly string[], args: readonly (string | number)[] = []): Promise<unknown> {
    const { text, sha } = this.prepared(script);
    return this.heard(
      (connection) => connection.evalsha(sha, keys.length, ...keys, ...args),
      (error) => {
        if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw storeError(error, this.address);
        return this.send((connection) => connection.eval(text, keys.length, ...keys, ...args));
      },
    );
  }

  /** One plain command. */
  send<T>(command: (connection: RedisConnection) => Promise<T>): Promise<T> {
    return this.heard(command, (error) => {
      throw storeError(error, this.address);
    });
  }

  /** A connection on which nothing comes back any more looks well to the client: after a few silent commands a new one is made. */
  private heard<T>(
    command: (connection: RedisConnection) => Promise<T>,
    failed: (error: unknown) => Promise<T>,
  ): Promise<T> {
    this.cork.push();
    return command(this.connection).then(
      (result) => {
        this.silent = 0;
        return result;
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
