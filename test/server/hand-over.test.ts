/** Handing over and steps in the inbox: the calls, the API and the page. */
import { expect, test } from 'vitest';
import { confirm } from '../../src/index.js';
import { askSchema } from '../../src/server/api/schemas.js';
import { apiOf } from './api-kit.js';
import { anna, person } from './kit.js';
import { byHeader, otto, pageShop } from './page-kit.js';

const emil = person('staff:emil', ['answer'], { name: 'Emil' });

test('an ask is handed over by the API: the other person has it in their list, the first has not', async () => {
  const { api, asked } = await apiOf();
  const id = await asked('sure');
  const said = { to: emil.id, reason: 'I am away.' };
  expect(await api(emil, 'POST', `/asks/${id}/hand-over`, { to: anna.id })).toMatchObject({ status: 404 });
  const handed = await api(anna, 'POST', `/asks/${id}/hand-over`, said, { 'idempotency-key': 'k1' });
  expect(handed).toMatchObject({ status: 200, body: { type: 'handed-over', id } });
  const again = await api(anna, 'POST', `/asks/${id}/hand-over`, said, { 'idempotency-key': 'k1' });
  expect(again).toMatchObject({ status: 200, body: { type: 'handed-over', id } });
  expect((await api(anna, 'GET', '/asks')).body.asks).toEqual([]);
  const { body } = await api(emil, 'GET', `/asks/${id}`);
  expect(askSchema.safeParse(body).error).toBeUndefined();
  expect(body).toMatchObject({
    mayAnswer: true,
    steps: [{ type: 'handed-over', by: { id: anna.id, name: 'Anna' }, to: { id: emil.id }, reason: 'I am away.' }],
  });
  expect(await api(emil, 'POST', `/asks/${id}/answer`, { value: true })).toMatchObject({ status: 200 });
});

test('a hand-over that is not possible is told why, and changes nothing', async () => {
  const { api, asked } = await apiOf();
  const id = await asked('sure');
  const hand = (body: object) => api(anna, 'POST', `/asks/${id}/hand-over`, body);
  expect(await hand({ to: anna.id })).toMatchObject({
    status: 422,
    body: { error: { code: 'invalid-hand-over', problem: 'You cannot hand a question over to yourself.' } },
  });
  expect(await hand({})).toMatchObject({ status: 400, body: { error: { field: 'to' } } });
  expect(await hand({ to: 'x'.repeat(600) })).toMatchObject({ status: 400 });
  expect(await hand({ to: emil.id, digest: 'older' })).toMatchObject({
    status: 409,
    body: { error: { code: 'changed' } },
  });
  expect((await api(anna, 'GET', `/asks/${id}`)).body.steps).toBeUndefined();
  await api(anna, 'POST', `/asks/${id}/answer`, { value: true });
  expect(await hand({ to: emil.id })).toMatchObject({ status: 409, body: { error: { code: 'already' } } });
});

test('the page has a form to hand over; it says what was done, and the question is on the list of the other person', async () => {
  const { asked, anna: visiting, otto: other, registry } = await pageShop();
  const id = await asked('sure');
  const opened = await visiting.load(`/inbox/asks/${id}`);
  const wrong = await visiting.send(opened, '/hand-over', { to: anna.id, reason: 'Please.' });
  expect(wrong.status).toBe(422);
  expect(wrong.text).toContain('You cannot hand a question over to yourself.');
  expect(wrong.text).toContain('Please.</textarea>');
  expect((await visiting.send(opened, '/hand-over', { to: ' ' })).status).toBe(422);
  const left = await visiting.send(await visiting.load(`/inbox/asks/${id}`), '/hand-over', {
    to: otto.id,
    reason: 'You know <b>more</b>.',
  });
  expect(left.status).toBe(200);
  expect(left.text).toContain('You handed this to staff:otto.');
  expect(left.text).not.toContain(`data-id="${id}"`);
  expect((await visiting.load(`/inbox/asks/${id}`)).status).toBe(404);
  const seen = await other.load(`/inbox/asks/${id}`);
  expect(seen.text).toContain('handed it to');
  expect(seen.text).toContain('You know &lt;b&gt;more&lt;/b&gt;.');
  expect((await registry.getAsk(id))?.steps).toHaveLength(1);
});

test('who still sees a question that they have handed over is told so beside it, by their own address only', async () => {
  const lead = { ...anna, scopes: ['answer', 'read'] as const };
  const { asked, anna: reading } = await pageShop({ authenticate: byHeader([lead]) });
  const id = await asked('sure');
  const handed = await reading.send(await reading.load(`/inbox/asks/${id}`), '/hand-over', { to: otto.id });
  expect(handed.text).toContain('You handed this to staff:otto.');
  expect(handed.text).toContain(`data-id="${id}"`);
  expect((await reading.load(`/inbox/asks/${id}?handed=another`)).text).not.toContain('You handed this to');
});

test('the page of a link that decides has a form to decline, and none to hand over', async () => {
  const { registry, inbox, as } = await pageShop();
  const options = { channel: 'phone', to: 'ops', answerableBy: { roles: ['manager'] }, links: 'decide' } as const;
  const { askId } = await registry.ask(confirm('Refund?'), options);
  const { text } = await as(anna).load(await inbox.link(askId, anna));
  expect(text).toContain('/decline"');
  expect(text).not.toContain('/hand-over"');
});

test('an id with a character that turns text around is written as an escape in the list of steps, in its title, too', async () => {
  const { asked, registry, reader } = await pageShop();
  const id = await asked('sure');
  await registry.handOver(id, { by: anna, to: 'staff:\u202eotto' });
  const { text } = await reader.load(`/inbox/asks/${id}`);
  expect(text).toContain('handed it to');
  expect(text).not.toContain('\u202e');
});
