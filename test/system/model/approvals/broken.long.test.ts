/** The model of approvals can fail: for every store that is wrong in one way it finds a history that shows it. */
import { expect, test } from 'vitest';
import type { Save, Store } from '../../../../src/stores/port.js';
import { wrapped } from '../faults.js';
import { inMemory } from '../grounds.js';
import { firstFailure } from './playing.js';

const saving = (change: (call: Save) => Save) => (inner: Store) =>
  wrapped(inner, (step, args, go) => (step === 'save' ? go(change(args[0] as Save)) : go(...args)));

/** Every settled ask as another one. */
const settling = (change: (record: string) => string) =>
  saving((call) => {
    const settled = call.asks.settled.map((each) => ({ ...each, record: { text: change(each.record.text) } }));
    return { ...call, asks: { ...call.asks, settled } };
  });

test.each([
  {
    name: 'forgets grants',
    store: saving((call) => ({ ...call, history: call.history.filter(({ text }) => !text.includes('"decision"')) })),
  },
  {
    name: 'gives a grant to another conversation',
    store: settling((record) => record.replaceAll('"conversationId":"r1"', '"conversationId":"r0"')),
  },
  {
    name: 'gives a grant to another tenant',
    store: settling((record) => record.replaceAll('"tenant":"south"', '"tenant":"north"')),
  },
  { name: 'takes once for a session', store: settling((record) => record.replaceAll('"once"', '"session"')) },
])('a store that $name is found out', async ({ store }) => {
  expect(await firstFailure(inMemory, 200, { broken: store })).toMatch(/the model says|stopped by/);
});
