/**
 * Many streams of the web chat in one process: each gets what is its own, those who read nothing are let go, and all come again at once.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { signVisitor, WebChannel } from '../../src/channels/web/index.js';
import { AgentRegistry, agent, MemoryStore } from '../../src/index.js';
import { FakeClock } from '../../src/testing/index.js';
import { settle } from '../support/engine.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const secret = 'a secret of at least 32 characters';
const many = 500;

async function replicas() {
  const clock = new FakeClock();
  const store = new MemoryStore({ clock });
  const open = async () => {
    const web = new WebChannel({ origins: ['https://shop.example'], secret, clock, maxStreams: many });
    const echo = agent('echo').onMessage(({ message }) => `You said ${message}`);
    const registry = new AgentRegistry({ agents: [echo], channels: [web], store, clock });
    await registry.start();
    const call = (token: string, path: string, body?: object) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
      return web.fetch(new Request(`https://chat.example/${path}`, init));
    };
    return { registry, call };
  };
  const advance = (ms: number) => clock.advance(ms, () => settle(3));
  return { one: await open(), two: await open(), clock, advance };
}

/** Reads a stream to its end, and says what its batches held. */
async function allOf(response: Response): Promise<{ texts: string[]; cursor: string }> {
  let read = '';
  for await (const chunk of (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()))
    read += chunk;
  const batches = [...read.matchAll(/^data: (\{"items".*)$/gm)].map((found) => JSON.parse(found[1] as string));
  const texts = batches.flatMap((batch: { items: { type: string; text: string }[] }) =>
    batch.items.filter(({ type }) => type === 'out').map(({ text }) => text),
  );
  return { texts, cursor: batches.at(-1)?.cursor ?? '' };
}

test('500 streams: each gets its own words, whichever process said them, and goes on elsewhere from its cursor', async () => {
  const { one, two, clock, advance } = await replicas();
  const tokens = Array.from({ length: many }, (_, i) =>
    signVisitor(secret, { id: `${i}` }, { clock, expiresIn: 60 * 60_000 }),
  );
  const [reading, idle] = [tokens.slice(0, 450), tokens.slice(450)];
  const streams = await Promise.all(reading.map((token) => one.call(token, 'stream')));
  const read = streams.map(allOf);
  const unread = await Promise.all(idle.map((token) => one.call(token, 'stream')));
  expect((await one.call(tokens[0] as string, 'stream')).status).toBe(503);
  collectGarbage();
  const before = process.memoryUsage().heapUsed;

  const say = (at: typeof one, id: string) =>
    Promise.all(tokens.map((token, i) => at.call(token, 'messages', { id, text: `${id} of ${i}` })));
  for (const id of ['a', 'b', 'c']) {
    await say(two, id);
    await advance(1_000);
  }
  await advance(30_000);
  expect(await one.call(idle[0] as string, 'stream')).toMatchObject({ status: 200 }); // who reads nothing was let go
  for (const { body } of unread) await body?.cancel();
  collectGarbage();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(20_000_000);

  await one.registry.stop();
  const seen = await Promise.all(read);
  const said = (i: number, ...ids: string[]) => ids.map((id) => `You said ${id} of ${i}`);
  for (const [i, { texts }] of seen.entries()) expect(texts).toEqual(said(i, 'a', 'b', 'c'));

  const again = await Promise.all(reading.map((token, i) => two.call(token, `stream?after=${seen[i]?.cursor}`)));
  const rest = again.map(allOf);
  await say(two, 'd');
  await advance(1_000);
  await two.registry.stop();
  for (const [i, it] of rest.entries()) expect((await it).texts).toEqual(said(i, 'd'));
});
