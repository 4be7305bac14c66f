/**
 * An SMTP server on loopback, in this process: it keeps what it takes in a list, hands it on if it is told to, and fails where a test says.
 */

import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { SMTPServer } from 'smtp-server';

/** A mail that the server has taken. */
export interface SentMail {
  readonly from: string;
  readonly to: readonly string[];
  /** One character per byte. */
  readonly raw: string;
}

/** Where a conversation with the server can fail. */
export type SmtpStep = 'connect' | 'auth' | 'mail' | 'rcpt' | 'data';

/**
 * What happens there: a code such as 451 or 550 with a text; no answer at all; the end of the connection. `taken then close`: the mail is
 * taken, and the connection ends before the client hears of it.
 */
export type SmtpFailure = { readonly code: number; readonly text?: string } | 'hang' | 'close' | 'taken then close';

/** Which failure there is at a step, if any; `about` is the address, or empty. */
export type SmtpFaults = (step: SmtpStep, about: string) => SmtpFailure | undefined;

/** The file with the certificate of a server with `tls`, which vouches for itself. */
export const certificate = fileURLToPath(new URL('../tls/cert.pem', import.meta.url));
export const certificateKey = fileURLToPath(new URL('../tls/key.pem', import.meta.url));

/** How the server is set up. */
export interface SmtpServerOptions {
  /** The credentials it wants; `pass` is also taken as an access token. Without them it takes mail from anybody. */
  readonly auth?: { readonly user: string; readonly pass: string };
  /** Called with every mail that is taken, before the client is told: the IMAP server's deliver(), for example. */
  readonly deliver?: (mail: SentMail) => void;
  readonly port?: number;
  /** TLS from the first byte, or the upgrade by STARTTLS. */
  readonly tls?: boolean | 'starttls';
}

export class SmtpServer {
  readonly mails: SentMail[] = [];
  /** Connections accepted so far. */
  accepted = 0;
  /** Decides what fails. Nothing does until a test sets it. */
  faults: SmtpFaults = () => undefined;
  readonly #server: SMTPServer;
  readonly #waiting = new Set<() => void>();

  private constructor({ auth, deliver = () => {}, tls = false }: SmtpServerOptions) {
    const fails = (step: SmtpStep, about: string, go: (error?: Error) => void, sessionId: string) => {
      const failure = this.faults(step, about);
      if (failure === undefined || failure === 'taken then close') go();
      else this.#fail(failure, sessionId, go);
    };
    this.#server = new SMTPServer({
      ...(tls === false ? {} : { cert: readFileSync(certificate), key: readFileSync(certificateKey) }),
      secure: tls === true,
      authOptional: auth === undefined,
      allowInsecureAuth: true,
      disableReverseLookup: true,
      disabledCommands: tls === 'starttls' ? [] : ['STARTTLS'],
      closeTimeout: 1,
      logger: false,
      onConnect: ({ id }, go) => {
        this.accepted += 1;
        fails('connect', '', go, id);
      },
      authMethods: ['PLAIN', 'LOGIN', 'XOAUTH2'],
      onAuth: ({ username, password, accessToken }, { id }, go) => {
        const isRight = auth === undefined || (username === auth.user && (accessToken ?? password) === auth.pass);
        const answer = (error?: Error) => (error ? go(error) : go(null, { user: username ?? '' }));
        if (isRight) fails('auth', username ?? '', answer, id);
        else go(Object.assign(new Error('Wrong user or password'), { responseCode: 535 }));
      },
      onMailFrom: ({ address }, { id }, go) => fails('mail', address, go, id),
      onRcptTo: ({ address }, { id }, go) => fails('rcpt', address, go, id),
      onData: (stream, { id, envelope }, go) => {
        const whole = text(stream.setEncoding('latin1'));
        const taken = whole.then((raw) => {
          const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
          const to = envelope.rcptTo.map(({ address }) => address);
          const failure = this.faults('data', to[0] ?? '');
          if (failure !== undefined && failure !== 'taken then close') return this.#fail(failure, id, go);
          const mail = { from, to, raw };
          deliver(mail);
          this.mails.push(mail);
          for (const told of this.#waiting) told();
          if (failure === undefined) go();
          else this.#cut(id);
        });
        taken.catch(() => undefined); // of a sender that was killed: what it did not send to the end is no mail
      },
    });
    this.#server.on('error', () => {}); // a connection that a test cut
  }

  static async begin(options: SmtpServerOptions = {}): Promise<SmtpServer> {
    const server = new SmtpServer(options);
    await new Promise<void>((resolve) => server.#server.listen(options.port ?? 0, '127.0.0.1', () => resolve()));
    return server;
  }

  get port(): number {
    return (this.#server.server.address() as AddressInfo).port;
  }

  /** Resolves with the first `count` mails once so many were taken. */
  async taken(count: number, within = 60_000): Promise<readonly SentMail[]> {
    if (this.mails.length < count) {
      await new Promise<void>((resolve, reject) => {
        const late = () => reject(new Error(`${this.mails.length} of ${count} mails were taken within ${within} ms.`));
        const timer = setTimeout(late, within);
        const told = () => {
          if (this.mails.length < count) return;
          clearTimeout(timer);
          this.#waiting.delete(told);
          resolve();
        };
        this.#waiting.add(told);
      });
    }
    return this.mails.slice(0, count);
  }

  async stop(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #fail(failure: Exclude<SmtpFailure, 'taken then close'>, sessionId: string, go: (error: Error) => void): void {
    if (failure === 'close') this.#cut(sessionId);
    else if (failure !== 'hang')
      go(Object.assign(new Error(failure.text ?? 'Refused by the test'), { responseCode: failure.code }));
  }

  #cut(sessionId: string): void {
    for (const connection of this.#server.connections) if (connection.id === sessionId) connection.close();
  }
}
