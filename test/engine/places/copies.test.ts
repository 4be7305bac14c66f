/**
 * Copies of a question: every one that was sent is drawn again without its controls when the ask is over, whoever sent it.
 */
import { expect, onTestFinished, test } from 'vitest';
import type { Channel, Desk, Logger, OutgoingMessage } from '../../../src/index.js';
import { AgentRegistry, agent, text } from '../../../src/index.js';
import { crashableStore } from '../../../src/testing/crashable-store.js';
import { gate, leaseAndSweep, minute, never, settle, world } from '../../support/engine.js';
import { redisForFile } from '../../support/for-file.js';
import { freshPrefix, storeOn } from '../../support/redis-store.js';

const { client } = await redisForFile();
const hour = 60 * minute;

/** A platform on which posts are drawn again. Every process has a board of its own on the same wall. */
class Wall {
  /** By post: the status that it shows, and how often it was drawn again. */
  readonly posts: { key: string; text: string; status: string; drawn: number }[] = [];

  /** What the posts show, in the order in which they were sent. */
  shows(): string[] {
    return this.posts.map(({ status }) => status);
  }
}

class Board implements Channel {
  readonly name = 'board';
  desk: Desk | undefined;
  onSend: (message: OutgoingMessage) => void | Promise<void> = () => {};
  onUpdate: (sentId: string) => void | Promise<void> = () => {};
  readonly wall: Wall;

  constructor(wall: Wall) {
    this.wall = wall;
  }

  start(desk: Desk): void {
    this.desk = desk;
  }

  async send(message: OutgoingMessage): Promise<string | undefined> {
    await this.onSend(message);
    if (message.ask === undefined) return undefined;
    this.wall.posts.push({ key: message.key, text: message.text, status: message.ask.status, drawn: 0 });
    return `post ${this.wall.posts.length - 1}`;
  }

  async update(sentId: string, { ask }: OutgoingMessage): Promise<void> {
    await this.onUpdate(sentId);
    const post = this.wall.posts[Number(sentId.slice(5))];
    if (post === undefined || ask === undefined) throw new Error(`There is no ${sentId}.`);
    post.status = ask.status;
    post.drawn += 1;
  }
}

/** A board whose posts can be looked for by their keys. */
class FindingBoard extends Board {
  readonly lookedFor: string[] = [];
  onLook: (message: OutgoingMessage) => void | Promise<void> = () => {};

  async findSent(message: OutgoingMessage): Promise<string | undefined> {
    this.lookedFor.push(message.key);
    await this.onLook(message);
    const index = this.wall.posts.findIndex(({ key }) => key === message.key);
    return index < 0 ? undefined : `post ${index}`;
  }
}

let messages = 0;

async function says(board: Board, words: string): Promise<void> {
  messages += 1;
  const participant = { id: 'board:ann', name: 'Ann' };
  await board.desk?.receive({ id: `m${messages}`, conversationId: 'c', text: words, participant, address: 'c' });
  await settle();
}

function support(more: object = {}, onAnswer: () => string = () => 'Thanks.') {
  const made = agent('support');
  const order = made.question('order', text('Order?', { pattern: /^\d{5}$/ }), { maxRetries: 30, ...more, onAnswer });
  return made.onMessage(({ ask }) => ask(order));
}

async function idOf(registry: AgentRegistry): Promise<string> {
  return (await registry.listAsks()).asks[0]?.id ?? '';
}

test('the question, its re-ask and its reminder are all drawn again when it is answered, each once', async () => {
  const { replica, advance } = world();
  const wall = new Wall();
  const board = new Board(wall);
  await replica({ agents: [support({ remindAfter: hour })], channels: [board] });
  await says(board, 'go');
  await says(board, 'which one?');
  await advance(hour + minute);
  expect(wall.shows()).toEqual(['pending', 'pending', 'pending']);
  await says(board, '12345');
  await advance(hour);
  expect(wall.shows()).toEqual(['answered', 'answered', 'answered']);
  expect(wall.posts.map(({ drawn }) => drawn)).toEqual([1, 1, 1]);
});

test('all copies are drawn again when it expires, and when it is cancelled', async () => {
  const { replica, advance } = world();
  const wall = new Wall();
  const board = new Board(wall);
  const registry = await replica({ agents: [support({ expiresIn: hour })], channels: [board] });
  await says(board, 'go');
  await says(board, 'which one?');
  await advance(hour + minute);
  expect(wall.shows()).toEqual(['expired', 'expired']);
  await says(board, 'go');
  await says(board, 'which one?');
  await registry.cancel(await idOf(registry));
  await settle();
  expect(wall.shows().slice(2)).toEqual(['cancelled', 'cancelled']);
});

test('of many copies the last 16 are drawn again', async () => {
  const { replica } = world();
  const wall = new Wall();
  const board = new Board(wall);
  await replica({ agents: [support()], channels: [board] });
  await says(board, 'go');
  for (let i = 0; i < 19; i += 1) await says(board, 'which one?');
  await says(board, '12345');
  const expected = [...Array(4).fill('pending'), ...Array(16).fill('answered')];
  expect(wall.shows()).toEqual(expected);
});

test('a copy that its platform cannot draw again holds up no other', async () => {
  const { replica } = world();
  const wall = new Wall();
  const board = new Board(wall);
  await replica({ agents: [support()], channels: [board] });
  board.onUpdate = (sentId) => {
    if (sentId === 'post 0') throw new Error('It was deleted.');
  };
  await says(board, 'go');
  await says(board, 'which one?');
  await says(board, '12345');
  expect(wall.shows()).toEqual(['pending', 'answered']);
});

test('a copy whose sending ends after another process has answered is drawn again', async () => {
  const { replica, advance } = world();
  const wall = new Wall();
  const [slow, other] = [new Board(wall), new Board(wall)];
  const sending = gate();
  slow.onSend = ({ ask }) => (ask === undefined ? undefined : sending.passed);
  await replica({ agents: [support()], channels: [slow] });
  await says(slow, 'go');
  const second = await replica({ agents: [support({ answerableBy: 'anyone' })], channels: [other] });
  const by = { id: 'board:ann' };
  expect(await second.answer(await idOf(second), { text: '12345' }, { by })).toMatchObject({ type: 'accepted' });
  await advance(10_000);
  expect(wall.shows()).toEqual([]);
  sending.open();
  await advance(2 * minute);
  expect(wall.shows()).toEqual(['answered']);
});

test('a copy that is sent after the time limit of a send, and after the answer, is drawn again', async () => {
  const { replica, advance } = world();
  const wall = new Wall();
  const board = new Board(wall);
  const sending = gate();
  board.onSend = ({ ask }) => (ask === undefined ? undefined : sending.passed);
  const registry = await replica({ agents: [support({ answerableBy: 'anyone' })], channels: [board] });
  await says(board, 'go');
  await registry.answer(await idOf(registry), { text: '12345' });
  await advance(40_000);
  sending.open();
  await advance(5 * minute);
  expect(wall.shows()).toEqual(['answered']);
});

test('a copy that was never sent is looked for only for a while', async () => {
  const { replica, advance, store } = world();
  const board = new Board(new Wall());
  board.onSend = () => new Promise(() => {});
  const first = await replica({ agents: [support({ answerableBy: 'anyone' })], channels: [board] });
  await says(board, 'go');
  await first.answer(await idOf(first), { text: '12345' });
  await advance(10 * minute);
  expect(await store.unsent({ channels: ['board'], limit: 10, sendLease: 1 })).toEqual([]);
});

test('the process that saved the answer dies: another draws the copies again', async () => {
  const { replica, advance, store } = world();
  const wall = new Wall();
  const [board, later] = [new Board(wall), new Board(wall)];
  const mortal = crashableStore(store);
  await replica({ agents: [support()], channels: [board], store: mortal.store });
  await says(board, 'go');
  await says(board, 'which one?');
  await advance(minute);
  mortal.crashAfter('save');
  await says(board, '12345');
  expect(wall.shows()).toEqual(['pending', 'pending']);
  await replica({ agents: [support()], channels: [later] });
  await advance(leaseAndSweep + 2 * minute);
  expect(wall.shows()).toEqual(['answered', 'answered']);
});

test('an answer whose handler fails for good is drawn as well: its buttons do nothing any more', async () => {
  const { replica, advance } = world();
  const wall = new Wall();
  const board = new Board(wall);
  const broken = support({}, () => {
    throw new TypeError('no such order');
  });
  const registry = await replica({ agents: [broken], channels: [board], settings: { maxAttempts: 1 } });
  await says(board, 'go');
  await says(board, '12345');
  await advance(minute);
  expect((await registry.parked()).items).toHaveLength(1);
  expect(wall.shows()).toEqual(['answered']);
});

test('a question that a turn waited for is drawn again at once, however long the turn goes on, and once', async () => {
  const { replica } = world();
  const wall = new Wall();
  const board = new Board(wall);
  const working = gate();
  const worker = agent('worker').onMessage(async ({ askAndWait }) => {
    const outcome = await askAndWait(text('Order?', { pattern: /^\d{5}$/ }));
    await working.passed;
    return outcome.status;
  });
  await replica({ agents: [worker], channels: [board] });
  await says(board, 'go');
  await says(board, 'which one?');
  await says(board, '12345');
  expect(wall.shows()).toEqual(['answered', 'answered']);
  working.open();
  await settle();
  expect(wall.posts.map(({ drawn }) => drawn)).toEqual([1, 1]);
});

/** A process posts a question and is killed before it has noted the id of the post. Then another one starts. */
async function killedAfterPosting() {
  const { replica, advance, store } = world();
  const wall = new Wall();
  const [board, later] = [new FindingBoard(wall), new FindingBoard(wall)];
  const mortal = crashableStore(store);
  await replica({ agents: [support()], channels: [board], store: mortal.store });
  await says(board, 'go');
  mortal.crash();
  expect(wall.shows()).toEqual(['pending']);
  const start = (options: { readonly logger?: Logger; readonly settings?: { readonly sendLimit: number } } = {}) =>
    replica({ agents: [support({ answerableBy: 'anyone' })], channels: [later], ...options });
  return { wall, later, advance, start };
}

test('a process dies between posting a question and noting it: another finds the post, posts none, and draws it again', async () => {
  const { wall, later, advance, start } = await killedAfterPosting();
  await start();
  await advance(2 * minute);
  expect(later.lookedFor).toHaveLength(1);
  await says(later, '12345');
  await advance(minute);
  expect(wall.shows()).toEqual(['answered']);
  expect(wall.posts[0]?.drawn).toBe(1);
  expect(later.lookedFor).toHaveLength(1);
});

test('the same, and the ask ends before anybody else may send it: the post is found and drawn again', async () => {
  const { wall, later, advance, start } = await killedAfterPosting();
  await start();
  await says(later, '12345');
  await advance(9_000);
  expect([wall.shows(), later.lookedFor]).toEqual([['pending'], []]);
  await advance(minute);
  expect(wall.shows()).toEqual(['answered']);
  expect(wall.posts[0]?.drawn).toBe(1);
});

test('the same, and the platform cannot be asked for a while: the post is drawn again when it can', async () => {
  const { wall, later, advance, start } = await killedAfterPosting();
  await start();
  later.onLook = () => Promise.reject(new Error('not now'));
  await says(later, '12345');
  await advance(5 * minute);
  expect(wall.shows()).toEqual(['pending']);
  later.onLook = () => {};
  await advance(hour);
  expect(wall.shows()).toEqual(['answered']);
});

test.each([
  ['fails', () => Promise.reject(new Error('not now'))],
  [
    'throws',
    () => {
      throw new TypeError('no such method');
    },
  ],
  ['never comes back', never],
] as const)('a lookup that %s each time: the question is sent again, the failure logged once', async (_, onLook) => {
  const lines: string[] = [];
  const log = (message: string, about?: object): void => void lines.push(`${message} ${JSON.stringify(about ?? {})}`);
  const logger = { debug: log, info: log, warn: log, error: log };
  const { wall, later, advance, start } = await killedAfterPosting();
  later.onLook = onLook;
  await start({ logger });
  await advance(5 * minute);
  expect(wall.shows()).toEqual(['pending', 'pending']);
  expect(later.lookedFor).toHaveLength(4);
  expect(new Set(wall.posts.map(({ key }) => key)).size).toBe(1);
  expect(lines.filter((line) => line.includes('could not be asked whether a question was sent before'))).toHaveLength(
    1,
  );
  expect(lines.join()).not.toContain('Order?');
});

test('a platform that cannot be asked for most of a minute: the question is not sent again, and its post is drawn again', async () => {
  const { wall, later, advance, start } = await killedAfterPosting();
  later.onLook = () => (later.lookedFor.length <= 3 ? Promise.reject(new Error('ratelimited')) : undefined);
  await start();
  await advance(3 * minute);
  expect([wall.shows(), later.lookedFor.length]).toEqual([['pending'], 4]);
  await says(later, '12345');
  await advance(minute);
  expect(wall.shows()).toEqual(['answered']);
  expect(wall.posts[0]?.drawn).toBe(1);
});

test('a question whose send has failed, on a platform that cannot be asked: it arrives after a few lookups', async () => {
  const { replica, advance } = world();
  const wall = new Wall();
  const board = new FindingBoard(wall);
  board.onLook = () => Promise.reject(new Error('not now'));
  let tries = 0;
  board.onSend = ({ ask }) => {
    if (ask === undefined) return;
    tries += 1;
    if (tries === 1) throw new Error('The line is cut.');
  };
  await replica({ agents: [support()], channels: [board] });
  await says(board, 'go');
  await advance(minute);
  expect([wall.shows(), board.lookedFor.length]).toEqual([[], 3]);
  await advance(minute);
  expect([wall.shows(), board.lookedFor.length]).toEqual([['pending'], 4]);
});

test('a lookup that takes longer than the lease to send: the question is left to whoever may send it then', async () => {
  const { wall, later, advance, start } = await killedAfterPosting();
  const looking = gate();
  later.onLook = () => (later.lookedFor.length === 1 ? looking.passed : undefined);
  wall.posts.length = 0; // the platform has lost it
  await start({ settings: { sendLimit: 3 * minute } });
  await advance(90_000);
  expect(later.lookedFor).toHaveLength(1);
  looking.open();
  await advance(2 * minute);
  expect(wall.shows()).toEqual(['pending']);
});

test('a question that the platform has lost is sent again', async () => {
  const { wall, later, advance, start } = await killedAfterPosting();
  wall.posts.length = 0;
  await start();
  await advance(2 * minute);
  expect([wall.shows(), later.lookedFor.length]).toEqual([['pending'], 1]);
});

test.each([
  ['fails', () => Promise.reject(new Error('The response was lost.'))],
  ['never comes back', never],
] as const)('a try that %s after the platform has taken the question: it is there once', async (_, end) => {
  const { replica, advance } = world();
  const wall = new Wall();
  const board = new FindingBoard(wall);
  const post = board.send.bind(board);
  let tries = 0;
  board.send = async (message) => {
    tries += 1;
    const id = await post(message);
    return tries === 1 ? end() : id;
  };
  await replica({ agents: [support()], channels: [board] });
  await says(board, 'go');
  await advance(3 * minute);
  expect([wall.shows(), tries]).toEqual([['pending'], 1]);
  await says(board, '12345');
  expect(wall.shows()).toEqual(['answered']);
});

test('nothing is looked for on the ordinary way, also where one process asks and another sends', async () => {
  const { replica, advance } = world();
  const wall = new Wall();
  const board = new FindingBoard(wall);
  await replica({ agents: [support()] });
  await replica({ channels: [board] });
  await says(board, 'go');
  await says(board, '12345');
  await advance(5 * minute);
  expect([wall.shows(), board.lookedFor]).toEqual([['answered'], []]);
});

test('on Redis: copies sent by one process are drawn again by another, also after the first has stopped', async () => {
  const prefix = freshPrefix();
  const wall = new Wall();
  const start = async () => {
    const board = new Board(wall);
    const store = storeOn(client, { prefix });
    const registry = new AgentRegistry({ agents: [support({ answerableBy: 'anyone' })], channels: [board], store });
    onTestFinished(() => registry.stop());
    await registry.start();
    return { registry, board };
  };
  const first = await start();
  await says(first.board, 'go');
  await first.registry.idle();
  await says(first.board, 'which one?');
  await first.registry.idle();
  expect(wall.shows()).toEqual(['pending', 'pending']);
  await first.registry.stop();
  const second = await start();
  await second.registry.answer(await idOf(second.registry), { text: '12345' });
  await second.registry.idle();
  expect(wall.shows()).toEqual(['answered', 'answered']);
});
