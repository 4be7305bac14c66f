/**
 * How a script gets to the client. evalsha() of ioredis takes up every argument several times and sets a timer for every
 * call; a connection of one server is handed a command that is made already, and one timer watches over all of them.
 */
import { systemClock } from '../../machine/clock.js';
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
  readonly isResolved: boolean;
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

/** The class of the client's commands: one is made, and caught before it is sent. */
function commandClassOf(connection: Single): CommandClass | undefined {
  let caught: Command | undefined;
  Object.defineProperty(connection, 'sendCommand', {
    configurable: true,
    value: (command: Command) => {
      caught = command;
    },
  });
  void connection.ping();
  delete (connection as Partial<Single>).sendCommand; // the client's own is there again, for it belongs to its class
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
  const patience = new Patience();

  class Script extends Command {
    constructor(args: readonly string[]) {
      super('evalsha', none, inText);
      this.args = args;
    }

    /** Called by the client when it sends the command. */
    setTimeout(ms: number): void {
      patience.watch(this, ms);
    }

    /** Called by the client with the answer. The command itself stays until a full collection; what it said need not. */
    override transformReply(reply: unknown): unknown {
      this.args = none;
      return super.transformReply(reply);
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

const none: readonly string[] = [];
const inText = { replyEncoding: 'utf8' } as const;

interface Watched {
  readonly command: Command;
  readonly until: number;
}

/** Rejects commands that get no answer in time, with the client's own words. They come in the order of their times. */
class Patience {
  private readonly watched: (Watched | undefined)[] = [];
  /** Those before it are answered, and forgotten. */
  private first = 0;
  private isArmed = false;

  watch(command: Command, ms: number): void {
    this.forget();
    this.watched.push({ command, until: systemClock.elapsed() + ms });
    if (!this.isArmed) this.arm(ms);
  }

  private forget(): void {
    while (this.watched[this.first]?.command.isResolved) this.next();
    if (this.first < 1_000 && this.first < this.watched.length) return;
    this.watched.splice(0, this.first);
    this.first = 0;
  }

  private next(): void {
    this.watched[this.first] = undefined;
    this.first += 1;
  }

  private arm(ms: number): void {
    this.isArmed = true;
    systemClock.after(ms, () => {
      this.isArmed = false;
      this.look();
    });
  }

  private look(): void {
    const now = systemClock.elapsed();
    for (; this.first < this.watched.length; this.next()) {
      const { command, until } = this.watched[this.first] as Watched;
      if (command.isResolved) continue;
      if (until > now) {
        this.arm(until - now);
        return;
      }
      command.reject(new Error('Command timed out'));
    }
    this.forget();
  }
}
