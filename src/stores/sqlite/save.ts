/**
 * save: the holder's one write, and its hand-over. And erase, which ends a life. Everything in one happens, or nothing.
 * It never looks into documents, outputs, records or outcomes.
 */
import type { Erase, Save, Saved } from '../port.js';
import { Conversation } from './conversation.js';
import type { Database } from './database.js';
import { addMark, dropMarks, markOf } from './marks.js';
import { add, withdraw } from './outbox.js';

export function save(db: Database, call: Save, now: number): Saved {
  const conversation = Conversation.find(db, call.conversationId, now);
  if (conversation === undefined) return { type: 'refused' };
  const { control } = conversation;
  const holds = control.token === call.token;
  if (control.lastCall === call.call) {
    const next = holds && call.then.type === 'next' ? conversation.claimed(now) : undefined;
    return { type: 'saved', now, revision: call.revision + 1, ...(next && { next }) };
  }
  if (!holds || control.revision !== call.revision) {
    const mark = call.closes && markOf(db, call.conversationId, call.closes.entryId, now);
    return mark?.closedBy === call.call ? { type: 'saved', now, revision: call.revision + 1 } : { type: 'refused' };
  }
  apply(db, conversation, call, now);
  const saved = proceed(conversation, call, now);
  conversation.write(now);
  return saved;
}

/** Writes what a save says, all but who holds the conversation afterwards. */
function apply(db: Database, conversation: Conversation, call: Save, now: number): void {
  const { control } = conversation;
  control.revision += 1;
  control.lastCall = call.call;
  control.retention = call.retention;
  control.forget = null; // a save starts the retention anew
  if (call.document !== undefined) conversation.keep(call.document);
  if (call.due !== undefined) control.due = call.due;
  if (call.open !== undefined) control.open = call.open ? 1 : 0;
  if (call.closes !== undefined) close(db, conversation, call, call.closes, now);
  for (const key of call.withdraw) withdraw(db, conversation, key);
  for (const output of call.outputs) add(db, conversation, output, now, call.loan);
  for (const item of call.history) {
    db.run('INSERT INTO history VALUES (?, ?, ?)', control.n, control.lines, item);
    control.lines += 1;
  }
  index(db, control.n, call, now);
}

function close(
  db: Database,
  conversation: Conversation,
  { conversationId, call, repeatMarks }: Save,
  { entryId, outcome }: NonNullable<Save['closes']>,
  now: number,
): void {
  const until = now + repeatMarks;
  const recordedBy = conversation.recordedBy(entryId);
  if (recordedBy !== undefined) conversation.remove(entryId);
  addMark(db, conversationId, entryId, { outcome, recordedBy: recordedBy ?? null, closedBy: call }, until);
}

/** The part of a save that others can find. */
function index(db: Database, n: number, { asks, parked, people, retention }: Save, now: number): void {
  for (const { id, at } of asks.opened) db.run("INSERT OR REPLACE INTO listed VALUES ('open', ?, ?, ?)", id, at, n);
  for (const { id, record } of asks.settled) {
    db.run("DELETE FROM listed WHERE what = 'open' AND id = ?", id);
    db.run('INSERT OR REPLACE INTO settled VALUES (?, ?, ?, ?)', id, record, now + retention, n);
  }
  for (const { id, at } of parked.added) db.run("INSERT OR REPLACE INTO listed VALUES ('parked', ?, ?, ?)", id, at, n);
  for (const id of parked.removed) db.run("DELETE FROM listed WHERE what = 'parked' AND id = ?", id);
  for (const person of people) db.run('INSERT OR IGNORE INTO person VALUES (?, ?)', person, n);
}

/** The last part of a save: go on, hand over, or let go. */
function proceed(conversation: Conversation, call: Save, now: number): Saved {
  const { control } = conversation;
  const { then } = call;
  if (then.type !== 'hold') {
    // closing an entry out of line leaves a turn that goes on as it is; every other close ends the work
    if (then.type === 'next' || call.closes !== undefined) conversation.endWork(call.closes?.keepMemo ?? false);
    else if (control.turn !== null && then.returnStrike) control.strikes -= 1;
    conversation.letGo();
  }
  if (then.type === 'release') control.notBefore = now + then.wait;
  const saved = { type: 'saved', now, revision: control.revision } as const;
  if (then.type !== 'next' || then.lease <= 0 || conversation.wantedAt() > now) return saved;
  return { ...saved, next: conversation.claim(call.token, then.turn, then.lease, now) };
}

export function erase(db: Database, call: Erase, now: number): boolean {
  const control = Conversation.find(db, call.conversationId, now)?.control;
  if (control?.incarnation !== call.incarnation || control.revision !== call.revision) return false;
  db.run('DELETE FROM settled WHERE c = ?', control.n);
  // blanked, not deleted: watchers go by the numbers of the rows
  db.run("UPDATE hint SET conversation = '', entry = NULL WHERE conversation = ?", call.conversationId);
  Conversation.drop(db, control.n);
  dropMarks(db, call.conversationId);
  for (const { id, tombstone } of call.asks) {
    db.run('INSERT OR REPLACE INTO settled VALUES (?, ?, ?, NULL)', id, tombstone, now + call.retention);
  }
  return true;
}
