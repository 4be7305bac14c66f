/**
 * Wraps a store for a process that may crash: after the crash no call returns, whether it took effect or not.
 */
import { unknownName } from '../core/check-options.js';
import type { Predecided, Save, Store, Stored, Take, Taken } from '../stores/port.js';

/** The step after which the process crashes: it took effect, but its caller never learns. */
export type CrashPoint = (typeof crashPoints)[number];

const crashPoints = ['take', 'decision', 'effect', 'save', 'sent'] as const;

export interface CrashableStore {
  readonly store: Store;
  /** Resolves when the process has crashed. */
  readonly died: Promise<void>;
  crash(): void;
  crashAfter(point: CrashPoint): void;
}

export function crashableStore(inner: Store): CrashableStore {
  let dead = false;
  let armed: CrashPoint | undefined;
  let die: () => void = () => {};
  const died = new Promise<void>((resolve) => {
    die = resolve;
  });
  const crash = (): void => {
    dead = true;
    die();
  };
  const store = new Proxy(inner, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return (...args: unknown[]): unknown => {
        if (dead) return never();
        const take = name === 'take' ? new WatchedTake(args[0] as Take) : undefined;
        const result: unknown = Reflect.apply(method, target, take === undefined ? args : [take.call]);
        if (!(result instanceof Promise)) return result;
        return result.then((value: unknown) => {
          const isDecision = take?.hasDecided(value as Taken) === true;
          if (!dead && armed !== undefined && isAfter(armed, name, args[0], isDecision)) crash();
          return dead ? never() : value;
        });
      };
    },
  });
  return {
    store,
    died,
    crash,
    crashAfter: (point) => {
      if (!crashPoints.includes(point)) throw unknownName('crash(): the step ', String(point), crashPoints);
      armed = point;
    },
  };
}

function isAfter(point: CrashPoint, name: string | symbol, call: unknown, isDecision: boolean): boolean {
  if (name === 'take') return point === 'take' || (point === 'decision' && isDecision);
  if (name === 'save') return point === ((call as Save).then.type === 'hold' ? 'decision' : 'save');
  return point === (name === 'remember' ? 'effect' : name);
}

/** A take that notes whether the reply and its decision were written in one step. */
class WatchedTake {
  readonly call: Take;
  #document: Stored | undefined;

  constructor(call: Take) {
    const { predecide } = call;
    this.call = predecide === undefined ? call : { ...call, predecide: (...found) => this.#noted(predecide(...found)) };
  }

  hasDecided({ claim }: Taken): boolean {
    return this.#document !== undefined && claim?.document?.text === this.#document.text;
  }

  #noted(predecided: Predecided | undefined): Predecided | undefined {
    this.#document = predecided?.document;
    return predecided;
  }
}

function never(): Promise<never> {
  return new Promise(() => {});
}
