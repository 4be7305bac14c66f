/**
 * What can be read without holding anything: conversations, asks, lists, history, people. Changes nothing.
 */
import { badCursor } from '../pages.js';
import type { ConversationState, Listed, Page } from '../port.js';
import { Conversation } from './conversation.js';
import type { Database } from './database.js';

const living = '(conversation.forget IS NULL OR conversation.forget > ?)';

export function conversation(db: Database, id: string, now: number): ConversationState | null {
  const found = Conversation.find(db, id, now);
  if (found === undefined) return null;
  const { incarnation, revision, turn } = found.control;
  const state = { incarnation, revision, document: found.document(), queue: found.queue() };
  return { ...state, held: found.held(now), begun: turn !== null, now };
}

export function due(db: Database, limit: number, now: number): string[] {
  const sql = 'SELECT id FROM conversation WHERE wants <= ? ORDER BY wants LIMIT ?';
  return db.all<{ id: string }>(sql, now, rows(limit)).map(({ id }) => id);
}

export function find(db: Database, id: string, now: number): { conversationId: string } | { record: string } | null {
  const sql = `SELECT conversation.id FROM listed JOIN conversation ON conversation.n = c
    WHERE what = ? AND listed.id = ? AND ${living}`;
  for (const what of ['open', 'parked']) {
    const listed = db.get<{ id: string }>(sql, what, id, now);
    if (listed !== undefined) return { conversationId: listed.id };
  }
  const settled = db.get<{ record: string }>('SELECT record FROM settled WHERE id = ? AND until > ?', id, now);
  return settled === undefined ? null : { record: settled.record };
}

export function list(db: Database, what: 'open' | 'parked', { limit, cursor }: Page, now: number) {
  const sql = `SELECT listed.id, at, conversation.id AS conversationId FROM listed JOIN conversation ON conversation.n = c
    WHERE what = ? AND ${living} AND (at, listed.id) > (?, ?) ORDER BY at, listed.id LIMIT ?`;
  const after = cursor === undefined ? { at: -1, id: '' } : position(cursor);
  const found = db.all<Listed>(sql, what, now, after.at, after.id, rows(limit) + 1);
  const items = found.slice(0, limit).map(({ id, conversationId, at }) => ({ id, conversationId, at }));
  const last = items.at(-1);
  return { items, ...(last && found.length > items.length && { cursor: `${last.at}:${last.id}` }) };
}

export function history(db: Database, conversationId: string, { limit, cursor }: Page, now: number) {
  const end = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor || Number.NaN);
  if (!Number.isSafeInteger(end)) throw badCursor(cursor);
  const n = Conversation.find(db, conversationId, now)?.control.n;
  if (n === undefined) return { items: [] };
  const sql = 'SELECT n, item FROM history WHERE c = ? AND n < ? ORDER BY n DESC LIMIT ?';
  const found = db.all<{ n: number; item: string }>(sql, n, end, rows(limit)).reverse();
  const start = found[0]?.n ?? 0;
  return { items: found.map(({ item }) => item), ...(start > 0 && { cursor: String(start) }) };
}

export function conversationsOf(db: Database, person: string, now: number): string[] {
  const sql = `SELECT conversation.id FROM person JOIN conversation ON conversation.n = c WHERE person.id = ? AND ${living}`;
  return db.all<{ id: string }>(sql, person, now).map(({ id }) => id);
}

export function sentAs(db: Database, conversationId: string, name: string, now: number): string | null {
  const n = Conversation.find(db, conversationId, now)?.control.n;
  if (n === undefined) return null;
  return db.get<{ id: string }>('SELECT id FROM sent WHERE c = ? AND name = ?', n, name)?.id ?? null;
}

/** SQLite takes whole numbers only, and reads a negative one as "all". */
export function rows(limit: number): number {
  return Math.max(0, Math.min(Math.floor(limit), 1e9));
}

function position(cursor: string): Pick<Listed, 'at' | 'id'> {
  const colon = cursor.indexOf(':');
  const at = Number(cursor.slice(0, Math.max(colon, 0)) || Number.NaN);
  if (!Number.isFinite(at)) throw badCursor(cursor);
  return { at, id: cursor.slice(colon + 1) };
}
