/**
 * What work leaves behind in the conversation: its document, and the finished effects that a turn remembers.
 */
import type { Remember, Remembered } from '../port.js';
import type { Applied, Reads, Writes } from './ports.js';
import { type ConversationRecord, longestInside } from './record.js';

/** A short document is kept in the record, a longer one beside it. */
export function keepDocument(record: ConversationRecord, text: string, writes: Writes): void {
  const wasBeside = record.document === undefined;
  record.document = text.length <= longestInside ? text : undefined;
  if (record.document === undefined) writes.putDocument(text);
  else if (wasBeside) writes.putDocument(undefined);
}

/** Keeps an effect under its key for the turn. The first value wins. */
export function applyRemember(
  found: ConversationRecord | undefined,
  { turn, key, value }: Remember,
  reads: Reads,
  writes: Writes,
): Applied<Remembered> {
  if (found === undefined || turn === '' || found.turn !== turn) {
    return { record: found, isChanged: false, answer: { type: 'ended' } };
  }
  const first = found.hasMemo ? reads.memo(turn, key) : undefined;
  if (first !== undefined) return { record: found, isChanged: false, answer: { type: 'kept', value: first } };
  const record = found.copy();
  record.hasMemo = true;
  writes.putMemo(turn, key, value);
  if (record.isRetired) writes.keepUntil(record, record.endsAt); // the memo too
  return { record, isChanged: !found.hasMemo, answer: { type: 'kept', value } };
}
