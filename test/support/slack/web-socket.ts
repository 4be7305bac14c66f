/**
 * The server's end of a WebSocket, as far as Socket Mode needs it: text frames, pings and the closing handshake.
 */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

const magic = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

export class ServerWebSocket {
  readonly #stream: Duplex;
  readonly #onText: (text: string) => void;
  #received = Buffer.alloc(0);
  isOpen = true;

  constructor(request: IncomingMessage, stream: Duplex, onText: (text: string) => void) {
    this.#stream = stream;
    this.#onText = onText;
    const accept = createHash('sha1').update(`${request.headers['sec-websocket-key']}${magic}`).digest('base64');
    stream.write(
      `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`,
    );
    stream.on('error', () => this.destroy());
    stream.on('close', () => {
      this.isOpen = false;
    });
    stream.on('data', (chunk: Buffer) => this.#takes(chunk));
  }

  sends(message: object): void {
    this.#frame(1, Buffer.from(JSON.stringify(message)));
  }

  /** Ends the connection without a word. */
  destroy(): void {
    this.isOpen = false;
    this.#stream.destroy();
  }

  #takes(chunk: Buffer): void {
    this.#received = Buffer.concat([this.#received, chunk]);
    for (;;) {
      const bytes = this.#received;
      if (bytes.length < 2) return;
      const opcode = (bytes[0] as number) & 15;
      const short = (bytes[1] as number) & 127;
      const extra = short === 126 ? 2 : short === 127 ? 8 : 0;
      const start = 2 + extra + 4; // what a client sends is masked
      if (bytes.length < start) return;
      const length = extra === 2 ? bytes.readUInt16BE(2) : extra === 8 ? Number(bytes.readBigUInt64BE(2)) : short;
      if (bytes.length < start + length) return;
      const mask = bytes.subarray(start - 4, start);
      const content = Buffer.from(
        bytes.subarray(start, start + length).map((byte, i) => byte ^ (mask[i % 4] as number)),
      );
      this.#received = bytes.subarray(start + length);
      if (opcode === 1) this.#onText(content.toString('utf8'));
      if (opcode === 9) this.#frame(10, content);
      if (opcode === 8) {
        this.#frame(8, content);
        this.#stream.end();
      }
    }
  }

  #frame(opcode: number, content: Buffer): void {
    if (!this.isOpen) return;
    const { length } = content;
    const header = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
    header[0] = 128 + opcode;
    header[1] = length < 126 ? length : length < 65_536 ? 126 : 127;
    if (header.length === 4) header.writeUInt16BE(length, 2);
    if (header.length === 10) header.writeBigUInt64BE(BigInt(length), 2);
    this.#stream.write(Buffer.concat([header, content]));
  }
}
