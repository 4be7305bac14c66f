/** A record that cannot be read is missing in a list, and the list says so to those who might see what it is about. */
import { expect, test } from 'vitest';
import type { Stored } from '../../src/core/format/stored.js';
import { AgentError, agent, confirm } from '../../src/index.js';
import { askPageSchema, historySchema, parkedPageSchema } from '../../src/server/api/schemas.js';
import type { InboxPerson } from '../../src/server/person.js';
import { settle } from '../support/engine.js';
import { apiOf, token } from './api-kit.js';
import { boss, person } from './kit.js';

const manager = person('staff:anna', ['answer'], { roles: ['manager'] });
const north = { ...boss, tenant: 'north' };

/** Two conversations, each with an open ask, a decided one and parked work. The records of the first cannot be read from then on. */
async function damagedShop() {
  const clerk = agent('clerk');
  const sure = clerk.question('sure', confirm('Sure?'), { answerableBy: 'anyone', onAnswer: () => undefined });
  clerk.onMessage(({ message, ask }) => {
    if (message === 'ask') return ask(sure);
    throw new AgentError('bad-option', 'Broken.'); // a mistake of the author: parked at once
  });
  const here = await apiOf({ agents: [clerk] });
  const { registry, store, phone, says } = here;
  for (const conversationId of ['c1', 'c2'])
    for (const said of ['ask', 'yes', 'break', 'ask']) {
      await says(phone, said, { conversationId });
      await settle();
    }
  const conversation = store.conversation.bind(store);
  store.conversation = async (id, ...more) => {
    const state = await conversation(id, ...more);
    return state && (id === 'c1' ? { ...state, document: { text: '{"v":1,"asks":[{"id":' } } : state);
  };
  const settled = store.settled.bind(store);
  store.settled = async (page) => {
    const { items, ...rest } = await settled(page);
    const damage = ({ text }: Stored) => ({ text: text.includes('"c1"') ? text.slice(0, -9) : text });
    return { items: items.map((each) => ({ ...each, record: damage(each.record) })), ...rest };
  };
  return { ...here, registry };
}

test.each([
  ['waits', '/asks', '/', 'Sure?', '1 question cannot be shown'],
  ['was decided', '/log', '/log', 'Sure?', '1 question cannot be shown'],
  ['is parked', '/parked', '/parked', 'Broken.', '1 piece of work cannot be shown'],
])('of what %s a damaged record is counted, by the API and by the page', async (_, path, page, shown, sentence) => {
  const { api, raw } = await damagedShop();
  const { body } = await api(boss, 'GET', path);
  expect(body).toMatchObject({ [path === '/parked' ? 'items' : 'asks']: [{ conversationId: 'c2' }], unreadable: 1 });
  expect((path === '/parked' ? parkedPageSchema : askPageSchema).safeParse(body).error).toBeUndefined();
  const { body: html } = await raw(page, { headers: { authorization: token(boss) } });
  expect(html).toContain(shown);
  expect(html).toContain(`${sentence}; see the log of the program.`);
});

test('where nothing else waits, the page does not say that nothing is waiting', async () => {
  const { registry, raw } = await damagedShop();
  await registry.cancel({ conversationId: 'c2' });
  const { body } = await raw('/', { headers: { authorization: token(manager) } });
  expect(body).toContain('1 question cannot be shown');
  expect(body).not.toContain('Nothing is waiting');
  expect(body).not.toContain('<title>Waiting');
});

test.each<[{ tenant?: string }, InboxPerson]>([
  [{}, boss],
  [{ tenant: 'north' }, { ...boss, everyTenant: true }],
])('a damaged item of a conversation takes no page down, and is counted (%j)', async (more, operator) => {
  const { api, raw, registry, store, says, phone } = await damagedShop();
  await says(phone, 'hello', { conversationId: 'c2', participant: { id: 'phone:nora', ...more } });
  const [ask] = (await registry.listAsks({ conversationId: 'c2' })).asks;
  const damage = ([first, ...items]: readonly Stored[]) => [{ text: first?.text.slice(0, -9) ?? '' }, ...items];
  const history = store.history.bind(store);
  store.history = async (...call) => {
    const page = await history(...call);
    return { ...page, items: damage(page.items) };
  };
  const historyFrom = store.historyFrom.bind(store);
  store.historyFrom = async (...call) => {
    const part = await historyFrom(...call);
    return { ...part, items: part.first === 0 ? damage(part.items) : part.items };
  };
  const { body } = await api(operator, 'GET', `/asks/${ask?.id}/history`);
  expect(body).toMatchObject({ unreadable: 1 });
  expect(historySchema.safeParse(body).error).toBeUndefined();
  const { body: html } = await raw(`/asks/${ask?.id}`, { headers: { authorization: token(operator) } });
  expect(html).toContain('1 message cannot be shown; see the log of the program.');
  expect(await api(north, 'GET', '/conversations/c2')).toMatchObject({ status: 404 });
});

test('somebody of one tenant is not told of it: whose record it is, nobody knows', async () => {
  const { api } = await damagedShop();
  for (const path of ['/asks', '/log', '/parked']) {
    expect((await api(north, 'GET', path)).body).not.toHaveProperty('unreadable');
    expect((await api({ ...north, everyTenant: true }, 'GET', path)).body).toMatchObject({ unreadable: 1 });
  }
});
