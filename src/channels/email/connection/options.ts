/**
 * The servers of the channel as its author gives them: the one that mail is handed to and the one of the mailbox. Both are checked by one
 * table. TLS is on unless it is switched off. No error quotes a password or a token, also where one is given in the wrong place.
 */
import { isIPv6 } from 'node:net';
import {
  type CheckedOptions,
  expecting,
  integer,
  longestTime,
  longestTimer,
  matching,
  nonBlank,
  type OptionRule,
  type OptionRules,
  object,
  optional,
} from '../../../core/check-options.js';
import { definedFields } from '../../../core/defined-fields.js';
import { badOption } from '../../../core/errors.js';
import { isLoopback } from '../../../core/loopback.js';

/** Who logs in: with a password, or with an OAuth 2 access token. */
export interface MailLogin {
  /** The name of the account. */
  readonly user: string;
  /** Its password; `accessToken` instead where the server wants OAuth 2. */
  readonly pass?: string;
  /** Gives a valid OAuth 2 access token. It is asked for one whenever a connection is made: for sending, that is for each mail. */
  readonly accessToken?: () => string | Promise<string>;
}

/** Where a mail server is, and how the connection to it is encrypted. */
export interface MailServer {
  /** The name of the server. */
  readonly host: string;
  /**
   * Its port.
   *
   * @default to send, 465 with `secure: true`, else 587; for a mailbox, 993 with `secure: true`, else 143
   */
  readonly port?: number;
  /**
   * `true`: TLS from the first byte. `'starttls'`: a connection that is upgraded before the log-in, or not used. `false`: no encryption, for
   * a server on the same machine; a password is then sent to such a server only.
   *
   * @default true for a mailbox, and to send on port 465; else 'starttls'
   */
  readonly secure?: boolean | 'starttls';
  /** Certificates of authorities that are trusted instead of the usual ones, as PEM: for a server of your own. */
  readonly ca?: string;
}

/** The server that mail is handed to. */
export interface SmtpOptions extends MailServer {
  /** Who logs in. Without it nobody does. */
  readonly auth?: MailLogin;
  /**
   * How long the server may be silent, in ms. It must be below `settings.sendLimit` of the registry.
   *
   * @default 25_000
   */
  readonly timeout?: number;
}

/** The mailbox in which replies arrive. */
export interface ImapOptions extends MailServer {
  /** Who logs in. */
  readonly auth: MailLogin;
  /**
   * The mailbox that is read.
   *
   * @default 'INBOX'
   */
  readonly mailbox?: string;
  /**
   * How old a mail may be that is read, in ms, at least an hour. Older ones are left alone: what lay in the mailbox before, for example.
   * Servers look for mails by the day and in a time zone of their own, so that one may be up to two days older.
   *
   * @default 604_800_000, a week
   */
  readonly maxAge?: number;
  /**
   * What becomes of a mail that is recorded: `'flag'` gives it the keyword `$AskbackDone`, `{ moveTo }` moves it into another mailbox.
   *
   * @default 'flag'
   */
  readonly done?: 'flag' | { readonly moveTo: string };
}

/** A server with its defaults. `option` is the one that its author knows it by. */
export interface CheckedServer {
  readonly option: 'smtp' | 'imap';
  readonly host: string;
  readonly port: number;
  readonly secure: boolean | 'starttls';
  readonly ca?: string;
}

/** What servers listen at that begin with TLS, and that upgrade to it. */
export const usualPorts = { smtp: { tls: 465, starttls: 587 }, imap: { tls: 993, starttls: 143 } };

/** For what may be a password, or have one in it: no error quotes it. */
const unquoted = { isSecret: true };

/** A URL, or a port at its end, would be looked up as a name. It may also have a password in it. */
const hostName = matching(
  "the name of a server such as 'mail.example.com', without smtps://, user or port",
  (name) => isIPv6(name) || /^[^\s/:@?#[\]\\]+$/.test(name),
  { hint: 'Give the port as port, and the user and the password as auth.', ...unquoted },
);

const serverRules = {
  host: (value: unknown, name: string) =>
    hostName(typeof value === 'string' ? value.replace(/^\[(.*)\]$/, '$1') : value, name),
  port: optional(integer({ min: 1, max: 65_535 })),
  secure: optional(
    expecting<boolean | 'starttls'>(
      "true, false or 'starttls'",
      (value) => typeof value === 'boolean' || value === 'starttls',
    ),
  ),
  ca: optional(
    matching(
      'certificates as PEM, with the line -----BEGIN CERTIFICATE-----',
      (pem) => pem.includes('-----BEGIN CERTIFICATE-----'),
      { hint: "Give the content of the file: readFileSync('ca.pem', 'utf8').", ...unquoted },
    ),
  ),
};

const loginRules = {
  user: matching('a string that is not blank', (user) => user.trim() !== '', unquoted),
  pass: optional(matching('a non-empty string', (pass) => pass !== '', unquoted)),
  accessToken: optional(
    expecting<NonNullable<MailLogin['accessToken']>>(
      'a function that gives a token, such as () => token',
      (value) => typeof value === 'function',
      unquoted,
    ),
  ),
};

const loginOption: OptionRule<MailLogin> = (value, name) => {
  const login = object(loginRules, "{ user: 'refunds@example.com', pass }", unquoted)(value, name);
  if ((login.pass === undefined) !== (login.accessToken === undefined)) return login;
  throw badOption(`${name} must have either pass or accessToken. Give one of them.`);
};

/** A token for one connection. The error of its author may quote a secret: `wrong` makes the one that is shown. */
export async function givenToken(
  accessToken: NonNullable<MailLogin['accessToken']>,
  wrong: (problem: string, cause?: unknown) => Error,
): Promise<string> {
  let token: unknown;
  try {
    token = await accessToken();
  } catch (cause) {
    throw wrong('failed', cause);
  }
  if (typeof token === 'string' && token !== '') return token;
  throw wrong('must give a non-empty string');
}

/** With its defaults. A server that is not on this machine, and would be sent a password without encryption, is refused. */
function withDefaults<S extends MailServer & { readonly auth?: MailLogin }>(
  option: CheckedServer['option'],
  given: S,
  name: string,
) {
  const { tls, starttls } = usualPorts[option];
  const secure = given.secure ?? (option === 'imap' || given.port === tls ? true : 'starttls');
  if (secure !== false || given.auth === undefined || isLoopback(given.host))
    return { ...given, option, secure, port: given.port ?? (secure === true ? tls : starttls) };
  throw badOption(
    `${name}: without encryption the password would be sent to ${given.host} as it is. Leave secure out, or use a server on this machine.`,
  );
}

/** A mailbox that was out of reach for longer than this would lose answers; and a smaller number is one of seconds. */
const leastAge = 60 * 60_000;

const imapRules = {
  ...serverRules,
  auth: loginOption,
  mailbox: optional(nonBlank(), 'INBOX'),
  maxAge: optional(
    expecting<number>(
      `a number of milliseconds, at least ${leastAge} (an hour)`,
      (value) => typeof value === 'number' && value >= leastAge && value <= longestTime,
      { hint: 'A week is 7 * 24 * 60 * 60_000.' },
    ),
    7 * 24 * leastAge,
  ),
  done: optional<'flag' | { readonly moveTo: string }>(
    (value, name) =>
      value === 'flag' ? value : object({ moveTo: nonBlank() }, "{ moveTo: 'Done' }, or 'flag'")(value, name),
    'flag',
  ),
} satisfies OptionRules<ImapOptions>;

/** The options of a mailbox, with their defaults. */
export type CheckedImap = CheckedServer & CheckedOptions<typeof imapRules>;

/** The rule for an option that names a mailbox. */
export const imapOption: OptionRule<CheckedImap> = (value, name) => {
  const given = object(imapRules, "{ host: 'imap.example.com', auth: { user, pass } }", unquoted)(value, name);
  const imap = withDefaults('imap', given, name);
  if (imap.done === 'flag' || imap.done.moveTo.toLowerCase() !== imap.mailbox.toLowerCase()) return imap;
  throw badOption(`${name}.done.moveTo must be another mailbox than the one that is read.`);
};

const smtpRules = {
  ...serverRules,
  auth: optional(loginOption),
  timeout: optional(integer({ min: 1, max: longestTimer }), 25_000),
} satisfies OptionRules<SmtpOptions>;

/** The options of the server that mail is handed to, with their defaults. */
export type CheckedSmtp = CheckedServer & CheckedOptions<typeof smtpRules>;

/** The rule for a server that mail is handed to: a URL, or its options. */
export const smtpServer: OptionRule<CheckedSmtp> = (value, name) => {
  const given = typeof value === 'string' ? optionsOfUrl(value, name) : value;
  const smtp = object(smtpRules, "{ host: 'smtp.example.com', auth: { user, pass } }", unquoted)(given, name);
  return withDefaults('smtp', smtp, name);
};

/** `smtps:` is TLS from the first byte, `smtp:` is STARTTLS. */
function optionsOfUrl(given: string, name: string): object {
  const wrong = (problem: string) =>
    badOption(`${name} ${problem}. Write it like smtps://user:password@smtp.example.com:465.`);
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
  return definedFields({
    host: url.hostname,
    secure: url.protocol === 'smtps:' ? true : 'starttls',
    port: url.port === '' ? undefined : Number(url.port),
    auth: user === '' ? undefined : { user, pass },
  });
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
