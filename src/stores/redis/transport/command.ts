/**
 * How a script gets to the client. evalsha() of ioredis takes up every argument several times and sets a timer for every
 * call; a connection of one server is handed a command that is made already, and one timer watches over all of them.
 */
import { systemClock } from '../../../machine/clock.js';
import { type Deadline, Deadlines } from '../../../machine/deadlines.js';
import type { Call } from './args.js';
import type { RedisConnection } from './client.js';

type Text = string | number;

/** Runs a script by its digest. */
export interface Scripts {
  run(sha: string, keys: readonly string[], args: readonly Text[]): Promise<unknown>;
  /** The same, of keys and arguments that are written already. */
  call(sha: string, call: Call): Promise<unknown>;
}

/** A command of ioredis or iovalkey. */
interface Command {
  args: readonly string[];
  reject(error: Error): void;
  transformReply(reply: unknown): unknown;
  toWritable(socket: unknown): string | Buffer;
}
type CommandClass = new (name: string, args: readonly string[], options: { readonly replyEncoding: 'utf8' }) => Command;

interface Single extends RedisConnection {
  readonly isCluster?: boolean;
  readonly options?: { readonly keyPrefix?: unknown };
  sendCommand(command: Command): Promise<unknown>;
}

/** The class of the client's commands: one is made, and caught before it is sent. The client itself is not touched. */
function commandClassOf(connection: Single): CommandClass | undefined {
  let caught: Command | undefined;
  const sendCommand = (command: Command): void => {
    caught = command;
  };
  const inItsPlace = Object.create(connection, { sendCommand: { value: sendCommand } }) as Single;
  void inItsPlace.ping();
  return caught?.constructor as CommandClass | undefined;
}

export function scriptsOf(connection: RedisConnection): Scripts {
  const single = connection as Single;
  // a Cluster has to look at the keys, and so has a client that puts something before them
  const looks = single.isCluster === true || Boolean(single.options?.keyPrefix);
  const Command = looks ? undefined : commandClassOf(single);
  if (Command === undefined) {
    return {
      run: (sha, keys, args) => connection.evalsha(sha, keys.length, ...keys, ...args),
      call: (sha, call) => connection.evalsha(sha, call.keys, ...call.list()),
    };
  }
  let limits: Deadlines | undefined;

  class Script extends Command {
    private deadline: Deadline | undefined;

    constructor(args: readonly string[]) {
      super('evalsha', none, inText);
      this.args = args;
    }

    /** Called by the client when it sends the command, with what it was told once for all of them. */
    setTimeout(ms: number): void {
      limits ??= new Deadlines(systemClock, ms);
      // in the client's own words; one that ended by an error does not hear of it
      this.deadline ??= limits.set(() => this.reject(new Error('Command timed out')));
    }

    /** Called by the client with the answer. The command itself stays until a full collection; what it said need not. */
    override transformReply(reply: unknown): unknown {
      this.args = none;
      this.deadline?.cancel();
      this.deadline = undefined;
      return isNumbers(reply) ? reply : super.transformReply(reply);
    }
  }

  /** One that is bytes already. They stay as they are: after a lost connection the client writes them again. */
  class Written extends Script {
    private bytes: Buffer | undefined;

    constructor(bytes: Buffer) {
      super(none);
      this.bytes = bytes;
    }

    override toWritable(socket: unknown): string | Buffer {
      return this.bytes ?? super.toWritable(socket);
    }

    override transformReply(reply: unknown): unknown {
      this.bytes = undefined;
      return super.transformReply(reply);
    }
  }

  return {
    run(sha, keys, args) {
      const all = [sha, String(keys.length)];
      for (const key of keys) all.push(key);
      for (const arg of args) all.push(typeof arg === 'string' ? arg : String(arg));
      return single.sendCommand(new Script(all));
    },
    call: (sha, call) => single.sendCommand(new Written(call.command(sha))),
  };
}

/** Most answers are a time for each conversation: there is no text to be made of them. */
const isNumbers = (reply: unknown): boolean =>
  Array.isArray(reply) && reply.every((each: unknown) => typeof each === 'number');

const none: readonly string[] = [];
const inText = { replyEncoding: 'utf8' } as const;
