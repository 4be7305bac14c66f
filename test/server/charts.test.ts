/** The operator's view: its numbers, its charts, and who is shown them. */
import { expect, test } from 'vitest';
import { lineChart, lineOf } from '../../src/server/charts/line-chart.js';
import type { CountedAsk } from '../../src/server/charts/stats.js';
import { percentile, statsOf, windowOf } from '../../src/server/charts/stats.js';
import { createInbox } from '../../src/server/index.js';
import { apiOf, token } from './api-kit.js';
import { anna, boss, person, shop } from './kit.js';

const hour = 60 * 60_000;
const day = 24 * hour;
const now = Date.UTC(2030, 0, 2, 12, 30);
const hours = windowOf('hour', now, 30 * day);
const answered = (askedAt: number, decidedAt: number): CountedAsk => ({ status: 'answered', askedAt, decidedAt });
const waits = (askedAt: number): CountedAsk => ({ status: 'pending', askedAt });
const tokenOf = ({ id }: { readonly id: string }) => `Bearer ${id.replace(':', '-')}`;
const nothing = { decided: [], open: [], parkedAt: [] };

test('the hours are full ones, the last is not over; the days reach back as far as asks are kept, and no further than a month', () => {
  expect(hours.starts).toHaveLength(24);
  expect(new Date(hours.starts.at(-1) ?? 0).toISOString()).toBe('2030-01-02T12:00:00.000Z');
  expect(windowOf('day', now, 7 * day).starts).toHaveLength(7);
  expect(windowOf('day', now, 400 * day).starts).toHaveLength(31);
  expect(windowOf('day', now, 60_000).starts).toHaveLength(1);
});

test('without any asks everything is zero, and no time to answer is known', () => {
  const stats = statsOf(hours, nothing);
  expect(stats).toMatchObject({ waiting: 0, parked: 0 });
  expect(stats).not.toHaveProperty('p50');
  expect(stats).not.toHaveProperty('oldest');
  expect(stats.buckets[23]).toEqual({
    at: '2030-01-02T12:00:00.000Z',
    waiting: 0,
    answered: 0,
    declined: 0,
    expired: 0,
    other: 0,
    parked: 0,
  });
});

test('an ask waits in every hour from when it was asked until it was answered, and is counted once as answered', () => {
  const { buckets, p50, p90 } = statsOf(hours, { ...nothing, decided: [answered(now - 3 * hour, now - hour)] });
  expect(buckets.slice(-5).map((each) => each.waiting)).toEqual([0, 1, 1, 0, 0]);
  expect(buckets.slice(-5).map((each) => each.answered)).toEqual([0, 0, 0, 1, 0]);
  expect([p50, p90]).toEqual([2 * hour, 2 * hour]);
});

test('what ended in one hour is counted by how it ended, and only answers count for the time to answer', () => {
  const at = now - 10 * 60_000;
  const ended = (['answered', 'declined', 'expired', 'cancelled', 'exhausted'] as const).map((status, i) => ({
    status,
    askedAt: at - (i + 1) * 1_000,
    decidedAt: at,
  }));
  expect(statsOf(hours, { ...nothing, decided: ended }).buckets[23]).toMatchObject({
    ...{ answered: 1, declined: 1, expired: 1, other: 2, waiting: 0 },
    ...{ p50: 1_000, p90: 1_000 },
  });
});

test('one far outlier moves neither the median nor the ninth of ten', () => {
  const decided = Array.from({ length: 20 }, (_, i) => answered(now - (i + 1) * 1_000, now));
  const { p50, p90 } = statsOf(hours, {
    ...nothing,
    decided: [...decided.slice(0, 19), answered(now - 20 * day, now)],
  });
  expect([p50, p90]).toEqual([10_000, 18_000]);
  expect([percentile([], 0.5), percentile([7], 0.9), percentile([3, 1, 2], 1)]).toEqual([undefined, 7, 3]);
});

test('a clock that was set back gives no negative time and loses no ask', () => {
  const decided = [answered(now + hour, now - hour), answered(now - hour, now + 5 * hour)];
  const stats = statsOf(hours, { decided, open: [waits(now + day)], parkedAt: [now + day] });
  expect(stats.buckets.reduce((sum, each) => sum + (each.answered ?? 0), 0)).toBe(2);
  expect(stats.buckets.flatMap(({ p50 = 0, p90 = 0 }) => [p50, p90]).every((ms) => ms >= 0)).toBe(true);
  expect(stats).toMatchObject({ waiting: 1, parked: 1, oldest: '2030-01-02T12:30:00.000Z' });
  expect(stats.buckets.at(-1)).toMatchObject({ waiting: 1, parked: 1 });
});

test('where the log is too long, the hours before what was looked at are unknown, and not zero', () => {
  const stats = statsOf(hours, { ...nothing, decided: [answered(now - hour, now)], coveredFrom: now - 2 * hour });
  expect(stats.buckets.slice(-4).map((each) => each.answered)).toEqual([undefined, undefined, 0, 1]);
  expect(stats.coveredFrom).toBe('2030-01-02T10:30:00.000Z');
});

test('a line has a gap where nothing is known, a dot where a value stands alone, and never leaves its frame', () => {
  expect(lineOf([], 0)).toEqual({ path: '', dots: [] });
  expect(lineOf([5], 5)).toEqual({ path: '', dots: [{ x: 150, y: 4 }] });
  expect(lineOf([0, 0], 0).path).toBe('M4 76L296 76');
  expect(lineOf([1, 2, undefined, 2, undefined, 1, 1], 2)).toEqual({
    path: 'M4 40L52.7 4M247.3 40L296 40',
    dots: [{ x: 150, y: 4 }],
  });
  expect(lineOf([Number.MAX_VALUE, -1], 1).path).toBe('M4 4L296 76');
});

test('a chart says its last values in words, and names are escaped', async () => {
  const line = { name: '<b>x</b>', values: [1, 1e12], last: '1' };
  const drawn = await lineChart({
    ...{ id: 'c', title: 'T', description: 'D', lines: [line], scale: 'logarithmic', ends: ['1 h ago', 'now'] },
    top: (highest) => `up to ${highest}`,
  });
  const text = String(drawn);
  expect(text).toContain('role="img"');
  expect(text).toContain('up to 1000000000000');
  expect(text).not.toContain('<b>x</b>');
  expect(text).toContain('&lt;b&gt;x&lt;/b&gt;');
});

test('an operator gets the numbers of their own tenant, by page and by API; others get what they would get for any path', async () => {
  const { registry, asked, calls, advance } = await shop();
  const acme = person('staff:acme', ['admin'], { tenant: 'acme' });
  const everywhere = person('staff:all', ['admin'], { everyTenant: true });
  const people = new Map([anna, boss, acme, everywhere].map((each) => [tokenOf(each), each]));
  const inbox = createInbox(registry, {
    authenticate: ({ headers }) => people.get(headers.get('authorization') ?? '') ?? null,
  });
  const get = (who: { id: string }, path: string) =>
    inbox.fetch(new Request(`http://localhost/inbox${path}`, { headers: { authorization: tokenOf(who) } }));
  const stats = async (who: { id: string }, query = '') => (await get(who, `/api/v1/stats${query}`)).json();
  const id = await asked('sure', 'c1');
  await asked('order', 'c2', { id: 'web:bob', tenant: 'acme' });
  await asked('order', 'c3');
  await advance(90_000);
  await calls.answer(anna, id, { value: true });
  expect(await stats(boss)).toMatchObject({ step: 'hour', waiting: 1, p50: 90_000 });
  expect(await stats(acme)).toMatchObject({ waiting: 1 });
  expect(await stats(acme)).not.toHaveProperty('p50');
  expect(await stats(everywhere, '?by=day')).toMatchObject({ step: 'day', waiting: 2, p50: 90_000 });
  const page = await (await get(boss, '/health')).text();
  expect(page).toContain('The oldest waits for');
  expect(page.match(/role="img"/g)).toHaveLength(4);
  expect((await get(anna, '/health')).status).toBe(404);
  const [hidden, none] = [await get(anna, '/api/v1/stats'), await get(anna, '/api/v1/nothing')];
  expect([hidden.status, await hidden.json()]).toEqual([none.status, await none.json()]);
  expect((await get(boss, '/api/v1/stats?by=week')).status).toBe(400);
});

test('what was just asked waits for seconds, and not for "now"', async () => {
  const { registry, asked, advance } = await shop();
  await asked('sure', 'c1');
  await advance(7_000);
  const inbox = createInbox(registry, { authenticate: () => boss });
  const page = await (await inbox.fetch(new Request('http://localhost/inbox/health'))).text();
  expect(page).toMatch(/The oldest waits for<\/dt><dd><time datetime="[^"]+">7 s<\/time>/);
});

test('beside a tenant with more open asks than are looked at, nobody is told a plain zero', async () => {
  const { api, raw, asked, port } = await apiOf();
  const acme = person('staff:acme', ['admin'], { tenant: 'acme' });
  await asked('order', 'c1', { id: 'web:big', tenant: 'big' });
  const { asks } = await port.list({});
  const lists = port.list.bind(port);
  let left = Number.POSITIVE_INFINITY;
  const foreign = Array.from({ length: 500 }, () => asks).flat();
  port.list = async ({ tenant, cursor: _, ...filter }) => {
    left -= 500;
    if (filter.status === 'decided' || left < 0) return lists(filter);
    return { asks: tenant === undefined ? foreign : [], cursor: '1' };
  };
  const { body } = await api(acme, 'GET', '/stats');
  expect(body).toMatchObject({ waiting: 0, waitingIsMore: true, parked: 0 });
  expect(body).not.toHaveProperty('parkedIsMore');
  expect(body.buckets.at(-1)).not.toHaveProperty('waiting');
  const headers = { authorization: token(acme) };
  const page = await raw('/health', { headers });
  expect(page.body).toContain('at least 0');
  const metrics = await raw('/metrics', { headers });
  expect(metrics.body).toContain('askback_waiting_is_more 1\n');
  expect(metrics.body).toContain('askback_parked_work 0\n');
  expect(metrics.body).not.toContain('askback_open_asks 0');
  await asked('order', 'c2', { id: 'web:bob', tenant: 'acme' });
  left = 2_500; // beyond the first pages there are the asks of this tenant
  const further = await api(acme, 'GET', '/stats');
  expect(further.body).toMatchObject({ waiting: 1 });
  expect(further.body).not.toHaveProperty('waitingIsMore');
});
