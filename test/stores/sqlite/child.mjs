/**
 * A process that shares a file with others, on the built library. It does what the test tells it over IPC:
 * `race` takes every conversation once; `burst` works without end and tells what was acknowledged; `sit` keeps the file
 * locked; `open` opens and writes, as another user if one is given; `fill` writes more and closes.
 */
import { library } from '../../support/library.mjs';

const { SqliteStore } = await library('stores/sqlite/index.js');

const [path, name, role, user] = process.argv.slice(2);
// before the rights are given up: a driver reads files of its own
const Driver = process.getBuiltinModule('node:sqlite')?.DatabaseSync ?? (await import('libsql')).default;
if (user) process.setuid(Number(user));
const store = new SqliteStore({ path, logger: { warn: () => {}, debug: () => {} } });

const nothing = {
  outputs: [],
  withdraw: [],
  asks: { opened: [], changed: [], settled: [] },
  parked: { added: [], removed: [] },
  people: [],
  historyLimit: 100_000,
  sendLease: 60_000,
  retention: 600_000,
  dedupeWindow: 600_000,
};

let made = 0;
const fresh = (what) => `${name}-${what}-${++made}`;

async function race(conversations) {
  const won = [];
  await Promise.all(
    conversations.map(async (conversationId) => {
      const { claim } = await store.take({ conversationId, token: fresh('token'), turn: fresh('turn'), lease: 60_000 });
      if (claim !== undefined) won.push(conversationId);
    }),
  );
  process.send({ won });
}

/** One conversation after another; each step is told once it was acknowledged. */
async function burst(line) {
  for (let i = 0; ; i++) {
    const conversationId = `${name}-${line}-${i % 5}`;
    const id = fresh('entry');
    const entry = { id, data: { text: `data of ${id}` }, room: 100 };
    const { claim } = await store.take({
      conversationId,
      token: fresh('token'),
      turn: fresh('turn'),
      lease: 60_000,
      entry,
    });
    process.send({ took: id, conversationId });
    const then = { type: 'release', wait: 0, returns: 'nothing' };
    const { token, revision } = claim;
    const closes = { entryId: id, outcome: { text: `outcome of ${id}` }, keepMemo: false };
    const call = {
      ...nothing,
      conversationId,
      token,
      call: fresh('call'),
      revision,
      closes,
      history: [{ text: id }],
      open: true,
      then,
    };
    await store.save(call);
    process.send({ saved: id, conversationId });
  }
}

if (role === 'sit') {
  const driver = new Driver(path);
  driver.exec('BEGIN IMMEDIATE');
  process.on('message', () => driver.exec('COMMIT'));
  process.send({ sits: true });
} else {
  try {
    await store.open();
    const entry = { id: 'e', data: { text: 'x'.repeat(5_000) }, room: 9 };
    for (let i = 0; i < ({ open: 1, fill: 40 }[role] ?? 0); i++) {
      await store.take({ conversationId: `c${i}`, token: fresh('token'), turn: fresh('turn'), lease: 0, entry });
    }
    if (role === 'fill') await store.close();
    process.send({ open: true });
  } catch (error) {
    process.send({ failed: error.message, code: error.code });
  }
  if (role === 'race') process.on('message', ({ conversations }) => void race(conversations));
  if (role === 'burst') for (let line = 0; line < 8; line++) void burst(line);
}
