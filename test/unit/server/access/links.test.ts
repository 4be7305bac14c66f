/** Signed links: what they open, for whom, how often, and what a scanner that follows them changes. */
import { expect, test } from 'vitest';
import { Keyring } from '../../../../src/server/access/keyring.js';
import { type Links, linkRights, type OpenLink } from '../../../../src/server/access/links.js';
import { askLike, askWith, type FlatAsk } from '../../../support/asks.js';
import { accessOf, anna, secret } from './fakes.js';

const minute = 60_000;
const day = 24 * 60 * minute;
const ask = askWith({ id: 'ask-1', links: 'decide' });
const person = { id: 'mail:anna@example.com', tenant: 'acme' };

async function opened(links: Links, token: string): Promise<OpenLink> {
  const link = await links.open(token);
  if (link === undefined) throw new Error('the link is over');
  return link;
}

test('a link opens its ask for its person, on every replica and after a restart', async () => {
  const { access, clock, kept } = accessOf();
  const token = await access.createLink({ ask, person });
  const later = accessOf({ clock, kept }).access;
  expect(await later.link(token)).toMatchObject({
    via: 'link',
    person: { ...person, scopes: [] },
    link: { askId: 'ask-1', decides: true, isUsed: false },
  });
});

test('neither the address nor the store shows who it is for, or can be used', async () => {
  const { access, kept } = accessOf();
  const token = await access.createLink({ ask, person });
  expect(Buffer.from(token, 'base64url').toString('latin1')).not.toMatch(/anna|ask-1|acme/);
  const stored = JSON.stringify([...kept.entries]);
  expect(stored).not.toContain(token);
  expect(stored).not.toMatch(/anna|ask-1|acme/);
  for (const key of kept.entries.keys()) expect(await access.link(key.split(':')[1])).toMatchObject({ status: 401 });
});

test('opening a link changes nothing, however often and by whom', async () => {
  const { access, kept } = accessOf();
  const token = await access.createLink({ ask, person });
  const before = [...kept.entries];
  for (let i = 0; i < 5; i += 1) await access.link(token);
  expect([...kept.entries]).toEqual(before);
});

test('a link is over with its ask, after its own time, and after seven days at the latest', async () => {
  const { access, clock } = accessOf();
  const now = clock.now();
  const expiry = async (options: { expiresAt?: number; expiresIn?: number }) => {
    const { expiresIn, ...more } = options;
    const token = await access.createLink({ ask: askLike(ask, more), person, ...(expiresIn ? { expiresIn } : {}) });
    return (await opened(access.links, token)).expiresAt - now;
  };
  expect(await expiry({})).toBe(7 * day);
  expect(await expiry({ expiresAt: now + minute })).toBe(minute);
  expect(await expiry({ expiresAt: now + 30 * day })).toBe(7 * day);
  expect(await expiry({ expiresAt: now + day, expiresIn: minute })).toBe(minute);
  const token = await access.createLink({ ask, person, expiresIn: minute });
  await clock.advance(minute);
  expect(await access.link(token)).toMatchObject({ status: 401 });
  await expect(access.createLink({ ask: { ...ask, status: 'answered' }, person })).rejects.toThrow(/is answered/);
  await expect(access.createLink({ ask: askLike(ask, { expiresAt: now }), person })).rejects.toThrow(/has expired/);
});

test('by default a link only shows; the ask must say that it decides, and the end of the ask revokes it', () => {
  const link = { askId: 'ask-1', decides: true, isUsed: false };
  expect(linkRights(link, ask)).toEqual({ shows: true, decides: true });
  expect(linkRights({ ...link, decides: false }, ask)).toEqual({ shows: true, decides: false });
  expect(linkRights(link, askWith({ id: 'ask-1' }))).toEqual({ shows: true, decides: false });
  const nothing = { shows: false, decides: false };
  expect(linkRights({ ...link, isUsed: true }, ask)).toEqual(nothing);
  expect(linkRights(link, { ...ask, id: 'ask-2' })).toEqual(nothing);
  for (const status of ['answered', 'declined', 'exhausted', 'expired', 'cancelled'] as const)
    expect(linkRights(link, { ...ask, status })).toEqual(nothing);
});

test('a link for an ask that does not allow it is made without the right to decide', async () => {
  const { access } = accessOf();
  const decides = async (more: FlatAsk, decide?: boolean) => {
    const token = await access.createLink({
      ask: askWith({ id: 'a', ...more }),
      person,
      ...(decide === undefined ? {} : { decide }),
    });
    return (await opened(access.links, token)).decides;
  };
  expect(await decides({})).toBe(false);
  expect(await decides({}, true)).toBe(false);
  expect(await decides({ links: 'decide' })).toBe(true);
  expect(await decides({ links: 'decide' }, false)).toBe(false);
});

test('two forms of one link are sent at once: one decides, the other is told', async () => {
  const { access, clock, kept } = accessOf();
  const token = await access.createLink({ ask, person });
  const other = accessOf({ clock, kept }).access;
  const link = await opened(access.links, token);
  const both = await Promise.all([access.links.begin(link, 'form-1'), other.links.begin(link, 'form-2')]);
  expect(both.sort()).toEqual(['busy', 'yours']);
  await access.links.finish(link, 'form-1');
  expect(await other.links.begin(link, 'form-2')).toBe('used');
  expect(await other.links.begin(link, 'form-1')).toBe('yours'); // its replay is told what it decided
  expect(await opened(other.links, token)).toMatchObject({ isUsed: true });
});

test('an answer that does not fit does not use the link up', async () => {
  const { access } = accessOf();
  const link = await opened(access.links, await access.createLink({ ask, person }));
  expect(await access.links.begin(link, 'form-1')).toBe('yours');
  await access.links.release(link, 'form-1');
  expect(await access.links.begin(link, 'form-2')).toBe('yours');
});

test('the process dies before the decision: the same form goes on at once, another one after a minute', async () => {
  const { access, clock } = accessOf();
  const link = await opened(access.links, await access.createLink({ ask, person }));
  expect(await access.links.begin(link, 'form-1')).toBe('yours');
  expect(await access.links.begin(link, 'form-1')).toBe('yours');
  expect(await access.links.begin(link, 'form-2')).toBe('busy');
  await clock.advance(minute);
  expect(await access.links.begin(link, 'form-2')).toBe('yours');
});

test('a revoked link is over, even in the middle of an attempt, and revoking twice is no error', async () => {
  const { access } = accessOf();
  const token = await access.createLink({ ask, person });
  const link = await opened(access.links, token);
  await access.links.revoke(token);
  await access.links.revoke(token);
  expect(await access.link(token)).toMatchObject({ status: 401 });
  expect(await access.links.begin(link, 'form-1')).toBe('over');
  await access.links.finish(link, 'form-1');
  expect(await access.link(token)).toMatchObject({ status: 401 });
  await expect(access.links.revoke('nonsense')).rejects.toThrow(/no link of this inbox/);
});

test('no other token opens anything, and none is an error', async () => {
  const { access, clock, kept } = accessOf();
  const token = await access.createLink({ ask, person });
  for (let i = 0; i < token.length; i += 1) {
    const changed = `${token.slice(0, i)}${token[i] === 'A' ? 'B' : 'A'}${token.slice(i + 1)}`;
    expect(await access.link(changed), `at ${i}`).toMatchObject({ status: 401 });
  }
  const keys = new Keyring([secret], '/inbox');
  const strange = ['null', '[]', '{', '{"askId":"a"}', '{"askId":"a","person":{},"expiresAt":9e15}'];
  const wrong = [
    undefined,
    null,
    {},
    '',
    '.',
    `${token}=`,
    `${token}\n`,
    ` ${token}`,
    `${token}A`,
    'A'.repeat(1_000_000),
    ...strange.map((text) => keys.seal('link', text)),
  ];
  for (const each of wrong) expect(await access.link(each)).toMatchObject({ status: 401 });
  expect(await accessOf({ clock, kept, secret: ['y'.repeat(32)] }).access.link(token)).toMatchObject({ status: 401 });
  expect(await accessOf({ clock, kept, basePath: '/other' }).access.link(token)).toMatchObject({ status: 401 });
  expect(await accessOf({ clock }).access.link(token)).toMatchObject({ status: 401 }); // genuine, but kept nowhere
  const content = JSON.stringify({ askId: 'ask-1', person, expiresAt: 9e15, decides: true });
  expect(await access.link(keys.seal('link', content))).toMatchObject({ status: 401 });
});

test('a link carries no rights of the inbox, whoever it is made for', async () => {
  const boss = { ...anna, scopes: ['admin'], everyTenant: true } as const;
  const { access } = accessOf();
  const caller = await access.link(await access.createLink({ ask, person: boss }));
  expect(caller).toMatchObject({ person: { id: 'web:anna', scopes: [] } });
  expect(caller).not.toHaveProperty('person.everyTenant');
  const looked = accessOf({ personById: () => boss }).access;
  const now = await looked.link(await looked.createLink({ ask, person: boss }));
  expect(now).toMatchObject({ person: { id: 'web:anna', tenant: 'acme', scopes: [] } });
  expect(now).not.toHaveProperty('person.everyTenant');
});

test('a person who does not fit into an address is told so', async () => {
  const roles = Array.from({ length: 300 }, (_, i) => `role-${i}`);
  const { access } = accessOf();
  await expect(access.createLink({ ask, person: { ...person, roles } })).rejects.toThrow(/too large for an address/);
  await expect(access.createLink({ ask, person: { id: '' } })).rejects.toThrow(/the person must be a participant/);
});
