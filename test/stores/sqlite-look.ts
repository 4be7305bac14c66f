/**
 * Looks into a file behind the store's back: whether everything in it fits together. Changes nothing.
 */
import { expect } from 'vitest';
import type { Database } from '../../src/stores/sqlite/database.js';

const parts = ['document', 'entry', 'output', 'sent', 'memo', 'history', 'person', 'listed'];

interface Looked {
  readonly n: number;
  readonly id: string;
  readonly due: number | null;
  readonly open: number;
  readonly until: number;
  readonly notBefore: number;
  readonly waiting: number;
  readonly pushes: number;
  readonly wants: number | null;
  readonly forget: number | null;
}

/** Everything must fit together, whatever was done last. */
export function checkFile(db: Database): void {
  const count = (sql: string, n: number) => db.get<{ k: number }>(`SELECT count(*) AS k FROM ${sql}`, n)?.k;
  for (const c of db.all<Looked>('SELECT * FROM conversation')) {
    expect(c.waiting, `${c.id}: entries`).toBe(count('entry WHERE c = ?', c.n));
    expect(c.pushes, `${c.id}: outputs to push`).toBe(count('output WHERE pull = 0 AND c = ?', c.n));
    const work = c.waiting > 0 || c.due !== null;
    const at = Math.max(c.waiting > 0 ? 0 : (c.due ?? 0), c.notBefore, c.until);
    expect(c.wants, `${c.id} wants a holder`).toBe(work ? at : null);
    expect(c.forget !== null, `${c.id} may be forgotten`).toBe(!work && c.open === 0 && c.pushes === 0);
  }
  for (const part of parts) {
    const left = db.all(`SELECT c FROM ${part} WHERE c NOT IN (SELECT n FROM conversation)`);
    expect(left, `${part} without a conversation`).toEqual([]);
  }
  expect(db.all<{ integrity_check: string }>('PRAGMA integrity_check').map((row) => row.integrity_check)).toEqual([
    'ok',
  ]);
}
