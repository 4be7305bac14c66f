/**
 * An MCP server: any MCP client can ask you something, in its own window or, if it cannot show questions, in a terminal.
 * Your client starts it and talks to it over stdin and stdout. In a project of your own: npm install @modelcontextprotocol/server tsx
 *   { "mcpServers": { "askback": { "command": "npx", "args": ["tsx", "mcp-server.ts"], "env": { "PORT": "4711" } } } }
 * is for the client's configuration, with the whole path of the file. In a clone: npm run build && npm run build:examples
 *   { "mcpServers": { "askback": { "command": "node", "args": ["dist-examples/mcp-server.js"], "env": { "PORT": "4711" } } } }
 * With a PORT there is a terminal for clients that show no questions. Sit down at it with:
 *   nc 127.0.0.1 4711
 * With DATABASE=asks.db what is asked survives a restart; then SECRET, 32 characters or more, lets a client come back to it.
 */
import { type AddressInfo, createServer } from 'node:net';
import { PassThrough } from 'node:stream';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { AgentRegistry, MemoryStore, TerminalChannel } from 'askback';
import { SqliteStore } from 'askback/stores/sqlite';
import { McpChannel, mcpServer } from 'askback/tools/mcp';

const { PORT, DATABASE, SECRET } = process.env;

// stdin and stdout belong to MCP, so the terminal is at the other end of a socket
const lines = { input: new PassThrough(), output: new PassThrough() };
const sockets = createServer((socket) => {
  socket.on('error', () => socket.destroy());
  socket.pipe(lines.input, { end: false });
  lines.output.pipe(socket);
});
sockets.on('error', (error) => console.error(`No terminal: ${error.message}`));
if (PORT !== undefined)
  sockets.listen(Number(PORT), '127.0.0.1', () => {
    console.error(`Terminal on 127.0.0.1:${(sockets.address() as AddressInfo).port}`);
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
  lines.output.end();
  sockets.close();
}
process.stdin.once('end', () => void stop()); // the client has gone
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop());
