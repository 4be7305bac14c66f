/**
 * A store as a process sees it that may die: after the crash no call returns any more, whether it happened or not.
 */
import type { Store } from '../stores/port.js';

/** The step after which a process dies: done, but its caller never learns. */
export type CrashPoint = 'take' | 'decision' | 'effect' | 'save' | 'sent';

export interface Severed {
  readonly store: Store;
  /** Settles when the process has died. */
  readonly died: Promise<void>;
  crash(): void;
  crashAfter(point: CrashPoint): void;
}

export function severed(inner: Store): Severed {
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
          if (!dead && armed !== undefined && pointOf(name, args[0]) === armed) crash();
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
      armed = point;
    },
  };
}

function pointOf(name: string | symbol, call: unknown): CrashPoint | undefined {
  if (name === 'take' || name === 'sent') return name;
  if (name === 'remember') return 'effect';
  if (name === 'save') return (call as { then: { type: string } }).then.type === 'hold' ? 'decision' : 'save';
  return undefined;
}

function never(): Promise<never> {
  return new Promise(() => {});
}
