/**
 * The web chat over its fetch handler, in memory: who may come, what is recorded once, what a stream replays on any replica, what is refused.
 */
import { Script } from 'node:vm';
import { gunzipSync } from 'node:zlib';
import { expect, onTestFinished, test, vi } from 'vitest';
import { signVisitor, WebChannel, type WebChannelOptions } from '../../../src/channels/web/index.js';
import { AgentRegistry, agent, choice, confirm, form, MemoryStore, number, text } from '../../../src/index.js';
import { FakeClock } from '../../../src/testing/index.js';
import { settle } from '../../support/engine.js';

const site = 'https://shop.example';
const secret = 'a secret of at least 32 characters';

function shop() {
  const shop = agent('shop');
  const size = shop.question('size', choice('Which size?', ['S', 'L']), { onAnswer: (id) => `Size ${id}.` });
  const boss = shop.question('boss', confirm('Pay?'), { answerableBy: { roles: ['boss'] }, onAnswer: () => 'Paid.' });
  const order = shop.question('order', form('Your order', { what: text('What?'), amount: number('How many?') }), {
    details: { Shop: 'Berlin' },
    onAnswer: ({ what, amount }) => `${amount} × ${what}`,
  });
  const arrived = shop.question('arrived', confirm('Did it arrive?'), { onAnswer: () => 'Good.' });
  return shop.onMessage(({ message, ask, progress }) => {
    if (message === 'arrived') return ask(arrived, { via: { channel: 'web', to: { id: '4711', tenant: 'north' } } });
    if (message === 'size') return ask(size);
    if (message === 'boss') return ask(boss);
    if (message === 'order') return ask(order);
    if (message === 'slow') progress('Looking…');
    return `You said ${message}`;
  });
}

interface Batch {
  readonly items: readonly { type: string; text?: string; askId?: string; ask?: Record<string, unknown> }[];
  readonly cursor: string;
  readonly gap?: true;
}

async function chat(more: Partial<WebChannelOptions> = {}, replicas = 1) {
  const clock = new FakeClock();
  const store = new MemoryStore({ clock });
  const registries: AgentRegistry[] = [];
  const channels: WebChannel[] = [];
  for (let i = 0; i < replicas; i += 1) {
    const web = new WebChannel({ origins: [site], secret, clock, ...more });
    const registry = new AgentRegistry({ agents: [shop()], channels: [web], store, clock });
    await registry.start();
    registries.push(registry);
    channels.push(web);
  }
  const [web] = channels as [WebChannel];
  let messages = 0;
  const call = (path: string, init: RequestInit & { token?: string; at?: WebChannel } = {}): Promise<Response> => {
    const { token, at = web, headers, ...rest } = init;
    const own = { origin: site, ...(token ? { authorization: `Bearer ${token}` } : {}) };
    return at.fetch(
      new Request(`https://chat.example/inbox/channels/web/${path}`, { headers: { ...own, ...headers }, ...rest }),
    );
  };
  const post = (path: string, body: unknown, init: Parameters<typeof call>[1] = {}) => {
    const headers = { 'content-type': 'application/json', ...init.headers };
    return call(path, { method: 'POST', body: JSON.stringify(body), ...init, headers });
  };
  const visitor = async (): Promise<string> =>
    ((await (await post('visitors', {})).json()) as { visitor: string }).visitor;
  const says = async (token: string, words: string, fields: object = {}, at = web) => {
    messages += 1;
    const response = await post('messages', { id: `m${messages}`, text: words, ...fields }, { token, at });
    await settle();
    return response;
  };
  const read = async (token: string, after?: string, at = web): Promise<Batch> =>
    (await call(`messages${after === undefined ? '' : `?after=${after}`}`, { token, at })).json() as Promise<Batch>;
  return {
    clock,
    registries,
    channels,
    web,
    call,
    post,
    visitor,
    says,
    read,
    advance: (ms: number) => clock.advance(ms, settle),
  };
}

const texts = ({ items }: Batch): (string | undefined)[] => items.map((item) => item.text ?? item.type);
const problemOf = async (response: Response) => {
  const { error } = (await response.json()) as { error: { code: string; message: string } };
  return [response.status, error.code, error.message] as const;
};

/** The events of a stream, as they come. */
function eventsOf(response: Response) {
  const reader = (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
  return {
    next: async (): Promise<string> => {
      const { done, value } = await reader.read();
      return done ? '(end)' : (value as string);
    },
    batch: async (): Promise<Batch> => {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) throw new Error('The stream has ended.');
        const data = /^id: .*\ndata: (.*)$/m.exec(value as string)?.[1];
        if (data !== undefined) return JSON.parse(data) as Batch;
      }
    },
    leave: () => reader.cancel(),
  };
}

test('a new visitor writes, and reads what came of it; another visitor reads nothing of it', async () => {
  const { visitor, says, read } = await chat();
  const [ann, ben] = [await visitor(), await visitor()];
  expect((await says(ann, 'hello')).status).toBe(202);
  expect(texts(await read(ann))).toEqual(['hello', 'You said hello']);
  expect(texts(await read(ben))).toEqual([]);
});

test('the same message sent again is recorded once', async () => {
  const { visitor, post, read } = await chat();
  const token = await visitor();
  const send = async () => (await (await post('messages', { id: 'a', text: 'hello' }, { token })).json()) as object;
  expect([await send(), await send()]).toEqual([{ status: 'recorded' }, { status: 'repeat' }]);
  await settle();
  expect(texts(await read(token))).toEqual(['hello', 'You said hello']);
});

test('what a page could not send for a while answers nothing that was asked meanwhile', async () => {
  const { visitor, says, read, advance } = await chat();
  const token = await visitor();
  await advance(10_000);
  await says(token, 'size');
  await says(token, 'L', { age: 5_000 });
  expect(texts(await read(token)).slice(-1)).toEqual(['You said L']);
  await advance(10_000);
  await says(token, 'L', { age: 5_000 });
  expect(texts(await read(token)).at(-1)).toBe('Size L.');
});

test('a stream replays from a cursor on another replica, and shows a question that was settled meanwhile as settled', async () => {
  const { visitor, says, call, channels } = await chat({}, 2);
  const [here, there] = channels as [WebChannel, WebChannel];
  const token = await visitor();
  const stream = eventsOf(await call('stream', { token, at: here }));
  await says(token, 'size', {}, here);
  const asked = await stream.batch();
  const ask = asked.items[1]?.ask as { id: string };
  expect(ask).toMatchObject({ status: 'pending', mine: true, shape: { type: 'choices' } });
  await stream.leave();
  await says(token, '', { askId: ask.id, choice: 'L' }, there);
  const again = eventsOf(await call(`stream?after=${asked.cursor}`, { token, at: there }));
  expect((await again.batch()).items).toMatchObject([
    { type: 'decided', askId: ask.id, status: 'answered', answer: 'L' },
    { type: 'in', control: true },
    { text: 'Size L.' },
  ]);
  const anew = eventsOf(await call('stream', { token, at: here }));
  expect((await anew.batch()).items[1]?.ask).toMatchObject({ id: ask.id, status: 'answered', answer: 'L' });
  const rest = anew.batch();
  await says(token, 'more', {}, there);
  expect(texts(await rest)).toEqual(['more', 'You said more']); // at once: no time has passed
});

test('what progress() says is in the stream and not in the conversation; a quiet stream gives signs of life', async () => {
  const { visitor, says, call, read, advance } = await chat();
  const token = await visitor();
  const response = await call('stream', { token });
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
    'access-control-allow-origin': site,
  });
  const stream = eventsOf(response);
  expect(await stream.next()).toBe(': open\n\n');
  const progress = stream.next();
  await says(token, 'slow');
  expect(await progress).toBe('event: progress\ndata: {"text":"Looking…"}\n\n');
  expect(texts(await stream.batch())).toEqual(['slow', 'You said slow']);
  const quiet = stream.next();
  await settle();
  await advance(15_000);
  expect(await quiet).toBe(': still here\n\n');
  expect(texts(await read(token))).toEqual(['slow', 'You said slow']);
});

test('a form is answered by its values, and a question for somebody else is not theirs', async () => {
  const { visitor, says, read } = await chat();
  const token = await visitor();
  await says(token, 'order');
  const ask = (await read(token)).items[1]?.ask as { id: string };
  expect(ask).toMatchObject({ details: [['Shop', 'Berlin']], shape: { type: 'fields' } });
  await says(token, '', { askId: ask.id, value: { what: 'Tea', amount: 2 } });
  expect(texts(await read(token))).toContain('2 × Tea');
  await says(token, 'boss');
  expect((await read(token)).items.at(-1)?.ask).not.toHaveProperty('mine');
});

test('a visitor signed by the backend has its name, roles and tenant, one conversation on all devices, and an end', async () => {
  const { says, read, clock, registries, call, advance } = await chat();
  const sign = (tenant: string, roles: string[] = []) =>
    signVisitor(secret, { id: '4711', name: 'Anna', tenant, roles }, { expiresIn: 60_000, clock });
  await says(sign('one'), 'boss');
  expect(texts(await read(sign('one')))).toEqual(['boss', 'Pay?']);
  expect(texts(await read(sign('two')))).toEqual([]);
  expect((await read(sign('one', ['boss']))).items[1]?.ask).toMatchObject({ mine: true });
  const [ask] = (await registries[0]?.listAsks())?.asks ?? [];
  expect(ask).toMatchObject({ conversationId: 'web:one/4711', asker: { id: 'web:one/4711', tenant: 'one' } });
  const token = sign('one');
  const stream = eventsOf(await call('stream', { token }));
  await stream.next();
  await stream.batch();
  const end = stream.next();
  await advance(60_000);
  expect(await end).toMatch(/still here|end/);
  expect(await problemOf(await call('messages', { token }))).toMatchObject([401, 'unauthenticated', /time is over/]);
});

test('one visitor may have several conversations, and none of somebody else', async () => {
  const { visitor, post, call, read } = await chat();
  const token = await visitor();
  await post('messages?conversation=order-7', { id: 'a', text: 'about seven' }, { token });
  await settle();
  expect(texts(await read(token))).toEqual([]);
  const seven = (await (await call('messages?conversation=order-7', { token })).json()) as Batch;
  expect(texts(seven)).toEqual(['about seven', 'You said about seven']);
  expect(await problemOf(await call('messages?conversation=../x', { token }))).toMatchObject([
    400,
    'bad-message',
    /conversation must have/,
  ]);
  const cursor = await problemOf(await call(`stream?after=${seven.cursor}`, { token }));
  expect(cursor).toMatchObject([400, 'bad-option', /another conversation/]);
});

test('of the origins that are refused the first is told to the operator: a page at 127.0.0.1 that is listed as localhost', async () => {
  const { call } = await chat();
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  onTestFinished(() => warned.mockRestore());
  for (const origin of ['http://127.0.0.1:3000', 'https://evil.example'])
    expect((await call('', { headers: { origin } })).status).toBe(403);
  expect(warned.mock.calls).toEqual([
    [
      'The channel "web": a request was refused. The origin "http://127.0.0.1:3000" is not among the origins of the channel. If a page of yours has it, add it to origins, as the address bar shows it',
      'AskbackWarning',
    ],
  ]);
});

test('origins that are not listed are refused without CORS headers, for simple requests too', async () => {
  const { visitor, call, post } = await chat();
  const token = await visitor();
  const foreign = { origin: 'https://evil.example' };
  for (const response of [
    await call('messages', { token, headers: foreign }),
    await post('messages', { id: 'x', text: 'x' }, { token, headers: foreign }),
    await post('visitors', {}, { headers: foreign }),
    await call('stream', { token, headers: foreign }),
    await call('messages', { method: 'OPTIONS', headers: foreign }),
    await call('messages', { token, headers: { origin: 'null' } }),
  ]) {
    expect(response.status).toBe(403);
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  }
  const preflight = await call('messages', { method: 'OPTIONS' });
  expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, site]);
  expect(preflight.headers.get('access-control-allow-headers')).toBe('authorization, content-type');
});

const tampered = (token: string) => `${token.slice(0, -2)}${token.endsWith('AA') ? 'BB' : 'AA'}`;

test('a token that is missing, changed, of another secret or of no visitor is refused', async () => {
  const { visitor, call } = await chat();
  const token = await visitor();
  const others = [
    signVisitor('another secret of at least 32 chars', { id: '1' }),
    tampered(token),
    'x',
    'x.y',
    'x.y.z',
    'a'.repeat(9_000),
  ];
  for (const each of [undefined, ...others]) {
    const response = await call('messages', each === undefined ? {} : { token: each });
    expect(await problemOf(response)).toMatchObject([401, 'unauthenticated', /visitor is missing/]);
  }
  const { call: strict, post } = await chat({
    anonymous: false,
    secret: ['a new secret of at least 32 characters', secret],
  });
  expect((await post('visitors', {})).status).toBe(403);
  expect(
    (await strict('messages', { token: signVisitor(secret, { id: '1' }, { clock: new FakeClock() }) })).status,
  ).toBe(200);
});

test('a token of the channel counts in the channel that issued it, and only while that issues any', async () => {
  const { visitor, clock } = await chat();
  const issued = await visitor();
  const signed = signVisitor(secret, { id: '1' }, { clock });
  const status = async (more: Partial<WebChannelOptions>, token: string) =>
    (await (await chat({ ...more, clock })).call('messages', { token })).status;
  expect(await status({}, issued)).toBe(200);
  expect(await status({ anonymous: false }, issued)).toBe(401);
  expect(await status({ anonymous: false }, signed)).toBe(200);
  for (const token of [issued, signed]) expect(await status({ name: 'help' }, token)).toBe(401);
  expect(await status({ name: 'help' }, signVisitor(secret, { id: '1' }, { clock, channel: 'help' }))).toBe(200);
});

test('a token of the channel ends after visitorLifetime, unless it is used: then a new one of the same visitor comes with the answer', async () => {
  const { visitor, call, advance } = await chat({ visitorLifetime: 10 * 60_000 });
  const idIn = (token: string) => (JSON.parse(Buffer.from(token, 'base64url').toString()) as { id: string }).id;
  const token = await visitor();
  const early = await call('messages', { token });
  expect([early.status, early.headers.get('askback-visitor')]).toEqual([200, null]);
  await advance(6 * 60_000); // more than half of it
  const late = await call('messages', { token });
  const renewed = late.headers.get('askback-visitor') ?? '';
  expect(late.headers.get('access-control-expose-headers')).toBe('askback-visitor');
  expect(idIn(renewed.split('.')[0] ?? '')).toBe(idIn(token.split('.')[0] ?? ''));
  await advance(5 * 60_000);
  expect((await call('messages', { token })).status).toBe(401);
  expect((await call('messages', { token: renewed })).status).toBe(200);
});

test('a running stream ends at half of the life of its token: the page comes again, gets a new one, and misses nothing', async () => {
  const { visitor, call, says, advance } = await chat({ visitorLifetime: 10 * 60_000 });
  const minute = 60_000;
  /** Opens a stream, says something, and reads to the end of the stream; gives the minutes until then, and what was read. */
  const streamed = async (token: string, words: string, after?: string) => {
    const response = await call(`stream${after === undefined ? '' : `?after=${after}`}`, { token });
    const stream = eventsOf(response);
    await says(token, words);
    const batch = await stream.batch();
    let last: string | undefined;
    const ends = (async () => {
      do last = await stream.next();
      while (last !== '(end)');
    })();
    let minutes = 0;
    for (; last !== '(end)' && minutes < 20; minutes += 1) await advance(minute);
    await ends;
    return { renewed: response.headers.get('askback-visitor'), minutes, batch };
  };
  const first = await visitor();
  const fresh = await streamed(first, 'one');
  expect([fresh.renewed, fresh.minutes, texts(fresh.batch)]).toEqual([null, 5, ['one', 'You said one']]);
  const again = await streamed(first, 'two', fresh.batch.cursor); // in its second half: to its end, with a new token for what comes then
  expect([typeof again.renewed, again.minutes, texts(again.batch)]).toEqual(['string', 5, ['two', 'You said two']]);
  expect((await call('stream', { token: first })).status).toBe(401);
  const renewed = await streamed(again.renewed ?? '', 'three', again.batch.cursor);
  expect([typeof renewed.renewed, renewed.minutes, texts(renewed.batch)]).toEqual([
    'string',
    5,
    ['three', 'You said three'],
  ]);
});

test('a running stream of a visitor whom a backend signed lasts as long as the token, and no token comes with it', async () => {
  const { clock, call, advance } = await chat({ visitorLifetime: 10 * 60_000 });
  const response = await call('stream', { token: signVisitor(secret, { id: '1' }, { clock, expiresIn: 30 * 60_000 }) });
  const stream = eventsOf(response);
  let last: string | undefined;
  const ends = (async () => {
    do last = await stream.next();
    while (last !== '(end)');
  })();
  await advance(29 * 60_000);
  expect([last, response.headers.get('askback-visitor')]).toEqual([expect.stringContaining('still here'), null]);
  await advance(60_000);
  await ends;
});

test('bad input gets a clear error as JSON and records nothing', async () => {
  const { visitor, call, post, read } = await chat();
  const token = await visitor();
  const bad = (body: unknown) => post('messages', body, { token }).then(problemOf);
  const plain = await call('messages', {
    method: 'POST',
    token,
    headers: { 'content-type': 'text/plain' },
    body: '{}',
  });
  expect(await problemOf(plain)).toMatchObject([415, 'bad-message', /application\/json/]);
  expect(await bad({ id: 'a', text: 'x'.repeat(90_000) })).toMatchObject([413, 'bad-message', /longer than/]);
  expect(await bad([])).toMatchObject([400, 'bad-message', /must be an object/]);
  expect(await bad({ id: 'a', text: 'x', participant: { id: 'web:boss' } })).toMatchObject([
    400,
    'bad-message',
    /"participant" is unknown/,
  ]);
  expect(await bad({ text: 'x' })).toMatchObject([400, 'bad-message', /id must be/]);
  expect(await bad({ id: 'a', text: ' ' })).toMatchObject([400, 'bad-message', /blank/]);
  expect(await bad({ id: 'a', text: 7 })).toMatchObject([400, 'bad-message', /text must be a string/]);
  expect(await bad({ id: 'a', choice: 'L' })).toMatchObject([400, 'bad-message', /askId/]);
  expect(await bad({ id: 'a', askId: 'b', choice: 7 })).toMatchObject([400, 'bad-message', /choice must be/]);
  expect(await bad({ id: 'a', text: 'x', age: -1 })).toMatchObject([400, 'bad-message', /age must be 0 or/]);
  const torn = await post('messages', {}, { token, body: '{"id":' });
  expect(await problemOf(torn)).toMatchObject([400, 'bad-message', /no JSON/]);
  const doubled = await post('messages', {}, { token, body: '{"id":"a","text":"no","text":"yes"}' });
  expect(await problemOf(doubled)).toMatchObject([400, 'bad-message', /key "text" twice/]);
  expect((await call('messages', { method: 'DELETE', token })).status).toBe(405);
  expect((await call('elsewhere', { token })).status).toBe(404);
  expect(texts(await read(token))).toEqual([]);
});

test('a visitor has so many streams, a process has so many; the oldest of a visitor is ended, the rest are told to come again', async () => {
  const { visitor, call } = await chat({ maxStreamsPerVisitor: 2, maxStreams: 3 });
  const [ann, ben] = [await visitor(), await visitor()];
  const first = eventsOf(await call('stream', { token: ann }));
  await first.next();
  await call('stream', { token: ann });
  await call('stream', { token: ann });
  expect(await first.next()).toBe('event: bye\ndata: {"retry":60000}\n\n'); // coming again at once would end another
  expect(await first.next()).toBe('(end)');
  expect((await call('stream', { token: ben })).status).toBe(200);
  const full = await call('stream', { token: ben });
  expect([full.status, full.headers.get('retry-after')]).toEqual([503, '1']);
});

test('streams that are opened at the same moment are not more than there may be', async () => {
  const { call, clock } = await chat({ maxStreams: 3 });
  const open = (id: number) => call('stream', { token: signVisitor(secret, { id: `v${id}` }, { clock }) });
  const statuses = (await Promise.all([1, 2, 3, 4, 5, 6].map(open))).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(3);
});

test('a reader that takes nothing is let go, and a registry that stops ends its streams', async () => {
  const { visitor, call, says, registries, channels, advance } = await chat({ maxStreams: 2 });
  const token = await visitor();
  await call('stream', { token }); // nobody reads it
  const stream = eventsOf(await call('stream', { token }));
  await stream.next();
  expect((await call('stream', { token })).status).toBe(503);
  await says(token, 'hello');
  const rest = stream.batch();
  await advance(31_000);
  expect(texts(await rest)).toEqual(['hello', 'You said hello']);
  expect((await call('stream', { token })).status).toBe(200); // there is room again
  const reads = (async () => {
    let last = '';
    while (last !== '(end)') last = await stream.next();
    return last;
  })();
  await registries[0]?.stop();
  expect(await reads).toBe('(end)');
  expect((await call('stream', { token, at: channels[0] as WebChannel })).status).toBe(503);
});

test('options that cannot work are refused, and no error shows the secret', () => {
  const make = (options: unknown) => () => new WebChannel(options as WebChannelOptions);
  expect(make({ origins: [site], secret: 'short-secret' })).toThrow(
    /WebChannel: secret must be a string of at least 32 .* got one of 12 characters/,
  );
  expect(make({ origins: [site], secret: 'short-secret' })).not.toThrow(/short-secret/);
  expect(make({ origins: ['https://shop.example/'], secret })).toThrow(
    /a list of at least one origin .* got "https:\/\/shop.example\/"/,
  );
  expect(make({ origins: '*', secret })).toThrow(/a list of at least one origin/);
  expect(make({ origins: [], secret })).toThrow(/a list of at least one origin .* got/); // no page could use it
  expect(() => signVisitor(secret, { id: '' })).toThrow(/id must be/);
  expect(() => signVisitor(secret, { id: 'a\ud800' })).toThrow(/signVisitor\(\): id must be well-formed Unicode/);
  expect(() => signVisitor(secret, { id: 'a', tenant: '\udfff' })).toThrow(/tenant must be well-formed Unicode/);
  expect(() => signVisitor(secret, { id: 'x'.repeat(400) })).toThrow(/at most 380 characters/);
  expect(() => signVisitor(secret, { id: '4711' }, { expiresIn: 3_600 })).toThrow(
    /expiresIn must be a number of milliseconds of at least 60000 .*an hour is 60 \* 60_000.* got 3600/,
  );
});

test("a participant's id in place of a visitor's is refused: it would name a visitor whom nobody is", async () => {
  const told = (what: string) =>
    `${what} is "web:4711", the id of a participant. A visitor is named without "web:": write "4711"`;
  expect(() => signVisitor(secret, { id: 'web:4711' })).toThrow(told('signVisitor(): id'));
  expect(() => signVisitor(secret, { id: 'web:4711' }, { channel: 'help' })).not.toThrow(); // of another channel
  const { registries } = await chat();
  for (const to of ['web:4711', { id: 'web:4711', tenant: 'north' }])
    await expect(registries[0]?.ask(confirm('Still there?'), { channel: 'web', to })).rejects.toThrow(told('to'));
});

test('a question that another conversation asks a visitor arrives in the chat of that visitor', async () => {
  const { read, registries, clock } = await chat();
  await registries[0]?.ask(confirm('Still there?'), { channel: 'web', to: '4711', answerableBy: 'anyone' });
  await settle();
  const token = signVisitor(secret, { id: '4711' }, { clock });
  expect(texts(await read(token))).toEqual(['Still there?']);
});

test.each(['ask', 'via', 'askAndWait'])('a visitor answers a question that was put to them by %s', async (how) => {
  const { read, says, registries, clock } = await chat();
  const [registry] = registries as [AgentRegistry];
  const to = { id: '4711', tenant: 'north' };
  const token = signVisitor(secret, to, { clock });
  const waited =
    how === 'askAndWait' ? registry.askAndWait(confirm('Did it arrive?'), { channel: 'web', to }) : undefined;
  if (how === 'ask') await registry.ask(confirm('Did it arrive?'), { channel: 'web', to });
  if (how === 'via') await registry.handle({ id: 'h', conversationId: 'desk', text: 'arrived' });
  await settle();
  const { items, cursor } = await read(token);
  expect(items[0]).toMatchObject({ text: 'Did it arrive?', ask: { mine: true } });
  await says(token, '', { askId: items[0]?.ask?.id, choice: 'yes' });
  expect((await read(token, cursor)).items).toContainEqual(
    expect.objectContaining({ type: 'decided', status: 'answered', answer: 'Yes' }),
  );
  if (waited !== undefined) expect(await waited).toMatchObject({ status: 'answered', value: true });
});

test('the page and the script are small, and nothing in them runs what people wrote', async () => {
  const { call } = await chat();
  const served = await (await call('chat.js')).text();
  new Script(served); // it parses
  expect(served).not.toMatch(/innerHTML|insertAdjacentHTML|document\.write|eval\(/);
  const compressed = await call('chat.js', { headers: { 'accept-encoding': 'gzip, br' } });
  const bytes = Buffer.from(await compressed.arrayBuffer());
  expect([gunzipSync(bytes).toString(), compressed.headers.get('content-encoding')]).toEqual([served, 'gzip']);
  expect(bytes.length).toBeLessThan(10_000);
  const page = await call('');
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'");
  expect(await page.text()).not.toMatch(/<style|<script>|style=|onload=/);
  const bare = await call('../web');
  expect([bare.status, bare.headers.get('location')]).toEqual([308, 'web/']);
});
