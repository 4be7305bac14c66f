/**
 * The SQLite store: conversations for the processes of one machine, in one file. Each step is part of one transaction.
 * No rules live here; what may happen to an ask is decided in core.
 */
import { checkSave, checkTake, time } from '../call-check.js';
import type * as port from '../port.js';
import { Connection } from './connection.js';
import { anythingOver, sweepUp } from './expiry.js';
import { markOf } from './marks.js';
import { checkedOptions, type SqliteStoreOptions } from './options.js';
import { canLend, lend, mark } from './outbox.js';
import * as reading from './reading.js';
import { erase, save } from './save.js';
import { remember, renew, take } from './take.js';

/** How many of each kind a sweep takes away. */
const sweepSize = 500;

/**
 * Keeps conversations in a file, for one process or several on the same machine. What was acknowledged survives a killed
 * process and a machine that loses power. Needs `npm install libsql` where Node is older than 22.13.
 *
 * @example
 * import { AgentRegistry } from 'askback';
 * import { SqliteStore } from 'askback/stores/sqlite';
 * const store = new SqliteStore({ path: './askback.db' });
 * await new AgentRegistry({ agents: [support], store }).start();
 */
export class SqliteStore implements port.Store {
  private readonly connection: Connection;

  constructor(options: SqliteStoreOptions) {
    this.connection = new Connection(checkedOptions(options));
  }

  open(): Promise<void> {
    return this.connection.open();
  }

  async take(call: port.Take): Promise<port.Taken> {
    checkTake(call);
    return this.connection.write((db, now) => take(db, call, now), 'take');
  }

  async save(call: port.Save): Promise<port.Saved> {
    checkSave(call);
    return this.connection.write((db, now) => save(db, call, now));
  }

  async remember(call: port.Remember): Promise<port.Remembered> {
    return this.connection.write((db, now) => remember(db, call, now));
  }

  async renew(holds: readonly port.Hold[], lease: number): Promise<readonly port.Renewed[]> {
    time('lease', lease);
    if (holds.length === 0) return [];
    return this.connection.write((db, now) => holds.map((hold) => renew(db, hold, lease, now)));
  }

  async due(limit: number): Promise<{ conversations: readonly string[]; now: number }> {
    const { over, ...found } = await this.connection.read((db, now) => {
      return { conversations: reading.due(db, limit, now), now, over: anythingOver(db, now) };
    });
    // a file in which nothing else happens is swept here; if that fails, the next one does it
    if (over) this.connection.write((db, now) => sweepUp(db, now, sweepSize)).catch(() => {});
    return found;
  }

  async unsent(call: port.Borrow): Promise<readonly port.Lent[]> {
    time('loan', call.loan);
    if (call.channels.length === 0 || call.limit <= 0) return [];
    if (!(await this.connection.read((db, now) => canLend(db, call, now)))) return [];
    return this.connection.write((db, now) => lend(db, call, now));
  }

  async sent(marks: readonly port.Mark[]): Promise<void> {
    for (const { again } of marks) if (again) time('again.in', again.in);
    if (marks.length === 0) return;
    await this.connection.write((db, now) => {
      for (const each of marks) mark(db, each, now);
    });
  }

  async conversation(conversationId: string): Promise<port.ConversationState | null> {
    return this.connection.read((db, now) => reading.conversation(db, conversationId, now));
  }

  async outcome(conversationId: string, entryId: string): Promise<string | null> {
    return this.connection.read((db, now) => markOf(db, conversationId, entryId, now)?.outcome ?? null);
  }

  async find(id: string): Promise<{ conversationId: string } | { record: string } | null> {
    return this.connection.read((db, now) => reading.find(db, id, now));
  }

  async list(what: 'open' | 'parked', page: port.Page): Promise<{ items: readonly port.Listed[]; cursor?: string }> {
    return this.connection.read((db, now) => reading.list(db, what, page, now));
  }

  async history(conversationId: string, page: port.Page): Promise<{ items: readonly string[]; cursor?: string }> {
    return this.connection.read((db, now) => reading.history(db, conversationId, page, now));
  }

  async conversationsOf(participantId: string): Promise<readonly string[]> {
    return this.connection.read((db, now) => reading.conversationsOf(db, participantId, now));
  }

  async sentAs(conversationId: string, name: string): Promise<string | null> {
    return this.connection.read((db, now) => reading.sentAs(db, conversationId, name, now));
  }

  async erase(call: port.Erase): Promise<boolean> {
    time('retention', call.retention);
    return this.connection.write((db, now) => erase(db, call, now));
  }

  hint(hint: port.Hint): void {
    this.connection.hint(hint);
  }

  async watch(listener: (hint: port.Hint) => void): Promise<() => Promise<void>> {
    const stop = this.connection.watch(listener);
    return async () => stop();
  }

  close(): Promise<void> {
    return this.connection.close();
  }
}
