/**
 * Looks into a file behind the store's back: whether everything in it fits together. Changes nothing.
 */
import { expect } from 'vitest';
import { wantedAt } from '../../../src/stores/rules/lease.js';
import { decodeRecord } from '../../../src/stores/rules/record-text.js';
import { isFinished } from '../../../src/stores/rules/retention.js';
import type { Database } from '../../../src/stores/sqlite/database.js';

const parts = ['document', 'queue', 'output', 'history', 'listed', 'person', 'memo', 'sent'];

interface StoredConversation {
  readonly id: string;
  readonly record: string;
  readonly document: string | null;
  readonly due: number | null;
  readonly kept: number | null;
  readonly ends: number | null;
}

/** Everything must fit together, whatever was done last. */
export function checkFile(db: Database): void {
  const count = (sql: string, id: string) => db.get<{ k: number }>(`SELECT count(*) AS k FROM ${sql}`, id)?.k;
  for (const row of db.all<StoredConversation>('SELECT * FROM conversation')) {
    const { id, due, ends, kept } = row;
    const record = decodeRecord(row.record);
    expect([id, due]).toEqual([id, wantedAt(record)]);
    if (!record.hasQueue) expect([id, 'queue', count('queue WHERE c = ?', id)]).toEqual([id, 'queue', 0]);
    if (record.front === undefined) expect(record.hasQueue, `${id}: a queue without a front`).toBe(false);
    const long = count('document WHERE c = ?', id);
    expect([id, long], 'a document is in one place').toEqual([
      id,
      record.document !== null && row.document === null ? 1 : 0,
    ]);
    expect([id, count('history WHERE c = ?', id)]).toEqual([id, record.historyEnd - record.historyStart]);
    expect(record.isRetired, `${id} has nothing left to do`).toBe(isFinished(record, record.lastTime));
    expect([id, kept]).toEqual([id, record.isRetired ? record.retention : null]);
    const pushes = count('output WHERE c = ?', id) !== 0;
    if (!record.isRetired || pushes) expect(ends, `${id} must not be forgotten`).toBeNull();
    else expect(ends, `${id} may be forgotten`).toBeGreaterThanOrEqual(record.endsAt);
  }
  for (const part of parts) {
    const left = db.all(`SELECT c FROM ${part} WHERE c NOT IN (SELECT id FROM conversation)`);
    expect(left, `${part} without a conversation`).toEqual([]);
  }
  expect(db.all<{ integrity_check: string }>('PRAGMA integrity_check').map((row) => row.integrity_check)).toEqual([
    'ok',
  ]);
}
