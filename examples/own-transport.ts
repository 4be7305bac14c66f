/**
 * A transport of your own: a chat over plain HTTP, with nothing to push. The page posts what is typed, fetches what was said, and
 * keeps one cursor. Start it, then talk to it from a second terminal:
 *   PORT=4712 npx tsx own-transport.ts   (from Node 22.18 on: node own-transport.ts)
 *   npm run build && npm run build:examples && PORT=4712 node dist-examples/own-transport.js   (in a clone)
 *   curl -s localhost:4712/messages -H 'authorization: Bearer anna-1' -d '{"id":"1","text":"refund please"}'
 *   curl -s localhost:4712/messages -H 'authorization: Bearer anna-1' -d '{"id":"2","text":"12345"}'
 *   curl -s 'localhost:4712/outputs?wait=1000' -H 'authorization: Bearer anna-1'
 * What it keeps is in memory, in the file DB or on the server REDIS_URL, if you name one.
 */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  AgentError,
  type AgentErrorCode,
  AgentRegistry,
  agent,
  MemoryStore,
  type OutgoingMessage,
  type Participant,
  type Store,
  text,
} from 'askback';

const support = agent('support');
const order = support.question('order', text('Which order?', { pattern: /^\d{5}$/ }), {
  details: { Where: 'at the top of your invoice' },
  onAnswer: (number) => `Refunded order ${number}.`,
});
support.onMessage(({ message, ask }) => (/refund/i.test(message) ? ask(order) : `You said ${message}.`));

const registry = new AgentRegistry({ agents: [support], store: await storeOf(process.env) });
await registry.start();

/** Who is signed in. It is never taken from the body: whoever can say who they are can answer for others. */
const sessions = new Map<string, Participant>([['anna-1', { id: 'web:anna', name: 'Anna' }]]);

const server = createServer((request, response) => {
  const reply = (status: number, body: unknown): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  const participant = sessions.get((request.headers.authorization ?? '').replace('Bearer ', ''));
  if (participant === undefined) return reply(401, { error: 'Sign in first.' });
  answered(request, participant).then(
    (body) => reply(200, body),
    (error: unknown) => reply(httpStatus(error), { error: error instanceof Error ? error.message : String(error) }),
  );
});

function httpStatus(error: unknown): number {
  const theirs: readonly AgentErrorCode[] = ['bad-message', 'bad-option']; // what the caller sent cannot work
  const later: readonly AgentErrorCode[] = ['store-unavailable', 'store-full', 'queue-full', 'stopped']; // send it again
  if (!(error instanceof AgentError)) return 500;
  return theirs.includes(error.code) ? 400 : later.includes(error.code) ? 503 : 500;
}

async function answered(request: IncomingMessage, participant: Participant): Promise<unknown> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  const conversationId = `web-${participant.id}`;
  const after = searchParams.get('after') ?? undefined;
  const since = after === undefined ? {} : { after };
  if (request.method === 'POST' && pathname === '/messages') {
    // the page makes the id: when no response came, it sends the same message again, and gets the same outputs
    const { id, text: said } = messageIn(await bodyOf(request));
    const { disposition, outputs, cursor } = await registry.handle(
      { id, conversationId, text: said, participant },
      since,
    );
    return { received: disposition.type, outputs: outputs.map(shown), cursor };
  }
  if (request.method !== 'GET' || pathname !== '/outputs') throw new AgentError('bad-message', 'No such call.');
  // whatever else is said: by a reminder, after a wait, on another channel, or while no response arrived
  const wait = Number(searchParams.get('wait') ?? 0);
  const { outputs, cursor, gap } = await registry.outputs(conversationId, { ...since, wait });
  return { outputs: outputs.map(shown), cursor, gap };
}

/** What the page draws: the key tells it what it has drawn already. */
const shown = ({ key, text: words, ask }: OutgoingMessage) => ({
  key,
  text: words,
  askId: ask?.id,
  details: ask?.details, // stands beside the question: it is not in the text
});

/** What a page sent. Whether its fields are what they must be is looked at by handle(). */
function messageIn(body: string): { id: string; text: string } {
  try {
    return Object(JSON.parse(body));
  } catch (cause) {
    throw new AgentError('bad-message', 'The body is not JSON.', { cause });
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) {
    body += chunk;
    if (body.length > 100_000) throw new AgentError('bad-message', 'The body is longer than 100 000 characters.');
  }
  return body;
}

async function storeOf({ DB, REDIS_URL }: NodeJS.ProcessEnv): Promise<Store> {
  if (REDIS_URL !== undefined) return new (await import('askback/stores/redis')).RedisStore({ url: REDIS_URL });
  if (DB !== undefined) return new (await import('askback/stores/sqlite')).SqliteStore({ path: DB });
  return new MemoryStore();
}

server.listen(Number(process.env.PORT ?? 4712), '127.0.0.1', () => {
  console.log(`Listening on 127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
  void registry.stop();
});
