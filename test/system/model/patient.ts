/**
 * A registry for a harness that looks at it: what it refuses because its store has not answered within a lease is done again. Where
 * time really passes leases are short, and a starved machine takes longer than one for a single step.
 */
import { AgentError, type AgentRegistry } from '../../../src/index.js';
import { patience } from '../../support/processes.js';

/** For calls that may be repeated: those that read, start and sweep. */
export function patient(registry: AgentRegistry): AgentRegistry {
  return new Proxy(registry, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name, target);
      if (typeof method !== 'function') return method;
      return (...args: readonly unknown[]): unknown => {
        const result: unknown = Reflect.apply(method, target, args);
        return result instanceof Promise ? again(result, () => Reflect.apply(method, target, args)) : result;
      };
    },
  });
}

/** The store was not reached in time; what was wanted of it may have happened. */
export const isNotNow = (error: unknown): boolean => error instanceof AgentError && error.code === 'store-unavailable';

async function again(first: Promise<unknown>, work: () => Promise<unknown>): Promise<unknown> {
  const until = performance.now() + patience;
  for (let result = first; ; result = work()) {
    try {
      return await result;
    } catch (error) {
      if (!isNotNow(error) || performance.now() > until) throw error;
    }
  }
}
