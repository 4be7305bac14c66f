/** Live events: who hears of what, what a client that comes back hears, and where it ends. */
import { expect, test } from 'vitest';
import { inboxPort } from '../../../src/registry/inbox/inbox-port.js';
import { InboxCalls } from '../../../src/server/calls.js';
import { createInbox } from '../../../src/server/index.js';
import { LiveHub, type LiveParts } from '../../../src/server/live/hub.js';
import type { InboxPerson } from '../../../src/server/person.js';
import { flaky, settle, world } from '../../support/engine.js';
import { anna, boss, person, shop } from '../kit.js';
import { Client, connect, liveOf, People, requestOf, usualLimits } from '../live-kit.js';

async function liveShop(...people: readonly InboxPerson[]) {
  const here = await shop();
  const known = new People(...people);
  return { ...here, people: known, live: liveOf(here, known) };
}

/** A feed that a test fills. The cursor says how many there are, and is another one with each read. */
class FakeFeed {
  readonly ids: string[] = [];
  reads = 0;

  async changes({ cursor }: { readonly cursor?: string }) {
    this.reads += 1;
    if (this.reads > 1_000) throw new Error('The feed is read again and again.');
    const items =
      cursor === undefined
        ? []
        : this.ids.slice(Number.parseInt(cursor, 10)).map((id) => ({ id, conversationId: 'c1', at: 0 }));
    return { items, cursor: `${this.ids.length}.${this.reads}` };
  }
}

function hubOn(
  { clock, port: { logger }, calls }: Awaited<ReturnType<typeof shop>>,
  feed: FakeFeed,
  find: LiveParts['port']['find'],
): LiveHub {
  const changes: LiveParts['port']['changes'] = (page) => feed.changes(page);
  const port = { clock, logger, changes, newId: () => 'id', find, erased: async () => null };
  return new LiveHub({ port, calls }, usualLimits);
}

function open(hub: LiveHub): Response {
  const request = { person: boss, identify: async () => boss, filter: {}, sealed: (cursor: string) => cursor };
  return new Response(hub.open(request) as ReadableStream<Uint8Array>);
}

test('whoever may see an ask hears of it when it is asked and when it is settled, and others hear nothing', async () => {
  const eve = person('staff:eve', ['admin'], { tenant: 'other', roles: ['manager'] });
  const { live, asked, calls, advance } = await liveShop(anna, boss, eve);
  const [ours, operators, foreign] = await Promise.all(
    ['staff:anna', 'staff:boss', 'staff:eve'].map((id) => connect(live, id)),
  );
  const id = await asked('sure');
  await advance(1_000);
  expect(ours?.events).toMatchObject([{ event: 'ask', data: { id, status: 'pending', mayAnswer: true } }]);
  expect(JSON.stringify(ours?.events)).not.toContain('margin');
  expect(operators?.events).toMatchObject([{ event: 'ask', data: { id, mayAnswer: false, context: {} } }]);
  await calls.answer(anna, id, { value: true });
  await advance(1_000);
  expect(ours?.asks).toEqual([`${id} pending`, `${id} answered`]);
  expect(foreign?.events).toEqual([]);
});

test('a client that comes back hears what it has missed, as it is now, and nothing twice', async () => {
  const { live, asked, calls, advance } = await liveShop(boss);
  const first = await connect(live, 'staff:boss');
  const before = await asked('order', 'c1');
  await advance(1_000);
  expect(first.asks).toEqual([`${before} pending`]);
  await first.leave();
  const [kept, settled] = [await asked('order', 'c2'), await asked('sure', 'c3')];
  await calls.answer(anna, settled, { value: true });
  const again = await connect(live, 'staff:boss', { after: first.lastId });
  await advance(1_000);
  expect(again.asks.sort()).toEqual([`${kept} pending`, `${settled} answered`].sort());
  const third = await connect(live, 'staff:boss', { query: `?after=${again.lastId}` });
  await advance(1_000);
  expect(third.events).toEqual([]);
});

test('a page that took the cursor before it was drawn misses nothing', async () => {
  const { live, asked, advance } = await liveShop(boss);
  const after = await live.cursor(boss);
  const id = await asked('order');
  const client = await connect(live, 'staff:boss', { query: `?after=${after}` });
  await advance(100);
  expect(client.asks).toEqual([`${id} pending`]);
});

test.each(['from-elsewhere', '1', '99999999999999999999'])(
  'a client with a cursor that the store does not know, %s, is told to read its list again',
  async (after) => {
    const { live, asked, advance } = await liveShop(boss);
    await asked('order');
    const client = await connect(live, 'staff:boss', { after });
    await advance(1_000);
    expect(client.names).toEqual(['reset']);
    const next = await connect(live, 'staff:boss', { after: client.lastId });
    await advance(1_000);
    expect(next.events).toEqual([]);
  },
);

test('what another process has saved is heard within two seconds', async () => {
  const here = await liveShop(boss);
  const elsewhere = await here.replica();
  const calls = new InboxCalls(elsewhere, elsewhere[inboxPort]);
  const live = liveOf({ registry: elsewhere, port: elsewhere[inboxPort], calls }, here.people);
  const client = await connect(live, 'staff:boss');
  const id = await here.asked('order');
  await here.advance(2_000);
  expect(client.asks).toEqual([`${id} pending`]);
});

test('a quiet stream has a heartbeat every 15 seconds, with which the client does not fall behind', async () => {
  const { live, asked, advance } = await liveShop(boss, person('staff:none', ['answer']));
  const client = await connect(live, 'staff:none');
  await asked('order');
  await advance(46_000);
  expect(client.comments).toBe(3);
  expect(client.events).toEqual([]);
  const next = await connect(live, 'staff:none', { after: client.lastId });
  await advance(1_000);
  expect(next.events).toEqual([]);
});

test('cursors of two moments tell nothing of what changed between them, and count for their person only', async () => {
  const { live, advance } = await liveShop(boss, anna);
  const [one, two] = [await live.cursor(anna), await live.cursor(anna)];
  expect(one).not.toBe(two);
  expect(one.length).toBe(two.length);
  const raw = await live.hub.cursor();
  expect([one, two].join()).not.toContain(raw);
  const client = await connect(live, 'staff:anna');
  await advance(16_000);
  const quiet = client.lastId;
  await advance(16_000);
  expect(client.lastId).not.toBe(quiet); // though nothing has changed
  const other = await connect(live, 'staff:boss', { after: one });
  await advance(1_000);
  expect(other.names).toEqual(['reset']);
});

test('an erased ask is gone for whoever may show it, and other tenants hear nothing', async () => {
  const eve = person('staff:eve', ['admin'], { tenant: 'other', roles: ['manager'] });
  const { live, asked, registry, advance } = await liveShop(anna, boss, eve);
  const id = await asked('sure', 'c1');
  const shown = await live.cursor(anna); // the page is drawn with the ask, which is never sent
  const people = ['staff:anna', 'staff:boss', 'staff:eve'];
  const [page, operator, foreign] = await Promise.all(people.map((each) => connect(live, each)));
  await advance(1_000);
  await registry.erase({ conversationId: 'c1' });
  await advance(1_000);
  for (const each of [page, operator]) expect(each?.events).toMatchObject([{ event: 'gone', data: { id } }]);
  expect(foreign?.events).toEqual([]);
  const back = await connect(live, 'staff:anna', { after: shown }); // was cut off meanwhile
  await advance(1_000);
  expect(back.events).toMatchObject([{ event: 'gone', data: { id } }]);
});

test('a stream ends as signed out once the person is not let in any more, before anything else is sent', async () => {
  const { live, people, asked, advance } = await liveShop(boss);
  const client = await connect(live, 'staff:boss');
  await advance(10_000);
  people.known.delete('staff:boss');
  await asked('order');
  await advance(1_000);
  expect(client).toMatchObject({ names: ['signed-out'], ended: 'ended' });
  expect(live.hub.size).toBe(0);
});

test('a stream on which nothing happens ends as signed out, too', async () => {
  const { live, people, advance } = await liveShop(boss);
  const client = await connect(live, 'staff:boss');
  people.known.delete('staff:boss');
  await advance(17_000);
  expect(client.names).toEqual(['signed-out']);
});

test('where nobody can tell who it is, the stream ends and the client comes back', async () => {
  const { live, people, asked, advance } = await liveShop(boss);
  const client = await connect(live, 'staff:boss');
  people.known.set('staff:boss', 'unavailable');
  await advance(10_000);
  await asked('order');
  await advance(1_000);
  expect(client.names).toEqual(['bye']);
});

test('with other rights the client reads its list again, and loses sight of what is not for it any more', async () => {
  const { live, people, asked, advance, calls } = await liveShop(anna);
  const client = await connect(live, 'staff:anna');
  const [sent, other] = [await asked('sure'), await asked('both')];
  await advance(1_000);
  expect(client.names).toEqual(['ask', 'ask']);
  people.known.set('staff:anna', person('staff:anna', ['answer']));
  await advance(16_000);
  expect(client.names.slice(2)).toEqual(['reset']);
  await calls.answer(anna, sent, { value: true });
  const unseen = await asked('sure', 'c9');
  await advance(1_000);
  expect(client.events.slice(3)).toMatchObject([{ event: 'gone', data: { id: sent } }]);
  expect(JSON.stringify(client.events.slice(2))).not.toContain(unseen);
  expect(JSON.stringify(client.events.slice(2))).not.toContain(other);
});

test('whoever comes back without the right to an ask that changed meanwhile is told once to read the list again, and no id', async () => {
  const { live, people, asked, advance, calls } = await liveShop(anna);
  const client = await connect(live, 'staff:anna');
  const [one, other] = [await asked('sure'), await asked('both')];
  await advance(1_000);
  await client.leave();
  people.known.set('staff:anna', person('staff:anna', ['answer']));
  await calls.cancel(boss, one);
  await calls.cancel(boss, other);
  const again = await connect(live, 'staff:anna', { after: client.lastId });
  const elsewhere = await connect(live, 'staff:anna', { after: client.lastId, query: '?agentName=nobody' });
  await advance(1_000);
  expect(again.events).toEqual([{ event: 'reset', data: {}, id: again.lastId }]);
  expect(elsewhere.events).toEqual([]);
  await asked('sure', 'c9');
  await advance(1_000);
  expect(again.names).toEqual(['reset']);
});

test('a client hears of the agent, conversation or tool that it names, and of no other', async () => {
  const { live, asked, advance } = await liveShop(boss);
  const client = await connect(live, 'staff:boss', { query: '?agentName=refunds&conversationId=c2' });
  await asked('order', 'c1');
  const id = await asked('order', 'c2');
  await advance(1_000);
  expect(client.asks).toEqual([`${id} pending`]);
  for (const query of ['?color=red', '?agentName=', `?tool=${'x'.repeat(600)}`, '?tool=a&tool=b', '?after=1&after=2']) {
    const refused = await live.api(requestOf('staff:boss', { query }));
    expect([refused.status, await refused.json()]).toMatchObject([400, { error: { code: 'bad-option' } }]);
  }
});

test('the headers keep proxies from buffering, caching and compressing; whoever is nobody gets none', async () => {
  const { live } = await liveShop(boss);
  const response = await live.api(requestOf('staff:boss'));
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
  expect(response.headers.get('cache-control')).toBe('no-store, no-transform');
  expect(response.headers.get('x-accel-buffering')).toBe('no');
  expect((await live.api(requestOf('staff:nobody'))).status).toBe(401);
  const foreign = new Request('http://localhost/inbox/live', {
    headers: { 'x-person': 'staff:boss', 'sec-fetch-site': 'cross-site' },
  });
  expect((await live.page(foreign)).status).toBe(403);
});

test('a HEAD request opens no stream', async () => {
  const { live } = await liveShop(boss);
  const { url, headers } = requestOf('staff:boss');
  expect((await live.api(new Request(url, { method: 'HEAD', headers }))).status).toBe(200);
  expect(live.hub.size).toBe(0);
});

test('beyond the limit of a person their oldest stream is ended, beyond that of the process the new one is refused', async () => {
  const here = await shop();
  const live = liveOf(here, new People(anna, boss), { connections: 3, perPerson: 2 });
  const clients = [
    await connect(live, 'staff:boss'),
    await connect(live, 'staff:boss'),
    await connect(live, 'staff:boss'),
  ];
  expect(clients.map(({ ended }) => ended)).toEqual(['ended', 'no', 'no']);
  expect(clients[0]?.events).toMatchObject([{ event: 'bye', data: { reason: 'too-many' } }]);
  await connect(live, 'staff:anna');
  const refused = await live.api(requestOf('staff:anna'));
  expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([503, true]);
  await clients[1]?.leave();
  expect((await live.api(requestOf('staff:anna'))).status).toBe(200);
});

test('a reader that takes nothing is told to read its list again, and is dropped if it never does', async () => {
  const here = await shop();
  const recorded = await here.port.find(await here.asked('order'));
  const feed = new FakeFeed();
  const hub = hubOn(here, feed, async (id) => recorded && { ...recorded, ask: { ...recorded.ask, id } });
  const [slow, gone] = [open(hub), open(hub)];
  for (let i = 0; i < 400; i += 1) {
    feed.ids.push(`ask-${i}`);
    if (i % 100 === 99) await here.advance(1_100);
  }
  const client = new Client(slow);
  await settle();
  expect(client.events.length).toBeLessThan(100);
  expect(client.names.at(-1)).toBe('reset');
  feed.ids.push('ask-400');
  await here.advance(1_100);
  expect(client.asks.at(-1)).toBe('ask-400 pending');
  await here.advance(60_000);
  const dropped = new Client(gone);
  await settle();
  expect([dropped.ended, hub.size]).toEqual(['dropped', 1]);
});

test('a registry that stops ends the streams, and the clients come back later', async () => {
  const { live, registry } = await liveShop(boss);
  const client = await connect(live, 'staff:boss');
  await registry.stop();
  await settle();
  expect(client).toMatchObject({ names: ['bye'], ended: 'ended' });
  expect((await live.api(requestOf('staff:boss'))).status).toBe(503);
});

test('a store that does not answer delays the events, and loses none', async () => {
  const here = await shop();
  const line = flaky(here.store);
  const registry = await here.replica({ store: line.store });
  const port = registry[inboxPort];
  const live = liveOf({ registry, port, calls: new InboxCalls(registry, port) }, new People(boss));
  const client = await connect(live, 'staff:boss');
  line.down = true;
  const id = await here.asked('order');
  await here.advance(60_000);
  expect(client.events).toEqual([]);
  line.down = false;
  await here.advance(60_000);
  expect(client).toMatchObject({ asks: [`${id} pending`], ended: 'no' });
});

test('a feed whose cursor is another one with each read is read to its end, and then once a second', async () => {
  const here = await shop();
  const feed = new FakeFeed();
  open(hubOn(here, feed, async () => null));
  await here.advance(10_000);
  expect(feed.reads).toBeLessThan(14);
});

test('with nobody connected the feed is not read', async () => {
  const here = world();
  const { store, calls } = flaky(here.store);
  const registry = await here.replica({ store });
  const port = registry[inboxPort];
  const live = liveOf({ registry, port, calls: new InboxCalls(registry, port) }, new People(boss));
  const readsIn = async (ms: number) => {
    calls.length = 0;
    await here.advance(ms);
    return calls.filter((step) => step === 'changes').length;
  };
  expect(await readsIn(10_000)).toBe(0);
  const client = await connect(live, 'staff:boss');
  expect(await readsIn(10_000)).toBeGreaterThan(8);
  await client.leave();
  await readsIn(1_000);
  expect(await readsIn(60_000)).toBe(0);
});

test('an ask that was sent as settled is not sent as open again by a read that began before', async () => {
  const here = await shop();
  const id = await here.asked('sure');
  const before = await here.port.find(id);
  await here.calls.answer(anna, id, { value: true });
  const settled = await here.port.find(id);
  const reads = [settled, before];
  const feed = new FakeFeed();
  const client = new Client(open(hubOn(here, feed, async () => reads.shift() ?? settled)));
  for (let i = 0; i < 3; i += 1) {
    feed.ids.push(id);
    await here.advance(1_100);
  }
  expect(client.asks).toEqual([`${id} answered`, `${id} answered`]);
});

test('the inbox serves the streams: to the page by session, to programs by token, and ends them when it is closed', async () => {
  const { registry, asked, advance } = await shop();
  const inbox = createInbox(registry, {
    authenticate: ({ headers }) => (headers.get('authorization') === 'Bearer boss' ? boss : null),
  });
  const at = (path: string, headers: Record<string, string>) =>
    inbox.fetch(new Request(`http://localhost/inbox${path}`, { headers }));
  const cookie = inbox.session(boss).split(';')[0] ?? '';
  const clients = [
    new Client(await at('/live', { cookie, 'sec-fetch-site': 'same-origin' })),
    new Client(await at('/api/v1/events', { authorization: 'Bearer boss' })),
  ];
  const id = await asked('order');
  await advance(1_000);
  expect(clients.map((client) => client.asks)).toEqual([[`${id} pending`], [`${id} pending`]]);
  expect((await at('/live', { cookie, 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  expect((await at('/live', {})).status).toBe(401);
  expect((await at('/api/v1/events', { cookie })).status).toBe(401);
  expect(() => createInbox(registry, { live: { connections: 0 } })).toThrow(/connections/);
  inbox.close();
  await settle();
  expect(clients.map((client) => client.names.at(-1))).toEqual(['bye', 'bye']);
});
