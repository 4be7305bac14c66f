/**
 * Sends mails by SMTP, one recipient each. A mail is sent once the server has said that it took it. What the mail says is not decided here;
 * its header cannot be broken out of, whatever the values are.
 */
import { AgentError } from '../../core/errors.js';
import { digest } from '../../core/ids.js';
import { domainOf, headerText, type MailAddress, parseAddress } from './addresses.js';
import { missingPackage } from './connection/packages.js';
import { ownMailHeader } from './incoming/kind.js';
import { smtpFailure } from './smtp-failure.js';
import type { CheckedSmtp, MailTransport, TransportMail } from './smtp-options.js';

/** A mail to one person. */
export interface SmtpMail {
  readonly from: MailAddress;
  /** The address, as `parseAddress` gives it. */
  readonly to: string;
  /** Where an answer goes. */
  readonly replyTo?: string | undefined;
  /** Where the mail comes back to if it cannot be delivered. */
  readonly envelopeFrom: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Programs write it above their quotes. */
  readonly date: Date;
  /** With its angle brackets, as all ids. */
  readonly messageId: string;
  readonly inReplyTo?: string | undefined;
  readonly references?: readonly string[] | undefined;
  /** Further fields. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Servers refuse more connections of one client, some already at ten. */
const mostAtOnce = 5;
/** How long connecting and the greeting may take, in ms. */
const connectWithin = 10_000;

/** What other mail programs go by to leave a mail without an automatic answer (RFC 3834, and Exchange). */
const machineHeaders = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' };

export class Smtp {
  readonly #smtp: CheckedSmtp | MailTransport;
  #transport: Promise<MailTransport> | undefined;
  /** Mails that are being sent, by their Message-ID: a repeat waits for the first one. */
  readonly #sending = new Map<string, Promise<void>>();
  readonly #waiting: (() => void)[] = [];
  #atOnce = 0;

  /** `smtp` is what `smtpOption` gives. */
  constructor({ smtp }: { readonly smtp: CheckedSmtp | MailTransport }) {
    this.#smtp = smtp;
  }

  /** Loads nodemailer. Rejects if it is missing. Nothing is connected yet. */
  async load(): Promise<void> {
    await this.#loaded();
  }

  /**
   * Resolves once the server has taken the mail. An `AgentError` with the code `undeliverable` says that no try can succeed; after any other
   * error it may, and it may also be that the mail was taken: a repeat has the same Message-ID.
   */
  send(mail: SmtpMail): Promise<void> {
    const known = this.#sending.get(mail.messageId);
    if (known !== undefined) return known;
    const sending = this.#send(mail).finally(() => this.#sending.delete(mail.messageId));
    this.#sending.set(mail.messageId, sending);
    return sending;
  }

  /** Settles when nothing is being sent any more. Each mail has a connection of its own, so none stays open. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#sending.values());
  }

  async #send(mail: SmtpMail): Promise<void> {
    const content = transportMail(mail);
    const transport = await this.#loaded();
    await this.#slot();
    try {
      await transport.sendMail(content);
    } catch (error) {
      const server = 'sendMail' in this.#smtp ? undefined : { ...this.#smtp, option: 'smtp' as const };
      const { from, envelopeFrom, to } = mail;
      const about = { domain: domainOf(to), from: from.address, returnDomain: domainOf(envelopeFrom) };
      throw smtpFailure(error, about, server);
    } finally {
      this.#released();
    }
  }

  /** Limits how many mails are sent at once; the rest wait in order. */
  async #slot(): Promise<void> {
    if (this.#atOnce < mostAtOnce) this.#atOnce += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** The slot goes to whoever waits for one. */
  #released(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#atOnce -= 1;
    else next();
  }

  #loaded(): Promise<MailTransport> {
    this.#transport ??= 'sendMail' in this.#smtp ? Promise.resolve(this.#smtp) : this.#created(this.#smtp);
    return this.#transport;
  }

  async #created(smtp: CheckedSmtp): Promise<MailTransport> {
    let createTransport: typeof import('nodemailer').createTransport;
    try {
      ({ createTransport } = await import('nodemailer'));
    } catch (cause) {
      this.#transport = undefined;
      throw missingPackage('nodemailer', cause);
    }
    return { sendMail: async (mail) => createTransport(await connectionOptions(smtp)).sendMail(mail) };
  }
}

/** The options of one connection. An access token may be another one for each. */
async function connectionOptions({ host, port, secure, auth, ca, timeout }: CheckedSmtp) {
  const { user = '', pass = '', accessToken } = auth ?? {};
  return {
    host,
    port,
    secure: secure === true,
    requireTLS: secure === 'starttls',
    ignoreTLS: secure === false,
    ...(ca === undefined ? {} : { tls: { ca } }),
    connectionTimeout: Math.min(connectWithin, timeout),
    greetingTimeout: Math.min(connectWithin, timeout),
    dnsTimeout: Math.min(connectWithin, timeout),
    socketTimeout: timeout,
    ...(auth === undefined
      ? {}
      : { auth: accessToken === undefined ? { user, pass } : await withToken(user, accessToken) }),
  };
}

async function withToken(user: string, accessToken: () => string | Promise<string>) {
  let token: unknown;
  try {
    token = await accessToken();
  } catch {
    throw Object.assign(new Error('accessToken() failed'), { code: 'EOAUTH2' }); // its own error may quote a secret
  }
  if (typeof token !== 'string' || token === '') throw Object.assign(new Error('No token'), { code: 'EOAUTH2' });
  return { type: 'OAuth2', user, accessToken: token };
}

/** The mail as a transport takes it: every value one line, every address one address. */
function transportMail(mail: SmtpMail): TransportMail {
  const to = oneAddress(mail.to);
  const { inReplyTo, references, replyTo } = mail;
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(mail.headers ?? {})) headers[fieldName(name)] = headerText(value);
  return {
    from: { name: headerText(mail.from.name ?? '', 100), address: oneAddress(mail.from.address) },
    to: { name: '', address: to },
    ...(replyTo === undefined ? {} : { replyTo: oneAddress(replyTo) }),
    envelope: { from: oneAddress(mail.envelopeFrom), to: [to] },
    subject: headerText(mail.subject),
    text: mail.text,
    html: mail.html,
    date: mail.date,
    messageId: headerText(mail.messageId, 300),
    ...(inReplyTo === undefined ? {} : { inReplyTo: headerText(inReplyTo, 300) }),
    ...(references === undefined ? {} : { references: references.map((id) => headerText(id, 300)) }),
    headers: { ...headers, ...machineHeaders, [ownMailHeader]: digest('askback mail header', mail.messageId) },
    disableFileAccess: true,
    disableUrlAccess: true,
    xMailer: false,
  };
}

function oneAddress(address: string): string {
  if (parseAddress(address)?.address === address) return address;
  throw new AgentError(
    'undeliverable',
    'A mail has a recipient or a sender that is not one mail address. Check `to` of the ask.',
  );
}

function fieldName(name: string): string {
  if (/^[A-Za-z][\w-]{0,60}$/.test(name)) return name;
  throw new AgentError('bad-option', 'The name of a header field must have letters, digits and hyphens only.');
}
