/**
 * Looks into Redis behind the store's back: whether everything under a prefix fits together. Changes nothing.
 */
import type { Redis } from 'ioredis';
import { expect } from 'vitest';

interface Control {
  readonly token: string;
  readonly until: number;
  readonly due: number;
  readonly open: boolean;
  readonly count: number;
  readonly hasHead: boolean;
  readonly idle: boolean;
}

/** The control record; the places are those of scripts/record.ts. */
async function control(redis: Redis, key: string): Promise<Control> {
  const raw = (await redis.getBuffer(key)) as Buffer;
  const flags = 32;
  let at = flags + 11;
  const text = (width: 1 | 4): string => {
    const length = raw.readUIntLE(at, width);
    at += width + length;
    return raw.toString('utf8', at - length, at);
  };
  const time = (): number => {
    at += 8;
    return raw.readDoubleLE(at - 8);
  };
  const token = text(4);
  const due = time();
  at += 8 + 8 + 4; // retention, repeat marks, outputs
  text(1);
  text(4);
  at += 4;
  const common = { token, due, open: raw[flags] === 1, idle: raw[flags + 4] === 1 };
  if (raw[flags + 10] === 0) return { ...common, until: 0, count: 0, hasHead: false };
  const until = time();
  at += 8 + 8 + 4 + 4; // index, head, attempt, strikes
  const count = raw.readUInt32LE(at);
  at += 4;
  text(4);
  return { ...common, until, count, hasHead: text(4) !== '' };
}

async function now(redis: Redis): Promise<number> {
  const [seconds, micros] = await redis.time();
  return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
}

/** Everything under a prefix must fit together, whatever was done last. */
export async function checkKeys(redis: Redis, prefix: string): Promise<void> {
  const start = await now(redis);
  const keys = (await redis.keys(`${prefix}:{*`)).sort();
  const at = await now(redis);
  const conversations = keys.filter((key) => /}:c:[^:]+$/.test(key));
  const known = new Set(conversations);
  const due = new Set<string>();
  for (const key of keys.filter((each) => each.endsWith('}:due'))) {
    const root = key.slice(0, -'due'.length);
    for (const id of await redis.zrange(key, 0, -1)) due.add(`${root}c:${id}`);
  }

  for (const key of conversations) {
    const c = await control(redis, key);
    const parts = keys.filter((each) => each.startsWith(`${key}:`));
    const push = parts.includes(`${key}:o`);
    expect(c.count, `${key}: entries`).toBe((c.hasHead ? 1 : 0) + (await redis.llen(`${key}:q`)));
    const wanted = c.count > 0 || c.due >= 0;
    const lapsed = c.token !== '' && c.until <= at;
    if (!lapsed || wanted) expect(due.has(key), `${key} in due`).toBe(wanted || c.token !== '');
    const idle = !wanted && !c.open && !push && c.token === '';
    if (!lapsed) expect(c.idle, `${key} idle`).toBe(idle);
    for (const part of [key, ...parts]) {
      const ttl = await redis.pttl(part);
      if (ttl === -2) continue; // ran out while we looked
      if (c.idle) expect(ttl, `${part} must not stay for ever`).toBeGreaterThan(0);
      else expect(ttl, `${part} must not run out`).toBe(-1);
    }
  }
  for (const key of due) if (!known.has(key)) expect(await redis.exists(key), `${key} is due and gone`).toBe(0);
  for (const key of keys) {
    const type = await redis.type(key);
    if (/}:(open|parked)$/.test(key)) {
      for (const member of await redis.zrange(key, 0, -1)) {
        const [id, conversation] = member.split(':');
        const root = key.replace(/(open|parked)$/, '');
        expect(await redis.get(`${root}a:${id}`), `pointer of ${id}`).toBe(`>${conversation}`);
      }
    }
    if (/}:a:/.test(key) && type === 'string') {
      const value = await redis.get(key);
      if (value?.startsWith('=')) expect(await redis.pttl(key), `${key} settled`).toBeGreaterThan(0);
    }
    if (/}:unsent:/.test(key)) {
      for (const member of await redis.zrange(key, 0, -1)) {
        const [root = '', channel = ''] = key.split('unsent:');
        const outputs = await redis.hvalsBuffer(`${root}c:${member}:o`);
        const free = outputs.filter(
          (output) => output.toString('latin1', 16, 16 + output.readUInt32LE(12)) === channel,
        );
        expect(free.length, `outputs of ${member} for ${channel}`).toBeGreaterThan(0);
        const first = Math.min(...free.map((output) => output.readDoubleLE(4)));
        expect(Number(await redis.zscore(key, member)), `${member} in ${key}`).toBeLessThanOrEqual(first);
      }
    }
    if (/}:p:/.test(key)) {
      const conversation = key.replace(/p:.*$/, `c:${await redis.get(key)}`);
      if (known.has(conversation) && (await redis.exists(conversation)) === 1) {
        const { idle } = await control(redis, conversation);
        const ttl = await redis.pttl(key);
        if (ttl !== -2) expect(ttl > 0, `${key} runs out`).toBe(idle);
      }
    }
    if (/}:also:/.test(key)) {
      const scores = await redis.zrange(key, 0, -1, 'WITHSCORES');
      const open = scores.some((score, i) => i % 2 === 1 && score === 'inf');
      const ttl = await redis.pttl(key);
      if (ttl !== -2) expect(ttl > 0, `${key} runs out`).toBe(!open);
    }
  }
  expect(at - start).toBeLessThan(5_000);
}
