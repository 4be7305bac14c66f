/** Handing over by the API and the page, where the ask has a tenant: only an id is given, and `personById` says whose it is. */
import { expect, test } from 'vitest';
import type { InboxPerson } from '../../src/server/index.js';
import { createInbox } from '../../src/server/index.js';
import { token } from './api-kit.js';
import { ada, anna, person, shop } from './kit.js';
import { byHeader, visitor } from './page-kit.js';

const lead: InboxPerson = { ...anna, tenant: 'acme', locale: 'de' };
const staff = [
  lead,
  person('staff:emil', ['answer'], { name: 'Emil', tenant: 'acme' }),
  person('staff:\u0435mil', ['answer'], { name: 'Emil', tenant: 'other' }), // a Cyrillic e
  person('staff:olga', ['answer'], { name: 'Olga', tenant: 'other' }),
  person('staff:temp', ['answer'], { name: 'Temp' }),
];

const problem =
  'Von dieser Person ist nicht bekannt, dass sie zum Mandanten der Frage gehört, deshalb wird ihr die Frage nicht gezeigt.';

/** An ask of the tenant acme, and an inbox that knows the staff. */
async function tenantShop(personById?: (id: string) => InboxPerson | undefined) {
  const logged: string[] = [];
  const log = (message: string) => void logged.push(message);
  const here = await shop({ logger: { debug: log, info: log, warn: log, error: log } });
  const id = await here.asked('sure', 'c1', { ...ada, tenant: 'acme' });
  const inbox = createInbox(here.registry, { authenticate: byHeader(staff), ...(personById && { personById }) });
  const api = async (to: string) => {
    const response = await inbox.fetch(
      new Request(`http://localhost/inbox/api/v1/asks/${id}/hand-over`, {
        method: 'POST',
        headers: { 'x-user': lead.id, authorization: token(lead), 'content-type': 'application/json' },
        body: JSON.stringify({ to }),
      }),
    );
    return { status: response.status, body: await response.json() };
  };
  const page = visitor(inbox.fetch, lead);
  const byPage = async (to: string) => page.send(await page.load(`/inbox/asks/${id}`), '/hand-over', { to });
  const steps = async () => (await here.registry.getAsk(id))?.steps;
  return { ...here, id, api, byPage, steps, logged };
}

const known = (id: string) => staff.find((each) => each.id === id);

test.each([
  ['somebody unknown', 'staff:nobody'],
  ['somebody without a tenant', 'staff:temp'],
  ['somebody of another tenant', 'staff:olga'],
  ['somebody of another tenant whose id looks the same', 'staff:\u0435mil'],
])('the API and the page hand nothing to %s, and say why in the language of the person', async (_, to) => {
  const { api, byPage, steps } = await tenantShop(known);
  expect(await api(to)).toMatchObject({
    status: 422,
    body: { error: { code: 'invalid-hand-over', problem: expect.stringContaining(problem) } },
  });
  const shown = await byPage(to);
  expect(shown.status).toBe(422);
  expect(shown.text).toContain(problem);
  expect(await steps()).toBeUndefined();
});

test('nobody finds out by a hand-over whether an id exists in another tenant', async () => {
  const { api, byPage } = await tenantShop(known);
  expect(await api('staff:olga')).toEqual(await api('staff:nobody'));
  const shown = async (to: string) => {
    const main = /<main.*<\/main>/s.exec((await byPage(to)).text)?.[0];
    return main?.replaceAll(to, 'ID').replaceAll(/(name="key" value=")[^"]*/g, '$1'); // each form has a key of its own
  };
  const other = await shown('staff:olga');
  expect(other).toContain(problem);
  expect(other).toBe(await shown('staff:nobody'));
});

test('the API hands an ask to somebody of its tenant, whom personById knows', async () => {
  const { api, steps } = await tenantShop(known);
  expect(await api('staff:emil')).toMatchObject({ status: 200, body: { type: 'handed-over' } });
  expect(await steps()).toMatchObject([{ to: { id: 'staff:emil', name: 'Emil' } }]);
});

test('the page does, too, and says their name', async () => {
  const { byPage, steps } = await tenantShop(known);
  expect((await byPage('staff:emil')).text).toContain('You handed this to Emil.');
  expect(await steps()).toHaveLength(1);
});

test('without personById the tenant of an id is not known', async () => {
  const { api, byPage, steps } = await tenantShop();
  expect(await api('staff:emil')).toMatchObject({ status: 422 });
  expect((await byPage('staff:emil')).text).toContain(problem);
  expect(await steps()).toBeUndefined();
});

test('a personById that fails knows nobody, and that is logged', async () => {
  const { api, steps, logged } = await tenantShop(() => {
    throw new Error('The directory is down.');
  });
  expect(await api('staff:emil')).toMatchObject({ status: 422 });
  expect(await steps()).toBeUndefined();
  expect(logged).toContain('Nobody can tell to whom a question is handed, because personById() failed.');
});
