/**
 * Watches the values that pass the store port. A store that keeps objects gives the same one to everybody, so nobody may change it, and it
 * must be what its text says: plain data.
 */
import { StoredRecord } from '../../src/core/format/stored.js';
import type { Store } from '../../src/index.js';

/** The store as another process has it: of each record it is given the text. */
export function inTexts(inner: Store): Store {
  return new Proxy(inner, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return (...args: unknown[]): unknown => {
        const given: unknown = Reflect.apply(method, target, args);
        return given instanceof Promise && name !== 'watch' ? given.then(textsIn) : given;
      };
    },
  });
}

function textsIn(given: unknown): unknown {
  if (given instanceof StoredRecord) return { text: given.text };
  if (Array.isArray(given)) return given.map(textsIn);
  if (typeof given !== 'object' || given === null) return given;
  return Object.fromEntries(Object.entries(given).map(([key, value]) => [key, textsIn(value)]));
}

/** The store; what is given to it must be plain data, and is frozen. */
export function frozenValues(inner: Store): Store {
  return new Proxy(inner, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return (...args: unknown[]): unknown => {
        for (const arg of args) freezeRecords(arg);
        return Reflect.apply(method, target, args);
      };
    },
  });
}

function freezeRecords(given: unknown): void {
  if (given instanceof StoredRecord) freeze(given.value, 'the value');
  else if (Array.isArray(given)) given.forEach(freezeRecords);
  else if (typeof given === 'object' && given !== null) Object.values(given).forEach(freezeRecords);
}

function freeze(value: unknown, path: string): void {
  if (typeof value === 'number' && Number.isFinite(value)) return;
  if (value === null || ['string', 'boolean', 'undefined'].includes(typeof value)) return;
  if (typeof value !== 'object') throw new Error(`${path} is ${typeof value} ${String(value)}, which JSON cannot have`);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null)
    throw new Error(`${path} is a ${value.constructor.name}, which JSON cannot have`);
  if (Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const [key, inner] of Object.entries(value)) {
    if (inner === undefined && Array.isArray(value))
      throw new Error(`${path}.${key} is nothing in a list, which JSON cannot have`);
    freeze(inner, `${path}.${key}`);
  }
}
