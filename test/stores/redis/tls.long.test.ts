/** The Redis store behind TLS: the same promises over a socket that is not a plain one, by a client and by a URL. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Desk } from '../../../src/index.js';
import { AgentRegistry, agent, text } from '../../../src/index.js';
import { RedisStore } from '../../../src/stores/redis/index.js';
import { storeContract } from '../../../src/testing/store-contract/index.js';
import { TestChannel } from '../../support/engine.js';
import { freePort, type RedisServer, startRedis } from '../../support/redis-server.js';
import { freshPrefix, pass, storeOn } from '../../support/redis-store.js';
import { silent } from '../../support/store.js';

/** For 127.0.0.1, signed by itself, made for these tests only. */
const file = (name: string) => fileURLToPath(new URL(`../../support/tls/${name}`, import.meta.url));

const run = promisify(execFile);

let server: RedisServer;
let port: number;
let client: Redis;
beforeAll(async () => {
  port = await freePort();
  const files = ['--tls-cert-file', file('cert.pem'), '--tls-key-file', file('key.pem')];
  const trust = ['--tls-ca-cert-file', file('cert.pem'), '--tls-auth-clients', 'no'];
  server = await startRedis({ args: ['--tls-port', `${port}`, ...files, ...trust] }).catch((error: Error) => {
    if (!/bad directive/i.test(error.message)) throw error;
    throw new Error('This redis-server was built without TLS. Install one that has it, or name it in REDIS_SERVER.');
  });
  client = new Redis({ host: '127.0.0.1', port, tls: { ca: await readFile(file('cert.pem')) } });
});
afterAll(async () => {
  client?.disconnect();
  await server?.stop();
});

describe('Redis behind TLS', () => {
  storeContract({ test, open: async () => ({ store: storeOn(client), pass }) });

  test('many conversations at once, whose steps share calls, lose nothing', async () => {
    const phone = new TestChannel();
    const support = agent('support');
    const order = support.question('order', text('Order?', { pattern: /^\d{5}$/ }), { onAnswer: (id) => `Got ${id}` });
    support.onMessage(({ ask }) => ask(order, { context: { note: 'ü'.repeat(2_000) } }));
    const store = storeOn(client);
    const registry = new AgentRegistry({ agents: [support], channels: [phone], store });
    await registry.start();
    const names = Array.from({ length: 300 }, (_, i) => `c${i}`);
    const say = (words: string) =>
      Promise.all(
        names.map((conversationId) => (phone.desk as Desk).receive({ id: words, conversationId, text: words })),
      );
    await say('refund');
    await registry.idle();
    await say('12345');
    await registry.idle();
    await registry.stop();
    expect(phone.texts().filter((each) => each === 'Got 12345')).toHaveLength(names.length);
  });

  test('by its URL, where the process trusts the certificate', async () => {
    const program = `
      import { RedisStore } from ${JSON.stringify(new URL('../../../dist/stores/redis/index.js', import.meta.url).href)};
      const logger = { warn: () => {}, debug: () => {} };
      const store = new RedisStore({ url: 'rediss://127.0.0.1:${port}', prefix: '${freshPrefix()}', logger });
      await store.open();
      const taken = await store.take({ conversationId: 'c', token: 't', turn: 'u', lease: 1000, entry: { id: 'e', data: { text: 'd' }, room: 9 } });
      await store.close();
      console.log(taken.entry);`;
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: file('cert.pem') };
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], { env });
    expect(stdout.trim()).toBe('recorded');
  });

  test('a server whose certificate is not trusted is refused at the start, by its address', async () => {
    const url = `rediss://127.0.0.1:${port}`;
    const store = new RedisStore({ url, prefix: freshPrefix(), logger: silent, commandTimeout: 1_000 });
    await expect(store.open()).rejects.toThrow(/127\.0\.0\.1.*(self-signed|certificate)/s);
    await store.close();
  });
});
