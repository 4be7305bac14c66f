/**
 * A record survives being written and read, and what a newer release wrote survives an older one.
 */
import { expect, test } from 'vitest';
import { StoredRecord } from '../../../../src/core/format/stored.js';
import { ConversationRecord, type QueuedEntry } from '../../../../src/stores/rules/record.js';
import {
  decodeEntry,
  decodeMark,
  decodeRecord,
  encodeEntry,
  encodeMark,
  encodeRecord,
} from '../../../../src/stores/rules/record-text.js';

const hostile = 'a:b,c\n\0"\\ 你 \ud800 12:x';

const front: QueuedEntry = {
  id: hostile,
  at: 17.5,
  data: StoredRecord.ofText(hostile),
  turn: 'own',
  recordedBy: 'token',
  revision: 12,
  isMarked: true,
  rest: '',
};
const mark = { endsAt: 99, closedBy: 'call', outcome: { text: hostile }, recordedBy: 'token', rest: '' };

/** A record in which no field has the value that it begins with. */
function fullRecord(): ConversationRecord {
  const record = new ConversationRecord('life', 1_700_000_000_000);
  Object.assign(record, {
    ...{ revision: 3, lastCall: 'call', handedOver: true, isOpen: true, dueAt: 12, notBefore: 10 },
    ...{ token: 'token', leasedUntil: 20, isLeasedForFront: true, turn: 'turn', attempt: 2, strikes: 3, hasMemo: true },
    ...{ keptMemos: ['t1', hostile], front, hasQueue: true, document: { text: hostile } },
    ...{ nextSeq: 17, people: [hostile, ''], hasPeopleBeside: true, peopleUntil: 55 },
    ...{ recentMarks: [[hostile, mark]], marksBeside: 5, sweepMarksAt: 128, marksUntil: 98 },
    ...{ historyStart: 4, historyEnd: 13, isRetired: true, endsAt: 77, retention: 88, dedupeFor: 66 },
  });
  return record;
}

test('a record is read as it was written, whatever its strings are', () => {
  for (const record of [new ConversationRecord('life', 5), Object.assign(fullRecord(), { document: { text: '' } })]) {
    expect(decodeRecord(encodeRecord(record))).toEqual(record);
  }
  // the text says only whether there is a document
  expect(decodeRecord(encodeRecord(fullRecord())).document).toEqual({ text: '' });
});

test('a copy has every field of its record', () => {
  const record = Object.assign(fullRecord(), { stamp: 'stamp', rest: 'rest' });
  const fresh = new ConversationRecord('', 0);
  for (const name of Object.keys(fresh) as (keyof ConversationRecord)[]) {
    expect([name, record[name]]).not.toEqual([name, fresh[name]]);
  }
  expect(record.copy()).toEqual(record);
});

test('fields of a newer release are carried and written back: in a record, its front entry and its marks', () => {
  const more = '3:new0:';
  const newer = Object.assign(fullRecord(), {
    front: { ...front, rest: more },
    recentMarks: [['e', { ...mark, rest: more }]],
    rest: more,
  });
  const text = encodeRecord(newer);
  const read = decodeRecord(text);
  expect([read.rest, read.front?.rest, read.recentMarks[0]?.[1].rest]).toEqual([more, more, more]);
  expect(encodeRecord(read.copy())).toBe(text);
});

test('an entry and a mark beside the record carry the fields of a newer release as well', () => {
  const more = '3:new';
  const entryText = `${encodeEntry(front)}${more}`;
  const markText = `${encodeMark(mark)}${more}`;
  expect(decodeEntry(entryText, 17.5)).toEqual({ ...front, rest: more });
  expect(encodeEntry(decodeEntry(entryText, 17.5))).toBe(entryText);
  expect(encodeMark(decodeMark(markText))).toBe(markText);
});

test('a record of a newer format is refused as such, and what is no record as damaged', () => {
  const newer = encodeRecord(fullRecord()).replace(/^(\d+):1,/, '$1:2,');
  expect(() => decodeRecord(newer)).toThrow(expect.objectContaining({ code: 'newer-record' }));
  for (const text of ['', '{}', '3:abc', encodeRecord(fullRecord()).slice(0, -4)]) {
    expect(() => decodeRecord(text)).toThrow(expect.objectContaining({ code: 'bad-record' }));
  }
});
