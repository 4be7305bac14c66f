/**
 * The story of opaque texts: every text comes back as it was, because nobody looks into it.
 */
import assert from 'node:assert/strict';
import {
  askId,
  claim,
  closing,
  entry,
  finishing,
  long,
  out,
  read,
  release,
  type StoreStory,
  saved,
  turn,
} from './kit.js';

/** Texts that a store which parses, trims or counts would bring back changed. */
const texts: readonly string[] = [
  '',
  ' ',
  '0',
  'null',
  '[]',
  '{}',
  '{"n":12345678901234567890,"empty":[],"f":1.0}',
  '12345678901234567890',
  '-0',
  '1e400',
  '\u0000',
  'a\u0000b\r\n',
  '\u{1f600}\u{1f468}\u200d\u{1f469}',
  'caf\u00e9 cafe\u0301',
  '\u202eright to left',
  '\u001b[31mred',
  '\\u0041 \\n %s {0}',
  'x'.repeat(70_000),
];

export const textStories: readonly StoreStory[] = [
  [
    'texts come back exactly as they were given, whatever they look like',
    async ({ store }) => {
      const settled = texts.map((text, i) => ({ id: askId('c', `settled ${i}`), record: text }));
      for (const [i, text] of texts.entries()) {
        const by = await claim(store, 'c', { entry: entry(`e${i}`, { data: text }) });
        assert.equal(by.entry?.data, text);
        const kept = await store.remember({ conversationId: 'c', turn: by.turn, key: 'k', value: text });
        assert.deepEqual(kept, { type: 'kept', value: text });
        const outputs = [out(`k${i}`, { data: text })];
        await saved(
          store,
          finishing('c', by, { document: text, outputs, loan: 0, closes: closing(`e${i}`, text) }, release()),
        );
        assert.equal((await read(store, 'c')).document, text);
        assert.equal(await store.outcome('c', `e${i}`), text);
      }
      await turn(store, 'c', { history: texts, asks: { opened: [], settled } });
      assert.deepEqual((await store.history('c', { limit: 1000 })).items, texts);
      for (const { id, record: text } of settled) assert.deepEqual(await store.find(id), { record: text });
      const lent = await store.unsent({ channels: ['web'], limit: 1000, loan: long });
      assert.deepEqual(
        lent.map(({ data }) => data),
        texts,
      );
      await store.sent([
        { conversationId: 'c', key: 'k0', channel: 'web', again: { in: 0, data: texts.at(-2) as string } },
      ]);
      const [again] = await store.unsent({ channels: ['web'], limit: 1, loan: long });
      assert.equal(again?.data, texts.at(-2));
    },
  ],
];
