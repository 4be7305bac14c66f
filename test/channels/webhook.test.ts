/** The webhook channel over its fetch handler, in front of a real registry in memory, and its callbacks over loopback. */
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterEach, expect, test } from 'vitest';
import { post } from '../../src/channels/webhook/callback.js';
import { signWebhook, verifyWebhook, WebhookChannel, type WebhookOptions } from '../../src/channels/webhook/index.js';
import { isPublicAddress } from '../../src/channels/webhook/public-address.js';
import { AgentRegistry, agent, choice, confirm, MemoryStore, type Participant, type Store } from '../../src/index.js';
import { systemClock } from '../../src/machine/clock.js';
import { createInbox } from '../../src/server/index.js';
import { FakeClock } from '../../src/testing/index.js';
import { gate, settle } from '../support/engine.js';

const secret = `whsec_${Buffer.from('a webhook secret of thirty-two bytes').toString('base64')}`;
const otherSecret = `whsec_${Buffer.from('another webhook secret, long enough').toString('base64')}`;
const address = 'https://example.com/hooks/webhook';
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function shop(slow: Promise<void> = Promise.resolve()) {
  const shop = agent('shop');
  const size = shop.question(
    'size',
    choice('Which <b>size</b>?\u001b[31m', [
      { id: 's', label: 'Small\u202e' },
      { id: 'l', label: 'Large' },
    ]),
    { details: { order: '4711' }, onAnswer: (answer) => `Size ${answer}.` },
  );
  const pay = shop.question('pay', confirm('Pay?'), { onAnswer: (yes) => (yes ? 'Paid.' : 'Not paid.') });
  return shop.onMessage(async ({ message, ask, participant }) => {
    if (message === 'size') return ask(size, { context: { secret: 'of the agent' } });
    if (message === 'pay')
      return ask(pay, { via: { channel: 'webhook', to: { callback: 'till' } }, answerableBy: 'anyone' });
    if (message === 'slow') await slow;
    return `${participant?.id ?? 'nobody'} said ${message}`;
  });
}

async function opened(options: Partial<WebhookOptions> = {}, slow?: Promise<void>, store?: Store) {
  const clock = options.clock instanceof FakeClock ? options.clock : new FakeClock();
  const now = () => (options.clock ?? clock).now();
  const channel = new WebhookChannel({ secret, clock, ...options });
  const registry = new AgentRegistry({ agents: [shop(slow)], channels: [channel], clock, ...(store && { store }) });
  await registry.start();
  ends.push(() => registry.stop());
  let made = 0;
  const signed = (body: object, by: string | readonly string[] = secret) => {
    const text = JSON.stringify(body);
    const headers = signWebhook(by, { id: `msg_${++made}`, body: text, now: now() });
    return new Request(address, {
      method: 'POST',
      body: text,
      headers: { 'content-type': 'application/json', ...headers },
    });
  };
  const fetched = (where: string) => {
    const url = new URL(where, address);
    const headers = { ...signWebhook(secret, { id: `get_${++made}`, body: url.search.slice(1), now: now() }) };
    return channel.fetch(new Request(url, { headers }));
  };
  const sends = async (body: object) => json(await channel.fetch(signed(body)));
  return { clock, channel, registry, signed, sends, fetched };
}

async function json(response: Response) {
  const body = (await response.json()) as {
    disposition: { type: string };
    outputs: { key: string; text: string; question?: { askId: string; status: string; shape?: unknown } }[];
    cursor: string;
    where?: string;
    error: { code: string; message: string };
    conversationId: string;
  };
  return { status: response.status, headers: response.headers, ...body };
}

test('a signed request gets what its own turn said: two in flight each their own, a repeat the same', async () => {
  const { sends } = await opened();
  const [one, two] = await Promise.all([
    sends({ id: '1', sessionId: 's', text: 'one', participant: { id: 'shop:ann' } }),
    sends({ id: '2', sessionId: 's', text: 'two' }),
  ]);
  expect(one.outputs.map(({ text }) => text)).toEqual(['shop:ann said one']);
  expect(two.outputs.map(({ text }) => text)).toEqual(['nobody said two']);
  expect(one).toMatchObject({ status: 200, disposition: { type: 'ordinary' }, conversationId: 's' });
  const again = await sends({ id: '1', sessionId: 's', text: 'one', participant: { id: 'shop:ann' } });
  expect([again.outputs, again.cursor]).toEqual([one.outputs, one.cursor]);
});

test('a question comes with its options and details, and is answered by its id and an option', async () => {
  const { sends } = await opened();
  const { outputs } = await sends({ id: '1', conversationId: 's', text: 'size' });
  expect(outputs[0]).toMatchObject({
    text: 'Which <b>size</b>?',
    question: {
      status: 'pending',
      kind: 'choice',
      details: { order: '4711' },
      shape: {
        type: 'choices',
        choices: [
          { id: 's', label: 'Small' },
          { id: 'l', label: 'Large' },
        ],
      },
    },
  });
  expect(JSON.stringify(outputs)).not.toContain('of the agent');
  const { askId } = outputs[0]?.question ?? {};
  const answered = await sends({ id: '2', conversationId: 's', askId, choice: 'l' });
  expect(answered).toMatchObject({ disposition: { type: 'accepted' }, outputs: [{ text: 'Size l.' }] });
});

test('a question put to a conversation is answered by whoever writes there', async () => {
  const { sends, registry } = await opened();
  const waiting = registry.askAndWait(confirm('Pay?'), { channel: 'webhook', to: { conversationId: 's' } });
  await settle();
  expect(await sends({ id: '1', conversationId: 's', text: 'yes' })).toMatchObject({
    disposition: { type: 'accepted' },
  });
  expect(await waiting).toMatchObject({ status: 'answered', value: true });
});

test('a text that its sender could not send for a while does not answer what was asked meanwhile', async () => {
  const { sends, clock } = await opened();
  await sends({ id: '1', sessionId: 's', text: 'size' });
  const late = await sends({ id: '2', sessionId: 's', text: 'Large', sentAt: clock.now() - 5 * 60_000 });
  expect(late.outputs.map(({ text }) => text)).toEqual(['nobody said Large']);
  const fresh = await sends({ id: '3', sessionId: 's', text: 'Large', sentAt: clock.now() });
  expect(fresh.outputs.map(({ text }) => text)).toEqual(['Size l.']);
});

test('a turn that takes too long is answered with 202 and where to look, and that address gives the rest', async () => {
  const { passed, open } = gate();
  const { sends, fetched, clock } = await opened({ timeout: 3_000 }, passed);
  const sending = sends({ id: '1', sessionId: 's 1', text: 'slow' });
  await settle();
  await clock.advance(3_000);
  const late = await sending;
  expect(late).toMatchObject({ status: 202, disposition: { type: 'received' }, outputs: [] });
  expect(late.where).toBe(`/hooks/webhook/outputs?sessionId=s+1&after=${late.cursor}`);
  expect(late.headers.get('location')).toBe(late.where);
  open();
  await settle();
  expect(await json(await fetched(late.where ?? ''))).toMatchObject({
    status: 200,
    outputs: [{ text: 'nobody said slow' }],
  });
});

test('only a request that is signed now, by a secret that is known, over the body as it is, is taken', async () => {
  const { channel, signed, clock, registry } = await opened({ secret: [secret, otherSecret] });
  const body = { id: '1', sessionId: 's', text: 'hello' };
  const status = async (request: Request) => (await channel.fetch(request)).status;
  const unsigned = signed(body);
  unsigned.headers.delete('webhook-signature');
  const changed = new Request(address, {
    method: 'POST',
    headers: signed(body).headers,
    body: JSON.stringify({ ...body, text: 'bye' }),
  });
  const stranger = `whsec_${Buffer.from('the webhook secret of a stranger').toString('base64')}`;
  const old = signed(body);
  await clock.advance(301_000);
  expect((await json(await channel.fetch(unsigned.clone()))).error.message).toMatch(/Sign it: .* signWebhook/);
  expect(await Promise.all([unsigned, changed, signed(body, stranger), old].map(status))).toEqual([401, 401, 401, 401]);
  expect((await registry.history('s')).items).toEqual([]);
  expect(await Promise.all([signed(body, otherSecret), signed(body, [stranger, secret])].map(status))).toEqual([
    200, 200,
  ]);
});

test('a signature of other characters than those of base64 is refused like any that does not fit', async () => {
  const { channel, signed, clock } = await opened();
  const request = signed({ id: '1', sessionId: 's', text: 'hello' });
  request.headers.set('webhook-signature', 'é'.repeat(47));
  expect(await json(await channel.fetch(request.clone()))).toMatchObject({ status: 401 });
  const body = await request.text();
  expect(() => verifyWebhook(secret, request.headers, body, clock.now())).toThrow('No signature');
});

test('a signed message names its session in the body: no header and no query moves it into another conversation', async () => {
  const { channel, signed, registry } = await opened();
  const body = { id: '1', text: 'pay' };
  const inHeader = signed(body);
  inHeader.headers.set('x-session-id', 'victim');
  const inQuery = new Request(`${address}?sessionId=victim`, signed(body));
  const asConversation = new Request(`${address}?conversationId=victim`, signed(body));
  for (const request of [inHeader, inQuery, asConversation])
    expect(await json(await channel.fetch(request))).toMatchObject({
      status: 400,
      error: { message: expect.stringMatching(/Name the session in the body/) },
    });
  expect((await registry.history('victim')).items).toEqual([]);
  const both = signed({ ...body, sessionId: 's' });
  both.headers.set('x-session-id', 's');
  expect((await channel.fetch(both)).status).toBe(200);
});

test('signatures are those of the reference implementation, in both directions', () => {
  const now = new Date();
  const body = JSON.stringify({ text: 'Grüße' });
  const reference = new Webhook(secret);
  const headers = signWebhook([otherSecret, secret], { id: 'msg_1', body });
  expect(reference.verify(body, { ...headers })).toEqual({ text: 'Grüße' });
  const theirs = new Headers({
    'webhook-id': 'msg_2',
    'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
    'webhook-signature': reference.sign('msg_2', now, body),
  });
  expect(verifyWebhook(secret, theirs, body)).toBe('msg_2');
  expect(() => verifyWebhook(otherSecret, theirs, body)).toThrow('No signature');
  expect(() => signWebhook('hunter2', { id: '1', body })).toThrow(/must be a secret: whsec_ .* got a string without/);
  expect(() => signWebhook('hunter2', { id: '1', body })).not.toThrow(/hunter2/);
});

test('who is authenticated otherwise has sessions of their own, whatever they are called, and is who they are', async () => {
  const people: Record<string, Participant> = { ann: { id: 'shop:ann' }, ben: { id: 'shop:ben' } };
  const { channel } = await opened({
    authenticate: ({ headers }) => {
      const participant = people[headers.get('authorization') ?? ''];
      return participant && { participant };
    },
  });
  const sends = async (who: string, body: object, where = address) =>
    json(
      await channel.fetch(
        new Request(where, {
          method: 'POST',
          headers: { authorization: who, 'content-type': 'application/json', 'x-session-id': 's' },
          body: JSON.stringify(body),
        }),
      ),
    );
  const ann = await sends('ann', { id: '1', text: 'hello' });
  expect(ann).toMatchObject({
    status: 200,
    conversationId: 'webhook:shop%3Aann/s',
    outputs: [{ text: 'shop:ann said hello' }],
  });
  const looks = async (who: string, query: string) =>
    json(await channel.fetch(new Request(`${address}/outputs?${query}`, { headers: { authorization: who } })));
  expect((await looks('ann', 'sessionId=s')).outputs).toHaveLength(1);
  expect((await looks('ben', 'sessionId=s')).outputs).toEqual([]);
  expect((await looks('ben', 'conversationId=shop%253Aann/s')).status).toBe(403);
  expect((await looks('eve', 'sessionId=s')).status).toBe(401);
  const posing = await sends('ben', { id: '2', text: 'hi', participant: { id: 'shop:ann' } });
  expect(posing).toMatchObject({ status: 400, error: { message: expect.stringMatching(/names a participant/) } });
  expect(await sends('ben', { id: '2', text: 'hi', sessionId: 'other' })).toMatchObject({ status: 400 });
  expect(await sends('eve', { id: '2', text: 'hi' })).toMatchObject({
    status: 401,
    error: { code: 'unauthenticated' },
  });
});

test('callers of two tenants with the same id share nothing, and no id looks like one of a tenant', async () => {
  const people: Record<string, Participant> = {
    one: { id: 'ann', tenant: 't1' },
    two: { id: 'ann', tenant: 't2' },
    posing: { id: 't1:ann' },
    plain: { id: 't1' },
    torn: { id: 'ann\ud800' },
  };
  const { channel, registry } = await opened({
    authenticate: ({ headers }) => {
      const participant = people[headers.get('authorization') ?? ''];
      return participant && { participant };
    },
  });
  const sends = async (authorization: string, sessionId: string, id: string, text: string) => {
    const headers = { authorization, 'content-type': 'application/json' };
    const body = JSON.stringify({ id, sessionId, text });
    return json(await channel.fetch(new Request(address, { method: 'POST', headers, body })));
  };
  const asked = await sends('one', 's', '1', 'size');
  expect(asked.conversationId).toBe('webhook:t1:ann/s'); // nor is it of another channel: a tenant may be called like one
  for (const [who, session] of [
    ['two', 's'],
    ['posing', 's'],
    ['plain', 'ann/s'],
    ['plain', ':ann/s'],
  ] as const) {
    const { outputs, conversationId } = await sends(who, session, '1', 'l');
    expect([outputs.length, conversationId === asked.conversationId]).toEqual([1, false]);
    expect(outputs[0]?.text).toMatch(/said l$/);
  }
  expect(await registry.listAsks({ status: 'pending' })).toMatchObject({
    asks: [{ id: asked.outputs[0]?.question?.askId }],
  });
  expect(await sends('torn', 's', '1', 'hello')).toMatchObject({
    status: 401,
    error: { code: 'unauthenticated', message: expect.stringMatching(/must be well-formed Unicode/) },
  });
});

test('bad input gets a clear error, and nothing is recorded', async () => {
  const { channel, signed, sends, registry } = await opened({ bodyBytes: 1_000 });
  const cases: [object, RegExp][] = [
    [{ id: '1', sessionId: 's', txt: 'x' }, /^message.txt is unknown. Did you mean text/],
    [{ id: '1', sessionId: 's', text: 5 }, /text must be a string/],
    [{ id: '1', sessionId: 's' }, /no text, no choice and no value/],
    [{ id: '1', text: 'x' }, /names no session/],
    [{ id: '1', sessionId: 's', text: 'x', choice: 5 }, /choice must be/],
    [{ id: '1', sessionId: 's', text: 'x', callback: 'http://169.254.169.254/' }, /has no callback/],
    [[], /must be an object/],
  ];
  for (const [body, message] of cases)
    expect(await sends(body)).toMatchObject({ status: 400, error: { message: expect.stringMatching(message) } });
  expect(await sends({ id: '1', sessionId: 's', text: 'x'.repeat(2_000) })).toMatchObject({ status: 413 });
  const plain = signed({ id: '1', sessionId: 's', text: 'x' });
  plain.headers.set('content-type', 'text/plain');
  expect((await channel.fetch(plain)).status).toBe(415);
  const torn = new Request(address, {
    method: 'POST',
    body: '{',
    headers: { 'content-type': 'application/json', ...signWebhook(secret, { id: '1', body: '{', now: 0 }) },
  });
  expect((await channel.fetch(torn)).status).toBe(401); // who it is comes first
  expect((await channel.fetch(new Request(address, { method: 'DELETE' }))).status).toBe(405);
  expect((await registry.history('s')).items).toEqual([]);
  await registry.stop();
  expect(await sends({ id: '1', sessionId: 's', text: 'x' })).toMatchObject({
    status: 503,
    error: { code: 'stopped', message: expect.stringContaining('await registry.start()') },
  });
  expect(() => new WebhookChannel({})).toThrow('secret or authenticate is needed');
});

test('any process answers: a repeat that reaches another one gets the same, and so does where to look', async () => {
  const clock = new FakeClock();
  const store = new MemoryStore({ clock });
  const { passed, open } = gate();
  const [here, there] = [
    await opened({ clock }, passed, store),
    await opened({ clock, timeout: 1_000 }, passed, store),
  ];
  const hello = { id: '1', sessionId: 's', text: 'hello' };
  const first = await here.sends(hello);
  expect((await there.sends(hello)).outputs).toEqual(first.outputs);
  const waiting = there.sends({ id: '2', sessionId: 's', text: 'slow' });
  await settle();
  await clock.advance(1_000);
  const { status, where } = await waiting;
  expect(status).toBe(202);
  open();
  await settle();
  expect((await json(await here.fetched(where ?? ''))).outputs).toMatchObject([{ text: 'nobody said slow' }]);
});

test('the inbox serves the channel under its name', async () => {
  const { registry, signed } = await opened({ clock: systemClock });
  const inbox = createInbox(registry, {
    origin: 'https://example.com',
    secret: 'a secret of at least 32 characters',
    authenticate: () => null,
  });
  ends.push(async () => inbox.close());
  const request = signed({ id: '1', sessionId: 's', text: 'hello' });
  const response = await inbox.fetch(new Request('https://example.com/inbox/channels/webhook', request));
  expect(await json(response)).toMatchObject({ status: 200, outputs: [{ text: 'nobody said hello' }] });
});

/** A receiver of callbacks on loopback. */
async function receiver(answer: () => { status: number; location?: string } = () => ({ status: 204 })) {
  const posted: { headers: IncomingHttpHeaders; body: string }[] = [];
  const server: Server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      posted.push({ headers: request.headers, body });
      const { status, ...headers } = answer();
      response.writeHead(status, headers).end('x'.repeat(status === 500 ? 10_000 : 0));
    });
  });
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  ends.push(() => new Promise((done) => server.close(done)));
  const { port } = server.address() as AddressInfo;
  return { posted, url: `http://127.0.0.1:${port}/in` };
}

test('a message that names a callback gets its outputs there, signed so that the reference implementation takes them', async () => {
  const { posted, url } = await receiver();
  const clock = systemClock; // the reference implementation looks at the real time
  const { sends } = await opened({ clock, callbacks: { till: { url, secret: otherSecret, allowPrivate: true } } });
  const now = await sends({ id: '1', sessionId: 's', text: 'hello', callback: 'till' });
  expect(now).toMatchObject({ status: 202, outputs: [] });
  await expect.poll(() => posted.length).toBe(1);
  const [{ headers, body }] = posted as [(typeof posted)[0]];
  const event = new Webhook(otherSecret).verify(body, headers as Record<string, string>);
  expect(event).toMatchObject({ type: 'message.said', data: { conversationId: 's', text: 'nobody said hello' } });
  expect(headers['webhook-id']).toBe((event as { data: { key: string } }).data.key);
});

test('a question goes to the callback that `via` names, and the callback is told when it is over', async () => {
  const { posted, url } = await receiver();
  const { sends } = await opened({ callbacks: { till: { url, secret, allowPrivate: true } } });
  await sends({ id: '1', sessionId: 's', text: 'pay' });
  await expect.poll(() => posted.length).toBe(1);
  const asked = JSON.parse(posted[0]?.body ?? '') as { data: { conversationId: string; question: { askId: string } } };
  expect(asked).toMatchObject({ type: 'question.asked', data: { conversationId: 'webhook:till', text: 'Pay?' } });
  const { conversationId, question } = asked.data;
  await sends({ id: '2', conversationId, askId: question.askId, choice: 'yes' });
  await expect
    .poll(() => posted.map(({ body }) => (JSON.parse(body) as { type: string }).type))
    .toContain('question.settled');
  const settled = posted.map(({ body }) => JSON.parse(body)).find(({ type }) => type === 'question.settled');
  expect(settled.data.question).toMatchObject({ status: 'answered' });
  expect(settled.data.question.shape).toBeUndefined();
});

test('a redirect and an error are failures that are tried again under the same id, and 410 is the end', async () => {
  const answers = [{ status: 302, location: 'http://127.0.0.1:1/' }, { status: 500 }, { status: 410 }];
  const { posted, url } = await receiver(() => answers.shift() ?? { status: 200 });
  const { sends, registry, clock } = await opened({ callbacks: { till: { url, secret, allowPrivate: true } } });
  const failures: string[] = [];
  registry.on('deliveryFailed', ({ failure }) => failures.push(failure.message));
  const over = new Promise((done) => registry.on('undeliverable', done));
  await sends({ id: '1', sessionId: 's', text: 'pay' });
  for (const count of [1, 2, 3]) {
    await expect.poll(() => failures.length).toBe(count);
    await settle();
    await clock.advance(60_000);
  }
  await over;
  expect(failures[0]).toMatch(/answered with 302. Redirects are not followed/);
  expect(failures[2]).toMatch(/answered with 410/);
  expect(new Set(posted.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect(failures.join()).not.toContain(secret);
});

test('only addresses of the public internet are public', () => {
  const isPrivate = [
    ...['127.0.0.1', '10.1.2.3', '172.31.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1', '0.0.0.0', '224.0.0.1'],
    ...['255.255.255.255', '198.18.0.1', '::1', '::', 'fe80::1', 'fc00::1', 'fd12::1', 'ff02::1', '::ffff:8.8.8.8'],
    ...[
      '::ffff:127.0.0.1',
      '64:ff9b::8.8.8.8',
      '64:ff9b::7f00:1',
      '64:ff9b:1::1',
      '2002:7f00:1::',
      '2001::1',
      '::7f00:1',
    ],
    ...['2001:db8::1', 'fe80::1%eth0', 'example.com', ''],
  ];
  expect(isPrivate.filter(isPublicAddress)).toEqual([]);
  expect(
    ['8.8.8.8', '100.128.0.1', '172.32.0.1', '2606:4700::1111', '2a00:1450::1'].filter(
      (each) => !isPublicAddress(each),
    ),
  ).toEqual([]);
});

test('a name that resolves to a private address is refused, and is resolved once: the connection goes to what was checked', async () => {
  const { posted, url } = await receiver();
  const { signal } = new AbortController();
  const target = (host: string) => new URL(url.replace('127.0.0.1', host));
  const resolved: string[] = [];
  const resolve = async (host: string) => {
    resolved.push(host);
    return [{ address: resolved.length > 1 ? '192.0.2.1' : '127.0.0.1', family: 4 }];
  };
  const options = { clock: systemClock, limit: 5_000, signal, resolve };
  expect(await post({ url: target('hook.example'), allowPrivate: true }, '{}', {}, options)).toBe(204);
  expect([posted.length, resolved]).toEqual([1, ['hook.example']]);
  const closed = { url: new URL('https://hook.example/'), allowPrivate: false };
  const mixed = async () => [
    { address: '8.8.8.8', family: 4 },
    { address: '::ffff:10.0.0.1', family: 6 },
  ];
  await expect(post(closed, '{}', {}, { ...options, resolve: mixed })).rejects.toThrow(/not public/);
  const open = async () => [{ address: '8.8.8.8', family: 4 }];
  const http = { url: new URL('http://hook.example/'), allowPrivate: true };
  await expect(post(http, '{}', {}, { ...options, resolve: open })).rejects.toThrow(/Use https/);
  const callbacks = (at: string) => () => new WebhookChannel({ secret, callbacks: { till: { url: at, secret } } });
  expect(callbacks('http://example.com/')).toThrow('callbacks.till.url must be https and public');
  for (const at of ['https://127.0.0.1/', 'https://0x7f.1/', 'https://[::1]/', 'https://2130706433/'])
    expect(callbacks(at)).toThrow('must be https and public');
  expect(callbacks('https://a:b@example.com/')).toThrow('without a user and a password');
});

test('a callback is delivered when its status is there, though the response never ends', async () => {
  const server = createServer((_, response) => {
    response.writeHead(200).write('ok');
  });
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  ends.push(() => new Promise((done) => server.close(done)));
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const { signal } = new AbortController();
  const limit = 2_000;
  expect(await post({ url, allowPrivate: true }, '{}', {}, { clock: systemClock, limit, signal })).toBe(200);
});

test('a receiver that does not answer ends the try when its time is over', async () => {
  const clock = new FakeClock();
  const { signal } = new AbortController();
  const resolve = () => new Promise<never>(() => {});
  const posting = post(
    { url: new URL('https://hook.example/'), allowPrivate: false },
    '{}',
    {},
    { clock, limit: 10_000, signal, resolve },
  );
  const failed = expect(posting).rejects.toThrow('no response within 10000 ms');
  await clock.advance(10_000);
  await failed;
});
