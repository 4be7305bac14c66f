/**
 * Runs scripts by their digest, and sends the text when a server does not know it yet.
 * It knows nothing of what the scripts do.
 */
import { createHash } from 'node:crypto';
import { Cork, type RedisConnection } from './client.js';
import { storeError } from './errors.js';

interface Known {
  readonly text: string;
  readonly sha: string;
}

export class Runner {
  readonly connection: RedisConnection;
  private readonly address: string;
  private readonly cork: Cork;
  private readonly known = new Map<string, Known>();
  /** Redis before 7 does not read the first line of a script. */
  old = false;

  constructor(connection: RedisConnection, address: string) {
    this.connection = connection;
    this.address = address;
    this.cork = new Cork(connection);
  }

  async run(script: string, keys: readonly string[], args: readonly (string | number)[] = []): Promise<unknown> {
    const { text, sha } = this.prepared(script);
    this.cork.push();
    try {
      return await this.connection.evalsha(sha, keys.length, ...keys, ...args);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw storeError(error, this.address);
    }
    return this.send((connection) => connection.eval(text, keys.length, ...keys, ...args));
  }

  /** One plain command. */
  async send<T>(command: (connection: RedisConnection) => Promise<T>): Promise<T> {
    this.cork.push();
    try {
      return await command(this.connection);
    } catch (error) {
      throw storeError(error, this.address);
    }
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
