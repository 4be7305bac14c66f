/**
 * How mail is sent: a URL, the options of a server, or a transport that is ready. TLS is on unless it is switched off. No error quotes a
 * password.
 */
import {
  type CheckedOptions,
  hasFields,
  integer,
  longestTimer,
  type OptionRule,
  type OptionRules,
  object,
  optional,
  unsetHint,
  wrongOption,
} from '../../core/check-options.js';
import { definedFields } from '../../core/defined-fields.js';
import { AgentError } from '../../core/errors.js';
import { assertEncrypted, loginOption, serverRules } from './connection/options.js';

/** Who logs in: with a password, or with an OAuth 2 access token. */
export interface SmtpAuth {
  /** The name of the account. */
  readonly user: string;
  /** Its password; `accessToken` instead where the server wants OAuth 2. */
  readonly pass?: string;
  /** Gives a valid OAuth 2 access token. It is asked for one for each mail. */
  readonly accessToken?: () => string | Promise<string>;
}

/** The server that mail is handed to. */
export interface SmtpOptions {
  /** The SMTP server. */
  readonly host: string;
  /**
   * Its port.
   *
   * @default 465 with `secure: true`, else 587
   */
  readonly port?: number;
  /**
   * `true`: TLS from the first byte. `'starttls'`: a connection that is upgraded before the log-in, or not used. `false`: no encryption, for
   * a server on the same machine; a password is then sent to such a server only.
   *
   * @default true on port 465, else 'starttls'
   */
  readonly secure?: boolean | 'starttls';
  /** Who logs in. Without it nobody does. */
  readonly auth?: SmtpAuth;
  /** Certificates of authorities that are trusted instead of the usual ones, as PEM: for a server of your own. */
  readonly ca?: string;
  /**
   * How long the server may be silent, in ms. It must be below `settings.sendLimit` of the registry.
   *
   * @default 25_000
   */
  readonly timeout?: number;
}

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

/** The options of a server, with their defaults. */
export interface CheckedSmtp {
  readonly host: string;
  readonly port: number;
  readonly secure: boolean | 'starttls';
  readonly auth?: SmtpAuth | undefined;
  readonly ca?: string | undefined;
  readonly timeout: number;
}

const example = "'smtps://user:password@smtp.example.com', { host: 'smtp.example.com', auth: { user, pass } }";
const expected = `a URL, the options of a server, or a transport with sendMail: ${example}`;

const rules = {
  ...serverRules,
  auth: optional(loginOption),
  timeout: optional(integer({ min: 1, max: longestTimer }), 25_000),
} satisfies OptionRules<SmtpOptions>;

/** The rule for the option `smtp`. */
export const smtpOption: OptionRule<CheckedSmtp | MailTransport> = (value, name) => {
  if (value === '') throw wrongOption(name, expected, value, { hint: unsetHint });
  if (typeof value === 'string') return withDefaults(optionsOfUrl(value, name), name);
  if (!hasFields(value)) throw wrongOption(name, expected, value, { isSecret: true });
  if ('sendMail' in value) {
    if (typeof value.sendMail === 'function') return value as MailTransport; // as far as it is used
    throw new AgentError(
      'bad-option',
      `${name}.sendMail must be a function, as createTransport of nodemailer gives it.`,
    );
  }
  return withDefaults(object(rules, "{ host: 'smtp.example.com', auth: { user, pass } }")(value, name), name);
};

function withDefaults(given: CheckedOptions<typeof rules>, name: string): CheckedSmtp {
  const secure = given.secure ?? (given.port === 465 ? true : 'starttls');
  const port = given.port ?? (secure === true ? 465 : 587);
  assertEncrypted({ ...given, secure }, name);
  return { ...given, secure, port };
}

/** `smtps:` is TLS from the first byte, `smtp:` is STARTTLS. The URL may have a password, so no error quotes it. */
function optionsOfUrl(given: string, name: string): CheckedOptions<typeof rules> {
  const wrong = (problem: string) =>
    new AgentError('bad-option', `${name} ${problem}. Write it like smtps://user:password@smtp.example.com:465.`);
  if (!/^smtps?:\/\//i.test(given)) throw wrong('must be a URL that begins with smtps:// or smtp://');
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || url.hostname === '' || url.search + url.hash !== '' || !/^\/?$/.test(url.pathname))
    throw wrong(
      'cannot be read as a user, a password, a server and a port. A user or a password with a character such as # / ? : or % is written with encodeURIComponent(); other options are given as an object: { host, auth: { user, pass } }',
    );
  const [user, pass] = [url.username, url.password].map(decoded);
  if (user === undefined || pass === undefined)
    throw wrong('has a user or a password with a % that encodes nothing. Write both with encodeURIComponent()');
  if ((user === '') !== (pass === '')) throw wrong('must have both a user and a password, or neither');
  return {
    host: rules.host(url.hostname, name),
    secure: url.protocol === 'smtps:' ? true : 'starttls',
    timeout: rules.timeout(undefined, 'timeout'),
    ...definedFields({
      port: url.port === '' ? undefined : Number(url.port),
      auth: user === '' ? undefined : { user, pass },
    }),
  };
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
