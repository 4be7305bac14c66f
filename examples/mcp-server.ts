/**
 * An MCP server: any MCP client can ask you something, in its own window or, if it cannot show questions, in a terminal.
 * Your client starts it and talks to it over stdin and stdout. In a project of your own: npm install @modelcontextprotocol/server tsx
 *   { "mcpServers": { "askback": { "command": "npx", "args": ["tsx", "mcp-server.ts"], "env": { "PORT": "4711" } } } }
 * is for the client's configuration, with the whole path of the file. In a clone: npm run build && npm run build:examples
 *   { "mcpServers": { "askback": { "command": "node", "args": ["dist-examples/mcp-server.js"], "env": { "PORT": "4711" } } } }
 * With a PORT there is a terminal for clients that show no questions. Sit down at it, and send the token first:
 *   nc 127.0.0.1 4711
 * The token is TOKEN (make it long and random) or, without one, is printed on stderr, which is in your client's log.
 * With DATABASE=asks.db what is asked survives a restart; then SECRET, 32 characters or more, lets a client come back to it.
 */
import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { AgentRegistry, MemoryStore, TerminalChannel } from 'askback';
import { SqliteStore } from 'askback/stores/sqlite';
import { McpChannel, mcpServer } from 'askback/tools/mcp';

const { PORT, TOKEN, DATABASE, SECRET } = process.env;

// stdin and stdout belong to MCP, so the terminal is at the other end of a socket
const lines = { input: new PassThrough(), output: new PassThrough() };
const people = new Set<Socket>(); // those at the terminal: they have sent the token
lines.output.pause().on('data', (text) => {
  for (const person of people) person.write(text);
});

// Every user of this machine can connect to a port on loopback, and so can every page in its browsers: an HTTP request
// is lines, too. So the first line must be the token; a wrong one closes the connection.
const token = TOKEN?.trim() || randomUUID();
const digest = (text: string) => createHash('sha256').update(text).digest();
const isToken = (line: string) => timingSafeEqual(digest(line.trim()), digest(token));

async function serve(socket: Socket): Promise<void> {
  let rest = '';
  for await (const chunk of socket.setEncoding('utf8')) {
    const typed = `${rest}${chunk}`.split('\n');
    if (typed.some((line) => line.length > 64 * 1024)) return; // leaving the loop closes the connection
    rest = typed.pop() ?? '';
    for (const line of typed) {
      if (people.has(socket)) await new Promise((written) => lines.input.write(`${line}\n`, written));
      else if (!isToken(line)) return;
      else {
        people.add(socket);
        socket.write('Connected.\n');
        lines.output.resume(); // what was asked while nobody was there comes first
      }
    }
  }
}

const sockets = createServer((socket) => {
  socket.unref(); // the client keeps this process alive, not whoever is connected
  socket.on('error', () => {}); // a reset: without a listener it would end the process
  socket.on('close', () => {
    people.delete(socket);
    if (people.size === 0) lines.output.pause();
  });
  serve(socket).catch(() => socket.destroy());
});
sockets.on('error', (error) => console.error(`No terminal: ${error.message}`));
if (PORT !== undefined)
  sockets.listen(Number(PORT), '127.0.0.1', () => {
    const { port } = sockets.address() as AddressInfo;
    console.error(`Terminal on 127.0.0.1:${port}${TOKEN?.trim() ? '' : `, token ${token}`}`);
  });

const forms = new McpChannel();
const registry = new AgentRegistry({
  channels: PORT === undefined ? [forms] : [forms, new TerminalChannel(lines)],
  store: DATABASE === undefined ? new MemoryStore() : new SqliteStore({ path: DATABASE }),
});

const serving = serveStdio(
  () =>
    mcpServer(registry, {
      participant: { id: 'mcp:me', name: 'Me' },
      forms,
      ...(PORT === undefined ? {} : { channel: 'terminal' }),
      ...(SECRET === undefined ? {} : { secret: SECRET }),
    }),
  { onerror: (error) => console.error(error.message) }, // a client shows no more than "internal error"
);

async function stop(): Promise<void> {
  await serving.close();
  await registry.stop();
  sockets.close();
}
process.stdin.once('end', () => void stop()); // the client has gone
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop());
