/** Drivers that play the platforms of our channels, for the channel contract. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough, type Writable } from 'node:stream';
import { shownChoices } from '../../src/channels/plain.js';
import { ScheduledChannel } from '../../src/channels/scheduled.js';
import { TerminalChannel } from '../../src/channels/terminal.js';
import { signVisitor, WebChannel } from '../../src/channels/web/index.js';
import {
  signWebhook,
  WebhookChannel,
  type WebhookOptions,
  type WebhookOutput,
  type WebhookQuestion,
} from '../../src/channels/webhook/index.js';
import type { ChannelDriver, ChannelWorld, SeenMessage } from '../../src/testing/index.js';
import { settle } from '../support/engine.js';

/** A person who pipes lines into a terminal. */
export async function terminalDriver({ clock }: ChannelWorld): Promise<ChannelDriver> {
  const input = new PassThrough();
  const printed: string[] = [];
  let isFailing = false;
  const output = {
    write(text: string, done: (error?: Error) => void) {
      if (isFailing) return done(new Error('The terminal is gone.'));
      printed.push(text);
      done();
    },
    on: () => {},
    off: () => {},
  } as unknown as Writable; // all that the channel uses of it
  const channel = new TerminalChannel({ input, output, clock, participant: { id: 'terminal:ann' } });
  return {
    channel,
    participantId: 'terminal:ann',
    address: null,
    secrets: [],
    async says({ text }) {
      const refused = printed.length;
      if (input.isPaused()) return 'refused';
      input.write(`${text}\n`);
      await settle();
      return printed.slice(refused).some((line) => line.startsWith('Not received')) ? 'refused' : 'received';
    },
    seen: () => printed.map((text) => ({ text, controls: [] })),
    wire: () => printed.join(''),
    fails(isOn) {
      isFailing = isOn;
    },
  };
}

/** A schedule whose runs say hello. */
export async function scheduledDriver({ clock }: ChannelWorld): Promise<ChannelDriver> {
  const scheduled = new ScheduledChannel({ jobs: [{ name: 'hello', cron: '* * * * *', message: 'Hello' }], clock });
  const runs: Promise<unknown>[] = [];
  return {
    channel: {
      name: scheduled.name,
      isTriggerChannel: true,
      start: (desk) =>
        scheduled.start({
          receive: (message) => {
            const taking = desk.receive(message);
            runs.push(taking);
            return taking;
          },
        }),
      send: (message) => scheduled.send(message),
      stop: () => scheduled.stop(),
    },
    participantId: undefined,
    secrets: [],
    async says() {
      const before = runs.length;
      await clock.advance(60_000, settle);
      const isTaken = await runs[before]?.then(
        () => true,
        () => false,
      );
      return isTaken ? 'received' : 'refused';
    },
    seen: () => [],
    wire: () => '',
  };
}

const secret = `whsec_${Buffer.from('a webhook secret of thirty-two bytes').toString('base64')}`;
const address = 'https://example.com/webhook';

/** What a program draws of an output. */
function drawn({ key, text, question }: WebhookOutput): SeenMessage {
  const choices = question?.shape?.type === 'choices' ? shownChoices(question.shape) : [];
  const details = Object.entries(question?.details ?? {}).map(([name, value]) => `${name}: ${value}`);
  return { key, text: [text, ...details].join('\n'), controls: choices.map(({ label }) => label) };
}

interface Poster {
  post(body: unknown, more?: { readonly raw?: string; readonly headers?: Record<string, string> }): Promise<Response>;
}

/** What a person does through a program that posts for them. */
function acting(poster: Poster, shown: () => readonly WebhookOutput[] | Promise<readonly WebhookOutput[]>) {
  const told = async (response: Promise<Response>) =>
    (await response).ok ? ('received' as const) : ('refused' as const);
  const open = async () => (await shown()).flatMap(({ question }) => (question?.shape === undefined ? [] : [question]));
  const session = { sessionId: 's1' };
  return {
    says: ({ id, text }: { id: string; text: string }) => told(poster.post({ id, text, ...session })),
    poses: ({ id, text }: { id: string; text: string }, participant: string) =>
      told(poster.post({ id, text, participant: { id: participant }, ...session })),
    async presses(label: string, id: string) {
      for (const { askId, shape } of (await open()).reverse()) {
        const choice =
          shape?.type === 'choices' ? shownChoices(shape).find((each) => each.label === label)?.id : undefined;
        if (choice !== undefined) return told(poster.post({ id, askId, choice, ...session }));
      }
      return 'refused' as const;
    },
    quotes: async ({ id, text }: { id: string; text: string }) =>
      told(poster.post({ id, text, askId: (await open()).at(-1)?.askId, ...session })),
    garbage: () =>
      Promise.all([
        told(poster.post(null, { raw: '{"id":' })),
        told(poster.post(null, { raw: '\xff' })),
        told(poster.post({ id: 1, text: 'x', ...session })),
        told(poster.post({ id: '1', text: ['x'], ...session })),
        told(poster.post({ id: '1', text: 'x' })),
        told(poster.post({ text: 'x', ...session })),
        told(poster.post({ id: '1', text: 'x', txet: 'y', ...session })),
        told(poster.post({ id: '1', text: 'x', ...session }, { headers: { 'content-type': 'text/plain' } })),
        told(poster.post({ id: '1', text: 'x', ...session }, { headers: { authorization: 'Bearer wrong' } })),
      ]),
  };
}

function webhook(options: Partial<WebhookOptions>) {
  const channel = new WebhookChannel({
    authenticate: ({ headers }) =>
      headers.get('authorization') === 'Bearer tok_4711' ? { participant: { id: 'shop:ann' } } : undefined,
    ...options,
  });
  const wire: string[] = [];
  const send = async (request: Request) => {
    const response = await channel.fetch(request);
    wire.push(await response.clone().text());
    return response;
  };
  const headers = { authorization: 'Bearer tok_4711', 'content-type': 'application/json' };
  return { channel, wire, send, headers };
}

/** A program that posts messages for a person and fetches what was said. */
export async function webhookDriver({ clock }: ChannelWorld): Promise<ChannelDriver> {
  const { channel, wire, send, headers } = webhook({ clock });
  const poster: Poster = {
    post: (body, { raw = JSON.stringify(body), headers: more = {} } = {}) =>
      send(new Request(address, { method: 'POST', body: raw, headers: { ...headers, ...more } })),
  };
  const outputs = async (): Promise<readonly WebhookOutput[]> => {
    const response = await send(new Request(`${address}/outputs?sessionId=s1`, { headers }));
    return ((await response.json()) as { outputs: WebhookOutput[] }).outputs;
  };
  return {
    channel,
    participantId: 'shop:ann',
    address: { conversationId: 'webhook:shop%3Aann/s1' },
    secrets: ['tok_4711'],
    ...acting(poster, outputs),
    seen: async () => (await outputs()).map(drawn),
    wire: () => wire.join('\n'),
  };
}

/** A program that posts messages for a person, and gets what was said by callback. */
export async function callbackDriver({ clock }: ChannelWorld): Promise<ChannelDriver> {
  const shown: WebhookOutput[] = [];
  let isFailing = false;
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      if (isFailing) return response.writeHead(500).end();
      wire.push(body);
      const { type, data } = JSON.parse(body) as { type: string; data: WebhookOutput };
      if (type !== 'question.settled') shown.push(data);
      for (const [i, each] of shown.entries())
        if (each.question?.askId === data.question?.askId && data.question?.status !== 'pending')
          shown[i] = { ...each, ...definedQuestion(data) };
      return response.writeHead(204).end();
    });
  });
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/in?key=in-the-url`;
  const { channel, wire, send, headers } = webhook({ clock, callbacks: { ann: { url, secret, allowPrivate: true } } });
  const poster: Poster = {
    post: (body, { raw, headers: more = {} } = {}) => {
      const text = raw ?? JSON.stringify({ callback: 'ann', ...(body as object) });
      return send(new Request(address, { method: 'POST', body: text, headers: { ...headers, ...more } }));
    },
  };
  return {
    channel,
    participantId: 'shop:ann',
    address: { callback: 'ann', conversationId: 'webhook:shop%3Aann/s1' },
    secrets: ['tok_4711', secret, 'in-the-url', signWebhook(secret, { id: '1', body: '' })['webhook-signature']],
    ...acting(poster, () => shown),
    seen: () => shown.map(drawn),
    wire: () => wire.join('\n'),
    fails(isOn) {
      isFailing = isOn;
    },
    close: () =>
      new Promise<void>((done) => {
        server.close(() => done());
      }),
  };
}

function definedQuestion({ question }: WebhookOutput): Pick<WebhookOutput, 'question'> {
  return question === undefined ? {} : { question };
}

interface ChatItem {
  readonly type: 'in' | 'out' | 'decided';
  readonly key?: string;
  readonly text?: string;
  readonly askId?: string;
  readonly ask?: {
    readonly id: string;
    readonly status: string;
    readonly shape: WebhookQuestion['shape'];
    readonly details?: readonly (readonly string[])[];
  };
}

/** A visitor of a page with the chat, which reads the conversation anew for each look. */
export async function webDriver({ clock }: ChannelWorld): Promise<ChannelDriver> {
  const signing = 'a secret of at least 32 characters';
  const origin = 'https://shop.example';
  const channel = new WebChannel({ origins: [origin], secret: signing, clock });
  const token = signVisitor(signing, { id: 'ann' }, { clock });
  const wire: string[] = [];
  const call = async (init: RequestInit = {}, headers: Record<string, string> = {}) => {
    const own = { origin, authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const url = 'https://chat.example/channels/web/messages';
    const response = await channel.fetch(new Request(url, { ...init, headers: { ...own, ...headers } }));
    wire.push(await response.clone().text());
    return response;
  };
  const poster: Poster = {
    post: (body, { raw, headers } = {}) => {
      const { sessionId: _, ...fields } = (body ?? {}) as Record<string, unknown>; // the visitor is the session
      return call({ method: 'POST', body: raw ?? JSON.stringify(fields) }, headers);
    },
  };
  const items = async (): Promise<readonly ChatItem[]> =>
    ((await (await call()).json()) as { items: readonly ChatItem[] }).items;
  const outputs = async (): Promise<readonly WebhookOutput[]> =>
    (await items()).flatMap(({ type, key = '', text = '', ask }) => {
      if (type !== 'out') return [];
      const details = ask?.details && { details: Object.fromEntries(ask.details) as Record<string, string> };
      const shape = ask?.status === 'pending' && ask.shape !== undefined ? { shape: ask.shape } : {};
      return [
        { key, text, ...(ask && { question: { askId: ask.id, status: ask.status, kind: '', ...details, ...shape } }) },
      ];
    });
  const { garbage: _, ...person } = acting(poster, outputs);
  return {
    channel,
    participantId: 'web:ann',
    address: 'ann',
    secrets: [signing, token],
    ...person,
    garbage: () =>
      Promise.all(
        [
          poster.post(null, { raw: '{"id":' }),
          poster.post({ id: 1, text: 'x' }),
          poster.post({ id: '1', text: ['x'] }),
          poster.post({ text: 'x' }),
          poster.post({ id: '1', text: 'x', txet: 'y' }),
          poster.post({ id: '1', text: 'x' }, { headers: { 'content-type': 'text/plain' } }),
          poster.post({ id: '1', text: 'x' }, { headers: { authorization: 'Bearer wrong' } }),
          poster.post({ id: '1', text: 'x' }, { headers: { origin: 'https://evil.example' } }),
        ].map(async (response) => ((await response).ok ? ('received' as const) : ('refused' as const))),
      ),
    seen: async () => (await outputs()).map(drawn),
    wire: () => wire.join('\n'),
  };
}
