/**
 * An IMAP server on loopback, in this process: hoodiecrow with IDLE, UIDPLUS and MOVE, and hooks to refuse commands. It keeps the search
 * keys, keywords and notifications that a mailbox needs; it has no OBJECTID, no quota and no disk. dovecot.ts is for those.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AddressInfo, Server, Socket } from 'node:net';
import { certificate, certificateKey } from './smtp-server.js';

/** A mail in a folder of the server. */
export interface StoredMail {
  readonly uid: number;
  readonly flags: readonly string[];
  /** One character per byte. */
  readonly raw: string;
}

interface Folder {
  uidvalidity: number;
  messages: StoredMail[];
}

interface Session {
  readonly socket: Socket | null;
  readonly secureConnection: boolean;
  send(response: object, description: string, parsed: object, data: string): void;
}

interface Parsed {
  readonly tag: string;
  readonly command: string;
}

type Handler = (session: Session, parsed: Parsed, data: string, done: () => void) => void;

interface Hoodiecrow {
  readonly server: Server;
  readonly connectionHandlers: ((session: Session) => void)[];
  listen(port: number, host: string, ready: () => void): void;
  close(closed: () => void): void;
  getMailbox(path: string): Folder | undefined;
  appendMessage(path: string, flags: string[], date: Date, raw: string): { readonly message: StoredMail };
  getCommandHandler(name: string): Handler | false;
  setCommandHandler(name: string, handler: Handler): void;
  notify(command: object, folder: Folder): void;
}

const hoodiecrow = createRequire(import.meta.url)('hoodiecrow-imap') as (options: object) => Hoodiecrow;

/** How the server is set up. */
export interface ImapServerOptions {
  /** Plugins of hoodiecrow. */
  readonly plugins?: readonly string[];
  /** False: no keyword can be made, PERMANENTFLAGS has no `\*`. */
  readonly allowsKeywords?: boolean;
  /** Folders besides INBOX. */
  readonly folders?: readonly string[];
  readonly port?: number;
  /** TLS from the first byte. The plugin STARTTLS is for the upgrade. */
  readonly tls?: boolean;
}

/** What a command is answered with instead of being carried out: a reason for NO, or the end of the connection. */
export type Refusal = { readonly no: string } | 'close';

const watched = ['LOGIN', 'SELECT', 'UID SEARCH', 'UID FETCH', 'UID STORE', 'UID MOVE', 'IDLE', 'LOGOUT', 'CREATE'];

export class ImapServer {
  readonly user = 'testuser';
  readonly pass = 'testpass';
  /** The commands that came so far, without the credentials. */
  readonly commands: string[] = [];
  /** For each log-in so far, whether it came over an encrypted connection. */
  readonly encryptedLogIns: boolean[] = [];
  /** Connections accepted so far. */
  accepted = 0;
  readonly #server: Hoodiecrow;
  readonly #sockets = new Set<Socket>();
  readonly #refusals = new Map<string, (line: string) => Refusal | undefined>();

  private constructor(server: Hoodiecrow) {
    this.#server = server;
    server.server.on('connection', (socket: Socket) => {
      this.accepted += 1;
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
    for (const name of watched) this.#watch(name);
  }

  static async begin(options: ImapServerOptions = {}): Promise<ImapServer> {
    const {
      plugins = ['ID', 'IDLE', 'UIDPLUS', 'MOVE'],
      allowsKeywords = true,
      folders = [],
      port = 0,
      tls = false,
    } = options;
    const named = Object.fromEntries(folders.map((name) => [name, {}]));
    const server = hoodiecrow({
      plugins,
      secureConnection: tls,
      credentials: { cert: readFileSync(certificate), key: readFileSync(certificateKey) },
      storage: { INBOX: { allowPermanentFlags: allowsKeywords, uidvalidity: 1_700_000_000 }, '': { folders: named } },
    });
    const started = new ImapServer(server);
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    return started;
  }

  get port(): number {
    return (this.#server.server.address() as AddressInfo).port;
  }

  /** How many connections there are. */
  get open(): number {
    return this.#sockets.size;
  }

  /** Puts a mail into the folder, and tells whoever waits there. Returns its UID. */
  deliver(raw: string | Uint8Array, more: { folder?: string; date?: Date; flags?: string[] } = {}): number {
    const { folder = 'INBOX', date = new Date(), flags = [] } = more;
    const bytes = Buffer.from(raw).toString('latin1').replace(/\r?\n/g, '\r\n');
    return this.#server.appendMessage(folder, [...flags], date, bytes).message.uid;
  }

  mails(folder = 'INBOX'): readonly StoredMail[] {
    return this.#folder(folder).messages;
  }

  /** The UIDs of the mails that have that keyword. */
  flagged(keyword: string, folder = 'INBOX'): readonly number[] {
    return this.mails(folder)
      .filter(({ flags }) => flags.includes(keyword))
      .map(({ uid }) => uid);
  }

  /** Removes a mail as another client does. Sessions are told with their next answer. */
  expunge(uid: number, folder = 'INBOX'): void {
    const box = this.#folder(folder);
    const at = box.messages.findIndex((mail) => mail.uid === uid);
    if (at < 0) throw new Error(`There is no mail ${uid} in ${folder}.`);
    box.messages.splice(at, 1);
    this.#server.notify({ tag: '*', attributes: [at + 1, { type: 'ATOM', value: 'EXPUNGE' }] }, box);
  }

  /** The folder is made anew with other UIDs, as after a repair; the mails and their flags stay. */
  rebuild(folder = 'INBOX'): void {
    const box = this.#folder(folder);
    box.uidvalidity += 1;
    box.messages = box.messages.map((mail, at) => ({ ...mail, uid: at + 1 }));
    this.cut();
  }

  /** Refuses every command of that name for which `answer` gives a refusal, until it is allowed again. */
  refuse(name: string, answer: (line: string) => Refusal | undefined = () => ({ no: 'Not now' })): void {
    if (!watched.includes(name)) throw new Error(`Only ${watched.join(', ')} can be refused, not ${name}.`);
    this.#refusals.set(name, answer);
  }

  allow(name: string): void {
    this.#refusals.delete(name);
  }

  /** Ends every connection; new ones are accepted. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(resolve));
    this.cut();
    await closed;
  }

  #folder(name: string): Folder {
    const folder = this.#server.getMailbox(name);
    if (folder === undefined) throw new Error(`The IMAP server has no folder ${name}.`);
    return folder;
  }

  #watch(name: string): void {
    const carryOut = this.#server.getCommandHandler(name);
    if (carryOut === false) return;
    this.#server.setCommandHandler(name, (session, parsed, data, done) => {
      const line = name === 'LOGIN' ? name : data.slice(data.indexOf(' ') + 1);
      this.commands.push(line);
      if (name === 'LOGIN') this.encryptedLogIns.push(session.secureConnection);
      const refusal = this.#refusals.get(name)?.(line);
      if (refusal === undefined) return carryOut(session, parsed, data, done);
      if (refusal === 'close') session.socket?.destroy();
      else {
        const attributes = [{ type: 'TEXT', value: refusal.no }];
        session.send({ tag: parsed.tag, command: 'NO', attributes }, 'REFUSED', parsed, data);
      }
      done();
    });
  }
}

/** A mail as a server delivers it. */
export function rawMail(more: Readonly<Record<string, string>> = {}, text = 'Yes, please.'): string {
  const fields = { From: 'Anna <anna@example.com>', To: 'replies@shop.example', Subject: 'Re: Refund?', ...more };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  return [...lines, 'Content-Type: text/plain; charset=utf-8', '', text, ''].join('\r\n');
}
