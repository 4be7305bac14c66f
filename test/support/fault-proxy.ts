/**
 * A TCP proxy on loopback in front of Redis that loses things on purpose: a command, its reply, the connection, time.
 * It never changes a byte of what it lets through, and keeps the order. In front of another server it knows no commands.
 */

import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { patience } from './processes.js';
import { commandAt, isPush, replyEnd } from './resp.js';

/**
 * cut before: the connection ends before Redis hears of the command.
 * execute then cut: Redis has done it, and the connection ends before the client hears of that.
 * execute then hold: Redis has done it; the reply, and all that come after it, are held back for a while.
 */
export type Fault = 'cut before' | 'execute then cut' | 'execute then hold';

export type Fits = (command: readonly string[]) => boolean;

interface Armed {
  readonly fits: Fits;
  readonly fault: Fault;
  readonly hold: number;
  happened(): void;
}

/** What is held back for one client must not fill the memory. */
const longest = 64 * 1024 * 1024;

export class FaultProxy {
  readonly url: string;
  readonly port: number;
  /** Connections accepted so far. */
  accepted = 0;
  readonly #server: Server;
  readonly #target: number;
  readonly #lines = new Set<Line>();
  readonly #armed: Armed[] = [];
  readonly #isRedis: boolean;
  #delay = 0;
  #down = false;

  private constructor(server: Server, target: number, isRedis: boolean) {
    this.#server = server;
    this.#target = target;
    this.#isRedis = isRedis;
    this.port = (server.address() as AddressInfo).port;
    this.url = `redis://127.0.0.1:${this.port}`;
  }

  /** In front of the Redis, or another server, at that port; it lets everything through until it is told otherwise. */
  static async begin(target: number, { isRedis = true } = {}): Promise<FaultProxy> {
    const server = createServer({ noDelay: true });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const proxy = new FaultProxy(server, target, isRedis);
    server.on('connection', (client) => proxy.#accept(client));
    return proxy;
  }

  /** Does this to the next command that fits, once. Resolves when it has been done; rejects when nothing fitted in time. */
  once(fault: Fault, fits: Fits, more: { readonly hold?: number; readonly within?: number } = {}): Promise<void> {
    const { hold = 500, within = patience } = more;
    return new Promise((resolve, reject) => {
      const overdue = setTimeout(() => {
        this.#armed.splice(this.#armed.indexOf(armed), 1);
        reject(new Error(`No command that fits "${fault}" came within ${within} ms.`));
      }, within);
      const armed: Armed = {
        fits,
        fault,
        hold,
        happened: () => {
          clearTimeout(overdue);
          resolve();
        },
      };
      this.#armed.push(armed);
    });
  }

  /** How many connections there are. */
  get open(): number {
    return this.#lines.size;
  }

  /** Every reply comes so much later. 0: at once. */
  delay(ms: number): void {
    this.#delay = ms;
  }

  /** Replies on the connections there are do not come any more until heal(); commands still reach Redis. */
  stall(): void {
    for (const line of this.#lines) line.stalled = true;
  }

  /** Ends every connection there is; new ones are let through. */
  cut(): void {
    for (const line of this.#lines) line.end();
  }

  /** Ends every connection, and refuses new ones until heal(). */
  down(): void {
    this.#down = true;
    this.cut();
  }

  /** Lets everything through again, and what was held back. */
  heal(): void {
    this.#down = false;
    this.#delay = 0;
    this.#armed.length = 0;
    for (const line of this.#lines) line.resume();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
  }

  #accept(client: Socket): void {
    this.accepted += 1;
    if (this.#down) {
      client.destroy();
      return;
    }
    const line = new Line(client, this.#target, {
      isRedis: this.#isRedis,
      delay: () => this.#delay,
      fault: (command) => this.#faultFor(command),
      ended: () => this.#lines.delete(line),
    });
    this.#lines.add(line);
  }

  #faultFor(command: readonly string[]): Armed | undefined {
    const at = this.#armed.findIndex(({ fits }) => fits(command));
    return at < 0 ? undefined : this.#armed.splice(at, 1)[0];
  }
}

interface Rules {
  readonly isRedis: boolean;
  delay(): number;
  fault(command: readonly string[]): Armed | undefined;
  ended(): void;
}

/** One client's connection and ours to Redis. */
class Line {
  stalled = false;
  readonly #client: Socket;
  readonly #redis: Socket;
  readonly #rules: Rules;
  #asked: Buffer = Buffer.alloc(0);
  #answered: Buffer = Buffer.alloc(0);
  /** What Redis still owes an answer, in order. */
  readonly #owed: (Armed | undefined)[] = [];
  /** Held back, in order, each until its time. */
  #held: { readonly bytes: Buffer; readonly from: number }[] = [];
  #size = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Subscribed: what comes is not in answer to anything. */
  #listening: boolean;
  #heldUntil = 0;

  constructor(client: Socket, target: number, rules: Rules) {
    this.#client = client;
    this.#rules = rules;
    this.#listening = !rules.isRedis;
    this.#redis = connect({ port: target, host: '127.0.0.1', noDelay: true });
    client.on('data', (bytes) => this.#toRedis(bytes));
    this.#redis.on('data', (bytes) => this.#toClient(bytes));
    for (const socket of [client, this.#redis]) {
      socket.on('error', () => this.end());
      socket.on('close', () => this.end());
    }
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#client.destroy();
    this.#redis.destroy();
    this.#rules.ended();
  }

  resume(): void {
    this.stalled = false;
    this.#heldUntil = 0;
    for (const [i, { bytes }] of this.#held.entries()) this.#held[i] = { bytes, from: 0 };
    this.#flush();
  }

  #toRedis(bytes: Buffer): void {
    if (!this.#rules.isRedis) return void this.#redis.write(bytes);
    this.#asked = this.#asked.length === 0 ? bytes : Buffer.concat([this.#asked, bytes]);
    let at = 0;
    for (let told = commandAt(this.#asked, at); told !== undefined; told = commandAt(this.#asked, at)) {
      const armed = this.#rules.fault(told.args);
      if (armed?.fault === 'cut before') {
        this.end();
        armed.happened();
        return;
      }
      if (/^(p|s)?subscribe$/i.test(told.args[0] ?? '')) this.#listen(armed);
      else this.#owed.push(armed);
      this.#redis.write(this.#asked.subarray(at, told.end));
      at = told.end;
    }
    this.#asked = this.#asked.subarray(at);
  }

  /** From now on replies cannot be told from messages: only a hold is possible, and it begins at once. */
  #listen(armed: Armed | undefined): void {
    this.#listening = true;
    if (armed === undefined) return;
    this.#heldUntil = performance.now() + armed.hold;
    armed.happened();
  }

  #toClient(bytes: Buffer): void {
    if (this.#listening) {
      this.#give(bytes);
      return;
    }
    this.#answered = this.#answered.length === 0 ? bytes : Buffer.concat([this.#answered, bytes]);
    let at = 0;
    for (let end = replyEnd(this.#answered, at); end !== undefined; end = replyEnd(this.#answered, at)) {
      const armed = isPush(this.#answered, at) ? undefined : this.#owed.shift();
      if (armed?.fault === 'execute then cut') {
        this.end();
        armed.happened();
        return;
      }
      if (armed?.fault === 'execute then hold') {
        this.#heldUntil = performance.now() + armed.hold;
        armed.happened();
      }
      this.#give(this.#answered.subarray(at, end));
      at = end;
    }
    this.#answered = this.#answered.subarray(at);
  }

  #give(bytes: Buffer): void {
    const from = Math.max(performance.now() + this.#rules.delay(), this.#heldUntil);
    this.#held.push({ bytes, from });
    this.#size += bytes.length;
    if (this.#size > longest) this.end();
    else this.#flush();
  }

  #flush(): void {
    clearTimeout(this.#timer);
    if (this.stalled) return;
    const now = performance.now();
    while (this.#held[0] !== undefined && this.#held[0].from <= now) {
      const { bytes } = this.#held.shift() as { bytes: Buffer };
      this.#size -= bytes.length;
      this.#client.write(bytes);
    }
    const next = this.#held[0];
    if (next !== undefined) this.#timer = setTimeout(() => this.#flush(), Math.ceil(next.from - now));
  }
}
