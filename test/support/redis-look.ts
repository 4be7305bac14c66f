/**
 * Looks into Redis behind the store's back: whether everything under a prefix fits together. Changes nothing.
 */
import type { Redis } from 'ioredis';
import { expect } from 'vitest';
import { encoded } from '../../src/stores/redis/keys.js';
import { decodeValue } from '../../src/stores/redis/plan.js';
import { documentBeside, documentInside, stampSize } from '../../src/stores/redis/script.js';
import { wantedAt } from '../../src/stores/rules/lease.js';
import type { ConversationRecord } from '../../src/stores/rules/record.js';
import { isFinished } from '../../src/stores/rules/retention.js';

interface Found {
  /** A string. */
  readonly value: string | undefined;
  /** The items of a list, the members of a set. */
  readonly items: readonly string[];
  /** A hash. */
  readonly fields: ReadonlyMap<string, string>;
  /** A sorted set. */
  readonly scores: ReadonlyMap<string, number>;
  /** As Redis says it: -1 for ever. */
  readonly ttl: number;
}

/** A key that runs out, if only in this millisecond. */
const runsOut = (ttl: number): boolean => ttl !== -1;

/** Everything in one breath, also where Redis is out of memory. */
const lookAround = `#!lua flags=no-writes
local t = redis.call('TIME')
local found = { t[1] * 1000 + math.floor(t[2] / 1000) }
local reads = {
  string = { 'GET' }, list = { 'LRANGE', 0, -1 }, set = { 'SMEMBERS' }, hash = { 'HGETALL' }, zset = { 'ZRANGE', 0, -1, 'WITHSCORES' },
}
for _, key in ipairs(redis.call('KEYS', ARGV[1])) do
  local type = redis.call('TYPE', key).ok
  local read = reads[type]
  found[#found + 1] = { key, type, redis.call(read[1], key, unpack(read, 2)), redis.call('PTTL', key) }
end
return found
`;

type Answer = readonly [key: string, type: string, held: string | readonly string[], ttl: number];

/** What its name says a key is. */
const typeOf: readonly (readonly [RegExp, string])[] = [
  [/}:(due|open|undated|parked|deadline|settled|unsent:.*|also:.*|c:[^:]+:a)$/, 'zset'],
  [/}:(changes|c:[^:]+:[qh])$/, 'list'],
  [/}:c:[^:]+:p$/, 'set'],
  [/}:c:[^:]+:(o|r|s|m:.*)$/, 'hash'],
  [/}:(changes:dropped|c:[^:]+|c:[^:]+:[den]|a:[^:]+|p:[^:]+|v:[^:]+)$/, 'string'],
];

async function everything(redis: Redis, prefix: string): Promise<{ now: number; found: Map<string, Found> }> {
  const [now, ...all] = (await redis.eval(lookAround, 0, `${prefix}:{*`)) as [number, ...Answer[]];
  const found = new Map<string, Found>();
  for (const [key, type, held, ttl] of all) {
    expect([key, type]).toEqual([key, typeOf.find(([name]) => name.test(key))?.[1]]);
    const items = typeof held === 'string' ? [] : held;
    const pairs =
      type === 'hash' || type === 'zset'
        ? items.flatMap((each, i) => (i % 2 === 0 ? [[each, items[i + 1] ?? ''] as const] : []))
        : [];
    found.set(key, {
      value: typeof held === 'string' ? held : undefined,
      items,
      fields: new Map(pairs),
      scores: new Map(
        pairs.map(([member, score]) => [member, score === 'inf' ? Number.POSITIVE_INFINITY : Number(score)]),
      ),
      ttl,
    });
  }
  return { now, found };
}

/** Everything under a prefix must fit together, whatever was done last. */
export async function checkKeys(redis: Redis, prefix: string): Promise<void> {
  const { now, found } = await everything(redis, prefix);
  const named = (name: RegExp) => [...found].filter(([key]) => name.test(key));
  const rootOf = (key: string) => key.slice(0, key.indexOf('}:') + 2);
  const idOf = (key: string) => key.replace(/^.*}:c:/, '');
  const records = new Map<string, ConversationRecord>();
  for (const [key, { value }] of named(/}:c:[^:]+$/)) {
    const long = found.get(`${key}:d`)?.value;
    records.set(key, decodeValue((value ?? '') + (long ?? '')));
    expect(value?.[stampSize], `${key}: a document beside it`).toBe(
      long === undefined ? documentInside : documentBeside,
    );
  }
  const outputsOf = (key: string) => found.get(`${key}:o`)?.fields ?? new Map<string, string>();
  /** Nothing is left to do, and nothing has to go out. */
  const ends = (key: string) => records.get(key)?.isRetired && outputsOf(key).size === 0;

  for (const [key, c] of records) {
    const due = found.get(`${rootOf(key)}due`)?.scores.get(idOf(key));
    const wanted = wantedAt(c);
    expect(due, `${key} in due`).toBe(wanted === null ? undefined : Math.ceil(wanted));
    expect(c.isRetired, `${key} retired`).toBe(isFinished(c, c.lastTime));
    const behind = found.get(`${key}:q`)?.items.length ?? 0;
    if (behind > 0) expect([c.front !== undefined, c.hasQueue], `${key}: a queue has a front`).toEqual([true, true]);
    const kept = found.get(`${key}:h`)?.items.length ?? 0;
    expect(kept, `${key}: items of the history`).toBe(c.historyEnd - c.historyStart);
    expect(Number(found.get(`${key}:n`)?.value ?? 0), `${key}: number of the first item`).toBe(c.historyStart);
    expect(found.has(`${key}:p`), `${key}: people beside it`).toBe(c.hasPeopleBeside);
    const memos = named(/:m:/).filter(([memo]) => memo.startsWith(`${key}:m:`));
    const turns = [...c.keptMemos, ...(c.hasMemo ? [c.turn] : [])];
    expect(memos.map(([memo]) => memo.slice(`${key}:m:`.length)).sort(), `${key}: memos`).toEqual(turns.sort());
    expect(found.has(`${key}:e`), `${key}: an end that waits for outputs`).toBe(c.isRetired && outputsOf(key).size > 0);
    for (const person of c.people) {
      const one = found.get(`${rootOf(key)}p:${encoded(person)}`);
      const also = found.get(`${rootOf(key)}also:${encoded(person)}`)?.scores.get(idOf(key));
      expect(one?.value === idOf(key) || also !== undefined, `${key} is found under ${person}`).toBe(true);
      if (one?.value === idOf(key)) expect(runsOut(one.ttl), `${person} of ${key} runs out`).toBe(ends(key));
      else expect(also !== Number.POSITIVE_INFINITY, `${person} of ${key} runs out`).toBe(ends(key));
    }
  }
  for (const [key, { scores }] of named(/}:due$/)) {
    for (const [id, score] of scores)
      if (score > now) expect(records.has(`${rootOf(key)}c:${id}`), `${id} in ${key}`).toBe(true);
  }
  for (const [key, { ttl }] of named(/}:c:/)) {
    const owner = key.replace(/(}:c:[^:]+).*$/, '$1');
    const part = key.slice(owner.length);
    if (part === ':a') expect(runsOut(ttl), `${key} runs out`).toBe(true);
    else if (!records.has(owner)) expect(runsOut(ttl), `${key} must not stay for ever`).toBe(true);
    else if (part === ':r') expect(runsOut(ttl), `${key} runs out`).toBe(records.get(owner)?.isRetired);
    else expect(runsOut(ttl), `${key} runs out`).toBe(ends(owner));
  }
  const listed = (list: string) =>
    new Map(
      named(new RegExp(`}:${list}$`)).flatMap(([key, { scores }]) =>
        [...scores].map(([id]) => [rootOf(key) + id, key]),
      ),
    );
  const lists = ['open', 'undated', 'parked'].map(listed);
  expect([...listed('deadline').keys()].sort(), 'asks with a deadline').toEqual([...listed('open').keys()].sort());
  for (const [key, { value = '', ttl }] of named(/}:a:/)) {
    if (value.startsWith('=')) expect(runsOut(ttl), `${key} settled`).toBe(true);
    else {
      const member = `${rootOf(key)}${key.replace(/^.*}:a:/, '')}:${value.slice(1)}`;
      expect(lists.filter((list) => list.has(member)).length, `lists of ${member}`).toBe(1);
    }
  }
  for (const list of lists) {
    for (const [member, key] of list) {
      const [id, conversation] = member.slice(rootOf(key).length).split(':');
      expect(found.get(`${rootOf(key)}a:${id}`)?.value, `pointer of ${id}`).toBe(`>${conversation}`);
    }
  }
  for (const [key, { scores }] of named(/}:c:[^:]+:a$/)) {
    for (const [id, until] of scores) {
      if (until <= now) continue; // its record has run out
      const pointer = found.get(`${rootOf(key)}a:${id}`)?.value;
      expect(pointer?.[0], `record of ${id}, or an ask that was opened anew`).toMatch(/^[=>]$/);
      expect(found.get(`${rootOf(key)}settled`)?.scores.has(`${id}:${until}`), `${id} among all settled`).toBe(true);
    }
  }
  for (const [key, { ttl }] of named(/}:settled$/)) expect(runsOut(ttl), `${key} runs out`).toBe(true);
  for (const [key, { ttl, items }] of named(/}:changes$/)) {
    expect(runsOut(ttl), `${key} runs out`).toBe(true);
    expect(Number(found.get(`${key}:dropped`)?.value), `${key}: dropped`).toBeGreaterThan(0);
    for (const item of items) expect(item).toMatch(/^\d+,[^:]+:[^:]*$/);
  }
  const lent = new Set<string>();
  for (const [key, { scores }] of named(/}:unsent:/)) {
    const channel = key.replace(/^.*}:unsent:/, '');
    for (const member of scores.keys()) {
      const [, id = '', place = '', name = ''] = /^([^:]*):([^:]*):(.*)$/s.exec(member) ?? [];
      const owner = `${rootOf(key)}c:${id}`;
      expect(outputsOf(owner).get(name)?.startsWith(`${place}:${channel}:`), `${member} in ${key}`).toBe(true);
      lent.add(`${owner}:${name}`);
    }
  }
  for (const [key, { fields }] of named(/}:c:[^:]+:o$/)) {
    for (const name of fields.keys())
      expect(lent.has(`${key.slice(0, -2)}:${name}`), `${name} of ${key} is lent`).toBe(true);
  }
  for (const [key, { scores, ttl }] of named(/}:also:/)) {
    const open = [...scores.values()].includes(Number.POSITIVE_INFINITY);
    expect(runsOut(ttl), `${key} runs out`).toBe(!open);
  }
}
