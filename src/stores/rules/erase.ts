/**
 * erase: ends one life of a conversation. Nothing of it stays but tombstones of its asks.
 */
import type { Erase } from '../port.js';
import { Changes, noNeeds } from './changes.js';
import { timeOf } from './lease.js';
import type { Rule } from './rule.js';

/** Ends the life of a conversation that was read, if nothing changed in it since. */
export const erase: Rule<Erase, boolean> = {
  name: () => 'erase',

  needs(record) {
    return record?.hasPeopleBeside ? { people: true } : noNeeds;
  },

  apply(found, { incarnation, revision, asks, parked, retention }, clock, facts) {
    if (found === undefined || found.incarnation !== incarnation || found.revision !== revision)
      return { record: found, changes: undefined, answer: false };
    const changes = new Changes(timeOf(found, clock));
    changes.erased = {
      people: [...found.people, ...(facts.people ?? [])],
      memos: found.hasMemo ? [found.turn, ...found.keptMemos] : found.keptMemos,
      parked,
      asks,
      until: changes.now + Math.max(1, retention),
    };
    return { record: undefined, changes, answer: true };
  },
};
