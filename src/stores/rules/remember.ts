/**
 * remember: keeps the result of a finished effect for the turn and its re-runs. The first value wins.
 */
import type { Remember, Remembered } from '../port.js';
import { Changes, noNeeds } from './changes.js';
import { timeOf } from './lease.js';
import type { ConversationRecord } from './record.js';
import { retire } from './retention.js';
import type { Rule } from './rule.js';

const isOver = (record: ConversationRecord, turn: string): boolean => turn === '' || record.turn !== turn;

/** Keeps a finished effect, unless the turn is over or one is there. */
export const remember: Rule<Remember, Remembered> = {
  name: () => 'remember',

  needs(record, { turn, key }) {
    return record === undefined || isOver(record, turn) || !record.hasMemo ? noNeeds : { memo: { turn, key } };
  },

  apply(found, { turn, key, value }, clock, facts) {
    if (found === undefined || isOver(found, turn))
      return { record: found, changes: undefined, answer: { type: 'ended' } };
    if (facts.memo !== undefined)
      return { record: found, changes: undefined, answer: { type: 'kept', value: facts.memo } };
    const record = found.copy();
    const changes = new Changes(timeOf(found, clock));
    changes.memo = { turn, key, value };
    if (!record.hasMemo || record.isRetired) {
      record.hasMemo = true;
      changes.isRecordChanged = true;
      if (record.isRetired) retire(record, changes); // what is kept ends with it
    }
    return { record, changes, answer: { type: 'kept', value } };
  },
};
