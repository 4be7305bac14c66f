/** The channel of the guide "Your own channel" keeps the channel contract, against a platform on loopback; and its program answers. */
import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { HttpChannel } from '../../../examples/http-channel.js';
import { type ChannelDriver, channelContract } from '../../../src/testing/index.js';
import { runExample } from './running.js';

const secret = 'signing-secret';
const token = 'api-token';

interface Shown {
  to: string;
  key: string;
  text: string;
  buttons: readonly { readonly label: string; readonly data: string }[];
}

/** The platform: it keeps messages, and what has left the channel. */
async function platform() {
  const shown = new Map<string, Shown>();
  const wire: string[] = [];
  const state = { isDown: false };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    wire.push(body);
    if (state.isDown || request.headers.authorization !== `Bearer ${token}`) return response.writeHead(500).end();
    const given = JSON.parse(body) as Shown;
    const id = request.method === 'POST' ? given.key : decodeURIComponent(request.url?.split('/').at(-1) ?? '');
    shown.set(id, { ...shown.get(id), ...given });
    response.end(JSON.stringify({ id }));
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const api = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { api, shown, wire, state, close: () => new Promise<void>((resolve) => server.close(() => resolve())) };
}

function signed(body: string, by = secret): RequestInit {
  const signature = createHmac('sha256', by).update(body).digest('hex');
  return { method: 'POST', body, headers: { 'x-signature': signature } };
}

async function open(): Promise<ChannelDriver> {
  const { api, shown, wire, state, close } = await platform();
  const channel = new HttpChannel({ api, token, secret });
  const post = async (body: string, by?: string) =>
    (await channel.fetch(new Request('https://example.com/pigeon', signed(body, by)))).ok ? 'received' : 'refused';
  const event = (fields: object) => post(JSON.stringify({ chat: 'c1', user: 'ann', ...fields }));
  return {
    channel,
    participantId: 'pigeon:ann',
    address: 'c1',
    secrets: [secret, token],
    says: ({ id, text }) => event({ id, text }),
    seen: () =>
      [...shown.values()].map(({ key, text, buttons }) => ({ key, text, controls: buttons.map(({ label }) => label) })),
    wire: () => wire.join('\n'),
    async presses(label, id) {
      const button = [...shown.values()].flatMap(({ buttons }) => buttons).findLast((each) => each.label === label);
      return button === undefined ? 'refused' : event({ id, pressed: button.data });
    },
    poses: ({ id, text }, participantId) => event({ id, text, participant: { id: participantId } }),
    garbage: () =>
      Promise.all([
        post('{"id":'),
        post('null'),
        event({ id: 1, text: 'x' }),
        event({ id: 'x', pressed: '{}' }),
        post(JSON.stringify({ chat: 'c1', user: 'ann', id: 'forged', text: 'x' }), 'another-secret'),
      ]),
    fails(isOn) {
      state.isDown = isOn;
    },
    close,
  };
}

describe('the channel of the guide', () => {
  channelContract({
    test,
    open,
    can: ['buttons', 'update', 'addresses'],
  });
});

describe('its program', () => {
  const stops: (() => unknown)[] = [];
  afterAll(() => Promise.all(stops.map((stop) => stop())));

  test('a signed event is answered with a question, and its button restarts the server', async () => {
    const { api, shown, close } = await platform();
    stops.push(close);
    const program = runExample('http-channel', { API: api, TOKEN: token, SECRET: secret, PORT: '0' });
    stops.push(() => program.kill('SIGKILL'));
    const url = /http:\S+/.exec(await program.shows('Taking events'))?.[0] ?? '';
    const post = (fields: object) => fetch(url, signed(JSON.stringify({ chat: 'c1', user: 'ann', ...fields })));
    expect((await post({ id: '1', text: 'the server hangs' })).status).toBe(200);
    const asked = () => [...shown.values()].find(({ text }) => text === 'Restart the server?');
    await expect.poll(asked).toBeDefined();
    expect((await post({ id: '2', pressed: asked()?.buttons[0]?.data })).status).toBe(200);
    await expect.poll(() => [...shown.values()].map(({ text }) => text)).toContain('Restarted.');
    await expect.poll(() => asked()?.buttons ?? []).toEqual([]);
    program.kill('SIGTERM');
    expect(await program.finished()).toMatchObject({ code: 0 });
  });
});
