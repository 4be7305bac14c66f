/**
 * The contract of an answer type: it draws one of three shapes, parses what it draws, never throws, is fast for any
 * reply, and returns plain data.
 */
import assert from 'node:assert/strict';
import type { AnswerType } from '../core/ask/answer-type.js';
import type { Json } from '../core/json.js';
import { plainData } from '../core/json.js';
import { systemClock } from '../machine/clock.js';

const hostile = [
  '',
  ' ',
  '?',
  '\u0000',
  '\u001b[31mred',
  '‮',
  '\ud800',
  '__proto__',
  'constructor',
  '-1',
  '1e999',
  'NaN',
  '9'.repeat(400),
  'a'.repeat(70_000),
  '{}',
  '[]',
  'null',
  '1,2',
  '1 or 2',
  'not yes',
  '<b>x</b>',
  "'; --",
];

/** The limit for parsing one reply, in ms; generous, so that a slow machine passes. */
const maxMs = 2_000;

/** What the contract of an answer type is proved with. */
export interface AnswerTypeContract<T, D extends Json> {
  /** Registers a test: `test` of Vitest, Jest, Bun or `node:test`. */
  readonly test: (name: string, run: () => Promise<void>) => void;
  /** The type to prove. */
  readonly type: AnswerType<T, D>;
  /** The data of a question of this type. */
  readonly data: D;
  /** Replies that must be accepted, with their values. At least one. */
  readonly accepts: readonly { readonly reply: string; readonly value: T }[];
  /** Replies that must be refused. At least one. */
  readonly refuses: readonly string[];
}

/**
 * Registers the tests that every answer type must pass: it reads back what it draws, never throws, never guesses, and is quick.
 *
 * @example
 * import { test } from 'node:test';
 * import type { AnswerType } from 'askback';
 * import { answerTypeContract } from 'askback/testing';
 *
 * const rating: AnswerType<number, null> = {
 *   kind: 'rating',
 *   shape: () => ({ type: 'choices', choices: [{ id: '1', label: '1' }], many: false }),
 *   parse: (reply) => (reply === '1' ? { ok: true, value: 1 } : { ok: false, why: 'not-valid', problem: 'Please pick 1.' }),
 * };
 * answerTypeContract({ test, type: rating, data: null, accepts: [{ reply: '1', value: 1 }], refuses: ['9'] });
 */
export function answerTypeContract<T, D extends Json>(contract: AnswerTypeContract<T, D>): void {
  const { test, type, data, accepts, refuses } = contract;
  const name = `answer type ${type.kind}`;
  const stored = JSON.parse(JSON.stringify(data)) as D;
  assert.ok(accepts.length > 0 && refuses.length > 0, `${name}: name at least one reply to accept and one to refuse`);

  test(`${name}: its data is stored and comes back equal`, async () => {
    assert.deepEqual(stored, data);
    assert.match(type.kind, /^[a-z][a-z0-9-]*$/, 'a kind is a short lower-case word');
  });
  test(`${name}: it draws one of the three shapes`, async () => {
    const shape = type.shape(stored);
    assert.ok(['text', 'choices', 'fields'].includes(shape.type));
    if (shape.type === 'choices') assert.ok(shape.choices.length > 0);
  });
  test(`${name}: what it draws it reads back, by id and by label`, async () => {
    const shape = type.shape(stored);
    if (shape.type !== 'choices') return assert.ok((await type.parse(accepts[0]?.reply ?? '', stored)).ok);
    for (const choice of shape.choices) {
      // a control gives the id; a type that accepts no values reads it as if it were typed
      const byId = await (type.accept === undefined ? type.parse(choice.id, stored) : type.accept(choice.id, stored));
      const byLabel = await type.parse(choice.label, stored);
      assert.ok(byId.ok && byLabel.ok, `option ${choice.label}`);
      assert.deepEqual(byId.value, byLabel.value);
    }
  });
  test(`${name}: it accepts what it should, as plain data`, async () => {
    for (const { reply, value } of accepts) {
      const parsed = await type.parse(reply, stored);
      assert.ok(parsed.ok, `refused ${JSON.stringify(reply)}`);
      assert.deepEqual(parsed.value, value);
      assert.deepEqual(plainData(parsed.value, 'value', { textBytes: 65_536, depth: 100 }), value);
    }
  });
  test(`${name}: it refuses what it should, and says why`, async () => {
    for (const reply of refuses) {
      const parsed = await type.parse(reply, stored);
      assert.ok(!parsed.ok && parsed.why !== 'more', `accepted ${JSON.stringify(reply)}`);
      assert.notEqual(parsed.problem.trim(), '');
    }
  });
  test(`${name}: no reply makes it throw, or keeps it busy`, async () => {
    for (const reply of hostile) {
      const start = systemClock.elapsed();
      const parsed = await type.parse(reply, stored);
      assert.equal(typeof parsed.ok, 'boolean', JSON.stringify(reply.slice(0, 20)));
      assert.ok(systemClock.elapsed() - start < maxMs, `took too long over ${JSON.stringify(reply.slice(0, 20))}`);
    }
  });
  test(`${name}: a program's value is taken as it is, or refused`, async () => {
    if (type.accept === undefined) return;
    for (const { value } of accepts) {
      const given = plainData(value, 'value', { textBytes: 65_536, depth: 100 });
      const taken = await type.accept(given, stored);
      assert.ok(taken.ok, `refused its own value ${JSON.stringify(value)}`);
      assert.deepEqual(taken.value, value);
    }
    for (const wrong of [{ nothing: 'like it' }, [[]], null]) {
      if (accepts.some(({ value }) => JSON.stringify(value) === JSON.stringify(wrong))) continue;
      const taken = await type.accept(wrong, stored);
      assert.equal(typeof taken.ok, 'boolean', `threw over ${JSON.stringify(wrong)}`);
    }
  });
}
