/**
 * renew: extends the lease of a token, also after its time as long as nobody else has claimed.
 */
import type { Hold, Renewed } from '../port.js';
import { Changes, noNeeds } from './changes.js';
import { timeOf } from './lease.js';
import { retireOrRevive } from './retention.js';
import type { Rule } from './rule.js';

/** A hold that is to last for `lease` ms from now. */
export interface Renew extends Hold {
  /** In ms. */
  readonly lease: number;
}

/** Extends a lease. */
export const renew: Rule<Renew, Renewed> = {
  name: () => 'renew',

  needs(record) {
    return record?.hasQueue ? { waiting: true } : noNeeds;
  },

  apply(found, { conversationId, token, lease }, clock, facts) {
    const now = timeOf(found, clock);
    const queue = found?.front === undefined ? 0 : 1 + (facts.waiting ?? 0);
    const held = found !== undefined && token !== '' && found.token === token;
    const answer = { conversationId, token, held, now, queue };
    if (!held) return { record: found, changes: undefined, answer };
    const record = found.copy();
    const changes = new Changes(now);
    changes.isRecordChanged = true;
    record.lastTime = now;
    record.leasedUntil = now + lease;
    retireOrRevive(record, changes);
    return { record, changes, answer };
  },
};
