/** Who is calling the inbox, and from where: tokens, hosts, origins and the tokens of forms. */
import { expect, test } from 'vitest';
import {
  checkedOrigin,
  formRefusal,
  hostRefusal,
  jsonRefusal,
  streamRefusal,
} from '../../../../src/server/access/origin.js';
import { hashToken, staticTokens } from '../../../../src/server/access/tokens.js';
import { checkedInboxPerson, type InboxPerson, participantOf } from '../../../../src/server/person.js';
import { accessOf, anna, origin, withCookie } from './fakes.js';

const token = 'a-token-of-at-least-20-characters';
const authenticate = staticTokens({ [hashToken(token)]: anna });
const request = (headers: Record<string, string> = {}, init: RequestInit = {}) =>
  new Request(`${origin}/inbox`, { ...init, headers });
const bearer = (value: string) => request({ authorization: value });

test('a token is known by its hash, in hexadecimal or base64url', async () => {
  const short = Buffer.from(hashToken(token), 'hex').toString('base64url');
  const { access } = accessOf({ authenticate: staticTokens({ [short]: anna }) });
  expect(await access.api(bearer(`Bearer ${token}`))).toMatchObject({ via: 'bearer', person: anna });
  expect(await accessOf({ authenticate }).access.api(bearer(`bearer ${token}`))).toMatchObject({ person: anna });
});

test('every malformed or wrong Authorization header is a refusal and never an error', async () => {
  const { access } = accessOf({ authenticate });
  const headers = [
    '',
    'Bearer',
    'Bearer ',
    token,
    `Basic ${token}`,
    `Bearer  ${token}`,
    `Bearer ${token} x`,
    `Bearer ${token}, Bearer ${token}`,
    `Bearer ${token},`,
    `Bearer ${token}=`,
    `Bearer ${token.slice(0, -1)}`,
    `Bearer ${token.toUpperCase()}`,
    `Bearer ${hashToken(token)}`,
    `Bearer ${'A'.repeat(1_000_000)}`,
    'Bearer __proto__',
  ];
  for (const header of headers)
    expect(await access.api(bearer(header)), header.slice(0, 60)).toMatchObject({
      status: 401,
      code: 'unauthenticated',
    });
  const two = new Headers([
    ['authorization', `Bearer ${token}`],
    ['authorization', `Bearer ${token}`],
  ]);
  expect(await access.api(new Request(origin, { headers: two }))).toMatchObject({ status: 401 });
});

test('weak tokens, tokens in place of hashes and doubles are refused when they are configured', () => {
  for (const weak of [
    'secret',
    'x'.repeat(19),
    'x'.repeat(40),
    'a b c d e f g h i j k l m',
    'ä'.repeat(30),
    `${token}\n`,
    7 as never,
  ])
    expect(() => hashToken(weak)).toThrow(/must have 20 to 4096/);
  expect(() => staticTokens({ [token]: anna })).toThrow(/SHA-256.*never the token itself/);
  expect(() => staticTokens({ [token]: anna })).not.toThrow(new RegExp(token));
  const upper = hashToken(token).toUpperCase();
  expect(() => staticTokens({ [hashToken(token)]: anna, [upper]: anna })).toThrow(/person 2 is there twice/);
  expect(() => staticTokens({ [upper]: { id: 'web:anna' } as InboxPerson })).toThrow(/person 1: scopes must be a list/);
  expect(() => staticTokens(undefined as never)).toThrow(/must be an object/);
});

test('a cookie alone is nobody for the JSON API, whatever authenticate would say to it', async () => {
  const { access } = accessOf({ authenticate: ({ headers }) => (headers.has('cookie') ? anna : undefined) });
  const cookie = access.startSession(anna).split(';')[0] ?? '';
  expect(await access.page(request({ cookie }))).toMatchObject({ via: 'session' });
  expect(await access.page(request({ cookie: 'theirs=1' }))).toMatchObject({ via: 'host', person: anna });
  expect(await access.api(request({ cookie }))).toMatchObject({ code: 'unauthenticated' });
  expect(await access.api(request({ cookie, authorization: 'Bearer anything' }))).toMatchObject({
    code: 'unauthenticated',
  });
});

test('what a proxy says of its user counts for the page, and for the API only beside a bearer token', async () => {
  const { access } = accessOf({ authenticate: ({ headers }) => (headers.has('x-user') ? anna : undefined) });
  expect(await access.page(request({ 'x-user': 'anna' }))).toMatchObject({ via: 'host', person: anna });
  expect(await access.api(request({ 'x-user': 'anna' }))).toMatchObject({ code: 'unauthenticated' });
});

test('a person that authenticate gets wrong has no access, and the mistake is logged', async () => {
  const wrong: readonly unknown[] = [
    true,
    'web:anna',
    {},
    { id: '' },
    { id: 'web:anna' },
    { id: 'web:anna', scopes: 'admin' },
    { id: 'web:anna', scopes: ['superuser'] },
    { id: 'web:anna', scopes: ['admin'], everyTenant: 1 },
    { id: 'web:anna', scopes: ['admin'], tenant: 7 },
    { id: 'x'.repeat(600), scopes: ['admin'] },
    JSON.parse('{"id":"web:anna","scopes":["read"],"__proto__":{"everyTenant":true}}'),
  ];
  for (const person of wrong) {
    const { access, errors } = accessOf({ authenticate: () => person as InboxPerson });
    expect(await access.api(bearer(`Bearer ${token}`))).toMatchObject({ type: 'refused', code: 'authenticate-failed' });
    expect(await access.page(request())).toMatchObject({ type: 'refused', code: 'authenticate-failed' });
    expect(errors).toHaveLength(2);
  }
  const { access, errors } = accessOf({
    authenticate: () => {
      throw new Error('the directory is down');
    },
  });
  expect(await access.page(request())).toMatchObject({ status: 503 });
  expect(errors).toHaveLength(1);
});

test('a person is checked field by field, and the registry is told no scopes', () => {
  expect(checkedInboxPerson({ ...anna, scopes: ['read', 'read'], everyTenant: false }, 'authenticate()')).toEqual({
    ...anna,
    scopes: ['read'],
  });
  expect(participantOf({ ...anna, everyTenant: true })).toEqual({ id: 'web:anna', name: 'Anna', tenant: 'acme' });
  expect(() => checkedInboxPerson({ id: 'a', scopes: ['reed'] }, 'authenticate()')).toThrow(
    `authenticate(): scopes must be a list of 'read', 'answer', 'conversations', 'admin', got "reed".`,
  );
});

test('on localhost a random token signs in; elsewhere nothing is open by default', async () => {
  const local = accessOf({ authenticate: undefined, secret: undefined, origin: undefined }).access;
  const other = accessOf({ authenticate: undefined, secret: undefined, origin: undefined }).access;
  expect(await local.page(request())).toMatchObject({ status: 401 });
  expect(await local.signIn(other.localToken)).toMatchObject({ status: 401 });
  const signedIn = await local.signIn(local.localToken);
  if (signedIn.type !== 'signed-in') throw new Error('not signed in');
  expect(await local.page(withCookie(signedIn.cookie))).toMatchObject({ person: { everyTenant: true } });
  expect(() => accessOf({ authenticate: undefined })).toThrow(/authenticate is needed/);
  expect(() => accessOf({ secret: undefined })).toThrow(/secret is needed/);
});

test('a sign-in with anything but a known token is refused', async () => {
  const { access } = accessOf({ authenticate });
  for (const wrong of [undefined, '', 'x', `${token}\r\nx: y`, `${token} `, 'ä', {}, 'A'.repeat(100_000)])
    expect(await access.signIn(wrong)).toMatchObject({ type: 'refused', status: 401 });
  expect(await access.signIn(token)).toMatchObject({ type: 'signed-in' });
});

test('only the configured host is served, and without one only this machine', () => {
  const asked = (host: string, own?: string) =>
    hostRefusal(new Request('http://127.0.0.1/', { headers: { host } }), own)?.code;
  for (const host of ['localhost', 'LOCALHOST:3000', '127.0.0.1:8080', '[::1]:3000', '[::1]'])
    expect(asked(host), host).toBeUndefined();
  for (const host of [
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.nip.io',
    'localhost:3000@evil',
    '10.0.0.1',
    '0.0.0.0',
    '',
    'localhost,evil',
  ])
    expect(asked(host), host).toBe('wrong-host');
  expect(asked('inbox.example.com', origin)).toBeUndefined();
  expect(asked('Inbox.Example.com:443', origin)).toBeUndefined();
  for (const host of ['inbox.example.com:8443', 'inbox.example.com.evil.example', 'localhost', 'example.com'])
    expect(asked(host, origin), host).toBe('wrong-host');
  const forwarded = {
    host: 'evil.example',
    'x-forwarded-host': 'inbox.example.com',
    forwarded: 'host=inbox.example.com',
  };
  expect(hostRefusal(new Request(origin, { headers: forwarded }), origin)?.code).toBe('wrong-host');
  expect(hostRefusal(new Request('http://localhost/'), undefined)).toBeUndefined(); // no header: the address counts
});

test('an origin is a scheme and a host, and plain http is for this machine', () => {
  for (const good of [
    'https://inbox.example.com',
    'https://inbox.example.com/',
    'http://localhost:3000',
    'http://[::1]:1',
  ])
    expect(checkedOrigin(good, 'origin')).toBe(good.replace(/\/$/, ''));
  for (const bad of [
    'http://inbox.example.com',
    'https://a.example/inbox',
    'inbox.example.com',
    'https://u:p@a.example',
    'ftp://a',
    'null',
    '*',
    7,
    'https://a.example?x',
  ])
    expect(() => checkedOrigin(bad, 'origin'), String(bad)).toThrow(/origin must be an origin such as/);
});

test('a change over the API is JSON and nothing else', () => {
  const code = (type?: string) => jsonRefusal(request(type === undefined ? {} : { 'content-type': type }))?.code;
  for (const type of ['application/json', 'Application/JSON; charset=utf-8', 'application/json;charset="UTF-8"'])
    expect(code(type), type).toBeUndefined();
  for (const type of [
    undefined,
    '',
    'text/plain',
    'application/json, text/plain',
    'text/plain; application/json',
    'application/jsonp',
    'application/json; charset=utf-16',
    'application/json; charset=utf-8; x=y',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
  ])
    expect(code(type), type).toBe('wrong-content-type');
});

test('a form comes from our own page, as the browser says', () => {
  const type = 'application/x-www-form-urlencoded';
  const code = (headers: Record<string, string>, own: string | undefined = origin) =>
    formRefusal(request({ 'content-type': type, ...headers }), own)?.code;
  expect(code({ 'sec-fetch-site': 'same-origin' })).toBeUndefined();
  expect(code({ origin })).toBeUndefined();
  for (const site of ['cross-site', 'same-site', 'none', '', 'same-origin, same-origin'])
    expect(code({ 'sec-fetch-site': site, origin }), site).toBe('wrong-origin');
  for (const from of [
    'null',
    'https://evil.example',
    'http://inbox.example.com',
    `${origin}.evil.example`,
    `${origin}/`,
  ])
    expect(code({ origin: from }), from).toBe('wrong-origin');
  expect(code({})).toBe('wrong-origin');
  expect(code({ referer: `${origin}/inbox` })).toBe('wrong-origin');
  const local = (from: string, host: string) =>
    formRefusal(request({ 'content-type': type, origin: from, host }), undefined)?.code;
  expect(local('http://localhost:3000', 'localhost:3000')).toBeUndefined();
  expect(local('http://localhost:3001', 'localhost:3000')).toBe('wrong-origin');
  expect(local('http://evil.example', 'evil.example')).toBe('wrong-origin');
  for (const other of ['text/plain', 'multipart/form-data; boundary=x', 'application/json'])
    expect(code({ 'content-type': other, 'sec-fetch-site': 'same-origin' }), other).toBe('wrong-content-type');
});

test('a stream is opened by our own page', () => {
  expect(streamRefusal(request())).toBeUndefined();
  expect(streamRefusal(request({ 'sec-fetch-site': 'same-origin' }))).toBeUndefined();
  for (const site of ['cross-site', 'same-site', 'none'])
    expect(streamRefusal(request({ 'sec-fetch-site': site }))?.code).toBe('wrong-origin');
});

test('the token of a form counts for its caller, its subject and its time, and says what was drawn', async () => {
  const { access, clock } = accessOf();
  const caller = await access.page(withCookie(access.startSession(anna)));
  const second = await access.page(withCookie(access.startSession(anna)));
  if (caller.type !== 'caller' || second.type !== 'caller') throw new Error('not signed in');
  const drawn = 'Rk9P_-';
  const form = access.forms.create(caller, '/asks/1', drawn);
  expect(access.forms.open(caller, '/asks/1', form)).toEqual({ type: 'ours', drawn });
  expect(access.forms.open(caller, '/sign-out', access.forms.create(caller, '/sign-out'))).toEqual({
    type: 'ours',
    drawn: '',
  });
  const refused = { type: 'refused', status: 403, code: 'wrong-form' };
  expect(access.forms.open(second, '/asks/1', form)).toMatchObject(refused);
  expect(access.forms.open(caller, '/asks/2', form)).toMatchObject(refused);
  expect(accessOf({ secret: ['x'.repeat(32)] }).access.forms.open(caller, '/asks/1', form)).toMatchObject(refused);
  expect(accessOf({ basePath: '/b' }).access.forms.open(caller, '/asks/1', form)).toMatchObject(refused);
  for (let i = 0; i < form.length; i += 1) {
    const changed = `${form.slice(0, i)}${form[i] === 'A' ? 'B' : 'A'}${form.slice(i + 1)}`;
    expect(access.forms.open(caller, '/asks/1', changed), `at ${i}`).toMatchObject(refused);
  }
  for (const wrong of [undefined, null, '', '....', 'v1.zz..', {}, [form], `${form}\n`, 'A'.repeat(1_000_000)])
    expect(access.forms.open(caller, '/asks/1', wrong)).toMatchObject(refused);
  await clock.advance(12 * 60 * 60_000);
  expect(access.forms.open(caller, '/asks/1', form)).toMatchObject(refused);
});
