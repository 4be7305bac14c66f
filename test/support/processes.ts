/**
 * Node processes that tests start, talk to and kill. Whatever a test process starts dies with it, however it ends.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process';

/** How long a test waits for what must come, in ms: a guard against hanging, not a measurement. */
export const patience = 60_000;

export interface NodeProcess {
  readonly pid: number;
  /** Arrives in the child as process.on('message'). A child that is gone does not get it. */
  send(message: unknown): void;
  /** The first message, sent by process.send() in the child and not yet taken, that fits; it is taken. */
  next<M = Record<string, unknown>>(fits?: (message: M) => boolean, timeoutMs?: number): Promise<M>;
  kill(signal?: NodeJS.Signals): void;
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** All that it has written to stdout and stderr so far. */
  output(): string;
}

interface Waiter {
  fits(message: unknown): boolean;
  resolve(message: unknown): void;
  reject(error: Error): void;
}

/** Runs a .js or .mjs file; messages go both ways over Node's IPC channel. */
export function spawnNode(file: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): NodeProcess {
  const child = fork(file, args, {
    env: { ...process.env, ...env },
    execArgv: [], // not the test runner's
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const pid = diesWithUs(child);

  let written = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      written += text;
    });
  }

  const untaken: unknown[] = [];
  const waiters = new Set<Waiter>();
  child.on('message', (message: unknown) => {
    for (const waiter of waiters) {
      if (waiter.fits(message)) return waiter.resolve(message);
    }
    untaken.push(message);
  });

  let end: { code: number | null; signal: NodeJS.Signals | null } | undefined;
  const exited = new Promise<NonNullable<typeof end>>((resolve) => {
    child.on('close', (code, signal) => {
      end = { code, signal };
      for (const waiter of waiters) waiter.reject(gone());
      resolve(end);
    });
  });
  const gone = () => new Error(`${file} ended (${end?.signal ?? end?.code}) without the message.\n${written}`);

  return {
    pid,
    send: (message) => {
      child.send(message as object, () => {}); // the test notices a dead child by next() or exited
    },
    next: <M>(fits: (message: M) => boolean = () => true, timeoutMs = patience) =>
      new Promise<M>((resolve, reject) => {
        const at = untaken.findIndex((message) => fits(message as M));
        if (at >= 0) return resolve(untaken.splice(at, 1)[0] as M);
        if (end) return reject(gone());
        const done = () => {
          clearTimeout(timer);
          waiters.delete(waiter);
        };
        const waiter: Waiter = {
          fits: (message) => fits(message as M),
          resolve: (message) => {
            done();
            resolve(message as M);
          },
          reject: (error) => {
            done();
            reject(error);
          },
        };
        const timer = setTimeout(
          () => waiter.reject(new Error(`${file} sent no such message in ${timeoutMs} ms.\n${written}`)),
          timeoutMs,
        );
        waiters.add(waiter);
      }),
    kill: (signal = 'SIGKILL') => {
      child.kill(signal);
    },
    exited,
    output: () => written,
  };
}

/** Processes that take all the processor they can get, for at most `ms`. Returns a function that ends them before. */
export function takeProcessors(count: number, ms: number): () => Promise<void> {
  const spin = `const end = Date.now() + ${ms}; while (Date.now() < end);`;
  const children = Array.from({ length: count }, () => spawn(process.execPath, ['-e', spin], { stdio: 'ignore' }));
  const exits = children.map((child) => new Promise<void>((resolve) => child.once('exit', () => resolve())));
  for (const child of children) diesWithUs(child);
  return async () => {
    for (const child of children) child.kill('SIGKILL');
    await Promise.all(exits);
  };
}

/** True while a process of that id exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/**
 * Kills the child when this process ends, and returns the child's id. An 'exit' listener would not do: nobody runs it after a SIGKILL. So a second
 * process holds the other end of a pipe, and kills what is on its list when the pipe closes.
 */
export function diesWithUs(child: ChildProcess): number {
  const { pid } = child;
  if (pid === undefined) throw new Error(`${child.spawnfile} could not be started.`);
  const list = guard();
  list.write(`+${pid}\n`);
  child.once('exit', () => list.write(`-${pid}\n`));
  return pid;
}

const guardScript = `
  const pids = new Set();
  require('node:readline').createInterface({ input: process.stdin })
    .on('line', (line) => line[0] === '+' ? pids.add(+line.slice(1)) : pids.delete(+line.slice(1)))
    .on('close', () => { for (const pid of pids) try { process.kill(pid, 'SIGKILL'); } catch {} });
`;

let guarding: NodeJS.WritableStream | undefined;

function guard(): NodeJS.WritableStream {
  if (guarding) return guarding;
  // a group of its own: Ctrl-C must not end it before its work is done
  const child = spawn(process.execPath, ['-e', guardScript], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  child.unref();
  (child.stdin as unknown as { unref(): void }).unref();
  child.stdin.on('error', () => {});
  guarding = child.stdin;
  return guarding;
}

/** What a call in a child was refused with. */
export class Refused extends Error {
  readonly code: string;

  constructor(code: string, stack: string) {
    super(stack);
    this.code = code;
  }
}

export type Caller = <T = unknown>(name: string, ...args: readonly unknown[]) => Promise<T>;

/** Calls what a child offers by name (see serve.mjs); its answer carries the number of the call. */
export function callerOf(process: NodeProcess): Caller {
  let calls = 0;
  return async <T>(name: string, ...args: readonly unknown[]): Promise<T> => {
    calls += 1;
    const n = calls;
    process.send({ n, name, args });
    const fits = (each: { n?: number }) => each.n === n;
    const answer = await process.next<{ n: number; result: T; code: string; error?: string }>(fits);
    if (answer.error !== undefined) throw new Refused(answer.code, answer.error);
    return answer.result;
  };
}
