/**
 * The tables of the file, and the format they are. Every text is opaque; times are REAL, because they are JavaScript's
 * numbers. `c` is always `conversation.n`, which is never used twice: a second life is never taken for the first.
 */

/** Raised when a release could not read what another wrote. */
export const format = 1;
/** Marks a file as ours, in SQLite's own header: `askb`. */
export const applicationId = 0x61_73_6b_62;

export const schema = `
-- one row: the format, and the latest time that anything was written at
CREATE TABLE askback (format INTEGER NOT NULL, last REAL NOT NULL);
INSERT INTO askback VALUES (${format}, 0);

CREATE TABLE conversation (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  incarnation TEXT NOT NULL,
  revision INTEGER NOT NULL,
  due REAL,
  open INTEGER NOT NULL,
  retention REAL NOT NULL,
  token TEXT, -- the hold: whose, until when, for which entry
  until REAL NOT NULL,
  heldEntry TEXT,
  heldBy TEXT, -- the token that recorded that entry
  turn TEXT, -- the work that was begun and not closed
  attempt INTEGER NOT NULL,
  strikes INTEGER NOT NULL,
  notBefore REAL NOT NULL,
  lastCall TEXT, -- the last save
  memo INTEGER NOT NULL, -- 1: the begun work may have something in memo
  lines INTEGER NOT NULL, -- of history
  place INTEGER NOT NULL, -- of the next entry
  waiting INTEGER NOT NULL, -- entries
  pushes INTEGER NOT NULL, -- outputs that somebody has to push
  wants REAL, -- when it wants a holder
  forget REAL -- when nothing is left of it
);
CREATE INDEX conversation_wants ON conversation (wants) WHERE wants IS NOT NULL;
CREATE INDEX conversation_forget ON conversation (forget) WHERE forget IS NOT NULL;

-- apart from its conversation, which is written at every step
CREATE TABLE document (c INTEGER PRIMARY KEY, text TEXT NOT NULL);

CREATE TABLE entry (
  c INTEGER NOT NULL, place INTEGER NOT NULL,
  id TEXT NOT NULL, at REAL NOT NULL, data TEXT NOT NULL, turn TEXT, token TEXT NOT NULL,
  PRIMARY KEY (c, place)
) WITHOUT ROWID;
CREATE UNIQUE INDEX entry_id ON entry (c, id);

-- what was closed; outlives its conversation
CREATE TABLE mark (
  conversation TEXT NOT NULL, entry TEXT NOT NULL,
  outcome TEXT NOT NULL, recordedBy TEXT, closedBy TEXT NOT NULL, until REAL NOT NULL,
  PRIMARY KEY (conversation, entry)
) WITHOUT ROWID;
CREATE INDEX mark_until ON mark (until);

-- n is the order of saving; free: when it may be lent, 0 once that has been noticed
CREATE TABLE output (
  n INTEGER PRIMARY KEY, c INTEGER NOT NULL, key TEXT NOT NULL,
  channel TEXT NOT NULL, pull INTEGER NOT NULL, free REAL NOT NULL, data TEXT NOT NULL
);
CREATE UNIQUE INDEX output_key ON output (c, key);
CREATE INDEX output_free ON output (channel, free, n) WHERE pull = 0;
CREATE TABLE sent (c INTEGER NOT NULL, name TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (c, name)) WITHOUT ROWID;

CREATE TABLE memo (
  c INTEGER NOT NULL, turn TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,
  PRIMARY KEY (c, turn, key)
) WITHOUT ROWID;
CREATE TABLE history (c INTEGER NOT NULL, n INTEGER NOT NULL, item TEXT NOT NULL, PRIMARY KEY (c, n)) WITHOUT ROWID;
CREATE TABLE person (id TEXT NOT NULL, c INTEGER NOT NULL, PRIMARY KEY (id, c)) WITHOUT ROWID;
CREATE INDEX person_c ON person (c);

-- open asks and parked entries
CREATE TABLE listed (
  what TEXT NOT NULL, id TEXT NOT NULL, at REAL NOT NULL, c INTEGER NOT NULL,
  PRIMARY KEY (what, id)
) WITHOUT ROWID;
CREATE INDEX listed_at ON listed (what, at, id);
CREATE INDEX listed_c ON listed (c);
-- records of settled asks; outlive their conversation (c is null for a tombstone)
CREATE TABLE settled (id TEXT PRIMARY KEY, record TEXT NOT NULL, until REAL NOT NULL, c INTEGER) WITHOUT ROWID;
CREATE INDEX settled_until ON settled (until);
CREATE INDEX settled_c ON settled (c) WHERE c IS NOT NULL;

-- the last hints, for other processes
CREATE TABLE hint (n INTEGER PRIMARY KEY, writer TEXT NOT NULL, conversation TEXT NOT NULL, entry TEXT, unsent INTEGER NOT NULL);

PRAGMA application_id = ${applicationId};
`;
