/**
 * The store as the parts of a registry read it: a look that met an outage is taken again for a moment, as a message is.
 * Steps that write for a turn have limits of their own and are tried again by whoever makes them.
 */
import type { Store } from '../stores/port.js';
import type { House } from './house.js';
import { persistently } from './house.js';

const looks = new Set<PropertyKey>([
  'find',
  'conversation',
  'outcome',
  'list',
  'history',
  'conversationsOf',
  'sentAs',
  'unsent',
  'erase',
]);

export function patient(store: Store, house: () => House, limit: number): Store {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      if (!looks.has(name)) return member.bind(target);
      return (...args: unknown[]) =>
        persistently(house(), String(name), limit, () => Reflect.apply(member, target, args) as Promise<unknown>);
    },
  });
}
