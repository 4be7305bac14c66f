/**
 * Where a history is played: a store, its time, and what can be checked there besides. Memory and SQLite stand in a time
 * that goes on when it is told to; Redis has a time of its own, so there everything is short and really waited for.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { Settings } from '../../../src/core/settings.js';
import { defaultSettings } from '../../../src/core/settings.js';
import { MemoryStore } from '../../../src/index.js';
import { type Clock, systemClock } from '../../../src/machine/clock.js';
import type { Store } from '../../../src/stores/port.js';
import { SqliteStore } from '../../../src/stores/sqlite/index.js';
import { FakeClock } from '../../../src/testing/index.js';
import { patience } from '../../support/processes.js';
import { checkKeys, freshPrefix, storeOn } from '../../support/redis-store.js';
import { quickest, silent } from '../../support/store.js';
import { wrapped } from './faults.js';

export interface Ground {
  readonly name: string;
  readonly clock?: Clock;
  readonly settings: Partial<Settings>;
  /** How long an ask with a deadline has. */
  readonly soon: number;
  readonly times: { readonly 'a moment': number; readonly 'a lease': number; readonly 'past deadlines': number };
  /** Lets the retention of what is finished run out; not where time really passes. */
  outlast?(): void;
  /** How many leases pass before everything that can come back has come back. */
  readonly rounds: number;
  /** What is recorded is worked on in the same moment. */
  readonly prompt: boolean;
  /** A store for one process. */
  store(): Store;
  pass(ms: number): Promise<void>;
  /** Waits for it, and lets time go on where that stands still. */
  until<T>(work: Promise<T>): Promise<T>;
  flush(): Promise<void>;
  /** Throws if something does not fit together behind the store's back. */
  look(): Promise<void>;
  close(): Promise<void>;
}

/** The calls that the stores of a ground have not answered yet. */
class OpenCalls {
  #open = 0;

  of(store: Store): Store {
    return wrapped(store, (_, args, go) => {
      const result = go(...args);
      if (!(result instanceof Promise)) return result;
      this.#open += 1;
      const done = () => {
        this.#open -= 1;
      };
      result.then(done, done);
      return result;
    });
  }

  /**
   * Lets everybody go on until they wait for time to pass. A call that a store has not answered takes real time, of which a busy
   * machine needs more: the clock stands still until then, or the call would run into its limit.
   */
  readonly breaths = async (): Promise<void> => {
    const until = performance.now() + patience;
    for (let i = 1, quiet = 0; quiet < 8 && performance.now() < until; i += 1) {
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      quiet = this.#open > 0 ? 0 : quiet + 1;
      if (i % 8 === 0 && quiet === 0) await sleep(1);
    }
  };
}

/** A ground in a time that only passes when told to. */
export function standing(name: string, clock: FakeClock, rest: Pick<Ground, 'store' | 'close' | 'outlast'>): Ground {
  const calls = new OpenCalls();
  const { breaths } = calls;
  return {
    name,
    clock,
    settings: { maxAttempts: 1_000 },
    soon: 60_000,
    times: { 'a moment': 1_000, 'a lease': 37_000, 'past deadlines': 75_000 },
    rounds: 3,
    prompt: true,
    pass: (ms) => clock.advance(ms, breaths),
    until: async (work) => {
      let done = false;
      const end = () => {
        done = true;
      };
      work.then(end, end);
      for (let i = 0; ; i += 1) {
        await breaths();
        if (done) return work;
        if (i > 500) throw new Error('Nothing more happens, and somebody still waits.');
        await clock.advance(i < 20 ? 100 : 2_000, breaths);
      }
    },
    flush: async () => {},
    look: async () => {},
    ...rest,
    store: () => calls.of(rest.store()),
  };
}

/** The store, which stays open when a process closes it: others have it too. */
const shared = (store: Store): Store =>
  wrapped(store, (step, args, go) => (step === 'close' ? undefined : go(...args)));

/** The store's own time: that of the processes, and later by the retention once that has run out. */
function storeTime(clock: FakeClock): { readonly now: () => number; readonly outlast: () => void } {
  let later = 0;
  return {
    now: () => clock.now() + later,
    outlast: () => {
      later += defaultSettings.retention + 60_000;
    },
  };
}

export function inMemory(): Ground {
  const clock = new FakeClock();
  const { now, outlast } = storeTime(clock);
  const time: Clock = { now, elapsed: () => clock.elapsed(), after: (ms, work) => clock.after(ms, work) };
  const store = new MemoryStore({ clock: time });
  return standing('memory', clock, { store: () => shared(store), close: () => store.close(), outlast });
}

/** A file; each process has a connection of its own. */
export function inFile(): Ground {
  const clock = new FakeClock();
  // the store polls by the machine's clock: by the fake one it would poll every 50 ms of ten minutes
  const { now, outlast } = storeTime(clock);
  const time: Clock = { ...systemClock, now, elapsed: () => clock.elapsed() };
  const folder = mkdtempSync(join(quickest, 'askback-model-'));
  return standing('sqlite', clock, {
    store: () => new SqliteStore({ path: join(folder, 'askback.db'), clock: time, logger: silent }),
    close: async () => rmSync(folder, { recursive: true, force: true }),
    outlast,
  });
}

/** A ground in real time, where everything that is waited for is short. */
function running(name: string, rest: Pick<Ground, 'store' | 'close' | 'flush' | 'look'>): Ground {
  return {
    name,
    settings: {
      maxAttempts: 1_000,
      lease: 120,
      renewal: 40,
      sweep: 30,
      backOff: [5, 20],
      sendLease: 130,
      sendLimit: 120,
      markDelay: 1,
      callTimeout: 400,
      grace: 400,
    },
    soon: 120,
    times: { 'a moment': 5, 'a lease': 160, 'past deadlines': 150 },
    rounds: 1,
    prompt: false,
    pass: async (ms) => {
      await sleep(ms);
    },
    until: (work) => {
      const waited = sleep(patience, undefined, { ref: false }).then(() => {
        throw new Error(`Somebody waits for ${patience} ms.`);
      });
      return Promise.race([work, waited]);
    },
    ...rest,
  };
}

export function onRedis(client: Redis): Ground {
  const prefix = freshPrefix();
  return running('redis', {
    store: () => storeOn(client, { prefix, commandTimeout: patience }), // a busy machine is no outage
    flush: async () => {
      await client.script('FLUSH');
    },
    look: () => checkKeys(client, prefix),
    close: async () => {
      const keys = await client.keys(`${prefix}:*`);
      if (keys.length > 0) await client.del(...keys);
    },
  });
}
