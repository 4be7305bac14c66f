/** Signed links on the engine: what their bearer sees, and one decision by the person they are for. */
import { expect, test } from 'vitest';
import { confirm } from '../../src/index.js';
import { Access } from '../../src/server/access/caller.js';
import { createInbox } from '../../src/server/index.js';
import { isByLink, type LinkCaller, LinkedAsks } from '../../src/server/linked-asks.js';
import { anna, shop } from './kit.js';

const secret = 'a secret of thirty-two characters or more';
const there = { channel: 'phone', to: 'ops', answerableBy: { roles: ['manager'] } } as const;

async function linkedShop() {
  const made = await shop();
  const { registry, port, calls } = made;
  const inbox = createInbox(registry, { secret, authenticate: () => null });
  const options = {
    secret: [secret] as const,
    basePath: '/inbox',
    sessionLifetime: 1_000,
    clock: port.clock,
    logger: port.logger,
  };
  const access = new Access({ ...options, authenticate: () => null, kept: port });
  const linked = new LinkedAsks(calls, port, access);
  /** The caller whom a link makes; an error if it opens nothing. */
  const opened = async (address: string): Promise<LinkCaller> => {
    const caller = await access.link(address.split('/').at(-1));
    if (caller.type !== 'caller' || !isByLink(caller)) throw new Error('The link opens nothing.');
    return caller;
  };
  const ask = async (more: { links?: 'decide'; quorum?: number } = {}) =>
    (await registry.ask(confirm('Refund 48 EUR?'), { ...there, ...more })).askId;
  return { ...made, inbox, access, linked, opened, ask };
}

test('by default a link shows the ask and decides nothing', async () => {
  const { registry, inbox, linked, opened, ask } = await linkedShop();
  const askId = await ask();
  const caller = await opened(await inbox.link(askId, anna));
  expect(await linked.get(caller)).toMatchObject({
    type: 'shown',
    mayDecide: false,
    ask: { id: askId, question: 'Refund 48 EUR?', mayAnswer: false },
  });
  expect(await linked.decide(caller, { value: true }, { key: 'form-1' })).toEqual({ type: 'link-shows' });
  expect(await registry.getAsk(askId)).toMatchObject({ status: 'pending' });
});

test("with links: 'decide' one form decides as the person, its replay is told the same, every other that it is used", async () => {
  const { registry, inbox, linked, opened, ask } = await linkedShop();
  const askId = await ask({ links: 'decide' });
  const address = await inbox.link(askId, anna);
  const caller = await opened(address);
  expect(await linked.get(caller)).toMatchObject({ type: 'shown', mayDecide: true });
  expect(await linked.decide(caller, { value: true }, { key: 'form-1' })).toMatchObject({ type: 'accepted' });
  expect(await registry.getAsk(askId)).toMatchObject({ status: 'answered', value: true, decidedBy: { id: anna.id } });
  expect(await linked.decide(caller, { value: true }, { key: 'form-1' })).toMatchObject({
    type: 'accepted',
    ask: { status: 'answered', value: true },
  });
  expect(await linked.decide(caller, { value: false }, { key: 'form-2' })).toEqual({ type: 'link-used' });
  expect(await linked.get(await opened(address))).toEqual({ type: 'over', why: 'used' });
  expect(await registry.getAsk(askId)).not.toHaveProperty('decidedBy.scopes');
});

test('an answer that does not fit, and a form drawn from older data, leave the link as it was', async () => {
  const { inbox, linked, opened, ask } = await linkedShop();
  const caller = await opened(await inbox.link(await ask({ links: 'decide' }), anna));
  expect(await linked.decide(caller, { value: 'perhaps' }, { key: 'form-1' })).toMatchObject({ type: 'invalid' });
  const old = { key: 'form-2', drawn: 'another digest' };
  expect(await linked.decide(caller, { value: true }, old)).toMatchObject({ type: 'changed' });
  expect(await linked.decide(caller, 'decline', { key: 'form-3' })).toMatchObject({ type: 'accepted' });
});

test('the end of the ask revokes its links, and revokeLink() one of them', async () => {
  const { registry, inbox, linked, opened, ask } = await linkedShop();
  const askId = await ask({ links: 'decide' });
  const [first, second] = [await inbox.link(askId, anna), await inbox.link(askId, anna)];
  const caller = await opened(first);
  await inbox.revokeLink(first);
  await expect(opened(first)).rejects.toThrow('opens nothing');
  expect(await linked.decide(caller, { value: true }, { key: 'form-1' })).toEqual({ type: 'unknown' });
  await registry.cancel(askId);
  const other = await opened(second);
  expect(await linked.get(other)).toEqual({ type: 'over', why: 'ended' });
  expect(await linked.decide(other, { value: true }, { key: 'form-2' })).toMatchObject({ type: 'already' });
  expect(await registry.getAsk(askId)).toMatchObject({ status: 'cancelled' });
});

test('a vote uses a link up, though the ask goes on', async () => {
  const { inbox, linked, opened, ask } = await linkedShop();
  const askId = await ask({ links: 'decide', quorum: 2 });
  const caller = await opened(await inbox.link(askId, anna));
  expect(await linked.decide(caller, { value: true }, { key: 'form-1' })).toMatchObject({ type: 'counted' });
  expect(await linked.decide(caller, { value: true }, { key: 'form-1' })).toMatchObject({ type: 'counted' });
  expect(await linked.decide(caller, { value: true }, { key: 'form-2' })).toEqual({ type: 'link-used' });
});

test('a link is made only for somebody to whom it shows something', async () => {
  const { registry, inbox, ask } = await linkedShop();
  const askId = await ask();
  await expect(inbox.link('nobody-knows', anna)).rejects.toMatchObject({ code: 'unknown-ask' });
  await expect(inbox.link(askId, { id: 'staff:carl' })).rejects.toThrow(/"staff:carl" may not answer ask/);
  await expect(inbox.link(askId, { ...anna, tenant: 'other' })).rejects.toThrow(/may not answer/);
  await expect(inbox.link(askId, { id: 7 } as never)).rejects.toThrow(/the person must be a participant/);
  for (const expiresIn of [0, -1, Number.NaN, 8 * 86_400_000, '1'])
    await expect(inbox.link(askId, anna, { expiresIn } as object)).rejects.toThrow(/link\(\): expiresIn must be/);
  await expect(inbox.link(askId, anna, { expires: 1 } as object)).rejects.toThrow(/the option expires is unknown/);
  await registry.cancel(askId);
  await expect(inbox.link(askId, anna)).rejects.toMatchObject({ code: 'already' });
  await expect(inbox.revokeLink('https://example.com/inbox/link/x')).rejects.toThrow(/no link of this inbox/);
});
