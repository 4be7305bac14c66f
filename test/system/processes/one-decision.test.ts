/** Answer, expiry and cancel arrive together, again and again: one decision each, by order of arrival, for good. */
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import type { PendingAsk } from '../../../src/index.js';
import { AgentRegistry } from '../../../src/index.js';
import { RedisStore } from '../../../src/stores/redis/index.js';
import { patience } from '../../support/processes.js';
import { startRedis } from '../../support/redis-server.js';
import { asking, by, check, dice, playOnMemory, saying, watched } from './one-decision-story.js';

test('on memory, 300 rounds: one decision each, by order of arrival, and it never changes', async () => {
  const seen = await playOnMemory(300);
  for (const status of ['answered', 'cancelled', 'expired']) expect(seen.get(status)).toBeGreaterThan(10);
});

test('on Redis, 300 rounds, a hundred at a time: one decision each, by order of arrival, and it never changes', async () => {
  const server = await startRedis();
  onTestFinished(() => server.stop());
  const client = new Redis(server.url);
  onTestFinished(() => client.disconnect());
  const { store, arrivals } = watched(
    new RedisStore({ client, logger: { warn: () => {}, debug: () => {} }, commandTimeout: patience }),
  );
  const { support, continued } = asking(1_000);
  const registry = new AgentRegistry({ agents: [support], store, settings: { sweep: 20 } });
  onTestFinished(() => registry.stop());
  await registry.start();
  const roll = dice(7);
  // by events: on a busy machine a turn may take longer than its question has time, and then the question is said to nobody
  const asked = new Map<string, string>();
  registry.on('asked', ({ conversationId, askId }) => void asked.set(conversationId, askId));
  const ended = new Set<string>();
  const settles = new Map<string, () => void>();
  for (const event of ['answered', 'cancelled', 'expired'] as const)
    registry.on(event, ({ askId }) => {
      ended.add(askId);
      settles.get(askId)?.();
    });

  /** Everything long before the deadline, at about it, or a little after it: a busy machine is late for all but the first. */
  const round = async (i: number) => {
    const conversationId = `round-${i}`;
    await registry.handle(saying(conversationId, i % 3 === 0 ? 'ask at leisure' : 'ask'));
    const id = asked.get(conversationId);
    if (id === undefined) throw new Error('Nothing was asked.');
    const expiresAt = (await registry.getAsk(id))?.expiresAt;
    const acts: (() => Promise<unknown>)[] = [
      () => registry.answer(id, { text: '12345' }, { by }),
      () => registry.handle(saying(conversationId, '54321')),
      () => registry.cancel(id),
    ];
    const left = Number(expiresAt) - Date.now();
    const middle = [0, left - 40, left + 100][i % 3] ?? 0;
    const soon = () => new Promise((go) => setTimeout(go, middle + roll(80)));
    // in some rounds one of them is surely first, however busy the machine is: the others come when it has decided
    const [first] = i % 6 === 0 ? acts.splice(2, 1) : i % 6 === 3 ? acts.splice(0, 1) : [];
    const over = ended.has(id) ? undefined : new Promise<void>((settle) => settles.set(id, settle));
    await first?.();
    await Promise.all([over, ...acts.map((act) => soon().then(act))]);
    return id;
  };
  const rounds: string[] = [];
  while (rounds.length < 300) {
    const wave = Array.from({ length: 100 }, (_, i) => round(rounds.length + i));
    rounds.push(...(await Promise.all(wave)));
  }
  await registry.idle();

  const before = await Promise.all(rounds.map((id) => registry.getAsk(id)));
  const seen = new Map<string, number>();
  for (const [i, id] of rounds.entries()) {
    const { items } = await registry.history(`round-${i}`);
    const status = check(before[i] as PendingAsk<unknown>, items, arrivals.get(`round-${i}`) ?? []);
    expect(continued.get(id)).toEqual([status]);
    seen.set(status, (seen.get(status) ?? 0) + 1);
  }
  for (const status of ['answered', 'cancelled', 'expired']) expect(seen.get(status)).toBeGreaterThan(10);

  await Promise.all(rounds.flatMap((id) => [registry.cancel(id), registry.answer(id, { text: 'late' }, { by })]));
  await registry.sweep();
  expect(await Promise.all(rounds.map((id) => registry.getAsk(id)))).toEqual(before);
});
