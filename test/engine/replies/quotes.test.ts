/**
 * A reply that quotes a message of the bot is about the question in that message, and about no other: whichever question is open, whichever
 * process takes it, and wherever the message is a copy.
 */
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Channel, Desk, Json, OutgoingMessage, Participant, RegistryOptions, Store } from '../../../src/index.js';
import { AgentRegistry, agent, confirm, MemoryStore } from '../../../src/index.js';
import { SqliteStore } from '../../../src/stores/sqlite/index.js';
import { FakeClock } from '../../../src/testing/index.js';
import { flaky, minute, settle } from '../../support/engine.js';
import { redisForFile } from '../../support/for-file.js';
import { storeOn } from '../../support/redis-store.js';
import { freshPath } from '../../support/sqlite-store.js';
import { quickest, silent, standing } from '../../support/store.js';

const { client } = await redisForFile();
const day = 86_400_000;
const ann: Participant = { id: 'chat:ann', name: 'Ann' };
const ben: Participant = { id: 'chat:ben', name: 'Ben' };

/** A platform on which a message can quote another. Two processes may have it. */
class Platform {
  readonly messages: { readonly id: string; readonly to: Json; readonly text: string }[] = [];
  /** The ids that are given out next, before those that count on. */
  readonly nextIds: string[] = [];
  #written = 0;

  texts(to: string): readonly string[] {
    return this.messages.filter((message) => message.to === to).map(({ text }) => text);
  }

  idOf(text: string): string {
    const found = this.messages.findLast((message) => message.text === text);
    if (found === undefined) throw new Error(`Nobody was sent: ${text}`);
    return found.id;
  }

  posts({ address, text }: OutgoingMessage): string {
    const id = this.nextIds.shift() ?? `post-${this.messages.length + 1}`;
    this.messages.push({ id, to: address, text });
    return id;
  }

  nextWritten(): string {
    this.#written += 1;
    return `written-${this.#written}`;
  }
}

class QuotingChannel implements Channel {
  readonly name = 'chat';
  readonly hasQuotes = true;
  readonly platform: Platform;
  desk: Desk | undefined;

  constructor(platform: Platform) {
    this.platform = platform;
  }

  start(desk: Desk): void {
    this.desk = desk;
  }

  async send(message: OutgoingMessage): Promise<string> {
    return this.platform.posts(message);
  }

  conversationFor(to: Json): string {
    return `chat:${String(to)}`;
  }

  /** Somebody writes at a place, and may quote the message with this id. */
  async writes(to: string, text: string, who: Participant, quoted?: string, id = this.platform.nextWritten()) {
    const { desk } = this;
    const askId = quoted === undefined ? undefined : await desk?.askSentAs?.(quoted);
    const conversationId = (askId && (await desk?.conversationOf?.(askId))) ?? this.conversationFor(to);
    const named = askId === undefined ? {} : { askId };
    return desk?.receive({ id, conversationId, text, participant: who, address: to, ...named });
  }
}

/** Refunds: "refund 1" is asked back in the conversation, and what was decided is said there. */
function refunds() {
  const shop = agent('shop');
  const questions = ['1', '2', '3'].map((order) =>
    shop.question(`refund-${order}`, confirm(`Refund order ${order}?`), {
      onAnswer: (yes) => `Order ${order}: ${yes ? 'refunded' : 'left'}.`,
    }),
  );
  shop.onMessage(({ message, ask }) => {
    const asked = /^refund (\d)$/.exec(message)?.[1];
    const question = asked === undefined ? undefined : questions[Number(asked) - 1];
    return question === undefined ? `You said: ${message}` : ask(question);
  });
  return shop;
}

async function started(store: Store, more: RegistryOptions = {}) {
  const platform = new Platform();
  const process = async () => {
    const channel = new QuotingChannel(platform);
    const registry = new AgentRegistry({ agents: [refunds()], channels: [channel], store, ...more });
    await registry.start();
    onTestFinished(() => registry.stop());
    const writes = async (...args: Parameters<QuotingChannel['writes']>) => {
      const told = await channel.writes(...args);
      await registry.idle();
      return told;
    };
    return { registry, channel, writes };
  };
  return { platform, process, ...(await process()) };
}

/** One question is answered, and the next one is open. */
async function withFinishedQuestion(store: Store) {
  const shop = await started(store);
  await shop.writes('ann', 'refund 1', ann);
  await shop.writes('ann', 'no', ann);
  await shop.writes('ann', 'refund 2', ann);
  expect(shop.platform.texts('ann')).toEqual(['Refund order 1?', 'Order 1: left.', 'Refund order 2?']);
  return shop;
}

describe.each([
  ['memory', () => new MemoryStore()],
  ['SQLite', () => new SqliteStore({ path: freshPath(quickest), logger: silent })],
  ['Redis', () => storeOn(client)],
] as const)('on %s', (_, open) => {
  test('a reply that quotes a finished question does not decide the open one, and its author is told that it is over', async () => {
    const { writes, platform, registry } = await withFinishedQuestion(open());
    await writes('ann', 'yes', ann, platform.idOf('Refund order 1?'));
    expect(platform.texts('ann').slice(3)).toEqual(['This was already answered by Ann.']);
    expect((await registry.listAsks()).asks).toMatchObject([{ question: 'Refund order 2?', status: 'pending' }]);
    await writes('ann', 'yes', ann);
    expect(platform.texts('ann').at(-1)).toBe('Order 2: refunded.');
  });

  test('one that quotes the open question answers it, whichever copy it quotes and whichever process takes it', async () => {
    const { writes, platform, process } = await withFinishedQuestion(open());
    const first = platform.idOf('Refund order 2?');
    await writes('ann', 'perhaps', ann, first);
    expect(platform.texts('ann')).toHaveLength(4); // asked again
    const other = await process();
    await other.writes('ann', 'yes', ann, first);
    expect(platform.texts('ann').at(-1)).toBe('Order 2: refunded.');
  });

  test("one that quotes somebody else's question is refused, and decides neither that nor the open one", async () => {
    const { writes, platform, registry } = await started(open());
    await registry.ask(confirm('Pay order 9?'), { channel: 'chat', to: 'room', answerableBy: [ben.id] });
    await registry.idle();
    await writes('ann', 'refund 1', ann);
    await writes('ann', 'yes', ann, platform.idOf('Pay order 9?'));
    expect(platform.texts('ann').at(-1)).toBe("Sorry, you can't answer this one.");
    expect((await registry.listAsks()).asks).toHaveLength(2);
  });

  test('one that quotes what was said otherwise, or by others, answers the open question', async () => {
    const { writes, platform } = await withFinishedQuestion(open());
    await writes('ann', 'yes', ann, platform.idOf('Order 1: left.'));
    expect(platform.texts('ann').at(-1)).toBe('Order 2: refunded.');
    await writes('ann', 'refund 3', ann);
    await writes('ann', 'yes', ann, 'written-1');
    expect(platform.texts('ann').at(-1)).toBe('Order 3: refunded.');
  });

  test('one that quotes a copy in another conversation decides the question of the copy, and not the one that is open there', async () => {
    const { writes, platform, registry } = await started(open());
    const notify = [{ channel: 'chat', to: 'ben' }];
    const answerableBy = [ann.id, ben.id];
    const { askId } = await registry.ask(confirm('Pay order 9?'), { channel: 'chat', to: 'ann', notify, answerableBy });
    await registry.idle();
    await writes('ben', 'refund 1', ben);
    await writes('ben', 'yes', ben, platform.idOf('Pay order 9?'));
    expect(await registry.getAsk(askId)).toMatchObject({ status: 'answered', value: true, decidedBy: ben });
    expect((await registry.listAsks()).asks).toMatchObject([{ question: 'Refund order 1?' }]);
  });

  test('a message that is delivered again is taken once, whatever it quotes', async () => {
    const { writes, platform } = await withFinishedQuestion(open());
    const delivered = ['ann', 'yes', ann, platform.idOf('Refund order 2?'), 'the same'] as const;
    expect(await writes(...delivered)).toBe('recorded');
    expect(await writes(...delivered)).toBe('repeat');
    expect(platform.texts('ann').slice(3)).toEqual(['Order 2: refunded.']);
  });

  test('one that quotes an erased question is told so, and does not decide the open one', async () => {
    const { writes, platform, registry } = await withFinishedQuestion(open());
    await registry.erase({ conversationId: 'chat:ann' });
    await writes('ann', 'refund 3', ann);
    await writes('ann', 'yes', ann, platform.idOf('Refund order 2?'));
    expect(platform.texts('ann').at(-1)).toBe("I can't find this question here.");
    expect((await registry.listAsks()).asks).toMatchObject([{ question: 'Refund order 3?' }]);
  });
});

test('a platform that gives an id once more: a quote names the newer question', async () => {
  const { writes, platform } = await started(new MemoryStore());
  platform.nextIds.push('17', '18', '17');
  await writes('ann', 'refund 1', ann);
  await writes('ann', 'no', ann);
  await writes('ann', 'refund 2', ann);
  await writes('ann', 'yes', ann, '17');
  expect(platform.texts('ann').at(-1)).toBe('Order 2: refunded.');
});

test('a question is known by its message for as long as it may be open, and as settled asks are kept', async () => {
  const clock = standing(); // that of the store alone: nothing happens in between
  const { registry, channel, platform } = await started(new MemoryStore({ clock }));
  const ask = async (question: string, expiresIn?: number) => {
    const limits = expiresIn === undefined ? {} : { expiresIn };
    const put = { channel: 'chat', to: question, answerableBy: [ann.id], ...limits };
    const { askId } = await registry.ask(confirm(question), put);
    await registry.idle();
    return askId;
  };
  const week = await ask('This week?', 7 * day);
  const open = await ask('Whenever?');
  const asked = (question: string) => channel.desk?.askSentAs?.(platform.idOf(question));
  clock.time += 36 * day;
  expect(await asked('This week?')).toBe(week);
  clock.time += 2 * day;
  expect(await asked('This week?')).toBeUndefined();
  clock.time += 356 * day;
  expect(await asked('Whenever?')).toBe(open);
});

test('while the store cannot be asked what is quoted, nothing is guessed: the message is refused, and sent again later', async () => {
  const clock = new FakeClock();
  const line = flaky(new MemoryStore({ clock }));
  const { channel, platform, registry } = await started(line.store, { clock });
  await registry.ask(confirm('Pay order 9?'), { channel: 'chat', to: 'ann', answerableBy: [ann.id] });
  await settle();
  line.down = true;
  const told = channel.writes('ann', 'yes', ann, platform.idOf('Pay order 9?')).catch((error: unknown) => error);
  await clock.advance(minute, settle);
  expect(await told).toMatchObject({ code: 'store-unavailable' });
  line.down = false;
  expect((await registry.listAsks()).asks).toHaveLength(1);
});

test('the id of a question that was sent is kept with its mark: no call more', async () => {
  const line = flaky(new MemoryStore());
  const { registry, channel, writes, platform } = await started(line.store);
  await writes('ann', 'refund 1', ann);
  await registry.idle();
  expect(line.calls).not.toContain('swap');
  expect(await channel.desk?.askSentAs?.(platform.idOf('Refund order 1?'))).toBeDefined();
});

test.each([undefined, '', 17])('the id of a quoted message that is %j is refused by name', async (wrong) => {
  const { channel } = await started(new MemoryStore());
  await expect(channel.desk?.askSentAs?.(wrong as string)).rejects.toThrow(
    /id of the quoted message must be a non-empty string/,
  );
});

test('a channel without quotes costs the store nothing more', async () => {
  const line = flaky(new MemoryStore());
  const { registry, channel, writes } = await started(line.store);
  Object.assign(channel, { hasQuotes: false });
  await writes('ann', 'refund 1', ann);
  await writes('ann', 'yes', ann);
  await registry.idle();
  expect(line.calls).not.toContain('swap');
});
