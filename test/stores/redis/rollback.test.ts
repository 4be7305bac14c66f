/**
 * A server that is killed and comes back without its last writes: the process that made them knows more than the server, and
 * must not write that over what another process has done since.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { AgentRegistry, agent, text } from '../../../src/index.js';
import { RedisStore } from '../../../src/stores/redis/index.js';
import {
  claim,
  entry,
  finishing,
  hold,
  out,
  read,
  saved,
  saving,
  taking,
} from '../../../src/testing/store-contract/kit.js';
import { type Store, textStore } from '../../../src/testing/store-contract/texts.js';
import { patience } from '../../support/processes.js';
import { AofRedis } from '../../support/redis-aof.js';
import { startRedis } from '../../support/redis-server.js';
import { asked, checkKeys, freshPrefix } from '../../support/redis-store.js';
import { silent } from '../../support/store.js';

interface Restorable {
  readonly url: string;
  /** What is written from here on is lost by `crash`. */
  remember(): Promise<void>;
  /** kill -9, and a start without what was written since. */
  crash(): Promise<void>;
}

async function withAof(): Promise<Restorable> {
  const redis = await AofRedis.begin();
  onTestFinished(() => redis.stop());
  let size = 0;
  return {
    url: redis.url,
    remember: async () => {
      size = await redis.size();
    },
    crash: async () => {
      await redis.kill();
      await redis.restart((await redis.size()) - size);
    },
  };
}

async function withSnapshot(): Promise<Restorable> {
  const dir = await mkdtemp(join(tmpdir(), 'askback-rdb-'));
  let server = await startRedis({ dir });
  onTestFinished(async () => {
    await server.stop();
    await rm(dir, { recursive: true, force: true });
  });
  const { port, url } = server;
  return {
    url,
    remember: async () => {
      const client = new Redis(url);
      await client.save();
      client.disconnect();
    },
    crash: async () => {
      server.kill('SIGKILL');
      await server.exited;
      server = await startRedis({ dir, port });
    },
  };
}

/** A process of its own: another store at the same place. */
async function processOn(url: string, prefix: string): Promise<Store> {
  const store = textStore(new RedisStore({ url, prefix, logger: silent, commandTimeout: patience }));
  await store.open();
  onTestFinished(() => store.close());
  return store;
}

test.each([
  ['the end of its append-only file', withAof],
  ['what came after its last snapshot', withSnapshot],
])(
  'a server loses %s: whoever knows the lost write does not overwrite the work of another process',
  async (_what, start) => {
    const redis = await start();
    const prefix = freshPrefix();
    const knowing = await processOn(redis.url, prefix);
    const { ask } = await asked(knowing, 'c');
    await redis.remember();
    const lost = await claim(knowing, 'c', { entry: entry('lost') });
    const changes = { document: 'lost', history: ['lost'], outputs: [out('lost')] };
    const { revision } = await saved(knowing, saving('c', lost, changes, hold));
    await redis.crash();

    const other = await processOn(redis.url, prefix);
    const theirs = await claim(other, 'c', { entry: entry('kept') });
    expect([theirs.document, theirs.revision]).toEqual(['asked', lost.revision]);
    const kept = await saved(other, saving('c', theirs, { document: 'kept', history: ['kept'] }, hold));
    expect(kept.revision).toBe(revision); // the same number, and another write

    await expect.poll(() => knowing.conversation('another').catch(() => 'not connected yet')).toBeNull(); // it looks at `c` only below
    const late = await knowing.save(finishing('c', { ...lost, revision }, { document: 'mixed', history: ['mixed'] }));
    expect(late).toEqual({ type: 'refused' });
    expect((await knowing.take(taking('c', { entry: entry('next') }))).claim).toBeUndefined();

    const settled = { opened: [], settled: [{ id: ask, record: 'answered', at: 1 }] };
    const done = finishing('c', { ...theirs, revision: kept.revision }, { document: 'done', asks: settled });
    const { next } = await saved(other, done);
    expect(next?.entry?.id).toBe('next');
    expect((await read(knowing, 'c')).document).toBe('done');
    expect((await knowing.history('c', { limit: 10 })).items).toEqual(['in', 'out', 'kept']);
    const unsent = await knowing.unsent({ channels: ['web'], limit: 10, sendLease: 0, conversationId: 'c' });
    expect(unsent.map(({ key }) => key)).not.toContain('lost');
    const client = new Redis(redis.url);
    onTestFinished(() => client.disconnect());
    await checkKeys(client, prefix);
  },
);

test('a process that knows an ask as open, from writes which the server lost, does not decide it a second time', async () => {
  const redis = await withAof();
  const prefix = freshPrefix();
  const answers: string[] = [];
  const replica = async (name: string) => {
    const support = agent('support');
    const order = support.question('order', text('Which order?', { pattern: /^\d{5}$/ }), {
      maxRetries: 9,
      onAnswer: (number) => void answers.push(`${name}: ${number}`),
    });
    support.onMessage(({ message, ask }) => (message === 'refund' ? ask(order) : 'Hello.'));
    const store = new RedisStore({ url: redis.url, prefix, logger: silent, commandTimeout: patience });
    const registry = new AgentRegistry({
      agents: [support],
      store,
      logger: { ...silent, info: () => {}, error: () => {} },
    });
    await registry.start();
    onTestFinished(() => registry.stop());
    let ids = 0;
    return (said: string) =>
      registry.handle({ id: `${name}${++ids}`, conversationId: 'c', text: said, participant: { id: 'ann' } });
  };
  const knowing = await replica('knowing');
  await knowing('refund');
  await redis.remember();
  await knowing('no idea'); // two tries, so that its next revision is the one after the decision of the other process
  await knowing('still none');
  await redis.crash();

  const other = await replica('other');
  await other('12345');
  expect(answers).toEqual(['other: 12345']);
  await expect
    .poll(() =>
      knowing('54321').then(
        () => 'handled',
        () => 'not connected yet',
      ),
    )
    .toBe('handled');
  expect(answers).toEqual(['other: 12345']);
});
