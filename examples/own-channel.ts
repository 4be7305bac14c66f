/**
 * A channel of your own: JSON lines over TCP, on loopback. Start it, then talk to it from a second terminal:
 *   PORT=4711 npx tsx own-channel.ts   (from Node 22.18 on: node own-channel.ts)
 *   npm run build && npm run build:examples && PORT=4711 node dist-examples/own-channel.js   (in a clone)
 *   nc 127.0.0.1 4711
 *   {"id":"1","from":"anna","text":"deploy"}
 *   {"id":"2","from":"anna","text":"yes"}
 * Each line you send is answered with {"ok":id} once it is stored, or {"again":id} if you should send it again.
 */
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { Channel, Desk, Json, OutgoingMessage } from 'askback';
import { AgentRegistry, agent, confirm } from 'askback';

interface Line {
  readonly id: string;
  readonly from: string;
  readonly text?: string;
  /** A button: the question it belongs to, and the option pressed. */
  readonly askId?: string;
  readonly choice?: string;
}

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
      socket.on('close', () => this.#connections.delete(socket));
      socket.on('error', () => socket.destroy());
      createInterface({ input: socket }).on('line', (line) => void this.#receive(line, socket, desk));
    });
    await new Promise<void>((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve));
    console.log(`Listening on 127.0.0.1:${(this.#server.address() as AddressInfo).port}`);
  }

  /** Resolves when it is handed over. If it fails, the message stays in the outbox and is tried again. */
  async send(message: OutgoingMessage): Promise<void> {
    const socket = this.#sockets.get(String(message.address));
    if (socket === undefined) throw new Error(`${String(message.address)} is not connected.`);
    const { text, shape, ask, key } = message;
    const options = shape.type === 'choices' ? { options: shape.choices.map(({ id, label }) => ({ id, label })) } : {};
    await write(socket, { key, text, ...(ask === undefined ? {} : { askId: ask.id, ...options }) });
  }

  /** Where a reply arrives if something is sent `to` there: this makes `ask(question, { via: { channel, to } })` work. */
  conversationFor(to: Json): string {
    return `lines:${String(to)}`;
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#connections) socket.end(() => socket.destroy()); // an open connection would keep the process alive
    await closed;
  }

  async #receive(line: string, socket: Socket, desk: Desk): Promise<void> {
    const parsed = read(line);
    if (parsed === undefined)
      return write(socket, { error: 'Expected a line such as {"id":"1","from":"anna","text":"hi"}' });
    const { id, from, text = '', askId, choice } = parsed;
    this.#sockets.set(from, socket);
    try {
      await desk.receive({
        id: `${from}:${id}`, // the sender's own id, so that a line sent again is not a second message
        conversationId: this.conversationFor(from),
        text,
        participant: { id: `lines:${from}`, name: from }, // a real channel checks who writes before it says so
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

function read(line: string): Line | undefined {
  try {
    const parsed = JSON.parse(line) as Partial<Line> | null;
    return typeof parsed?.id === 'string' && typeof parsed.from === 'string' ? (parsed as Line) : undefined;
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
