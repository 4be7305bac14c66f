/**
 * askback/stores/rules: what may happen in a store, written once. A store of your own runs these and brings no rule.
 */
export {
  Changes,
  changesKept,
  type Erased,
  type Facts,
  type ListedPerson,
  type Needs,
  type NewOutput,
  type OpenedAsk,
  type SettledRecord,
} from './changes.js';
export { erase } from './erase.js';
export { wantedAt } from './lease.js';
export { outcomeOf, queueStart, stateOf } from './queries.js';
export { ConversationRecord, type DedupeMark, longestInside, type QueuedEntry, queuedMark } from './record.js';
export { decodeEntry, decodeMark, decodeRecord, encodeEntry, encodeMark, encodeRecord } from './record-text.js';
export { remember } from './remember.js';
export { type Renew, renew } from './renew.js';
export { type Applied, applyLocked, type LockedConversation, type Rule } from './rule.js';
export { save } from './save.js';
export { take } from './take.js';
