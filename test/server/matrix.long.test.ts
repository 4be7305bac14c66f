/**
 * Every route of the inbox, as the app itself lists them, against everybody who must not get in. A new route is in the matrix without
 * being named here: it counts as closed unless it is among the few that are open.
 */
import { describe, expect, test } from 'vitest';
import { agent, choice, confirm, text } from '../../src/index.js';
import { inboxApp, inboxParts } from '../../src/server/inbox.js';
import type { InboxPerson } from '../../src/server/index.js';
import { TestChannel, world } from '../support/engine.js';
import { heldBy } from '../support/store.js';
import { token } from './api-kit.js';

const origin = 'https://inbox.example.com';
const secret = 'a secret of thirty-two characters or more';
const all = ['read', 'answer', 'conversations', 'admin'] as const;

/** What people and programs wrote, in every field that a page or a reply could show. */
const script = `"'></title></textarea><script>alert(1)</script><img src=x onerror=alert(1)>`;
const marks = ['QUESTION', 'DETAIL', 'LABEL', 'NAME', 'WORDS', 'ANSWER', 'REASON', 'CONTEXT'] as const;
const hostile = (mark: (typeof marks)[number]) => `${mark} ${script}`;

const boss: InboxPerson = { id: 'staff:boss', name: hostile('NAME'), tenant: 'acme', roles: ['manager'], scopes: all };
const strangers: Readonly<Record<string, InboxPerson>> = {
  'of another tenant, with every scope and role': { ...boss, id: 'staff:eve', name: 'Eve', tenant: 'evil' },
  'without a tenant, with every scope and role': { id: 'staff:mallory', roles: ['manager'], scopes: all },
  'of the tenant, who may not answer it': { id: 'staff:carl', tenant: 'acme', scopes: ['answer'] },
  'of the tenant, with no scope': { id: 'staff:dora', tenant: 'acme', roles: ['manager'], scopes: [] },
};

/** Authenticates a bearer token that names its person, and nothing else. */
const authenticate = ({ headers }: Request): InboxPerson | null => {
  const [, given = ''] = /^Bearer ([\w-]+)$/.exec(headers.get('authorization') ?? '') ?? [];
  try {
    return JSON.parse(Buffer.from(given, 'base64url').toString()) as InboxPerson;
  } catch {
    return null;
  }
};

async function inboxWorld({ isEmpty = false } = {}) {
  const here = world();
  const phone = new TestChannel();
  const shop = agent('shop');
  const managers = { answerableBy: { roles: ['manager'] }, details: { [hostile('DETAIL')]: hostile('DETAIL') } };
  const context = { secret: hostile('CONTEXT') };
  const onAnswer = () => hostile('WORDS');
  const questions = {
    open: shop.question('open', confirm(hostile('QUESTION')), { ...managers, context, links: 'decide', onAnswer }),
    done: shop.question('done', text(hostile('QUESTION')), { ...managers, context, onAnswer }),
    pick: shop.question('pick', choice(hostile('QUESTION'), [hostile('LABEL'), 'other']), { ...managers, onAnswer }),
    fail: shop.question('fail', confirm(hostile('QUESTION')), {
      ...managers,
      onAnswer: () => {
        throw new TypeError(hostile('WORDS'));
      },
    }),
  };
  shop.onMessage(({ message, ask }) => {
    const found = Object.entries(questions).find(([name]) => message.startsWith(name));
    return found === undefined ? hostile('WORDS') : ask(found[1] as typeof questions.done);
  });
  const silent = () => {};
  const logger = { debug: silent, info: silent, warn: silent, error: silent };
  const registry = await here.replica({ agents: [shop], channels: [phone], logger, settings: { maxAttempts: 1 } });
  const ada = { id: 'web:ada', name: hostile('NAME'), tenant: 'acme' };
  const asked = async (what: keyof typeof questions) => {
    await here.says(phone, `${what} ${hostile('WORDS')}`, { conversationId: `c-${what}`, participant: ada });
    const { asks } = await registry.listAsks({ conversationId: `c-${what}` });
    return asks.at(-1)?.id ?? 'nothing was asked';
  };
  const ids = { open: '', pick: '', done: '', fail: '', parked: '' };
  if (!isEmpty) {
    ids.open = await asked('open');
    ids.pick = await asked('pick');
    ids.done = await asked('done');
    await registry.answer(ids.done, { text: hostile('ANSWER') }, { by: boss });
    ids.fail = await asked('fail');
    await registry.answer(ids.fail, { value: true }, { by: boss });
  }
  await here.advance(60_000);
  ids.parked = (await registry.parked()).items[0]?.id ?? '';
  const parts = inboxParts(registry, { origin, secret, authenticate });
  const app = inboxApp(parts);
  const { access, linked } = parts;
  const cookieOf = (person: InboxPerson) => access.startSession(person).split(';')[0] ?? '';
  const stored = () => heldBy(here.store);
  return { ...here, registry, parts, app, access, linked, cookieOf, stored, ids };
}

type InboxWorld = Awaited<ReturnType<typeof inboxWorld>>;

interface Route {
  readonly method: string;
  /** Under the base path, with its parameters: `/asks/:id`. */
  readonly path: string;
}

/** Channels look at their own requests; the rest is for everybody. */
const open = /^(GET|ALL) (\/assets\/|\/sign-in$|\/healthz$|\/readyz$|\/channels\/)|^POST \/sign-in$/;

function routesOf({ app }: InboxWorld): readonly Route[] {
  const seen = new Map<string, Route>();
  for (const { method, path: whole } of app.routes) {
    const path = whole.slice('/inbox'.length).replace(/\/+$/, '') || '/';
    const methods = method === 'ALL' ? ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'] : [method];
    for (const each of methods) seen.set(`${each} ${path}`, { method: each, path });
  }
  return [...seen.values()];
}

const isApi = ({ path }: Route) => path.startsWith('/api/v1');
const takesTokens = (route: Route) => isApi(route) || route.path === '/metrics';
const isLink = ({ path }: Route) => path.startsWith('/link/');
const nameOf = ({ method, path }: Route) => `${method} ${path}`;
const closed = (here: InboxWorld) => routesOf(here).filter((route) => !open.test(nameOf(route)));

/** An address of the route, about `id`. */
function addressOf({ path }: Route, id: string): string {
  const filled = path.replace(/:\w+(\{[^}]*\})?/g, encodeURIComponent(id)).replace(/\*$/, 'nothing-here');
  const query = path === '/api/v1/conversations' ? '?participantId=web:ada' : ''; // it lists nothing without
  return `${origin}/inbox${filled === '/' ? '' : filled}${query}`;
}

const pathOf = (route: Route, id: string): string => new URL(addressOf(route, id)).pathname;

/** The forms of a page with their hidden fields, by where they are sent. */
function formsIn(page: string): readonly (readonly [string, string])[] {
  return [...page.matchAll(/<form[^>]*method="post"[^>]*>.*?<\/form>/gis)].map(([form]) => {
    const hidden = [...form.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
    const fields = new URLSearchParams();
    for (const [, name = '', value = ''] of hidden) fields.append(name, value);
    return [/action="([^"]+)"/.exec(form)?.[1] ?? '', String(fields)];
  });
}

/** What the changes of the API take: one of these fits each of them. */
function bodiesFor(route: Route, askId: string): readonly string[] {
  if (!isApi(route) || route.method === 'GET') return [''];
  const result = { tool_call_id: askId, decision: 'approve', choice: 'yes' };
  return [
    '{}',
    '{"value":true}',
    '{"reason":"x"}',
    '{"to":"staff:eve"}',
    JSON.stringify(result),
    JSON.stringify({ ...result, decision: 'yes' }),
  ];
}

/** A request as the real client of the route makes it, so that nothing but the caller is wrong. */
function requestOf(
  route: Route,
  id: string,
  headers: Readonly<Record<string, string>> = {},
  sent = '{"value":true}',
): Request {
  const change = route.method === 'GET' || route.method === 'HEAD' ? undefined : isApi(route) ? 'json' : 'form';
  const type = change === 'json' ? 'application/json' : 'application/x-www-form-urlencoded';
  const usual = { 'sec-fetch-site': 'same-origin', ...(change === undefined ? {} : { 'content-type': type, origin }) };
  const body = change === 'json' ? sent : 'value=true&token=x&key=k';
  return new Request(addressOf(route, id), {
    method: route.method,
    headers: { ...usual, ...headers },
    ...(change === undefined ? {} : { body }),
  });
}

/** What comes back; of a stream only its beginning. */
async function replyTo({ app }: InboxWorld, request: Request) {
  const response = await app.fetch(request);
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (!isStream) return { status: response.status, text: await response.text(), headers: response.headers };
  await response.body?.cancel();
  return { status: response.status, text: '', headers: response.headers };
}

const leaks = (said: string) => marks.filter((mark) => said.includes(mark));
/** What differs from one reply to the next by itself: tokens and keys of forms, the sealed cursor of live events. Lengths are compared. */
const steady = (said: string, id: string) =>
  said
    .replaceAll(encodeURIComponent(id), 'ID')
    .replace(/v1\.[0-9a-z]+\.[\w-]*\.[\w-]{43}/g, 'TOKEN')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'KEY')
    .replace(/ data-after="([^"]*)"/g, (_, cursor: string) => ` data-after="${cursor.length} characters"`);

/** Without what is bound to the session. */
const timeless = (said: string) => steady(said, 'no id').replace(/ data-key="[^"]*"/g, '');

test('somebody of another tenant sees what they would see if there were nothing: no counts, no charts, no metrics of others', async () => {
  const [here, nothing] = [await inboxWorld(), await inboxWorld({ isEmpty: true })];
  const eve = strangers['of another tenant, with every scope and role'] as InboxPerson;
  const cookies = [here.cookieOf(eve), nothing.cookieOf(eve)];
  for (const route of closed(here).filter(({ method }) => method === 'GET')) {
    const headers = (i: number): Record<string, string> =>
      takesTokens(route) ? { authorization: token(eve) } : { cookie: cookies[i] ?? '' };
    const reply = await replyTo(here, requestOf(route, 'c-open', headers(0)));
    const other = await replyTo(nothing, requestOf(route, 'c-open', headers(1)));
    expect([reply.status, timeless(reply.text)], nameOf(route)).toEqual([other.status, timeless(other.text)]);
  }
});

test('the matrix has routes of every kind', async () => {
  const names = routesOf(await inboxWorld()).map(nameOf);
  for (const known of [
    'GET /',
    'GET /asks/:id',
    'POST /asks/:id/answer',
    'GET /live',
    'GET /api/v1/asks/:id',
    'POST /api/v1/asks/:id/answer',
  ])
    expect(names).toContain(known);
});

describe('nobody in particular gets nothing', () => {
  test('no token, a wrong one, and a session that is over, ended or made up', async () => {
    const here = await inboxWorld();
    const session = here.cookieOf(boss);
    const ended = here.cookieOf(boss);
    const caller = await here.access.page(new Request(origin, { headers: { cookie: ended } }));
    if (caller.type !== 'caller' || caller.session === undefined) throw new Error('not signed in');
    await here.access.sessions.end(caller.session);
    const expired = here.cookieOf(boss);
    await here.advance(13 * 60 * 60_000);
    const before = here.stored();
    const attempts: readonly Record<string, string>[] = [
      {},
      { authorization: 'Bearer nothing' },
      { authorization: `${token(boss)}, ${token(boss)}` },
      { cookie: expired },
      { cookie: ended },
      { cookie: session.slice(0, -1) },
      { cookie: '__Secure-askback_session=v1.e30.x' },
    ];
    for (const route of closed(here).filter((each) => !isLink(each)))
      for (const headers of attempts) {
        const { status, text: said } = await replyTo(here, requestOf(route, here.ids.open, headers));
        const what = `${nameOf(route)} with ${JSON.stringify(headers).slice(0, 60)}`;
        expect([401, 404, 405], what).toContain(status);
        expect(leaks(said), what).toEqual([]);
      }
    expect(here.stored()).toBe(before);
  });

  test('the API does not know the session of the page', async () => {
    const here = await inboxWorld();
    const cookie = here.cookieOf(boss);
    for (const route of closed(here).filter(isApi)) {
      const { status } = await replyTo(here, requestOf(route, here.ids.open, { cookie }));
      expect(status, nameOf(route)).toBe(401);
    }
  });
});

describe.each(Object.entries(strangers))('somebody %s', (_, stranger) => {
  test('sees nothing and changes nothing, and what exists looks like what does not', async () => {
    const here = await inboxWorld();
    const before = here.stored();
    const unknown = `${here.ids.open.slice(0, 2)}${here.ids.open
      .slice(2)
      .replace(/[0-9a-f]/g, '0')
      .replace(/^(.{12})0/, '$18')
      .replace(/^(.{17})0/, '$18')}`;
    const cookie = here.cookieOf(stranger);
    const headers = (route: Route): Record<string, string> =>
      takesTokens(route) ? { authorization: token(stranger) } : { cookie };
    const served = new Set<string>();
    for (const route of closed(here).filter((each) => !isLink(each)))
      for (const id of [...Object.values(here.ids), 'c-open', 'c-fail'])
        for (const sent of bodiesFor(route, here.ids.open)) {
          const reply = await replyTo(here, requestOf(route, id, headers(route), sent));
          const other = await replyTo(here, requestOf(route, unknown, headers(route), sent));
          const what = `${nameOf(route)} about ${id}`;
          expect(leaks(reply.text), what).toEqual([]);
          expect(reply.status, what).toBe(other.status);
          expect(steady(reply.text, id), what).toBe(steady(other.text, unknown));
          if (reply.status !== 400) served.add(nameOf(route));
        }
    // nothing was refused only because of how it was sent
    expect(closed(here).filter((each) => !isLink(each) && !served.has(nameOf(each)))).toEqual([]);
    expect(here.stored()).toBe(before);
  });
});

const foreign: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ['cross-site', { 'sec-fetch-site': 'cross-site' }],
  ['same-site', { 'sec-fetch-site': 'same-site' }],
  ['typed', { 'sec-fetch-site': 'none' }],
  ['another origin', { origin: 'https://evil.example' }],
  ['no origin', { origin: 'null' }],
  ['text/plain', { 'sec-fetch-site': 'same-origin', 'content-type': 'text/plain' }],
  ['multipart', { 'sec-fetch-site': 'same-origin', 'content-type': 'multipart/form-data; boundary=x' }],
  ['json', { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' }],
];

test('a form of another site changes nothing, though the browser sends the session and it knows our token', async () => {
  const here = await inboxWorld();
  const cookie = here.cookieOf(boss);
  const post = async (action: string, body: string, headers: Readonly<Record<string, string>>) =>
    here.app.fetch(
      new Request(new URL(action, origin), {
        method: 'POST',
        headers: { cookie, 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body,
      }),
    );
  const before = here.stored();
  const forms = new Map<string, string>();
  for (const route of routesOf(here).filter((each) => each.method === 'GET' && !isApi(each)))
    for (const id of Object.values(here.ids)) {
      const { text: said } = await replyTo(here, requestOf(route, id, { cookie }));
      for (const [action, fields] of formsIn(said)) forms.set(action, fields);
    }
  forms.set('/inbox/sign-in', `token=${token(boss).slice('Bearer '.length)}&next=/inbox`);
  const posts = routesOf(here).filter((each) => each.method === 'POST' && !open.test(nameOf(each)) && !isApi(each));
  for (const route of posts.filter((each) => !isLink(each) && !each.path.includes('*'))) {
    const action = pathOf(route, here.ids.open);
    if (!forms.has(action)) forms.set(action, 'value=true&key=k');
  }
  for (const [action, fields] of forms) {
    for (const [name, headers] of foreign) {
      const response = await post(action, fields, headers);
      expect([403, 404, 415], `${action}: ${name}`).toContain(response.status);
      expect(response.headers.get('set-cookie'), `${action}: ${name}`).toBeNull();
    }
    const body = fields.replace(/(^|&)token=[^&]*/, '');
    const { status } = await post(action, body, { 'sec-fetch-site': 'same-origin' });
    expect([401, 403, 404], `${action}: without a token`).toContain(status);
  }
  expect(here.stored()).toBe(before);
  const action = `/inbox/asks/${here.ids.open}/answer`;
  const sent = await post(action, `${forms.get(action)}&answer=yes`, { 'sec-fetch-site': 'same-origin' });
  expect(sent.status).toBe(303); // the forms were genuine
  expect(await here.registry.getAsk(here.ids.open)).toMatchObject({ status: 'answered' });
});

test('a change over the API is JSON, whoever sends it', async () => {
  const here = await inboxWorld();
  const before = here.stored();
  for (const route of routesOf(here).filter((each) => each.method === 'POST' && isApi(each)))
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json, text/plain']) {
      const headers = { authorization: token(boss), 'content-type': type };
      const { status } = await replyTo(here, requestOf(route, here.ids.open, headers));
      expect([404, 405, 415], `${nameOf(route)}: ${type}`).toContain(status);
    }
  expect(here.stored()).toBe(before);
});

test('no route answers under a name that is not ours', async () => {
  const here = await inboxWorld();
  for (const route of routesOf(here)) {
    if (/^\/(healthz|readyz)$|^\/channels\//.test(route.path)) continue;
    const headers = { host: 'rebound.example', authorization: token(boss), cookie: here.cookieOf(boss) };
    const { status, text: said } = await replyTo(here, requestOf(route, here.ids.open, headers));
    expect([status, leaks(said)], nameOf(route)).toEqual([403, []]);
  }
});

test('no page can be framed, cached or sniffed, whoever asks and whatever comes', async () => {
  const here = await inboxWorld();
  const pages = routesOf(here).filter(
    (route) => !isApi(route) && !/^\/(channels|assets|live|metrics|healthz|readyz)/.test(route.path),
  );
  for (const route of pages)
    for (const cookie of [
      '',
      here.cookieOf(boss),
      here.cookieOf(strangers['of the tenant, with no scope'] as InboxPerson),
    ]) {
      const { headers } = await replyTo(here, requestOf(route, here.ids.open, { cookie }));
      const policy = headers.get('content-security-policy') ?? '';
      const what = nameOf(route);
      expect(policy, what).toContain("frame-ancestors 'none'");
      expect(policy, what).toContain("default-src 'none'");
      expect(policy, what).not.toMatch(/unsafe|\*|https?:/);
      expect(headers.get('x-frame-options'), what).toBe('DENY');
      expect(headers.get('x-content-type-options'), what).toBe('nosniff');
      const isSecret = /\/(link|sign-in)\b/.test(what); // the address itself
      expect(headers.get('referrer-policy'), what).toBe(isSecret ? 'strict-origin' : 'same-origin');
      expect(headers.get('cache-control'), what).toContain('no-store');
      expect(headers.get('access-control-allow-origin'), what).toBeNull();
    }
});

test('a script that somebody has stored in any field is text on every page and in every reply', async () => {
  const here = await inboxWorld();
  await here.registry.cancel(here.ids.pick, { by: boss, reason: hostile('REASON') });
  const shown = new Set<string>();
  for (const route of routesOf(here).filter(({ method }) => method === 'GET'))
    for (const id of [...Object.values(here.ids), 'c-open', 'c-fail']) {
      const headers = isApi(route) ? { authorization: token(boss) } : { cookie: here.cookieOf(boss) };
      const { text: said, headers: got } = await replyTo(here, requestOf(route, id, headers));
      for (const mark of leaks(said)) shown.add(mark);
      const what = `${nameOf(route)} about ${id}`;
      expect(got.get('x-content-type-options') ?? 'nosniff', what).toBe('nosniff');
      if (got.get('content-type')?.startsWith('application/json')) continue;
      expect(said, what).not.toContain('<script>alert');
      expect(said, what).not.toContain('<img src=x');
    }
  expect([...shown].sort()).toEqual([...marks].sort()); // each was there to be seen by somebody
});

describe('a signed link', () => {
  const scanners = [
    '',
    'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
    'Mozilla/5.0 (compatible; Microsoft Outlook SafeLinks)',
    'facebookexternalhit/1.1',
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/130.0 Safari/537.36',
    'curl/8.0',
  ];
  const methods = ['GET', 'HEAD', 'OPTIONS', 'PROPFIND', 'PUT', 'DELETE', 'PATCH'];
  const urlencoded = { 'content-type': 'application/x-www-form-urlencoded' };
  const own = { ...urlencoded, 'sec-fetch-site': 'same-origin' };

  async function linkWorld() {
    const here = await inboxWorld();
    const address = async () => `${origin}/inbox/link/${await here.linked.create(here.ids.open, boss, {})}`;
    const load = (to: string, init: RequestInit = {}) => replyTo(here, new Request(new URL(to, origin), init));
    /** The form of the link's page that answers, filled in. */
    const answerForm = async (to: string) => {
      const [action, fields] = formsIn((await load(to)).text).find(([each]) => each.endsWith('/answer')) ?? [];
      if (action === undefined) throw new Error('The page of the link has no form to answer.');
      return { action, body: `${fields}&answer=yes` };
    };
    const post = (action: string, body: string, headers: Record<string, string> = own) =>
      load(action, { method: 'POST', headers, body });
    return { ...here, address, load, answerForm, post };
  }

  test('is opened by scanners in every way, and nothing changes; then one form decides, and its replay is told the same', async () => {
    const { registry, stored, ids, address, load, answerForm, post } = await linkWorld();
    const to = await address();
    const before = stored();
    for (const method of methods)
      for (const scanner of scanners) await load(to, { method, headers: { 'user-agent': scanner } });
    for (const scanner of scanners) await load(`${to}/answer`, { headers: { 'user-agent': scanner } });
    const [form, other] = [await answerForm(to), await answerForm(to)];
    for (const [, headers] of foreign)
      expect([403, 415]).toContain((await post(form.action, form.body, { ...urlencoded, ...headers })).status);
    expect(stored()).toBe(before);
    const first = await post(form.action, form.body);
    expect(first.status).toBe(200);
    expect(await registry.getAsk(ids.open)).toMatchObject({
      status: 'answered',
      value: true,
      decidedBy: { id: boss.id },
    });
    const after = stored();
    const replay = await post(form.action, form.body);
    expect([replay.status, steady(replay.text, 'no id')]).toEqual([200, steady(first.text, 'no id')]);
    expect((await post(other.action, other.body)).status).toBe(410);
    expect((await load(to)).status).toBe(410);
    expect(stored()).toBe(after);
  });

  test('that was revoked, has expired, or whose ask has ended looks like one that never was', async () => {
    const { parts, registry, ids, address, load, post, answerForm, advance } = await linkWorld();
    const [revoked, expired, late] = [await address(), await address(), await address()];
    const forms = [await answerForm(revoked), await answerForm(expired)];
    await parts.access.links.revoke(revoked.split('/').at(-1) ?? '');
    const never = await load(`${origin}/inbox/link/${'A'.repeat(200)}`);
    expect(never.status).toBe(404);
    expect(await load(revoked)).toMatchObject({ status: 404, text: never.text });
    expect((await post(forms[0]?.action ?? '', forms[0]?.body ?? '')).status).toBe(404);
    await registry.cancel(ids.open);
    expect(await load(late)).toMatchObject({ status: 404, text: never.text });
    await advance(7 * 24 * 60 * 60_000);
    expect(await load(expired)).toMatchObject({ status: 404, text: never.text });
    expect((await post(forms[1]?.action ?? '', forms[1]?.body ?? '')).status).toBe(404);
    expect(await registry.getAsk(ids.open)).toMatchObject({ status: 'cancelled' });
  });

  test('opens its ask and nothing else: no page, no stream, no API, no other ask, no conversation', async () => {
    const here = await linkWorld();
    const to = await here.address();
    const link = to.split('/').at(-1) ?? '';
    const before = here.stored();
    const credentials: readonly Record<string, string>[] = [
      { authorization: `Bearer ${link}` },
      { cookie: `__Secure-askback_session=${link}` },
      { referer: to },
    ];
    for (const route of closed(here).filter((each) => !isLink(each)))
      for (const headers of credentials) {
        const { status, text: said } = await replyTo(here, requestOf(route, here.ids.open, headers));
        expect([401, 404, 405], nameOf(route)).toContain(status);
        expect(leaks(said), nameOf(route)).toEqual([]);
      }
    const { text: shown } = await here.load(to);
    expect(leaks(shown).sort()).toEqual(['DETAIL', 'NAME', 'QUESTION']); // the name is that of the link's own person
    const { body } = await here.answerForm(to);
    for (const id of Object.values(here.ids)) {
      const cookie = here.cookieOf(boss);
      const { status } = await here.post(`/inbox/asks/${id}/answer`, body, { ...own, cookie });
      expect(status).toBe(403); // the form of a link is no form of a session
    }
    expect(here.stored()).toBe(before);
  });
});
