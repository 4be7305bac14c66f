/**
 * Sends mails by SMTP, one recipient each. A mail is sent once the server has said that it took it. What the mail says is not decided here;
 * its header cannot be broken out of, whatever the values are.
 */
import { hasFields, type OptionRule, wrongOption } from '../../core/check-options.js';
import { definedFields } from '../../core/defined-fields.js';
import { AgentError, badOption } from '../../core/errors.js';
import { digest } from '../../core/ids.js';
import { imported } from '../../core/optional-package.js';
import { headerText, type MailAddress, parseAddress } from './addresses.js';
import { type CheckedSmtp, givenToken, type MailLogin, smtpServer } from './connection/options.js';
import { nodemailer } from './connection/packages.js';
import { smtpFailure } from './connection/trouble.js';
import { ownMailHeader } from './incoming/kind.js';

/** A mail as a transport is given it: the fields of nodemailer's `sendMail`. */
export interface TransportMail {
  /** Our own address. */
  readonly from: { readonly name: string; readonly address: string };
  /** Whom it is for. */
  readonly to: { readonly name: string; readonly address: string };
  /** Where an answer goes. */
  readonly replyTo?: string;
  /** The addresses that the server is given: where it comes back to, and whom it is for. */
  readonly envelope: { from: string; to: string[] };
  /** One line. */
  readonly subject: string;
  /** The mail as text. */
  readonly text: string;
  /** The same as HTML. */
  readonly html: string;
  /** When it was sent. */
  readonly date: Date;
  /** With its angle brackets; the same for every try. */
  readonly messageId: string;
  /** The mail that it answers. */
  readonly inReplyTo?: string;
  /** The mails that it follows. */
  readonly references?: string[];
  /** Further header fields. */
  readonly headers: Record<string, string>;
  /** No file is read for it. */
  readonly disableFileAccess: true;
  /** Nothing is fetched for it. */
  readonly disableUrlAccess: true;
  /** It does not say what sent it. */
  readonly xMailer: false;
}

/** Something that sends a mail: what `createTransport` of nodemailer gives, for Amazon SES or a pool, for example. It is not closed. */
export interface MailTransport {
  /** Resolves once the mail was taken. */
  sendMail(mail: TransportMail): Promise<unknown>;
}

/** A mail to one person, before its header is made safe. */
export interface SmtpMail
  extends Pick<TransportMail, 'subject' | 'text' | 'html' | 'date' | 'messageId' | 'replyTo' | 'inReplyTo'> {
  readonly from: MailAddress;
  /** The address, as `parseAddress` gives it. */
  readonly to: string;
  /** Where the mail comes back to if it cannot be delivered. */
  readonly envelopeFrom: string;
  readonly references?: readonly string[];
}

const expected =
  "a URL, the options of a server, or a transport with sendMail: 'smtps://user:password@smtp.example.com', { host: 'smtp.example.com', auth: { user, pass } }";

/** The rule for the option `smtp`. */
export const smtpOption: OptionRule<CheckedSmtp | MailTransport> = (value, name) => {
  if (value === '' || (typeof value !== 'string' && !hasFields(value)))
    throw wrongOption(name, expected, value, { isSecret: true });
  if (typeof value === 'string' || !('sendMail' in value)) return smtpServer(value, name);
  if (typeof value.sendMail === 'function') return value as MailTransport; // as far as it is used
  throw badOption(`${name}.sendMail must be a function, as createTransport of nodemailer gives it.`);
};

/** Servers refuse more connections of one client, some already at ten. */
const mostAtOnce = 5;
/** How long connecting and the greeting may take, in ms. */
const connectWithin = 10_000;

/** What other mail programs go by to leave a mail without an automatic answer (RFC 3834, and Exchange). */
const machineHeaders = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' };

export class Smtp {
  readonly #smtp: CheckedSmtp | MailTransport;
  /** Mails that are being sent, by their Message-ID: a repeat waits for the first one. */
  readonly #sending = new Map<string, Promise<void>>();
  readonly #waiting: (() => void)[] = [];
  #atOnce = 0;

  /** `smtp` is what `smtpOption` gives. */
  constructor(smtp: CheckedSmtp | MailTransport) {
    this.#smtp = smtp;
  }

  /** Loads nodemailer. Rejects if it is missing. Nothing is connected yet. */
  async load(): Promise<MailTransport> {
    const smtp = this.#smtp;
    if ('sendMail' in smtp) return smtp;
    const { createTransport } = await imported(nodemailer, () => import('nodemailer'));
    return { sendMail: async (mail) => createTransport(await connectionOptions(smtp)).sendMail(mail) };
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
    const transport = await this.load();
    if (this.#atOnce < mostAtOnce) this.#atOnce += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve)); // the others wait in order
    try {
      await transport.sendMail(content);
    } catch (error) {
      const unsent = { ...mail, from: mail.from.address };
      throw smtpFailure(error, unsent, 'sendMail' in this.#smtp ? undefined : this.#smtp);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#atOnce -= 1;
      else next();
    }
  }
}

/** The options of one connection. An access token may be another one for each. */
async function connectionOptions({ host, port, secure, auth, ca, timeout }: CheckedSmtp) {
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
    ...(auth === undefined ? {} : { auth: await logIn(auth) }),
  };
}

async function logIn({ user, pass = '', accessToken }: MailLogin) {
  if (accessToken === undefined) return { user, pass };
  const noToken = () => Object.assign(new Error('No token'), { code: 'EOAUTH2' });
  return { type: 'OAuth2', user, accessToken: await givenToken(accessToken, noToken) };
}

/** The mail as a transport takes it: every value one line, every address one address. */
function transportMail({ from, to, envelopeFrom, text, html, date, ...mail }: SmtpMail): TransportMail {
  return {
    from: { name: headerText(from.name ?? '', 100), address: oneAddress(from.address) },
    to: { name: '', address: oneAddress(to) },
    envelope: { from: oneAddress(envelopeFrom), to: [to] },
    subject: headerText(mail.subject),
    text,
    html,
    date,
    messageId: headerText(mail.messageId, 300),
    ...definedFields({
      replyTo: mail.replyTo === undefined ? undefined : oneAddress(mail.replyTo),
      inReplyTo: mail.inReplyTo && headerText(mail.inReplyTo, 300),
      references: mail.references?.map((id) => headerText(id, 300)),
    }),
    headers: { ...machineHeaders, [ownMailHeader]: digest('askback mail header', mail.messageId) },
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
