/**
 * A channel of your own: JSON lines over TCP, on loopback. Start it, then talk to it from a second terminal:
 *   PORT=4711 npx tsx own-channel.ts   (from Node 22.18 on: node own-channel.ts)
 *   npm run build && npm run build:examples && PORT=4711 node dist-examples/own-channel.js   (in a clone)
 *   nc 127.0.0.1 4711
 *   {"id":"1","from":"anna","text":"deploy"}
 *   {"id":"2","from":"anna","text":"yes"}
 * Each line you send is answered with {"ok":id} once it is stored, or {"again":id} if you should send it again.
 * It has no log-in: whoever reaches the port can say that they are anna. #receive says where yours belongs.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { Channel, Desk, Json, OutgoingMessage } from 'askback';
import { AgentRegistry, agent, confirm } from 'askback';
import { shownChoices } from 'askback/channels/plain';

interface Line {
  readonly id: string;
  readonly from: string;
  readonly text?: string;
  /** A button: the question it belongs to, and the option pressed. */
  readonly askId?: string;
  readonly choice?: string;
}

const longestLine = 64 * 1024; // characters: without a limit, one endless line takes all the memory

/** Parses and draws; it decides nothing. */
class LineChannel implements Channel {
  readonly name = 'lines';
  readonly can = { buttons: true };
  readonly #port: number;
  readonly #server: Server = createServer();
  /** Who is connected now. It may be forgotten: everything that counts is in the store. */
  readonly #sockets = new Map<string, Socket>();
  /** All connections, also of those who have said nothing yet. */
  readonly #connections = new Set<Socket>();

  constructor(port: number) {
    this.#port = port;
  }

  async start(desk: Desk): Promise<void> {
    this.#server.on('connection', (socket) => {
      this.#connections.add(socket);
      socket.on('error', () => {}); // a reset: without a listener it would end the process
      socket.on('close', () => {
        this.#connections.delete(socket);
        for (const [from, its] of this.#sockets) if (its === socket) this.#sockets.delete(from);
      });
      this.#serve(socket, desk).catch(() => socket.destroy()); // it broke while it was read or written
    });
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    console.log(`Listening on 127.0.0.1:${(this.#server.address() as AddressInfo).port}`);
  }

  /** Resolves when it is handed over. If it fails, the message stays in the outbox and is tried again. */
  async send(message: OutgoingMessage): Promise<void> {
    const socket = this.#sockets.get(String(message.address));
    if (socket === undefined) throw new Error(`${String(message.address)} is not connected.`);
    const { text, shape, ask, key } = message;
    const options = shape.type === 'choices' ? { options: shownChoices(shape) } : {};
    await write(socket, { key, text, ...(ask === undefined ? {} : { askId: ask.id, ...options }) });
  }

  /** Where a reply arrives if something is sent `to` there: this makes `ask(question, { via: { channel, to } })` work. */
  conversationFor(to: Json): string {
    return `lines:${String(to)}`;
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#connections) socket.destroy(); // an open connection would keep the process alive
    await closed;
  }

  /** One line after another. What is no message ends the connection: a browser's HTTP request is lines, too. */
  async #serve(socket: Socket, desk: Desk): Promise<void> {
    for await (const line of linesOf(socket)) {
      const parsed = read(line);
      if (parsed === undefined) {
        await write(socket, { error: 'Expected a line such as {"id":"1","from":"anna","text":"hi"}' });
        return; // leaving the loop closes the connection
      }
      await this.#receive(parsed, socket, desk);
    }
  }

  async #receive({ id, from, text = '', askId, choice }: Line, socket: Socket, desk: Desk): Promise<void> {
    // Here `from` is whatever the line says. In yours a connection begins with a log-in that you check (a token, over
    // TLS), and `from` is the person it belongs to: whoever can say who they are can answer for others.
    this.#sockets.set(from, socket);
    try {
      await desk.receive({
        id: `${from}:${id}`, // the sender's own id, so that a line sent again is not a second message
        conversationId: this.conversationFor(from),
        text,
        participant: { id: `lines:${from}`, name: from }, // the person who has logged in, never what a line claims
        address: from, // where the answer goes
        ...(askId === undefined ? {} : { askId }),
        ...(choice === undefined ? {} : { choice }),
      });
      await write(socket, { ok: id }); // only now: it is stored
    } catch {
      await write(socket, { again: id });
    }
  }
}

async function* linesOf(socket: Socket): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of socket.setEncoding('utf8')) {
    const lines = `${rest}${chunk}`.split('\n');
    if (lines.some((line) => line.length > longestLine)) return;
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

function read(line: string): Line | undefined {
  try {
    const parsed = JSON.parse(line) as Partial<Line> | null;
    const { id, from, text = '', askId = '', choice = '' } = parsed ?? {};
    return [id, from, text, askId, choice].every((value) => typeof value === 'string') ? (parsed as Line) : undefined;
  } catch {
    return undefined;
  }
}

function write(socket: Socket, line: object): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.write(`${JSON.stringify(line)}\n`, (error) => (error ? reject(error) : resolve()));
  });
}

const deployer = agent('deployer');
const sure = deployer.question('sure', confirm('Deploy to production?', { yes: 'Deploy', no: 'Wait' }), {
  onAnswer: (yes) => (yes ? 'Deployed.' : 'Not deployed.'),
});
deployer.onMessage(({ message, ask }) => (/deploy/i.test(message) ? ask(sure) : 'I can deploy.'));

const registry = new AgentRegistry({
  agents: [deployer],
  channels: [new LineChannel(Number(process.env.PORT ?? 4711))],
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void registry.stop());
await registry.start();
