/**
 * One conversation in the file: who holds it, what waits in it, and the work that has been begun.
 * It is read at the beginning of a step and written at its end; it never asks for the time.
 */
import type { Mutable } from '../../core/defined-fields.js';
import { randomId } from '../../machine/clock.js';
import type { Claim, NewEntry, Predecided, QueuedText } from '../port.js';
import type { Database } from './database.js';

/** The columns of the table, as they are. */
interface Control {
  readonly n: number;
  readonly id: string;
  readonly incarnation: string;
  revision: number;
  due: number | null;
  open: number;
  retention: number;
  token: string | null;
  until: number;
  heldEntry: string | null;
  heldBy: string | null;
  turn: string | null;
  attempt: number;
  strikes: number;
  notBefore: number;
  lastCall: string | null;
  memo: number;
  lines: number;
  place: number;
  waiting: number;
  pushes: number;
  wants: number | null;
  forget: number | null;
}

interface Waiting extends QueuedText {
  readonly turn: string | null;
  readonly token: string;
}

/** A conversation that has just begun, but for its names. */
const fresh = {
  ...{
    revision: 0,
    due: null,
    open: 0,
    retention: 0,
    token: null,
    until: 0,
    heldEntry: null,
    heldBy: null,
    turn: null,
  },
  ...{ attempt: 0, strikes: 0, notBefore: 0, lastCall: null, memo: 0, lines: 0, place: 0, waiting: 0, pushes: 0 },
  ...{ wants: null, forget: null },
};

export class Conversation {
  readonly control: Control;
  private readonly db: Database;
  /** What was just recorded into an empty line: it need not be looked for. */
  private first: Waiting | undefined;

  private constructor(db: Database, control: Control) {
    this.db = db;
    this.control = control;
  }

  /** The conversation as it is at `now`, or undefined if there is none any more. */
  static find(db: Database, id: string, now: number): Conversation | undefined {
    const control = db.get<Control>('SELECT * FROM conversation WHERE id = ?', id);
    if (control === undefined || (control.forget !== null && control.forget <= now)) return undefined;
    return new Conversation(db, control);
  }

  static create(db: Database, id: string): Conversation {
    const incarnation = randomId();
    let n = db.insert(insert, id, incarnation);
    if (n === undefined) {
      // one of that name is there: its time had passed, and nobody had swept it up yet
      const over = db.get<{ n: number }>('SELECT n FROM conversation WHERE id = ?', id);
      if (over !== undefined) Conversation.drop(db, over.n);
      n = db.insert(insert, id, incarnation);
    }
    return new Conversation(db, { n: n as number, id, incarnation, ...fresh });
  }

  /** Takes away all that goes with a conversation. Marks and records of settled asks have a time of their own. */
  static drop(db: Database, n: number): void {
    for (const table of ['document', 'entry', 'output', 'sent', 'memo', 'history', 'person', 'listed']) {
      db.run(`DELETE FROM ${table} WHERE c = ?`, n);
    }
    db.run('DELETE FROM conversation WHERE n = ?', n);
  }

  /** The token that recorded an entry that waits. */
  recordedBy(entryId: string): string | undefined {
    const { waiting, heldEntry, heldBy } = this.control;
    if (waiting === 0) return undefined;
    if (entryId === heldEntry && heldBy !== null) return heldBy; // only its holder takes it out of the line
    return this.db.get<{ token: string }>('SELECT token FROM entry WHERE c = ? AND id = ?', this.control.n, entryId)
      ?.token;
  }

  record(entry: NewEntry, token: string, at: number): void {
    const { control } = this;
    const { id, data, turn } = entry;
    this.db.run(
      'INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?)',
      control.n,
      control.place,
      id,
      at,
      data,
      turn ?? null,
      token,
    );
    if (control.waiting === 0) this.first = { id, at, data, turn: turn ?? null, token };
    control.place += 1;
    control.waiting += 1;
  }

  /** Takes an entry out of the line, wherever it stands. */
  remove(entryId: string): void {
    this.db.run('DELETE FROM entry WHERE c = ? AND id = ?', this.control.n, entryId);
    this.first = undefined;
    this.control.waiting -= 1;
    if (entryId === this.control.heldEntry) this.control.heldBy = null; // it stands in line no more
  }

  held(now: number): boolean {
    return this.control.token !== null && now < this.control.until;
  }

  /** When it will want a holder, as things are; Infinity for never. */
  wantedAt(): number {
    const { waiting, due, notBefore, until } = this.control;
    const work = waiting > 0 ? 0 : (due ?? Number.POSITIVE_INFINITY);
    return Math.max(work, notBefore, until);
  }

  /** A new hold: one attempt and one strike more, of the unfinished work or of new work. */
  claim(token: string, turn: string, lease: number, now: number): Claim {
    const { control } = this;
    const front = this.front();
    if (control.turn === null) {
      control.turn = front?.turn ?? turn;
      control.attempt = 0;
      control.strikes = 0;
      control.memo = front?.turn ? 1 : 0; // under an id it had before it may have left something
    }
    control.attempt += 1;
    control.strikes += 1;
    control.token = token;
    control.until = now + lease;
    control.heldEntry = front?.id ?? null;
    control.heldBy = front?.token ?? null;
    return this.claimOf(token, control.turn, front, now);
  }

  /** What the holder's own claim came with is written; the claim with it. */
  foresaw({ document }: Predecided, now: number): Claim | undefined {
    this.control.revision += 1;
    this.keep(document);
    return this.claimed(now);
  }

  keep(document: string): void {
    this.db.run('INSERT OR REPLACE INTO document VALUES (?, ?)', this.control.n, document);
  }

  /** The claim as its holder has it, for giving it again. */
  claimed(now: number): Claim | undefined {
    const { n, token, turn, heldEntry } = this.control;
    if (token === null || turn === null) return undefined;
    const sql = 'SELECT id, at, data FROM entry WHERE c = ? AND id = ?';
    const entry = heldEntry === null ? undefined : this.db.get<QueuedText>(sql, n, heldEntry);
    return this.claimOf(token, turn, entry, now);
  }

  private claimOf(token: string, turn: string, entry: QueuedText | undefined, now: number): Claim {
    const { attempt, strikes, revision, incarnation } = this.control;
    const document = revision === 0 ? null : this.document(); // only a save writes one
    const claim: Mutable<Claim> = {
      ...{ token, turn, attempt, strikes, revision, incarnation, now, document },
      memo: this.memoOf(turn),
    };
    if (entry !== undefined) claim.entry = { id: entry.id, at: entry.at, data: entry.data };
    return claim;
  }

  private memoOf(turn: string): Claim['memo'] {
    if (this.control.memo === 0) return {};
    const sql = 'SELECT key, value FROM memo WHERE c = ? AND turn = ?';
    const kept = this.db.all<{ key: string; value: string }>(sql, this.control.n, turn);
    return Object.fromEntries(kept.map(({ key, value }) => [key, value]));
  }

  /** Nobody holds it any more. */
  letGo(): void {
    Object.assign(this.control, { token: null, until: 0, heldEntry: null, heldBy: null });
  }

  /** The work is over: what comes next counts anew. */
  endWork(keepMemo: boolean): void {
    const { control } = this;
    if (control.turn === null) return;
    if (!keepMemo && control.memo === 1) {
      const front = this.front();
      // work done before the front entry is read goes under that entry's turn id, and must not spend its memo
      const lent = front?.turn === control.turn && front.id === control.heldEntry;
      if (!lent) this.db.run('DELETE FROM memo WHERE c = ? AND turn = ?', control.n, control.turn);
    }
    Object.assign(control, { turn: null, attempt: 0, strikes: 0, memo: 0 });
  }

  document(): string | null {
    return this.db.get<{ text: string }>('SELECT text FROM document WHERE c = ?', this.control.n)?.text ?? null;
  }

  queue(): QueuedText[] {
    const rows = this.db.all<QueuedText>('SELECT id, at, data FROM entry WHERE c = ? ORDER BY place', this.control.n);
    return rows.map(({ id, at, data }) => ({ id, at, data }));
  }

  /** Puts it where it will be looked for, by workers and by time passing, and writes it down. */
  write(now: number): void {
    const { control } = this;
    const wanted = this.wantedAt();
    control.wants = wanted < Number.POSITIVE_INFINITY ? wanted : null;
    const idle = control.open === 0 && control.due === null && control.waiting === 0 && control.pushes === 0;
    if (!idle) control.forget = null;
    else if (control.forget === null || this.held(now))
      control.forget = Math.max(now, control.until) + control.retention;
    this.db.run(update, ...names.map((name) => control[name]), control.n);
  }

  private front(): Waiting | undefined {
    if (this.control.waiting === 0) return undefined;
    if (this.first !== undefined) return this.first;
    const sql = 'SELECT id, at, data, turn, token FROM entry WHERE c = ? ORDER BY place LIMIT 1';
    return this.db.get<Waiting>(sql, this.control.n);
  }
}

const names = [
  'revision',
  'due',
  'open',
  'retention',
  'token',
  'until',
  'heldEntry',
  'heldBy',
  'turn',
  'attempt',
  'strikes',
  'notBefore',
  'lastCall',
  'memo',
  'lines',
  'place',
  'waiting',
  'pushes',
  'wants',
  'forget',
] as const;
const insert = `INSERT INTO conversation
  (id, incarnation, revision, open, retention, until, attempt, strikes, notBefore, memo, lines, place, waiting, pushes)
  VALUES (?, ?, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) ON CONFLICT (id) DO NOTHING`;
const update = `UPDATE conversation SET ${names.map((name) => `${name} = ?`).join(', ')} WHERE n = ?`;
