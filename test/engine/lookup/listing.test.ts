import { expect, test } from 'vitest';
import { AgentRegistry, type AskFilter, MemoryStore, text } from '../../../src/index.js';
import { FakeClock } from '../../../src/testing/index.js';

/** A registry with open asks: of two tenants, with details, with and without a deadline. */
async function desk() {
  const clock = new FakeClock();
  const registry = new AgentRegistry({ store: new MemoryStore({ clock }), clock });
  const asked = async (conversationId: string, order: string, expiresIn?: number, tenant?: string) => {
    const { askId } = await registry.ask(text(`Refund ${order}?`), {
      channel: 'handle',
      conversationId,
      answerableBy: 'anyone',
      details: { order, customer: `customer of ${order}` },
      ...(expiresIn === undefined ? {} : { expiresIn }),
      ...(tenant === undefined ? {} : { asker: { id: `web:${tenant}`, tenant } }),
    });
    await clock.advance(1);
    return askId;
  };
  const ids = {
    never: await asked('c-never', '1001'),
    late: await asked('c-late', '1002', 900_000, 'north'),
    soon: await asked('c-soon', '1003', 60_000, 'south'),
    oldest: await asked('c-late', '1001', 600_000, 'north'),
  };
  const questions = async (filter: AskFilter) => {
    const found: (string | undefined)[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const page = await registry.listAsks({ ...filter, ...(cursor === undefined ? {} : { cursor }) });
      found.push(...page.asks.map(({ id }) => Object.entries(ids).find(([, each]) => each === id)?.[0]));
      cursor = page.cursor;
      pages += 1;
    } while (cursor !== undefined);
    return { found, pages };
  };
  return { registry, ids, questions };
}

test('open asks are listed by deadline, over all conversations and in one, page by page', async () => {
  const { registry, questions } = await desk();
  const expected = ['soon', 'oldest', 'late', 'never'];
  expect(await questions({ sort: 'deadline' })).toEqual({ found: expected, pages: 1 });
  expect(await questions({ sort: 'deadline', limit: 1 })).toEqual({ found: expected, pages: 4 });
  expect((await questions({ sort: 'asked' })).found).toEqual(['never', 'late', 'soon', 'oldest']);
  const inOne = { sort: 'deadline', conversationId: 'c-late', limit: 1 } as const;
  expect(await questions(inOne)).toEqual({ found: ['oldest', 'late'], pages: 2 });
  await registry.stop();
});

test('decided asks are not sorted by deadline: that is refused', async () => {
  const { registry } = await desk();
  const call = registry.listAsks({ sort: 'deadline', status: 'decided' });
  await expect(call).rejects.toMatchObject({
    code: 'bad-option',
    message: 'listAsks(): sort must be \'asked\', or nothing, where status is "decided", got "deadline".',
  });
  await registry.stop();
});

test('asks are listed by tenant and by channel', async () => {
  const { registry, questions } = await desk();
  expect((await questions({ tenant: 'north' })).found).toEqual(['late', 'oldest']);
  expect((await questions({ tenant: 'west' })).found).toEqual([]);
  const [ask] = (await registry.listAsks({ tenant: 'south' })).asks;
  const channelName = ask?.channelName as string;
  expect((await questions({ channelName })).found).toHaveLength(4);
  expect((await questions({ channelName: 'slack' })).found).toEqual([]);
  await registry.stop();
});

test('a search finds an ask by its id, those of a conversation, or those with an exact value among their details', async () => {
  const { registry, ids, questions } = await desk();
  expect(await questions({ search: ids.soon, limit: 1 })).toEqual({ found: ['soon'], pages: 1 });
  expect(await questions({ search: 'c-late', sort: 'deadline' })).toEqual({ found: ['oldest', 'late'], pages: 1 });
  expect((await questions({ search: '1001' })).found).toEqual(['never', 'oldest']);
  expect((await questions({ search: '1001', limit: 1 })).found).toEqual(['never', 'oldest']);
  expect((await questions({ search: '1001', tenant: 'north' })).found).toEqual(['oldest']);
  expect((await questions({ search: ids.soon, tenant: 'north' })).found).toEqual([]);
  expect((await questions({ search: '100' })).found).toEqual([]);
  await registry.answer(ids.soon, { text: 'yes' }, { by: { id: 'web:nora', tenant: 'south' } });
  expect((await questions({ search: ids.soon })).found).toEqual([]);
  expect((await questions({ search: '1003', status: 'decided' })).found).toEqual(['soon']);
  expect((await questions({ search: ids.soon, status: 'decided' })).found).toEqual(['soon']);
  expect((await questions({ search: 'c-soon', status: 'answered' })).found).toEqual(['soon']);
  await registry.stop();
});

test.each(['search', 'tenant', 'channelName'] as const)('a %s that is there and is none is refused', async (field) => {
  const { registry } = await desk();
  for (const value of [undefined, null, 5]) {
    const filter = { [field]: value } as unknown as AskFilter;
    await expect(registry.listAsks(filter)).rejects.toMatchObject({ code: 'bad-option' });
  }
  await registry.stop();
});
