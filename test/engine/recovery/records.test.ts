/**
 * Records that this release cannot read, or can only partly read: left as they are, visibly, and in nobody's way.
 */
import { expect, test } from 'vitest';
import { readConversation, readSettled, writeConversation } from '../../../src/core/format/document.js';
import type { Stored } from '../../../src/core/format/stored.js';
import type { Store } from '../../../src/index.js';
import { agent, text } from '../../../src/index.js';
import { claim, closing, entry, finishing, out, release, saved } from '../../../src/testing/store-contract/kit.js';
import { textStore } from '../../../src/testing/store-contract/texts.js';
import { askLike } from '../../support/asks.js';
import { heard, minute, settle, TestChannel, world, writeDocument } from '../../support/engine.js';

/** The conversation `c1`, as a document says. */
const conversationIn = (text: string | null) => readConversation(text === null ? null : { text }, 'c1');

async function desk() {
  const here = world();
  const phone = new TestChannel();
  const support = agent('support');
  const order = support.question('order', text('Order?', { pattern: /^\d+$/ }), {
    answerableBy: 'anyone',
    onAnswer: (answer) => `Got ${answer}`,
  });
  support.onMessage(({ message, ask }) => (message === 'ask' ? ask(order) : 'hello'));
  const registry = await here.replica({ agents: [support], channels: [phone] });
  const document = async (conversationId = 'c1') =>
    (await here.store.conversation(conversationId))?.document?.text ?? '';
  return { ...here, phone, registry, document };
}

const bad = [
  ['damaged', '{"v":1,"asks":[{'],
  ['foreign', '"somebody else wrote this"'],
  ['incomplete', '{"v":1,"asks":[{"id":"x"}],"parked":[],"people":[]}'],
  ['newer', '{"v":2,"asks":{"moved":"elsewhere"},"parked":[],"people":[]}'],
] as const;

for (const [what, document] of bad) {
  test(`a ${what} document is handed back unchanged, with an event, and its messages are kept`, async () => {
    const here = await desk();
    await here.says(here.phone, 'hi');
    await writeDocument(here.store, 'c1', () => document);
    const back = heard(here.registry, 'handedBack');
    await here.says(here.phone, 'ask');
    await here.advance(10 * minute);
    expect(back.length).toBeGreaterThan(0);
    expect(await here.document()).toBe(document);
    expect((await here.store.conversation('c1'))?.queue).toHaveLength(1);
    expect((await here.registry.parked()).items).toEqual([]);
  });

  test(`a ${what} document does not keep other conversations from going on`, async () => {
    const here = await desk();
    await writeDocument(here.store, 'c1', () => document);
    await here.says(here.phone, 'ask', { conversationId: 'c1' });
    await here.says(here.phone, 'ask', { conversationId: 'c2' });
    await here.says(here.phone, '12345', { conversationId: 'c2' });
    expect(here.phone.texts('c2')).toEqual(['Order?', 'Got 12345']);
  });
}

test('a damaged document does not keep listAsks() from listing the asks of others', async () => {
  const here = await desk();
  await here.says(here.phone, 'ask', { conversationId: 'c1' });
  await here.says(here.phone, 'ask', { conversationId: 'c2' });
  await writeDocument(here.store, 'c1', () => 'torn{');
  expect((await here.registry.listAsks()).asks).toMatchObject([{ conversationId: 'c2' }]);
});

test('a damaged document does not keep recoverPending() from the asks of others', async () => {
  const here = await desk();
  await here.says(here.phone, 'ask', { conversationId: 'c1' });
  await here.says(here.phone, 'ask', { conversationId: 'c2' });
  await writeDocument(here.store, 'c1', () => 'torn{');
  await here.advance(10 * minute);
  expect(await here.registry.recoverPending(minute)).toMatchObject({ expired: 1 });
});

async function enqueue(store: Store, id: string, text: string) {
  const entry = { id, data: { text }, room: 9 };
  await store.take({ conversationId: 'c1', token: `t-${id}`, turn: `u-${id}`, lease: 0, entry });
}

for (const [what, data] of [
  ['damaged', '{"entry":'],
  ['newer', '{"entry":{"type":"poll","options":[1,2]}}'],
] as const) {
  test(`a ${what} entry is handed back unchanged with an event and is not parked or dropped`, async () => {
    const here = await desk();
    const back = heard(here.registry, 'handedBack');
    await enqueue(here.store, 'e1', data);
    await here.advance(10 * minute);
    expect(back[0]).toMatchObject({ conversationId: 'c1', entryId: 'e1' });
    expect((await here.store.conversation('c1'))?.queue).toMatchObject([{ id: 'e1', data: { text: data } }]);
    expect((await here.registry.parked()).items).toEqual([]);
  });
}

async function leave(store: Store, key: string, data: string) {
  const texts = textStore(store);
  const by = await claim(texts, `from-${key}`, { entry: entry(key) });
  const outputs = [out(key, { channel: 'phone', data, to: 'anyone' })];
  await saved(texts, finishing(`from-${key}`, by, { outputs, closes: closing(key, '{"type":"ordinary"}') }, release()));
}

for (const [what, data] of [
  ['damaged', '{"type":"say",'],
  ['newer', '{"type":"poll","key":"odd","question":"?"}'],
] as const) {
  test(`a ${what} output does not keep the outputs of other conversations from going out`, async () => {
    const here = await desk();
    await leave(here.store, 'odd', data);
    const place = { channel: 'phone', address: null };
    await leave(here.store, 'fine', JSON.stringify({ type: 'say', key: 'fine', place, text: 'good news' }));
    await here.advance(5 * minute);
    expect(here.phone.texts()).toEqual(['good news']);
  });
}

test('fields of a newer release survive a rewrite: of the document, the ask, its place and parked work', async () => {
  const here = await desk();
  await here.says(here.phone, 'ask');
  await writeDocument(here.store, 'c1', (text) => {
    const { asks, ...rest } = conversationIn(text);
    const place = { channel: 'phone', address: null, thread: 'kept' };
    const newer = {
      ...rest,
      asks: asks.map((ask) => ({ ...askLike(ask, { place }), more: { feelings: ['kept'], z: 'kept' } })),
      mood: 'kept',
    };
    const stored = JSON.parse(writeConversation(newer).text) as object;
    const queued = { id: 'e', at: 1, entry: { type: 'message', text: 'hi', place, later: 'kept' } };
    const parked = [{ id: '11111111-1111-8111-8111-111111111111', later: 'kept', queued }];
    return JSON.stringify({ ...stored, parked });
  });
  await here.says(here.phone, 'not a number');
  expect(here.phone.texts()).toHaveLength(2);
  expect(conversationIn(await here.document())).toMatchObject({
    mood: 'kept',
    asks: [
      {
        progress: { retries: 1 },
        more: { feelings: ['kept'], z: 'kept' },
        places: { own: { thread: 'kept' } },
      },
    ],
    parked: [{ later: 'kept', queued: { entry: { later: 'kept' } } }],
  });
});

test('fields of a newer release survive the settlement of the ask', async () => {
  const here = await desk();
  await here.says(here.phone, 'ask');
  const askId = (await here.registry.listAsks()).asks[0]?.id ?? '';
  await writeDocument(here.store, 'c1', (text) => {
    const { asks, ...rest } = conversationIn(text);
    return writeConversation({ ...rest, asks: asks.map((ask) => ({ ...ask, more: { feelings: ['kept'] } })) }).text;
  });
  await here.says(here.phone, '12345');
  await settle();
  const found = (await here.store.find(askId)) as { record: Stored };
  expect(readSettled({ text: found.record.text })).toMatchObject({
    ask: { status: 'answered', more: { feelings: ['kept'] } },
  });
});
