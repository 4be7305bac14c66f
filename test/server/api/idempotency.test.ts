/** Idempotency keys over the API: repeats, other bodies, two replicas, a crash. */
import { expect, test } from 'vitest';
import { Idempotency } from '../../../src/server/idempotency.js';
import { apiOf, serving } from '../api-kit.js';
import { anna, boss, person, shop } from '../kit.js';

const keyed = (key: string) => ({ 'idempotency-key': key });

test('a change that is sent again under its key is told the same, by any replica', async () => {
  const { api, asked, replica, registry } = await apiOf();
  const id = await asked('both');
  const other = serving(await replica({ agents: [], channels: [] }));
  const first = await api(anna, 'POST', `/asks/${id}/answer`, { value: true }, keyed('k1'));
  expect(first).toMatchObject({ status: 200, body: { type: 'counted', ask: { votes: [{ value: true }] } } });
  const ben = person('staff:ben', ['answer'], { roles: ['manager'] });
  await api(ben, 'POST', `/asks/${id}/answer`, { value: true }, keyed('k1')); // their own key of the same name
  expect((await registry.getAsk(id))?.status).toBe('answered');
  const again = await other.api(anna, 'POST', `/asks/${id}/answer`, { value: true }, keyed('k1'));
  expect(again).toMatchObject({ status: 200, body: { type: 'counted', ask: { status: 'answered' } } }); // as it is now
  expect(again.headers.get('idempotent-replayed')).toBe('true');
});

test('another body under the same key is refused, and the same key for another ask is another call', async () => {
  const { api, asked } = await apiOf();
  const [one, two] = [await asked('sure', 'c1'), await asked('sure', 'c2')];
  await api(anna, 'POST', `/asks/${one}/answer`, { value: true }, keyed('k1'));
  expect(await api(anna, 'POST', `/asks/${one}/answer`, { value: false }, keyed('k1'))).toMatchObject({
    status: 422,
    body: { error: { code: 'key-used' } },
  });
  expect(await api(anna, 'POST', `/asks/${two}/answer`, { value: false }, keyed('k1'))).toMatchObject({
    body: { type: 'accepted', ask: { value: false } },
  });
});

test('what is kept under a key tells nothing of the ask, and erasing its conversation leaves nothing of it', async () => {
  const { api, asked, registry, port } = await apiOf();
  const id = await asked('sure', 'c1');
  const kept: string[] = [];
  const swap = port.swap.bind(port);
  port.swap = (call) => {
    kept.push(call.value ?? '');
    return swap(call);
  };
  const answer = () => api(anna, 'POST', `/asks/${id}/answer`, { value: true }, keyed('k1'));
  expect(await answer()).toMatchObject({ body: { type: 'accepted' } });
  expect(kept.length).toBeGreaterThan(1);
  expect(kept.join()).not.toMatch(/Refund|12345|damaged|true/);
  await registry.idle();
  await registry.erase({ conversationId: 'c1' });
  expect((await answer()).status).toBe(404);
});

test.each(['', 'x'.repeat(256), 'caf\u00e9', '\u0000'])(
  'the key %j is refused, and nothing is decided',
  async (key) => {
    const { api, asked } = await apiOf();
    const id = await asked('sure');
    const reply = await api(anna, 'POST', `/asks/${id}/answer`, { value: true }, keyed(key)).catch(() => null);
    if (reply !== null) expect(reply).toMatchObject({ status: 400 }); // some cannot even be sent
    expect(await api(boss, 'GET', `/asks/${id}`)).toMatchObject({ body: { status: 'pending' } });
  },
);

test('a repeat while the first is running is told so; after a crash the key is free again, and the decision is the same', async () => {
  const { api, asked, port, clock } = await apiOf();
  const id = await asked('sure');
  const answer = () => api(anna, 'POST', `/asks/${id}/answer`, { value: true }, keyed('k1'));
  const swap = port.swap.bind(port);
  port.swap = (call) => (call.expected === null ? swap(call) : Promise.reject(new Error('The process died.')));
  expect(await answer()).toMatchObject({ status: 200 });
  port.swap = swap;
  const early = await answer();
  expect(early).toMatchObject({ status: 409, body: { error: { code: 'running' } } });
  expect(early.headers.get('retry-after')).toBe('1');
  await clock.advance(30_001);
  expect(await answer()).toMatchObject({ status: 200, body: { type: 'accepted', ask: { value: true } } });
});

test('what failed here, or is still to be worked on, is not kept', async () => {
  const { port } = await shop();
  const keys = new Idempotency(port, () => port.newId());
  const call = { person: anna, route: 'post /x', key: 'k', body: Buffer.from('b'), repeats: 'reply' } as const;
  let runs = 0;
  const replying = (status: number) => async () => {
    runs += 1;
    return { status, body: {} };
  };
  for (const status of [500, 503, 429, 202]) await keys.once(call, replying(status));
  await expect(keys.once(call, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await keys.once(call, replying(200));
  expect(await keys.once(call, replying(200))).toMatchObject({ type: 'repeat', reply: { status: 200 } });
  expect(runs).toBe(5);
});

test('a reply too large to keep is made again by a repeat, and another body is still refused', async () => {
  const { port } = await shop();
  const keys = new Idempotency(port, () => port.newId());
  const call = { person: anna, route: 'post /x', key: 'k', body: Buffer.from('b'), repeats: 'reply' } as const;
  const large = async () => ({ status: 200, body: { text: 'x'.repeat(70_000) } });
  await keys.once(call, large);
  expect(await keys.once({ ...call, body: Buffer.from('c') }, large)).toEqual({ type: 'other-body' });
  expect(await keys.once(call, large)).toMatchObject({ type: 'repeat', reply: { status: 200 } });
});

test('while a decision that is recorded waits, its repeat does the work again, and other words are refused', async () => {
  const { port } = await shop();
  const keys = new Idempotency(port, () => port.newId());
  const call = { person: anna, route: 'post /x', key: 'k', body: Buffer.from('yes'), repeats: 'work' } as const;
  let done = 0;
  const received = async () => {
    done += 1;
    return { status: 202, body: {} };
  };
  await keys.once(call, received);
  expect(await keys.once({ ...call, body: Buffer.from('no') }, received)).toEqual({ type: 'other-body' });
  expect(await keys.once(call, received)).toMatchObject({ type: 'repeat', reply: { status: 202 } });
  expect(done).toBe(2);
});
