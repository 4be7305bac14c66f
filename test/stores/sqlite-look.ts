/**
 * Looks into a file behind the store's back: whether everything in it fits together. Changes nothing.
 */
import { expect } from 'vitest';
import { decodeRecord } from '../../src/stores/lifecycle/record-text.js';
import type { Database } from '../../src/stores/sqlite/database.js';

const parts = ['document', 'queue', 'output', 'unsent', 'history', 'listed', 'person', 'memo', 'sent'];

interface StoredConversation {
  readonly id: string;
  readonly record: string;
  readonly due: number | null;
  readonly ends: number | null;
}

/** Everything must fit together, whatever was done last. */
export function checkFile(db: Database): void {
  const count = (sql: string, id: string) => db.get<{ k: number }>(`SELECT count(*) AS k FROM ${sql}`, id)?.k;
  for (const { id, record: text, due, ends } of db.all<StoredConversation>('SELECT * FROM conversation')) {
    const record = decodeRecord(text);
    const hasWork = record.front !== undefined || record.dueAt !== null;
    expect([id, due]).toEqual([id, record.indexedAt]);
    expect(due !== null, `${id} is due if it is leased or has work`).toBe(record.token !== '' || hasWork);
    if (!record.hasQueue) expect([id, 'queue', count('queue WHERE c = ?', id)]).toEqual([id, 'queue', 0]);
    if (record.front === undefined) expect(record.hasQueue, `${id}: a queue without a front`).toBe(false);
    const unsent = [record.outputs.length + record.outputsBeside, record.outputsBeside];
    const found = [count('output WHERE c = ?', id), count('output WHERE beside IS NOT NULL AND c = ?', id)];
    expect([id, found]).toEqual([id, unsent]);
    const pushes = new Set(record.outputs.map(({ channel }) => channel));
    for (const { channel } of record.backlogs) pushes.add(channel);
    expect([id, count('unsent WHERE c = ?', id)]).toEqual([id, pushes.size]);
    expect(ends, `${id} may be forgotten`).toBe(record.isRetired ? record.endsAt : null);
    const isIdle = !hasWork && !record.isOpen && pushes.size === 0 && record.token === '';
    if (isIdle) expect(record.isRetired, `${id} has nothing left to do`).toBe(true);
    if (record.isRetired) expect([hasWork, record.isOpen, pushes.size], `${id} is retired`).toEqual([false, false, 0]);
  }
  for (const part of parts) {
    const left = db.all(`SELECT c FROM ${part} WHERE c NOT IN (SELECT id FROM conversation)`);
    expect(left, `${part} without a conversation`).toEqual([]);
  }
  expect(db.all<{ integrity_check: string }>('PRAGMA integrity_check').map((row) => row.integrity_check)).toEqual([
    'ok',
  ]);
}
