/** The examples of mounting the inbox: in Hono, and as a route of Next. */
import { expect, onTestFinished, test } from 'vitest';
import { runExample } from './running.js';

test('inbox-hono.ts serves the API beside the app, and a manager answers over it', async () => {
  const program = runExample('inbox-hono', { PORT: '0' });
  onTestFinished(async () => {
    program.kill('SIGTERM');
    expect((await program.finished()).code).toBe(0);
  });
  const origin = /(http:\/\/localhost:\d+)\/inbox\n/.exec(await program.shows('/inbox\n'))?.[1] ?? '';
  expect(await (await fetch(`${origin}/`)).text()).toBe('The shop');
  const headers = { authorization: 'Bearer annas-token-of-20-or-more', 'content-type': 'application/json' };
  const api = `${origin}/inbox/api/v1/asks`;
  const { asks } = (await (await fetch(api, { headers })).json()) as { asks: { id: string }[] };
  const answered = await fetch(`${api}/${asks[0]?.id}/answer`, { method: 'POST', headers, body: '{"value":true}' });
  expect(await answered.json()).toMatchObject({ type: 'accepted', ask: { value: true } });
});

test('inbox-next-route.ts answers GET, HEAD and POST as Next calls them', async () => {
  const { GET, HEAD, POST, dynamic } = await import('../../../examples/inbox-next-route.js');
  const headers = { authorization: 'Bearer only-for-this-machine-1' };
  const request = (path: string, method: string) =>
    new Request(`http://localhost/inbox/api/v1/${path}`, { method, headers });
  expect(dynamic).toBe('force-dynamic');
  expect(await (await GET(request('me', 'GET'))).json()).toMatchObject({ id: 'staff:anna' });
  expect((await HEAD(request('me', 'HEAD'))).status).toBe(200);
  expect((await POST(request('asks/none/answer', 'POST'))).status).toBe(400);
});
