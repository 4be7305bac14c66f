/** The session of the inbox page, and the keys that sign it: what is let in, and above all what is not. */
import { Buffer } from 'node:buffer';
import { expect, test } from 'vitest';
import { digest } from '../../../../src/core/ids.js';
import { isEqualInConstantTime, secretRule } from '../../../../src/machine/secrets.js';
import { Cursors } from '../../../../src/server/access/cursors.js';
import { Keyring } from '../../../../src/server/access/keyring.js';
import { accessOf, anna, origin, secret, withCookie } from './fakes.js';

const hour = 60 * 60_000;
const cookieValue = (cookie: string) => cookie.split(';')[0]?.split('=')[1] ?? '';

test('a session signs a person in on every replica, until it is over', async () => {
  const { access, clock, kept } = accessOf();
  const cookie = access.startSession(anna);
  expect(cookie).toMatch(
    /^__Secure-askback_session=[\w.-]+; Path=\/inbox; Max-Age=43200; HttpOnly; SameSite=Lax; Secure$/,
  );
  const other = accessOf({ clock, kept }).access;
  expect(await other.page(withCookie(cookie))).toMatchObject({ type: 'caller', via: 'session', person: anna });
  await clock.advance(12 * hour - 1);
  expect(await other.page(withCookie(cookie))).toMatchObject({ type: 'caller' });
  await clock.advance(1);
  expect(await other.page(withCookie(cookie))).toMatchObject({ status: 401, code: 'unauthenticated' });
});

test('the cookie is named as strictly as the browser allows', () => {
  const named = (options: Parameters<typeof accessOf>[0]) => accessOf(options).access.startSession(anna);
  expect(named({ basePath: '' })).toMatch(/^__Host-askback_session=[^;]+; Path=\/; .*Secure$/);
  expect(named({ origin: 'http://localhost:3000' })).toMatch(
    /^askback_session=[^;]+; Path=\/inbox; [^S]*SameSite=Lax$/,
  );
  expect(named({ origin: undefined })).not.toContain('Secure');
});

test('whoever signs out is out on every replica, and nobody else', async () => {
  const { access, clock, kept } = accessOf();
  const [cookie, second] = [access.startSession(anna), access.startSession(anna)];
  const caller = await access.page(withCookie(cookie));
  if (caller.type !== 'caller' || caller.session === undefined) throw new Error('not signed in');
  expect(await access.sessions.end(caller.session)).toMatch(/^__Secure-askback_session=; .*Max-Age=0/);
  const other = accessOf({ clock, kept }).access;
  expect(await other.page(withCookie(cookie))).toMatchObject({ code: 'unauthenticated' });
  expect(await other.page(withCookie(second))).toMatchObject({ via: 'session' });
  await clock.advance(12 * hour);
  expect(await other.page(withCookie(cookie))).toMatchObject({ code: 'unauthenticated' });
  expect([...kept.entries.keys()].join()).not.toContain(caller.session.id);
});

test('a secret is replaced without signing anybody out, and is worthless once it is gone', async () => {
  const { access, clock, kept } = accessOf();
  const cookie = access.startSession(anna);
  const next = 'the next secret, of thirty-two characters';
  const both = accessOf({ clock, kept, secret: [next, secret] }).access;
  expect(await both.page(withCookie(cookie))).toMatchObject({ via: 'session' });
  const only = accessOf({ clock, kept, secret: [next] }).access;
  expect(await only.page(withCookie(cookie))).toMatchObject({ code: 'unauthenticated' });
  expect(await only.page(withCookie(both.startSession(anna)))).toMatchObject({ via: 'session' });
});

test('a session of an inbox under another path is no session here, though the secret is the same', async () => {
  const cookie = accessOf({ basePath: '/other' }).access.startSession(anna);
  expect(await accessOf().access.page(withCookie(cookie))).toMatchObject({ code: 'unauthenticated' });
});

test('no change of any character of the cookie is let in', async () => {
  const { access } = accessOf();
  const value = cookieValue(access.startSession(anna));
  for (let i = 0; i < value.length; i += 1) {
    const other = value[i] === 'A' ? 'B' : 'A';
    const changed = `${value.slice(0, i)}${other}${value.slice(i + 1)}`;
    const request = withCookie(`__Secure-askback_session=${changed}`);
    expect(await access.page(request), `at ${i}`).toMatchObject({ code: 'unauthenticated' });
  }
});

test('every malformed cookie is a refusal and never an error', async () => {
  const { access } = accessOf();
  const good = cookieValue(access.startSession(anna));
  const [, payload = '', signature = ''] = good.split('.');
  const name = '__Secure-askback_session';
  const unsigned = Buffer.from(JSON.stringify({ id: 'x', person: anna, expiresAt: 9e15 })).toString('base64url');
  const headers = [
    '',
    ';;;=;',
    name,
    `${name}=`,
    `${name}==`,
    `${name}="${good}"`,
    `${name}=${good}; ${name}=${good}`, // planted by another site of the domain
    `${name}=${good}, ${name}=${good}`,
    `askback_session=${good}`,
    `${name.toUpperCase()}=${good}`,
    `${name}=v2.${payload}.${signature}`,
    `${name}=v1.${payload}`,
    `${name}=v1..${signature}`,
    `${name}=v1.${payload}.${signature}.${signature}`,
    `${name}=v1.${payload}.`,
    `${name}=v1.${unsigned}.${signature}`,
    `${name}=v1.${unsigned}.${digest(unsigned)}`,
    `${name}=${good}%00`,
    `${name}=${'A'.repeat(1_000_000)}`,
    `${'a=b; '.repeat(200_000)}${name}=${good}`,
    `__proto__=${good}`,
  ];
  for (const cookie of headers)
    expect(await access.page(new Request(origin, { headers: { cookie } })), cookie.slice(0, 80)).toMatchObject({
      type: 'refused',
      status: 401,
    });
});

test('what was signed for one purpose is worthless for another', async () => {
  const keys = new Keyring([secret], '/inbox');
  const { access } = accessOf();
  const session = { id: 'x', person: anna, expiresAt: 9e15 };
  const payload = Buffer.from(JSON.stringify(session)).toString('base64url');
  const forged = `__Secure-askback_session=v1.${payload}.${keys.sign('form', payload)}`;
  expect(await access.page(withCookie(forged))).toMatchObject({ code: 'unauthenticated' });
  const genuine = `__Secure-askback_session=v1.${payload}.${keys.sign('session', payload)}`;
  expect(await access.page(withCookie(genuine))).toMatchObject({ via: 'session' }); // the attempt above was a real one
  const content = JSON.stringify({ askId: 'a', person: anna, expiresAt: 9e15, decides: true });
  expect(keys.open('session', keys.seal('link', content))).toBeUndefined();
  expect(await access.links.open(keys.seal('session', content))).toBeUndefined();
});

test('what another release or a leaked secret may sign is still looked at', async () => {
  const keys = new Keyring([secret], '/inbox');
  const { access } = accessOf();
  const payloads: readonly string[] = [
    'null',
    '[]',
    '"text"',
    '{',
    '{"id":"x"}',
    '{"id":"x","expiresAt":9e15}',
    '{"id":"x","expiresAt":"never","person":{"id":"web:anna","scopes":["admin"]}}',
    '{"id":"x","expiresAt":9e15,"person":{"id":"web:anna","scopes":["root"]}}',
    '{"id":"x","expiresAt":9e15,"person":{"id":"web:anna","scopes":["admin"],"everyTenant":"yes"}}',
    '{"id":"x","expiresAt":9e15,"person":{"id":"web:anna","__proto__":{"scopes":["admin"]}}}',
    '{"id":"x","expiresAt":9e15,"person":{"id":"web:anna","scopes":["read"],"__proto__":{"everyTenant":true}}}',
  ];
  for (const text of payloads) {
    const payload = Buffer.from(text).toString('base64url');
    const cookie = `__Secure-askback_session=v1.${payload}.${keys.sign('session', payload)}`;
    expect(await access.page(withCookie(cookie)), text).toMatchObject({ code: 'unauthenticated' });
  }
  expect(({} as { everyTenant?: unknown }).everyTenant).toBeUndefined();
});

test('a person who does not fit into a cookie is told so, instead of never being signed in', () => {
  const roles = Array.from({ length: 400 }, (_, i) => `role-${i}`);
  expect(() => accessOf().access.startSession({ ...anna, roles })).toThrow(
    /too large for a session cookie.*fewer roles/,
  );
  const personById = () => ({ ...anna, roles });
  expect(accessOf({ personById }).access.startSession({ ...anna, roles })).toContain('askback_session=');
});

test('with personById a session has the rights of today, and none for somebody who left', async () => {
  let today: typeof anna | undefined = anna;
  const { access, errors } = accessOf({ personById: (id) => (id === anna.id ? today : undefined) });
  const cookie = access.startSession(anna);
  today = { ...anna, scopes: ['read'], roles: ['approver'] };
  expect(await access.page(withCookie(cookie))).toMatchObject({ person: { scopes: ['read'], roles: ['approver'] } });
  today = undefined;
  expect(await access.page(withCookie(cookie))).toMatchObject({ code: 'unauthenticated' });
  today = { id: 'web:anna' } as typeof anna;
  expect(await access.page(withCookie(cookie))).toMatchObject({ status: 503, code: 'authenticate-failed' });
  expect(errors).toEqual([expect.stringContaining('personById() failed')]);
});

test('a secret is long, and no error quotes it', () => {
  expect(secretRule(secret, 'secret')).toEqual([secret]);
  expect(secretRule([secret, `${secret}2`], 'secret')).toHaveLength(2);
  for (const wrong of ['hunter2', [], [secret, 'hunter2'], 7, undefined, Array(11).fill(secret)]) {
    expect(() => secretRule(wrong, 'secret')).toThrow(/secret must/);
    expect(() => secretRule(wrong, 'secret')).not.toThrow(/hunter2/);
  }
});

test('a secret that is too short is told its length', () => {
  expect(() => secretRule('hunter2', 'secret')).toThrow('got one of 7 characters. Make one: openssl rand -base64 32');
});

test('strings of different lengths are compared without an error', () => {
  expect(isEqualInConstantTime('abc', 'abc')).toBe(true);
  expect(isEqualInConstantTime('abc', 'abd')).toBe(false);
  expect(isEqualInConstantTime('abc', 'abcd')).toBe(false);
  expect(isEqualInConstantTime('', 'abcd')).toBe(false);
  expect(isEqualInConstantTime('é', 'e')).toBe(false);
});

test('the length of a sealed cursor does not tell how large a count it holds, and it opens to the same', () => {
  const cursors = new Cursors(new Keyring([secret], '/inbox'));
  const place = { person: anna, list: 'events', filter: {} };
  const counts = ['7', '1900', '123456789012345'];
  expect(new Set(counts.map((count) => cursors.seal(place, count).length)).size).toBe(1);
  for (const cursor of [...counts, '', 'a\u0001\0', 'ä'.repeat(300)])
    expect(cursors.open(place, cursors.seal(place, cursor))).toBe(cursor);
});
