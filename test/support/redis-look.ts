/**
 * Looks into Redis behind the store's back: whether everything under a prefix fits together. Changes nothing.
 */
import type { ChainableCommander, Redis } from 'ioredis';
import { expect } from 'vitest';
import type { ConversationRecord, UnsentOutput } from '../../src/stores/lifecycle/record.js';
import { decodeOutput } from '../../src/stores/lifecycle/record-text.js';
import { decoded, encoded } from '../../src/stores/redis/keys.js';
import { readRecord } from '../../src/stores/redis/stamps.js';

interface Found {
  /** A string. */
  readonly value: Buffer | undefined;
  /** How many there are in a list. */
  readonly length: number;
  /** A hash. */
  readonly values: readonly Buffer[];
  /** A sorted set. */
  readonly scores: ReadonlyMap<string, number>;
  /** As Redis says it: -1 for ever. */
  readonly ttl: number;
}

/** What its name says a key holds: the command that reads it. */
const readBy: readonly (readonly [RegExp, (all: ChainableCommander, key: string) => ChainableCommander])[] = [
  [
    /}:(due|open|parked|deadline|changes|unsent:.*|also:.*|c:[^:]+:a)$/,
    (all, key) => all.zrange(key, 0, -1, 'WITHSCORES'),
  ],
  [/}:c:[^:]+:[qh]$/, (all, key) => all.llen(key)],
  [/}:c:[^:]+:b$/, (all, key) => all.hvalsBuffer(key)],
  [/}:(c:[^:]+|c:[^:]+:n|a:[^:]+|p:[^:]+)$/, (all, key) => all.getBuffer(key)],
];

/** A key that runs out, if only in this millisecond. */
const runsOut = (ttl: number): boolean => ttl !== -1;

/** The time of an answer of Redis to TIME, in ms. */
const timeIn = ([seconds, micros]: readonly [string, string]): number =>
  Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);

/**
 * Everything under a prefix, in one breath; no transaction, which Redis refuses when it is out of memory. A busy machine may hold Redis
 * up between two commands: what runs out from `at` to `until` may be there or not.
 */
async function everything(
  redis: Redis,
  prefix: string,
): Promise<{ at: number; until: number; found: Map<string, Found> }> {
  const keys = (await redis.keys(`${prefix}:{*`)).sort();
  const all = redis.pipeline().time();
  for (const key of keys) {
    (readBy.find(([name]) => name.test(key))?.[1] ?? ((every, each) => every.exists(each)))(all, key);
    all.pttl(key); // last: what is there now was there before
  }
  all.time();
  const answers = ((await all.exec()) ?? []).map(([error, answer]) => {
    if (error) throw error;
    return answer;
  });
  const found = new Map<string, Found>();
  for (const [i, key] of keys.entries()) {
    const [answer, ttl] = [answers[1 + 2 * i], answers[2 + 2 * i] as number];
    if (ttl === -2) continue; // it ran out while we looked
    const list: readonly unknown[] = Array.isArray(answer) ? answer : [];
    const scores = new Map<string, number>();
    for (let at = 0; at + 1 < list.length && typeof list[at] === 'string'; at += 2) {
      const score = String(list[at + 1]);
      scores.set(list[at] as string, score === 'inf' ? Number.POSITIVE_INFINITY : Number(score));
    }
    found.set(key, {
      value: Buffer.isBuffer(answer) ? answer : undefined,
      length: typeof answer === 'number' ? answer : 0,
      values: list.filter((each) => Buffer.isBuffer(each)),
      scores,
      ttl,
    });
  }
  const [at, until] = [answers[0], answers.at(-1)].map((each) => timeIn(each as [string, string]));
  return { at: at as number, until: until as number, found };
}

/** Everything under a prefix must fit together, whatever was done last. */
export async function checkKeys(redis: Redis, prefix: string): Promise<void> {
  const { at, until, found } = await everything(redis, prefix);
  const named = (name: RegExp) => [...found].filter(([key]) => name.test(key));
  const records = new Map<string, ConversationRecord>();
  for (const [key, { value, ttl }] of named(/}:c:[^:]+$/)) {
    if (runsOut(ttl) && ttl <= until - at + 1) continue; // some of its keys may have run out while we looked
    records.set(key, readRecord(value?.toString() ?? ''));
  }
  const outputsOf = (key: string): readonly UnsentOutput[] => {
    const beside = (found.get(`${key}:b`)?.values ?? []).map((each) => decodeOutput(each.toString()));
    return [...(records.get(key)?.outputs ?? []), ...beside];
  };
  const due = new Set<string>();
  for (const [key, { scores }] of named(/}:due$/)) {
    for (const id of scores.keys()) due.add(`${key.slice(0, -'due'.length)}c:${id}`);
  }

  for (const [key, c] of records) {
    const behind = found.get(`${key}:q`)?.length ?? 0;
    if (behind > 0) expect([c.front !== undefined, c.hasQueue], `${key}: a queue has a front`).toEqual([true, true]);
    expect(found.get(`${key}:b`)?.values.length ?? 0, `${key}: outputs beside it`).toBe(c.outputsBeside);
    const kept = found.get(`${key}:h`)?.length ?? 0;
    expect(kept, `${key}: items of the history`).toBe(c.historyEnd - c.historyStart);
    const wanted = c.front !== undefined || c.dueAt !== null;
    const lapsed = c.token !== '' && c.leasedUntil <= at;
    const pushes = outputsOf(key).length > 0;
    const retired = !wanted && !c.isOpen && !pushes && c.token === '';
    const isRelisted = c.hasPeopleBeside && !retired;
    if (!lapsed || wanted) expect(due.has(key), `${key} in due`).toBe(wanted || c.token !== '' || isRelisted);
    if (!lapsed) expect(c.isRetired, `${key} retired`).toBe(retired);
  }
  for (const [key, { ttl }] of named(/}:c:/)) {
    const c = records.get(key.replace(/(}:c:[^:]+).*$/, '$1'));
    if (key.endsWith(':a')) continue; // as long as the records that it lists
    if (c?.isRetired) expect(ttl, `${key} must not stay for ever`).not.toBe(-1);
    else if (c !== undefined) expect(ttl, `${key} must not run out`).toBe(-1);
  }
  for (const [key, { scores }] of named(/}:(open|parked|deadline)$/)) {
    const root = key.replace(/(open|parked|deadline)$/, '');
    for (const member of scores.keys()) {
      const [id, conversation] = member.split(':');
      expect(found.get(`${root}a:${id}`)?.value?.toString(), `pointer of ${id}`).toBe(`>${conversation}`);
    }
  }
  for (const [key, { scores, ttl }] of named(/}:c:[^:]+:a$/)) {
    expect(runsOut(ttl), `${key} settled`).toBe(true);
    for (const [id, ends] of scores) {
      if (ends <= until) continue; // it may have run out while we looked
      const pointer = found.get(`${key.replace(/c:[^:]+:a$/, 'a:')}${id}`)?.value?.toString();
      expect(pointer?.[0], `record of ${id}, or an ask that was opened anew`).toMatch(/^[=>]$/);
    }
  }
  for (const [key, { value, ttl }] of named(/}:a:/)) {
    if (value?.toString().startsWith('=')) expect(runsOut(ttl), `${key} settled`).toBe(true);
  }
  for (const [key, { scores }] of named(/}:unsent:/)) {
    const [root = '', channel = ''] = key.split('unsent:');
    for (const [member, score] of scores) {
      const waiting = outputsOf(`${root}c:${member}`).filter((output) => encoded(output.channel) === channel);
      expect(waiting.length, `outputs of ${member} for ${channel}`).toBeGreaterThan(0);
      const first = Math.min(...waiting.map(({ freeAt }) => freeAt));
      expect(score, `${member} in ${key}`).toBeLessThanOrEqual(Math.ceil(first));
    }
  }
  for (const [key, { value, ttl }] of named(/}:p:/)) {
    const c = records.get(key.replace(/p:.*$/, `c:${value}`));
    const person = decoded(key.replace(/^.*}:p:/, ''));
    if (c === undefined || (c.hasPeopleBeside && runsOut(ttl) && c.peopleUntil <= until)) continue;
    if (c.people.includes(person)) expect(runsOut(ttl), `${key} runs out`).toBe(c.isRetired);
    else expect(ttl, `${key} is listed for some time`).toBeGreaterThanOrEqual(c.isRetired ? c.endsAt - until - 1 : 0);
  }
  for (const [key, { scores, ttl }] of named(/}:also:/)) {
    const open = [...scores.values()].includes(Number.POSITIVE_INFINITY);
    expect(runsOut(ttl), `${key} runs out`).toBe(!open);
  }
}
