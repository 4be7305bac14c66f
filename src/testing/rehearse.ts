/**
 * A rehearsal: agents, scripted people, a fake clock and a memory store, with crashes on demand. Works with any test
 * runner. Nothing in it waits for real time, except for a question that does not come.
 */
import type { PendingAsk } from '../core/ask/ask.js';
import { checkOptions, expecting, oneOf, optional } from '../core/check-options.js';
import { yieldToEventLoop } from '../machine/clock.js';
import type { RegistryOptions } from '../registry/options.js';
import { registryRules } from '../registry/options.js';
import type { AgentRegistry } from '../registry/registry.js';
import { MemoryStore } from '../stores/memory/store.js';
import { FakeClock } from './clock.js';
import type { CrashPoint } from './crashable-store.js';
import type { FailureMode } from './rehearsal/failures.js';
import { Failures } from './rehearsal/failures.js';
import type { Human, HumanOptions } from './rehearsal/human.js';
import { scriptedHuman } from './rehearsal/human.js';
import type { WaitForAsk } from './rehearsal/open-questions.js';
import { OpenQuestions, waitRules } from './rehearsal/open-questions.js';
import { RehearsalProcess } from './rehearsal/process.js';
import { RehearsalRecord } from './rehearsal/record.js';

/** The options of a registry, without store and clock: a rehearsal has its own. */
export type ReplicaOptions = Omit<RegistryOptions, 'clock' | 'store'>;

/** The options of `rehearse()`: those of a registry, and what becomes of errors. */
export interface RehearseOptions extends ReplicaOptions {
  /**
   * What becomes of an error that a handler threw. `'throw'`: the call that led to it rejects with it. `'collect'`: the turn is
   * tried again and parked as in production, and `failures()` returns the errors.
   *
   * @default 'throw'
   */
  readonly failures?: FailureMode;
}

/** One process of a rehearsal. */
export interface Replica {
  /** A person who writes to this process, in a conversation of their own or in the named one. */
  human(name: string, options?: HumanOptions): Human;
  /** The process crashes now, or right after the next such step, which took effect without its caller learning. */
  crash(after?: CrashPoint): void;
  /**
   * Starts a new process on the same store in place of this one. It takes over interrupted work after the lease expires: advance
   * the clock.
   */
  restart(): Promise<void>;
  /** Stops this process; on the rehearsal, all of them. Rejects with an error of a handler that has not surfaced yet. */
  stop(): Promise<void>;
  /** The registry of the process that runs now. */
  readonly registry: AgentRegistry;
}

/** A rehearsal: people, processes and time, all in one test. */
export interface Rehearsal extends Replica {
  /** The time of the rehearsal: it moves only by `advance()`, which runs what falls due. */
  readonly clock: { now(): number; advance(ms: number): Promise<void> };
  /** Open asks, in the order in which they were asked. */
  asks(): Promise<readonly PendingAsk<unknown>[]>;
  /**
   * The oldest open question that this function has not returned yet. Waits for one, for example of a call in your test that is
   * not awaited. If none comes, it rejects with what happened instead.
   *
   * @example
   * import { confirm } from 'askback';
   * import { rehearse } from 'askback/testing';
   *
   * const { human, nextAsk, registry } = await rehearse({ agents: [] });
   * const outcome = registry.askAndWait(confirm('Deploy?'), { channel: 'rehearsal', to: 'max' });
   * console.log((await nextAsk()).question);
   * await human('max').presses('Yes');
   * console.log((await outcome).status);
   */
  nextAsk(options?: WaitForAsk): Promise<PendingAsk<unknown>>;
  /** Starts one more process on the same store, with the same options except for those given. */
  replica(options?: ReplicaOptions): Promise<Replica>;
  /**
   * Everything that people wrote, that was shown to them and that was decided, in order, as text for a snapshot: the same in every
   * run. Ids are numbered, and there are no times.
   */
  transcript(): string;
  /** With `failures: 'collect'`: the errors that handlers threw since the last call. */
  failures(): readonly Error[];
}

const own = optional(expecting<never>('left out', () => false, { hint: 'A rehearsal has its own.' }));
const replicaRules = { ...registryRules, store: own, clock: own };
const rules = { ...replicaRules, failures: optional(oneOf('throw', 'collect'), 'throw') };

/**
 * Runs agents against scripted people. An error that a handler throws rejects the call that led to it, with its own stack;
 * with `failures: 'collect'` the turn goes on to be tried again as in production.
 *
 * @example
 * import { agent } from 'askback';
 * import { rehearse } from 'askback/testing';
 *
 * const { human } = await rehearse({ agents: [agent('echo').onMessage(({ message }) => `You said ${message}`)] });
 * console.log(await human('anna').says('Hello'));
 */
export async function rehearse(options: RehearseOptions): Promise<Rehearsal> {
  const { failures: mode } = checkOptions('rehearse()', options, rules, '{ agents: [support] }');
  const { failures: _, ...registryOptions } = options;
  const clock = new FakeClock();
  const [record, failures] = [new RehearsalRecord(), new Failures(mode)];
  const shared = { clock, store: new MemoryStore({ clock }), record, failures };
  const processes: RehearsalProcess[] = [];
  let messages = 0;

  /** What one process does may give work to another: each round asks all of them. */
  const quiet = async (): Promise<void> => {
    for (let round = 0; round <= processes.length; round += 1) {
      await yieldToEventLoop();
      for (const process of processes) await process.idle();
    }
  };
  const settled = async (): Promise<void> => {
    await quiet();
    failures.surface();
  };
  const alive = (): AgentRegistry =>
    (processes.find(({ isAlive }) => isAlive) ?? (processes[0] as RehearsalProcess)).registry; // the first says that it has crashed
  const asks = async () => (await alive().listAsks()).asks;
  const questions = new OpenQuestions({ record, asks, settled });
  const taken = new Set<string>();

  const replica = async (given: ReplicaOptions): Promise<Replica> => {
    const process = new RehearsalProcess(given, shared);
    processes.push(process);
    const newMessageId = (): string => {
      messages += 1;
      return `message-${messages}`;
    };
    await process.start();
    await settled();
    return {
      human: (name, more = {}) => scriptedHuman({ process, record, questions, newMessageId, settled }, name, more),
      crash: (after) => process.crash(after),
      restart: async () => {
        await process.start();
        await settled();
      },
      stop: async () => {
        await process.stop();
        failures.surface();
      },
      get registry() {
        return process.registry;
      },
    };
  };

  const first = await replica(registryOptions);
  return {
    human: first.human,
    crash: first.crash,
    restart: first.restart,
    get registry() {
      return first.registry;
    },
    stop: async () => {
      await Promise.all(processes.map((process) => process.stop()));
      failures.surface();
    },
    clock: {
      now: () => clock.now(),
      advance: async (ms) => {
        await clock.advance(ms, quiet);
        for (const process of processes) await process.sweep(); // what is due now runs now, without waiting for the next sweep
        await settled();
      },
    },
    asks,
    nextAsk: async (options = {}) => {
      const wait = checkOptions('nextAsk()', options, waitRules, '{ timeout: 5_000 }');
      const ask = await questions.next('nextAsk()', wait, ({ id }) => !taken.has(id));
      taken.add(ask.id);
      return ask;
    },
    replica: async (changes = {}) => {
      checkOptions('replica()', changes, replicaRules, '{ agents: [support] }');
      return replica({ ...registryOptions, ...changes });
    },
    transcript: () => record.transcript(),
    failures: () => failures.take(),
  };
}
