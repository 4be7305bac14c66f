/** What a process knows of control records costs it nothing once it is not known any more. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import type { Claim } from '../../src/stores/port.js';
import { KnownRecords, type Swap } from '../../src/stores/redis/known.js';
import { finishing, taking } from '../../src/testing/store-contract/kit.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (how?: { type: 'minor' }) => void;
const [conversations, bytes] = [3_000, 20_000];

/** A conversation that begins, with an entry that is heavy; and the claim of whoever began it. */
function begun(known: KnownRecords, id: string): Claim {
  const take = taking(id);
  const entry = Object.assign({ id: 'm1', at: 1, data: 'hello' }, { ballast: new ArrayBuffer(bytes) });
  const { token, turn } = take;
  const memo = {};
  const claim = {
    token,
    turn,
    attempt: 1,
    strikes: 1,
    revision: 0,
    incarnation: 'one',
    now: 1,
    document: '',
    memo,
    entry,
  };
  known.taken(id, take, { now: 1, entry: 'recorded', claim });
  return claim;
}

test('what is not known any more is young garbage: no table of what was known keeps it for a full collection', () => {
  const known = new KnownRecords();
  const lanes = 64;
  const claims: (Claim | undefined)[] = [];
  collect();
  const before = process.memoryUsage().arrayBuffers;
  for (let i = 0; i < conversations; i += 1) {
    claims[i] = begun(known, idOf(i));
    saved(known, i - lanes / 2, claims);
    known.forget(idOf(i - lanes));
    if (i % (2 * lanes) === 0) collect({ type: 'minor' });
  }
  collect({ type: 'minor' });
  collect({ type: 'minor' });
  const left = (process.memoryUsage().arrayBuffers - before) / bytes;
  known.forget('any'); // known is still there
  expect(left).toBeLessThan(conversations / 5); // some live through two collections
});

const idOf = (i: number): string => `{1}:c:${i}`;

/** A turn of the conversation ends, and its entry is part of the record no more. */
function saved(known: KnownRecords, i: number, claims: (Claim | undefined)[]): void {
  const claim = claims[i];
  if (claim === undefined) return;
  claims[i] = undefined;
  const swap = known.save(finishing(idOf(i), claim, { document: '{}', open: true }));
  expect(known.done(idOf(i), (swap as Swap).to, 1)).toBe(true);
}
