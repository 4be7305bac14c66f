/**
 * Wraps a store for a process that may crash: after the crash no call returns, whether it took effect or not.
 */
import { unknownName } from '../core/check-options.js';
import type { Save, Store, Take, Taken } from '../stores/port.js';

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
        const result: unknown = Reflect.apply(method, target, args);
        if (!(result instanceof Promise)) return result;
        return result.then((value: unknown) => {
          if (!dead && armed !== undefined && isAfter(armed, name, args[0], value)) crash();
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

function isAfter(point: CrashPoint, name: string | symbol, call: unknown, said: unknown): boolean {
  if (name === 'take') return point === 'take' || (point === 'decision' && hasDecided(call as Take, said as Taken));
  if (name === 'save') return point === ((call as Save).then.type === 'hold' ? 'decision' : 'save');
  return point === (name === 'remember' ? 'effect' : name);
}

/** True if the reply and its decision were written in one step. */
function hasDecided({ predecided }: Take, { claim }: Taken): boolean {
  return predecided !== undefined && claim?.document === predecided.document;
}

function never(): Promise<never> {
  return new Promise(() => {});
}
